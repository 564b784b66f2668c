// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What travels between two processes: | header 32 | payload, to the next 8 bytes | arguments |. The
// arguments come last, so that a payload can be written where it travels before they are known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "upwash/conduit/message.hpp"

namespace upwash::conduit::wire {

/// Packets that only tell of credits and throttling have this in place of a lane.
inline constexpr std::uint8_t state_packet = static_cast<std::uint8_t>(lane_count);

using lane_counts = std::array<std::uint32_t, lane_count>;

/// In the byte order of the machine: all processes of a job run the same build.
struct packet_header {
  std::uint8_t kind = state_packet;  ///< a lane, or state_packet
  std::uint8_t throttled = 0;        ///< a flag: the sender takes no requests from outside handlers
  std::uint8_t module = 0;           ///< of the handler
  std::uint8_t argument_bytes = 0;
  std::uint32_t handler_offset = 0;
  std::uint32_t payload_bytes = 0;
  std::uint16_t source = 0;       ///< among the ranks of its process
  std::uint16_t destination = 0;  ///< likewise
  lane_counts taken{};            ///< messages of the receiver's that the sender has taken so far
  std::uint32_t unused = 0;
};
static_assert(sizeof(packet_header) == 32);

[[nodiscard]] constexpr std::size_t arguments_at(std::size_t payload_bytes) noexcept {
  return sizeof(packet_header) + (payload_bytes + 7) / 8 * 8;
}

/// The largest payload of a message in packets of this size.
[[nodiscard]] constexpr std::size_t payload_room(std::size_t packet_bytes) noexcept {
  return (packet_bytes - sizeof(packet_header) - max_argument_bytes) / 8 * 8;
}

class wire_endpoint;

/// A packet going out, or on its way from this process to itself.
struct outgoing : completion {
  outgoing* next = nullptr;  ///< in the pool, or in a queue
  std::byte* bytes = nullptr;
  std::size_t size = 0;
  wire_endpoint* sender = nullptr;
  int tells = -1;  ///< the process that it tells of credits alone, or -1

  [[nodiscard]] packet_header header() const noexcept {
    packet_header read;
    std::memcpy(&read, bytes, sizeof read);
    return read;
  }
  void set_header(const packet_header& to) noexcept { std::memcpy(bytes, &to, sizeof to); }
};

/// Packets of one size. Grows with the most that were under way at once, and keeps them: no
/// allocation once warm. The last given back is the next taken, since it is in the cache.
class packet_pool {
 public:
  explicit packet_pool(std::size_t packet_bytes) : stride_((packet_bytes + 63) / 64 * 64) {}

  [[nodiscard]] outgoing& take() {
    if (free_ == nullptr) grow();
    outgoing& one = *free_;
    free_ = one.next;
    one.next = nullptr;
    return one;
  }
  void give_back(outgoing& one) noexcept {
    one.next = free_;
    free_ = &one;
  }

 private:
  struct release {
    void operator()(std::byte* bytes) const { ::operator delete (bytes, std::align_val_t{64}); }
  };
  static constexpr std::size_t at_once = 16;

  void grow() {
    bytes_.emplace_back(
        static_cast<std::byte*>(::operator new (stride_* at_once, std::align_val_t{64})));
    packets_.push_back(std::make_unique<std::array<outgoing, at_once>>());
    for (std::size_t i = 0; i < at_once; ++i) {
      outgoing& one = (*packets_.back())[i];
      one.bytes = bytes_.back().get() + i * stride_;
      give_back(one);
    }
  }

  std::size_t stride_;
  outgoing* free_ = nullptr;
  std::vector<std::unique_ptr<std::byte, release>> bytes_;
  std::vector<std::unique_ptr<std::array<outgoing, at_once>>> packets_;
};

}  // namespace upwash::conduit::wire
