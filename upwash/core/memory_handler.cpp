// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/memory_handler.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/request_access.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash {
namespace {

/// Whether [at, at + bytes) lies in a part of `size` bytes.
bool inside(std::int64_t at, std::uint64_t bytes, std::uint64_t size) noexcept {
  return at >= 0 && static_cast<std::uint64_t>(at) <= size &&
         bytes <= size - static_cast<std::uint64_t>(at);
}

}  // namespace

int memory_call::rank() const noexcept { return region_.rank; }

std::span<std::byte> memory_call::bytes(std::int64_t at, std::uint64_t count) const {
  const std::int64_t from = static_cast<std::int64_t>(offset_) + at;
  if (!inside(from, count, region_.own.size)) {
    throw error(error_kind::fault,
                fmt::format("{} bytes at offset {} leave the {} bytes of rank {}", count, from,
                            region_.own.size, region_.rank));
  }
  return {region_.own.base + from, static_cast<std::size_t>(count)};
}

std::byte* memory_call::elements(std::int64_t first, std::uint64_t count, std::size_t size,
                                 std::size_t alignment) const {
  // Beyond this the products wrap; no part is as large.
  constexpr std::int64_t most = std::int64_t{1} << 44U;
  const auto width = static_cast<std::int64_t>(size);
  if (first > most / width || first < -most / width ||
      count > static_cast<std::uint64_t>(most / width)) {
    throw error(error_kind::fault,
                fmt::format("{} elements of {} bytes from element {} on leave the {} bytes of rank "
                            "{}",
                            count, size, first, region_.own.size, region_.rank));
  }
  std::byte* found = bytes(first * width, count * size).data();
  if (count != 0 && reinterpret_cast<std::uintptr_t>(found) % alignment != 0) {
    throw error(error_kind::fault, fmt::format("offset {} of rank {} is not aligned to {} bytes",
                                               found - region_.own.base, region_.rank, alignment));
  }
  return found;
}

bool memory_call::is_watched() const noexcept { return engine_.watch() != nullptr; }

void memory_call::wrote(std::span<const std::byte> at) {
  if (is_watched()) engine_.watch()->wrote(rank(), source_, at);
}

void memory_call::answer(std::span<const std::byte> what) {
  if (!open_) {
    throw error(error_kind::fault, "a second answer to one call, or one to be answered later");
  }
  open_ = false;
  engine_.give_answer(source_, name_, what);
}

pending_answer memory_call::answer_later() {
  if (!open_) throw error(error_kind::fault, "a call that is answered cannot be answered later");
  open_ = false;
  return {source_, name_};
}

void memory_call::answer(const pending_answer& whom, std::span<const std::byte> what) {
  engine_.give_answer(whom.rank, whom.name, what);
}

void memory_call::charge(conduit::cost kind, std::uint64_t amount) noexcept {
  host(engine_.here()).charge(kind, amount);
}

void give_answer(job& here, const pending_answer& whom, std::span<const std::byte> what) {
  auto& engine = detail::job_access::state(here).memory;
  const auto held = engine.lock();
  engine.give_answer(whom.rank, whom.name, what);
}

memory_hold::memory_hold(job& here) : engine_(detail::job_access::state(here).memory) {
  engine_.hold();
}
memory_hold::~memory_hold() { engine_.let_go(); }

namespace detail {
namespace {

transfer call_transfer(const job& here, const packed_call& what, global_ptr<std::byte> at,
                       const call_buffers& with) {
  transfer made;
  made.what = transfer::kind::call;
  made.at = {at.rank(), at.region_bits(), at.offset()};
  made.from = with.payload.data();
  made.bytes = with.payload.size();
  made.call = what;
  made.into = with.answer.data();
  made.room = with.answer.size();
  made.answered = with.answered;
  const bool exists = at.rank() >= 0 && at.rank() < here.size();  // else the engine refuses it
  if (!exists) return made;
  const std::size_t most = job_access::state(here).peers.of(at.rank()).medium_bytes;
  if (made.bytes > most) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a call with {} bytes of payload for rank {}; one piece holds "
                            "at most {} (medium_limit)",
                            here.rank(), made.bytes, at.rank(), most));
  }
  return made;
}

conduit::wait_reason reason_of(const transfer& what) {
  return {.operation = "call of a memory handler", .peer = what.at.rank, .bytes = what.bytes};
}

}  // namespace

std::uint32_t enter_memory_handler(job& here, std::string_view name, memory_thunk run, void* state,
                                   std::size_t argument_bytes) {
  memory_row row;
  row.number = memory_rows::number_of(name);
  row.name = name;
  row.run = run;
  row.state = state;
  row.argument_bytes = argument_bytes;
  job_access::state(here).memory.add_handler(row);
  return row.number;
}

request call_packed(job& here, const packed_call& what, global_ptr<std::byte> at,
                    const call_buffers& with) {
  const transfer made = call_transfer(here, what, at, with);
  request handle = request_access::make(here, 1, reason_of(made));
  job_access::state(here).memory.start(made, {},
                                       {&request_access::counter(handle), nullptr, nullptr});
  return handle;
}

void call_packed(job& here, const packed_call& what, global_ptr<std::byte> at,
                 const call_buffers& with, const notices& when) {
  const transfer made = call_transfer(here, what, at, with);
  const stage_target local = request_access::target(here, when.local, reason_of(made));
  const stage_target remote = request_access::target(here, when.remote, reason_of(made));
  job_access::state(here).memory.start(made, local, remote);
}

void call_packed(job& here, const packed_call& what, global_ptr<std::byte> at,
                 const call_buffers& with, implicit_t) {
  const transfer made = call_transfer(here, what, at, with);
  job_access::state(here).memory.start(made, {}, request_access::implicit_towards(here, at.rank()));
}

}  // namespace detail
}  // namespace upwash
