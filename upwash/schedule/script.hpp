// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Algorithms written as coroutines: a function that returns `steps` and goes through one rank's
// part in the order of its source. `co_yield out.send(...)` emits a step and gives its mark.
//
//   steps pass_on(script& out, int ranks, int rank, std::uint64_t bytes) {
//     const piece data{buffer::output, 0, bytes};
//     mark here = never;
//     if (rank != 0) here = co_yield out.receive(rank - 1, 0, data);
//     if (rank + 1 != ranks) co_yield out.send(rank + 1, 0, data).after(here);
//   }
//
// A step is written where the consumer wants it, so none lies in the coroutine's frame. Parameters
// are plain values; references, and spans that `given` and `slots` returned, do not outlive a step.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "upwash/schedule/repetition.hpp"
#include "upwash/schedule/step.hpp"
#include "upwash/schedule/tape.hpp"

namespace upwash::schedule {

class rounds;
class script;

/// A coroutine that emits steps. The script that is its first parameter outlives it.
class [[nodiscard]] steps {
 public:
  class promise_type;
  using handle = std::coroutine_handle<promise_type>;

  explicit steps(handle of) noexcept : of_(of) {}
  steps(steps&& from) noexcept : of_(std::exchange(from.of_, nullptr)) {}
  steps& operator=(steps&& from) noexcept {
    std::swap(of_, from.of_);
    return *this;
  }
  ~steps() {
    if (of_) of_.destroy();
  }

  [[nodiscard]] bool ended() const noexcept { return of_.done(); }
  void resume() const { of_.resume(); }

 private:
  handle of_;
};

/// A step being written: what all kinds have. It is emitted by `co_yield`, before anything else is
/// asked of the script.
template <class Self>
class written_step {
 public:
  explicit written_step(script& of) noexcept : of_(&of) {}

  /// It waits for the steps marked, four at most; `never` is no mark.
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

  [[nodiscard]] script& of() const noexcept { return *of_; }

 protected:
  [[nodiscard]] step& written() const noexcept;
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

 private:
  void wait_for(mark earlier) const;

  script* of_;
};

/// Copies, reductions and stages.
class local_step : public written_step<local_step> {
 public:
  using written_step::written_step;
};

class send_step : public written_step<send_step> {
 public:
  using written_step::written_step;
  /// The words go in front of the data.
  send_step with_header(slots words) const;
  /// The sender knows where it lands: a piece of the peer's output or input, free from the peer's
  /// entry on. The receive says `placed` too.
  send_step placed(const piece& at_peer) const;
};

class receive_step : public written_step<receive_step> {
 public:
  using written_step::written_step;
  /// The words in front of the data are written there.
  receive_step with_header(slots words) const;
  receive_step placed() const;
};

/// What a coroutine writes its steps with. One for each run of one; it neither moves nor is copied.
class script {
 public:
  script() = default;
  script(const script&) = delete;
  script& operator=(const script&) = delete;

  /// `what` goes to rank `to`; `edge` is unique for this pair of ranks, in this direction.
  [[nodiscard]] send_step send(int to, std::uint32_t edge, const piece& what);
  /// Edge `edge` from rank `from` is written to `into`; as long as what is sent.
  [[nodiscard]] receive_step receive(int from, std::uint32_t edge, const piece& into);
  [[nodiscard]] local_step copy(const piece& from, const piece& into);
  /// into = left op right; `into` may be one of them.
  [[nodiscard]] local_step reduce(const piece& left, const piece& right, const piece& into);
  /// The coroutine goes on once all before is done: slots that came can then be read.
  [[nodiscard]] local_step stage();
  /// Scratch is of so many bytes at least from here on.
  [[nodiscard]] local_step grow(std::uint64_t scratch_bytes);

  /// As in tape.hpp.
  [[nodiscard]] std::span<const std::uint64_t> given(std::size_t i) const { return on_->given(i); }
  [[nodiscard]] std::uint64_t input_bytes() const { return on_->input_bytes(); }
  [[nodiscard]] std::uint64_t output_bytes() const { return on_->output_bytes(); }
  [[nodiscard]] std::span<std::uint64_t> words() const { return on_->slots(); }

  /// The consumer's side. Takes the coroutine that this script was given to.
  void begin(steps&& of) { running_.emplace(std::move(of)); }
  [[nodiscard]] bool begun() const noexcept { return running_.has_value(); }
  /// The next step; false at the end.
  [[nodiscard]] bool next(step& out, tape& on);
  /// What repeats from the next step on (repetition.hpp).
  [[nodiscard]] repetition repeats(tape& on);
  void skip(std::uint64_t rounds) noexcept;
  /// Of the coroutine's frame.
  [[nodiscard]] std::size_t frame_bytes() const noexcept { return frame_bytes_; }

 private:
  friend class steps::promise_type;
  friend class rounds;
  template <class Self>
  friend class written_step;

