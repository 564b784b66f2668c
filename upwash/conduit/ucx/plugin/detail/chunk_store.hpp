// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Segments that this process owns, in memory that is registered with UCX: parts of its memory file,
// which peers on this host map, or memory that UCX allocates.
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "upwash/base/memory_block.hpp"
#include "upwash/conduit/ucx/plugin/detail/memory_file.hpp"

namespace upwash::conduit::ucx {

/// The front of a key; behind it the packed key of the chunk.
struct segment_key {
  std::uint64_t address = 0;        ///< at the owner
  std::uint64_t chunk_address = 0;  ///< of the chunk, at the owner
  std::uint32_t chunk = 0;          ///< number among those of the owner, given once
  file_part part;                   ///< where processes on the owner's host map the chunk
};

/// Large segments have a chunk each; small ones share chunks, which are filled from the front and
/// used again when all segments in them are released: registering costs a few system calls and, at
/// each peer, a mapping.
class chunk_store {
 public:
  /// `in_file`: processes on this host are to map the segments.
  chunk_store(ucp_context_h context, bool in_file) : context_(context), in_file_(in_file) {}
  ~chunk_store();
  chunk_store(const chunk_store&) = delete;
  chunk_store& operator=(const chunk_store&) = delete;

  /// Zeroed, with its key. Base null on failure, and why.
  [[nodiscard]] memory_block allocate(std::size_t bytes, std::string& why);
  void release(const memory_block& block) noexcept;

  /// Registers memory of the program's: the handle, and its key as of chunk `number`.
  [[nodiscard]] bool expose(std::span<const std::byte> span, memory_key& key, std::string& why);
  void conceal(const memory_key& key) noexcept;

 private:
  struct chunk {
    ucp_mem_h handle = nullptr;
    std::byte* base = nullptr;
    std::size_t size = 0;
    std::uint32_t number = 0;
    std::size_t used = 0;
    std::size_t live = 0;  ///< segments in it
    bool whole = false;    ///< one segment only
    file_part part;
    memory_key key;  ///< of its base
  };

  [[nodiscard]] chunk* chunk_for(std::size_t bytes, std::size_t alignment, std::string& why);
  [[nodiscard]] std::unique_ptr<chunk> map(const ucp_mem_map_params_t& wanted,
                                           const file_part& part, std::string& why);
  [[nodiscard]] bool pack_key(chunk& made, std::string& why);
  [[nodiscard]] std::unique_ptr<chunk> map_file(std::size_t bytes, std::string& why);
  void unmap(const chunk& one) noexcept;
  void remove(std::uint32_t number) noexcept;

  ucp_context_h context_;
  bool in_file_;
  memory_file file_;
  std::uint32_t made_ = 0;
  std::vector<std::unique_ptr<chunk>> chunks_;
};

}  // namespace upwash::conduit::ucx
