// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/armci/detail/remote_operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "interop/armci/detail/guard.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/onesided/accumulate.hpp"
#include "upwash/onesided/transfer.hpp"

namespace upwash::armci {
namespace {

/// What a transfer moves between: the remote end as a place in a region, or, for this rank's own
/// memory that is in none, as an address.
struct ends {
  global_ptr<std::byte> place;
  std::byte* own = nullptr;
  std::byte* local = nullptr;
};

/// Calls `use` with the scale as a value of the type.
template <class Use>
auto with_type(const remote_operation& what, const Use& use) {
  const auto scale = [&]<class T>(T value) {
    std::memcpy(&value, what.scale, sizeof value);
    return value;
  };
  switch (what.type) {
    case ARMCI_ACC_INT: return use(scale(int{}));
    case ARMCI_ACC_LNG: return use(scale(long{}));
    case ARMCI_ACC_FLT: return use(scale(float{}));
    case ARMCI_ACC_DBL: return use(scale(double{}));
    case ARMCI_ACC_CPL: return use(scale(std::complex<float>{}));
    case ARMCI_ACC_DCP: return use(scale(std::complex<double>{}));
    default: throw refusal(code::kind, fmt::format("no type {} of accumulate", what.type));
  }
}

[[nodiscard]] std::size_t element_bytes(const remote_operation& what) {
  if (what.how != direction::add) return 1;
  if (what.scale == nullptr) throw refusal(code::address, "the scale is a null pointer");
  return with_type(what, [](auto scale) { return sizeof scale; });
}

/// As many elements as reach over all bytes: strides need not be multiples of one.
template <class T>
std::span<const T> elements_of(std::span<std::byte> local) {
  return {reinterpret_cast<const T*>(local.data()), (local.size() + sizeof(T) - 1) / sizeof(T)};
}

request begin(session& own, const remote_operation& what, global_ptr<std::byte> place,
              std::span<std::byte> local, const layout& laid) {
  switch (what.how) {
    case direction::put: return put(own.here, place, std::span<const std::byte>(local), laid);
    case direction::get: return get(own.here, place, local, laid);
    case direction::add: break;
  }
  return with_type(what, [&]<class T>(T scale) {
    return accumulate(own.here, place.as<T>(), elements_of<T>(local), laid, scale);
  });
}

request begin_plain(session& own, const remote_operation& what, global_ptr<std::byte> place,
                    std::span<std::byte> local) {
  switch (what.how) {
    case direction::put: return put(own.here, place, std::span<const std::byte>(local));
    case direction::get: return get(own.here, place, local);
    case direction::add: break;
  }
  return with_type(what, [&]<class T>(T scale) {
    return accumulate(own.here, place.as<T>(), elements_of<T>(local), scale);
  });
}

/// A blocking transfer is complete at both ends when it returns: the next one to the same memory
/// comes behind it.
void keep(session& own, const remote_operation& what, global_ptr<std::byte> place,
          request&& begun) {
  if (what.blocking) return begun.wait();
  own.open.add(what.handle, {std::move(begun), place.region_bits(), what.proc});
}

template <class T>
void add_run(std::byte* y, const std::byte* x, std::uint64_t bytes, T scale) {
  for (std::uint64_t i = 0; i < bytes; i += sizeof(T)) {
    T sum;
    T term;
    std::memcpy(&sum, y + i, sizeof(T));
    std::memcpy(&term, x + i, sizeof(T));
    if constexpr (std::is_integral_v<T>) {
      using bits = std::make_unsigned_t<T>;  // wraps around, as accumulate does
      sum = static_cast<T>(static_cast<bits>(sum) +
                           static_cast<bits>(scale) * static_cast<bits>(term));
    } else {
      sum += scale * term;
    }
    std::memcpy(y + i, &sum, sizeof(T));
  }
}

void move_run(const remote_operation& what, std::byte* remote, std::byte* local,
              std::uint64_t bytes) {
  switch (what.how) {
    case direction::put: std::memmove(remote, local, bytes); return;
    case direction::get: std::memmove(local, remote, bytes); return;
    case direction::add: break;
  }
  with_type(what, [&]<class T>(T scale) { add_run(remote, local, bytes, scale); });
}

/// In this rank's own memory, which no other can reach.
void run_own(const remote_operation& what, const ends& at, const layout& laid) {
  run_walker walker =
      laid.as_strided() != nullptr ? run_walker(*laid.as_strided()) : run_walker(laid.as_list());
  for (run_row row; walker.next(row);) {
    for (std::uint64_t i = 0; i < row.count; ++i) {
      move_run(what, at.own + row.remote + i * row.remote_stride,
               at.local + row.local + i * row.local_stride, row.bytes);
    }
  }
}

ends ends_of(session& own, const remote_operation& what, void* source, void* destination) {
  if (source == nullptr) throw refusal(code::address, "the source is a null pointer");
  if (destination == nullptr) throw refusal(code::address, "the destination is a null pointer");
  const bool from_remote = what.how == direction::get;
  void* remote = from_remote ? source : destination;
  ends found;
  found.local = static_cast<std::byte*>(from_remote ? destination : source);
  found.place = own.place(what.proc, remote);
  if (found.place) return found;
  if (what.proc != own.rank) static_cast<void>(required_place(own, what.proc, remote));
  found.own = static_cast<std::byte*>(remote);
  return found;
}

void check_elements(const remote_operation& what, std::int64_t bytes) {
  const std::size_t size = element_bytes(what);
  if (static_cast<std::uint64_t>(bytes) % size != 0) {
    throw refusal(code::count,
                  fmt::format("{} bytes are no whole number of elements of {} bytes", bytes, size));
  }
}

/// Segments of a vector operation by region; those without one are moved at once.
using lists = std::map<std::uint64_t, std::vector<segment>>;

struct vector_call {
  lists by_region;
  std::map<std::uint64_t, global_ptr<std::byte>> starts;
  const std::byte* lowest = nullptr;
  std::uint64_t local_bytes = 0;
};

void check_descriptor(const remote_operation& what, const armci_giov_t& each, int index) {
  if (each.ptr_array_len < 0 || each.bytes < 0) {
    throw refusal(code::count, fmt::format("descriptor {} has {} segments of {} bytes; give 0 or "
                                           "more",
                                           index, each.ptr_array_len, each.bytes));
  }
  if (each.ptr_array_len > 0 && (each.src_ptr_array == nullptr || each.dst_ptr_array == nullptr)) {
    throw refusal(code::list, fmt::format("descriptor {} has {} segments and no array of pointers",
                                          index, each.ptr_array_len));
  }
  check_elements(what, each.bytes);
}

/// All checks come before the first byte moves.
std::vector<std::pair<ends, std::uint64_t>> ends_of_all(session& own, const remote_operation& what,
                                                        const armci_giov_t* list, int length) {
  std::vector<std::pair<ends, std::uint64_t>> all;
  for (int i = 0; i < length; ++i) {
    check_descriptor(what, list[i], i);
    for (int k = 0; k < list[i].ptr_array_len; ++k) {
      all.emplace_back(ends_of(own, what, list[i].src_ptr_array[k], list[i].dst_ptr_array[k]),
                       static_cast<std::uint64_t>(list[i].bytes));
    }
  }
  return all;
}

}  // namespace

void check_proc(const session& own, int proc) {
  if (proc >= 0 && proc < own.size) [[likely]]
    return;
  throw refusal(code::rank, fmt::format("rank {}; the job has ranks 0 to {}", proc, own.size - 1));
}

global_ptr<std::byte> required_place(session& own, int proc, const void* address) {
  if (address == nullptr) throw refusal(code::address, "the address is a null pointer");
  const global_ptr<std::byte> place = own.place(proc, address);
  if (!place) {
    throw refusal(code::address,
                  fmt::format("address {} is in no memory that rank {} has from ARMCI_Malloc; give "
                              "one into the addresses that it returned",
                              address, proc));
  }
  return place;
}

strided layout_of(const int* local_strides, const int* remote_strides, const int* counts,
                  int levels) {
  if (levels < 0 || levels > strided::most_levels) {
    throw refusal(code::levels,
                  fmt::format("{} levels of strides; give 0 to {}", levels, strided::most_levels));
  }
  if (counts == nullptr) throw refusal(code::list, "the array of counts is a null pointer");
  if (levels > 0 && (local_strides == nullptr || remote_strides == nullptr)) {
    throw refusal(code::list, "an array of strides is a null pointer");
  }
  strided made{counts[0], levels};
  for (int i = 0; i < levels; ++i) {
    made.level[static_cast<std::size_t>(i)] = {counts[i + 1], local_strides[i], remote_strides[i]};
  }
  footprint size;
  if (!measure(made, size)) {
    throw refusal(code::count, fmt::format("the layout is {}", problem_of(made)));
  }
  return made;
}

void run_contiguous(session& own, const remote_operation& what, void* source, void* destination,
                    int bytes) {
  check_proc(own, what.proc);
  if (bytes < 0) throw refusal(code::count, fmt::format("{} bytes; give 0 or more", bytes));
  const ends at = ends_of(own, what, source, destination);
  if (what.how == direction::add) check_elements(what, bytes);
  if (bytes == 0) return;
  const std::span local(at.local, static_cast<std::size_t>(bytes));
  if (!at.place) return move_run(what, at.own, at.local, local.size());
  if (what.how == direction::put && what.handle != nullptr &&
      open_operations::is_aggregate(*what.handle)) {
    return own.open.gather(own.here, *what.handle, at.place, local);
  }
  keep(own, what, at.place, begin_plain(own, what, at.place, local));
}

void run_strided(session& own, const remote_operation& what, const strided_sides& sides) {
  check_proc(own, what.proc);
  const bool from_remote = what.how == direction::get;
  const strided laid = layout_of(from_remote ? sides.destination_strides : sides.source_strides,
                                 from_remote ? sides.source_strides : sides.destination_strides,
                                 sides.counts, sides.levels);
  const ends at = ends_of(own, what, sides.source, sides.destination);
  if (what.how == direction::add) check_elements(what, laid.bytes);
  footprint size;
  if (!measure(laid, size) || size.bytes == 0) return;
  if (!at.place) return run_own(what, at, laid);
  keep(own, what, at.place, begin(own, what, at.place, {at.local, size.local_extent}, laid));
}

void run_vector(session& own, const remote_operation& what, const armci_giov_t* list, int length) {
  check_proc(own, what.proc);
  if (length < 0) throw refusal(code::count, fmt::format("{} descriptors; give 0 or more", length));
  if (length > 0 && list == nullptr) throw refusal(code::list, "no list of descriptors");
  vector_call call;
  const auto all = ends_of_all(own, what, list, length);
  for (const auto& [at, bytes] : all) {
    if (call.lowest == nullptr || at.local < call.lowest) call.lowest = at.local;
  }
  for (const auto& [at, bytes] : all) {
    if (!at.place) {
      move_run(what, at.own, at.local, bytes);
      continue;
    }
    const auto local = static_cast<std::uint64_t>(at.local - call.lowest);
    call.by_region[at.place.region_bits()].push_back({local, at.place.offset(), bytes});
    call.starts.try_emplace(at.place.region_bits(), at.place.rank(), at.place.region(), 0);
    call.local_bytes = std::max(call.local_bytes, local + bytes);
  }
  const std::span local(const_cast<std::byte*>(call.lowest), call.local_bytes);
  for (const auto& [region, segments] : call.by_region) {
    const global_ptr<std::byte> start = call.starts.at(region);
    keep(own, what, start, begin(own, what, start, local, segments));
  }
}

}  // namespace upwash::armci
