/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   ARMCI's interface on upwash, for programs and libraries that use ARMCI. docs/armci.md describes
   each part and its limits. MPI is not needed. Sizes, values and the order of members are those of
   ARMCI-MPI 0.3.1. */
#ifndef UPWASH_ARMCI_H
#define UPWASH_ARMCI_H

#ifdef __cplusplus
extern "C" {
#endif

typedef long armci_size_t;

/* Types of accumulate. */
enum ARMCI_Acc_e {
  ARMCI_ACC_INT,
  ARMCI_ACC_LNG,
  ARMCI_ACC_FLT,
  ARMCI_ACC_DBL,
  ARMCI_ACC_CPL,
  ARMCI_ACC_DCP
};

/* Operations of ARMCI_Rmw, on int and on long. */
enum ARMCI_Rmw_e { ARMCI_FETCH_AND_ADD, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP, ARMCI_SWAP_LONG };

/* One or several nonblocking operations. Initialise it with ARMCI_INIT_HANDLE. The fields belong to
   the library. */
typedef struct armci_hdl_s {
  int target;
  int aggregate;
} armci_hdl_t;

/* Segments of equal length in a vector operation. */
typedef struct {
  void** src_ptr_array;
  void** dst_ptr_array;
  int bytes;         /* of each segment */
  int ptr_array_len; /* segments */
} armci_giov_t;

/* A group of ranks. The fields belong to the library. Copies name the same group. */
typedef struct {
  void* communicator; /* MPI's, if the program uses MPI itself; otherwise none */
  unsigned long reserved;
  unsigned long id;
  unsigned long unused[2];
} ARMCI_Group;

/* Begin and end. */
int ARMCI_Init(void);
int ARMCI_Init_args(int* argc, char*** argv);
int ARMCI_Init_thread(int level);
#ifdef MPI_VERSION
int ARMCI_Init_thread_comm(int level, MPI_Comm world);
#endif
int ARMCI_Initialized(void);
int ARMCI_Finalize(void);
void ARMCI_Cleanup(void);
void ARMCI_Error(const char* message, int code);

/* Memory. */
int ARMCI_Malloc(void** addresses, armci_size_t bytes);
int ARMCI_Free(void* address);
int ARMCI_Malloc_group(void** addresses, armci_size_t bytes, ARMCI_Group* group);
int ARMCI_Free_group(void* address, ARMCI_Group* group);
int ARMCI_Malloc_memdev(void** addresses, armci_size_t bytes, const char* device);
int ARMCI_Malloc_group_memdev(void** addresses, armci_size_t bytes, ARMCI_Group* group,
                              const char* device);
int ARMCI_Free_memdev(void* address);
void* ARMCI_Malloc_local(armci_size_t bytes);
int ARMCI_Free_local(void* address);
void ARMCI_Access_begin(void* address);
void ARMCI_Access_end(void* address);
void ARMCI_Copy(void* source, void* destination, int bytes);

/* Transfers that are locally complete when they return: contiguous, strided, vector. */
int ARMCI_Put(void* source, void* destination, int bytes, int proc);
int ARMCI_Get(void* source, void* destination, int bytes, int proc);
int ARMCI_Acc(int type, void* scale, void* source, void* destination, int bytes, int proc);
int ARMCI_PutS(void* source, int source_strides[], void* destination, int destination_strides[],
               int counts[], int levels, int proc);
int ARMCI_GetS(void* source, int source_strides[], void* destination, int destination_strides[],
               int counts[], int levels, int proc);
int ARMCI_AccS(int type, void* scale, void* source, int source_strides[], void* destination,
               int destination_strides[], int counts[], int levels, int proc);
int ARMCI_PutV(armci_giov_t* list, int length, int proc);
int ARMCI_GetV(armci_giov_t* list, int length, int proc);
int ARMCI_AccV(int type, void* scale, armci_giov_t* list, int length, int proc);

/* A put followed by a flag, which becomes visible after the data. */
int ARMCI_Put_flag(void* source, void* destination, int bytes, int* flag, int value, int proc);
int ARMCI_PutS_flag(void* source, int source_strides[], void* destination,
                    int destination_strides[], int counts[], int levels, int* flag, int value,
                    int proc);

/* One value. */
int ARMCI_PutValueInt(int value, void* destination, int proc);
int ARMCI_PutValueLong(long value, void* destination, int proc);
int ARMCI_PutValueFloat(float value, void* destination, int proc);
int ARMCI_PutValueDouble(double value, void* destination, int proc);
int ARMCI_GetValueInt(void* source, int proc);
long ARMCI_GetValueLong(void* source, int proc);
float ARMCI_GetValueFloat(void* source, int proc);
double ARMCI_GetValueDouble(void* source, int proc);

/* Nonblocking: by handle, or implicit without one. */
void ARMCI_INIT_HANDLE(armci_hdl_t* handle);
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle);
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle);
int ARMCI_NbPut(void* source, void* destination, int bytes, int proc, armci_hdl_t* handle);
int ARMCI_NbGet(void* source, void* destination, int bytes, int proc, armci_hdl_t* handle);
int ARMCI_NbAcc(int type, void* scale, void* source, void* destination, int bytes, int proc,
                armci_hdl_t* handle);
