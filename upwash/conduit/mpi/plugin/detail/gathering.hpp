// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One all-gather of the bootstrap. Rank 0 takes the blobs one by one, so that it can name whoever
// is missing, and gives them to all.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "upwash/conduit/mpi/mpi_engine.hpp"
#include "upwash/conduit/mpi/plugin/detail/calls.hpp"

namespace upwash::conduit::mpi {

using foreign::progress;

class gathering {
 public:
  gathering(int rank, int size) : rank_(rank), size_(size) {}

  void begin(std::span<const std::byte> mine, std::span<std::byte> all) {
    // Without a byte nothing would travel, and nobody would wait for anybody.
    const std::byte nothing{};
    if (mine.empty()) {
      instead_.resize(static_cast<std::size_t>(size_));
      mine = std::span(&nothing, 1);
      all = instead_;
    }
    all_ = all;
    blob_bytes_ = static_cast<int>(mine.size());
    mine_.assign(mine.begin(), mine.end());
    now_ = communicator_.get() == MPI_COMM_NULL ? stage::duplicating : stage::starting;
    code_ = now_ == stage::duplicating ? communicator_.begin() : MPI_SUCCESS;
  }

  [[nodiscard]] progress advance(std::string& why) {
    if (code_ == MPI_SUCCESS) code_ = step();
    if (code_ == MPI_SUCCESS) return now_ == stage::over ? progress::done : progress::under_way;
    why = text_of(code_, "the exchange at start-up");
    return progress::failed;
  }

  [[nodiscard]] std::vector<int> missing() const {
    std::vector<int> ranks;
    for (std::size_t i = 0; now_ == stage::collecting && i < requests_.size(); ++i) {
      if (requests_[i] != MPI_REQUEST_NULL) ranks.push_back(static_cast<int>(i) + 1);
    }
    return ranks;
  }

 private:
  enum class stage { duplicating, starting, collecting, spreading, over };

  int step() {
    bool passed = true;
    int code = MPI_SUCCESS;
    if (now_ == stage::duplicating) {
      code = communicator_.advance(passed);
      if (passed) now_ = stage::starting;
    } else if (now_ == stage::starting) {
      code = start();
      now_ = stage::collecting;
    } else if (now_ == stage::collecting) {
      code = collect(passed);
      if (code == MPI_SUCCESS && passed) code = spread();
    } else if (now_ == stage::spreading) {
      int over = 0;
      code = PMPI_Test(&spreading_, &over, MPI_STATUS_IGNORE);
      if (over != 0) now_ = stage::over;
    }
    return code;
  }

  int start() {
    if (rank_ != 0) {
      requests_.resize(1);
      return PMPI_Isend(mine_.data(), blob_bytes_, MPI_BYTE, 0, 0, communicator_.get(),
                        requests_.data());
    }
    std::memcpy(all_.data(), mine_.data(), mine_.size());
    requests_.assign(static_cast<std::size_t>(size_ - 1), MPI_REQUEST_NULL);
    indices_.resize(requests_.size());
    for (int r = 1; r < size_; ++r) {
      const int code = PMPI_Irecv(all_.data() + static_cast<std::size_t>(r) * mine_.size(),
                                  blob_bytes_, MPI_BYTE, r, 0, communicator_.get(),
                                  &requests_[static_cast<std::size_t>(r - 1)]);
      if (code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
  }

  int collect(bool& all_came) {
    if (rank_ != 0) {
      int sent = 0;
      const int code = PMPI_Test(requests_.data(), &sent, MPI_STATUS_IGNORE);
      all_came = sent != 0;
      return code;
    }
    int count = 0;
    const int code = PMPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                   indices_.data(), MPI_STATUSES_IGNORE);
    all_came = count == MPI_UNDEFINED;  // none is active any more
    return code;
  }

  int spread() {
    now_ = stage::spreading;
    return PMPI_Ibcast(all_.data(), static_cast<int>(all_.size()), MPI_BYTE, 0, communicator_.get(),
                       &spreading_);
  }

  int rank_;
  int size_;
  own_communicator communicator_;  ///< lives as long as MPI
  stage now_ = stage::over;
  int code_ = MPI_SUCCESS;
  int blob_bytes_ = 0;
  std::span<std::byte> all_;
  std::vector<std::byte> mine_;
  std::vector<std::byte> instead_;  ///< of blobs without a byte
  std::vector<MPI_Request> requests_;
  std::vector<int> indices_;
  MPI_Request spreading_ = MPI_REQUEST_NULL;
};

}  // namespace upwash::conduit::mpi
