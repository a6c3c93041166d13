package keyspace

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"lockquake/sim/redis/resp"
)

// guard returns the answer of Redis to a command that miniredis would treat in another way, nil if
// there is no difference. Miniredis accepts more numbers than Redis and does not check for
// overflow.
func (s *store) guard(args []string) *resp.Reply {
	switch args[0] {
	case "incr":
		return s.guardSum(args[1], "1", false)
	case "decr":
		return s.guardSum(args[1], "1", true)
	case "incrby":
		return s.guardSum(args[1], args[2], false)
	case "decrby":
		return s.guardSum(args[1], args[2], true)
	case "hincrby":
		return s.guardHashSum(args)
	case "incrbyfloat":
		return s.addFloat(args[1], args[2])
	case "hincrbyfloat":
		return s.addHashFloat(args)
	case "setrange":
		return s.guardSetRange(args)
	case "mset", "msetnx":
		if len(args)%2 == 0 {
			r := wrongArity(args[0])
			return &r
		}
	case "lpop", "rpop":
		if len(args) > 3 {
			r := wrongArity(args[0])
			return &r
		}
		return guardCount(args)
	case "zpopmin", "zpopmax":
		if len(args) > 3 {
			return syntaxError()
		}
		if failed := guardCount(args); failed != nil || len(args) == 2 || args[2] != "0" {
			return failed
		}
		if kind := s.db.Type(args[1]); kind != "" && kind != "zset" {
			r := wrongType()
			return &r
		}
		return &resp.Reply{Kind: resp.Array}
	case "lrange", "ltrim", "zremrangebyrank":
		return integers(args[2:4])
	case "zrevrange":
		if len(args) > 4 && !strings.EqualFold(args[4], "withscores") {
			return syntaxError()
		}
		return integers(args[2:4])
	case "lrem":
		return integers(args[2:3])
	case "zrange":
		if byRank(args[4:]) {
			return integers(args[2:4])
		}
	case "zrangebyscore", "zrevrangebyscore":
		return rangeOptions(args[4:])
	case "copy":
		s.guardCopy(args)
	case "lset", "lindex":
		return s.guardIndex(args)
	case "zadd":
		return s.guardZAdd(args)
	case "zincrby":
		return s.guardScore(args[1], args[2], args[3])
	case "getrange", "substr":
		r := s.getRange(args)
		return &r
	case "flushdb", "flushall":
		if len(args) == 2 && strings.EqualFold(args[1], "sync") {
			s.redis.FlushAll()
			r := resp.OK()
			return &r
		}
	}
	return nil
}

// integers returns an error for words that are not integers.
func integers(words []string) *resp.Reply {
	for _, word := range words {
		if _, ok := parseInt(word); !ok {
			return notAnInteger()
		}
	}
	return nil
}

// byRank reports whether the options of ZRANGE select by rank.
func byRank(options []string) bool {
	for _, option := range options {
		if !strings.EqualFold(option, "withscores") && !strings.EqualFold(option, "rev") {
			return false
		}
	}
	return true
}

// guardCopy removes the target of a copy if it has another type: miniredis would keep the old
// value, and show it again after the copy is gone.
func (s *store) guardCopy(args []string) {
	other := func(option string) bool { return !strings.EqualFold(option, "replace") }
	if len(args) > 3 && !slices.ContainsFunc(args[3:], other) && args[1] != args[2] && s.redis.Exists(args[1]) {
		s.redis.Del(args[2])
	}
}

// guardIndex handles the commands with one index, which check the key first.
func (s *store) guardIndex(args []string) *resp.Reply {
	switch s.db.Type(args[1]) {
	case "list":
		return integers(args[2:3])
	case "":
		r := resp.Reply{Kind: resp.Nil}
		if args[0] == "lset" {
			r = resp.Errorf("ERR no such key")
		}
		return &r
	}
	r := wrongType()
	return &r
}

// guardCount returns an error if the third word is not a valid count.
func guardCount(args []string) *resp.Reply {
	if len(args) == 2 {
		return nil
	}
	if n, ok := parseInt(args[2]); ok && n >= 0 {
		return nil
	}
	r := resp.Errorf("ERR value is out of range, must be positive")
	return &r
}

// rangeOptions returns an error for options that ZRANGEBYSCORE does not have.
func rangeOptions(options []string) *resp.Reply {
	for len(options) > 0 {
		switch {
		case strings.EqualFold(options[0], "withscores"):
			options = options[1:]
		case strings.EqualFold(options[0], "limit") && len(options) > 2:
			if failed := integers(options[1:3]); failed != nil {
				return failed
			}
			options = options[3:]
		default:
			return syntaxError()
		}
	}
	return nil
}

func syntaxError() *resp.Reply {
	r := resp.Errorf("ERR syntax error")
	return &r
}

