// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/transfer.hpp"

#include <fmt/format.h>

#include <atomic>

#include "upwash/base/error.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/onesided/detail/packing.hpp"
#include "upwash/onesided/detail/pieces.hpp"
#include "upwash/onesided/detail/target.hpp"
#include "upwash/onesided/detail/transfer_handlers.hpp"

namespace upwash::detail {
namespace {

run_walker walker_of(const layout& laid) {
  return laid.as_strided() != nullptr ? run_walker(*laid.as_strided()) : run_walker(laid.as_list());
}

/// Calls `one` with each run.
template <class One>
void each_run(const layout& laid, const One& one) {
  run_walker walker = walker_of(laid);
  for (run_row row; walker.next(row);) {
    for (std::uint64_t i = 0; i < row.count; ++i) {
      one(row.local + i * row.local_stride, row.remote + i * row.remote_stride, row.bytes);
    }
  }
}

/// Calls `copy` with each row of runs; of a list with each segment as it stands, since to look for
/// rows among them takes longer than to copy them one by one.
template <class Copy>
void each_row(const layout& laid, const Copy& copy) {
  if (const strided* rows = laid.as_strided()) {
    run_walker walker(*rows);
    for (run_row row; walker.next(row);) copy(row);
    return;
  }
  for (const segment& each : laid.as_list()) {
    if (each.bytes != 0) copy(run_row{each.local, each.remote, each.bytes});
  }
}

/// The only run of a layout, if it is one.
bool only_run(const layout& laid, const footprint& size, run_row& run) {
  run_walker walker = walker_of(laid);
  return walker.next(run) && run.count == 1 && run.bytes == size.bytes;
}

bool run_by_run(job& here, int rank, const footprint& size, const transfer_options& how) {
  return size.bytes / size.runs >= how.packed_below && abilities_towards(here, rank).remote_write;
}

/// A put of each of its runs. `one` begins it, told where the operation is.
template <class Plain>
bool begin_plain(job& here, int rank, const layout& laid, const footprint& size,
                 const transfer_options& how, const Plain& one) {
  run_row run;
  if (only_run(laid, size, run)) {
    one(run.local, run.remote, run.bytes);
    return true;
  }
  if (!run_by_run(here, rank, size, how)) return false;
  each_run(laid, one);
  return true;
}

void copy_in(job& here, std::byte* direct, const std::byte* from, const layout& laid,
             const footprint& size) {
  each_row(laid, [=](const run_row& row) {
    copy_runs(direct + row.remote, row.remote_stride, from + row.local, row.local_stride, row.bytes,
              row.count);
  });
  // As a put: what this rank stores next is seen after it.
  std::atomic_thread_fence(std::memory_order_release);
  ++host(here).counters().puts;
  host(here).counters().put_bytes += size.bytes;
}

void copy_out(job& here, const std::byte* direct, std::byte* to, const layout& laid,
              const footprint& size) {
  each_row(laid, [=](const run_row& row) {
    copy_runs(to + row.local, row.local_stride, direct + row.remote, row.remote_stride, row.bytes,
              row.count);
  });
  ++host(here).counters().gets;
  host(here).counters().get_bytes += size.bytes;
}

constexpr std::string_view put_name = "put to";
constexpr std::string_view get_name = "get from";

void start_packed_put(job& here, global_ptr<std::byte> to, const std::byte* from,
                      const layout& laid, const footprint& size, const completer& end) {
  ++host(here).counters().puts;
  host(here).counters().put_bytes += size.bytes;
  here.service<piece_service>().start({.at = to, .from = from, .send = &send_store}, laid, end);
}

void start_packed_get(job& here, global_ptr<std::byte> from, std::byte* to, const layout& laid,
                      const footprint& size, const completer& end) {
  ++host(here).counters().gets;
  host(here).counters().get_bytes += size.bytes;
  here.service<piece_service>().start({.at = from, .into = to, .send = &send_fetch}, laid, end);
}

conduit::wait_reason reason_of(const char* operation, int rank, const footprint& size) {
  return {.operation = operation, .peer = rank, .bytes = size.bytes};
}

void check_notice(const job& here, const char* call, const notice& done) {
  if (!done.empty()) return;
  throw error(error_kind::argument,
              fmt::format("rank {}: {} a layout: the notice is empty; pass `implicit` instead",
                          here.rank(), call));
}

/// Where the memory is not loaded and stored.
void begin_put(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
               const layout& laid, const footprint& size, const transfer_options& how,
               const notice& done) {
  piece_service::several runs(here, done);
  const auto one = [&](std::uint64_t local, std::uint64_t remote, std::uint64_t bytes) {
    put(here, to + static_cast<std::ptrdiff_t>(remote), from.subspan(local, bytes),
        {.local = {}, .remote = runs.one_more()});
  };
  if (begin_plain(here, to.rank(), laid, size, how, one)) return runs.all_begun();
  fetch_key(here, to);
  start_packed_put(here, to, from.data(), laid, size,
                   begin_operation(here, done, reason_of("put", to.rank(), size)));
}

void begin_get(job& here, global_ptr<std::byte> from, std::span<std::byte> to, const layout& laid,
               const footprint& size, const transfer_options& how, const notice& done) {
  piece_service::several runs(here, done);
  const auto one = [&](std::uint64_t local, std::uint64_t remote, std::uint64_t bytes) {
    get(here, from + static_cast<std::ptrdiff_t>(remote), to.subspan(local, bytes),
        runs.one_more());
  };
  if (begin_plain(here, from.rank(), laid, size, how, one)) return runs.all_begun();
  fetch_key(here, from);
  start_packed_get(here, from, to.data(), laid, size,
                   begin_operation(here, done, reason_of("get", from.rank(), size)));
}

/// Copies where the memory is loaded and stored, or nothing is to be moved.
bool put_at_once(job& here, const transfer_target& target, std::span<const std::byte> from,
                 const layout& laid) {
  if (target.size.bytes == 0) return true;
  if (target.direct == nullptr) return false;
  copy_in(here, target.direct, from.data(), laid, target.size);
  return true;
}

bool get_at_once(job& here, const transfer_target& target, std::span<std::byte> to,
                 const layout& laid) {
  if (target.size.bytes == 0) return true;
  if (target.direct == nullptr) return false;
  copy_out(here, target.direct, to.data(), laid, target.size);
  return true;
}

}  // namespace

bool put_laid_at_once(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
                      const layout& laid) {
  return put_at_once(here, target_of(here, {put_name, to, from.size()}, laid), from, laid);
}

request put_laid(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
                 const layout& laid, const transfer_options& how) {
  const transfer_target target = target_of(here, {put_name, to, from.size()}, laid);
  request all;
  if (!put_at_once(here, target, from, laid)) {
    begin_put(here, to, from, laid, target.size, how, notice::to(all));
  }
  return all;
}

void put_laid(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
              const layout& laid, const transfer_options& how, const notice& done) {
  check_notice(here, "put of", done);
  const transfer_target target = target_of(here, {put_name, to, from.size()}, laid);
  if (put_at_once(here, target, from, laid)) {
    return begin_operation(here, done, reason_of("put", to.rank(), target.size)).complete();
  }
  begin_put(here, to, from, laid, target.size, how, done);
}

void put_laid(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
              const layout& laid, const transfer_options& how, implicit_t) {
  const transfer_target target = target_of(here, {put_name, to, from.size()}, laid);
  if (put_at_once(here, target, from, laid)) return;
  const auto one = [&](std::uint64_t local, std::uint64_t remote, std::uint64_t bytes) {
    put(here, to + static_cast<std::ptrdiff_t>(remote), from.subspan(local, bytes), implicit);
  };
  if (begin_plain(here, to.rank(), laid, target.size, how, one)) return;
  fetch_key(here, to);
  start_packed_put(here, to, from.data(), laid, target.size,
                   begin_operation(here, implicit, to.rank()));
}

request get_laid(job& here, global_ptr<std::byte> from, std::span<std::byte> to, const layout& laid,
                 const transfer_options& how) {
  const transfer_target target = target_of(here, {get_name, from, to.size()}, laid);
  request all;
  if (!get_at_once(here, target, to, laid)) {
    begin_get(here, from, to, laid, target.size, how, notice::to(all));
  }
  return all;
}

void get_laid(job& here, global_ptr<std::byte> from, std::span<std::byte> to, const layout& laid,
              const transfer_options& how, const notice& done) {
  check_notice(here, "get of", done);
  const transfer_target target = target_of(here, {get_name, from, to.size()}, laid);
  if (get_at_once(here, target, to, laid)) {
    return begin_operation(here, done, reason_of("get", from.rank(), target.size)).complete();
  }
  begin_get(here, from, to, laid, target.size, how, done);
}

void get_laid(job& here, global_ptr<std::byte> from, std::span<std::byte> to, const layout& laid,
              const transfer_options& how, implicit_t) {
  const transfer_target target = target_of(here, {get_name, from, to.size()}, laid);
  if (get_at_once(here, target, to, laid)) return;
  const auto one = [&](std::uint64_t local, std::uint64_t remote, std::uint64_t bytes) {
    get(here, from + static_cast<std::ptrdiff_t>(remote), to.subspan(local, bytes), implicit);
  };
  if (begin_plain(here, from.rank(), laid, target.size, how, one)) return;
  fetch_key(here, from);
  start_packed_get(here, from, to.data(), laid, target.size,
                   begin_operation(here, implicit, from.rank()));
}

}  // namespace upwash::detail
