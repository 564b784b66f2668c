// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// UCP without anything above it, between two ranks: what conduit ucx is measured beside.
#pragma once

#include <ucp/api/ucp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <vector>

namespace compare {

/// One process's side. What it cannot do ends the program.
class bare_ucp {
 public:
  /// Tells the other side some bytes, and gives what it tells.
  using swap_bytes = std::function<std::vector<std::byte>(std::span<const std::byte> mine)>;

  explicit bare_ucp(const swap_bytes& swap, std::size_t segment_bytes) {
    start();
    ucp_address_t* address = nullptr;
    std::size_t bytes = 0;
    must(ucp_worker_get_address(worker_, &address, &bytes), "address");
    const std::vector<std::byte> there = swap({reinterpret_cast<std::byte*>(address), bytes});
    ucp_ep_params_t to{};
    to.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    to.address = reinterpret_cast<const ucp_address_t*>(there.data());
    must(ucp_ep_create(worker_, &to, &peer_), "endpoint");
    share(swap, segment_bytes);
  }

  void progress() { ucp_worker_progress(worker_); }

  // Active messages, as the conduit's: a header of 8 bytes and the rest.
  void send_message(std::span<const std::byte> bytes) {
    ucp_request_param_t how{};
    how.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    how.flags = UCP_AM_SEND_FLAG_EAGER;
    finish(ucp_am_send_nbx(peer_, 1, &header_, sizeof header_, bytes.data(), bytes.size(), &how));
  }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

  // Tagged messages.
  void send(std::span<const std::byte> bytes) {
    finish(ucp_tag_send_nbx(peer_, bytes.data(), bytes.size(), 7, &plain_));
  }
  void receive(std::span<std::byte> bytes) {
    ucp_request_param_t how{};
    finish(ucp_tag_recv_nbx(worker_, bytes.data(), bytes.size(), 7, ~ucp_tag_t{0}, &how));
  }

  // Memory of the other side; each until it is complete there.
  void put(std::span<const std::byte> from) {
    finish(ucp_put_nbx(peer_, from.data(), from.size(), there_, key_, &plain_));
    finish(ucp_ep_flush_nbx(peer_, &plain_));
  }
  void get(std::span<std::byte> to) {
    finish(ucp_get_nbx(peer_, to.data(), to.size(), there_, key_, &plain_));
  }
  std::uint64_t fetch_add(std::uint64_t value) {
    std::uint64_t old = 0;
    ucp_request_param_t how{};
    how.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER;
    how.datatype = ucp_dt_make_contig(sizeof value);
    how.reply_buffer = &old;
    finish(ucp_atomic_op_nbx(peer_, UCP_ATOMIC_OP_ADD, &value, 1, there_, key_, &how));
    return old;
  }

 private:
  static void must(ucs_status_t status, const char* what) {
    if (status == UCS_OK) return;
    std::fprintf(stderr, "over_ucx: UCP: %s: %s\n", what, ucs_status_string(status));
    std::exit(1);
  }

  void start() {
    ucp_config_t* config = nullptr;
    must(ucp_config_read(nullptr, nullptr, &config), "settings");
    // As the conduit has it.
    if (std::getenv("UCX_TLS") == nullptr) ucp_config_modify(config, "TLS", "^posix");
    ucp_params_t wanted{};
    wanted.field_mask = UCP_PARAM_FIELD_FEATURES;
    wanted.features =
        UCP_FEATURE_AM | UCP_FEATURE_TAG | UCP_FEATURE_RMA | UCP_FEATURE_AMO32 | UCP_FEATURE_AMO64;
    must(ucp_init(&wanted, config, &context_), "context");
    ucp_config_release(config);
    ucp_worker_params_t single{};
    single.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    single.thread_mode = UCS_THREAD_MODE_SINGLE;
    must(ucp_worker_create(context_, &single, &worker_), "worker");
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                         UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = 1;
    handler.flags = UCP_AM_FLAG_WHOLE_MSG;
    handler.cb = [](void* self, const void*, std::size_t, void*, std::size_t,
                    const ucp_am_recv_param_t*) {
      ++static_cast<bare_ucp*>(self)->messages_;
      return UCS_OK;
    };
    handler.arg = this;
    must(ucp_worker_set_am_recv_handler(worker_, &handler), "handler");
  }

  void share(const swap_bytes& swap, std::size_t bytes) {
    ucp_mem_map_params_t wanted{};
    wanted.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
    wanted.length = bytes;
    wanted.flags = UCP_MEM_MAP_ALLOCATE;
    must(ucp_mem_map(context_, &wanted, &memory_), "memory");
    ucp_mem_attr_t is{};
    is.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
    must(ucp_mem_query(memory_, &is), "its address");
    std::vector<std::byte> front(sizeof is.address);
    std::copy_n(reinterpret_cast<const std::byte*>(&is.address), front.size(), front.begin());
    void* key = nullptr;
    std::size_t key_bytes = 0;
    must(ucp_rkey_pack(context_, memory_, &key, &key_bytes), "key");
    front.insert(front.end(), static_cast<std::byte*>(key),
                 static_cast<std::byte*>(key) + key_bytes);
    const std::vector<std::byte> there = swap(front);
    std::copy_n(there.begin(), sizeof there_, reinterpret_cast<std::byte*>(&there_));
    must(ucp_ep_rkey_unpack(peer_, there.data() + sizeof there_, &key_), "the other's key");
  }

  void finish(ucs_status_ptr_t request) {
    if (request == nullptr) return;
    if (UCS_PTR_IS_ERR(request)) return must(UCS_PTR_STATUS(request), "a request");
    while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(worker_);
    ucp_request_free(request);
  }

  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h peer_ = nullptr;
  ucp_mem_h memory_ = nullptr;
  ucp_rkey_h key_ = nullptr;
  std::uint64_t there_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t header_ = 0;
  const ucp_request_param_t plain_{};
};

}  // namespace compare
