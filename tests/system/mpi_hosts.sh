#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Conduit mpi, alone and with shared memory inside nodes, over hosts that share nothing but folders and
# a network, which mpirun of Open MPI reaches by a remote shell: bodies of the job tests, what the network has
# carried of them, ranks that are killed, a network that is cut, a host that goes away. MPICH: mpich_hosts.sh.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
source "$(dirname "${BASH_SOURCE[0]}")/lib/hosts.sh"
source "$(dirname "${BASH_SOURCE[0]}")/lib/host_jobs.sh"
[[ -e $UPWASH_TEST_BUILD/lib/upwash/libupwash_openmpi.so ]] ||
  { echo "mpi_hosts: skipped: upwash was built without Open MPI (libopenmpi-dev)"; exit 77; }
make_hosts 3
endless=("$UPWASH_TEST_BIN/endless")
export UPWASH_CONFIG= UPWASH_MPI_LIBRARY=openmpi UPWASH_HOST_TIMEOUT=4s
export OMPI_MCA_plm_rsh_agent=$rsh_network OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_oob_tcp_if_include=eth0

bodies=(active_message.payloads_of_any_size_arrive memory.puts_reach_every_rank
        memory.gets_fetch_from_every_rank atomics.lose_nothing
        collectives.broadcast_of_any_size_by_every_algorithm node_levels.many_at_a_time
        fence_barrier.all_that_members_began_is_there)
