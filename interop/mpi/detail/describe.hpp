// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives that upwash has: how their arguments become traffic. From this list `generate.py`
// writes MPI's functions, blocking and nonblocking, and their names of Fortran. Arguments are those
// of MPI's function but for the communicator. Throw `pass_on` where upwash cannot do it, before
// anything is sent.
#pragma once

#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi {

class taken_call;
struct traffic;

namespace describe {

// Those that move (moves.cpp).
void barrier(taken_call& call, traffic& all);
void bcast(taken_call& call, traffic& all, void* buffer, int count, MPI_Datatype type, int root);
void gather(taken_call& call, traffic& all, const void* send, int sends, MPI_Datatype send_type,
            void* receive, int receives, MPI_Datatype receive_type, int root);
void gatherv(taken_call& call, traffic& all, const void* send, int sends, MPI_Datatype send_type,
             void* receive, const int* receives, const int* places, MPI_Datatype receive_type,
             int root);
void scatter(taken_call& call, traffic& all, const void* send, int sends, MPI_Datatype send_type,
             void* receive, int receives, MPI_Datatype receive_type, int root);
void scatterv(taken_call& call, traffic& all, const void* send, const int* sends, const int* places,
              MPI_Datatype send_type, void* receive, int receives, MPI_Datatype receive_type,
              int root);
void allgather(taken_call& call, traffic& all, const void* send, int sends, MPI_Datatype send_type,
               void* receive, int receives, MPI_Datatype receive_type);
void allgatherv(taken_call& call, traffic& all, const void* send, int sends, MPI_Datatype send_type,
                void* receive, const int* receives, const int* places, MPI_Datatype receive_type);
void alltoall(taken_call& call, traffic& all, const void* send, int sends, MPI_Datatype send_type,
              void* receive, int receives, MPI_Datatype receive_type);
void alltoallv(taken_call& call, traffic& all, const void* send, const int* sends,
               const int* send_places, MPI_Datatype send_type, void* receive, const int* receives,
               const int* receive_places, MPI_Datatype receive_type);
void alltoallw(taken_call& call, traffic& all, const void* send, const int* sends,
               const int* send_places, const MPI_Datatype* send_types, void* receive,
               const int* receives, const int* receive_places, const MPI_Datatype* receive_types);

// Those that combine (combinations.cpp).
void reduce(taken_call& call, traffic& all, const void* send, void* receive, int count,
            MPI_Datatype type, MPI_Op op, int root);
void allreduce(taken_call& call, traffic& all, const void* send, void* receive, int count,
               MPI_Datatype type, MPI_Op op);
void scan(taken_call& call, traffic& all, const void* send, void* receive, int count,
          MPI_Datatype type, MPI_Op op);
void exscan(taken_call& call, traffic& all, const void* send, void* receive, int count,
            MPI_Datatype type, MPI_Op op);
void reduce_scatter(taken_call& call, traffic& all, const void* send, void* receive,
                    const int* counts, MPI_Datatype type, MPI_Op op);
void reduce_scatter_block(taken_call& call, traffic& all, const void* send, void* receive,
                          int count, MPI_Datatype type, MPI_Op op);

// Those among neighbours (neighbors.cpp).
void neighbor_allgather(taken_call& call, traffic& all, const void* send, int sends,
                        MPI_Datatype send_type, void* receive, int receives,
                        MPI_Datatype receive_type);
void neighbor_allgatherv(taken_call& call, traffic& all, const void* send, int sends,
                         MPI_Datatype send_type, void* receive, const int* receives,
                         const int* places, MPI_Datatype receive_type);
void neighbor_alltoall(taken_call& call, traffic& all, const void* send, int sends,
                       MPI_Datatype send_type, void* receive, int receives,
                       MPI_Datatype receive_type);
void neighbor_alltoallv(taken_call& call, traffic& all, const void* send, const int* sends,
                        const int* send_places, MPI_Datatype send_type, void* receive,
                        const int* receives, const int* receive_places, MPI_Datatype receive_type);
void neighbor_alltoallw(taken_call& call, traffic& all, const void* send, const int* sends,
                        const MPI_Aint* send_places, const MPI_Datatype* send_types, void* receive,
                        const int* receives, const MPI_Aint* receive_places,
                        const MPI_Datatype* receive_types);

}  // namespace describe
}  // namespace upwash::mpi
