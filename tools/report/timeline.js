"use strict";
// What each rank did when. A row a rank; a slice is drawn where it is at least a fraction of a pixel,
// the rest of a pixel's slices only once, so the work is bounded by the canvas and not by the trace.

const KINDS = ["send", "arrive", "put", "get", "atomic", "flush", "wait", "collective", "compute",
               "choice", "batch", "tagged", "receive", "queues", "migrate", "step"];
const KIND_COLOURS = ["--library", "--library", "--memory", "--memory", "--memory", "--memory",
                      "--wait", "--collective", "--compute", "--choice", "--stream", "--tag",
                      "--tag", "--tag", "--migrate", "--step"];

class Timeline {
  constructor(trace, canvas) {
    this.trace = trace;
    this.canvas = canvas;
    this.names = trace.names;
    this.rows = trace.rows;  // {rank, slices: [begin, length, kind, name, peer, bytes]*, collectives: same}
    this.from = 0;
    this.to = this.end();
    this.top = 0;
    this.shown = this.rows.length;
    this.found = null;
    this.arrows = true;
    this.critical = false;
    this.left = 64;
    this.foot = 22;
    this.listen();
  }

  // Of two traces side by side the longer one sets the scale.
  end() { return Math.max(this.trace.scale_us, 1e-3); }
  height() { return Math.min(620, Math.max(150, this.rows.length * 26 + this.foot)); }

