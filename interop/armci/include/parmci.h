/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   The second names of ARMCI's functions, for tools that define one of the first names and call the
   function by its second. The first names are weak symbols. */
#ifndef UPWASH_PARMCI_H
#define UPWASH_PARMCI_H

#include <armci.h>

#ifdef __cplusplus
extern "C" {
#endif

int PARMCI_Init(void);
int PARMCI_Init_args(int* argc, char*** argv);
int PARMCI_Init_thread(int level);
#ifdef MPI_VERSION
int PARMCI_Init_thread_comm(int level, MPI_Comm world);
#endif
int PARMCI_Initialized(void);
int PARMCI_Finalize(void);
void PARMCI_Cleanup(void);
void PARMCI_Error(const char* message, int code);
int PARMCI_Malloc(void** addresses, armci_size_t bytes);
int PARMCI_Free(void* address);
int PARMCI_Malloc_group(void** addresses, armci_size_t bytes, ARMCI_Group* group);
int PARMCI_Free_group(void* address, ARMCI_Group* group);
int PARMCI_Malloc_memdev(void** addresses, armci_size_t bytes, const char* device);
int PARMCI_Malloc_group_memdev(void** addresses, armci_size_t bytes, ARMCI_Group* group,
                               const char* device);
int PARMCI_Free_memdev(void* address);
void* PARMCI_Malloc_local(armci_size_t bytes);
int PARMCI_Free_local(void* address);
void PARMCI_Access_begin(void* address);
void PARMCI_Access_end(void* address);
void PARMCI_Copy(void* source, void* destination, int bytes);
int PARMCI_Put(void* source, void* destination, int bytes, int proc);
int PARMCI_Get(void* source, void* destination, int bytes, int proc);
int PARMCI_Acc(int type, void* scale, void* source, void* destination, int bytes, int proc);
int PARMCI_PutS(void* source, int source_strides[], void* destination, int destination_strides[],
                int counts[], int levels, int proc);
int PARMCI_GetS(void* source, int source_strides[], void* destination, int destination_strides[],
                int counts[], int levels, int proc);
int PARMCI_AccS(int type, void* scale, void* source, int source_strides[], void* destination,
                int destination_strides[], int counts[], int levels, int proc);
int PARMCI_PutV(armci_giov_t* list, int length, int proc);
int PARMCI_GetV(armci_giov_t* list, int length, int proc);
int PARMCI_AccV(int type, void* scale, armci_giov_t* list, int length, int proc);
int PARMCI_Put_flag(void* source, void* destination, int bytes, int* flag, int value, int proc);
int PARMCI_PutS_flag(void* source, int source_strides[], void* destination,
                     int destination_strides[], int counts[], int levels, int* flag, int value,
                     int proc);
int PARMCI_PutValueInt(int value, void* destination, int proc);
int PARMCI_PutValueLong(long value, void* destination, int proc);
int PARMCI_PutValueFloat(float value, void* destination, int proc);
int PARMCI_PutValueDouble(double value, void* destination, int proc);
int PARMCI_GetValueInt(void* source, int proc);
long PARMCI_GetValueLong(void* source, int proc);
float PARMCI_GetValueFloat(void* source, int proc);
double PARMCI_GetValueDouble(void* source, int proc);
void PARMCI_INIT_HANDLE(armci_hdl_t* handle);
void PARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle);
void PARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle);
int PARMCI_NbPut(void* source, void* destination, int bytes, int proc, armci_hdl_t* handle);
int PARMCI_NbGet(void* source, void* destination, int bytes, int proc, armci_hdl_t* handle);
int PARMCI_NbAcc(int type, void* scale, void* source, void* destination, int bytes, int proc,
                 armci_hdl_t* handle);
int PARMCI_NbPutS(void* source, int source_strides[], void* destination, int destination_strides[],
                  int counts[], int levels, int proc, armci_hdl_t* handle);
int PARMCI_NbGetS(void* source, int source_strides[], void* destination, int destination_strides[],
                  int counts[], int levels, int proc, armci_hdl_t* handle);
int PARMCI_NbAccS(int type, void* scale, void* source, int source_strides[], void* destination,
                  int destination_strides[], int counts[], int levels, int proc,
                  armci_hdl_t* handle);
int PARMCI_NbPutV(armci_giov_t* list, int length, int proc, armci_hdl_t* handle);
int PARMCI_NbGetV(armci_giov_t* list, int length, int proc, armci_hdl_t* handle);
int PARMCI_NbAccV(int type, void* scale, armci_giov_t* list, int length, int proc,
                  armci_hdl_t* handle);
int PARMCI_NbPutValueInt(int value, void* destination, int proc, armci_hdl_t* handle);
int PARMCI_NbPutValueLong(long value, void* destination, int proc, armci_hdl_t* handle);
int PARMCI_NbPutValueFloat(float value, void* destination, int proc, armci_hdl_t* handle);
int PARMCI_NbPutValueDouble(double value, void* destination, int proc, armci_hdl_t* handle);
int PARMCI_Wait(armci_hdl_t* handle);
int PARMCI_Test(armci_hdl_t* handle);
int PARMCI_WaitProc(int proc);
int PARMCI_WaitAll(void);
void PARMCI_Fence(int proc);
void PARMCI_AllFence(void);
void PARMCI_Barrier(void);
int parmci_notify(int proc);
int parmci_notify_wait(int proc, int* waited);
int PARMCI_Rmw(int operation, void* local, void* remote, int value, int proc);
int PARMCI_Create_mutexes(int count);
int PARMCI_Destroy_mutexes(void);
void PARMCI_Lock(int mutex, int proc);
void PARMCI_Unlock(int mutex, int proc);
void PARMCI_Group_create(int size, int* members, ARMCI_Group* group);
void PARMCI_Group_create_child(int size, int* members, ARMCI_Group* group, ARMCI_Group* parent);
void PARMCI_Group_free(ARMCI_Group* group);
int PARMCI_Group_rank(ARMCI_Group* group, int* rank);
void PARMCI_Group_size(ARMCI_Group* group, int* size);
void PARMCI_Group_set_default(ARMCI_Group* group);
void PARMCI_Group_get_default(ARMCI_Group* group);
void PARMCI_Group_get_world(ARMCI_Group* group);
int PARMCI_Absolute_id(ARMCI_Group* group, int rank);
int PARMCI_Same_node(int proc);
int PARMCI_Uses_shm(void);
int PARMCI_Uses_shm_grp(ARMCI_Group* group);
void PARMCI_Set_shm_limit(unsigned long bytes);
void parmci_msg_barrier(void);
void parmci_msg_group_barrier(ARMCI_Group* group);

#ifdef __cplusplus
}
#endif

#endif
