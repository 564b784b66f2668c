// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/checkpoint_header.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "upwash/base/archive.hpp"
#include "upwash/base/crc32c.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"

namespace upwash::objects {
namespace {

constexpr std::array<char, 8> magic{'u', 'p', 'w', 'a', 's', 'h', 'C', 'K'};
constexpr std::uint32_t order = 0x01020304U;
constexpr std::uint32_t swapped = 0x04030201U;
constexpr std::uint32_t version = 1;

/// At its beginning, in every version.
struct beginning {
  std::array<char, 8> magic{};
  std::uint32_t order = 0;
  std::uint32_t version = 0;
};

[[noreturn]] void complain(const std::string& path, const std::string& what) {
  throw error(error_kind::configuration, fmt::format("the checkpoint {} {}", path, what));
}

beginning beginning_of(std::span<const std::byte> text, const std::string& path) {
  beginning found;
  if (text.size() >= sizeof found) std::memcpy(&found, text.data(), sizeof found);
  if (found.magic != magic) {
    complain(path, "is no checkpoint: it does not begin as the first file of one does");
  }
  return found;
}

/// Where a header is written before it takes the place of the older.
std::string name_aside(const std::string& path) { return path + ".new"; }

struct data_file {
  std::uint64_t number = 0;
  std::uint64_t member = 0;
};

/// A number as it is written in names.
std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = failed == std::errc() && end == text.data() + text.size();
  if (!whole || fmt::to_string(number) != text) return std::nullopt;
  return number;
}

/// Of the end of a name: "NUMBER.MEMBER", nothing else.
std::optional<data_file> data_file_of(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto number = number_of(text.substr(0, dot));
  const auto member = number_of(text.substr(dot + 1));
  if (!number || !member) return std::nullopt;
  return data_file{*number, *member};
}

}  // namespace

std::string checkpoint_header::file_of(const std::string& path, std::uint64_t member) const {
  return fmt::format("{}.{}.{}", path, number, member);
}

file_sum checkpoint_header::total() const {
  file_sum all;
  for (const file_sum& each : files) {
    all.bytes += each.bytes;
    all.objects += each.objects;
  }
  return all;
}

namespace {

bool is_header(const std::string& path) {
  try {
    static_cast<void>(read_header(path));
    return true;
  } catch (const error&) {
    return false;
  }
}

}  // namespace

void remove_others(const checkpoint_header& now, const std::string& path) noexcept {
  unlink(name_aside(path).c_str());
  try {
    const std::filesystem::path whole(path);
    const std::string begins = whole.filename().string() + '.';
    const auto folder = whole.has_parent_path() ? whole.parent_path() : ".";
    for (const auto& each : std::filesystem::directory_iterator(folder)) {
      const std::string name = each.path().filename().string();
      if (!name.starts_with(begins)) continue;
      const auto file = data_file_of(std::string_view(name).substr(begins.size()));
      if (!file || (file->number == now.number && file->member < now.files.size())) continue;
      if (each.symlink_status().type() != std::filesystem::file_type::regular) continue;
      if (is_header(each.path())) continue;  // another checkpoint has taken that name for its path
      unlink(each.path().c_str());
    }
  } catch (const std::exception& failure) {
    log(log_level::info, "objects",
        fmt::format("old files of the checkpoint {} stay: {}", path, failure.what()));
  }
}

std::vector<std::byte> text_of(const checkpoint_header& header) {
  std::vector<std::byte> text;
  archive_writer archive(text);
  archive(beginning{magic, order, version}, header);
  archive(crc32c(text));
  return text;
}

checkpoint_header header_of(std::span<const std::byte> text, const std::string& path) {
  const beginning found = beginning_of(text, path);
  if (found.order == swapped) {
    complain(path, "was written on a machine of the other byte order");
  }
  if (found.order == order && found.version != version) {
    complain(path, fmt::format("is of version {}; this program reads version {}", found.version,
                               version));
  }
  std::uint32_t sum = 0;
  if (found.order != order || text.size() < sizeof found + sizeof sum) complain(path, "is damaged");
  std::memcpy(&sum, text.last(sizeof sum).data(), sizeof sum);
  text = text.first(text.size() - sizeof sum);
  if (crc32c(text) != sum) complain(path, "is damaged: its check sum is another");
  checkpoint_header header;
  archive_reader archive(text.subspan(sizeof found));
  archive(header);
  if (!archive.rest().empty()) complain(path, "is damaged: it is longer than it says");
  return header;
}

std::vector<std::byte> read_header(const std::string& path) {
  file_in file(path);
  std::vector<std::byte> text(std::min<std::uint64_t>(file.bytes(), sizeof(beginning)));
  file.read(text);
  static_cast<void>(beginning_of(text, path));  // before memory for all of it is asked for
  text.resize(file.bytes());
  file.read(std::span(text).subspan(sizeof(beginning)));
  return text;
}

void write_header(const checkpoint_header& header, const std::string& path) {
  const std::string aside = name_aside(path);
  file_out file(aside);
  file.write(text_of(header));
  file.finish();
  if (std::rename(aside.c_str(), path.c_str()) == 0) return;
  const int failed = errno;
  unlink(aside.c_str());
  throw system_error(fmt::format("the checkpoint {} cannot be renamed from {}", path, aside),
                     failed);
}

}  // namespace upwash::objects
