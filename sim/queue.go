package sim

// firer is called when its event is due.
type firer interface{ fire() }

// funcFirer adapts a function to a firer.
type funcFirer func()

func (f funcFirer) fire() { f() }

// event is an entry of the queue. It is embedded in the object it belongs to (a task's timer, a
// message), so that scheduling allocates nothing.
type event struct {
	at    int64  // true time
	seq   uint64 // order among events of one instant
	what  firer
	index int // position in the queue plus one; 0: not queued

	// A timer belongs to the monotonic clock of a node and is rescheduled when that clock changes
	// its rate.
	node     *Node
	due      int64  // reading of the monotonic clock
	previous *event // in node.timers; nil for the first one, and for an event that is no timer
	next     *event

	late *Process // the stopped process whose late list holds the event
}

// queue is a heap of events, ordered by (at, seq), with four children for each entry.
type queue struct {
	items []item
}

// item repeats the order of its event, so that a comparison does not follow the pointer.
type item struct {
	at  int64
	seq uint64
	e   *event
}

func (a *item) before(b *item) bool {
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

func (q *queue) push(e *event) {
	q.items = append(q.items, item{e.at, e.seq, e})
	q.up(len(q.items) - 1)
}

// pop removes and returns the first event. The queue must not be empty.
func (q *queue) pop() *event {
	e := q.items[0].e
	q.removeAt(0)
	return e
}

func (q *queue) remove(e *event) {
	if e.index != 0 {
		q.removeAt(e.index - 1)
	}
}

func (q *queue) removeAt(i int) {
	last := len(q.items) - 1
	q.items[i].e.index = 0
	if i != last {
		q.items[i] = q.items[last]
		q.items[i].e.index = i + 1
	}
	q.items[last] = item{}
	q.items = q.items[:last]
	if i < last {
		if !q.up(i) {
			q.down(i)
		}
	}
}

// up moves the item at i towards the root and reports whether it moved.
func (q *queue) up(i int) bool {
	items := q.items
	it := items[i]
	start := i
	for i > 0 {
		parent := int(uint(i-1) / 4)
		if !it.before(&items[parent]) {
			break
		}
		items[i] = items[parent]
		items[i].e.index = i + 1
		i = parent
	}
	items[i] = it
	it.e.index = i + 1
	return i != start
}

func (q *queue) down(i int) {
	items := q.items
	it := items[i]
	for {
		first := 4*i + 1
		least := first
		if first+4 <= len(items) { // all four children: the lesser of each pair, then of these two
			c := (*[4]item)(items[first:])
			left, right := 0, 2
			if c[1].before(&c[0]) {
				left = 1
			}
			if c[3].before(&c[2]) {
				right = 3
			}
			if c[right].before(&c[left]) {
				left = right
			}
			least += left
		} else if first >= len(items) {
			break
		} else {
			for c := first + 1; c < len(items); c++ {
				if items[c].before(&items[least]) {
					least = c
				}
			}
		}
		if !items[least].before(&it) {
			break
		}
		items[i] = items[least]
		items[i].e.index = i + 1
		i = least
	}
	items[i] = it
	it.e.index = i + 1
}
