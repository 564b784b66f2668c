// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Segments that this process owns, and peers' memory as this process has it mapped.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "upwash/conduit/memory.hpp"
#include "upwash/conduit/shm/detail/keys.hpp"
#include "upwash/conduit/shm/detail/memfd.hpp"

namespace upwash::conduit::shm_detail {

/// Large segments have a file each; small ones share files of 64 KiB, then 1 MiB, which are
/// filled from the front and used again when all segments in them are released.
class segment_store {
 public:
  [[nodiscard]] memory_block allocate(std::size_t bytes);
  void release(const memory_block& block);

 private:
  struct chunk {
    shared_memory file;
    std::uint32_t serial = 0;
    std::size_t used = 0;
    std::size_t live = 0;  ///< segments in it
    bool whole = false;    ///< one segment only
  };

  chunk& chunk_for(std::size_t bytes, std::size_t alignment);
  chunk& new_chunk(std::size_t bytes);

  std::vector<std::unique_ptr<chunk>> chunks_;
};

/// A peer's memory. `address` counts here for segments, at the owner for spans.
struct imported {
  int process = -1;
  key_kind kind = key_kind::none;
  bool huge = false;
  std::uint64_t span = 0;    ///< its name at the owner
  std::uint32_t serial = 0;  ///< of the mapped file, 0: none
  std::byte* address = nullptr;
  std::size_t bytes = 0;
};

/// Growth: one mapping for each file of a peer in use.
class import_table {
 public:
  /// `owner` is a rank of `process`, which runs as `pid` and is this one if `own`. Throws `error`.
  [[nodiscard]] remote_memory import(int owner, int process, int pid, bool own,
                                     const memory_key& key);
  void forget(const remote_memory& memory);

  [[nodiscard]] const imported& at(std::uint64_t handle) const {
    return records_[static_cast<std::size_t>(handle - 1)];
  }

 private:
  struct mapping {
    shared_memory file;
    std::size_t uses = 0;
  };

  std::uint64_t keep(const imported& record);

  std::map<std::pair<int, std::uint32_t>, mapping> mappings_;
  std::vector<imported> records_;
  std::vector<std::size_t> free_;
};

}  // namespace upwash::conduit::shm_detail
