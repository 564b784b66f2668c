// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/privatize/variable_watch.hpp"

#include <cxxabi.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "upwash/privatize/detail/elf_tables.hpp"
#include "upwash/privatize/detail/file_contents.hpp"

namespace upwash::privatize {
namespace {

/// Begins of names that are not the program's own: upwash, what it is made of, the language's.
constexpr std::array foreign_begins{std::string_view("_ZN6upwash"),
                                    std::string_view("_ZZN6upwash"),
                                    std::string_view("_ZZNK6upwash"),
                                    std::string_view("_ZSt"),
                                    std::string_view("_ZNSt"),
                                    std::string_view("_ZZNSt"),
                                    std::string_view("_ZZNKSt"),
                                    std::string_view("_ZGV"),
                                    std::string_view("_ZT"),
                                    std::string_view("_ZN3fmt"),
                                    std::string_view("_ZZN3fmt"),
                                    std::string_view("_ZN6spdlog"),
                                    std::string_view("_ZZN6spdlog"),
                                    std::string_view("_ZN5boost"),
                                    std::string_view("_ZN9__gnu_cxx"),
                                    std::string_view("_ZN10__cxxabiv1"),
                                    std::string_view("__"),
                                    std::string_view("completed.")};

bool is_foreign(std::string_view name) {
  // With an @: a variable of a library that the linker moved here.
  return name.empty() || name.find('@') != std::string_view::npos || name == "environ" ||
         std::ranges::any_of(foreign_begins,
                             [&](std::string_view begin) { return name.starts_with(begin); });
}

/// Where this process has its executable, and the calling thread that one's variables.
struct loaded_executable {
  std::byte* base = nullptr;
  std::byte* of_thread = nullptr;
};

loaded_executable find_executable() {
  loaded_executable found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<loaded_executable*>(result) = {reinterpret_cast<std::byte*>(info->dlpi_addr),
                                                    static_cast<std::byte*>(info->dlpi_tls_data)};
        return 1;  // the first is the executable
      },
      &found);
  return found;
}

std::string readable(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : symbol;
}

}  // namespace

variable_watch::variable_watch(bool watching) {
  if (!watching) return;
  std::vector<std::byte> file = contents_of("/proc/self/exe");
  const std::span<std::byte> bytes(file);
  if (!is_native(bytes)) return;
  const loaded_executable here = find_executable();
  const auto sections = sections_of(bytes);
  for (const section& in : sections) {
    if (in.sh_type != SHT_SYMTAB || in.sh_link >= sections.size()) continue;
    for (const symbol& one : entries_of<symbol>(bytes, in)) {
      const unsigned type = one.st_info & 0xFU;
      const std::string_view name = text_in(bytes, sections[in.sh_link], one.st_name);
      if (one.st_shndx == SHN_UNDEF || one.st_shndx >= SHN_LORESERVE || one.st_size == 0 ||
          is_foreign(name))
        continue;
      if (type == STT_TLS && here.of_thread != nullptr) {
        add(here.of_thread + one.st_value, one.st_size, std::string(name));
      } else if (type == STT_OBJECT && is_writable(bytes, one.st_value)) {
        add(here.base + one.st_value, one.st_size, std::string(name));
      }
    }
  }
}

void variable_watch::add(const std::byte* at, std::size_t bytes, std::string name) {
  bytes = std::min(bytes, most_bytes - bytes_);
  if (bytes == 0) return;
  bytes_ += bytes;
  variables_.push_back({at, bytes, std::move(name), {at, at + bytes}, {}, false});
}

void variable_watch::forgive() {
  for (variable& one : variables_) std::memcpy(one.seen.data(), one.at, one.bytes);
}

/// Another rank that changed a byte which this one has changed now; -1: none.
int variable_watch::blame_bytes(variable& one, int rank) {
  int other = -1;
  if (one.changed_by.empty()) one.changed_by.assign(one.bytes, -1);
  for (std::size_t i = 0; i < one.bytes; ++i) {
    if (one.at[i] == one.seen[i]) continue;
    if (one.changed_by[i] >= 0 && one.changed_by[i] != rank) other = one.changed_by[i];
    one.changed_by[i] = rank;
    one.seen[i] = one.at[i];
  }
  return other;
}

void variable_watch::blame(int rank, function_ref<void(const shared_variable&)> found) {
  for (variable& one : variables_) {
    if (std::memcmp(one.at, one.seen.data(), one.bytes) == 0) continue;
    const int other = blame_bytes(one, rank);
    if (other < 0 || std::exchange(one.told, true)) continue;
    found({readable(one.symbol), std::min(other, rank), std::max(other, rank)});
  }
}

}  // namespace upwash::privatize
