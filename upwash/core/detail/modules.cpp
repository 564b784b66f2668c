// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/detail/modules.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"

namespace upwash::detail {
namespace {

std::uint64_t mix_bytes(std::uint64_t seed, std::string_view bytes) {
  for (const char c : bytes) seed = random_bits(seed, static_cast<unsigned char>(c), bytes.size());
  return seed;
}

/// The linker's build id, or empty where the module has none.
std::string_view build_id(const dl_phdr_info& info, const ElfW(Phdr) & header) {
  const auto* at = reinterpret_cast<const char*>(info.dlpi_addr + header.p_vaddr);
  const char* end = at + header.p_memsz;
  const auto padded = [](std::size_t n) { return (n + 3U) & ~std::size_t{3}; };
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
    const char* name = at + sizeof *note;
    const char* bytes = name + padded(note->n_namesz);
    if (note->n_type == NT_GNU_BUILD_ID &&
        std::string_view(name, note->n_namesz) == std::string_view("GNU\0", 4)) {
      return {bytes, note->n_descsz};
    }
    at = bytes + padded(note->n_descsz);
  }
  return {};
}

}  // namespace

module_table::module_table() { scan(); }

void module_table::scan() {
  modules_.clear();
  fingerprint_ = 0;
  const auto visit = [](dl_phdr_info* info, std::size_t, void* self) {
    auto& table = *static_cast<module_table*>(self);
    entry found;
    const std::string_view path(info->dlpi_name);
    // The kernel's own module differs between nodes, and holds no handler.
    const bool counts = path.find("linux-vdso") == std::string_view::npos;
    std::uintptr_t low = UINTPTR_MAX;
    std::uintptr_t high = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& header = info->dlpi_phdr[i];
      if (header.p_type == PT_LOAD) {
        low = std::min(low, static_cast<std::uintptr_t>(info->dlpi_addr + header.p_vaddr));
        high = std::max(
            high, static_cast<std::uintptr_t>(info->dlpi_addr + header.p_vaddr + header.p_memsz));
      } else if (header.p_type == PT_NOTE && counts) {
        table.fingerprint_ = mix_bytes(table.fingerprint_, build_id(*info, header));
      }
    }
    if (low >= high) return 0;
    found.base = low;
    found.size = high - low;
    found.name = path.empty() ? "program" : std::string(path.substr(path.rfind('/') + 1));
    if (counts) table.fingerprint_ = mix_bytes(table.fingerprint_, found.name) + found.size;
    table.modules_.push_back(std::move(found));
    return 0;
  };
  dl_iterate_phdr(visit, this);
}

conduit::handler_id module_table::find(std::uintptr_t address) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (std::size_t i = 0; i < modules_.size() && i < conduit::core_module; ++i) {
      if (address - modules_[i].base < modules_[i].size) {
        return {static_cast<std::uint32_t>(address - modules_[i].base),
                static_cast<std::uint8_t>(i)};
      }
    }
    scan();  // loaded by dlopen since
  }
  throw error(error_kind::argument,
              fmt::format("handler at {:#x} lies in none of the first 254 modules of this process",
                          address));
}

void module_table::rescan_for(conduit::handler_id id) {
  scan();
  if (holds(id)) return;
  throw error(error_kind::fault,
              fmt::format("a message names handler {:#x} of module {}, but this process has {} "
                          "modules; all ranks must run the same build and load the same "
                          "libraries in the same order",
                          id.offset, id.module, modules_.size()));
}

std::string module_table::name_of(conduit::handler_id id) const {
  if (id.module >= modules_.size()) return fmt::format("module {}+{:#x}", id.module, id.offset);
  const entry& in = modules_[id.module];
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(in.base + id.offset), &info) != 0 &&
      info.dli_sname != nullptr) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> plain(
        abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status), &std::free);
    return status == 0 ? plain.get() : info.dli_sname;
  }
  return fmt::format("{}+{:#x}", in.name, id.offset);
}

}  // namespace upwash::detail
