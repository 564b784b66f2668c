// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/linked_mpi.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

namespace upwash::tools {
namespace {

/// A regular file in memory; empty where it cannot be read.
class mapped_file {
 public:
  explicit mapped_file(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about {};
    if (file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
      bytes_ = static_cast<std::size_t>(about.st_size);
      base_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0) close(file);
  }
  ~mapped_file() {
    if (base_ != MAP_FAILED) munmap(base_, bytes_);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;

  [[nodiscard]] std::string_view text() const noexcept {
    return base_ == MAP_FAILED ? std::string_view()
                               : std::string_view(static_cast<const char*>(base_), bytes_);
  }

 private:
  void* base_ = MAP_FAILED;
  std::size_t bytes_ = 0;
};

/// `count` values from `offset` on; fewer where the file ends.
template <class T>
std::vector<T> values_at(std::string_view file, std::size_t offset, std::size_t count) {
  if (offset > file.size()) return {};
  std::vector<T> values(std::min(count, (file.size() - offset) / sizeof(T)));
  if (!values.empty()) std::memcpy(values.data(), file.data() + offset, values.size() * sizeof(T));
  return values;
}

std::vector<std::string> needed_in(std::string_view file) {
  constexpr std::size_t most_segments = 1024;
  constexpr auto order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  constexpr auto word = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  const auto heads = values_at<ElfW(Ehdr)>(file, 0, 1);
  if (heads.empty() || std::memcmp(heads[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      heads[0].e_ident[EI_CLASS] != word || heads[0].e_ident[EI_DATA] != order ||
      heads[0].e_phentsize != sizeof(ElfW(Phdr))) {
    return {};
  }
  const auto segments = values_at<ElfW(Phdr)>(
      file, heads[0].e_phoff, std::min<std::size_t>(heads[0].e_phnum, most_segments));
  const auto dynamic = std::ranges::find(segments, ElfW(Word){PT_DYNAMIC}, &ElfW(Phdr)::p_type);
  if (dynamic == segments.end()) return {};
  const auto entries =
      values_at<ElfW(Dyn)>(file, dynamic->p_offset, dynamic->p_filesz / sizeof(ElfW(Dyn)));
  const auto strings = std::ranges::find(entries, ElfW(Sxword){DT_STRTAB}, &ElfW(Dyn)::d_tag);
  if (strings == entries.end()) return {};
  const auto address = strings->d_un.d_ptr;
  const auto holder = std::ranges::find_if(segments, [&](const ElfW(Phdr) & one) {
    return one.p_type == PT_LOAD && address >= one.p_vaddr && address - one.p_vaddr < one.p_filesz;
  });
  if (holder == segments.end()) return {};
  const std::size_t names = address - holder->p_vaddr + holder->p_offset;
  std::vector<std::string> needed;
  for (const ElfW(Dyn) & each : entries) {
    if (each.d_tag == DT_NULL) break;
    const std::size_t at = names + each.d_un.d_val;
    if (each.d_tag != DT_NEEDED || at >= file.size()) continue;
    needed.emplace_back(file.substr(at, file.find('\0', at) - at));
  }
  return needed;
}

}  // namespace

std::vector<std::string> needed_libraries(const std::string& path) {
  return needed_in(mapped_file(path).text());
}

std::string mpi_of_stranger(const std::string& path) {
  const mapped_file file(path);
  const auto needed = needed_in(file.text());
  const auto mpi = std::ranges::find_if(needed, [](const std::string& name) {
    return name.starts_with("libmpi.so") || name.starts_with("libmpich.so") ||
           name.starts_with("libmpi_mpifh.so") || name.starts_with("libmpi_usempi") ||
           name.starts_with("libmpichfort.so");
  });
  if (mpi == needed.end()) return {};
  const bool has_upwash =
      std::ranges::any_of(needed, [](const auto& name) { return name.starts_with("libupwash"); }) ||
      file.text().find("UPWASH_BOOT_CONTROL") != std::string_view::npos;  // a part of the program
  return has_upwash ? std::string() : *mpi;
}

}  // namespace upwash::tools
