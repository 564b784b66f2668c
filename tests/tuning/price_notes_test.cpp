// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prices that jobs remember: what one has priced the next one knows, if it is of the same build.
#include "upwash/tuning/price_notes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tuning/findings.hpp"
#include "upwash/base/error.hpp"
#include "upwash/tuning/tuned_selector.hpp"
#include "upwash/tuning/tuning_file.hpp"

namespace {

using namespace upwash;
using namespace upwash::tuning;
using collective::kind;
using collective::problem;

constexpr std::uint64_t build = 0xb01d;

const problem some_call{.of = kind::broadcast, .ranks = 4, .bytes = 64};
const problem other_call{.of = kind::all_reduce, .ranks = 3, .bytes = 4096};

/// What a job that makes these calls notes.
knowledge noted_by(tuned_selector& job, const collective::registry& algorithms) {
  job.prices().note_all();
  static_cast<void>(job.choose(algorithms, some_call));
  static_cast<void>(job.choose(algorithms, other_call));
  return job.prices().fresh(build, algorithms);
}

}  // namespace

TEST(price_notes, are_known_to_the_next_job_of_the_build) {
  const auto algorithms = tests::all_algorithms();
  tuned_selector first("laptop");
  const knowledge noted = noted_by(first, algorithms);
  ASSERT_EQ(noted.prices().size(), 2U);
  const knowledge read =
      parse_tuning(text_of(noted, tests::here), "t.json", tests::here, algorithms);
  EXPECT_EQ(read, noted);

  tuned_selector second("laptop");
  second.prices().learn(price_notes::words_of(read, build, algorithms));
  EXPECT_EQ(second.prices().known(), 2U);
  EXPECT_TRUE(noted_by(second, algorithms).empty());  // nothing was left to price
  EXPECT_EQ(second.choose(algorithms, some_call).why, first.choose(algorithms, some_call).why);
  EXPECT_EQ(second.choose(algorithms, other_call).what, first.choose(algorithms, other_call).what);

  EXPECT_TRUE(price_notes::words_of(read, build + 1, algorithms).empty());
  tuned_selector elsewhere("edr");
  elsewhere.prices().learn(price_notes::words_of(read, build, algorithms));
  EXPECT_EQ(noted_by(elsewhere, algorithms).prices().size(), 2U);
}

TEST(price_notes, are_what_is_chosen_by) {
  const auto algorithms = tests::all_algorithms();
  tuned_selector first("laptop");
  knowledge noted = noted_by(first, algorithms);
  std::string text = text_of(noted, tests::here);
  const std::string chosen = text_of(first.choose(algorithms, some_call).what);
  const std::string entry = "\"algorithm\": \"" + chosen + "\",\n     \"ps\": ";
  const std::size_t at = text.find(entry, text.find("\"collective\": \"broadcast\""));
  ASSERT_NE(at, std::string::npos) << text;
  text.insert(at + entry.size(), "99");  // dearer, by hand
  const knowledge edited = parse_tuning(text, "t.json", tests::here, algorithms);
  tuned_selector second("laptop");
  second.prices().learn(price_notes::words_of(edited, build, algorithms));
  EXPECT_NE(text_of(second.choose(algorithms, some_call).what), chosen);
}

TEST(price_notes, of_unknown_algorithms_are_refused) {
  const auto algorithms = tests::all_algorithms();
  knowledge noted;
  noted.add(price_note{build, "broadcast", {1, 2}, {{"magic", 100}}});
  EXPECT_THROW(static_cast<void>(price_notes::words_of(noted, build, algorithms)), error);
  noted = {};
  noted.add(price_note{build, "no_such", {1, 2}, {}});
  EXPECT_THROW(static_cast<void>(price_notes::words_of(noted, build, algorithms)), error);
}

TEST(price_notes, note_nothing_unless_they_are_kept_and_not_without_end) {
  const auto algorithms = tests::all_algorithms();
  price_notes notes;
  notes.note(kind::barrier, std::vector<std::uint64_t>{1}, {});
  EXPECT_TRUE(notes.fresh(build, algorithms).empty());
  notes.note_all();
  for (std::uint64_t i = 0; i < 2 * price_notes::most_fresh; ++i) {
    notes.note(kind::barrier, std::vector<std::uint64_t>{i}, {});
  }
  EXPECT_EQ(notes.fresh(build, algorithms).prices().size(), price_notes::most_fresh);
}
