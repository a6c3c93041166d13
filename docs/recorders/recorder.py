"""Records what the workers of a lock do, as a history for: lockquake check FILE."""
import json, threading, time


class Recorder:
    def __init__(self, workers, initial):
        self.began, self.mutex, self.events, self.counts = time.monotonic_ns(), threading.Lock(), [], {}
        self.meta = {"schema": 1, "version": "", "scenario": "recorded", "strategy": "mine", "label": "mine", "seed": 0, "workload": "counter",
                     "fence": "off", "fenced": False, "workers": workers, "initial": initial}

    def add(self, type, worker, **fields):
        with self.mutex:  # so that the order of the numbers is that of the times
            at = time.monotonic_ns() - self.began
            self.events.append({"seq": len(self.events) + 1, "at": at, "type": type, "worker": worker, **fields})

    def number(self, name):
        with self.mutex:
            self.counts[name] = self.counts.get(name, 0) + 1
            return self.counts[name]

    def operation(self, worker, section, op, key, do, **value):
        """Does a read or a write of the item key; a write has its value."""
        request = self.number("request")
        self.add("invoke", worker, section=section, request=request, op=op, key=key, **value)
        answer = do()  # if it raises, it stays unknown whether the operation took effect
        self.add("ok", worker, section=section, request=request, **(value if op == "write" else {"value": answer}))
        return answer

    def write(self, path):
        now = time.monotonic_ns() - self.began
        with open(path, "w") as file:
            for line in [{**self.meta, "duration": now, "end": now}, *self.events]:
                file.write(json.dumps(line) + "\n")
