// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Aggregates calls of one method of an array's objects: many small calls travel in one message.
// Source: Narayanan 2020, 1.3 and appendix B; Kumar 2005, 5.7.1.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/objects/detail/aggregated_core.hpp"
#include "upwash/objects/detail/aggregated_items.hpp"
#include "upwash/objects/detail/stopwatch.hpp"
#include "upwash/objects/object_array.hpp"
#include "upwash/streaming/stream.hpp"

namespace upwash {

namespace objects {

struct core_access {
  template <class T, object_index Index>
  [[nodiscard]] static array_core& of(const object_view<T, Index>& view) noexcept {
    return *view.of_;
  }
};

}  // namespace objects

/// Calls of one method of an array's objects through a stream of the array's team. A call costs
/// only the bytes of its index and its arguments; arguments of variable size are archived and take
/// 4 bytes more. A parameter of type `std::span<const V>` sends the elements; the method sees them
/// in the receive buffer.
///
/// Each call runs once, as calls of `send` do. The calls have no order among each other or with
/// broadcasts. A call runs as soon as it arrives, before the calls in the queue. `quiet` of the
/// array waits for these calls too.
///
/// @code
/// struct counter : upwash::object<int> {
///   using site = upwash::object_site<int>;
///   explicit counter(const site& at) : object(at) {}
///   template <class A> void serialize(A& archive) { archive(total); }
///   void add(int amount) { total += amount; }
///   int total = 0;
/// };
/// // ---
/// upwash::object_array<counter> counters(world);
/// counters.fill(std::vector<int>{0, 1, 2});
/// upwash::aggregated<&counter::add> adding(counters);
/// for (int i = 0; i < 1000; ++i) adding[i % 3].send(1);
/// counters.quiet();  // every call has run
/// @endcode
template <auto Method>
class aggregated final : private objects::aggregated_core {
  using items = objects::aggregated_items<Method>;
  static_assert(objects::method_message<Method>::waits_as() == nullptr,
                "aggregated methods run where they arrive, and wait for nothing: use send");

 public:
  using object_type = typename items::object_type;
  using index_type = typename items::index_type;

  /// Opens the stream. Collective over the array's team, blocking. The object must be destroyed
  /// before the array. Throws `error` (argument) for invalid options, if the array is ordered, and
  /// if the method is aggregated already.
  explicit aggregated(object_array<object_type>& of, const stream_options& with = {})
      : aggregated_core(objects::core_access::of(of.view()), &kind_of_this),
        stream_(array().among(), on_arrival{this}, with) {
    wait_for_all();
  }
  /// Waits until the array is quiet. Collective, blocking. If an exception destroys the object, it
  /// does not wait, and calls in its buffers are lost.
  ~aggregated() noexcept(false) {
    if (std::uncaught_exceptions() == exceptions_) array().quiet({});
  }

  /// Returns the aggregation of the array to which `caller` belongs; call it in the object's
  /// methods. Throws `error` (argument) if there is none.
  [[nodiscard]] static aggregated& of(const object_type& caller) {
    objects::array_core& array = objects::core_access::of(object_view<object_type>(caller));
    auto* const found = array.keeper_of(&kind_of_this);
    if (found == nullptr) refuse_unopened(array, objects::object_key::of(caller.index()));
    return static_cast<aggregated&>(*found);
  }

  class place {
   public:
    /// One object of the array; made by `operator[]`.
    place(aggregated& through, const index_type& index) : through_(&through), index_(index) {}

    /// Calls `(object.*Method)(args...)` at the object's rank. Outside methods, a call of an object
    /// on this rank runs at once. Other calls may wait there until a slow receiver has room, and
    /// run methods while they wait. In methods and handlers a call never waits: without room it is
    /// queued. In a method a call of an object on this rank runs later. Throws `error` (argument)
    /// if the object's home is this rank and the object was removed.
    template <class... Args>
    void send(Args&&... args) const {
      typename items::values with(std::forward<Args>(args)...);
      // A method that may wait does so at its declared places, not within a buffer.
      if (through_->array().service().on_fiber) [[unlikely]] {
        return through_->run_now([&] { through_->call(index_, std::move(with)); });
      }
      through_->call(index_, std::move(with));
    }

   private:
    aggregated* through_;
    index_type index_;
  };
  [[nodiscard]] place operator[](const index_type& index) { return {*this, index}; }

  /// Sends the calls in the buffers. Outside methods it may wait for room.
  void flush() { stream_.flush(); }
  /// Returns the counts of this member; the items are calls. Calls that ran at once are not
  /// counted.
  [[nodiscard]] stream_statistics statistics() const { return stream_.statistics(); }
  /// Returns the current grid and sizes of the stream.
  [[nodiscard]] const streaming::parameters& settings() const noexcept {
    return stream_.settings();
  }

