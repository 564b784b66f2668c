// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The carrier of edges with mechanism `matched`: tagged messages, provided by a layer above
// (`installation`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/core/team.hpp"

namespace upwash::collective {

class tagged_messages {
 public:
  virtual ~tagged_messages() = default;
  tagged_messages(const tagged_messages&) = delete;
  tagged_messages& operator=(const tagged_messages&) = delete;

  /// Bits of a tag, from the lowest up: the edge, the phase, the lowest bits of the operation's
  /// number.
  static constexpr unsigned edge_bits = 18;
  static constexpr unsigned phase_bits = 2;
  static constexpr unsigned number_bits = 11;
  static_assert(number_bits + phase_bits + edge_bits == 31);

  /// An edge between two members, as both ends name it. Messages of one tag are received in the
  /// order in which they were sent.
  struct edge {
    std::int32_t tag = 0;
    std::uint8_t collective = 0;  ///< number of the collective, from 1
    std::uint64_t bytes = 0;      ///< bytes of the call
  };
  static constexpr std::uint64_t under_way = ~std::uint64_t{0};

  /// Sends `bytes` to `member`. The bytes and `told` must stay until `told` is no longer under_way.
  /// An acknowledged send completes when the message is received.
  virtual void send(const team& to, int member, const edge& what, std::span<const std::byte> bytes,
                    bool acknowledged, std::uint64_t& told) = 0;
  /// Receives into `into`. `told` becomes the message's length. A message longer than `into` is
  /// dropped.
  virtual void receive(const team& from, int member, const edge& what, std::span<std::byte> into,
                       std::uint64_t& told) = 0;

 protected:
  tagged_messages() = default;
};

}  // namespace upwash::collective
