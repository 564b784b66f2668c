// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Types that only cereal knows travel as arguments of messages.
#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/string.hpp>
#include <map>
#include <memory>
#include <string>

#include "tests/harness/job_test.hpp"
#include "upwash/base/serialize_cereal.hpp"

namespace {

using namespace upwash;
using dictionary = std::map<std::string, std::shared_ptr<int>>;

struct shelf final : service_base {
  explicit shelf(job& /*here*/) {}
  dictionary books;
  bool filled = false;
};

void put_away(incoming& in, const dictionary& books, int checksum) {
  shelf& mine = in.here().service<shelf>();
  mine.books = books;
  mine.filled = checksum == 3;
}

}  // namespace

JOB_TEST(cereal, maps_of_pointers_travel) {
  dictionary books;
  books["one"] = std::make_shared<int>(1);
  books["none"] = nullptr;
  books["rank"] = std::make_shared<int>(here.rank());
  const int to = (here.rank() + 1) % here.size();
  send<&put_away>(here, to, books, 3);
  const shelf& mine = here.service<shelf>();
  while (!mine.filled) here.progress();
  const int from = (here.rank() + here.size() - 1) % here.size();
  ASSERT_EQ(mine.books.size(), 3U);
  EXPECT_EQ(*mine.books.at("one"), 1);
  EXPECT_EQ(mine.books.at("none"), nullptr);
  EXPECT_EQ(*mine.books.at("rank"), from);
}
