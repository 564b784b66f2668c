#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs over hosts that share nothing but folders and a network: who meets whom, what is printed, exit
# statuses; ranks, agents and heads that are killed or stopped, hosts and networks that go away. One line
# says why, and nothing stays on any host.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
source "$(dirname "${BASH_SOURCE[0]}")/lib/hosts.sh"
source "$(dirname "${BASH_SOURCE[0]}")/lib/host_jobs.sh"
make_hosts 4
meeting=$UPWASH_TEST_BIN/meeting
endless=("$meeting" wait)
export UPWASH_RSH=$rsh_network UPWASH_CONFIG= UPWASH_HOST_TIMEOUT=4s

# run_on_a ARGUMENT...: `upwash run` on host a, to its end; what it said is in out and err, its status
# in `status`
run_on_a() {
  status=0
  on_host a timeout 100 "$upwash" run "$@" >"$work/out" 2>"$work/err" || status=$?
}

# well: the job has ended well, without a word on standard error
well() {
  [[ $status == 0 && ! -s $work/err ]] || fail "$case_now: status $status"
  nothing_runs
}

# pids_on NAME PATTERN: of the processes of host NAME, as it numbers them
pids_on() { running_on "$1" | grep -E "^[0-9]+ $2" | cut -d ' ' -f 1; }

case_now="who is where"
for hosts in a:2,b:2 a:1,b:3 b:3,a:1 a:2,b:1,c:1 d:1,c:1,b:1,a:1 a,b,c,d b:4; do
  run_on_a -n 4 --hosts "$hosts" "$meeting" exchange 40
  well
  for process in 0 1 2 3; do
    expected=$(tr ',' '\n' <<<"$hosts" | awk -F: -v p=$process '{ n += $2 == "" ? 1 : $2 } n > p { print $1; exit }')
    grep -q "^process $process on host $expected, " "$work/out" || fail "$hosts: process $process"
  done
done
case_now="names of the hosts"
run_on_a -n 3 --hosts a,c,b --prefix sh -c 'echo "$UPWASH_BOOT_PROCESS $(cat /proc/sys/kernel/hostname)"'
[[ $(sort "$work/out") == $'[0] 0 a\n[1] 1 c\n[2] 2 b' ]] || fail "$case_now"
case_now="ranks that share processes, on each host for itself"
run_on_a -n 9 --hosts a:5,b:3,c:1 --ranks-per-process 2 --prefix "$meeting" exchange 3
well
grep -q '^\[0-1\] process 0 on host a, ranks at nodes: 0@0 2@0 4@0 5@1 7@1 8@2$' "$work/out" ||
  fail "$case_now"
case_now="a file of hosts"
printf '# a comment\n a slots=2\n\nb:1 # one\nc\n' >"$work/hosts.txt"
run_on_a -n 4 --hosts "@$work/hosts.txt" "$meeting" exchange 1
well
grep -q 'ranks at nodes: 0@0 1@0 2@1 3@2$' "$work/out" || fail "$case_now"

case_now="traffic between the hosts"
before=$(bytes_between b)
run_on_a -n 4 --hosts a:2,b:2 "$meeting" exchange 200
well
(($(bytes_between b) - before > 50000)) || fail "$case_now: only $(($(bytes_between b) - before)) bytes"

case_now="what ranks print"
run_on_a -n 4 --hosts a:2,b:2 --prefix "$meeting" print 3000
well
for r in 0 1 2 3; do
  for ((i = 0; i < 3000; ++i)); do echo "[$r] $r: line $i"; done
  for ((i = 0; i < 3000; ++i)); do echo "[$r] $r: pieces $i"; done
done >"$work/expected"
sort -s -k1,1 "$work/out" | cmp -s - "$work/expected" || fail "$case_now: lines are lost, torn or moved"
rm "$work/expected"

case_now="variables that travel"
on_host a env UPWASH_TEST_OWN=seen OTHER=told NOT=told "$upwash" run -n 2 --hosts a,b --export OTHER \
  --export MORE=1 sh -c 'echo "$UPWASH_TEST_OWN $OTHER ${NOT-unset} $MORE $PWD"' >"$work/out" 2>&1
