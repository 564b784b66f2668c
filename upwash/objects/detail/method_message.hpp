// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls, objects and insertions as active messages. The method's type names the handler, so nothing
// is registered.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/base/archive.hpp"
#include "upwash/core/packed_message.hpp"
#include "upwash/objects/detail/array_core.hpp"
#include "upwash/objects/detail/kept_argument.hpp"
#include "upwash/objects/detail/method_name.hpp"
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

  std::size_t send_state(int rank, const travelling& beside) override;
  void write_state(std::vector<std::byte>& out) override {
    archive_writer archive(out);
    archive(value);
  }

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

template <class List, auto Method>
inline constexpr bool lists = false;
template <auto... Methods, auto Method>
inline constexpr bool lists<methods<Methods...>, Method> =
    (std::is_same_v<method_tag<plain(Methods)>, method_tag<Method>> || ...);

template <auto Method, class Type = decltype(Method)>
struct method_message {
  static_assert(is_method<Type>,
                "what runs is a method of the objects that returns void, not const");
};

template <auto Method, class T, class... Params>
struct method_message<Method, void (T::*)(Params...)> {
  using index_type = typename T::index_type;
  using values = std::tuple<kept_argument<Params>...>;
  using object_type = T;

  /// Evaluated at a place at which the class is complete.
  [[nodiscard]] static constexpr const std::string_view* waits_as() noexcept {
    if constexpr (requires { typename T::methods_that_wait; }) {
      if constexpr (lists<typename T::methods_that_wait, Method>) return &name_of_method<Method>;
    }
    return nullptr;
  }

  static void send_to(job& here, int rank, const envelope& head, const object_key& to,
                      const values& with) {
    const auto index = to.template as<index_type>();
    std::apply(
        [&](const auto&... each) {
          if (const auto brief = brief_envelope::of(head)) {
            upwash::send<&arrive_briefly>(here, rank, *brief, index, each...);
          } else {
            upwash::send<&arrive>(here, rank, head, index, each...);
          }
        },
        with);
  }
  static void keep_all(values& with) {
    std::apply([](auto&... each) { (keep(each), ...); }, with);
  }
  static void run(element& on, values& with) {
    std::apply([&](auto&... each) { (value_of<T>(on).*Method)(given(each)...); }, with);
  }

  class call final : public invocation {
   public:
    call(const envelope& of_call, const object_key& object, values with)
        : invocation(of_call, object, waits_as()), with_(std::move(with)) {
      keep_all(with_);
    }
    void run(element& on) override { method_message::run(on, with_); }
    void send(job& here, int rank) override { send_to(here, rank, head, to, with_); }
    void pack(job& here, std::vector<std::byte>& behind) override {
      const auto index = to.template as<index_type>();
      std::apply(
          [&](const auto&... each) {
            if (const auto brief = brief_envelope::of(head)) {
              pack_message<&arrive_briefly>(here, behind, *brief, index, each...);
            } else {
              pack_message<&arrive>(here, behind, head, index, each...);
            }
          },
          with_);
    }
    [[nodiscard]] std::size_t bytes() const override {
      if constexpr ((plain_value<kept_argument<Params>> && ...)) {
        return (sizeof(kept_argument<Params>) + ... + 0);
      } else {
        std::vector<std::byte> out;
        archive_writer archive(out);
        archive(with_);
        return out.size();
      }
    }

   private:
    values with_;
  };

  class call_of_all final : public broadcast_call {
   public:
    call_of_all(const envelope& of_call, values with)
        : broadcast_call(of_call, object_key(), waits_as()), with_(std::move(with)) {
      keep_all(with_);
    }
    void run(element& on) override { method_message::run(on, with_); }
    void send(job& here, int rank) override {
      std::apply(
          [&](const auto&... each) { upwash::send<&arrive_for_all>(here, rank, head, each...); },
          with_);
    }
    void pack(job& here, std::vector<std::byte>& behind) override {
      std::apply(
          [&](const auto&... each) { pack_message<&arrive_for_all>(here, behind, head, each...); },
          with_);
    }
    [[nodiscard]] std::unique_ptr<invocation> copy_for(const object_key& one) const override {
      return std::make_unique<call>(head, one, with_);
    }

   private:
    values with_;
  };

  /// For another rank the arguments are packed from the caller's memory.
  static void send(array_core& of, const object_key& to, int priority, values with) {
    const way_to_object by = of.way_to(to);
    envelope head = of.begin_call(to, priority);
    if (by.here != nullptr) {
      return of.enqueue(std::make_unique<call>(head, to, std::move(with)), *by.here);
    }
    if (by.rank < 0) return of.call(std::make_unique<call>(head, to, std::move(with)));
    head.hops = 1;
    try {
      send_to(of.among().here(), by.rank, head, to, with);
    } catch (...) {
      of.handled();  // it is not under way; the program may go on
      throw;
    }
  }

  static void arrive_briefly(incoming& in, brief_envelope brief, index_type to,
                             kept_argument<Params>... args) {
    arrive(in, brief.whole(), to, std::move(args)...);
  }
  static void arrive(incoming& in, envelope head, index_type to, kept_argument<Params>... args) {
    array_of(in, head.array)
        .call_arrived(std::make_unique<call>(head, object_key::of(to), values(std::move(args)...)));
  }
  static void arrive_for_all(incoming& in, envelope head, kept_argument<Params>... args) {
    array_of(in, head.array)
        .broadcast_arrived(std::make_unique<call_of_all>(head, values(std::move(args)...)));
  }
};

template <auto Method, class T, class... Params>
struct method_message<Method, void (T::*)(Params...) noexcept>
    : method_message<static_cast<void (T::*)(Params...)>(Method)> {};

/// Throws `error` (fault) for an invalid state of a T.
template <class T>
[[nodiscard]] std::unique_ptr<element> element_of(array_core& of,
                                                  const typename T::index_type& index,
                                                  std::span<const std::byte> state) {
  auto made = std::make_unique<typed_element<T>>(of, index);
  archive_reader archive(state);
  archive(made->value);
  check_read_whole(archive.rest().size());
  return made;
}

template <class T>
void arrive_state(incoming& in, std::uint64_t array, typename T::index_type index,
                  travelling beside) {
  array_core& of = array_of(in, array);
  std::unique_ptr<element> made;
  try {
    made = element_of<T>(of, index, in.payload());
  } catch (const std::exception& failure) {
    of.refuse_to_hold(object_key::of(index), "cannot arrive", failure);
  }
  of.object_arrived(std::move(made), std::move(beside));
}

template <class T>
std::size_t typed_element<T>::send_state(int rank, const travelling& beside) {
  job& here = of.among().here();
  upwash::detail::packing_buffer state(here);
  write_state(state.bytes);
  send_medium<&arrive_state<T>>(here, rank, state.bytes, of.name(), key.template as<index_type>(),
                                beside);
  return state.bytes.size();
}

template <class T, class... Args>
struct insert_message {
  static_assert((!is_address<Args> && ...),
                "a pointer or view means nothing at another rank: give the constructor what it "
                "names (std::string, std::vector)");

  static void arrive(incoming& in, std::uint64_t array, typename T::index_type index,
                     Args... args) {
    array_core& of = array_of(in, array);
    std::unique_ptr<element> made;
    try {
      made = std::make_unique<typed_element<T>>(of, index, std::move(args)...);
    } catch (const std::exception& failure) {
      of.refuse_to_hold(object_key::of(index), "cannot begin", failure);
    }
    of.insert(std::move(made));
    of.handled();
  }
};

}  // namespace upwash::objects
