// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/region.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "upwash/base/atomic_text.hpp"
#include "upwash/base/error.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/refuse_together.hpp"
#include "upwash/core/detail/team_table.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/core/wait_scope.hpp"

namespace upwash {
namespace {

/// The atomicity that a region of these members gets, or an error when the one asked for cannot
/// be. One for all pairs: processor and network do not see each other's.
atomicity settle_atomicity(const team& members, atomicity asked, const conduit::atomic_set& uses) {
  const reach& between = reach_of(members);
  const bool by_network = !between.atomics().empty() && between.atomics().includes(uses);
  if (asked == atomicity::automatic) {
    if (between.all_direct()) return atomicity::processor;
    return by_network ? atomicity::network : atomicity::owner;
  }
  if (asked == atomicity::owner || (asked == atomicity::processor && between.all_direct()) ||
      (asked == atomicity::network && by_network)) {
    return asked;
  }
  const conduit::endpoint& at = host(members.here()).endpoint();
  const bool partly = asked == atomicity::network && !between.atomics().empty();
  throw error(
      error_kind::argument,
      fmt::format("allocate: the {} conduit has no {} atomics{}{}; use automatic or owner{}",
                  at.describe().name, asked == atomicity::processor ? "processor" : "network",
                  members.size() == members.here().size() ? "" : " between these members",
                  partly ? fmt::format(" for {}", to_string(uses - between.atomics())) : "",
                  partly ? ", or name those that the region is for" : ""));
}

/// Offsets of global pointers go so far.
constexpr std::size_t most_bytes = (std::size_t{1} << 44U) - 1;

/// A block that is released again unless a region takes it over: agreeing may throw.
class own_block {
 public:
  explicit own_block(job& here) : here_(here) {}
  own_block(const own_block&) = delete;
  own_block& operator=(const own_block&) = delete;
  ~own_block() {
    if (held_) host(here_).endpoint().release(here_.rank(), block_);
  }

  void allocate(std::size_t bytes) {
    // Conduits round it up.
    if (bytes > most_bytes) {
      throw error(error_kind::system,
                  fmt::format("rank {} asks for {} bytes, and a region has 2^44 - 1 at most",
                              here_.rank(), bytes));
    }
    block_ = host(here_).endpoint().allocate(here_.rank(), bytes);
    held_ = true;
  }
  [[nodiscard]] const conduit::memory_block& get() const noexcept { return block_; }
  void taken() noexcept { held_ = false; }

