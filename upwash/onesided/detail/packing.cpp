// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/detail/packing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::detail {
namespace {

constexpr std::uint32_t list_form = 255;

/// First in each piece.
struct piece_head {
  std::uint32_t form = 0;     ///< levels, or list_form
  std::uint32_t entries = 0;  ///< of a list
  std::uint64_t first = 0;    ///< strided: bytes of the whole before the piece
  std::uint64_t bytes = 0;    ///< of data
};

struct wire_level {
  std::int64_t count = 0;
  std::int64_t stride = 0;
};

/// A run of a list in a word: offsets have 44 bits, as in a global pointer.
constexpr unsigned length_bits = 20;
constexpr std::uint64_t most_length = (std::uint64_t{1} << length_bits) - 1;
constexpr std::uint64_t word_of(const run_row& run) {
  return (run.remote << length_bits) | run.bytes;
}

template <class T>
void append(std::vector<std::byte>& to, const T& value) {
  const std::size_t at = to.size();
  to.resize(at + sizeof value);
  std::memcpy(to.data() + at, &value, sizeof value);
}

template <class T>
T take(std::span<const std::byte>& from) {
  T value;
  if (from.size() < sizeof value) {
    throw error(error_kind::fault,
                fmt::format("a piece of a layout ends {} bytes before its head does",
                            sizeof value - from.size()));
  }
  std::memcpy(static_cast<void*>(&value), from.data(), sizeof value);
  from = from.subspan(sizeof value);
  return value;
}

}  // namespace

packer::packer(const layout& of, const piece_limits& limits)
    : limits_(limits), is_list_(of.as_strided() == nullptr) {
  if (is_list_) {
    walker_ = run_walker(of.as_list());
    return;
  }
  footprint found;
  static_cast<void>(measure(of, found));
  bytes_ = found.bytes;
  shape_ = folded(*of.as_strided());
  walker_ = run_walker(shape_);
}

std::uint64_t packer::next(std::vector<std::byte>& out, const std::byte* local, run_walker& first) {
  out.clear();
  first = walker_;
  const std::uint64_t bytes = is_list_ ? next_list(out) : next_strided(out);
  if (!limits_.carries_data || bytes == 0) return bytes;
  std::size_t at = out.size();
  out.resize(at + bytes);
  run_walker from = first;
  run_row row;
  for (std::uint64_t left = bytes; left != 0 && from.next(row, left);) {
    gather_row(out.data() + at, local, row);
    at += row.bytes * row.count;
    left -= row.bytes * row.count;
  }
  return bytes;
}

std::uint64_t packer::next_strided(std::vector<std::byte>& out) {
  const std::size_t head = sizeof(piece_head) + sizeof(std::int64_t) +
                           static_cast<std::size_t>(shape_.levels) * sizeof(wire_level);
  std::size_t most = limits_.data;
  if (limits_.carries_data) most = std::min(most, limits_.message - head);
  const std::uint64_t bytes =
      std::min<std::uint64_t>(most / limits_.element * limits_.element, bytes_ - position_);
  if (bytes == 0) return 0;
  append(out, piece_head{static_cast<std::uint32_t>(shape_.levels), 0, position_, bytes});
  append(out, shape_.bytes);
  for (int i = 0; i < shape_.levels; ++i) {
    const stride_level& each = shape_.level[static_cast<std::size_t>(i)];
    append(out, wire_level{each.count, each.remote_stride});
  }
  walker_.skip(bytes);
  position_ += bytes;
  return bytes;
}

std::uint64_t packer::next_list(std::vector<std::byte>& out) {
  piece_head head{list_form, 0, 0, 0};
  append(out, head);
  run_row run;
  for (;;) {
    const std::size_t used = out.size() + sizeof(std::uint64_t);
    if (used > limits_.message || head.bytes >= limits_.data) break;
    std::uint64_t most = limits_.data - head.bytes;
    if (limits_.carries_data) {
      if (used + head.bytes >= limits_.message) break;
      most = std::min(most, limits_.message - used - head.bytes);
    }
    most = std::min(most, most_length) / limits_.element * limits_.element;
    if (!walker_.next(run, most, 1)) break;
    append(out, word_of(run));
    head.bytes += run.bytes;
    ++head.entries;
  }
  std::memcpy(out.data(), &head, sizeof head);
  return head.bytes;
}

