#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# upwash tune: explains, searches, remembers; jobs use what was found; bad input is one line.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
export UPWASH_CONFIG= XDG_CONFIG_HOME=$work/config

refuses() { refused "$1" "$upwash" tune "${@:2}"; }

refuses "tune: -n is missing: the ranks of the team" barrier
refuses "tune: name collectives, or --all (upwash tune --help)" -n 2
refuses "tune: --budget 0: a search needs time, as 60s" barrier -n 2 --budget 0
refuses "tune: --share 0: more than 0 and at most 1 is wanted" barrier -n 2 --share 0
seen=$("$upwash" tune brodcast -n 2 2>&1) && fail "an unknown collective was taken"
[[ $seen == 'upwash: unknown collective "brodcast"; did you mean broadcast? (known: barrier, '* ]] ||
  fail "of an unknown collective: $seen"
refuses "many_to_many cannot be tuned: what it takes depends on what each rank sends" \
  many_to_many -n 2 --output none
echo "{ damaged" >"$work/damaged.json"
"$upwash" tune barrier -n 2 --output "$work/damaged.json" 2>"$work/said" && fail "a damaged file"
grep -q "damaged.json: damaged: .*; it is left as it is: move it away, or name another file$" \
  "$work/said" || fail "of a damaged file: $(cat "$work/said")"
[[ $(cat "$work/damaged.json") == "{ damaged" ]] || fail "the damaged file was changed"
"$upwash" tune barrier -n 2 --output /dev/null/x.json 2>"$work/said" && fail "no file there"
grep -q "^upwash: the tuning file's folder /dev/null: " "$work/said" ||
  fail "of a file that cannot be: $(cat "$work/said")"

# The ranking, and with times.
"$upwash" tune --explain all_to_all -n 16 --bytes 512 >"$work/out"
grep -q "^# all_to_all of 512 bytes, 16 ranks" "$work/out" || fail "no ranking: $(cat "$work/out")"
grep -q "^bruck:k=4 " "$work/out" || fail "no other radices: $(cat "$work/out")"
"$upwash" tune --explain --measure all_to_all -n 8 --bytes 64 --conduit sim --machine lemieux \
  >"$work/out"
grep -Eq "^# Kendall tau of the two orders: -?[01]\.[0-9]+ \([0-9]+ candidates with a price\)" \
  "$work/out" || fail "no Kendall tau: $(cat "$work/out")"

# A search writes the user's own file; the next job uses it, and says so.
"$upwash" tune all_gather barrier -n 4 --bytes 8k --budget 20s --sample-ms 0.1 >"$work/out"
[[ -f $work/config/upwash/tuning/shm.json ]] || fail "nothing was written: $(cat "$work/out")"
grep -q "^# written to $work/config/upwash/tuning/shm.json; jobs use it from now on" "$work/out" ||
  fail "did not say where: $(cat "$work/out")"
job() { "$upwash" run -n 4 "$@" "$UPWASH_TEST_BIN/02_all_gather" 2>&1; }
job --knob tune_log=1 >"$work/out"
grep -q "all_gather of 8000 bytes among 4 ranks: .*; why: the measurements at 8192 bytes among 4 \
ranks, .*corrected by prices on laptop" "$work/out" || fail "not remembered: $(cat "$work/out")"
grep -q "4 ranks, agreed" "$work/out" || fail "wrong: $(cat "$work/out")"
job --knob tune_log=1 --knob tuning=none >"$work/out"
grep -q "why: the prices on laptop" "$work/out" || fail "not the model: $(cat "$work/out")"

# A machine that was measured is what algorithms are chosen for, unless another is named.
mkdir -p "$work/config/upwash/machines"
sed 's/"name": "laptop"/"name": "mine"/' "$(dirname "$0")/../../machines/laptop.json" \
  >"$work/config/upwash/machines/measured.json"
job --knob tune_log=1 --knob tuning=none >"$work/out"
grep -q "why: the prices on mine" "$work/out" || fail "not the measured machine: $(cat "$work/out")"
job --knob tune_log=1 --knob tuning=none --knob machine=laptop >"$work/out"
grep -q "why: the prices on laptop" "$work/out" || fail "not the named machine: $(cat "$work/out")"
echo '{"name": "mine"' >"$work/config/upwash/machines/measured.json"
job --knob tune_log=1 --knob tuning=none >"$work/out" || fail "a damaged machine ended the job"
[[ $(grep -c "the measured machine is not used, prices are those of laptop: .*measured.json" \
  "$work/out") == 1 ]] || fail "not named once: $(cat "$work/out")"
