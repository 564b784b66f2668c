// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cells on an MPI library; bench/compare-mpi builds it with each one's compiler.
#include <mpi.h>

#include <cstdlib>

#include "bench/compare/cells.hpp"

namespace {

class mpi_library {
 public:
  mpi_library() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  int rank() const { return rank_; }
  int size() const { return size_; }
  double most(double mine) {
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
  }

  void barrier() { MPI_Barrier(MPI_COMM_WORLD); }
  void broadcast(double* data, std::size_t n) {
    MPI_Bcast(data, int(n), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  void reduce(const double* in, double* out, std::size_t n) {
    MPI_Reduce(in, out, int(n), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  void all_reduce(const double* in, double* out, std::size_t n) {
    MPI_Allreduce(in, out, int(n), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  void all_gather(const double* in, double* out, std::size_t n) {
    MPI_Allgather(in, int(n), MPI_DOUBLE, out, int(n), MPI_DOUBLE, MPI_COMM_WORLD);
  }
  void all_to_all(const double* in, double* out, std::size_t n) {
    MPI_Alltoall(in, int(n), MPI_DOUBLE, out, int(n), MPI_DOUBLE, MPI_COMM_WORLD);
  }
  void gather(const double* in, double* out, std::size_t n) {
    MPI_Gather(in, int(n), MPI_DOUBLE, out, int(n), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  void scatter(const double* in, double* out, std::size_t n) {
    MPI_Scatter(in, int(n), MPI_DOUBLE, out, int(n), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  mpi_library library;
  compare::measurement(library, argc > 1 ? std::atof(argv[1]) : 0.01).run(argc > 2 ? argv[2] : "");
  MPI_Finalize();
  return 0;
}
