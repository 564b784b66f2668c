"use strict";
// What all pages have: their parts, colours, light and dark.

function element(parent, kind, text, name) {
  const made = parent.appendChild(document.createElement(kind));
  if (text !== undefined) made.textContent = text;
  if (name !== undefined) made.className = name;
  return made;
}

function choice(parent, values, chosen, change) {
  const select = element(parent, "select");
  for (const value of values) element(select, "option", value);
  select.value = chosen;
  select.addEventListener("change", () => change(select.value));
  return select;
}

function check(parent, text, on, change) {
  const label = element(parent, "label", undefined, "key");
  const box = element(label, "input");
  box.type = "checkbox";
  box.checked = on;
  box.addEventListener("change", () => change(box.checked));
  label.append(text);
  return box;
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function time_text(us) {
  if (us >= 1e6) return (us / 1e6).toFixed(3) + " s";
  if (us >= 1e3) return (us / 1e3).toFixed(3) + " ms";
  return us.toFixed(3) + " us";
}

function show_tip(event, text) {
  const tip = document.getElementById("tip");
  tip.hidden = text === null;
  if (text === null) return;
  tip.textContent = text;
  const right = event.clientX + 14 + tip.offsetWidth > innerWidth;
  tip.style.left = (right ? event.clientX - 14 - tip.offsetWidth : event.clientX + 14) + "px";
  tip.style.top = event.clientY + 14 + "px";
}

// A clean canvas of so many pixels of the page, as sharp as the screen is.
function pen_of(canvas, wide, tall) {
  const scale = devicePixelRatio || 1;
  canvas.style.height = tall + "px";
  canvas.width = wide * scale;
  canvas.height = tall * scale;
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, wide, tall);
  return pen;
}

// What pages of one drawing begin with: {into, bar, canvas}.
function drawing_of(main, kind, title, facts) {
  document.querySelector("h1").textContent = "upwash " + kind;
  document.title = title;
  const into = element(main, "section");
  element(into, "h2", title);
  element(into, "div", facts, "facts");
  const bar = element(into, "div", undefined, "bar");
  return {into, bar, canvas: element(element(into, "div", undefined, "frame"), "canvas")};
}

// Of a point to what lies between two others.
function distance_to(x, y, [ax, ay], [bx, by]) {
  const square = (bx - ax) ** 2 + (by - ay) ** 2;
  const share = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / square));
  return Math.hypot(x - ax - share * (bx - ax), y - ay - share * (by - ay));
}

// Draws a page by build(data), which returns what has a draw(); again in the other theme.
let views = [];
function show(build) {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  root.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const main = document.getElementById("traces");
  const fresh = () => {
    main.replaceChildren();
    views = build(data, main);
  };
  fresh();
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    fresh();
  });
  addEventListener("resize", () => views.forEach((view) => view.draw()));
}
