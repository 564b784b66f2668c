// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A value that somebody sends: what a rank, or a method that may wait, waits for when it calls
// objects.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "upwash/base/call_site.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/job.hpp"
#include "upwash/objects/detail/array_core.hpp"
#include "upwash/objects/detail/future_service.hpp"

namespace upwash {

namespace objects {
template <class V>
struct future_message;
}

/// Names a future. Plain, so it travels in arguments and in states of objects.
template <class V>
struct promise {
  promise() = default;

  /// To the future. Nonblocking, on any rank, also in methods and handlers; a message. Where the
  /// future is no more the value is dropped. The job ends with `error` (argument) where the future
  /// has one already.
  void set_value(job& here, const V& value) const;

  /// As a target of reductions: `contribute<sum>(heat, total)`.
  template <class Value>
  void give(objects::array_core& of, const Value& result) const {
    set_value(of.among().here(), result);
  }

  std::int32_t rank = -1;  ///< of the world
  std::int32_t padding = 0;
  std::uint64_t number = 0;
};

/// Gets one value. Belongs to the rank that makes it, and stays where it is. V is what may be an
/// argument of messages. No array that is quiet has to have sent it.
template <class V>
class future final : private objects::awaited_value {
 public:
  explicit future(job& here) : awaited_value(here) {}

  [[nodiscard]] promise<V> get_promise() const noexcept {
    promise<V> name;
    name.rank = rank();
    name.number = number();
    return name;
  }
  /// Local; no progress.
  [[nodiscard]] bool ready() const noexcept { return value_.has_value(); }
  /// Blocks until the value is there; makes progress meanwhile. Not from a handler, nor in a method
  /// that may not wait; one that may is suspended. Valid while the future is.
  [[nodiscard]] const V& get(call_site site = call_site::current()) {
    if (!value_) wait(&has_value, site);
    return *value_;
  }

 private:
  friend struct objects::future_message<V>;

  static bool has_value(const void* self) {
    return static_cast<const future*>(static_cast<const awaited_value*>(self))->ready();
  }
  std::optional<V> value_;
};

namespace objects {

template <class V>
struct future_message {
  static void arrive(incoming& in, std::uint64_t number, V value) {
    auto* const to = static_cast<future<V>*>(in.here().service<future_service>().open.find(number));
    if (to == nullptr) return;
    if (to->value_) refuse_second_value(in.here(), in.source());
    to->value_.emplace(std::move(value));
  }
};

}  // namespace objects

template <class V>
void promise<V>::set_value(job& here, const V& value) const {
  objects::check_promise(here, rank);
  send<&objects::future_message<V>::arrive>(here, rank, number, value);
}

}  // namespace upwash
