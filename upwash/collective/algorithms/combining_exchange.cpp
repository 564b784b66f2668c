// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/combining_exchange.hpp"

#include "upwash/collective/algorithms/detail/combining_words.hpp"
#include "upwash/collective/algorithms/detail/cube_route.hpp"
#include "upwash/collective/algorithms/detail/grid_route.hpp"
#include "upwash/schedule/part.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::generator;
using schedule::local_step;
using schedule::mark;
using schedule::never;
using schedule::part;
using schedule::piece;
using schedule::receive_step;
using schedule::script;
using schedule::send_step;
using schedule::steps;

namespace {

/// What a rank knows of an exchange while it goes through it.
template <class Route>
struct exchange {
  using outgoing = detail::outgoing_words;

  [[nodiscard]] std::uint32_t round() const noexcept {
    return static_cast<std::uint32_t>(items.route().phase());
  }
  /// For all words and data that are known of by now. All before is done then.
  [[nodiscard]] local_step make_room(script& out) const {
    return out.grow(items.scratch_end(), items.slots_end()).in_round(round()).after_all();
  }
  /// What goes to this turn's target; until the next step.
  [[nodiscard]] outgoing going(const script& in) const {
    return items.going_to(items.route().target(), in.on());
  }

  /// The data of an item of this turn's message; the words of the next one begin at `word` then.
  [[nodiscard]] piece data_of(const script& in, std::uint64_t number, std::uint64_t& word) const {
    const outgoing to = going(in);
    const detail::item one = items.at(to.first_item() + word, in.on());
    word += one.words();
    return detail::piece_at(in.words()[to.places() + number], one.bytes());
  }
  /// Behind the items before.
  [[nodiscard]] local_step pack(script& out, const piece& from) {
    message.bytes += from.bytes;
    const piece into{buffer::scratch, message.end() - from.bytes, from.bytes};
    return out.copy(from, into).in_round(round()).after(last_copy);
  }
  [[nodiscard]] send_step send(script& out) const {
    const outgoing to = going(out);
    const bool goes_along = !items.is_long(to.words(), to.bytes());
    return out.send(items.route().peer(), items.route().edge(), goes_along ? data(out) : piece{})
        .in_round(round())
        .counted()
        .with_header(to.header(out.on()))
        .after(last_copy);
  }
  /// As it was packed; or where it lies, if it is one piece.
  [[nodiscard]] piece data(const script& in) const {
    const outgoing to = going(in);
    if (to.items() == 1) return detail::piece_at(in.words()[to.places()], to.bytes());
    return {buffer::scratch, message.offset, to.bytes()};
  }
  [[nodiscard]] receive_step receive(script& out, bool second) const {
    const int sender = items.route().arrival(second);
    const std::uint64_t words = items.bundle(sender);
    return out.receive(items.route().sender(sender), items.route().edge(), items.short_room(sender))
        .in_round(round())
        .counted()
        .with_length(static_cast<std::int32_t>(words))
        .with_header({static_cast<std::uint32_t>(words + 1),
                      static_cast<std::uint32_t>(items.bundle_words() - 1)});
  }

  [[nodiscard]] bool sends_long(const script& in) const {
    if (items.route().peer() < 0) return false;
    return items.is_long(going(in).words(), going(in).bytes());
  }
  [[nodiscard]] send_step send_long(script& out) {
    had_long = true;
    return out.send(items.route().peer(), long_edge(), data(out))
        .in_round(round())
        .with_header(going(out).item_slots());
  }
  [[nodiscard]] bool hears_long(const script& in, bool second) const {
    const int sender = items.route().arrival(second);
    if (sender < 0) return false;
    const detail::incoming_words came = items.came_from(sender, in.on());
    return items.is_long(came.words(), came.bytes());
  }
  [[nodiscard]] receive_step receive_long(script& out, bool second) {
    had_long = true;
    const int sender = items.route().arrival(second);
    const detail::incoming_words came = items.came_from(sender, out.on());
    return out.receive(items.route().sender(sender), long_edge(), came.long_data())
        .in_round(round())
        .with_header(came.long_items());
  }
  [[nodiscard]] std::uint32_t long_edge() const noexcept {
    return items.route().edges() + items.route().edge();
  }