  [[nodiscard]] step& fresh(step_kind kind) noexcept;
  void resume(step& out, tape& on);
  [[nodiscard]] void* make_frame(std::size_t bytes);

  std::size_t frame_bytes_ = 0;
  std::unique_ptr<std::byte[]> frame_;  // before what runs in it
  std::optional<steps> running_;
  step* out_ = nullptr;  ///< these two: while the coroutine runs
  tape* on_ = nullptr;
  bool watched_ = false;       ///< the consumer wants to see where rounds begin
  rounds* between_ = nullptr;  ///< the coroutine stands before a round of these
  bool ahead_ = false;         ///< it stands behind a step that nobody has taken yet:
  std::unique_ptr<step> next_;
};

/// Rounds that are all alike from `from` on, which a pricer may pass over:
///
///   rounds turns(out, ranks - 1);
///   while (co_await turns.next()) { ... turns.now() ... }
///
/// What a round keeps for those after it is handed on from one to the next, and not found by the
/// round's number: the rounds between may not have been walked.
class rounds {
 public:
  /// A round's edges are numbered by `edges` above those of the round before.
  rounds(script& of, std::uint64_t count, std::uint64_t from = 0, std::uint32_t edges = 1) noexcept
      : of_(of), count_(count), from_(from), edges_(edges) {}

  struct turn {
    rounds& of;
    [[nodiscard]] bool await_ready() const noexcept {
      return !of.of_.watched_ || of.next_ == of.count_;
    }
    void await_suspend(std::coroutine_handle<> /*here*/) const noexcept { of.of_.between_ = &of; }
    [[nodiscard]] bool await_resume() const noexcept { return of.next_++ < of.count_; }
  };
  /// Awaited: whether there is another round.
  [[nodiscard]] turn next() noexcept { return {*this}; }
  /// The round's number, from 0 on.
  [[nodiscard]] std::uint64_t now() const noexcept { return next_ - 1; }

 private:
  friend class script;
  script& of_;
  std::uint64_t next_ = 0;
  std::uint64_t count_;
  std::uint64_t from_;
  std::uint32_t edges_;
};

class steps::promise_type {
 public:
  template <class... Parameters>
  explicit promise_type(script& of, const Parameters&... /*rest*/) noexcept : of_(of) {}

  template <class... Parameters>
  static void* operator new(std::size_t bytes, script& of, const Parameters&... /*rest*/) {
    return of.make_frame(bytes);
  }
  /// The script keeps the memory.
  static void operator delete(void* /*frame*/, std::size_t /*bytes*/) noexcept {}

  steps get_return_object() noexcept { return steps(handle::from_promise(*this)); }
  std::suspend_always initial_suspend() noexcept { return {}; }
  std::suspend_always final_suspend() noexcept { return {}; }
  void return_void() noexcept {}
  [[noreturn]] void unhandled_exception() { throw; }

  struct emission {
    mark at;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> /*here*/) const noexcept {}
    mark await_resume() const noexcept { return at; }
  };
  template <class Step>
  emission yield_value(const Step& /*written*/) {
    return {of_.on_->emit(*of_.out_)};
  }

 private:
  script& of_;
};

// Inline: each step of each algorithm goes through these.

inline step& script::fresh(step_kind kind) noexcept {
  out_->kind = kind;
  return *out_;
}

inline send_step script::send(int to, std::uint32_t edge, const piece& what) {
  step& s = fresh(step_kind::send);
  s.peer = to;
  s.edge = s.round = edge;
  s.left = what;
  return send_step(*this);
}

inline receive_step script::receive(int from, std::uint32_t edge, const piece& into) {
  step& s = fresh(step_kind::receive);
  s.peer = from;
  s.edge = s.round = edge;
  s.into = into;
  return receive_step(*this);
}

inline local_step script::copy(const piece& from, const piece& into) {
  step& s = fresh(step_kind::copy);
  s.left = from;
  s.into = into;
  return local_step(*this);
}

inline local_step script::reduce(const piece& left, const piece& right, const piece& into) {
  step& s = fresh(step_kind::reduce);
  s.left = left;
  s.right = right;
  s.into = into;
  return local_step(*this);
}

inline local_step script::stage() {
  fresh(step_kind::stage).after_all = true;
  return local_step(*this);
}

inline local_step script::grow(std::uint64_t scratch_bytes) {
  fresh(step_kind::stage).into = {buffer::scratch, 0, scratch_bytes};
  return local_step(*this);
}

template <class Self>
step& written_step<Self>::written() const noexcept {
  return *of_->out_;
}

template <class Self>
void written_step<Self>::wait_for(mark earlier) const {
  if (earlier == never) return;
  std::size_t i = 0;
  while (written().after[i] != 0) ++i;
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
  written().into = at_peer;
  return *this;
}

inline receive_step receive_step::with_header(slots words) const {
  written().header = words;
  return *this;
}

inline receive_step receive_step::placed() const {
  written().placed = true;
  return *this;
}

}  // namespace upwash::schedule
