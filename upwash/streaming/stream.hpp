// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams: many small items for many destinations ride together. Items are combined in buffers by
// their next hop on a virtual grid of the team, and handed to a handler where they arrive, in no
// order but the one that `ordered` asks for. Source: Kumar 2005, chapter 5; Narayanan 2020.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/base/archive.hpp"
#include "upwash/base/error.hpp"
#include "upwash/core/team.hpp"
#include "upwash/streaming/detail/engine.hpp"
#include "upwash/streaming/options.hpp"

namespace upwash {
namespace streaming {

/// Items whose bytes are copied, all of one size; others are archived (base/archive.hpp).
template <class T>
concept fixed_item = plain_value<T> && std::is_default_constructible_v<T>;

}  // namespace streaming

/// A stream of items of type T: a trivially copyable type (no bytes beside the item's own where it
/// has arrived), anything that the archive takes, or `std::span<const std::byte>` (any bytes; the
/// handler sees them where they came in).
///
/// `Handler` is called as `handler(const T&)`, or for trivially copyable items as
/// `handler(std::span<const T>)` if it can be: in progress and in waits of this rank, in a handler,
/// so it must not wait; it may push. What it throws ends the job.
template <class T, class Handler>
class stream final : public streaming::engine {
  static constexpr bool raw = std::is_same_v<T, std::span<const std::byte>>;
  static constexpr bool fixed = !raw && streaming::fixed_item<T>;
  static constexpr bool takes_batches = fixed && std::is_invocable_v<Handler&, std::span<const T>>;
  static_assert(takes_batches || std::is_invocable_v<Handler&, const T&>,
                "the handler takes const T&, or std::span<const T> of trivially copyable items");

 public:
  /// Collective over the team, local: members open their streams on it in the same order. Throws
  /// `error` (argument) for options that make no sense.
  stream(const team& among, Handler handler, const stream_options& with = {})
      : engine(among, fixed ? sizeof(T) : 0, with), handler_(std::move(handler)) {
    join();
  }

  /// Finishes, if it was not closed: collective. After an error it only goes.
  ~stream() noexcept(false) {
    if (open_ && std::uncaught_exceptions() == 0) close();
    if (open_) leave();
  }

  /// Copies the item into a buffer. Outside handlers it may wait for credit and run handlers
  /// meanwhile. No allocation once buffers are there. Throws `error` (argument) for a destination
  /// that is no member, and for a stream that was closed.
  void push(int destination, const T& item) {
    if constexpr (fixed) {
      push_fixed<sizeof(T)>(destination, &item);
    } else if constexpr (raw) {
      engine::push(destination, item);
    } else {
      packed_.clear();
      archive_writer write(packed_);
      write(item);
      engine::push(destination, packed_);
    }
  }

  /// Finishes; the stream takes no more items. Collective.
  void close() {
    finish();
    engine::close();
    leave();
    open_ = false;
  }

 private:
  void deliver(std::span<const std::byte> records) override {
    std::size_t left = 1;  // items of a batch that the handler has not been through
    try {
      hand_over(records, left);
    } catch (const error&) {
      throw;
    } catch (const std::exception& thrown) {
      handler_threw(left, thrown.what());
    }
  }

  void hand_over(std::span<const std::byte> records, std::size_t& left) {
    if constexpr (raw) {
      handler_(records);
    } else if constexpr (!fixed) {
      T item{};
      archive_reader read(records);
      read(item);
      handler_(std::as_const(item));
    } else if (reinterpret_cast<std::uintptr_t>(records.data()) % alignof(T) == 0) {
      hand_over_items({reinterpret_cast<const T*>(records.data()), records.size() / sizeof(T)},
                      left);
    } else {
      std::vector<T> aligned(records.size() / sizeof(T));
      std::memcpy(static_cast<void*>(aligned.data()), records.data(), records.size());
      hand_over_items(aligned, left);
    }
  }

  void hand_over_items(std::span<const T> items, std::size_t& left) {
    if constexpr (takes_batches) {
      handler_(items);
    } else {
      for (left = items.size(); left != 0; --left) handler_(items[items.size() - left]);
    }
  }

  Handler handler_;
  std::vector<std::byte> packed_;
  bool open_ = true;
};

/// `open_stream<T>(team, handler, options)`: as the constructor. Not movable: messages find it.
template <class T, class Handler>
[[nodiscard]] stream<T, Handler> open_stream(const team& among, Handler handler,
                                             const stream_options& with = {}) {
  return stream<T, Handler>(among, std::move(handler), with);
}

}  // namespace upwash
