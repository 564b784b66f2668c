// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "upwash/base/error.hpp"

namespace upwash {
namespace {

[[noreturn]] void refuse_output(const std::string& path, std::string_view reason) {
  throw error(error_kind::environment, fmt::format("cannot write {}: {}", path, reason));
}

/// Whether a new file in the place of this one would have another owner, or leave other names of
/// the same file with the old content.
bool must_stay(const struct stat& old) { return old.st_nlink > 1 || old.st_uid != geteuid(); }

}  // namespace

std::string link_target(const std::string& path) {
  constexpr int most_links = 40;
  std::filesystem::path target = path;
  for (int links = 0; links <= most_links; ++links) {
    std::error_code none;
    const auto next = std::filesystem::read_symlink(target, none);
    if (none) return target.string();
    // The links of /proc/PID/fd lead to open files, whose names may be gone.
    if (target.string().starts_with("/proc/")) return target.string();
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  refuse_output(path, std::strerror(ELOOP));
}

output_file::output_file(std::string path)
    : path_(std::move(path)), target_(link_target(path_)), stream_(this) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  open_place();
}

output_file::~output_file() {
  if (file_ >= 0) close(file_);
  if (!fresh_.empty()) unlink(fresh_.c_str());
}

void output_file::refuse(int error_number) const {
  refuse_output(path_, std::strerror(error_number));
}

void output_file::open_place() {
  struct stat old {};
  const bool exists = stat(target_.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) refuse(errno);
  if (!exists) return open_next_to(nullptr);
  if (S_ISDIR(old.st_mode)) refuse(EISDIR);
  if (!S_ISREG(old.st_mode)) return open_in_place(false);
  if (access(target_.c_str(), W_OK) != 0) refuse(errno);
  if (must_stay(old)) return open_in_place(true);
  open_next_to(&old);
}

void output_file::open_in_place(bool regular) {
  const int extra = regular ? O_TRUNC : O_NONBLOCK | O_NOCTTY;
  file_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC | extra);
  if (file_ < 0 && errno == ENXIO) refuse_output(path_, "nobody reads this FIFO");
  if (file_ < 0) refuse(errno);
  if (!regular) fcntl(file_, F_SETFL, fcntl(file_, F_GETFL) & ~O_NONBLOCK);
}

/// `old`: the file to replace, whose mode and group the new one gets; null: there is none.
void output_file::open_next_to(const struct stat* old) {
  constexpr int most_attempts = 100;
  for (int attempt = 0; file_ < 0 && attempt < most_attempts; ++attempt) {
    fresh_ = attempt == 0 ? fmt::format("{}.{}.part", target_, getpid())
                          : fmt::format("{}.{}-{}.part", target_, getpid(), attempt);
    file_ = open(fresh_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && errno != EEXIST) break;
  }
  const int why = errno;
  if (file_ < 0) {
    fresh_.clear();
    if (old == nullptr) refuse(why);
    return open_in_place(true);
  }
  if (old == nullptr) return;
  if (fchown(file_, static_cast<uid_t>(-1), old->st_gid) == 0 &&
      fchmod(file_, old->st_mode & 07777U) == 0) {
    return;
  }
  close(file_);
  unlink(std::exchange(fresh_, {}).c_str());
  open_in_place(true);
}

bool output_file::put(std::string_view text) noexcept {
  while (!text.empty() && failed_ == 0) {
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      failed_ = errno;
    }
  }
  return failed_ == 0;
}

bool output_file::put_buffer() noexcept {
  const std::string_view text(pbase(), static_cast<std::size_t>(pptr() - pbase()));
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return put(text);
}

int output_file::overflow(int next) {
  if (!put_buffer()) return traits_type::eof();
  if (next != traits_type::eof()) sputc(static_cast<char>(next));
  return traits_type::not_eof(next);
}

std::streamsize output_file::xsputn(const char* text, std::streamsize count) {
  if (count <= epptr() - pptr()) {
    std::memcpy(pptr(), text, static_cast<std::size_t>(count));
    pbump(static_cast<int>(count));
    return count;
  }
  return put_buffer() && put({text, static_cast<std::size_t>(count)}) ? count : 0;
}

int output_file::sync() { return put_buffer() ? 0 : -1; }

void output_file::write(std::string_view text) {
  xsputn(text.data(), static_cast<std::streamsize>(text.size()));
  if (failed_ != 0) refuse(failed_);
}

void output_file::finish() {
  if (!put_buffer()) refuse(failed_);
  if (!stream_) refuse(EIO);
  if (safe_ && !fresh_.empty() && fsync(file_) != 0) refuse(errno);
  if (close(std::exchange(file_, -1)) != 0) refuse(errno);
  if (fresh_.empty()) return;
  if (std::rename(fresh_.c_str(), target_.c_str()) != 0) refuse(errno);
  fresh_.clear();
}

void write_output(const std::string& path, std::string_view text) {
  output_file file(path);
  file.write(text);
  file.finish();
}

void check_output(const std::string& path) {
  const std::string target = link_target(path);
  struct stat old {};
  if (stat(target.c_str(), &old) != 0) {
    const output_file probe(path);  // the new file is removed again
    return;
  }
  if (S_ISDIR(old.st_mode)) refuse_output(path, std::strerror(EISDIR));
  if (access(target.c_str(), W_OK) != 0) refuse_output(path, std::strerror(errno));
}

}  // namespace upwash
