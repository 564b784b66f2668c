#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Conduit ucx, alone and with shared memory inside nodes, over hosts that share nothing but folders and
# a network: bodies of the job tests, and what the network has carried of them; ranks that are killed,
# a network that is cut, a host that goes away. One line says why, and nothing stays on any host.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
source "$(dirname "${BASH_SOURCE[0]}")/lib/hosts.sh"
[[ -e $UPWASH_TEST_BUILD/lib/upwash/libupwash_ucx.so ]] ||
  { echo "ucx_hosts: skipped: upwash was built without UCX (libucx-dev)"; exit 77; }
source "$(dirname "${BASH_SOURCE[0]}")/lib/host_jobs.sh"
make_hosts 3
endless=("$UPWASH_TEST_BIN/endless")
export UPWASH_RSH=$rsh_network UPWASH_CONFIG= UPWASH_HOST_TIMEOUT=4s

bodies=(active_message.payloads_of_any_size_arrive memory.puts_reach_every_rank
        memory.gets_fetch_from_every_rank atomics.lose_nothing
        collectives.broadcast_of_any_size_by_every_algorithm node_levels.many_at_a_time
        fence_barrier.all_that_members_began_is_there litmus.fences_are_between_puts_and_loads)
for conduit in ucx shm+ucx; do
  for layout in "3 a,b,c" "5 a:2,b:1,c:2" "7 a:4,b:3 --ranks-per-process 2"; do
    for body in "${bodies[@]}"; do
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

# Networks of hosts that no other host of the job is in: one with an address that both have, as bridges of
# containers do, and the loopback. Another host is in the job's network, and not in the job.
for name in a b; do
  in_network "${host_pid[$name]}" ip link add spare0 type veth peer name spare1
  in_network "${host_pid[$name]}" ip addr add 172.30.0.1/16 dev spare0
  in_network "${host_pid[$name]}" ip link set spare0 up
  in_network "${host_pid[$name]}" ip link set spare1 up
done

# ports NAME: where ranks on a host listen
ports() { on_host "$1" ss -ltnHp | awk '/"endless"/ { print $4 }'; }

# packet FROM PORT: a malformed packet of UCX's to host a, which ends who takes it; 0: the connection was made
packet() {
  on_host "$1" python3 - 10.77.0.1 "$2" <<'END'
import socket, struct, sys
try:
    to = socket.create_connection((sys.argv[1], int(sys.argv[2])), 2)
except OSError:
    sys.exit(1)
to.send(struct.pack("<QBI", 0xCAFEBABE12345678, 31, 0x7fffffff) + bytes(64))
END
}

for conduit in ucx shm+ucx; do
  case_now="$conduit: ports"
  begin 3 --hosts a:2,b --conduit "$conduit"
  mapfile -t listening < <(ports a)
  ((${#listening[@]} == 2)) || fail "$case_now: host a listens on ${listening[*]}"
  for each in "${listening[@]}"; do [[ $each == 10.77.0.1:* ]] || fail "$case_now: host a listens on $each"; done
  case_now="$conduit: a packet of a host that is not in the job"
  packet c "${listening[0]##*:}" && fail "$case_now: host c is connected"
  victim=$(running_on a | grep -E "^[0-9]+ ${endless[0]}" | cut -d ' ' -f 1 | head -n 1)
  [[ -n $victim ]] || fail "$case_now: the job has ended"
  on_host a kill -9 "$victim"
  finish
  ends 137 "rank [0-3] \(pid $victim on host a\) was killed by signal 9 \(Killed\); job ended"
done

case_now="prices where nobody has measured the network"
on_host a env UPWASH_LOG=info XDG_CONFIG_HOME=/tmp timeout 100 "$upwash" run -n 2 --hosts a,b --conduit shm+ucx \
  "$UPWASH_TEST_BIN/busy" 0 >"$work/out" 2>"$work/err" || fail "$case_now: status $?"
grep -q 'prices are those of ethernet: the job spans 2 nodes, and no machine is measured' "$work/err" ||
  fail "$case_now: no such line"
[[ $(grep -c 'prices are those of' "$work/err") == 1 ]] || fail "$case_now: more than one line"

for conduit in ucx shm+ucx; do
  for victim_on in a b; do
    case_now="$conduit: a rank is killed on host $victim_on"
    begin 4 --hosts a:2,b:2 --conduit "$conduit"
    victim=$(running_on "$victim_on" | grep -E "^[0-9]+ ${endless[0]}" | cut -d ' ' -f 1 | head -n 1)
    on_host "$victim_on" kill -9 "$victim"
    finish
    ends 137 "rank [0-3] \(pid $victim on host $victim_on\) was killed by signal 9 \(Killed\); job ended"
  done
  case_now="$conduit: a cut network"
  begin 4 --hosts a:2,b:2 --conduit "$conduit"
  cut_network b
  finish
  ends 1 'host b is lost: nothing has come from it for 4 s .*; job ended'
  join_network b
done
case_now="a host that goes away"
begin 4 --hosts a:2,c:2 --conduit ucx
kill_host c
unset "host_pid[c]"
finish
ends 1 'host c is lost: .*; job ended'
echo "ucx_hosts: all jobs were as wanted, and nothing stays"