 private:
  using bytes_view = std::span<const std::byte>;
  using item_type =
      std::conditional_t<items::fixed, std::array<std::byte, items::fixed_bytes>, bytes_view>;
  using batch = std::conditional_t<items::fixed, std::span<const item_type>, const bytes_view&>;

  struct on_arrival {
    aggregated* to;
    void operator()(batch came) const {
      if constexpr (items::fixed) {
        for (const item_type& each : came) to->arrive(each);
      } else {
        to->arrive(came);
      }
    }
  };

  static constexpr char kind_of_this = 0;  ///< a unique address

  void call(const index_type& index, typename items::values with) {
    const objects::object_place at = where(index, me_);
    if (objects::element* const on = at.object(); on != nullptr && at.known()) {
      if (!array().service().may_run_now()) return push(me_, index, with);
      const auto now = [&] { run(*on, [&] { items::run(*on, with); }); };
      return run_now(now);
    }
    if (at.known()) return push(at.member(), index, with);
    std::vector<std::byte> item;
    items::append(item, index, with);
    set_aside(index, std::move(item));
  }

  [[nodiscard]] objects::object_place where(const index_type& index, int caller) {
    if (objects::object_place* const at = places_.find(index); at != nullptr && at->known()) {
      const objects::object_place found = *at;
      if (found.object() == nullptr && at->count_call()) [[unlikely]] {
        ask(found.member(), objects::object_key::of(index));
      }
      return found;
    }
    const objects::object_place found = look_up(objects::object_key::of(index), caller);
    if (found.known()) places_.set(index, found);
    return found;
  }

  void push(int member, const index_type& index, const typename items::values& with) {
    if constexpr (items::fixed) {
      stream_.push_written(member, [&](std::byte* at) { items::write(at, index, with); });
    } else {
      // Handlers that run meanwhile use a buffer of their own.
      std::vector<std::byte> item = std::move(packed_);
      item.clear();
      items::append(item, index, with);
      stream_.push(member, item);
      packed_ = std::move(item);
    }
  }
  void push_on(int member, bytes_view item) {
    if constexpr (items::fixed) {
      stream_.push_written(
          member, [&](std::byte* at) { std::memcpy(at, item.data(), items::fixed_bytes); });
    } else {
      stream_.push(member, item);
    }
  }
  /// Moves the call to the queue, or lets it wait for its object.
  void set_aside(const index_type& index, std::vector<std::byte> item) {
    const auto key = objects::object_key::of(index);
    array().call(std::make_unique<objects::aggregated_call<Method>>(array().begin_call(key, 0), key,
                                                                    std::move(item)));
  }

  template <class How>
  void run(objects::element& on, const How& how) {
    objects::object_service& service = array().service();
    service.running = &on;
    try {
      const objects::stopwatch timed(on);
      how();
    } catch (...) {
      service.running = nullptr;
      array().method_threw(on);
    }
    service.running = nullptr;
    if (on.ends || on.leaves_for >= 0 || on.conditions != nullptr) [[unlikely]]
      array().method_over(on);
  }

  void arrive(bytes_view item) {
    const index_type index = items::index_of(item);
    if (last_ == nullptr || !objects::same_index(last_index_, index)) {
      const objects::object_place at = where(index, -1);
      if (!at.known()) return set_aside(index, {item.begin(), item.end()});
      if (at.object() == nullptr) return push_on(at.member(), item);
      last_ = at.object();
      last_index_ = index;
    }
    if (!array().service().may_run_now()) return set_aside(index, {item.begin(), item.end()});
    objects::element& on = *last_;
    run(on, [&] { items::run_item(on, item); });
  }

  /// Applied at once. When the array is quiet it forgets the known places of objects; this table
  /// keeps them.
  void changed(const objects::object_key& key) override {
    last_ = nullptr;
    if (objects::object_place* const at = places_.find(key.template as<index_type>())) {
      *at = objects::object_place::forgotten();
      if (const auto now = place_of(key); now.known()) *at = now;
    }
  }

  const int me_ = array().among().rank();
  objects::place_table<index_type> places_;
  objects::element* last_ = nullptr;  ///< the object of the latest item
  index_type last_index_{};
  std::vector<std::byte> packed_;
  const int exceptions_ = std::uncaught_exceptions();
  stream<item_type, on_arrival> stream_;  ///< destroyed first
};

}  // namespace upwash
