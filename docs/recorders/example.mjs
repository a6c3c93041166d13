// Workers increment a counter under a lock: node example.mjs broken|right FILE
import { setTimeout as sleep } from "node:timers/promises";
import { Recorder } from "./recorder.mjs";

// Looks whether the lock is free, and then takes it: another worker runs at the await between.
class Broken {
  async acquire() {
    while (this.held) await sleep(1);
    await sleep(1);
    this.held = true;
  }
  release() { this.held = false; }
}

// Gives the lock to one caller after the other.
class Queue {
  tail = Promise.resolve();
  async acquire() {
    const before = this.tail;
    this.tail = new Promise((resolve) => { this.next = [...(this.next ?? []), resolve]; });
    await before;
  }
  release() { this.next.shift()(); }
}

const [, , kind, path] = process.argv;
const lock = kind === "broken" ? new Broken() : new Queue();
const workers = ["worker-1", "worker-2", "worker-3"];
const items = { counter: "0" };
const recorder = new Recorder(workers, { ...items });

async function work(worker) {
  for (let i = 0; i < 5; i++) {
    const section = recorder.number(worker);
    recorder.add("acquire-called", worker, { section, key: "counter" });
    await lock.acquire();
    recorder.add("acquired", worker, { section });
    const value = await recorder.operation(worker, section, "read", "counter", async () => items.counter);
    await sleep(2);
    const next = String(Number(value) + 1);
    await recorder.operation(worker, section, "write", "counter", async () => { items.counter = next; }, next);
    recorder.add("release-called", worker, { section });
    lock.release();
    recorder.add("released", worker, { section });
  }
}

await Promise.all(workers.map(work));
recorder.write(path);
