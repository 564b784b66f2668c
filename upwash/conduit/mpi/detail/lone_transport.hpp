// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Of a job of one process that is in no job of MPI: there is nobody to send to.
#pragma once

#include "upwash/conduit/wire/transport.hpp"

namespace upwash::conduit::mpi {

class lone_transport final : public wire::transport {
 public:
  explicit lone_transport(std::size_t packet_bytes) : packet_bytes_(packet_bytes) {}

  [[nodiscard]] std::size_t packet_bytes() const noexcept override { return packet_bytes_; }
  [[nodiscard]] outcome send(int /*process*/, std::span<const std::byte> /*packet*/,
                             completion& /*sent*/) noexcept override {
    return outcome::done;
  }
  [[nodiscard]] outcome send_bulk(int /*process*/, std::uint32_t /*tag*/,
                                  std::span<const std::byte> /*from*/,
                                  completion& /*sent*/) noexcept override {
    return outcome::done;
  }
  [[nodiscard]] outcome receive_bulk(int /*process*/, std::uint32_t /*tag*/,
                                     std::span<std::byte> /*to*/,
                                     completion& /*came*/) noexcept override {
    return outcome::done;
  }
  int poll(wire::transport_user& /*user*/, int /*most*/) noexcept override { return 0; }
  void close(wire::transport_user& /*user*/,
             std::span<const std::uint64_t> /*packets_to*/) noexcept override {}

 private:
  std::size_t packet_bytes_;
};

}  // namespace upwash::conduit::mpi
