// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Others may run the same operation through the executor: the lines are the same.
#include "upwash/collective/detail/run/compact_runner.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "upwash/base/relax.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/memory_access.hpp"

namespace upwash::collective::detail {
namespace {

using conduit::comparison;
using conduit::wait_target;
using schedule::buffer;
using schedule::step_kind;

constexpr std::size_t stack_scratch = 512;
constexpr std::size_t most_kept_scratch = std::size_t{256} << 10U;  ///< a rank

struct compact_run {
  job& here;
  const compact_plan& what;
  const team_record& record;
  const binding& buffers;
  const call_site& site;
  std::byte* scratch;
  board::scratch_place shared;
  std::uint64_t epoch;
  std::uint64_t at;  ///< of its place
  std::uint32_t number;

  [[nodiscard]] const std::byte* source(const compact_piece& p) const noexcept {
    return p.of == buffer::input ? buffers.input.data() + p.at : target(p);
  }
  [[nodiscard]] std::byte* target(const compact_piece& p) const noexcept {
    if (p.of == buffer::output) return buffers.output.data() + p.at;
    return p.at + (p.of == buffer::shared ? record.shared->scratch(p.owner, shared) : scratch);
  }
  [[nodiscard]] board::place& place(const compact_step& s) const noexcept { return s.places[at]; }

  void send(const compact_step& s) const {
    const std::byte* from = s.bytes == 0 ? nullptr : source(s.left);
    place(s).edges[s.edge].write(board::tag_of(epoch), from, s.bytes);
  }
  /// Until a word that peers write is at least `value`. Mostly it comes while one looks.
  void wait_for(const std::uint64_t& word, std::uint64_t value) const {
    // Acquire: what the peer wrote before the word is here with it.
    for (int looks = what.looks; looks >= 0; --looks) {
      if (__atomic_load_n(&word, __ATOMIC_ACQUIRE) >= value) return;
      relax();
    }
    wait_in_job(word, value);
  }
  [[gnu::noinline]] void wait_in_job(const std::uint64_t& word, std::uint64_t value) const {
    host(here).wait(wait_target::peers_word(word, comparison::greater_equal, value),
                    {.operation = what.operation,
                     .bytes = what.bytes,
                     .team = record.members.id(),
                     .number = number,
                     .counted = observe::series::collectives,
                     .site = site});
  }
  void receive(const compact_step& s) const {
    board_line& line = place(s).edges[s.edge];
    wait_for(line.tag, board::tag_of(epoch));
    if (s.bytes != 0) std::memcpy(target(s.into), line.payload.data(), s.bytes);
  }
  void await(const compact_step& s) const { wait_for(place(s).counts[s.edge].value, s.value); }
  void combine(const compact_step& s) const {
    buffers.combine.combine(source(s.left), source(s.right), target(s.into), s.bytes);
  }
  void copy(const compact_step& s) const {
    if (s.bytes == 0) return;
    if (s.fetches) return fetch(s);
    std::memmove(target(s.into), source(s.left), s.bytes);
  }
  /// Out of a peer's buffer. Mostly the peer said where that is before it let this rank come here.
  void fetch(const compact_step& s) const {
    const bool output = s.left.of == buffer::output;
    wait_for(record.shared->exposure_word(s.left.owner, epoch, output), board::tag_of(epoch));
    const exposed_memory* memory = record.shared->exposed(s.left.owner, epoch, output);
    get(here, *memory, s.left.at, std::span(target(s.into), s.bytes)).wait();
  }
  void perform(const compact_step& s) const {
    switch (s.kind) {
      case step_kind::send: return send(s);
      case step_kind::receive: return receive(s);
      case step_kind::copy: return copy(s);
      case step_kind::reduce:
        if (s.bytes != 0) combine(s);
        return;
      case step_kind::signal: std::atomic_ref(place(s).counts[s.edge].value).fetch_add(1); return;
      case step_kind::await: return await(s);
      default: return;  // is_compact lets no other through
    }
  }
};

/// Settles before the run begins.
template <class EndSettling>
void settle(const compact_run& run, board& lines, const EndSettling& end) {
  for (std::uint32_t round = 0; !lines.settle(run.epoch, round);) {
    run.wait_for(lines.settle_word(round), board::tag_of(run.epoch));
  }
  end();
  run.here.progress();  // others' messages must not wait for ever where nobody here ever waits
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
    if (made.exposes_input) on.expose(epoch, false, add(buffers.input));
    if (made.exposes_output) on.expose(epoch, true, add(buffers.output));
  }
  exposed_buffers(const exposed_buffers&) = delete;
  exposed_buffers& operator=(const exposed_buffers&) = delete;
  ~exposed_buffers() {
    for (std::size_t i = 0; i < count_; ++i) conceal(here_, made_[i]);
  }

 private:
  const exposed_memory& add(std::span<const std::byte> buffer) {
    return made_[count_++] = expose(here_, buffer);
  }

  job& here_;
  std::array<exposed_memory, 2> made_;
  std::size_t count_ = 0;
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
  if (!record.shares_memory(wants) || wants.scratch_bytes > most_kept_scratch || sync ||
      by_address || by_messages || among.here().options().checked) {
    return std::nullopt;
  }
  auto all = compact_steps(steps, among.rank(), *record.shared);
  if (!all) return std::nullopt;
  return compact_plan{.steps = std::move(*all),
                      .looks = host(among.here()).looks(),
                      .scratch_bytes = wants.scratch_bytes,
                      .shared_bytes = wants.shared_bytes,
                      .exposes_input = wants.exposes_input,
                      .exposes_output = wants.exposes_output,
                      .operation = run_as.agreed.operation.data(),
                      .bytes = run_as.agreed.bytes};
}

bool compact_runner::run(team_record& record, compact_plan& made, const binding& buffers,
                         const call_site& site, operation* again) {
  if (!running_.empty() && others_.must_outlast(record)) return false;
  const bool large = made.scratch_bytes > stack_scratch;
  if (large && scratch_in_use_) return false;  // a callback within such a run
  const board::scratch_place shared =
      record.epochs.next(made.shared_bytes, record.shared->half_scratch_bytes());
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
  const compact_run run{here_,   made,  record,
                        buffers, site,  scratch,
                        shared,  epoch, epoch & (record.shared->epochs() - 1),
                        number};
  if (settles) settle(run, *record.shared, [&] { others_.end_settling(record, epoch); });
  const exposed_buffers exposed(here_, made, *record.shared, epoch, buffers);
  for (const compact_step& s : made.steps) run.perform(s);
  return true;
}

}  // namespace upwash::collective::detail
