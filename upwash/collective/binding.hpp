// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of a collective call, and what is done with what arrives there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace upwash::collective {

/// into = left op right over `bytes` bytes of whole elements; `into` may be either operand.
struct reduction {
  static constexpr std::size_t most_state_bytes = 32;

  void (*apply)(const std::byte* left, const std::byte* right, std::byte* into, std::size_t bytes,
                const void* context) = nullptr;
  const void* context = nullptr;
  bool has_state = false;  ///< `apply` gets `state`, not `context`: it is copied with the reduction
  bool built_in = false;   ///< one of upwash's own operators on numbers: any thread may apply it
  alignas(std::max_align_t) std::array<std::byte, most_state_bytes> state{};

  [[nodiscard]] const void* what_it_gets() const noexcept {
    return has_state ? state.data() : context;
  }
  void combine(const std::byte* left, const std::byte* right, std::byte* into,
               std::size_t bytes) const {
    apply(left, right, into, bytes, what_it_gets());
  }
};

/// Takes what a `collect` brings; called in progress, in a handler too, so it must not wait. The
/// bytes are gone when it returns. `source`: rank in the team.
struct collect_handler {
  void (*take)(int source, std::span<const std::byte> bytes, void* context) = nullptr;
  void* context = nullptr;
};

/// What a schedule's symbolic buffers stand for. The memory, also that of `given`, is the
/// executor's until the request is complete.
struct binding {
  std::span<const std::byte> input{};
  std::span<std::byte> output{};
  reduction combine{};
  std::array<std::span<const std::uint64_t>, 4> given{};  ///< facts that only the caller knows
  collect_handler collected{};
};

}  // namespace upwash::collective