[[ $(grep -c "^seen told unset 1 $PWD\$" "$work/out") == 2 ]] || fail "$case_now"
case_now="a login shell that says something"
printf '#!/bin/bash\necho "Welcome to $1"\nprintf "no line end"\necho odd >&2\nexec %s "$@"\n' \
  "$rsh_network" >"$work/chatty"
chmod +x "$work/chatty"
run_on_a -n 2 --hosts a,b --rsh "$work/chatty" "$meeting" exchange 2
[[ $status == 0 ]] || fail "$case_now: status $status"
for line in '\[host b\] Welcome to b' '\[host b\] no line end' 'process 1 on host b, .*'; do
  grep -qE "^$line\$" "$work/out" || fail "$case_now: no line $line"
done
grep -q '^\[host a\] odd$' "$work/err" || fail "$case_now: no line of standard error"

case_now="exit statuses"
run_on_a -n 4 --hosts a:2,b:2 "$meeting" abort
ends 3 'rank 1: out of luck; job ended'
run_on_a -n 4 --hosts b:1,a:3 "$meeting" abort
ends 3 'rank 1: out of luck; job ended'
run_on_a -n 4 --hosts a:1,b:3 "$meeting" leave
ends 7 'rank 1 \(pid [0-9]+ on host b\) exited with status 7; job ended'
run_on_a -n 4 --hosts a:1,b:3 "$meeting" early
ends 1 'rank 1 \(pid [0-9]+ on host b\) exited with status 0 before it had finished; job ended'
run_on_a -n 4 --hosts a:1,b:3 "$meeting" desert
ends 1 'rank 1: must leave; job ended'
grep -q '^something more to tell$' "$work/out" || fail "$case_now: a deserter has not told more"
run_on_a -n 4 --hosts a:1,b:3 "$meeting" status 5
[[ $status == 5 && ! -s $work/err ]] || fail "$case_now: $status after a good end"
run_on_a -n 2 --hosts a,b --timeout 500ms "$meeting" wait
ends 124 'the time-out of 0.5 s has passed; job ended'
run_on_a -n 3 --hosts a:1,b:2 sh -c 'test $UPWASH_BOOT_PROCESS != 0 || exit 0; exec "$0" exchange 1' "$meeting"
ends 1 'rank 0 \(pid [0-9]+ on host a\) exited with status 0 before it had joined the job; job ended'
run_on_a -n 3 --hosts a:1,b:2 true
[[ $status == 0 ]] || fail "$case_now: programs that are none of upwash: status $status"
grep -q "^upwash: none of the 3 processes has joined the job: 'true' calls" "$work/err" || fail "$case_now"

case_now="bad input"
on_host a ln -s "$meeting" /tmp/only_here
run_on_a -n 3 --hosts a:1,b:2 /tmp/only_here exchange 1
ends 2 "cannot start '/tmp/only_here' on host b: No such file or directory"
on_host a mkdir /tmp/folder
status=0
on_host a bash -c 'cd /tmp/folder && exec "$@"' - "$upwash" run -n 2 --hosts a,b true 2>"$work/err" || status=$?
ends 2 'host b: no folder /tmp/folder to run in: No such file or directory; job ended'
run_on_a -n 2 --hosts a,e true
ends 2 "cannot start on host e: '.*' exited with status 1: rsh: cannot reach e: .*"
run_on_a -n 2 --hosts a,b --rsh /no/such/rsh true
ends 2 "cannot start '/no/such/rsh' for host a: No such file or directory \(--rsh, UPWASH_RSH\)"
run_on_a -n 2 --hosts a,b --remote-upwash /no/such/upwash true
ends 2 "cannot start on host [ab]: '.*/no/such/upwash agent' exited with status 127: .*not found"
printf '#!/bin/sh\necho upwash agent 0.0.1 1\nexec cat >/dev/null\n' >"$work/old"
chmod +x "$work/old"
run_on_a -n 2 --hosts a,b --remote-upwash "$work/old" true
ends 2 "host [ab] has another upwash: it says 'upwash agent 0.0.1 1', this one '.*' \(--remote-upwash .*\)"
printf '#!/bin/sh\nexec cat >/dev/null\n' >"$work/silent"
chmod +x "$work/silent"
run_on_a -n 2 --hosts a,b --remote-upwash "$work/silent" --knob start_timeout=1s true
ends 2 "host [ab] has not answered for 1 s \(start_timeout, UPWASH_START_TIMEOUT\) to '.*'"
printf '#!/bin/sh\nsed -n 1q "$0"; "%s" agent </dev/null | sed -n 2p; head -c 100000 /dev/urandom\n' "$upwash" \
  >"$work/noisy"
