// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process's place in a job with a control block, for upwash's own launcher and for a rendezvous.
// The two differ in the process that watches for deaths.
#pragma once

#include <memory>
#include <optional>

#include "upwash/base/duration.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/launch/detail/control_block.hpp"
#include "upwash/launch/detail/hang_gatherer.hpp"
#include "upwash/launch/detail/peer_watch.hpp"
#include "upwash/launch/detail/rendezvous.hpp"

namespace upwash::launch::detail {

class control_bootstrap final : public conduit::bootstrap, private observe::hang_board {
 public:
  /// Takes the slot of `process`. Without `place` the job has a launcher, which prints the reason
  /// of a failure and ends the processes. Processes that met at a `place` watch each other, and
  /// close the place when all have arrived or the start fails.
  control_bootstrap(control_block block, int process, duration start_timeout,
                    std::optional<meeting_place> place);
  ~control_bootstrap() override;
  control_bootstrap(const control_bootstrap&) = delete;
  control_bootstrap& operator=(const control_bootstrap&) = delete;

  [[nodiscard]] int process() const noexcept override { return process_; }
  [[nodiscard]] int process_count() const noexcept override { return layout_.processes(); }
  [[nodiscard]] const conduit::rank_layout& layout() const noexcept override { return layout_; }
  [[nodiscard]] int node_of(int process) const noexcept override;
  [[nodiscard]] std::string_view host_of(int node) const noexcept override;
  void exchange(std::span<const std::byte> mine, std::span<std::byte> all) override;
  void barrier() override { exchange({}, {}); }
  void finished() noexcept override;
  [[noreturn]] void abort(int rank, int status, std::string_view why) noexcept override;
  void desert(int rank, std::string_view why) noexcept override;
  [[nodiscard]] bool failed() const noexcept override;
  [[nodiscard]] observe::hang_board* hang_board() noexcept override { return this; }

 private:
  void answer(const observe::standing& mine, std::uint32_t question) noexcept override;
  void tell_of_hang() noexcept override;
  void look() override;
  void ring() const noexcept;
  void await_all(std::uint32_t generation);
  /// Throws if a process has not reached the exchange. A process that reached it and died
  /// afterwards is not missing: the exchange is valid.
  void check_missing(std::uint32_t generation, const char* what);
  void close_place() noexcept;

  control_block block_;
  conduit::rank_layout layout_;
  int process_;
  duration start_timeout_;
  bool launcher_;
  std::optional<meeting_place> place_;  ///< until all have met
  std::uint32_t generation_ = 0;
  std::unique_ptr<peer_watch> watch_;      ///< without a launcher
  std::optional<hang_gatherer> gatherer_;  ///< without a launcher, in the asking process
};

}  // namespace upwash::launch::detail
