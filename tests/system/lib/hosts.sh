# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Separate hosts on one machine, for tests that source this after checks.sh. Each has its own network,
# host name, shared memory, /tmp and processes, in namespaces of Linux; a bridge in a network of its own
# joins them. Only the folders of the sources, of the build and "$work" are the same everywhere. All of it
# ends with the first process of each host, and those end with the test, however that ends.
# Needs root and iproute2.
hosts_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
hosts_mark=upwash-test-host  # in the arguments of the first processes, with the test's pid and a name
declare -A host_pid=()       # by name: the first process, as seen from here
hosts_switch=                # a process in the network of the bridge

# For `upwash run --rsh` on a host: through the network. From outside the hosts: through their namespaces.
rsh_network="$hosts_root/tests/system/lib/hosts.py rsh"
rsh_enter="$work/enter"

hosts_permitted() {
  local tool
  for tool in ip tc unshare nsenter setpriv python3; do
    command -v "$tool" >/dev/null || { echo "no command $tool"; return 1; }
  done
  unshare --net --uts --ipc --mount --pid --fork --mount-proc ip link set lo up 2>/dev/null ||
    { echo "namespaces are not permitted here"; return 1; }
}

# need_hosts: ends the test as skipped where there can be none
need_hosts() {
  local why
  why=$(hosts_permitted) && return
  echo "$(basename "$0" .sh): skipped: $why"
  exit 77
}

# What tests that were killed have left.
sweep_hosts() {
  local pid test
  for pid in $(pgrep -f "$hosts_mark" || true); do
    test=$(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | sed -n "s/.*$hosts_mark-\([0-9]*\)-.*/\1/p")
    [[ -z $test || -d /proc/$test ]] || kill -9 "$pid" 2>/dev/null || true
  done
}

