// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pretended nodes: which processes share one, and which cannot.
#include "upwash/conduit/process_knobs.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/conduit/wire/pretended_bootstrap.hpp"
#include "upwash/base/error.hpp"

namespace upwash::conduit {
namespace {

/// Processes on hosts a, b, ...
class placed final : public bootstrap {
 public:
  explicit placed(std::vector<int> nodes)
      : under_(rank_layout(std::vector<int>(nodes.size(), 1)), 0), nodes_(std::move(nodes)) {}

  [[nodiscard]] int process() const noexcept override { return under_.process(); }
  [[nodiscard]] int process_count() const noexcept override { return under_.process_count(); }
  [[nodiscard]] const rank_layout& layout() const noexcept override { return under_.layout(); }
  [[nodiscard]] int node_of(int process) const noexcept override {
    return nodes_[static_cast<std::size_t>(process)];
  }
  [[nodiscard]] std::string_view host_of(int node) const noexcept override {
    return std::string_view("abcd").substr(static_cast<std::size_t>(node), 1);
  }
  void exchange(std::span<const std::byte> mine, std::span<std::byte> all) override {
    under_.exchange(mine, all);
  }
  void barrier() override { under_.barrier(); }
  void finished() noexcept override {}
  [[noreturn]] void abort(int rank, int status, std::string_view why) noexcept override {
    under_.abort(rank, status, why);
  }
  void desert(int rank, std::string_view why) noexcept override { under_.desert(rank, why); }
  [[nodiscard]] bool failed() const noexcept override { return false; }

 private:
  test::pretended_bootstrap under_;
  std::vector<int> nodes_;
};

std::vector<int> nodes(const std::vector<int>& real, const std::string& pretended) {
  knob_table table;
  table.add(process_knobs());
  settings values = settings::defaults(table);
  values.set("fake_nodes", pretended);
  return nodes_of(placed(real), values);
}

TEST(pretended_nodes, split_the_processes_of_a_machine) {
  EXPECT_EQ(nodes({0, 0, 0, 0, 0}, "2"), (std::vector{0, 0, 0, 1, 1}));
  EXPECT_EQ(nodes({0, 0, 0, 0, 0}, "5"), (std::vector{0, 1, 2, 3, 4}));
}

TEST(pretended_nodes, split_hosts_further) {
  EXPECT_EQ(nodes({0, 0, 1, 1}, "0"), (std::vector{0, 0, 1, 1}));
  EXPECT_EQ(nodes({0, 0, 1, 1}, "2"), (std::vector{0, 0, 1, 1}));
  EXPECT_EQ(nodes({0, 0, 1, 1}, "4"), (std::vector{0, 1, 2, 3}));
}

TEST(pretended_nodes, hold_no_processes_of_two_hosts) {
  for (const char* pretended : {"1", "2"}) {
    try {
      static_cast<void>(nodes({0, 1, 1, 2}, pretended));
      ADD_FAILURE() << pretended;
    } catch (const error& refused) {
      EXPECT_EQ(refused.kind(), error_kind::configuration);
      EXPECT_NE(std::string(refused.what())
                    .find("processes 0 and 1 would share a node, and are on "
                          "host a and host b (UPWASH_FAKE_NODES)"),
                std::string::npos)
          << refused.what();
    }
  }
}

}  // namespace
}  // namespace upwash::conduit
