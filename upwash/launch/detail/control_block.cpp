// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mapping and filling of the control block.
#include "upwash/launch/detail/control_block.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/process_facts.hpp"
#include "upwash/launch/bootstrap.hpp"

namespace upwash::launch::detail {
namespace {

constexpr std::size_t header_bytes = 16'384;
static_assert(sizeof(control_header) <= header_bytes);

std::size_t slots_end(int processes) {
  return header_bytes + static_cast<std::size_t>(processes) * sizeof(process_slot);
}

std::size_t standings_end(int ranks, int processes) {
  return slots_end(processes) + static_cast<std::size_t>(ranks) * sizeof(standing_slot);
}

bool is_count(int number) { return number >= 1 && number <= most_ranks; }

std::size_t block_bytes(int ranks, int processes, int nodes) {
  return standings_end(ranks, processes) + static_cast<std::size_t>(nodes) * sizeof(node_slot);
}

void* map_shared(int fd, std::size_t bytes) {
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) throw system_error("cannot map the job's control block", errno);
  return base;
}

}  // namespace

void standing_slot::write(const observe::standing& is, std::uint32_t question) noexcept {
  std::array<std::uint64_t, words> plain;
  std::memcpy(plain.data(), &is, sizeof is);
  const std::uint32_t before = version.load(std::memory_order_relaxed);
  version.store(before + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);  // the odd version comes before the words
  for (std::size_t w = 0; w < words; ++w) told[w].store(plain[w], std::memory_order_relaxed);
  version.store(before + 2, std::memory_order_release);
  answered.store(question, std::memory_order_release);
}

observe::standing standing_slot::read() const noexcept {
  std::array<std::uint64_t, words> plain{};
  // A rank that was stopped while it wrote leaves half of it: then that is read.
  for (int turn = 0; turn < 1000; ++turn) {
    const std::uint32_t before = version.load(std::memory_order_acquire);
    for (std::size_t w = 0; w < words; ++w) plain[w] = told[w].load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);  // the words come before the version
    if (before % 2 == 0 && version.load(std::memory_order_relaxed) == before) break;
  }
  observe::standing is;
  std::memcpy(static_cast<void*>(&is), plain.data(), sizeof is);
  // The words may be anybody's: texts end, and what has names has one of them.
  is.operation.bytes.back() = '\0';
  is.place.bytes.back() = '\0';
  is.pending.bytes.back() = '\0';
  if (is.now > observe::doing::ended) is.now = observe::doing::unknown;
  if (is.counted > observe::series::epochs) is.counted = observe::series::none;
  return is;
}

control_block::~control_block() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

control_block::control_block(control_block&& other) noexcept { *this = std::move(other); }

control_block& control_block::operator=(control_block&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(processes_, other.processes_);
  std::swap(ranks_, other.ranks_);
  std::swap(nodes_, other.nodes_);
  return *this;
}

/// Others can write the header at any time.
void control_block::take_numbers() noexcept {
  const control_header& h = header();
  processes_ = static_cast<int>(h.processes);
  ranks_ = static_cast<int>(h.ranks);
  nodes_ = static_cast<int>(h.nodes);
}

bool control_block::has_room() const noexcept {
  return is_count(ranks_) && is_count(processes_) && is_count(nodes_) &&
         bytes_ >= block_bytes(ranks_, processes_, nodes_);
}

control_block control_block::create(int fd, const job_map& map) {
  const int processes = map.processes();
  const int ranks = map.layout().ranks();
  const std::size_t bytes = block_bytes(ranks, processes, map.node_count());
  if (const int refused = posix_fallocate(fd, 0, static_cast<off_t>(bytes)); refused != 0) {
    throw system_error(fmt::format("cannot get {} bytes for the job's control block", bytes),
                       refused);
  }
  // A reader of a sealed file meets no SIGBUS. Files of a rendezvous take no seals.
  fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  control_block block(map_shared(fd, bytes), bytes);
  auto* header = new (block.base_) control_header{};
  header->processes = static_cast<std::uint32_t>(processes);
  header->ranks = static_cast<std::uint32_t>(ranks);
  header->nodes = static_cast<std::uint32_t>(map.node_count());
  block.take_numbers();
  for (int p = 0; p < processes; ++p) {
    auto* slot = new (&block.slot(p)) process_slot{};
    slot->ranks = static_cast<std::uint32_t>(map.ranks[static_cast<std::size_t>(p)]);
    slot->node = static_cast<std::uint32_t>(map.nodes[static_cast<std::size_t>(p)]);
  }
  for (int rank = 0; rank < ranks; ++rank) new (&block.standing(rank)) standing_slot{};
  for (int n = 0; n < map.node_count(); ++n) {
    auto* slot = new (&block.node(n)) node_slot{};
    map.hosts[static_cast<std::size_t>(n)].copy(slot->host.data(), slot->host.size() - 1);
  }
  header->creator = getpid();
  header->creator_started = process_started(getpid());
  header->magic.store(control_header::magic_value);
  return block;
}

