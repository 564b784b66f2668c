// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The pipeline of an ordered pair (reader, owner): the owner copies parts of its private memory
// in, the reader copies them out. Made by the reader on first use: 256 KiB by default.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "upwash/conduit/shm/detail/line.hpp"
#include "upwash/conduit/shm/detail/memfd.hpp"

namespace upwash::conduit::shm_detail {

inline constexpr std::size_t pipe_slots = 8;
inline constexpr std::size_t pipe_header = 4096;

/// What travels as control lines in the memory lane, with this number in place of a module.
inline constexpr std::uint8_t control_module = 255;

enum class control : std::uint32_t { open_pipe, fetch };

struct open_pipe {
  std::int32_t fd = -1;
  std::uint32_t serial = 0;
  std::uint64_t slot_bytes = 0;
};

struct fetch {
  std::uint64_t address = 0;  ///< at the owner
  std::uint64_t bytes = 0;
  std::uint64_t span = 0;  ///< name of the registration that covers it
};

/// Sends control lines; the endpoint.
class control_sender {
 public:
  /// False: no credit now.
  virtual bool send_control(int process, control what, const void* arguments,
                            std::size_t bytes) = 0;
  /// Ends the job.
  [[noreturn]] virtual void give_up(std::string_view why) = 0;

 protected:
  ~control_sender() = default;
};

///   line 0   parts filled u64, written by the owner
///   line 1   parts drained u64, written by the reader
///   page 1   pipe_slots slots
/// Requests are served in order, each cut into parts of part_bytes(bytes of the request). A reader
/// whose owner is away reads parts by attach in its place: it has then drained more than is filled,
/// and the owner passes over these, whose memory may be gone.
struct pipe_memory {
  shared_memory file;
  std::size_t slot_bytes = 0;

  [[nodiscard]] static std::size_t file_bytes(std::size_t slot) {
    return pipe_header + pipe_slots * slot;
  }
  [[nodiscard]] std::atomic<std::uint64_t>& filled() const {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(file.base());
  }
  [[nodiscard]] std::atomic<std::uint64_t>& drained() const {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(file.base() + line_bytes);
  }
  [[nodiscard]] std::byte* slot(std::uint64_t number) const {
    return file.base() + pipe_header + (number % pipe_slots) * slot_bytes;
  }
  /// Short requests are cut finer, so that both ends copy at the same time.
  [[nodiscard]] std::size_t part_bytes(std::uint64_t request) const {
    const std::uint64_t part = std::bit_ceil(request / pipe_slots + 1);
    return static_cast<std::size_t>(
        std::clamp<std::uint64_t>(part, std::min<std::size_t>(4096, slot_bytes), slot_bytes));
  }
};

}  // namespace upwash::conduit::shm_detail
