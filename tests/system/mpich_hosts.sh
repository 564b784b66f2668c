#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Conduit mpi with MPICH, alone and with shared memory inside nodes, over hosts that share nothing but folders and a
# network: jobs that compute, ranks that are killed, a network that is cut, a host that goes away. MPICH 4.0.2 of Debian
# waits in MPI_Finalize for ever in most runs over several hosts, without upwash too: a job whose ranks have
# said all that they had to say may end, or is ended.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
source "$(dirname "${BASH_SOURCE[0]}")/lib/hosts.sh"
source "$(dirname "${BASH_SOURCE[0]}")/lib/host_jobs.sh"
[[ -e $UPWASH_TEST_BUILD/lib/upwash/libupwash_mpich.so ]] && command -v mpiexec.mpich >/dev/null ||
  { echo "mpich_hosts: skipped: upwash was built without MPICH (libmpich-dev), or there is no mpiexec.mpich"; exit 77; }
make_hosts 3
endless=("$UPWASH_TEST_BIN/endless")
printf '#!/bin/sh\nexec %s "$@"\n' "$rsh_network" >"$work/rsh"  # Hydra takes one word
chmod +x "$work/rsh"
export UPWASH_CONFIG= UPWASH_MPI_LIBRARY=mpich UPWASH_HOST_TIMEOUT=4s
export HYDRA_LAUNCHER=rsh HYDRA_LAUNCHER_EXEC=$work/rsh HYDRA_IFACE=eth0

# says_all LINES: soon the job that begin_it began has said so many; then it ends, or is ended
says_all() {
  for _ in $(seq 3000); do
    [[ $(wc -l <"$work/out") == "$1" ]] && break
    kill -0 "$job" 2>/dev/null || break
    sleep 0.02
  done
  for _ in $(seq 100); do
    kill -0 "$job" 2>/dev/null || break
    sleep 0.02
  done
  if kill -0 "$job" 2>/dev/null; then
    on_host a pkill -INT -f "$upwash run"
    finish
    [[ $status == 130 ]] || fail "$case_now: status $status of a job that was ended"
  else
    finish
    [[ $status == 0 ]] || fail "$case_now: status $status"
  fi
  nothing_runs
}

for conduit in mpi shm+mpi; do
  for layout in "2 a,b" "4 a:2,b:2" "5 a:2,b:1,c:2"; do
    case_now="$conduit, $layout: a sum"
    ranks=${layout%% *}
    before=$(bytes_between b)
    on_host a timeout 100 "$upwash" run -n "$ranks" --hosts "${layout#* }" --conduit "$conduit" \
      "$UPWASH_TEST_BIN/attached" >"$work/out" 2>"$work/err" &
    job=$!
    says_all "$ranks"
    for ((rank = 0; rank < ranks; ++rank)); do
      echo "rank $rank of $ranks: sum $((ranks * (ranks - 1) / 2))"
    done >"$work/expected"
    diff <(sort "$work/out") "$work/expected" >&2 || fail "$case_now: other output"
    (($(bytes_between b) - before > 1000)) || fail "$case_now: nothing went over the network"
  done
done

case_now="a remote shell that is named"
on_host a env -u HYDRA_LAUNCHER -u HYDRA_LAUNCHER_EXEC "$upwash" run -n 2 --hosts a,b --rsh "$work/rsh" --conduit mpi \
  "$UPWASH_TEST_BIN/attached" >"$work/out" 2>"$work/err" &
job=$!
says_all 2
[[ $(grep -c '^rank [01] of 2: sum 1$' "$work/out") == 2 ]] || fail "$case_now"
status=0
on_host a env -u HYDRA_LAUNCHER_EXEC "$upwash" run -n 2 --hosts a,b --rsh "$rsh_network" --conduit mpi true >"$work/out" 2>"$work/err" || status=$?
[[ $status == 2 && $(cat "$work/err") == "upwash: --rsh '$rsh_network': mpiexec.mpich takes a remote shell of one word; "* ]] ||
  fail "$case_now: several words: status $status"

# Hydra goes on for ever where a rank has ended, and another one has never begun.
case_now="a host whose program does not begin"
printf '#!/bin/sh\n[ "$(cat /proc/sys/kernel/hostname)" = b ] && exec sleep 1000\nexec %s\n' "$UPWASH_TEST_BIN/attached" \
  >"$work/late"
chmod +x "$work/late"
status=0
on_host a timeout 60 "$upwash" run -n 3 --hosts a:2,b:1 --knob start_timeout=2s --conduit mpi "$work/late" \
  >"$work/out" 2>"$work/err" || status=$?
[[ $status == 1 && $(grep -c '^upwash: ' "$work/err") == 1 ]] || fail "$case_now: status $status"
grep -q '^upwash: the knob start_timeout has passed while rank 0 of 3 of MPI was in MPI_Init: .*; job ended$' "$work/err" ||
  fail "$case_now: the line"
on_host b pkill sleep
nothing_runs

for conduit in mpi shm+mpi; do
  case_now="$conduit: a killed rank"
  begin 5 --hosts a:2,b:2,c:1 --conduit "$conduit"
  on_host b pkill -9 -o endless
  # Hydra may be the first to end the others: then it says what it knows, or another host does.
  fails_soon '(ranks? [2-3].* died|a process was killed by signal 9 \(Killed\)|host b, ranks 2 to 3, is lost: .*); job ended'
  nothing_runs
done
for conduit in mpi shm+mpi; do
  case_now="$conduit: a cut network"
  begin 5 --hosts a:2,b:2,c:1 --conduit "$conduit"
  cut_network c
  fails_soon 'host c, rank 4, is lost: nothing has come from it for 4 s \(host_timeout, UPWASH_HOST_TIMEOUT\); job ended'
  nothing_runs a b
  join_network c
  on_host c pkill -9 endless
done
case_now="a host that goes away"
begin 5 --hosts a:2,b:2,c:1 --conduit shm+mpi
kill_host c
unset "host_pid[c]"
fails_soon 'host c, rank 4, is lost: .*; job ended'
nothing_runs a
echo "mpich_hosts: all jobs were as wanted, and no rank stays"
