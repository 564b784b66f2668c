// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The contexts of teams: a small number for the user messages of each team, and one for the edges
// of its collectives, by which stores tell them apart.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "upwash/core/job.hpp"
#include "upwash/matching/messages.hpp"

namespace upwash::matching::detail {

/// Memory: two entries for each team that messages are sent on, at most.
class team_contexts {
 public:
  explicit team_contexts(job& here) : here_(here) {}

  /// The context of messages of that kind (as in envelope) on the team; a new one where it has
  /// none.
  [[nodiscard]] std::uint32_t of(std::uint64_t team, std::uint32_t kind) {
    table& among = table_of(kind);
    if (team != among.last_team) look_up(among, team);
    return among.last;
  }
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t team, std::uint32_t kind) const;
  /// Of a team that this rank has released, and other members perhaps not yet: messages for it make
  /// no context any more. One that this rank is not in, where early ones are kept, is noted.
  [[nodiscard]] bool is_released(std::uint64_t team, std::uint32_t kind) {
    const table& among = table_of(kind);
    return team != among.last_team && look_for_released(among, team);
  }
  void keep_early() noexcept { keeps_early_ = true; }
  /// Of the teams noted: those that this rank is still not in, and was not in at the call before.
  [[nodiscard]] std::vector<std::uint64_t> take_vain();
  /// Those that the team has, at most two.
  [[nodiscard]] std::vector<std::uint32_t> of_team(std::uint64_t team) const;
  /// This rank releases the team. Its contexts stay until `give_back`.
  void leave(std::uint64_t team);
  /// The team's context goes. `again`: its number may be another team's.
  void give_back(std::uint64_t team, std::uint32_t context, bool again);

  /// A message of a collective's edge was kept: wildcards find no edges, its kind must be known.
  void note_kept(std::uint32_t context, std::uint32_t kind) { kept_kinds_.emplace(context, kind); }
  /// Context and kind of those noted.
  [[nodiscard]] const auto& kept_kinds() const noexcept { return kept_kinds_; }
  /// The kinds noted for the context, which is told for the last time.
  [[nodiscard]] std::vector<std::uint32_t> take_kept_kinds(std::uint32_t context);

  void promise(std::uint32_t context, const hints& what);
  [[nodiscard]] hints promised(std::uint32_t context) const noexcept {
    return context < hints_.size() ? hints_[context] : hints{};
  }

  [[nodiscard]] std::uint32_t end() const noexcept { return next_; }  ///< all are below it
  [[nodiscard]] std::size_t size() const noexcept {
    return tables_[0].numbers.size() + tables_[1].numbers.size();
  }

 private:
  struct table {
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;  ///< by team that is not released
    std::uint64_t last_team = ~std::uint64_t{0};
    std::uint32_t last = 0;
  };
  [[nodiscard]] table& table_of(std::uint32_t kind) { return tables_[kind == 0 ? 0 : 1]; }
  [[nodiscard]] const table& table_of(std::uint32_t kind) const {
    return tables_[kind == 0 ? 0 : 1];
  }
  void look_up(table& among, std::uint64_t team);
  [[nodiscard]] bool look_for_released(const table& among, std::uint64_t team);

  job& here_;
  std::array<table, 2> tables_;  ///< of user messages; of edges of collectives
  std::uint32_t next_ = 0;
  std::vector<std::uint32_t> free_;                    ///< of released teams
  std::vector<std::uint64_t> going_;                   ///< teams of them that members still leave
  std::vector<std::pair<std::uint64_t, bool>> early_;  ///< teams noted; at `take_vain` already
  bool keeps_early_ = false;
  std::set<std::pair<std::uint32_t, std::uint32_t>> kept_kinds_;
  std::vector<hints> hints_;  ///< by context, as far as any were given
};

}  // namespace upwash::matching::detail
