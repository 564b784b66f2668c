# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Slurm on the hosts of hosts.sh, for tests that source this behind it: a controller on host a, and a
# node on each. Its processes end with the hosts. Needs Debian's slurmctld, slurmd, slurm-client, munge.

need_slurm() {
  local tool
  for tool in slurmctld slurmd srun munged mungekey; do
    PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null ||
      { echo "$(basename "$0" .sh): skipped: no command $tool"; exit 77; }
  done
}

# make_slurm CPUS: nodes of so many processors, which need not be there
make_slurm() {
  local folder=$work/slurm name number=0
  export SLURM_CONF=$folder/slurm.conf PATH=$PATH:/usr/sbin
  mkdir -p "$folder/state"
  mungekey --create --keyfile="$folder/key"
  {
    echo "ClusterName=test
SlurmctldHost=a(10.77.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=/tmp/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=/tmp/slurm.spool
SlurmdPidFile=/tmp/slurmd.pid
SlurmdLogFile=$folder/slurmd.%n.log
SlurmctldPidFile=/tmp/slurmctld.pid
SlurmctldLogFile=$folder/slurmctld.log
TmpFS=/tmp
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2"
    for name in $(printf '%s\n' "${!host_pid[@]}" | sort); do
      number=$((number + 1))
      echo "NodeName=$name NodeAddr=10.77.0.$number CPUs=$1 CoresPerSocket=$1"
    done
    echo "PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE OverSubscribe=FORCE:4"
  } >"$SLURM_CONF"
  for name in "${!host_pid[@]}"; do
    on_host "$name" bash -c 'mkdir -p /tmp/slurm.spool && exec munged --force --key-file="$1/key" \
      --socket=/tmp/munge.socket --pid-file=/tmp/munged.pid --seed-file=/tmp/munge.seed \
      --log-file="$1/munged.$2.log" --num-threads=1' - "$folder" "$name" ||
      fail "munged does not start on $name"
  done
  on_host a slurmctld -c || fail "slurmctld does not start: $(tail -n 3 "$folder/slurmctld.log")"
  for name in "${!host_pid[@]}"; do
    on_host "$name" slurmd -N "$name" || fail "slurmd does not start on $name"
  done
  for _ in $(seq 300); do
    [[ $(on_host a sinfo -h -t idle -o %D 2>/dev/null) == "${#host_pid[@]}" ]] && return
    sleep 0.1
  done
  fail "the nodes of Slurm are not ready: $(on_host a sinfo 2>&1)"
}
