// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank lends to its progress thread: tasks that whoever comes first takes forward, the rank
// in its progress or the thread while the rank computes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace upwash {

enum class taken_by : std::uint8_t { rank, thread };

/// Such a task. Its owner is the rank's thread, which makes, lends and ends it.
class lent_task {
 public:
  lent_task() = default;
  lent_task(const lent_task&) = delete;
  lent_task& operator=(const lent_task&) = delete;
  virtual ~lent_task() = default;

 private:
  friend class lent_tasks;

  /// Goes on as far as others have come. Returns how many steps. Never called by both at a time;
  /// what one of them wrote the other one sees. For the thread it calls nothing of the job and does
  /// not throw.
  virtual int move(taken_by who) = 0;

  std::size_t place_ = no_place;
  static constexpr std::size_t no_place = ~std::size_t{0};
};

/// Of a rank with a progress thread. Memory: one line for each of 16 tasks.
class lent_tasks {
 public:
  /// By the rank, which then wakes the thread. False: 16 are lent already, and this one stays the
  /// rank's alone.
  [[nodiscard]] bool lend(lent_task& task) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      // Relaxed: only this thread writes it.
      if (places_[i].taken.load(std::memory_order_relaxed)) continue;
      const std::lock_guard held(places_[i].turn);
      places_[i].task = &task;
      places_[i].taken.store(true, std::memory_order_relaxed);
      task.place_ = i;
      lent_.fetch_add(1, std::memory_order_relaxed);  // before it is woken
      return true;
    }
    return false;
  }

  /// By the rank, whether the task is lent or not. Waits while the thread is at it: for its step.
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

  /// By the rank: the task goes on, lent or not. 0 also while the thread is at it.
  int go_on(lent_task& task) {
    if (task.place_ == lent_task::no_place) return task.move(taken_by::rank);
    const std::unique_lock held(places_[task.place_].turn, std::try_to_lock);
    return held ? task.move(taken_by::rank) : 0;
  }

  /// By the thread: all that are lent go on.
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

  /// From any thread; it may be late.
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
