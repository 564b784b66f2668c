// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/trace.hpp"

#include <gtest/gtest.h>

#include <string>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"

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

}  // namespace
}  // namespace upwash::matching
