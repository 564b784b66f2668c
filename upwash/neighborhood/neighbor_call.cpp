// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/neighbor_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/collective/call.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/core/job.hpp"
#include "upwash/neighborhood/detail/call_checks.hpp"
#include "upwash/neighborhood/detail/neighborhood_state.hpp"

namespace upwash::neighborhoods::detail {
namespace {

using collective::binding;
using collective::call;
using collective::kind;

contents contents_of(what of) {
  return of == what::all_gather ? contents::same_for_all : contents::one_each;
}

call call_by(what of, std::uint64_t bytes, std::shared_ptr<relay_call> how_it_goes,
             const neighbor_options& how, call_site site) {
  call wanted;
  wanted.how = how.edges;
  wanted.site = site;
  wanted.what.of = kind(of == what::all_gather ? all_gather_family : all_to_all_family);
  wanted.what.bytes = bytes;
  wanted.what.further = std::move(how_it_goes);
  wanted.how.algorithm = "relay";
  return wanted;
}

call call_of(const neighborhood& on, const equal_call& all, const neighbor_options& how,
             call_site site) {
  check_options(on, all.of, all.bytes, how, site);
  neighborhood_state& state = on.state();
  const auto plan = state.plan_of(how.scheme, contents_of(all.of), all.bytes);
  const bool by_messages = how.edges.transfer == mechanism::matched;
  return call_by(all.of, all.bytes, state.call_of(plan, all.bytes, by_messages), how, site);
}

std::vector<std::uint64_t> one_behind_the_other(std::span<const std::uint64_t> bytes) {
  std::vector<std::uint64_t> at(bytes.size());
  std::exclusive_scan(bytes.begin(), bytes.end(), at.begin(), std::uint64_t{0});
  return at;
}

/// A schedule of lengths that differ from call to call: nothing of it is kept.
struct single_call {
  std::shared_ptr<const relay_call> how_it_goes;
  collective::manner run_as;
  [[nodiscard]] schedule::generator steps() const {
    return how_it_goes->layout().steps_by_messages();
  }
};

single_call single(const neighborhood& on, what of, std::shared_ptr<const relay_call> how_it_goes,
                   const neighbor_options& how, call_site site) {
  collective::manner run_as;
  run_as.rules = rules_of_edges(on.among());
  run_as.rules.addresses = how.edges.addresses;
  run_as.rules.entry = how.edges.entry;
  run_as.rules.forced = how.edges.transfer;
  if (how.edges.eager_bytes) run_as.rules.eager_bytes = *how.edges.eager_bytes;
  run_as.exit = how.edges.exit;
  run_as.agreed = {.operation = name_of(of), .algorithm = "relay", .site = site};
  run_as.refers_to = how_it_goes;
  return {std::move(how_it_goes), std::move(run_as)};
}

constexpr std::uint64_t unknown_length = ~std::uint64_t{0};

/// The length of every block that is here at any time: lengths travel as the blocks will.
std::vector<std::uint64_t> lengths_of_slots(const neighborhood& on, what of, const relay_plan& plan,
                                            std::span<const std::uint64_t> own,
                                            const neighbor_options& how, call_site site) {
  auto lengths = std::make_shared<relay_plan>(plan);
  lengths->deliveries.clear();
  for (std::uint32_t slot = 0; slot < plan.slots; ++slot) {
    lengths->deliveries.push_back({slot, slot});
  }
  std::vector<std::uint64_t> all(plan.slots);
  // The lengths are read behind this call, whatever is asked of the blocks, and are in no region.
  neighbor_options own_way = how;
  own_way.edges.exit = sync_mode::mine;
  own_way.edges.addresses = address_mode::local;
  const single_call one =
      single(on, of, std::make_shared<relay_call>(std::move(lengths), sizeof(std::uint64_t)),
             own_way, site);
  collective::execute_and_wait(
      on.among(), one.steps(),
      {.input = std::as_bytes(own), .output = std::as_writable_bytes(std::span(all))}, one.run_as);
  return all;
}

void check_uneven(const neighborhood& on, const uneven_call& all) {
  const auto refuse = [&](const std::string& why) {
    throw error(error_kind::argument,
                fmt::format("rank {}: {}: {}", on.among().here().rank(), name_of(all.of), why));
  };
  const auto check = [&](const char* buffer, std::span<const std::uint64_t> bytes,
                         std::span<const std::uint64_t> at, std::size_t blocks,
                         std::size_t in_all) {
    if (bytes.size() != blocks || (!at.empty() && at.size() != blocks)) {
      refuse(fmt::format("{} lengths and {} offsets of the {} are given for {} blocks",
                         bytes.size(), at.size(), buffer, blocks));
    }
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::uint64_t begin = at.empty() ? next : at[i];
      if (begin > in_all || bytes[i] > in_all - begin) {
        refuse(fmt::format("block {} of the {}, of {} bytes at {}, leaves its {} bytes", i, buffer,
                           bytes[i], begin, in_all));
      }
      next = begin + bytes[i];
    }
  };
  if (all.of == what::all_to_all) {
    check("input", all.sent, all.sent_at, on.destinations().size(), all.input.size());
  }
  check("output", all.received, all.received_at, on.sources().size(), all.output.size());
  check_blocks_apart(on, all);
}

std::string who_expects_what(const neighborhood& on, const uneven_call& all,
                             const relay_plan::delivery& what) {
  return fmt::format("rank {}: {}: member {} expects {} bytes of member {}",
                     on.among().here().rank(), name_of(all.of), on.among().rank(),
                     all.received[what.source], on.sources()[what.source]);
}

/// Blocks that come straight from their sources are as long as their receiver says, or the message
/// is refused when it comes.
std::vector<std::uint64_t> lengths_as_told(const neighborhood& on, const uneven_call& all,
                                           const relay_plan& plan,
                                           std::span<const std::uint64_t> own) {
  std::vector<std::uint64_t> lengths(plan.slots, unknown_length);
  std::copy(own.begin(), own.end(), lengths.begin());
  for (const relay_plan::delivery& each : plan.deliveries) {
    const std::uint64_t wanted = all.received[each.source];
    if (lengths[each.slot] == unknown_length) lengths[each.slot] = wanted;
    if (lengths[each.slot] == wanted) continue;
    throw error(error_kind::argument,
                fmt::format("{}, and {} of the same block elsewhere",
                            who_expects_what(on, all, each), lengths[each.slot]));
  }
  return lengths;
}

std::vector<std::uint64_t> lengths_as_sent(const neighborhood& on, const uneven_call& all,
                                           const relay_plan& plan,
                                           std::span<const std::uint64_t> own,
                                           const neighbor_options& how, call_site site) {
  std::vector<std::uint64_t> lengths = lengths_of_slots(on, all.of, plan, own, how, site);
  for (const relay_plan::delivery& each : plan.deliveries) {
    if (lengths[each.slot] == all.received[each.source]) continue;
    throw error(
        error_kind::argument,
        fmt::format("{}, which sends {}", who_expects_what(on, all, each), lengths[each.slot]));
  }
  return lengths;
}

/// A plan with the lengths of these blocks. Collective where they travel first.
std::shared_ptr<const relay_call> with_lengths(const neighborhood& on, const uneven_call& all,
                                               const std::shared_ptr<const relay_plan>& plan,
                                               const neighbor_options& how, call_site site) {
  const auto sent = all.of == what::all_gather ? std::span(&all.own, 1) : all.sent;
  const auto lengths = plan->straight ? lengths_as_told(on, all, *plan, sent)
                                      : lengths_as_sent(on, all, *plan, sent, how, site);
  const auto in_order = [](std::span<const std::uint64_t> given,
                           std::span<const std::uint64_t> bytes) {
    return given.empty() ? one_behind_the_other(bytes)
                         : std::vector<std::uint64_t>(given.begin(), given.end());
  };
  const auto sent_at = in_order(all.sent_at, sent);
  const auto received_at = in_order(all.received_at, all.received);
  return std::make_shared<relay_call>(plan, laid_out_plan::uneven{lengths, sent_at, received_at});
}

enum class planned_for : std::uint8_t { one_call, many };

single_call call_of(const neighborhood& on, const uneven_call& all, const neighbor_options& how,
                    call_site site, planned_for calls = planned_for::one_call) {
  check_uneven(on, all);
  check_options(on, all.of, 0, how, site);
  neighborhood_state& state = on.state();
  const contents blocks = contents_of(all.of);
  const auto lay_out = [&](const std::shared_ptr<const relay_plan>& plan) {
    return with_lengths(on, all, plan, how, site);
  };
  // Members do not know each other's lengths: where it is asked once for many calls they look at
  // what each scheme makes of them, else blocks count as short.
  constexpr std::uint64_t short_block = sizeof(std::uint64_t);
  const bool looks = calls == planned_for::many && how.scheme == "best";
  const auto plan = looks ? state.plan_of(choose_scheme(state, blocks, 0, lay_out), blocks)
                          : state.plan_of(how.scheme, blocks, short_block);
  return single(on, all.of, lay_out(plan), how, site);
}

template <class Call>
binding buffers_of(const Call& all) {
  return {.input = all.input, .output = all.output};
}

}  // namespace

