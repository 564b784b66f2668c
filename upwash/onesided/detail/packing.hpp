// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A piece of a layout on the wire: a head that says where its bytes lie at the target, then the
// bytes, one run behind the other. Strided: the shape, 16 bytes a level, and where in it the piece
// begins; lists: 8 bytes a run. And copies of rows, which both ends make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "upwash/base/word_copy.hpp"
#include "upwash/onesided/layout.hpp"

namespace upwash::detail {

/// Copies `count` runs of `bytes` bytes, `to_stride` and `from_stride` apart. A run of up to
/// `most_copied_by_words` bytes stores each aligned word once.
inline void copy_runs(std::byte* to, std::uint64_t to_stride, const std::byte* from,
                      std::uint64_t from_stride, std::uint64_t bytes,
                      std::uint64_t count) noexcept {
  const auto each = [&](auto copy) {
    for (std::uint64_t i = 0; i < count; ++i) copy(to + i * to_stride, from + i * from_stride);
  };
  using byte = std::byte;
  switch (bytes) {
    case 1: return each([](byte* t, const byte* f) { std::memcpy(t, f, 1); });
    case 2: return each([](byte* t, const byte* f) { std::memcpy(t, f, 2); });
    case 4: return each([](byte* t, const byte* f) { std::memcpy(t, f, 4); });
    case 8: return each([](byte* t, const byte* f) { std::memcpy(t, f, 8); });
    case 16: return each([](byte* t, const byte* f) { std::memcpy(t, f, 16); });
    case 32: return each([](byte* t, const byte* f) { std::memcpy(t, f, 32); });
    case 64: return each([](byte* t, const byte* f) { std::memcpy(t, f, 64); });
    case 128: return each([](byte* t, const byte* f) { std::memcpy(t, f, 128); });
    default: return each([bytes](byte* t, const byte* f) { store_words(t, f, bytes); });
  }
}

/// A row of local memory behind each other, and back.
inline void gather_row(std::byte* to, const std::byte* local, const run_row& row) noexcept {
  copy_runs(to, row.bytes, local + row.local, row.local_stride, row.bytes, row.count);
}
inline void scatter_row(std::byte* local, const std::byte* from, const run_row& row) noexcept {
  copy_runs(local + row.local, row.local_stride, from, row.bytes, row.bytes, row.count);
}

/// Bytes from the first of a row to its last at the target.
[[nodiscard]] inline std::uint64_t remote_span(const run_row& row) noexcept {
  return (row.count - 1) * row.remote_stride + row.bytes;
}

/// What one piece may hold.
struct piece_limits {
  std::size_t message = 0;   ///< bytes of head and data together, at least 256
  std::size_t data = 0;      ///< bytes of data
  std::size_t element = 1;   ///< which no piece cuts; it divides all runs
  bool carries_data = true;  ///< behind the head; else they come back
};

/// Cuts a layout into pieces, in order.
class packer {
 public:
  /// The layout is one that `measure` takes; a list stays while it is cut.
  packer(const layout& of, const piece_limits& limits);

  /// The next piece: makes `out` its head and, where pieces carry data, the bytes of `local`.
  /// Returns how many bytes it speaks of; 0 at the end. `first` is the walker where it begins.
  std::uint64_t next(std::vector<std::byte>& out, const std::byte* local, run_walker& first);

 private:
  std::uint64_t next_strided(std::vector<std::byte>& out);
  std::uint64_t next_list(std::vector<std::byte>& out);

  piece_limits limits_;
  bool is_list_;
  strided shape_;
  run_walker walker_;
  std::uint64_t position_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Makes a piece of runs that come one by one.
class list_builder {
 public:
  /// `message`: bytes of head and data together, at least 256.
  explicit list_builder(std::size_t message) noexcept : message_(message) {}

  /// Takes all of them; where even an empty piece has no room for all, as many as it has. 0: take
  /// the piece first.
  std::uint64_t add(std::uint64_t remote, std::span<const std::byte> from);
  [[nodiscard]] std::size_t runs() const noexcept { return words_.size(); }
  /// Makes `out` the piece, and is empty again.
  void take(std::vector<std::byte>& out);

 private:
  std::size_t message_;
  std::vector<std::uint64_t> words_;
  std::vector<std::byte> data_;
};

/// Reads a piece at the target. Throws `error` (fault) for bytes that no packer makes.
class piece_reader {
 public:
  explicit piece_reader(std::span<const std::byte> message);

  /// Of data, whether or not they are with the piece.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// The data, `bytes()` of them. Throws `error` (fault) where others are there.
  [[nodiscard]] std::span<const std::byte> data() const;
  /// The next row; its `local` is a position in the data, with its runs one behind the other.
  [[nodiscard]] bool next(run_row& row);

 private:
  std::span<const std::byte> rest_;  ///< entries of a list, then the data
  std::uint64_t entries_ = 0;
  std::uint64_t entry_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t given_ = 0;
  bool is_list_ = false;
  run_walker walker_;
};

}  // namespace upwash::detail
