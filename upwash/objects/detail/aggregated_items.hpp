// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The form of an aggregated call in a stream: the index and the arguments without gaps, or archived
// if their sizes differ.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/base/archive.hpp"
#include "upwash/objects/detail/method_message.hpp"
#include "upwash/streaming/stream.hpp"

namespace upwash::objects {

/// An argument that is read in the receive buffer if it is aligned there.
template <class P>
inline constexpr bool is_element_view = false;
template <class U>
inline constexpr bool is_element_view<std::span<const U>> =
    streaming::fixed_item<U> && !is_address<U>;

template <class P>
concept fixed_argument = streaming::fixed_item<P> && !is_address<P>;

/// Memory of a view with unaligned bytes in the buffer.
template <class P>
struct behind_view {};
template <class U>
struct behind_view<std::span<const U>> {
  std::unique_ptr<U[]> copy;
};

template <auto Method, class Type = decltype(Method)>
struct aggregated_items {
  static_assert(is_method<Type>,
                "what is aggregated is a method of the objects that returns void, not const");
};

template <auto Method, class T, class... Params>
struct aggregated_items<Method, void (T::*)(Params...)> {
  using object_type = T;
  using index_type = typename T::index_type;
  using values = std::tuple<std::remove_cvref_t<Params>...>;
  using bytes_view = std::span<const std::byte>;

  static_assert(((is_element_view<std::remove_cvref_t<Params>> ||
                  !is_address<std::remove_cvref_t<Params>>)&&...),
                "a pointer or view means nothing at another rank: take std::span<const T> of plain "
                "values, whose elements travel, or what it names (std::string, std::vector)");

  static constexpr bool fixed = (fixed_argument<std::remove_cvref_t<Params>> && ...);
  static constexpr std::size_t fixed_bytes =
      (sizeof(index_type) + ... + sizeof(std::remove_cvref_t<Params>));

  static void run(element& on, values& with) {
    std::apply([&](auto&... each) { (value_of<T>(on).*Method)(std::move(each)...); }, with);
  }

  /// `fixed_bytes`.
  static void write(std::byte* at, const index_type& index, const values& from) requires(fixed) {
    std::memcpy(at, &index, sizeof index);
    at += sizeof index;
    std::apply(
        [&at](const auto&... each) {
          ((std::memcpy(at, &each, sizeof each), at += sizeof each), ...);
        },
        from);
  }
  static void append(std::vector<std::byte>& to, const index_type& index, const values& from) {
    if constexpr (fixed) {
      to.resize(fixed_bytes);
      write(to.data(), index, from);
    } else {
      append_bytes(to, &index, sizeof index);
      std::apply([&](const auto&... each) { (append_one(to, each), ...); }, from);
    }
  }

  [[nodiscard]] static index_type index_of(bytes_view item) noexcept {
    index_type index;
    std::memcpy(static_cast<void*>(&index), item.data(), sizeof index);
    return index;
  }
  /// Runs the method with the arguments in the item.
  static void run_item(element& on, bytes_view item) {
    item = item.subspan(sizeof(index_type));
    values with;
    if constexpr (fixed) {
      const std::byte* at = item.data();
      std::apply(
          [&at](auto&... each) {
            ((std::memcpy(static_cast<void*>(&each), at, sizeof each), at += sizeof each), ...);
          },
          with);
      run(on, with);
    } else {
      std::tuple<behind_view<std::remove_cvref_t<Params>>...> behind;
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (read_one(item, std::get<I>(with), std::get<I>(behind)), ...);
      }
      (std::index_sequence_for<Params...>());
      run(on, with);
    }
  }

 private:
  static void append_bytes(std::vector<std::byte>& to, const void* from, std::size_t bytes) {
    // No insert: GCC 12 takes it for a copy past the end if an index is short.
    const std::size_t before = to.size();
    to.resize(before + bytes);
    if (bytes > 0) std::memcpy(to.data() + before, from, bytes);
  }
  template <class P>
  static void append_one(std::vector<std::byte>& to, const P& value) {
    archive_writer write_to(to);
    if constexpr (is_element_view<P>) {
      write_to(std::uint64_t{value.size()});
      append_bytes(to, value.data(), value.size_bytes());
    } else {
      write_to(value);
    }
  }
  template <class P>
  static void read_one(bytes_view& item, P& value, behind_view<P>& behind) {
    archive_reader from(item);
    if constexpr (is_element_view<P>) {
      using U = std::remove_const_t<typename P::element_type>;
      std::uint64_t count = 0;
      from(count);
      const bytes_view elements = from.rest().first(count * sizeof(U));
      item = from.rest().subspan(elements.size());
      if (reinterpret_cast<std::uintptr_t>(elements.data()) % alignof(U) == 0) {
        value = {reinterpret_cast<const U*>(elements.data()), count};
      } else {
        behind.copy = std::make_unique<U[]>(count);
        std::memcpy(static_cast<void*>(behind.copy.get()), elements.data(), elements.size());
        value = {behind.copy.get(), count};
      }
    } else {
      from(value);
      item = from.rest();
    }
  }
};

template <auto Method, class T, class... Params>
struct aggregated_items<Method, void (T::*)(Params...) noexcept>
    : aggregated_items<static_cast<void (T::*)(Params...)>(Method)> {};

/// A call that left its stream, to wait for the insertion of its object, or for its turn.
template <auto Method>
class aggregated_call final : public invocation {
  using items = aggregated_items<Method>;
  using index_type = typename items::index_type;

 public:
  aggregated_call(const envelope& of_call, const object_key& object, std::vector<std::byte> item)
      : invocation(of_call, object), item_(std::move(item)) {}
  void run(element& on) override { items::run_item(on, item_); }
  void send(job& here, int rank) override { upwash::send<&arrive>(here, rank, head, item_); }
  void pack(job& here, std::vector<std::byte>& behind) override {
    pack_message<&arrive>(here, behind, head, item_);
  }

  static void arrive(incoming& in, envelope head, std::vector<std::byte> item) {
    const object_key to = object_key::of(items::index_of(item));
    array_of(in, head.array)
        .call_arrived(std::make_unique<aggregated_call>(head, to, std::move(item)));
  }

 private:
  std::vector<std::byte> item_;
};

}  // namespace upwash::objects
