// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files of a checkpoint: written to the disk completely or not at all, and read with checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upwash::objects {

/// Facts about a whole file.
struct file_sum {
  std::uint64_t bytes = 0;
  std::uint64_t objects = 0;
  std::uint32_t crc = 0;  ///< CRC-32C
  std::uint32_t unused = 0;

  friend bool operator==(const file_sum&, const file_sum&) = default;
};

/// A file that is removed again unless it is finished. Throws `error` (system).
class file_out {
 public:
  explicit file_out(std::string path);
  ~file_out();
  file_out(const file_out&) = delete;
  file_out& operator=(const file_out&) = delete;

  void write(std::span<const std::byte> bytes);
  /// Completes the file; it is then on the disk.
  void finish();
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint32_t crc() const noexcept { return crc_; }

 private:
  void flush();

  std::string path_;
  int file_;
  bool finished_ = false;
  std::vector<std::byte> waiting_;
  std::uint64_t bytes_ = 0;
  std::uint32_t crc_ = 0;
};

/// A regular file. Throws `error`: system if the disk fails, configuration if the file ends early.
class file_in {
 public:
  explicit file_in(std::string path);
  ~file_in();
  file_in(const file_in&) = delete;
  file_in& operator=(const file_in&) = delete;

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t left() const noexcept { return bytes_ - taken_; }
  void read(std::span<std::byte> into);
  /// Returns the checksum of the file; reading then starts at the beginning.
  [[nodiscard]] std::uint32_t crc();

 private:
  void fill();

  std::string path_;
  int file_;
  std::uint64_t bytes_ = 0;
  std::uint64_t taken_ = 0;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
};

/// Writes new and renamed names in the folder of `path` to the disk.
void sync_folder_of(const std::string& path);

}  // namespace upwash::objects
