// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The transport over UCX between processes: packets, large buffers, memory, the end, and peers that
// die. Over shared memory, and over TCP as between nodes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "tests/conduit/ucx/forked_transports.hpp"

namespace upwash::test {

namespace {

/// The ways between processes; the name of a test is theirs.
class ucx_transport_test : public testing::TestWithParam<forked_options> {
 protected:
  void SetUp() override {
    if (!has_ucx()) GTEST_SKIP() << "no plugin for UCX is installed";
  }
  static void all_end_well(int processes, const forked_body& body) {
    forked_options how = GetParam();
    how.processes = processes;
    EXPECT_EQ(run_forked(how, body), std::vector<int>(static_cast<std::size_t>(processes)));
  }
};

std::vector<std::byte> bytes_of(int sender, int number, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(sender * 31 + number));
  }
  return bytes;
}

std::size_t size_of(int number, std::size_t most) {
  return 1 + static_cast<std::size_t>(number * 997) % most;
}

std::string send_to_all(forked_process& me, int count) {
  std::vector<std::vector<std::byte>> sent;
  told out;
  int pending = 0;
  for (int n = 0; n < count; ++n) {
    sent.push_back(bytes_of(me.self, n, size_of(n, me.over.packet_bytes())));
    for (int p = 0; p < me.processes; ++p) {
      if (p == me.self) continue;
      pending += me.over.send(p, sent.back(), out) == outcome::pending ? 1 : 0;
    }
  }
  const auto wanted = static_cast<std::size_t>(count);
  me.until([&] {
    std::size_t complete = 0;
    for (const auto& of : me.packets) complete += of.size() >= wanted ? 1 : 0;
    return out.times == pending && static_cast<int>(complete) == me.processes - 1;
  });
  for (int p = 0; p < me.processes; ++p) {
    for (int n = 0; n < count && p != me.self; ++n) {
      const auto& came = me.packets[static_cast<std::size_t>(p)][static_cast<std::size_t>(n)];
      if (came != bytes_of(p, n, size_of(n, me.over.packet_bytes()))) {
        return fmt::format("packet {} of process {} is another", n, p);
      }
    }
  }
  return {};
}

TEST_P(ucx_transport_test, packets_of_any_size_come_whole_and_in_order) {
  all_end_well(3, [](forked_process& me, forked_board&) {
    std::string fault = send_to_all(me, 500);
    me.close();
    return fault;
  });
}

TEST_P(ucx_transport_test, large_buffers_find_who_takes_them) {
  all_end_well(2, [](forked_process& me, forked_board&) -> std::string {
    const std::size_t sizes[] = {0, 1, 8000, 70'000, std::size_t{3} << 20U};
    std::vector<std::vector<std::byte>> out;
    std::vector<std::vector<std::byte>> in;
    told both;
    int pending = 0;
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
      const std::size_t there = std::size(sizes) - 1 - i;  // the other order at the other side
      const std::size_t one = me.self == 0 ? i : there;
      out.push_back(bytes_of(me.self, static_cast<int>(one), sizes[one]));
      in.emplace_back(sizes[there]);
      const auto tag = [](std::size_t which) { return static_cast<std::uint32_t>(which); };
      if (me.over.send_bulk(1 - me.self, tag(one), out.back(), both) == outcome::pending) ++pending;
      if (me.over.receive_bulk(1 - me.self, tag(there), in.back(), both) == outcome::pending) {
        ++pending;
      }
    }
    me.until([&] { return both.times == pending; });
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t there = in.size() - 1 - i;
      if (in[i] != bytes_of(1 - me.self, static_cast<int>(there), sizes[there])) {
        return fmt::format("buffer {} is another", there);
      }
    }
    me.close();
    return {};
  });
}

/// Who has nothing to do any more leaves while others still connect.
TEST_P(ucx_transport_test, all_may_begin_to_talk_at_the_end) {
  for (int round = 0; round < 8; ++round) {
    all_end_well(7, [](forked_process& me, forked_board&) {
      std::string fault = send_to_all(me, 1);
      me.close();
      return fault.empty() && me.lost_process != -2 ? "a process is lost" : fault;
    });
  }
}

