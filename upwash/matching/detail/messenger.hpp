// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The state of a rank's tagged messages: the two stores, what was sent and not yet received, and
// what each peer may still send before it must wait.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "upwash/core/completer.hpp"
#include "upwash/core/incoming.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/region.hpp"
#include "upwash/core/service.hpp"
#include "upwash/matching/engines/node_pool.hpp"
#include "upwash/matching/messages.hpp"
#include "upwash/matching/options.hpp"
#include "upwash/matching/store.hpp"

namespace upwash::matching::detail {

/// A receive. Pooled; from `receive` until its `receiving` goes.
struct posted : entry {
  enum class state : std::uint8_t { waiting, matched, complete };
  state now = state::waiting;
  bool truncated = false;
  std::span<std::byte> into;
  receipt got;
  request handle;
  completer end;
  messenger* owner = nullptr;
  std::uint64_t sender = 0;  ///< who is to be told once the bytes are fetched
  int sender_rank = -1;
  exposed_memory from;
  posted* next_free = nullptr;
};

/// A message that came before its receive. Pooled.
struct arrival : entry {
  std::vector<std::byte> bytes;  ///< of an eager one
  std::size_t size = 0;
  exposed_memory from;       ///< of one that is to be fetched
  std::uint64_t sender = 0;  ///< the send that wants to be told; 0: none
  int sender_rank = -1;
  bool eager = true;
  arrival* next_free = nullptr;
};

/// A send that is complete when the receiver says so. Pooled.
struct sending {
  exposed_memory memory;
  completer end;
  sending* next_free = nullptr;
};

/// What comes with a message; plain, in its line.
struct label {
  std::uint64_t team = 0;
  std::uint64_t sender = 0;
  std::int32_t member = 0;  ///< who sends, in the team
  std::int32_t tag = 0;
  std::uint64_t ready = 0;
};

class messenger final : public service_base {
 public:
  explicit messenger(job& here);

  void use(const message_options& chosen);

  [[nodiscard]] bool wants_progress() const override { return true; }
  int progress(int budget) override;
  [[nodiscard]] std::string describe_pending() const override;

  // -- Called by the rank ---------------------------------------------------------------------
  request send(const team& to, int destination, int tag, std::span<const std::byte> bytes,
               mode how);
  receiving receive(const team& from, int source, int tag, std::span<std::byte> into);
  static receiving receive_claimed(claimed_message&& claimed, std::span<std::byte> into);
  std::optional<receipt> probe(const team& from, int source, int tag);
  receipt wait_for_message(const team& from, int source, int tag);
  std::optional<claimed_message> claim(const team& from, int source, int tag);
  bool cancel(posted& p);
  void give_back(posted& p) { posts_.give_back(&p); }
  void drop(arrival& a);

  // -- Called by handlers ---------------------------------------------------------------------
  void eager_came(int sender_rank, const label& with, std::span<const std::byte> payload);
  void offer_came(int sender_rank, const label& with, const exposed_memory& from);
  void was_received(std::uint64_t sender);
  void room_came(int peer, std::uint64_t bytes) { peers_[peer].outstanding -= bytes; }

 private:
  /// What a peer and this rank owe each other in bytes of unexpected messages.
  struct balance {
    std::uint64_t outstanding = 0;  ///< sent and not yet known to be received
    std::uint64_t received = 0;     ///< received and not yet told
  };
  struct waiting_probe {
    envelope wanted;
    bool seen = false;
  };

  [[nodiscard]] envelope wanted_of(const team& from, int source, int tag, const char* call);
  [[nodiscard]] std::uint32_t context_of(std::uint64_t team);
  [[nodiscard]] entry* take(store& from, const envelope& wanted);
  [[nodiscard]] posted& new_post(const envelope& what, std::span<std::byte> into,
                                 std::uint64_t team);
  [[nodiscard]] static std::uint64_t charge_of(std::size_t bytes) noexcept {
    return bytes + sizeof(arrival);
  }

  void consume(posted& p, arrival& a);
  void deliver(posted& p, const receipt& got, std::span<const std::byte> payload);
  void fetch(posted& p);
  void complete(posted& p);
  void keep(arrival& a);
  void recycle(arrival& a);
  void return_room(int peer_rank, std::size_t bytes);
  void tell_sender(int sender_rank, std::uint64_t sender);
  static void fetched(void* context);

  job& here_;
  bool charges_;  ///< traversals cost virtual time
  message_options options_;
  std::uint64_t share_ = 0;  ///< of the unexpected memory, for each peer
  std::unique_ptr<store> posted_;
  std::unique_ptr<store> unexpected_;
  std::unordered_map<std::uint64_t, std::uint32_t> contexts_;  ///< by team; grows with teams
  std::uint64_t last_team_ = ~std::uint64_t{0};
  std::uint32_t last_context_ = 0;
  std::unordered_map<int, balance> peers_;  ///< those talked with
  std::vector<posted*> to_fetch_;           ///< matched in a handler
  std::vector<waiting_probe*> probes_;
  node_pool<posted> posts_;
  node_pool<arrival> arrivals_;
  node_pool<sending> sends_;
};

}  // namespace upwash::matching::detail
