// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A future gets a value from another rank or object: the reply to a call. A rank waits for it, and
// so does a method that may wait.
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

/// Names a future. A plain type: it may be an argument of messages and part of an object's state.
template <class V>
struct promise {
  promise() = default;

  /// Sends the value to the future. Nonblocking, on any rank, also in methods and handlers. Cost:
  /// one message. If the future no longer exists, the value is dropped. The job ends with `error`
  /// (argument) if the future already has a value.
  void set_value(job& here, const V& value) const;

  /// Sends the result of a reduction: `contribute<sum>(heat, total)`. Called by the library.
  template <class Value>
  void give(objects::array_core& of, const Value& result) const {
    set_value(of.among().here(), result);
  }

  std::int32_t rank = -1;  ///< of the world
  std::int32_t padding = 0;
  std::uint64_t number = 0;
};

/// Receives one value. Belongs to the rank that makes it and cannot be moved. V may be any type
/// that is allowed as an argument of messages. No array needs to be quiet for the value to arrive.
///
/// @code
/// // Adds on the rank that gets the message, and replies.
/// void add(upwash::incoming& in, int a, int b, upwash::promise<int> reply) {
///   reply.set_value(in.here(), a + b);
/// }
/// // ---
/// upwash::future<int> sum(here);
/// upwash::send<&add>(here, 0, 20, 22, sum.get_promise());
/// const int result = sum.get();  // 42
/// static_cast<void>(result);
/// @endcode
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
  /// Returns whether the value has arrived. Local; makes no progress.
  [[nodiscard]] bool ready() const noexcept { return value_.has_value(); }
  /// Blocks until the value has arrived, and makes progress meanwhile. Returns a reference that is
  /// valid as long as the future. Not for handlers or methods that may not wait. A method that may
  /// wait is suspended.
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
