// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/active_message.hpp"

#include <fmt/format.h>

#include <memory>
#include <unordered_map>

#include "upwash/base/error.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/request_access.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/core/wait_scope.hpp"

namespace upwash {
namespace {

[[noreturn]] void bad_destination(const job& here, int destination) {
  throw error(error_kind::argument,
              fmt::format("rank {}: send to rank {} of {}; ranks are 0 to {}", here.rank(),
                          destination, here.size(), here.size() - 1));
}

void check_destination(const job& here, int destination) {
  if (destination < 0 || destination >= here.size()) [[unlikely]]
    bad_destination(here, destination);
}

conduit::message compose(job& here, int destination, conduit::lane kind, const void* thunk,
                         std::span<const std::byte> arguments, std::span<const std::byte> payload) {
  check_destination(here, destination);
  return {.handler = detail::job_access::state(here).modules.id_of(thunk),
          .kind = kind,
          .source = here.rank(),
          .destination = destination,
          .sequence = 0,
          .arguments = arguments,
          .payload = payload};
}

/// The messages of emulated long ones: each goes when its put is complete at the target, and is
/// dropped with the job when its put failed.
class late_messages final : public service_base {
 public:
  explicit late_messages(job& here) : here_(here) {}

  struct entry {
    late_messages* home;
    detail::stored_message stored;
  };
  entry& keep(const conduit::message& m) {
    auto made = std::make_unique<entry>(entry{this, detail::stored_message(m)});
    entry& kept = *made;
    waiting_.emplace(&kept, std::move(made));
    return kept;
  }

  static void send(void* context) {
    auto& late = *static_cast<entry*>(context);
    late_messages& self = *late.home;
    const auto taken = self.waiting_.extract(&late);
    detail::job_access::state(self.here_).messages.send(taken.mapped()->stored.view());
  }

 private:
  job& here_;
  std::unordered_map<const entry*, std::unique_ptr<entry>> waiting_;
};

}  // namespace

std::size_t medium_limit(const job& here) noexcept {
  return detail::job_access::state(here).peers.anywhere().medium_bytes();
}
std::size_t medium_limit(const job& here, int peer) noexcept {
  return detail::job_access::state(here).peers.of(peer).medium_bytes;
}
std::size_t medium_limit(const team& among) { return reach_of(among).medium_bytes(); }

namespace detail {

packing_buffer::packing_buffer(job& here) : here_(here) {
  auto& spare = job_access::state(here).packing;
  if (spare.empty()) return;
  bytes.swap(spare.back());
  spare.pop_back();
}

packing_buffer::~packing_buffer() {
  constexpr std::size_t most = 2;  // one within another
  auto& spare = job_access::state(here_).packing;
  if (spare.size() == most || bytes.capacity() > most_spare_bytes) return;
  bytes.clear();
  spare.push_back(std::move(bytes));
}

[[nodiscard]] static bool send_at_once(job& here, int destination, lane kind, const void* thunk,
                                       std::span<const std::byte> arguments,
                                       std::span<const std::byte> payload) {
  check_destination(here, destination);
  job_state& state = job_access::state(here);
  return state.messages.send_at_once(state.modules.id_of(thunk), kind, destination, arguments,
                                     payload);
}

bool send_line(job& here, int destination, lane kind, const void* thunk,
               std::span<const std::byte> arguments) {
  return send_at_once(here, destination, kind, thunk, arguments, {});
}

void send_packed(const rank_space& from, int destination, conduit::lane kind, const void* thunk,
                 std::span<const std::byte> arguments, std::span<const std::byte> payload) {
  if (send_at_once(from.here, destination, kind, thunk, arguments, payload)) [[likely]]
    return;
  job_access::state(from.here).messages.send(
      compose(from.here, destination, kind, thunk, arguments, payload), from.site);
}

archive_room::archive_room(job& here, int destination, lane kind, std::size_t bytes) : here_(here) {
  check_destination(here, destination);
  injector& messages = job_access::state(here).messages;
  if (!messages.can_go_at_once(bytes)) return;
  if (!job_access::state(here).peers.of(destination).in_place) return;
  const conduit::injection answer =
      host(here).endpoint().prepare(here.rank(), destination, kind, bytes, room_);
  if (answer.what != conduit::outcome::done) return;
  messages.open_room({destination, kind});
  open_ = true;
}

archive_room::~archive_room() {
  if (!open_) return;
  close();
  host(here_).endpoint().cancel(room_);
}

void archive_room::close() {
  open_ = false;
  job_access::state(here_).messages.close_room({room_.destination, room_.kind});
}

void archive_room::send(const void* thunk, std::span<const std::byte> arguments, std::size_t used) {
  const conduit::message m =
      compose(here_, room_.destination, room_.kind, thunk, arguments, room_.payload.first(used));
  close();
  host(here_).endpoint().commit(room_, m);
  job_access::state(here_).messages.note_sent(m);
}

send_result try_send_packed(job& here, int destination, const void* thunk,
                            std::span<const std::byte> arguments,
                            std::span<const std::byte> payload) {
  if (send_at_once(here, destination, lane::request, thunk, arguments, payload)) [[likely]]
    return send_result::done();
  if (payload.size() > medium_limit(here, destination)) {
    throw error(
        error_kind::argument,
        fmt::format("rank {}: try_send_medium of {} bytes to rank {}; one piece holds at "
                    "most {} (medium_limit)",
                    here.rank(), payload.size(), destination, medium_limit(here, destination)));
  }
  return job_access::state(here).messages.try_send(
      compose(here, destination, lane::request, thunk, arguments, payload));
}

request send_long_packed(job& here, global_ptr<std::byte> to, std::span<const std::byte> payload,
                         const void* thunk, std::span<const std::byte> arguments) {
  const conduit::message m = compose(here, to.rank(), conduit::lane::request, thunk, arguments, {});
  // Directly addressable memory: the copy is the message's data, and the line follows it.
  if (std::byte* at = direct_put(here, to, payload.size())) {
    if (!payload.empty()) std::memcpy(at, payload.data(), payload.size());
    job_access::state(here).messages.send(m);
    return {};
  }
  request local;
  auto& late = here.service<late_messages>().keep(m);
  put(here, to, payload,
      {.local = notice::to(local),
       .remote = notice::call_in_background(&late_messages::send, &late)});
  return local;
}

void check_reply(const job& here) {
  if (!here.in_handler() || job_access::handling(here) != conduit::lane::request) {
    throw error(
        error_kind::argument,
        fmt::format("rank {}: reply() outside the handler of a request; use send()", here.rank()));
  }
}

}  // namespace detail

prepared_payload::prepared_payload(job& here, int destination, std::size_t bytes, call_site site)
    : here_(here) {
  check_destination(here, destination);
  if (bytes > medium_limit(here, destination)) {
    throw error(error_kind::argument,
                fmt::format("rank {}: room for {} bytes prepared for rank {}; one piece holds at "
                            "most {} (medium_limit); use send_medium",
                            here.rank(), bytes, destination, medium_limit(here, destination)));
  }
  room_.source = here.rank();
  room_.destination = destination;
  room_.kind = conduit::lane::request;
  auto& messages = detail::job_access::state(here).messages;
  const detail::channel to{destination, room_.kind};
  if (here.in_handler() || messages.room_open(to)) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a payload for rank {} prepared {}", here.rank(), destination,
                            here.in_handler() ? "inside a handler; use send_medium"
                                              : "while another one for it is open; commit or "
                                                "cancel that first"));
  }
  const conduit::wait_reason reason{
      .operation = "prepare", .peer = destination, .bytes = bytes, .site = site};
  const wait_scope in(here, reason);
  while (!reserve(messages.has_deferred(to), bytes)) {
    host(here).wait(conduit::wait_target::credit(destination, room_.kind), reason);
  }
  messages.open_room(to);
  open_ = true;
}

