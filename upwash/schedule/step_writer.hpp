// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a coroutine (script.hpp) writes a step: a function for each kind takes what a step of that
// kind must have; what it may have besides is said behind it. So no step is half filled or carries
// another kind's fields. It is written where the consumer wants it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/schedule/step.hpp"
#include "upwash/schedule/tape.hpp"

namespace upwash::schedule {

class step_writer;

/// A step being written: what all kinds have. It is emitted by `co_yield`, once, before another one
/// is written: else the script throws `error` (fault).
template <class Self>
class written_step {
 public:
  explicit written_step(step_writer& of) noexcept : of_(&of) {}

  /// It waits for the steps marked, four at most in all; `never` is no mark. Throws `error` (fault)
  /// for more.
  template <class... Marks>
  Self after(Marks... earlier) const {
    static_assert(sizeof...(Marks) <= step::most_dependencies);
    (wait_for(earlier), ...);
    return self();
  }
  /// It waits for all steps before it.
  Self after_all() const;
  /// For counting and drawing; else the edge's number is the round's.
  Self in_round(std::uint32_t round) const;

 protected:
  [[nodiscard]] step& written() const noexcept;
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

 private:
  void wait_for(mark earlier) const;

  step_writer* of_;
};

/// Copies, reductions, stages, what the network carries out, and the end of a collection.
class local_step : public written_step<local_step> {
 public:
  using written_step::written_step;
};

/// Adds 1 to a counter, the rank's own or a peer's.
class signal_step : public written_step<signal_step> {
 public:
  using written_step::written_step;
  signal_step to(int peer) const;
};

/// Waits for a counter, the rank's own or a peer's.
class await_step : public written_step<await_step> {
 public:
  using written_step::written_step;
  await_step of_peer(int peer) const;
};

class send_step : public written_step<send_step> {
 public:
  using written_step::written_step;
  /// The words go in front of the data.
  send_step with_header(slots words) const;
  /// The sender knows where it lands: a piece of the peer's output or input, free from the peer's
  /// entry on. The receive says `placed` too.
  send_step placed(const piece& at_peer) const;
  /// Done only when the peer's executor has it.
  send_step acknowledged() const;
  /// The first word of the header says how many words it has.
  send_step counted() const;
};

class receive_step : public written_step<receive_step> {
 public:
  using written_step::written_step;
  /// The words in front of the data are written there.
  receive_step with_header(slots words) const;
  receive_step placed() const;
  receive_step counted() const;
  /// Any length up to that of the piece comes; it is written to the slot.
  receive_step with_length(std::int32_t slot) const;
};

class step_writer {
 public:
  /// `what` goes to rank `to`; `edge` is unique for this pair of ranks, in this direction.
  [[nodiscard]] send_step send(int to, std::uint32_t edge, const piece& what);
  /// Edge `edge` from rank `from` is written to `into`; as long as what is sent.
  [[nodiscard]] receive_step receive(int from, std::uint32_t edge, const piece& into);
  [[nodiscard]] local_step copy(const piece& from, const piece& into);
  /// into = left op right; `into` may be one of them.
  [[nodiscard]] local_step reduce(const piece& left, const piece& right, const piece& into);
  /// The coroutine goes on once all before is done: slots that came can then be read.
  [[nodiscard]] local_step stage();
  /// Scratch is of so many bytes, and there are so many slots, at least from here on.
  [[nodiscard]] local_step grow(std::uint64_t scratch_bytes, std::uint32_t slots = 0);
  [[nodiscard]] signal_step signal(std::uint32_t counter);
  /// Until the counter is at least `value`.
  [[nodiscard]] await_step await(std::uint32_t counter, std::uint64_t value);
  /// From here on messages of edge `edge` from any member are taken, to be handed to the caller as
  /// they come.
  [[nodiscard]] local_step collect(std::uint32_t edge);
  /// None of them comes any more: all are here.
  [[nodiscard]] local_step close(std::uint32_t edge);
  /// So many come: it waits for them, or, where all are here, refuses another number.
  [[nodiscard]] local_step close_after(std::uint32_t edge, std::uint64_t messages);
  [[nodiscard]] local_step close_at(std::uint32_t edge, std::uint64_t messages);
  /// `what` is handed to the caller as a message from `source`.
  [[nodiscard]] local_step deliver(int source, const piece& what);
  /// The network's part: `what` of `root` to `into` of all; all ranks' `what` combined to `into` of
  /// `root` (`own`: of all); nobody passes before all have come.
  [[nodiscard]] local_step net_multicast(int root, const piece& what, const piece& into);
  [[nodiscard]] local_step net_reduce(int root, const piece& what, const piece& into);
  [[nodiscard]] local_step net_barrier();
  /// As it was emitted elsewhere, with the distances to those that it waits for.
  [[nodiscard]] local_step as_recorded(const step& emitted);

