// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/atomic_pair.hpp"

#include <fmt/format.h>

#include <cstring>
#include <span>

#include "upwash/base/error.hpp"
#include "upwash/core/host.hpp"
#include "upwash/onesided/detail/accumulate_handlers.hpp"
#include "upwash/onesided/detail/pair_handlers.hpp"
#include "upwash/onesided/detail/target.hpp"

namespace upwash::detail {
namespace {

constexpr std::uint64_t pair_size = sizeof(pair_bytes);

const char* name_of(pair_change what) {
  switch (what) {
    case pair_change::load: return "atomic_load of a pair at";
    case pair_change::swap: return "swap of a pair at";
    case pair_change::compare_swap: break;
  }
  return "compare_swap of a pair at";
}

/// `offset`: of the pair in the owner's part.
pair_bytes change_under_lock(stripe_lock* locks, std::uint8_t shift, pair_bytes& pair,
                             std::uint64_t offset, pair_change what, const pair_operands& with) {
  stripe_holder holder(locks, shift);
  holder.take(offset / stripe_bytes);
  const pair_bytes before = pair;
  const bool stores =
      what == pair_change::swap || (what == pair_change::compare_swap && before == with.expected);
  if (stores) pair = with.value;
  return before;
}

void check_aligned(const job& here, global_ptr<std::byte> at, pair_change what) {
  if (at.offset() % pair_size == 0) return;
  throw error(
      error_kind::argument,
      fmt::format("rank {}: {} rank {}: offset {} is not a multiple of {}; align the "
                  "structure to {} bytes",
                  here.rank(), name_of(what), at.rank(), at.offset(), pair_size, pair_size));
}

}  // namespace

void serve_pair(memory_call& call, owner_locks& locks, std::uint8_t what, std::uint8_t shift) {
  pair_operands with;
  if (call.payload().size() != sizeof with) {
    throw error(error_kind::fault, fmt::format("a change of a pair came with {} bytes, not {}",
                                               call.payload().size(), sizeof with));
  }
  std::memcpy(&with, call.payload().data(), sizeof with);
  pair_bytes& pair = call.values<pair_bytes>(0, 1)[0];
  const pair_bytes before = change_under_lock(locks.own(), shift, pair, call.offset(),
                                              static_cast<pair_change>(what), with);
  call.answer(std::as_bytes(std::span(&before, 1)));
  call.charge(conduit::cost::copy, pair_size);
}

pair_bytes change_pair(job& here, global_ptr<std::byte> at, pair_change what,
                       const pair_operands& with) {
  const strided whole{static_cast<std::int64_t>(pair_size)};
  const transfer_target target = target_of(here, {name_of(what), at, pair_size}, whole);
  check_aligned(here, at, what);
  ++host(here).counters().atomics;
  const std::uint8_t shift = lock_shift(at.region_bits());
  if (stripe_lock* locks = locks_within_reach(here, at, target)) {
    host(here).charge(conduit::cost::copy, pair_size);
    return change_under_lock(locks, shift, *reinterpret_cast<pair_bytes*>(target.direct),
                             at.offset(), what, with);
  }
  pair_bytes before;
  call_owner(here, here.service<pair_handlers>().change, at,
             {.payload = std::as_bytes(std::span(&with, 1)),
              .answer = std::as_writable_bytes(std::span(&before, 1))},
             static_cast<std::uint8_t>(what), shift)
      .wait();
  return before;
}

}  // namespace upwash::detail
