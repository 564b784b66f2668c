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
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/base/archive.hpp"
#include "upwash/base/error.hpp"
#include "upwash/core/team.hpp"
#include "upwash/streaming/detail/engine.hpp"
#include "upwash/streaming/detail/identity.hpp"
#include "upwash/streaming/options.hpp"

namespace upwash {
namespace streaming {

/// Items whose bytes are copied, all of one size; others are archived (base/archive.hpp).
template <class T>
concept fixed_item = plain_value<T> && std::is_default_constructible_v<T>;

/// In place of what items have in common.
struct nothing {};

/// Flushes its stream when it ends, unless by an exception. Outside handlers.
class iteration {
 public:
  /// Made by stream::iteration.
  explicit iteration(engine& of) : of_(of) {}
  ~iteration() noexcept(false) {
    if (std::uncaught_exceptions() == exceptions_) of_.flush();
  }
  iteration(const iteration&) = delete;
  iteration& operator=(const iteration&) = delete;

 private:
  engine& of_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace streaming

/// A stream of items of type T: a trivially copyable type (no bytes beside the item's own where it
/// has arrived), anything that the archive takes, or `std::span<const std::byte>` (any bytes; the
/// handler sees them where they came in).
///
/// `Handler` is called as `handler(const T&)`, or for trivially copyable items as
/// `handler(std::span<const T>)` if it can be: in progress and in waits of this rank, in a handler,
/// so it must not wait; it may push. One that takes the stream before them (`auto&`) gets it. What
/// it throws ends the job, with stream, rank and item in the message. Handlers run once the stream
/// is open, never before `open_stream` has returned. `Common`: what many items share travels once a
/// message (Kumar 2005, chapter 5: short messages are packed without what they have in common); see
/// set_common.
template <class T, class Handler, class Common = streaming::nothing>
class stream final : private streaming::receiver {
  static constexpr bool raw = std::is_same_v<T, std::span<const std::byte>>;
  static constexpr bool fixed = !raw && streaming::fixed_item<T>;
  static constexpr bool has_common = !std::is_same_v<Common, streaming::nothing>;
  static_assert(raw || !is_address<T>,
                "a pointer or view means nothing at another rank: push what it names "
                "(std::string, std::vector), or std::span<const std::byte>, whose bytes travel");
  static_assert(!is_address<Common>,
                "what items have in common is a value: an address means nothing at another rank");
  static_assert(streaming::fixed_item<Common> && sizeof(Common) <= sizeof(streaming::common_part),
                "what items have in common is trivially copyable, of 24 bytes at most");

 public:
  /// Collective over the team; local, but with `shared_buffers`: members open their streams on it
  /// in the same order. Throws `error` (argument) for options that make no sense, and for no team.
  /// In checked runs members compare the items' types and the labels: the job ends with an error
  /// that names both members and calls if they differ.
  stream(const team& among, Handler handler, const stream_options& with = {},
         call_site site = call_site::current())
      : engine_(*this, among, fixed ? sizeof(T) : 0, has_common, with, site),
        handler_(std::move(handler)) {
    static_assert(takes_batches() || takes<const T&>(),
                  "the handler takes const T&, or std::span<const T> of trivially copyable items, "
                  "behind the stream if it wants that");
    if constexpr (has_common) set_common(Common{});
    engine_.join(streaming::item_text<T>());
  }

  /// Closes the stream where the program has not: collective then. When it is destroyed by an
  /// exception it waits for nobody, and what its buffers hold is lost.
  ~stream() noexcept(false) {
    if (engine_.open() && std::uncaught_exceptions() == exceptions_) {
      try {
        close();
      } catch (...) {
        engine_.leave();
        throw;
      }
    }
    engine_.leave();
  }

  /// Copies the item into a buffer. Outside handlers it may wait for credit and run handlers
  /// meanwhile. No allocation once buffers are there. Throws `error` (argument) for a destination
  /// that is no member, and for a stream that was closed.
  void push(int destination, const T& item) {
    if constexpr (fixed) {
      engine_.push_fixed(destination, item);
    } else if constexpr (raw) {
      engine_.push_sized(destination, item);
    } else {
      packed(item, [&](const auto& bytes) { engine_.push_sized(destination, bytes); });
    }
  }

  /// As `push` of an item whose bytes `write(std::byte*)` puts where they go, all `sizeof(T)` of
  /// them: what is made of parts is copied once.
  template <class Write>
  void push_written(int destination, const Write& write) requires(fixed) {
    engine_.template push_written<sizeof(T)>(destination, write);
  }

  /// Items that this member pushes from now on have this in common: the handler gets it before
  /// them, and it travels once a message. Items with different ones never share a message; changing
  /// it costs a look at each buffer in use. At first `Common{}`. In a handler: until it returns.
  void set_common(const Common& common) requires(has_common) {
    engine_.set_common(part_of(common));
  }

  /// As `push`, but the item travels at once, in a message of its own, and overtakes those that
  /// wait in buffers: for short and rare ones. Throws `error` (argument) in an ordered stream, too.
  void push_urgent(int destination, const T& item) {
    if constexpr (fixed) {
      engine_.push_urgent(destination, std::as_bytes(std::span(&item, 1)));
    } else if constexpr (raw) {
      engine_.push_urgent(destination, item);
    } else {
      packed(item, [&](const auto& bytes) { engine_.push_urgent(destination, bytes); });
    }
  }

  /// A part of a program at whose end what waits is sent: `const auto part = items.iteration();`.
  [[nodiscard]] streaming::iteration iteration() { return streaming::iteration(engine_); }