# All bodies in each layout with UPWASH_TEST_LONG=1; else two of them, others in each.
turn=0
for conduit in mpi shm+mpi; do
  for layout in "3 a,b,c" "5 a:2,b:1,c:2" "7 a:4,b:3 --ranks-per-process 2"; do
    some=("${bodies[@]:turn % 3 * 2:2}")
    turn=$((turn + 1))
    [[ -n ${UPWASH_TEST_LONG:-} ]] && some=("${bodies[@]}")
    for body in "${some[@]}"; do
      case_now="$conduit, $layout: $body"
      before=$(bytes_between b)
      # shellcheck disable=SC2086
      on_host a timeout 100 "$upwash" run -n ${layout%% *} --hosts ${layout#* } --conduit "$conduit" \
        "$UPWASH_TEST_BIN/job_tests" "--rank-body=$body" >"$work/out" 2>"$work/err" ||
        fail "$case_now: status $?"
      (($(bytes_between b) - before > 10000)) || fail "$case_now: nothing went over the network"
      nothing_runs
    done
  done
done

case_now="processes of different numbers of ranks, as the hosts have room"
on_host a timeout 100 "$upwash" run -n 7 --hosts a:3,b:4 --ranks-per-process 2 --conduit mpi \
  "$UPWASH_TEST_BIN/hosted" 2 1 2 2 >"$work/out" 2>"$work/err" || fail "$case_now: status $?"
nothing_runs

case_now="a remote shell that is named"
on_host a env -u OMPI_MCA_plm_rsh_agent timeout 100 "$upwash" run \
  -n 2 --hosts a,b --rsh "$rsh_network" --conduit mpi "$UPWASH_TEST_BIN/attached" >"$work/out" 2>"$work/err" ||
  fail "$case_now: status $?"
[[ $(grep -c '^rank [01] of 2: sum 1$' "$work/out") == 2 ]] || fail "$case_now"
nothing_runs

case_now="a program that is not on all hosts"
on_host a ln -s "$UPWASH_TEST_BIN/attached" /tmp/only_here
status=0
on_host a timeout 100 "$upwash" run -n 3 --hosts a:2,b:1 --conduit mpi /tmp/only_here >"$work/out" 2>"$work/err" || status=$?
[[ $status == 2 ]] || fail "$case_now: status $status"
grep -q '^Executable: /tmp/only_here$' "$work/err" && grep -q '^Node: b$' "$work/err" || fail "$case_now: Open MPI's words"
! grep -q 'killed by signal' "$work/err" || fail "$case_now: a signal"
nothing_runs

case_now="a host whose remote shell hangs"
printf '#!/bin/sh\n[ $1 = b ] && exec sleep 1000\nexec %s "$@"\n' "$rsh_network" >"$work/hanging"
chmod +x "$work/hanging"
on_host a "$upwash" run -n 3 --hosts a:2,b:1 --rsh "$work/hanging" --knob start_timeout=2s --conduit mpi \
  "$UPWASH_TEST_BIN/attached" >"$work/out" 2>"$work/err" &
job=$!
for _ in $(seq 1500); do grep -q '^upwash: ' "$work/err" && break; sleep 0.02; done
on_host a pkill -INT -x upwash
finish
[[ $status == 130 ]] || fail "$case_now: status $status"
grep -q '^upwash: no process has joined the job here for 2 s .*: does mpirun.openmpi wait for a host that does not answer?$' \
  "$work/err" || fail "$case_now: no line"
on_host a pkill sleep
nothing_runs

case_now="hosts, and a launcher that is not asked for any"
status=0
on_host a timeout 100 "$upwash" run -n 3 --hosts a:2,b:1 --conduit mpi --knob "mpi_launcher=mpirun.openmpi" true \
  >"$work/out" 2>"$work/err" || status=$?
[[ $status == 2 && $(cat "$work/err") == "upwash: --hosts a:2,b:1: 'mpirun.openmpi' (knob mpi_launcher) has to say itself "* ]] ||
  fail "$case_now: status $status"

# no_rank_runs NAME: on that host, soon. Daemons of Open MPI that are cut off stay until TCP gives up.
no_rank_runs() {
  local left
  for _ in $(seq 500); do
    left=$(running_on "$1" | grep -E "^[0-9]+ ${endless[0]}")
    [[ -z $left ]] && return
    sleep 0.02
  done
  fail "$case_now: left on host $1: $left"
}

for conduit in mpi shm+mpi; do
  case_now="$conduit: a killed rank"
  begin 5 --hosts a:2,b:2,c:1 --conduit "$conduit"
  on_host b pkill -9 -o endless
  # Where mpirun ends the others before one can say so, it names the rank itself.
  fails_soon 'ranks? [2-3] (\(pid [0-9]+ on host b\) died|was killed by signal 9 \(Killed\)); job ended'
  nothing_runs
done

case_now="a rank alone on its host is killed"
begin 3 --hosts a:2,c:1 --conduit mpi
on_host c pkill -9 endless
fails_soon '(rank 2 was killed by signal 9 \(Killed\)|host c, rank 2, is lost: its connection has ended); job ended'
nothing_runs

case_now="ranks that compute, or are stopped, for longer than a host may be silent"
on_host a timeout 100 "$upwash" run -n 4 --hosts a:2,b:2 --conduit mpi --knob host_timeout=2s \
  "$UPWASH_TEST_BIN/busy" 5 >"$work/out" 2>"$work/err" || fail "$case_now: status $?"
nothing_runs
begin 4 --hosts a:2,b:2 --conduit mpi --knob host_timeout=2s
on_host b pkill -STOP endless
sleep 4
kill -0 "$job" 2>/dev/null || fail "$case_now: it ended"
on_host b pkill -CONT endless
on_host a pkill -INT -f "$upwash run"
fails_soon 'signal 2 \(Interrupt\); job ended'
nothing_runs

# Ranks on other hosts cannot be asked from here. Whoever asks is told so, and the job goes on.
case_now="a job that is asked"
begin 4 --hosts a:2,b:2 --conduit mpi
launcher=$(on_host a pgrep -o -x upwash)
on_host a "$upwash" status >"$work/said" 2>&1 && fail "$case_now: its status"
[[ $(cat "$work/said") == "upwash: job $launcher: another launcher has started it on other hosts, whose ranks "* ]] ||
  fail "$case_now: status: $(cat "$work/said")"
on_host a kill -USR1 "$launcher"
for _ in $(seq 250); do
  grep -q '^upwash: what ranks wait for is not to be had from here: .* has started them, on other hosts too' "$work/err" && break
  sleep 0.02
done
grep -q '^upwash: what ranks wait for is not to be had from here' "$work/err" || fail "$case_now: no answer"
kill -0 "$job" 2>/dev/null || fail "$case_now: it ended"
on_host a kill -INT "$launcher"
finish
[[ $status == 130 ]] || fail "$case_now: status $status"
nothing_runs

# Host c only loses its network: its daemons are left over, and it goes with them.
for conduit in mpi shm+mpi; do
  case_now="$conduit: a cut network"
  begin 5 --hosts a:2,b:2,c:1 --conduit "$conduit"
  cut_network c
  fails_soon 'host c, rank 4, is lost: nothing has come from it for 4 s \(host_timeout, UPWASH_HOST_TIMEOUT\); job ended'
  no_rank_runs c
  nothing_runs a b
  join_network c
done
case_now="a cut network, the launcher's host alone"
begin 5 --hosts a:2,b:2,c:1 --conduit shm+mpi
cut_network a
fails_soon 'host [bc], ranks? [2-4].*, is lost: nothing has come from it for 4 s .*; job ended'
nothing_runs a
no_rank_runs b
no_rank_runs c
join_network a
case_now="a host that goes away"
begin 5 --hosts a:2,b:2,c:1 --conduit shm+mpi
kill_host c
unset "host_pid[c]"
fails_soon 'host c(, rank 4,)? is lost: .*; job ended'
nothing_runs a
echo "mpi_hosts: all jobs were as wanted, and no rank stays"
