// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/team_memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/refuse_together.hpp"
#include "upwash/core/detail/team_table.hpp"
#include "upwash/core/host.hpp"

namespace upwash {
namespace detail {

/// Made by the first of a process's members that asks, filled by the one that leads.
struct process_block {
  process_block() = default;
  process_block(const process_block&) = delete;
  process_block& operator=(const process_block&) = delete;
  ~process_block() {
    for (const remote_memory& each : imported) below->forget(owner, each);
    if (below != nullptr) below->release(owner, own);
  }

  conduit::endpoint* below = nullptr;  ///< null: there is no memory
  int owner = -1;                      ///< rank that leads
  memory_block own;
  std::vector<remote_memory> imported;
  std::vector<std::byte*> parts;  ///< by member; null: not reached yet
  std::size_t part_bytes = 0;
  std::vector<memory_key> keys;  ///< by process
  std::vector<int> leaders;      ///< by process of the team: members
  int most_members = 0;
  std::vector<std::pair<int, int>> of_member;  ///< process of the team, index in it
  std::uint64_t filled = 0;                    ///< by the one that leads
};

/// Members that only talk: no service hears of such a team.
class talking_team {
 public:
  talking_team(const team& among, const std::vector<int>& members, std::uint64_t number)
      : table_(*job_access::state(among.here()).teams) {
    std::vector<int> world;
    for (const int member : members) world.push_back(among.world_rank(member));
    // As a subset of the team before it has an identity (team::subset), under another stream.
    id_ = random_bits(among.id(), 3, number) | (std::uint64_t{1} << 63U);
    made_ = team_access::of(table_.add(id_, rank_map::of(world)));
  }
  talking_team(const talking_team&) = delete;
  talking_team& operator=(const talking_team&) = delete;
  ~talking_team() { table_.remove(id_); }

  [[nodiscard]] const team& get() const noexcept { return made_; }

