// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages solve this problem: a rank wants to run a function at another rank, without a
// matching call there. A message names its handler, a plain function `void h(incoming&, Args...)`,
// as template argument: `send<&h>(job, 3, 42)`. Plain arguments of at most 48 bytes together travel
// in the message line. Other arguments are archived into the payload (base/archive.hpp).
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
#include "upwash/core/team.hpp"

namespace upwash {

class job;

/// Says whether a nonblocking injection was accepted, and the reason if not.
using send_result = injection;

/// The ranks among which a destination is numbered: the ranks of a job, or the members of a team.
/// Converts implicitly from both, and records the source line of the call.
struct rank_space {
  /// A destination is a world rank.
  rank_space(job& passed, call_site at = call_site::current()) noexcept : here(passed), site(at) {}
  /// A destination is a member of the team, which outlives the call. Throws `error` (argument) for
  /// an empty handle.
  rank_space(const team& passed, call_site at = call_site::current())
      : here(passed.here()), site(at), members(&passed) {}

  /// Returns the world rank of a destination. Throws `error` (argument) for a number that is no
  /// member of the team.
  [[nodiscard]] int world_rank(int destination) const {
    return members == nullptr ? destination : members->world_rank(destination);
  }

  job& here;
  call_site site;
  const team* members = nullptr;  ///< null: all ranks of the job
};

/// Sends a short message: `Handler(incoming, args...)` runs at `destination`, a world rank if
/// `ranks` is a job, or a member if it is a team: `send<&add>(team, 0, 42)`.
///
/// Arguments are copied. Messages to one destination stay in order. Outside handlers the call may
/// wait for credit and run handlers while it waits. In a handler it never waits: a message without
/// credit is queued. Cost: one message of at most 64 bytes on the wire, if the arguments fit.
/// @code
/// void add(upwash::incoming& in, int value) {
///   std::printf("rank %d sent %d\n", in.source(), value);
/// }
/// int main(int argc, char** argv) {
///   return upwash::run(argc, argv, [](upwash::job& job) {
///     upwash::send<&add>(job, (job.rank() + 1) % job.size(), 42);
///     upwash::barrier(job.world(), upwash::blocking);
///   });
/// }
/// @endcode
template <auto Handler, class... Args>
void send(rank_space ranks, int destination, const Args&... args);

/// Sends a message with a payload of any size. The payload is copied before the call returns, so
/// the span may be reused. A payload above the conduit's medium size travels in pieces and is
/// reassembled in memory at the target. Otherwise as `send`.
template <auto Handler, class... Args>
void send_medium(rank_space ranks, int destination, std::span<const std::byte> payload,
                 const Args&... args);

/// Sends a message as `send` does, but neither waits nor queues, inside and outside handlers.
/// Returns done, or retry with the reason.
template <auto Handler, class... Args>
[[nodiscard]] send_result try_send(rank_space ranks, int destination, const Args&... args);

/// Sends a message with a payload as `try_send` does. The payload holds at most `medium_limit(job,
/// destination)` bytes and is copied if the message is accepted. Throws `error` (argument) for a
/// larger payload.
template <auto Handler, class... Args>
[[nodiscard]] send_result try_send_medium(rank_space ranks, int destination,
                                          std::span<const std::byte> payload, const Args&... args);

/// Writes `payload` to `to`, and then runs the handler at the owner of `to`. The handler's own
/// payload is empty. The returned request is complete when the span may be reused. Not ordered with
/// other messages. Not from a handler. If the data does not fit, reports the error of `put` and
/// does not run the handler.
template <auto Handler, class... Args>
[[nodiscard]] request send_long(job& here, global_ptr<std::byte> to,
                                std::span<const std::byte> payload, const Args&... args);

/// Payload space inside the conduit that the caller fills in place: the sender makes no copy. If it
/// is destroyed before `commit`, it is cancelled.
///
/// While it is open, messages that this rank's handlers send to the destination wait. Other sends
/// to the destination throw `error` (argument), because they would wait forever.
class prepared_payload {
 public:
  /// Reserves `bytes` bytes, at most `medium_limit(job, destination)`. Only one reservation for a
  /// destination may be open at a time. May wait for credit. Not from a handler. Throws `error`
  /// (argument) if one of these conditions is violated.
  prepared_payload(job& here, int destination, std::size_t bytes,
                   call_site site = call_site::current());
  ~prepared_payload();
  prepared_payload(const prepared_payload&) = delete;
  prepared_payload& operator=(const prepared_payload&) = delete;

  /// Returns the reserved space, to be filled before `commit`.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return room_.payload; }

