// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// UCX of one process: context, worker, and an endpoint to each process that it talks to.
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "upwash/conduit/ucx/plugin/detail/operation.hpp"
#include "upwash/conduit/ucx/plugin/detail/settings.hpp"
#include "upwash/conduit/ucx/ucx_plugin.hpp"

namespace upwash::conduit::ucx {

/// One thread. Memory: an address and 24 bytes for each process, and what UCX needs for those that
/// were talked to.
class engine {
 public:
  explicit engine(int process) : self_(process) {}
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// False on failure, and why.
  [[nodiscard]] bool start(const job_reach& job, std::string& why);
  void meet(peer_addresses peers);

  [[nodiscard]] ucp_context_h context() const noexcept { return context_; }
  [[nodiscard]] ucp_worker_h worker() const noexcept { return worker_; }
  [[nodiscard]] std::span<const std::byte> address() const noexcept { return address_; }
  /// The settings of UCX that are in force.
  [[nodiscard]] const ucx_settings& settings() const noexcept { return settings_; }
  /// Whether a process is on this host.
  [[nodiscard]] bool is_near(int process) const noexcept {
    return addresses_.near[static_cast<std::size_t>(process)] != 0;
  }
  [[nodiscard]] int self() const noexcept { return self_; }
  [[nodiscard]] int processes() const noexcept { return static_cast<int>(peers_.size()); }

  /// Connected at first use. Null when that fails: then the process is lost.
  [[nodiscard]] ucp_ep_h endpoint_of(int process) noexcept {
    const ucp_ep_h known = peers_[static_cast<std::size_t>(process)].endpoint;
    return known != nullptr ? known : connect(process);
  }

  /// What a request is called with that ends `one`.
  [[nodiscard]] const ucp_request_param_t& sending(operation& one) noexcept {
    sending_.user_data = &one;
    return sending_;
  }
  /// Of an active message that does not wait for its receiver.
  [[nodiscard]] const ucp_request_param_t& sending_eagerly(operation& one) noexcept {
    eager_.user_data = &one;
    return eager_;
  }
  [[nodiscard]] const ucp_request_param_t& receiving(operation& one) noexcept {
    receiving_.user_data = &one;
    return receiving_;
  }
  /// What UCX answered to a request: whether it is under way, or was refused, which never ends and
  /// loses the process. If not, all is done, and `one` still the caller's.
  [[nodiscard]] bool is_under_way(const operation& one, ucs_status_ptr_t request) noexcept {
    if (request == nullptr) return false;
    if (UCS_PTR_IS_ERR(request)) [[unlikely]] {
      lose(one.process, UCS_PTR_STATUS(request));
    }
    return true;
  }

  /// Moves UCX on, which may call what was given to it. False: nothing moved.
  bool progress() noexcept { return ucp_worker_progress(worker_) != 0; }
  /// Operations that ended in `progress` so far.
  [[nodiscard]] int ended() const noexcept { return ended_; }

  /// A process with which something went wrong (-1 and `is_lost`: nobody knows which).
  void lose(int process, ucs_status_t why) noexcept;
  [[nodiscard]] bool is_lost() const noexcept { return lost_why_ != UCS_OK; }
  /// It was there, and never connected: no transport leads to it.
  [[nodiscard]] bool is_unreachable() const noexcept { return unreachable_; }
  [[nodiscard]] int lost_process() const noexcept { return lost_process_; }
  [[nodiscard]] const char* lost_why() const noexcept { return ucs_status_string(lost_why_); }

  /// Until a request without a callback is over; moves on meanwhile.
  void wait_for(ucs_status_ptr_t request, wire::transport_user& user) noexcept;
  /// Until UCX has let go of what all requests so far gave it; moves on meanwhile.
  void flush(wire::transport_user& user) noexcept;
  /// From now on peers may end their connections.
  void begin_end() noexcept { ending_ = true; }
  /// Ends all connections; nobody sends anything any more.
  void disconnect(wire::transport_user& user) noexcept;

 private:
  struct peer {
    engine* home = nullptr;
    ucp_ep_h endpoint = nullptr;
    int process = -1;
  };

  [[nodiscard]] bool start_context(const job_reach& job, std::string& why);
  [[nodiscard]] bool start_worker(std::string& why);
  [[nodiscard]] ucp_ep_h connect(int process) noexcept;
  void end(operation& one, void* request, ucs_status_t status) noexcept;

  static void sent(void* request, ucs_status_t status, void* user_data) noexcept;
  static void received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info,
                       void* user_data) noexcept;
  static void failed(void* of, ucp_ep_h endpoint, ucs_status_t status) noexcept;

  const int self_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_address_t* address_at_ = nullptr;
  std::span<const std::byte> address_;
  ucx_settings settings_;
  peer_addresses addresses_;
  std::vector<peer> peers_;
  ucp_request_param_t sending_{};
  ucp_request_param_t eager_{};
  ucp_request_param_t receiving_{};
  int ended_ = 0;
  int lost_process_ = -1;
  ucs_status_t lost_why_ = UCS_OK;
  bool unreachable_ = false;
  bool ending_ = false;
};

}  // namespace upwash::conduit::ucx
