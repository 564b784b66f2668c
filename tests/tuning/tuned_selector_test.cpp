// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/tuned_selector.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/tuning/findings.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/tuning/contended.hpp"

namespace {

using namespace upwash;
using namespace upwash::tuning;
using collective::kind;
using collective::problem;

/// 16 ranks of one node that do not share memory.
problem all_to_all(std::uint64_t bytes) {
  problem call{.of = kind::all_to_all, .ranks = 16, .bytes = bytes};
  call.ranks_per_node = 16;
  return call;
}

class tuned_choice : public testing::Test {
 protected:
  tuned_choice() : by_model(collective::make_model_selector("lemieux")) {}
  void learn(std::vector<result> results, std::uint64_t bytes = 512) {
    finding one = tests::all_to_all_finding(16, bytes);
    one.results = std::move(results);
    knowledge known;
    known.add(one);
    selects.learn(std::move(known), "t.json");
  }
  [[nodiscard]] std::string chosen(const problem& call) {
    const auto& one = selects.choose(algorithms, call);
    why = one.why;
    return model::text_of(one.what.chosen->is, one.what.with);
  }
  [[nodiscard]] std::string by_the_model(const problem& call) const {
    const auto& one = by_model->choose(algorithms, call);
    return model::text_of(one.what.chosen->is, one.what.with);
  }

  collective::registry algorithms = tests::all_algorithms();
  std::unique_ptr<collective::selector> by_model;
  tuning::tuned_selector selects{"lemieux"};
  std::string why;
};

}  // namespace

TEST_F(tuned_choice, knowing_nothing_is_the_model) {
  EXPECT_EQ(chosen(all_to_all(512)), by_the_model(all_to_all(512)));
  EXPECT_EQ(why.substr(0, 21), "the prices on lemieux");
}

TEST_F(tuned_choice, takes_the_fastest_that_was_measured_there) {
  learn({{"bruck:k=4", 7, 1, 900}, {"mesh2d", 7, 1, 1000}});
  EXPECT_EQ(chosen(all_to_all(512)), "bruck:k=4");
  EXPECT_EQ(why,
            "it took 0.90 us, the least measured at 512 bytes among 16 ranks, 16 a node, near "
            "(2 of 20 candidates, 1.5 s, t.json)");
}

TEST_F(tuned_choice, passes_over_what_cannot_serve) {
  learn({{"shared", 7, 1, 1}, {"mesh2d", 7, 1, 1000}});  // these ranks share no memory
  EXPECT_EQ(chosen(all_to_all(512)), "mesh2d");
}

TEST_F(tuned_choice, leaves_far_calls_and_other_collectives_to_the_model) {
  learn({{"cyclic:ahead=1", 7, 1, 1}});
  EXPECT_EQ(chosen(all_to_all(512)), "cyclic:ahead=1");
  EXPECT_EQ(chosen(all_to_all(1 << 20)), by_the_model(all_to_all(1 << 20)));
  problem other = all_to_all(512);
  other.of = kind::all_gather;
  EXPECT_EQ(chosen(other), by_the_model(other));
}

TEST_F(tuned_choice, corrects_by_the_model_between_what_is_known) {
  // At 512 bytes combining was a little better; with more bytes it costs relatively more.
  learn({{"bruck:k=2", 7, 1, 100'000}, {"mesh2d", 7, 1, 101'000}});
  EXPECT_EQ(chosen(all_to_all(512)), "bruck:k=2");
  EXPECT_EQ(chosen(all_to_all(2048)), "mesh2d");
  EXPECT_NE(why.find("corrected by prices on lemieux"), std::string::npos) << why;
}

TEST_F(tuned_choice, forgets_its_choices_when_it_learns) {
  learn({{"mesh2d", 7, 1, 1000}});
  EXPECT_EQ(chosen(all_to_all(512)), "mesh2d");
  learn({{"mesh3d", 7, 1, 1000}});
  EXPECT_EQ(chosen(all_to_all(512)), "mesh3d");
}

TEST_F(tuned_choice, works_without_a_machine) {
  tuning::tuned_selector lost("no-such-machine");
  knowledge known;
  known.add(tests::all_to_all_finding(16, 512));
  lost.learn(known, "t.json");
  EXPECT_EQ(lost.choose(algorithms, all_to_all(512)).what.chosen->is.name, "bruck");
  EXPECT_NO_THROW(static_cast<void>(lost.choose(algorithms, all_to_all(1024))));
}

