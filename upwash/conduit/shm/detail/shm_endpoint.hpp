// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The endpoint of one process: its rings to and from every process of the job (itself too),
// memory, private reads, and how it waits.
#pragma once

#include <array>
#include <atomic>
#include <vector>

#include "upwash/base/fast_clock.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/early_messages.hpp"
#include "upwash/conduit/endpoint.hpp"
#include "upwash/conduit/patience.hpp"
#include "upwash/conduit/process_world.hpp"
#include "upwash/conduit/shm/detail/mesh.hpp"
#include "upwash/conduit/shm/detail/pages.hpp"
#include "upwash/conduit/shm/detail/receiver_ring.hpp"
#include "upwash/conduit/shm/detail/segments.hpp"
#include "upwash/conduit/shm/detail/sender_ring.hpp"
#include "upwash/conduit/shm/detail/span_reader.hpp"
#include "upwash/conduit/shm/detail/span_server.hpp"
#include "upwash/conduit/shm/detail/spin_lock.hpp"

namespace upwash::conduit::shm_detail {

/// Threads: one drives all but poll_memory(). The memory lane and what serves private reads are
/// guarded by two locks, one inbound, one outbound.
class shm_endpoint final : public process_endpoint, private control_sender {
 public:
  /// Collective. Throws `error`.
  shm_endpoint(bootstrap& boot, const settings& values);

  [[nodiscard]] const capabilities& describe() const noexcept override { return describe_; }
  [[nodiscard]] int world_size() const noexcept override { return ranks_.ranks(); }
  [[nodiscard]] int first_rank() const noexcept override { return first_rank_; }
  [[nodiscard]] int local_ranks() const noexcept override { return hosted_; }
  [[nodiscard]] location place(int rank) const noexcept override;
  void attach(int rank, sink* receiver) override;

  injection send(const message& m, bool from_handler) override;
  injection send_small(small_message m, const std::byte* arguments,
                       std::span<const std::byte> payload) override;
  injection prepare(int source, int destination, lane kind, std::size_t bytes,
                    reservation& room) override;
  void commit(const reservation& room, const message& m) override;
  void cancel(const reservation& room) override;
  injection send_long(const message& m, const remote_memory& to, std::size_t offset,
                      std::span<const std::byte> from, completion* local,
                      bool from_handler) override;
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
  [[nodiscard]] bool read_aside(int rank, int owner, const memory_key& key, std::size_t offset,
                                std::span<std::byte> to) noexcept override;
  injection get(int rank, const remote_memory& from, std::size_t offset, std::span<std::byte> to,
                completion* local) override;
  injection atomic(int rank, const remote_memory& at, std::size_t offset,
                   const atomic_operation& operation, std::uint64_t* old,
                   completions when) override;
  injection flush(int rank, int peer, completion* when) override;

  int poll(int rank) override;
  int poll_memory(bool may_sleep) override;
  void wake_poll_memory() override;
  [[nodiscard]] duration now(int rank) const noexcept override;
  void compute(int rank, duration time) override;
  void idle(int rank, const wait_target& target, const wait_reason& reason) override;
  void begin_wait(int /*rank*/) override { patience_.reset(); }
  [[nodiscard]] int looks(int /*rank*/) const noexcept override {
    // As long as a line takes from one cache to the other and back, some times over.
    return patience_.chosen() == patience::policy::spin ? 40 : 0;
  }

  /// Messages between its ranks are then handled where they are sent.
  void schedule_by(rank_scheduler& ranks) noexcept override { scheduler_ = &ranks; }
  int poll_for_all() override;
  void pause() noexcept override;
  void resumed() noexcept override { patience_.reset(); }

