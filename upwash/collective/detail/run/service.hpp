// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The executor of a rank: the parts that run its collectives, put together. Each has a header of
// its own; the README of upwash/collective tells how a call goes through them.
#pragma once

#include <string>

#include "upwash/collective/detail/choose/choices.hpp"
#include "upwash/collective/detail/run/agreement_checker.hpp"
#include "upwash/collective/detail/run/compact_runner.hpp"
#include "upwash/collective/detail/run/in_flight.hpp"
#include "upwash/collective/detail/run/operations.hpp"
#include "upwash/collective/detail/run/step_runner.hpp"
#include "upwash/collective/detail/run/team_records.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/service.hpp"

namespace upwash::collective::detail {

/// Owns the parts, and gives calls (call.cpp, persistent.cpp) and messages (messages.cpp) the part
/// that they are for.
class executor final : public service_base {
 public:
  explicit executor(job& here) : here_(here), choices_(here) {}

  [[nodiscard]] bool wants_progress() const override { return true; }
  int progress() override;
  [[nodiscard]] std::string describe_pending() const override;
  [[nodiscard]] std::uint64_t begun_on(std::uint64_t team, observe::series which) const override;
  [[nodiscard]] team_place place_on_teams() const override { return {200, "collective"}; }
  void on_team_create(const team& made) override;
  void on_team_free(const team& going) override;

  /// Makes the boards of the world, and of every team from now on.
  void install(const installation& with);
  /// As the public function says.
  std::uint64_t share_inside_nodes(const team& among);
  [[nodiscard]] bool is_at_rest(const team& among) const;
  /// As the public functions say; plans of before are dropped.
  selector* set_selector(selector* chooses);
  adaptation set_adapting(adaptation adapts);
  /// In checked runs: what a neighbour calls.
  void heard(const agreement& theirs);

  [[nodiscard]] team_record& record_of(const team& among) { return teams_.of(among); }
  [[nodiscard]] operation_store& store() noexcept { return store_; }
  [[nodiscard]] choices& chooses() noexcept { return choices_; }
  [[nodiscard]] operations& runs() noexcept { return operations_; }
  [[nodiscard]] compact_runner& compact() noexcept { return compact_; }
  [[nodiscard]] step_runner& steps() noexcept { return steps_; }

 private:
  // A part is made of those above it.
  job& here_;
  bool installed_ = false;
  choices choices_;
  team_records teams_;
  operation_store store_;
  in_flight running_;
  agreement_checker agreements_{here_};
  step_runner steps_{here_, store_.slots(), running_};
  operations operations_{{here_, *this, store_, running_, steps_, agreements_}};
  compact_runner compact_{here_, running_, operations_};
};

}  // namespace upwash::collective::detail