chmod +x "$work/noisy"
run_on_a -n 2 --hosts a,b --remote-upwash "$work/noisy" true
ends 1 'host [ab] is lost: .*; job ended'
refused_on_a() {
  local expected=$1
  shift
  run_on_a "$@"
  [[ $status == 2 && $(grep '^upwash: ' "$work/err") == "upwash: $expected" ]] || fail "$case_now: $*"
}
refused_on_a "--hosts a:0: '0' slots: expected a number from 1 to 65536" -n 1 --hosts a:0 true
refused_on_a "--hosts a,b,a: host a is named again after others: a host's slots belong together" \
  -n 1 --hosts a,b,a true
refused_on_a '-n 5: the 2 hosts have room for 4 ranks (--hosts a:8,b:8 gives each 8 slots)' \
  -n 5 --hosts a:2,b:2 true
refused_on_a 'conduit = shm: its ranks are on one node, and this job is on 2; '"$(
  on_host a "$upwash" run -n 2 --hosts a,b --conduit shm "$UPWASH_TEST_BIN/orphan" 2>&1 | sed 's/.*on 2; //')" \
  -n 2 --hosts a,b --conduit shm "$UPWASH_TEST_BIN/orphan"

case_now="a rank that is busy elsewhere for longer than a host may be silent"
for how in sleep compute; do
  run_on_a -n 4 --hosts a:2,b:2 --knob host_timeout=1s "$meeting" "$how" 3
  well
done

case_now="a killed rank"
for victim_on in a b; do
  begin 4 --hosts a:2,b:2
  victim=$(pids_on "$victim_on" "$meeting" | head -n 1)
  on_host "$victim_on" kill -9 "$victim"
  finish
  ends 137 "rank [0-3] \(pid $victim on host $victim_on\) was killed by signal 9 \(Killed\); job ended"
done
case_now="a stopped rank"
begin 4 --hosts a:2,b:2
victim=$(pids_on b "$meeting" | head -n 1)
on_host b kill -STOP "$victim"
for _ in $(seq 500); do grep -q stopped "$work/err" && break; sleep 0.02; done
on_host b kill -9 "$victim"
finish
[[ $status == 137 ]] || fail "$case_now: status $status"
grep -qE "^upwash: rank [23] \(pid $victim on host b\) is stopped by signal .*; kill -CONT $victim on host b lets it go on\$" \
  "$work/err" || fail "$case_now"
nothing_runs

