// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Algorithms written as coroutines: a function that returns `steps` and emits one rank's steps in
// the order of its source. `co_yield out.send(...)` emits a step and returns its mark.
//
//   steps pass_on(script& out, int ranks, int rank, std::uint64_t bytes) {
//     const piece data{buffer::output, 0, bytes};
//     mark here = never;
//     if (rank != 0) here = co_yield out.receive(rank - 1, 0, data);
//     if (rank + 1 != ranks) co_yield out.send(rank + 1, 0, data).after(here);
//   }
//
// Steps are written outside the coroutine's frame (step_writer.hpp). Parameters are plain values.
// References, and spans from `given` and `words`, are valid only until the next step.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "upwash/schedule/repetition.hpp"
#include "upwash/schedule/step_writer.hpp"

namespace upwash::schedule {

class part;
class rounds;
class script;

/// A coroutine that emits steps. Its first parameter is the script, which outlives it.
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
  inline ~steps();

  [[nodiscard]] bool ended() const noexcept { return of_.done(); }
  [[nodiscard]] handle where() const noexcept { return of_; }

 private:
  handle of_;
};

/// Runs a coroutine and holds the writer of its steps. Neither movable nor copyable.
class script : public step_writer {
 public:
  script() = default;
  script(const script&) = delete;
  script& operator=(const script&) = delete;

  /// The consumer's side. Takes the coroutine to which this script was passed.
  void begin(steps&& of);
  [[nodiscard]] bool begun() const noexcept { return running_.has_value(); }
  /// Ends the coroutine. Another one may then begin in its memory.
  void give_up() noexcept;
  /// Emits the next step; returns false at the end.
  [[nodiscard]] bool next(step& out, tape& on);
  /// Returns the repetition from the next step on (repetition.hpp).
  [[nodiscard]] repetition repeats(tape& on);
  void skip(std::uint64_t rounds) noexcept;
  /// `prefetch` fetches the script's memory, `prefetch_frames` afterwards that of the frames.
  void prefetch() const noexcept;
  void prefetch_frames() const noexcept;
  /// Returns the bytes of the frames of the coroutine and its parts, for the largest number that
  /// existed at a time.
  [[nodiscard]] std::size_t frame_bytes() const noexcept;

 private:
  friend class steps;
  friend class steps::promise_type;
  friend class part;
  friend class rounds;

  /// A coroutine, its parts, and their parts.
  static constexpr std::size_t most_frames = 5;
  struct frame {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes = 0;
  };

  void resume(step& out, tape& on);
  /// Frames are released in reverse order of their creation, so that their memory is reused.
  [[nodiscard]] void* make_frame(std::size_t bytes);
  void give_frame_back() noexcept { --frames_in_use_; }
  void emitted_by_part();
  [[nodiscard]] std::coroutine_handle<> ended() noexcept;

  frame frames_[most_frames];  // declared before the coroutines that run in them
  std::size_t frames_in_use_ = 0;
  std::optional<steps> running_;
  std::coroutine_handle<> innermost_;  ///< the coroutine to resume
  part* in_ = nullptr;                 ///< the part to which it belongs; null: it is `running_`
  bool watched_ = false;               ///< the consumer asks for the beginnings of rounds
  rounds* between_ = nullptr;          ///< the coroutine is before a round of these
  bool ahead_ = false;  ///< the coroutine is after a step that no consumer has taken yet:
  std::unique_ptr<step> next_;
};

/// Rounds that are equal from `from` on, which a pricer may skip:
///
///   rounds turns(out, ranks - 1);
///   while (co_await turns.next()) { ... turns.now() ... }
///
/// A round must pass its state on to the next round, and must not derive state from the round's
/// number, because the rounds between may have been skipped.
class rounds {
 public:
  /// `edges`: difference of edge numbers between consecutive rounds.
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
  /// Awaitable: returns whether there is another round. `alike`: if lengths change between rounds,
  /// the number of equal rounds from this one on.
  [[nodiscard]] turn next(std::uint64_t alike = ~std::uint64_t{0}) noexcept {
    alike_ = alike;
    return {*this};
  }
  /// Returns the number of the round that `next` begins.
  [[nodiscard]] std::int64_t coming() const noexcept { return static_cast<std::int64_t>(next_); }
  /// Returns the number of the current round, from 0.
  [[nodiscard]] std::uint64_t now() const noexcept { return next_ - 1; }

 private:
  friend class script;
  script& of_;
  std::uint64_t next_ = 0;
  std::uint64_t count_;
  std::uint64_t from_;
  std::uint64_t alike_ = 0;
  std::uint32_t edges_;
};

class steps::promise_type {
 public:
  template <class... Parameters>
  explicit promise_type(script& of, const Parameters&... /*rest*/) noexcept : of_(of) {}
  /// For a member function.
  template <class Self, class... Parameters>
  requires(!std::is_same_v<std::remove_cvref_t<Self>, script>)
      promise_type(Self&& /*object*/, script& of, const Parameters&... /*rest*/)
  noexcept : of_(of) {}

  template <class... Parameters>
  static void* operator new(std::size_t bytes, script& of, const Parameters&... /*rest*/) {
    return of.make_frame(bytes);
  }
  template <class Self, class... Parameters>
  requires(!std::is_same_v<std::remove_cvref_t<Self>, script>) static void* operator new(
      std::size_t bytes, Self&& /*object*/, script& of, const Parameters&... /*rest*/) {
    return of.make_frame(bytes);
  }
  /// The script keeps the memory.
  static void operator delete(void* /*frame*/, std::size_t /*bytes*/) noexcept {}

  /// When a part ends, the enclosing coroutine continues.
  struct end {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(handle of) const noexcept {
      return of.promise().of_.ended();
    }
    void await_resume() const noexcept {}
  };

  [[nodiscard]] script& of() const noexcept { return of_; }
  steps get_return_object() noexcept { return steps(handle::from_promise(*this)); }
  std::suspend_always initial_suspend() noexcept { return {}; }
  end final_suspend() noexcept { return {}; }
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
    of_.take_written();
    const mark at = of_.on_->emit(*of_.out_);
    if (of_.in_ != nullptr) of_.emitted_by_part();
    return {at};
  }

 private:
  script& of_;
};

inline steps::~steps() {
  if (!of_) return;
  script& in = of_.promise().of();
  of_.destroy();
  in.give_frame_back();
}

}  // namespace upwash::schedule
