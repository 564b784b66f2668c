// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/trace.hpp"
#include "upwash/matching/profile.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/matching/recording.hpp"

namespace upwash::matching {
namespace {

const std::string header = "time_ns,rank,event,peer,tag,context\n";

std::string failure(const std::string& text) {
  try {
    (void)parse_trace(text, "t.csv");
    return "no error";
  } catch (const error& e) {
    return e.what();
  }
}

TEST(match_trace, kinds_that_only_recordings_have_are_named_too) {
  trace_event back;
  back.what = trace_event::kind::cancel;
  EXPECT_NE(to_text({back}).find(",cancel,"), std::string::npos);
}

TEST(match_trace, is_read_back_as_it_was_written) {
  random_stream draw(5, 0);
  std::vector<trace_event> events;
  for (int i = 0; i < 1000; ++i) {
    trace_event e;
    e.time_ns = draw.next();
    e.rank = static_cast<std::int32_t>(draw.below(1000));
    e.what = static_cast<trace_event::kind>(draw.below(3));
    const auto wild = [&] { return e.what != trace_event::kind::send && draw.below(3) == 0; };
    e.peer = wild() ? -1 : static_cast<std::int32_t>(draw.below(1000));
    e.tag = wild() ? -1 : static_cast<std::int32_t>(draw.below(1U << 31U));
    e.context = static_cast<std::uint32_t>(draw.next());
    events.push_back(e);
  }
  const std::string text = to_text(events);
  EXPECT_EQ(to_text(parse_trace(text, "t.csv")), text);
  EXPECT_EQ(parse_trace(text, "t.csv").size(), 1000U);
}

TEST(match_trace, names_line_and_value_of_what_is_wrong) {
  const std::string form = "; a line is time_ns,rank,event,peer,tag,context";
  EXPECT_EQ(
      failure("0,0,send,1,2,3\n"),
      "t.csv: no trace of matching: its first line is not time_ns,rank,event,peer,tag,context");
  EXPECT_EQ(failure(header + "0,0,send,1,2,0\n0,0,sent,1,2,0\n"),
            "t.csv:3: event \"sent\" is none of send, post, probe" + form);
  EXPECT_EQ(failure(header + "0,0,send,-1,2,0\n"),
            "t.csv:2: peer \"-1\" is no number from 0 to 16777215" + form);
  EXPECT_EQ(failure(header + "0,0,post,-1,-2,0\n"),
            "t.csv:2: tag \"-2\" is no number from -1 to 2147483647" + form);
  EXPECT_EQ(failure(header + "0,99999999,post,1,1,0"),
            "t.csv:2: rank \"99999999\" is no number from 0 to 16777215" + form);
  EXPECT_EQ(failure(header + "0,0,post,1,1"), "t.csv:2: fewer than six fields" + form);
  EXPECT_EQ(failure(header + "0,0,post,1,1,0,"), "t.csv:2: more than six fields" + form);
  EXPECT_EQ(failure(header + "\n"),
            "t.csv:2: time \"\" is no number from 0 to 18446744073709551615" + form);
  EXPECT_EQ(failure(header), "no error");
}

TEST(match_trace, tells_what_lay_in_each_queue) {
  const std::string path = testing::TempDir() + "/profile.csv";
  // Two messages wait; a receive takes the first; one of context 7 waits, one of any source does
  // not count; the last message is met by it. Probes count nowhere.
  std::ofstream(path) << header
                      << "1,0,send,2,5,0\n2,1,send,2,5,0\n3,0,send,1,5,0\n4,2,post,0,5,0\n"
                      << "5,2,post,3,5,7\n6,2,post,-1,9,0\n7,2,probe,1,5,0\n8,1,send,2,9,0\n"
                      << "9,1,send,2,5,7\n";
  const match_profile of_two = read_profile(path, 2, 4);
  EXPECT_EQ(of_two.unexpected.by_source, (std::vector<std::uint64_t>{1, 2, 0, 0}));
  EXPECT_EQ(of_two.unexpected.by_context,
            (std::vector<queued_of>{{0, 0, 1}, {0, 1, 1}, {7, 1, 1}}));
  EXPECT_EQ(of_two.posted.by_source, (std::vector<std::uint64_t>{0, 0, 0, 1}));
  EXPECT_EQ(of_two.posted.by_context, (std::vector<queued_of>{{7, 3, 1}}));
  EXPECT_EQ(read_profile(path, 1, 4).unexpected.by_source,
            (std::vector<std::uint64_t>{1, 0, 0, 0}));
  std::remove(path.c_str());
}

TEST(match_trace, of_any_bytes_is_read_or_refused) {
  const std::string good =
      header + "12,3,post,-1,7,0\n900,0,send,3,7,4294967295\n5,2,probe,1,1,1\n";
  int read = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    random_stream draw(seed, 0);
    std::string text = good;
    for (std::uint64_t n = 1 + draw.below(4); n > 0; --n) {
      const auto at = header.size() + draw.below(text.size() - header.size());
      switch (draw.below(4)) {
        case 0: text[at] = static_cast<char>(draw.below(256)); break;
        case 1: text.erase(at, draw.below(8)); break;
        case 2: text.insert(at, text.substr(header.size() + draw.below(20), draw.below(8))); break;
        default: text[at] = "0123456789,-\n"[draw.below(13)];
      }
      if (text.size() <= header.size() + 21) break;
    }
    const std::string why = failure(text);
    if (why == "no error") {
      ++read;
      const auto events = parse_trace(text, "t.csv");
      EXPECT_EQ(to_text(parse_trace(to_text(events), "t.csv")), to_text(events)) << "seed " << seed;
    } else {
      EXPECT_EQ(why.rfind("t.csv:", 0), 0U) << "seed " << seed << ": " << why;
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_LT(read, 19'000);
}

std::string recording_of(const std::vector<trace_event>& events, int rank, int ranks) {
  const std::string path = testing::TempDir() + "upwash-match-recording";
  {
    recorder made(path, rank, ranks);
    for (const auto& e : events) {
      if (e.what == trace_event::kind::cancel) {
        made.cancel(e.time_ns, e.number);
      } else {
        made.add(e.what, e.time_ns, {e.context, e.peer, e.tag, e.kind_of_collective}, e.bytes,
                 e.team_size);
      }
    }
  }
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::remove(path.c_str());
  return bytes;
}

std::vector<trace_event> random_events(std::uint64_t seed, int count) {
  random_stream draw(seed, 0);
  std::vector<trace_event> events;
  std::uint64_t posts = 0;
  std::uint64_t now = 0;
  constexpr std::int32_t sizes[] = {1000, 1, 17};
  for (int i = 0; i < count; ++i) {
    trace_event e;
    e.time_ns = now += draw.below(1U << draw.below(30));
    e.rank = 5;
    e.what = static_cast<trace_event::kind>(1 + draw.below(i >= 3 ? 5 : 4));
    if (e.what == trace_event::kind::cancel) {
      e.number = draw.below(posts);
    } else {
      const bool wild = e.what != trace_event::kind::arrival;
      // The first three name the contexts in turn.
      e.context = i < 3 ? static_cast<std::uint32_t>(i) : static_cast<std::uint32_t>(draw.below(3));
      e.team_size = sizes[e.context];
      const auto size = static_cast<std::uint64_t>(e.team_size);
      e.peer = wild && draw.below(3) == 0 ? -1 : static_cast<std::int32_t>(draw.below(size));
      e.tag = wild && draw.below(3) == 0 ? -1 : static_cast<std::int32_t>(draw.below(1U << 31U));
      e.kind_of_collective = static_cast<std::uint32_t>(draw.next());
      e.bytes = draw.next() >> draw.below(64);
      if (i < 3) e.what = trace_event::kind::post;
      if (e.what == trace_event::kind::post) e.number = posts++;
    }
    events.push_back(e);
  }
  return events;
}

TEST(match_recording, is_read_back_as_it_was_written) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto events = random_events(seed, 5000);  // more than a block
    EXPECT_TRUE(parse_recording(recording_of(events, 5, 1000), "r") == events) << "seed " << seed;
  }
}

TEST(match_recording, names_the_byte_and_value_of_what_is_wrong) {
  const auto failure_of = [](const std::string& tail) {
    try {
      (void)parse_recording(std::string(recording_header) + tail, "r");
      return std::string("no error");
    } catch (const error& e) {
      return std::string(e.what());
    }
  };
  const std::string start("\x02\x04", 2);
  EXPECT_EQ(failure_of(start), "no error");
  EXPECT_EQ(failure_of(""), "r: byte 37: ends within an event");
  EXPECT_EQ(failure_of("\x04\x04"), "r: byte 38: ranks 4 is not from 5 to 16777216");
  EXPECT_EQ(failure_of(start + "\x09"), "r: byte 40: there is no event of kind 9");
  EXPECT_EQ(failure_of(start + std::string("\x01\x00\x01", 3)),
            "r: byte 41: context 1 is not from 0 to 0");
  EXPECT_EQ(failure_of(start + std::string("\x01\x00\x00\x05", 4)),
            "r: byte 42: source + 1 5 is not from 0 to 4");
  EXPECT_EQ(failure_of(start + std::string("\x05\x00\x01", 3)),
            "r: byte 41: cancelled post 1 is not from 1 to 0");
  EXPECT_EQ(failure_of(start + "\x01" + std::string(12, '\xff')),
            "r: byte 40: time has more than 64 bits");
  try {
    (void)parse_recording("upwash matching recording, version 2\n", "r");
    FAIL();
  } catch (const error& e) {
    EXPECT_EQ(std::string(e.what()),
              "r: no recording of matching: its first line is not "
              "\"upwash matching recording, version 1\"");
  }
}

}  // namespace
}  // namespace upwash::matching
