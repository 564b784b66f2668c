// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that all ranks of a group reach, and memory of one rank.
#include <armci.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "interop/armci/detail/guard.hpp"
#include "upwash/core/control.hpp"

using namespace upwash::armci;  // NOLINT: of this file alone

namespace {

namespace control = upwash::control;

/// Why a member cannot take part in a collective call, for all of them: none goes on alone.
enum class objection : std::uint64_t { none, no_array, negative, unknown, under_way, not_same };

std::string_view text_of(objection why) {
  switch (why) {
    case objection::none: return "nothing";
    case objection::no_array: return "gives no array for the addresses";
    case objection::negative: return "wants a negative number of bytes; give 0 or more";
    case objection::unknown:
      return "gives an address that is not the start of memory that this group has from "
             "ARMCI_Malloc, or that was freed";
    case objection::under_way:
      return "has operations on it that it has not waited for; wait, or fence, before";
    case objection::not_same: return "frees other memory than another member";
  }
  return "";
}

code code_of(objection why) {
  if (why == objection::negative) return code::count;
  return why == objection::under_way || why == objection::not_same ? code::failed : code::address;
}

/// A member's objection, as a number: the largest of all members counts.
std::uint64_t vote(const upwash::team& among, objection why) {
  const auto rank = static_cast<std::uint64_t>(among.here().rank());
  return why == objection::none ? 0 : (rank + 1) << 8U | static_cast<std::uint64_t>(why);
}

void heed(std::uint64_t largest) {
  if (largest == 0) return;
  const auto why = static_cast<objection>(largest & 0xffU);
  throw refusal(code_of(why), fmt::format("rank {} {}", (largest >> 8U) - 1, text_of(why)));
}

void allocate_for(session& own, std::uint32_t group, void** addresses, armci_size_t bytes) {
  const upwash::team& among = own.groups.members(group);
  const auto why = addresses == nullptr ? objection::no_array
                   : bytes < 0          ? objection::negative
                                        : objection::none;
  std::array<std::uint64_t, 1> votes{vote(among, why)};
  control::all_reduce(among, votes, control::fold::most);
  heed(votes[0]);
  upwash::region made = upwash::allocate(among, static_cast<std::size_t>(bytes));
  upwash::publish_addresses(made);
  fetch_keys(made);
  for (int i = 0; i < among.size(); ++i) {
    addresses[i] = const_cast<void*>(upwash::address_at(made, i));
  }
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(among.size()));
  control::all_gather_values(among, static_cast<std::uint64_t>(bytes), std::span(sizes));
  own.keep({made, group, std::move(sizes)});
}

/// The allocation that begins at an own address; null: none.
allocation* starting_at(session& own, void* address) {
  const auto place = upwash::to_global(own.here, static_cast<const std::byte*>(address));
  const auto found = own.allocations.find(place.region_bits());
  const bool starts = place && place.offset() == 0 && found != own.allocations.end();
  return starts ? &found->second : nullptr;
}

/// A member whose part is empty has no address: the others know which memory it is.
void free_for(session& own, std::uint32_t group, void* address) {
  const upwash::team& among = own.groups.members(group);
  const allocation* mine = address != nullptr ? starting_at(own, address) : nullptr;
  const bool known = mine != nullptr && mine->group == group;
  const std::uint64_t bits = known ? mine->memory.id().bits() : 0;
  const auto why = address != nullptr && !known ? objection::unknown : objection::none;
  std::array<std::uint64_t, 3> votes{vote(among, why), bits, known ? ~bits : 0};
  control::all_reduce(among, votes, control::fold::most);
  heed(votes[0]);
  if (votes[1] == 0) return;  // empty everywhere
  if (votes[1] != ~votes[2]) {
    throw refusal(code_of(objection::not_same),
                  fmt::format("a rank {}", text_of(objection::not_same)));
  }
  if (!own.allocations.contains(votes[1])) {
    throw refusal(code::failed, "another member frees memory that this rank does not know");
  }
  const bool in_use = own.open.on(votes[1]);
  votes[0] = vote(among, in_use ? objection::under_way : objection::none);
  control::all_reduce(among, std::span(votes).first(1), control::fold::most);
  heed(votes[0]);
  own.drop(votes[1]);
}

/// ARMCI_Free is a call of all ranks: memory of a group is not for it.
void check_of_world(session& own, void* address) {
  const allocation* mine = address != nullptr ? starting_at(own, address) : nullptr;
  if (mine != nullptr && mine->group != group_book::world) {
    throw refusal(code::failed, "memory of a group; ARMCI_Free_group frees it");
  }
}

int allocate_in_world(const char* function, void** addresses, armci_size_t bytes) {
  return answer(function,
                [&](session& own) { allocate_for(own, group_book::world, addresses, bytes); });
}

