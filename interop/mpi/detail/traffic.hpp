// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A collective call between its arguments and its end: what travels, and the memory for it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "interop/mpi/detail/buffers.hpp"
#include "interop/mpi/detail/near_call.hpp"
#include "upwash/collective/call.hpp"

namespace upwash::mpi {

/// Filled by the functions of describe.hpp. Stays in its place: what goes refers to it.
struct traffic {
  std::optional<outgoing> sent;
  std::optional<incoming> received;
  std::optional<block_list> sent_blocks;
  std::optional<block_list> received_blocks;
  staged room;  ///< for what nobody looks at
  std::vector<std::uint64_t> lengths;
  std::vector<std::uint64_t> places;
  bool delivers = true;  ///< what is in `received` is news here; else it goes out from there

  /// Every library makes the same of it, to the byte: not so of what is combined in another order.
  bool exact = true;

  bool among_all = false;  ///< what goes are these two; neither this nor `near`: nothing, anywhere
  collective::call wanted;
  collective::binding buffers;
  near_call near;

  void set(const collective::call& what, const collective::binding& where) {
    wanted = what;
    buffers = where;
    among_all = true;
  }
  [[nodiscard]] bool goes() const noexcept { return among_all || near.among != nullptr; }
  /// Of the call's size class.
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return among_all ? wanted.what.bytes : near.bytes;
  }
  /// What the call writes for the program at this rank.
  [[nodiscard]] std::vector<elements> results() const {
    std::vector<elements> all;
    if (!delivers) return all;
    if (received) all.push_back(received->where());
    if (received_blocks) {
      all.insert(all.end(), received_blocks->blocks().begin(), received_blocks->blocks().end());
    }
    return all;
  }
  /// For calls that go on when the program may have freed its types.
  void keep_types() {
    if (received) received->keep_type(kept_);
    if (received_blocks) received_blocks->keep_types(kept_);
  }
  /// For calls that start when it may have.
  void keep_all_types() {
    keep_types();
    if (sent) sent->keep_type(kept_);
    if (sent_blocks) sent_blocks->keep_types(kept_);
  }
  /// What goes out gets to where it travels from: before each start.
  void load() const {
    if (sent_blocks) sent_blocks->load();
    if (sent) sent->load();
    if (received && !delivers) received->load();
  }
  /// What came gets to where the program wants it.
  void deliver() const {
    if (!delivers) return;
    if (received) received->deliver();
    if (received_blocks) received_blocks->deliver();
  }

 private:
  kept_types kept_;
};

}  // namespace upwash::mpi
