// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interop/mpi/detail/element_parts.hpp"
#include "upwash/base/error.hpp"

namespace upwash::mpi {
namespace {

#if MPI_VERSION >= 4

using pack_count = MPI_Count;

int pack_part(const void* from, pack_count count, MPI_Datatype type, void* to, pack_count bytes,
              pack_count* position) {
  return PMPI_Pack_c(from, count, type, to, bytes, position, MPI_COMM_WORLD);
}
int unpack_part(const void* from, pack_count bytes, pack_count* position, void* to,
                pack_count count, MPI_Datatype type) {
  return PMPI_Unpack_c(from, bytes, position, to, count, type, MPI_COMM_WORLD);
}
/// A message to oneself.
int unpack_message(const void* from, pack_count bytes, void* to, pack_count count,
                   MPI_Datatype type, MPI_Comm self) {
  return PMPI_Sendrecv_c(from, bytes, MPI_PACKED, 0, 0, to, count, type, 0, 0, self,
                         MPI_STATUS_IGNORE);
}
int repeat_type(pack_count count, MPI_Datatype type, MPI_Datatype* made) {
  return PMPI_Type_contiguous_c(count, type, made);
}
void in_parts(const elements& all, function_ref<void(const element_part&)> some) {
  if (all.bytes() != 0) some({all.at, all.count, all.type, all.bytes()});
}

#else

using pack_count = int;

int pack_part(const void* from, pack_count count, MPI_Datatype type, void* to, pack_count bytes,
              pack_count* position) {
  return PMPI_Pack(from, count, type, to, bytes, position, MPI_COMM_WORLD);
}
int unpack_part(const void* from, pack_count bytes, pack_count* position, void* to,
                pack_count count, MPI_Datatype type) {
  return PMPI_Unpack(from, bytes, position, to, count, type, MPI_COMM_WORLD);
}
/// A message to oneself.
int unpack_message(const void* from, pack_count bytes, void* to, pack_count count,
                   MPI_Datatype type, MPI_Comm self) {
  return PMPI_Sendrecv(from, bytes, MPI_PACKED, 0, 0, to, count, type, 0, 0, self,
                       MPI_STATUS_IGNORE);
}
int repeat_type(pack_count count, MPI_Datatype type, MPI_Datatype* made) {
  return PMPI_Type_contiguous(count, type, made);
}
void in_parts(const elements& all, function_ref<void(const element_part&)> some) {
  constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30U;  // counts and positions are int
  visit_parts({all.at, all.count, all.type, all.bytes()}, max_bytes, some);
}

#endif

/// Elements whose type says where they are in memory, MPI_BOTTOM, as elements from some address:
/// MPICH 4.0.2 packs nothing from address 0.
class placed {
 public:
  explicit placed(const element_part& part)
      : at_(part.address), count_(static_cast<pack_count>(part.count)), type_(part.type) {
    if (part.address != nullptr) return;
    MPI_Aint here = 0;
    PMPI_Get_address(this, &here);
    const MPI_Aint back = -here;
    const int one = 1;
    MPI_Datatype all = MPI_DATATYPE_NULL;
    repeat_type(count_, type_, &all);
    PMPI_Type_create_hindexed(1, &one, &back, all, &type_);
    PMPI_Type_commit(&type_);
    PMPI_Type_free(&all);
    at_ = this;
    count_ = 1;
    made_ = true;
  }
  ~placed() {
    if (made_) PMPI_Type_free(&type_);
  }
  placed(const placed&) = delete;
  placed& operator=(const placed&) = delete;

  [[nodiscard]] void* at() const noexcept { return at_; }
  [[nodiscard]] pack_count count() const noexcept { return count_; }
  [[nodiscard]] MPI_Datatype type() const noexcept { return type_; }

 private:
  void* at_;
  pack_count count_;
  MPI_Datatype type_;
  bool made_ = false;
};

void check(pack_count position, std::uint64_t bytes) {
  if (static_cast<std::uint64_t>(position) == bytes) return;
  throw error(
      error_kind::fault,
      fmt::format("the MPI library packs {} bytes of elements into {}: this machine's ranks "
                  "do not agree about numbers; set UPWASH_MPI=off",
                  bytes, position));
}

void unpack_whole(const std::byte* from, const element_part& to) {
  pack_count position = 0;
  const placed all(to);
  unpack_part(from, static_cast<pack_count>(to.bytes), &position, all.at(), all.count(),
              all.type());
  check(position, to.bytes);
}

/// The first `bytes` of the part's elements, which may end within one: only messages may. No
/// duplicate of MPI_COMM_SELF: that would call the program's own functions for attributes.
void unpack_begin(const std::byte* from, std::uint64_t bytes, const element_part& to) {
  MPI_Comm self = MPI_COMM_NULL;
  PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &self);
  const placed all(to);
  unpack_message(from, static_cast<pack_count>(bytes), all.at(), all.count(), all.type(), self);
  PMPI_Comm_free(&self);
}

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  const auto begin = [](auto of) { return reinterpret_cast<std::uintptr_t>(of.data()); };
  return !a.empty() && !b.empty() && begin(a) < begin(b) + b.size() &&
         begin(b) < begin(a) + a.size();
}

}  // namespace

