// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One word, taken by who swaps a one for a zero. Who does not get it backs off, each time longer,
// before it tries again. The word is changed by atomics only.
#include <algorithm>

#include "upwash/base/random.hpp"
#include "upwash/core/atomic.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/wait_scope.hpp"
#include "upwash/onesided/detail/lock_way.hpp"

namespace upwash::detail {
namespace {

constexpr std::uint64_t line_bytes = 64;
constexpr std::uint64_t is_free = 0;
constexpr std::uint64_t is_taken = 1;
constexpr std::uint64_t most_polls = 64;  ///< between two tries

class test_and_set_way final : public lock_way {
 public:
  test_and_set_way(const team& members, int per_rank)
      : here_(members.here()),
        words_(allocate(members, static_cast<std::uint64_t>(per_rank) * line_bytes,
                        atomicity::automatic,
                        {{atomic_kind::swap, atomic_kind::compare_swap}, false, true})),
        draw_(words_.id().bits(), static_cast<std::uint64_t>(members.rank())) {}

  std::uint64_t lock(int member, int index, const call_site& site) override {
    const auto at = place(member, index);
    const conduit::wait_reason reason{.operation = "lock", .peer = at.rank(), .site = site};
    const wait_scope in(here_, reason);
    const std::uint64_t* within = reached(here_, words_, at);
    for (std::uint64_t polls = 1; swap(here_, at, is_taken) != is_free;
         polls = std::min(2 * polls, most_polls)) {
      for (std::uint64_t left = 1 + draw_.below(polls); left != 0; --left) here_.progress();
      // Looks that change nothing disturb the holder less than swaps.
      if (within == nullptr) continue;
      host(here_).wait(conduit::wait_target::peers_word(*within, comparison::equal, is_free),
                       reason);
    }
    return 0;
  }

  std::optional<std::uint64_t> try_lock(int member, int index) override {
    if (compare_swap(here_, place(member, index), is_free, is_taken) != is_free) return {};
    return 0;
  }

  void unlock(int member, int index, std::uint64_t /*token*/) override {
    static_cast<void>(swap(here_, place(member, index), is_free));
  }

  void release() override { free(words_); }

 private:
  [[nodiscard]] global_ptr<std::uint64_t> place(int member, int index) const {
    return words_.at(member, static_cast<std::uint64_t>(index) * line_bytes).as<std::uint64_t>();
  }

  job& here_;
  region words_;
  random_stream draw_;
};

}  // namespace

std::unique_ptr<lock_way> make_test_and_set_way(const team& members, int per_rank) {
  return std::make_unique<test_and_set_way>(members, per_rank);
}

}  // namespace upwash::detail
