// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which algorithm a call runs: named by the caller, forced for the job, or selected; and where that
// may change while the program runs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "upwash/collective/choice.hpp"
#include "upwash/collective/detail/choose/site.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/node_prices.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/collective/selector.hpp"
#include "upwash/observe/trace_writer.hpp"

namespace upwash::collective::detail {

struct team_record;

/// Owns what a job was installed to choose by: the selector's name, the forced algorithms, whether
/// to adapt. What was chosen is kept with each team (team_records.hpp). Memory: O(collectives).
class choices {
 public:
  explicit choices(job& here);

  /// Collective, blocking: members agree on what is forced. Throws `error` (configuration).
  void install(const installation& with);
  /// Who chooses from now on; returns who did.
  selector* set_selector(selector* chooses) { return std::exchange(selects_, chooses); }
  adaptation set_adapting(adaptation adapts) { return std::exchange(adapts_, adapts); }
  /// Prices are told, and heard, among the processes of a node from now on; nothing: no longer.
  void share_prices(std::optional<node_prices> with) { prices_ = std::move(with); }

  /// Of calls that name no mechanism.
  [[nodiscard]] std::optional<mechanism> transfer() const noexcept { return transfer_; }
  /// For problem::eager_bytes, where nobody asked for a size.
  [[nodiscard]] std::uint64_t usual_eager_bytes(const problem& call) const;
  /// The algorithm named, or forced for the collective, or selected. One that is named and cannot
  /// serve throws `error` (argument). One that is forced for the whole job and cannot serve this
  /// call, say in a smaller team, makes way for what is selected: the reason says so, and rank 0
  /// once a collective in a warning.
  [[nodiscard]] selector::choice choose(const team& among, problem what, std::string_view named,
                                        std::string_view label);
  /// What the chosen one should take; none where nothing prices it.
  [[nodiscard]] std::optional<expected_time> expects(const selection& chosen, problem what) const;

  // -- While the program runs (adapt.cpp)
  // ----------------------------------------------------------
  /// Where the algorithm for such calls may change; else null.
  [[nodiscard]] std::shared_ptr<site> site_of(const team& among, team_record& record,
                                              const problem& what, const call& wanted);
  /// Moves the site on before its next call. Blocking where members must agree.
  void advance(const team& among, site& at);
  /// Members tell each other of the messages of all calls. Blocking.
  void adapt(const team& among, team_record& record);

 private:
  [[nodiscard]] const registry& algorithms();
  [[nodiscard]] selector::choice forced_or_selected(const problem& what);
  [[nodiscard]] selector::choice selected(const problem& what);
  [[nodiscard]] selector::choice first_that_serves(const problem& what);
  [[nodiscard]] bool tells(const team& among) const;
  void tell(const team& among, const std::string& line) const;
  void write_down(const team& among, const problem& what, const selector::choice& chosen,
                  duration begin) const;

  job& here_;
  observe::trace_writer* const trace_;
  const registry* algorithms_ = nullptr;
  std::unique_ptr<registry> own_algorithms_;  ///< where none were installed
  selector* selects_ = nullptr;               ///< null: the first without objection
  struct forced_algorithm {
    std::string algorithm;
    bool told = false;  ///< that it cannot serve some calls
  };
  std::map<kind, forced_algorithm> forced_;
  bool tells_choices_ = false;
  std::optional<mechanism> transfer_;
  adaptation adapts_ = adaptation::none;
  std::optional<node_prices> prices_;
};

}  // namespace upwash::collective::detail
