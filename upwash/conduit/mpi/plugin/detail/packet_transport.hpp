// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Packets and bulk over MPI: two communicators, so that neither matches the other's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "upwash/conduit/mpi/mpi_engine.hpp"
#include "upwash/conduit/mpi/plugin/detail/calls.hpp"
#include "upwash/conduit/mpi/plugin/detail/packet_receives.hpp"
#include "upwash/conduit/mpi/plugin/detail/pending_requests.hpp"

namespace upwash::conduit::mpi {

/// Memory: 16 bytes for each process.
class packet_transport final : public wire::transport {
 public:
  /// `ranks`: of each process, in MPI_COMM_WORLD; `rank`: of this one.
  packet_transport(std::span<const int> ranks, int rank, const transport_options& options);

  /// Collective; gives the processor away while it waits. An MPI error code.
  [[nodiscard]] int open();

  [[nodiscard]] std::size_t packet_bytes() const noexcept override { return packet_bytes_; }
  [[nodiscard]] outcome send(int process, std::span<const std::byte> packet,
                             completion& sent) noexcept override;
  [[nodiscard]] outcome send_bulk(int process, std::uint32_t tag, std::span<const std::byte> from,
                                  completion& sent) noexcept override;
  [[nodiscard]] outcome receive_bulk(int process, std::uint32_t tag, std::span<std::byte> to,
                                     completion& came) noexcept override;
  int poll(wire::transport_user& user, int most) noexcept override;
  void close(wire::transport_user& user,
             std::span<const std::uint64_t> packets_to) noexcept override;

 private:
  template <class Start>
  outcome in_pieces(int process, std::size_t bytes, completion& when, Start start);
  int receive(wire::transport_user& user, int most);
  /// `process`: with whom, -1 where the library does not say.
  void note(int code, const char* call, int process = -1);
  [[nodiscard]] int rank_of(int process) const noexcept {
    return rank_of_[static_cast<std::size_t>(process)];
  }

  std::vector<int> rank_of_;     ///< by process
  std::vector<int> process_of_;  ///< by rank
  std::size_t packet_bytes_;
  own_communicator packets_;
  own_communicator bulk_;
  packet_receives receives_;
  pending_requests pending_;
  std::vector<std::uint64_t> packets_from_;  ///< by rank
  bool packets_follow_ = false;              ///< the last look found one
  std::string failure_;                      ///< of an MPI call
  int failed_process_ = -1;                  ///< with whom
  bool failure_told_ = false;
};

}  // namespace upwash::conduit::mpi
