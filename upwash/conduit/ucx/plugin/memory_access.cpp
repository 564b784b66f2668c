// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/ucx/plugin/detail/memory_access.hpp"

#include <algorithm>
#include <cstring>

#include "upwash/base/word_copy.hpp"

namespace upwash::conduit::ucx {
namespace {

constexpr atomic_set offered{
    atomic_kind::load,   atomic_kind::store,        atomic_kind::add,     atomic_kind::fetch_add,
    atomic_kind::swap,   atomic_kind::compare_swap, atomic_kind::bit_and, atomic_kind::fetch_and,
    atomic_kind::bit_or, atomic_kind::fetch_or,     atomic_kind::bit_xor, atomic_kind::fetch_xor};

ucp_atomic_op_t operation_of(atomic_kind kind) {
  switch (kind) {
    case atomic_kind::store:
    case atomic_kind::swap: return UCP_ATOMIC_OP_SWAP;
    case atomic_kind::compare_swap: return UCP_ATOMIC_OP_CSWAP;
    case atomic_kind::bit_and:
    case atomic_kind::fetch_and: return UCP_ATOMIC_OP_AND;
    case atomic_kind::bit_or:
    case atomic_kind::fetch_or: return UCP_ATOMIC_OP_OR;
    case atomic_kind::bit_xor:
    case atomic_kind::fetch_xor: return UCP_ATOMIC_OP_XOR;
    default: return UCP_ATOMIC_OP_ADD;  // a load adds nothing
  }
}

std::uint64_t low_bytes(std::uint64_t value, std::size_t width) {
  return width == 8 ? value : value & 0xffffffffU;
}

}  // namespace

memory_access::memory_access(engine& through, int processes)
    : through_(through),
      own_(through.context(), through.settings().shares_memory),
      towards_(static_cast<std::size_t>(processes)) {}

memory_access::~memory_access() {
  for (const auto& [name, each] : chunks_) close(*each);
}

atomic_set memory_access::atomics() const noexcept { return offered; }

memory_block memory_access::allocate(std::size_t bytes, std::string& why) noexcept {
  return own_.allocate(bytes, why);
}

/// A chunk of this process is where it is. After the promise a chunk that cannot be mapped is an
/// error, since the layers above load and store it.
std::unique_ptr<memory_access::chunk> memory_access::open(int process, const memory_key& key,
                                                          std::string& why) noexcept {
  const auto front = value_of<segment_key>(key);
  const ucp_ep_h to = through_.endpoint_of(process);
  auto made = std::make_unique<chunk>();
  made->process = process;
  made->number = front.chunk;
  made->address = front.chunk_address;
  made->part = front.part;
  if (front.part.fd >= 0 && process == through_.self()) {
    made->mapped = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(front.chunk_address));
  } else if (front.part.fd >= 0 && through_.is_near(process)) {
    made->mapped = map_part(front.part, why);
    if (made->mapped == nullptr && promised_direct_) return nullptr;
  }
  const ucs_status_t status =
      to == nullptr ? UCS_ERR_UNREACHABLE
                    : ucp_ep_rkey_unpack(to, key.bytes.data() + sizeof front, &made->key);
  if (status == UCS_OK) return made;
  why = std::string("UCX does not take the key: ") + ucs_status_string(status);
  close(*made);
  return nullptr;
}

void memory_access::close(chunk& one) noexcept {
  if (one.key != nullptr) ucp_rkey_destroy(one.key);
  if (one.mapped != nullptr && one.process != through_.self()) unmap_part(one.mapped, one.part);
}

bool memory_access::import(int process, const memory_key& key, remote_memory& memory,
                           std::string& why) noexcept {
  const auto front = value_of<segment_key>(key);
  std::unique_ptr<chunk>& in = chunks_[{process, front.chunk}];
  if (in == nullptr) in = open(process, key, why);
  if (in == nullptr) {
    chunks_.erase({process, front.chunk});
    return false;
  }
  ++in->uses;
  imported* block = blocks_.take();
  block->in = in.get();
  block->address = front.address;
  block->direct = in->mapped != nullptr ? in->mapped + (front.address - in->address) : nullptr;
  memory.handle = reinterpret_cast<std::uintptr_t>(block);
  memory.direct = block->direct;
  return true;
}

void memory_access::forget(const remote_memory& memory) noexcept {
  auto* block = reinterpret_cast<imported*>(static_cast<std::uintptr_t>(memory.handle));
  let_go(*block->in);
  blocks_.give_back(block);
}

void memory_access::let_go(chunk& of) noexcept {
  if (--of.uses > 0) return;
  close(of);
  chunks_.erase({of.process, of.number});
}

memory_access::transfer& memory_access::begin(const imported& block, completion* told) {
  transfer& one = *transfers_.take();
  one.home = &through_;
  one.process = block.in->process;
  one.over = &over;
  one.told = told;
  one.by = this;
  one.in = block.in;
  ++block.in->uses;  // UCX needs its key until the end
  ++towards(one.process).begun;
  ++to_all_.begun;
  return one;
}

/// Of what is complete when its request is.
injection memory_access::finish(transfer& one, ucs_status_ptr_t request) {
  if (through_.is_under_way(one, request)) return injection::pending();
  give_back(one);
  return injection::done();
}

