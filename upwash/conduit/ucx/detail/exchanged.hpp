// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All-gather of values of any size between the processes of a job, at its start.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "upwash/conduit/bootstrap.hpp"

namespace upwash::conduit::ucx {

/// Gathers `mine` of all processes, which has the same size in all: that of process p lands at
/// p * mine.size(). Collective and blocking, as bootstrap::exchange.
inline std::vector<std::byte> exchange_bytes(bootstrap& boot, std::span<const std::byte> mine) {
  const auto processes = static_cast<std::size_t>(boot.process_count());
  std::vector<std::byte> all(processes * mine.size());
  for (std::size_t begin = 0; begin < mine.size(); begin += max_blob_bytes) {
    const std::size_t piece = std::min(max_blob_bytes, mine.size() - begin);
    std::vector<std::byte> pieces(processes * piece);
    boot.exchange(mine.subspan(begin, piece), pieces);
    for (std::size_t p = 0; p < processes; ++p) {
      std::copy_n(pieces.begin() + static_cast<std::ptrdiff_t>(p * piece), piece,
                  all.begin() + static_cast<std::ptrdiff_t>(p * mine.size() + begin));
    }
  }
  return all;
}

/// Gathers a value of each process, in their order. Collective and blocking.
template <class T>
std::vector<T> exchange_values(bootstrap& boot, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::vector<std::byte> bytes = exchange_bytes(boot, std::as_bytes(std::span(&mine, 1)));
  std::vector<T> all(static_cast<std::size_t>(boot.process_count()));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

}  // namespace upwash::conduit::ucx