 private:
  [[nodiscard]] std::size_t medium_bytes() const noexcept {
    return describe_.of(nearness::process).medium_bytes;
  }
  [[nodiscard]] int process_of(int rank) const noexcept { return ranks_.process_of(rank); }
  [[nodiscard]] std::uint16_t local_of(int rank) const noexcept {
    return ranks_.one_each() ? std::uint16_t{0} : static_cast<std::uint16_t>(ranks_.local_of(rank));
  }
  /// The memory lane's with outbound_ held. Throws `error` where the process cannot be reached.
  [[nodiscard]] sender_ring& out(int process, lane kind) {
    sender_ring& ring =
        out_[static_cast<std::size_t>(process) * lane_count + static_cast<std::size_t>(kind)];
    if (!ring.connected()) [[unlikely]]
      connect(ring, process, kind);
    return ring;
  }
  void connect(sender_ring& ring, int process, lane kind);
  [[nodiscard]] receiver_ring& in(int process, lane kind) noexcept {
    return in_[static_cast<std::size_t>(process) * lane_count + static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] bool throttled(int process) {
    const std::atomic<std::uint32_t>*& flag = throttle_[static_cast<std::size_t>(process)];
    // Relaxed: the flag orders nothing, and a late look does no harm.
    if (flag->load(std::memory_order_relaxed) == 0) [[likely]]
      return false;
    if (flag == &not_connected_) static_cast<void>(out(process, lane::request));
    return flag->load(std::memory_order_relaxed) != 0;
  }

  /// Whether what goes to a process must be announced: among few, only what stays here.
  [[nodiscard]] bool announced_to(int process) const noexcept {
    return announcing_ || process == mesh_.self();
  }

  /// False: its rings have not been touched, and reading them would take memory for them.
  [[nodiscard]] bool has_sent(int process) noexcept {
    if (!announcing_) return true;
    // Relaxed, all: whoever comes late looks again; a count of 0 may be one that went round.
    std::atomic<bool>& heard = heard_[static_cast<std::size_t>(process)];
    if (heard.load(std::memory_order_relaxed)) return true;
    if (mesh_.arrivals_from(process).load(std::memory_order_relaxed) == 0) return false;
    heard.store(true, std::memory_order_relaxed);
    return true;
  }

  /// Whether a process's ring of the memory lane wants a look.
  [[nodiscard]] bool wants_memory(int process) noexcept {
    if (!has_sent(process)) return false;
    const receiver_ring& ring = in(process, lane::memory);
    return ring.ready() || ring.owing();
  }

  void look_for_deaths() noexcept;
  [[nodiscard]] bool something_waits() noexcept;
  injection send_by_line(small_message m, const std::byte* arguments,
                         std::span<const std::byte> payload);
  injection send_with_payload(small_message m, const std::byte* arguments,
                              std::span<const std::byte> payload);
  injection sent_and_announced(int process);
  injection send_whole(small_message m, const std::byte* arguments,
                       std::span<const std::byte> payload);
  int take(int process, lane kind, int most) {
    receiver_ring& ring = in(process, kind);
    if (ring.ready()) return take_waiting(ring, process, kind, most);
    ring.look_empty();
    return 0;
  }
  int take_waiting(receiver_ring& ring, int process, lane kind, int most);
  int take_for_any(receiver_ring& ring, int process, lane kind, int most);
  int look_for_memory();
  [[nodiscard]] bool memory_waits() noexcept;
  int take_memory();
  int poll_all();
  int poll_announced();
  bool look_at(int process, int& happened);
  void poll_self(int& happened);
  void announce(int process) noexcept;
  /// After a message of the memory class.
  void wake(int process) noexcept {
    if (mesh_.peer(process).thread_sleeps != 0) mesh_.bell_of(process).ring();
  }
  bool deliver(message& arrived, early_messages& kept);
  [[nodiscard]] bool handled_here(const message& m);
  void hand_over(const message& m, std::size_t local);
  int deliver_early(early_messages& kept);

  bool send_control(int process, control what, const void* arguments, std::size_t bytes) override;
  [[noreturn]] void give_up(std::string_view why) override;

  bootstrap& boot_;
  mesh mesh_;
  mutable fast_clock clock_;  ///< compares itself now and then
  patience patience_;
  rank_layout ranks_;
  int hosted_;
  int first_rank_;
  int fake_nodes_;
  bool burn_;
  bool thread_naps_;    ///< the one beside the rank, where it finds nothing
  bool thread_sleeps_;  ///< likewise
  std::atomic<bool> look_again_ = false;
  std::uint32_t in_vain_ = 0;  ///< its looks in a row
  bool polling_ = false;
  bool refused_ = false;  ///< an injection since the last poll: credit is waited for
  int throttling_ = 0;    ///< ranks of this process that have it on
  std::uint32_t polls_ = 0;
  int turn_ = 0;  ///< the place that the next poll looks at first (poll_all)
  rank_scheduler* scheduler_ = nullptr;
  capabilities describe_;
  std::vector<sender_ring> out_;  ///< each from its first message on
  std::vector<receiver_ring> in_;
  /// Peers' flags; not_connected_ of those to which no request went.
  std::vector<const std::atomic<std::uint32_t>*> throttle_;
  const std::atomic<std::uint32_t> not_connected_ = 1;
  /// With many processes senders announce what they send: the counts sent, by receiver, and the
  /// counts seen, by sender. A poll then reads 2 bytes a process, not 3 rings.
  bool announcing_;
  std::vector<std::atomic<std::uint16_t>> announced_;
  struct look_again {
    std::uint16_t count = 0;
    bool again = false;  ///< whatever the count: something was left
  };
  std::vector<look_again> seen_;
  std::vector<std::atomic<bool>> heard_;  ///< by sender: there was a count
  bool memory_wanted_ = false;            ///< the memory lane is to be looked at
  std::atomic<bool> to_self_ = false;     ///< something may lie in the rings from here to here
  std::vector<int> came_;  ///< by local rank: messages since its last poll, with a scheduler
  std::vector<sink*> sinks_;
  early_messages early_;
  early_messages early_memory_;  ///< of the memory lane
  segment_store segments_;
  import_table imports_;
  span_reader reader_;
  page_memory pages_;
  spin_lock inbound_;   ///< memory lane's receiving rings, early_memory_, server_, pages_
  spin_lock outbound_;  ///< memory lane's sending rings
  std::atomic<bool> serving_ = false;  ///< server_.busy(), to look at without the lock
  span_server server_;
};

}  // namespace upwash::conduit::shm_detail
