// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The endpoint of one process over a transport: messages as packets, credits, memory, waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/early_messages.hpp"
#include "upwash/conduit/endpoint.hpp"
#include "upwash/conduit/patience.hpp"
#include "upwash/conduit/process_world.hpp"
#include "upwash/conduit/wire/detail/link.hpp"
#include "upwash/conduit/wire/detail/packet.hpp"
#include "upwash/conduit/wire/detail/span_reads.hpp"
#include "upwash/conduit/wire/transport.hpp"

namespace upwash::conduit::wire {

struct wire_options {
  std::string_view name;     ///< of the conduit
  std::uint32_t window = 0;  ///< messages of a lane to a process that it has not said it took; 0:
                             ///< by the number of processes
  bool burn = false;         ///< compute burns the time
  std::vector<int> nodes;    ///< of each process
  patience waits;
  waiter* instead = nullptr;  ///< idles in place of `waits`: where processes are pretended
};

/// As the knobs say. Collective over the processes.
[[nodiscard]] wire_options options_of(std::string_view name, bootstrap& boot,
                                      const settings& values);

/// One thread. Memory: 64 bytes for each process of the job, packets as many as were under way at
/// once.
class wire_endpoint final : public process_endpoint, private transport_user, private read_requests {
 public:
  /// `boot` outlives it.
  wire_endpoint(std::unique_ptr<transport> over, bootstrap& boot, wire_options options);

  [[nodiscard]] const capabilities& describe() const noexcept override { return can_; }
  [[nodiscard]] int world_size() const noexcept override { return ranks_.ranks(); }
  [[nodiscard]] int first_rank() const noexcept override { return first_rank_; }
  [[nodiscard]] int local_ranks() const noexcept override { return hosted_; }
  [[nodiscard]] location place(int rank) const noexcept override;
  void attach(int rank, sink* receiver) override;
  [[nodiscard]] const sink* receiver_of(int rank) const noexcept { return sinks_[local_of(rank)]; }

  injection send(const message& m, bool from_handler) override;
  injection prepare(int source, int destination, lane kind, std::size_t bytes,
                    reservation& room) override;
  void commit(const reservation& room, const message& m) override;
  void cancel(const reservation& room) override;
  void throttle(bool on) override;

  [[nodiscard]] memory_block allocate(int rank, std::size_t bytes) override;
  void release(int rank, const memory_block& block) override;
  [[nodiscard]] memory_key register_span(int rank, std::span<const std::byte> span) override;
  void deregister(int rank, const memory_key& key) override;
  [[nodiscard]] remote_memory import(int rank, int owner, const memory_key& key) override;
  void forget(int rank, const remote_memory& memory) override;
  injection put(int rank, const remote_memory& to, std::size_t offset,
                std::span<const std::byte> from, completions when,
                const put_signal* signal) override;
  injection get(int rank, const remote_memory& from, std::size_t offset, std::span<std::byte> to,
                completion* local) override;
  injection atomic(int rank, const remote_memory& at, std::size_t offset,
                   const atomic_operation& operation, std::uint64_t* old,
                   completions when) override;
  injection flush(int rank, int peer, completion* when) override;

  int poll(int rank) override;
  [[nodiscard]] int lost_rank() const noexcept override;
  void close(int rank) override;
  void idle(int rank, const wait_target& target, const wait_reason& reason) override;
  void begin_wait(int /*rank*/) override { options_.waits.reset(); }
  void yield(int rank) override;
  [[nodiscard]] duration now(int /*rank*/) const noexcept override { return steady_now() - start_; }
  void compute(int rank, duration time) override;

  void schedule_by(rank_scheduler& ranks) noexcept override { scheduler_ = &ranks; }
  int poll_for_all() override;
  /// The same for a thread that is not the one which waits.
  int poll_engine();
  void pause() noexcept override;
  void resumed() noexcept override { options_.waits.reset(); }

  /// Messages of a lane that no answer has said were taken; for tests.
  [[nodiscard]] std::uint32_t window() const noexcept { return options_.window; }
  /// What polls have found so far; for tests.
  [[nodiscard]] std::uint64_t happened() const noexcept { return happened_; }

 private:
  /// A payload that is being written where it travels.
  struct open_room {
    int source = 0;
    int destination = 0;
    lane kind = lane::request;
    outgoing* in = nullptr;
  };

  [[nodiscard]] int process_of(int rank) const noexcept { return ranks_.process_of(rank); }
  [[nodiscard]] const peer_capabilities& towards(int rank) const noexcept;
  [[nodiscard]] std::size_t local_of(int rank) const noexcept {
    return static_cast<std::size_t>(rank - first_rank_);
  }
  [[nodiscard]] link& link_of(int process) noexcept {
    return links_[static_cast<std::size_t>(process)];
  }
  [[nodiscard]] bool has_room_open(const link& to, int source, int destination, lane kind) const;
  [[nodiscard]] injection admit(link& to, int source, int destination, lane kind,
                                bool from_handler);
  void send_message(outgoing& out, int process, const message& m);
  void send_packet(outgoing& out, int process);
  static void packet_sent(completion& self) noexcept;
  [[nodiscard]] open_room close_room(const reservation& room);

  // transport_user
  [[nodiscard]] bool packet(int process, std::span<const std::byte> bytes) override;
  void lost(int process, std::string_view why) noexcept override;
  void unreachable(int process, std::string_view why) noexcept override;

  // read_requests
  [[nodiscard]] bool ask_for(int process, const read_request& what) override;
  [[noreturn]] void give_up(const std::string& why) override;

  [[nodiscard]] bool take(int process, const packet_header& header,
                          std::span<const std::byte> bytes);
  [[nodiscard]] bool deliver(const message& arrived);
  void hand_over(const message& m, std::size_t local);
  int take_own();
  void list(int process) noexcept;
  void tell_what_is_owed();
  void look_for_deaths() noexcept;
  void give_up_the_lost();

  std::unique_ptr<transport> over_;
  bootstrap& boot_;
  wire_options options_;
  rank_layout ranks_;
  int self_;
  int hosted_;
  int first_rank_;
  duration start_;
  capabilities can_;
  packet_pool pool_;
  std::vector<link> links_;          ///< by process, this one too
  std::vector<std::uint64_t> sent_;  ///< packets, by process
  std::vector<int> owing_;           ///< processes that may have to be told something
  outgoing* own_first_ = nullptr;    ///< from this process to itself, in order
  outgoing* own_last_ = nullptr;
  std::vector<open_room> rooms_;
  std::vector<sink*> sinks_;
  early_messages early_;
  span_table segments_;
  span_reads reads_;
  rank_scheduler* scheduler_ = nullptr;
  std::vector<std::uint64_t> aligned_;  ///< a packet that came at an odd address
  std::vector<int> came_;  ///< by local rank: messages since its last poll, with a scheduler
  int throttling_ = 0;     ///< ranks of this process that have it on
  int under_way_ = 0;      ///< packets that the transport holds
  int open_ranks_;         ///< that have not closed
  int lost_rank_ = -1;
  duration lost_since_;  ///< where one is
  bool polling_ = false;
  std::uint32_t polls_ = 0;
  std::uint64_t happened_ = 0;
};

}  // namespace upwash::conduit::wire
