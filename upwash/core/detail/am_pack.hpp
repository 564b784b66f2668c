// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Converts a typed handler's arguments to bytes and back. Arguments in the line follow each other
// without padding. Archived arguments are the front of the payload, and the line holds their length
// (8 bytes).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/base/archive.hpp"
#include "upwash/base/message.hpp"
#include "upwash/core/incoming.hpp"

namespace upwash {

class job;

namespace detail {

/// Handles an exception of a handler: ends the job with a line naming handler, rank and error.
void handler_threw(job& here, const active_message& m, const char* handler) noexcept;

template <class Function>
struct handler_arguments;
template <class... Args>
struct handler_arguments<void (*)(incoming&, Args...)> {
  using values = std::tuple<std::remove_cvref_t<Args>...>;
  static constexpr bool plain = (plain_value<std::remove_cvref_t<Args>> && ...);
  static constexpr std::size_t bytes = (sizeof(std::remove_cvref_t<Args>) + ... + 0);
};

template <class... Args>
struct handler_arguments<void (*)(incoming&, Args...) noexcept>
    : handler_arguments<void (*)(incoming&, Args...)> {};

using line_buffer = std::array<std::byte, max_argument_bytes>;

template <auto Handler>
struct am_pack {
  using arguments = handler_arguments<decltype(Handler)>;
  using values = typename arguments::values;
  static constexpr std::size_t count = std::tuple_size_v<values>;
  static constexpr bool in_line = arguments::plain && arguments::bytes <= max_argument_bytes;

  static const void* thunk_address() { return reinterpret_cast<const void*>(&thunk); }

  /// In the line, or where the only argument lies.
  template <class... Args>
  static std::span<const std::byte> write_line(line_buffer& line, const Args&... args) {
    static_assert(sizeof...(Args) == count, "one argument for each parameter of the handler");
    if constexpr (std::is_same_v<std::tuple<Args...>, values> && count == 1) {
      return {reinterpret_cast<const std::byte*>(&args)..., arguments::bytes};
    } else {
      std::byte* at = line.data();
      write_each(std::make_index_sequence<count>{}, at, args...);
      return {line.data(), arguments::bytes};
    }
  }

  template <class... Args>
  static std::span<const std::byte> write_archive(std::vector<std::byte>& out, line_buffer& line,
                                                  const Args&... args) {
    archive_writer archive(out);
    write_to(archive, args...);
    return write_length(line, out.size());
  }
  static std::span<const std::byte> write_length(line_buffer& line, std::uint64_t archived) {
    std::memcpy(line.data(), &archived, sizeof archived);
    return {line.data(), sizeof archived};
  }

  template <class... Args>
  static void write_to(archive_writer& archive, const Args&... args) {
    static_assert(sizeof...(Args) == count, "one argument for each parameter of the handler");
    archive_each(std::make_index_sequence<count>{}, archive, args...);
  }

  /// Runs at the destination.
  static void thunk(job& here, const active_message& m) {
    try {
      run(here, m, std::make_index_sequence<count>{});
    } catch (...) {
      handler_threw(here, m, __PRETTY_FUNCTION__);
    }
  }

 private:
  template <std::size_t... I, class... Args>
  static void write_each(std::index_sequence<I...>, std::byte* at, const Args&... args) {
    [[maybe_unused]] const auto write = [&at](const auto& value) {
      std::memcpy(at, &value, sizeof value);
      at += sizeof value;
    };
    (write(static_cast<const std::tuple_element_t<I, values>&>(args)), ...);
  }

  template <std::size_t... I, class... Args>
  static void archive_each(std::index_sequence<I...>, archive_writer& archive,
                           const Args&... args) {
    archive(static_cast<const std::tuple_element_t<I, values>&>(args)...);
  }

  template <std::size_t... I>
  static void run(job& here, const active_message& m, std::index_sequence<I...>) {
    if constexpr (in_line) {
      incoming seen(here, m, m.payload);
      Handler(seen, read_from<I>(m.arguments.data())...);
    } else {
      values taken;
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, m.arguments.data(), sizeof bytes);
      archive_reader archive(m.payload.first(bytes));
      archive(std::get<I>(taken)...);
      incoming seen(here, m, m.payload.subspan(bytes));
      std::apply([&seen](auto&&... each) { Handler(seen, std::forward<decltype(each)>(each)...); },
                 std::move(taken));
    }
  }

  /// The offset of argument I in a line.
  template <std::size_t I>
  static constexpr std::size_t offset_of() {
    return []<std::size_t... Before>(std::index_sequence<Before...>) {
      return (sizeof(std::tuple_element_t<Before, values>) + ... + 0);
    }
    (std::make_index_sequence<I>{});
  }

  template <std::size_t I>
  static std::tuple_element_t<I, values> read_from(const std::byte* line) {
    std::tuple_element_t<I, values> value;
    std::memcpy(&value, line + offset_of<I>(), sizeof value);
    return value;
  }
};

}  // namespace detail
}  // namespace upwash
