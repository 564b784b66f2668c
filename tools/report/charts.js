"use strict";
// Bars by uPlot, and tables whose columns sort.

function bytes_text(n) {
  if (n >= 1 << 30) return n / (1 << 30) + " GiB";
  if (n >= 1 << 20) return n / (1 << 20) + " MiB";
  if (n >= 1 << 10) return n / (1 << 10) + " KiB";
  return n + " B";
}

function bars(into, labels, values, title, unit) {
  const x = labels.map((_, i) => i);
  const axis = {stroke: colour("--faint"), grid: {stroke: colour("--line"), width: 0.5},
                ticks: {stroke: colour("--line")}};
  return new uPlot({
    width: into.clientWidth, height: 230, legend: {show: true}, cursor: {drag: {x: false, y: false}},
    scales: {x: {time: false, range: [-0.6, labels.length - 0.4]}, y: {range: (u, low, high) => [0, high * 1.08 || 1]}},
    axes: [
      {...axis, splits: () => x.filter((i) => i % Math.ceil(labels.length / 16) === 0),
       values: (u, all) => all.map((i) => labels[i])},
      {...axis, size: 68, values: (u, all) => all.map((v) => v.toLocaleString("en"))},
    ],
    series: [{label: title, value: (u, i) => i === null ? "" : labels[i]},
             {label: unit, fill: colour("--library"), stroke: colour("--library"),
              paths: uPlot.paths.bars({size: [0.8, 60]}), points: {show: false}}],
  }, [x, values], into);
}

// Steps over time; a series is [name, values, colour].
function lines(into, times, series) {
  const axis = {stroke: colour("--faint"), grid: {stroke: colour("--line"), width: 0.5},
                ticks: {stroke: colour("--line")}};
  return new uPlot({
    width: into.clientWidth, height: 190, legend: {show: true}, cursor: {drag: {x: false, y: false}},
    scales: {x: {time: false}, y: {range: (u, low, high) => [0, high * 1.08 || 1]}},
    axes: [{...axis, space: 110, values: (u, all) => all.map(time_text)},
           {...axis, size: 68, values: (u, all) => all.map((v) => v.toLocaleString("en"))}],
    series: [{label: "time", value: (u, v) => v === null ? "" : time_text(v)},
             ...series.map(([label, , name]) => ({label, stroke: colour(name), width: 1.5,
               paths: uPlot.paths.stepped({align: 1}), points: {show: false}}))],
  }, [times, ...series.map(([, values]) => values)], into);
}

// Rows of values; a column is {title, of: row -> value, text: value -> string}. `picked` is told the
// row that is clicked.
function sorted_table(columns, rows, first, picked) {
  const frame = document.createElement("div");
  frame.className = "table";
  const table = frame.appendChild(document.createElement("table"));
  const head = table.createTHead().insertRow();
  const body = table.createTBody();
  let by = first;
  let falls = true;
  const fill = () => {
    const order = [...rows].sort((a, b) => {
      const [x, y] = [columns[by].of(a), columns[by].of(b)];
      return (x < y ? -1 : x > y ? 1 : 0) * (falls ? -1 : 1);
    });
    body.replaceChildren();
    for (const row of order.slice(0, 500)) {
      const line = body.insertRow();
      if (picked !== undefined) {
        line.className = "picks";
        line.addEventListener("click", () => picked(row));
      }
      for (const column of columns) {
        line.insertCell().textContent = (column.text ?? String)(column.of(row), row);
      }
    }
    [...head.cells].forEach((cell, i) => {
      cell.textContent = columns[i].title + (i === by ? (falls ? " \u25be" : " \u25b4") : "");
    });
  };
  columns.forEach((column, i) => {
    const cell = head.appendChild(document.createElement("th"));
    cell.addEventListener("click", () => { falls = i === by ? !falls : true; by = i; fill(); });
  });
  fill();
  return frame;
}

const number = (v) => Number(v).toLocaleString("en", {maximumFractionDigits: 1});
const percent = (v) => (100 * v).toFixed(1);
