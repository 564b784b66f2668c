#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs on conduit ucx that go wrong, over shared memory and over TCP: ranks that are killed, also while
# they start, stopped, that throw or abort; a plugin that is missing or of another version. One line names
# the rank or what to do, and neither processes nor shared memory stay.
# UPWASH_TEST_KILLS: how many ranks are killed.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
plugin=$UPWASH_TEST_BUILD/lib/upwash/libupwash_ucx.so
[[ -e $plugin ]] || { echo "ucx: skipped: upwash was built without UCX (libucx-dev)"; exit 77; }
bin=$UPWASH_TEST_BIN
cd "$work" || exit 1
export UPWASH_CONFIG=
evidence=("$work/err")
kills=$((${UPWASH_TEST_KILLS:-40} / 8))
looks=3000  # of 20 ms: only a hang needs them

# Shared memory of UCX that no process has any more: files, folders of jobs, and segments that nobody is
# attached to.
left_behind() {
  find /dev/shm -name 'ucx_shm_posix_*' 2>/dev/null
  find /dev/shm -maxdepth 1 -type d -name "upwash-$(id -u)-run-*" 2>/dev/null
  awk 'NR > 1 && $7 == 0 { print "segment " $2 }' /proc/sysvipc/shm
}
before=$(left_behind | sort)

# nothing_stays: what other programs on this machine have for a moment goes away again
nothing_stays() {
  local left
  for _ in $(seq 50); do
    left=$(comm -13 <(echo "$before") <(left_behind | sort))
    [[ -z $left ]] && return
    sleep 0.02
  done
  fail "$case_now: shared memory stays: $left"
}

# alive PID...: those that still run (zombies do not)
alive() {
  for pid in "$@"; do
    grep -qE '^State:[[:space:]]+[^ZX[:space:]]' "/proc/$pid/status" 2>/dev/null && echo "$pid"
  done
}

# begin N OPTION...: starts a job of collectives without end; sets job and ranks when all talk
begin() {
  local count=$1
  shift
  : >out  # here: the job's shell empties it later
  "$upwash" run -n "$count" --conduit "$conduit" "$@" "$bin/endless" >out 2>err &
  job=$!
  for _ in $(seq "$looks"); do
    [[ $(grep -c '^talking' out) == "$count" ]] && break
    sleep 0.02
  done
  [[ $(grep -c '^talking' out) == "$count" ]] || fail "$case_now: $count ranks did not start"
  mapfile -t ranks < <(pgrep -P "$job")
}

# ends STATUSES PATTERN: the job ends with one of them (137|134), one line like PATTERN, and nothing stays
ends() {
  local status=0
  for _ in $(seq "$looks"); do
    [[ -z $(alive "$job") ]] && break
    sleep 0.02
  done
  [[ -z $(alive "$job") ]] || fail "$case_now: the job does not end"
  wait "$job" || status=$?
  [[ "|$1|" == *"|$status|"* ]] || fail "$case_now: status $status, expected $1"
  [[ $(grep '^upwash: ' err | grep -vc ' is stopped by signal ') == 1 ]] || fail "$case_now: expected one line"
  grep -qE "^upwash: $2\$" err || fail "$case_now: expected a line like '$2'"
  [[ -z $(alive "${ranks[@]}") ]] || fail "$case_now: still there: $(alive "${ranks[@]}")"
  nothing_stays
}

killed='ranks? [0-9]+( and [0-9]+)? \(pid PID\) (was|were) killed by signal 9 \(Killed\); job ended'

