// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the benches of streams share: the settings that they run under, and items that travel by
// an active message each behind the interface of a stream, so that every pattern is written once.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "upwash/streaming/stream.hpp"

namespace upwash::bench {

/// How items travel: by an active message each, or through a stream with these options.
struct item_setting {
  std::string name;
  bool direct = false;
  stream_options options{};
};

/// `direct`, `auto`, `1d` to `4d`; behind it `,key=value` with buffer, threshold, cutoff, timeout.
/// Throws `error` (argument) for anything else.
[[nodiscard]] item_setting parse_setting(std::string_view text);

/// What --algorithm names; without it these.
[[nodiscard]] std::vector<item_setting> settings_of(const context& c,
                                                    std::initializer_list<std::string_view> own);

/// Throws `error` (fault) when a bench delivered something else than was sent.
void verify_equal(const context& c, std::string_view what, std::uint64_t seen,
                  std::uint64_t expected);

/// Sums over all ranks. Collective.
[[nodiscard]] std::uint64_t sum_of_all(const context& c, std::uint64_t mine);

/// The members in turn, without the own one (unless it is alone).
class others_in_turn {
 public:
  explicit others_in_turn(const context& c)
      : me_(c.size() > 1 ? c.rank() : -1), size_(c.size()), at_(c.rank()) {}
  int next() noexcept {
    step();
    if (at_ == me_) step();
    return at_;
  }

 private:
  void step() noexcept { at_ = at_ + 1 == size_ ? 0 : at_ + 1; }
  int me_;
  int size_;
  int at_;
};

/// The interface of a stream, by an active message an item. The handler takes items, or batches of
/// one. Collective to make and to finish.
template <class T, class Handler>
class direct_items {
  static constexpr bool raw = std::is_same_v<T, std::span<const std::byte>>;

 public:
  direct_items(const team& among, Handler handler)
      : among_(among),
        handler_(std::move(handler)),
        peers_(static_cast<std::size_t>(among.size())) {
    control::all_gather_values(among_, address{this}, std::span(peers_));
  }
  ~direct_items() { control::barrier(among_); }
  direct_items(const direct_items&) = delete;
  direct_items& operator=(const direct_items&) = delete;

  void push(int destination, const T& item) {
    ++pushed_;
    const address to = peers_[static_cast<std::size_t>(destination)];
    if constexpr (raw) {
      send_medium<&direct_items::arrive_raw>(among_.here(), among_.world_rank(destination), item,
                                             to);
    } else {
      send<&direct_items::arrive>(among_.here(), among_.world_rank(destination), to, item);
    }
  }
  void flush() {}
  /// As a stream's: two equal counts in a row.
  void finish() {
    std::array<std::uint64_t, 2> before{1, 0};
    while (true) {
      among_.here().progress();
      std::array<std::uint64_t, 2> all{pushed_, handled_};
      control::all_reduce(among_, all, control::fold::sum);
      if (all == before && all[0] == all[1]) return;
      before = all;
    }
  }

  // What its messages name.
  struct address {
    direct_items* at;
  };
  static void arrive(incoming& /*in*/, address to, T item) { to.at->handle(item); }
  static void arrive_raw(incoming& in, address to) { to.at->handle(in.payload()); }

 private:
  void handle(const T& item) {
    ++handled_;
    if constexpr (!raw && std::is_invocable_v<Handler&, std::span<const T>>) {
      handler_(std::span(&item, 1));
    } else {
      handler_(item);
    }
  }

  team among_;
  Handler handler_;
  std::vector<address> peers_;
  std::uint64_t pushed_ = 0;
  std::uint64_t handled_ = 0;
};

/// `use(items)` with a stream, or what looks like one, of all ranks. Collective.
template <class T, class Handler, class Use>
void with_items(context& c, const item_setting& how, Handler handler, const Use& use) {
  if (how.direct) {
    direct_items<T, Handler> items(c.here().world(), std::move(handler));
    use(items);
  } else {
    stream<T, Handler> items(c.here().world(), std::move(handler), how.options);
    use(items);
  }
}

}  // namespace upwash::bench
