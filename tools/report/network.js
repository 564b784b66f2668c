"use strict";
// A network of switches, and what its links carried: trees by levels, grids as grids, dragonflies in
// groups; a link is two lines, one each way, hotter with what it carried.

class Network {
  constructor(data, canvas) {
    this.data = data;  // network_page.hpp
    this.canvas = canvas;
    this.run = data.run ?? data.runs.length - 1;
    this.lone = data.nodes > 600;  // nodes are not drawn then
    this.zoomed = {scale: 1, x: 0, y: 0};
    this.places = this.place_all();
    this.listen();
  }

  shares() { return this.data.runs[this.run].shares; }

  // Of each switch, in a unit square.
  place_switches() {
    const {levels, sizes, groups, switches} = this.data;
    const at = [];
    if (sizes.length > 0) {
      // Two dimensions lie on the page; each further pair is a grid of such grids.
      for (let s = 0; s < switches; ++s) {
        let rest = s;
        let [x, y] = [0, 0];
        let [wide, tall] = [1, 1];
        sizes.forEach((size, d) => {
          const c = rest % size;
          rest = Math.floor(rest / size);
          if (d === 2) y += c * 0.3;
          if (d % 2 === 0) { x += c * wide; wide *= size + (d > 1 ? 0.6 : 0); } else { y += c * tall; tall *= size + (d > 1 ? 0.6 : 0); }
          if (d === 1) { wide += 0.8; tall += 0.8; }
        });
        at.push([x, y]);
      }
    } else if (groups > 0) {
      const count = Math.ceil(switches / groups);
      for (let s = 0; s < switches; ++s) {
        const turn = 2 * Math.PI * Math.floor(s / groups) / count;
        const inner = 2 * Math.PI * (s % groups) / groups;
        const radius = Math.min(0.9 * Math.PI / count, 0.4);
        at.push([Math.cos(turn) + radius * Math.cos(inner), Math.sin(turn) + radius * Math.sin(inner)]);
      }
    } else {
      const most = Math.max(...levels, 0);
      const seen = Array(most + 2).fill(0);
      const many = Array(most + 2).fill(0);
      const row = (s) => levels[s] < 0 ? most + 1 : levels[s];
      for (let s = 0; s < switches; ++s) ++many[row(s)];
      for (let s = 0; s < switches; ++s) at.push([(seen[row(s)]++ + 0.5) / many[row(s)] * 2.4, most - row(s)]);
    }
    const span = (i) => [Math.min(...at.map((p) => p[i])), Math.max(...at.map((p) => p[i]))];
    const [xs, ys] = [span(0), span(1)];
    const unit = (v, [low, high]) => high === low ? 0.5 : (v - low) / (high - low);
    return at.map(([x, y]) => [0.06 + 0.88 * unit(x, xs), 0.07 + 0.72 * unit(y, ys)]);
  }

  // Nodes hang below their switch where that has only nodes below, else around it.
  place_all() {
    const at = this.place_switches();
    const hung = new Map();
    for (let i = 0; i < this.data.links.length; i += 2) {
      const [from, to] = [this.data.links[i], this.data.links[i + 1]];
      if (from < 0) hung.set(to, [...(hung.get(to) ?? []), from]);
    }
    const places = new Map(at.map((p, s) => [s, p]));
    const tree = this.data.sizes.length === 0 && this.data.groups === 0;
    const apart = Math.min(0.9 / Math.sqrt(at.length) / 3, 0.05);
    for (const [s, nodes] of hung) {
      nodes.forEach((node, i) => {
        const share = (i + 0.5) / nodes.length - 0.5;
        const wide = 0.85 / hung.size;
        if (tree) places.set(node, [at[s][0] + share * wide, at[s][1] + 0.14]);
        else places.set(node, [at[s][0] + apart * Math.cos(2 * Math.PI * share + 1), at[s][1] + apart * Math.sin(2 * Math.PI * share + 1)]);
      });
    }
    return places;
  }

  x_of(p) { return (p[0] * this.width - this.zoomed.x) * this.zoomed.scale; }
  y_of(p) { return (p[1] * this.tall - this.zoomed.y) * this.zoomed.scale; }

  heat(share) {
    const v = Math.min(1, Math.max(0, share));
    const dark = document.documentElement.dataset.theme === "dark";
    return "hsl(" + Math.round(215 - 215 * v) + "," + Math.round(35 + 55 * v) + "%," + Math.round(dark ? 38 + 22 * v : 72 - 26 * v) + "%)";
  }

  draw() {
    this.width = this.canvas.clientWidth;
    this.tall = Math.min(820, Math.max(360, this.width * 0.62));
    const pen = pen_of(this.canvas, this.width, this.tall);
    const shares = this.shares();
    const order = shares.map((_, i) => i).sort((a, b) => shares[a] - shares[b]);  // the hottest on top
    for (const i of order) this.draw_link(pen, i, shares[i]);
    this.draw_places(pen);
  }

  // The two ends of a link, moved aside by direction; null: it is not drawn.
  line_of(i) {
    const [from, to] = [this.data.links[2 * i], this.data.links[2 * i + 1]];
    if (this.lone && (from < 0 || to < 0)) return null;
    const [a, b] = [this.places.get(from), this.places.get(to)];
    const [ax, ay, bx, by] = [this.x_of(a), this.y_of(a), this.x_of(b), this.y_of(b)];
    const long = Math.hypot(bx - ax, by - ay) || 1;
    const aside = 2;
    const [dx, dy] = [-(by - ay) / long * aside, (bx - ax) / long * aside];
    return [ax + dx, ay + dy, bx + dx, by + dy, this.bows(from, to) ? (from < to ? 0.11 : -0.11) : 0];
  }

