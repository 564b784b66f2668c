// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/traced/traced_world.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/conduit/traced/detail/traced_endpoint.hpp"

namespace upwash::conduit {
namespace {

/// Of a rank's file, mapped at a time: less where a process has many ranks.
std::size_t chunk_bytes(int local_ranks) noexcept {
  return local_ranks <= 64 ? std::size_t{1} << 20U : std::size_t{64} << 10U;
}

class traced_world final : public world {
 public:
  traced_world(std::unique_ptr<world> within, const trace_options& options)
      : within_(std::move(within)) {
    for (int i = 0; i < local_ranks(); ++i) add(first_rank() + i, options);
  }

  [[nodiscard]] int size() const noexcept override { return within_->size(); }
  [[nodiscard]] int first_rank() const noexcept override { return within_->first_rank(); }
  [[nodiscard]] int local_ranks() const noexcept override { return within_->local_ranks(); }
  [[nodiscard]] endpoint& endpoint_of(int rank) override {
    return *around_.at(&within_->endpoint_of(rank));
  }
  [[nodiscard]] waiter& waiter_of(int rank) override {
    return *traces_[static_cast<std::size_t>(rank - first_rank())];
  }
  void watch_turns(switch_watch& by) override { within_->watch_turns(by); }
  void run(function_ref<void(int)> body) override { within_->run(body); }

 private:
  void add(int rank, const trace_options& options) {
    endpoint& of = within_->endpoint_of(rank);
    const location at = of.place(rank);
    const capabilities& can = of.describe();
    traces_.push_back(std::make_unique<traced::rank_trace>(
        traced::traced_rank{of, rank, options.memory_lane}, within_->waiter_of(rank),
        trace_part(options.folder, rank),
        observe::trace_owner{rank, size(), at.node, at.process, can.virtual_time,
                             steady_now() - of.now(rank), can.name},
        options.most_bytes, chunk_bytes(local_ranks())));
    auto& around = around_[&of];
    if (!around) around = std::make_unique<traced::traced_endpoint>(of);
    around->add(*traces_.back());
  }

  std::unique_ptr<world> within_;  // outlives what is around it
  std::vector<std::unique_ptr<traced::rank_trace>> traces_;
  std::map<const endpoint*, std::unique_ptr<traced::traced_endpoint>> around_;
};

}  // namespace

std::unique_ptr<world> trace(std::unique_ptr<world> within, const trace_options& options) {
  std::error_code why;
  std::filesystem::create_directories(options.folder, why);
  if (why) {
    throw error(error_kind::environment,
                fmt::format("cannot make the folder {} for the trace: {}; name another file by "
                            "UPWASH_TRACE or --trace",
                            options.folder, why.message()));
  }
  return std::make_unique<traced_world>(std::move(within), options);
}

std::string trace_part(std::string_view folder, int rank) {
  return fmt::format("{}/{:06}", folder, rank);
}

}  // namespace upwash::conduit