grep -q "why: the prices on laptop" "$work/out" || fail "nothing to choose by: $(cat "$work/out")"
rm -r "$work/config/upwash/machines"

# In virtual time, twice: more is known, nothing less.
for collective in broadcast reduce; do
  "$upwash" tune "$collective" -n 16 --bytes 64 --conduit sim --machine lemieux \
    --output "$work/sim.json" >/dev/null
done
grep -q '"collective": "broadcast"' "$work/sim.json" || fail "the first search is lost"
grep -q '"collective": "reduce"' "$work/sim.json" || fail "the second search is lost"
"$upwash" run -n 16 --conduit sim --machine lemieux --knob tuning="$work/sim.json" --knob log=info \
  "$UPWASH_TEST_BIN/02_all_gather" >"$work/out" 2>&1
grep -q "sim.json: 2 situations are known" "$work/out" ||
  fail "the simulated file was not used: $(cat "$work/out")"

# A file that cannot be used is named, and the job runs on.
job --knob tuning="$work/damaged.json" >"$work/out" || fail "a damaged file ended the job"
[[ $(grep -c "the tuning file is not used, the model chooses: $work/damaged.json: damaged" \
  "$work/out") == 1 ]] || fail "not named once: $(cat "$work/out")"
grep -q "4 ranks, agreed" "$work/out" || fail "wrong: $(cat "$work/out")"
job --knob tuning="$work/sim.json" >"$work/out"
grep -q "conduit: found on \"sim\", this is \"shm\"" "$work/out" || fail "another's file was used"
job --knob tuning="$work/none.json" >"$work/out"
grep -q "none.json: there is no such file; upwash tune writes one" "$work/out" ||
  fail "a missing file: $(cat "$work/out")"

# Forced, for one collective.
job --knob tune_log=1 --knob all_gather=k_prefix:k=4 >"$work/out"
grep -q "k_prefix:k=4,pacing=0; why: it was asked for" "$work/out" || fail "not forced"
if job --knob all_gather=k_prefx >"$work/out"; then fail "an unknown algorithm was taken"; fi
grep -q "all_gather: unknown algorithm \"k_prefx\"; did you mean k_prefix?" "$work/out" ||
  fail "of an unknown algorithm: $(cat "$work/out")"
"$upwash" run -n 3 --knob all_gather=recursive_doubling "$UPWASH_TEST_BIN/02_all_gather" >"$work/out" 2>&1 ||
  fail "an unmet requirement has not made way: $(cat "$work/out")"
grep -q "recursive_doubling needs a number of ranks that is a power of two" "$work/out" ||
  fail "of an unmet requirement: $(cat "$work/out")"
# What streams find out is kept, and known the next time.
UPWASH_TUNING="$work/streams.json" "$upwash" bench stream-auto -n 8 --conduit sim \
  --machine summit >"$work/out" 2>&1 || fail "stream-auto: $(cat "$work/out")"
grep -q '"items_a_ns"' "$work/streams.json" || fail "nothing of streams is kept"
"$upwash" run -n 8 --conduit sim --machine summit --knob tuning="$work/streams.json" \
  --knob log=info "$UPWASH_TEST_BIN/02_all_gather" >"$work/out" 2>&1
grep -qE "streams.json: 0 situations are known, [1-9][0-9]* kinds of streams" "$work/out" ||
  fail "streams are not known again: $(cat "$work/out")"
# What a job has priced is kept, and known the next time: then nothing new is priced, and nothing written.
for run in first second; do
  "$upwash" run -n 3 --knob tuning="$work/prices.json" --knob log=info "$UPWASH_TEST_BIN/02_all_gather" \
    >"$work/out" 2>&1 || fail "the $run run that keeps prices: $(cat "$work/out")"
  stat -c %i "$work/prices.json" >"$work/$run" || fail "no prices are kept: $(cat "$work/out")"
done
grep -qE "prices.json: 0 situations are known, 0 kinds of streams, [1-9][0-9]* classes of calls are priced" \
  "$work/out" || fail "prices are not known again: $(cat "$work/out")"
cmp -s "$work/first" "$work/second" || fail "the second run has priced something: $(cat "$work/prices.json")"
echo "tune: explains, searches, remembers, refuses"
