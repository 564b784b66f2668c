// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts, gets and accumulates of runs.
#include <complex>
#include <cstddef>
#include <optional>
#include <type_traits>

#include "interop/c/detail/guard.hpp"
#include "interop/c/detail/layouts.hpp"
#include "interop/c/detail/requests.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/onesided/accumulate.hpp"
#include "upwash/onesided/transfer.hpp"

using namespace upwash::c;  // NOLINT: of this file alone

// A list of the program's is read as it lies.
static_assert(sizeof(upwash_segment) == sizeof(upwash::segment) &&
              offsetof(upwash_segment, local) == offsetof(upwash::segment, local) &&
              offsetof(upwash_segment, remote) == offsetof(upwash::segment, remote) &&
              offsetof(upwash_segment, bytes) == offsetof(upwash::segment, bytes));
static_assert(UPWASH_MOST_LEVELS == upwash::strided::most_levels);

namespace upwash::c {

read_layout::read_layout(const upwash_layout* of) {
  const upwash_layout& from = given(of, "laid");
  if (from.strided == nullptr) {
    if (from.count != 0) static_cast<void>(given(from.segments, "laid->segments"));
    is_list_ = true;
    list_ = {reinterpret_cast<const segment*>(from.segments), from.count};
  } else {
    const upwash_strided& runs = *from.strided;
    strided_.bytes = runs.bytes;
    strided_.levels = runs.levels;  // measure refuses those that are too many
    for (int i = 0; i < runs.levels && i < UPWASH_MOST_LEVELS; ++i) {
      strided_.level[static_cast<std::size_t>(i)] = {
          runs.level[i].count, runs.level[i].local_stride, runs.level[i].remote_stride};
    }
  }
  if (!measure(laid(), size_)) refuse(problem_of(laid()));
}

layout read_layout::laid() const { return is_list_ ? layout(list_) : layout(strided_); }

run_walker read_layout::walk() const {
  return is_list_ ? run_walker(list_) : run_walker(folded(strided_));
}

}  // namespace upwash::c

namespace {

/// What is added, and where.
struct addition {
  upwash_region& to;
  int member;
  std::uint64_t offset;
  const void* x;
  std::size_t count;
  const upwash_layout* laid;
  const void* scale;
};

/// `accumulate(job, to, x, ...)` with what is given, of elements T.
template <class T, class... Implicit>
auto add(const addition& what, Implicit... form) {
  const T scale = what.scale == nullptr ? T(1) : *static_cast<const T*>(what.scale);
  const auto to = what.to.memory.at(what.member, what.offset).template as<T>();
  upwash::job& here = what.to.of->here;
  if (what.laid == nullptr) {
    const auto bytes = input(what.x, product(what.count, sizeof(T), "count"), "x");
    const std::span<const T> x(reinterpret_cast<const T*>(bytes.data()), what.count);
    return upwash::accumulate(here, to, x, scale, form...);
  }
  const read_layout runs(what.laid);
  const std::size_t elements = (runs.size().local_extent + sizeof(T) - 1) / sizeof(T);
  const auto bytes = input(what.x, elements * sizeof(T), "x");
  const std::span<const T> x(reinterpret_cast<const T*>(bytes.data()), elements);
  return upwash::accumulate(here, to, x, runs.laid(), scale, form...);
}

template <class... Implicit>
auto add_as(upwash_type type, const addition& what, Implicit... form) {
  switch (type) {
    case UPWASH_INT32: return add<std::int32_t>(what, form...);
    case UPWASH_INT64: return add<std::int64_t>(what, form...);
    case UPWASH_FLOAT: return add<float>(what, form...);
    case UPWASH_DOUBLE: return add<double>(what, form...);
    case UPWASH_FLOAT_COMPLEX: return add<std::complex<float>>(what, form...);
    case UPWASH_DOUBLE_COMPLEX: return add<std::complex<double>>(what, form...);
    default: break;
  }
  refuse(
      fmt::format("type {} cannot be accumulated: expected UPWASH_INT32, _INT64, _FLOAT, _DOUBLE, "
                  "_FLOAT_COMPLEX or _DOUBLE_COMPLEX",
                  static_cast<int>(type)));
}

}  // namespace

extern "C" {

int upwash_put_laid(upwash_region* to, int member, uint64_t offset, const void* from,
                    const upwash_layout* laid, upwash_request** request) {
  return guarded_by(to, "upwash_put_laid", [&] {
    const read_layout runs(laid);
    hand_over(*to->of,
              upwash::put(to->of->here, to->memory.at(member, offset),
                          input(from, runs.size().local_extent, "from"), runs.laid()),
              request);
  });
}

int upwash_get_laid(upwash_region* from, int member, uint64_t offset, void* to,
                    const upwash_layout* laid, upwash_request** request) {
  return guarded_by(from, "upwash_get_laid", [&] {
    const read_layout runs(laid);
    hand_over(*from->of,
              upwash::get(from->of->here, from->memory.at(member, offset),
                          output(to, runs.size().local_extent, "to"), runs.laid()),
              request);
  });
}

int upwash_put_laid_later(upwash_region* to, int member, uint64_t offset, const void* from,
                          const upwash_layout* laid) {
  return guarded_by(to, "upwash_put_laid_later", [&] {
    const read_layout runs(laid);
    upwash::put(to->of->here, to->memory.at(member, offset),
                input(from, runs.size().local_extent, "from"), runs.laid(), upwash::implicit);
  });
}

int upwash_get_laid_later(upwash_region* from, int member, uint64_t offset, void* to,
                          const upwash_layout* laid) {
  return guarded_by(from, "upwash_get_laid_later", [&] {
    const read_layout runs(laid);
    upwash::get(from->of->here, from->memory.at(member, offset),
                output(to, runs.size().local_extent, "to"), runs.laid(), upwash::implicit);
  });
}

int upwash_accumulate(upwash_region* to, int member, uint64_t offset, const void* x, size_t count,
                      const upwash_layout* laid, upwash_type type, const void* scale,
                      upwash_request** request) {
  return guarded_by(to, "upwash_accumulate", [&] {
    hand_over(*to->of, add_as(type, {*to, member, offset, x, count, laid, scale}), request);
  });
}

int upwash_accumulate_later(upwash_region* to, int member, uint64_t offset, const void* x,
                            size_t count, const upwash_layout* laid, upwash_type type,
                            const void* scale) {
  return guarded_by(to, "upwash_accumulate_later", [&] {
    add_as(type, {*to, member, offset, x, count, laid, scale}, upwash::implicit);
  });
}

}  // extern "C"