 private:
  job& here_;
  conduit::memory_block block_;
  bool held_ = false;
};

}  // namespace

namespace detail {

void refuse_together(const team& members, int lacking, const std::string& refusal) {
  std::array<char, 256> words{};
  refusal.copy(words.data(), words.size() - 1);
  control::broadcast_value(members, members.member_of(lacking), words);
  const bool mine = members.here().rank() == lacking;
  throw error(error_kind::system,
              fmt::format(fmt::runtime(mine ? "rank {}: allocate: {}" : "allocate at rank {}: {}"),
                          lacking, words.data()));
}

}  // namespace detail

global_ptr<std::byte> region::at(int member, std::uint64_t offset_bytes) const {
  return {team_.world_rank(member), id(), offset_bytes};
}

region_id region::id() const noexcept {
  return {static_cast<std::uint32_t>(state_->bits >> 28U),
          static_cast<std::uint32_t>(state_->bits) & 0xfffffffU};
}

region allocate(const team& members, std::size_t bytes, atomicity how,
                const conduit::atomic_set& uses, call_site site) {
  job& here = members.here();
  const wait_scope in(here, control::reason_of(members, "allocate", site));
  auto& state = detail::job_access::state(here);
  const atomicity settled = settle_atomicity(members, how, uses);
  own_block own(here);
  std::string refusal;
  try {
    own.allocate(bytes);
  } catch (const error& e) {
    refusal = e.what();
  }
  // One reduction: largest size, largest complement (so the smallest size), who failed.
  std::array<std::uint64_t, 3> agreed{
      bytes, ~static_cast<std::uint64_t>(bytes),
      refusal.empty() ? 0 : static_cast<std::uint64_t>(here.rank()) + 1};
  control::all_reduce(members, agreed, control::fold::most);
  if (agreed[2] != 0) detail::refuse_together(members, static_cast<int>(agreed[2] - 1), refusal);
  std::uint64_t bits = 0;
  if (members.rank() == 0) {
    const std::uint32_t number = state.teams->draw_region();
    if (number >= 1U << 28U) {
      throw error(error_kind::argument, "allocate: a rank can create 2^28 - 1 regions in a job");
    }
    bits = region_id{static_cast<std::uint32_t>(here.rank()), number}.bits();
  }
  control::broadcast_value(members, 0, bits);
  {
    const auto held = state.memory.lock();
    detail::region_state& made = state.regions.add(bits, own.get());
    own.taken();
    made.team = members.id();
    made.atomics = settled;
    made.uses = uses;
    made.most_bytes = agreed[0];
    made.least_bytes = ~agreed[1];
  }
  region result;
  result.state_ = state.regions.find(bits);
  result.bits_ = bits;
  result.team_ = members;
  control::barrier_by_messages(members);  // a peer may ask for the key at once
  return result;
}

void free(region& going, call_site site) {
  if (!going) return;
  job& here = going.team_.here();
  const wait_scope in(here, control::reason_of(going.team_, "free", site));
  if (detail::job_access::state(here).regions.find(going.bits_) == nullptr) {
    going = region();
    throw error(error_kind::argument,
                fmt::format("rank {}: free of a region that was freed before, by a copy of its "
                            "handle; free it once, at each member",
                            here.rank()));
  }
  detail::job_access::state(here).memory.await_idle(*going.state_);
  control::barrier_by_messages(going.team_);
  auto& state = detail::job_access::state(here);
  const auto held = state.memory.lock();
  state.addresses.remove(going.state_->bits);
  state.regions.remove(going.state_->bits);
  going = region();
}

void publish_addresses(const region& of, call_site site) {
  const team among = of.members();
  const wait_scope in(among.here(), control::reason_of(among, "publish_addresses", site));
  struct placed {
    std::uint64_t base;
    std::uint64_t size;
  };
  std::vector<placed> all(static_cast<std::size_t>(among.size()));
  const auto base = reinterpret_cast<std::uintptr_t>(of.mine().data());
  control::all_gather_values(among, placed{base, of.mine().size()}, std::span(all));
  detail::published_region made;
  made.bits = of.state_->bits;
  made.members = team_access::state(among).map();
  for (const placed& each : all) {
    made.bases.push_back(each.size == 0 ? 0 : each.base);
    if (!of.uniform()) made.sizes.push_back(each.size);
  }
  if (of.uniform()) made.sizes.push_back(all.front().size);
  detail::job_access::state(among.here()).addresses.add(std::move(made));
}

const void* address_at(const region& of, int member) {
  const team among = of.members();
  static_cast<void>(among.world_rank(member));  // refuses what is no member
  const std::uint64_t bits = of.id().bits();
  const auto* found = detail::job_access::state(among.here()).addresses.region(bits);
  if (found == nullptr) {
    throw error(error_kind::argument,
                fmt::format("rank {}: address_at of a region whose addresses were not published; "
                            "all members call publish_addresses before",
                            among.here().rank()));
  }
  return reinterpret_cast<const void*>(found->bases[static_cast<std::size_t>(member)]);
}

global_ptr<std::byte> global_at(job& here, int rank, const void* remote) {
  if (rank < 0 || rank >= here.size()) return {};
  const auto address = reinterpret_cast<std::uintptr_t>(remote);
  const auto* found = detail::job_access::state(here).addresses.find(rank, address);
  if (found == nullptr) return {};
  const region_id id{static_cast<std::uint32_t>(found->bits >> 28U),
                     static_cast<std::uint32_t>(found->bits) & 0xfffffffU};
  return {rank, id, address - found->base};
}

namespace detail {

global_ptr<std::byte> global_of(job& here, const void* local) {
  const region_state* found = job_access::state(here).regions.containing(local);
  if (found == nullptr) return {};
  const region_id id{static_cast<std::uint32_t>(found->bits >> 28U),
                     static_cast<std::uint32_t>(found->bits) & 0xfffffffU};
  const auto offset = static_cast<const std::byte*>(local) - found->own.base;
  return {here.rank(), id, static_cast<std::uint64_t>(offset)};
}

}  // namespace detail

exposed_memory expose(job& here, std::span<const std::byte> span) {
  exposed_memory made{here.rank(), span.size(), 0, {}};
  auto& state = detail::job_access::state(here);
  const pairs read_it = state.peers.private_reads();
  if (read_it != pairs::none) made.key = host(here).endpoint().register_span(here.rank(), span);
  if (read_it != pairs::all) made.number = state.memory.expose(span);
  return made;
}

void conceal(job& here, const exposed_memory& memory) {
  auto& state = detail::job_access::state(here);
  const pairs read_it = state.peers.private_reads();
  if (read_it != pairs::none) host(here).endpoint().deregister(here.rank(), memory.key);
  if (read_it != pairs::all) state.memory.conceal(memory.number);
}

}  // namespace upwash
