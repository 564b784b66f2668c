// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/detail/combining_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "upwash/base/error.hpp"
#include "upwash/collective/algorithms/detail/cube_route.hpp"
#include "upwash/collective/algorithms/detail/grid_route.hpp"

namespace upwash::collective::detail {

namespace {

std::uint64_t wide(int number) noexcept { return static_cast<std::uint64_t>(number); }

}  // namespace

template <class Route>
void combining_words<Route>::measure_given(const schedule::tape& on) {
  const given_messages messages(on, what_);
  messages.check_arrays();
  const std::uint64_t count = messages.count();
  for (std::uint64_t i = 0; i < count; ++i) messages.check(i, route_.ranks());
  const bool is_one = what_ == to_each::whole_input;
  held_items_ = is_one && count > 0 ? 1 : count;
  held_words_ = held_items_ * item::head_words + (is_one ? count : 0);
}

template <class Route>
void combining_words<Route>::hold_given(const schedule::tape& on) {
  const given_messages messages(on, what_);
  const auto words = on.slots();
  const std::uint64_t count = messages.count();
  const bool is_one = what_ == to_each::whole_input;
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < held_items_; ++i) {
    words[at++] = item::name(route_.rank(), is_one ? count : wide(messages.destination(i)));
    words[at++] = messages.data(i).bytes;
    words[held_words_ + i] = messages.data(i).offset | in_input;
  }
  for (std::uint64_t i = 0; is_one && i < count; ++i) words[at++] = wide(messages.destination(i));
}

/// A block for several may have to go to as many targets, each time with its head.
template <class Route>
auto combining_words<Route>::most_to_send(const schedule::tape& on) const -> words_wanted {
  if (what_ == to_each::message_of_its_own) return {held_words_, held_items_};
  const auto ways = [&](std::uint64_t destinations) {
    return std::min<std::uint64_t>(destinations, wide(route_.targets()));
  };
  words_wanted most{held_words_, 0};
  if (in_first_phase()) {  // not held yet
    most.items = ways(on.given(0).size());
  } else {
    for (std::uint64_t at = 0; at < held_words_;) {
      const item one(&on.slots()[at], what_);
      most.items += ways(one.destinations());
      at += one.words();
    }
  }
  most.words += item::head_words * most.items;
  return most;
}

template <class Route>
void combining_words<Route>::lay_out(const schedule::tape& on) {
  const words_wanted most = most_to_send(on);
  targets_ = held_words_ + held_items_;
  const std::uint64_t messages = targets_ + wide(route_.targets()) * outgoing_words::count;
  bundles_ = messages + wide(route_.targets()) * outgoing_words::head + most.words + most.items;
  end_at(bundles_ + wide(route_.senders()) * bundle_words());
}

template <class Route>
void combining_words<Route>::end_at(std::uint64_t slots) {
  end_ = slots;
  if (slots <= std::numeric_limits<std::int32_t>::max()) return;
  throw error(error_kind::argument,
              fmt::format("many_to_many on {} ranks: rank {} would need {} words for its items in "
                          "phase {}: send fewer messages at a time, or choose direct or sparse",
                          route_.ranks(), route_.rank(), slots, route_.phase()));
}

template <class Route>
void combining_words<Route>::check_room(const schedule::tape& on) const {
  if (on.slots().size() >= end_) return;
  throw error(
      error_kind::argument,
      fmt::format("many_to_many on {} ranks: {} slots where a stage asked for {}; the items "
                  "are known in a run only",
                  route_.ranks(), on.slots().size(), end_));
}

template <class Route>
void combining_words<Route>::add_to_target(const schedule::tape& on, std::uint64_t number,
                                           std::uint64_t at, bool counts) {
  const auto words = on.slots();
  const item one(&words[at], what_);
  for (std::uint32_t i = 0; i < one.destinations(); ++i) {
    const int destination = one.destination(i);
    const outgoing_words to = going_to(route_.target_of(destination), on);
    const bool is_single = what_ == to_each::message_of_its_own;
    if (to.latest() != number) {
      to.latest() = number;
      to.latest_at() = to.first_item() + to.words();
      if (!counts) {
        words[to.latest_at()] = item::name(one.origin(), is_single ? wide(destination) : 0);
        words[to.latest_at() + 1] = one.bytes();
        words[to.places() + to.items()] = words[held_words_ + number - 1];
      }
      to.words() += item::head_words;
      to.bytes() += one.bytes();
      ++to.items();
    }
    if (is_single) continue;
    if (!counts) {
      ++words[to.latest_at()];
      words[to.first_item() + to.words()] = wide(destination);
    }
    ++to.words();
  }
}

