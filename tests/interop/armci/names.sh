#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The library defines every function of its headers and nothing else; each ARMCI_ function by its
# second name too, and weakly by the first; all functions that ARMCI-MPI 0.3.1 of Debian defines.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../system/lib/checks.sh"
evidence=("$work")
headers=$here/../../../interop/armci/include

nm -D --defined-only "$UPWASH_TEST_BUILD/lib/libarmci.so" | awk '{print $2, $3}' | sed 's/@.*//' |
  sort >"$work/defined"
awk '{print $2}' "$work/defined" | sort -u >"$work/names"
cat "$headers"/{armci,armcix,message,parmci}.h | grep -oE '\bP?(ARMCIX?|armci)_\w+\(|\bparmci_\w+\(' |
  tr -d '(' | sort -u >"$work/declared"
[[ $(wc -l <"$work/declared") -gt 200 ]] || fail "few names in the headers"
diff "$work/declared" "$work/names" >"$work/differences" ||
  fail "headers and library do not have the same names"

while read -r name; do
  grep -qx "T P$name" "$work/defined" || fail "P$name is not defined"
  grep -qx "W $name" "$work/defined" || fail "$name is not weak"
done < <(grep '^ARMCI_' "$work/declared")

# Of libarmci-mpi-dev 0.3.1~beta-7, without the names that only its own sources use.
for name in ARMCIX_{Create,Destroy}_mutexes_hdl ARMCIX_Group_{dup,split} \
  ARMCIX_{Lock,Trylock,Unlock}_hdl ARMCIX_Progress ARMCI_Absolute_id ARMCI_Acc{,S,V} \
  ARMCI_Access_{begin,end} ARMCI_AllFence ARMCI_Barrier ARMCI_Cleanup ARMCI_Copy \
  ARMCI_{Create,Destroy}_mutexes ARMCI_Error ARMCI_Fence ARMCI_Finalize \
  ARMCI_Free{,_group,_local,_memdev} ARMCI_Get{,S,V} ARMCI_GetValue{Double,Float,Int,Long} \
  ARMCI_Group_{create,create_child,free,get_default,get_world,rank,set_default,size} \
  ARMCI_{INIT_HANDLE,Init,Init_args,Init_thread,Init_thread_comm,Initialized,Lock} \
  ARMCI_Malloc{,_group,_group_memdev,_local,_memdev} ARMCI_Nb{Acc,Get,Put}{,S,V} \
  ARMCI_NbPutValue{Double,Float,Int,Long} ARMCI_Put{,S,V,_flag,S_flag} \
  ARMCI_PutValue{Double,Float,Int,Long} ARMCI_Rmw ARMCI_{SET,UNSET}_AGGREGATE_HANDLE \
  ARMCI_Same_node ARMCI_Set_shm_limit ARMCI_Test ARMCI_Unlock ARMCI_Uses_shm{,_grp} \
  ARMCI_Wait{,All,Proc} armci_domain_{count,glob_proc_id,id,my_id,nprocs,same_id} \
  armci_msg_{abort,barrier,bcast,bcast_scope,bintree,brdcst,dgop,fgop,gop_scope,group_barrier} \
  armci_msg_group_{bcast_scope,dgop,fgop,gop_scope,igop,lgop,llgop} \
  armci_msg_{igop,lgop,llgop,me,nproc,rcv,rcvany,reduce,reduce_scope,sel,sel_scope,snd} \
  armci_read_strided armci_timer armci_write_strided parmci_msg_{barrier,group_barrier}; do
  grep -qx "$name" "$work/names" || fail "$name is not defined"
done
echo "names: ok"
