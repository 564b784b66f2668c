// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The first rank of each node plans for it: it hears from its ranks what they have for which node,
// agrees with the others on who takes what, and tells its ranks. Three rounds of the collective
// follow.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "upwash/neighborhood/schemes/schemes.hpp"

namespace upwash::neighborhoods {
namespace {

using word = std::int32_t;

/// What goes from one rank, or all of a node, to another node.
struct demand {
  word node = 0;
  word blocks = 0;  ///< that travel between the nodes
  word edges = 0;   ///< that they are for
};

/// Gives work to the ranks of a node, each piece to the one with the least so far.
class loads {
 public:
  explicit loads(std::size_t ranks) : of_(ranks) {}
  void add(std::size_t place, std::int64_t work) { of_[place] += work; }
  /// `but`: not to these places; there is another one.
  [[nodiscard]] std::size_t give(std::int64_t work, const std::set<std::size_t>& but = {}) {
    std::size_t least = of_.size();
    for (std::size_t place = 0; place < of_.size(); ++place) {
      if (but.contains(place)) continue;
      if (least == of_.size() || of_[place] < of_[least]) least = place;
    }
    of_[least] += work;
    return least;
  }
  [[nodiscard]] std::int64_t mean() const {
    const std::int64_t all = std::accumulate(of_.begin(), of_.end(), std::int64_t{0});
    return all / static_cast<std::int64_t>(of_.size());
  }

 private:
  std::vector<std::int64_t> of_;
};

/// A rank's part.
class member {
 public:
  explicit member(router& at) : at_(at), nodes_(at.nodes()), node_(nodes_.node_of(at.rank())) {}

  [[nodiscard]] int planner() const { return nodes_.ranks_of(node_)[0]; }
  [[nodiscard]] bool plans() const { return at_.rank() == planner(); }

  /// To the planner: the destinations on this node, and the demands.
  void tell_demands() const {
    std::map<int, demand> all;
    word local = 0;
    const parcel_list mine = at_.take();
    for (std::size_t i = 0; i < mine.size(); ++i) {
      int latest = -1;
      for (const int to : mine[i].destinations) {
        const int node = nodes_.node_of(to);
        if (node == node_) {
          ++local;
          continue;
        }
        demand& found = all[node];
        // Destinations are sorted, nodes need not be: a block is counted where it may be two.
        if (node != latest) ++found.blocks;
        latest = node;
        ++found.edges;
      }
      at_.keep(mine[i], mine[i].destinations);
    }
    std::vector<word> words{local};
    for (const auto& [node, found] : all)
      words.insert(words.end(), {node, found.blocks, found.edges});
    at_.tell(planner(), words);
  }

  /// What the planner told: the leader for each node, and the takers of what this rank leads.
  void hear_orders() {
    for (const router::told& each : at_.heard()) {
      for (std::size_t i = 0; i < each.words.size(); i += 3) {
        (each.words[i] == 0 ? leaders_ : takers_)[each.words[i + 1]] = each.words[i + 2];
      }
    }
  }
  void pass_to_leaders() const {
    pass_by([&](int to) {
      const int node = nodes_.node_of(to);
      return node == node_ ? to : leaders_.at(node);
    });
  }
  void pass_to_takers() const {
    pass_by([&](int to) { return takers_.at(nodes_.node_of(to)); });
  }
  void hand_out() const {
    pass_by([](int to) { return to; });
  }

 private:
  template <class Next>
  void pass_by(Next next) const {
    const parcel_list held = at_.take();
    for (std::size_t i = 0; i < held.size(); ++i) {
      const parcel one = held[i];
      for (const int& to : one.destinations) at_.pass(one, std::span(&to, 1), next(to));
    }
  }

  router& at_;
  const model::node_map& nodes_;
  int node_;
  std::map<int, int> leaders_;  ///< by node
  std::map<int, int> takers_;
};

/// What the first rank of a node does besides.
class planner {
 public:
  explicit planner(router& at)
      : at_(at),
        nodes_(at.nodes()),
        ranks_(nodes_.ranks_of(nodes_.node_of(at.rank()))),
        loads_(ranks_.size()) {}

  void hear_demands() {
    for (const router::told& each : at_.heard()) {
      loads_.add(static_cast<std::size_t>(nodes_.place_of(each.from)), each.words[0]);
      for (std::size_t i = 1; i < each.words.size(); i += 3) {
        const demand one{each.words[i], each.words[i + 1], each.words[i + 2]};
        pairs_[one.node].demands.push_back({each.from, one});
      }
    }
  }

