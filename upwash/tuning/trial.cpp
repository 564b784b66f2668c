// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>

#include "upwash/base/error.hpp"
#include "upwash/collective/all_gather.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/all_to_all.hpp"
#include "upwash/collective/barrier.hpp"
#include "upwash/collective/broadcast.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/collective/gather.hpp"
#include "upwash/collective/reduce.hpp"
#include "upwash/collective/reduce_scatter.hpp"
#include "upwash/collective/scan.hpp"
#include "upwash/collective/scatter.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/job.hpp"

namespace upwash::tuning {
namespace {

using collective::kind;

/// A sum that does not say that it commutes.
struct ordered_sum {
  template <class T>
  constexpr T operator()(const T& left, const T& right) const {
    return static_cast<T>(left + right);
  }
};

/// Whether members may be a call ahead of each other without a barrier.
bool lets_run_ahead(kind of) {
  switch (of) {
    case kind::barrier:
    case kind::all_gather:
    case kind::all_to_all:
    case kind::all_reduce:
    case kind::reduce_scatter: return false;
    default: return true;
  }
}

struct buffer_blocks {
  std::size_t in = 1;
  std::size_t out = 1;
};
buffer_blocks blocks_of(const collective::problem& call) {
  const auto members = static_cast<std::size_t>(call.ranks);
  switch (call.what) {
    case kind::scatter:
    case kind::reduce_scatter: return {members, 1};
    case kind::gather:
    case kind::all_gather: return {1, members};
    case kind::all_to_all: return {members, members};
    default: return {};
  }
}

std::uint64_t folded(const team& among, duration value, control::fold how) {
  std::array<std::uint64_t, 1> all{static_cast<std::uint64_t>(value.ps())};
  control::all_reduce(among, all, how);
  return all[0];
}

/// Lets virtual time pass, so that what the others still do is not disturbed by what this rank
/// sends next, and answers what they ask for meanwhile.
void stay_quiet(job& here, duration time) {
  const duration end = here.now() + time;
  for (duration look = duration::from_ns(100); here.now() < end;
       look = duration::from_ps(look.ps() * 5 / 4)) {
    here.compute(std::min(look, end - here.now()));
    here.progress();
  }
}

template <class T>
std::span<T> as(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace

bool can_be_tuned(kind of) noexcept {
  return of != kind::all_to_all_v && of != kind::many_to_many && of != kind::many_to_many_multicast;
}

void expect_tunable(kind of) {
  if (can_be_tuned(of)) return;
  throw error(error_kind::argument,
              fmt::format("{} cannot be tuned: what it takes depends on what each rank sends",
                          to_string(of)));
}

collective::problem problem_on(const team& among, collective::problem asked) {
  expect_tunable(asked.what);
  const conduit::endpoint& where = among.here().endpoint();
  asked.ranks = among.size();
  asked.ranks_per_node = collective::ranks_a_node(among);
  asked.element_bytes = asked.bytes % sizeof(double) == 0 ? sizeof(double) : 1;
  asked.eager_bytes = collective::default_rules(among).eager_bytes;
  asked.direct_access = where.describe().direct_access;
  if (asked.what == kind::barrier) asked.bytes = 0;
  return asked;
}

trial::trial(const team& among, const collective::problem& call) : among_(among), call_(call) {
  const auto [in, out] = blocks_of(call);
  const std::size_t in_bytes = in * call.bytes;
  const std::size_t out_bytes = out * call.bytes;
  // The output begins at a line of its own.
  const std::size_t begin = (in_bytes + 63) / 64 * 64;
  std::span<std::byte> all;
  if (call.addresses == schedule::address_mode::single) {
    addressed_ = allocate(among, begin + out_bytes);
    all = addressed_.mine();
  } else {
    own_.resize(begin + out_bytes);
    all = own_;
  }
  in_ = all.first(in_bytes);
  out_ = all.subspan(begin);
}

trial::~trial() noexcept(false) {
  if (addressed_ && std::uncaught_exceptions() == 0) free(addressed_);
}

collective_options trial::options(std::string_view algorithm) const {
  return {.algorithm = algorithm,
          .entry = call_.entry,
          .exit = call_.exit,
          .addresses = call_.addresses,
          .overlapped = call_.overlapped};
}

template <class T, class Operator>
bool trial::reduction_on(std::string_view algorithm) {
  const collective_options how = options(algorithm);
  const std::span<const T> in = as<T>(in_);
  const std::span<T> out = as<T>(out_);
  switch (call_.what) {
    case kind::reduce: reduce<Operator>(among_, blocking, call_.root, in, out, how); break;
    case kind::all_reduce: all_reduce<Operator>(among_, blocking, in, out, how); break;
    case kind::reduce_scatter: reduce_scatter<Operator>(among_, blocking, in, out, how); break;
    case kind::scan: scan<Operator>(among_, blocking, in, out, how); break;
    case kind::exclusive_scan: exclusive_scan<Operator>(among_, blocking, in, out, how); break;
    default: return false;
  }
  return true;
}

template <class T>
void trial::call_on(std::string_view algorithm) {
  const collective_options how = options(algorithm);
  const std::span<const T> in = as<T>(in_);
  const std::span<T> out = as<T>(out_);
  // Where addresses are known, all members name their buffer, though only the root's is used.
  const bool at_root =
      among_.rank() == call_.root || call_.addresses == schedule::address_mode::single;
  switch (call_.what) {
    case kind::barrier: barrier(among_, blocking, how); return;
    case kind::broadcast: broadcast(among_, blocking, call_.root, out, how); return;
    case kind::scatter:
      scatter(among_, blocking, call_.root, at_root ? in : std::span<const T>(), out, how);
      return;
    case kind::gather:
      gather(among_, blocking, call_.root, in, at_root ? out : std::span<T>(), how);
      return;
    case kind::all_gather: all_gather(among_, blocking, in, out, how); return;
    case kind::all_to_all: all_to_all(among_, blocking, in, out, how); return;
    default: break;
  }
  if (call_.commutative ? reduction_on<T, sum>(algorithm) : reduction_on<T, ordered_sum>(algorithm))
    return;
  throw error(error_kind::argument, fmt::format("{} cannot be tuned", to_string(call_.what)));
}

void trial::call(std::string_view algorithm) {
  if (call_.element_bytes == sizeof(double)) {
    call_on<double>(algorithm);
  } else {
    call_on<unsigned char>(algorithm);
  }
}

/// Virtual clocks agree between ranks, and one call is as good as many. All enter at one instant:
/// those who leave a barrier first would be ahead of its last by as much as a collective takes.
double trial::virtual_ns(std::string_view algorithm) {
  job& here = among_.here();
  control::barrier(among_);
  const std::uint64_t once = folded(among_, here.now(), control::fold::most);
  const std::uint64_t twice = folded(among_, here.now(), control::fold::most);
  const std::uint64_t fold_takes = twice - once;
  const duration entered = duration::from_ps(static_cast<std::int64_t>(twice + 4 * fold_takes));
  here.compute(std::max(entered - here.now(), duration()));
  call(algorithm);
  const duration mine = here.now();
  stay_quiet(here, duration::from_ns(1e9));
  const std::uint64_t left = folded(among_, mine, control::fold::most);
  return static_cast<double>(left) * 1e-3 - entered.ns();
}

double trial::time_ns(std::string_view algorithm, long calls) {
  job& here = among_.here();
  if (here.endpoint().describe().virtual_time) return virtual_ns(algorithm);
  duration taken;
  control::barrier(among_);
  if (lets_run_ahead(call_.what)) {
    for (long i = 0; i < calls; ++i) {
      const duration begin = here.now();
      call(algorithm);
      taken += here.now() - begin;
      control::barrier(among_);
    }
  } else {
    const duration begin = here.now();
    for (long i = 0; i < calls; ++i) call(algorithm);
    taken = here.now() - begin;
  }
  return static_cast<double>(folded(among_, taken, control::fold::most)) * 1e-3 /
         static_cast<double>(calls);
}

}  // namespace upwash::tuning
