// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that a pretended engine reaches by itself: operations are carried out in any order, at
// polls of who began them, and told at the same or a later one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/conduit/wire/network_state.hpp"
#include "upwash/conduit/wire/transport.hpp"

namespace upwash::test {

class pretended_memory final : public conduit::wire::remote_access {
 public:
  pretended_memory(network_state& network, int self) : network_(network), self_(self) {}

  [[nodiscard]] atomic_set atomics() const noexcept override { return network_.options.atomics; }
  [[nodiscard]] memory_block allocate(std::size_t bytes, std::string& why) noexcept override;
  void release(const memory_block& block) noexcept override;
  [[nodiscard]] bool expose(std::span<const std::byte> span, memory_key& key,
                            std::string& why) noexcept override;
  void conceal(const memory_key& key) noexcept override;
  [[nodiscard]] bool import(int process, const memory_key& key, remote_memory& memory,
                            std::string& why) noexcept override;
  void forget(const remote_memory& /*memory*/) noexcept override {}

  injection put(int process, const remote_memory& to, std::size_t offset,
                std::span<const std::byte> from, conduit::completion* local) noexcept override;
  injection get(int process, const remote_memory& from, std::size_t offset, std::span<std::byte> to,
                conduit::completion* local) noexcept override;
  injection atomic(int process, const remote_memory& at, std::size_t offset,
                   const atomic_operation& operation, std::uint64_t* old,
                   conduit::completion* local) noexcept override;
  injection flush(int process, conduit::completion* when) noexcept override;

  /// Carries out what is due; how much.
  int poll();

 private:
  /// One put, get or atomic.
  struct transfer {
    enum class kind : std::uint8_t { put, get, atomic } what = kind::put;
    int process = -1;
    std::uint64_t block = 0;
    std::size_t offset = 0;
    std::span<const std::byte> from = {};
    std::vector<std::byte> copy = {};  ///< of `from`, which is the initiator's again
    std::span<std::byte> to = {};
    atomic_operation operation = {};
    std::uint64_t* old = nullptr;
    conduit::completion* local = nullptr;
    std::uint64_t number = 0;      ///< in the order in which they were begun
    std::uint64_t polls = 0;       ///< until it is carried out
    std::uint64_t told_polls = 0;  ///< until it is told: puts before or after, all else after
    bool carried_out = false;
    bool told = false;
  };
  struct waiting_flush {
    int process = -1;
    std::uint64_t before = 0;
    conduit::completion* when = nullptr;
    std::uint64_t polls = 0;
  };

  [[nodiscard]] injection begin(transfer one);
  void carry_out(transfer& one);
  [[nodiscard]] bool move(transfer& one);
  [[nodiscard]] bool is_complete(int process, std::uint64_t before) const;

  network_state& network_;
  const int self_;
  std::uint64_t begun_ = 0;
  std::vector<std::unique_ptr<transfer>> under_way_;
  std::vector<waiting_flush> flushes_;
};

}  // namespace upwash::test
