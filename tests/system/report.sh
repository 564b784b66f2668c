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
python3 - "$page" <<'PY' || fail "the data of the page is JSON"
import json, re, sys
text = open(sys.argv[1]).read()
data = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S).group(1)
assert "<" not in data
traces = json.loads(data)
assert len(traces) == 1 and len(traces[0]["rows"]) == 4
for row in traces[0]["rows"]:
    for part in ("slices", "collectives"):
        assert len(row[part]) % 6 == 0
        begins = row[part][0::6]
        assert begins == sorted(begins)
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
