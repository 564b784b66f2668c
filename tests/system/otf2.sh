#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# `upwash trace --otf2`: OTF2's own reader finds as many messages as the trace has, and every region left that was entered.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
export UPWASH_CONFIG=
evidence=("$work/out")
"$upwash" run -n 5 --conduit sim --trace "$work/t" "$UPWASH_TEST_BIN/layers" >"$work/out" 2>&1
if ! "$upwash" trace "$work/t" --otf2 "$work/archive" >"$work/out" 2>&1; then
  shows 'built without OTF2; install libotf2-trace-dev' <"$work/out" || fail "it says why not"
  echo "otf2: skipped: not in this build"
  exit 77
fi
refused "cannot write $work/archive: it is there already; give a folder that is not there yet" "$upwash" trace "$work/t" --otf2 "$work/archive"
ln -s nowhere "$work/link"
refused "cannot write $work/link: it is there already; give a folder that is not there yet" "$upwash" trace "$work/t" --otf2 "$work/link"
long=$work/$(printf 'x%.0s' {1..300})
refused "cannot write $long: File name too long" "$upwash" trace "$work/t" --otf2 "$long"
# No room for files, as on a full disk: at once, and where OTF2 itself does not look, when it closes them. No part of an archive is left.
no_room() {
  trap '' XFSZ
  ulimit -f "$1"
  "$upwash" trace "$work/t" --otf2 "$work/full" >"$work/out" 2>&1
}
for case in "2 what was written cannot be read back" "8 File is too large"; do
  ! (no_room "${case%% *}") || fail "files of ${case%% *} KiB are refused"
  shows "cannot write $work/full: ${case#* }" <"$work/out" || fail "it says why at ${case%% *} KiB"
  [[ ! -e $work/full ]] || fail "a part of an archive is left"
done
command -v otf2-print >/dev/null || { echo "otf2: skipped: no otf2-print"; exit 77; }

"$upwash" trace "$work/t" --messages "$work/messages.csv" >"$work/out"
otf2-print "$work/archive/traces.otf2" >"$work/events" 2>"$work/out" || fail "otf2-print reads it"
[[ ! -s $work/out ]] || fail "otf2-print has something to say"
python3 - "$work/events" "$work/messages.csv" <<'PY' >"$work/out" 2>&1 || fail "the events of the archive"
import collections, csv, re, sys
sent, received, open_regions, last = collections.Counter(), collections.Counter(), collections.defaultdict(list), {}
collectives = 0
for line in open(sys.argv[1]):
    parts = re.match(r"(\w+)\s+(\d+)\s+(\d+)\s+(.*)", line)
    if not parts:
        continue
    what, location, time, more = parts[1], int(parts[2]), int(parts[3]), parts[4]
    assert time >= last.get(location, 0), line
    last[location] = time
    if what == "ENTER":
        open_regions[location].append(more)
        collectives += '"collective: all_reduce' in more
    elif what == "LEAVE":
        assert open_regions[location].pop() == more, line
    elif what in ("MPI_SEND", "MPI_RECV"):
        peer = int(re.search(r"(?:Receiver|Sender): (\d+)", more)[1])
        size = int(re.search(r"Length: (\d+)", more)[1])
        (sent if what == "MPI_SEND" else received)[(peer, size)] += 1
assert not any(open_regions.values()), open_regions
rows = [row for row in csv.DictReader(open(sys.argv[2])) if row["handled_us"]]
assert rows and sum(sent.values()) == len(rows) == sum(received.values()), (len(rows), sum(sent.values()))
assert sent == collections.Counter((int(r["destination"]), int(r["bytes"])) for r in rows)
assert received == collections.Counter((int(r["source"]), int(r["bytes"])) for r in rows)
assert collectives > 0
PY
echo "otf2: ok"
