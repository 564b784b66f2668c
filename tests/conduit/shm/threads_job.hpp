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
#include "upwash/conduit/shm/shm_row.hpp"
#include "upwash/conduit/shm/shm_world.hpp"

namespace upwash::testing {

/// What the bootstraps of one job share.
struct thread_job_state {
  explicit thread_job_state(int count)
      : processes(count), all(count), blobs(static_cast<std::size_t>(count)) {}

  int processes;
  std::barrier<> all;
  std::vector<std::array<std::byte, conduit::max_blob_bytes>> blobs;
};

class thread_bootstrap final : public conduit::bootstrap {
 public:
  thread_bootstrap(thread_job_state& state, int process, int per_process)
      : state_(state), process_(process), per_process_(per_process) {}

  [[nodiscard]] int process() const noexcept override { return process_; }
  [[nodiscard]] int process_count() const noexcept override { return state_.processes; }
  [[nodiscard]] int ranks_per_process() const noexcept override { return per_process_; }
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
  int per_process_;
};

class threads_job {
 public:
  /// `knobs`: name, value pairs.
  explicit threads_job(int processes, int per_process = 1,
                       std::vector<std::pair<std::string_view, std::string_view>> knobs = {})
      : state_(processes), worlds_(static_cast<std::size_t>(processes)) {
    knob_table table;
    table.add(conduit::shm_row().knobs);
    settings values = settings::defaults(table);
    for (const auto& [name, value] : knobs) values.set(name, value);
    std::vector<std::thread> starters;
    for (int p = 0; p < processes; ++p) {
      boots_.push_back(std::make_unique<thread_bootstrap>(state_, p, per_process));
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
    const auto per = static_cast<std::size_t>(boots_[0]->ranks_per_process());
    return worlds_[static_cast<std::size_t>(rank) / per]->endpoint_of(rank);
  }

 private:
  thread_job_state state_;
  std::vector<std::unique_ptr<thread_bootstrap>> boots_;
  std::vector<std::unique_ptr<conduit::world>> worlds_;
};

}  // namespace upwash::testing
