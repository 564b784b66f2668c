// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank sends more than once pays to be copied to the memory of its NIC first, from where it
// is sent faster. Source: Kumar 2005, 2.1.2 and 3.1.5.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "upwash/model/machine.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::schedule::detail {

class nic_memory {
 public:
  enum class way : std::uint8_t { from_main, copied_first, from_nic };

  /// Looks through the schedule once.
  void expect(generator steps, const facts& known) {
    for (step s; steps.next(s, known);) {
      if (s.kind == step_kind::send && s.left.bytes != 0) ++sends_[name_of(s.left)].expected;
    }
  }
  /// How a piece that is sent now goes.
  [[nodiscard]] way send(const piece& what) {
    const auto known = sends_.find(name_of(what));
    if (known == sends_.end() || known->second.expected < 2) return way::from_main;
    return known->second.sent++ == 0 ? way::copied_first : way::from_nic;
  }

 private:
  using name = std::tuple<buffer, std::uint64_t, std::uint64_t>;
  struct times {
    std::uint64_t expected = 0;
    std::uint64_t sent = 0;
  };
  static name name_of(const piece& p) { return {p.of, p.offset, p.bytes}; }

  std::map<name, times> sends_;
};

/// The machine as messages from NIC memory see it. Throws `error` (configuration) where it does not
/// say what they cost.
[[nodiscard]] machine sending_from_nic(machine on);

}  // namespace upwash::schedule::detail
