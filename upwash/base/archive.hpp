// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The small archive: values to bytes and back, for arguments of messages. A type takes part by a
// member `template <class A> void serialize(A& a) { a(x, y); }` (cereal's convention), or is
// trivially copyable, or is a string, vector, array, pair, tuple or optional of such. Whatever else
// cereal serializes takes part through base/serialize_cereal.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/is_address.hpp"

namespace upwash {

class archive_writer;
class archive_reader;

template <class T>
concept has_serialize = requires(T& value, archive_writer& a) {
  value.serialize(a);
};

/// Copied as its bytes: no member of its own says otherwise, it can be assigned to (so that it has
/// no references), and is no view of what lies elsewhere.
template <class T>
concept plain_value =
    std::is_trivially_copyable_v<T> && std::is_copy_assignable_v<T> && !has_serialize<T> &&
    !is_view<T>;

/// How other libraries archive T, where a header has brought them in: static members
/// `void write(std::vector<std::byte>& out, const T&)`, which appends, and
/// `std::size_t read(std::span<const std::byte> in, T&)`, which returns how many bytes it took.
template <class T>
struct foreign_archive;

template <class T>
concept has_foreign_archive = requires {
  sizeof(foreign_archive<T>);
};

namespace detail {

template <class T>
inline constexpr bool is_vector = false;
template <class T, class A>
inline constexpr bool is_vector<std::vector<T, A>> = true;
/// A vector whose elements lie side by side as plain bytes.
template <class T>
inline constexpr bool is_block = false;
template <class T, class A>
inline constexpr bool is_block<std::vector<T, A>> = plain_value<T> && !std::is_same_v<T, bool>;
template <class T>
inline constexpr bool is_block<std::span<const T>> = plain_value<T>;
/// Written as a vector of the same elements, to be read as one.
template <class T>
inline constexpr bool is_const_span = false;
template <class T>
inline constexpr bool is_const_span<std::span<const T>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_tuple_like = false;
template <class A, class B>
inline constexpr bool is_tuple_like<std::pair<A, B>> = true;
template <class... T>
inline constexpr bool is_tuple_like<std::tuple<T...>> = true;
template <class T, std::size_t N>
inline constexpr bool is_tuple_like<std::array<T, N>> = true;

}  // namespace detail

/// Appends values to a byte vector, or writes them into a room, or counts their bytes only. Fixed
/// layout of the host; lengths are 64 bits.
class archive_writer {
 public:
  /// Appends to `out`, which stays while it writes.
  explicit archive_writer(std::vector<std::byte>& out) noexcept : out_(&out) {}
  /// What does not fit is an `error` (fault).
  explicit archive_writer(std::span<std::byte> room) noexcept : room_(room) {}
  struct counting {};
  /// Counts the bytes, and writes none.
  explicit archive_writer(counting /*only*/) noexcept : counts_only_(true) {}

  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }

  /// Of a room or a count.
  [[nodiscard]] std::size_t bytes() const noexcept { return used_; }
  /// Whether a count says how many bytes there will be: it cannot for foreign archives.
  [[nodiscard]] bool exact() const noexcept { return exact_; }

 private:
  void raw(const void* data, std::size_t bytes) {
    if (bytes == 0) return;
    if (out_ == nullptr) return raw_into_room(data, bytes);
    if (bytes > out_->max_size()) __builtin_unreachable();  // GCC 12 warns of such, falsely
    const std::size_t at = out_->size();
    out_->resize(at + bytes);
    std::memcpy(out_->data() + at, data, bytes);
  }

  void raw_into_room(const void* data, std::size_t bytes) {
    if (!counts_only_) {
      if (bytes > room_.size() - used_) {
        throw error(error_kind::fault,
                    "archive: a room of " + std::to_string(room_.size()) +
                        " bytes is too small; serialize() writes more than a moment ago");
      }
      std::memcpy(room_.data() + used_, data, bytes);
    }
    used_ += bytes;
  }

  template <class T>
  void write_foreign(const T& value) {
    if (out_ != nullptr) return foreign_archive<T>::write(*out_, value);
    exact_ = false;
    if (counts_only_) return;
    std::vector<std::byte> aside;
    foreign_archive<T>::write(aside, value);
    raw(aside.data(), aside.size());
  }

