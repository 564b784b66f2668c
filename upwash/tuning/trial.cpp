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
#include "upwash/collective/call.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/reduction.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/core/region.hpp"
#include "upwash/tuning/beside.hpp"

namespace upwash::tuning {
namespace {

using collective::kind;

constexpr int looks_beside = 16;

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

}  // namespace

bool can_be_tuned(kind of) noexcept { return of.facts().told == collective::lengths::equal; }

void expect_tunable(kind of) {
  if (can_be_tuned(of)) return;
  throw error(error_kind::argument,
              fmt::format("{} cannot be tuned: what it takes depends on what each rank sends",
                          to_string(of)));
}

collective::problem problem_on(const team& among, collective::problem asked) {
  expect_tunable(asked.of);
  asked.ranks = among.size();
  collective::tell_nodes(among, asked);
  asked.element_bytes = asked.bytes % sizeof(double) == 0 ? sizeof(double) : 1;
  asked.eager_limit = collective::default_rules(among).eager_bytes;
  asked.eager_bytes = collective::usual_eager_bytes(among, asked);
  asked.direct_access = all_direct(among);
  asked.in_place = asked.in_place || asked.of.facts().one_buffer;
  if (asked.of == kind::barrier) asked.bytes = 0;
  return asked;
}

trial::trial(const team& among, const collective::problem& call) : among_(among), call_(call) {
  // As much at all members: where addresses are known, all name their buffers.
  const std::size_t in_bytes = bytes_of_input(call, call.root);
  const std::size_t out_bytes = bytes_of_output(call, call.root);
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

collective::call trial::call_by(std::string_view algorithm) const {
  return {.what = call_, .how = options(algorithm)};
}

collective::binding trial::buffers() const {
  collective::binding named;
  if (is_in_place(call_, among_.rank())) {
    const std::span<std::byte> one = in_.size() > out_.size() ? in_ : out_;
    named = {.input = one, .output = one};
  } else {
    const bool all = call_.addresses == schedule::address_mode::single;
    const int as = all ? call_.root : among_.rank();
    named = {.input = in_.first(bytes_of_input(call_, as)),
             .output = out_.first(bytes_of_output(call_, as))};
  }
  if (call_.of.facts().combines) {
    named.combine = call_.element_bytes == sizeof(double) ? reduction_of<double>(sum())
                                                          : reduction_of<unsigned char>(sum());
  }
  return named;
}

void trial::call(std::string_view algorithm) {
  collective::run(among_, call_by(algorithm), buffers());
}

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
    request open = collective::start(among_, call_by(algorithm), buffers());
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
  if (host(here).endpoint().describe().virtual_time) return virtual_ns(algorithm);
  duration taken;
  control::barrier(among_);
  if (!call_.of.facts().waits_for_all) {
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
