#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The page of `upwash report`: whole, without network, safe from names; in a browser (where there is
# Chromium) it draws, zooms, searches and sorts without an error.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
bin=$UPWASH_TEST_BIN
export UPWASH_CONFIG=
evidence=("$work/out")
page=$work/page.html

"$upwash" run -n 4 --trace "$work/a" "$bin/04_streams" >"$work/out" 2>&1
"$upwash" run -n 8 --conduit sim --trace "$work/b" "$bin/02_all_gather" >"$work/out" 2>&1
"$upwash" report "$work/a" -o "$page" >"$work/out"
[[ $(cat "$work/out") == "$page" ]] || fail "it says where the page is"
! grep -qE '(src|href)="|https?://[^"]*\.(js|css)' "$page" || fail "the page needs no other file"
! grep -qE '/\*(STYLES|SCRIPTS|DATA)\*/' "$page" || fail "all places are filled"
# Few slices: the short ones are merged, and the page is small.
"$upwash" report "$work/a" --slices 200 -o "$work/small.html" >"$work/out"
(($(stat -c %s "$work/small.html") < $(stat -c %s "$page"))) || fail "few slices make a smaller page"

# The data of a page is JSON that no name can leave.
python3 - "$page" "$work/small.html" <<'PY' || fail "the data of the page is JSON"
import json, re, sys
def data_of(path):
    text = open(path).read()
    return re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S).group(1)
data = data_of(sys.argv[1])
assert "<" not in data
traces = json.loads(data)
assert len(traces) == 1 and len(traces[0]["rows"]) == 4
for row in traces[0]["rows"]:
    for part in ("slices", "collectives"):
        assert len(row[part]) % 7 == 0
        begins = row[part][0::7]
        assert begins == sorted(begins)
# What slices that are merged take is what their events took: what is between them is nobody's.
def taken(trace):
    sums = {}
    for number, row in enumerate(trace["rows"]):
        for part in ("slices", "collectives"):
            all = row[part]
            for i in range(0, len(all), 7):
                key = number, part, all[i + 2]
                sums[key] = sums.get(key, 0) + all[i + 1] * all[i + 6]
    return sums
few = json.loads(data_of(sys.argv[2]))[0]
assert set(traces[0]["rows"][0]["slices"][6::7]) == {1}
assert any(share < 1 for row in few["rows"] for share in row["slices"][6::7])
whole = taken(traces[0])
for key, sum in taken(few).items():
    assert abs(sum - whole[key]) <= 0.3 + 0.1 * whole[key], (key, sum, whole[key])
PY
refused "report: 3 traces; one, or two to compare" "$upwash" report "$work/a" "$work/a" "$work/a"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo "report: no chromium: the page was not opened"
  exit 77
}

# in_browser PAGE SCRIPT: what the script's function `act` leaves in the text of the page's body, or
# the errors that came first.
in_browser() {
  python3 - "$1" "$2" "$work/test.html" <<'PY'
import sys
text = open(sys.argv[1]).read()
text = text.replace("<head>", """<head><script>
window.errors = [];
addEventListener("error", (e) => errors.push(e.message));
console.error = (...all) => errors.push(all.join(" "));
</script>""", 1)
script = """<script>
function event_at(kind, view, x, y, more) {
  const box = view.canvas.getBoundingClientRect();
  const E = kind.startsWith("pointer") ? PointerEvent : kind === "wheel" ? WheelEvent : MouseEvent;
  view.canvas.dispatchEvent(new E(kind, {clientX: box.left + x, clientY: box.top + y, bubbles: true,
                                         cancelable: true, ...more}));
}
function inked(canvas) {
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
  return seen.size;
}
addEventListener("load", () => {
  let said = "";
  try {
    views.forEach((view) => view.draw_now ? view.draw_now() : view.draw());  // frames may not come
    said = act();
  } catch (e) { errors.push(String(e)); }
  document.title = "said " + JSON.stringify({said, errors});
});
%s
</script>""" % sys.argv[2]
open(sys.argv[3], "w").write(text.replace("</body>", script + "</body>", 1))
PY
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync --window-size=1300,1800 \
    --user-data-dir="$(mktemp -d "$work/profile.XXXX")" --virtual-time-budget=6000 --dump-dom "file://$work/test.html" 2>/dev/null |
    sed -n 's/.*<title>said \(.*\)<\/title>.*/\1/p' | sed 's/&amp;/\&/g; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g'
}

# says PAGE SCRIPT EXPECTED
says() {
  local seen
  seen=$(in_browser "$1" "$2")
  [[ $seen == "$3" ]] || fail "the page says $seen, not $3"
}

