// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Others may run the same operation through the executor: the lines are the same.
#include "upwash/collective/detail/run/compact_runner.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "upwash/base/relax.hpp"
#include "upwash/collective/detail/run/compact_run.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/memory_access.hpp"

namespace upwash::collective::detail {
namespace {

using conduit::comparison;
using conduit::wait_target;

constexpr std::size_t stack_scratch = 512;
constexpr std::size_t most_kept_scratch = std::size_t{256} << 10U;  ///< a rank

/// Waits on the caller's stack.
struct waiting_run {
  compact_run steps;
  const compact_plan& what;
  const team_record& record;
  const call_site& site;
  std::uint32_t number;

  /// Mostly it comes while one looks.
  [[nodiscard]] bool comes_soon(const board::awaited& until) const {
    for (int looks = what.looks; looks >= 0; --looks) {
      if (until.is_there()) return true;
      relax();
    }
    return false;
  }
  void wait_for(const board::awaited& until) const {
    if (!comes_soon(until)) wait_in_job(until);
  }
  [[gnu::noinline]] void wait_in_job(const board::awaited& until) const {
    host(steps.here)
        .wait(wait_target::peers_word(*until.word, comparison::greater_equal, until.value),
              {.operation = what.operation,
               .bytes = what.bytes,
               .team = record.members.id(),
               .number = number,
               .counted = observe::series::collectives,
               .site = site});
  }
  void go_through() const {
    for (const compact_step& s : *what.steps) {
      const board::awaited until = steps.before(s);
      if (until.word != nullptr) wait_for(until);
      steps.perform(s);
    }
  }
};

/// The same, with each step written down.
class traced_run {
 public:
  traced_run(const waiting_run& of, observe::trace_writer& into, const traced_collective& as)
      : of_(of), into_(into), as_(as) {}

  void go_through() const {
    for (const compact_step& s : *of_.what.steps) {
      const board::awaited until = of_.steps.before(s);
      if (until.word != nullptr) wait_for(until);
      write_step(into_, of_.record.members, s, as_, [&] { of_.steps.perform(s); });
    }
  }

 private:
  void wait_for(const board::awaited& until) const {
    if (until.is_there()) return;
    const duration begin = now();
    if (!of_.comes_soon(until)) return of_.wait_in_job(until);  // who waits there writes it
    write_wait(into_, as_, begin, now());
  }
  [[nodiscard]] duration now() const { return of_.steps.here.now(); }

  const waiting_run& of_;
  observe::trace_writer& into_;
  const traced_collective& as_;
};

/// Settles before the run begins.
template <class EndSettling>
void settle(const waiting_run& run, const EndSettling& end) {
  board& lines = run.steps.lines;
  const std::uint64_t epoch = run.steps.epoch;
  for (std::uint32_t round = 0; !lines.settle(epoch, round);) {
    run.wait_for({&lines.settle_word(round), board::tag_of(epoch)});
  }
  end();
  run.steps.here
      .progress();  // others' messages must not wait for ever where nobody here ever waits
}

/// An epoch is open while the run lasts. A callback within a wait may begin others, behind it.
class open_epoch {
 public:
  open_epoch(team_record& record, std::uint64_t epoch) : record_(record), epoch_(epoch) {
    record.open.push_back(epoch);
  }
  open_epoch(const open_epoch&) = delete;
  open_epoch& operator=(const open_epoch&) = delete;
  ~open_epoch() {
    if (record_.open.back() == epoch_) {
      record_.open.pop_back();
    } else {
      record_.open.erase(std::find(record_.open.begin(), record_.open.end(), epoch_));
    }
  }

 private:
  team_record& record_;
  std::uint64_t epoch_;
};

/// What peers read, for as long as the run lasts.
class exposed_buffers {
 public:
  exposed_buffers(job& here, const compact_plan& made, board& on, std::uint64_t epoch,
                  const binding& buffers)
      : here_(here) {
    if (made.exposes_input) on.expose(epoch, false, input_.emplace(expose(here, buffers.input)));
    if (made.exposes_output) on.expose(epoch, true, output_.emplace(expose(here, buffers.output)));
  }
  exposed_buffers(const exposed_buffers&) = delete;
  exposed_buffers& operator=(const exposed_buffers&) = delete;
  ~exposed_buffers() {
    if (input_) conceal(here_, *input_);
    if (output_) conceal(here_, *output_);
  }

