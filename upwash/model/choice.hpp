// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The description of choices for the tuner: collective algorithms, mechanisms, matching engines,
// streams. A choice is written NAME[:key=value,...] everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace upwash::model {

inline constexpr std::size_t most_parameters = 4;

/// The values of a parameter that a search tries in addition to the initial one.
enum class trial : std::uint8_t {
  radices,  ///< 0 and powers of two below the number of ranks
  sizes,    ///< powers of four from 1 KiB, below the bytes of the call
  each,     ///< all values: there are few
  none,
};

/// An integer parameter of a choice. Sizes may be written with k, m, g (powers of 1024).
struct parameter {
  std::string_view name;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::uint64_t initial = 0;  ///< the default
  std::string_view doc;
  trial tries = trial::radices;
};

/// The requirements of a choice on the problem or the machine; a set of bits.
enum requirement : std::uint32_t {
  needs_power_of_two = 1U << 0U,
  needs_commutative = 1U << 1U,
  needs_single_addresses = 1U << 2U,  ///< symmetric buffers
  needs_direct_access = 1U << 3U,     ///< ranks load and store each other's memory
  needs_network = 1U << 4U,           ///< collectives in the network
  needs_node_memory = 1U << 5U,       ///< several nodes, and direct access inside nodes
};

/// Describes one choice. All referenced data live as long as the program.
struct choice {
  std::string_view name;
  std::span<const parameter> parameters;
  std::uint32_t requirements = 0;
  std::string_view doc;     ///< one line
  std::string_view source;  ///< paper and section
};

/// Values of a choice's parameters, in their order.
using values = std::array<std::uint64_t, most_parameters>;

/// Returns the initial values.
[[nodiscard]] values initial_values(const choice& of) noexcept;

/// Splits "NAME[:...]" into the name and the text after the colon.
[[nodiscard]] std::pair<std::string_view, std::string_view> split_choice(std::string_view text);

/// Reads "k=v,..." for a choice; other parameters keep their initial values. Throws `error`
/// (argument) with the parameter, the given value and the valid ones.
[[nodiscard]] values parse_values(const choice& of, std::string_view text);

/// Returns NAME, with :key=value,... if it has parameters.
[[nodiscard]] std::string text_of(const choice& of, const values& with);

}  // namespace upwash::model