/// Room in the conduit, or one of its own where the conduit has none, keeps no order (core would
/// have to number the message at commit), or has given it to another rank of this process.
bool prepared_payload::reserve(bool behind_deferred, std::size_t bytes) {
  const auto& peers = detail::job_access::state(here_).peers;
  inside_ = peers.of(room_.destination).in_place && peers.ordered();
  if (inside_) {
    if (behind_deferred) return false;
    const conduit::injection answer =
        host(here_).endpoint().prepare(here_.rank(), room_.destination, room_.kind, bytes, room_);
    if (answer.what != conduit::outcome::retry) return true;
    if (answer.why != conduit::retry_reason::reserved) return false;
    inside_ = false;
  }
  own_.resize(bytes);
  room_.payload = own_;
  return true;
}

prepared_payload::~prepared_payload() { cancel(); }

void prepared_payload::cancel() noexcept {
  if (!open_) return;
  close();
  if (inside_) host(here_).endpoint().cancel(room_);
}

void prepared_payload::close() noexcept {
  open_ = false;
  detail::job_access::state(here_).messages.close_room({room_.destination, room_.kind});
}

void prepared_payload::commit_packed(const void* thunk, std::span<const std::byte> arguments,
                                     std::size_t used) {
  if (!open_ || used > room_.payload.size()) {
    throw error(
        error_kind::argument,
        fmt::format("rank {}: commit of {} bytes into a room of {} that is {}", here_.rank(), used,
                    room_.payload.size(), open_ ? "open" : "committed or cancelled already"));
  }
  close();
  const conduit::message m =
      compose(here_, room_.destination, room_.kind, thunk, arguments, room_.payload.first(used));
  auto& messages = detail::job_access::state(here_).messages;
  if (!inside_) return messages.send(m);
  host(here_).endpoint().commit(room_, m);
  messages.note_sent(m);
}

}  // namespace upwash