  // Round the end of a grid, or to another one beside it: it would lie on the links between.
  bows(from, to) {
    if (from < 0 || to < 0) return false;
    return this.data.sizes.some((size, d) => {
      const apart = Math.abs(from % size - to % size);
      from = Math.floor(from / size);
      to = Math.floor(to / size);
      return apart > (d < 2 ? 1 : 0);
    });
  }

  // Points of a line: its ends, or a bow's.
  points_of([ax, ay, bx, by, bend]) {
    if (bend === 0) return [[ax, ay], [bx, by]];
    const [cx, cy] = [(ax + bx) / 2 - (by - ay) * bend, (ay + by) / 2 + (bx - ax) * bend];
    const all = [];
    for (let i = 0; i <= 14; ++i) {
      const t = i / 14;
      all.push([(1 - t) ** 2 * ax + 2 * t * (1 - t) * cx + t * t * bx, (1 - t) ** 2 * ay + 2 * t * (1 - t) * cy + t * t * by]);
    }
    return all;
  }

  draw_link(pen, i, share) {
    const line = this.line_of(i);
    if (line === null) return;
    pen.strokeStyle = this.heat(share);
    pen.lineWidth = 0.8 + 3 * Math.min(1, share);
    pen.beginPath();
    this.points_of(line).forEach(([x, y], at) => at === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y));
    pen.stroke();
  }

  draw_places(pen) {
    pen.font = "10px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    const named = this.data.switches <= 130;
    for (const [id, place] of this.places) {
      if (this.lone && id < 0) continue;
      const [x, y] = [this.x_of(place), this.y_of(place)];
      pen.fillStyle = id < 0 ? colour("--faint") : colour("--text");
      pen.beginPath();
      if (id < 0) pen.arc(x, y, 2.2, 0, 7);
      else pen.rect(x - (named ? 9 : 3), y - (named ? 7 : 3), named ? 18 : 6, named ? 14 : 6);
      pen.fill();
      if (id < 0 || !named) continue;
      pen.fillStyle = colour("--back");
      pen.fillText(id, x, y + 0.5);
    }
  }

  name_of(id) { return id < 0 ? "node " + (-1 - id) : "switch " + id; }
  text_of(i) {
    return this.name_of(this.data.links[2 * i]) + " to " + this.name_of(this.data.links[2 * i + 1]) + ": " +
      (100 * this.shares()[i]).toFixed(1) + " % of what it can carry";
  }

  near(x, y) {
    let best = null;
    let least = 6;
    for (let i = 0; i < this.data.links.length / 2; ++i) {
      const line = this.line_of(i);
      if (line === null) continue;
      const points = this.points_of(line);
      for (let at = 1; at < points.length; ++at) {
        const away = distance_to(x, y, points[at - 1], points[at]);
        if (away < least) [best, least] = [i, away];
      }
    }
    return best;
  }

  hottest(count) {
    const shares = this.shares();
    return shares.map((_, i) => i).sort((a, b) => shares[b] - shares[a]).slice(0, count);
  }

  listen() {
    const canvas = this.canvas;
    let held = null;
    canvas.addEventListener("pointerdown", (e) => { held = e; canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener("pointerup", () => { held = null; });
    canvas.addEventListener("pointermove", (e) => {
      if (held !== null) {
        this.zoomed.x += (held.clientX - e.clientX) / this.zoomed.scale;
        this.zoomed.y += (held.clientY - e.clientY) / this.zoomed.scale;
        held = e;
        this.draw();
        return;
      }
      const link = this.near(e.offsetX, e.offsetY);
      show_tip(e, link === null ? null : this.text_of(link));
    });
    canvas.addEventListener("pointerleave", (e) => show_tip(e, null));
    canvas.addEventListener("dblclick", () => { this.zoomed = {scale: 1, x: 0, y: 0}; this.draw(); });
    canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      const z = this.zoomed;
      const scale = Math.min(40, Math.max(1, z.scale * Math.pow(1.0015, -e.deltaY)));
      z.x += e.offsetX * (1 / z.scale - 1 / scale);
      z.y += e.offsetY * (1 / z.scale - 1 / scale);
      z.scale = scale;
      this.draw();
    }, {passive: false});
  }
}

show((data, main) => {
  const {into, bar, canvas} = drawing_of(main, "network", data.title, data.nodes + " nodes, " + data.switches +
    " switches, " + data.links.length / 2 + " links, each way by itself");
  const view = new Network(data, canvas);
  const facts = element(into, "div", "", "facts");
  const list = element(into, "div", "", "says");
  const slider = document.createElement("input");
  const set = (run) => {
    view.run = data.run = run;
    slider.value = run;
    const of = data.runs[run];
    facts.textContent = of.traffic + ", load " + of.load.toFixed(3) + ": accepted " + of.accepted.toFixed(3) + ", latency " + of.latency_ns.toFixed(0) + " ns in the mean";
    list.textContent = "hottest:\n" + view.hottest(8).map((i) => view.text_of(i)).join("\n");
    view.draw();
  };
  element(bar, "span", "load");
  slider.type = "range";
  slider.min = 0;
  slider.max = data.runs.length - 1;
  slider.className = "slider";
  slider.addEventListener("input", () => set(Number(slider.value)));
  bar.append(slider);
  for (const [share, text] of [[0, "idle"], [0.5, "half"], [1, "full"]]) {
    const key = element(bar, "span", undefined, "key");
    element(key, "i").style.background = view.heat(share);
    key.append(text);
  }
  element(into, "div", "Squares: switches; dots: nodes" + (view.lone ? ", left out where there are so many" : "") +
    ". Wheel: nearer; drag: move; double click: all.", "faint");
  set(view.run);
  return [view];
});
