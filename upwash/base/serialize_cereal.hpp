// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Adds all types that cereal serializes as types of arguments and items: maps, sets, smart
// pointers, types with save and load outside of them. Needs cereal installed, and the headers of
// cereal/types for the types in use. Include it before the first use of such a type, in every file
// that sends or handles the type.
#pragma once

#include <cereal/archives/binary.hpp>
#include <cstddef>
#include <istream>
#include <ostream>
#include <span>
#include <streambuf>
#include <string>
#include <vector>

#include "upwash/base/archive.hpp"
#include "upwash/base/error.hpp"

namespace upwash {
namespace detail {

/// Appends the written bytes to a vector.
class appending_buffer final : public std::streambuf {
 public:
  explicit appending_buffer(std::vector<std::byte>& out) : out_(out) {}

 private:
  std::streamsize xsputn(const char* from, std::streamsize count) override {
    const auto bytes = std::as_bytes(std::span(from, static_cast<std::size_t>(count)));
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    return count;
  }
  int_type overflow(int_type one) override {
    if (traits_type::eq_int_type(one, traits_type::eof())) return traits_type::not_eof(one);
    out_.push_back(static_cast<std::byte>(traits_type::to_char_type(one)));
    return one;
  }

  std::vector<std::byte>& out_;
};

/// Reads a span in place.
class reading_buffer final : public std::streambuf {
 public:
  explicit reading_buffer(std::span<const std::byte> in) {
    char* first = const_cast<char*>(reinterpret_cast<const char*>(in.data()));  // never written
    setg(first, first, first + in.size());
  }
  [[nodiscard]] std::size_t taken() const { return static_cast<std::size_t>(gptr() - eback()); }
};

template <class T>
inline constexpr bool cereal_serializes =
    cereal::traits::is_output_serializable<T, cereal::BinaryOutputArchive>::value&&
        cereal::traits::is_input_serializable<T, cereal::BinaryInputArchive>::value;

}  // namespace detail

template <class T>
requires detail::cereal_serializes<T>
struct foreign_archive<T> {
  static void write(std::vector<std::byte>& out, const T& value) {
    detail::appending_buffer buffer(out);
    std::ostream stream(&buffer);
    cereal::BinaryOutputArchive archive(stream);
    archive(value);
  }

  static std::size_t read(std::span<const std::byte> in, T& value) {
    detail::reading_buffer buffer(in);
    std::istream stream(&buffer);
    cereal::BinaryInputArchive archive(stream);
    try {
      archive(value);
    } catch (const cereal::Exception& failure) {
      throw error(error_kind::fault, std::string("archive: cereal says: ") + failure.what());
    }
    return buffer.taken();
  }
};

}  // namespace upwash
