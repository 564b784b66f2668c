// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A job of the shared-memory conduit whose processes are threads: for tests that look at several
// endpoints at once. Start-up runs on threads; afterwards a test drives the endpoints as it likes.
#pragma once

#include <array>
#include <barrier>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/process_knobs.hpp"
#include "upwash/conduit/shm/shm_row.hpp"
#include "upwash/conduit/shm/shm_world.hpp"

namespace upwash::testing {

/// What the bootstraps of one job share.
struct thread_job_state {
  explicit thread_job_state(conduit::rank_layout ranks)
      : layout(std::move(ranks)),
        all(layout.processes()),
        blobs(static_cast<std::size_t>(layout.processes())) {}

  conduit::rank_layout layout;
  std::barrier<> all;
  std::vector<std::array<std::byte, conduit::max_blob_bytes>> blobs;
};

class thread_bootstrap final : public conduit::bootstrap {
 public:
  thread_bootstrap(thread_job_state& state, int process) : state_(state), process_(process) {}

  [[nodiscard]] int process() const noexcept override { return process_; }
  [[nodiscard]] int process_count() const noexcept override { return state_.layout.processes(); }
  [[nodiscard]] const conduit::rank_layout& layout() const noexcept override {
    return state_.layout;
  }
  void exchange(std::span<const std::byte> mine, std::span<std::byte> all) override {
    std::memcpy(state_.blobs[static_cast<std::size_t>(process_)].data(), mine.data(), mine.size());
    state_.all.arrive_and_wait();
    for (std::size_t p = 0; p < state_.blobs.size(); ++p) {
      std::memcpy(all.data() + p * mine.size(), state_.blobs[p].data(), mine.size());
    }
    state_.all.arrive_and_wait();
  }
  void barrier() override { state_.all.arrive_and_wait(); }
  void finished() noexcept override {}
  [[noreturn]] void abort(int /*rank*/, int /*status*/,
                          std::string_view /*why*/) noexcept override {
    std::abort();
  }
  void desert(int /*rank*/, std::string_view /*why*/) noexcept override { std::abort(); }
  [[nodiscard]] bool failed() const noexcept override { return false; }

 private:
  thread_job_state& state_;
  int process_;
};

class threads_job {
 public:
  /// `knobs`: name, value pairs.
  explicit threads_job(int processes, int per_process = 1,
                       std::vector<std::pair<std::string_view, std::string_view>> knobs = {})
      : threads_job(conduit::rank_layout::even(processes * per_process, processes),
                    std::move(knobs)) {}
  explicit threads_job(conduit::rank_layout layout,
                       std::vector<std::pair<std::string_view, std::string_view>> knobs = {})
      : state_(std::move(layout)), worlds_(state_.blobs.size()) {
    knob_table table;
    table.add(conduit::shm_row().knobs);
    table.add(conduit::process_knobs());
    settings values = settings::defaults(table);
    for (const auto& [name, value] : knobs) values.set(name, value);
    std::vector<std::thread> starters;
    for (int p = 0; p < state_.layout.processes(); ++p) {
      boots_.push_back(std::make_unique<thread_bootstrap>(state_, p));
    }
    for (std::size_t p = 0; p < worlds_.size(); ++p) {
      starters.emplace_back([&, p] { worlds_[p] = conduit::make_shm_world(*boots_[p], values); });
    }
    for (auto& one : starters) one.join();
  }

  [[nodiscard]] conduit::world& world_of(int process) {
    return *worlds_[static_cast<std::size_t>(process)];
  }
  /// The endpoint that hosts `rank`.
  [[nodiscard]] conduit::endpoint& at(int rank) {
    const int process = state_.layout.process_of(rank);
    return worlds_[static_cast<std::size_t>(process)]->endpoint_of(rank);
  }

 private:
  thread_job_state state_;
  std::vector<std::unique_ptr<thread_bootstrap>> boots_;
  std::vector<std::unique_ptr<conduit::world>> worlds_;
};

}  // namespace upwash::testing
