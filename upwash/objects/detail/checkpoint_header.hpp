// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The header file of a checkpoint, which names the others: magic, byte order, version, type, the
// size and checksum of each file, its own checksum. docs/decisions/0022.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "upwash/objects/detail/checkpoint_file.hpp"

namespace upwash::objects {

struct checkpoint_header {
  std::uint64_t number = 0;  ///< of this checkpoint among those at its path
  std::uint64_t index_bytes = 0;
  std::string type;
  std::vector<file_sum> files;  ///< by member

  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, index_bytes, type, files);
  }

  /// Returns the name of a member's file.
  [[nodiscard]] std::string file_of(const std::string& path, std::uint64_t member) const;
  [[nodiscard]] file_sum total() const;
};

/// Removes remains of earlier checkpoints at `path`, for example of a killed job: data files of
/// other numbers, or of members beyond those of `now`, and a header that was never renamed. Other
/// files are not touched. A file that cannot be removed stays: `now` is complete without its
/// removal.
void remove_others(const checkpoint_header& now, const std::string& path) noexcept;

[[nodiscard]] std::vector<std::byte> text_of(const checkpoint_header& header);
/// Throws `error` (configuration), with the path, if the text is no header of this version.
[[nodiscard]] checkpoint_header header_of(std::span<const std::byte> text, const std::string& path);
/// Returns the bytes of the file at `path`, if it may be a header. Throws `error`.
[[nodiscard]] std::vector<std::byte> read_header(const std::string& path);
/// Replaces the header atomically. Throws `error` (system).
void write_header(const checkpoint_header& header, const std::string& path);

}  // namespace upwash::objects
