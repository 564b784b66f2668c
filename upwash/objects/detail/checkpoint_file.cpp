// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/checkpoint_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "upwash/base/crc32c.hpp"
#include "upwash/base/error.hpp"

namespace upwash::objects {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18U;

[[noreturn]] void fail(const std::string& path, const char* what) {
  const int number = errno;
  throw system_error(fmt::format("the checkpoint's file {} cannot be {}", path, what), number);
}

}  // namespace

file_out::file_out(std::string path)
    : path_(std::move(path)),
      file_(open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666)) {
  if (file_ < 0) fail(path_, "made");  // a pipe without a reader, too
  waiting_.reserve(buffer_bytes);
}

file_out::~file_out() {
  if (file_ >= 0) close(file_);
  if (!finished_) unlink(path_.c_str());
}

void file_out::write(std::span<const std::byte> bytes) {
  crc_ = crc32c(bytes, crc_);
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    const std::span<const std::byte> part =
        bytes.first(std::min(bytes.size(), buffer_bytes - waiting_.size()));
    waiting_.insert(waiting_.end(), part.begin(), part.end());
    bytes = bytes.subspan(part.size());
    if (waiting_.size() == buffer_bytes) flush();
  }
}

void file_out::flush() {
  std::span<const std::byte> left(waiting_);
  while (!left.empty()) {
    const ssize_t put = ::write(file_, left.data(), left.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(path_, "written");
    left = left.subspan(static_cast<std::size_t>(put));
  }
  waiting_.clear();
}

void file_out::finish() {
  flush();
  if (fsync(file_) != 0) fail(path_, "written");
  if (close(std::exchange(file_, -1)) != 0) fail(path_, "written");
  finished_ = true;
}

file_in::file_in(std::string path)
    // Of a pipe without a writer the opening would wait.
    : path_(std::move(path)), file_(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (file_ < 0) fail(path_, "read");
  struct stat about {};
  const bool known = fstat(file_, &about) == 0;
  if (known && S_ISREG(about.st_mode)) {
    bytes_ = static_cast<std::uint64_t>(about.st_size);
    return;
  }
  const int number = known ? 0 : errno;
  close(file_);
  errno = number;
  if (!known) fail(path_, "read");
  throw error(error_kind::configuration,
              fmt::format("the checkpoint's file {} is no regular file", path_));
}

file_in::~file_in() { close(file_); }

void file_in::fill() {
  buffer_.resize(buffer_bytes);
  begin_ = 0;
  ssize_t got = 0;
  do {
    got = ::read(file_, buffer_.data(), buffer_.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail(path_, "read");
  buffer_.resize(static_cast<std::size_t>(got));
}

void file_in::read(std::span<std::byte> into) {
  while (!into.empty()) {
    if (begin_ == buffer_.size()) fill();
    const std::size_t part = std::min(into.size(), buffer_.size() - begin_);
    if (part == 0 || part > left()) {
      throw error(error_kind::configuration,
                  fmt::format("the checkpoint's file {} ends early", path_));
    }
    std::memcpy(into.data(), buffer_.data() + begin_, part);
    begin_ += part;
    taken_ += part;
    into = into.subspan(part);
  }
}

std::uint32_t file_in::crc() {
  std::uint32_t sum = 0;
  for (fill(); !buffer_.empty(); fill()) sum = crc32c(buffer_, sum);
  if (lseek(file_, 0, SEEK_SET) != 0) fail(path_, "read");
  begin_ = buffer_.size();
  taken_ = 0;
  return sum;
}

void sync_folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) fail(folder, "opened");
  const int failed = fsync(file) == 0 ? 0 : errno;
  close(file);
  // Some file systems have no such thing as a folder on its way to the disk.
  if (failed == 0 || failed == EINVAL) return;
  errno = failed;
  fail(folder, "written");
}

}  // namespace upwash::objects