# goes_wrong: all of it on $conduit, over the transports that UCX_TLS names
goes_wrong() {
  local over="$conduit over ${UCX_TLS:-shared memory}" victim
  for i in $(seq "$kills"); do
    case_now="$over: a killed rank"
    if ((i % 3 == 0)); then begin 5 --ranks-per-process 2; else begin $((2 + i % 3)); fi
    sleep "0.0$((RANDOM % 100))"
    victim=${ranks[RANDOM % ${#ranks[@]}]}
    kill -9 "$victim"
    ends 137 "${killed/PID/$victim}"
  done
  for _ in $(seq "$kills"); do
    case_now="$over: a rank that is killed while it starts"
    "$upwash" run -n 3 --conduit "$conduit" "$bin/endless" >out 2>err &
    job=$!
    ranks=()
    while [[ ${#ranks[@]} == 0 ]]; do mapfile -t ranks < <(pgrep -P "$job"); done
    sleep "0.0$((RANDOM % 10))"
    kill -9 "${ranks[0]}"
    # Over TCP UCX may end those that were about to connect to it (docs/decisions/0026).
    if [[ ${UCX_TLS:-} == tcp* ]]; then
      ends '137|134' "(${killed/PID/${ranks[0]}}|.* killed by signal 6 .*)"
    else
      ends 137 "${killed/PID/${ranks[0]}}"
    fi
  done
  case_now="$over: a stopped rank"
  begin 3
  kill -STOP "${ranks[1]}"
  for _ in $(seq "$looks"); do grep -q stopped err && break; sleep 0.02; done
  grep -qE "^upwash: rank [0-2] \(pid ${ranks[1]}\) is stopped by signal" err || fail "$case_now"
  kill -9 "${ranks[1]}"
  ends 137 "${killed/PID/${ranks[1]}}"
  ranks=()
  for how in body handler sending; do
    case_now="$over: a rank that throws ($how)"
    "$upwash" run -n 3 --conduit "$conduit" "$bin/throwing" "$how" >out 2>err &
    job=$!
    ends 1 'rank 2: .*threw: out of luck(; handlers must not throw)?; job ended'
  done
  case_now="$over: a rank that leaves its job"
  "$upwash" run -n 3 --conduit "$conduit" "$bin/deserting" quietly >out 2>err &
  job=$!
  ends 1 'rank 2: .*'
  for how in test wait get send; do
    case_now="$over: a dead rank that is waited for by '$how'"
    "$upwash" run -n 3 --conduit "$conduit" "$bin/orphan" "$how" >out 2>err &
    job=$!
    ends 137 "${killed/PID/[0-9]+}"
  done
}

for conduit in ucx shm+ucx; do
  for transports in all tcp,self; do
    case_now="$conduit over $transports: memory of a rank that computes, with a progress thread"
    rm -f served
    UCX_TLS=$transports UPWASH_PROGRESS_THREAD=1 UPWASH_FAKE_NODES=$([[ $conduit == ucx ]] && echo 0 || echo 2) \
      timeout 100 "$upwash" run -n 3 --conduit "$conduit" "$bin/busy" 60 "$work/served" >out 2>err ||
      fail "$case_now: status $?"
    [[ $(cat out) == $'computing\nserved' ]] || fail "$case_now: $(cat out)"
  done
done
for conduit in ucx shm+ucx; do
  [[ $conduit == ucx ]] || export UPWASH_FAKE_NODES=2
  unset UCX_TLS
  goes_wrong
  export UCX_TLS=tcp,self
  goes_wrong
done
unset UCX_TLS UPWASH_FAKE_NODES

# Whether the memory of the node's ranks is mapped, and what is said when it cannot be any more.
case_now="mapped memory"
UPWASH_LOG=info "$upwash" run -n 3 --conduit ucx "$bin/attached" >out 2>err || fail "$case_now"
[[ $(grep -c 'memory of peers reached by the engine, in the node mapped$' err) == 3 ]] || fail "$case_now"
UCX_TLS=tcp,self UPWASH_LOG=info "$upwash" run -n 3 --conduit ucx "$bin/attached" >out 2>err || fail "$case_now"
[[ $(grep -c 'memory of peers reached by the engine$' err) == 3 ]] || fail "$case_now: over TCP"
case_now="no room for UCX's queues"
if unshare --mount true 2>/dev/null; then
  status=0
  unshare --mount sh -c 'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$@"' - \
    "$upwash" run -n 2 --conduit ucx --timeout 60s "$bin/endless" >out 2>err || status=$?
  [[ $status == 2 && $(grep -c '^upwash: ' err) == 1 ]] || fail "$case_now: status $status"
  grep -qE '^upwash: conduit ucx: UCX [0-9.]+ does not start: a worker: .*/dev/shm' err || fail "$case_now"
else
  echo "ucx: passed over: $case_now: namespaces are not permitted here"
fi

# refused PATTERN: what a job on conduit ucx says, with status 2
refused() {
  local status=0
  "$upwash" run -n 2 --conduit ucx "$bin/endless" >out 2>err || status=$?
  [[ $status == 2 && $(wc -l <err) == 1 ]] || fail "expected '$1': status $status"
  grep -qE "^upwash: conduit ucx: $1\$" err || fail "expected '$1'"
}
UPWASH_UCX_PLUGIN=/no/such.so refused "there is no file /no/such.so; install libucx0 .*, or set UPWASH_UCX_PLUGIN to the plugin's path"
UPWASH_UCX_PLUGIN=/dev/null refused "cannot load /dev/null \\(.*\\); install libucx0 .*"
old=$UPWASH_TEST_BUILD/lib/test_plugins/libwire_plugin_old.so
[[ ! -e $old ]] ||
  UPWASH_UCX_PLUGIN=$old refused "$old belongs to another version of upwash \\(plugins [0-9]+, here [0-9]+\\)"
case_now="no transport between ranks"
for conduit in ucx shm+ucx; do
  status=0
  UCX_TLS=self UPWASH_FAKE_NODES=2 "$upwash" run -n 2 --conduit "$conduit" "$bin/endless" >out 2>err || status=$?
  [[ $status == 1 && $(grep -c '^upwash: ' err) == 1 ]] || fail "$case_now: status $status"
  grep -qE '^upwash: rank [01]: ucx: no way to rank [01]: UCX has no transport that both have; .*; job ended$' err ||
    fail "$case_now: $conduit"
done
UCX_TLS=no_such refused 'UCX [0-9.]+ does not start: no transport that can be used: .* \(UCX_TLS=no_such\)'
echo "ucx: all ends were as wanted, and nothing stays"
