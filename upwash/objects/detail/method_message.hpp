// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls, objects and insertions as active messages: the handler is named by the method's type, so
// nothing is registered.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/base/archive.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/objects/detail/array_core.hpp"
#include "upwash/objects/object.hpp"

namespace upwash::objects {

template <class T>
class typed_element final : public element {
 public:
  using index_type = typename T::index_type;

  template <class... Args>
  typed_element(array_core& array, const index_type& index, Args&&... args)
      : element(array, object_key::of(index)),
        value(site_access::make(static_cast<element&>(*this), index), std::forward<Args>(args)...) {
  }

  void send_state(int rank, const travelling& beside) override;

  T value;
};

template <class T>
[[nodiscard]] T& value_of(element& of) {
  return static_cast<typed_element<T>&>(of).value;
}

[[nodiscard]] inline array_core& array_of(incoming& in, std::uint64_t name) {
  return in.here().service<object_service>().find(name);
}

template <class>
inline constexpr bool is_method = false;

template <auto Method, class Type = decltype(Method)>
struct method_message {
  static_assert(is_method<Type>,
                "what runs is a method of the objects that returns void, not const");
};

template <auto Method, class T, class... Params>
struct method_message<Method, void (T::*)(Params...)> {
  using index_type = typename T::index_type;
  using values = std::tuple<std::remove_cvref_t<Params>...>;
  using object_type = T;

  static void run(element& on, values& with) {
    std::apply([&](auto&... each) { (value_of<T>(on).*Method)(std::move(each)...); }, with);
  }

  class call final : public invocation {
   public:
    call(const envelope& of_call, const object_key& object, values with)
        : invocation(of_call, object), with_(std::move(with)) {}
    void run(element& on) override { method_message::run(on, with_); }
    void send(job& here, int rank) override {
      std::apply(
          [&](const auto&... each) {
            upwash::send<&arrive>(here, rank, head, to.template as<index_type>(), each...);
          },
          with_);
    }

   private:
    values with_;
  };

  class call_of_all final : public broadcast_call {
   public:
    call_of_all(const envelope& of_call, values with)
        : broadcast_call(of_call, object_key()), with_(std::move(with)) {}
    void run(element& on) override { method_message::run(on, with_); }
    void send(job& here, int rank) override {
      std::apply(
          [&](const auto&... each) { upwash::send<&arrive_for_all>(here, rank, head, each...); },
          with_);
    }
    [[nodiscard]] std::unique_ptr<invocation> copy_for(const object_key& one) const override {
      return std::make_unique<call>(head, one, with_);
    }

   private:
    values with_;
  };

  static void arrive(incoming& in, envelope head, index_type to,
                     std::remove_cvref_t<Params>... args) {
    array_of(in, head.array)
        .call_arrived(std::make_unique<call>(head, object_key::of(to), values(std::move(args)...)));
  }
  static void arrive_for_all(incoming& in, envelope head, std::remove_cvref_t<Params>... args) {
    array_of(in, head.array)
        .broadcast_arrived(std::make_unique<call_of_all>(head, values(std::move(args)...)));
  }
};

template <auto Method, class T, class... Params>
struct method_message<Method, void (T::*)(Params...) noexcept>
    : method_message<static_cast<void (T::*)(Params...)>(Method)> {};

template <class T>
void arrive_state(incoming& in, std::uint64_t array, typename T::index_type index,
                  travelling beside, std::vector<std::byte> state) {
  array_core& of = array_of(in, array);
  auto made = std::make_unique<typed_element<T>>(of, index);
  archive_reader archive(state);
  archive(made->value);
  of.object_arrived(std::move(made), beside);
}

template <class T>
void typed_element<T>::send_state(int rank, const travelling& beside) {
  std::vector<std::byte> state;
  archive_writer archive(state);
  archive(value);
  send<&arrive_state<T>>(of.among().here(), rank, of.name(), key.template as<index_type>(), beside,
                         state);
}

template <class T, class... Args>
struct insert_message {
  static void arrive(incoming& in, std::uint64_t array, typename T::index_type index,
                     Args... args) {
    array_core& of = array_of(in, array);
    of.insert(std::make_unique<typed_element<T>>(of, index, std::move(args)...));
    of.handled();
  }
};

}  // namespace upwash::objects
