// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/ucx/plugin/detail/engine.hpp"

#include <set>
#include <utility>

#include "upwash/conduit/ucx/plugin/detail/listener_filter.hpp"

namespace upwash::conduit::ucx {
namespace {

bool failed_with(ucs_status_t status, const char* what, std::string& why) {
  if (status == UCS_OK) return false;
  why = std::string(what) + ": " + ucs_status_string(status);
  return true;
}

}  // namespace

engine::~engine() {
  // After an error nobody waits for peers, without whom UCX may not let go: all goes with the
  // process.
  if (worker_ != nullptr && !peers_.empty() && (!ending_ || is_lost())) return;
  if (address_at_ != nullptr) ucp_worker_release_address(worker_, address_at_);
  if (worker_ != nullptr) ucp_worker_destroy(worker_);
  if (context_ != nullptr) ucp_cleanup(context_);
}

bool engine::start(const job_reach& job, std::string& why) {
  sending_.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  sending_.cb.send = &sent;
  eager_ = sending_;
  eager_.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
  eager_.flags = UCP_AM_SEND_FLAG_EAGER;
  receiving_.op_attr_mask = sending_.op_attr_mask;
  receiving_.cb.recv = &received;
  if (!start_context(job, why)) return false;
  const std::set<int> earlier = listening_sockets();
  if (!start_worker(why)) return false;
  if (!job.addresses.empty() && !accept_only(job.addresses, earlier)) {
    settings_.text += ", any host may connect by TCP";
  }
  return true;
}

bool engine::start_context(const job_reach& job, std::string& why) {
  ucp_config_t* config = nullptr;
  if (failed_with(ucp_config_read(nullptr, nullptr, &config), "its settings", why)) return false;
  settings_ = adapt_settings(config, job);
  ucp_params_t wanted{};
  wanted.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
  wanted.features =
      UCP_FEATURE_AM | UCP_FEATURE_TAG | UCP_FEATURE_RMA | UCP_FEATURE_AMO32 | UCP_FEATURE_AMO64;
  wanted.mt_workers_shared = 0;
  const ucs_status_t status = ucp_init(&wanted, config, &context_);
  ucp_config_release(config);
  return !failed_with(status, "no transport that can be used", why);
}

bool engine::start_worker(std::string& why) {
  ucp_worker_params_t wanted{};
  wanted.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  wanted.thread_mode = UCS_THREAD_MODE_SERIALIZED;  // a progress thread takes turns with the rank
  if (failed_with(ucp_worker_create(context_, &wanted, &worker_), "a worker", why)) {
    if (settings_.shares_memory) why += "; its queues need 2 MiB of /dev/shm for each process";
    return false;
  }
  std::size_t bytes = 0;
  const ucs_status_t status = ucp_worker_get_address(worker_, &address_at_, &bytes);
  if (failed_with(status, "the address of a worker", why)) return false;
  address_ = {reinterpret_cast<const std::byte*>(address_at_), bytes};
  return true;
}

void engine::meet(peer_addresses peers) {
  addresses_ = std::move(peers);
  peers_.resize(addresses_.near.size());
  for (std::size_t p = 0; p < peers_.size(); ++p) {
    peers_[p].home = this;
    peers_[p].process = static_cast<int>(p);
  }
}

ucp_ep_h engine::connect(int process) noexcept {
  peer& to = peers_[static_cast<std::size_t>(process)];
  ucp_ep_params_t wanted{};
  wanted.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER;
  wanted.address = reinterpret_cast<const ucp_address_t*>(addresses_.of(process));
  // Shared memory, the fastest, notices no deaths; on its own node the launcher does.
  wanted.err_mode = is_near(process) ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER;
  wanted.err_handler.cb = &failed;
  wanted.err_handler.arg = &to;
  const ucs_status_t status = ucp_ep_create(worker_, &wanted, &to.endpoint);
  if (status != UCS_OK) {
    unreachable_ = status == UCS_ERR_UNREACHABLE && !is_lost();
    lose(process, status);
  }
  return to.endpoint;
}

void engine::lose(int process, ucs_status_t why) noexcept {
  if (is_lost()) return;
  lost_process_ = process;
  lost_why_ = why;
}

void engine::failed(void* of, ucp_ep_h /*endpoint*/, ucs_status_t status) noexcept {
  const peer& with = *static_cast<const peer*>(of);
  // Who has left before this one ends its connections in good order.
  if (!with.home->ending_) with.home->lose(with.process, status);
}

void engine::end(operation& one, void* request, ucs_status_t status) noexcept {
  ucp_request_free(request);
  if (status != UCS_OK) return lose(one.process, status);
  ++ended_;
  one.over(one);
}

void engine::sent(void* request, ucs_status_t status, void* user_data) noexcept {
  auto& one = *static_cast<operation*>(user_data);
  one.home->end(one, request, status);
}

void engine::received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* /*info*/,
                      void* user_data) noexcept {
  auto& one = *static_cast<operation*>(user_data);
  one.home->end(one, request, status);
}

void engine::wait_for(ucs_status_ptr_t request, wire::transport_user& user) noexcept {
  if (request == nullptr) return;
  if (UCS_PTR_IS_ERR(request)) return lose(-1, UCS_PTR_STATUS(request));
  while (ucp_request_check_status(request) == UCS_INPROGRESS && !is_lost()) {
    if (!progress()) user.pause();
  }
  ucp_request_free(request);
}

void engine::flush(wire::transport_user& user) noexcept {
  const ucp_request_param_t plain{};
  wait_for(ucp_worker_flush_nbx(worker_, &plain), user);
}

void engine::disconnect(wire::transport_user& user) noexcept {
  const ucp_request_param_t plain{};
  std::vector<ucs_status_ptr_t> closing;
  for (peer& each : peers_) {
    if (each.endpoint == nullptr) continue;
    closing.push_back(ucp_ep_close_nbx(each.endpoint, &plain));
    each.endpoint = nullptr;
  }
  for (const ucs_status_ptr_t each : closing) {
    if (!UCS_PTR_IS_ERR(each)) wait_for(each, user);
  }
}

}  // namespace upwash::conduit::ucx
