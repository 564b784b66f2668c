// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages: a message names a function that runs at the destination. Handlers are plain
// functions `void h(incoming&, Args...)`, named as template argument: `send<&h>(job, 3, 42)`.
// Arguments that are plain values of at most 48 bytes together travel in the message's line;
// others are archived into the payload (base/archive.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/base/archive.hpp"
#include "upwash/base/call_site.hpp"
#include "upwash/base/message.hpp"
#include "upwash/core/detail/am_pack.hpp"
#include "upwash/core/global_ptr.hpp"
#include "upwash/core/incoming.hpp"
#include "upwash/core/request.hpp"

namespace upwash {

class job;
class team;

/// Whether a nonblocking injection was taken; if not, why.
using send_result = injection;

/// A job, and the line that passes it: behind arguments of any number no default one can stand.
/// Made of a job where one is passed.
struct calling_job {
  /// Of a job, where it is passed; notes the place of the call.
  calling_job(job& passed, call_site at = call_site::current()) noexcept : here(passed), site(at) {}

  job& here;
  call_site site;
};

/// Sends a short message: `Handler(incoming, args...)` runs on `destination` (world rank).
/// Arguments are copied. Outside handlers it may wait for credit and run handlers meanwhile; in
/// a handler it never waits: what finds no credit is queued. In order per destination. One
/// message of at most 64 bytes on the wire when the arguments fit.
template <auto Handler, class... Args>
void send(calling_job from, int destination, const Args&... args);

/// The same with a payload of any size. It is copied before return: the span may be reused. Above
/// the conduit's medium size it travels in pieces and is put together in memory at the target.
template <auto Handler, class... Args>
void send_medium(calling_job from, int destination, std::span<const std::byte> payload,
                 const Args&... args);

/// As `send`, but it neither waits nor queues, wherever it is called: it answers done, or retry and
/// why.
template <auto Handler, class... Args>
[[nodiscard]] send_result try_send(job& here, int destination, const Args&... args);

/// The same with a payload of at most `medium_limit(job, destination)`, copied when it is taken;
/// throws `error` (argument) for a larger one.
template <auto Handler, class... Args>
[[nodiscard]] send_result try_send_medium(job& here, int destination,
                                          std::span<const std::byte> payload, const Args&... args);

/// Writes `payload` to `to` and then runs the handler there (its payload is empty). The request is
/// complete when the span may be reused. Unordered. Not from a handler. Where the data does not fit
/// the error comes as from `put`, and the handler does not run.
template <auto Handler, class... Args>
[[nodiscard]] request send_long(job& here, global_ptr<std::byte> to,
                                std::span<const std::byte> payload, const Args&... args);

/// Room for a payload inside the conduit, filled in place: no copy at the sender. Cancelled when
/// destroyed uncommitted. Until then this rank's handlers' messages to that destination wait, and
/// other sends to it, which would wait for ever, throw `error` (argument).
class prepared_payload {
 public:
  /// `bytes` at most `medium_limit(job, destination)`; one room for a destination at a time. May
  /// wait for credit; not from a handler. Throws `error` (argument) otherwise.
  prepared_payload(job& here, int destination, std::size_t bytes,
                   call_site site = call_site::current());
  ~prepared_payload();
  prepared_payload(const prepared_payload&) = delete;
  prepared_payload& operator=(const prepared_payload&) = delete;

  /// The room, to be filled in before it is committed.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return room_.payload; }

  /// Sends the first `used` bytes to `Handler(incoming, args...)`; args must be plain values.
  template <auto Handler, class... Args>
  void commit(std::size_t used, const Args&... args) {
    using pack = detail::am_pack<Handler>;
    static_assert(pack::in_line, "arguments beside a prepared payload are plain, 48 bytes at most");
    std::array<std::byte, max_argument_bytes> line;
    commit_packed(pack::thunk_address(), pack::write_line(line, args...), used);
  }
  /// Gives the room back; no message is sent. Nonblocking.
  void cancel() noexcept;

 private:
  bool reserve(bool behind_deferred, std::size_t bytes);
  void close() noexcept;
  void commit_packed(const void* thunk, std::span<const std::byte> arguments, std::size_t used);

  job& here_;
  reservation room_;
  std::vector<std::byte> own_;  ///< where the conduit has no room of its own
  bool inside_ = false;         ///< the room is the conduit's
  bool open_ = false;
};

/// The largest payload that travels in one piece to every peer; the same at all ranks.
[[nodiscard]] std::size_t medium_limit(const job& here) noexcept;
/// The largest that travels in one piece to this peer: at least as large.
[[nodiscard]] std::size_t medium_limit(const job& here, int peer) noexcept;
/// The largest that travels in one piece between any two members; the same at all of them.
/// O(size) at the first call for a team, then O(1).
[[nodiscard]] std::size_t medium_limit(const team& among);

namespace detail {

/// Sends packed arguments without a payload, unless that takes more than the conduit's word that
/// they went. False: nothing happened, use `send_packed`.
[[nodiscard]] bool send_line(job& here, int destination, lane kind, const void* thunk,
                             std::span<const std::byte> arguments);
/// Sends packed arguments; with `send_line` the one way from the typed calls into the injector.
void send_packed(const calling_job& from, int destination, lane kind, const void* thunk,
                 std::span<const std::byte> arguments, std::span<const std::byte> payload);
send_result try_send_packed(job& here, int destination, const void* thunk,
                            std::span<const std::byte> arguments,
                            std::span<const std::byte> payload);
request send_long_packed(job& here, global_ptr<std::byte> to, std::span<const std::byte> payload,
                         const void* thunk, std::span<const std::byte> arguments);
void check_reply(const job& here);

/// Bytes to write a message into, of the job's own where no other call has them: sent often they
/// cost no allocation.
class packing_buffer {
 public:
  explicit packing_buffer(job& here);
  packing_buffer(const packing_buffer&) = delete;
  packing_buffer& operator=(const packing_buffer&) = delete;
  ~packing_buffer();