  /// Sends what waits in buffers. Outside handlers it may wait for credit.
  void flush() { engine_.flush(); }
  /// Everything pushed anywhere, in handlers too, has been handled everywhere. Collective,
  /// blocking.
  void finish(call_site site = call_site::current()) { engine_.finish(site); }
  /// Finishes; the stream takes no more items. Collective.
  void close(call_site site = call_site::current()) { engine_.close(site); }

  /// Counts what this member has pushed, sent and handed over so far. Local.
  [[nodiscard]] stream_statistics statistics() const { return engine_.statistics(); }
  /// The grid and the sizes that hold at this moment.
  [[nodiscard]] const streaming::parameters& settings() const noexcept { return engine_.current(); }
  /// The team that it is on.
  [[nodiscard]] const team& among() const noexcept { return engine_.among(); }

  /// For layers that set, watch or count streams of any type (quiescence, tuning).
  [[nodiscard]] streaming::engine& engine() noexcept { return engine_; }

 private:
  /// Calls `use` with the archived item. A handler that runs meanwhile may call it too: each call
  /// has bytes of its own.
  template <class Use>
  void packed(const T& item, const Use& use) {
    std::vector<std::byte> bytes = std::move(packed_);
    bytes.clear();
    archive_writer write(bytes);
    write(item);
    use(std::span<const std::byte>(bytes));
    packed_ = std::move(bytes);
  }

  // Asked in functions only, where the class is complete.
  template <class What>
  static consteval bool takes() {
    if constexpr (has_common) {
      return std::is_invocable_v<Handler&, const Common&, What> ||
             std::is_invocable_v<Handler&, stream&, const Common&, What>;
    } else {
      return std::is_invocable_v<Handler&, What> || std::is_invocable_v<Handler&, stream&, What>;
    }
  }
  static constexpr bool takes_batches() { return fixed && takes<std::span<const T>>(); }

  template <class What>
  void call(What what) {
    if constexpr (has_common) {
      // What the handler sets is not what the program that it interrupts has set.
      const streaming::common_part own = engine_.common_now();
      if constexpr (std::is_invocable_v<Handler&, const Common&, What>) {
        handler_(std::as_const(common_), what);
      } else {
        handler_(*this, std::as_const(common_), what);
      }
      engine_.set_common(own);
    } else if constexpr (std::is_invocable_v<Handler&, What>) {
      handler_(what);
    } else {
      handler_(*this, what);
    }
  }

  static streaming::common_part part_of(const Common& common) {
    streaming::common_part part{};
    std::memcpy(part.data(), &common, sizeof common);
    return part;
  }

  /// Whether reading an item replaces all of the one before: then one item is read into again and
  /// again, and keeps its memory.
  static constexpr bool reusable = std::is_same_v<T, std::string> || detail::is_block<T>;

  std::uint64_t deliver(streaming::content kind, const streaming::common_part& common,
                        std::span<const std::byte> records) override {
    if constexpr (has_common) std::memcpy(&common_, common.data(), sizeof common_);
    std::uint64_t done = 0;
    try {
      if constexpr (fixed) {
        deliver_fixed(records, done);
      } else if (kind == streaming::content::alone) {
        deliver_one(records);
        ++done;
      } else {
        while (!records.empty()) {
          deliver_one(streaming::take_record(records, streaming::content::arrived, 0).bytes);
          ++done;
        }
      }
    } catch (const std::exception& thrown) {
      engine_.handler_threw(done, thrown.what());
    } catch (...) {
      engine_.handler_threw(done, "something that is no std::exception");
    }
    return done;
  }

  void deliver_one(std::span<const std::byte> record) {
    if constexpr (raw) {
      call<const T&>(record);
    } else {
      archive_reader read(record);
      if constexpr (reusable) {
        read(unpacked_);
        call<const T&>(unpacked_);
      } else {
        T item{};
        read(item);
        call<const T&>(item);
      }
    }
  }

  void deliver_fixed(std::span<const std::byte> records, std::uint64_t& done) {
    const std::size_t count = records.size() / sizeof(T);
    if (reinterpret_cast<std::uintptr_t>(records.data()) % alignof(T) == 0) {
      return deliver_items({reinterpret_cast<const T*>(records.data()), count}, done);
    }
    const auto aligned = std::make_unique<T[]>(count);
    std::memcpy(static_cast<void*>(aligned.get()), records.data(), records.size());
    deliver_items({aligned.get(), count}, done);
  }

  void deliver_items(std::span<const T> items, std::uint64_t& done) {
    if constexpr (takes_batches()) {
      call<std::span<const T>>(items);
      done = items.size();
    } else {
      for (const T& each : items) {
        call<const T&>(each);
        ++done;
      }
    }
  }

  streaming::engine engine_;
  Handler handler_;
  [[no_unique_address]] Common common_{};  ///< of what is being handed over
  std::vector<std::byte> packed_;
  [[no_unique_address]] std::conditional_t<reusable, T, std::tuple<>> unpacked_;
  const int exceptions_ = std::uncaught_exceptions();
};

/// `open_stream<T>(team, handler, options)`: as the constructor. Not movable: messages find it.
template <class T, class Handler>
[[nodiscard]] stream<T, Handler> open_stream(const team& among, Handler handler,
                                             const stream_options& with = {},
                                             call_site site = call_site::current()) {
  return stream<T, Handler>(among, std::move(handler), with, site);
}

/// The same for items with something in common: `open_stream_with<Common, T>(...)`, and a handler
/// that takes `const Common&` before the item or the items.
template <class Common, class T, class Handler>
[[nodiscard]] stream<T, Handler, Common> open_stream_with(const team& among, Handler handler,
                                                          const stream_options& with = {},
                                                          call_site site = call_site::current()) {
  return stream<T, Handler, Common>(among, std::move(handler), with, site);
}

}  // namespace upwash