 private:
  team_table& table_;
  std::uint64_t id_ = 0;
  team made_;
};

}  // namespace detail

namespace {

using detail::talking_team;

constexpr std::size_t line_bytes = 64;

/// Who shares a process with whom. O(size log processes).
void place(detail::process_block& block, const team& among) {
  const conduit::endpoint& at = host(among.here()).endpoint();
  std::map<int, int> numbers;  // of processes, by where they are
  std::vector<int> counts;
  for (int member = 0; member < among.size(); ++member) {
    const int process = at.place(among.world_rank(member)).process;
    const auto [found, is_new] = numbers.try_emplace(process, static_cast<int>(counts.size()));
    if (is_new) {
      block.leaders.push_back(member);
      counts.push_back(0);
    }
    int& count = counts[static_cast<std::size_t>(found->second)];
    block.of_member.emplace_back(found->second, count++);
  }
  block.most_members = std::ranges::max(counts);
}

process_group group_of(const detail::process_block& block, int member) {
  const auto [process, index] = block.of_member[static_cast<std::size_t>(member)];
  process_group made{.first = block.leaders[static_cast<std::size_t>(process)],
                     .index = index,
                     .processes = static_cast<int>(block.leaders.size()),
                     .number = process,
                     .most_members = block.most_members};
  made.members = static_cast<int>(
      std::ranges::count(block.of_member, process, [](const auto& each) { return each.first; }));
  return made;
}

struct offer {
  std::uint64_t refused = 0;
  memory_key key;
};

/// Memory for the members of this process. Empty, or why there is none.
std::string allocate(detail::process_block& block, job& here, std::size_t bytes) {
  conduit::endpoint& at = host(here).endpoint();
  try {
    block.own = at.allocate(here.rank(), bytes);
  } catch (const error& e) {
    return e.what();
  }
  block.owner = here.rank();
  block.below = &at;
  return {};
}

/// The block of a process as seen from here.
void reach_process(detail::process_block& block, const team& among, int process) {
  const int owner = among.world_rank(block.leaders[static_cast<std::size_t>(process)]);
  std::byte* base = block.own.base;
  if (owner != block.owner) {
    block.imported.push_back(
        block.below->import(block.owner, owner, block.keys[static_cast<std::size_t>(process)]));
    base = block.imported.back().direct;
  }
  for (std::size_t member = 0; member < block.of_member.size(); ++member) {
    const auto [of, index] = block.of_member[member];
    if (of != process) continue;
    block.parts[member] = base + static_cast<std::size_t>(index) * block.part_bytes;
  }
}

/// Of few processes at once: that one cannot be reached is then an error of all. Many have most of
/// it never used. Empty, or why one cannot be reached.
std::string reach_first(detail::process_block& block, const team& among) {
  constexpr int few_processes = 16;
  const auto processes = static_cast<int>(block.leaders.size());
  const int own = block.of_member[static_cast<std::size_t>(among.rank())].first;
  block.parts.resize(block.of_member.size());
  try {
    for (int p = 0; p < processes; ++p) {
      if (p == own || processes <= few_processes) reach_process(block, among, p);
    }
  } catch (const error& e) {
    return e.what();
  }
  return {};
}

/// By the member that leads: the process's block, and those of the others as seen from here. Empty,
/// or why there is no memory here; `parts` is filled where no process lacks any.
std::string fill(detail::process_block& block, const team& among, std::size_t part_bytes,
                 std::size_t members_here, std::uint64_t number) {
  std::string refusal = allocate(block, among.here(), part_bytes * members_here);
  const offer mine{.refused = refusal.empty() ? 0U : 1U, .key = block.own.key};
  std::vector<offer> all(block.leaders.size());
  const talking_team leaders(among, block.leaders, number);
  control::all_gather_values(leaders.get(), mine, std::span(all));
  if (std::ranges::any_of(all, [](const offer& each) { return each.refused != 0; })) {
    return refusal;
  }
  for (const offer& each : all) block.keys.push_back(each.key);
  block.part_bytes = part_bytes;
  return reach_first(block, among);
}

}  // namespace

std::string team_memory::make(const team& sharing,
                              function_ref<std::size_t(const process_group&)> part_bytes) {
  job& here = sharing.here();
  const std::uint64_t number = team_access::state(sharing).memories++;
  auto& shelf = host(here).endpoint().shelf();
  block_ = shelf.find_or_make<detail::process_block>(sharing.id(), number);
  if (block_->leaders.empty()) place(*block_, sharing);
  group_ = group_of(*block_, sharing.rank());
  const std::size_t rounded = (part_bytes(group_) + line_bytes - 1) / line_bytes * line_bytes;
  std::string refusal;
  if (sharing.rank() == group_.first) {
    refusal = fill(*block_, sharing, rounded, static_cast<std::size_t>(group_.members), number);
    std::atomic_ref(block_->filled).store(1, std::memory_order_release);
  } else {
    host(here).wait(conduit::wait_target::word(block_->filled, conduit::comparison::not_equal, 0),
                    {.operation = "memory of a team",
                     .peer = sharing.world_rank(group_.first),
                     .team = sharing.id()});
  }
  return refusal;
}

/// Nobody leaves before all hold their process's block.
void team_memory::agree(std::string refusal) {
  std::array<std::uint64_t, 1> lacking{
      refusal.empty() ? 0 : static_cast<std::uint64_t>(among_.here().rank()) + 1};
  control::all_reduce(among_, lacking, control::fold::most);
  if (lacking[0] != 0) detail::refuse_together(among_, static_cast<int>(lacking[0] - 1), refusal);
}

team_memory::team_memory(const team& among,
                         function_ref<std::size_t(const process_group&)> part_bytes)
    : among_(among) {
  agree(make(among, part_bytes));
  parts_ = block_->parts.data();
}

/// Null for members of other nodes.
std::byte* team_memory::reach(int member) const {
  if (!node_) {
    reach_process(*block_, among_, block_->of_member[static_cast<std::size_t>(member)].first);
    return parts_[member];
  }
  const auto mate = std::ranges::lower_bound(mates_, member);
  if (mate == mates_.end() || *mate != member) return nullptr;
  const auto which = static_cast<std::size_t>(mate - mates_.begin());
  if (block_->parts[which] == nullptr) {  // another rank of this process may have been first
    reach_process(*block_, node_->get(), block_->of_member[which].first);
  }
  return parts_[member] = block_->parts[which];
}

team_memory team_memory::inside_nodes(const team& among, std::size_t part_bytes) {
  team_memory made;
  made.among_ = among;
  const conduit::endpoint& at = host(among.here()).endpoint();
  const int node = at.place(among.world_rank(among.rank())).node;
  std::vector<int> mates;
  for (int member = 0; member < among.size(); ++member) {
    if (at.place(among.world_rank(member)).node == node) mates.push_back(member);
  }
  const std::uint64_t number = team_access::state(among).memories++;
  // Another stream of numbers than that of the leaders of processes, who talk too (fill).
  const std::uint64_t stream = static_cast<std::uint64_t>(mates.front() + 1) << 32U;
  made.node_ = std::make_shared<talking_team>(among, mates, stream + number);
  made.agree(
      made.make(made.node_->get(), [part_bytes](const process_group&) { return part_bytes; }));
  made.of_members_.resize(static_cast<std::size_t>(among.size()));
  made.parts_ = made.of_members_.data();
  made.mates_ = std::move(mates);
  for (std::size_t i = 0; i < made.mates_.size(); ++i) {
    made.of_members_[static_cast<std::size_t>(made.mates_[i])] = made.block_->parts[i];
  }
  return made;
}

int team_memory::leader(int process) const noexcept {
  return block_->leaders[static_cast<std::size_t>(process)];
}

void team_memory::release() {
  if (!team_access::state(among_).is_over) control::barrier_by_messages(among_);
  block_.reset();
  node_.reset();
  parts_ = nullptr;
  among_ = team();
}

}  // namespace upwash
