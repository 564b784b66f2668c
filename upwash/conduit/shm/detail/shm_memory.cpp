// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of the endpoint: segments by direct access, private spans by reads.
#include <atomic>
#include <mutex>

#include "upwash/base/apply_atomic.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/word_copy.hpp"
#include "upwash/conduit/shm/detail/pages.hpp"
#include "upwash/conduit/shm/detail/shm_endpoint.hpp"

namespace upwash::conduit::shm_detail {

injection shm_endpoint::send_long(const message& m, const remote_memory& to, std::size_t offset,
                                  std::span<const std::byte> from, completion* /*local*/,
                                  bool from_handler) {
  const int process = process_of(m.destination);
  if (m.kind == lane::request && !from_handler && throttled(process)) {
    return injection::retry(retry_reason::throttled);
  }
  std::unique_lock guard(outbound_, std::defer_lock);
  if (m.kind == lane::memory) guard.lock();
  sender_ring& ring = out(process, m.kind);
  injection result = ring.probe(local_of(m.source), local_of(m.destination));
  if (result.what == outcome::done) {
    // The line's release store makes the data visible before the message.
    store_words(to.direct + offset, from.data(), from.size());
    result = ring.push(m, local_of(m.source), local_of(m.destination));
  }
  if (guard.owns_lock()) guard.unlock();
  if (result.what != outcome::done) return result;
  if (announced_to(process)) announce(process);
  if (m.kind == lane::memory) wake(process);
  return result;
}

memory_block shm_endpoint::allocate(int /*rank*/, std::size_t bytes) {
  return segments_.allocate(bytes);
}

void shm_endpoint::release(int /*rank*/, const memory_block& block) { segments_.release(block); }

memory_key shm_endpoint::register_span(int /*rank*/, std::span<const std::byte> span) {
  const std::lock_guard guard(inbound_);
  span_key key;
  key.huge = span.size() > reader_.attach_small() && pages_.mostly_huge(span);
  key.address = reinterpret_cast<std::uintptr_t>(span.data());
  key.bytes = span.size();
  key.name = server_.add(span);
  return key_of(key);
}

void shm_endpoint::deregister(int /*rank*/, const memory_key& key) {
  const std::lock_guard guard(inbound_);
  server_.remove(value_of<span_key>(key).name);
}

remote_memory shm_endpoint::import(int /*rank*/, int owner, const memory_key& key) {
  const int process = process_of(owner);
  try {
    return imports_.import(owner, process, mesh_.peer(process).pid, process == mesh_.self(), key);
  } catch (const error& problem) {
    if (problem.kind() == error_kind::system) wait_for_notice_of_death(boot_);
    throw;
  }
}

void shm_endpoint::forget(int /*rank*/, const remote_memory& memory) { imports_.forget(memory); }

injection shm_endpoint::put(int /*rank*/, const remote_memory& to, std::size_t offset,
                            std::span<const std::byte> from, completions /*when*/,
                            const put_signal* signal) {
  store_words(to.direct + offset, from.data(), from.size());
  // Done means visible: whatever this rank stores next is seen after it, the signal too.
  std::atomic_thread_fence(std::memory_order_release);
  if (signal != nullptr) {
    auto* word = reinterpret_cast<std::uint64_t*>(signal->memory->direct + signal->offset);
    std::atomic_ref<std::uint64_t>(*word).fetch_add(signal->add, std::memory_order_release);
  }
  return injection::done();
}

injection shm_endpoint::get(int /*rank*/, const remote_memory& from, std::size_t offset,
                            std::span<std::byte> to, completion* local) {
  if (from.direct == nullptr) {
    const imported& span = imports_.at(from.handle);
    return reader_.get(span, mesh_.peer(span.process).pid, offset, to, local);
  }
  load_words(to.data(), from.direct + offset, to.size());
  return injection::done();
}

bool shm_endpoint::read_aside(int /*rank*/, int owner, const memory_key& key, std::size_t offset,
                              std::span<std::byte> to) noexcept {
  if (kind_of(key) != key_kind::span) return false;
  const auto span = value_of<span_key>(key);
  if (offset > span.bytes || to.size() > span.bytes - offset) return false;
  return reader_.read_aside(mesh_.peer(process_of(owner)).pid, span.address + offset, to);
}

injection shm_endpoint::atomic(int /*rank*/, const remote_memory& at, std::size_t offset,
                               const atomic_operation& operation, std::uint64_t* old,
                               completions /*when*/) {
  const std::uint64_t before = apply_atomic(at.direct + offset, operation);
  if (old != nullptr) *old = before;
  return injection::done();
}

injection shm_endpoint::flush(int /*rank*/, int /*peer*/, completion* /*when*/) {
  // Stores are done in order here; the fence puts them before loads that follow.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return injection::done();
}

}  // namespace upwash::conduit::shm_detail
