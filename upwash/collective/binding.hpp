// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of a collective call, its reduction and its handler for arriving data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace upwash::collective {

/// Computes into = left op right over `bytes` bytes of whole elements. `into` may be either
/// operand.
struct reduction {
  static constexpr std::size_t most_state_bytes = 32;

  void (*apply)(const std::byte* left, const std::byte* right, std::byte* into, std::size_t bytes,
                const void* context) = nullptr;
  const void* context = nullptr;
  bool has_state = false;  ///< `apply` gets `state` instead of `context`; the state is copied with
                           ///< the reduction
  bool built_in = false;   ///< an operator of upwash on numbers, which any thread may apply
  alignas(std::max_align_t) std::array<std::byte, most_state_bytes> state{};

  [[nodiscard]] const void* what_it_gets() const noexcept {
    return has_state ? state.data() : context;
  }
  void combine(const std::byte* left, const std::byte* right, std::byte* into,
               std::size_t bytes) const {
    apply(left, right, into, bytes, what_it_gets());
  }
};

/// A handler of the data that a `collect` step receives. It is called in progress, also in message
/// handlers, and must not wait. The bytes are valid until it returns. `source` is a rank in the
/// team.
struct collect_handler {
  void (*take)(int source, std::span<const std::byte> bytes, void* context) = nullptr;
  void* context = nullptr;
};

/// The memory for a schedule's symbolic buffers. The memory, that of `given` included, belongs to
/// the executor until the request is complete.
struct binding {
  std::span<const std::byte> input{};
  std::span<std::byte> output{};
  reduction combine{};
  std::array<std::span<const std::uint64_t>, 4> given{};  ///< facts that only the caller knows
  collect_handler collected{};
};

}  // namespace upwash::collective
