# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""For bench/compare-mpi --page: rows as one HTML page, a plot of the ratio by size for each operation."""
import collections
import html
import json
import math

STYLE = """body{font:14px/1.4 system-ui,sans-serif;margin:1.5em;color:#222;background:#fff}
.plots{display:flex;flex-wrap:wrap;gap:1.5em}h2{font-size:1em;margin:.2em 0}p{max-width:60em}"""

SCRIPT = """
const colours = ["#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5"];
const bytes = v => v >= 1048576 ? v / 1048576 + " MiB" : v >= 1024 ? v / 1024 + " KiB" : v + " B";
const times = v => v == null ? "-" : v.toPrecision(3);
for (const plot of plots) {
  const box = document.createElement("div");
  box.innerHTML = "<h2></h2>";
  box.firstChild.textContent = plot.name;
  document.querySelector(".plots").append(box);
  const one = plot.sizes.map(() => 1);
  const series = plot.series.map((each, i) => ({label: each.name, stroke: colours[i % colours.length],
    dash: each.far ? [6, 4] : [], width: 2, spanGaps: true, value: (u, v) => times(v)}));
  new uPlot({
    width: 560, height: 320,
    scales: {x: {time: false, distr: 3, log: 2}, y: {distr: 3, log: 10}},
    axes: [{values: (u, all) => all.map(v => v == null ? "" : bytes(v)), label: "bytes"},
           {label: "upwash over the better peer", values: (u, all) => all.map(v => v == null ? "" : v)}],
    series: [{label: "size", value: (u, v) => v == null ? "-" : bytes(v)},
             {label: "as fast", stroke: "#999", width: 1, value: () => "1"}, ...series],
  }, [plot.sizes, one, ...plot.series.map(each => each.ratios)], box);
}
"""


def name_of(row):
    """What has a plot of its own."""
    if row["bench"] == "compare-mpi-neighbors":
        return f"{row['collective']} on {row['graph']}"
    mode = {"alone": "", "barrier": " and a barrier", "0": ""}.get(row["mode"], f", {row['mode']} others wait")
    return row["collective"] + mode


def ratio_of(row):
    if row["bench"] == "compare-mpi-neighbors":
        peer = min(row["peers"].values(), default=math.nan)
        return row["schemes"].get("best", math.nan) / peer
    return row.get("ratio", math.nan)


def plots_of(rows):
    """By operation: the sizes, and a series of ratios for each number of ranks and placement of the cores."""
    seen = collections.defaultdict(lambda: collections.defaultdict(dict))
    for row in rows:
        ratio = ratio_of(row)
        if row["bytes"] > 0 and math.isfinite(ratio):
            seen[name_of(row)][row["ranks"], row["placement"]][row["bytes"]] = ratio
    plots = []
    for name, series in seen.items():
        sizes = sorted({size for ratios in series.values() for size in ratios})
        plots.append({"name": name, "sizes": sizes, "series": [
            {"name": f"{ranks} ranks, {where}", "far": where != "near",
             "ratios": [ratios.get(size) for size in sizes]}
            for (ranks, where), ratios in sorted(series.items())]})
    return plots


def write(path, rows, root):
    """A page that needs no network: uPlot (MIT, tools/report) and the data are in it."""
    uplot = root / "tools/report/uplot"
    peers = sorted({peer for row in rows for peer in row["peers"]})
    # A name may end the script that it is part of.
    data = json.dumps(plots_of(rows)).replace("</", "<\\/")
    path.write_text(
        "<!doctype html><html lang=en><meta charset=utf-8><title>upwash beside its peers</title>"
        f"<style>{(uplot / 'uPlot.min.css').read_text()}{STYLE}</style><h1>upwash beside {html.escape(', '.join(peers))}"
        "</h1><p>Time of upwash over that of the fastest peer, medians of launches in turn: below 1 upwash is faster. "
        "Dashed: the cores lay far from each other, or were disturbed.</p><div class=plots></div>"
        f"<script>{(uplot / 'uPlot.iife.min.js').read_text()}</script>"
        f"<script>const plots = {data};{SCRIPT}</script></html>\n")