request start(const neighborhood& on, const equal_call& all, const neighbor_options& how,
              call_site site) {
  return collective::start(on.among(), call_of(on, all, how, site), buffers_of(all));
}
void run(const neighborhood& on, const equal_call& all, const neighbor_options& how,
         call_site site) {
  collective::run(on.among(), call_of(on, all, how, site), buffers_of(all));
}
collective::persistent prepare(const neighborhood& on, const equal_call& all,
                               const neighbor_options& how, call_site site) {
  return collective::prepare(on.among(), call_of(on, all, how, site), buffers_of(all));
}
request start(const neighborhood& on, const uneven_call& all, const neighbor_options& how,
              call_site site) {
  const single_call one = call_of(on, all, how, site);
  return collective::execute(on.among(), one.steps(), buffers_of(all), one.run_as);
}
void run(const neighborhood& on, const uneven_call& all, const neighbor_options& how,
         call_site site) {
  const single_call one = call_of(on, all, how, site);
  collective::execute_and_wait(on.among(), one.steps(), buffers_of(all), one.run_as);
}
collective::persistent prepare(const neighborhood& on, const uneven_call& all,
                               const neighbor_options& how, call_site site) {
  const single_call one = call_of(on, all, how, site, planned_for::many);
  return collective::prepare(on.among(), one.steps(), buffers_of(all), one.run_as);
}

