// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/detail/choose_scheme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "upwash/base/log.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/neighborhood/detail/neighborhood_state.hpp"
#include "upwash/neighborhood/relay/estimate.hpp"

namespace upwash::neighborhoods {

const machine& machine_by_name::get() {
  std::call_once(once_, [this] { read_ = std::make_shared<machine>(load_machine(name_)); });
  return *read_;
}

void install(job& here, machine_by_name& on) { here.service<detail::costs>().on = &on; }

namespace detail {
namespace {

/// Another scheme than direct must be better by more than estimates err.
constexpr double enough_gain = 0.85;

/// Times of rounds in whole picoseconds: sums are the same at all members.
class round_table {
 public:
  round_table(neighborhood_state& of, const std::vector<chosen_scheme>& schemes, contents what)
      : of_(of), rounds_(schemes.size()), begins_(schemes.size() + 1) {
    std::vector<std::uint64_t> own;
    for (const chosen_scheme& each : schemes) {
      plans_.push_back(of.plan_of(text_of(each), what));
      own.push_back(rounds_of(*plans_.back()));
    }
    all_reduce<most>(of.among(), blocking, std::span<const std::uint64_t>(own),
                     std::span<std::uint64_t>(rounds_));
    for (std::size_t i = 0; i < rounds_.size(); ++i) {
      begins_[i + 1] = begins_[i] + rounds_[i] * looked_at.size();
    }
  }

  /// Collective: the times that count, of all members.
  void agree(const machine& on) {
    std::vector<std::uint64_t> own(begins_.back());
    std::vector<std::uint64_t> adapter(begins_.back());
    const int rank = of_.among().rank();
    for (std::size_t scheme = 0; scheme < plans_.size(); ++scheme) {
      for (std::size_t size = 0; size < looked_at.size(); ++size) {
        const round_times mine =
            estimate(*plans_[scheme], rank, looked_at[size], rounds_[scheme], of_.nodes(), on);
        const std::size_t at = begins_[scheme] + size * rounds_[scheme];
        for (std::size_t i = 0; i < mine.own.size(); ++i) {
          own[at + i] = static_cast<std::uint64_t>(std::llround(mine.own[i] * 1000));
          adapter[at + i] = static_cast<std::uint64_t>(std::llround(mine.adapter[i] * 1000));
        }
      }
    }
    own_.resize(own.size());
    adapter_.resize(own.size());
    all_reduce<most>(of_.among(), blocking, std::span<const std::uint64_t>(own),
                     std::span<std::uint64_t>(own_));
    all_reduce<sum>(of_.among(), blocking, std::span<const std::uint64_t>(adapter),
                    std::span<std::uint64_t>(adapter_));
  }

  [[nodiscard]] double nanoseconds(std::size_t scheme, std::size_t size) const {
    const std::size_t begin = begins_[scheme] + size * rounds_[scheme];
    double all = 0;
    for (std::size_t i = begin; i < begin + rounds_[scheme]; ++i) {
      all += static_cast<double>(own_[i]) + static_cast<double>(adapter_[i]) / of_.nodes().nodes();
    }
    return all / 1000;
  }

 private:
  neighborhood_state& of_;
  std::vector<std::shared_ptr<const relay_plan>> plans_;
  std::vector<std::uint64_t> rounds_;  ///< by scheme
  std::vector<std::size_t> begins_;    ///< by scheme: sizes, of each its rounds
  std::vector<std::uint64_t> own_;
  std::vector<std::uint64_t> adapter_;
};

/// Where members share memory, no other scheme needs to be planned unless neighbours are many.
bool sharing_is_best(const neighborhood_state& of, contents what, const machine& on) {
  if (!of.where().shares_memory || of.nodes().nodes() > 1) return false;
  const shared_reading most{
      what == contents::same_for_all ? 1.0 : static_cast<double>(of.most_destinations()),
      static_cast<double>(of.most_sources())};
  const int rank = of.among().rank();
  const double reading = estimate(most, rank, looked_at.front(), of.nodes(), on);
  return reading <= least_of_relaying(rank, of.nodes(), on);
}

}  // namespace

std::size_t class_of(std::uint64_t bytes) noexcept {
  std::size_t found = 0;
  while (found + 1 < looked_at.size() && bytes > looked_at[found] * 4) ++found;
  return found;
}

std::array<std::string, looked_at.size()> choose_schemes(neighborhood_state& of, contents what) {
  std::array<std::string, looked_at.size()> chosen;
  machine_by_name* on = of.among().here().service<costs>().on;
  if (on == nullptr) {
    const char* usual = of.where().shares_memory ? "shared" : "direct";
    chosen.fill(usual);
    log(log_level::info, "neighborhood",
        fmt::format("{}; why: the job knows no machine to choose by", usual));
    return chosen;
  }
  if (sharing_is_best(of, what, on->get())) {
    chosen.fill("shared");
    if (of.among().rank() == 0) {
      log(log_level::info, "neighborhood",
          "shared; why: members share memory, and to read what neighbours have takes no longer "
          "than two rounds of messages");
    }
    return chosen;
  }
  const auto schemes = schemes_worth_a_look(of.where());
  round_table table(of, schemes, what);
  table.agree(on->get());
  for (std::size_t size = 0; size < looked_at.size(); ++size) {
    std::size_t best = 0;  // direct
    for (std::size_t i = 1; i < schemes.size(); ++i) {
      const double limit = table.nanoseconds(best, size) * (best == 0 ? enough_gain : 1);
      if (table.nanoseconds(i, size) < limit) best = i;
    }
    chosen[size] = text_of(schemes[best]);
    if (of.among().rank() != 0) continue;
    log(log_level::info, "neighborhood",
        fmt::format("{} for blocks of about {} bytes; why: {:.2f} us by estimate, direct {:.2f} us",
                    chosen[size], looked_at[size], table.nanoseconds(best, size) / 1000,
                    table.nanoseconds(0, size) / 1000));
  }
  return chosen;
}

}  // namespace detail
}  // namespace upwash::neighborhoods
