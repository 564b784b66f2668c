// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Start-up of the conduit: segments, introductions, connections.
#include "upwash/conduit/shm/detail/mesh.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/group_limits.hpp"
#include "upwash/base/random.hpp"
#include "upwash/conduit/process_knobs.hpp"
#include "upwash/conduit/shm/detail/ancestors.hpp"
#include "upwash/conduit/shm/detail/packages.hpp"

namespace upwash::conduit::shm_detail {
namespace {

// Of more processes' rings most are never used.
constexpr int few_enough_for_all_rings = 32;

/// Whether a progress thread that runs there may be on a processor of its rank.
bool may_meet(const processor_set& of_rank, const std::vector<int>& of_thread) {
  return of_thread.empty() || std::ranges::any_of(of_thread, [&](int each) {
           const auto word = static_cast<std::size_t>(each) / 64;
           return word < of_rank.size() && (of_rank[word] >> (each % 64) & 1U) != 0;
         });
}

}  // namespace

std::uint32_t new_serial() {
  const auto now = static_cast<std::uint64_t>(steady_now().ps());
  return static_cast<std::uint32_t>(random_bits(now, static_cast<std::uint64_t>(getpid()), 0));
}

void wait_for_notice_of_death(const bootstrap& boot) {
  constexpr timespec look{0, 1'000'000};
  for (int looks = 0; looks < 1000 && !boot.failed(); ++looks) nanosleep(&look, nullptr);
}

mesh::mesh(bootstrap& boot, const settings& values)
    : layout_(layout::choose(boot.layout(), values)),
      self_(boot.process()),
      peers_(static_cast<std::size_t>(boot.process_count())),
      segments_(peers_.size()) {
  introduction& mine = peers_[static_cast<std::size_t>(self_)];
  mine.pid = getpid();
  mine.parent = getppid();
  mine.serial = new_serial();
  mine.line_count = layout_.line_count;
  mine.payload_bytes = layout_.payload_bytes;
  const bool has_thread =
      values.flag("progress_thread") && boot.layout().count_of(boot.process()) == 1;
  const std::string& waits = values.text("progress_wait");
  mine.polls.processors = own_processors();
  const bool beside_the_rank =
      has_thread && may_meet(mine.polls.processors, progress_processors(values));
  mine.polls.threads = beside_the_rank && waits == "poll" ? 2 : 1;
  mine.thread_sleeps = has_thread && waits == "sleep" ? 1 : 0;
  mine.started_ps = steady_now().ps();
  const std::size_t all = layout_.total() * layout_.processes;
  if (all > available_memory()) {
    throw error(error_kind::system,
                fmt::format("message rings of {} processes need {} bytes in all, {} are available: "
                            "start fewer processes (with more ranks each), or smaller rings "
                            "(UPWASH_SHM_RING_LINES, UPWASH_SHM_PAYLOAD)",
                            layout_.processes, all, available_memory()));
  }
  own_ = shared_memory::make(
      layout_.total(), mine.serial, "message rings", "UPWASH_SHM_RING_LINES, UPWASH_SHM_PAYLOAD",
      processes() > few_enough_for_all_rings ? backing::as_touched : backing::at_once);
  segments_[static_cast<std::size_t>(self_)] = own_.base();
  mine.fd = own_.fd();
  own_.keep_from_children();
  introduce(boot);
  if (values.text("shm_cma") == "auto" && peers_.size() > 1) {
    // Where only ancestors may look into a process, peers must be let in: whoever started them
    // all, and what that has started. Elsewhere no effect.
    prctl(PR_SET_PTRACER, static_cast<unsigned long>(who_started_all()));
  }
  try {
    share_sockets(boot, values.integer("fake_nodes") == 0);
    // One now: where peers may not be seen at all, the job does not start.
    reach((self_ + 1) % processes());
  } catch (const error&) {
    wait_for_notice_of_death(boot);
    throw;
  }
  boot.barrier();  // nobody goes before all have opened what they need of it
}

int mesh::who_started_all() const {
  const int parent = peers_.front().parent;
  const bool is_one = std::ranges::all_of(
      peers_, [parent](const introduction& one) { return one.parent == parent; });
  if (is_one && parent > 0) return parent;
  std::vector<int> pids;
  for (const introduction& one : peers_) pids.push_back(one.pid);
  return common_ancestor(pids);
}

void mesh::introduce(bootstrap& boot) {
  const introduction mine = peers_[static_cast<std::size_t>(self_)];
  boot.exchange(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(peers_)));
  for (std::size_t p = 0; p < peers_.size(); ++p) {
    const introduction& other = peers_[p];
    if (other.version == mine.version && other.line_count == mine.line_count &&
        other.payload_bytes == mine.payload_bytes) {
      continue;
    }
    throw error(
        error_kind::configuration,
        fmt::format("process {} has rings of {} lines and {} bytes of payload (version {}), "
                    "process {} of {} and {} (version {}): UPWASH_SHM_RING_LINES and "
                    "UPWASH_SHM_PAYLOAD must be the same for all",
                    self_, mine.line_count, mine.payload_bytes, mine.version, p, other.line_count,
                    other.payload_bytes, other.version));
  }
}

void mesh::share_sockets(bootstrap& boot, bool wanted) {
  sockets_.assign(peers_.size(), 0);
  if (!wanted) return;
  // Reading the topology takes milliseconds; one process does it for all.
  std::vector<std::uint16_t> table(peers_.size());
  if (self_ == 0) {
    std::vector<processor_set> processors;
    for (const introduction& one : peers_) processors.push_back(one.polls.processors);
    table = packages_of(processors);
    std::memcpy(own_.base(), table.data(), table.size() * sizeof table[0]);
  }
  boot.barrier();
  if (self_ != 0) {
    const auto first =
        shared_memory::open(peers_[0].pid, peers_[0].fd, peers_[0].serial, 0, layout_.header_bytes);
    std::memcpy(table.data(), first.base(), table.size() * sizeof table[0]);
  }
  sockets_.assign(table.begin(), table.end());
}

std::vector<polling_process> mesh::polling() const {
  std::vector<polling_process> all;
  for (const introduction& one : peers_) all.push_back(one.polls);
  return all;
}

void mesh::reach(int process) {
  const std::lock_guard guard(reaching_);
  if (segment(process) != nullptr) return;
  auto there = shared_memory::open(peer(process).pid, peer(process).fd, peer(process).serial, 0,
                                   layout_.total());
  there.keep_from_children();
  reached_.push_back(std::move(there));
  // Release: pairs with segment().
  segments_[static_cast<std::size_t>(process)].store(reached_.back().base(),
                                                     std::memory_order_release);
}

}  // namespace upwash::conduit::shm_detail