namespace {

/// Whether a product of both is a number of 64 bits.
bool fits(std::uint64_t a, std::uint64_t b) {
  return b == 0 || a <= std::numeric_limits<std::uint64_t>::max() / b;
}

[[noreturn]] void refuse_wrap(const neighborhood& on, what of, const char* which,
                              std::uint64_t items, std::size_t item_bytes) {
  throw error(error_kind::argument,
              fmt::format("rank {}: {}: {} of {} items of {} bytes are more than any buffer has",
                          on.among().here().rank(), name_of(of), which, items, item_bytes));
}

}  // namespace

block_bytes::block_bytes(const neighborhood& on, what of, const member_counts& blocks,
                         std::size_t item_bytes) {
  for (const std::uint64_t each : blocks.counts) {
    if (!fits(each, item_bytes)) refuse_wrap(on, of, "blocks", each, item_bytes);
    bytes_.push_back(each * item_bytes);
  }
  for (const std::uint64_t each : blocks.offsets) {
    if (!fits(each, item_bytes)) refuse_wrap(on, of, "offsets", each, item_bytes);
    at_.push_back(each * item_bytes);
  }
}

blocks_anywhere::blocks_anywhere(std::span<const std::span<const std::byte>> sent,
                                 std::span<const std::span<std::byte>> received) {
  const auto hold = []<class Byte>(std::span<const std::span<Byte>> blocks, places& all) {
    Byte* first = nullptr;
    Byte* end = nullptr;
    for (const std::span<Byte>& each : blocks) {
      if (each.empty()) continue;
      if (first == nullptr || each.data() < first) first = each.data();
      if (end == nullptr || each.data() + each.size() > end) end = each.data() + each.size();
    }
    for (const std::span<Byte>& each : blocks) {
      all.bytes.push_back(each.size());
      all.at.push_back(each.empty() ? 0 : static_cast<std::uint64_t>(each.data() - first));
    }
    return std::span<Byte>(first, static_cast<std::size_t>(end - first));
  };
  input_ = hold(sent, sent_);
  output_ = hold(received, received_);
}

uneven_call blocks_anywhere::call() const noexcept {
  return {.of = what::all_to_all,
          .sent = sent_.bytes,
          .sent_at = sent_.at,
          .received = received_.bytes,
          .received_at = received_.at,
          .input = input_,
          .output = output_};
}

std::size_t items_of_block(const neighborhood& on, const neighbor_options& how, std::size_t in,
                           std::size_t out) {
  if (how.items) return *how.items;
  if (!on.destinations().empty()) return in / on.destinations().size();
  if (!on.sources().empty()) return out / on.sources().size();
  throw error(
      error_kind::argument,
      fmt::format("rank {}: neighbor_all_to_all: a member without neighbours cannot tell how "
                  "long blocks are, and may hand on those of others; give "
                  "neighbor_options::items",
                  on.among().here().rank()));
}

std::uint64_t bytes_of_block(const neighborhood& on, what of, std::size_t items,
                             std::size_t item_bytes) {
  if (!fits(items, item_bytes)) refuse_wrap(on, of, "blocks", items, item_bytes);
  return std::uint64_t{items} * item_bytes;
}

void check_items(const neighborhood& on, what of, const char* buffer, std::size_t items,
                 std::size_t blocks, std::size_t each) {
  if (fits(blocks, each) && items == blocks * each) return;
  throw error(error_kind::argument,
              fmt::format("rank {}: {}: the {} has {} items where {} blocks of {} are wanted",
                          on.among().here().rank(), name_of(of), buffer, items, blocks, each));
}

}  // namespace upwash::neighborhoods::detail
