// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Methods of objects whose calls ride together: many small ones in a message. Source: Narayanan
// 2020, 1.3 and appendix B; Kumar 2005, 5.7.1.
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

/// Calls of one method of an array's objects, through a stream of the array's team. A call costs
/// its index and its arguments, nothing else (arguments of differing size: 4 bytes, and as they are
/// archived). `std::span<const V>` as a parameter sends the elements, and sees them where they came
/// in. Runs once each, as the calls of `send` do, but in no order, not that of broadcasts either,
/// and at once where it arrives, before what waits in the queue. `quiet` of the array covers them.
template <auto Method>
class aggregated final : private objects::aggregated_core {
  using items = objects::aggregated_items<Method>;
  static_assert(objects::method_message<Method>::waits_as() == nullptr,
                "aggregated methods run where they arrive, and wait for nothing: use send");

 public:
  using object_type = typename items::object_type;
  using index_type = typename items::index_type;

  /// Collective over the array's team, blocking. It ends before the array does. Throws `error`
  /// (argument) for options that make no sense, where the array is ordered, and where the method is
  /// aggregated already.
  explicit aggregated(object_array<object_type>& of, const stream_options& with = {})
      : aggregated_core(objects::core_access::of(of.view()), &kind_of_this),
        stream_(array().among(), on_arrival{this}, with) {
    wait_for_all();
  }
  /// Collective, blocking: the array is quiet then. When it is destroyed by an exception it waits
  /// for nobody, and what its buffers hold is lost.
  ~aggregated() noexcept(false) {
    if (std::uncaught_exceptions() == exceptions_) array().quiet({});
  }

  /// That of the array of this object, in its methods. Throws `error` (argument) where there is
  /// none.
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

    /// `(object.*Method)(args...)` runs where the object is. Outside methods one on this rank runs
    /// at once, and other calls may wait until a slow receiver has room, and run methods meanwhile.
    /// In methods and handlers it never waits: what has no room is queued; in a method one for an
    /// object on this rank runs some time later. Throws `error` (argument) where its home is here
    /// and it was removed.
    template <class... Args>
    void send(Args&&... args) const {
      typename items::values with(std::forward<Args>(args)...);
      // A method that may wait does so where it says, not within a buffer.
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

  /// Sends what waits in buffers. Outside methods it may wait for room.
  void flush() { stream_.flush(); }
  /// Of this member: calls as items; those that ran at once are in none.
  [[nodiscard]] stream_statistics statistics() const { return stream_.statistics(); }
  /// The grid and the sizes that hold at this moment.
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

  static constexpr char kind_of_this = 0;  ///< its address is what counts

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
      // Handlers that run meanwhile have bytes of their own.
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
  /// To the queue, or to wait for its object.
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

  /// At once: what the array has heard of places it forgets when it is quiet, this table does not.
  void changed(const objects::object_key& key) override {
    last_ = nullptr;
    if (objects::object_place* const at = places_.find(key.template as<index_type>())) {
      *at = objects::object_place::forgotten();
      if (const auto now = place_of(key); now.known()) *at = now;
    }
  }

  const int me_ = array().among().rank();
  objects::place_table<index_type> places_;
  objects::element* last_ = nullptr;  ///< whose method an item ran last
  index_type last_index_{};
  std::vector<std::byte> packed_;
  const int exceptions_ = std::uncaught_exceptions();
  stream<item_type, on_arrival> stream_;  ///< ends first
};

}  // namespace upwash