 private:
  job& here_;
  // Keys are large: none is cleared in vain, as an array of these would be.
  std::optional<exposed_memory> input_;
  std::optional<exposed_memory> output_;
};

/// The same callbacks may need room for other plans.
class plan_in_use {
 public:
  explicit plan_in_use(compact_plan& held) : held_(held) { ++held.runs; }
  plan_in_use(const plan_in_use&) = delete;
  plan_in_use& operator=(const plan_in_use&) = delete;
  ~plan_in_use() { --held_.runs; }

 private:
  compact_plan& held_;
};

/// One run at a time has the scratch that is kept.
class scratch_in_use {
 public:
  scratch_in_use(bool& flag, bool takes) : flag_(flag), takes_(takes) {
    if (takes) flag = true;
  }
  scratch_in_use(const scratch_in_use&) = delete;
  scratch_in_use& operator=(const scratch_in_use&) = delete;
  ~scratch_in_use() {
    if (takes_) flag_ = false;
  }

 private:
  bool& flag_;
  bool takes_;
};

}  // namespace

std::optional<compact_plan> compact_plan_of(const team& among, const team_record& record,
                                            const schedule::generator& steps,
                                            const manner& run_as) {
  const schedule::needs& wants = steps.wants();
  const bool sync =
      run_as.rules.entry == schedule::sync_mode::all || run_as.exit != schedule::sync_mode::mine;
  const bool by_address = run_as.rules.addresses == schedule::address_mode::single &&
                          (wants.exposes_input || wants.exposes_output);
  const bool by_messages = run_as.rules.forced == schedule::mechanism::matched;
  if (!record.shares_memory(wants) || !record.shared->is_whole() ||
      wants.scratch_bytes > most_kept_scratch || sync || by_address || by_messages ||
      among.here().options().checked) {
    return std::nullopt;
  }
  auto all = compact_steps(steps, among.size(), among.rank(), *record.shared);
  if (!all) return std::nullopt;
  return compact_plan{.steps = std::make_shared<const std::vector<compact_step>>(std::move(*all)),
                      .looks = host(among.here()).looks(),
                      .scratch_bytes = wants.scratch_bytes,
                      .shared_bytes = wants.shared_bytes,
                      .note_bytes = board::note_for(wants),
                      .exposes_input = wants.exposes_input,
                      .exposes_output = wants.exposes_output,
                      .operation = run_as.agreed.operation.data(),
                      .algorithm = run_as.agreed.algorithm.data(),
                      .bytes = run_as.agreed.bytes};
}

bool compact_runner::run(team_record& record, compact_plan& made, const binding& buffers,
                         const call_site& site, operation* again) {
  if (!running_.empty() && others_.must_outlast(record)) return false;
  const bool large = made.scratch_bytes > stack_scratch;
  if (large && scratch_in_use_) return false;  // a callback within such a run
  const board::scratch_place shared =
      record.epochs.next(made.shared_bytes, made.note_bytes, record.shared->half_scratch_bytes());
  const std::uint64_t epoch = shared.epoch;
  const bool settles = record.epochs.settles(epoch);
  if (settles && !record.open.empty()) return false;
  if (!settles && record.epochs.half_of(epoch) > record.settled_half) return false;
  const open_epoch open(record, epoch);
  const plan_in_use kept(made);
  record.epochs.take(shared, made.shared_bytes);
  alignas(std::max_align_t) std::array<std::byte, stack_scratch> small;
  const scratch_in_use held(scratch_in_use_, large);
  if (large && scratch_.size() < made.scratch_bytes) {
    scratch_.resize(made.scratch_bytes);
  }
  std::byte* const scratch = large ? scratch_.data() : small.data();
  const std::uint32_t number = again == nullptr ? record.numbers++ : again->count_start();
  const waiting_run run{
      {here_, *record.shared, buffers, scratch, shared, epoch}, made, record, site, number};
  const duration begin = trace_ == nullptr ? duration() : here_.now();
  if (settles) settle(run, [&] { others_.end_settling(record, epoch); });
  const exposed_buffers exposed(here_, made, *record.shared, epoch, buffers);
  if (trace_ == nullptr) {
    run.go_through();
    return true;
  }
  const traced_collective as{made.operation,
                             made.algorithm,
                             made.bytes,
                             record.members.id(),
                             again == nullptr ? first_run(number) : again->run(),
                             site};
  traced_run(run, *trace_, as).go_through();
  write_down(*trace_, as, begin, here_.now());
  return true;
}

}  // namespace upwash::collective::detail
