// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/c/detail/guard.hpp"
#include "interop/c/detail/requests.hpp"
#include "upwash/core/atomic.hpp"
#include "upwash/core/memory_access.hpp"

using namespace upwash::c;  // NOLINT: of this file alone
using upwash::atomic_kind;

namespace {

atomic_kind kind_of(upwash_atomic_kind kind) {
  switch (kind) {
    case UPWASH_LOAD: return atomic_kind::load;
    case UPWASH_STORE: return atomic_kind::store;
    case UPWASH_ADD: return atomic_kind::fetch_add;
    case UPWASH_SWAP: return atomic_kind::swap;
    case UPWASH_COMPARE_SWAP: return atomic_kind::compare_swap;
    case UPWASH_AND: return atomic_kind::fetch_and;
    case UPWASH_OR: return atomic_kind::fetch_or;
    case UPWASH_XOR: return atomic_kind::fetch_xor;
    case UPWASH_MIN_SIGNED: return atomic_kind::fetch_min_signed;
    case UPWASH_MAX_SIGNED: return atomic_kind::fetch_max_signed;
    case UPWASH_MIN_UNSIGNED: return atomic_kind::fetch_min_unsigned;
    case UPWASH_MAX_UNSIGNED: return atomic_kind::fetch_max_unsigned;
  }
  refuse(fmt::format("no kind {} of atomics: expected UPWASH_LOAD to UPWASH_MAX_UNSIGNED",
                     static_cast<int>(kind)));
}

template <class Word>
std::uint64_t run_atomic(const upwash_region& at, int member, std::uint64_t offset,
                         atomic_kind kind, std::uint64_t operand, std::uint64_t compare) {
  const auto place = at.memory.at(member, offset).as<Word>();
  return upwash::atomic(at.of->here, place, kind, static_cast<Word>(operand),
                        static_cast<Word>(compare));
}

}  // namespace

extern "C" {

int upwash_allocate(upwash_team* team, size_t bytes, upwash_region** made) {
  return guarded_by(team, "upwash_allocate", [&] {
    given(made, "made") = nullptr;
    *made = new upwash_region{team->of, upwash::allocate(team->members, bytes)};  // NOLINT
  });
}

int upwash_free(upwash_region** region) {
  if (region == nullptr) return UPWASH_ARGUMENT;
  return guarded_by(*region, "upwash_free", [&] {
    upwash::free((*region)->memory);
    delete std::exchange(*region, nullptr);  // NOLINT: made by upwash_allocate
  });
}

void* upwash_local(const upwash_region* region, size_t* bytes) {
  const auto mine = region == nullptr ? std::span<std::byte>() : region->memory.mine();
  if (bytes != nullptr) *bytes = mine.size();
  return mine.data();
}

int upwash_put(upwash_region* to, int member, uint64_t offset, const void* from, size_t bytes,
               upwash_request** request) {
  return guarded_by(to, "upwash_put", [&] {
    hand_over(*to->of,
              upwash::put(to->of->here, to->memory.at(member, offset), input(from, bytes, "from")),
              request);
  });
}

int upwash_get(upwash_region* from, int member, uint64_t offset, void* to, size_t bytes,
               upwash_request** request) {
  return guarded_by(from, "upwash_get", [&] {
    hand_over(*from->of,
              upwash::get(from->of->here, from->memory.at(member, offset), output(to, bytes, "to")),
              request);
  });
}

int upwash_put_later(upwash_region* to, int member, uint64_t offset, const void* from,
                     size_t bytes) {
  return guarded_by(to, "upwash_put_later", [&] {
    upwash::put(to->of->here, to->memory.at(member, offset), input(from, bytes, "from"),
                upwash::implicit);
  });
}

int upwash_get_later(upwash_region* from, int member, uint64_t offset, void* to, size_t bytes) {
  return guarded_by(from, "upwash_get_later", [&] {
    upwash::get(from->of->here, from->memory.at(member, offset), output(to, bytes, "to"),
                upwash::implicit);
  });
}

int upwash_quiet(upwash_job* job) {
  return guarded(job, "upwash_quiet", [&] { job->here.quiet(); });
}

int upwash_atomic(upwash_region* at, int member, uint64_t offset, int width,
                  upwash_atomic_kind kind, uint64_t operand, uint64_t compare, uint64_t* old) {
  return guarded_by(at, "upwash_atomic", [&] {
    if (width != 4 && width != 8) refuse(fmt::format("a word of {} bytes: expected 4 or 8", width));
    const auto run = width == 4 ? &run_atomic<std::uint32_t> : &run_atomic<std::uint64_t>;
    const std::uint64_t was = run(*at, member, offset, kind_of(kind), operand, compare);
    if (old != nullptr) *old = was;
  });
}

}  // extern "C"
