// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/loopback/loopback_world.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/conduit/loopback/detail/loopback_endpoint.hpp"

namespace upwash::conduit {
namespace {

class loopback_world final : public world {
 public:
  explicit loopback_world(const loopback_options& options) : shared_(options) {
    for (int first = 0; first < options.ranks; first += options.ranks_per_endpoint) {
      const int hosted = std::min(options.ranks_per_endpoint, options.ranks - first);
      shared_.endpoints.push_back(std::make_unique<loopback_endpoint>(shared_, first, hosted));
    }
  }

  [[nodiscard]] int size() const noexcept override { return shared_.options.ranks; }
  [[nodiscard]] int first_rank() const noexcept override { return 0; }
  [[nodiscard]] int local_ranks() const noexcept override { return size(); }
  [[nodiscard]] endpoint& endpoint_of(int rank) override { return shared_.endpoint_of(rank); }
  [[nodiscard]] waiter& waiter_of(int rank) override { return shared_.endpoint_of(rank); }
  void watch_turns(switch_watch& by) override { shared_.ranks.watch(by); }
  void run(function_ref<void(int)> body) override {
    const auto events = [this] { return shared_.events; };
    const auto receiver = [this](int rank) { return shared_.endpoint_of(rank).receiver_of(rank); };
    shared_.ranks.run(body, events, receiver);
  }

 private:
  loopback_shared shared_;
};

}  // namespace

std::unique_ptr<world> make_loopback_world(const loopback_options& options) {
  if (options.ranks < 1 || options.ranks_per_endpoint < 1 || options.queue_messages < 1 ||
      options.medium_bytes < least_medium_bytes) {
    throw error(error_kind::argument,
                fmt::format("loopback: {} ranks, {} an endpoint, queues of {}; all must be at "
                            "least 1; messages of {} bytes, which must be at least {}",
                            options.ranks, options.ranks_per_endpoint, options.queue_messages,
                            options.medium_bytes, least_medium_bytes));
  }
  return std::make_unique<loopback_world>(options);
}

}  // namespace upwash::conduit
