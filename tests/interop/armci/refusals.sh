#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Bad input: the code of each call, and its line word for word (an address is written as ADDRESS).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../system/lib/checks.sh"
evidence=("$work")
# One rank a process; then again as virtual ranks, each with the program's globals.
read -ra virtual <<<"${UPWASH_TEST_VIRTUAL:-}"

# runs STATUS ARGUMENT...: the program's lines, in order, are in `out` and `err`.
runs() {
  local expected=$1 status=0
  shift
  timeout 120 "$upwash" run -n 3 "${virtual[@]}" --timeout 60s "$UPWASH_TEST_BIN/armci_refusals" "$@" \
    >"$work/out" 2>"$work/err" || status=$?
  [[ $status == "$expected" ]] || fail "$1: status $status"
  sed -i -E 's/0x[0-9a-f]+/ADDRESS/g' "$work/err"
}

# refuses_alone CASE CODE LINE: at rank 1, and the job goes on.
refuses_alone() {
  runs 0 "$1"
  [[ $(cat "$work/out") == "code $2" ]] || fail "$1: another code"
  [[ $(cat "$work/err") == "upwash: rank 1: $3" ]] || fail "$1: another line"
}

# refuses_together CASE CODE LINE: at all ranks.
refuses_together() {
  local rank
  runs 0 "$1"
  [[ $(cat "$work/out") == "code $2" ]] || fail "$1: another code"
  [[ $(wc -l <"$work/err") == 3 ]] || fail "$1: not three lines"
  for rank in 0 1 2; do
    grep -Fqx "upwash: rank $rank: $3" "$work/err" || fail "$1: rank $rank has another line"
  done
}

# ends_job CASE STATUS LINE: it has no code.
ends_job() {
  runs "$2" "$1" ends
  [[ $(cat "$work/err") == "upwash: rank 1: $3; job ended" ]] || fail "$1: another line"
}

foreign="address ADDRESS is in no memory that rank 0 has from ARMCI_Malloc; give one into the addresses that it returned"
start="gives an address that is not the start of memory that this group has from ARMCI_Malloc, or that was freed"
under_way="rank 1 has operations on it that it has not waited for; wait, or fence, before"

