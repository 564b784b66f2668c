// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of a native ELF file in memory, each checked to lie within the file.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

namespace upwash::privatize {

using file_header = ElfW(Ehdr);
using segment = ElfW(Phdr);
using section = ElfW(Shdr);
using dynamic_entry = ElfW(Dyn);
using symbol = ElfW(Sym);
using relocation = ElfW(Rela);

#if defined(__x86_64__)
inline constexpr unsigned native_machine = EM_X86_64;
inline constexpr unsigned copy_relocation = R_X86_64_COPY;
[[nodiscard]] constexpr bool holds_address(unsigned type) noexcept {
  return type == R_X86_64_GLOB_DAT || type == R_X86_64_JUMP_SLOT || type == R_X86_64_64;
}
#elif defined(__aarch64__)
inline constexpr unsigned native_machine = EM_AARCH64;
inline constexpr unsigned copy_relocation = R_AARCH64_COPY;
[[nodiscard]] constexpr bool holds_address(unsigned type) noexcept {
  return type == R_AARCH64_GLOB_DAT || type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_ABS64;
}
#else
inline constexpr unsigned native_machine = EM_NONE;
inline constexpr unsigned copy_relocation = 0;
[[nodiscard]] constexpr bool holds_address(unsigned /*type*/) noexcept { return false; }
#endif

/// Returns the table; empty if it does not lie within `bytes` or is not aligned.
template <class Entry>
[[nodiscard]] std::span<Entry> table_at(std::span<std::byte> bytes, std::uint64_t offset,
                                        std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return {};
  std::byte* at = bytes.data() + offset;
  if (reinterpret_cast<std::uintptr_t>(at) % alignof(Entry) != 0) return {};
  return {reinterpret_cast<Entry*>(at), static_cast<std::size_t>(size / sizeof(Entry))};
}

[[nodiscard]] inline const file_header& header_of(std::span<std::byte> bytes) {
  return *reinterpret_cast<const file_header*>(bytes.data());
}

/// Returns whether the bytes are a native ELF file.
[[nodiscard]] inline bool is_native(std::span<std::byte> bytes) {
  constexpr unsigned char native_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  return bytes.size() >= sizeof(file_header) &&
         std::memcmp(bytes.data(), ELFMAG, static_cast<std::size_t>(SELFMAG)) == 0 &&
         header_of(bytes).e_ident[EI_CLASS] == native_class &&
         header_of(bytes).e_machine == native_machine;
}

[[nodiscard]] inline std::span<segment> segments_of(std::span<std::byte> bytes) {
  const file_header& header = header_of(bytes);
  return table_at<segment>(bytes, header.e_phoff, header.e_phnum * sizeof(segment));
}

[[nodiscard]] inline std::span<section> sections_of(std::span<std::byte> bytes) {
  const file_header& header = header_of(bytes);
  return table_at<section>(bytes, header.e_shoff, header.e_shnum * sizeof(section));
}

template <class Entry>
[[nodiscard]] std::span<Entry> entries_of(std::span<std::byte> bytes, const section& in) {
  return table_at<Entry>(bytes, in.sh_offset, in.sh_size);
}

/// Returns the text at `offset` of a string table; empty if there is none.
[[nodiscard]] inline std::string_view text_in(std::span<std::byte> bytes, const section& strings,
                                              std::uint64_t offset) {
  const std::span<char> all = table_at<char>(bytes, strings.sh_offset, strings.sh_size);
  if (offset >= all.size()) return {};
  const std::span<char> rest = all.subspan(static_cast<std::size_t>(offset));
  return {rest.data(), strnlen(rest.data(), rest.size())};
}

/// Returns whether the program writes to the address; false for data that is only relocated.
[[nodiscard]] inline bool is_writable(std::span<std::byte> bytes, std::uint64_t address) {
  bool writable = false;
  for (const segment& one : segments_of(bytes)) {
    if (address - one.p_vaddr >= one.p_memsz) continue;
    if (one.p_type == PT_GNU_RELRO) return false;
    if (one.p_type == PT_LOAD) writable = (one.p_flags & PF_W) != 0;
  }
  return writable;
}

}  // namespace upwash::privatize
