// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/common/matrix_market.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "upwash/base/error.hpp"

namespace {

using sparse::coordinate_matrix;
using sparse::parse_matrix_market;

const std::string real_general = "%%MatrixMarket matrix coordinate real general\n";

double at(const coordinate_matrix& matrix, int row, int column) {
  for (const auto& each : matrix.entries) {
    if (each.row == row && each.column == column) return each.value;
  }
  return 0;
}

TEST(matrix_market, general_real_is_sorted_and_zero_based) {
  const auto matrix =
      parse_matrix_market(real_general + "% comment\n\n2 3 3\n2 1 -1.5e2\n1 3 +4\n1 1 1\n", "m");
  EXPECT_EQ(matrix.rows, 2);
  EXPECT_EQ(matrix.columns, 3);
  ASSERT_EQ(matrix.entries.size(), 3U);
  EXPECT_EQ(matrix.entries[0].column, 0);
  EXPECT_EQ(matrix.entries[1].value, 4.0);
  EXPECT_EQ(matrix.entries[2].row, 1);
  EXPECT_EQ(matrix.entries[2].value, -150.0);
}

TEST(matrix_market, banner_words_ignore_case_and_lines_may_end_in_crlf) {
  const auto matrix = parse_matrix_market(
      "%%MatrixMarket MATRIX Coordinate INTEGER General\r\n1 1 1\r\n1 1 7\r\n", "m");
  EXPECT_EQ(at(matrix, 0, 0), 7.0);
}

TEST(matrix_market, symmetric_pattern_is_mirrored) {
  const auto matrix = parse_matrix_market(
      "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n3 1\n3 2\n", "m");
  EXPECT_EQ(matrix.entries.size(), 5U);
  EXPECT_EQ(at(matrix, 0, 2), 1.0);
  EXPECT_EQ(at(matrix, 2, 0), 1.0);
}

TEST(matrix_market, skew_symmetric_changes_sign) {
  const auto matrix = parse_matrix_market(
      "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n", "m");
  EXPECT_EQ(at(matrix, 1, 0), 3.0);
  EXPECT_EQ(at(matrix, 0, 1), -3.0);
}

TEST(matrix_market, an_empty_matrix_is_valid) {
  EXPECT_TRUE(parse_matrix_market(real_general + "5 5 0\n", "m").entries.empty());
}

struct bad_text {
  std::string text;
  std::string message;
};

TEST(matrix_market, bad_files_name_line_and_what_was_expected) {
  const std::string banner_expected =
      "expected %%MatrixMarket matrix coordinate real|integer|pattern "
      "general|symmetric|skew-symmetric";
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
  const std::array cases{
      bad_text{"", "m:1: the file is empty; " + banner_expected},
      bad_text{"1 1 1\n", "m:1: bad banner \"1 1 1\"; " + banner_expected},
      bad_text{"%%MatrixMarket matrix array real general\n2 2\n",
               "m:1: bad banner \"%%MatrixMarket matrix array real general\"; " + banner_expected},
      bad_text{"%%MatrixMarket matrix coordinate complex general\n",
               "m:1: \"complex\" in the banner; " + banner_expected},
      bad_text{"%%MatrixMarket matrix coordinate real hermitian\n",
               "m:1: \"hermitian\" in the banner; " + banner_expected},
      bad_text{"%%MatrixMarket matrix coordinate pattern skew-symmetric\n",
               "m:1: a pattern matrix cannot be skew-symmetric: it has no values"},
      bad_text{real_general + "% only comments\n",
               "m:2: the file ends before the line of rows, columns and entries"},
      bad_text{real_general + "2 2\n", "m:2: 2 fields; expected three: rows, columns, entries"},
      bad_text{real_general + "2 -2 1\n",
               "m:2: columns \"-2\"; expected a number from 1 to 2147483647"},
      bad_text{real_general + "2 2 5\n", "m:2: entries \"5\"; expected a number from 0 to 4"},
      bad_text{symmetric + "2 3 1\n1 1 1\n",
               "m:2: 2 rows and 3 columns; a symmetric matrix is square"},
      bad_text{real_general + "2 2 2\n1 1 1\n",
               "m:3: the file ends after 1 of the 2 entries that line 2 announces"},
      bad_text{real_general + "2 2 1\n1 1 1\n\n2 2 1\n",
               "m:5: more entries than the 1 that line 2 announces"},
      bad_text{real_general + "2 2 1\n3 1 1\n", "m:3: row \"3\"; expected a number from 1 to 2"},
      bad_text{real_general + "2 2 1\n1 0 1\n", "m:3: column \"0\"; expected a number from 1 to 2"},
      bad_text{real_general + "2 2 1\n1 1\n", "m:3: 2 fields; expected row, column, value"},
      bad_text{real_general + "2 2 1\n1 1 1 1\n", "m:3: 4 fields; expected row, column, value"},
      bad_text{real_general + "2 2 1\n1 1 1.0x\n", "m:3: value \"1.0x\"; expected a finite number"},
      bad_text{real_general + "2 2 1\n1 1 nan\n", "m:3: value \"nan\"; expected a finite number"},
      bad_text{symmetric + "2 2 1\n1 2 1\n",
               "m:3: entry (1, 2) is above the diagonal; a symmetric file holds the lower "
               "triangle only"},
      bad_text{"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
               "m:3: entry (1, 1) is on the diagonal, which is zero in a skew-symmetric matrix"},
      bad_text{real_general + "2 2 3\n1 2 1\n2 2 1\n1 2 5\n",
               "m:5: entry (1, 2) again; line 3 has it already"},
  };
  for (const auto& each : cases) {
    try {
      static_cast<void>(parse_matrix_market(each.text, "m"));
      ADD_FAILURE() << "no error: " << each.message;
    } catch (const upwash::error& failure) {
      EXPECT_EQ(failure.what(), each.message);
      EXPECT_EQ(failure.exit_status(), 2);
    }
  }
}

TEST(matrix_market, a_lying_count_does_not_allocate_for_it) {
  EXPECT_THROW(static_cast<void>(parse_matrix_market(
                   real_general + "2147483647 2147483647 4611686014132420609\n1 1 1\n", "m")),
               upwash::error);
}

TEST(matrix_market, missing_file_is_named) {
  try {
    static_cast<void>(sparse::read_matrix_market("/nowhere/a.mtx"));
    FAIL() << "no error";
  } catch (const upwash::error& failure) {
    EXPECT_STREQ(failure.what(), "/nowhere/a.mtx: cannot be read; expected a Matrix Market file");
  }
}

struct known_matrix {
  const char* name;
  int rows;
  std::size_t entries;  ///< expanded
};

TEST(matrix_market, every_matrix_of_the_data_folder_is_read) {
  constexpr std::array known{
      known_matrix{"bcsstk13", 2003, 83883}, known_matrix{"cage7", 340, 3084},
      known_matrix{"west0479", 479, 1910},   known_matrix{"3elt", 4720, 27444},
      known_matrix{"mbeacxc", 496, 49920},   known_matrix{"ash292", 292, 2208},
      known_matrix{"dwt_193", 193, 3493},
  };
  for (const auto& each : known) {
    const auto matrix = sparse::read_matrix_market(std::string(UPWASH_SOURCE_DIR) +
                                                   "/data/matrices/" + each.name + ".mtx");
    EXPECT_EQ(matrix.rows, each.rows) << each.name;
    EXPECT_EQ(matrix.columns, each.rows) << each.name;
    EXPECT_EQ(matrix.entries.size(), each.entries) << each.name;
  }
}

}  // namespace
