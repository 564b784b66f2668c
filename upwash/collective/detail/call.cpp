// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/choice.hpp"
#include "upwash/collective/detail/run/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/collective/detail/run/compact.hpp"
#include "upwash/collective/detail/run/service.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/may_wait.hpp"
#include "upwash/core/reach.hpp"

namespace upwash::collective::detail {
namespace {

/// What a process can address.
constexpr std::uint64_t most_bytes_of_all = std::uint64_t{1} << 47U;

manner manner_of(const team& among, const call& wanted, const plan& made) {
  const collective_options& how = wanted.how;
  manner run_as;
  run_as.rules = default_rules(among);
  run_as.rules.addresses = how.addresses;
  run_as.rules.entry = how.entry;
  run_as.rules.forced = made.transfer;
  run_as.rules.eager_bytes = rules_of(made.chosen, made.what).eager_bytes;
  run_as.exit = how.exit;
  run_as.agreed = {.operation = to_string(wanted.what.of),
                   .algorithm = made.chosen.chosen->is.name,
                   .bytes = wanted.what.bytes,
                   .root = wanted.what.root};
  run_as.refers_to = made.what.further.share();
  return run_as;
}

/// How edges travel: as the call says, else as the job was installed. Sparse exchanges are no
/// tagged messages, because nobody knows their number.
std::optional<mechanism> transfer_of(const team& among, executor& service, const call& wanted) {
  const auto asked = wanted.how.transfer ? wanted.how.transfer : service.chooses().transfer();
  const kind what = wanted.what.of;
  if (asked != mechanism::matched || what.facts().knows_senders) return asked;
  if (among.rank() == 0) {
    log(log_level::info, "collective",
        fmt::format("{}: matched was asked for, but needs a known number of messages: edges travel "
                    "by their size",
                    to_string(what)));
  }
  return std::nullopt;
}

/// Says once for a shape that no edge can travel as it was asked for.
void tell_fallback(const team& among, const plan& made) {
  const schedule::transfer_rules& rules = made.run_as.rules;
  if (!rules.forced || among.rank() != 0) return;
  const bool needs_addresses =
      *rules.forced == mechanism::signalling_put || *rules.forced == mechanism::single_copy;
  const bool needs_direct = *rules.forced == mechanism::single_copy;
  if ((!needs_addresses || rules.addresses == address_mode::single) &&
      (!needs_direct || rules.direct)) {
    return;
  }
  log(log_level::info, "collective",
      fmt::format("{}: {} was asked for, but needs {}: edges travel by their size",
                  made.run_as.agreed.operation, to_string(*rules.forced),
                  rules.addresses != address_mode::single
                      ? "address mode single"
                      : "members that load and store each other's memory"));
}

/// What somebody asked for stays; else what is usual, which the choice of the algorithm may change.
void decide_eager_bytes(const team& among, executor& service, const call& wanted, plan& made) {
  const std::uint64_t limit = default_rules(among).eager_bytes;
  made.what.transfer = made.transfer;
  made.what.eager_limit = 0;
  made.what.eager_bytes = wanted.how.eager_bytes.value_or(limit);
  if (wanted.how.eager_bytes || made.transfer) return;
  made.what.eager_limit = limit;
  made.what.eager_bytes = service.chooses().usual_eager_bytes(made.what);
}

least_lengths least_lengths_of(const problem& what, int rank) {
  const family& of = what.of.facts();
  least_lengths least{.combines = of.combines};
  if (of.told != lengths::equal) return least;  // the typed calls look at each block
  least.input = bytes_of_input(what, rank);
  least.output = bytes_of_output(what, rank);
  if (is_in_place(what, rank)) {
    std::uint64_t& only = of.at_root == rooted::input ? least.input : least.output;
    only = std::max(least.input, least.output);
    (of.at_root == rooted::input ? least.output : least.input) = 0;
  }
  return least;
}

plan make_plan(const team& among, executor& service, team_record& record, const call& wanted) {
  plan made(wanted);
  made.what.ranks = among.size();
  made.least = least_lengths_of(made.what, among.rank());
  made.what.addresses = wanted.how.addresses;
  made.what.checked = among.here().options().checked;
  made.what.entry = wanted.how.entry;
  made.what.exit = wanted.how.exit;
  made.what.overlapped = wanted.how.overlapped;
  made.what.direct_access = all_direct(among);
  made.what.network_collectives = host(among.here()).endpoint().describe().network_collectives;
  const bool whole = record.shared && record.shared->is_whole();
  made.what.shared_scratch = whole ? record.shared->half_scratch_bytes() : 0;
  tell_nodes(among, record, made.what);
  made.transfer = transfer_of(among, service, wanted);
  const bool by_messages = made.transfer == mechanism::matched;
  if (by_messages) {  // what is studied are messages
    made.what.direct_access = false;
    made.what.shared_scratch = 0;
    made.what.nodes = {};
  }
  decide_eager_bytes(among, service, wanted, made);
  made.changes = service.chooses().site_of(among, record, made.what, wanted);
  made.chosen =
      made.changes != nullptr
          ? made.changes->running()
          : service.chooses().choose(among, made.what, wanted.how.algorithm, wanted.how.label).what;
  const schedule::generator steps = made.chosen.schedule_of(made.what, among.rank());
  made.steps.emplace(steps);
  made.run_as = manner_of(among, wanted, made);
  tell_fallback(among, made);
  made.compact = compact_plan_of(among, record, steps, made.run_as);
  return made;
}

void check_root(const team& among, const problem& what) {
  if (what.root >= 0 && what.root < among.size()) return;
  throw error(error_kind::argument,
              fmt::format("rank {}: {}: root {} is not in the team of {} ranks; give 0 to {}",
                          among.here().rank(), to_string(what.of), what.root, among.size(),
                          among.size() - 1));
}

/// Sizes that no memory has would wrap, here or as prices, and an operator knows whole elements
/// only.
void check_bytes(const team& among, const problem& what) {
  const auto ranks = static_cast<std::uint64_t>(among.size());
  if (what.bytes > most_bytes_of_all / ranks) {
    throw error(error_kind::argument,
                fmt::format("rank {}: {}: {} bytes a member, for {} members, are more than any "
                            "buffer has",
                            among.here().rank(), to_string(what.of), what.bytes, among.size()));
  }
  const family& of = what.of.facts();
  const bool whole = what.element_bytes != 0 && what.bytes % what.element_bytes == 0;
  if (whole || (what.element_bytes != 0 && (!of.combines || of.told != lengths::equal))) return;
  throw error(error_kind::argument,
              fmt::format("rank {}: {}: {} bytes are not whole elements of {} bytes; give "
                          "`element_bytes` as the reduction takes them, at least 1",
                          among.here().rank(), of.name, what.bytes, what.element_bytes));
}

plan& plan_of(const team& among, executor& service, team_record& record, const call& wanted) {
  if (plan* kept = record.plans.find(wanted)) return *kept;
  check_root(among, wanted.what);
  check_bytes(among, wanted.what);
  return record.plans.add(make_plan(among, service, record, wanted));
}

bool overlap(const binding& buffers) noexcept {
  const auto begin = [](const auto& bytes) {
    return reinterpret_cast<std::uintptr_t>(bytes.data());
  };
  const std::uintptr_t in = begin(buffers.input);
  const std::uintptr_t out = begin(buffers.output);
  return in < out + buffers.output.size() && out < in + buffers.input.size();
}

/// Whether no call of this kind is in place.
bool is_never_in_place(kind what) noexcept {
  return is_irregular(what) || (is_uneven(what) && what != kind::all_gather_v);
}

[[noreturn]] void refuse_overlap(const team& among, kind what, const binding& buffers) {
  throw error(
      error_kind::argument,
      fmt::format("rank {}: {}: the input of {} bytes and the output of {} overlap; give "
                  "buffers that are apart{}",
                  among.here().rank(), to_string(what), buffers.input.size(), buffers.output.size(),
                  is_never_in_place(what)
                      ? ""
                      : ", or one buffer to the call in place (upwash::in_place), at all members"));
}

/// A rank's input and output are apart, unless it said that they are not. Where blocks lie
/// anywhere, both may be of one buffer; checked runs refuse that too.
void check_apart(const team& among, const problem& what, const binding& buffers) {
  if (!overlap(buffers) || what.in_place) [[likely]]
    return;
  if (is_rooted(what.of) && among.rank() != what.root) return;
  if (what.of == kind::all_to_all_v && !what.checked) return;
  if (!buffers.input.empty() && !buffers.output.empty()) refuse_overlap(among, what.of, buffers);
}

[[noreturn]] void refuse_short(const team& among, const problem& what, const char* buffer,
                               std::size_t bytes, std::uint64_t wanted) {
  const bool in_place = is_in_place(what, among.rank());
  throw error(error_kind::argument,
              fmt::format("rank {}: {} of {} bytes in a team of {}: the {} has {} bytes where {} "
                          "are wanted",
                          among.here().rank(), to_string(what.of), what.bytes, among.size(),
                          in_place ? "buffer" : buffer, bytes, wanted));
}

/// Each buffer is as long as the call says, and what combines has an operator.
void check_buffers(const team& among, const plan& made, const binding& buffers) {
  const least_lengths& least = made.least;
  if (least.combines && buffers.combine.apply == nullptr) {
    throw error(error_kind::argument, fmt::format("rank {}: {}: no reduction is given",
                                                  among.here().rank(), to_string(made.what.of)));
  }
  if (buffers.input.size() < least.input) {
    refuse_short(among, made.what, "input", buffers.input.size(), least.input);
  }
  if (buffers.output.size() < least.output) {
    refuse_short(among, made.what, "output", buffers.output.size(), least.output);
  }
}

using waiting = signature::manner_of_waiting;

/// The plan's manner, with what differs from call to call.
manner as_called(const plan& made, const call& wanted, waiting waits) {
  manner run_as = made.run_as;
  if (made.changes != nullptr) run_as.agreed.waits = waits;
  run_as.agreed.kind_of_reduction = wanted.kind_of_reduction;
  run_as.agreed.site = wanted.site;
  return run_as;
}

/// Runs it to its end.
void run_plan(const team& among, executor& service, team_record& record, plan& made,
              const call& wanted, const binding& buffers) {
  if (made.compact && service.compact().run(record, *made.compact, buffers, wanted.site, nullptr))
    return;
  service.runs()
      .start(service.store().make(among, record, *made.steps, buffers,
                                  as_called(made, wanted, waiting::blocking)))
      .wait();
}

/// The same, where the algorithm may become another one.
void run_and_observe(const team& among, executor& service, team_record& record, plan& made,
                     const call& wanted, const binding& buffers) {
  const std::shared_ptr<site> kept = made.changes;  // also if this call forgets all choices
  site& at = *kept;
  if (at.irregular()) at.note(buffers);
  if (at.due()) {
    const selection before = at.running();
    service.chooses().advance(among, at);
    if (at.running() != before) made = make_plan(among, service, record, wanted);
  }
  at.count();
  if (!at.timed()) return run_plan(among, service, record, made, wanted, buffers);
  const duration begin = among.here().now();
  run_plan(among, service, record, made, wanted, buffers);
  at.took(among.here().now() - begin);
}

}  // namespace

call_shape::call_shape(const call& of) : what_(of.what), how_(of.how) {
  text_.insert(text_.end(), how_.algorithm.begin(), how_.algorithm.end());
  text_.insert(text_.end(), how_.label.begin(), how_.label.end());
  const std::string_view all(text_.data(), text_.size());
  how_.algorithm = all.substr(0, of.how.algorithm.size());
  how_.label = all.substr(of.how.algorithm.size());
}

plan* plan_cache::find(const call& wanted) noexcept {
  for (auto at = plans_.begin(); at != plans_.end(); ++at) {
    if (at->stale || !at->shape.is_of(wanted)) continue;
    if (at != plans_.begin()) plans_.splice(plans_.begin(), plans_, at);
    return &*at;
  }
  return nullptr;
}

plan& plan_cache::add(plan&& made) {
  if (plans_.size() >= most_plans) {
    const auto unused = [](const plan& each) { return !each.in_use(); };
    const auto oldest = std::find_if(plans_.rbegin(), plans_.rend(), unused);
    if (oldest != plans_.rend()) plans_.erase(std::next(oldest).base());
  }
  return plans_.emplace_front(std::move(made));
}

void plan_cache::forget() noexcept {
  plans_.remove_if([](const plan& each) { return !each.in_use(); });
  for (plan& each : plans_) each.stale = true;
}

void check_size(const team& among, kind what, const char* buffer, std::size_t elements,
                std::size_t wanted) {
  if (elements == wanted) return;
  throw error(
      error_kind::argument,
      fmt::format("rank {}: {}: {} has {} elements where {} are wanted in a team of {}",
                  among.here().rank(), to_string(what), buffer, elements, wanted, among.size()));
}

}  // namespace upwash::collective::detail

