#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/compare-mpi: what is read of the tests of UCX and libfabric, here programs that print what
# those do, and the page of plots, of made-up rows.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command -v python3 >/dev/null || { echo "compare: skipped: no python3"; exit 77; }
evidence=("$work/out")

cat >"$work/ucx_perftest" <<'END'
#!/bin/sh
case "$*" in
  *127.0.0.1*-s\ 8*) echo "|     Test     | # iterations | 50.0%ile | average | overall |"
                     echo "                       20000      0.904      1.100     1.250        0.14       0.06       18779        8035" ;;
  *127.0.0.1*) echo "no answer" >&2; exit 1 ;;
  *) sleep 5 ;;
esac
END
cat >"$work/fi_pingpong" <<'END'
#!/bin/sh
case "$*" in
  *127.0.0.1*) echo "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec"
               echo "64      2k      =2k      31k         6.57s      0.00       3.00       0.00" ;;
  *) sleep 5 ;;
esac
END
chmod +x "$work/ucx_perftest" "$work/fi_pingpong"
perftest() { PATH="$work:$PATH" python3 -B "$root/bench/compare/perftests.py" "$@" >"$work/out" 2>&1; }

perftest ucx 0.001 "" sizes 8 || fail "ucx: status $?"
grep -qx 'round_trip 8 0 2.5000' "$work/out" || fail "ucx: twice the overall latency is a round trip"
perftest libfabric 0.001 round_trip sizes 64,128 || fail "libfabric: status $?"
grep -qx 'round_trip 128 0 6.0000' "$work/out" || fail "libfabric: twice a transfer is a round trip"
perftest libfabric 0.001 "" messages && fail "libfabric: another kind of cells is not refused"

python3 -B - "$root" "$work/page.html" <<'END' || fail "the page is not as it should be"
import pathlib, sys
root, path = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(root / "bench/compare"))
import page
row = {"bench": "compare-mpi", "mode": "alone", "peers": {"openmpi": 2.0}}
rows = [{**row, "ranks": 4, "collective": "broadcast", "bytes": size, "placement": where, "ratio": ratio}
        for size, where, ratio in ((64, "near", 0.5), (8, "near", 2), (8, "far", 1.5), (0, "near", 9))]
rows.append({**row, "ranks": 2, "collective": "</script>", "bytes": 8, "placement": "far", "ratio": 1})
made = page.plots_of(rows)
assert made[0] == {"name": "broadcast", "sizes": [8, 64], "series": [
    {"name": "4 ranks, far", "far": True, "ratios": [1.5, None]},
    {"name": "4 ranks, near", "far": False, "ratios": [2, 0.5]}]}, made[0]
page.write(path, rows, root)
text = path.read_text()
assert text.count("</script>") == 2, "a name ends the script"
assert "src=" not in text and "uPlot" in text, "the page needs the network"
END
echo "compare: rows of other tests are read, and plotted"
