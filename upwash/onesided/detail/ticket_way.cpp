// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tickets: take one, wait until it is served. `next` is changed by atomics only, `serving` by the
// holder only, so that a plain put hands the lock over.
#include <cstddef>

#include "upwash/core/atomic.hpp"
#include "upwash/onesided/detail/lock_way.hpp"

namespace upwash::detail {
namespace {

constexpr std::uint64_t serving_at = offsetof(ticket_words, serving);
static_assert(offsetof(ticket_words, next) == 0);

class ticket_way final : public lock_way {
 public:
  ticket_way(const team& members, int per_rank)
      : here_(members.here()),
        words_(allocate(members, static_cast<std::size_t>(per_rank) * sizeof(ticket_words),
                        atomicity::automatic,
                        {{atomic_kind::fetch_add, atomic_kind::compare_swap}, false, true})) {}

  std::uint64_t lock(int member, int index, const call_site& site) override {
    const std::uint64_t ticket = fetch_add(here_, next(member, index), 1);
    const auto watched = serving(member, index);
    await_word(here_, words_, watched, ticket,
               {.operation = "lock", .peer = watched.rank(), .number = ticket, .site = site});
    return ticket;
  }

  std::optional<std::uint64_t> try_lock(int member, int index) override {
    // Free where the ticket to be served is the one to be taken. An old value is below both.
    const std::uint64_t served = get_value(here_, serving(member, index));
    if (compare_swap(here_, next(member, index), served, served + 1) != served) return {};
    return served;
  }

  void unlock(int member, int index, std::uint64_t ticket) override {
    put_value(here_, serving(member, index), ticket + 1);
  }

  void release() override { free(words_); }

 private:
  [[nodiscard]] global_ptr<std::uint64_t> next(int member, int index) const {
    return words_.at<ticket_words>(member, static_cast<std::uint64_t>(index)).as<std::uint64_t>();
  }
  [[nodiscard]] global_ptr<std::uint64_t> serving(int member, int index) const {
    return next(member, index) + serving_at / sizeof(std::uint64_t);
  }

  job& here_;
  region words_;
};

}  // namespace

std::unique_ptr<lock_way> make_ticket_way(const team& members, int per_rank) {
  return std::make_unique<ticket_way>(members, per_rank);
}

}  // namespace upwash::detail