  /// To each member of the line one message: what it carries in words, and its data if they are
  /// short. What goes alone needs no copy.
  steps exchange_words(script& out) {
    message = {buffer::scratch, items.packed_at(), 0};
    do {
      last_copy = never;
      if (items.route().peer() >= 0) {
        std::uint64_t word = 0;
        for (std::uint64_t i = 0; going(out).items() > 1 && i < going(out).items(); ++i) {
          const piece from = data_of(out, i, word);
          if (from.bytes == 0) continue;
          const mark copied = co_yield pack(out, from);
          last_copy = copied;  // GCC 12 assigns no co_yield in a template
        }
        co_yield send(out);
      }
      for (const bool second : {false, true}) {
        if (items.route().arrival(second) >= 0) co_yield receive(out, second);
      }
      message = {buffer::scratch, message.end(), 0};
    } while (items.route().next_turn());
  }

  /// The items and data that were too long to go along.
  steps exchange_long(script& out) {
    message = {buffer::scratch, items.packed_at(), 0};
    do {
      if (sends_long(out)) co_yield send_long(out);
      if (items.route().peer() >= 0 && going(out).items() > 1) {
        message.offset += going(out).bytes();
      }
      for (const bool second : {false, true}) {
        if (hears_long(out, second)) co_yield receive_long(out, second);
      }
    } while (items.route().next_turn());
  }

  /// All items held are for this rank; one may be named twice.
  steps deliver(script& out) {
    std::uint64_t word = 0;
    for (std::uint64_t i = 0; i < items.held(); ++i) {
      const std::uint32_t times = items.at(word, out.on()).destinations();
      for (std::uint32_t time = 0; time < times; ++time) {
        const detail::item one = items.at(word, out.on());
        co_yield out.deliver(one.origin(), items.held_data(i, one.bytes(), out.on()))
            .in_round(round());
      }
      word += items.at(word, out.on()).words();
    }
  }

  detail::combining_words<Route> items;
  piece message{};  ///< where this turn's data lie, as far as they are packed
  mark last_copy = never;
  bool had_long = false;
};

template <class Route>
steps go_through(script& out, exchange<Route> at) {
  at.items.measure_given(out.on());
  do {
    at.items.lay_out(out.on());
    co_yield at.make_room(out);
    at.items.sort(out.on());
    co_yield at.make_room(out);
    {
      part first(out, at.exchange_words(out));
      co_await first.all();
    }
    co_yield at.make_room(out);  // all words of the phase are here
    at.items.place_long(out.on());
    co_yield at.make_room(out);
    at.had_long = false;
    part rest(out, at.exchange_long(out));
    co_await rest.all();
    if (at.had_long) co_yield at.make_room(out);
    at.items.gather(out.on());
  } while (at.items.route().next_phase());
  part delivery(out, at.deliver(out));
  co_await delivery.all();
}

template <class Route>
generator exchange_along(const Route& way, combining_parameters chosen) {
  return {{.window = detail::exchange_window(way.ranks()), .given = true}, [=](script& out) {
            using words = detail::combining_words<Route>;
            return go_through(out, exchange<Route>{words(way, chosen.what, chosen.inline_bytes)});
          }};
}

}  // namespace

generator mesh_many_to_many(int ranks, int rank, int dimensions, combining_parameters chosen) {
  return exchange_along(detail::grid_route(ranks, rank, dimensions), chosen);
}

generator hypercube_many_to_many(int ranks, int rank, combining_parameters chosen) {
  return exchange_along(detail::cube_route(ranks, rank), chosen);
}

}  // namespace upwash::collective