  template <class T>
  void write(const T& value) {
    if constexpr (plain_value<T>) {
      raw(&value, sizeof value);
    } else if constexpr (has_serialize<T>) {
      const_cast<T&>(value).serialize(*this);  // the one member serves both directions
    } else if constexpr (std::is_same_v<T, std::string>) {
      write_size(value.size());
      raw(value.data(), value.size());
    } else if constexpr (detail::is_vector<T> || detail::is_const_span<T>) {
      write_size(value.size());
      if constexpr (detail::is_block<T>) {
        raw(value.data(), value.size() * sizeof(typename T::value_type));
      } else {
        for (const auto& element : value) write(element);
      }
    } else if constexpr (detail::is_optional<T>) {
      write(value.has_value());
      if (value) write(*value);
    } else if constexpr (detail::is_tuple_like<T>) {
      std::apply([this](const auto&... parts) { (write(parts), ...); }, value);
    } else {
      static_assert(has_foreign_archive<T>,
                    "give the type a serialize(A&) member, or include "
                    "upwash/base/serialize_cereal.hpp");
      write_foreign(value);
    }
  }

  void write_size(std::uint64_t size) { raw(&size, sizeof size); }

  std::vector<std::byte>* out_ = nullptr;
  std::span<std::byte> room_;
  std::size_t used_ = 0;
  bool counts_only_ = false;
  bool exact_ = true;
};

/// Reads values back in the order in which they were written. Throws `error` (fault) when the
/// bytes end early: the two sides disagree on the types.
class archive_reader {
 public:
  /// Reads from the front of `in`, which stays while it reads.
  explicit archive_reader(std::span<const std::byte> in) : in_(in) {}

  template <class... T>
  void operator()(T&&... values) {
    (read(values), ...);
  }

  /// What was not read yet.
  [[nodiscard]] std::span<const std::byte> rest() const noexcept { return in_; }

 private:
  void check_left(std::size_t bytes) const {
    if (bytes > in_.size()) {
      throw error(error_kind::fault, "archive: " + std::to_string(bytes) + " bytes wanted, " +
                                         std::to_string(in_.size()) +
                                         " left; writer and reader disagree on the type");
    }
  }

  void raw(void* data, std::size_t bytes) {
    check_left(bytes);
    if (bytes != 0) std::memcpy(data, in_.data(), bytes);
    in_ = in_.subspan(bytes);
  }

  template <class T>
  void read(T& value) {
    if constexpr (plain_value<T>) {
      raw(&value, sizeof value);
    } else if constexpr (has_serialize<T>) {
      value.serialize(*this);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value.resize(read_size());
      raw(value.data(), value.size());
    } else if constexpr (detail::is_vector<T>) {
      const std::size_t size = read_size();
      if constexpr (detail::is_block<T>) {
        read_block(value, size);
      } else {
        value.resize(size);
        for (auto& element : value) read(element);
      }
    } else if constexpr (detail::is_optional<T>) {
      std::uint8_t present = 0;  // as a bool it could hold what no bool may
      read(present);
      value.reset();
      if (present != 0) read(value.emplace());
    } else if constexpr (detail::is_tuple_like<T>) {
      std::apply([this](auto&... parts) { (read(parts), ...); }, value);
    } else {
      static_assert(has_foreign_archive<T>,
                    "give the type a serialize(A&) member, or include "
                    "upwash/base/serialize_cereal.hpp");
      in_ = in_.subspan(foreign_archive<T>::read(in_, value));
    }
  }

  template <class T, class A>
  void read_block(std::vector<T, A>& value, std::size_t size) {
    check_left(size * sizeof(T));  // size is at most the bytes left
    if (reinterpret_cast<std::uintptr_t>(in_.data()) % alignof(T) == 0) {
      const T* const first = reinterpret_cast<const T*>(in_.data());
      value.assign(first, first + size);  // sets nothing to zero before
      in_ = in_.subspan(size * sizeof(T));
    } else {
      value.resize(size);
      raw(value.data(), size * sizeof(T));
    }
  }

  /// Every element takes a byte at least, so a larger count is a lie, not a request for memory.
  std::size_t read_size() {
    std::uint64_t size = 0;
    raw(&size, sizeof size);
    if (size > in_.size()) {
      throw error(error_kind::fault, "archive: a length of " + std::to_string(size) + " with " +
                                         std::to_string(in_.size()) + " bytes left");
    }
    return size;
  }

  std::span<const std::byte> in_;
};

}  // namespace upwash
