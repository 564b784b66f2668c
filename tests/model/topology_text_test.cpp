// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Topologies from text, files and machines: what is read, and what bad input is told.
#include "upwash/model/topology_text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"

namespace {

using upwash::error;
using upwash::model::make_topology;
using upwash::model::parse_topology;
using upwash::model::parse_topology_file;
using upwash::model::topology_of;

std::string complaint(const std::string& text, const std::string& routing = "") {
  try {
    (void)make_topology(parse_topology(text), routing);
  } catch (const error& wrong) {
    EXPECT_EQ(wrong.exit_status(), 2);
    return wrong.what();
  }
  return "none";
}

std::string complaint_of_file(const std::string& text) {
  try {
    (void)make_topology(parse_topology_file(text, "net.json"));
  } catch (const error& wrong) {
    EXPECT_EQ(wrong.exit_status(), 2);
    return wrong.what();
  }
  return "none";
}

TEST(topology_text, reads_what_it_names) {
  for (const char* text :
       {"fat-tree:ports=32,levels=2", "clos:ports=6,levels=3", "crossbar:ports=8",
        "torus:size=4x4x4,nodes=1", "dragonfly:routers=4,nodes=2,global=2,groups=9"}) {
    EXPECT_EQ(make_topology(parse_topology(text))->name(), text);
    EXPECT_EQ(make_topology(parse_topology(make_topology(parse_topology(text))->name()))->name(),
              text);
  }
  EXPECT_EQ(make_topology(parse_topology("fat_tree:arity=4,nodes=250"))->nodes(), 250);
}

TEST(topology_text, complains_with_key_value_and_what_is_valid) {
  EXPECT_EQ(complaint("fat-tre:ports=8"),
            "topology fat-tre:ports=8: kind: \"fat-tre\" is unknown, did you mean fat-tree?; "
            "valid: fat-tree, clos, crossbar, mesh, torus, hypercube, dragonfly");
  EXPECT_EQ(complaint("fat-tree:ports=7,levels=2"),
            "topology fat-tree:ports=7,levels=2: ports: 7 is odd; half lead up, half down");
  EXPECT_EQ(complaint("fat-tree:ports=8"),
            "topology fat-tree:ports=8: levels: the key is missing; fat-tree needs it");
  EXPECT_EQ(complaint("fat-tree:port=8,levels=1"),
            "topology fat-tree:port=8,levels=1: port: unknown key of fat-tree, did you mean "
            "ports?; valid: ports, arity, levels, nodes, missing, taper");
  EXPECT_EQ(complaint("torus:size=4xy"),
            "topology torus:size=4xy: size: \"4xy\" is not a number, sizes as in 8x8 or a list "
            "as in 3+17");
  EXPECT_EQ(complaint("mesh:size=4x4", "minimal"),
            "topology mesh:size=4x4: routing: \"minimal\" is not one of: dimension-order, "
            "valiant, adaptive");
  EXPECT_EQ(complaint("fat-tree:ports=8,levels=2,missing=3+3"),
            "topology fat-tree:ports=8,levels=2,missing=3+3: missing: a place is named twice");
  EXPECT_EQ(complaint("fat-tree:ports=64,levels=20"),
            "topology fat-tree:ports=64,levels=20: levels: more than 2^26 nodes");
  EXPECT_EQ(complaint("no/such/file.json"), "topology no/such/file.json: the file cannot be read");
}

TEST(topology_text, files_are_complained_about_with_their_line) {
  EXPECT_EQ(complaint_of_file("{\n \"kind\": \"torus\",\n \"parameters\": {\n  \"size\": [4, 0]\n "
                              "}\n}"),
            "topology net.json, line 4: size: 0 is not in 1 .. 67108864");
  EXPECT_EQ(complaint_of_file("{\n \"kind\": \"toru\"\n}"),
            "topology net.json, line 2: kind: \"toru\" is unknown, did you mean torus?; valid: "
            "fat-tree, clos, crossbar, mesh, torus, hypercube, dragonfly");
  EXPECT_EQ(complaint_of_file("{\"kind\": \"torus\",\n\"parameters\": {\"size\": \"big\"}}"),
            "net.json, line 2: parameters.size: \"big\" is not a whole number or a list of them");
  EXPECT_EQ(complaint_of_file("{\"kind\": \"clos\",\n\n\"parameters\": {\"ports\": 8, \"levels\": "
                              "2, \"taper\": 3}}"),
            "topology net.json, line 3: taper: 3 does not divide the 4 ports downwards");
}

/// Whatever bytes a file has, the answer is a topology or one line that names the file.
TEST(topology_text, damaged_files_get_one_line) {
  const std::string good =
      "{\n \"kind\": \"fat-tree\",\n \"parameters\": {\"ports\": 8, \"levels\": 2,\n \"missing\": "
      "[3, 5]},\n \"source\": \"x\"\n}\n";
  const std::string letters = "{}[]\":,0123456789eE+-.axportslevk \n\\";
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    upwash::random_stream random(seed, 0);
    std::string text = good;
    for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
      const std::size_t at = random.below(text.size());
      const char letter = letters[random.below(letters.size())];
      switch (random.below(3)) {
        case 0: text[at] = letter; break;
        case 1: text.insert(at, 1, letter); break;
        default: text.erase(at, 1); break;
      }
    }
    const std::string said = complaint_of_file(text);
    EXPECT_TRUE(said == "none" || said.find("net.json") != std::string::npos) << said;
    EXPECT_TRUE(said == "none" || said.find("line ") != std::string::npos) << said << "\n" << text;
  }
}

TEST(topology_text, machines_have_theirs) {
  const upwash::machine lemieux = upwash::load_machine("lemieux");
  EXPECT_EQ(make_topology(topology_of(lemieux, 256))->name(), "fat-tree:ports=8,levels=4");
  EXPECT_EQ(make_topology(topology_of(lemieux, 750))->nodes(), 750);
}

TEST(topology_text, every_machine_with_a_topology_has_room_for_its_nodes) {
  for (const std::string& name : upwash::known_machines()) {
    const upwash::machine on = upwash::load_machine(name);
    if (!on.topology) continue;
    for (const int nodes : {1, 2, 8, 100, 1000}) {
      if (on.topology->kind == "dragonfly") continue;  // of one size
      EXPECT_GE(make_topology(topology_of(on, nodes))->nodes(), nodes) << name;
    }
  }
  EXPECT_EQ(make_topology(topology_of(upwash::load_machine("bgp"), 30))->name(),
            "torus:size=4x3x3,nodes=1");
}

}  // namespace
