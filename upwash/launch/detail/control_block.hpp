// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The memory that all processes of a job share from the start: identity, exchange area, states,
// why the job failed, and what its ranks wait in. In a memfd of the launcher, or in a named object
// for a rendezvous. Where a job is on several nodes, each has a block of the whole job, and the
// agents of `upwash run` keep them in step. Growth: 576 bytes a process, 896 a rank and 256 a node.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "upwash/conduit/bootstrap.hpp"
#include "upwash/launch/detail/job_map.hpp"
#include "upwash/observe/standing.hpp"

namespace upwash::launch::detail {

enum class process_state : std::uint32_t { absent, attached, finished };

/// One for each process.
///
///   0    state  pid  generation  running  started  ranks  node  lengths of the blobs
///   64   blob of even generations (256 B)
///   320  blob of odd generations (256 B)
///
/// Two blobs suffice: a process that publishes generation g + 2 has seen everybody publish
/// g + 1, and so has everybody finished reading g.
struct process_slot {
  alignas(64) std::atomic<process_state> state;
  std::atomic<std::int32_t> pid;          ///< 0 until it has come
  std::atomic<std::uint32_t> generation;  ///< exchanges published so far
  std::atomic<int> running = -1;          ///< rank whose turn it is; -1: none
  std::uint64_t started;                  ///< valid once there is a pid, as creator_started
  std::uint32_t ranks;                    ///< that it hosts; written by the creator, as the next
  std::uint32_t node;
  std::array<std::uint32_t, 2> blob_bytes;  ///< used of the blobs
  alignas(64) std::array<std::array<std::byte, conduit::max_blob_bytes>, 2> blobs;
};
static_assert(sizeof(process_slot) == 576);

/// What a rank has told of its wait. Its words are read while they are written: a reader takes them
/// again when `version` was odd, or another one afterwards.
struct standing_slot {
  static constexpr std::size_t words = sizeof(observe::standing) / sizeof(std::uint64_t);
  static_assert(sizeof(observe::standing) % sizeof(std::uint64_t) == 0);

  alignas(64) std::atomic<std::uint32_t> version;
  std::atomic<std::uint32_t> answered;  ///< the question
  std::array<std::atomic<std::uint64_t>, words> told;

  void write(const observe::standing& is, std::uint32_t question) noexcept;
  [[nodiscard]] observe::standing read() const noexcept;
};
static_assert(sizeof(standing_slot) == 960);

/// One for each node.
struct node_slot {
  std::array<char, 256> host;  ///< the name that it was started by; empty: this machine
};

struct control_header {
  static constexpr std::uint64_t magic_value = 0x75707761'73683038U;  // "upwash08"
  static constexpr std::size_t text_bytes = 12'288;

  std::atomic<std::uint64_t> magic;  ///< written last by the creator
  std::uint32_t processes;
  std::uint32_t ranks;
  std::uint32_t nodes;
  /// Descriptor of an eventfd that processes ring when they publish, for those on other nodes; -1:
  /// nobody listens.
  std::int32_t bell = -1;
  std::int32_t creator;           ///< pid
  std::uint64_t creator_started;  ///< in clock ticks since boot; tells a reused pid
  std::atomic<std::uint32_t> attached;
  std::atomic<std::uint32_t> claimed;  ///< somebody writes, or wrote, the reason
  alignas(64) std::atomic<std::uint32_t> failed;
  std::int32_t failed_rank;  ///< valid when `failed`, as the next two; -1: none in particular
  std::int32_t failed_status;
  std::int32_t failed_teller;                       ///< process that may still tell more; -1: none
  alignas(64) std::atomic<std::uint32_t> question;  ///< all ranks are to tell what they are in
  std::atomic<std::uint32_t> hangs;                 ///< waits that have lasted too long
  std::atomic<std::int32_t> gatherer;  ///< pid of the process that asks; 0: none, or the launcher
  std::array<char, text_bytes> failed_text;
};

/// A mapping of a control block.
class control_block {
 public:
  control_block() = default;
  ~control_block();
  control_block(control_block&& other) noexcept;
  control_block& operator=(control_block&& other) noexcept;

  /// Sizes the file of `fd`, maps and fills it. Memory that takes seals keeps its size from then
  /// on. Throws `error` (system).
  static control_block create(int fd, const job_map& map);

  /// Maps the block that another process created, which may be hostile: the numbers are checked
  /// and kept. Throws `error` (environment) when it is none.
  static control_block attach(int fd);

  [[nodiscard]] control_header& header() const noexcept;
  [[nodiscard]] process_slot& slot(int process) const noexcept;
  [[nodiscard]] standing_slot& standing(int rank) const noexcept;
  [[nodiscard]] node_slot& node(int number) const noexcept;
  [[nodiscard]] int processes() const noexcept { return processes_; }
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] int nodes() const noexcept { return nodes_; }
  /// Throws `error` (environment) when the ranks of the processes are not those of the job.
  [[nodiscard]] conduit::rank_layout layout() const;

  /// The first caller's reason stands: answers true to that one only. `speak`: its line goes to
  /// standard error, before anybody can see that the job has failed and leave. `teller`: a process
  /// that goes on for a while.
  bool fail(int rank, int status, std::string_view why, bool speak, int teller = -1) const noexcept;

  /// Whether the job failed, once whoever writes the reason has written it.
  [[nodiscard]] bool failure_told() const noexcept;

 private:
  control_block(void* base, std::size_t bytes) : base_(base), bytes_(bytes) {}
  void take_numbers() noexcept;
  /// Whether the numbers are possible, and fit the size of the file.
  [[nodiscard]] bool has_room() const noexcept;

  void* base_ = nullptr;
  std::size_t bytes_ = 0;
  int processes_ = 0;
  int ranks_ = 0;
  int nodes_ = 0;
};

}  // namespace upwash::launch::detail