  std::vector<std::byte> bytes;

 private:
  job& here_;
};

/// Room in the conduit for archived arguments and a payload, so that they are copied once. None
/// where the conduit has none now. Given back when destroyed unsent.
class archive_room {
 public:
  archive_room(job& here, int destination, lane kind, std::size_t bytes);
  archive_room(const archive_room&) = delete;
  archive_room& operator=(const archive_room&) = delete;
  ~archive_room();

  explicit operator bool() const noexcept { return open_; }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return room_.payload; }
  /// The first `used` bytes.
  void send(const void* thunk, std::span<const std::byte> arguments, std::size_t used);

 private:
  void close();

  job& here_;
  reservation room_;
  bool open_ = false;
};

/// Less is copied sooner than a room is opened and closed: 128 bytes took longer so, 256 less.
inline constexpr std::size_t least_archive_in_place = 256;

/// False: nothing happened.
template <auto Handler, class... Args>
[[nodiscard]] bool send_in_place(job& here, int destination, lane kind,
                                 std::span<const std::byte> payload, const Args&... args) {
  using pack = am_pack<Handler>;
  archive_writer counted{archive_writer::counting()};
  pack::write_to(counted, args...);
  const std::size_t bytes = counted.bytes() + payload.size();
  if (!counted.exact() || bytes < least_archive_in_place) return false;
  archive_room room(here, destination, kind, bytes);
  if (!room) return false;
  archive_writer archive(room.bytes().first(counted.bytes()));
  pack::write_to(archive, args...);
  if (!payload.empty()) {
    std::memcpy(room.bytes().data() + archive.bytes(), payload.data(), payload.size());
  }
  line_buffer line;
  room.send(pack::thunk_address(), pack::write_length(line, archive.bytes()),
            archive.bytes() + payload.size());
  return true;
}

template <auto Handler, class... Args>
void pack_and_send(const calling_job& from, int destination, lane kind,
                   std::span<const std::byte> payload, const Args&... args) {
  using pack = am_pack<Handler>;
  std::array<std::byte, max_argument_bytes> line;
  if constexpr (pack::in_line) {
    const auto arguments = pack::write_line(line, args...);
    if (payload.empty() &&
        send_line(from.here, destination, kind, pack::thunk_address(), arguments)) [[likely]] {
      return;
    }
    send_packed(from, destination, kind, pack::thunk_address(), arguments, payload);
  } else if (!send_in_place<Handler>(from.here, destination, kind, payload, args...)) {
    packing_buffer archived(from.here);
    const auto arguments = pack::write_archive(archived.bytes, line, args...);
    archived.bytes.insert(archived.bytes.end(), payload.begin(), payload.end());
    send_packed(from, destination, kind, pack::thunk_address(), arguments, archived.bytes);
  }
}

}  // namespace detail

template <auto Handler, class... Args>
void incoming::reply_medium(std::span<const std::byte> payload, const Args&... args) const {
  detail::check_reply(here_);
  detail::pack_and_send<Handler>(here_, message_.source, lane::reply, payload, args...);
}

template <auto Handler, class... Args>
void send(calling_job from, int destination, const Args&... args) {
  detail::pack_and_send<Handler>(from, destination, lane::request, {}, args...);
}

template <auto Handler, class... Args>
void send_medium(calling_job from, int destination, std::span<const std::byte> payload,
                 const Args&... args) {
  detail::pack_and_send<Handler>(from, destination, lane::request, payload, args...);
}

template <auto Handler, class... Args>
send_result try_send(job& here, int destination, const Args&... args) {
  return try_send_medium<Handler>(here, destination, {}, args...);
}

template <auto Handler, class... Args>
send_result try_send_medium(job& here, int destination, std::span<const std::byte> payload,
                            const Args&... args) {
  using pack = detail::am_pack<Handler>;
  static_assert(pack::in_line, "try_send takes plain arguments, 48 bytes at most");
  std::array<std::byte, max_argument_bytes> line;
  return detail::try_send_packed(here, destination, pack::thunk_address(),
                                 pack::write_line(line, args...), payload);
}

template <auto Handler, class... Args>
request send_long(job& here, global_ptr<std::byte> to, std::span<const std::byte> payload,
                  const Args&... args) {
  using pack = detail::am_pack<Handler>;
  static_assert(pack::in_line, "send_long takes plain arguments, 48 bytes at most");
  std::array<std::byte, max_argument_bytes> line;
  return detail::send_long_packed(here, to, payload, pack::thunk_address(),
                                  pack::write_line(line, args...));
}

}  // namespace upwash
