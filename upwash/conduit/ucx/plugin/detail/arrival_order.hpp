// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Packets of one process in the order in which they were sent. UCX promises none between active
// messages: one that travels in several fragments is complete when its last fragment is, and may
// take other lanes than a short one behind it. With one device all come in order, so this costs a
// comparison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace upwash::conduit::ucx {

class arrival_order {
 public:
  /// Packet `number` came; calls `deliver(bytes)` for it and those that waited for it, or keeps a
  /// copy.
  template <class Deliver>
  void arrived(std::uint32_t number, std::span<const std::byte> bytes, const Deliver& deliver) {
    if (number != next_) {
      early_.push_back({number, {bytes.begin(), bytes.end()}});
      return;
    }
    ++next_;
    deliver(bytes);
    if (!early_.empty()) [[unlikely]] {
      deliver_early(deliver);
    }
  }

 private:
  struct early {
    std::uint32_t number;
    std::vector<std::byte> bytes;
  };

  template <class Deliver>
  void deliver_early(const Deliver& deliver) {
    for (std::size_t i = 0; i < early_.size();) {
      if (early_[i].number != next_) {
        ++i;
        continue;
      }
      const early one = std::move(early_[i]);
      early_[i] = std::move(early_.back());
      early_.pop_back();
      ++next_;
      deliver(std::span<const std::byte>(one.bytes));
      i = 0;
    }
  }

  std::uint32_t next_ = 0;
  std::vector<early> early_;
};

}  // namespace upwash::conduit::ucx
