// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/privatize/program_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/find_program.hpp"
#include "upwash/privatize/detail/elf_tables.hpp"
#include "upwash/privatize/detail/file_contents.hpp"

namespace upwash::privatize {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view build_it =
    "build it with upwash cc --privatize or upwash cxx --privatize";

/// Pointers that never change, and streams that a copy of serves as well as the first.
constexpr std::array may_be_copied{
    std::string_view("stdin"),     std::string_view("stdout"),     std::string_view("stderr"),
    std::string_view("environ"),   std::string_view("__environ"),  std::string_view("_ZSt3cin"),
    std::string_view("_ZSt4cout"), std::string_view("_ZSt4cerr"),  std::string_view("_ZSt4clog"),
    std::string_view("_ZSt4wcin"), std::string_view("_ZSt5wcout"), std::string_view("_ZSt5wcerr"),
    std::string_view("_ZSt5wclog")};

/// Tables of classes and descriptions of types are constant: one is as good as another.
bool can_be_copied(std::string_view name) {
  return name.starts_with("_ZT") || std::ranges::find(may_be_copied, name) != may_be_copied.end();
}

std::string found_as_shells_do(const std::string& name) {
  if (std::string at = find_program(name); !at.empty()) return at;
  throw error(error_kind::argument, fmt::format("cannot start '{}': no such program", name));
}

bool has_segment(std::span<std::byte> bytes, unsigned type) {
  return std::ranges::any_of(segments_of(bytes), [&](const segment& one) {
    return one.p_type == type && (type != PT_TLS || one.p_memsz != 0);
  });
}

}  // namespace

program_file::program_file(const std::string& name)
    : path_(found_as_shells_do(name)), bytes_(contents_of(path_)) {
  if (bytes_.empty() && access(path_.c_str(), R_OK) != 0) {
    throw error(error_kind::argument,
                fmt::format("cannot start '{}': {}", path_, std::strerror(errno)));
  }
  read();
}

void program_file::refuse(const std::string& why) const {
  throw error(error_kind::argument, fmt::format("--privatize: {} {}; {}", path_, why, build_it));
}

void program_file::read() {
  check_kind();
  take_dynamic();
  take_symbols();
  take_relocations();
}

void program_file::check_kind() {
  const std::span<std::byte> bytes(bytes_);
  if (!is_native(bytes)) refuse("is no program for this kind of machine");
  const file_header& header = header_of(bytes);
  if (header.e_type != ET_DYN) refuse("can be loaded at one address only");
  if (sections_of(bytes).empty()) refuse("has no table of its sections (sstrip)");
  if (has_segment(bytes, PT_INTERP) && has_segment(bytes, PT_TLS)) {
    refuse(
        "has thread_local variables, which lie in a program where copies of it cannot have them");
  }
}

void program_file::take_dynamic() {
  const std::span<std::byte> bytes(bytes_);
  for (const section& in : sections_of(bytes)) {
    if (in.sh_type != SHT_DYNAMIC || in.sh_link >= sections_of(bytes).size()) continue;
    const section& strings = sections_of(bytes)[in.sh_link];
    for (dynamic_entry& entry : entries_of<dynamic_entry>(bytes, in)) {
      const auto text = [&] { return std::string(text_in(bytes, strings, entry.d_un.d_val)); };
      switch (entry.d_tag) {
        case DT_NEEDED: libraries_.push_back(text()); break;
        case DT_RPATH:
        case DT_RUNPATH: folders_.push_back(text()); break;
        case DT_INIT_ARRAY: constructors_.offset = entry.d_un.d_ptr; break;
        case DT_FINI_ARRAY: destructors_.offset = entry.d_un.d_ptr; break;
        case DT_INIT_ARRAYSZ:
          constructors_.count = std::exchange(entry.d_un.d_val, 0) / sizeof(void*);
          break;
        case DT_FINI_ARRAYSZ:
          destructors_.count = std::exchange(entry.d_un.d_val, 0) / sizeof(void*);
          break;
        case DT_FLAGS_1:
          entry.d_un.d_val &= ~static_cast<decltype(entry.d_un.d_val)>(DF_1_PIE | DF_1_NOOPEN);
          break;
        default: break;
      }
    }
  }
  if (libraries_.empty()) refuse("is linked statically");
}

/// `main`, and variables that the dynamic linker would make one for the whole process.
void program_file::take_symbols() {
  const std::span<std::byte> bytes(bytes_);
  const auto sections = sections_of(bytes);
  for (const section& in : sections) {
    if ((in.sh_type != SHT_DYNSYM && in.sh_type != SHT_SYMTAB) || in.sh_link >= sections.size()) {
      continue;
    }
    for (symbol& one : entries_of<symbol>(bytes, in)) {
      if (one.st_shndx == SHN_UNDEF) continue;
      const unsigned type = one.st_info & 0xFU;
      const unsigned bound = one.st_info >> 4U;
      if (type == STT_FUNC && text_in(bytes, sections[in.sh_link], one.st_name) == "main") {
        main_ = one.st_value;
      }
      if (in.sh_type == SHT_DYNSYM && bound == STB_GNU_UNIQUE && is_writable(bytes, one.st_value)) {
        one.st_info = static_cast<unsigned char>((STB_GLOBAL << 4U) | type);
      }
    }
  }
  if (main_ == 0) refuse("does not say where its main is (it was stripped)");
}

void program_file::take_relocations() {
  const std::span<std::byte> bytes(bytes_);
  const auto sections = sections_of(bytes);
  for (const section& in : sections) {
    if (in.sh_type != SHT_RELA || in.sh_link >= sections.size() || (in.sh_flags & SHF_ALLOC) == 0) {
      continue;
    }
    const section& symbols = sections[in.sh_link];
    const auto names = entries_of<symbol>(bytes, symbols);
    if (names.empty() || symbols.sh_link >= sections.size()) continue;
    for (const relocation& one : entries_of<relocation>(bytes, in)) {
      const std::uint64_t number = ELF64_R_SYM(one.r_info);
      const auto type = static_cast<unsigned>(ELF64_R_TYPE(one.r_info));
      if (number == 0 || number >= names.size()) continue;
      const symbol& named = names[static_cast<std::size_t>(number)];
      const std::string_view name = text_in(bytes, sections[symbols.sh_link], named.st_name);
      if (type == copy_relocation) {
        if (!can_be_copied(name)) {
          refuse(fmt::format("takes the variable {} of a library for its own", name));
        }
        copied_.push_back({one.r_offset, static_cast<std::size_t>(named.st_size), name});
      }
      if (holds_address(type) && named.st_shndx == SHN_UNDEF) {
        slots_.push_back({one.r_offset, name});
      }
    }
  }
}

}  // namespace upwash::privatize
