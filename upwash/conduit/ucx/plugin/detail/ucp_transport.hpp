// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The transport over UCP: packets are active messages, large buffers tagged ones.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/object_pool.hpp"
#include "upwash/conduit/ucx/plugin/detail/arrival_order.hpp"
#include "upwash/conduit/ucx/plugin/detail/engine.hpp"
#include "upwash/conduit/ucx/plugin/detail/memory_access.hpp"
#include "upwash/conduit/ucx/ucx_plugin.hpp"

namespace upwash::conduit::ucx {

class ucp_transport final : public ucx_transport {
 public:
  explicit ucp_transport(int process) : through_(process) {}

  /// False on failure, and why.
  [[nodiscard]] bool start(const job_reach& job, std::string& why);

  [[nodiscard]] std::span<const std::byte> address() const noexcept override {
    return through_.address();
  }
  [[nodiscard]] std::string_view settings_text() const noexcept override {
    return through_.settings().text;
  }
  void meet(peer_addresses peers) override;
  void promise_direct_memory() noexcept override { memory_->promise_direct(); }

  [[nodiscard]] std::size_t packet_bytes() const noexcept override;
  [[nodiscard]] outcome send(int process, std::span<const std::byte> packet,
                             completion& sent) noexcept override;
  [[nodiscard]] outcome send_bulk(int process, std::uint32_t tag, std::span<const std::byte> from,
                                  completion& sent) noexcept override;
  [[nodiscard]] outcome receive_bulk(int process, std::uint32_t tag, std::span<std::byte> to,
                                     completion& came) noexcept override;
  int poll(wire::transport_user& user, int most) noexcept override;
  void close(wire::transport_user& user,
             std::span<const std::uint64_t> packets_to) noexcept override;
  [[nodiscard]] wire::remote_access* memory() noexcept override { return &*memory_; }

 private:
  /// In front of each packet.
  struct packet_front {
    std::uint32_t source = 0;  ///< process
    std::uint32_t number = 0;  ///< among the packets of that process to this one; wraps
  };
  /// In front of a packet that ends a round of `close`.
  struct farewell {
    std::uint32_t round = 0;
  };
  struct sending : operation {
    sending* next = nullptr;  ///< in the pool
    ucp_transport* by = nullptr;
    packet_front front;  ///< UCX reads it until the end
  };
  struct peer {
    std::uint32_t sent = 0;
    arrival_order come;
  };

  [[nodiscard]] sending& begin(int process, completion& told);
  [[nodiscard]] outcome finish(sending& one, ucs_status_ptr_t request);
  static void over(operation& self) noexcept;
  [[nodiscard]] bool receive(unsigned id, ucp_am_recv_callback_t callback, std::string& why);
  void meet_at_the_end(int time) noexcept;

  static ucs_status_t packet_came(void* self, const void* front, std::size_t front_bytes,
                                  void* packet, std::size_t bytes,
                                  const ucp_am_recv_param_t* how) noexcept;
  void tell_lost(wire::transport_user& user) const noexcept;
  static ucs_status_t farewell_came(void* self, const void* front, std::size_t front_bytes,
                                    void* packet, std::size_t bytes,
                                    const ucp_am_recv_param_t* how) noexcept;

  engine through_;
  std::optional<memory_access> memory_;
  std::vector<peer> peers_;
  object_pool<sending> pool_;
  wire::transport_user* user_ = nullptr;  ///< during a poll
  int taken_ = 0;                         ///< packets, in a poll
  std::array<int, 32> farewells_{};       ///< that came, by round
};

}  // namespace upwash::conduit::ucx
