/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   For programs that start MPI and do nothing with it but ask for rank, size and time, and meet:
   those calls by upwash, preloaded, so that `upwash run` starts such a program (Global Arrays' are,
   whose library duplicates the world's communicator besides). MPI itself does not run: whatever
   else a program calls, the MPI library refuses by its name ("called before MPI_INIT").

   Handles are pointers (Open MPI), or integers that travel in the same registers (MPICH). */
#define _GNU_SOURCE
#include <armci.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_open_mpi(void) { return dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != NULL; }

static void only_the_world(const char* name, void* communicator) {
  const void* world = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
  if (world != NULL ? communicator == world : (unsigned int)(size_t)communicator == 0x44000000U) {
    return;
  }
  fprintf(stderr,
          "upwash: rank %d: %s: a communicator that is not the world's; start it by mpirun\n",
          armci_msg_me(), name);
  exit(2);
}

int MPI_Init(int* argc, char*** argv) {
  armci_msg_init(argc, argv);
  return 0;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  *provided = required;
  return MPI_Init(argc, argv);
}

/* As it is: who asks, asks whether communicators can be made. */
int MPI_Initialized(int* flag) {
  *flag = 0;
  return 0;
}

int MPI_Finalize(void) { return 0; }

int MPI_Abort(void* communicator, int code) {
  (void)communicator;
  armci_msg_abort(code);
  return 0;
}

int MPI_Comm_rank(void* communicator, int* rank) {
  only_the_world("MPI_Comm_rank", communicator);
  *rank = armci_msg_me();
  return 0;
}

int MPI_Comm_size(void* communicator, int* size) {
  only_the_world("MPI_Comm_size", communicator);
  *size = armci_msg_nproc();
  return 0;
}

int MPI_Barrier(void* communicator) {
  only_the_world("MPI_Barrier", communicator);
  armci_msg_barrier();
  return 0;
}

/* The duplicate is the world itself: nothing is sent by either. */
int MPI_Comm_dup(void* communicator, void* duplicate) {
  only_the_world("MPI_Comm_dup", communicator);
  memcpy(duplicate, &communicator, is_open_mpi() ? sizeof communicator : sizeof(int));
  return 0;
}

int MPI_Comm_free(void* communicator) {
  (void)communicator;
  return 0;
}

double MPI_Wtime(void) { return armci_timer(); }

/* The names that Fortran's compilers make. */
void mpi_init_(int* status) { *status = MPI_Init(NULL, NULL); }
void mpi_finalize_(int* status) { *status = MPI_Finalize(); }
double mpi_wtime_(void) { return MPI_Wtime(); }
