"use strict";
// The page is complete without this script. The script adds what moves: the
// filter, the copy buttons, the theme, and the timelines, which it draws from
// the data that lies beside each story. Text from a run only ever becomes text.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const element = (name, className, text) => {
    const e = document.createElement(name);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const shape = (name, attributes, text) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    if (text !== undefined) e.textContent = text;
    return e;
  };

  // Theme: what the system prefers, until the button says otherwise.
  const theme = document.getElementById("theme");
  const dark = () => document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  const nameTheme = () => { theme.textContent = dark() ? "Light theme" : "Dark theme"; };
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    nameTheme();
  });
  nameTheme();

  // say tells a screen reader what has changed.
  const say = (text) => { document.getElementById("said").textContent = text; };

  // Copy: where the clipboard is closed, the line is selected instead.
  for (const button of all(".copy")) {
    button.addEventListener("click", async () => {
      const code = button.parentElement.querySelector("code");
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
        say("Copied");
        setTimeout(() => { button.textContent = "Copy"; }, 1500);
      } catch {
        getSelection().selectAllChildren(code);
        say("Selected, not copied");
      }
    });
  }

  // Filter: all words must be there; failures follow their strategies.
  const filter = document.getElementById("filter");
  const status = document.getElementById("status");
  const rows = all(".strategy");
  const apply = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (e) => words.every((word) => e.dataset.text.toLowerCase().includes(word));
    const kept = new Set();
    for (const row of rows) {
      row.hidden = !has(row) || (status.value !== "" && !row.dataset.status.split(" ").includes(status.value));
      if (!row.hidden) kept.add(row.dataset.label);
    }
    for (const failure of all(".failure")) failure.hidden = !kept.has(failure.dataset.label) || !has(failure);
    for (const fold of all(".fold:is(.rows, .cards)")) {
      const left = all(".strategy, .failure", fold).filter((e) => !e.hidden).length;
      fold.hidden = left === 0;
      if (words.length > 0 && fold.matches(".rows")) fold.open = left > 0;
    }
    const shown = rows.filter((row) => !row.hidden).length;
    document.getElementById("shown").textContent = `${shown} of ${rows.length} shown`;
  };
  filter.addEventListener("input", apply);
  status.addEventListener("change", apply);
  apply();

  for (const e of all("#theme, .copy, .filters, .keys")) e.hidden = false;

  // A link to a failure opens it.
  const follow = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target && target.matches(".failure")) {
      for (let e = target; e; e = e.parentElement) if (e.matches("details")) e.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", follow);
  for (const link of all("a.check")) link.addEventListener("click", () => setTimeout(follow));

  // The measures of a timeline, in pixels.
  const thin = (kind) => kind === "wait" || kind === "after"; // a thin bar without a label
  const size = { names: 86, lane: 56, row: 19, bar: 9, mark: 8, lift: 19, axis: 26, left: 12, right: 16, least: 640 };

  // wide measures a text in pixels, since fonts differ from machine to machine.
  const pen = document.createElement("canvas").getContext("2d");
  const family = getComputedStyle(document.body).fontFamily;
  const wide = (text, font) => {
    pen.font = `${font}px ${family}`;
    return pen.measureText(text).width;
  };
  // fitted cuts a text to a width.
  const fitted = (text, font, width) => {
    let cut = text;
    while (cut !== "" && wide(cut === text ? text : cut + "…", font) > width) cut = cut.slice(0, -1);
    return cut === text ? text : cut + "…";
  };

  class Timeline {
    constructor(failure) {
      this.data = JSON.parse(failure.querySelector("script.timeline").textContent);
      this.failure = failure;
      this.lines = all(".story li", failure);
      this.zoom = 1;
      this.even = false; // an even scale instead of the stretched one
      this.step = Math.max(0, this.data.steps.findIndex((s) => s.decisive));
      this.build();
      failure.addEventListener("toggle", () => { if (failure.open) this.draw(); });
      failure.addEventListener("keydown", (event) => this.key(event));
      this.lines.forEach((line, i) => line.addEventListener("click", () => this.go(i)));
      new ResizeObserver(() => this.resized()).observe(this.scroll);
      this.draw();
    }

    build() {
      const picture = this.failure.querySelector(".picture");
      const tools = element("div", "tools");
      tools.setAttribute("role", "group");
      tools.setAttribute("aria-label", "Timeline");
      // The name of a button is its text, or of a sign its label.
      const button = (text, title, act, label) => {
        const b = element("button", "", text);
        b.type = "button";
        b.title = title;
        if (label) b.setAttribute("aria-label", label);
        b.addEventListener("click", act);
        tools.append(b);
        return b;
      };
      button("◀", "k, ←", () => this.go(this.step - 1), "Step back");
      button("▶", "j, →", () => this.go(this.step + 1), "Next step");
      this.where = element("span", "where");
      tools.append(this.where);
      button("Decisive step", "the step that completes the violation", () => this.go(this.data.steps.findIndex((s) => s.decisive)));
      button("−", "-", () => this.zoomTo(this.zoom / 1.5), "Zoom out");
      button("+", "+", () => this.zoomTo(this.zoom * 1.5), "Zoom in");
      button("Fit", "0: the whole story", () => this.zoomTo(1));
      this.scale = button("True scale", "time to scale, or stretched where much happens", () => {
        this.even = !this.even;
        this.draw();
      });
      this.scroll = element("div", "scroll");
      this.scroll.tabIndex = 0;
      this.scroll.setAttribute("role", "group");
      this.scroll.setAttribute("aria-label", `Timeline of ${this.data.strategy}, seed ${this.data.seed}: arrow keys step through the story`);
      this.detail = element("p", "detail");
      picture.append(tools, this.scroll, this.detail, this.legend());
      picture.hidden = false;
      picture.parentElement.classList.add("live");
    }

    legend() {
      const list = element("ul", "key");
      for (const [kind, words] of [["belief", this.data.noLock ? "is in its section" : "believes that it holds the lock"], ["after", "its call has not returned"], ["lease", "lease at the server"], ["fault", "fault"], ["wait", "waits"], ["quiet", "other sections and leases"]]) {
        if (!this.data.spans.some((span) => span.kind === kind)) continue;
        const entry = element("li");
        const svg = shape("svg", { width: 20, height: 10, "aria-hidden": "true" });
        const g = shape("g", { class: "span " + kind });
        g.append(shape("rect", thin(kind) ? { y: 4, width: 20, height: 3 } : { width: 20, height: 10 }));
        svg.append(g);
        entry.append(svg, words);
        list.append(entry);
      }
      for (const [kind, words] of [["arrow", "message"], ["arrow failed", "refused or lost"]]) {
        if (!this.data.arrows.some((arrow) => Boolean(arrow.failed) === (kind === "arrow failed"))) continue;
        const entry = element("li");
        const svg = shape("svg", { width: 20, height: 10, "aria-hidden": "true" });
        const g = shape("g", { class: kind });
        g.append(shape("line", { x1: 0, y1: 5, x2: 14, y2: 5 }), shape("path", { d: "M20 5l-7 -3v6z" }));
        svg.append(g);
        entry.append(svg, words);
        list.append(entry);
      }
      return list;
    }

    // place is where a time lies on the axis, from 0 to 1.
    place(at) {
      const { from, to, ruler } = this.data;
      if (this.even) return to > from ? (at - from) / (to - from) : 0;
      for (let i = 1; i < ruler.length; i++) {
        const a = ruler[i - 1], b = ruler[i];
        if (at <= b.at) return a.place + Math.max(0, (at - a.at) / (b.at - a.at)) * (b.place - a.place);
      }
      return 1;
    }

    x(at) { return size.names + size.left + this.place(at) * (this.width - size.names - size.left - size.right); }

    // more is the height of the rows of a lane beyond the first one.
    more(lane) { return ((this.data.lanes[lane].rows || 1) - 1) * size.row; }

    // top is the upper edge of a lane; after the last lane it is the lower edge of all.
    top(lane) { return this.data.lanes.slice(0, lane).reduce((sum, _, i) => sum + size.lane + this.more(i), 0); }

    // y is the middle of the bars in the lowest row of a lane.
    y(lane) { return this.top(lane) + this.more(lane) + 37; }

    resized() {
      if (this.scroll.clientWidth !== this.drawnFor) this.draw();
    }

    draw() {
      const room = this.scroll.clientWidth;
      if (room === 0) return; // it is closed
      this.drawnFor = room;
      this.width = Math.round(Math.max(room, size.least) * this.zoom);
      this.height = this.top(this.data.lanes.length) + size.axis;
      this.scale.textContent = this.even ? "Stretched scale" : "True scale";
      const focused = this.items && this.items.findIndex((item) => item.node === document.activeElement);
      const svg = shape("svg", { width: this.width, height: this.height, viewBox: `0 0 ${this.width} ${this.height}` });
      this.items = [];
      this.labels = []; // of the spans, over the arrows that cross them
      this.frame(svg);
      this.spans = this.data.spans.map((s) => this.span(svg, s));
      this.arrows = this.data.arrows.map((a) => this.arrow(svg, a));
      svg.append(...this.labels);
      this.marks = this.stacked().map((at, i) => this.mark(svg, at, i));
      this.items.sort((a, b) => a.at - b.at);
      svg.append(this.names());
      this.scroll.replaceChildren(svg);
      this.highlight();
      if (focused >= 0) this.focus(focused);
    }

    frame(svg) {
      const bottom = this.top(this.data.lanes.length);
      this.data.lanes.forEach((lane, i) => {
        if (i % 2 === 0) svg.append(shape("rect", { class: "band", x: 0, y: this.top(i), width: this.width, height: size.lane + this.more(i) }));
      });
      let free = size.names; // where the last number ended
      const decisive = this.data.steps.find((step) => step.decisive && step.at < this.data.to);
      // The decisive step keeps its time, and its neighbours make room for it.
      const inTheWay = (step, x, width) => decisive && step !== decisive &&
        Math.abs(x - this.x(decisive.at)) < (width + wide(decisive.time, 12)) / 2 + 8;
      for (const step of this.data.steps) {
        const x = this.x(step.at);
        if (step.decisive) svg.append(shape("line", { class: "cause", x1: x, x2: x, y1: 0, y2: bottom }));
        const width = wide(step.time, 12);
        if (x - width / 2 < free || inTheWay(step, x, width) || step.at >= this.data.to || x + width / 2 > this.width) continue;
        svg.append(shape("line", { class: "rule", x1: x, x2: x, y1: bottom, y2: bottom + 5 }));
        svg.append(shape("text", { class: "faint", x, y: bottom + 18, "text-anchor": "middle" }, step.time));
        free = x + width / 2 + 8;
      }
      svg.append(shape("text", { class: "faint", x: 8, y: bottom + 18 }, "time, s"));
      this.cursor = shape("line", { class: "cursor", y1: 0, y2: bottom });
      svg.append(this.cursor);
    }

    // names are those of the lanes. They stay where they can be read as the rest is
    // scrolled.
    names() {
      const group = shape("g", { class: "names" });
      group.append(shape("rect", { x: 0, y: 0, width: size.names - 4, height: this.top(this.data.lanes.length) }));
      this.data.lanes.forEach((lane, i) => {
        group.append(shape("text", { x: 8, y: this.y(i) - this.more(i) / 2 + 4 }, fitted(lane.name, 12, size.names - 14)));
      });
      const stay = () => group.setAttribute("transform", `translate(${this.scroll.scrollLeft} 0)`);
      this.scroll.onscroll = stay;
      stay();
      return group;
    }

    // item makes something that can be pointed at and walked to.
    item(svg, className, at, label, tell) {
      const node = shape("g", { class: "item " + className, tabindex: -1, role: "img", "aria-label": label });
      const show = () => tell();
      node.addEventListener("pointerenter", show);
      node.addEventListener("focus", show);
      node.addEventListener("pointerleave", () => this.tellStep());
      node.addEventListener("blur", () => this.tellStep());
      svg.append(node);
      this.items.push({ node, at });
      return node;
    }

    span(svg, s) {
      const text = `${s.text} (${this.seconds(s.from)} to ${this.seconds(s.to)})`;
      const node = this.item(svg, "span " + s.kind, s.from, text, () => this.tell(text));
      const from = this.x(s.from), width = Math.max(2, this.x(s.to) - from);
      let y = this.y(s.lane) - this.more(s.lane) + (s.row || 0) * size.row, half = size.bar, font = 11;
      if (thin(s.kind)) half = 2;
      if (s.kind === "quiet") half = 5;
      if (s.kind === "fault") { y = this.y(s.lane) + size.bar + 5; half = 5; font = 9.5; }
      node.append(shape("rect", { x: from, y: y - half, width, height: 2 * half, rx: 1.5 }));
      if (!thin(s.kind) && wide(s.label, font) < width - 8) {
        this.labels.push(shape("text", { class: "inside " + s.kind, "aria-hidden": "true", x: from + 5, y: y + font * 0.36, "font-size": font }, s.label));
      }
      return node;
    }

    arrow(svg, a) {
      const text = `${a.text} (${this.seconds(a.sent)} to ${this.seconds(a.arrived)})`;
      const node = this.item(svg, "arrow" + (a.failed ? " failed" : ""), a.sent, text, () => this.tell(text));
      const below = (lane) => this.y(lane) + size.bar, above = (lane) => this.y(lane) - this.more(lane) - size.bar;
      const [leaves, arrives] = a.toLane < a.fromLane ? [above, below] : [below, above];
      const x1 = this.x(a.sent), y1 = leaves(a.fromLane), x2 = this.x(a.arrived), y2 = arrives(a.toLane);
      const angle = Math.atan2(y2 - y1, x2 - x1);
      const wing = (turn) => `${x2 - 8 * Math.cos(angle + turn)} ${y2 - 8 * Math.sin(angle + turn)}`;
      node.append(shape("line", { class: "hit", x1, y1, x2, y2 }), shape("line", { x1, y1, x2, y2 }));
      node.append(shape("path", { d: `M${x2} ${y2}L${wing(0.4)}L${wing(-0.4)}z` }));
      if (a.label) node.append(shape("text", { x: x1 + (x2 - x1) * 0.6 + 4, y: this.between(a) }, a.label));
      return node;
    }

    // between is the gap between two lanes where the token of an arrow is read.
    between(a) {
      const lane = a.toLane < a.fromLane ? a.toLane + 1 : a.toLane;
      return this.top(lane) + 8;
    }

    // stacked finds a place for each mark. Marks that are too close are above each other, and beside
    // each other where no room is left above.
    stacked() {
      const taken = [];
      return this.data.steps.map((step) => {
        if (step.lane < 0) return null;
        const apart = 2 * size.mark - 1;
        const first = this.y(step.lane) - (this.data.lanes[step.lane].kind === "resource" ? 0 : size.lift + this.more(step.lane));
        let x = Math.min(this.x(step.at), this.width - size.mark - 2), y = first;
        const aside = x > this.width / 2 ? -apart : apart;
        while (taken.some((t) => Math.abs(t.x - x) < apart - 1 && Math.abs(t.y - y) < apart - 1)) {
          if (y - apart >= size.mark) y -= apart;
          else [x, y] = [x + aside, first];
        }
        taken.push({ x, y });
        return { x, y };
      });
    }

    mark(svg, at, i) {
      if (!at) return null;
      const step = this.data.steps[i];
      const node = this.item(svg, "mark" + (step.decisive ? " decisive" : ""), step.at, `Step ${i + 1}: ${step.actor} ${step.text}`, () => this.tell(this.words(i), this.standing(i)));
      node.addEventListener("click", () => this.go(i));
      node.append(shape("circle", { cx: at.x, cy: at.y, r: size.mark }));
      node.append(shape("text", { x: at.x, y: at.y + 3.7, "text-anchor": "middle" }, i + 1));
      return node;
    }

    seconds(at) { return (at / 1000).toFixed(3) + " s"; }

    words(i) {
      const s = this.data.steps[i];
      return `${i + 1}. ${s.time} s ${s.actor} ${s.text}${s.decisive ? ": this completes the violation" : ""}`;
    }

    standing(i) {
      const s = this.data.steps[i];
      return `${this.data.noLock ? "in its section" : "believes it holds"}: ${s.believes} · lease: ${s.lease} · resource: ${s.resource}`;
    }

    // tell describes what is pointed at.
    tell(text, more) {
      this.detail.replaceChildren(element("span", "", text));
      if (more) this.detail.append(element("span", "dim", more));
    }

    // tellStep is for when nothing is pointed at. Beside the story a hint is enough.
    tellStep() {
      const step = element("span", "step", this.words(this.step));
      step.append(element("span", "dim", this.standing(this.step)));
      this.detail.replaceChildren(step, element("span", "hint dim", "Point at a bar, a message or a number."));
    }

    go(i) {
      if (i < 0 || i >= this.data.steps.length) return;
      this.step = i;
      this.highlight();
      say(this.words(i) + ", " + this.standing(i));
      this.lines[i].scrollIntoView({ block: "nearest" });
    }

    // highlight shows the current step in the story and in the picture.
    highlight() {
      const step = this.data.steps[this.step];
      this.lines.forEach((line, i) => {
        if (i === this.step) line.setAttribute("aria-current", "step");
        else line.removeAttribute("aria-current");
      });
      const link = (nodes, linked) => nodes.forEach((node, i) => node.classList.toggle("linked", (linked || []).includes(i)));
      link(this.spans, step.spans);
      link(this.arrows, step.arrows);
      this.marks.forEach((node, i) => {
        if (!node) return;
        node.classList.toggle("current", i === this.step);
        node.setAttribute("tabindex", i === this.step ? 0 : -1);
      });
      const x = this.x(step.at);
      this.cursor.setAttribute("x1", x);
      this.cursor.setAttribute("x2", x);
      const room = this.scroll.clientWidth;
      if (x < this.scroll.scrollLeft + 40 || x > this.scroll.scrollLeft + room - 40) this.scroll.scrollLeft = x - room / 2;
      this.where.textContent = `step ${this.step + 1} of ${this.data.steps.length}`;
      this.tellStep();
    }

    zoomTo(zoom) {
      this.zoom = Math.min(24, Math.max(1, zoom));
      this.draw();
      this.scroll.scrollLeft = this.x(this.data.steps[this.step].at) - this.scroll.clientWidth / 2;
    }

    focus(i) {
      const item = this.items[Math.min(this.items.length - 1, Math.max(0, i))];
      if (item) item.node.focus();
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return;
      // Outside of the picture the arrows scroll the page.
      if (event.key.startsWith("Arrow") && !event.target.closest(".scroll")) return;
      const focused = this.items.findIndex((item) => item.node === document.activeElement);
      const acts = {
        j: () => this.go(this.step + 1), ArrowRight: () => this.go(this.step + 1), ArrowDown: () => this.go(this.step + 1),
        k: () => this.go(this.step - 1), ArrowLeft: () => this.go(this.step - 1), ArrowUp: () => this.go(this.step - 1),
        "+": () => this.zoomTo(this.zoom * 1.5), "=": () => this.zoomTo(this.zoom * 1.5),
        "-": () => this.zoomTo(this.zoom / 1.5), 0: () => this.zoomTo(1),
        n: () => this.focus(focused + 1), p: () => this.focus(focused - 1),
      };
      if (!Object.hasOwn(acts, event.key)) return;
      event.preventDefault();
      acts[event.key]();
    }
  }

  for (const failure of all(".failure")) {
    if (failure.querySelector("script.timeline")) new Timeline(failure);
  }
  follow();
})();