  /// What it is written on; good until the step is emitted.
  [[nodiscard]] const tape& on() const noexcept { return *on_; }
  /// The mark of the latest step.
  [[nodiscard]] mark latest() const { return on_->latest(); }
  /// As in tape.hpp.
  [[nodiscard]] std::span<const std::uint64_t> given(std::size_t i) const { return on_->given(i); }
  [[nodiscard]] std::uint64_t input_bytes() const { return on_->input_bytes(); }
  [[nodiscard]] std::uint64_t output_bytes() const { return on_->output_bytes(); }
  [[nodiscard]] std::span<std::uint64_t> words() const { return on_->slots(); }

 protected:
  step_writer() = default;
  ~step_writer() = default;

  /// The step that was written leaves.
  void take_written() {
    if (!written_) [[unlikely]]
      refuse_again();
    written_ = false;
  }
  /// Wherever a coroutine stands or ends, it has emitted what it wrote.
  void check_emitted() const {
    if (written_) [[unlikely]]
      refuse_another();
  }
  void drop_written() noexcept { written_ = false; }

  step* out_ = nullptr;  ///< these two: while the coroutine runs
  tape* on_ = nullptr;

 private:
  template <class Self>
  friend class written_step;

  step& fresh(step_kind kind);
  [[noreturn]] static void refuse_mark();
  [[noreturn]] static void refuse_another();
  [[noreturn]] static void refuse_again();

  bool written_ = false;  ///< a step, and not emitted
};

// Inline: each step of each algorithm goes through these.

inline step& step_writer::fresh(step_kind kind) {
  check_emitted();
  written_ = true;
  out_->kind = kind;
  return *out_;
}

inline send_step step_writer::send(int to, std::uint32_t edge, const piece& what) {
  step& s = fresh(step_kind::send);
  s.peer = to;
  s.edge = s.round = edge;
  s.left.set(what);
  return send_step(*this);
}

inline receive_step step_writer::receive(int from, std::uint32_t edge, const piece& into) {
  step& s = fresh(step_kind::receive);
  s.peer = from;
  s.edge = s.round = edge;
  s.into.set(into);
  return receive_step(*this);
}

inline local_step step_writer::copy(const piece& from, const piece& into) {
  step& s = fresh(step_kind::copy);
  s.left.set(from);
  s.into.set(into);
  return local_step(*this);
}

inline local_step step_writer::reduce(const piece& left, const piece& right, const piece& into) {
  step& s = fresh(step_kind::reduce);
  s.left.set(left);
  s.right.set(right);
  s.into.set(into);
  return local_step(*this);
}

inline local_step step_writer::stage() {
  fresh(step_kind::stage).after_all = true;
  return local_step(*this);
}

inline signal_step step_writer::signal(std::uint32_t counter) {
  fresh(step_kind::signal).edge = counter;
  return signal_step(*this);
}

inline await_step step_writer::await(std::uint32_t counter, std::uint64_t value) {
  step& s = fresh(step_kind::await);
  s.edge = counter;
  s.value = value;
  return await_step(*this);
}

inline signal_step signal_step::to(int peer) const {
  written().peer = peer;
  return *this;
}

inline await_step await_step::of_peer(int peer) const {
  written().peer = peer;
  return *this;
}

template <class Self>
step& written_step<Self>::written() const noexcept {
  return *of_->out_;
}

template <class Self>
void written_step<Self>::wait_for(mark earlier) const {
  if (earlier == never) return;
  std::size_t i = 0;
  while (written().after[i] != 0) {
    if (++i == step::most_dependencies) [[unlikely]]
      step_writer::refuse_mark();
  }
  written().after[i] = static_cast<std::uint32_t>(of_->on_->latest() + 1 - earlier);
}

template <class Self>
Self written_step<Self>::after_all() const {
  written().after_all = true;
  return self();
}

template <class Self>
Self written_step<Self>::in_round(std::uint32_t round) const {
  written().round = round;
  return self();
}

inline send_step send_step::with_header(slots words) const {
  written().header = words;
  return *this;
}

inline send_step send_step::placed(const piece& at_peer) const {
  written().placed = true;
  written().into.set(at_peer);
  return *this;
}

inline receive_step receive_step::with_header(slots words) const {
  written().header = words;
  return *this;
}

inline send_step send_step::acknowledged() const {
  written().acknowledged = true;
  return *this;
}

inline send_step send_step::counted() const {
  written().counted = true;
  return *this;
}

inline receive_step receive_step::placed() const {
  written().placed = true;
  return *this;
}

inline receive_step receive_step::counted() const {
  written().counted = true;
  return *this;
}

inline receive_step receive_step::with_length(std::int32_t slot) const {
  written().length_slot = slot;
  return *this;
}

}  // namespace upwash::schedule