# begin_host NAME: its first process, in namespaces of its own
begin_host() {
  local name=$1 outer
  # Its own /tmp hides what stands there of the folders that are the same everywhere.
  setpriv --pdeathsig KILL unshare --net --uts --ipc --mount --pid --fork --kill-child --mount-proc \
    bash -c '
      name=$1 folder=$2 mark=$3
      shift 3
      echo "$name" >/proc/sys/kernel/hostname
      mount -t tmpfs -o size=1g tmpfs /dev/shm
      for ((i = 1; i <= $#; ++i)); do
        mkdir "/dev/shm/$i"
        mount --bind "${!i}" "/dev/shm/$i"
      done
      mount -t tmpfs -o size=256m tmpfs /tmp
      for ((i = 1; i <= $#; ++i)); do
        if [[ -d ${!i} ]]; then
          umount "/dev/shm/$i"
        else
          mkdir -p "${!i}"
          mount --move "/dev/shm/$i" "${!i}"
        fi
        rmdir "/dev/shm/$i"
      done
      mount --bind "$folder/names" /etc/hosts
      ip link set lo up
      exec -a "$mark-$name" python3 "$0" serve "$mark-$name" "$folder/$name.ready"
    ' "$hosts_root/tests/system/lib/hosts.py" "$name" "$work/hosts" "$hosts_mark-$$" \
    "$hosts_root" "$UPWASH_TEST_BUILD" "$work" </dev/null >"$work/hosts/$name.log" 2>&1 &
  outer=$!
  disown "$outer"
  for _ in $(seq 500); do
    host_pid[$name]=$(pgrep -P "$outer" | head -n 1)
    [[ -n ${host_pid[$name]} && -e $work/hosts/$name.ready ]] && return
    sleep 0.02
  done
  fail "host $name did not begin: $(cat "$work/hosts/$name.log")"
}

# in_network PID COMMAND...: in the network of a process
in_network() {
  local pid=$1
  shift
  nsenter -t "$pid" -n "$@"
}

# make_hosts N: hosts a, b, ... with the addresses 10.77.0.1 and up
make_hosts() {
  local names=(a b c d e f g h) i name
  need_hosts
  sweep_hosts
  trap 'remove_hosts; rm -rf "$work"' EXIT
  mkdir -p "$work/hosts"
  {
    echo "127.0.0.1 localhost"
    for ((i = 0; i < $1; ++i)); do echo "10.77.0.$((i + 1)) ${names[i]}"; done
  } >"$work/hosts/names"
  setpriv --pdeathsig KILL unshare --net bash -c 'exec -a "$0" sleep infinity' \
    "$hosts_mark-$$-switch" </dev/null >/dev/null 2>&1 &
  hosts_switch=$!
  disown "$hosts_switch"
  for ((i = 0; i < $1; ++i)); do begin_host "${names[i]}"; done
  in_network "$hosts_switch" ip link add br0 type bridge
  in_network "$hosts_switch" ip link set br0 up
  for ((i = 0; i < $1; ++i)); do
    name=${names[i]}
    in_network "$hosts_switch" ip link add "port_$name" type veth peer name eth0 netns "${host_pid[$name]}"
    in_network "$hosts_switch" ip link set "port_$name" master br0 up
    in_network "${host_pid[$name]}" ip addr add "10.77.0.$((i + 1))/24" dev eth0
    in_network "${host_pid[$name]}" ip link set eth0 up
  done
  make_enter
}

# The remote shell from outside: a command that enters the namespaces of a host.
make_enter() {
  local name
  {
    echo '#!/bin/bash'
    echo 'case $1 in'
    for name in "${!host_pid[@]}"; do echo "$name) pid=${host_pid[$name]};;"; done
    echo '*) echo "enter: no host $1" >&2; exit 255;;'
    echo 'esac'
    echo 'shift'
    echo 'exec nsenter -t "$pid" -n -u -i -m -p sh -c "$*"'
  } >"$rsh_enter"
  chmod +x "$rsh_enter"
}

# on_host NAME COMMAND...: in this folder of the host
on_host() {
  local name=$1
  shift
  nsenter -t "${host_pid[$name]}" -n -u -i -m -p bash -c 'cd "$0" && exec "$@"' "$PWD" "$@"
}

# running_on NAME: the processes of a host but its first and those of tests themselves
running_on() {
  on_host "$1" bash -c '
    for folder in /proc/[0-9]*; do
      pid=${folder#/proc/}
      state=$(sed -n "s/^State:[[:space:]]*\(.\).*/\1/p" "$folder/status" 2>/dev/null) || continue
      [[ $pid == 1 || $pid == $$ || $state == Z || $state == X || -z $state ]] && continue
      text=$(tr "\0" " " <"$folder/cmdline" 2>/dev/null) || continue
      [[ -z $text || $(sed -n "s/^PPid:[[:space:]]*//p" "$folder/status") == $$ ]] && continue
      echo "$pid $text"
    done'
}

# nothing_runs [NAME...]: waits until no process is left on these hosts, or on all
nothing_runs() {
  local name left
  for name in ${@:-"${!host_pid[@]}"}; do
    for _ in $(seq 500); do
      left=$(running_on "$name")
      [[ -z $left ]] && break
      sleep 0.02
    done
    [[ -z $left ]] || fail "left on host $name: $left"
  done
}

# bytes_between [NAME...]: bytes that these hosts, or all, have sent to others
bytes_between() {
  local name sum=0
  for name in ${@:-"${!host_pid[@]}"}; do
    sum=$((sum + $(on_host "$name" sed -n 's/^ *eth0: *//p' /proc/net/dev | awk '{ print $9 }')))
  done
  echo "$sum"
}

# cut_network NAME: from now on nothing comes or goes, although the link is up
cut_network() { in_network "$hosts_switch" ip link set "port_$1" nomaster; }
join_network() { in_network "$hosts_switch" ip link set "port_$1" master br0; }

# kill_host NAME: all its processes at once, and its network
kill_host() { kill -9 "${host_pid[$1]}"; }

# shape NAME RATE [DELAY]: what goes to the host and comes from it, as "100mbit"; each way takes DELAY longer
shape() {
  # A bucket of hardly more than a packet: what a larger one has saved up is sent as if there were no limit, which
  # is twice the rate for two that talk in turn.
  local limit=(tbf rate "$2" burst 2kb latency 50ms) delay=${3:-}
  shape_link "${host_pid[$1]}" eth0
  shape_link "$hosts_switch" "port_$1"
}

# shape_link PID DEVICE: as `shape` says
shape_link() {
  if [[ -z $delay ]]; then
    in_network "$1" tc qdisc replace dev "$2" root "${limit[@]}"
    return
  fi
  in_network "$1" tc qdisc replace dev "$2" root handle 1: netem delay "$delay" ||
    fail "no delay of $delay: does the kernel have netem (sch_netem)?"
  in_network "$1" tc qdisc replace dev "$2" parent 1: handle 2: "${limit[@]}"
}

remove_hosts() {
  local name
  for name in "${!host_pid[@]}"; do kill -9 "${host_pid[$name]}" 2>/dev/null || true; done
  [[ -z $hosts_switch ]] || kill -9 "$hosts_switch" 2>/dev/null || true
  host_pid=()
  hosts_switch=
}
