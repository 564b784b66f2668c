// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies and reductions, with operands of this rank or of a peer. A peer's buffer is reached at the
// same place of its region, or (address mode local) where the peer says that it is.
#pragma once

#include <vector>

#include "upwash/collective/detail/run/in_flight.hpp"
#include "upwash/collective/detail/run/keys.hpp"
#include "upwash/collective/detail/run/slots.hpp"

namespace upwash::collective::detail {

/// Asked of this rank: where a buffer of its operation is.
struct question {
  run_key of;
  schedule::buffer which = schedule::buffer::none;
  int rank = 0;             ///< who asks; world rank
  std::uint64_t asker = 0;  ///< its name for its slot
};

/// Moves the steps copy and reduce on. Owns the questions for operations that have not begun here;
/// what is exposed, and where peers' buffers are, is kept by the operation.
class peer_memory {
 public:
  peer_memory(job& here, slot_store& slots, const in_flight& running)
      : here_(here), slots_(slots), running_(running) {}

  /// Moves the step on; whether it came further. Throws `error` (argument) for pieces of peers that
  /// cannot be reached.
  bool copy(operation& op, slot& s);
  bool reduce(operation& op, slot& s);

  /// What peers read is made readable at once, where they find it without asking.
  void expose_buffers(operation& op);
  /// And is so no more.
  void conceal_buffers(operation& op);
  /// The questions that came before the operation did.
  void answer_questions(operation& op);

  // Messages, as they come.
  void asked(const question& by);
  void told(int owner, std::uint64_t asker, const exposed_memory& memory);

 private:
  bool moved(operation& op, slot& s);
  bool store_to_peer(operation& op, slot& s);
  bool read_from_peer(operation& op, slot& s, const schedule::piece& p, std::span<std::byte> into);
  void ask(operation& op, slot& s, const schedule::piece& p);
  [[nodiscard]] const exposed_memory& exposed(operation& op, schedule::buffer which);
  void answer(operation& op, const question& asked);

  job& here_;
  slot_store& slots_;
  const in_flight& running_;
  std::vector<question> questions_;
};

}  // namespace upwash::collective::detail
