// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writes steps of a coroutine (script.hpp). Each kind of step has a function, which takes the
// required fields; chained calls add the optional ones. A step thus cannot be incomplete or carry
// fields of another kind. It is written directly at the consumer's address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/schedule/step.hpp"
#include "upwash/schedule/tape.hpp"

namespace upwash::schedule {

class step_writer;

/// A step under construction: the operations of all kinds. `co_yield` emits it, once, before
/// another step is written; otherwise the script throws `error` (fault).
template <class Self>
class written_step {
 public:
  explicit written_step(step_writer& of) noexcept : of_(&of) {}

  /// Makes the step wait for the marked steps, at most four in total; `never` is no dependency.
  /// Throws `error` (fault) for more.
  template <class... Marks>
  Self after(Marks... earlier) const {
    static_assert(sizeof...(Marks) <= step::most_dependencies);
    (wait_for(earlier), ...);
    return self();
  }
  /// Makes the step wait for all earlier steps.
  Self after_all() const;
  /// Sets the round, for counting and drawing. By default the round is the edge's number.
  Self in_round(std::uint32_t round) const;

 protected:
  [[nodiscard]] step& written() const noexcept;
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

 private:
  void wait_for(mark earlier) const;

  step_writer* of_;
};

/// Copies, reductions, stages, network operations, and the end of a collection.
class local_step : public written_step<local_step> {
 public:
  using written_step::written_step;
};

/// Adds 1 to a counter of this rank or of a peer.
class signal_step : public written_step<signal_step> {
 public:
  using written_step::written_step;
  signal_step to(int peer) const;
};

/// Waits for a counter of this rank or of a peer.
class await_step : public written_step<await_step> {
 public:
  using written_step::written_step;
  await_step of_peer(int peer) const;
};

class send_step : public written_step<send_step> {
 public:
  using written_step::written_step;
  /// Puts the words in front of the data.
  send_step with_header(slots words) const;
  /// Declares that the sender knows the destination: a piece of the peer's output or input, free
  /// from the peer's entry on. The receive must be `placed` too.
  send_step placed(const piece& at_peer) const;
  /// Completes the send only when the peer's executor has the message.
  send_step acknowledged() const;
  /// The first word of the header gives its number of words.
  send_step counted() const;
};

class receive_step : public written_step<receive_step> {
 public:
  using written_step::written_step;
  /// Writes the words in front of the data to these slots.
  receive_step with_header(slots words) const;
  receive_step placed() const;
  receive_step counted() const;
  /// Accepts any length up to that of the piece, and writes it to the slot.
  receive_step with_length(std::int32_t slot) const;
};

class step_writer {
 public:
  /// Sends `what` to rank `to`. `edge` is unique for this pair of ranks, in this direction.
  [[nodiscard]] send_step send(int to, std::uint32_t edge, const piece& what);
  /// Writes edge `edge` from rank `from` to `into`, which has the length of the sent data.
  [[nodiscard]] receive_step receive(int from, std::uint32_t edge, const piece& into);
  [[nodiscard]] local_step copy(const piece& from, const piece& into);
  /// into = left op right; `into` may be one of them.
  [[nodiscard]] local_step reduce(const piece& left, const piece& right, const piece& into);
  /// Continues the coroutine when all earlier steps are complete. Received slots can then be read.
  [[nodiscard]] local_step stage();
  /// Ensures from here on at least this much scratch and this many slots.
  [[nodiscard]] local_step grow(std::uint64_t scratch_bytes, std::uint32_t slots = 0);
  [[nodiscard]] signal_step signal(std::uint32_t counter);
  /// Waits until the counter is at least `value`.
  [[nodiscard]] await_step await(std::uint32_t counter, std::uint64_t value);
  /// Accepts from here on messages of edge `edge` from any member, and hands them to the caller as
  /// they arrive.
  [[nodiscard]] local_step collect(std::uint32_t edge);
  /// Ends the collection: all messages have arrived.
  [[nodiscard]] local_step close(std::uint32_t edge);
  /// End the collection with a known number of messages. `close_after` waits for them; `close_at`
  /// is for the case that all have arrived, and refuses another number.
  [[nodiscard]] local_step close_after(std::uint32_t edge, std::uint64_t messages);
  [[nodiscard]] local_step close_at(std::uint32_t edge, std::uint64_t messages);
  /// Hands `what` to the caller as a message from `source`.
  [[nodiscard]] local_step deliver(int source, const piece& what);
  /// Operations of the network. `net_multicast` copies `what` of `root` to `into` of all.
  /// `net_reduce` combines all ranks' `what` into `into` of `root` (`own`: of all). `net_barrier`
  /// lets no rank pass before all have arrived.
  [[nodiscard]] local_step net_multicast(int root, const piece& what, const piece& into);
  [[nodiscard]] local_step net_reduce(int root, const piece& what, const piece& into);
  [[nodiscard]] local_step net_barrier();
  /// Emits a recorded step, with the distances to its dependencies.
  [[nodiscard]] local_step as_recorded(const step& emitted);

  /// Returns the tape of the steps; valid until the step is emitted.
  [[nodiscard]] const tape& on() const noexcept { return *on_; }
  /// Returns the mark of the latest step.
  [[nodiscard]] mark latest() const { return on_->latest(); }
  /// As in tape.hpp.
  [[nodiscard]] std::span<const std::uint64_t> given(std::size_t i) const { return on_->given(i); }
  [[nodiscard]] std::uint64_t input_bytes() const { return on_->input_bytes(); }
  [[nodiscard]] std::uint64_t output_bytes() const { return on_->output_bytes(); }
  [[nodiscard]] std::span<std::uint64_t> words() const { return on_->slots(); }

 protected:
  step_writer() = default;
  ~step_writer() = default;

  /// Marks the written step as emitted.
  void take_written() {
    if (!written_) [[unlikely]]
      refuse_again();
    written_ = false;
  }
  /// Checks that the coroutine has emitted the step that it wrote. Called at each suspension and at
  /// the end.
  void check_emitted() const {
    if (written_) [[unlikely]]
      refuse_another();
  }
  void drop_written() noexcept { written_ = false; }

  step* out_ = nullptr;  ///< with on_: valid while the coroutine runs
  tape* on_ = nullptr;

 private:
  template <class Self>
  friend class written_step;

  step& fresh(step_kind kind);
  [[noreturn]] static void refuse_mark();
  [[noreturn]] static void refuse_another();
  [[noreturn]] static void refuse_again();

  bool written_ = false;  ///< a step that is not emitted yet
};

// Inline, because each step of each algorithm calls these.

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
