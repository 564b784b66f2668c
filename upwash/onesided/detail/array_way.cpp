// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Anderson's array: a ticket says which slot to look at, and the holder before writes its number
// there. Slots lie at the owner, one for each member, because no more can wait at a time. `next` is
// changed by atomics only, slots by one holder after the other.
#include "upwash/core/atomic.hpp"
#include "upwash/onesided/detail/lock_way.hpp"

namespace upwash::detail {
namespace {

constexpr std::uint64_t line_bytes = 64;

class array_way final : public lock_way {
 public:
  array_way(const team& members, int per_rank)
      : here_(members.here()),
        slots_(static_cast<std::uint64_t>(members.size())),
        words_(allocate(members, static_cast<std::uint64_t>(per_rank) * (1 + slots_) * line_bytes,
                        atomicity::automatic,
                        {{atomic_kind::fetch_add, atomic_kind::compare_swap}, false, true})) {}

  std::uint64_t lock(int member, int index, const call_site& site) override {
    const std::uint64_t ticket = fetch_add(here_, next(member, index), 1);
    const auto watched = slot(member, index, ticket);
    await_word(here_, words_, watched, ticket,
               {.operation = "lock", .peer = watched.rank(), .number = ticket, .site = site});
    return ticket;
  }

  std::optional<std::uint64_t> try_lock(int member, int index) override {
    // Free where the ticket to be taken is the one that may go: then nobody can change its slot.
    const std::uint64_t ticket = fetch_add(here_, next(member, index), 0);
    if (get_value(here_, slot(member, index, ticket)) != ticket) return {};
    if (compare_swap(here_, next(member, index), ticket, ticket + 1) != ticket) return {};
    return ticket;
  }

  void unlock(int member, int index, std::uint64_t ticket) override {
    put_value(here_, slot(member, index, ticket + 1), ticket + 1);
  }

  void release() override { free(words_); }

 private:
  [[nodiscard]] global_ptr<std::uint64_t> next(int member, int index) const {
    return line(member, index, 0);
  }
  /// Of zeros at first, which is the number of the first ticket.
  [[nodiscard]] global_ptr<std::uint64_t> slot(int member, int index, std::uint64_t ticket) const {
    return line(member, index, 1 + ticket % slots_);
  }
  [[nodiscard]] global_ptr<std::uint64_t> line(int member, int index, std::uint64_t which) const {
    const std::uint64_t at = static_cast<std::uint64_t>(index) * (1 + slots_) + which;
    return words_.at(member, at * line_bytes).as<std::uint64_t>();
  }

  job& here_;
  std::uint64_t slots_;
  region words_;
};

}  // namespace

std::unique_ptr<lock_way> make_array_way(const team& members, int per_rank) {
  return std::make_unique<array_way>(members, per_rank);
}

}  // namespace upwash::detail
