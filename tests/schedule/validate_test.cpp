// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The validator finds what is wrong: each case is a schedule with one defect.
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "upwash/schedule/validate.hpp"

namespace {

using namespace upwash::schedule;

/// A schedule given step by step, kept elsewhere.
struct listed {
  const step* at = nullptr;
  const step* end = nullptr;
  bool next(step& out, tape& on) {
    if (at == end) return false;
    out = *at++;
    const auto after = out.after;
    on.emit(out);
    out.after = after;
    return true;
  }
  [[nodiscard]] std::uint32_t window() const { return 1; }
  [[nodiscard]] std::uint64_t scratch_bytes() const { return 8; }
};

generator list_of(const std::vector<step>& steps) {
  static std::deque<std::vector<step>> kept;  // for the length of the test program
  const std::vector<step>& here = kept.emplace_back(steps);
  return generator(listed{here.data(), here.data() + here.size()});
}

step send(int peer, std::uint32_t edge, piece from) {
  step s;
  s.kind = step_kind::send;
  s.peer = peer;
  s.edge = edge;
  s.left = from;
  return s;
}

step receive(int peer, std::uint32_t edge, piece into) {
  step s;
  s.kind = step_kind::receive;
  s.peer = peer;
  s.edge = edge;
  s.into = into;
  return s;
}

constexpr piece whole_input{buffer::input, 0, 8};
constexpr piece whole_output{buffer::output, 0, 8};

std::string problem_of(const std::vector<std::vector<step>>& ranks) {
  expectation of;
  of.ranks = static_cast<int>(ranks.size());
  of.input_bytes = of.output_bytes = 8;
  return validate(
      of, [&](int rank) { return list_of(ranks[static_cast<std::size_t>(rank)]); },
      [](int rank, std::uint64_t e) {
        return rank == 1 ? abstract_value{{0, static_cast<std::uint32_t>(e)}} : abstract_value{};
      },
      1);
}

bool says(const std::string& problem, const std::string& part) {
  return problem.find(part) != std::string::npos;
}

}  // namespace

TEST(validate, accepts_a_correct_transfer) {
  EXPECT_EQ(problem_of({{send(1, 0, whole_input)}, {receive(0, 0, whole_output)}}), "");
}

TEST(validate, finds_a_receive_without_a_send) {
  const std::string problem = problem_of({{}, {receive(0, 0, whole_output)}});
  EXPECT_TRUE(says(problem, "deadlock: rank 1, step 0 (receive")) << problem;
}

TEST(validate, finds_a_send_without_a_receive) {
  const std::string problem = problem_of(
      {{send(1, 0, whole_input), send(1, 7, whole_input)}, {receive(0, 0, whole_output)}});
  EXPECT_TRUE(says(problem, "rank 0 sent edge 7 to rank 1, which never receives it")) << problem;
}

TEST(validate, finds_sizes_that_differ) {
  const std::string problem =
      problem_of({{send(1, 0, {buffer::input, 0, 4})}, {receive(0, 0, whole_output)}});
  EXPECT_TRUE(says(problem, "receives 8 elements as edge 0 from rank 0, which sent 4")) << problem;
}

TEST(validate, finds_a_race) {
  step copy;
  copy.kind = step_kind::copy;
  copy.left = {buffer::scratch, 0, 8};
  copy.into = whole_output;
  const std::string problem =
      problem_of({{send(1, 0, whole_input)}, {receive(0, 0, whole_output), copy}});
  EXPECT_TRUE(says(problem, "touch the same bytes in no order")) << problem;
}

TEST(validate, finds_a_wrong_result) {
  const std::string problem =
      problem_of({{send(1, 0, {buffer::input, 0, 4})}, {receive(0, 0, {buffer::output, 4, 4})}});
  EXPECT_TRUE(says(problem, "rank 1, element 0 of the output")) << problem;
}

TEST(validate, finds_pieces_outside_their_buffer_and_waits_outside_the_window) {
  EXPECT_TRUE(says(problem_of({{send(1, 0, {buffer::input, 4, 8})}, {}}), "leave it"));
  step late = receive(0, 0, whole_output);
  late.after[0] = 2;
  const std::string problem = problem_of({{send(1, 0, whole_input)}, {late}});
  EXPECT_TRUE(says(problem, "waits for 2 steps back")) << problem;
}
