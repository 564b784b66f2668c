"use strict";
// The page of traces: one, or two side by side.

function prepare(trace) {
  trace.row_of = new Map(trace.rows.map((row, i) => [row.rank, i]));
  trace.node_of = [];
  trace.node_count = 1;
  for (const row of trace.rows) {
    trace.node_of[row.rank] = row.node;
    trace.node_count = Math.max(trace.node_count, row.node + 1);
  }
}

function head_of(into, trace) {
  element(into, "h2", trace.title);
  element(into, "div", trace.rows.length + " of " + trace.ranks + " ranks, " + number(trace.events) + " events, " +
    time_text(trace.end_us) + (trace.virtual ? " of virtual time" : "") + ", conduit " + trace.conduit, "facts");
  for (const line of trace.missing) element(into, "div", "missing: " + line, "missing");
}

function timeline_of(into, trace) {
  element(into, "h3", "What each rank did");
  const bar = element(into, "div", undefined, "bar");
  const frame = element(into, "div", undefined, "frame");
  const view = new Timeline(trace, element(frame, "canvas"));
  const search = element(bar, "input");
  search.placeholder = "search names";
  search.className = "search";
  search.addEventListener("input", () => view.search(search.value));
  element(bar, "button", "all").addEventListener("click", () => view.reset());
  check(bar, "messages", true, (on) => { view.arrows = on; view.draw(); });
  check(bar, "critical path", false, (on) => { view.critical = on; view.draw(); });
  for (const [name, text] of [["--compute", "computes"], ["--wait", "waits"], ["--library", "messages, handlers"],
                              ["--memory", "memory"], ["--collective", "collective"], ["--step", "its steps"],
                              ["--choice", "chooses"], ["--stream", "stream"], ["--tag", "tagged"],
                              ["--migrate", "migrates"]]) {
    const key = element(bar, "span", undefined, "key");
    element(key, "i").style.background = "var(" + name + ")";
    key.append(text);
  }
  element(into, "div", "Wheel: time; shift and wheel: ranks; drag: move; double click, 0: all; arrows, + and -: by keys. " +
    "White: the program's own." + (trace.merged_us > 0 ? " Slices that follow each other within " +
    time_text(trace.merged_us) + " are drawn as one, the paler the less of it they take." : ""), "faint");
  view.draw();
  return view;
}

function shares_of(into, trace) {
  element(into, "h3", "Time of each rank");
  const all = (row) => row.program_us + row.wait_us + row.library_us || 1;
  into.append(sorted_table([
    {title: "rank", of: (r) => r.rank},
    {title: "time us", of: all, text: number},
    {title: "program %", of: (r) => r.program_us / all(r), text: percent},
    {title: "wait %", of: (r) => r.wait_us / all(r), text: percent},
    {title: "library %", of: (r) => r.library_us / all(r), text: percent},
    {title: "of the critical path %", of: (r) => (trace.critical_of[r.rank] ?? 0) / trace.end_us, text: percent},
  ], trace.shares, 3));
}

function calls_of(into, trace) {
  element(into, "h3", "Collectives");
  const worst = (c) => c.late.reduce((a, b) => b.late_us > (a?.late_us ?? -1) ? b : a, null);
  into.append(sorted_table([
    {title: "calls", of: (c) => c.calls, text: number},
    {title: "bytes", of: (c) => c.bytes_most, text: (v, c) => c.bytes_least === v ? number(v) : number(c.bytes_least) + "-" + number(v)},
    {title: "mean us", of: (c) => c.us / c.calls, text: (v) => v.toFixed(2)},
    {title: "longest us", of: (c) => c.longest_us, text: number},
    {title: "late rank", of: (c) => worst(c)?.late_us ?? 0,
     text: (v, c) => worst(c) === null ? "" : worst(c).rank + " (" + worst(c).last + " of " + c.compared + ", " + number(v) + " us)"},
    {title: "collective", of: (c) => c.name},
  ], trace.collectives, 3));
  element(into, "h3", "Waits");
  into.append(sorted_table([
    {title: "count", of: (w) => w.count, text: number},
    {title: "all us", of: (w) => w.us, text: number},
    {title: "longest us", of: (w) => w.longest_us, text: number},
    {title: "waits for", of: (w) => w.name},
  ], trace.waits, 1));
}

function matrix_of(into, trace) {
  element(into, "h3", "Who sends to whom");
  const bar = element(into, "div", undefined, "bar");
  const view = new Matrix(trace, element(element(into, "div", undefined, "frame"), "canvas"));
  choice(bar, ["bytes", "messages"], "bytes", (what) => { view.what = what; view.draw(); });
  choice(bar, ["ranks", "nodes"], "ranks", (what) => { view.nodes = what === "nodes"; view.draw(); });
  view.draw();
  return view;
}

function sizes_of(into, trace) {
  element(into, "h3", "Sizes of messages, puts, gets and atomics");
  const labels = trace.sizes.map((_, i) => i === 0 ? "0 B" : bytes_text(2 ** (i - 1)) + (i > 1 ? "+" : ""));
  if (labels.length === 0) element(into, "div", "none", "faint");
  else bars(element(into, "div", undefined, "frame"), labels, trace.sizes, "bytes", "how many");
}

function build(traces, main) {
  main.className = traces.length > 1 ? "two" : "";
  const made = [];
  const longest = Math.max(...traces.map((trace) => trace.end_us));
  for (const trace of traces) {
    trace.scale_us = longest;
    prepare(trace);
    const into = element(main, "section");
    head_of(into, trace);
    made.push(timeline_of(into, trace));
    shares_of(into, trace);
    calls_of(into, trace);
    choices_of(into, trace);
    steps_of(into, trace);
    made.push(matrix_of(into, trace));
    sizes_of(into, trace);
    streams_of(into, trace);
    matching_of(into, trace);
    migrations_of(into, trace);
    what_if_of(into, trace);
  }
  return made;
}

show(build);
