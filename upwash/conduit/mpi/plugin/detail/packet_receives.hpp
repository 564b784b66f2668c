// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Receives that wait for packets of anybody. MPI matches them in the order in which they were
// posted, and each source's packets in the order in which they were sent: so taking them in the
// order of posting keeps each source's order, and one test tells whether there is anything.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "upwash/conduit/mpi/plugin/detail/calls.hpp"

namespace upwash::conduit::mpi {

class packet_receives {
 public:
  packet_receives(std::size_t packet_bytes, int count)
      : packet_bytes_(packet_bytes),
        room_(new std::byte[packet_bytes * static_cast<std::size_t>(count)]),
        requests_(static_cast<std::size_t>(count), MPI_REQUEST_NULL) {}
  packet_receives(const packet_receives&) = delete;
  packet_receives& operator=(const packet_receives&) = delete;
  ~packet_receives() {
    if (open_) static_cast<void>(room_.release());  // the library may still write there
  }

  [[nodiscard]] int open(MPI_Comm over) noexcept {
    over_ = over;
    open_ = true;
    int code = MPI_SUCCESS;
    for (std::size_t i = 0; i < requests_.size() && code == MPI_SUCCESS; ++i) code = post(i);
    return code;
  }

  struct packet {
    int source = -1;  ///< -1: none has come
    std::span<const std::byte> bytes;
  };

  /// The next one, which stays until it is asked for the next one again: so its receive is posted
  /// again when its reader has answered, and not while somebody waits for the answer.
  [[nodiscard]] int next(packet& came) noexcept {
    if (taken_) {
      const int code = post(oldest_);
      if (++oldest_ == requests_.size()) oldest_ = 0;
      taken_ = false;
      if (code != MPI_SUCCESS) return code;
    }
    int arrived = 0;
    MPI_Status status;
    const int code = PMPI_Test(&requests_[oldest_], &arrived, &status);
    if (code != MPI_SUCCESS || arrived == 0) return code;
    taken_ = true;
    int bytes = 0;
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    came = {status.MPI_SOURCE,
            std::span(room_of(oldest_), static_cast<std::size_t>(bytes < 0 ? 0 : bytes))};
    return MPI_SUCCESS;
  }

  /// Nothing comes any more.
  void close() noexcept {
    for (MPI_Request& one : requests_) {
      if (one == MPI_REQUEST_NULL) continue;
      PMPI_Cancel(&one);
      PMPI_Wait(&one, MPI_STATUS_IGNORE);
    }
    open_ = false;
  }

 private:
  [[nodiscard]] std::byte* room_of(std::size_t place) const noexcept {
    return room_.get() + place * packet_bytes_;
  }
  int post(std::size_t place) noexcept {
    return PMPI_Irecv(room_of(place), static_cast<int>(packet_bytes_), MPI_BYTE, MPI_ANY_SOURCE, 0,
                      over_, &requests_[place]);
  }

  std::size_t packet_bytes_;
  std::unique_ptr<std::byte[]> room_;
  std::vector<MPI_Request> requests_;
  std::size_t oldest_ = 0;
  bool taken_ = false;  ///< the oldest one holds a packet
  MPI_Comm over_ = MPI_COMM_NULL;
  bool open_ = false;
};

}  // namespace upwash::conduit::mpi
