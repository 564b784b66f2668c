// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/memory_access.hpp"

#include <fmt/format.h>

#include <atomic>

#include "upwash/base/apply_atomic.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/word_copy.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/request_access.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash {
namespace detail {
namespace {

place place_of(global_ptr<std::byte> at) { return {at.rank(), at.region_bits(), at.offset()}; }

transfer put_transfer(global_ptr<std::byte> to, std::span<const std::byte> from,
                      const signal_word& with) {
  transfer what;
  what.what = transfer::kind::put;
  what.at = place_of(to);
  what.from = from.data();
  what.bytes = from.size();
  if (with.word) {
    if (with.word.rank() != to.rank()) {
      throw error(error_kind::argument,
                  fmt::format("a signal at rank {} cannot ride with a put to rank {}; both must be "
                              "at the same rank",
                              with.word.rank(), to.rank()));
    }
    what.signal = place_of(with.word.as<std::byte>());
    what.signal_add = with.add;
  }
  return what;
}

transfer get_transfer(global_ptr<std::byte> from, std::span<std::byte> to) {
  transfer what;
  what.what = transfer::kind::get;
  what.at = place_of(from);
  what.into = to.data();
  what.bytes = to.size();
  return what;
}

constexpr const char* get_exposed_name = "get of exposed memory";

transfer exposed_transfer(const job& here, const exposed_memory& from, std::uint64_t offset,
                          std::span<std::byte> to) {
  if (offset > from.bytes || to.size() > from.bytes - offset) {
    throw error(error_kind::argument,
                fmt::format("rank {}: get of {} bytes at {} from the {} bytes that rank {} exposed",
                            here.rank(), to.size(), offset, from.bytes, from.rank));
  }
  transfer what;
  what.what = transfer::kind::get_exposed;
  what.at = {from.rank, from.number, offset};
  what.into = to.data();
  what.bytes = to.size();
  what.key = &from.key;
  return what;
}

void check_notice(const notice& done) {
  if (done.empty()) {
    throw error(error_kind::argument, "get: the notice is empty; pass `implicit` instead");
  }
}

/// Copies at once where the place is directly addressable. Fetches no key: a miss is not fatal.
bool put_directly(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
                  const signal_word& with) {
  std::byte* at = direct_put(here, to, from.size());
  if (at == nullptr) return false;
  std::byte* word = nullptr;
  if (with.word) {
    if (with.word.offset() % sizeof with.add == 0) {
      word = direct_access::regions(here).direct(to.rank(), with.word.region_bits(),
                                                 with.word.offset(), sizeof with.add);
    }
    if (word == nullptr) {  // the slow path counts again, and refuses what is wrong
      --host(here).counters().puts;
      host(here).counters().put_bytes -= from.size();
      return false;
    }
  }
  store_bytes(at, from.data(), from.size());
  if (word != nullptr) {
    apply_atomic(word, {conduit::atomic_kind::add, sizeof with.add, with.add, 0});
  }
  return true;
}

void start_put(job& here, const transfer& what, const stage_target& local,
               const stage_target& remote) {
  ++host(here).counters().puts;
  host(here).counters().put_bytes += what.bytes;
  job_access::state(here).memory.start(what, local, remote);
}

void start_get(job& here, const transfer& what, const stage_target& done) {
  ++host(here).counters().gets;
  host(here).counters().get_bytes += what.bytes;
  job_access::state(here).memory.start(what, done, {});
}

conduit::wait_reason reason_of(const char* operation, const transfer& what) {
  return {.operation = operation, .peer = what.at.rank, .bytes = what.bytes};
}

template <class Start>
request as_request(job& here, const conduit::wait_reason& reason, const Start& start) {
  request made = request_access::make(here, 1, reason);
  start(stage_target{&request_access::counter(made), nullptr, nullptr});
  return made;
}

template <class Start>
void as_implicit(job& here, int rank, const Start& start) {
  start(request_access::implicit_towards(here, rank));
}

}  // namespace

void put_slow(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
              const signal_word& with, const notices& when) {
  const transfer what = put_transfer(to, from, with);
  const conduit::wait_reason reason = reason_of("put", what);
  if (when.local.empty() && when.remote.empty()) {
    throw error(error_kind::argument, "put: the notices are both empty; pass `implicit` instead");
  }
  const stage_target local = request_access::target(here, when.local, reason);
  const stage_target remote = request_access::target(here, when.remote, reason);
  if (put_directly(here, to, from, with)) {
    memory_engine& engine = job_access::state(here).memory;
    engine.tell(local);
    engine.tell(remote);
    return;
  }
  start_put(here, what, local, remote);
}

request put_slow(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
                 const signal_word& with) {
  const transfer what = put_transfer(to, from, with);
  if (put_directly(here, to, from, with)) return {};
  return as_request(here, reason_of("put", what),
                    [&](const stage_target& remote) { start_put(here, what, {}, remote); });
}

void put_slow(job& here, global_ptr<std::byte> to, std::span<const std::byte> from) {
  const transfer what = put_transfer(to, from, {});
  as_implicit(here, to.rank(),
              [&](const stage_target& remote) { start_put(here, what, {}, remote); });
}

request put_slow(job& here, global_ptr<std::byte> to, std::span<const std::byte> from,
                 unacknowledged_t) {
  transfer what = put_transfer(to, from, {});
  what.silent = true;
  return as_request(here, reason_of("put", what),
                    [&](const stage_target& local) { start_put(here, what, local, {}); });
}

request get_slow(job& here, global_ptr<std::byte> from, std::span<std::byte> to) {
  const transfer what = get_transfer(from, to);
  return as_request(here, reason_of("get", what),
                    [&](const stage_target& done) { start_get(here, what, done); });
}

void get_slow(job& here, global_ptr<std::byte> from, std::span<std::byte> to, implicit_t) {
  const transfer what = get_transfer(from, to);
  as_implicit(here, from.rank(), [&](const stage_target& done) { start_get(here, what, done); });
}

void get_slow(job& here, global_ptr<std::byte> from, std::span<std::byte> to, const notice& done) {
  check_notice(done);
  const transfer what = get_transfer(from, to);
  const stage_target target = request_access::target(here, done, reason_of("get", what));
  if (const std::byte* at = direct_get(here, from, to.size())) {
    load_words(to.data(), at, to.size());
    job_access::state(here).memory.tell(target);
    return;
  }
  start_get(here, what, target);
}

void give_turn(job& here) { host(here).give_turn(); }

std::byte* direct_address(job& here, global_ptr<std::byte> at, std::size_t bytes) {
  auto& state = job_access::state(here);
  const bool exists = at.rank() >= 0 && at.rank() < here.size();  // else the get below refuses it
  if (exists && !state.peers.of(at.rank()).direct_access) return nullptr;
  auto& regions = direct_access::regions(here);
  if (std::byte* known = regions.pinned(at.rank(), at.region_bits(), at.offset(), bytes)) {
    return known;
  }
  // A get of nothing fetches the key; what is null afterwards is not addressable.
  get_slow(here, at, {}).wait();
  return regions.pinned(at.rank(), at.region_bits(), at.offset(), bytes);
}

}  // namespace detail

request get(job& here, const exposed_memory& from, std::uint64_t offset, std::span<std::byte> to) {
  const detail::transfer what = detail::exposed_transfer(here, from, offset, to);
  return detail::as_request(
      here, detail::reason_of(detail::get_exposed_name, what),
      [&](const detail::stage_target& done) { detail::start_get(here, what, done); });
}

void get(job& here, const exposed_memory& from, std::uint64_t offset, std::span<std::byte> to,
         const notice& done) {
  detail::check_notice(done);
  const detail::transfer what = detail::exposed_transfer(here, from, offset, to);
  const auto reason = detail::reason_of(detail::get_exposed_name, what);
  detail::start_get(here, what, detail::request_access::target(here, done, reason));
}

void wait_until(job& here, const std::uint64_t& word, comparison how, std::uint64_t value,
                call_site site) {
  host(here).wait(conduit::wait_target::peers_word(word, how, value),
                  {.operation = "wait_until", .site = site});
}

}  // namespace upwash
