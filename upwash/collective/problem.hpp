// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a collective is asked to do, as all members of the team see it: what choices depend on.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "upwash/collective/family.hpp"
#include "upwash/model/node_map.hpp"
#include "upwash/model/transfer.hpp"

namespace upwash::collective {

/// What calls of one family depend on beyond the fields of `problem`, such as the neighbours of all
/// members. Never changed once it is made; the same on the whole team.
class particulars {
 public:
  virtual ~particulars() = default;
  particulars(const particulars&) = delete;
  particulars& operator=(const particulars&) = delete;

  /// By content: choices are kept by it. `other` belongs to the same family.
  [[nodiscard]] virtual std::strong_ordering compare(const particulars& other) const noexcept = 0;

 protected:
  particulars() = default;
};

/// Shared particulars, or none; compared by what they say.
class shared_particulars {
 public:
  shared_particulars() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a pointer to particulars is one to share.
  template <std::derived_from<particulars> Of>
  shared_particulars(std::shared_ptr<Of> of) noexcept : of_(std::move(of)) {}

  [[nodiscard]] const particulars* get() const noexcept { return of_.get(); }
  /// For whoever uses them longer than the problem is there.
  [[nodiscard]] std::shared_ptr<const void> share() const noexcept { return of_; }
  /// Those of the family whose type that is, given with the problem.
  template <class Of>
  [[nodiscard]] const Of& as() const noexcept {
    return static_cast<const Of&>(*of_);
  }

  friend bool operator==(const shared_particulars& a, const shared_particulars& b) noexcept {
    return a.of_ == b.of_ || (a <=> b) == 0;
  }
  friend std::strong_ordering operator<=>(const shared_particulars& a,
                                          const shared_particulars& b) noexcept {
    if (a.of_ == nullptr || b.of_ == nullptr) {
      return (a.of_ != nullptr) <=> (b.of_ != nullptr);
    }
    return a.of_->compare(*b.of_);
  }

 private:
  std::shared_ptr<const particulars> of_;
};

/// A collective call as all members see it: the same on the whole team. Choices are functions of
/// it, and whoever keeps something by problem compares the whole of it (problem_cache.hpp).
struct problem {
  kind of = kind::barrier;
  int ranks = 1;
  /// Of the vector (broadcast, reduce, all_reduce, scans), of one block (scatter, gather,
  /// all_gather, reduce_scatter: a rank's, all_to_all: a pair's). In the v variants and in
  /// many-to-many: the mean of a message, for choosing and pricing only.
  std::uint64_t bytes = 0;
  /// Many-to-many: destinations a member, for choosing and pricing only; 0: all.
  int degree = 0;
  bool known_senders = false;  ///< many-to-many: each member knows who sends to it
  std::uint32_t element_bytes = 1;
  int root = 0;
  bool in_place = false;
  bool commutative = true;
  /// Consecutive ranks of the team on one node, where they are so; else 1.
  int ranks_per_node = 1;
  /// Where ranks take turns in fewer processes, the members in their order and as even as can be:
  /// so many; else 0.
  int processes = 0;
  address_mode addresses = address_mode::local;
  bool checked = false;        ///< what members tell of each other is verified, whatever it costs
  bool direct_access = false;  ///< all members load and store each other's memory
  /// Where they do: what a member may lay out for the others. As in the world; other teams have
  /// less.
  std::uint64_t shared_scratch = std::uint64_t{1} << 20U;
  /// Where the members of each node do, there are several nodes, and one has several members: how
  /// they lie; else none.
  model::shared_node_map nodes{};
  /// What a member may lay out for those of its node.
  std::uint64_t node_scratch = std::uint64_t{256} << 10U;
  bool network_collectives = false;  ///< the switches carry out collectives: simulated ones do
  sync_mode entry = sync_mode::mine;
  sync_mode exit = sync_mode::mine;
  /// The largest edge that travels eagerly, where the choice of an algorithm names no other.
  std::uint64_t eager_bytes = 512;
  /// The largest that a choice may let travel so: what the conduit carries; 0: none is chosen.
  std::uint64_t eager_limit = 0;
  std::optional<mechanism> transfer{};  ///< of all edges that can travel so; else by size
  /// Meshes copy what goes into a message by one step: for the time that large teams take, never
  /// for a run.
  bool whole_messages = false;
  bool overlapped = false;  ///< members compute meanwhile: little work counts, not an early end
  /// collective_options::label: for selectors of one's own; good while the choice is made.
  std::string_view label{};
  /// Of families whose calls are told by more than this.
  shared_particulars further{};

  friend auto operator<=>(const problem&, const problem&) = default;
};

/// Whether the call's own block, or vector, is where it belongs at this rank: of rooted calls at
/// the root.
[[nodiscard]] bool is_in_place(const problem& call, int rank) noexcept;
/// What a rank's input and output have at least, where the lengths of blocks are equal; apart: of a
/// call in place both.
[[nodiscard]] std::uint64_t bytes_of_input(const problem& call, int rank) noexcept;
[[nodiscard]] std::uint64_t bytes_of_output(const problem& call, int rank) noexcept;

enum class end_of_class : std::uint8_t { least, most };

/// The problem whose prices stand for those of `call`: the same for all calls of a class, whichever
/// came first. Bytes: of those with the same three leading bits the least, so at most a quarter
/// less (or the most); in whole elements, and eager only where the call is; 256 where nobody can
/// know them (all_to_all_v, gather_v, scatter_v). Degree: a power of two. Root: at the same place
/// of the first node. No label.
[[nodiscard]] problem representative_of(problem call, int ranks_of_node,
                                        end_of_class end = end_of_class::least) noexcept;

}  // namespace upwash::collective
