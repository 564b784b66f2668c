// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rank's side of an abstract run: its generator, asked no earlier than by an executor, its open
// steps and its slots.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "upwash/schedule/detail/validate/abstract_memory.hpp"
#include "upwash/schedule/detail/validate/history.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::schedule::detail {

class emission {
 public:
  /// `steps`: the storage of this rank's steps. `of` outlives this object.
  emission(int rank, const generator& from, const expectation& of, std::vector<step>& steps);

  /// Takes steps while there is room and no stage is open. Returns the error of a step, or an empty
  /// string.
  [[nodiscard]] std::string refill(const abstract_memory& memory);
  [[nodiscard]] bool ready(std::size_t number) const;
  void finish(std::size_t number);
  [[nodiscard]] const std::vector<std::size_t>& open() const { return open_; }
  [[nodiscard]] const needs& wants() const { return from_.wants(); }

  [[nodiscard]] std::vector<std::uint64_t> words(const slots& of) const;
  void set_words(const slots& to, const std::vector<std::uint64_t>& words);

 private:
  [[nodiscard]] std::string objection(const step& s, const abstract_memory& memory) const;
  [[nodiscard]] std::span<std::uint64_t> seen() noexcept;
  [[nodiscard]] std::string stray_write() const;
  [[nodiscard]] std::string take_own_writes();
  void grow(std::size_t slots);
  void hide(const slots& pending);
  void settle(std::size_t stage);

  int rank_;
  generator from_;
  facts known_;
  std::vector<std::uint64_t> words_;  ///< the slots
  /// The slots as the generator sees them. Slots that a receive may be writing have random content.
  /// So have the guards before and after the slots, which detect writes outside.
  std::vector<std::uint64_t> guarded_;
  std::vector<step>& steps_;
  std::vector<bool> done_;
  std::vector<bool> settled_;  ///< a completed stage waited for them
  std::vector<std::size_t> open_;
  std::size_t most_open_;
  std::size_t base_ = 0;  ///< all earlier steps are complete
  std::optional<std::size_t> latest_stage_;
  bool ended_ = false;
};

}  // namespace upwash::schedule::detail
