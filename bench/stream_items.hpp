// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Items that travel through a stream, or by an active message each behind the same interface, so
// that every pattern is written once.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "upwash/core/active_message.hpp"
#include "upwash/core/control.hpp"
#include "upwash/streaming/quiescence.hpp"
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
        peers_(static_cast<std::size_t>(among.size())),
        end_(among) {
    control::all_gather_values(among_, address{this}, std::span(peers_));
  }
  /// Collective too; after an error it only goes.
  ~direct_items() noexcept(false) {
    if (std::uncaught_exceptions() == 0) control::barrier(among_);
  }
  direct_items(const direct_items&) = delete;
  direct_items& operator=(const direct_items&) = delete;

  void push(int destination, const T& item) {
    end_.created();
    const address to = peers_[static_cast<std::size_t>(destination)];
    if constexpr (raw) {
      send_medium<&direct_items::arrive_raw>(among_.here(), among_.world_rank(destination), item,
                                             to);
    } else {
      send<&direct_items::arrive>(among_.here(), among_.world_rank(destination), to, item);
    }
  }
  void flush() {}
  /// As a stream's.
  void finish() { end_.wait(); }

  // What its messages name.
  struct address {
    direct_items* at;
  };
  static void arrive(incoming& /*in*/, address to, T item) { to.at->handle(item); }
  static void arrive_raw(incoming& in, address to) { to.at->handle(in.payload()); }

 private:
  void handle(const T& item) {
    if constexpr (!raw && std::is_invocable_v<Handler&, std::span<const T>>) {
      handler_(std::span(&item, 1));
    } else {
      handler_(item);
    }
    end_.handled();  // behind what it made
  }

  team among_;
  Handler handler_;
  std::vector<address> peers_;
  quiescence end_;
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
