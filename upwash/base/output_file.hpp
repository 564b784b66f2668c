// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files that a user names for output. Only a regular file is ever replaced: a symbolic link stays,
// and the file that it leads to is replaced; a device or a FIFO is written in place.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

struct stat;

namespace upwash {

/// Returns the path that a chain of symbolic links ends at, which may not exist; `path` itself when
/// it is no link. Throws `error` (environment) for a chain of more than 40 links.
[[nodiscard]] std::string link_target(const std::string& path);

/// One file that is written as a whole.
///
///     output_file page(path);
///     page.write(text);
///     page.finish();
///
/// A regular file, or one that does not exist, is written next to its place as PATH.PID.part, and
/// renamed by `finish`: readers see the old content or the new. A file that another user owns, that
/// has several names, or whose folder cannot be written is written in place, as devices and FIFOs
/// are. All functions throw `error` (environment) that names the path and the reason.
class output_file final : private std::streambuf {
 public:
  /// Opens the file. A FIFO that nobody reads is an error.
  explicit output_file(std::string path);
  /// Removes the new file unless `finish` has returned: the old one stays as it is.
  ~output_file() override;
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  void write(std::string_view text);
  /// For writers that take a stream. Errors are thrown by `finish`.
  [[nodiscard]] std::ostream& stream() noexcept { return stream_; }
  /// Forces a regular file to the disk before `finish` gives it its name.
  void keep_safe() noexcept { safe_ = true; }
  /// Writes the rest, and puts the file in its place. Once.
  void finish();

 private:
  int overflow(int next) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;
  bool put(std::string_view text) noexcept;
  bool put_buffer() noexcept;
  void open_place();
  void open_in_place(bool regular);
  void open_next_to(const struct stat* old);
  [[noreturn]] void refuse(int error_number) const;

  std::string path_;    ///< as the user has named it
  std::string target_;  ///< after symbolic links
  std::string fresh_;   ///< the new file; empty when the target is written in place
  int file_ = -1;
  int failed_ = 0;  ///< errno of the first write that failed
  bool safe_ = false;
  std::array<char, 16384> buffer_;
  std::ostream stream_;
};

/// Replaces the content of a file by `text`, as an output_file.
void write_output(const std::string& path, std::string_view text);

/// Throws `error` (environment) when `path` cannot be written. Changes nothing.
void check_output(const std::string& path);

}  // namespace upwash
