// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cells on an MPI library; bench/compare-mpi builds it with each one's compiler.
#include <mpi.h>

#include <vector>

#include "bench/compare/cells.hpp"
#include "bench/compare/mpi_world.hpp"

namespace {

class mpi_library : public compare::mpi_world {
 public:
  void broadcast(double* data, std::size_t n) {
    MPI_Bcast(data, int(n), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  void reduce(const double* in, double* out, std::size_t n) {
    MPI_Reduce(in, out, int(n), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  void all_reduce(const double* in, double* out, std::size_t n) {
    MPI_Allreduce(in, out, int(n), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  void reduce_scatter(const double* in, double* out, std::size_t n) {
    MPI_Reduce_scatter_block(in, out, int(n), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
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

  static constexpr int any = MPI_ANY_SOURCE;
  void send(int to, int tag, const char* data, std::size_t n) {
    MPI_Send(data, int(n), MPI_CHAR, to, tag, MPI_COMM_WORLD);
  }
  void receive(int from, int tag, char* data, std::size_t n) {
    MPI_Recv(data, int(n), MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  void post(int from, int tag, char* data, std::size_t n) {
    MPI_Irecv(data, int(n), MPI_CHAR, from, tag, MPI_COMM_WORLD, &posted_.emplace_back());
  }
  void take_back() {
    for (MPI_Request& each : posted_) {
      MPI_Cancel(&each);
      MPI_Wait(&each, MPI_STATUS_IGNORE);
    }
    posted_.clear();
  }
  void start_sends(int to, int first_tag, int count) {
    for (int tag = first_tag; tag < first_tag + count; ++tag) {
      MPI_Isend(word_, sizeof word_, MPI_CHAR, to, tag, MPI_COMM_WORLD, &sends_.emplace_back());
    }
  }
  void end_sends() {
    MPI_Waitall(int(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
    sends_.clear();
  }

 private:
  std::vector<MPI_Request> posted_;
  std::vector<MPI_Request> sends_;
  char word_[8] = {};
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  mpi_library library;
  compare::measurement(library, compare::request(argc, argv)).run();
  MPI_Finalize();
  return 0;
}
