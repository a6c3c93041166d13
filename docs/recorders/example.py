"""Threads increment a counter under a lock: python3 example.py broken|right FILE"""
import sys, threading, time
from recorder import Recorder


class Broken:
    """Looks whether the lock is free, and then takes it: another thread fits between."""
    held = False

    def acquire(self):
        while self.held:
            time.sleep(0.001)
        time.sleep(0.001)
        self.held = True

    def release(self):
        self.held = False


lock = Broken() if sys.argv[1] == "broken" else threading.Lock()
workers = [f"worker-{n}" for n in range(1, 4)]
items = {"counter": "0"}
recorder = Recorder(workers, dict(items))


def work(worker):
    for _ in range(5):
        section = recorder.number(worker)
        recorder.add("acquire-called", worker, section=section, key="counter")
        lock.acquire()
        recorder.add("acquired", worker, section=section)
        value = recorder.operation(worker, section, "read", "counter", lambda: items["counter"])
        time.sleep(0.002)
        value = str(int(value) + 1)
        recorder.operation(worker, section, "write", "counter", lambda: items.update(counter=value), value=value)
        recorder.add("release-called", worker, section=section)
        lock.release()
        recorder.add("released", worker, section=section)


threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
recorder.write(sys.argv[2])
