// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that processes of one user on one host map: parts of a file in memory, which has no name
// and which no other user can open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace upwash::conduit::ucx {

/// A part of a process's file, as a peer on its host maps it.
struct file_part {
  std::int32_t pid = 0;
  std::int32_t fd = -1;  ///< -1: this memory is in no file
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// The file of this process: one descriptor, however many parts.
class memory_file {
 public:
  memory_file() = default;
  ~memory_file();
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;

  /// Appends a zeroed part of at least `bytes` bytes, in whole pages, and returns its address.
  /// Returns null on failure, with the reason in `why`.
  [[nodiscard]] std::byte* append(std::size_t bytes, file_part& part, std::string& why);
  /// Gives the memory of a part back to the kernel.
  void remove(std::byte* base, const file_part& part) noexcept;

 private:
  [[nodiscard]] bool open(std::string& why);

  int fd_ = -1;
  std::uint64_t end_ = 0;
};

/// Maps a part of the file of a process on this host. Returns null on failure, with the reason in
/// `why`.
[[nodiscard]] std::byte* map_part(const file_part& part, std::string& why) noexcept;
void unmap_part(std::byte* base, const file_part& part) noexcept;

}  // namespace upwash::conduit::ucx
