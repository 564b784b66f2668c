// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of prices: those of the tuning file, and those that this job has computed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "upwash/collective/price_memory.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/tuning/knowledge.hpp"

namespace upwash::tuning {

/// The prices that the ranks of a process share.
class price_notes final : public collective::price_memory {
 public:
  /// Maximum number of noted classes, equal to that of a selector.
  static constexpr std::size_t most_fresh = 256;

  [[nodiscard]] std::optional<words> recall(words key) override;
  void note(collective::kind of, words key, words list) override;

  /// Starts to note new prices, to be stored.
  void note_all() noexcept { notes_ = true; }
  /// Returns the prices of this build as words that `learn` reads. Throws `error` (configuration)
  /// for algorithms that `algorithms` does not have.
  [[nodiscard]] static std::vector<std::uint64_t> words_of(const knowledge& known,
                                                           std::uint64_t build,
                                                           const collective::registry& algorithms);
  void learn(words from);

  /// Returns the prices that this job has computed.
  [[nodiscard]] knowledge fresh(std::uint64_t build, const collective::registry& algorithms) const;
  [[nodiscard]] std::size_t known() const noexcept { return known_.size(); }

 private:
  struct noted {
    collective::kind of;
    std::vector<std::uint64_t> list;
  };
  using word_list = std::vector<std::uint64_t>;

  bool notes_ = false;
  std::map<word_list, word_list> known_;
  std::map<word_list, noted> fresh_;
};

}  // namespace upwash::tuning
