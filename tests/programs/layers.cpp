// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each layer does something that can be counted, and rank 0 prints how often: items of a stream,
// tagged messages that come before and after their receives, objects that migrate, sums.
#include <array>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include "upwash/objects/object_array.hpp"
#include "upwash/upwash.hpp"

namespace {

constexpr int messages = 5;
constexpr int sums = 7;
constexpr int moves = 3;

struct traveller : upwash::object<int> {
  using object::object;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(left, luggage);
  }
  void go(int ranks) {
    if (left-- == 0) return;
    const upwash::object_view<traveller> all(*this);
    all[index()].send<&traveller::go>(ranks);
    migrate_to((member() + 1) % ranks);
  }

  int left = moves;
  std::vector<double> luggage = std::vector<double>(50);
};

/// Into a stream whose buffers hold a few items only. Messages of all members by their causes.
std::array<std::uint64_t, 4> stream_items(const upwash::team& world) {
  upwash::stream_options with;
  with.buffer_bytes = 256;
  with.dimensions = 1;
  auto items = upwash::open_stream<std::uint64_t>(
      world, [](auto& /*self*/, const std::uint64_t& /*item*/) {}, with);
  for (std::uint64_t i = 0; i < 1000; ++i) items.push((world.rank() + 1) % world.size(), i);
  items.finish();
  const upwash::stream_statistics seen = items.statistics();
  std::array<std::uint64_t, 4> mine{seen.messages, seen.full + seen.threshold, seen.asked,
                                    seen.bytes};
  std::array<std::uint64_t, 4> all{};
  upwash::all_reduce<upwash::sum>(world, upwash::blocking, mine, all);
  return all;
}

/// From the rank before: first receives that wait for their messages, then messages that are kept.
void tagged(const upwash::team& world) {
  const int next = (world.rank() + 1) % world.size();
  const int before = (world.rank() + world.size() - 1) % world.size();
  std::array<int, messages> got{};
  std::vector<upwash::matching::receiving> receives;
  for (int tag = 0; tag < messages; ++tag) {
    receives.push_back(upwash::receive(world, before, tag, got[static_cast<std::size_t>(tag)]));
  }
  upwash::barrier(world, upwash::blocking);
  for (int tag = 0; tag < messages; ++tag) upwash::send(world, upwash::blocking, next, tag, tag);
  for (auto& each : receives) each.wait();
  for (int tag = 0; tag < messages; ++tag) {
    upwash::send(world, upwash::blocking, next, 100 + tag, tag);
  }
  upwash::barrier(world, upwash::blocking);
  // The last has come once a later one has: then all are kept.
  while (!upwash::matching::probe(world, before, 100 + messages - 1)) world.here().progress();
  for (int tag = messages; tag-- > 0;) {
    upwash::receive(world, upwash::blocking, before, 100 + tag, got[0]);
  }
}

void objects(const upwash::team& world) {
  upwash::object_array<traveller> all(world);
  std::vector<int> numbers(10);
  std::iota(numbers.begin(), numbers.end(), 0);
  all.fill(numbers);
  if (world.rank() == 0) {
    for (const int each : numbers) all[each].send<&traveller::go>(world.size());
  }
  all.quiet();
}

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [](upwash::job& job) {
    const upwash::team world = job.world();
    const auto left = stream_items(world);
    tagged(world);
    objects(world);
    double mine = world.rank();
    double all = 0;
    for (int turn = 0; turn < sums; ++turn) {
      upwash::all_reduce<upwash::sum>(world, upwash::blocking, std::span<const double>(&mine, 1),
                                      std::span(&all, 1));
    }
    if (world.rank() != 0) return;
    std::printf(
        R"({"stream_messages":%lu,"stream_full":%lu,"stream_asked":%lu,"stream_bytes":%lu,)",
        left[0], left[1], left[2], left[3]);
    std::printf(R"("tagged":%d,"migrations":%d,"sums":%d})"
                "\n",
                messages, world.size() > 1 ? 10 * moves : 0, sums);
  });
}
