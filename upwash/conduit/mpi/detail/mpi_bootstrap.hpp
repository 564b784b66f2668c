// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process's place in a job that an MPI launcher started: exchange over MPI, death by MPI_Abort.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/mpi/detail/exit_watch.hpp"
#include "upwash/conduit/mpi/detail/node_order.hpp"
#include "upwash/conduit/mpi/mpi_engine.hpp"

namespace upwash::conduit::mpi {

class mpi_bootstrap final : public bootstrap {
 public:
  /// Of a process that has entered MPI, for as long as `watch` watches it. Collective. Throws
  /// `error`.
  mpi_bootstrap(exit_watch& watch, const settings& values);

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

  [[nodiscard]] mpi_engine& engine() noexcept { return engine_; }

 private:
  void gather(std::span<const std::byte> mine, std::span<std::byte> all);
  [[noreturn]] void missing() const;

  exit_watch& watch_;
  mpi_engine& engine_;
  duration start_timeout_;
  node_order order_;
  int process_ = 0;
  rank_layout layout_;
  std::vector<std::byte>
      by_rank_;  ///< of an exchange, where processes are not numbered as MPI's ranks
};

}  // namespace upwash::conduit::mpi
