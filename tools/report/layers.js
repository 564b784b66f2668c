"use strict";
// What the tuner chose, what streams sent and why, how deep the queues of tagged messages were,
// which objects migrated, and the steps of collectives. A part that a trace has nothing of is left out.

const us_or_none = (v) => v === null || v === undefined ? "" : v.toFixed(2);

// By what the calls ran, without parameters: the chosen one first.
function runs_of(choice) {
  const name = choice.chosen.split(":")[0];
  return [...choice.ran].sort((a, b) => (b.algorithm === name) - (a.algorithm === name) || b.calls - a.calls);
}

function predicted_of(choice) {
  return choice.candidates.find((c) => c.name === choice.chosen)?.predicted_us ?? null;
}

function taken_of(choice) {
  const run = runs_of(choice)[0];
  return run === undefined || run.algorithm !== choice.chosen.split(":")[0] ? null : run.us / run.calls;
}

// The candidates of one choice with their prices as bars, then what ran.
function show_choice(into, choice) {
  into.replaceChildren();
  element(into, "b", choice.problem + (choice.label === "" ? "" : ", " + choice.label));
  element(into, "div", choice.why + "; " + choice.how, "faint");
  const rows = [...choice.candidates].sort((a, b) => (a.predicted_us ?? Infinity) - (b.predicted_us ?? Infinity));
  const most = Math.max(...rows.map((c) => c.predicted_us ?? 0), 1e-9);
  for (const each of rows) {
    const line = element(into, "div", undefined, "candidate" + (each.name === choice.chosen ? " chosen" : ""));
    element(line, "span", each.name);
    const bar = element(element(line, "span"), "i");
    bar.style.width = 100 * (each.predicted_us ?? 0) / most + "%";
    element(line, "span", each.predicted_us === null ? "no price" : each.predicted_us.toFixed(2) + " us predicted");
  }
  for (const run of runs_of(choice)) {
    element(into, "div", "took by " + (run.algorithm || "?") + ": " + number(run.calls) + " calls, " +
      (run.us / run.calls).toFixed(2) + " us in the mean, " + run.least_us.toFixed(2) + " us at least", "took");
  }
}

function choices_of(into, trace) {
  if (trace.choices.length === 0) return;
  element(into, "h3", "What the tuner chose");
  const detail = document.createElement("div");
  detail.className = "detail";
  into.append(sorted_table([
    {title: "at us", of: (c) => c.at_us, text: number},
    {title: "predicted us", of: (c) => predicted_of(c) ?? -1, text: (v, c) => us_or_none(predicted_of(c))},
    {title: "took us", of: (c) => taken_of(c) ?? -1, text: (v, c) => us_or_none(taken_of(c))},
    {title: "calls", of: (c) => runs_of(c)[0]?.calls ?? 0, text: number},
    {title: "chosen", of: (c) => c.chosen},
    {title: "among", of: (c) => c.candidates.length},
    {title: "for", of: (c) => c.problem},
  ], trace.choices, 0, (choice) => show_choice(detail, choice)));
  into.append(detail);
  show_choice(detail, trace.choices[0]);
}

function streams_of(into, trace) {
  if (trace.streams.length === 0) return;
  element(into, "h3", "Messages of streams");
  into.append(sorted_table([
    {title: "messages", of: (s) => s.messages, text: number},
    {title: "items", of: (s) => s.items, text: number},
    {title: "bytes", of: (s) => s.bytes, text: number},
    {title: "items a message", of: (s) => s.items / s.messages, text: number},
    {title: "full %", of: (s) => s.fill, text: percent},
    {title: "receivers", of: (s) => s.receivers.length},
    {title: "left since", of: (s) => s.cause},
    {title: "stream opened at", of: (s) => s.opened_at},
  ], trace.streams, 0));
  element(into, "div", "How full they were, of what a buffer is sent at", "faint");
  const fills = trace.streams.reduce((all, s) => all.map((v, i) => v + s.fills[i]), Array(11).fill(0));
  const labels = fills.map((_, i) => i === 10 ? "above" : i * 10 + "-" + (i + 1) * 10 + " %");
  bars(element(into, "div", undefined, "frame"), labels, fills, "full", "messages");
}

