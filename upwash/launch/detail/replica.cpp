// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/replica.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "upwash/base/error.hpp"

namespace upwash::launch::detail {

std::optional<exchange_blobs> replica::published() {
  if (end_ - first_ == block_.processes()) return std::nullopt;  // they have all in their block
  for (int p = first_; p < end_; ++p) {
    // Acquire: the blob is there with the generation.
    if (block_.slot(p).generation.load(std::memory_order_acquire) == sent_) return std::nullopt;
  }
  exchange_blobs mine;
  mine.generation = sent_++;
  for (int p = first_; p < end_; ++p) {
    const process_slot& slot = block_.slot(p);
    const auto& blob = slot.blobs[mine.generation % 2];
    mine.blobs.emplace_back(blob.begin(), blob.begin() + slot.blob_bytes[mine.generation % 2]);
  }
  return mine;
}

void replica::take(const exchange_blobs& all) {
  if (all.generation != taken_ ||
      all.blobs.size() != static_cast<std::size_t>(block_.processes())) {
    throw error(error_kind::fault,
                fmt::format("exchange {} of {} processes came, exchange {} of {} was expected",
                            all.generation, all.blobs.size(), taken_, block_.processes()));
  }
  ++taken_;
  for (int p = 0; p < block_.processes(); ++p) {
    if (p >= first_ && p < end_) continue;
    const auto& blob = all.blobs[static_cast<std::size_t>(p)];
    if (blob.size() > conduit::max_blob_bytes) {
      throw error(error_kind::fault,
                  fmt::format("an exchange has {} bytes of process {}", blob.size(), p));
    }
    process_slot& slot = block_.slot(p);
    slot.blob_bytes[all.generation % 2] = static_cast<std::uint32_t>(blob.size());
    if (!blob.empty()) {
      std::memcpy(slot.blobs[all.generation % 2].data(), blob.data(), blob.size());
    }
    // Release: as the process itself does.
    slot.generation.store(all.generation + 1, std::memory_order_release);
  }
}

int replica::joined() noexcept {
  int count = 0;
  for (int p = first_; p < end_; ++p) {
    if (block_.slot(p).state.load() != process_state::absent) ++count;
  }
  return count - std::exchange(joined_, count);
}

void replica::others_joined(int count) noexcept {
  block_.header().attached.fetch_add(static_cast<std::uint32_t>(count));
}

bool replica::hung() noexcept {
  const std::uint32_t hangs = block_.header().hangs.load(std::memory_order_relaxed);
  return std::exchange(hangs_, hangs) != hangs;
}

}  // namespace upwash::launch::detail
