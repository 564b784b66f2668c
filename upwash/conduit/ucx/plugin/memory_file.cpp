// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/ucx/plugin/detail/memory_file.hpp"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "upwash/base/private_memfd.hpp"

namespace upwash::conduit::ucx {
namespace {

constexpr const char* file_name = "upwash-ucx";

std::string reason(const std::string& action, int error) {
  return action + ": " + std::strerror(error);
}

std::byte* map(int fd, const file_part& part) noexcept {
  void* base = mmap(nullptr, part.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                    static_cast<off_t>(part.offset));
  return base == MAP_FAILED ? nullptr : static_cast<std::byte*>(base);
}

}  // namespace

memory_file::~memory_file() {
  if (fd_ >= 0) close(fd_);
}

bool memory_file::open(std::string& why) {
  if (fd_ >= 0) return true;
  fd_ = private_memfd(file_name);
  if (fd_ < 0) why = reason("no file in memory (see ulimit -n)", errno);
  return fd_ >= 0;
}

/// The kernel promises more than it has and kills who touches it: the file has its memory at once.
std::byte* memory_file::append(std::size_t bytes, file_part& part, std::string& why) {
  if (!open(why)) return nullptr;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  part = {static_cast<std::int32_t>(getpid()), fd_, end_, (bytes + page - 1) / page * page};
  const int refused =
      posix_fallocate(fd_, static_cast<off_t>(end_), static_cast<off_t>(part.bytes));
  std::byte* base = refused == 0 ? map(fd_, part) : nullptr;
  if (base == nullptr) {
    why = reason("no memory that the ranks of a host share", refused != 0 ? refused : errno);
    return nullptr;
  }
  end_ += part.bytes;
  return base;
}

void memory_file::remove(std::byte* base, const file_part& part) noexcept {
  munmap(base, part.bytes);
  fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(part.offset),
            static_cast<off_t>(part.bytes));
}

std::byte* map_part(const file_part& part, std::string& why) noexcept {
  const std::string path = "/proc/" + std::to_string(part.pid) + "/fd/" + std::to_string(part.fd);
  std::array<char, 64> target{};
  const ssize_t length = readlink(path.c_str(), target.data(), target.size() - 1);
  if (length > 0 &&
      !std::string_view(target.data()).starts_with(std::string("/memfd:") + file_name)) {
    why = path + " is '" + target.data() + "': the peer is gone";
    return nullptr;
  }
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    why = reason("cannot open a peer's memory by " + path, errno);
    return nullptr;
  }
  std::byte* base = map(fd, part);
  if (base == nullptr) why = reason("cannot map a peer's memory", errno);
  close(fd);
  return base;
}

void unmap_part(std::byte* base, const file_part& part) noexcept { munmap(base, part.bytes); }

}  // namespace upwash::conduit::ucx
