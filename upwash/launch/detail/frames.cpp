// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/frames.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <utility>

#include "upwash/base/version.hpp"
#include "upwash/observe/standing.hpp"

namespace upwash::launch::detail {
namespace {

constexpr std::string_view greeting_start = "upwash agent ";
constexpr int protocol = 2;
constexpr std::size_t head_bytes = sizeof(std::uint32_t) + 1;
/// A line that is longer is no greeting.
constexpr std::size_t longest_line = 4096;

}  // namespace

std::string greeting() {
  // Frames carry values as they lie in memory: hosts must agree on that too.
  return fmt::format("{}{} {}-{}-{}", greeting_start, UPWASH_VERSION, protocol,
                     std::endian::native == std::endian::little ? "little" : "big",
                     sizeof(observe::standing));
}

void append_frame(std::vector<std::byte>& out, const frame& one) {
  if (one.payload.size() >= largest_frame) {
    throw error(error_kind::fault,
                fmt::format("a frame of {} bytes between hosts: at most {} are sent at once",
                            one.payload.size(), largest_frame));
  }
  const auto length = static_cast<std::uint32_t>(one.payload.size() + 1);
  archive_writer write(out);
  write(length, one.kind);
  out.insert(out.end(), one.payload.begin(), one.payload.end());
}

void frame_reader::add(std::span<const std::byte> bytes) {
  kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(taken_));
  taken_ = 0;
  kept_.insert(kept_.end(), bytes.begin(), bytes.end());
}

std::optional<frame> frame_reader::next() {
  const std::span<const std::byte> left = std::span(kept_).subspan(taken_);
  if (left.size() < head_bytes) return std::nullopt;
  std::uint32_t length = 0;
  std::memcpy(&length, left.data(), sizeof length);
  const auto kind = std::to_integer<std::uint8_t>(left[sizeof length]);
  if (length < 1 || length > largest_frame || kind > static_cast<std::uint8_t>(last_frame_kind)) {
    throw error(
        error_kind::fault,
        fmt::format("bytes that are no frame of upwash (length {}, kind {})", length, kind));
  }
  if (left.size() < sizeof length + length) return std::nullopt;
  const auto payload = left.subspan(head_bytes, length - 1);
  taken_ += sizeof length + length;
  return frame{static_cast<frame_kind>(kind), {payload.begin(), payload.end()}};
}

std::size_t greeting_finder::add(std::span<const std::byte> bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && !found_) {
    const char one = static_cast<char>(bytes[taken++]);
    if (one != '\n' && line_.size() < longest_line) {
      line_ += one;
    } else if (one == '\n' && line_.starts_with(greeting_start)) {
      found_ = true;
    } else {
      if (!line_.empty()) foreign_.push_back(std::exchange(line_, {}));
      if (one != '\n') line_ += one;
    }
  }
  return taken;
}

std::vector<std::string> greeting_finder::take_foreign(bool ended) {
  if (ended && !found_ && !line_.empty()) foreign_.push_back(std::exchange(line_, {}));
  return std::exchange(foreign_, {});
}

}  // namespace upwash::launch::detail
