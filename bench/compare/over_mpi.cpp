// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of conduit mpi and of the bare library in the same two processes, in many short turns:
// wherever the processors lay, they lay there for both, and what disturbs a turn spoils few.
// bench/compare-mpi --over-mpi builds it with each MPI compiler. Prints lines "WHAT BYTES bare_us
// upwash_us ratio": the tenth of the turns that was least disturbed ends there. over_mpi [WHAT]: of
// one kind only.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "upwash/core/host.hpp"
#include "upwash/upwash.hpp"

namespace {

constexpr int turns = 400;
constexpr double turn_us = 300;
constexpr double most_seconds = 5;  // for a cell, however busy the machine
constexpr int window = 64;          // messages of a stream that are under way at once

struct counter final : upwash::service_base {
  explicit counter(upwash::job& /*here*/) {}
  std::uint64_t arrived = 0;
};

struct counter_address {
  counter* at;
};

void count(upwash::incoming& /*in*/, counter_address where) { ++where.at->arrived; }

class pair {
 public:
  explicit pair(upwash::job& here) : here_(here), world_(here.world()), buffer_(1 << 20) {
    MPI_Comm_dup(MPI_COMM_WORLD, &bare_);
    theirs_.resize(static_cast<std::size_t>(here.size()));
    upwash::control::all_gather_values(world_, counter_address{&here.service<counter>()},
                                       std::span(theirs_));
  }
  ~pair() { MPI_Comm_free(&bare_); }
  pair(const pair&) = delete;
  pair& operator=(const pair&) = delete;

  /// Microseconds one way.
  double bare_ping(int bytes, int rounds) {
    const double start = MPI_Wtime();
    for (int i = 0; i < rounds; ++i) {
      if (rank() == 0) MPI_Send(buffer_.data(), bytes, MPI_BYTE, 1, 0, bare_);
      MPI_Recv(buffer_.data(), bytes, MPI_BYTE, 1 - rank(), 0, bare_, MPI_STATUS_IGNORE);
      if (rank() == 1) MPI_Send(buffer_.data(), bytes, MPI_BYTE, 0, 0, bare_);
    }
    return (MPI_Wtime() - start) / (2 * rounds) * 1e6;
  }
  double active_ping(int bytes, int rounds) {
    const auto send = [&] {
      upwash::send_medium<&count>(here_, 1 - rank(), bytes_of(bytes), theirs_[other()]);
    };
    const double start = MPI_Wtime();
    for (int i = 0; i < rounds; ++i) {
      if (rank() == 0) send();
      await(++seen_);
      if (rank() == 1) send();
    }
    return (MPI_Wtime() - start) / (2 * rounds) * 1e6;
  }
  double tagged_ping(int bytes, int rounds) {
    const auto send = [&] {
      upwash::matching::send(world_, 1 - rank(), 7, bytes_of(bytes)).wait();
    };
    const double start = MPI_Wtime();
    for (int i = 0; i < rounds; ++i) {
      if (rank() == 0) send();
      upwash::matching::receive(
          world_, 1 - rank(), 7,
          std::as_writable_bytes(std::span(buffer_).first(static_cast<std::size_t>(bytes))))
          .wait();
      if (rank() == 1) send();
    }
    return (MPI_Wtime() - start) / (2 * rounds) * 1e6;
  }

  /// Microseconds a message, one after the other from rank 0 to rank 1.
  double bare_stream(int bytes, int rounds) {
    std::vector<MPI_Request> open(window);
    const double start = MPI_Wtime();
    for (int i = 0; i < rounds; i += window) {
      for (auto& each : open) {
        if (rank() == 0) {
          MPI_Isend(buffer_.data(), bytes, MPI_BYTE, 1, 1, bare_, &each);
        } else {
          MPI_Irecv(buffer_.data(), bytes, MPI_BYTE, 0, 1, bare_, &each);
        }
      }
      MPI_Waitall(window, open.data(), MPI_STATUSES_IGNORE);
    }
    if (rank() == 0) MPI_Recv(nullptr, 0, MPI_BYTE, 1, 2, bare_, MPI_STATUS_IGNORE);
    if (rank() == 1) MPI_Send(nullptr, 0, MPI_BYTE, 0, 2, bare_);
    return (MPI_Wtime() - start) / rounds * 1e6;
  }
  double active_stream(int bytes, int rounds) {
    const double start = MPI_Wtime();
    if (rank() == 0) {
      for (int i = 0; i < rounds; ++i) {
        upwash::send_medium<&count>(here_, 1, bytes_of(bytes), theirs_[1]);
      }
      await(++seen_);
    } else {
      await(seen_ += static_cast<std::uint64_t>(rounds));
      upwash::send<&count>(here_, 0, theirs_[0]);
    }
    return (MPI_Wtime() - start) / rounds * 1e6;
  }

