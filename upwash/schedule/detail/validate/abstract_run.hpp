// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Executes the schedules of all ranks on abstract memory, in an order drawn from a seed.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/schedule/detail/validate/abstract_memory.hpp"
#include "upwash/schedule/detail/validate/emission.hpp"
#include "upwash/schedule/detail/validate/history.hpp"

namespace upwash::schedule::detail {

class abstract_run {
 public:
  abstract_run(const expectation& of, function_ref<generator(int)> schedule_of, std::uint64_t seed);

  /// Runs until all steps are complete. Returns the first error, or an empty string.
  std::string execute();
  /// Compares the final buffers with the expected content.
  [[nodiscard]] std::string compare(function_ref<abstract_value(int, std::uint64_t)> wanted) const;
  [[nodiscard]] const history& what_happened() const { return history_; }

 private:
  using edge_key = std::tuple<int, int, std::uint32_t>;     ///< source, destination, edge
  using network_key = std::pair<step_kind, std::uint32_t>;  ///< edge

  struct message {
    step_name send;
    value_names values;
    std::vector<std::uint64_t> header;
  };
  struct network_operation {
    std::vector<step_name> entered;  ///< steps by rank
    std::vector<value_names> left;   ///< by rank
    std::vector<bool> here;          ///< by rank
    int ranks_here = 0;
    int ranks_gone = 0;
  };

  [[nodiscard]] std::string deadlock(const std::vector<step_name>& open) const;
  [[nodiscard]] std::string awaited(const step_name& is) const;
  std::string perform(const step_name& is, bool& done);
  std::string send(const step_name& is);
  std::string send_and_wait(const step_name& is, bool& done);
  std::string receive(const step_name& is, bool& done);
  std::string compute(const step_name& is);
  std::string collect(const step_name& is);
  std::string close(const step_name& is, bool& done);
  void deliver(const step_name& is);
  void hand_over(int rank, int source, const value_names& names);
  std::string count(const step_name& is, bool& done);
  std::string in_network(const step_name& is, bool& done);
  [[nodiscard]] std::string network_result(const step_name& is, const network_operation& op);
  [[nodiscard]] std::string leftovers() const;
  [[nodiscard]] std::string mixed_edges() const;
  [[nodiscard]] std::string unlike_ranks() const;
  [[nodiscard]] std::string compare_arrivals(int rank) const;
  [[nodiscard]] std::string describe(const step_name& of) const;

  expectation of_;
  random_stream random_;
  abstract_memory memory_;
  history history_;
  std::deque<emission> ranks_;
  std::map<edge_key, std::deque<message>> in_flight_;
  std::map<edge_key, int> sent_;
  std::map<std::pair<int, std::size_t>, bool> waiting_;       ///< sends, by name; true: received
  std::map<std::pair<int, std::uint32_t>, bool> collecting_;  ///< rank, edge; false: closed
  std::vector<std::vector<collected_message>> collected_;
  std::map<std::pair<int, std::uint32_t>, std::uint64_t> counters_;  ///< rank, counter
  std::map<network_key, network_operation> network_;
  std::vector<step_name> partners_;  ///< of the current step
  bool posted_ = false;              ///< the current step is a send that now waits
};

}  // namespace upwash::schedule::detail
