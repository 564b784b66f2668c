// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory files. The kernel over-commits them into SIGBUS, so they are filled at once.
#include "upwash/conduit/shm/detail/memfd.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/group_limits.hpp"
#include "upwash/base/private_memfd.hpp"
#include "upwash/base/process.hpp"

namespace upwash::conduit::shm_detail {
namespace {

constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, Linux 5.14
constexpr int collapse = 25;        // MADV_COLLAPSE, Linux 6.1

std::string name_of(std::uint32_t serial) { return fmt::format("upwash-{:08x}", serial); }

bool out_of_descriptors(int why) noexcept { return why == EMFILE || why == ENFILE; }

/// What `make` gives; once more with the hard limit where the soft one was too low.
template <class Make>
int with_descriptors(const Make& make) {
  const int fd = make();
  if (fd >= 0 || errno != EMFILE) return fd;
  if (process::raise_descriptor_limit()) return make();
  errno = EMFILE;
  return -1;
}

/// Address space for `bytes` at an address aligned to `alignment`; mapped over by the caller.
std::byte* reserve(std::size_t bytes, std::size_t alignment) {
  const std::size_t whole = bytes + alignment;
  void* found = mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return nullptr;
  auto* base = static_cast<std::byte*>(found);
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  const std::size_t before = round_up(address, alignment) - address;
  if (before != 0) munmap(base, before);
  if (whole - before - bytes != 0) munmap(base + before + bytes, whole - before - bytes);
  return base + before;
}

}  // namespace

shared_memory::~shared_memory() {
  if (base_ != nullptr) munmap(base_, bytes_);
  if (fd_ >= 0) close(fd_);
}

shared_memory::shared_memory(shared_memory&& other) noexcept { *this = std::move(other); }

shared_memory& shared_memory::operator=(shared_memory&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(fd_, other.fd_);
  return *this;
}

shared_memory shared_memory::make(std::size_t bytes, std::uint32_t serial, std::string_view purpose,
                                  std::string_view knob, backing when) {
  shared_memory made;
  made.bytes_ = round_up(bytes, page_bytes());
  const auto lacking = [&](int why) {
    return system_error(fmt::format("no memory for {}: {} bytes wanted, {} available ({})", purpose,
                                    made.bytes_, available_memory(), knob),
                        why);
  };
  if (made.bytes_ > available_memory()) throw lacking(ENOMEM);
  const std::string name = name_of(serial);
  made.fd_ = with_descriptors([&] { return private_memfd(name.c_str()); });
  if (made.fd_ < 0 && out_of_descriptors(errno)) {
    throw system_error(fmt::format("no descriptor for {} of {} bytes (see ulimit -n, also -Hn)",
                                   purpose, made.bytes_),
                       errno);
  }
  if (made.fd_ < 0) throw lacking(errno);
  const auto size = static_cast<off_t>(made.bytes_);
  if (ftruncate(made.fd_, size) != 0) throw lacking(errno);
  made.map(0);
  if (when == backing::as_touched) return made;
  made.ask_for_huge_pages();
  if (const int refused = posix_fallocate(made.fd_, 0, size); refused != 0) throw lacking(refused);
  return made;
}

shared_memory shared_memory::open(int pid, int fd, std::uint32_t serial, std::size_t offset,
                                  std::size_t bytes) {
  const std::string path = fmt::format("/proc/{}/fd/{}", pid, fd);
  std::array<char, 64> target{};
  const ssize_t length = readlink(path.c_str(), target.data(), target.size() - 1);
  const std::string expected = "/memfd:" + name_of(serial);
  if (length > 0 && std::string_view(target.data()).substr(0, expected.size()) != expected) {
    throw error(error_kind::fault,
                fmt::format("{} is '{}', expected '{}': the peer has released this memory", path,
                            target.data(), expected));
  }
  shared_memory opened;
  opened.fd_ = with_descriptors([&] { return ::open(path.c_str(), O_RDWR | O_CLOEXEC); });
  if (opened.fd_ < 0 && out_of_descriptors(errno)) {
    throw system_error("no descriptor to reach a peer's memory (see ulimit -n, also -Hn)", errno);
  }
  if (opened.fd_ < 0 && errno == EACCES && prctl(PR_GET_DUMPABLE) != 1) {
    throw system_error(
        fmt::format(
            "cannot reach a peer's memory by {}: the kernel hides the processes of programs "
            "that their user may not read (mode 711), or that have set PR_SET_DUMPABLE to "
            "0; make the program file readable for its user",
            path),
        EACCES);
  }
  if (opened.fd_ < 0) {
    throw system_error(fmt::format("cannot reach a peer's memory by {} (all processes of a job "
                                   "must share user and pid namespace)",
                                   path),
                       errno);
  }
  opened.bytes_ = round_up(bytes, page_bytes());
  opened.map(offset);
  if (opened.bytes_ >= huge_page_bytes) madvise(opened.base_, opened.bytes_, MADV_HUGEPAGE);
  close(std::exchange(opened.fd_, -1));
  return opened;
}

/// They come only before the memory is there. The kernel puts small pages together to a huge one
/// if there is one at least; one alone is quickest: 16 MiB take 4 ms in place of 20.
void shared_memory::ask_for_huge_pages() noexcept {
  if (bytes_ < huge_page_bytes || madvise(base_, bytes_, MADV_HUGEPAGE) != 0) return;
  for (std::size_t at = 0; at + huge_page_bytes <= bytes_; at += huge_page_bytes) {
    if (madvise(base_ + at, page_bytes(), populate_write) != 0) return;
  }
  madvise(base_, bytes_, collapse);
}

void shared_memory::keep_from_children() const noexcept { madvise(base_, bytes_, MADV_DONTFORK); }

void shared_memory::map(std::size_t offset) {
  std::byte* at = bytes_ >= huge_page_bytes ? reserve(bytes_, huge_page_bytes) : nullptr;
  void* base = mmap(at, bytes_, PROT_READ | PROT_WRITE,
                    MAP_SHARED | (at != nullptr ? MAP_FIXED : 0), fd_, static_cast<off_t>(offset));
  if (base == MAP_FAILED) {
    throw system_error(fmt::format("cannot map {} bytes of shared memory", bytes_), errno);
  }
  base_ = static_cast<std::byte*>(base);
}

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace upwash::conduit::shm_detail
