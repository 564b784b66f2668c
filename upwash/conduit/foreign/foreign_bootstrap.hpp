// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process's place in a job that another launcher started, by the library that it speaks to.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/foreign/detail/node_order.hpp"
#include "upwash/conduit/foreign/foreign_engine.hpp"

namespace upwash::conduit::foreign {

class exit_watch;
struct introduction;

/// What the launcher's variables say before the engine has joined.
struct announcement {
  std::string_view launcher = "nobody";
  int rank = 0;
  int size = 1;
};

class foreign_bootstrap final : public bootstrap {
 public:
  /// Of a process whose engine has entered the job, for as long as `watch` watches it. Collective.
  /// Throws `error`.
  foreign_bootstrap(exit_watch& watch, const settings& values);
  ~foreign_bootstrap() override;
  foreign_bootstrap(const foreign_bootstrap&) = delete;
  foreign_bootstrap& operator=(const foreign_bootstrap&) = delete;

  [[nodiscard]] int process() const noexcept override { return process_; }
  [[nodiscard]] int process_count() const noexcept override { return engine_.size(); }
  [[nodiscard]] const rank_layout& layout() const noexcept override { return layout_; }
  [[nodiscard]] int node_of(int process) const noexcept override {
    return order_.nodes[static_cast<std::size_t>(process)];
  }
  [[nodiscard]] std::string_view host_of(int node) const noexcept override {
    if (order_.hosts.size() == 1) return {};
    return order_.hosts[static_cast<std::size_t>(node)];
  }
  void exchange(std::span<const std::byte> mine, std::span<std::byte> all) override;
  void barrier() override { exchange({}, {}); }
  void finished() noexcept override;
  [[noreturn]] void abort(int rank, int status, std::string_view why) noexcept override;
  void desert(int rank, std::string_view why) noexcept override;
  [[nodiscard]] bool failed() const noexcept override { return false; }
  [[nodiscard]] observe::hang_board* hang_board() noexcept override {
    return board_ ? board_->hang_board() : nullptr;
  }
  void tell(std::unique_ptr<launcher_board> at) noexcept override;

  [[nodiscard]] foreign_engine& engine() noexcept { return engine_; }
  /// The engine's rank of each process.
  [[nodiscard]] std::span<const int> ranks() const noexcept { return order_.ranks; }

 private:
  void gather(std::span<const std::byte> mine, std::span<std::byte> all);
  void watch_neighbor(std::span<const introduction> of);
  void watch_hosts(std::span<const introduction> of, duration limit);
  [[nodiscard]] std::pair<int, int> processes_of(int node) const;
  [[noreturn]] void missing() const;

  exit_watch& watch_;
  foreign_engine& engine_;
  duration start_timeout_;
  node_order order_;
  int process_ = 0;
  rank_layout layout_;
  std::unique_ptr<launcher_board> board_;  ///< where upwash run has made one
  std::vector<std::byte>
      by_rank_;  ///< of an exchange, where processes are not numbered as the launcher's ranks
};

/// Has the engine join its job, waiting for the others for the knob start_timeout. Once a process:
/// from then on the job ends when the process does before it has left. Collective. Throws `error`.
[[nodiscard]] std::unique_ptr<foreign_bootstrap> join(std::unique_ptr<foreign_engine> engine,
                                                      const announcement& said,
                                                      const settings& values);

}  // namespace upwash::conduit::foreign
