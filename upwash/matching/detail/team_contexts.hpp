// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The contexts of teams: a small number for the user messages of each team, and one for the edges
// of its collectives. Stores distinguish messages by these numbers.
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

/// The contexts. Memory: at most two entries for each team on which messages are sent.
class team_contexts {
 public:
  explicit team_contexts(job& here) : here_(here) {}

  /// Returns the context of messages of that kind (as in envelope) on the team; makes one if there
  /// is none.
  [[nodiscard]] std::uint32_t of(std::uint64_t team, std::uint32_t kind) {
    table& among = table_of(kind);
    if (team != among.last_team) look_up(among, team);
    return among.last;
  }
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t team, std::uint32_t kind) const;
  /// Returns whether this rank has released the team; other members may still use it. Messages for
  /// a released team make no context any longer. If early messages are kept, a team without this
  /// rank is noted.
  [[nodiscard]] bool is_released(std::uint64_t team, std::uint32_t kind) {
    const table& among = table_of(kind);
    return team != among.last_team && look_for_released(among, team);
  }
  void keep_early() noexcept { keeps_early_ = true; }
  /// Returns the noted teams without this rank, now and at the previous call.
  [[nodiscard]] std::vector<std::uint64_t> take_vain();
  /// Returns the contexts of the team, at most two.
  [[nodiscard]] std::vector<std::uint32_t> of_team(std::uint64_t team) const;
  /// Notes that this rank releases the team. Its contexts stay until `give_back`.
  void leave(std::uint64_t team);
  /// Removes the team's context. `again`: its number may be given to another team.
  void give_back(std::uint64_t team, std::uint32_t context, bool again);

  /// Notes that a message of a collective's edge was kept. Wildcards do not match edges, so its
  /// kind must be known.
  void note_kept(std::uint32_t context, std::uint32_t kind) { kept_kinds_.emplace(context, kind); }
  /// Returns context and kind of the noted messages.
  [[nodiscard]] const auto& kept_kinds() const noexcept { return kept_kinds_; }
  /// Returns the kinds noted for the context, for the last time.
  [[nodiscard]] std::vector<std::uint32_t> take_kept_kinds(std::uint32_t context);

  void promise(std::uint32_t context, const hints& what);
  [[nodiscard]] hints promised(std::uint32_t context) const noexcept {
    return context < hints_.size() ? hints_[context] : hints{};
  }

  [[nodiscard]] std::uint32_t end() const noexcept { return next_; }  ///< above all contexts
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
  std::vector<std::uint64_t> going_;                   ///< released teams that members still leave
  std::vector<std::pair<std::uint64_t, bool>> early_;  ///< noted; whether at the last `take_vain`
  bool keeps_early_ = false;
  std::set<std::pair<std::uint32_t, std::uint32_t>> kept_kinds_;
  std::vector<hints> hints_;  ///< by context, as far as given
};

}  // namespace upwash::matching::detail
