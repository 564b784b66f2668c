// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Handlers of the memory lane, for layers above core: accumulate, locks, transfers of many pieces.
// A handler is a plain function that runs at the owner of memory, next to puts and gets by message.
// It runs wherever the memory lane is served: in any wait of the owner, or on the owner's progress
// thread. One handler of a rank runs at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "upwash/conduit/endpoint.hpp"
#include "upwash/core/global_ptr.hpp"
#include "upwash/core/request.hpp"

namespace upwash {

class job;

namespace detail {
class memory_engine;
struct region_state;
}  // namespace detail

/// Names the initiator to answer later. Plain data; used up by the answer.
struct pending_answer {
  int rank = -1;
  std::uint64_t name = 0;
};

/// A call as its handler sees it. Valid until the handler returns.
///
/// A handler touches registered memory and its own state only, never the job. It sends nothing
/// except its answer. Calls of one rank to one owner run in the order in which they were begun.
/// They see the puts and atomics that this rank began there before them. A put that is begun after
/// a call may overtake the call if the conduit moves data by itself: wait for the call first.
/// @code
/// void scale(upwash::memory_call& call, double factor) {
///   for (double& x : call.values<double>(0, 4)) x *= factor;
/// }
/// void scale_at_owner(upwash::job& here, upwash::global_ptr<double> to) {
///   const auto op = upwash::add_memory_handler<&scale>(here, "my_layer.scale");
///   upwash::call_owner(here, op, to, {}, 2.0).wait();
/// }
/// @endcode
class memory_call {
 public:
  [[nodiscard]] int source() const noexcept { return source_; }  ///< world rank of the initiator
  [[nodiscard]] int rank() const noexcept;                       ///< world rank of the owner
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }  ///< addressed
  [[nodiscard]] std::span<const std::byte> payload() const noexcept { return payload_; }

  /// Returns `count` bytes of the owner's part of the region, from `at` bytes after the addressed
  /// location (below 0: before it). Throws `error` (fault) if the bytes leave the part. O(1).
  [[nodiscard]] std::span<std::byte> bytes(std::int64_t at, std::uint64_t count) const;

  /// Returns `count` elements of T from element `first`, relative to the addressed location. Throws
  /// `error` (fault) if they leave the part or are not aligned as T is.
  template <class T>
  [[nodiscard]] std::span<T> values(std::int64_t first, std::uint64_t count) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::byte* found = elements(first, count, sizeof(T), alignof(T));
    return {reinterpret_cast<T*>(found), static_cast<std::size_t>(count)};
  }

  /// Answers the call, once. The bytes are copied before return; any size up to the initiator's
  /// room for the answer is allowed. If a handler does not answer, an answer of no bytes is sent
  /// when it returns. Never waits; an answer without credit is kept, which allocates.
  void answer(std::span<const std::byte> what);
  /// Defers the answer to a later handler here or to `give_answer`. The initiator waits for it.
  [[nodiscard]] pending_answer answer_later();
  /// Answers another call.
  void answer(const pending_answer& whom, std::span<const std::byte> what);

  /// Returns whether a check for conflicting puts is active. The handler then reports its writes,
  /// as a put does, but not its sums and swaps.
  [[nodiscard]] bool is_watched() const noexcept;
  void wrote(std::span<const std::byte> at);

  /// Charges virtual time for the handler's work.
  void charge(conduit::cost kind, std::uint64_t amount) noexcept;

 private:
  friend class detail::memory_engine;
  memory_call(detail::memory_engine& engine, const conduit::message& m, std::uint64_t name,
              const detail::region_state& region, std::uint64_t offset)
      : engine_(engine),
        region_(region),
        source_(m.source),
        offset_(offset),
        name_(name),
        payload_(m.payload) {}
  [[nodiscard]] std::byte* elements(std::int64_t first, std::uint64_t count, std::size_t size,
                                    std::size_t alignment) const;

  detail::memory_engine& engine_;
  const detail::region_state& region_;
  int source_;
  bool open_ = true;  ///< not answered yet
  std::uint64_t offset_;
  std::uint64_t name_;  ///< of the operation, at the initiator
  std::span<const std::byte> payload_;
};

