// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: any collective in shared memory. Idea: who gives lays it out and counts so; who wants it
// looks at that counter and copies, or combines in rank order: from shared scratch, or from the
// buffer, whose owner waits for its readers. Cost: one round; P-1 looks and copies of m bytes (from
// buffers P-1 signals) at a reader. Restrictions: from buffers no all_to_all in place. Source:
// Nishtala et al. 2009, collectives on shared memory.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/in_phases.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

enum class one_round_phase : std::uint8_t { lay_out, announce, keep, look, take, tell, leave, end };

class one_round : public detail::in_phases<one_round, one_round_phase> {
 public:
  enum class task : std::uint8_t {
    broadcast,
    scatter,
    gather,
    all_gather,
    all_to_all,
    reduce,
    all_reduce,
    reduce_scatter,
    scan,
    exclusive_scan,
  };
  /// Where a contribution is read by the others.
  enum class source : std::uint8_t { shared_scratch, buffer };

  /// `bytes` of the vector, or of a block.
  struct call {
    int ranks = 1;
    int rank = 0;
    int root = 0;
    std::uint64_t bytes = 0;
    bool in_place = false;  ///< at this rank; the same at all but in a reduce, where the root says
  };

  one_round(task what, source from, const call& of) : what_(what), from_(from), of_(of) {}

  [[nodiscard]] std::uint32_t window() const noexcept { return 3; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept {
    return from_ == source::buffer && lays_out() ? of_.bytes : 0;
  }
  [[nodiscard]] std::uint64_t shared_bytes() const noexcept;
  [[nodiscard]] std::uint32_t counter_count() const noexcept { return 2; }
  [[nodiscard]] bool exposes_input() const noexcept;
  [[nodiscard]] bool exposes_output() const noexcept;
  [[nodiscard]] bool alike() const noexcept {
    return what_ == task::all_gather || what_ == task::all_to_all;
  }

  /// What a member lays out for the others.
  [[nodiscard]] static std::uint64_t contributed_bytes(task what, int ranks, std::uint64_t bytes);

 private:
  friend in_phases;
  using phase = one_round_phase;
  enum counter : std::uint32_t { is_there, was_read };

  [[nodiscard]] bool combines() const noexcept { return what_ >= task::reduce; }
  /// The result lies where contributions did.
  [[nodiscard]] bool overwrites() const noexcept {
    return of_.in_place && (combines() || what_ == task::all_to_all);
  }
  [[nodiscard]] bool is_root() const noexcept { return of_.rank == of_.root; }
  /// A contribution has a part for each member.
  [[nodiscard]] static bool has_parts(task what) noexcept;
  /// The members that read what this rank lays out.
  [[nodiscard]] int readers() const noexcept;
  /// The members, perhaps with this one, whose contributions this rank takes.
  [[nodiscard]] int sources() const noexcept;
  [[nodiscard]] int source_at(int turn) const noexcept;

  [[nodiscard]] bool lays_out() const noexcept;
  [[nodiscard]] schedule::piece contribution() const noexcept;
  /// The buffer that has the others' contributions.
  [[nodiscard]] schedule::buffer theirs() const noexcept;
  [[nodiscard]] schedule::piece part_of(int member) const noexcept;
  [[nodiscard]] schedule::piece result_of(int member) const noexcept;

  bool lay_out(schedule::step& out);
  bool keep(schedule::step& out);
  bool look(schedule::step& out);
  bool take(schedule::step& out);
  /// The next step, if the phase has one; goes on to the next phase.
  bool act(schedule::step& out);
  void emit(phase of, schedule::step& out, schedule::tape& on);

  task what_;
  source from_;
  call of_;
  int turn_ = 0;
  /// What the next take that combines must come behind.
  schedule::mark before_take_ = schedule::never;
};

}  // namespace upwash::collective