namespace upwash::collective {

using namespace detail;

request start(const team& among, const call& wanted, const binding& buffers) {
  auto& service = among.here().service<executor>();
  team_record& record = service.record_of(among);
  const plan& made = plan_of(among, service, record, wanted);
  check_buffers(among, made, buffers);
  check_apart(among, made.what, buffers);
  if (made.changes != nullptr && made.changes->irregular()) made.changes->note(buffers);
  auto begun = service.store().make(among, record, *made.steps, buffers,
                                    as_called(made, wanted, waiting::nonblocking));
  if (made.compact) begun->is->in_turn.steps = made.compact->steps;
  return service.runs().start(std::move(begun));
}

void run(const team& among, const call& wanted, const binding& buffers) {
  if (among.here().in_handler()) [[unlikely]]
    check_may_wait(among.here(), to_string(wanted.what.of));
  auto& service = among.here().service<executor>();
  team_record& record = service.record_of(among);
  plan& made = plan_of(among, service, record, wanted);
  check_buffers(among, made, buffers);
  check_apart(among, made.what, buffers);
  if (made.changes != nullptr) {
    run_and_observe(among, service, record, made, wanted, buffers);
  } else {
    run_plan(among, service, record, made, wanted, buffers);
  }
}

std::string algorithm_of(const team& among, const call& wanted) {
  auto& service = among.here().service<executor>();
  return text_of(plan_of(among, service, service.record_of(among), wanted).chosen);
}

std::optional<expected_time> expected_time_of(const team& among, const call& wanted) {
  auto& service = among.here().service<executor>();
  const plan& made = plan_of(among, service, service.record_of(among), wanted);
  return service.chooses().expects(made.chosen, made.what);
}

persistent prepare(const team& among, const call& wanted, const binding& buffers) {
  auto& service = among.here().service<executor>();
  team_record& record = service.record_of(among);
  const plan& made = plan_of(among, service, record, wanted);
  check_buffers(among, made, buffers);
  check_apart(among, made.what, buffers);
  return prepare(among, *made.steps, buffers, as_called(made, wanted, waiting::nonblocking));
}

}  // namespace upwash::collective
