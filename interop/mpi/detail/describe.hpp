// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives that upwash has: how their arguments become traffic. From this list `generate.py`
// writes MPI's functions, blocking, nonblocking and persistent, and their names of Fortran.
// Arguments are those of MPI's function but for the communicator. Throw `pass_on` where upwash
// cannot do it, before anything is sent.
#pragma once

#include "interop/mpi/detail/integer_list.hpp"
#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi {

class taken_call;
struct traffic;

namespace describe {

// Those that move (moves.cpp).
void barrier(taken_call& call, traffic& all);
void bcast(taken_call& call, traffic& all, void* buffer, MPI_Count count, MPI_Datatype type,
           int root);
void gather(taken_call& call, traffic& all, const void* send, MPI_Count sends,
            MPI_Datatype send_type, void* receive, MPI_Count receives, MPI_Datatype receive_type,
            int root);
void gatherv(taken_call& call, traffic& all, const void* send, MPI_Count sends,
             MPI_Datatype send_type, void* receive, integer_list receives, integer_list places,
             MPI_Datatype receive_type, int root);
void scatter(taken_call& call, traffic& all, const void* send, MPI_Count sends,
             MPI_Datatype send_type, void* receive, MPI_Count receives, MPI_Datatype receive_type,
             int root);
void scatterv(taken_call& call, traffic& all, const void* send, integer_list sends,
              integer_list places, MPI_Datatype send_type, void* receive, MPI_Count receives,
              MPI_Datatype receive_type, int root);
void allgather(taken_call& call, traffic& all, const void* send, MPI_Count sends,
               MPI_Datatype send_type, void* receive, MPI_Count receives,
               MPI_Datatype receive_type);
void allgatherv(taken_call& call, traffic& all, const void* send, MPI_Count sends,
                MPI_Datatype send_type, void* receive, integer_list receives, integer_list places,
                MPI_Datatype receive_type);
void alltoall(taken_call& call, traffic& all, const void* send, MPI_Count sends,
              MPI_Datatype send_type, void* receive, MPI_Count receives, MPI_Datatype receive_type);
void alltoallv(taken_call& call, traffic& all, const void* send, integer_list sends,
               integer_list send_places, MPI_Datatype send_type, void* receive,
               integer_list receives, integer_list receive_places, MPI_Datatype receive_type);
void alltoallw(taken_call& call, traffic& all, const void* send, integer_list sends,
               integer_list send_places, const MPI_Datatype* send_types, void* receive,
               integer_list receives, integer_list receive_places,
               const MPI_Datatype* receive_types);

// Those that combine (combinations.cpp).
void reduce(taken_call& call, traffic& all, const void* send, void* receive, MPI_Count count,
            MPI_Datatype type, MPI_Op op, int root);
void allreduce(taken_call& call, traffic& all, const void* send, void* receive, MPI_Count count,
               MPI_Datatype type, MPI_Op op);
void scan(taken_call& call, traffic& all, const void* send, void* receive, MPI_Count count,
          MPI_Datatype type, MPI_Op op);
void exscan(taken_call& call, traffic& all, const void* send, void* receive, MPI_Count count,
            MPI_Datatype type, MPI_Op op);
void reduce_scatter(taken_call& call, traffic& all, const void* send, void* receive,
                    integer_list counts, MPI_Datatype type, MPI_Op op);
void reduce_scatter_block(taken_call& call, traffic& all, const void* send, void* receive,
                          MPI_Count count, MPI_Datatype type, MPI_Op op);

// Those among neighbours (neighbors.cpp).
void neighbor_allgather(taken_call& call, traffic& all, const void* send, MPI_Count sends,
                        MPI_Datatype send_type, void* receive, MPI_Count receives,
                        MPI_Datatype receive_type);
void neighbor_allgatherv(taken_call& call, traffic& all, const void* send, MPI_Count sends,
                         MPI_Datatype send_type, void* receive, integer_list receives,
                         integer_list places, MPI_Datatype receive_type);
void neighbor_alltoall(taken_call& call, traffic& all, const void* send, MPI_Count sends,
                       MPI_Datatype send_type, void* receive, MPI_Count receives,
                       MPI_Datatype receive_type);
void neighbor_alltoallv(taken_call& call, traffic& all, const void* send, integer_list sends,
                        integer_list send_places, MPI_Datatype send_type, void* receive,
                        integer_list receives, integer_list receive_places,
                        MPI_Datatype receive_type);
void neighbor_alltoallw(taken_call& call, traffic& all, const void* send, integer_list sends,
                        integer_list send_places, const MPI_Datatype* send_types, void* receive,
                        integer_list receives, integer_list receive_places,
                        const MPI_Datatype* receive_types);

}  // namespace describe
}  // namespace upwash::mpi
