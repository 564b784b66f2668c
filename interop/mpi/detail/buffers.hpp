// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The program's buffers as bytes: where elements lie in memory as they travel, those buffers
// themselves; else packed before the call (`load`), and unpacked behind it (`deliver`). Each rank
// decides for itself, so that what other ranks do depends on none's datatypes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "interop/mpi/detail/mpi.hpp"
#include "interop/mpi/detail/staging.hpp"
#include "interop/mpi/detail/types.hpp"

namespace upwash::mpi {

/// Elements of one type in the program's memory.
struct elements {
  std::byte* at = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const type_facts* facts = nullptr;

  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return static_cast<std::uint64_t>(count) * facts->bytes;
  }
  /// Of the program's argument; `from`: so many elements behind it.
  [[nodiscard]] static elements of(const void* buffer, MPI_Count count, MPI_Datatype type,
                                   const type_facts& facts, MPI_Aint from = 0) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(buffer);
    const auto offset = static_cast<std::uintptr_t>(from * facts.extent);
    return {reinterpret_cast<std::byte*>(begin + offset), count, type, &facts};
  }
};

/// MPI_Pack and MPI_Unpack, also beyond 2 GiB. Throw `error` (fault) where the library's layout is
/// not that of elements one behind the other.
void pack(const elements& from, std::byte* to);
void unpack(const std::byte* from, const elements& to);
/// As many elements as so many bytes are; of the last one perhaps a part.
void unpack_some(const std::byte* from, std::uint64_t bytes, const elements& to);

/// Types that stay as they were when a call began.
class kept_types {
 public:
  kept_types() = default;
  kept_types(const kept_types&) = delete;
  kept_types& operator=(const kept_types&) = delete;
  ~kept_types();
  /// From now on `what` is of a type that stays.
  void keep(elements& what);

 private:
  struct kept {
    MPI_Datatype of;
    MPI_Datatype copy;
    type_facts facts;
  };
  std::vector<std::unique_ptr<kept>> all_;
};

/// What a rank sends.
class outgoing {
 public:
  outgoing(staging& memory, const elements& what);
  /// Copied in any case, as where the call writes over it.
  struct copied {};
  outgoing(staging& memory, const elements& what, copied /*tag*/);
  /// Copied if it overlaps with where the call writes.
  void keep_apart(staging& memory, std::span<const std::byte> written);

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  void keep_type(kept_types& in) {
    if (own_.data() != nullptr) in.keep(what_);
  }
  /// Before the call.
  void load() const {
    if (own_.data() != nullptr) pack(what_, own_.data());
  }

 private:
  elements what_;
  staged own_;
  std::span<const std::byte> bytes_;
};

/// Where a rank receives.
class incoming {
 public:
  incoming(staging& memory, const elements& where);
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] const elements& where() const noexcept { return where_; }
  void keep_type(kept_types& in) {
    if (own_.data() != nullptr) in.keep(where_);
  }
  /// Before the call, at whom it takes from there what others get.
  void load() const {
    if (own_.data() != nullptr) pack(where_, own_.data());
  }
  /// Behind the call.
  void deliver() const {
    if (own_.data() != nullptr) unpack(own_.data(), where_);
  }
  /// Of a message that may be shorter.
  void deliver(std::uint64_t bytes) const {
    if (own_.data() != nullptr) unpack_some(own_.data(), bytes, where_);
  }

 private:
  elements where_;
  staged own_;
  std::span<std::byte> bytes_;
};

/// A block for each member, anywhere: lengths and places in bytes. Direct where all types are
/// dense: then the bytes between blocks are in the span, too.
class block_list {
 public:
  /// Room for so many, which `add` fills.
  explicit block_list(int members) { list_.reserve(static_cast<std::size_t>(members)); }
  void add(const elements& block) { list_.push_back(block); }
  /// All are there. `packs`: what they hold goes out.
  void settle(staging& memory, bool packs, bool always_copies = false);
  void keep_types(mpi::kept_types& in);
  void load() const;
  void deliver() const;

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::span<const std::uint64_t> lengths() const noexcept { return lengths_; }
  [[nodiscard]] std::span<const std::uint64_t> places() const noexcept { return places_; }
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  [[nodiscard]] std::span<const elements> blocks() const noexcept { return list_; }
  [[nodiscard]] const elements& block(int member) const noexcept {
    return list_[static_cast<std::size_t>(member)];
  }

 private:
  std::vector<elements> list_;
  std::vector<std::uint64_t> lengths_;
  std::vector<std::uint64_t> places_;
  staged own_;
  std::span<std::byte> bytes_;
  std::uint64_t total_ = 0;
  bool packs_ = false;
};

}  // namespace upwash::mpi
