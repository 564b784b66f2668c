// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The small archive converts values to bytes and back, for arguments of messages. A type takes part
// by a member `template <class A> void serialize(A& a) { a(x, y); }` (cereal's convention).
// Trivially copyable types take part too, and strings, vectors, arrays, pairs, tuples and optionals
// of such types. base/serialize_cereal.hpp adds all other types that cereal serializes.
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

/// Copied as bytes: the type has no `serialize` member, can be assigned to (so it has no
/// references), and is no view of memory elsewhere.
template <class T>
concept plain_value =
    std::is_trivially_copyable_v<T> && std::is_copy_assignable_v<T> && !has_serialize<T> &&
    !is_view<T>;

/// The archive of another library for T, specialised by that library's header. Static members:
/// `void write(std::vector<std::byte>& out, const T&)`, which appends, and `std::size_t
/// read(std::span<const std::byte> in, T&)`, which returns the number of bytes read.
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
/// A vector whose elements are adjacent plain bytes.
template <class T>
inline constexpr bool is_block = false;
template <class T, class A>
inline constexpr bool is_block<std::vector<T, A>> = plain_value<T> && !std::is_same_v<T, bool>;
template <class T>
inline constexpr bool is_block<std::span<const T>> = plain_value<T>;
/// Written as a vector of the same elements, and read as a vector.
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

/// Writes values: appends them to a byte vector, writes them into a fixed room, or only counts
/// their bytes. Fixed layout of the host; lengths are 64 bits.
class archive_writer {
 public:
  /// Appends to `out`, which must outlive the writer.
  explicit archive_writer(std::vector<std::byte>& out) noexcept : out_(&out) {}
  /// Writes into `room`. Throws `error` (fault) for a value that does not fit.
  explicit archive_writer(std::span<std::byte> room) noexcept : room_(room) {}
  struct counting {};
  /// Counts the bytes and writes none.
  explicit archive_writer(counting /*only*/) noexcept : counts_only_(true) {}

  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }

  /// Returns the bytes written into a room, or the count.
  [[nodiscard]] std::size_t bytes() const noexcept { return used_; }
  /// Returns whether the count is exact. Counts are not exact for foreign archives.
  [[nodiscard]] bool exact() const noexcept { return exact_; }

 private:
  void raw(const void* data, std::size_t bytes) {
    if (bytes == 0) return;
    if (out_ == nullptr) return raw_into_room(data, bytes);
    if (bytes > out_->max_size()) __builtin_unreachable();  // GCC 12 warns falsely
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
      const_cast<T&>(value).serialize(*this);  // one member serves both directions
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

/// Reads values back in the order in which they were written. Throws `error` (fault) if the bytes
/// end early, because writer and reader then disagree on the types.
class archive_reader {
 public:
  /// Reads from the front of `in`, which must outlive the reader.
  explicit archive_reader(std::span<const std::byte> in) : in_(in) {}

  template <class... T>
  void operator()(T&&... values) {
    (read(values), ...);
  }

  /// Returns the bytes that were not read yet.
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
      std::uint8_t present = 0;  // a bool could hold an invalid value
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
      value.assign(first, first + size);  // without zeroing first
      in_ = in_.subspan(size * sizeof(T));
    } else {
      value.resize(size);
      raw(value.data(), size * sizeof(T));
    }
  }

  /// Reads a length. Every element takes at least a byte, so a length above the remaining bytes is
  /// an error and must not allocate memory.
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