control_block control_block::attach(int fd) {
  struct stat info {};
  if (fstat(fd, &info) != 0 || static_cast<std::size_t>(info.st_size) < header_bytes) {
    throw error(error_kind::environment,
                fmt::format("UPWASH_BOOT_CONTROL={} names no control block of upwash run; unset it "
                            "and UPWASH_BOOT_PROCESS, or start the program by upwash run",
                            fd));
  }
  const auto bytes = static_cast<std::size_t>(info.st_size);
  control_block block(map_shared(fd, bytes), bytes);
  block.take_numbers();
  if (block.header().magic.load() != control_header::magic_value || !block.has_room()) {
    throw error(error_kind::environment,
                "the job's control block is of another version of upwash; start the program by "
                "the upwash run that belongs to its library");
  }
  return block;
}

control_header& control_block::header() const noexcept {
  return *static_cast<control_header*>(base_);
}

process_slot& control_block::slot(int process) const noexcept {
  auto* slots = static_cast<std::byte*>(base_) + header_bytes;
  return *reinterpret_cast<process_slot*>(slots +
                                          static_cast<std::size_t>(process) * sizeof(process_slot));
}

standing_slot& control_block::standing(int rank) const noexcept {
  auto* slots = static_cast<std::byte*>(base_) + slots_end(processes());
  return *reinterpret_cast<standing_slot*>(slots +
                                           static_cast<std::size_t>(rank) * sizeof(standing_slot));
}

node_slot& control_block::node(int number) const noexcept {
  auto* slots = static_cast<std::byte*>(base_) + standings_end(ranks(), processes());
  return *reinterpret_cast<node_slot*>(slots +
                                       static_cast<std::size_t>(number) * sizeof(node_slot));
}

conduit::rank_layout control_block::layout() const {
  std::vector<int> counts;
  int left = ranks_;
  for (int p = 0; p < processes_; ++p) {
    const std::uint32_t count = slot(p).ranks;
    if (count < 1 || count > static_cast<std::uint32_t>(left)) break;
    counts.push_back(static_cast<int>(count));
    left -= counts.back();
  }
  if (left != 0 || counts.size() != static_cast<std::size_t>(processes_)) {
    throw error(error_kind::environment,
                fmt::format("the job's control block is damaged: the ranks of its {} processes are "
                            "not its {} ranks",
                            processes_, ranks_));
  }
  return conduit::rank_layout(counts);
}

bool control_block::fail(int rank, int status, std::string_view why, bool speak,
                         int teller) const noexcept {
  control_header& h = header();
  if (h.claimed.exchange(1) != 0) return false;
  const std::size_t kept = std::min(why.size(), control_header::text_bytes - 1);
  std::memcpy(h.failed_text.data(), why.data(), kept);
  h.failed_text[kept] = '\0';
  h.failed_rank = rank;
  h.failed_status = status;
  h.failed_teller = teller;
  if (speak) {
    std::fflush(nullptr);
    std::fprintf(stderr, "upwash: %s\n", failure_line(rank, why).c_str());
  }
  h.failed.store(1);
  return true;
}

bool control_block::failure_told() const noexcept {
  const control_header& h = header();
  if (h.claimed.load() == 0) return false;
  // Whoever claimed is about to write it, unless it was killed at that very moment.
  for (int turn = 0; turn < 100 && h.failed.load() == 0; ++turn) usleep(1000);
  return h.failed.load() != 0;
}

}  // namespace upwash::launch::detail