refuses_alone put_null -1 "ARMCI_Put: the destination is a null pointer"
refuses_alone put_from_null -1 "ARMCI_Put: the source is a null pointer"
refuses_alone put_foreign -1 "ARMCI_Put: $foreign"
refuses_alone get_foreign -1 "ARMCI_Get: $foreign"
refuses_alone put_rank -5 "ARMCI_Put: rank 3; the job has ranks 0 to 2"
refuses_alone get_rank -5 "ARMCI_Get: rank -1; the job has ranks 0 to 2"
refuses_alone put_negative -3 "ARMCI_Put: -8 bytes; give 0 or more"
refuses_alone put_beyond -3 "ARMCI_Put: 16 bytes at offset 504 of rank 0 leave the region of 512 bytes"
refuses_alone nbput_beyond -3 "ARMCI_NbPut: 513 bytes at offset 0 of rank 0 leave the region of 512 bytes"
refuses_alone acc_type -7 "ARMCI_Acc: no type 6 of accumulate"
refuses_alone acc_scale -1 "ARMCI_Acc: the scale is a null pointer"
refuses_alone acc_part -3 "ARMCI_Acc: 12 bytes are no whole number of elements of 8 bytes"
refuses_alone acc_aligned -3 "ARMCI_Acc: accumulate to rank 0: from offset 4 on, a layout whose runs are not elements of double; give runs of multiples of 8 bytes, at places that are multiples of 8"
refuses_alone puts_levels -4 "ARMCI_PutS: 9 levels of strides; give 0 to 8"
refuses_alone puts_below -4 "ARMCI_PutS: -1 levels of strides; give 0 to 8"
refuses_alone puts_count -3 "ARMCI_PutS: the layout is strided, with -4 at strides of 16 (local) and 16 (remote) in level 0; give counts and strides of 0 or more"
refuses_alone puts_stride -3 "ARMCI_PutS: the layout is strided, with 2 at strides of -64 (local) and 64 (remote) in level 1; give counts and strides of 0 or more"
refuses_alone puts_huge -3 "ARMCI_PutS: the layout is strided, with more bytes from its first to its last than can be addressed (2^62); give smaller counts or strides"
refuses_alone puts_beyond -3 "ARMCI_PutS: put to rank 0: a layout that reaches over 556 bytes from offset 0 on leaves the 512 bytes that are there"
refuses_alone gets_arrays -2 "ARMCI_GetS: an array of strides is a null pointer"
refuses_alone puts_counts -2 "ARMCI_PutS: the array of counts is a null pointer"
refuses_alone putv_foreign -1 "ARMCI_PutV: $foreign"
refuses_alone putv_negative -3 "ARMCI_PutV: descriptor 0 has 2 segments of -1 bytes; give 0 or more"
refuses_alone putv_arrays -2 "ARMCI_PutV: descriptor 0 has 2 segments and no array of pointers"
refuses_alone putv_list -2 "ARMCI_PutV: no list of descriptors"
refuses_alone putv_length -3 "ARMCI_PutV: -1 descriptors; give 0 or more"
refuses_alone accv_part -3 "ARMCI_AccV: 4 bytes are no whole number of elements of 8 bytes"
refuses_alone flag_foreign -1 "ARMCI_Put_flag: $foreign"
refuses_alone value_foreign -1 "ARMCI_PutValueInt: $foreign"
refuses_alone wait_null -1 "ARMCI_Wait: the handle is a null pointer"
refuses_alone waitproc_rank -5 "ARMCI_WaitProc: rank 77; the job has ranks 0 to 2"
refuses_alone rmw_operation -7 "ARMCI_Rmw: no operation 4"
refuses_alone rmw_foreign -1 "ARMCI_Rmw: $foreign"
refuses_alone rmw_aligned -1 "ARMCI_Rmw: address ADDRESS is not aligned to 8 bytes"
refuses_alone notify_rank -5 "armci_notify: rank 99; the job has ranks 0 to 2"
refuses_alone free_local -1 "ARMCI_Free_local: address ADDRESS is not from ARMCI_Malloc_local, or was freed"
refuses_alone free_local_twice -1 "ARMCI_Free_local: address ADDRESS is not from ARMCI_Malloc_local, or was freed"
refuses_alone malloc_local -3 "ARMCI_Malloc_local: -1 bytes; give 0 or more"
refuses_alone after -6 "ARMCI_Put: called outside ARMCI_Init and ARMCI_Finalize"

refuses_together malloc_negative -3 "ARMCI_Malloc: rank 1 wants a negative number of bytes; give 0 or more"
refuses_together malloc_null -1 "ARMCI_Malloc: rank 1 gives no array for the addresses"
refuses_together free_foreign -1 "ARMCI_Free: rank 1 $start"
refuses_together free_inside -1 "ARMCI_Free: rank 2 $start"
refuses_together free_other -6 "ARMCI_Free: a rank frees other memory than another member"
refuses_together free_twice -1 "ARMCI_Free: rank 2 $start"
refuses_together free_under_way -6 "ARMCI_Free: $under_way"
refuses_together free_implicit -6 "ARMCI_Free: $under_way"
refuses_together free_aggregate -6 "ARMCI_Free: $under_way"
refuses_together free_empty -6 "ARMCI_Free: $under_way"
refuses_together free_group -6 "ARMCI_Free: memory of a group; ARMCI_Free_group frees it"
refuses_together group_handle -6 "ARMCI_Malloc_group: no group, or one that was freed; ARMCI_Group_create makes one"
refuses_together absolute_id -5 "ARMCI_Absolute_id: rank 3; the group has ranks 0 to 2"
refuses_together mutexes_negative -3 "ARMCI_Create_mutexes: rank 1 wants -1 mutexes; give 0 or more"
refuses_together mutexes_twice -6 "ARMCI_Create_mutexes: there are mutexes already: ARMCI_Destroy_mutexes before"
refuses_together mutexes_none -6 "ARMCI_Destroy_mutexes: there are no mutexes: ARMCI_Create_mutexes first"
refuses_together mutexes_held -6 "ARMCI_Destroy_mutexes: rank 1 holds a mutex; unlock it before"
refuses_together threads -7 "ARMCI_Init_thread: MPI_THREAD_MULTIPLE: one thread at a time drives a rank; ask for MPI_THREAD_SERIALIZED or less"

