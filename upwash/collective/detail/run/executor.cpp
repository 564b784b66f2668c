// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The service itself, and the calls that run a schedule.
#include "upwash/collective/executor.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/collective/adapt.hpp"
#include "upwash/collective/detail/run/service.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/core/teams.hpp"

namespace upwash::collective {
namespace detail {

int executor::progress() {
  agreements_.throw_disagreement();
  if (const auto* misfit = steps_.misfit(); misfit != nullptr && !agreements_.awaits(misfit->of)) {
    throw error(error_kind::fault, fmt::format("rank {}: {}", here_.rank(), misfit->text));
  }
  return operations_.progress();
}

std::string executor::describe_pending() const {
  std::string text;
  for (operation* each : running_) {
    const std::string oldest = each->describe_oldest();
    text += fmt::format("{}{} #{} on team {:#x}{}{}", text.empty() ? "" : "; ",
                        each->how.agreed.operation, each->number, each->among.id(),
                        oldest.empty() ? "" : " waits in ", oldest);
  }
  return text;
}

std::uint64_t executor::begun_on(std::uint64_t team, observe::series which) const {
  if (which != observe::series::collectives) return 0;
  const team_record* record = teams_.find(team);
  return record == nullptr ? 0 : record->numbers;
}

namespace {

/// Of a board, at the members on this rank's node.
class pieces_of_board final : public node_prices::pieces {
 public:
  pieces_of_board(const team& among, const board& shared) : shared_(shared) {
    const conduit::endpoint& at = host(among.here()).endpoint();
    const auto node = [&](int member) { return at.place(among.world_rank(member)).node; };
    for (int member = 0; member < among.size(); ++member) {
      if (node(member) == node(among.rank())) mates_.push_back(member);
    }
  }
  [[nodiscard]] int count() const noexcept override { return static_cast<int>(mates_.size()); }
  [[nodiscard]] std::span<std::uint64_t> piece(int number) const override {
    return shared_.price_words(mates_[static_cast<std::size_t>(number)]);
  }

 private:
  const board& shared_;
  std::vector<int> mates_;
};

/// What the members on a node tell each other; nothing: one process has all of them.
std::optional<node_prices> prices_on(const team& among, const board& shared) {
  if (shared.price_bytes() == 0) return std::nullopt;
  const bool own_core = host(among.here()).looks() > 0;
  return node_prices(std::make_unique<pieces_of_board>(among, shared), own_core);
}

}  // namespace

/// Of a team that was used before: then it goes on with as many places, and calls are chosen for
/// again.
void executor::on_team_create(const team& made) {
  if (!installed_) return;
  const bool whole = all_direct(made);
  if (!whole && !(nodes_direct(made) && shape_of(made, record_of(made)).nodes)) return;
  team_record& record = record_of(made);
  const bool is_world = made == here_.world();
  // In virtual time one process has all ranks, and one selector.
  const bool tell = is_world && !host(here_).endpoint().describe().virtual_time;
  const auto prices = tell ? board::prices::told : board::prices::none;
  const bool is_new = record.numbers == 0;
  if (whole) {
    const auto bytes = is_world ? board::world_scratch_bytes : board::team_scratch_bytes;
    record.shared = is_new ? std::make_unique<board>(made, bytes, prices)
                           : std::make_unique<board>(made, bytes, record.epochs.epochs());
  } else {
    const auto bytes = is_world ? board::node_scratch_bytes : board::team_scratch_bytes;
    record.shared = is_new ? board::of_nodes(made, bytes, prices)
                           : board::of_nodes(made, bytes, record.epochs.epochs());
  }
  if (tell) choices_.share_prices(prices_on(made, *record.shared));
  if (is_new) return record.epochs.set_epochs(record.shared->epochs());
  record.plans.forget();
  record.sites.clear();
}

/// A board that was made with the team is made anew if it has less.
std::uint64_t executor::share_inside_nodes(const team& among) {
  if (!installed_ || !nodes_direct(among)) return 0;
  team_record& record = record_of(among);
  const bool is_new = !record.shared;
  const bool is_small = !is_new && !record.shared->is_whole() &&
                        record.shared->half_scratch_bytes() < board::scratch_inside_nodes(among);
  if (is_small) {
    operations_.await_all_on(record);
    control::barrier_by_messages(among);  // slower members may still use it
    if (among == here_.world()) choices_.share_prices({});
    record.shared->release();
  }
  if (is_new || is_small) {
    record.shared = board::of_nodes(among, board::node_scratch_bytes, record.epochs.epochs());
  }
  return record.shared->half_scratch_bytes();
}

bool executor::is_at_rest(const team& among) const {
  const team_record* record = teams_.find(among.id());
  return record == nullptr || !operations_.any_on(*record);
}

void executor::on_team_free(const team& going) {
  team_record* record = teams_.find(going.id());
  if (record == nullptr) return;
  if (!is_over(going)) {
    operations_.await_all_on(*record);
    control::barrier_by_messages(going);  // slower members may still ask for counters
  }
  steps_.counters().forget(going.id());
  if (going == here_.world()) choices_.share_prices({});
  if (record->shared) record->shared->release();
  teams_.erase(going);
}

void executor::install(const installation& with) {
  installed_ = true;
  steps_.matched().install(with.tagged);
  choices_.install(with);
  on_team_create(here_.world());
}

selector* executor::set_selector(selector* chooses) {
  teams_.forget_choices();
  return choices_.set_selector(chooses);
}

adaptation executor::set_adapting(adaptation adapts) {
  teams_.forget_choices();
  return choices_.set_adapting(adapts);
}

void executor::heard(const agreement& theirs) {
  host(here_).set_busy(*this, true);  // the next progress throws what may have come out
  agreements_.heard(theirs);
}

}  // namespace detail

bool is_at_rest(const team& among) {
  return among.here().service<detail::executor>().is_at_rest(among);
}

schedule::transfer_rules default_rules(const team& among) {
  schedule::transfer_rules rules;
  rules.eager_bytes = medium_limit(among);
  rules.direct = all_direct(among);
  return rules;
}

std::uint64_t share_inside_nodes(const team& among) {
  return among.here().service<detail::executor>().share_inside_nodes(among);
}

request execute(const team& among, const schedule::generator& steps, const binding& buffers,
                const manner& how) {
  auto& service = among.here().service<detail::executor>();
  detail::team_record& record = service.record_of(among);
  return service.runs().start(service.store().make(among, record, steps, buffers, how));
}

void execute_and_wait(const team& among, const schedule::generator& steps, const binding& buffers,
                      const manner& how) {
  execute(among, steps, buffers, how).wait();
}

void install(job& here, const installation& with) {
  here.service<detail::executor>().install(with);
}

std::uint64_t usual_eager_bytes(const team& among, const problem& call) {
  return among.here().service<detail::executor>().chooses().usual_eager_bytes(call);
}

selector* set_selector(job& here, selector* chooses) {
  return here.service<detail::executor>().set_selector(chooses);
}

adaptation set_adapting(job& here, adaptation adapts) {
  return here.service<detail::executor>().set_adapting(adapts);
}

void adapt(const team& among) {
  auto& service = among.here().service<detail::executor>();
  service.chooses().adapt(among, service.record_of(among));
}

}  // namespace upwash::collective