# Drawn, zoomed by the wheel, moved, all again, by rows, searched; the tip names what is under it.
says "$page" 'function act() {
  const [line, matrix] = views;
  const whole = line.to - line.from;
  const drawn = [inked(line.canvas) > 5, inked(matrix.canvas) > 3];
  event_at("wheel", line, 400, 30, {deltaY: -600});
  const near = line.to - line.from;
  event_at("dblclick", line, 400, 30);
  const back = line.to - line.from;
  event_at("wheel", line, 400, 30, {deltaY: -600});
  const from = line.from;
  event_at("pointermove", line, 300, 20);
  const tip = document.getElementById("tip").textContent.startsWith("rank 0 at ");
  document.querySelector(".search").value = "barrier";
  document.querySelector(".search").dispatchEvent(new Event("input"));
  line.draw_now();
  return [drawn, near < whole / 2, back === whole, tip, line.found !== null];
}' '{"said":[[true,true],true,true,true,true],"errors":[]}'

# Tables sort; boxes and lists change what is drawn; light and dark.
says "$page" 'function act() {
  const heads = document.querySelectorAll("th");
  heads[0].click();
  const first = document.querySelector("tbody tr td").textContent;
  heads[0].click();
  const last = document.querySelector("tbody tr td").textContent;
  for (const box of document.querySelectorAll("input[type=checkbox]")) box.click();
  for (const list of document.querySelectorAll("select")) {
    list.selectedIndex = 1;
    list.dispatchEvent(new Event("change"));
  }
  const theme = document.documentElement.dataset.theme;
  document.getElementById("theme").click();
  views.forEach((v) => v.draw_now ? v.draw_now() : v.draw());
  return [first, last, document.documentElement.dataset.theme !== theme];
}' '{"said":["3","0",true],"errors":[]}'

# What layers did: a choice that is clicked shows its candidates with their prices; streams, queues,
# migrations, steps and replays on other machines have their parts.
"$upwash" run -n 3 --trace "$work/d" "$bin/layers" >"$work/out" 2>&1
"$upwash" report "$work/d" --on ethernet --on edr -o "$page" >"$work/out"
says "$page" 'function act() {
  const parts = [...document.querySelectorAll("h3")].map((h) => h.textContent);
  const wanted = ["What the tuner chose", "Steps of collectives", "Messages of streams", "Tagged messages",
                  "Objects that migrated", "What if"];
  const table = (name) => [...document.querySelectorAll("h3")].find((h) => h.textContent === name);
  const rows = [...document.querySelectorAll("tr.picks")];
  const sum = rows.find((r) => r.lastChild.textContent.startsWith("all_reduce of 8 bytes"));
  sum.click();
  const detail = document.querySelector(".detail");
  const chosen = detail.querySelectorAll(".candidate.chosen").length;
  const prices = [...detail.querySelectorAll(".candidate")].filter((c) => /us predicted$/.test(c.textContent)).length;
  const took = /^took by .*: 7 calls, /.test(detail.querySelector(".took").textContent);
  const lists = document.querySelectorAll("select");
  const list = lists[lists.length - 1];
  list.selectedIndex = 1;
  list.dispatchEvent(new Event("change"));
  const plots = document.querySelectorAll(".uplot").length;
  return [wanted.filter((w) => !parts.includes(w)), detail.querySelector("b").textContent, chosen, prices > 2, took,
          list.value, list.options.length, plots];
}' '{"said":[[],"all_reduce of 8 bytes among 3 ranks",1,true,true,"ethernet",3,3],"errors":[]}'

# Of a trace that was cut in any part the page shows what is there and says what is missing.
for percent in 40 80 99; do
  head -c $(($(stat -c %s "$work/d") * percent / 100)) "$work/d" >"$work/cut"
  "$upwash" report "$work/cut" --on edr -o "$work/cut.html" >"$work/out"
  says "$work/cut.html" 'function act() {
    return [document.querySelectorAll(".missing").length > 0, document.querySelectorAll("canvas").length > 1];
  }' '{"said":[true,true],"errors":[]}'
done

# Names are text, whatever they hold.
python3 - "$page" "$work/names.html" <<'PY'
import re, sys
text = open(sys.argv[1]).read()
evil = r"\u003cimg src=x onerror=errors.push(1)>"
for key in ("problem", "opened_at", "chosen", "why", "name"):
    text = re.sub('"%s":"[^"]*"' % key, lambda m: '"%s":"%s"' % (key, evil), text)
open(sys.argv[2], "w").write(text)
PY
says "$work/names.html" 'function act() {
  document.querySelector("tr.picks").click();
  return [document.querySelectorAll("img").length, document.querySelector(".detail b").textContent.startsWith("<img")];
}' '{"said":[0,true],"errors":[]}'