// guardSum returns an error for a sum that Redis refuses.
func (s *store) guardSum(key, by string, minus bool) *resp.Reply {
	n, ok := parseInt(by)
	if !ok {
		return notAnInteger()
	}
	if minus {
		if n == math.MinInt64 {
			r := resp.Errorf("ERR decrement would overflow")
			return &r
		}
		n = -n
	}
	text := s.text(key)
	if text.Kind != resp.Bulk {
		return nil // it begins at 0, or miniredis refuses it anyway
	}
	value, ok := parseInt(text.Text)
	if !ok {
		return notAnInteger()
	}
	return overflow(value, n)
}

func overflow(a, b int64) *resp.Reply {
	if b < 0 && a < 0 && b < math.MinInt64-a || b > 0 && a > 0 && b > math.MaxInt64-a {
		r := resp.Errorf("ERR increment or decrement would overflow")
		return &r
	}
	return nil
}

func (s *store) guardHashSum(args []string) *resp.Reply {
	n, ok := parseInt(args[3])
	if !ok {
		return notAnInteger()
	}
	text, there := s.field(args[1], args[2])
	if !there {
		return nil
	}
	value, ok := parseInt(text)
	if !ok {
		r := resp.Errorf("ERR hash value is not an integer")
		return &r
	}
	return overflow(value, n)
}

// field returns a field of a hash, and whether it exists.
func (s *store) field(key, field string) (string, bool) {
	if s.db.Type(key) != "hash" {
		return "", false
	}
	text := s.db.HGet(key, field)
	if text != "" {
		return text, true
	}
	fields, err := s.db.HKeys(key)
	return "", err == nil && slices.Contains(fields, field)
}

// addFloat runs INCRBYFLOAT.
func (s *store) addFloat(key, by string) *resp.Reply {
	text := s.text(key)
	if text.Kind == resp.Error {
		return &text
	}
	if text.Kind == resp.Nil {
		text.Text = "0"
	}
	if _, err := parseFloat(text.Text); err != nil {
		return notAFloat()
	}
	if _, err := parseFloat(by); err != nil {
		return notAFloat()
	}
	sum, ok := sumFloats(text.Text, by)
	if !ok {
		r := resp.Errorf("ERR increment would produce NaN or Infinity")
		return &r
	}
	life := s.db.TTL(key) // Set would remove it
	if err := s.db.Set(key, sum); err != nil {
		r := resp.Errorf("ERR lockquake cannot set a key: %v", err)
		return &r
	}
	if life > 0 {
		s.db.SetTTL(key, life)
	}
	return &resp.Reply{Kind: resp.Bulk, Text: sum}
}

// addHashFloat runs HINCRBYFLOAT.
func (s *store) addHashFloat(args []string) *resp.Reply {
	by, err := parseFloat(args[3])
	if err != nil {
		return notAFloat()
	}
	if math.IsInf(by, 0) {
		r := resp.Errorf("ERR value is NaN or Infinity")
		return &r
	}
	if kind := s.db.Type(args[1]); kind != "" && kind != "hash" {
		r := wrongType()
		return &r
	}
	text, there := s.field(args[1], args[2])
	if !there {
		text = "0"
	}
	if _, err := parseFloat(text); err != nil {
		r := resp.Errorf("ERR hash value is not a float")
		return &r
	}
	sum, ok := sumFloats(text, args[3])
	if !ok {
		r := resp.Errorf("ERR increment would produce NaN or Infinity")
		return &r
	}
	s.db.HSet(args[1], args[2], sum)
	return &resp.Reply{Kind: resp.Bulk, Text: sum}
}

// sumFloats adds and formats as Redis does, with the 64 bits of a long double instead of the 53 of
// a float64. It reports whether the sum is finite.
func sumFloats(a, b string) (string, bool) {
	const bits, digits = 64, 17
	x, _, err1 := big.ParseFloat(a, 10, bits, big.ToNearestEven)
	y, _, err2 := big.ParseFloat(b, 10, bits, big.ToNearestEven)
	if err1 != nil || err2 != nil || x.IsInf() || y.IsInf() {
		return "", false
	}
	text := new(big.Float).SetPrec(bits).Add(x, y).Text('f', digits)
	text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	if text == "-0" || text == "" || text == "-" {
		text = "0"
	}
	return text, true
}

func parseFloat(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err == nil && math.IsNaN(f) {
		err = strconv.ErrSyntax
	}
	return f, err
}

func notAFloat() *resp.Reply {
	r := resp.Errorf("ERR value is not a valid float")
	return &r
}

// getRange runs GETRANGE. Both ends are inclusive, and negative ones count from the end of the
// text.
func (s *store) getRange(args []string) resp.Reply {
	begin, ok1 := parseInt(args[2])
	end, ok2 := parseInt(args[3])
	if !ok1 || !ok2 {
		return *notAnInteger()
	}
	text := s.text(args[1])
	if text.Kind == resp.Error {
		return text
	}
	length := int64(len(text.Text))
	backwards := begin < 0 && end < 0 && begin > end
	if begin < 0 {
		begin = max(0, begin+length)
	}
	if end < 0 {
		end = max(0, end+length)
	}
	end = min(end, length-1)
	if backwards || begin > end {
		return resp.Reply{Kind: resp.Bulk}
	}
	return resp.Reply{Kind: resp.Bulk, Text: text.Text[begin : end+1]}
}