TEST(tuned_selector, takes_what_packets_are_fastest_with_where_links_are_shared) {
  const char* machine_name = "edr:ranks_a_node=1";
  const std::shared_ptr<const model::topology> network =
      model::make_topology(model::parse_topology("fat-tree:ports=8,levels=2,taper=4"));
  const contended_predictor packets(load_machine(machine_name), network);
  const collective::registry algorithms = tests::all_algorithms();
  const auto by_model = collective::make_model_selector(machine_name);
  tuned_selector selects(machine_name);
  selects.see_contention(network);
  for (const std::uint64_t bytes : {64, 1024, 8192}) {
    const problem call{.of = kind::all_to_all, .ranks = 16, .bytes = bytes};
    const collective::selector::choice chosen = selects.choose(algorithms, call);
    const collective::selector::choice expected = by_model->choose(algorithms, call);
    const auto time = packets.predict(chosen.what, call);
    ASSERT_TRUE(time);
    EXPECT_EQ(chosen.why.substr(0, 10), "packets on") << chosen.why;
    EXPECT_LE(*time, *packets.predict(expected.what, call));
    for (const auto& other : expected.others) {
      EXPECT_LE(*time, *packets.predict(other.what, call)) << bytes;
    }
  }
  // Too long to replay: the model's choice.
  const problem large{.of = kind::all_to_all, .ranks = 16, .bytes = 64 << 20};
  const std::string why = selects.choose(algorithms, large).why;
  EXPECT_EQ(why.substr(0, 10), "the prices");
  EXPECT_NE(why.find("not replayed on "), std::string::npos) << why;
}

TEST(load_knowledge, never_uses_a_file_by_half) {
  const collective::registry algorithms = tests::all_algorithms();
  const std::string path = testing::TempDir() + "upwash-load-knowledge.json";
  const auto load = [&](const std::string& text) {
    std::ofstream(path) << text;
    return load_knowledge({path, "sim", "lemieux", true, true}, algorithms).first;
  };
  knowledge known;
  known.add(tests::all_to_all_finding(16, 512));
  const std::string good = text_of(known, origin_of("sim", "lemieux"));
  EXPECT_EQ(load(good), known);
  EXPECT_EQ(load(good.substr(0, good.size() / 2)), knowledge());
  EXPECT_EQ(load(text_of(known, origin_of("sim", "edr"))), knowledge());
  std::remove(path.c_str());
  EXPECT_EQ(load_knowledge({path, "sim", "lemieux", true, true}, algorithms).first, knowledge());
  EXPECT_EQ(load_knowledge({"none", "sim", "lemieux", true, true}, algorithms).first, knowledge());
}

/// A folder of the user's configuration, in which a machine may have been measured.
class priced_machine : public testing::Test {
 protected:
  priced_machine() {
    if (const char* before = std::getenv("XDG_CONFIG_HOME")) before_ = before;
    std::filesystem::create_directories(folder_ + "/upwash/machines");
    setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  }
  ~priced_machine() override {
    std::filesystem::remove_all(folder_);
    before_ ? setenv("XDG_CONFIG_HOME", before_->c_str(), 1) : unsetenv("XDG_CONFIG_HOME");
  }
  /// As if it had been measured.
  void measure(const std::string& like) {
    std::filesystem::copy_file(load_machine(like).origin, own_machine_file());
  }
  static std::string chosen(int nodes, bool named = false, bool simulated = false) {
    tuned_selector selects("laptop");
    learn_alone({.asked = "none",
                 .conduit = "shm",
                 .machine = "laptop",
                 .machine_named = named,
                 .simulated = simulated,
                 .nodes = nodes},
                tests::all_algorithms(), selects);
    return selects.machine_name();
  }

 private:
  std::string folder_ = testing::TempDir() + "upwash-priced-machine";
  std::optional<std::string> before_;
};

TEST_F(priced_machine, is_a_laptop_or_between_nodes_an_ethernet) {
  EXPECT_EQ(chosen(1), "laptop");
  EXPECT_EQ(chosen(2), "ethernet");
}

TEST_F(priced_machine, is_the_one_that_is_named_or_simulated) {
  measure("edr");
  EXPECT_EQ(chosen(2, true), "laptop");
  EXPECT_EQ(chosen(1, false, true), "laptop");
}

TEST_F(priced_machine, is_the_measured_one_if_that_knows_what_the_job_spans) {
  measure("laptop");
  EXPECT_EQ(chosen(1), own_machine_file());
  EXPECT_EQ(chosen(2), "ethernet");
}

TEST_F(priced_machine, is_the_measured_one_between_nodes_too) {
  measure("edr");
  EXPECT_EQ(chosen(2), own_machine_file());
}
