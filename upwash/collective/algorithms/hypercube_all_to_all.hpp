// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: each rank has a block of m bytes for each rank. Idea: in each stage exchange with the
// vertex in the other half of what is left of the cube all that is for ranks there; ranks beyond
// the cube work through a vertex. Cost: log2 P messages of P/2 m bytes, copied before, and P m to
// their places; beyond a cube about twice as long, and one of P m bytes more. Restrictions: not in
// place. Any P. Source: Kumar 2005, 3.1.3, equations 3.10 and 3.12.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/folded_cube.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class hypercube_all_to_all {
 public:
  /// Input and output hold `bytes` for, and from, each rank in order.
  hypercube_all_to_all(int ranks, int rank, std::uint64_t bytes);

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept { return 4; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept;
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  [[nodiscard]] bool alike() const noexcept { return cube_.folded() == 0; }

 private:
  enum class part : std::uint8_t { fold_in, pack, send, receive, unpack, fold_out, end };
  /// Ranks that follow each other.
  struct range {
    int first = 0;
    int behind = 0;
    [[nodiscard]] std::uint64_t count() const noexcept {
      return static_cast<std::uint64_t>(behind - first);
    }
  };

  bool next_of_folded(schedule::step& out, schedule::tape& on);
  bool fold_in(schedule::step& out, schedule::tape& on);
  void pack(schedule::step& out, schedule::tape& on);
  void exchange(schedule::step& out, schedule::tape& on);
  void unpack(schedule::step& out, schedule::tape& on);
  void copy(schedule::step& out, schedule::tape& on);
  void begin_stage() noexcept;

  // A vertex holds a row of blocks for each source, first its own. Rows that came in stage s lie
  // in the message of stage s, each with the blocks for the ranks that were left then.
  void begin_rows() noexcept;
  void next_row() noexcept;
  [[nodiscard]] int source_vertex() const noexcept;
  /// The blocks of the row for some of the ranks that are left.
  [[nodiscard]] schedule::piece row_for(const range& ranks) const noexcept;

  /// Whom a vertex still works for before a stage.
  [[nodiscard]] range left_to(int vertex, int stage) const noexcept;
  [[nodiscard]] int partner(int stage) const noexcept;
  /// How many rows a vertex has before a stage.
  [[nodiscard]] std::uint64_t rows(int vertex, int stage) const noexcept;
  /// Bytes from one end of a stage to the other.
  [[nodiscard]] std::uint64_t message_bytes(int from, int to, int stage) const noexcept;
  /// Scratch: what the folded rank had, what is sent, then what comes in each stage.
  [[nodiscard]] std::uint64_t room_to_send() const noexcept;
  [[nodiscard]] std::uint64_t message_at(int stage) const noexcept;
  [[nodiscard]] std::uint64_t all_bytes() const noexcept;

  [[nodiscard]] bool has_folded() const noexcept { return cube_.has_folded(vertex_); }
  [[nodiscard]] int folds() const noexcept { return cube_.folded() == 0 ? 0 : 1; }
  [[nodiscard]] bool last_stage() const noexcept { return stage_ == cube_.dimensions(); }

  detail::folded_cube cube_;
  int ranks_;
  int rank_;
  int vertex_;
  std::uint64_t bytes_;
  part part_ = part::fold_in;
  int stage_ = 0;
  int row_ = 0;                   ///< number of the vertex that the row is from
  bool of_folded_ = false;        ///< the row is of that vertex's folded rank
  bool for_folded_ = false;       ///< at the end: of the row's blocks the one for the folded rank
  std::uint64_t in_message_ = 0;  ///< rows before this in its message
  std::uint64_t packed_ = 0;      ///< bytes
  bool joins_ = false;            ///< the next copy waits for all before
  schedule::mark copied_ = schedule::never;
};

}  // namespace upwash::collective
