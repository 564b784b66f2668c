// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One member's node of the tree in which contributions of objects are combined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "upwash/objects/detail/contribution.hpp"

namespace upwash::objects {

/// Each object gives its contributions to one node, in order, so the node knows the number for each
/// reduction. It also knows which of its children have objects. It passes each reduction on once,
/// when it is complete. Objects are added and removed between reductions, from a number on. Memory:
/// an entry for each child, for each reduction in progress here, and for each change of these.
class reduction_node {
 public:
  /// `whole`: the children have objects from the beginning.
  reduction_node(const std::vector<int>& children, bool whole);

  /// Sets the number before the first reduction. Called before any contribution arrives.
  void begin_after(std::uint64_t number) noexcept { passed_ = number; }
  void change(std::uint64_t from, std::int64_t more) { population_[from] += more; }
  /// From a number on there are contributions, or none.
  struct activity {
    std::uint64_t from = 0;
    bool active = false;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(from, active);
    }
  };
  /// The child's activity for all numbers from the first on. `epoch`: of the fills that the child
  /// knew.
  void child_changes(int child, const std::vector<activity>& now, std::uint64_t epoch);
  /// Voids all earlier changes of the child from that number on.
  void fill_child(int child, std::uint64_t from, std::uint64_t epoch);

  void add(std::uint64_t number, std::unique_ptr<contribution> of_object);
  void add_of_child(std::uint64_t number, std::unique_ptr<contribution> sum);

  struct passing {
    std::uint64_t number;
    std::unique_ptr<contribution> sum;
  };
  /// Returns the next complete reduction.
  [[nodiscard]] std::optional<passing> take();

  /// Returns the activity for reductions that have not passed, if it has changed since the last
  /// call; otherwise empty.
  [[nodiscard]] std::vector<activity> news();
  /// Drops news that the parent already knows.
  void forget_news() { static_cast<void>(news()); }

  [[nodiscard]] std::uint64_t passed() const noexcept { return passed_; }
  /// Returns the last reduction with a contribution.
  [[nodiscard]] std::uint64_t begun() const noexcept {
    return sums_.empty() ? passed_ : sums_.rbegin()->first;
  }
  [[nodiscard]] bool idle() const noexcept { return sums_.empty(); }

  /// The state of the next reduction: received and expected contributions, of objects and children.
  struct progress {
    std::uint64_t number, objects, objects_in_all, children, children_in_all;
  };
  [[nodiscard]] progress next() const;

 private:
  struct incomplete {
    std::unique_ptr<contribution> sum;
    std::uint64_t objects = 0;
    std::uint64_t children = 0;
  };
  struct event {
    std::uint64_t from;
    std::uint64_t epoch;
    bool active;
  };
  struct child {
    int member;
    std::vector<event> events;  ///< by number, then in the order of arrival
  };

  [[nodiscard]] std::int64_t population(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t active_children(std::uint64_t number) const;
  [[nodiscard]] std::vector<activity> activities() const;
  [[nodiscard]] child& find(int member);
  void forget_passed();
  static void join(incomplete& sum, std::unique_ptr<contribution> with);

  std::map<std::uint64_t, std::int64_t> population_;  ///< changes, by the number they count from
  std::vector<child> children_;
  std::map<std::uint64_t, incomplete> sums_;
  std::uint64_t passed_ = 0;
  std::vector<activity> told_;
};

}  // namespace upwash::objects
