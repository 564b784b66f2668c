"use strict";
// A schedule in space and time: a row a rank, or several, time to the right, messages as arrows, a
// colour a round. One steps through it: what is done by then is drawn, the rest only faintly.

class Schedule {
  constructor(data, canvas, says) {
    this.data = data;  // {title, unit, ranks, lines, rounds, steps: [{line, kind, peer, reads, writes, count, bytes, round, begun, done, arrives}]}
    this.canvas = canvas;
    this.says = says;
    this.steps = data.steps;
    this.end = Math.max(...this.steps.map((s) => Math.max(s.done, s.arrives)), 1e-9);
    this.from = 0;
    this.to = this.end;
    this.left = 70;
    this.foot = 24;
    this.turns = this.turns_by(data.by_round);
    this.at = data.at ?? this.turns.length;
    this.listen();
  }

  // Each turn of a stepper: the steps that it adds.
  turns_by(rounds) {
    const all = new Map();
    this.steps.forEach((step, i) => {
      const key = rounds ? step.round : step.begun;
      if (!all.has(key)) all.set(key, []);
      all.get(key).push(i);
    });
    return [...all.entries()].sort((a, b) => a[0] - b[0]).map(([key, steps]) => ({key, steps}));
  }
  set_by_round(on) {
    this.data.by_round = on;
    this.turns = this.turns_by(on);
    this.go(this.turns.length);
  }
  go(at) {
    this.at = this.data.at = Math.min(this.turns.length, Math.max(0, at));
    this.draw();
  }

  // Few rounds get colours far apart, many a sweep of hues.
  round_colour(round) {
    const apart = ["#2f7fc1", "#d5652a", "#1f9e74", "#c46a9f", "#8a63b5", "#b8862b", "#1b9eaa", "#b04a3a"];
    if (this.data.rounds <= apart.length) return apart[round];
    return "hsl(" + Math.round(225 * round / (this.data.rounds - 1)) + ",65%,50%)";
  }

  row() { return Math.min(38, Math.max(11, 560 / this.data.lines.length)); }
  x_of(time) { return this.left + 12 + (time - this.from) / (this.to - this.from) * (this.width - this.left - 32); }
  y_of(line) { return 8 + this.row() * (line + 0.5); }

  draw() {
    this.width = this.canvas.clientWidth;
    this.tall = 16 + this.row() * this.data.lines.length + this.foot;
    const pen = pen_of(this.canvas, this.width, this.tall);
    this.draw_lines(pen);
    const now = this.at === 0 ? new Set() : new Set(this.turns[this.at - 1].steps);
    const done = new Set(this.turns.slice(0, this.at).flatMap((turn) => turn.steps));
    for (const bright of [false, true]) {
      this.steps.forEach((step, i) => {
        if (done.has(i) === bright) this.draw_step(pen, step, bright ? (now.has(i) || this.at === this.turns.length ? 1 : 0.55) : 0.09, now.has(i));
      });
    }
    pen.globalAlpha = 1;
    this.says(this.text_of(now), this.at, this.turns.length);
  }

  draw_lines(pen) {
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    this.data.lines.forEach((name, line) => {
      pen.fillStyle = colour("--faint");
      pen.textAlign = "right";
      pen.fillText(name, this.left - 4, this.y_of(line), this.left - 8);
      pen.strokeStyle = colour("--line");
      pen.beginPath();
      pen.moveTo(this.left + 4, this.y_of(line));
      pen.lineTo(this.width - 12, this.y_of(line));
      pen.stroke();
    });
    pen.textAlign = "center";
    const rough = (this.to - this.from) / 9;
    const ten = Math.pow(10, Math.floor(Math.log10(rough)));
    const apart = [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= rough);
    for (let time = Math.ceil(this.from / apart) * apart; time <= this.to * 1.0001; time += apart) {
      pen.fillText(String(+time.toPrecision(6)), this.x_of(time), this.tall - 11);
    }
    pen.textAlign = "left";
  }

  draw_step(pen, step, alpha, now) {
    pen.globalAlpha = alpha;
    pen.strokeStyle = pen.fillStyle = this.round_colour(step.round);
    const x = this.x_of(step.done);
    const y = this.y_of(step.line);
    const more = Math.min(4, Math.log2(step.count) / 2);  // wider where it stands for several
    const message = step.kind === "send" || step.kind === "signal";
    if (message) {
      pen.lineWidth = more + (now && this.at !== this.turns.length ? 2.6 : 1.5);
      pen.setLineDash(step.kind === "signal" ? [4, 3] : []);
      this.arrow(pen, this.x_of(step.begun), y, this.x_of(Math.max(step.arrives, step.begun)), this.y_of(step.peer < 0 ? step.line : step.peer));
      pen.setLineDash([]);
    } else if (step.kind === "copy" || step.kind === "reduce") {
      pen.lineWidth = 1;
      pen.setLineDash([1, 3]);
      if (step.reads >= 0) this.arrow(pen, this.x_of(step.begun), this.y_of(step.reads), x, y);
      if (step.writes >= 0) this.arrow(pen, this.x_of(step.begun), y, x, this.y_of(step.writes));
      pen.setLineDash([]);
      pen.lineWidth = 6;
      pen.globalAlpha = alpha * 0.35;
      pen.beginPath();
      pen.moveTo(this.x_of(step.begun), y);
      pen.lineTo(x, y);
      pen.stroke();
      pen.globalAlpha = alpha;
      pen.beginPath();
      if (step.kind === "copy") pen.rect(x - 3.5, y - 3.5, 7, 7);
      else pen.arc(x, y, 4.5, 0, 7);
      pen.fill();
    }
  }

