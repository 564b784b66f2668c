// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Draws a program from a seed, the same at all ranks: teams that overlap, collectives of any size,
// tagged messages, puts, messages and their answers, each checked. mixed SEED STEPS
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/upwash.hpp"

namespace {

using namespace upwash;

/// What handlers of a rank count: ranks of a process share the table, not the entries.
struct counts {
  long told = 0;
  long answered = 0;
};

counts& of(job& here) {
  static std::vector<counts> all(4096);
  return all[static_cast<std::size_t>(here.rank())];
}

void answered(incoming& in, int what) { of(in.here()).answered += what; }
void asked(incoming& in, int what) { in.reply<&answered>(what + 1); }
void told(incoming& in, int what) { of(in.here()).told += what; }

class drawn_program {
 public:
  drawn_program(job& here, std::uint64_t seed)
      : here_(here),
        world_(here.world()),
        all_(seed, 0),
        own_(seed, 1 + static_cast<std::uint64_t>(here.rank())),
        words_(allocate(world_, sizeof(long) * static_cast<std::size_t>(world_.size()))) {}

  void step(int number) {
    number_ = number;
    const std::uint64_t what = all_.below(9);
    const std::size_t elements = all_.below(all_.below(5) == 0 ? 9000 : 40) + 1;
    const std::size_t which = all_.below(teams_.size() + 1);
    team& among = which == teams_.size() ? world_ : teams_[which];
    for (std::uint64_t polls = own_.below(4); polls > 2; --polls) here_.progress();
    switch (what) {
      case 0: return split();
      case 1: return ring(elements);
      case 2: return puts();
      case 3: return messages();
      default: break;
    }
    collective(what, among, elements);
  }

  void end() {
    for (team& each : teams_) each.release();
    free(words_);
  }

 private:
  void check(bool holds, const char* what) const {
    if (holds) return;
    std::fprintf(stderr, "mixed: rank %d: step %d: %s\n", here_.rank(), number_, what);
    std::abort();
  }

  void split() {
    const auto color = static_cast<int>((all_.next() >> (here_.rank() % 48)) & 1U);
    if (teams_.size() < 4) teams_.push_back(world_.split(color, -here_.rank()));
  }

  void ring(std::size_t elements) {
    const auto shift = static_cast<int>(all_.below(static_cast<std::uint64_t>(world_.size())));
    const int from = (world_.rank() - shift + world_.size()) % world_.size();
    const std::vector<int> out(elements, world_.rank() * 3 + number_);
    std::vector<int> in(elements);
    auto going = send(world_, (world_.rank() + shift) % world_.size(), number_,
                      std::as_bytes(std::span(out)));
    receive(world_, from, number_, std::as_writable_bytes(std::span(in))).wait();
    going.wait();
    check(in.front() == from * 3 + number_ && in.back() == in.front(), "a tagged message");
  }

  void puts() {
    control::barrier(world_);
    for (int to = 0; to < world_.size(); ++to) {
      const long value = long{number_} * (world_.rank() + 1);
      put(here_, words_.at<long>(to, static_cast<std::uint64_t>(world_.rank())),
          std::span(&value, 1))
          .wait();
    }
    control::barrier(world_);
    for (int from = 0; from < world_.size(); ++from) {
      const long came = words_.mine_as<long>()[static_cast<std::size_t>(from)];
      check(came == long{number_} * (from + 1), "a put");
    }
  }

  void messages() {
    const auto count = static_cast<int>(all_.below(200)) + 1;
    of(here_) = {};
    control::barrier(world_);
    long wanted = 0;
    for (int i = 0; i < count; ++i) {
      const int to = (world_.rank() + i) % world_.size();
      send<&told>(here_, to, 1);
      if (i % 3 != 0) continue;
      send<&asked>(here_, to, i);
      wanted += i + 1;
    }
    while (of(here_).answered != wanted || of(here_).told < count) here_.progress();
    control::barrier(world_);
    check(of(here_).told == count, "a message came twice");
  }

  void collective(std::uint64_t what, team& among, std::size_t elements) {
    const int size = among.size();
    const auto members = static_cast<std::size_t>(size);
    const std::vector<long> mine(elements, among.rank() + 1);
    std::vector<long> sums(elements);
    std::vector<long> all(elements * members);
    const auto root = static_cast<int>(all_.below(64)) % size;
    switch (what) {
      case 4: {
        auto going = all_reduce<sum>(among, mine, std::span(sums));
        while (own_.below(2) == 0 && !going.test()) {
        }
        going.wait();
        return check(sums.back() == long{size} * (size + 1) / 2, "all_reduce");
      }
      case 5:
        all_reduce<sum>(among, blocking, mine, std::span(sums));
        return check(sums.front() == long{size} * (size + 1) / 2, "all_reduce, blocking");
      case 6:
        all_gather(among, blocking, mine, std::span(all));
        return check(all.back() == size && all.front() == 1, "all_gather");
      case 7:
        if (among.rank() == root) sums.assign(elements, number_);
        broadcast(among, blocking, root, std::span(sums));
        return check(sums.back() == number_, "broadcast");
      default: barrier(among, blocking);
    }
  }

  job& here_;
  team world_;
  random_stream all_;  ///< the same at all ranks
  random_stream own_;
  region words_;
  std::vector<team> teams_;
  int number_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv, [&](job& here) {
    drawn_program program(here, std::strtoull(argc > 1 ? argv[1] : "1", nullptr, 10));
    const int steps = argc > 2 ? std::atoi(argv[2]) : 60;
    for (int i = 1; i <= steps; ++i) program.step(i);
    program.end();
  });
}
