// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/streaming/detail/node_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "upwash/base/log.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/memory_access.hpp"

namespace upwash::streaming {
namespace {

constexpr std::size_t at_once = 2;  ///< buffers for a node

/// Whether the members of each node load and store each other's memory. All members of all nodes
/// say the same: it does not depend on who shares a process.
bool shared_on_nodes(const team& among) {
  const conduit::capabilities& can = host(among.here()).endpoint().describe();
  return can.of(conduit::nearness::process).direct_access &&
         can.of(conduit::nearness::node).direct_access;
}

}  // namespace

std::unique_ptr<node_buffers> node_buffers::make(const team& among, std::size_t record_bytes,
                                                 std::size_t buffer_bytes) {
  std::unique_ptr<node_buffers> made(new node_buffers());
  made->record_bytes_ = record_bytes;
  made->find_nodes(among);
  // All members of all nodes agree: each of them has the same numbers.
  const auto members = static_cast<std::size_t>(among.size());
  const std::size_t nodes = made->all_.size() / at_once + 1;
  const bool direct = shared_on_nodes(among);
  if (!direct || nodes == 1 || nodes == members) {
    if (among.rank() == 0) {
      log(log_level::info, "stream",
          fmt::format("no buffers shared by {} members on {} nodes{}", members, nodes,
                      direct ? "" : ": this conduit has no memory that they reach directly"));
    }
    return nullptr;
  }
  made->node_ = among.node();
  made->map_buffers(buffer_bytes);
  return made;
}

/// The other nodes in the order of their first members, and who takes there what this node sends:
/// another one for each sending node.
void node_buffers::find_nodes(const team& among) {
  const conduit::endpoint& conduit = host(among.here()).endpoint();
  std::map<int, std::vector<int>> members;  // by node
  for (int m = 0; m < among.size(); ++m) {
    members[conduit.place(among.world_rank(m)).node].push_back(m);
  }
  const auto mine = members.find(conduit.place(among.here().rank()).node);
  const auto turn = static_cast<std::size_t>(std::distance(members.begin(), mine));
  first_for_.assign(static_cast<std::size_t>(among.size()), -1);
  for (const auto& [node, there] : members) {
    if (node == mine->first) continue;
    for (const int m : there) {
      first_for_[static_cast<std::size_t>(m)] = static_cast<std::int32_t>(all_.size());
    }
    all_.insert(all_.end(), at_once, {nullptr, there[turn % there.size()]});
  }
}

/// Those for the nodes are dealt out to the members of this node in turn.
void node_buffers::map_buffers(std::size_t buffer_bytes) {
  capacity_ = buffer_bytes / 64 * 64;
  const std::size_t each = sizeof(head) + capacity_;
  const auto sharers = static_cast<std::size_t>(node_.size());
  memory_ = allocate(node_, (all_.size() + sharers - 1) / sharers * each);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const auto at = memory_.at(static_cast<int>(i % sharers), i / sharers * each);
    all_[i].at = reinterpret_cast<head*>(local(node_.here(), at, each));
  }
}

void node_buffers::free() {
  upwash::free(memory_);
  node_.release();
}

int node_buffers::receiver_for(int member) const noexcept {
  const std::int32_t first = first_for_[static_cast<std::size_t>(member)];
  return first < 0 ? -1 : all_[static_cast<std::size_t>(first)].receiver;
}

bool node_buffers::put(int destination, std::span<const std::byte> record) {
  const auto first = static_cast<std::size_t>(first_for_[static_cast<std::size_t>(destination)]);
  const std::uint64_t bytes = header_bytes(on_grid(1), record_bytes_) + record.size();
  if (bytes > capacity_) return false;
  for (std::size_t i = first; i < first + at_once; ++i) {
    if (put_into(i, destination, record, bytes)) return true;
  }
  return false;
}

bool node_buffers::put_into(std::size_t buffer, int destination, std::span<const std::byte> record,
                            std::uint64_t bytes) {
  shared_buffer& to = all_[buffer];
  // Relaxed: only whether it is worth a try; nothing is read on the strength of it.
  if (to.at->reserved.load(std::memory_order_relaxed) > capacity_) return false;
  // Acquire: pairs with the release of whoever emptied the buffer, who has read what was there.
  const std::uint64_t begin = to.at->reserved.fetch_add(bytes, std::memory_order_acquire);
  if (begin > capacity_) return false;
  if (begin + bytes > capacity_) {
    closing_.push_back({buffer, begin, cause::full});
    return false;
  }
  std::byte* at = put_word(data_of(to.at) + begin, static_cast<std::size_t>(destination));
  if (record_bytes_ == 0) at = put_word(at, record.size());
  if (!record.empty()) std::memcpy(at, record.data(), record.size());
  // Release: who sees it counted sees the record.
  to.at->written.fetch_add((std::uint64_t{1} << 32U) + bytes, std::memory_order_release);
  if (!std::exchange(to.used, true)) ++used_;
  return true;
}

void node_buffers::close_used(cause why) {
  for (std::size_t i = 0; i < all_.size() && used_ != 0; ++i) {
    shared_buffer& to = all_[i];
    if (!std::exchange(to.used, false)) continue;
    --used_;
    if (to.at->reserved.load(std::memory_order_relaxed) > capacity_) continue;  // closed
    const std::uint64_t end = to.at->reserved.fetch_add(capacity_ + 1, std::memory_order_acquire);
    if (end <= capacity_) closing_.push_back({i, end, why});
  }
}

int node_buffers::send_closed(const sender& send) {
  int sent = 0;
  for (std::size_t i = 0; i < closing_.size();) {
    const closing next = closing_[i];
    head* of = all_[next.buffer].at;
    const std::uint64_t written = of->written.load(std::memory_order_acquire);
    if ((written & 0xffffffffU) != next.bytes) {
      ++i;  // somebody is about to write
      continue;
    }
    closing_.erase(closing_.begin() + static_cast<std::ptrdiff_t>(i));
    if (next.bytes != 0) {
      // It may run handlers, which may close others.
      send({all_[next.buffer].receiver,
            static_cast<std::uint32_t>(written >> 32U),
            {data_of(of), next.bytes},
            next.why});
      ++sent;
      i = 0;
    }
    of->written.store(0, std::memory_order_relaxed);  // before the word that opens it
    of->reserved.store(0, std::memory_order_release);
  }
  return sent;
}

}  // namespace upwash::streaming
