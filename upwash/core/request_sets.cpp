// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/request_sets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/core/detail/request_access.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash {
namespace {

bool reportable(const request& each) { return !each.empty() && each.done(); }

const request* first_open(std::span<const request> among) {
  const auto at = std::ranges::find_if(among, [](const request& each) { return !each.empty(); });
  return at == among.end() ? nullptr : &*at;
}

/// What is complete now, at most as many as `indices` has room for.
std::size_t take(std::span<request> from, std::span<std::size_t> indices) {
  std::size_t taken = 0;
  for (std::size_t i = 0; i < from.size() && taken < indices.size(); ++i) {
    if (!reportable(from[i])) continue;
    from[i] = request();
    indices[taken++] = i;
  }
  return taken;
}

std::optional<std::size_t> test(std::span<request> from, std::span<std::size_t> indices) {
  const request* open = first_open(from);
  if (open == nullptr) return no_request;
  std::size_t taken = take(from, indices);
  if (taken == 0) {
    detail::request_access::owner(*open).progress();
    taken = take(from, indices);
  }
  return taken == 0 ? std::nullopt : std::optional(taken);
}

std::size_t wait(std::span<request> from, std::span<std::size_t> indices, const char* operation,
                 const call_site& site) {
  const request* open = first_open(from);
  if (open == nullptr) return no_request;
  if (const std::size_t taken = take(from, indices); taken != 0) return taken;
  const auto any_done = [](const void* context) {
    return std::ranges::any_of(*static_cast<const std::span<request>*>(context), reportable);
  };
  host(detail::request_access::owner(*open))
      .wait(conduit::wait_target::predicate(any_done, &from),
            {.operation = operation, .site = site});
  return take(from, indices);
}

void check_room(std::span<request> from, std::span<std::size_t> indices, const char* operation) {
  if (indices.size() >= from.size()) return;
  throw error(error_kind::argument,
              fmt::format("{} of {} requests with room for {} indices; give room for all",
                          operation, from.size(), indices.size()));
}

}  // namespace

std::optional<std::size_t> test_any(std::span<request> requests) {
  std::size_t index = 0;
  const auto taken = test(requests, {&index, 1});
  return taken == 1U ? std::optional(index) : taken;
}

std::size_t wait_any(std::span<request> requests, call_site site) {
  std::size_t index = 0;
  return wait(requests, {&index, 1}, "wait_any", site) == no_request ? no_request : index;
}

std::optional<std::size_t> test_some(std::span<request> requests, std::span<std::size_t> indices) {
  check_room(requests, indices, "test_some");
  return test(requests, indices);
}

std::size_t wait_some(std::span<request> requests, std::span<std::size_t> indices, call_site site) {
  check_room(requests, indices, "wait_some");
  return wait(requests, indices, "wait_some", site);
}

namespace detail {

void detached_tickets::add(ticket* one) noexcept {
  one->next = first_;
  first_ = one;
  if (++count_ >= limit_) sweep();
}

/// Those that are complete go back to the pool. Then as many more may come as are left: O(1) each.
void detached_tickets::sweep() noexcept {
  ticket** at = &first_;
  while (*at != nullptr) {
    ticket* one = *at;
    // Acquire: its data is there when this is 0, as for who would have waited.
    if (one->pending.load(std::memory_order_acquire) != 0) {
      at = &one->next;
      continue;
    }
    *at = one->next;
    pool_.give_back(one);
    --count_;
  }
  limit_ = least + 2 * count_;
}

}  // namespace detail
}  // namespace upwash
