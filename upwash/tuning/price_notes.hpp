// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of prices: what the tuning file says of them, and what this job has priced.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "upwash/collective/price_memory.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/tuning/knowledge.hpp"

namespace upwash::tuning {

/// Shared by the ranks of a process.
class price_notes final : public collective::price_memory {
 public:
  /// So many classes are noted, as a selector keeps.
  static constexpr std::size_t most_fresh = 256;

  [[nodiscard]] std::optional<words> recall(words key) override;
  void note(collective::kind of, words key, words list) override;

  /// From now on what is priced is noted, to be kept.
  void note_all() noexcept { notes_ = true; }
  /// Those of this build, in words that `learn` reads. Throws `error` (configuration) for
  /// algorithms that `algorithms` does not have.
  [[nodiscard]] static std::vector<std::uint64_t> words_of(const knowledge& known,
                                                           std::uint64_t build,
                                                           const collective::registry& algorithms);
  void learn(words from);

  /// What this job has priced.
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
