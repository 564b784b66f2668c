// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/active_message.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/request_access.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/memory_access.hpp"

namespace upwash {
namespace {

[[noreturn]] void bad_destination(const job& here, int destination) {
  throw error(error_kind::argument,
              fmt::format("rank {}: send to rank {} of {}; ranks are 0 to {}", here.rank(),
                          destination, here.size(), here.size() - 1));
}

conduit::message compose(job& here, int destination, conduit::lane kind, const void* thunk,
                         std::span<const std::byte> arguments, std::span<const std::byte> payload) {
  if (destination < 0 || destination >= here.size()) [[unlikely]]
    bad_destination(here, destination);
  conduit::message m;
  m.handler = detail::job_access::state(here).modules.id_of(thunk);
  m.kind = kind;
  m.source = here.rank();
  m.destination = destination;
  m.arguments = arguments;
  m.payload = payload;
  return m;
}

/// The message of an emulated long one: goes when its put is complete at the target.
struct late_message {
  job* here;
  detail::stored_message stored;
};

void send_late(void* context) {
  const std::unique_ptr<late_message> late(static_cast<late_message*>(context));
  detail::job_access::state(*late->here).messages.send(late->stored.view());
}

}  // namespace

std::size_t medium_limit(const job& here) noexcept {
  return here.endpoint().describe().medium_bytes;
}

namespace detail {

void send_packed(job& here, int destination, conduit::lane kind, const void* thunk,
                 std::span<const std::byte> arguments, std::span<const std::byte> payload) {
  const conduit::message m = compose(here, destination, kind, thunk, arguments, payload);
  injector& messages = job_access::state(here).messages;
  if (!messages.send_at_once(m)) messages.send(m);
}

send_result try_send_packed(job& here, int destination, const void* thunk,
                            std::span<const std::byte> arguments) {
  return job_access::state(here).messages.try_send(
      compose(here, destination, conduit::lane::request, thunk, arguments, {}));
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
  auto late = std::unique_ptr<late_message>(new late_message{&here, stored_message(m)});
  put(here, to, payload,
      {.local = notice::to(local), .remote = notice::call(&send_late, late.get())});
  static_cast<void>(late.release());  // send_late owns it now
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

prepared_payload::prepared_payload(job& here, int destination, std::size_t bytes) : here_(here) {
  if (destination < 0 || destination >= here.size()) bad_destination(here, destination);
  if (bytes > medium_limit(here)) {
    throw error(error_kind::argument,
                fmt::format("rank {}: room for {} bytes prepared; one piece holds at most {} "
                            "(medium_limit); use send_medium",
                            here.rank(), bytes, medium_limit(here)));
  }
  room_.source = here.rank();
  room_.destination = destination;
  room_.kind = conduit::lane::request;
  auto& messages = detail::job_access::state(here).messages;
  const detail::channel to{destination, room_.kind};
  if (!here.endpoint().describe().in_place) {
    own_.resize(bytes);
    room_.payload = own_;
  } else {
    while (messages.has_deferred(to) ||
           here.endpoint().prepare(here.rank(), destination, room_.kind, bytes, room_).what ==
               conduit::outcome::retry) {
      here.wait(conduit::wait_target::credit(destination, room_.kind),
                {.operation = "prepare", .peer = destination, .bytes = bytes});
    }
  }
  open_ = true;
}

prepared_payload::~prepared_payload() { cancel(); }

void prepared_payload::cancel() noexcept {
  if (!open_) return;
  open_ = false;
  if (own_.empty() && here_.endpoint().describe().in_place) here_.endpoint().cancel(room_);
}

void prepared_payload::commit_packed(const void* thunk, std::span<const std::byte> arguments,
                                     std::size_t used) {
  if (!open_ || used > room_.payload.size()) {
    throw error(
        error_kind::argument,
        fmt::format("rank {}: commit of {} bytes into a room of {} that is {}", here_.rank(), used,
                    room_.payload.size(), open_ ? "open" : "committed or cancelled already"));
  }
  open_ = false;
  const conduit::message m =
      compose(here_, room_.destination, room_.kind, thunk, arguments, room_.payload.first(used));
  if (!here_.endpoint().describe().in_place) {
    detail::job_access::state(here_).messages.send(m);
    return;
  }
  here_.endpoint().commit(room_, m);
  auto& count = here_.counters();
  ++count.messages_sent;
  count.message_bytes += arguments.size() + used;
}

}  // namespace upwash