  using way = double (pair::*)(int bytes, int rounds);
  void compare(const char* what, int bytes, way bare, way over) {
    const double least_us = 0.3 + bytes / 10e3;  // of a message, to choose how many make a turn
    const int rounds = std::max(1, static_cast<int>(turn_us / least_us / window)) * window;
    const int wanted = std::max(20, static_cast<int>(turns / (1 + bytes / 50e3)));
    std::vector<double> of_bare;
    std::vector<double> of_upwash;
    const double begin = MPI_Wtime();
    for (int turn = 0; goes_on(turn < wanted && MPI_Wtime() - begin < most_seconds); ++turn) {
      of_bare.push_back(timed(bare, bytes, rounds));
      of_upwash.push_back(timed(over, bytes, rounds));
    }
    if (rank() != 0) return;
    const double one = undisturbed(of_bare);
    const double other = undisturbed(of_upwash);
    std::printf("%-14s %8d %10.3f %10.3f %7.2f\n", what, bytes, one, other, other / one);
    std::fflush(stdout);
  }

 private:
  [[nodiscard]] int rank() const { return here_.rank(); }
  [[nodiscard]] std::size_t other() const { return static_cast<std::size_t>(1 - rank()); }
  [[nodiscard]] std::span<const std::byte> bytes_of(int bytes) const {
    return std::as_bytes(std::span(buffer_).first(static_cast<std::size_t>(bytes)));
  }
  void await(std::uint64_t arrived) {
    upwash::host(here_).wait(
        upwash::conduit::wait_target::word(here_.service<counter>().arrived,
                                           upwash::comparison::greater_equal, arrived),
        {.operation = "bench"});
  }
  /// As rank 0 says.
  [[nodiscard]] bool goes_on(bool here) const {
    int answer = here ? 1 : 0;
    MPI_Bcast(&answer, 1, MPI_INT, 0, bare_);
    return answer != 0;
  }
  double timed(way one, int bytes, int rounds) {
    upwash::control::barrier(world_);
    MPI_Barrier(bare_);
    return (this->*one)(bytes, rounds);
  }
  static double undisturbed(std::vector<double>& values) {
    const auto tenth = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 10);
    std::nth_element(values.begin(), tenth, values.end());
    return *tenth;
  }

  upwash::job& here_;
  upwash::team world_;
  MPI_Comm bare_ = MPI_COMM_NULL;
  std::vector<char> buffer_;
  std::vector<counter_address> theirs_;
  std::uint64_t seen_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string_view only = argc > 1 ? argv[1] : "";
  const int status = upwash::run(argc, argv, [&](upwash::job& here) {
    if (here.size() != 2) throw upwash::error(upwash::error_kind::argument, "2 ranks are wanted");
    pair of(here);
    const auto cells = [&](const char* what, std::initializer_list<int> sizes, pair::way bare,
                           pair::way over) {
      if (!only.empty() && only != what) return;
      for (const int bytes : sizes) of.compare(what, bytes, bare, over);
    };
    cells("active", {8, 64, 512, 2048, 3900}, &pair::bare_ping, &pair::active_ping);
    cells("tagged", {8, 512, 3000, 16384, 65536, 1 << 20}, &pair::bare_ping, &pair::tagged_ping);
    cells("active-stream", {8, 512, 3900}, &pair::bare_stream, &pair::active_stream);
  });
  MPI_Finalize();
  return status;
}