/// Adds, and reads the sum of all; puts to everybody, and finds what everybody put.
std::string use_memory(forked_process& me, forked_board& all) {
  constexpr std::size_t part = 10'000;
  conduit::wire::remote_access& memory = *me.over.memory();
  std::string why;
  memory_block block = memory.allocate(part * 16, why);
  if (block.base == nullptr) return why;
  all.keys[static_cast<std::size_t>(me.self)] = block.key;
  all.meet(me, 1);
  told out;
  int pending = 0;
  const auto count = [&](const conduit::injection& begun) {
    pending += begun.what == outcome::pending ? 1 : 0;
  };
  std::vector<remote_memory> at(static_cast<std::size_t>(me.processes));
  const std::vector<std::byte> mine = bytes_of(me.self, 0, part - 8);
  std::vector<std::uint64_t> old(100);
  for (int p = 0; p < me.processes; ++p) {
    remote_memory& to = at[static_cast<std::size_t>(p)];
    if (!memory.import(p, all.keys[static_cast<std::size_t>(p)], to, why)) return why;
    count(memory.put(p, to, static_cast<std::size_t>(me.self) * part + 8, mine, &out));
    for (std::uint64_t& each : old) {
      count(memory.atomic(p, to, 0, {.kind = atomic_kind::fetch_add, .width = 8, .operand = 1},
                          &each, &out));
    }
  }
  count(memory.flush(-1, &out));
  me.until([&] { return out.times == pending; });
  all.meet(me, 2);
  std::vector<std::byte> got(part - 8);
  std::uint64_t sum = 0;
  const int next = (me.self + 1) % me.processes;
  const remote_memory& from = at[static_cast<std::size_t>(next)];
  count(memory.get(next, from, static_cast<std::size_t>(me.self) * part + 8, got, &out));
  count(memory.get(next, from, 0, std::as_writable_bytes(std::span(&sum, 1)), &out));
  me.until([&] { return out.times == pending; });
  all.meet(me, 3);
  for (const remote_memory& each : at) memory.forget(each);
  memory.release(block);
  me.close();
  if (got != mine) return "what is got is not what was put";
  const auto wanted = static_cast<std::uint64_t>(me.processes) * old.size();
  return sum == wanted ? std::string() : fmt::format("the sum is {}, not {}", sum, wanted);
}

TEST_P(ucx_transport_test, memory_of_peers_is_put_got_and_added_to) { all_end_well(3, use_memory); }

const forked_options ways[] = {{.transports = nullptr, .near = true},
                               {.transports = "posix,self", .near = true},
                               {.transports = "tcp,self", .near = true},
                               {.transports = "tcp,self", .near = false}};

std::string name_of(const testing::TestParamInfo<forked_options>& one) {
  const char* const names[] = {"what_ucx_likes", "posix", "tcp_in_a_node", "tcp"};
  return names[one.index];
}

INSTANTIATE_TEST_SUITE_P(over, ucx_transport_test, testing::ValuesIn(ways), name_of);

/// As on another node: nobody else tells of it.
TEST(ucx_transport_deaths, a_killed_peer_is_lost) {
  if (!has_ucx()) GTEST_SKIP() << "no plugin for UCX is installed";
  const auto statuses = run_forked({.processes = 3, .transports = "tcp,self", .near = false},
                                   [](forked_process& me, forked_board& all) -> std::string {
                                     std::string fault = send_to_all(me, 3);
                                     all.meet(me, 1);
                                     if (me.self == 1) raise(SIGKILL);
                                     me.until([&] { return me.lost_process != -2; });
                                     return me.lost_process == 1 ? fault : "another is lost";
                                   });
  EXPECT_EQ(statuses, (std::vector<int>{0, SIGKILL, 0}));
}

}  // namespace
}  // namespace upwash::test
