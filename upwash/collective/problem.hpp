// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The description of a collective call that choices depend on, as all members of the team see it.
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

/// Facts of a family's calls beyond the fields of `problem`, for example the neighbors of all
/// members. Immutable; the same on the whole team.
class particulars {
 public:
  virtual ~particulars() = default;
  particulars(const particulars&) = delete;
  particulars& operator=(const particulars&) = delete;

  /// Compares by content, because choices are kept by content. `other` belongs to the same family.
  [[nodiscard]] virtual std::strong_ordering compare(const particulars& other) const noexcept = 0;

 protected:
  particulars() = default;
};

/// A shared pointer to particulars, or none. Compares by content.
class shared_particulars {
 public:
  shared_particulars() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a pointer to particulars is one to share.
  template <std::derived_from<particulars> Of>
  shared_particulars(std::shared_ptr<Of> of) noexcept : of_(std::move(of)) {}

  [[nodiscard]] const particulars* get() const noexcept { return of_.get(); }
  /// Returns shared ownership, for users that outlive the problem.
  [[nodiscard]] std::shared_ptr<const void> share() const noexcept { return of_; }
  /// Returns the particulars as the family's type `Of`.
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

/// A collective call as all members see it; the same on the whole team. Choices are functions of
/// it. A cache by problem compares all of it (problem_cache.hpp).
struct problem {
  kind of = kind::barrier;
  int ranks = 1;
  /// Bytes of the vector (broadcast, reduce, all_reduce, scans) or of one block (scatter, gather,
  /// all_gather, reduce_scatter: of a rank; all_to_all: of a pair). In the v variants and in
  /// many-to-many: the mean of a message, used only for choosing and pricing.
  std::uint64_t bytes = 0;
  /// Many-to-many: destinations a member, used only for choosing and pricing; 0: all.
  int degree = 0;
  bool known_senders = false;  ///< many-to-many: each member knows its senders
  std::uint32_t element_bytes = 1;
  int root = 0;
  bool in_place = false;
  bool commutative = true;
  /// Number of consecutive team ranks on one node, if all nodes have it; otherwise 1.
  int ranks_per_node = 1;
  /// Number of processes that host the members, if ranks share processes in order and evenly;
  /// otherwise 0.
  int processes = 0;
  address_mode addresses = address_mode::local;
  bool checked = false;        ///< verifies the members' statements about each other, at any cost
  bool direct_access = false;  ///< all members load and store each other's memory
  /// With direct access: bytes that a member may lay out for the others. The value is the world's;
  /// other teams have less.
  std::uint64_t shared_scratch = std::uint64_t{1} << 20U;
  /// Layout of the members on nodes, if the members of each node have direct access, there are
  /// several nodes, and one node has several members. Otherwise none.
  model::shared_node_map nodes{};
  /// Bytes that a member may lay out for the members of its node.
  std::uint64_t node_scratch = std::uint64_t{256} << 10U;
  bool network_collectives = false;  ///< the switches carry out collectives; only simulated ones do
  sync_mode entry = sync_mode::mine;
  sync_mode exit = sync_mode::mine;
  /// The largest eager edge, unless the choice of an algorithm names another.
  std::uint64_t eager_bytes = 512;
  /// The largest eager edge that a choice may name, limited by the conduit; 0: none may be chosen.
  std::uint64_t eager_limit = 0;
  std::optional<mechanism> transfer{};  ///< for all edges that support it; otherwise by size
  /// Meshes copy the content of a message in one step. Set only to price large teams, never for a
  /// run.
  bool whole_messages = false;
  bool overlapped = false;  ///< the members compute meanwhile: processor time counts, not early
                            ///< completion
  /// collective_options::label, for selectors of the program. Valid during the choice.
  std::string_view label{};
  /// Further facts, for families that need more than the fields above.
  shared_particulars further{};

  friend auto operator<=>(const problem&, const problem&) = default;
};

/// Returns whether the rank's own block or vector is at its position; for rooted calls only at the
/// root.
[[nodiscard]] bool is_in_place(const problem& call, int rank) noexcept;
/// Return the least bytes of a rank's input and output if the blocks have equal lengths. For a call
/// in place, each counts on its own.
[[nodiscard]] std::uint64_t bytes_of_input(const problem& call, int rank) noexcept;
[[nodiscard]] std::uint64_t bytes_of_output(const problem& call, int rank) noexcept;

enum class end_of_class : std::uint8_t { least, most };

/// Returns the problem with the prices that represent those of `call`: the same problem for all
/// calls of a class, in any order of calls. Bytes: the least of all sizes with the same three
/// leading bits, so at most a quarter less (or the most, for `end`); in whole elements, and eager
/// only if the call is; 256 if no member can know them (all_to_all_v, gather_v, scatter_v). Degree:
/// a power of two. Root: the same position in the first node. No label.
[[nodiscard]] problem representative_of(problem call, int ranks_of_node,
                                        end_of_class end = end_of_class::least) noexcept;

}  // namespace upwash::collective