int ARMCI_NbPutS(void* source, int source_strides[], void* destination, int destination_strides[],
                 int counts[], int levels, int proc, armci_hdl_t* handle);
int ARMCI_NbGetS(void* source, int source_strides[], void* destination, int destination_strides[],
                 int counts[], int levels, int proc, armci_hdl_t* handle);
int ARMCI_NbAccS(int type, void* scale, void* source, int source_strides[], void* destination,
                 int destination_strides[], int counts[], int levels, int proc,
                 armci_hdl_t* handle);
int ARMCI_NbPutV(armci_giov_t* list, int length, int proc, armci_hdl_t* handle);
int ARMCI_NbGetV(armci_giov_t* list, int length, int proc, armci_hdl_t* handle);
int ARMCI_NbAccV(int type, void* scale, armci_giov_t* list, int length, int proc,
                 armci_hdl_t* handle);
int ARMCI_NbPutValueInt(int value, void* destination, int proc, armci_hdl_t* handle);
int ARMCI_NbPutValueLong(long value, void* destination, int proc, armci_hdl_t* handle);
int ARMCI_NbPutValueFloat(float value, void* destination, int proc, armci_hdl_t* handle);
int ARMCI_NbPutValueDouble(double value, void* destination, int proc, armci_hdl_t* handle);
int ARMCI_Wait(armci_hdl_t* handle);
int ARMCI_Test(armci_hdl_t* handle); /* 0: complete */
int ARMCI_WaitProc(int proc);
int ARMCI_WaitAll(void);

/* Order. */
void ARMCI_Fence(int proc);
void ARMCI_AllFence(void);
void ARMCI_Barrier(void);
int armci_notify(int proc);
int armci_notify_wait(int proc, int* waited);

/* Words and mutexes. */
int ARMCI_Rmw(int operation, void* local, void* remote, int value, int proc);
int ARMCI_Create_mutexes(int count);
int ARMCI_Destroy_mutexes(void);
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);

/* Groups. */
void ARMCI_Group_create(int size, int* members, ARMCI_Group* group);
void ARMCI_Group_create_child(int size, int* members, ARMCI_Group* group, ARMCI_Group* parent);
void ARMCI_Group_free(ARMCI_Group* group);
int ARMCI_Group_rank(ARMCI_Group* group, int* rank);
void ARMCI_Group_size(ARMCI_Group* group, int* size);
void ARMCI_Group_set_default(ARMCI_Group* group);
void ARMCI_Group_get_default(ARMCI_Group* group);
void ARMCI_Group_get_world(ARMCI_Group* group);
int ARMCI_Absolute_id(ARMCI_Group* group, int rank);

/* The machine. */
enum armci_domain_e { ARMCI_DOMAIN_SMP };
typedef int armci_domain_t;
int armci_domain_nprocs(armci_domain_t domain, int id);
int armci_domain_id(armci_domain_t domain, int proc);
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int member);
int armci_domain_my_id(armci_domain_t domain);
int armci_domain_count(armci_domain_t domain);
int armci_domain_same_id(armci_domain_t domain, int proc);
int ARMCI_Same_node(int proc);
int ARMCI_Uses_shm(void);
int ARMCI_Uses_shm_grp(ARMCI_Group* group);
void ARMCI_Set_shm_limit(unsigned long bytes);

/* Strided memory to and from a buffer of the same rank. */
void armci_write_strided(void* memory, int levels, int strides[], int counts[], char* buffer);
void armci_read_strided(void* memory, int levels, int strides[], int counts[], char* buffer);

#ifdef __cplusplus
}
#endif

#include <message.h>
#include <parmci.h>

#endif
