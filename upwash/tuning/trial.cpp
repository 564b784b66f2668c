// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <type_traits>
#include <utility>

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
#include "upwash/core/reach.hpp"
#include "upwash/core/region.hpp"
#include "upwash/tuning/beside.hpp"

namespace upwash::tuning {
namespace {

using collective::kind;

constexpr int looks_beside = 16;

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

/// A virtual second, more than any call takes.
constexpr duration until_all_left = duration::from_seconds(1);

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
  return !is_uneven(of) && of != kind::all_to_all_v && of != kind::many_to_many &&
         of != kind::many_to_many_multicast;
}

void expect_tunable(kind of) {
  if (can_be_tuned(of)) return;
  throw error(error_kind::argument,
              fmt::format("{} cannot be tuned: what it takes depends on what each rank sends",
                          to_string(of)));
}

collective::problem problem_on(const team& among, collective::problem asked) {
  expect_tunable(asked.what);
  asked.ranks = among.size();
  asked.ranks_per_node = collective::ranks_a_node(among);
  asked.element_bytes = asked.bytes % sizeof(double) == 0 ? sizeof(double) : 1;
  asked.eager_limit = collective::default_rules(among).eager_bytes;
  asked.eager_bytes = collective::usual_eager_bytes(among, asked);
  asked.direct_access = all_direct(among);
  if (asked.what == kind::barrier) asked.bytes = 0;
  if (asked.what == kind::broadcast) asked.in_place = true;  // as all broadcasts are
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
    addressed_ = std::make_unique<region>(allocate(among, begin + out_bytes));
    all = addressed_->mine();
  } else {
    own_.resize(begin + out_bytes);
    all = own_;
  }
  in_ = all.first(in_bytes);
  out_ = all.subspan(begin);
}

trial::~trial() noexcept(false) {
  if (addressed_ && std::uncaught_exceptions() == 0) free(*addressed_);
}

collective_options trial::options(std::string_view algorithm) const {
  return {.algorithm = algorithm,
          .entry = call_.entry,
          .exit = call_.exit,
          .addresses = call_.addresses,
          .overlapped = call_.overlapped};
}

/// The request of a nonblocking call, or a complete one where the call is blocking.
template <class Call>
request request_of(const Call& call) {
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    return {};
  } else {
    return call();
  }
}

template <class T, class Operator, class... Tag>
std::optional<request> trial::reduction_on(const collective_options& how, Tag... tag) {
  const std::span<const T> in = as<T>(in_);
  const std::span<T> out = as<T>(out_);
  switch (call_.what) {
    case kind::reduce:
      return request_of([&] { return reduce<Operator>(among_, tag..., call_.root, in, out, how); });
    case kind::all_reduce:
      return request_of([&] { return all_reduce<Operator>(among_, tag..., in, out, how); });
    case kind::reduce_scatter:
      return request_of([&] { return reduce_scatter<Operator>(among_, tag..., in, out, how); });
    case kind::scan:
      return request_of([&] { return scan<Operator>(among_, tag..., in, out, how); });
    case kind::exclusive_scan:
      return request_of([&] { return exclusive_scan<Operator>(among_, tag..., in, out, how); });
    default: return std::nullopt;
  }
}

template <class T, class... Tag>
request trial::call_on(std::string_view algorithm, Tag... tag) {
  const collective_options how = options(algorithm);
  const std::span<const T> in = as<T>(in_);
  const std::span<T> out = as<T>(out_);
  // Where addresses are known, all members name their buffer, though only the root's is used.
  const bool at_root =
      among_.rank() == call_.root || call_.addresses == schedule::address_mode::single;
  const std::span<const T> root_in = at_root ? in : std::span<const T>();
  const std::span<T> root_out = at_root ? out : std::span<T>();
  switch (call_.what) {
    case kind::barrier: return request_of([&] { return barrier(among_, tag..., how); });
    case kind::broadcast:
      return request_of([&] { return broadcast(among_, tag..., call_.root, out, how); });
    case kind::scatter:
      return request_of([&] { return scatter(among_, tag..., call_.root, root_in, out, how); });
    case kind::gather:
      return request_of([&] { return gather(among_, tag..., call_.root, in, root_out, how); });
    case kind::all_gather:
      return request_of([&] { return all_gather(among_, tag..., in, out, how); });
    case kind::all_to_all:
      return request_of([&] { return all_to_all(among_, tag..., in, out, how); });
    default: break;
  }
  auto reducing = call_.commutative ? reduction_on<T, sum>(how, tag...)
                                    : reduction_on<T, ordered_sum>(how, tag...);
  if (!reducing) {
    throw error(error_kind::argument, fmt::format("{} cannot be tuned", to_string(call_.what)));
  }
  return std::move(*reducing);
}

template <class... Tag>
request trial::call_with(std::string_view algorithm, Tag... tag) {
  return call_.element_bytes == sizeof(double) ? call_on<double>(algorithm, tag...)
                                               : call_on<unsigned char>(algorithm, tag...);
}

void trial::call(std::string_view algorithm) { static_cast<void>(call_with(algorithm, blocking)); }

/// Twice what a call alone takes at its least, the same at all members.
duration trial::time_to_compute(std::string_view algorithm) {
  job& here = among_.here();
  call(algorithm);
  duration least = duration::max();
  for (int i = 0; i < 3; ++i) {
    control::barrier(among_);
    const duration begin = here.now();
    call(algorithm);
    least = std::min(least, here.now() - begin);
  }
  const std::uint64_t most = folded(among_, least, control::fold::most);
  return std::max(duration::from_ps(static_cast<std::int64_t>(2 * most)), duration::from_ns(1000));
}

/// The time of a call and of a computation beside it, less the computation's.
double trial::beside_ns(std::string_view algorithm, long calls) {
  job& here = among_.here();
  if (computation_ == duration()) computation_ = time_to_compute(algorithm);
  duration taken;
  for (long i = 0; i < calls; ++i) {
    control::barrier(among_);
    const duration begin = here.now();
    request open = call_with(algorithm);
    static_cast<void>(compute_beside(here, open, computation_, looks_beside));
    open.wait();
    taken += here.now() - begin - computation_;
  }
  return static_cast<double>(folded(among_, std::max(taken, duration()), control::fold::most)) *
         1e-3 / static_cast<double>(calls);
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
  stay_quiet(here, until_all_left);
  const std::uint64_t left = folded(among_, mine, control::fold::most);
  return static_cast<double>(left) * 1e-3 - entered.ns();
}

double trial::time_ns(std::string_view algorithm, long calls) {
  job& here = among_.here();
  if (call_.overlapped) return beside_ns(algorithm, calls);
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