int allocate_in_group(const char* function, void** addresses, armci_size_t bytes,
                      ARMCI_Group* group) {
  return answer(function, [&](session& own) {
    allocate_for(own, own.groups.number(group), addresses, bytes);
  });
}

int free_in_world(const char* function, void* address) {
  return answer(function, [&](session& own) {
    check_of_world(own, address);
    free_for(own, group_book::world, address);
  });
}

void* allocate_here(session& own, armci_size_t bytes) {
  if (bytes < 0) throw refusal(code::count, fmt::format("{} bytes; give 0 or more", bytes));
  if (bytes == 0) return nullptr;
  auto made = std::make_unique<std::byte[]>(static_cast<std::size_t>(bytes));
  void* address = made.get();
  own.local_memory.emplace(address, std::move(made));
  return address;
}

void check_access(session& own, void* address) {
  if (own.place(own.rank, address)) return;
  throw refusal(code::address, fmt::format("address {} is in no memory that this rank has from "
                                           "ARMCI_Malloc",
                                           address));
}

}  // namespace

extern "C" {

int PARMCI_Malloc(void** addresses, armci_size_t bytes) {
  return allocate_in_world("ARMCI_Malloc", addresses, bytes);
}

int PARMCI_Malloc_group(void** addresses, armci_size_t bytes, ARMCI_Group* group) {
  return allocate_in_group("ARMCI_Malloc_group", addresses, bytes, group);
}

// There is one kind of memory: the device is not looked at.
int PARMCI_Malloc_memdev(void** addresses, armci_size_t bytes, const char* /*device*/) {
  return allocate_in_world("ARMCI_Malloc_memdev", addresses, bytes);
}

int PARMCI_Malloc_group_memdev(void** addresses, armci_size_t bytes, ARMCI_Group* group,
                               const char* /*device*/) {
  return allocate_in_group("ARMCI_Malloc_group_memdev", addresses, bytes, group);
}

int PARMCI_Free(void* address) { return free_in_world("ARMCI_Free", address); }

int PARMCI_Free_memdev(void* address) { return free_in_world("ARMCI_Free_memdev", address); }

int PARMCI_Free_group(void* address, ARMCI_Group* group) {
  return answer("ARMCI_Free_group",
                [&](session& own) { free_for(own, own.groups.number(group), address); });
}

void* PARMCI_Malloc_local(armci_size_t bytes) {
  try {
    return allocate_here(session::in_armci(), bytes);
  } catch (...) {
    tell("ARMCI_Malloc_local");
    return nullptr;
  }
}

int PARMCI_Free_local(void* address) {
  return answer("ARMCI_Free_local", [&](session& own) {
    if (address != nullptr && own.local_memory.erase(address) == 0) {
      throw refusal(code::address, fmt::format("address {} is not from ARMCI_Malloc_local, or was "
                                               "freed",
                                               address));
    }
  });
}

// Memory is loaded and stored at any time; what comes behind the call is not moved before it.
void PARMCI_Access_begin(void* address) {
  must("ARMCI_Access_begin", [&](session& own) { check_access(own, address); });
  std::atomic_thread_fence(std::memory_order_acq_rel);
}

void PARMCI_Access_end(void* address) {
  std::atomic_thread_fence(std::memory_order_acq_rel);
  must("ARMCI_Access_end", [&](session& own) { check_access(own, address); });
}

void PARMCI_Copy(void* source, void* destination, int bytes) {
  must_in_job("ARMCI_Copy", [&](session& /*own*/) {
    if (bytes < 0) throw refusal(code::count, fmt::format("{} bytes; give 0 or more", bytes));
    if (bytes > 0) std::memmove(destination, source, static_cast<std::size_t>(bytes));
  });
}

}  // extern "C"

#pragma weak ARMCI_Malloc = PARMCI_Malloc
#pragma weak ARMCI_Malloc_group = PARMCI_Malloc_group
#pragma weak ARMCI_Malloc_memdev = PARMCI_Malloc_memdev
#pragma weak ARMCI_Malloc_group_memdev = PARMCI_Malloc_group_memdev
#pragma weak ARMCI_Free = PARMCI_Free
#pragma weak ARMCI_Free_memdev = PARMCI_Free_memdev
#pragma weak ARMCI_Free_group = PARMCI_Free_group
#pragma weak ARMCI_Malloc_local = PARMCI_Malloc_local
#pragma weak ARMCI_Free_local = PARMCI_Free_local
#pragma weak ARMCI_Access_begin = PARMCI_Access_begin
#pragma weak ARMCI_Access_end = PARMCI_Access_end
#pragma weak ARMCI_Copy = PARMCI_Copy
