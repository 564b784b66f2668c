// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of semaphores or locks that a team makes together.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "interop/python/detail/buffers.hpp"
#include "interop/python/detail/session.hpp"

namespace upwash::python {

template <class Set>
struct set_part : job_part {
  std::optional<Set> set;
  void give_back() noexcept override { set.reset(); }
};

/// What Python has of a set. Peers may still use the part of a rank that has forgotten its handle,
/// so that stays until it is freed by all, or the job ends.
template <class Set>
class set_handle {
 public:
  /// `make()`, a Set, as the rank. Collective. `call` is a literal.
  template <class Make>
  set_handle(team_handle on, const char* call, const Make& make)
      : on_(std::move(on)), part_(std::make_shared<set_part<Set>>()) {
    on_.of->drop_complete();
    on_.of->drive(call, [&] { part_->set.emplace(make()); });
    on_.of->own(part_);
  }

  [[nodiscard]] const team_handle& on() const noexcept { return on_; }
  [[nodiscard]] session& of() const noexcept { return *on_.of; }
  [[nodiscard]] Set& set() const {
    static_cast<void>(of().here());
    if (!part_) refuse("the set was freed");
    return *part_->set;
  }
  /// For operations under way.
  [[nodiscard]] std::shared_ptr<job_part> part() const noexcept { return part_; }

  /// Collective.
  void free() {
    of().named("free", [&] {
      Set& mine = set();
      of().drive("free", [&] { mine.release(); });
      of().retire(std::exchange(part_, nullptr));
    });
  }

 private:
  team_handle on_;
  std::shared_ptr<set_part<Set>> part_;  ///< null: it was freed
};

/// A count that is given to a call: what is none of 0 and up is refused.
[[nodiscard]] inline std::uint64_t amount_of(const py::object& given, const char* name) {
  const std::int64_t amount = index_of(given, name);
  if (amount < 0) refuse(fmt::format("{} is {}: expected 0 and up", name, amount));
  return static_cast<std::uint64_t>(amount);
}

/// A place in a set: what no place can be becomes -1, which the set refuses with its size.
[[nodiscard]] inline int place_in(const py::object& given, const char* name) {
  const std::int64_t place = index_of(given, name);
  return place < 0 || place > INT32_MAX ? -1 : static_cast<int>(place);
}

}  // namespace upwash::python
