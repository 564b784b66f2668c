// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages and streams used wrongly; the argument says how.
#include <stdexcept>
#include <string_view>
#include <vector>

#include "upwash/upwash.hpp"

namespace {

using namespace upwash;
namespace m = upwash::matching;

/// Rank 0 sends to rank 1 of the team, which does not receive.
void leave_a_message(const team& on) {
  const int value = 1;
  if (on.rank() == 0) m::send(on, 1, 9, std::as_bytes(std::span(&value, 1))).wait();
  if (on.rank() == 1) (void)m::wait_for_message(on, 0, 9);
}

void send_too_early(const team& world) {
  std::vector<std::byte> data(100'000);
  if (world.rank() == 0) m::send(world, 1, 9, data, m::mode::ready).wait();
  if (world.rank() != 1) return;
  (void)m::wait_for_message(world, 0, 9);
  m::receive(world, 0, 9, data).wait();
}

void throw_in_a_handler(const team& world, std::string_view what) {
  auto items = open_stream<int>(world, [what](const int& item) {
    if (item != 17) return;
    if (what == "number") throw 42;
    throw error(error_kind::argument, "a bad item");
  });
  for (int i = 0; world.rank() == 0 && i < 20; ++i) items.push(1, i);
  items.finish();
}

void receive_another_type(const team& world) {
  if (world.rank() == 0) send(world, blocking, 1, 9, 42);
  if (world.rank() != 1) return;
  float number = 0;
  receive(world, blocking, 0, 9, number);
}

void receive_half_a_value(const team& world) {
  if (world.rank() == 0) send(world, blocking, 1, 9, 42);
  if (world.rank() != 1) return;
  double number = 0;
  receive(world, blocking, 0, 9, number);
}

void open_streams_in_two_orders(const team& world) {
  const auto take_whole = [](const int&) {};
  const auto take_real = [](const double&) {};
  if (world.rank() == 0) {
    auto whole = open_stream<int>(world, take_whole);
    auto real = open_stream<double>(world, take_real);
    whole.finish();
    real.finish();
  } else {
    auto real = open_stream<double>(world, take_real);
    auto whole = open_stream<int>(world, take_whole);
    real.finish();
    whole.finish();
  }
}

struct limited_sum {
  int operator()(int left, int right) const {
    if (left + right > 2) throw std::runtime_error("the sum is too large");
    return left + right;
  }
};

/// The program catches the exception and goes on.
void throw_in_an_operator(const team& world) {
  std::vector<int> mine(1000, world.rank());
  std::vector<int> result(1000);
  try {
    all_reduce<limited_sum>(world, blocking, mine, result);
  } catch (const std::exception&) {
  }
  barrier(world, blocking);
}

/// Nothing orders what the others write; not even that one has heard of the other by then.
void write_the_same_bytes(job& here) {
  region area = allocate(here.world(), 64);
  barrier(here.world()).wait();
  const int value = here.rank();
  if (here.rank() != 0) put(here, area.at<int>(0, 3), std::span(&value, 1)).wait();
  here.compute(duration::from_us(100));
  free(area);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  return upwash::run(argc, argv, [what](job& here) {
    const team world = here.world();
    if (what == "unreceived") leave_a_message(world);
    if (what == "released") {
      team mine = world.duplicate();
      leave_a_message(mine);
      mine.release();
    }
    if (what == "conflict") write_the_same_bytes(here);
    if (what == "ready") send_too_early(world);
    if (what == "error" || what == "number") throw_in_a_handler(world, what);
    if (what == "type") receive_another_type(world);
    if (what == "half") receive_half_a_value(world);
    if (what == "order") open_streams_in_two_orders(world);
    if (what == "operator") throw_in_an_operator(world);
  });
}
