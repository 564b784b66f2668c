// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that UCX reaches at peers: put, get, atomics and flush.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "upwash/base/object_pool.hpp"
#include "upwash/conduit/ucx/plugin/detail/chunk_store.hpp"
#include "upwash/conduit/ucx/plugin/detail/engine.hpp"
#include "upwash/conduit/wire/transport.hpp"

namespace upwash::conduit::ucx {

/// Memory of peers on this host is mapped, loaded and stored; all else are UCX's operations. All
/// atomics are UCX's, on all memory, so that one agent carries out those of a word: UCX takes the
/// same, processors or network cards, for all peers.
///
/// Memory: 48 bytes for each imported block, a key of UCX for each chunk of a peer, 24 bytes for
/// each process.
class memory_access final : public wire::remote_access {
 public:
  memory_access(engine& through, int processes);
  ~memory_access();
  memory_access(const memory_access&) = delete;
  memory_access& operator=(const memory_access&) = delete;

  [[nodiscard]] atomic_set atomics() const noexcept override;
  [[nodiscard]] memory_block allocate(std::size_t bytes, std::string& why) noexcept override;
  void release(const memory_block& block) noexcept override { own_.release(block); }
  [[nodiscard]] bool expose(std::span<const std::byte> span, memory_key& key,
                            std::string& why) noexcept override {
    return own_.expose(span, key, why);
  }
  void conceal(const memory_key& key) noexcept override { own_.conceal(key); }
  [[nodiscard]] bool import(int process, const memory_key& key, remote_memory& memory,
                            std::string& why) noexcept override;
  void forget(const remote_memory& memory) noexcept override;

  [[nodiscard]] bool is_direct_in_node() const noexcept override { return promised_direct_; }
  void promise_direct() noexcept { promised_direct_ = true; }

  injection put(int process, const remote_memory& to, std::size_t offset,
                std::span<const std::byte> from, completion* local) noexcept override;
  injection get(int process, const remote_memory& from, std::size_t offset, std::span<std::byte> to,
                completion* local) noexcept override;
  injection atomic(int process, const remote_memory& at, std::size_t offset,
                   const atomic_operation& operation, std::uint64_t* old,
                   completion* local) noexcept override;
  injection flush(int process, completion* when) noexcept override;

  /// Tells of puts whose buffers UCX has copied at once; how many.
  int tell_copied() noexcept;

 private:
  /// A chunk of a peer, with the blocks in it that are imported and the operations under way.
  struct chunk {
    ucp_rkey_h key = nullptr;
    int process = -1;
    std::uint32_t number = 0;
    int uses = 0;
    std::uint64_t address = 0;    ///< at the owner
    std::byte* mapped = nullptr;  ///< here; null: it is not
    file_part part;
  };
  /// A block of a peer. Its address is the handle.
  struct imported {
    imported* next = nullptr;  ///< in the pool
    chunk* in = nullptr;
    std::uint64_t address = 0;    ///< at the owner
    std::byte* direct = nullptr;  ///< here, where it is mapped
  };
  struct transfer : operation {
    transfer* next = nullptr;  ///< in the pool
    memory_access* by = nullptr;
    chunk* in = nullptr;
    std::uint64_t old = 0;    ///< of an atomic whose result nobody wants
    std::uint64_t until = 0;  ///< a flush: what it speaks for
  };
  /// Operations towards a process, or towards all, since the start.
  struct traffic {
    std::uint64_t begun = 0;
    std::uint64_t flushed = 0;  ///< of them, those that a flush has spoken for
  };

  [[nodiscard]] static const imported& block_of(const remote_memory& memory) noexcept {
    return *reinterpret_cast<const imported*>(static_cast<std::uintptr_t>(memory.handle));
  }
  [[nodiscard]] transfer& begin(const imported& block, completion* told);
  [[nodiscard]] injection finish(transfer& one, ucs_status_ptr_t request);
  [[nodiscard]] injection put_word(int process, const imported& block, std::size_t offset,
                                   std::span<const std::byte> from, completion* local) noexcept;
  void give_back(transfer& one) noexcept;
  void let_go(chunk& of) noexcept;
  static void over(operation& self) noexcept;
  static void flushed(operation& self) noexcept;

  [[nodiscard]] traffic& towards(int process) noexcept {
    return process < 0 ? to_all_ : towards_[static_cast<std::size_t>(process)];
  }

  [[nodiscard]] std::unique_ptr<chunk> open(int process, const memory_key& key,
                                            std::string& why) noexcept;
  void close(chunk& one) noexcept;

  engine& through_;
  chunk_store own_;
  bool promised_direct_ = false;
  std::map<std::pair<int, std::uint32_t>, std::unique_ptr<chunk>> chunks_;
  object_pool<imported> blocks_;
  object_pool<transfer> transfers_;
  std::vector<traffic> towards_;
  traffic to_all_;
  std::vector<completion*> copied_;
};

}  // namespace upwash::conduit::ucx