  /// A pair that is more than a rank's part of the whole goes in several messages. To each other
  /// node: the edges of each.
  void split_pairs() {
    std::int64_t all = 0;
    for (const auto& [node, found] : pairs_) {
      for (const auto& [rank, one] : found.demands) all += one.edges;
    }
    const std::int64_t most =
        std::max<std::int64_t>(1, all / static_cast<std::int64_t>(ranks_.size()) + loads_.mean());
    for (auto& [node, found] : pairs_)
      at_.tell(nodes_.ranks_of(node)[0], found.split(most, ranks_.size()));
  }

  /// To each node that sends here: who takes what it sends, the largest given away first.
  void choose_takers() {
    struct coming {
      int from;
      std::size_t piece;
      word edges;
    };
    std::vector<coming> all;
    std::map<int, std::vector<word>> takers;
    for (const router::told& each : at_.heard()) {
      for (std::size_t i = 0; i < each.words.size(); ++i)
        all.push_back({each.from, i, each.words[i]});
      takers[each.from].resize(each.words.size());
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const coming& a, const coming& b) { return a.edges > b.edges; });
    for (const coming& each : all) {
      takers[each.from][each.piece] = ranks_[loads_.give(each.edges)];
    }
    for (const auto& [from, chosen] : takers) at_.tell(from, chosen);
  }

  /// To the ranks of this node: who leads what they have, and whom leaders send it to.
  void choose_leaders() {
    std::map<int, std::vector<word>> orders;
    for (const router::told& each : at_.heard()) {
      const int node = nodes_.node_of(each.from);
      pair& found = pairs_.at(node);
      std::set<std::size_t> leads;
      for (std::size_t piece = 0; piece < each.words.size(); ++piece) {
        const std::size_t place = loads_.give(found.blocks[piece], leads);
        leads.insert(place);
        const int leader = ranks_[place];
        orders[leader].insert(orders[leader].end(), {1, node, each.words[piece]});
        for (std::size_t i = 0; i < found.demands.size(); ++i) {
          if (found.piece_of[i] != piece) continue;
          std::vector<word>& order = orders[found.demands[i].first];
          order.insert(order.end(), {0, node, leader});
        }
      }
    }
    for (const auto& [rank, words] : orders) at_.tell(rank, words);
  }

 private:
  struct pair {
    std::vector<std::pair<int, demand>> demands;  ///< by rank
    std::vector<std::size_t> piece_of;            ///< by demand
    std::vector<word> blocks;                     ///< by piece

    /// Into pieces of about `most` edges, as alike as demands allow. Returns the edges of each.
    [[nodiscard]] std::vector<word> split(std::int64_t most, std::size_t most_pieces) {
      std::int64_t all = 0;
      for (const auto& [rank, one] : demands) all += one.edges;
      const std::int64_t pieces = std::clamp<std::int64_t>((all + most / 2) / most, 1,
                                                           static_cast<std::int64_t>(most_pieces));
      std::vector<word> edges;
      std::int64_t before = 0;
      for (const auto& [rank, one] : demands) {
        const auto piece = static_cast<std::size_t>(before * pieces / all);
        if (edges.empty() || piece >= edges.size()) {
          edges.push_back(0);
          blocks.push_back(0);
        }
        edges.back() += one.edges;
        blocks.back() += one.blocks;
        piece_of.push_back(edges.size() - 1);
        before += one.edges;
      }
      return edges;
    }
  };

  router& at_;
  const model::node_map& nodes_;
  std::span<const int> ranks_;
  loads loads_;
  std::map<int, pair> pairs_;  ///< by the other node
};

}  // namespace

routing node_pairs(router& at, const model::values& /*with*/) {
  member here(at);
  planner plan(at);
  here.tell_demands();
  co_await at.next_round();
  if (here.plans()) {
    plan.hear_demands();
    plan.split_pairs();
  }
  co_await at.next_round();
  if (here.plans()) plan.choose_takers();
  co_await at.next_round();
  if (here.plans()) plan.choose_leaders();
  co_await at.next_round();
  here.hear_orders();
  here.pass_to_leaders();
  co_await at.next_round();
  here.pass_to_takers();
  co_await at.next_round();
  here.hand_out();
  co_await at.next_round();
}

}  // namespace upwash::neighborhoods
