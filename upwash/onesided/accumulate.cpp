// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/accumulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/core/host.hpp"
#include "upwash/onesided/detail/accumulate_handlers.hpp"
#include "upwash/onesided/detail/packing.hpp"
#include "upwash/onesided/detail/pieces.hpp"
#include "upwash/onesided/detail/target.hpp"

namespace upwash::detail {
namespace {

void add_row(locked_adder& adder, std::byte* y, std::uint64_t offset, const std::byte* x,
             std::uint64_t x_stride, const run_row& row) {
  for (std::uint64_t i = 0; i < row.count; ++i) {
    adder.add(y + i * row.remote_stride, offset + i * row.remote_stride, x + i * x_stride,
              row.bytes);
  }
}

void add_layout(locked_adder& adder, const transfer_target& target, const accumulation& call,
                const layout& laid) {
  const strided* rows = laid.as_strided();
  if (rows != nullptr && rows->levels == 0) {  // nothing to walk through
    return adder.add(target.direct, call.to.offset(), call.from.data(), target.size.bytes);
  }
  run_walker walker = rows != nullptr ? run_walker(*rows) : run_walker(laid.as_list());
  for (run_row row; walker.next(row);) {
    add_row(adder, target.direct + row.remote, call.to.offset() + row.remote,
            call.from.data() + row.local, row.local_stride, row);
  }
}

/// Whether each run is elements, and aligned at the target.
bool is_whole(const accumulation& call, const layout& laid) {
  const addend_facts& what = facts_of(call.what);
  const std::uint64_t offset = call.to.offset();
  if (offset % what.alignment != 0) return false;
  const strided* rows = laid.as_strided();
  if (rows == nullptr) {
    return std::all_of(laid.as_list().begin(), laid.as_list().end(), [&](const segment& each) {
      return each.bytes % what.size == 0 && each.remote % what.alignment == 0;
    });
  }
  if (static_cast<std::uint64_t>(rows->bytes) % what.size != 0) return false;
  const auto levels = std::span(rows->level).first(static_cast<std::size_t>(rows->levels));
  return std::all_of(levels.begin(), levels.end(), [&](const stride_level& each) {
    return each.count < 2 || static_cast<std::uint64_t>(each.remote_stride) % what.alignment == 0;
  });
}

void check_whole(const job& here, const accumulation& call, const layout& laid) {
  if (is_whole(call, laid)) return;
  const addend_facts& what = facts_of(call.what);
  throw error(error_kind::argument,
              fmt::format("rank {}: accumulate to rank {}: from offset {} on, a layout whose runs "
                          "are not elements of {}; give runs of multiples of {} bytes, at places "
                          "that are multiples of {}",
                          here.rank(), call.to.rank(), call.to.offset(), what.name, what.size,
                          what.alignment));
}

void send_piece(job& here, const notices& when, global_ptr<std::byte> at, const call_buffers& with,
                const void* context) {
  const auto& call = *static_cast<const accumulation*>(context);
  call_owner(here, when, here.service<accumulate_handlers>().add, at, with, call.scale,
             static_cast<std::uint8_t>(call.what), lock_shift(at.region_bits()));
}

struct prepared {
  transfer_target target;
  bool done = false;
};

/// Checks, and adds in place where that can be.
prepared begin(job& here, const accumulation& call, const layout& laid) {
  prepared made{target_of(here, {"accumulate to", call.to, call.from.size()}, laid)};
  check_whole(here, call, laid);
  const transfer_target& target = made.target;
  made.done = target.size.bytes == 0;
  if (made.done) return made;
  stripe_lock* table = locks_within_reach(here, call.to, target);
  if (table == nullptr) return made;
  {
    locked_adder adder(table, lock_shift(call.to.region_bits()), facts_of(call.what), call.scale);
    add_layout(adder, target, call, laid);
  }
  // As after a put: what this rank stores next is seen after it.
  std::atomic_thread_fence(std::memory_order_release);
  host(here).charge(conduit::cost::reduce, target.size.bytes);
  made.done = true;
  return made;
}

void start_packed(job& here, const accumulation& call, const layout& laid, const completer& end) {
  here.service<piece_service>().start({.at = call.to,
                                       .from = call.from.data(),
                                       .element = facts_of(call.what).size,
                                       .send = &send_piece,
                                       .context = &call},
                                      laid, end);
}

}  // namespace

void add_piece(memory_call& call, owner_locks& locks, scale_bytes scale, std::uint8_t what,
               std::uint8_t shift) {
  if (what >= addend_count) {
    throw error(error_kind::fault, fmt::format("elements of an unknown type {}", what));
  }
  const addend_facts& elements = facts_of(static_cast<addend>(what));
  piece_reader piece(call.payload());
  const std::span<const std::byte> data = piece.data();
  {
    locked_adder adder(locks.own(), shift, elements, scale);
    for (run_row row; piece.next(row);) {
      std::byte* y = call.bytes(static_cast<std::int64_t>(row.remote), remote_span(row)).data();
      const bool whole = row.bytes % elements.size == 0 &&
                         reinterpret_cast<std::uintptr_t>(y) % elements.alignment == 0 &&
                         (row.count == 1 || row.remote_stride % elements.alignment == 0);
      if (!whole) {
        throw error(error_kind::fault, fmt::format("runs at offset {} are not elements of {}",
                                                   call.offset() + row.remote, elements.name));
      }
      add_row(adder, y, call.offset() + row.remote, data.data() + row.local, row.bytes, row);
    }
  }
  call.charge(conduit::cost::reduce, piece.bytes());
}

void tell_locks(memory_call& call, owner_locks& locks) { call.answer(locks.own_key().used()); }

stripe_lock* locks_within_reach(job& here, global_ptr<std::byte> at,
                                const transfer_target& target) {
  auto& handlers = here.service<accumulate_handlers>();
  stripe_lock* table = target.direct != nullptr ? handlers.locks.of(at.rank()) : nullptr;
  if (table != nullptr || !abilities_towards(here, at.rank()).direct_access) return table;
  if (target.direct == nullptr) fetch_key(here, at);
  if (owner_locks::peer_locks* peer = handlers.locks.to_ask(at.rank())) {
    const notices when{.local = {}, .remote = notice::call_in_background(&owner_locks::know, peer)};
    call_owner(here, when, handlers.tell, at,
               {.answer = peer->key.bytes, .answered = &peer->answered});
  }
  return nullptr;
}

request accumulate_laid(job& here, const accumulation& call, const layout& laid) {
  const prepared made = begin(here, call, laid);
  if (made.done) return {};
  auto [handle, end] = begin_operation(
      here, {.operation = "accumulate", .peer = call.to.rank(), .bytes = made.target.size.bytes});
  start_packed(here, call, laid, end);
  return std::move(handle);
}

void accumulate_laid(job& here, const accumulation& call, const layout& laid, implicit_t) {
  if (begin(here, call, laid).done) return;
  start_packed(here, call, laid, begin_operation(here, implicit, call.to.rank()));
}

}  // namespace upwash::detail
