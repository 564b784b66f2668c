// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Requests under way, and who is told when each is done.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "upwash/conduit/message.hpp"
#include "upwash/conduit/mpi/plugin/detail/calls.hpp"

namespace upwash::conduit::mpi {

class pending_requests {
 public:
  /// `process`: with whom.
  void add(MPI_Request request, completion& when, int process) {
    requests_.push_back(request);
    told_.push_back(&when);
    with_.push_back(process);
  }
  [[nodiscard]] bool empty() const noexcept { return requests_.empty(); }

  /// An MPI error code, and with whom it was, -1 where the library does not say.
  struct failure {
    int code = MPI_SUCCESS;
    int process = -1;
  };

  /// Looks at some of them, and at the next ones the next time. How many were done; what failed
  /// among them is left in `failed`, and its completion is told all the same.
  int poll(failure& failed) {
    if (cursor_ >= requests_.size()) cursor_ = 0;
    const std::size_t portion = std::min(requests_.size() - cursor_, most_);
    int count = 0;
    const int answer = PMPI_Testsome(static_cast<int>(portion), requests_.data() + cursor_, &count,
                                     indices_.data(), statuses_.data());
    if (answer != MPI_SUCCESS && answer != MPI_ERR_IN_STATUS) {
      failed.code = answer;
      return 0;
    }
    if (count == MPI_UNDEFINED) count = 0;
    for (int i = 0; answer == MPI_ERR_IN_STATUS && i < count; ++i) {
      const auto place = static_cast<std::size_t>(i);
      const int one = statuses_[place].MPI_ERROR;
      if (one == MPI_SUCCESS) continue;
      failed = {one, with_[cursor_ + static_cast<std::size_t>(indices_[place])]};
    }
    // The last first: what takes a place comes from behind it.
    std::sort(indices_.begin(), indices_.begin() + count, std::greater<>());
    for (int i = 0; i < count; ++i) {
      take(cursor_ + static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]));
    }
    cursor_ += portion - static_cast<std::size_t>(count);
    return count;
  }

 private:
  static constexpr std::size_t most_ = 16;  // at a time

  void take(std::size_t place) {
    completion& done = *told_[place];
    requests_[place] = requests_.back();
    told_[place] = told_.back();
    with_[place] = with_.back();
    requests_.pop_back();
    told_.pop_back();
    with_.pop_back();
    done.tell(done);
  }

  std::vector<MPI_Request> requests_;
  std::vector<completion*> told_;  ///< of each
  std::vector<int> with_;          ///< of each, the process
  std::size_t cursor_ = 0;
  std::array<int, most_> indices_{};
  std::array<MPI_Status, most_> statuses_{};
};

}  // namespace upwash::conduit::mpi
