/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Extensions of ARMCI by ARMCI-MPI: groups by color, sets of mutexes, progress. */
#ifndef UPWASH_ARMCIX_H
#define UPWASH_ARMCIX_H

#include <armci.h>

#ifdef __cplusplus
extern "C" {
#endif

int ARMCIX_Group_split(ARMCI_Group* parent, int color, int key, ARMCI_Group* group);
int ARMCIX_Group_dup(ARMCI_Group* parent, ARMCI_Group* group);

typedef struct armcix_mutex_hdl_s* armcix_mutex_hdl_t;
armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group* group);
int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t mutexes);
void ARMCIX_Lock_hdl(armcix_mutex_hdl_t mutexes, int mutex, int proc);
int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t mutexes, int mutex, int proc); /* 0: taken */
void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t mutexes, int mutex, int proc);

void ARMCIX_Progress(void);

#ifdef __cplusplus
}
#endif

#endif