  arrow(pen, x, y, to_x, to_y) {
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(to_x, to_y);
    pen.stroke();
    const angle = Math.atan2(to_y - y, to_x - x);
    pen.beginPath();
    pen.moveTo(to_x, to_y);
    for (const side of [-0.42, 0.42]) pen.lineTo(to_x - 8 * Math.cos(angle + side), to_y - 8 * Math.sin(angle + side));
    pen.fill();
  }

  text_of(now) {
    if (this.at === 0) return "Nothing has begun.";
    if (this.at === this.turns.length) return "All steps: " + this.steps.length + ".";
    const turn = this.turns[this.at - 1];
    const lines = [...now].slice(0, 14).map((i) => this.name_of(this.steps[i]));
    if (now.size > lines.length) lines.push("and " + (now.size - lines.length) + " more");
    return (this.data.by_round ? "round " : "at ") + +turn.key.toPrecision(6) + (this.data.by_round ? "" : " " + this.data.unit) + "\n" + lines.join("\n");
  }

  name_of(step) {
    const sends = step.kind === "send" || step.kind === "signal";
    const at = (line) => this.data.lines[line];
    const peer = step.peer < 0 || !(sends || step.kind === "receive") ? "" : (sends ? " to " : " from ") + at(step.peer);
    const memory = (step.reads < 0 ? "" : " reads " + at(step.reads)) + (step.writes < 0 ? "" : " writes " + at(step.writes));
    return at(step.line) + ": " + step.kind + (step.count === 1 ? "" : " " + step.count + " times") + peer + memory +
      (step.bytes === 0 ? "" : " of " + step.bytes + " bytes" + (step.count === 1 ? "" : " in all")) +
      ", round " + step.round + ", " + +step.begun.toPrecision(6) + " to " + +Math.max(step.done, sends ? step.arrives : 0).toPrecision(6);
  }

  // The step whose line or mark is nearest; null: none is near.
  near(x, y) {
    let best = null;
    let least = 8;
    for (const step of this.steps) {
      const message = step.kind === "send" || step.kind === "signal";
      const [ax, ay] = [this.x_of(step.begun), this.y_of(step.line)];
      const [bx, by] = message ? [this.x_of(Math.max(step.arrives, step.begun)), this.y_of(step.peer < 0 ? step.line : step.peer)] : [this.x_of(step.done), ay];
      if (!message && step.kind !== "copy" && step.kind !== "reduce") continue;
      const away = distance_to(x, y, [ax, ay], [bx, by]);
      if (away < least) [best, least] = [step, away];
    }
    return best;
  }

  zoom(factor, around) {
    const span = Math.min(this.end, Math.max((this.to - this.from) * factor, this.end / 500));
    const share = (around - this.from) / (this.to - this.from);
    this.from = Math.min(Math.max(0, around - share * span), this.end - span);
    this.to = this.from + span;
    this.draw();
  }

  listen() {
    const canvas = this.canvas;
    canvas.tabIndex = 0;
    canvas.addEventListener("pointermove", (e) => {
      const step = this.near(e.offsetX, e.offsetY);
      show_tip(e, step === null ? null : this.name_of(step));
    });
    canvas.addEventListener("pointerleave", (e) => show_tip(e, null));
    canvas.addEventListener("dblclick", () => { this.from = 0; this.to = this.end; this.draw(); });
    canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      const share = (e.offsetX - this.left - 12) / (this.width - this.left - 32);
      this.zoom(Math.pow(1.0015, e.deltaY), this.from + share * (this.to - this.from));
    }, {passive: false});
  }
}

show((data, main) => {
  const {into, bar, canvas} = drawing_of(main, "schedule", data.title, data.ranks + " ranks, " + data.rounds +
    " rounds, " + data.steps.reduce((all, step) => all + step.count, 0) + " steps; time in " + data.unit);
  const text = element(into, "pre", "", "says");
  const slider = document.createElement("input");
  const place = document.createElement("span");
  const view = new Schedule(data, canvas, (words, at, turns) => {
    text.textContent = words;
    slider.max = turns;
    slider.value = at;
    place.textContent = at + " of " + turns;
  });
  let plays = null;
  const stop = () => { clearInterval(plays); plays = null; };
  const button = (name, act) => element(bar, "button", name).addEventListener("click", () => { stop(); act(); });
  button("first", () => view.go(0));
  button("back", () => view.go(view.at - 1));
  button("next", () => view.go(view.at + 1));
  button("all", () => view.go(view.turns.length));
  element(bar, "button", "play").addEventListener("click", () => {
    if (plays !== null) return stop();
    if (view.at === view.turns.length) view.go(0);
    plays = setInterval(() => { view.go(view.at + 1); if (view.at === view.turns.length) stop(); }, 500);
  });
  slider.type = "range";
  slider.min = 0;
  slider.className = "slider";
  slider.addEventListener("input", () => { stop(); view.go(Number(slider.value)); });
  bar.append(slider, place);
  check(bar, "by rounds", data.by_round ?? false, (on) => view.set_by_round(on));
  canvas.addEventListener("keydown", (e) => {
    if (e.key === "ArrowRight") view.go(view.at + 1);
    else if (e.key === "ArrowLeft") view.go(view.at - 1);
    else if (e.key === "Home") view.go(0);
    else if (e.key === "End") view.go(view.turns.length);
    else return;
    e.preventDefault();
  });
  element(into, "div", "Arrows: messages, dashed: signals; squares: copies; discs: reductions; dotted: whose memory they read or write; a colour a round. " +
    (data.lines.length < data.ranks ? "Ranks share lines, and what they do between two of them in a round is one, as wide as there is more of it. " : "") + "Wheel: time; " +
    "left and right, Home and End: by keys.", "faint");
  view.draw();
  return [view];
});