void pack(const elements& from, std::byte* to) {
  if (from.count == 0) return;
  if (from.facts->dense) {
    std::memcpy(to, from.at, from.bytes());
    return;
  }
  in_parts(from, [&](const element_part& part) {
    pack_count position = 0;
    const placed all(part);
    pack_part(all.at(), all.count(), all.type(), to, static_cast<pack_count>(part.bytes),
              &position);
    check(position, part.bytes);
    to += part.bytes;
  });
}

void unpack(const std::byte* from, const elements& to) {
  if (to.count == 0) return;
  if (to.facts->dense) {
    std::memcpy(to.at, from, to.bytes());
    return;
  }
  in_parts(to, [&](const element_part& part) {
    unpack_whole(from, part);
    from += part.bytes;
  });
}

void unpack_some(const std::byte* from, std::uint64_t bytes, const elements& to) {
  if (to.facts->bytes == 0) return;
  const auto whole = static_cast<MPI_Count>(bytes / to.facts->bytes);
  unpack(from, elements::of(to.at, whole, to.type, *to.facts));
  from += static_cast<std::uint64_t>(whole) * to.facts->bytes;
  std::uint64_t rest = bytes % to.facts->bytes;
  if (rest == 0) return;
  const auto last = elements::of(to.at, 1, to.type, *to.facts, static_cast<MPI_Aint>(whole));
  in_parts(last, [&](const element_part& part) {
    const std::uint64_t now = std::min(rest, part.bytes);
    if (now == 0) return;
    now == part.bytes ? unpack_whole(from, part) : unpack_begin(from, now, part);
    from += now;
    rest -= now;
  });
}

kept_types::~kept_types() {
  for (const auto& each : all_) PMPI_Type_free(&each->copy);
}

void kept_types::keep(elements& what) {
  const auto known =
      std::ranges::find_if(all_, [&](const auto& each) { return each->of == what.type; });
  const kept* found = known != all_.end() ? known->get() : nullptr;
  if (found == nullptr) {
    auto made = std::make_unique<kept>(what.type, MPI_DATATYPE_NULL, *what.facts);
    // No duplicate: that would call the program's own functions for attributes.
    PMPI_Type_contiguous(1, what.type, &made->copy);
    PMPI_Type_commit(&made->copy);
    found = all_.emplace_back(std::move(made)).get();
  }
  what.type = found->copy;
  what.facts = &found->facts;
}

outgoing::outgoing(staging& memory, const elements& what)
    : what_(what), bytes_(what.at, what.bytes()) {
  if (what.facts->dense) return;
  *this = outgoing(memory, what, copied{});
}

outgoing::outgoing(staging& memory, const elements& what, copied /*tag*/)
    : what_(what), own_(memory.take(what.bytes())), bytes_(own_.data(), what.bytes()) {}

void outgoing::keep_apart(staging& memory, std::span<const std::byte> written) {
  if (own_.data() != nullptr || !overlap(bytes_, written)) return;
  own_ = memory.take(bytes_.size());
  bytes_ = {own_.data(), bytes_.size()};
}

incoming::incoming(staging& memory, const elements& where)
    : where_(where), bytes_(where.at, where.bytes()) {
  if (where.facts->dense) return;
  own_ = memory.take(where.bytes());
  bytes_ = {own_.data(), where.bytes()};
}

void block_list::settle(staging& memory, bool packs, bool always_copies) {
  packs_ = packs;
  bool dense = !always_copies;
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  for (const elements& each : list_) {
    lengths_.push_back(each.bytes());
    total_ += each.bytes();
    if (each.bytes() == 0) continue;
    dense = dense && each.facts->dense;
    begin = std::min(begin, word_of(each.at));
    end = std::max(end, word_of(each.at) + each.bytes());
  }
  places_.reserve(list_.size());
  if (dense) {
    for (const elements& each : list_) {
      places_.push_back(each.bytes() == 0 ? 0 : word_of(each.at) - begin);
    }
    if (begin < end) bytes_ = {reinterpret_cast<std::byte*>(begin), end - begin};
    return;
  }
  own_ = memory.take(total_);
  bytes_ = {own_.data(), total_};
  std::uint64_t at = 0;
  for (const elements& each : list_) {
    places_.push_back(at);
    at += each.bytes();
  }
}

void block_list::keep_types(mpi::kept_types& in) {
  if (own_.data() == nullptr) return;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (lengths_[i] != 0) in.keep(list_[i]);
  }
}

void block_list::load() const {
  if (own_.data() == nullptr || !packs_) return;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (lengths_[i] != 0) pack(list_[i], own_.data() + places_[i]);
  }
}

void block_list::deliver() const {
  if (own_.data() == nullptr) return;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (lengths_[i] != 0) unpack(own_.data() + places_[i], list_[i]);
  }
}

}  // namespace upwash::mpi
