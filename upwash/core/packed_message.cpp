// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/packed_message.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "upwash/base/error.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash {
namespace {

/// In front of each message.
struct packed_header {
  handler_id handler;
  std::uint32_t argument_bytes = 0;
  std::uint32_t payload_bytes = 0;
};
static_assert(sizeof(packed_header) == 16);

constexpr std::size_t alignment = 8;

constexpr std::size_t rounded(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

namespace detail {

void append_packed(job& here, std::vector<std::byte>& to, const void* thunk,
                   std::span<const std::byte> arguments, std::span<const std::byte> payload) {
  if (payload.size() > UINT32_MAX) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a message of {} bytes is packed; at most 4 GiB - 1: send it "
                            "by itself",
                            here.rank(), payload.size()));
  }
  const packed_header head{job_access::state(here).modules.id_of(thunk),
                           static_cast<std::uint32_t>(arguments.size()),
                           static_cast<std::uint32_t>(payload.size())};
  const std::size_t at = to.size();
  to.resize(at + sizeof head + rounded(arguments.size() + payload.size()));
  std::memcpy(&to[at], &head, sizeof head);
  std::byte* body = to.data() + at + sizeof head;
  if (!arguments.empty()) std::memcpy(body, arguments.data(), arguments.size());
  if (!payload.empty()) std::memcpy(body + arguments.size(), payload.data(), payload.size());
}

}  // namespace detail

std::size_t run_packed(job& here, int source, std::span<const std::byte> all) {
  std::size_t count = 0;
  for (; !all.empty(); ++count) {
    packed_header head;
    const bool has_head = all.size() >= sizeof head;
    if (has_head) std::memcpy(&head, all.data(), sizeof head);
    const std::size_t body = std::size_t{head.argument_bytes} + head.payload_bytes;
    if (!has_head || head.argument_bytes > max_argument_bytes ||
        rounded(body) > all.size() - sizeof head) {
      throw error(
          error_kind::fault,
          fmt::format("rank {}: bytes from rank {} are no packed messages", here.rank(), source));
    }
    active_message m;
    m.handler = head.handler;
    m.source = source;
    m.destination = here.rank();
    m.arguments = all.subspan(sizeof head, head.argument_bytes);
    m.payload = all.subspan(sizeof head + head.argument_bytes, head.payload_bytes);
    const auto run =
        reinterpret_cast<void (*)(job&, const active_message&)>(reinterpret_cast<std::uintptr_t>(
            detail::job_access::state(here).modules.function_of(head.handler)));
    host(here).run_as_handler([&] { run(here, m); });
    all = all.subspan(sizeof head + rounded(body));
  }
  return count;
}

}  // namespace upwash