template <class Route>
void combining_words<Route>::sort(const schedule::tape& on) {
  check_room(on);
  if (in_first_phase()) hold_given(on);
  distribute(on);
}

/// Counts what goes to each target, then writes it: both in the order of the items.
template <class Route>
void combining_words<Route>::distribute(const schedule::tape& on) {
  const auto words = on.slots();
  const std::uint64_t targets = wide(route_.targets());
  std::fill_n(words.data() + targets_, targets * outgoing_words::count, 0);
  const auto all_items = [&](bool counts) {
    std::uint64_t number = 0;
    for (std::uint64_t at = 0; at < held_words_; at += item(&words[at], what_).words()) {
      add_to_target(on, ++number, at, counts);
    }
  };
  all_items(true);
  std::uint64_t next = targets_ + targets * outgoing_words::count;
  std::uint64_t bytes_out = 0;
  for (int number = 0; number < route_.targets(); ++number) {
    const outgoing_words to = going_to(number, on);
    to.header_at() = next;
    to.places() = to.first_item() + to.words();
    next = to.places() + to.items();
    const bool goes_long = is_long(to.words(), to.bytes());
    words[to.header_at()] = outgoing_words::head + (goes_long ? 0 : to.words());
    words[to.header_at() + 1] = to.words();
    words[to.header_at() + 2] = to.bytes();
    if (number != route_.own_target() && to.items() > 1) bytes_out += to.bytes();
    to.words() = to.bytes() = to.items() = to.latest() = 0;
  }
  all_items(false);
  if (bytes_out > out_room_) {
    out_at_ = top_;
    out_room_ = bytes_out;
    top_ += bytes_out;
  }
  inline_at_ = top_;
  top_ += wide(route_.senders()) * inline_bytes_;
  // Of those that are not heard in this phase nothing comes.
  for (int sender = 0; sender < route_.senders(); ++sender) {
    std::fill_n(words.data() + bundle(sender), incoming_words::head, 0);
  }
}

template <class Route>
void combining_words<Route>::place_long(const schedule::tape& on) {
  next_words_ = going_to(route_.own_target(), on).words();
  std::uint64_t next = end_;
  for (int sender = 0; sender < route_.senders(); ++sender) {
    if (sender == route_.own_sender()) continue;
    const incoming_words came = came_from(sender, on);
    next_words_ += came.words();
    if (!is_long(came.words(), came.bytes())) continue;
    came.place(next, top_);
    next += came.words();
    top_ += came.bytes();
  }
  next_held_ = next;
  next_places_ = next_held_ + next_words_;
  end_at(next_places_ + next_words_ / item::head_words);
}

template <class Route>
void combining_words<Route>::hold_bundle(const schedule::tape& on, std::uint64_t first,
                                         std::uint64_t count, std::uint64_t data) {
  const auto words = on.slots();
  for (std::uint64_t at = first; at < first + count;) {
    const item one(&words[at], what_);
    words[next_places_ + next_items_++] = data;
    data += one.bytes();
    at += one.words();
  }
  std::copy_n(words.data() + first, count, words.data() + next_held_ + next_words_);
  next_words_ += count;
}

template <class Route>
void combining_words<Route>::gather(const schedule::tape& on) {
  const auto words = on.slots();
  next_words_ = next_items_ = 0;
  const outgoing_words own = going_to(route_.own_target(), on);
  hold_bundle(on, own.first_item(), own.words(), 0);
  std::copy_n(words.data() + own.places(), own.items(),
              words.data() + next_places_);  // these stay where they are
  for (int sender = 0; sender < route_.senders(); ++sender) {
    if (sender == route_.own_sender()) continue;
    const incoming_words came = came_from(sender, on);
    if (is_long(came.words(), came.bytes())) {
      hold_bundle(on, came.long_items().first, came.words(), came.long_data().offset);
    } else {
      hold_bundle(on, bundle(sender) + incoming_words::head, came.words(),
                  short_room(sender).offset);
    }
  }
  held_words_ = next_words_;
  held_items_ = next_items_;
  std::copy_n(words.data() + next_held_, held_words_, words.data());
  std::copy_n(words.data() + next_places_, held_items_, words.data() + held_words_);
}

template class combining_words<grid_route>;
template class combining_words<cube_route>;

}  // namespace upwash::collective::detail
