// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cells of the comparison of libraries: each collective, at each size, alone and with a
// barrier behind it (small rooted collectives return early); messages between ranks 0 and 1, past
// receives or messages that do not fit. The same loops for every library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace compare {

/// Whether a list by comma has the name; an empty one has all.
inline bool is_among(std::string_view names, std::string_view name) {
  if (names.empty()) return true;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    if (names.substr(begin, end - begin) == name) return true;
    begin = end + 1;
  }
  return false;
}

/// What the program was told: SECONDS [ONLY [KIND [SIZES]]].
struct request {
  /// Of cells: collectives, messages past others that wait, or round trips by size.
  enum class kind { collectives, messages, sizes };

  request(int argc, char** argv) {
    if (argc > 1) seconds = std::atof(argv[1]);
    if (argc > 2) only = argv[2];
    const std::string_view asked = argc > 3 ? argv[3] : "collectives";
    what = asked == "messages" ? kind::messages
           : asked == "sizes"  ? kind::sizes
                               : kind::collectives;
    if (argc > 4) read_sizes(argv[4]);
  }

  double seconds = 0.01;  ///< a cell, at least
  std::string_view only;  ///< cells, by comma; empty: all
  kind what = kind::collectives;
  std::vector<std::size_t> sizes;  ///< in bytes; empty: the usual ones

 private:
  void read_sizes(const char* at) {
    for (char* end = nullptr; *at != '\0'; at = *end == ',' ? end + 1 : end) {
      sizes.push_back(std::strtoull(at, &end, 10));
      if (end == at) return;
    }
  }
};

/// What a rank hands in and gets: as large as the largest cell needs, touched once.
struct buffers {
  std::vector<double> in;
  std::vector<double> out;
};

/// Prints what calls take that all ranks make together: "NAME BYTES MODE us" a line, at rank 0.
template <class Library>
class timed_rows {
 public:
  timed_rows(Library& with, double seconds_a_cell)
      : library_(with), seconds_a_cell_(seconds_a_cell) {}

  template <class Call>
  void row(const char* name, std::size_t bytes, const char* mode, const Call& call,
           int operations = 1) {
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
                1e6 * seconds / static_cast<double>(iterations) / operations);
    std::fflush(stdout);
  }

  /// Of the slowest rank; the same at all.
  template <class Call>
  double timed(long iterations, const Call& call) {
    library_.barrier();
    const double begin = library_.now();
    for (long i = 0; i < iterations; ++i) call();
    return library_.most(library_.now() - begin);
  }

 private:
  Library& library_;
  double seconds_a_cell_;
};

/// A library under test: `rank()`, `size()`, `now()` in seconds, `barrier()`, the collectives by
/// name with the bytes of a vector (or of a block), `most(double)` for the measurement itself, and
/// for messages `send`, `receive`, `post` and `take_back`, `start_sends` (of 8 bytes, tags from ...
/// on) and `end_sends`.
template <class Library>
class measurement {
 public:
  measurement(Library& with, const request& asked)
      : library_(with), asked_(asked), rows_(with, asked.seconds) {}

  /// Prints "COLLECTIVE BYTES MODE us" a line, at rank 0, and at last that this was all: some
  /// libraries never come back from their end.
  void run() {
    const std::string_view only = asked_.only;
    switch (asked_.what) {
      case request::kind::messages: return run_messages(only);
      case request::kind::sizes: return run_sizes(only);
      case request::kind::collectives: break;
    }
    cell("barrier", 0, only, [this](std::size_t) { library_.barrier(); });
    for (const std::size_t bytes : sizes_or({8, 64, 1024, 16384, 262144})) sized_cells(bytes, only);
    library_.barrier();
    if (library_.rank() != 0) return;
    std::printf("# finished\n");
    std::fflush(stdout);
  }

 private:
  std::vector<std::size_t> sizes_or(std::vector<std::size_t> usual) const {
    return asked_.sizes.empty() ? std::move(usual) : asked_.sizes;
  }

  /// Round trips of 1 byte to 4 MiB.
  void run_sizes(std::string_view only) {
    std::vector<std::size_t> all;
    for (std::size_t bytes = 1; bytes <= std::size_t{4} << 20U; bytes *= 2) all.push_back(bytes);
    for (const std::size_t bytes : sizes_or(std::move(all))) {
      std::vector<char> data(bytes, 'x');
      if (!is_among(only, "round_trip")) continue;
      rows_.row("round_trip", bytes, "0", [&] { round_trip(data.data(), bytes); });
    }
  }