# Memory that is not there: all fail, and name the rank that lacks it.
runs 0 malloc_much
[[ $(cat "$work/out") == "code -6" ]] || fail "malloc_much: another code"
[[ $(grep -c "ARMCI_Malloc: allocate at rank 1: no memory for a segment: " "$work/err") == 2 ]] ||
  fail "malloc_much: the lines of the others"
grep -q "^upwash: rank 1: ARMCI_Malloc: allocate: no memory for a segment: " "$work/err" ||
  fail "malloc_much: the line of the one"
# Before there is a job a rank has no number.
runs 0 before
[[ $(cat "$work/out") == "code -6" ]] || fail "before: another code"
[[ $(sort -u "$work/err") == "upwash: ARMCI_Put: called outside ARMCI_Init and ARMCI_Finalize" ]] ||
  fail "before: another line"

ends_job unlock 2 "ARMCI_Unlock: mutex 0 of rank 0 is not held by this rank; only its holder unlocks it"
ends_job lock_number 2 "ARMCI_Lock: mutex 2 of rank 0, which made 2, counted from 0"
ends_job lock_number_negative 2 "ARMCI_Lock: mutex -1 of rank 0, which made 2, counted from 0"
ends_job lock_rank 2 "ARMCI_Lock: rank 3; the job has ranks 0 to 2"
ends_job lock_twice 2 "ARMCI_Lock: mutex 0 of rank 0 is held by this rank already: it would wait for itself"
ends_job fence_rank 2 "ARMCI_Fence: rank -3; the job has ranks 0 to 2"
ends_job value_get 2 "ARMCI_GetValueInt: $foreign"
ends_job group_rank 2 "ARMCI_Group_create: rank 3; the group that it is made of has ranks 0 to 2"
ends_job group_twice 2 "ARMCI_Group_create: rank 0 stands twice among the members"
ends_job group_empty 2 "ARMCI_Group_create: 0 members; give 1 or more"
ends_job send_rank 2 "armci_msg_snd: rank 3; the job has ranks 0 to 2"
ends_job send_negative 2 "armci_msg_snd: -8 bytes; give 0 or more"
ends_job send_tag 2 "armci_msg_snd: tag -1; give 0 or more"
ends_job receive_short 2 "armci_msg_rcv: receive of tag 1 from member 1: the message has 16 bytes, the buffer 8; receive with at least as much room as is sent"
ends_job operation_and 2 "armci_msg_dgop: '&&' of numbers that are no integers"
ends_job operation 2 "armci_msg_dgop: no operation 'max!'; there are + * min max absmin absmax or & | && ||"
ends_job operation_or 2 "armci_msg_dgop: 'or' of numbers that are no integers"
ends_job type 2 "armci_msg_gop_scope: no type 5 of elements"
ends_job scope 2 "armci_msg_gop_scope: no scope 3"
ends_job domain 2 "armci_domain_count: no kind of domain 1; ARMCI_DOMAIN_SMP is"
ends_job access 2 "ARMCI_Access_begin: address ADDRESS is in no memory that this rank has from ARMCI_Malloc"
ends_job error 7 "ARMCI_Error: out of luck (code 7)"
ends_job abort 44 "armci_msg_abort: code 300"

# A rank that ends between ARMCI_Init and ARMCI_Finalize has left the job too early.
runs 1 no_finalize ends
early='\(pid [0-9]+\) exited with status 0 before it had finished'
((${#virtual[@]} == 0)) || early=': its program ended with status 0 before it had left the job'
grep -qE "^upwash: rank [0-2] ?$early; job ended\$" "$work/err" || fail "no_finalize: another line"
if ((${#virtual[@]} == 0)) && ! nm -D "$UPWASH_TEST_BUILD/lib/libupwash.so" | shows -E '__(asan|tsan)_'; then
  UPWASH_TEST_VIRTUAL="--ranks-per-process 3 --privatize" bash "$0"
fi
echo "refusals: ok"
