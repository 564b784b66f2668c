// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cells on upwash; bench/compare-mpi runs it beside MPI libraries.
#include <upwash/upwash.hpp>

#include <span>
#include <vector>

#include "bench/compare/cells.hpp"
#include "bench/compare/upwash_world.hpp"

namespace {

class upwash_library : public compare::upwash_world {
 public:
  using upwash_world::upwash_world;
  void broadcast(double* data, std::size_t n) {
    upwash::broadcast(world_, upwash::blocking, 0, std::span(data, n));
  }
  void reduce(const double* in, double* out, std::size_t n) {
    upwash::reduce<upwash::sum>(world_, upwash::blocking, 0, std::span(in, n),
                                std::span(out, rank() == 0 ? n : 0));
  }
  void all_reduce(const double* in, double* out, std::size_t n) {
    upwash::all_reduce<upwash::sum>(world_, upwash::blocking, std::span(in, n), std::span(out, n));
  }
  void reduce_scatter(const double* in, double* out, std::size_t n) {
    upwash::reduce_scatter<upwash::sum>(world_, upwash::blocking, std::span(in, n * members()),
                                        std::span(out, n));
  }
  void all_gather(const double* in, double* out, std::size_t n) {
    upwash::all_gather(world_, upwash::blocking, std::span(in, n), std::span(out, n * members()));
  }
  void all_to_all(const double* in, double* out, std::size_t n) {
    upwash::all_to_all(world_, upwash::blocking, std::span(in, n * members()),
                       std::span(out, n * members()));
  }
  void gather(const double* in, double* out, std::size_t n) {
    upwash::gather(world_, upwash::blocking, 0, std::span(in, n),
                   std::span(out, rank() == 0 ? n * members() : 0));
  }
  void scatter(const double* in, double* out, std::size_t n) {
    upwash::scatter(world_, upwash::blocking, 0, std::span(in, rank() == 0 ? n * members() : 0),
                    std::span(out, n));
  }

  static constexpr int any = upwash::matching::any_source;
  void send(int to, int tag, const char* data, std::size_t n) {
    upwash::matching::send(world_, to, tag, std::as_bytes(std::span(data, n))).wait();
  }
  void receive(int from, int tag, char* data, std::size_t n) {
    upwash::matching::receive(world_, from, tag, std::as_writable_bytes(std::span(data, n))).wait();
  }
  void post(int from, int tag, char* data, std::size_t n) {
    posted_.push_back(
        upwash::matching::receive(world_, from, tag, std::as_writable_bytes(std::span(data, n))));
  }
  void take_back() {
    for (auto& each : posted_) each.cancel();
    posted_.clear();
  }
  void start_sends(int to, int first_tag, int count) {
    for (int tag = first_tag; tag < first_tag + count; ++tag) {
      sends_.push_back(upwash::matching::send(world_, to, tag, std::as_bytes(std::span(word_))));
    }
  }
  void end_sends() {
    upwash::wait_all(sends_);
    sends_.clear();
  }

 private:
  std::size_t members() const { return static_cast<std::size_t>(size()); }
  std::vector<upwash::matching::receiving> posted_;
  std::vector<upwash::request> sends_;
  char word_[8] = {};
};

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [&](upwash::job& here) {
    upwash_library library(here);
    compare::measurement(library, compare::request(argc, argv)).run();
  });
}
