"use strict";
// Who sends how much to whom: a field a pair of ranks, or of nodes; darker is more, by logarithm.
// Above 256 rows neighbours share a field.

class Matrix {
  constructor(trace, canvas) {
    this.trace = trace;
    this.canvas = canvas;
    this.what = "bytes";
    this.nodes = false;
    canvas.addEventListener("pointermove", (e) => show_tip(e, this.at(e.offsetX, e.offsetY)));
    canvas.addEventListener("pointerleave", (e) => show_tip(e, null));
  }

  fields() {
    const count = this.nodes ? this.trace.node_count : this.trace.ranks;
    const each = Math.ceil(count / 256);
    const size = Math.ceil(count / each);
    const sums = new Float64Array(size * size);
    const place = (rank) => Math.floor((this.nodes ? this.trace.node_of[rank] ?? 0 : rank) / each);
    for (const pair of this.trace.matrix) {
      sums[place(pair.from) * size + place(pair.to)] += this.what === "bytes" ? pair.bytes : pair.count;
    }
    return {size, each, sums};
  }

  draw() {
    const {size, each, sums} = this.fields();
    this.last = {size, each, sums};
    this.left = 56;
    const wide = Math.min(this.canvas.clientWidth - this.left - 6, 420);
    this.field = wide / size;
    const tall = wide + 28;
    const pen = pen_of(this.canvas, this.canvas.clientWidth, tall);
    const most = sums.reduce((a, b) => Math.max(a, b), 1);
    pen.fillStyle = colour("--library");
    for (let from = 0; from < size; ++from) {
      for (let to = 0; to < size; ++to) {
        const value = sums[from * size + to];
        if (value === 0) continue;
        pen.globalAlpha = 0.12 + 0.88 * Math.log(value + 1) / Math.log(most + 1);
        pen.fillRect(this.left + to * this.field, from * this.field, Math.max(this.field - (this.field > 5 ? 1 : 0), 0.7),
                     Math.max(this.field - (this.field > 5 ? 1 : 0), 0.7));
      }
    }
    pen.globalAlpha = 1;
    this.draw_axes(pen, size, each, wide);
  }

  draw_axes(pen, size, each, wide) {
    pen.strokeStyle = colour("--line");
    pen.strokeRect(this.left, 0, wide, wide);
    pen.fillStyle = colour("--faint");
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const every = Math.max(1, Math.ceil(26 / this.field));
    for (let i = 0; i < size; i += every) {
      pen.textAlign = "right";
      pen.fillText(i * each, this.left - 6, (i + 0.5) * this.field);
      pen.textAlign = "center";
      pen.fillText(i * each, this.left + (i + 0.5) * this.field, wide + 9);
    }
    pen.textAlign = "left";
    pen.fillText("from", 0, 8);
    pen.fillText("to " + (this.nodes ? "node" : "rank"), this.left, wide + 21);
  }

  at(x, y) {
    const to = Math.floor((x - this.left) / this.field);
    const from = Math.floor(y / this.field);
    const {size, each, sums} = this.last;
    if (to < 0 || from < 0 || to >= size || from >= size) return null;
    const range = (i) => each === 1 ? "" + i : i * each + "-" + ((i + 1) * each - 1);
    return "from " + range(from) + " to " + range(to) + "\n" + sums[from * size + to].toLocaleString("en") +
      " " + (this.what === "bytes" ? "bytes" : "messages");
  }
}
