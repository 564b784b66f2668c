// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// randomaccess: HPC Challenge RandomAccess. Each rank updates random words of a table that is
// spread over all ranks, by single messages, through streams, and by remote atomics.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "apps/common/program.hpp"
#include "apps/randomaccess/generator.hpp"
#include "apps/randomaccess/onesided.hpp"
#include "apps/randomaccess/table.hpp"
#include "upwash/streaming/stream.hpp"
#include "upwash/upwash.hpp"

namespace {

struct options {
  int log_words = 16;
  std::vector<std::string> modes{"direct", "1d", "2d", "auto", "onesided"};
  std::size_t buffer_bytes = upwash::stream_options{}.buffer_bytes;
};

int read_options(const upwash::job& here, int argc, char** argv, options& chosen) {
  CLI::App app("Updates random words of a table over all ranks (HPC Challenge)", "randomaccess");
  app.add_option("--log-words", chosen.log_words, "The table has 2^N words in all, N at least")
      ->check(CLI::Range(1, 40))
      ->capture_default_str();
  app.add_option("--modes", chosen.modes,
                 "direct: a message an update; 1d, 2d, 3d, auto: streams; onesided: an atomic")
      ->delimiter(',')
      ->check(CLI::IsMember({"direct", "1d", "2d", "3d", "auto", "onesided"}))
      ->capture_default_str();
  app.add_option("--buffer", chosen.buffer_bytes, "Bytes of a stream's buffer; else it chooses")
      ->check(CLI::Range(1, 1 << 20));
  return apps::read_command_line(here, app, argc, argv);
}

/// This rank's part, where messages find it.
class table : public upwash::service_base, public randomaccess::table_part {
 public:
  explicit table(upwash::job& here) : here_(here) {}

  void resize(std::uint64_t words) {
    static_cast<table_part&>(*this) = table_part(words, here_.size(), here_.rank());
  }
  void apply(std::uint64_t update) {
    table_part::apply(update);
    ++applied;
  }
  std::uint64_t applied = 0;   ///< here, since the start
  std::uint64_t expected = 0;  ///< everywhere, since the start: others may be a run ahead

 private:
  upwash::job& here_;
};

void update(upwash::incoming& in, std::uint64_t what) { in.here().service<table>().apply(what); }

/// All updates of this rank, in the order of the generator.
template <class Use>
void for_each_update(const upwash::job& here, std::uint64_t updates, const Use& use) {
  const auto ranks = static_cast<std::uint64_t>(here.size());
  const auto rank = static_cast<std::uint64_t>(here.rank());
  const std::uint64_t first = updates / ranks * rank + std::min(rank, updates % ranks);
  const std::uint64_t count = updates / ranks + (rank < updates % ranks ? 1 : 0);
  std::uint64_t number = randomaccess::number_at(first);
  for (std::uint64_t i = 0; i < count; ++i) {
    number = randomaccess::next(number);
    use(number);
  }
}

void run_direct(upwash::job& here, table& words, std::uint64_t updates) {
  for_each_update(here, updates, [&](std::uint64_t number) {
    upwash::send<&update>(here, words.owner(number), number);
  });
  while (apps::total(here, words.applied) != words.expected) here.progress();
}

void run_stream(upwash::job& here, table& words, std::uint64_t updates,
                const upwash::stream_options& with) {
  auto items = upwash::open_stream<std::uint64_t>(
      here.world(),
      [&](std::span<const std::uint64_t> some) {
        for (const std::uint64_t each : some) words.apply(each);
      },
      with);
  for_each_update(here, updates,
                  [&](std::uint64_t number) { items.push(words.owner(number), number); });
  items.close();
}

/// What a mode took, and the words that were wrong behind it.
struct outcome {
  upwash::duration time;
  std::uint64_t wrong = 0;
};

/// The table lies in memory that all reach, so that this mode has one of its own.
outcome run_onesided(upwash::job& here, std::uint64_t words, std::uint64_t updates) {
  randomaccess::onesided_table table(here, words);
  const auto pass = [&] {
    const upwash::duration begin = here.now();
    for_each_update(here, updates, [&](std::uint64_t number) { table.update(number); });
    table.complete();
    return apps::slowest(here, here.now() - begin);  // all are complete behind it
  };
  outcome seen{.time = pass()};
  static_cast<void>(pass());  // once more: x ^ a ^ a is x
  seen.wrong = apps::total(here, table.changed());
  table.free();
  return seen;
}

void run_updates(upwash::job& here, table& words, std::uint64_t updates, const std::string& mode,
                 std::size_t buffer_bytes) {
  words.expected += updates;
  if (mode == "direct") {
    run_direct(here, words, updates);
  } else {
    run_stream(here, words, updates,
               {.dimensions = mode == "auto" ? 0 : mode[0] - '0', .buffer_bytes = buffer_bytes});
  }
}

outcome run_twice(upwash::job& here, table& words, std::uint64_t updates, const std::string& mode,
                  std::size_t buffer_bytes) {
  const upwash::duration begin = here.now();
  run_updates(here, words, updates, mode, buffer_bytes);
  const upwash::duration time = apps::slowest(here, here.now() - begin);
  run_updates(here, words, updates, mode, buffer_bytes);  // once more: x ^ a ^ a is x
  return {.time = time, .wrong = apps::total(here, words.changed())};
}

int run_rank(upwash::job& here, int argc, char** argv) {
  options chosen;
  const int early = read_options(here, argc, argv, chosen);
  if (early >= 0) return early;
  const std::uint64_t words = std::uint64_t{1} << static_cast<unsigned>(chosen.log_words);
  const std::uint64_t updates = 4 * words;
  auto& mine = here.service<table>();
  mine.resize(words);
  upwash::control::barrier(here.world());
  std::uint64_t wrong = 0;
  for (const std::string& mode : chosen.modes) {
    const outcome seen = mode == "onesided"
                             ? run_onesided(here, words, updates)
                             : run_twice(here, mine, updates, mode, chosen.buffer_bytes);
    wrong += seen.wrong;
    if (here.rank() != 0) continue;
    fmt::print("{}: {:.3f} ms, {:.3f} million updates/s, {} of {} words wrong\n", mode,
               seen.time.us() / 1e3, static_cast<double>(updates) / seen.time.us(), seen.wrong,
               words);
  }
  if (here.rank() == 0) fmt::print("verified: {}\n", wrong == 0 ? "yes" : "no");
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [&](upwash::job& here) { return run_rank(here, argc, argv); });
}
