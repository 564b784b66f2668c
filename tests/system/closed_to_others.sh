#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What a job on one host opens to others, as SECURITY.md promises: no port, no segment or file in memory that
# its group or others may open; and another user fails to open, attach or read what there is.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
bin=$UPWASH_TEST_BIN
cd "$work" || exit 1
export UPWASH_CONFIG=
unset UCX_TLS UCX_NET_DEVICES
evidence=("$work/err" "$work/tried")
conduits=(shm)
if [[ -e $UPWASH_TEST_BUILD/lib/upwash/libupwash_ucx.so ]]; then
  conduits+=(ucx shm+ucx)
else
  echo "closed_to_others: passed over: conduits ucx and shm+ucx: upwash was built without UCX (libucx-dev)"
fi

# begin: starts a job of two ranks on $conduit; sets job and ranks when they talk
begin() {
  : >out
  "$upwash" run -n 2 --conduit "$conduit" "$bin/endless" >out 2>err &
  job=$!
  for _ in $(seq 3000); do
    [[ $(grep -c '^talking' out) == 2 ]] && break
    sleep 0.02
  done
  [[ $(grep -c '^talking' out) == 2 ]] || fail "$case_now: 2 ranks did not start"
  mapfile -t ranks < <(pgrep -P "$job")
}

finish() {
  kill "$job"
  wait "$job" 2>/dev/null
}

# ports PID...: addresses on which these processes listen, by the sockets that they have
ports() {
  local pid inode
  for pid in "$@"; do
    for inode in $(find "/proc/$pid/fd" -printf '%l\n' 2>/dev/null | sed -n 's/^socket:\[\(.*\)\]$/\1/p'); do
      awk -v inode="$inode" '$4 == "0A" && $10 == inode { print $2 }' "/proc/$pid/net/tcp" "/proc/$pid/net/tcp6"
    done
  done
}

# open_segments PID...: SysV segments that they made with rights of the group or of others
open_segments() {
  awk -v makers=" $* " 'NR > 1 && index(makers, " " $5 " ") && substr($3, length($3) - 1) != "00" {
    print "segment " $2 " of mode " $3 }' /proc/sysvipc/shm
}

# open_files PID...: files in memory with rights of the group or of others
open_files() {
  local pid fd name
  for pid in "$@"; do
    for fd in "/proc/$pid/fd/"*; do
      name=$(readlink "$fd") || continue
      [[ $name == /memfd:* || $name == /dev/shm/* ]] || continue
      [[ $(stat -L -c %a "$fd") == *00 ]] || echo "$name of mode $(stat -L -c %a "$fd")"
    done
  done
  find /dev/shm -name "upwash-$(id -u)-*" -perm /077
}

# What another user tries: prints each thing that succeeds.
cat >try.py <<'END'
import ctypes, os, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
for row in open("/proc/sysvipc/shm").readlines()[1:]:
    fields = row.split()
    if fields[4] in sys.argv[1:] and libc.shmat(int(fields[1]), None, 0) != ctypes.c_void_p(-1).value:
        print("attached segment", fields[1])
for pid in sys.argv[1:]:
    for path in (f"/proc/{pid}/mem", f"/proc/{pid}/environ", f"/proc/{pid}/maps"):
        try:
            if open(path, "rb").read(1): print("read", path)
        except OSError: pass
    for number in range(64):
        try:
            os.close(os.open(f"/proc/{pid}/fd/{number}", os.O_RDONLY))
            print("opened", f"/proc/{pid}/fd/{number}")
        except OSError: pass
for folder, _, names in os.walk("/dev/shm"):
    for name in names:
        if name.startswith(("upwash-", "ucx_shm_posix_")):
            try:
                os.close(os.open(os.path.join(folder, name), os.O_RDONLY))
                print("opened", name)
            except OSError: pass
END

# The python of the system: another user may not reach one in a home folder.
as_other() { env PATH=/usr/bin:/bin setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
no_other=
((EUID == 0)) || no_other="only root can be another user"
[[ -n $no_other ]] || as_other python3 -c '' 2>/dev/null || no_other="no python3 in /usr/bin"

for conduit in "${conduits[@]}"; do
  for nodes in 0 2; do
    [[ $nodes == 0 || $conduit == shm+ucx ]] || continue
    case_now="$conduit, $nodes pretended nodes"
    export UPWASH_FAKE_NODES=$nodes
    begin
    listening=$(ports "$job" "${ranks[@]}")
    open=$(open_segments "$job" "${ranks[@]}"; open_files "$job" "${ranks[@]}")
    if [[ -z $no_other ]]; then
      as_other python3 - "$job" "${ranks[@]}" <try.py >tried 2>&1
    fi
    finish
    [[ -z $listening ]] || fail "$case_now: listens on $listening"
    [[ -z $open ]] || fail "$case_now: open to others: $open"
    [[ ! -s tried ]] || fail "$case_now: another user has succeeded"
    [[ ! -e /dev/shm/upwash-$(id -u)-run-$job ]] || fail "$case_now: the job's folder stays"
  done
done
unset UPWASH_FAKE_NODES
[[ -z $no_other ]] || echo "closed_to_others: passed over: another user's attempts: $no_other"

# TCP that the user asks for is on the loopback alone, and his own choice of devices stays.
if ((${#conduits[@]} > 1)); then
  conduit=ucx
  case_now="TCP on one host"
  UCX_TLS=tcp,self begin
  mapfile -t listening < <(ports "${ranks[@]}")
  finish
  [[ ${#listening[@]} == 2 ]] || fail "$case_now: listens on ${listening[*]}"
  for each in "${listening[@]}"; do [[ $each == 0100007F:* ]] || fail "$case_now: listens on $each"; done
  case_now="settings of the user"
  UCX_TLS=posix,tcp,self UCX_NET_DEVICES=lo UPWASH_LOG=info \
    timeout 100 "$upwash" run -n 2 --conduit ucx "$bin/attached" >out 2>err || fail "$case_now: status $?"
  grep -q 'UCX_TLS=posix,tcp,self, UCX_NET_DEVICES=lo,' err || fail "$case_now: not kept"
fi
echo "closed_to_others: nothing of a job on one host is open to others"
