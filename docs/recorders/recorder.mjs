// Records what the workers of a lock do, as a history for: lockquake check FILE.
import { writeFileSync } from "node:fs";

export class Recorder {
  constructor(workers, initial) {
    this.began = process.hrtime.bigint();
    this.events = [];
    this.counts = {};
    this.meta = { schema: 1, version: "", scenario: "recorded", strategy: "mine", label: "mine", seed: 0, workload: "counter",
      fence: "off", fenced: false, workers, initial };
  }
  now() { return Number(process.hrtime.bigint() - this.began); }
  number(name) { return this.counts[name] = (this.counts[name] ?? 0) + 1; }
  add(type, worker, fields = {}) {
    this.events.push({ seq: this.events.length + 1, at: this.now(), type, worker, ...fields });
  }
  // Does a read or a write of the item key; a write has its value.
  async operation(worker, section, op, key, act, value) {
    const request = this.number("request");
    this.add("invoke", worker, { section, request, op, key, value });
    const answer = await act(); // if it throws, it stays unknown whether the operation took effect
    this.add("ok", worker, { section, request, value: op === "write" ? value : answer });
    return answer;
  }
  write(path) {
    const now = this.now();
    const lines = [{ ...this.meta, duration: now, end: now }, ...this.events];
    writeFileSync(path, lines.map((line) => JSON.stringify(line) + "\n").join(""));
  }
}
