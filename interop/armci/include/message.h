/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   ARMCI's messages and global operations. All of them also work before ARMCI_Init: the first call
   joins the job and thereby waits for all ranks. */
#ifndef UPWASH_ARMCI_MESSAGE_H
#define UPWASH_ARMCI_MESSAGE_H

#include <armci.h>

#ifdef __cplusplus
extern "C" {
#endif

enum armci_scope_e { SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS };
enum armci_type_e { ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT, ARMCI_DOUBLE };

void armci_msg_init(int* argc, char*** argv);
void armci_msg_finalize(void);
int armci_msg_me(void);
int armci_msg_nproc(void);
void armci_msg_abort(int code);
double armci_timer(void); /* seconds */

void armci_msg_snd(int tag, void* buffer, int bytes, int to);
void armci_msg_rcv(int tag, void* buffer, int most_bytes, int* bytes, int from);
int armci_msg_rcvany(int tag, void* buffer, int most_bytes, int* bytes); /* returns the sender */

void armci_msg_barrier(void);
void armci_msg_group_barrier(ARMCI_Group* group);
void armci_msg_bintree(int scope, int* root, int* up, int* left, int* right);
void armci_msg_bcast(void* buffer, int bytes, int root);
void armci_msg_brdcst(void* buffer, int bytes, int root);
void armci_msg_bcast_scope(int scope, void* buffer, int bytes, int root);
void armci_msg_group_bcast_scope(int scope, void* buffer, int bytes, int root, ARMCI_Group* group);
void armci_exchange_address(void* addresses[], int n);
void armci_exchange_address_grp(void* addresses[], int n, ARMCI_Group* group);

/* Element by element: "+", "*", "min", "max", "absmin", "absmax", "or". */
void armci_msg_gop_scope(int scope, void* x, int n, char* operation, int type);
void armci_msg_igop(int* x, int n, char* operation);
void armci_msg_lgop(long* x, int n, char* operation);
void armci_msg_llgop(long long* x, int n, char* operation);
void armci_msg_fgop(float* x, int n, char* operation);
void armci_msg_dgop(double* x, int n, char* operation);
void armci_msg_group_gop_scope(int scope, void* x, int n, char* operation, int type,
                               ARMCI_Group* group);
void armci_msg_group_igop(int* x, int n, char* operation, ARMCI_Group* group);
void armci_msg_group_lgop(long* x, int n, char* operation, ARMCI_Group* group);
void armci_msg_group_llgop(long long* x, int n, char* operation, ARMCI_Group* group);
void armci_msg_group_fgop(float* x, int n, char* operation, ARMCI_Group* group);
void armci_msg_group_dgop(double* x, int n, char* operation, ARMCI_Group* group);
void armci_msg_reduce(void* x, int n, char* operation, int type);
void armci_msg_reduce_scope(int scope, void* x, int n, char* operation, int type);

/* Selects the n bytes of the rank with the least or the largest first element. */
void armci_msg_sel(void* x, int n, char* operation, int type, int contribute);
void armci_msg_sel_scope(int scope, void* x, int n, char* operation, int type, int contribute);

/* Within a domain (armci_domain_*). */
void armci_msg_clus_brdcst(void* buffer, int bytes);
void armci_msg_clus_igop(int* x, int n, char* operation);
void armci_msg_clus_lgop(long* x, int n, char* operation);
void armci_msg_clus_llgop(long long* x, int n, char* operation);
void armci_msg_clus_fgop(float* x, int n, char* operation);
void armci_msg_clus_dgop(double* x, int n, char* operation);
void armci_grp_clus_brdcst(void* buffer, int bytes, int first, int n, ARMCI_Group* group);

#ifdef __cplusplus
}
#endif

#endif