std::uint64_t list_builder::add(std::uint64_t remote, std::span<const std::byte> from) {
  const std::size_t used =
      sizeof(piece_head) + words_.size() * sizeof(std::uint64_t) + data_.size();
  const std::uint64_t last = words_.empty() ? 0 : words_.back();
  const std::uint64_t length = last & most_length;
  const bool goes_on =
      length != 0 && (last >> length_bits) + length == remote && length < most_length;
  const std::size_t needed = used + (goes_on ? 0 : sizeof last);
  if (needed >= message_) return 0;
  const auto most =
      std::min<std::uint64_t>(message_ - needed, most_length - (goes_on ? length : 0));
  if (from.size() > most && !words_.empty()) return 0;  // whole in the next one, if it can
  const auto taken = std::min<std::uint64_t>(from.size(), most);
  if (goes_on) {
    words_.back() += taken;  // the length has the low bits
  } else {
    words_.push_back(word_of({.remote = remote, .bytes = taken}));
  }
  data_.insert(data_.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(taken));
  return taken;
}

void list_builder::take(std::vector<std::byte>& out) {
  out.clear();
  append(out, piece_head{list_form, static_cast<std::uint32_t>(words_.size()), 0, data_.size()});
  const auto words = std::as_bytes(std::span(words_));
  out.insert(out.end(), words.begin(), words.end());
  out.insert(out.end(), data_.begin(), data_.end());
  words_.clear();
  data_.clear();
}

piece_reader::piece_reader(std::span<const std::byte> message) : rest_(message) {
  const auto head = take<piece_head>(rest_);
  first_ = head.first;
  bytes_ = head.bytes;
  is_list_ = head.form == list_form;
  if (is_list_) {
    entries_ = head.entries;
    if (rest_.size() / sizeof(std::uint64_t) < entries_) {
      throw error(error_kind::fault, fmt::format("a piece of a layout with {} runs has {} bytes",
                                                 entries_, message.size()));
    }
    return;
  }
  strided shape;
  shape.bytes = take<std::int64_t>(rest_);
  shape.levels = static_cast<int>(std::min<std::uint32_t>(head.form, list_form));
  if (shape.levels <= strided::most_levels) {
    std::int64_t packed = shape.bytes;
    for (int i = 0; i < shape.levels; ++i) {
      const auto each = take<wire_level>(rest_);
      shape.level[static_cast<std::size_t>(i)] = {each.count, packed, each.stride};
      if (__builtin_mul_overflow(packed, each.count, &packed)) shape.levels = -1;
    }
  }
  footprint whole;
  if (!measure(shape, whole) || first_ > whole.bytes || bytes_ > whole.bytes - first_) {
    throw error(error_kind::fault,
                fmt::format("bytes {} to {} of a layout that is {}", first_, first_ + bytes_,
                            measure(shape, whole) ? "smaller" : problem_of(shape)));
  }
  walker_ = run_walker(shape);
  walker_.skip(first_);
}

std::span<const std::byte> piece_reader::data() const {
  const std::size_t before = entries_ * sizeof(std::uint64_t);
  if (rest_.size() - before != bytes_) {
    throw error(error_kind::fault, fmt::format("a piece of {} bytes of a layout came with {}",
                                               bytes_, rest_.size() - before));
  }
  return rest_.subspan(before);
}

bool piece_reader::next(run_row& row) {
  if (given_ == bytes_) return false;
  if (!is_list_) {
    if (!walker_.next(row, bytes_ - given_)) return false;
    row.local -= first_;
    given_ += row.bytes * row.count;
    return true;
  }
  if (entry_ == entries_) return false;
  std::uint64_t word = 0;
  std::memcpy(&word, rest_.data() + entry_ * sizeof word, sizeof word);
  ++entry_;
  row = {given_, word >> length_bits, word & most_length, 1, 0, 0};
  if (row.bytes == 0 || row.bytes > bytes_ - given_) {
    throw error(error_kind::fault, fmt::format("a run of {} bytes behind {} of the {} of a piece",
                                               row.bytes, given_, bytes_));
  }
  given_ += row.bytes;
  return true;
}

}  // namespace upwash::detail
