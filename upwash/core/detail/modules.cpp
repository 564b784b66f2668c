// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/detail/modules.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <string_view>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/job.hpp"

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

/// How the id of a function names a module beside the first two: by this many numbers, and by the
/// upper bits of the offset, which leaves the offset 64 MiB.
constexpr std::uint64_t first_number = 2;
constexpr std::uint64_t numbers = 248;
constexpr unsigned offset_bits = 26;
constexpr std::uint32_t offset_mask = (std::uint32_t{1} << offset_bits) - 1;

struct mark {
  std::uint8_t number;
  std::uint32_t upper;  ///< in place
  friend bool operator==(const mark&, const mark&) = default;
};

mark mark_of(std::uint64_t build) noexcept {
  return {static_cast<std::uint8_t>(first_number + build % numbers),
          static_cast<std::uint32_t>(build >> 32U) & ~offset_mask};
}
static_assert(first_number + numbers <= conduit::core_module);

}  // namespace

module_table::module_table(const void* program) : program_(program) { scan(); }

void module_table::scan() {
  modules_.clear();
  const auto visit = [](dl_phdr_info* info, std::size_t, void* self) {
    auto& table = *static_cast<module_table*>(self);
    entry found;
    const std::string_view path(info->dlpi_name);
    std::uintptr_t low = UINTPTR_MAX;
    std::uintptr_t high = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& header = info->dlpi_phdr[i];
      if (header.p_type == PT_LOAD) {
        low = std::min(low, static_cast<std::uintptr_t>(info->dlpi_addr + header.p_vaddr));
        high = std::max(
            high, static_cast<std::uintptr_t>(info->dlpi_addr + header.p_vaddr + header.p_memsz));
      } else if (header.p_type == PT_NOTE) {
        found.notes = mix_bytes(found.notes, build_id(*info, header));
      }
    }
    if (low >= high) return 0;
    found.base = low;
    found.size = high - low;
    found.name = path.empty() ? "program" : std::string(path.substr(path.rfind('/') + 1));
    found.build = mix_bytes(found.notes, found.name) + found.size;
    table.modules_.push_back(std::move(found));
    return 0;
  };
  dl_iterate_phdr(visit, this);
  if (program_ != nullptr) put_program_first();
  const auto here = reinterpret_cast<std::uintptr_t>(&build_fingerprint);
  const auto own = std::find_if(modules_.begin(), modules_.end(),
                                [here](const entry& each) { return here - each.base < each.size; });
  own_at_ = own == modules_.end() ? extent{} : extent{own->base, own->size};
  program_at_ = {modules_.front().base, modules_.front().size};
  fingerprint_ = modules_.front().build;
  if (own_at_.base != 0) fingerprint_ = random_bits(fingerprint_, own->build, 0);
}

/// A function of the program is another one in each copy; ids mean the receiver's.
void module_table::put_program_first() {
  const auto address = reinterpret_cast<std::uintptr_t>(program_);
  const auto own = std::find_if(modules_.begin(), modules_.end(),
                                [=](const entry& each) { return address - each.base < each.size; });
  if (own == modules_.end()) return;
  entry program = *own;
  std::erase_if(modules_, [&](const entry& each) {
    return each.size == program.size && each.notes == program.notes;
  });
  program.name = "program";
  modules_.insert(modules_.begin(), std::move(program));
}

conduit::handler_id module_table::id_in(const entry& in, std::uintptr_t address) const {
  const auto offset = static_cast<std::uint32_t>(address - in.base);
  if (&in == &modules_.front()) return {offset, 0};
  if (in.base == own_at_.base) return {offset, 1};
  if (in.size > offset_mask) {
    throw error(error_kind::argument,
                fmt::format("handler at {:#x} of {}: handlers of libraries above 64 MiB have no "
                            "number; put them into the program, or a smaller library",
                            offset, in.name));
  }
  const mark its = mark_of(in.build);
  for (const entry& each : modules_) {
    if (each.base == in.base || each.base == own_at_.base || mark_of(each.build) != its) continue;
    if (&each == &modules_.front()) continue;
    throw error(error_kind::argument,
                fmt::format("handlers of {} and of {} cannot be told apart: their build ids are "
                            "alike in the bits that number modules; build one of them anew",
                            in.name, each.name));
  }
  return {offset | its.upper, its.number};
}

conduit::handler_id module_table::find(std::uintptr_t address) {
  if (const std::uintptr_t offset = address - own_at_.base; offset < own_at_.size) {
    return {static_cast<std::uint32_t>(offset), 1};
  }
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (const entry& each : modules_) {
      if (address - each.base < each.size) return id_in(each, address);
    }
    scan();  // loaded by dlopen since
  }
  throw error(error_kind::argument,
              fmt::format("handler at {:#x} lies in no module of this process", address));
}

const module_table::entry* module_table::holder_of(conduit::handler_id id,
                                                   std::uint32_t& offset) const {
  const mark wanted{id.module, id.offset & ~offset_mask};
  for (const entry& each : modules_) {
    const bool first = &each == &modules_.front();
    const bool own = each.base == own_at_.base;
    const bool named = id.module == 0   ? first
                       : id.module == 1 ? own
                                        : !first && !own && mark_of(each.build) == wanted;
    if (!named) continue;
    offset = id.module < first_number ? id.offset : id.offset & offset_mask;
    if (offset < each.size) return &each;
  }
  return nullptr;
}

const void* module_table::look_up(conduit::handler_id id) {
  std::uint32_t offset = 0;
  const entry* in = holder_of(id, offset);
  if (in == nullptr) {
    scan();
    in = holder_of(id, offset);
  }
  if (in != nullptr) return reinterpret_cast<const void*>(in->base + offset);
  throw error(
      error_kind::fault,
      fmt::format("a message names a handler at {:#x} of module {}, which is none of the {} "
                  "modules of this process: load the library that has the handler in every "
                  "rank, in the same build, before messages to it are sent",
                  id.offset, id.module, modules_.size()));
}

}  // namespace upwash::detail