namespace detail {

/// The parameters of a handler: a memory_call, then optionally its state by reference, then plain
/// arguments.
template <class Function>
struct memory_handler_traits;
template <class... Args>
struct memory_handler_traits<void (*)(memory_call&, Args...)> {
  using state = void;
  using values = std::tuple<std::remove_cvref_t<Args>...>;
  static constexpr std::size_t bytes = (sizeof(std::remove_cvref_t<Args>) + ... + 0);
  static constexpr bool plain = (std::is_trivially_copyable_v<std::remove_cvref_t<Args>> && ...);
};
template <class State, class... Args>
requires(
    !std::is_const_v<State>) struct memory_handler_traits<void (*)(memory_call&, State&, Args...)>
    : memory_handler_traits<void (*)(memory_call&, Args...)> {
  using state = State;
};

template <class... Args>
struct memory_handler_traits<void (*)(memory_call&, Args...) noexcept>
    : memory_handler_traits<void (*)(memory_call&, Args...)> {};

/// The bytes in the message line for a call's arguments, after core's own fields.
inline constexpr std::size_t most_call_bytes = conduit::max_argument_bytes - 24;

struct packed_call {
  std::uint32_t number = 0;
  std::uint8_t size = 0;
  std::array<std::byte, most_call_bytes> arguments;
};

template <auto Handler>
struct memory_pack {
  using traits = memory_handler_traits<decltype(Handler)>;
  using state = typename traits::state;
  using values = typename traits::values;
  static_assert(traits::plain && traits::bytes <= most_call_bytes,
                "arguments of a memory handler are plain values of 24 bytes together at most; what "
                "is larger goes into the payload");

  template <class... Args>
  static packed_call write(std::uint32_t number, const Args&... args) {
    static_assert(sizeof...(Args) == std::tuple_size_v<values>,
                  "one argument for each parameter of the handler");
    packed_call packed;
    packed.number = number;
    packed.size = static_cast<std::uint8_t>(traits::bytes);
    const values converted(args...);
    std::byte* at = packed.arguments.data();
    std::apply([&at](const auto&... each) { (copy_out(at, each), ...); }, converted);
    return packed;
  }

  static void run(memory_call& call, std::span<const std::byte> arguments, void* with) {
    values taken;
    const std::byte* at = arguments.data();
    std::apply([&at](auto&... each) { (copy_in(at, each), ...); }, taken);
    if constexpr (std::is_void_v<state>) {
      std::apply([&](const auto&... each) { Handler(call, each...); }, taken);
    } else {
      std::apply([&](const auto&... each) { Handler(call, *static_cast<state*>(with), each...); },
                 taken);
    }
  }

 private:
  template <class T>
  static void copy_out(std::byte*& at, const T& value) {
    std::memcpy(at, &value, sizeof value);
    at += sizeof value;
  }
  template <class T>
  static void copy_in(const std::byte*& at, T& value) {
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
  }
};

using memory_thunk = void (*)(memory_call&, std::span<const std::byte>, void*);
std::uint32_t enter_memory_handler(job& here, std::string_view name, memory_thunk run, void* state,
                                   std::size_t argument_bytes);

}  // namespace detail

/// A registered handler. Plain data.
template <auto Handler>
struct memory_operation {
  std::uint32_t number = 0;
};

/// Registers a handler at this rank. `name`, a literal, identifies the handler on the wire. All
/// ranks register it before any rank calls it: a call that finds no handler ends the owner's job
/// with an error that says so. Registration of the same name with the same state again changes
/// nothing. Local. O(handlers). Throws `error` (argument) if another handler has the name.
template <auto Handler>
requires(std::is_void_v<typename detail::memory_pack<Handler>::state>)
    [[nodiscard]] memory_operation<Handler> add_memory_handler(job& here, std::string_view name) {
  using pack = detail::memory_pack<Handler>;
  return {detail::enter_memory_handler(here, name, &pack::run, nullptr, pack::traits::bytes)};
}

