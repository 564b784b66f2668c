// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank records is read back, and gives the same matches in every kind of store.
#include "upwash/matching/recording.hpp"

#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/matching/messages.hpp"
#include "upwash/matching/options.hpp"
#include "upwash/matching/store.hpp"

namespace {

using namespace upwash;
namespace m = upwash::matching;
using kind = m::trace_event::kind;

/// Which message (source, its number) each post or claim got; posts count in their order, claims
/// from -1 down. Without what was taken back.
using matches = std::map<int, std::pair<int, int>>;

struct taken {
  int value = -1;
  m::receiving handle;
  bool cancelled = false;
};

/// Random receives of what every rank sends to every rank; returns what was matched.
matches run_program(const team& world, random_stream draw) {
  constexpr int count = 30;
  std::vector<int> numbers(count);
  std::vector<request> going;
  std::vector<std::unique_ptr<taken>> posted;
  matches seen;
  int claims = 0;
  const auto into = [](int& value) { return std::as_writable_bytes(std::span(&value, 1)); };
  const auto post = [&](int source, int tag) {
    auto& t = posted.emplace_back(std::make_unique<taken>());
    t->handle = m::receive(world, source, tag, into(t->value));
    if (draw.below(6) == 0) t->cancelled = t->handle.cancel();
  };
  for (int i = 0; i < count; ++i) {
    numbers[static_cast<std::size_t>(i)] = i;
    const auto data = std::as_bytes(std::span(&numbers[static_cast<std::size_t>(i)], 1));
    for (int to = 0; to < world.size(); ++to) {
      const auto how = draw.below(5) == 0 ? m::mode::synchronous : m::mode::standard;
      going.push_back(m::send(world, to, i % 3, data, how));
      if (draw.below(4) != 0) {
        const auto source = draw.below(static_cast<std::uint64_t>(world.size()));
        post(draw.below(3) == 0 ? -1 : static_cast<int>(source), draw.below(3) == 0 ? -1 : i % 3);
      } else if (auto claimed = m::claim(world, m::any_source, i % 3)) {
        int value = -1;
        const int source = claimed->what().source;
        m::receive(std::move(*claimed), into(value)).wait();
        seen[--claims] = {source, value};
      }
    }
  }
  // All that is left fits these; what remains posted in the end is taken back.
  for (int i = 0; i < count * world.size(); ++i) post(-1, -1);
  wait_all(going);
  control::barrier(world);
  for (std::size_t i = 0; i < posted.size(); ++i) {
    taken& t = *posted[i];
    t.cancelled = t.cancelled || t.handle.cancel();
    const m::receipt got = t.handle.wait();
    if (!t.cancelled) seen[static_cast<int>(i)] = {got.source, t.value};
  }
  return seen;
}

struct numbered : m::entry {
  int number = 0;  ///< of an arrival from its source, or of a post
};

matches replay(const std::vector<m::trace_event>& events, std::string_view engine, int ranks) {
  m::shape s;
  s.ranks = ranks;
  const auto posted = m::make_store(engine, "single", m::side::posted, s);
  const auto unexpected = m::make_store(engine, "single", m::side::unexpected, s);
  std::vector<std::unique_ptr<numbered>> entries;
  std::map<std::uint64_t, numbered*> posts;
  std::map<int, int> arrived;
  matches seen;
  int claims = 0;
  for (const auto& e : events) {
    numbered& mine = *entries.emplace_back(std::make_unique<numbered>());
    mine.what = {e.context, e.peer, e.tag, 0};
    if (e.what == kind::arrival) {
      mine.number = arrived[e.peer]++;
      if (const auto* p = static_cast<numbered*>(posted->take(mine.what))) {
        seen[p->number] = {e.peer, mine.number};
      } else {
        unexpected->insert(mine);
      }
    } else if (e.what == kind::cancel) {
      posted->erase(*posts.at(e.number));
    } else if (e.what != kind::probe) {
      const bool post = e.what == kind::post;
      mine.number = post ? static_cast<int>(e.number) : --claims;
      if (post) posts[e.number] = &mine;
      if (const auto* a = static_cast<numbered*>(unexpected->take(mine.what))) {
        seen[mine.number] = {a->what.source, a->number};
      } else if (post) {
        posted->insert(mine);
      }
    }
  }
  return seen;
}

}  // namespace

JOB_TEST(recordings, replayed_give_the_same_matches, .most_ranks = 8) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("upwash-recording-" + std::to_string(::getpid())))
          .string();
  const std::string mine = path + "." + std::to_string(here.rank());
  m::install(here, {.unexpected_bytes = 1U << 16U, .trace = path});
  control::barrier(here.world());
  const matches seen =
      run_program(here.world(), random_stream(17, static_cast<std::uint64_t>(here.rank())));
  m::install(here, {});  // ends the recording
  const auto events = m::read_trace(mine);
  for (const auto engine : m::engine_names()) {
    ASSERT_EQ(replay(events, engine, here.size()), seen) << engine << ", seed 17";
  }
  for (const auto& e : events) {
    ASSERT_EQ(e.rank, here.rank());
    if (e.what == kind::arrival || e.what == kind::post) {
      ASSERT_EQ(e.bytes, sizeof(int));
      ASSERT_EQ(e.team_size, here.size());
    }
  }
  std::filesystem::remove(mine);
  control::barrier(here.world());
}

JOB_TEST(recordings, into_folders_that_there_are_not_are_refused) {
  EXPECT_THROW(m::install(here, {.trace = "/no/such/folder/trace"}), error);
  m::install(here, {});
}
