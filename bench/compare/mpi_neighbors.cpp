// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cells of neighbours on an MPI library; bench/compare-mpi --neighbors builds it with each
// one's compiler. Arguments: SECONDS a cell, and the FILE of edges that compare_neighbors wrote.
#include <mpi.h>

#include <cstdlib>

#include "bench/compare/mpi_world.hpp"
#include "bench/compare/neighbor_cells.hpp"

namespace {

class mpi_library : public compare::mpi_world {
 public:
  bool offers(const compare::named_edges& /*edges*/, const std::string& /*scheme*/) { return true; }
  void make(const compare::named_edges& edges, const std::string& /*scheme*/) {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, int(edges.sources.size()), edges.sources.data(),
                                   MPI_UNWEIGHTED, int(edges.destinations.size()),
                                   edges.destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &near_);
  }
  void drop() { MPI_Comm_free(&near_); }
  void gather(const char* in, char* out, std::size_t n) {
    MPI_Neighbor_allgather(in, int(n), MPI_CHAR, out, int(n), MPI_CHAR, near_);
  }
  void exchange(const char* in, char* out, std::size_t n) {
    MPI_Neighbor_alltoall(in, int(n), MPI_CHAR, out, int(n), MPI_CHAR, near_);
  }

 private:
  MPI_Comm near_ = MPI_COMM_NULL;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) return 2;
  mpi_library library;
  compare::neighbor_measurement cells(library, std::atof(argv[1]));
  for (const auto& each : compare::read_edges(argv[2], library.rank(), library.size())) {
    cells.run(each, "mpi");
  }
  MPI_Finalize();
  return 0;
}
