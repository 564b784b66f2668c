# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Part of preload.sh, for one $library: MPI_Finalize, programs with functions of MPI of their own,
# many messages that nobody has received, large elements, sanitized programs.

case_now="calls of MPI while MPI_Finalize deletes attributes"
for knobs_now in "" "--knob mpi=all" "--knob mpi=all --knob mpi_threads=1 multiple"; do
  read -ra knobs <<<"${knobs_now% multiple}"
  start 2 "$work/finalize_calls.$library" $([[ $knobs_now != *multiple ]] || echo multiple)
  passes
done

case_now="messages of a program with a wrapper of its own"
knobs=(--knob mpi=all --knob "report=$work/report.json")
start 2 "$work/own_wrappers.$library"
passes
[[ $(grep -cx 'upwash: the MPI library has all messages: MPI_Isend is defined by the program, so its calls do not reach upwash, and messages are taken over all or none' \
  "$work/err") == 1 ]] || fail "$library: $case_now: not said once"
[[ $(taken MPI_Recv) == 0 && $(taken MPI_Iallreduce) == 2 ]] || fail "$library: $case_now: others were taken over"
case_now="requests of a program with a wrapper of its own"
"mpicc.$library" -O1 -DWRAPS_WAIT "$sources/own_wrappers.c" -o "$work/own_wait"
knobs=(--knob "report=$work/report.json")
start 2 "$work/own_wait"
passes
[[ $(taken MPI_Iallreduce) == 0 ]] || fail "$library: $case_now: a request of upwash's"
shows -x 'upwash: the MPI library has all nonblocking and persistent calls and all messages: the program defines functions of MPI that take requests, so their calls do not reach upwash' \
  <"$work/err" || fail "$library: $case_now: not said"
case_now="a tool that is loaded too"
echo 'int MPI_Recv(void) { return 1; }' | cc -shared -fPIC -x c - -o "$work/tool.so"
knobs=(--knob mpi=all)
LD_PRELOAD=$work/tool.so start 2 "$work/pending_message.$library"
passes
[[ $(grep -cx "upwash: $work/tool.so defines MPI_Recv too, but is not called: upwash comes first, and calls the MPI library directly; use one of both (docs/mpi.md)" \
  "$work/err") == 1 ]] || fail "$library: $case_now: not said once"

case_now="many messages that nobody has received"
knobs=(--knob mpi=all --knob unexpected_limit=1m)
start 2 "$work/many_unexpected.$library" 2500
passes
[[ $(grep -cx "upwash: rank 1: rank 0 has not received this rank's messages, which fill its room (unexpected_limit over the ranks): further small ones are copied here, up to 1 MiB (docs/mpi.md)" \
  "$work/err") == 1 ]] || fail "$library: $case_now: not said once"

case_now="elements in parts"
root=$(cd "$sources/../../.." && pwd)
if command -v "mpicxx.$library" >/dev/null; then
  "mpicxx.$library" -std=c++20 -O1 -I"$root" "$sources/parts/element_parts.cpp" \
    "$root/interop/mpi/detail/element_parts.cpp" -o "$work/element_parts" \
    -L"$UPWASH_TEST_BUILD/lib" -Wl,-rpath,"$UPWASH_TEST_BUILD/lib" -lupwash -lfmt
  status=0
  "$work/element_parts" >"$work/out" 2>"$work/err" || status=$?
  passes
fi
case_now="an element of more than 2^31 bytes"  # 9 GB, which not every machine has
knobs=(--knob mpi=all)
start 2 "$work/big_element.$library" "$([[ -n ${UPWASH_TEST_LONG:-} ]] && echo 2200 || echo 3)"
passes

case_now="a program that is built with -fsanitize=address"
if "mpicc.$library" -fsanitize=address -O1 "$sources/own_wrappers.c" -o "$work/sanitized" 2>"$work/err"; then
  knobs=()
  ASAN_OPTIONS=detect_leaks=0 start 2 "$work/sanitized"
  passes
  shows -x "upwash: $work/sanitized is built with -fsanitize=address: it gets ASAN_OPTIONS=verify_asan_link_order=0, since upwash's library is loaded first" \
    <"$work/err" || fail "$library: $case_now: not said"
fi

case_now="a report of a wait names the program's call"
knobs=(--knob mpi=all --knob hang_report=1s)
start 2 "$work/late_message.$library"
passes
shows 'MPI_Recv called by main' <"$work/err" || fail "$library: $case_now: another report"