function matching_of(into, trace) {
  const all = trace.matching;
  if (all.messages + all.receives === 0) return;
  element(into, "h3", "Tagged messages");
  element(into, "div", number(all.messages) + " messages came: " + number(all.found_a_receive) + " found a receive, " +
    number(all.unexpected) + " were kept; " + number(all.receives) + " receives: " + number(all.found_a_message) +
    " found a message, " + number(all.waited) + " waited. Deepest queue of all ranks over time:", "faint");
  const step = trace.end_us / all.posted_depth.length;
  lines(element(into, "div", undefined, "frame"), all.posted_depth.map((_, i) => i * step),
        [["receives posted", all.posted_depth, "--library"], ["messages kept", all.unexpected_depth, "--wait"]]);
  into.append(sorted_table([
    {title: "messages", of: (t) => t.messages, text: number},
    {title: "bytes", of: (t) => t.bytes, text: number},
    {title: "tag", of: (t) => t.tag},
  ], all.tags, 0));
  into.append(sorted_table([
    {title: "rank", of: (r) => r.rank},
    {title: "most receives posted", of: (r) => r.most_posted, text: number},
    {title: "most messages kept", of: (r) => r.most_unexpected, text: number},
  ], all.ranks, 2));
}

function migrations_of(into, trace) {
  if (trace.migrations.length === 0) return;
  element(into, "h3", "Objects that migrated");
  into.append(sorted_table([
    {title: "objects", of: (m) => m.objects, text: number},
    {title: "bytes", of: (m) => m.bytes, text: number},
    {title: "from", of: (m) => m.from},
    {title: "to", of: (m) => m.to},
    {title: "what", of: (m) => m.name},
  ], trace.migrations, 0));
}

function steps_of(into, trace) {
  if (trace.steps.length === 0) return;
  element(into, "h3", "Steps of collectives");
  into.append(sorted_table([
    {title: "count", of: (s) => s.count, text: number},
    {title: "all us", of: (s) => s.us, text: number},
    {title: "longest us", of: (s) => s.longest_us, text: number},
    {title: "step", of: (s) => s.name},
  ], trace.steps, 1));
}

// What the trace takes elsewhere, and each rank's end there beside the one that was measured.
function what_if_of(into, trace) {
  if (trace.what_if.length === 0) return;
  element(into, "h3", "What if");
  const name = (w) => w.on === "" ? "done again as it was measured" : w.on;
  into.append(sorted_table([
    {title: "us", of: (w) => w.us, text: number},
    {title: "of what was measured", of: (w) => w.us / trace.end_us, text: (v) => v.toFixed(2) + "x"},
    {title: "slowest rank", of: (w) => w.ranks.reduce((a, b) => b.us > a.us ? b : a, {us: -1, rank: -1}).rank},
    {title: "on", of: name, text: (v, w) => v + (w.stranded === 0 ? "" : "; " + w.stranded + " waits for what is not in the trace")},
  ], trace.what_if, 0));
  const measured = new Map(trace.rows.map((row) => [row.rank, row.end_us]));
  const frame = document.createElement("div");
  const show_ranks = (which) => {
    frame.replaceChildren();
    const of = trace.what_if.find((w) => name(w) === which);
    frame.append(sorted_table([
      {title: "rank", of: (r) => r.rank},
      {title: "measured us", of: (r) => measured.get(r.rank) ?? 0, text: number},
      {title: "predicted us", of: (r) => r.us, text: number},
      {title: "of it work %", of: (r) => r.us > 0 ? r.work_us / r.us : 0, text: percent},
      {title: "", of: (r) => r.us / Math.max(measured.get(r.rank) ?? 0, 1e-9), text: (v) => v.toFixed(2) + "x"},
    ], of.ranks, 2));
  };
  const last = name(trace.what_if[trace.what_if.length - 1]);
  const bar = element(into, "div", undefined, "bar");
  element(bar, "span", "each rank, on");
  choice(bar, trace.what_if.map(name), last, show_ranks);
  into.append(frame);
  show_ranks(last);
}
