// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Items that travel through a stream, or by an active message each behind the same interface, so
// that every pattern is written once.
#pragma once

#include <array>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "upwash/core/active_message.hpp"
#include "upwash/core/control.hpp"
#include "upwash/streaming/stream.hpp"

namespace upwash::bench {

/// How items travel: by an active message each, or through a stream with these options.
struct item_setting {
  std::string name;
  bool direct = false;
  stream_options options{};
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
  /// Collective too; after an error it only goes.
  ~direct_items() noexcept(false) {
    if (std::uncaught_exceptions() == 0) control::barrier(among_);
  }
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

/// `use(items)` with a stream, or what looks like one, of the team. Collective.
template <class T, class Handler, class Use>
void with_items(const team& among, const item_setting& how, Handler handler, const Use& use) {
  if (how.direct) {
    direct_items<T, Handler> items(among, std::move(handler));
    use(items);
  } else {
    stream<T, Handler> items(among, std::move(handler), how.options);
    use(items);
  }
}

}  // namespace upwash::bench
