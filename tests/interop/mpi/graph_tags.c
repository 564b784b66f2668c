/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   graph_tags ROUNDS: distributed graphs, made where the library has used up as many tags of
   nonblocking collectives as bring the next ones to those of edges
   (interop/mpi/detail/graph_tags.hpp). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_ranks = 16 };

/* The library's own, whoever has the others. */
static void take_tags(MPI_Comm comm, int tags) {
  for (int i = 0; i < tags; ++i) {
    MPI_Request request;
    PMPI_Ibarrier(comm, &request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/* Every rank names its edges to all, whose weights say both ends. */
static int wrong_edges(MPI_Comm comm, int rank, int ranks) {
  int to[most_ranks], weights[most_ranks], sources[most_ranks], of_sources[most_ranks],
      in = 0, out = 0, weighted = 0, wrong = 0;
  MPI_Comm graph;
  for (int i = 0; i < ranks; ++i) {
    to[i] = i;
    weights[i] = most_ranks * rank + i;
  }
  MPI_Dist_graph_create(comm, 1, &rank, &ranks, to, weights, MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  if (in != ranks || out != ranks || !weighted) return 1;
  MPI_Dist_graph_neighbors(graph, in, sources, of_sources, out, to, weights);
  for (int i = 0; i < ranks; ++i) {
    wrong += of_sources[i] != most_ranks * sources[i] + rank;
    wrong += weights[i] != most_ranks * rank + to[i];
  }
  MPI_Comm_free(&graph);
  return wrong;
}

int main(int argc, char** argv) {
  int rank, ranks, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm fresh;
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    take_tags(fresh, 23 + i % 2);
    wrong += wrong_edges(fresh, rank, ranks);
    MPI_Comm_free(&fresh);
  }
  wrong += wrong_edges(MPI_COMM_SELF, 0, 1);
  if (wrong) fprintf(stderr, "graph_tags: rank %d: %d edges are wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong != 0;
}
