// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tasks that a rank lends to its progress thread. The first to arrive advances a task: the rank in
// its progress, or the thread while the rank computes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace upwash {

enum class taken_by : std::uint8_t { rank, thread };

/// A task that can be lent. Its owner is the rank's thread, which makes, lends and ends it.
class lent_task {
 public:
  lent_task() = default;
  lent_task(const lent_task&) = delete;
  lent_task& operator=(const lent_task&) = delete;
  virtual ~lent_task() = default;

 private:
  friend class lent_tasks;

  /// Advances the task as far as other ranks' progress allows. Returns the number of steps. The
  /// rank and the thread never call it at the same time, and each sees the other's writes. On the
  /// thread it calls nothing of the job and does not throw.
  virtual int move(taken_by who) = 0;

  std::size_t place_ = no_place;
  static constexpr std::size_t no_place = ~std::size_t{0};
};

/// The lent tasks of a rank with a progress thread. Memory: one line for each of 16 tasks.
class lent_tasks {
 public:
  /// Lends a task. Called by the rank, which then wakes the thread. Returns false if 16 tasks are
  /// lent already; the task then stays with the rank alone.
  [[nodiscard]] bool lend(lent_task& task) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      // Relaxed: only this thread writes the flag.
      if (places_[i].taken.load(std::memory_order_relaxed)) continue;
      const std::lock_guard held(places_[i].turn);
      places_[i].task = &task;
      places_[i].taken.store(true, std::memory_order_relaxed);
      task.place_ = i;
      lent_.fetch_add(1, std::memory_order_relaxed);  // before the thread is woken
      return true;
    }
    return false;
  }

  /// Takes a task back, lent or not. Called by the rank. If the thread is in a step of the task,
  /// waits for that step.
  void take_back(lent_task& task) noexcept {
    if (task.place_ == lent_task::no_place) return;
    place& at = places_[task.place_];
    {
      const std::lock_guard held(at.turn);
      at.task = nullptr;
      at.taken.store(false, std::memory_order_relaxed);
    }
    task.place_ = lent_task::no_place;
    lent_.fetch_sub(1, std::memory_order_relaxed);
  }

  /// Advances a task, lent or not. Called by the rank. Returns the number of steps; 0 also while
  /// the thread is in a step.
  int go_on(lent_task& task) {
    if (task.place_ == lent_task::no_place) return task.move(taken_by::rank);
    const std::unique_lock held(places_[task.place_].turn, std::try_to_lock);
    return held ? task.move(taken_by::rank) : 0;
  }

  /// Advances all lent tasks. Called by the thread. Returns the number of steps.
  int go_on_with_all() noexcept {
    if (empty()) return 0;
    int moved = 0;
    for (place& each : places_) {
      if (!each.taken.load(std::memory_order_relaxed)) continue;
      const std::unique_lock held(each.turn, std::try_to_lock);
      if (held && each.task != nullptr) moved += each.task->move(taken_by::thread);
    }
    return moved;
  }

  /// Returns whether no task is lent. From any thread; the answer may be out of date.
  [[nodiscard]] bool empty() const noexcept { return lent_.load(std::memory_order_relaxed) == 0; }

 private:
  struct alignas(64) place {
    std::mutex turn;
    lent_task* task = nullptr;
    std::atomic<bool> taken = false;
  };
  std::array<place, 16> places_;
  std::atomic<int> lent_ = 0;
};

}  // namespace upwash
