/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   The message library of ARMCI's own test programs: MPI if mpi.h is included before, otherwise
   upwash. */
#ifndef UPWASH_ARMCI_MP3_H
#define UPWASH_ARMCI_MP3_H

#include <armci.h>

#ifdef MPI_VERSION
#define MP_INIT(ARGC, ARGV) MPI_Init(&(ARGC), &(ARGV))
#define MP_BARRIER() MPI_Barrier(MPI_COMM_WORLD)
#define MP_FINALIZE() MPI_Finalize()
#define MP_PROCS(X) MPI_Comm_size(MPI_COMM_WORLD, X)
#define MP_MYID(X) MPI_Comm_rank(MPI_COMM_WORLD, X)
#define MP_TIMER() MPI_Wtime()
#else
#define MP_INIT(ARGC, ARGV) armci_msg_init(&(ARGC), &(ARGV))
#define MP_BARRIER() armci_msg_barrier()
#define MP_FINALIZE() armci_msg_finalize()
#define MP_PROCS(X) (*(X) = armci_msg_nproc())
#define MP_MYID(X) (*(X) = armci_msg_me())
#define MP_TIMER() armci_timer()
#endif
#define ARMCI_INIT(ARGC, ARGV) ARMCI_Init_args(&(ARGC), &(ARGV))

#endif
