// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/armci/detail/session.hpp"

#include <atomic>

#include "interop/armci/detail/guard.hpp"
#include "upwash/base/process.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/onesided/accumulate.hpp"
#include "upwash/runtime/privatized.hpp"

namespace upwash::armci {
namespace {

// docs/decisions/0016-ranks-behind-c-names.md. A thread finds the only rank there is, by the first
// two; or, where a process hosts copies of the program, the one whose code runs, in the table.
constinit thread_local session* of_thread = nullptr;
constinit std::atomic<session*> of_process = nullptr;
constinit std::atomic<session**> of_ranks = nullptr;  ///< by rank; stays

/// A process that ends in good order leaves the job; one between ARMCI_Init and ARMCI_Finalize does
/// not, so that whoever started it says so.
void leave_at_end() {
  const session* own = session::current();
  if (own != nullptr && own->begun == 0) session::leave();
}

/// Where a rank of several in this process has its session. One thread drives them.
session** place_of_rank(int rank, int size) {
  if (of_ranks.load() == nullptr) of_ranks.store(new session* [static_cast<std::size_t>(size)] {});
  return &of_ranks.load()[rank];
}

}  // namespace

session::session()
    : joined(attach(0, nullptr)),
      here(joined.job()),
      world(here.world()),
      rank(here.rank()),
      size(here.size()),
      groups(world) {}

session::~session() = default;

session* session::current() noexcept {
  if (session** all = of_ranks.load(std::memory_order_relaxed)) [[unlikely]] {
    const int rank = process::current_rank();
    return rank < 0 ? nullptr : all[rank];
  }
  if (of_thread == nullptr) of_thread = of_process.load(std::memory_order_acquire);
  return of_thread;
}

session& session::in_job() {
  if (session* own = current()) return *own;
  auto* made = new session;  // NOLINT: until `leave`
  if (privatized()) {
    *place_of_rank(made->rank, made->size) = made;
  } else {
    of_thread = made;
    of_process.store(made, std::memory_order_release);
  }
  at_end_of_rank(&leave_at_end);
  return *made;
}

session& session::in_armci() {
  session* own = current();
  if (own == nullptr || own->begun == 0) {
    throw refusal(code::failed, "called outside ARMCI_Init and ARMCI_Finalize");
  }
  return *own;
}

void session::leave() {
  session* own = current();
  if (privatized()) {
    *place_of_rank(own->rank, own->size) = nullptr;
  } else {
    of_thread = nullptr;
    of_process.store(nullptr, std::memory_order_release);
  }
  delete own;  // NOLINT: made by in_job
}

void session::begin() {
  if (!notices) {
    notices = notifications(world);
    counts.resize(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) notices.notify(i).detach();
    for (int i = 0; i < size; ++i) notices.wait_for(i);
    // The first sum at a rank asks for the key of its locks; the second one is answered behind it.
    region words = allocate(world, sizeof(std::int64_t));
    const std::int64_t nothing = 0;
    for (int i = 0; i < 2 * size; ++i) {
      accumulate(here, words.at<std::int64_t>(i % size), std::span(&nothing, 1)).wait();
    }
    here.quiet(call_site{});
    control::barrier_by_messages(world);
    upwash::free(words);
  }
  control::barrier(world);
}

global_ptr<std::byte> session::find_place(int proc, const void* address) {
  const global_ptr<std::byte> found = global_at(here, proc, address);
  const auto at = allocations.find(found.region_bits());
  if (!found || at == allocations.end()) return found;
  const int member = at->second.memory.members().member_of(proc);
  const auto offset = static_cast<std::ptrdiff_t>(found.offset());
  recent_ = {proc, reinterpret_cast<std::uintptr_t>(address) - found.offset(),
             at->second.bytes[static_cast<std::size_t>(member)], found - offset};
  return found;
}

void session::drop(std::uint64_t region) {
  const auto going = allocations.find(region);
  recent_ = {};
  upwash::free(going->second.memory);
  allocations.erase(going);
}

void fetch_keys(const region& of) {
  const team among = of.members();
  job& here = among.here();
  for (int i = 0; i < among.size(); ++i) get(here, of.at(i), {}, implicit);
  here.quiet(call_site{});
  control::barrier_by_messages(among);
}

}  // namespace upwash::armci