  /// Sends the first `used` bytes to `Handler(incoming, args...)`. `args` must be plain values.
  template <auto Handler, class... Args>
  void commit(std::size_t used, const Args&... args) {
    using pack = detail::am_pack<Handler>;
    static_assert(pack::in_line, "arguments beside a prepared payload are plain, 48 bytes at most");
    std::array<std::byte, max_argument_bytes> line;
    commit_packed(pack::thunk_address(), pack::write_line(line, args...), used);
  }
  /// Releases the space without sending a message. Nonblocking.
  void cancel() noexcept;

 private:
  bool reserve(bool behind_deferred, std::size_t bytes);
  void close() noexcept;
  void commit_packed(const void* thunk, std::span<const std::byte> arguments, std::size_t used);

  job& here_;
  reservation room_;
  std::vector<std::byte> own_;  ///< used if the conduit has no space
  bool inside_ = false;         ///< the space belongs to the conduit
  bool open_ = false;
};

/// Returns the largest payload, in bytes, that travels in one piece to every peer. The same at all
/// ranks.
[[nodiscard]] std::size_t medium_limit(const job& here) noexcept;
/// Returns the largest payload, in bytes, that travels in one piece to `peer`. At least as large as
/// `medium_limit(job)`.
[[nodiscard]] std::size_t medium_limit(const job& here, int peer) noexcept;
/// Returns the largest payload, in bytes, that travels in one piece between any two members. The
/// same at all members. Cost: O(size) at the first call for a team, then O(1).
[[nodiscard]] std::size_t medium_limit(const team& among);

namespace detail {

/// Sends packed arguments without a payload, if the conduit accepts the message at once. Returns
/// false if nothing happened: then call `send_packed`.
[[nodiscard]] bool send_line(job& here, int destination, lane kind, const void* thunk,
                             std::span<const std::byte> arguments);
/// Sends packed arguments. Typed calls reach the injector only through this function and
/// `send_line`.
void send_packed(const rank_space& from, int destination, lane kind, const void* thunk,
                 std::span<const std::byte> arguments, std::span<const std::byte> payload);
send_result try_send_packed(job& here, int destination, const void* thunk,
                            std::span<const std::byte> arguments,
                            std::span<const std::byte> payload);
request send_long_packed(job& here, global_ptr<std::byte> to, std::span<const std::byte> payload,
                         const void* thunk, std::span<const std::byte> arguments);
void check_reply(const job& here);

/// A byte vector to write a message into. Takes the job's own vector unless another call uses it,
/// so frequent sends do not allocate.
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

/// Space in the conduit for archived arguments and a payload, so that they are copied once. Empty
/// if the conduit has no space now. Released when destroyed unsent.
class archive_room {
 public:
  archive_room(job& here, int destination, lane kind, std::size_t bytes);
  archive_room(const archive_room&) = delete;
  archive_room& operator=(const archive_room&) = delete;
  ~archive_room();

  explicit operator bool() const noexcept { return open_; }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return room_.payload; }
  /// Sends the first `used` bytes.
  void send(const void* thunk, std::span<const std::byte> arguments, std::size_t used);

 private:
  void close();

  job& here_;
  reservation room_;
  bool open_ = false;
};

/// Below this size a copy is faster than opening and closing conduit space. Measured: 128 bytes
/// took longer in place, 256 bytes less.
inline constexpr std::size_t least_archive_in_place = 256;

/// Archives the arguments and payload into the conduit's own space and sends them. Returns false if
/// nothing happened.
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
void pack_and_send(const rank_space& from, int destination, lane kind,
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
void send(rank_space ranks, int destination, const Args&... args) {
  detail::pack_and_send<Handler>(ranks, ranks.world_rank(destination), lane::request, {}, args...);
}

template <auto Handler, class... Args>
void send_medium(rank_space ranks, int destination, std::span<const std::byte> payload,
                 const Args&... args) {
  detail::pack_and_send<Handler>(ranks, ranks.world_rank(destination), lane::request, payload,
                                 args...);
}

template <auto Handler, class... Args>
send_result try_send(rank_space ranks, int destination, const Args&... args) {
  return try_send_medium<Handler>(ranks, destination, {}, args...);
}

template <auto Handler, class... Args>
send_result try_send_medium(rank_space ranks, int destination, std::span<const std::byte> payload,
                            const Args&... args) {
  using pack = detail::am_pack<Handler>;
  static_assert(pack::in_line, "try_send takes plain arguments, 48 bytes at most");
  std::array<std::byte, max_argument_bytes> line;
  return detail::try_send_packed(ranks.here, ranks.world_rank(destination), pack::thunk_address(),
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
