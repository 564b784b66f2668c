#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Files that users name for output: links, FIFOs and devices stay as they are, nothing is left next to
# a file, jobs do not mix their traces; and a standard output that cannot be written is no success.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
bin=$UPWASH_TEST_BIN
export UPWASH_CONFIG= UPWASH_TUNING=none
evidence=("$work/out" "$work/err")

# holds NAME...: the work folder of the files has exactly these.
mkdir "$work/files"
cd "$work/files"
holds() {
  [[ $(printf '%s\n' "$@" | sort) == "$(ls -A)" ]] || fail "expected '$*', there are: $(ls -A)"
}

mkfifo fifo
refused "cannot write the trace fifo: it is a FIFO; name a regular file by UPWASH_TRACE or --trace" \
  "$upwash" run -n 2 --trace fifo "$bin/02_all_gather"
refused "cannot write the trace .: it is a folder; name a regular file by UPWASH_TRACE or --trace" \
  "$upwash" run -n 2 --trace . "$bin/02_all_gather"
for conduit in sim shm; do
  status=0
  UPWASH_CONDUIT=$conduit UPWASH_TRACE=fifo "$bin/02_all_gather" >"$work/out" 2>"$work/err" || status=$?
  [[ $status == 2 ]] && shows "cannot write the trace fifo: it is a FIFO" <"$work/err" ||
    fail "a job of $conduit without a launcher: status $status"
done
refused "the tuning file fifo is no file" \
  "$upwash" tune barrier -n 2 --conduit sim --output fifo
[[ -p fifo ]] || fail "the FIFO is replaced"
holds fifo
refused "cannot write fifo: nobody reads this FIFO" bash -c '"$@" >"$0"' "$work/table" \
  "$upwash" simulate --topology crossbar:ports=4 --load 0.1 --packets 10 --quiet --json fifo
exec 7<>fifo  # a reader
"$upwash" simulate --topology crossbar:ports=4 --load 0.1 --packets 10 --quiet --json fifo >"$work/out"
IFS= read -r -t 20 row <&7 && [[ -p fifo && $row == "{"* ]] || fail "rows go into a FIFO"
exec 7>&-
rm fifo

# A device of its own, as root may make one.
if mknod null c 1 3 2>/dev/null && (: >null) 2>/dev/null; then
  refused "cannot write the trace null: it is a device or a socket; name a regular file by UPWASH_TRACE or --trace" \
    "$upwash" run -n 2 --trace null "$bin/02_all_gather"
  UPWASH_REPORT=null "$upwash" run -n 2 "$bin/02_all_gather" >"$work/out" 2>&1 || fail "a report into a device"
  "$upwash" simulate --topology crossbar:ports=4 --load 0.1 --packets 10 --quiet --json null --plot null \
    --heat null >"$work/out" || fail "drawings into a device"
  [[ -c null ]] || fail "the device is replaced"
  holds null
fi
rm -f null

mkdir below
ln -s below/file link
"$upwash" run -n 2 --trace link "$bin/02_all_gather" >"$work/out" 2>&1 || fail "a trace by a link"
[[ -L link && -f below/file ]] || fail "a trace replaces a link"
"$upwash" trace link --chrome chrome.json >"$work/out"
"$upwash" report link -o page.html >"$work/out"
holds below link chrome.json page.html
rm -r below/file chrome.json page.html
"$upwash" tune barrier -n 2 --conduit sim --budget 1s --output link >"$work/out" || fail "tuning by a link"
[[ -L link && -f below/file && $(ls below) == file ]] || fail "tuning replaces a link, or leaves a lock"
holds below link
rm -r below link

# Two jobs and one trace.
"$upwash" run -n 2 --trace both "$bin/endless" >"$work/out" 2>"$work/err" & job=$!
until [[ -e both.parts/000001 ]]; do sleep 0.05; kill -0 "$job" || fail "the first job ends"; done
refused "another job writes the trace both; wait for its end, or name another file by UPWASH_TRACE or --trace" \
  "$upwash" run -n 2 --trace both "$bin/02_all_gather"
status=0
UPWASH_CONDUIT=sim UPWASH_TRACE=both "$bin/02_all_gather" >/dev/null 2>"$work/err" || status=$?
[[ $status == 2 ]] && shows "another job writes the trace both" <"$work/err" || fail "nor without a launcher"
kill "$job"
wait "$job" && fail "the job was ended"
"$upwash" run -n 2 --trace both "$bin/02_all_gather" >"$work/out" 2>&1 || fail "another job, afterwards"
holds both

# Standard output that cannot be written.
for command in "info" "info --knobs" "--help" "--version" "schedule broadcast -n 8" "manual --completion bash"; do
  status=0
  # shellcheck disable=SC2086
  "$upwash" $command >/dev/full 2>"$work/err" || status=$?
  [[ $status == 1 && $(wc -l <"$work/err") == 1 ]] && shows "^upwash: .*No space left on device" <"$work/err" ||
    fail "upwash $command into a full device: status $status"
done
status=0
"$upwash" run -n 1 echo text >/dev/full 2>"$work/err" || status=$?
[[ $status == 1 ]] || fail "a job's output into a full device: status $status"
[[ $(cat "$work/err") == "upwash: cannot write standard output: No space left on device; what ranks print there is lost" ]] ||
  fail "it says so once"
echo "outputs: ok"