  /// The same for messages of 8 bytes; the mode is how many others wait.
  void run_messages(std::string_view only) {
    message_cell("round_trip", 0, only, [this] { round_trip(); });
    message_cell(
        "rate", 0, only, [this] { burst(); }, burst_messages);
    for (const int depth : {0, 1024, 16'384}) {
      for (const bool any : {false, true}) {
        for (int tag = 1; tag <= depth && library_.rank() < 2; ++tag) {
          library_.post(any ? Library::any : 1 - library_.rank(), tag, spare_, sizeof spare_);
        }
        message_cell(any ? "posted_any" : "posted", depth, only, [this] { round_trip(); });
        library_.take_back();
      }
      if (library_.rank() < 2) library_.start_sends(1 - library_.rank(), 1, depth);
      library_.barrier();
      message_cell("unexpected", depth, only, [this] { round_trip(); });
      for (int tag = depth; tag > 0 && library_.rank() < 2; --tag) {
        library_.receive(1 - library_.rank(), tag, spare_, sizeof spare_);
      }
      library_.end_sends();
    }
  }

  void sized_cells(std::size_t bytes, std::string_view only) {
    const std::size_t count = bytes / sizeof(double);
    const std::size_t all = count * static_cast<std::size_t>(library_.size());
    data_.in.assign(all, 1.0);
    data_.out.assign(all, 0.0);
    const double* in = data_.in.data();
    double* out = data_.out.data();
    cell("broadcast", bytes, only, [=, this](std::size_t n) { library_.broadcast(out, n); });
    cell("reduce", bytes, only, [=, this](std::size_t n) { library_.reduce(in, out, n); });
    cell("all_reduce", bytes, only, [=, this](std::size_t n) { library_.all_reduce(in, out, n); });
    cell("reduce_scatter", bytes, only,
         [=, this](std::size_t n) { library_.reduce_scatter(in, out, n); });
    cell("all_gather", bytes, only, [=, this](std::size_t n) { library_.all_gather(in, out, n); });
    cell("all_to_all", bytes, only, [=, this](std::size_t n) { library_.all_to_all(in, out, n); });
    cell("gather", bytes, only, [=, this](std::size_t n) { library_.gather(in, out, n); });
    cell("scatter", bytes, only, [=, this](std::size_t n) { library_.scatter(in, out, n); });
  }

  template <class Call>
  void cell(const char* name, std::size_t bytes, std::string_view only, const Call& call) {
    if (!is_among(only, name)) return;
    const std::size_t count = bytes / sizeof(double);
    rows_.row(name, bytes, "alone", [&] { call(count); });
    rows_.row(name, bytes, "barrier", [&] {
      call(count);
      library_.barrier();
    });
  }

  static constexpr int burst_messages = 64;

  void round_trip() { round_trip(word_, sizeof word_); }
  void round_trip(char* data, std::size_t bytes) {
    const int peer = 1 - library_.rank();
    if (library_.rank() == 0) library_.send(peer, 0, data, bytes);
    if (library_.rank() < 2) library_.receive(peer, 0, data, bytes);
    if (library_.rank() == 1) library_.send(peer, 0, data, bytes);
  }
  /// From rank 0 to rank 1, and an answer.
  void burst() {
    if (library_.rank() == 0) {
      library_.start_sends(1, 1, burst_messages);
      library_.end_sends();
      library_.receive(1, 0, word_, sizeof word_);
    } else if (library_.rank() == 1) {
      for (int i = 1; i <= burst_messages; ++i) library_.receive(0, i, word_, sizeof word_);
      library_.send(0, 0, word_, sizeof word_);
    }
  }

  template <class Call>
  void message_cell(const char* name, int depth, std::string_view only, const Call& call,
                    int messages = 1) {
    if (!is_among(only, name)) return;
    rows_.row(name, sizeof word_, std::to_string(depth).c_str(), call, messages);
  }

  Library& library_;
  const request asked_;
  timed_rows<Library> rows_;
  buffers data_;
  char word_[8] = {};
  char spare_[8] = {};
};

}  // namespace compare
