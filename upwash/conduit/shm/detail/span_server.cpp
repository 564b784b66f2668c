// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Serving of private reads.
#include "upwash/conduit/shm/detail/span_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>

namespace upwash::conduit::shm_detail {

void span_server::control_arrived(int reader, int pid, control what,
                                  std::span<const std::byte> arguments) {
  if (what == control::fetch) {
    fetch wanted;
    std::memcpy(&wanted, arguments.data(), sizeof wanted);
    add_request(reader, wanted);
    return;
  }
  open_pipe opening;
  std::memcpy(&opening, arguments.data(), sizeof opening);
  outgoing& to = pipes_[static_cast<std::size_t>(reader)];
  try {
    to.pipe.slot_bytes = static_cast<std::size_t>(opening.slot_bytes);
    to.pipe.file = shared_memory::open(pid, opening.fd, opening.serial, 0,
                                       pipe_memory::file_bytes(to.pipe.slot_bytes));
  } catch (const std::exception& problem) {
    sender_.give_up(fmt::format("pipeline to process {}: {}", reader, problem.what()));
  }
}

void span_server::add_request(int reader, const fetch& wanted) {
  outgoing& to = pipes_[static_cast<std::size_t>(reader)];
  const auto* from =
      reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(wanted.address));
  const std::size_t part = to.pipe.part_bytes(wanted.bytes);
  to.asked += (wanted.bytes + part - 1) / part;
  // A reader that has not waited for this may be through, and the memory gone.
  const bool over = to.pipe.drained().load(std::memory_order_acquire) >= to.asked;
  const auto* span = spans_.find(wanted.span);
  if (!over && (span == nullptr || from < span->data() ||
                from + wanted.bytes > span->data() + span->size())) {
    sender_.give_up(
        fmt::format("process {} reads {} bytes at {} of private memory that is not registered any "
                    "more: deregister only what no peer reads",
                    reader, wanted.bytes, static_cast<const void*>(from)));
  }
  if (to.requests.empty()) active_.push_back(reader);
  to.requests.push_back({from, wanted.bytes, part});
}

int span_server::serve() {
  int parts = 0;
  for (std::size_t i = 0; i < active_.size();) {
    outgoing& to = pipes_[static_cast<std::size_t>(active_[i])];
    parts += fill(to);
    if (to.requests.empty()) {
      active_[i] = active_.back();
      active_.pop_back();
    } else {
      ++i;
    }
  }
  return parts;
}

int span_server::fill(outgoing& to) {
  int parts = 0;
  for (; !to.requests.empty(); ++parts) {
    // Acquire: the reader has copied out of the slots that it has drained.
    const std::uint64_t drained = to.pipe.drained().load(std::memory_order_acquire);
    request& first = to.requests.front();
    const std::size_t part = std::min<std::size_t>(first.part, first.left);
    if (to.filled >= drained) {
      if (to.filled - drained == pipe_slots) break;
      std::memcpy(to.pipe.slot(to.filled), first.from, part);
    }
    // Release: the part is in its slot before it counts.
    to.pipe.filled().store(++to.filled, std::memory_order_release);
    first.from += part;
    first.left -= part;
    if (first.left == 0) to.requests.pop_front();
  }
  return parts;
}

}  // namespace upwash::conduit::shm_detail