  x_of(us) { return this.left + (us - this.from) / (this.to - this.from) * (this.width - this.left); }
  us_of(x) { return this.from + (x - this.left) / (this.width - this.left) * (this.to - this.from); }
  row_height() { return (this.tall - this.foot) / this.shown; }
  y_of(row) { return (row - this.top) * this.row_height(); }

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw_now(); });
  }

  draw_now() {
    this.width = this.canvas.clientWidth;
    this.tall = this.height();
    const pen = pen_of(this.canvas, this.width, this.tall);
    this.colours = KIND_COLOURS.map(colour);
    const first = Math.floor(this.top);
    const last = Math.min(this.rows.length, Math.ceil(this.top + this.shown));
    for (let row = first; row < last; ++row) this.draw_row(pen, row);
    if (this.arrows) this.draw_arrows(pen, first, last);
    if (this.critical) this.draw_critical(pen);
    this.draw_axes(pen, first, last);
  }

  draw_row(pen, row) {
    const tall = this.row_height();
    const y = this.y_of(row);
    const gap = tall > 6 ? 2 : 0;
    const rest = tall > 10 ? tall * 0.7 : tall;
    this.draw_slices(pen, this.rows[row].slices, y + gap / 2, rest - gap);
    if (tall > 10) this.draw_slices(pen, this.rows[row].collectives, y + rest, tall - rest - gap);
  }

  draw_slices(pen, slices, y, tall) {
    let covered = -1;
    for (let i = this.first_of(slices); i < slices.length; i += 7) {
      if (slices[i] > this.to) break;
      const begin = Math.max(this.x_of(slices[i]), this.left);
      const end = Math.min(this.x_of(slices[i] + slices[i + 1]), this.width);
      if (end < this.left) continue;
      const wide = Math.max(end - begin, 0.6);
      if (begin + wide <= covered && wide < 1) continue;
      covered = Math.max(covered, begin + wide);
      const hit = this.found !== null && this.found.has(slices[i + 3]);
      pen.fillStyle = hit ? colour("--found") : this.colours[slices[i + 2]];
      pen.globalAlpha = this.found !== null && !hit ? 0.25 : Math.max(0.15, slices[i + 6]);
      pen.fillRect(begin, y, wide, Math.max(tall, 0.7));
      if (wide > 70 && tall > 11) this.label(pen, slices, i, begin, wide, y, tall);
    }
    pen.globalAlpha = 1;
  }

  label(pen, slices, i, x, wide, y, tall) {
    pen.save();
    pen.beginPath();
    pen.rect(x, y, wide, tall);
    pen.clip();
    pen.fillStyle = colour("--back");
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.fillText(this.names[slices[i + 3]], x + 4, y + tall / 2);
    pen.restore();
  }

  // The first slice that may reach into what is shown: `reach` is the longest one.
  first_of(slices) {
    if (slices.longest === undefined) {
      slices.longest = 0;
      for (let i = 0; i < slices.length; i += 7) slices.longest = Math.max(slices.longest, slices[i + 1]);
    }
    let low = 0;
    let high = slices.length / 7;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (slices[middle * 7] + slices.longest < this.from) low = middle + 1;
      else high = middle;
    }
    return low * 7;
  }

  draw_arrows(pen, first, last) {
    const messages = this.trace.messages;  // [from row, to row, sent, handled]*
    pen.strokeStyle = colour("--message");
    pen.lineWidth = 0.8;
    pen.beginPath();
    let drawn = 0;
    for (let i = 0; i < messages.length && drawn < 4000; i += 4) {
      if (messages[i + 3] < this.from || messages[i + 2] > this.to) continue;
      const a = messages[i];
      const b = messages[i + 1];
      if (Math.max(a, b) < first || Math.min(a, b) >= last || a === b) continue;
      pen.moveTo(this.x_of(messages[i + 2]), this.y_of(a + 0.5));
      pen.lineTo(this.x_of(messages[i + 3]), this.y_of(b + 0.5));
      ++drawn;
    }
    pen.stroke();
  }

  draw_critical(pen) {
    pen.strokeStyle = colour("--critical");
    pen.lineWidth = 2;
    pen.beginPath();
    let before = null;
    for (const part of this.trace.critical) {
      const row = this.trace.row_of.get(part.rank);
      if (row === undefined) continue;
      const y = this.y_of(row + 0.5);
      if (before === null) pen.moveTo(this.x_of(part.begin_us), y);
      else pen.lineTo(this.x_of(part.begin_us), y);
      pen.lineTo(this.x_of(part.end_us), y);
      before = part;
    }
    pen.stroke();
  }

  draw_axes(pen, first, last) {
    pen.fillStyle = colour("--panel");
    pen.fillRect(0, 0, this.left, this.tall);
    pen.fillRect(0, this.tall - this.foot, this.width, this.foot);
    pen.fillStyle = colour("--faint");
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    const every = Math.max(1, Math.ceil(13 / this.row_height()));
    for (let row = first; row < last; ++row) {
      if (row % every === 0) pen.fillText("rank " + this.rows[row].rank, this.left - 6, this.y_of(row + 0.5));
    }
    pen.textAlign = "center";
    const step = this.tick_step();
    for (let us = Math.ceil(this.from / step) * step; us <= this.to; us += step) {
      const x = this.x_of(us);
      pen.fillRect(x, this.tall - this.foot, 1, 4);
      if (x > this.left + 24 && x < this.width - 30) pen.fillText(time_text(us), x, this.tall - 9);
    }
    pen.textAlign = "left";
  }

  tick_step() {
    const rough = (this.to - this.from) / Math.max(2, this.width / 130);
    const ten = Math.pow(10, Math.floor(Math.log10(rough)));
    return [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= rough);
  }

  zoom(factor, around) {
    const end = this.end();
    const span = Math.min(end, Math.max((this.to - this.from) * factor, 0.002));
    const share = (around - this.from) / (this.to - this.from);
    this.from = Math.min(Math.max(0, around - share * span), end - span);
    this.to = this.from + span;
    this.draw();
  }

  zoom_rows(factor, around) {
    const shown = Math.min(this.rows.length, Math.max(Math.min(4, this.rows.length), this.shown * factor));
    const share = (around - this.top) / this.shown;
    this.shown = shown;
    this.top = Math.min(Math.max(0, around - share * shown), this.rows.length - shown);
    this.draw();
  }

  pan(x, rows) {
    const end = this.end();
    const span = this.to - this.from;
    this.from = Math.min(Math.max(0, this.from + x), end - span);
    this.to = this.from + span;
    this.top = Math.min(Math.max(0, this.top + rows), this.rows.length - this.shown);
    this.draw();
  }

  reset() {
    this.from = 0;
    this.to = this.end();
    this.top = 0;
    this.shown = this.rows.length;
    this.draw();
  }

  search(text) {
    const wanted = text.trim().toLowerCase();
    this.found = wanted === "" ? null : new Set();
    if (this.found !== null) {
      this.names.forEach((name, i) => { if (name.toLowerCase().includes(wanted)) this.found.add(i); });
    }
    this.draw();
  }

  // What lies under a point, the innermost, as text; or null.
  at(x, y) {
    const row = Math.floor(this.top + y / this.row_height());
    if (x < this.left || row >= this.rows.length || y > this.tall - this.foot) return null;
    const inside = (y - this.y_of(row)) / this.row_height();
    const below = this.row_height() > 10 && inside > 0.7;
    const slices = below ? this.rows[row].collectives : this.rows[row].slices;
    const us = this.us_of(x);
    const near = (this.to - this.from) / (this.width - this.left);
    let best = null;
    for (let i = this.first_of(slices); i < slices.length && slices[i] <= us + near; i += 7) {
      if (slices[i] + Math.max(slices[i + 1], near) < us - near) continue;
      if (best === null || slices[i + 1] <= slices[best + 1]) best = i;
    }
    const rank = "rank " + this.rows[row].rank + " at " + time_text(us);
    if (best === null) return rank;
    const peer = slices[best + 4] < 0 ? "" : ", peer " + slices[best + 4];
    return rank + "\n" + KINDS[slices[best + 2]] + ": " + this.names[slices[best + 3]] + "\n" +
      time_text(slices[best + 1]) + ", " + slices[best + 5] + " bytes" + peer +
      (slices[best + 6] < 1 ? ", the longest of several: they take " + (100 * slices[best + 6]).toFixed(0) + " %" : "");
  }

  listen() {
    const canvas = this.canvas;
    canvas.tabIndex = 0;
    canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      const factor = Math.pow(1.0015, e.deltaY);
      if (e.shiftKey) this.zoom_rows(factor, this.top + e.offsetY / this.row_height());
      else this.zoom(factor, this.us_of(e.offsetX));
    }, {passive: false});
    let held = null;
    canvas.addEventListener("pointerdown", (e) => { held = e; canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener("pointerup", () => { held = null; });
    canvas.addEventListener("pointermove", (e) => {
      if (held !== null) {
        const scale = (this.to - this.from) / (this.width - this.left);
        this.pan((held.clientX - e.clientX) * scale, (held.clientY - e.clientY) / this.row_height());
        held = e;
        return;
      }
      show_tip(e, this.at(e.offsetX, e.offsetY));
    });
    canvas.addEventListener("pointerleave", (e) => show_tip(e, null));
    canvas.addEventListener("dblclick", () => this.reset());
    canvas.addEventListener("keydown", (e) => {
      const span = this.to - this.from;
      if (e.key === "+" || e.key === "w") this.zoom(0.7, this.from + span / 2);
      else if (e.key === "-" || e.key === "s") this.zoom(1.4, this.from + span / 2);
      else if (e.key === "ArrowLeft" || e.key === "a") this.pan(-span / 5, 0);
      else if (e.key === "ArrowRight" || e.key === "d") this.pan(span / 5, 0);
      else if (e.key === "ArrowUp") this.pan(0, -1);
      else if (e.key === "ArrowDown") this.pan(0, 1);
      else if (e.key === "0") this.reset();
      else return;
      e.preventDefault();
    });
  }
}
