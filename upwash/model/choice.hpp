// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Choices: what the tuner can choose between. Collective algorithms, mechanisms, matching engines,
// streams describe themselves here; a choice is written NAME[:key=value,...] everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace upwash::model {

inline constexpr std::size_t most_parameters = 4;

/// Which values of a parameter a search tries beside the initial one.
enum class trial : std::uint8_t {
  radices,  ///< 0 and powers of two below the number of ranks
  sizes,    ///< powers of four from 1 KiB, below the bytes of the call
  each,     ///< all: they are few
  none,
};

/// One parameter of a choice: an integer; sizes may be written with k, m, g (powers of 1024).
struct parameter {
  std::string_view name;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::uint64_t initial = 0;  ///< where none is given
  std::string_view doc;
  trial tries = trial::radices;
};

/// What a choice needs of the problem or the machine; a set of bits.
enum requirement : std::uint32_t {
  needs_power_of_two = 1U << 0U,
  needs_commutative = 1U << 1U,
  needs_single_addresses = 1U << 2U,  ///< symmetric buffers
  needs_direct_access = 1U << 3U,     ///< ranks load and store each other's memory
  needs_network = 1U << 4U,           ///< collectives in the network
  needs_node_memory = 1U << 5U,       ///< several nodes, whose ranks load and store their memory
};

/// Describes one choice. Everything it refers to lives as long as the program.
struct choice {
  std::string_view name;
  std::span<const parameter> parameters;
  std::uint32_t requirements = 0;
  std::string_view doc;     ///< one line
  std::string_view source;  ///< paper and section
};

/// Values of a choice's parameters, in its order.
using values = std::array<std::uint64_t, most_parameters>;

/// The initial values.
[[nodiscard]] values initial_values(const choice& of) noexcept;

/// Splits "NAME[:...]" into the name and what follows the colon.
[[nodiscard]] std::pair<std::string_view, std::string_view> split_choice(std::string_view text);

/// Reads "k=v,..." for a choice; what is not named keeps its initial value. Throws `error`
/// (argument) naming the parameter, the value seen and what is valid.
[[nodiscard]] values parse_values(const choice& of, std::string_view text);

/// NAME, with :key=value,... where it has parameters.
[[nodiscard]] std::string text_of(const choice& of, const values& with);

}  // namespace upwash::model