void memory_access::give_back(transfer& one) noexcept {
  if (one.in != nullptr) let_go(*one.in);
  transfers_.give_back(&one);
}

void memory_access::over(operation& self) noexcept {
  auto& one = static_cast<transfer&>(self);
  completion* const told = one.told;
  one.by->give_back(one);
  if (told != nullptr) told->tell(*told);
}

injection memory_access::put(int process, const remote_memory& to, std::size_t offset,
                             std::span<const std::byte> from, completion* local) noexcept {
  if (from.empty()) return injection::done();
  const imported& block = block_of(to);
  if (block.direct != nullptr) {
    store_words(block.direct + offset, from.data(), from.size());
    return injection::done();
  }
  const bool is_word = from.size() == 4 || from.size() == 8;
  if (is_word && (block.address + offset) % from.size() == 0) {
    return put_word(process, block, offset, from, local);
  }
  transfer& one = begin(block, local);
  const ucs_status_ptr_t request =
      ucp_put_nbx(through_.endpoint_of(process), from.data(), from.size(), block.address + offset,
                  block.in->key, &through_.sending(one));
  if (through_.is_under_way(one, request)) return injection::pending();
  // Copied, and on its way: done is what the target has.
  give_back(one);
  if (local != nullptr) copied_.push_back(local);
  return injection::pending();
}

/// A swap, because the owner's UCX stores the bytes of a put by memcpy where no device does.
injection memory_access::put_word(int process, const imported& block, std::size_t offset,
                                  std::span<const std::byte> from, completion* local) noexcept {
  transfer& one = begin(block, nullptr);
  std::uint64_t operand = 0;
  std::memcpy(&operand, from.data(), from.size());
  one.old = 0;
  ucp_request_param_t how = through_.sending(one);
  how.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER;
  how.datatype = ucp_dt_make_contig(from.size());
  how.reply_buffer = &one.old;
  const injection swapped =
      finish(one, ucp_atomic_op_nbx(through_.endpoint_of(process), UCP_ATOMIC_OP_SWAP, &operand, 1,
                                    block.address + offset, block.in->key, &how));
  // UCX has copied the operand.
  if (swapped.what == outcome::pending && local != nullptr) copied_.push_back(local);
  return swapped;
}

int memory_access::tell_copied() noexcept {
  int told = 0;
  for (; !copied_.empty(); ++told) {
    completion* const each = copied_.back();
    copied_.pop_back();
    each->tell(*each);
  }
  return told;
}

injection memory_access::get(int process, const remote_memory& from, std::size_t offset,
                             std::span<std::byte> to, completion* local) noexcept {
  if (to.empty()) return injection::done();
  const imported& block = block_of(from);
  if (block.direct != nullptr) {
    load_words(to.data(), block.direct + offset, to.size());
    return injection::done();
  }
  transfer& one = begin(block, local);
  return finish(one, ucp_get_nbx(through_.endpoint_of(process), to.data(), to.size(),
                                 block.address + offset, block.in->key, &through_.sending(one)));
}

/// Always one that fetches: without a result UCX tells when it has copied the operand.
injection memory_access::atomic(int process, const remote_memory& at, std::size_t offset,
                                const atomic_operation& operation, std::uint64_t* old,
                                completion* local) noexcept {
  const imported& block = block_of(at);
  transfer& one = begin(block, local);
  std::uint64_t* const result = old != nullptr ? old : &one.old;
  std::uint64_t operand = operation.kind == atomic_kind::load ? 0 : operation.operand;
  if (operation.kind == atomic_kind::compare_swap) {
    *result = low_bytes(operation.operand, operation.width);  // what is stored if it is equal
    operand = operation.compare;
  } else {
    *result = 0;  // all 8 bytes, where UCX writes 4
  }
  ucp_request_param_t how = through_.sending(one);
  how.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER;
  how.datatype = ucp_dt_make_contig(operation.width);
  how.reply_buffer = result;
  return finish(one, ucp_atomic_op_nbx(through_.endpoint_of(process), operation_of(operation.kind),
                                       &operand, 1, block.address + offset, block.in->key, &how));
}

void memory_access::flushed(operation& self) noexcept {
  const auto& one = static_cast<transfer&>(self);
  traffic& done = one.by->towards(one.process);
  done.flushed = std::max(done.flushed, one.until);
  over(self);
}

injection memory_access::flush(int process, completion* when) noexcept {
  traffic& all = towards(process);
  if (all.flushed == all.begun) return injection::done();
  transfer& one = *transfers_.take();
  one.home = &through_;
  one.process = process;
  one.over = &flushed;
  one.told = when;
  one.by = this;
  one.in = nullptr;
  one.until = all.begun;
  const ucs_status_ptr_t request =
      process < 0 ? ucp_worker_flush_nbx(through_.worker(), &through_.sending(one))
                  : ucp_ep_flush_nbx(through_.endpoint_of(process), &through_.sending(one));
  const injection answer = finish(one, request);
  if (answer.what == outcome::done) all.flushed = all.begun;
  return answer;
}

}  // namespace upwash::conduit::ucx