/// Registers a handler with a state, which must outlive the job's communication. Handlers access
/// the state one at a time. Any other code holds a `memory_hold` while it accesses the state.
template <auto Handler>
requires(!std::is_void_v<typename detail::memory_pack<Handler>::state>)
    [[nodiscard]] memory_operation<Handler> add_memory_handler(
        job& here, std::string_view name, typename detail::memory_pack<Handler>::state& state) {
  using pack = detail::memory_pack<Handler>;
  return {detail::enter_memory_handler(here, name, &pack::run, &state, pack::traits::bytes)};
}

/// The caller's memory that a call uses until it is complete.
struct call_buffers {
  std::span<const std::byte> payload = {};  ///< at most `medium_limit(job, owner)` bytes
  std::span<std::byte> answer = {};         ///< room for the answer
  std::size_t* answered = nullptr;          ///< bytes used for the answer, or null
};

namespace detail {
request call_packed(job& here, const packed_call& what, global_ptr<std::byte> at,
                    const call_buffers& with);
void call_packed(job& here, const packed_call& what, global_ptr<std::byte> at,
                 const call_buffers& with, const notices& when);
void call_packed(job& here, const packed_call& what, global_ptr<std::byte> at,
                 const call_buffers& with, implicit_t);
}  // namespace detail

/// Runs the handler at the owner of `at`. Nonblocking, also from handlers of messages: a call
/// without credit waits in order and is sent by progress. The request is complete when the handler
/// has run and its answer is in `with.answer`. No allocation in the steady state. Cost: one message
/// there and one back, more for answers above the medium size. Throws `error` (argument) for a
/// region that this rank does not know, and for a payload that is too large. An answer larger than
/// its room ends the job with an error.
template <auto Handler, class T, class... Args>
[[nodiscard]] request call_owner(job& here, memory_operation<Handler> what, global_ptr<T> at,
                                 const call_buffers& with, const Args&... args) {
  return detail::call_packed(here, detail::memory_pack<Handler>::write(what.number, args...),
                             at.template as<std::byte>(), with);
}

/// Runs the handler and reports each stage to `when`. local: the payload may be reused. remote: the
/// handler has run and its answer has arrived.
template <auto Handler, class T, class... Args>
void call_owner(job& here, const notices& when, memory_operation<Handler> what, global_ptr<T> at,
                const call_buffers& with, const Args&... args) {
  detail::call_packed(here, detail::memory_pack<Handler>::write(what.number, args...),
                      at.template as<std::byte>(), with, when);
}

/// Runs the handler; completed by `job.quiet()`.
template <auto Handler, class T, class... Args>
void call_owner(job& here, implicit_t, memory_operation<Handler> what, global_ptr<T> at,
                const call_buffers& with, const Args&... args) {
  detail::call_packed(here, detail::memory_pack<Handler>::write(what.number, args...),
                      at.template as<std::byte>(), with, implicit);
}

/// Answers a deferred call from outside handlers, on the owner's thread, without a `memory_hold`.
/// The bytes are copied before return. Never waits.
void give_answer(job& here, const pending_answer& whom, std::span<const std::byte> what);

/// Keeps memory handlers of this rank from running during its lifetime, for the rank's own access
/// to their state. Hold it briefly, and call nothing of the library meanwhile. Free without a
/// progress thread.
class memory_hold {
 public:
  explicit memory_hold(job& here);
  ~memory_hold();
  memory_hold(const memory_hold&) = delete;
  memory_hold& operator=(const memory_hold&) = delete;

 private:
  detail::memory_engine& engine_;
};

}  // namespace upwash