case_now="a killed agent"
begin 4 --hosts a:2,b:2
on_host b kill -9 "$(pids_on b "$upwash agent")"
finish
ends 1 "host b is lost: '.* agent' exited with status 137; job ended"
case_now="a killed remote shell"
begin 4 --hosts a:2,b:2
on_host a kill -9 "$(pids_on a "[^ ]*python3 .*hosts.py rsh b")"
finish
ends 1 "host b is lost: '.* agent' was killed by signal 9 \(Killed\); job ended"
case_now="a stopped agent, which goes on later"
begin 4 --hosts a:2,b:2 --knob host_timeout=1s
agent=$(pids_on b "$upwash agent")
on_host b kill -STOP "$agent"
finish
on_host b kill -CONT "$agent"
ends 1 'host b is lost: nothing has come from it for 1 s \(host_timeout, UPWASH_HOST_TIMEOUT\); job ended'
case_now="a killed head"
begin 4 --hosts a:2,b:2
on_host a kill -9 "$(pids_on a "$upwash run")"
finish
nothing_runs
case_now="a head that is stopped for too long"
begin 4 --hosts a:2,b:2 --knob host_timeout=1s
head=$(pids_on a "$upwash run")
on_host a kill -STOP "$head"
for _ in $(seq 1000); do [[ -z $(pids_on b "$meeting") ]] && break; sleep 0.02; done
[[ -z $(pids_on b "$meeting") ]] || fail "$case_now: the ranks go on"
pkill -CONT -P "$job"  # nsenter has stopped with it, and has it go on
finish
[[ $status == 1 ]] || fail "$case_now: status $status"
nothing_runs
case_now="a signal to the head"
for signal in INT TERM HUP; do
  begin 4 --hosts a:2,b:2
  on_host a kill -$signal "$(pids_on a "$upwash run")"
  finish
  ends $((128 + $(kill -l $signal))) 'signal [0-9]+ \(.*\); job ended'
done
case_now="a signal to an agent"
begin 4 --hosts a:2,b:2
on_host b kill -TERM "$(pids_on b "$upwash agent")"
finish
ends 143 'signal 15 \(Terminated\) on host b; job ended'
case_now="what processes leave behind"
run_on_a -n 2 --hosts a,b sh -c '(setsid sleep 1000 &) ; test $UPWASH_BOOT_PROCESS = 0 || exit 3; sleep 1000'
ends 3 'rank 1 \(pid [0-9]+ on host b\) exited with status 3; job ended'

case_now="a report of a job that hangs"
on_host a "$upwash" run -n 4 --hosts a:2,b:2 "$meeting" hang >"$work/out" 2>"$work/err" &
job=$!
for _ in $(seq 1000); do grep -q conclusion "$work/err" && break; sleep 0.02; done
[[ $(grep -c conclusion "$work/err") == 1 ]] || fail "$case_now: not one report"
grep -q '^upwash: rank 2 has waited in meeting for 63.0 s; the 4 ranks of the job:$' "$work/err" &&
  grep -q '^  3 .* sleeps outside the library (pid ' "$work/err" || fail "$case_now"
on_host a kill -USR1 "$(pids_on a "$upwash run")"
for _ in $(seq 1000); do [[ $(grep -c conclusion "$work/err") == 2 ]] && break; sleep 0.02; done
[[ $(grep -c conclusion "$work/err") == 2 ]] || fail "$case_now: none by SIGUSR1"
on_host a kill -INT "$(pids_on a "$upwash run")"
finish
nothing_runs

case_now="output that nobody takes for a while"
on_host a bash -c '"$@" | { sleep 3; wc -l; }' - "$upwash" run -n 2 --hosts a,b --knob host_timeout=1s \
  "$meeting" print 30000 >"$work/out" 2>"$work/err"
[[ $(tr -d ' ' <"$work/out") == 120000 ]] || fail "$case_now: $(cat "$work/out") lines"
nothing_runs

case_now="a cut network"
for cut in a b; do
  begin 4 --hosts a:2,b:2
  cut_network "$cut"
  begin_s=$SECONDS
  finish
  echo "hosts: the job ended $((SECONDS - begin_s)) s after the network of host $cut was cut"
  ends 1 'host b is lost: nothing has come from it for 4 s .*; job ended'
  join_network "$cut"
done
case_now="a cut network, the head somewhere else"
begin 4 --hosts b:2,c:2
cut_network c
finish
ends 1 'host c is lost: nothing has come from it for 4 s .*; job ended'
join_network c
case_now="a host that goes away"
begin 4 --hosts a:2,d:2
kill_host d
finish
unset "host_pid[d]"
ends 1 'host d is lost: .*; job ended'
echo "hosts: all jobs were as wanted, and nothing stays"
