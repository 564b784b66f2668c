// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cells of the comparison of libraries: each collective, at each size, alone and with a
// barrier behind it (small rooted collectives return early). The same loops for every library.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

namespace compare {

/// What a rank hands in and gets: as large as the largest cell needs, touched once.
struct buffers {
  std::vector<double> in;
  std::vector<double> out;
};

/// A library under test: `rank()`, `size()`, `barrier()`, the collectives by name with the bytes of
/// a vector (or of a block), `most(double)` and `from_root(long)` for the measurement itself.
template <class Library>
class measurement {
 public:
  measurement(Library& with, double seconds_a_cell)
      : library_(with), seconds_a_cell_(seconds_a_cell) {}

  /// Prints "COLLECTIVE BYTES MODE us" a line, at rank 0.
  void run(const char* only) {
    cell("barrier", 0, only, [this](std::size_t) { library_.barrier(); });
    for (const std::size_t bytes : sizes) sized_cells(bytes, only);
  }

  static constexpr std::size_t sizes[] = {8, 64, 1024, 16384, 262144};

 private:
  void sized_cells(std::size_t bytes, const char* only) {
    const std::size_t count = bytes / sizeof(double);
    const std::size_t all = count * static_cast<std::size_t>(library_.size());
    data_.in.assign(all, 1.0);
    data_.out.assign(all, 0.0);
    const double* in = data_.in.data();
    double* out = data_.out.data();
    cell("broadcast", bytes, only, [=, this](std::size_t n) { library_.broadcast(out, n); });
    cell("reduce", bytes, only, [=, this](std::size_t n) { library_.reduce(in, out, n); });
    cell("all_reduce", bytes, only, [=, this](std::size_t n) { library_.all_reduce(in, out, n); });
    cell("all_gather", bytes, only, [=, this](std::size_t n) { library_.all_gather(in, out, n); });
    cell("all_to_all", bytes, only, [=, this](std::size_t n) { library_.all_to_all(in, out, n); });
    cell("gather", bytes, only, [=, this](std::size_t n) { library_.gather(in, out, n); });
    cell("scatter", bytes, only, [=, this](std::size_t n) { library_.scatter(in, out, n); });
  }

  template <class Call>
  void cell(const char* name, std::size_t bytes, const char* only, const Call& call) {
    if (*only != '\0' && std::strstr(only, name) == nullptr) return;
    const std::size_t count = bytes / sizeof(double);
    row(name, bytes, "alone", [&] { call(count); });
    row(name, bytes, "barrier", [&] {
      call(count);
      library_.barrier();
    });
  }

  template <class Call>
  void row(const char* name, std::size_t bytes, const char* mode, const Call& call) {
    long iterations = 1;
    for (double warm = 0; warm < seconds_a_cell_;) warm += timed(1, call);
    double seconds = 0;
    for (;;) {
      seconds = timed(iterations, call);
      if (seconds >= seconds_a_cell_) break;
      iterations *= 2;
    }
    if (library_.rank() != 0) return;
    std::printf("%s %zu %s %.4f\n", name, bytes, mode,
                1e6 * seconds / static_cast<double>(iterations));
    std::fflush(stdout);
  }

  /// Of the slowest rank; the same at all.
  template <class Call>
  double timed(long iterations, const Call& call) {
    using clock = std::chrono::steady_clock;
    library_.barrier();
    const auto begin = clock::now();
    for (long i = 0; i < iterations; ++i) call();
    return library_.most(std::chrono::duration<double>(clock::now() - begin).count());
  }

  Library& library_;
  double seconds_a_cell_;
  buffers data_;
};

}  // namespace compare
