// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages that came before their rank had a sink.
#include "upwash/conduit/shm/detail/shm_endpoint.hpp"

#include <utility>

namespace upwash::conduit::shm_detail {

void shm_endpoint::keep(const message& arrived, kept_queues& kept) {
  kept_message copy{arrived, {arrived.arguments.begin(), arrived.arguments.end()}};
  copy.bytes.insert(copy.bytes.end(), arrived.payload.begin(), arrived.payload.end());
  kept[static_cast<std::size_t>(arrived.destination - first_rank_)].push_back(std::move(copy));
  if (&kept == &kept_) {
    ++kept_count_;
  } else {
    kept_memory_count_.fetch_add(1, std::memory_order_relaxed);
  }
}

int shm_endpoint::deliver_kept(kept_queues& kept) {
  int delivered = 0;
  for (std::size_t local = 0; local < sinks_.size(); ++local) {
    for (; sinks_[local] != nullptr && !kept[local].empty(); ++delivered) {
      const kept_message one = std::move(kept[local].front());
      kept[local].pop_front();
      message m = one.header;
      m.arguments = std::span(one.bytes).first(one.header.arguments.size());
      m.payload = std::span(one.bytes).subspan(one.header.arguments.size());
      if (&kept == &kept_) {
        --kept_count_;
      } else {
        kept_memory_count_.fetch_sub(1, std::memory_order_relaxed);
      }
      hand_over(m, local);
    }
  }
  return delivered;
}

}  // namespace upwash::conduit::shm_detail