// guardSetRange handles an empty text, which creates no key, and the maximum length of a string.
func (s *store) guardSetRange(args []string) *resp.Reply {
	const longest = 512 << 20
	offset, ok := parseInt(args[2])
	text := s.text(args[1])
	switch {
	case !ok:
		return notAnInteger()
	case offset < 0 || text.Kind == resp.Error:
		return nil // refused anyway
	case args[3] == "":
		return &resp.Reply{Kind: resp.Integer, Int: int64(len(text.Text))}
	case offset > longest-int64(len(args[3])):
		r := resp.Errorf("ERR string exceeds maximum allowed size (proto-max-bulk-len)")
		return &r
	}
	return nil
}

// guardZAdd checks the options and all scores of ZADD before anything is added.
func (s *store) guardZAdd(args []string) *resp.Reply {
	words := args[2:]
	given := map[string]bool{}
	for len(words) > 0 {
		option := strings.ToLower(words[0])
		switch option {
		case "nx", "xx", "gt", "lt", "ch", "incr":
			given[option] = true
			words = words[1:]
			continue
		}
		break
	}
	var r resp.Reply
	switch {
	case len(words) == 0 || len(words)%2 != 0:
		return syntaxError()
	case given["nx"] && given["xx"]:
		r = resp.Errorf("ERR XX and NX options at the same time are not compatible")
	case given["gt"] && given["lt"] || given["nx"] && (given["gt"] || given["lt"]):
		r = resp.Errorf("ERR GT, LT, and/or NX options at the same time are not compatible")
	case given["incr"] && len(words) > 2:
		r = resp.Errorf("ERR INCR option supports a single increment-element pair")
	default:
		for i := 0; i < len(words); i += 2 {
			if _, err := parseFloat(words[i]); err != nil {
				return notAFloat()
			}
		}
		if given["incr"] {
			return s.increment(args[1], words[0], words[1], given)
		}
		return nil
	}
	return &r
}

// increment runs ZADD with INCR, which answers nil if the other options prevent the change.
func (s *store) increment(key, by, member string, given map[string]bool) *resp.Reply {
	kind := s.db.Type(key)
	if kind != "" && kind != "zset" {
		return nil // refused anyway
	}
	score, _ := s.db.ZScore(key, member)
	n, _ := parseFloat(by) // it was checked before
	members, _ := s.db.ZMembers(key)
	there := slices.Contains(members, member)
	if there && given["nx"] || !there && given["xx"] {
		return &resp.Reply{Kind: resp.Nil}
	}
	if failed := s.guardScore(key, by, member); failed != nil {
		return failed
	}
	if there && (given["gt"] && score+n <= score || given["lt"] && score+n >= score) {
		return &resp.Reply{Kind: resp.Nil}
	}
	r := s.dispatch([]string{"zadd", key, "incr", by, member})
	return &r
}

// guardScore returns an error for the sum of opposite infinities.
func (s *store) guardScore(key, by, member string) *resp.Reply {
	n, err := parseFloat(by)
	if err != nil {
		return notAFloat()
	}
	if !math.IsInf(n, 0) || s.db.Type(key) != "zset" {
		return nil
	}
	if score, err := s.db.ZScore(key, member); err == nil && math.IsNaN(score+n) {
		r := resp.Errorf("ERR resulting score is not a number (NaN)")
		return &r
	}
	return nil
}

// scores returns where the scores are in the reply to a command: at every step-th position from the
// first on. Step 1 means all, and step 0 none.
func scores(args []string) (first, step int) {
	switch args[0] {
	case "zscore", "zincrby", "zmscore":
		return 0, 1
	case "zadd":
		return 0, 1 // a number unless it is told to increment
	case "zpopmin", "zpopmax":
		return 1, 2
	case "zrange", "zrevrange", "zrangebyscore", "zrevrangebyscore":
		for _, word := range args[4:] {
			if strings.EqualFold(word, "withscores") {
				return 1, 2
			}
		}
	}
	return 0, 0
}

// rewriteScores formats scores with the digits that Redis writes.
func rewriteScores(args []string, reply *resp.Reply) {
	first, step := scores(args)
	if step == 0 {
		return
	}
	elems := reply.Elems
	if reply.Kind == resp.Bulk {
		elems = []resp.Reply{*reply}
	}
	for i := first; i < len(elems); i += step {
		if elems[i].Kind != resp.Bulk {
			continue
		}
		if f, err := strconv.ParseFloat(elems[i].Text, 64); err == nil && !math.IsInf(f, 0) {
			const digits = 17
			elems[i].Text = strconv.FormatFloat(f, 'g', digits, 64)
		}
	}
	if reply.Kind == resp.Bulk {
		*reply = elems[0]
	}
}