# A schedule that one steps through: all of it, its begin, a step, back, by rounds, by its slider.
"$upwash" schedule all_reduce --algorithm recursive_doubling -n 8 --bytes 64 --html >"$page"
says "$page" 'function act() {
  const [view] = views;
  const press = (name) => [...document.querySelectorAll("button")].find((b) => b.textContent === name).click();
  const says = () => document.querySelector(".says").textContent;
  const all = says();
  const sends = view.steps.filter((s) => s.kind === "send");
  press("first");
  const none = says();
  press("next");
  const one = says().includes("send to rank");
  document.querySelector("input[type=checkbox]").click();
  press("first");
  press("next");
  const round = [says().startsWith("round 0"), view.turns.length];
  press("next"); press("next"); press("back");
  const slider = document.querySelector("input[type=range]");
  const at = [view.at, slider.value, slider.max];
  slider.value = 1;
  slider.dispatchEvent(new Event("input"));
  const s = sends[3];
  const tip = view.name_of(view.near((view.x_of(s.begun) * 2 + view.x_of(s.arrives)) / 3, (view.y_of(s.line) * 2 + view.y_of(s.peer)) / 3));
  document.getElementById("theme").click();
  return [all.startsWith("All steps"), none, one, round, at, view.at, sends.length, /^rank [0-7]: send to rank/.test(tip), inked(views[0].canvas) > 5];
}' '{"said":[true,"Nothing has begun.",true,[true,3],[2,"2","3"],1,24,true,true],"errors":[]}'

# More ranks than can be read share lines, also where they read each other's memory.
"$upwash" schedule barrier --algorithm dissemination -n 1000 --html >"$page" || fail "a page of 1,000 ranks"
says "$page" 'function act() {
  const [view] = views;
  const counted = view.steps.filter((s) => s.kind === "send").reduce((all, s) => all + s.count, 0);
  const s = view.steps.find((s) => s.kind === "send" && s.peer !== s.line);
  return [view.data.lines.length, view.data.lines[0], counted, view.steps.length < 3000, view.name_of(s).split(",")[0], inked(view.canvas) > 5];
}' '{"said":[63,"ranks 0-15",10000,true,"ranks 0-15: send to ranks 16-31",true],"errors":[]}'
"$upwash" schedule broadcast --algorithm shared -n 4 --direct --machine laptop --html >"$page" || fail "a page of shared memory"
says "$page" 'function act() {
  const [view] = views;
  const reads = view.steps.filter((s) => s.reads >= 0);
  return [new Set(reads.map((s) => s.line)).size, new Set(reads.map((s) => s.reads)).size, / reads rank 0 of \d+ bytes/.test(view.name_of(reads[0]))];
}' '{"said":[3,1,true],"errors":[]}'

# Links of a network by what they carried: all loads of a run, each kind of topology.
for topology in fat-tree:ports=4,levels=3 torus:size=4x4 hypercube:dimensions=4 dragonfly:routers=4,nodes=2,global=2 mesh:size=3x3x3; do
  "$upwash" simulate --topology "$topology" --traffic hot-spot:node=0,percent=20 --load 0.2,0.6 --packets 200 \
    --heat "$page" --quiet >"$work/out"
  says "$page" 'function act() {
    const [view] = views;
    const hot = view.text_of(view.hottest(1)[0]);
    const shares = view.data.runs.map((run) => Math.max(...run.shares));
    const slider = document.querySelector("input[type=range]");
    slider.value = 0;
    slider.dispatchEvent(new Event("input"));
    const switches = new Set([...Array(view.data.switches).keys()].map((s) => view.places.get(s).map((v) => v.toFixed(4)).join()));
    const inside = [...view.places.values()].every(([x, y]) => x >= 0 && x <= 1 && y >= 0 && y <= 1);
    document.getElementById("theme").click();
    return [/ to node 0: /.test(hot), shares[0] < shares[1], document.querySelector(".facts ~ .frame ~ .facts").textContent.includes("load 0.200"),
            switches.size === view.data.switches, inside, inked(views[0].canvas) > 10];
  }' '{"said":[true,true,true,true,true,true],"errors":[]}'
done

# Two traces side by side, on one scale.
"$upwash" report "$work/a" "$work/b" -o "$page" >"$work/out"
says "$page" 'function act() {
  return [document.querySelectorAll("section").length, views[0].to === views[2].to, document.querySelector("main").className];
}' '{"said":[2,true,"two"],"errors":[]}'

# 1,000 ranks stay fluid: a frame of the whole and one of a part take few milliseconds each; that one
# was drawn within a second is what a test can ask of any machine.
"$upwash" run -n 1000 --conduit sim --trace "$work/c" "$bin/02_all_gather" >"$work/out" 2>&1
"$upwash" report "$work/c" -o "$page" >"$work/out"
says "$page" 'function act() {
  const begin = performance.now();
  for (let i = 0; i < 10; ++i) { views[0].zoom(0.9, views[0].to / 2); views[0].draw_now(); }
  return [views[0].rows.length, performance.now() - begin < 10000];
}' '{"said":[1000,true],"errors":[]}'
