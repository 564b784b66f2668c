// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"

namespace upwash::mpi {
namespace {

std::vector<std::byte> image_of(const elements& what) {
  std::vector<std::byte> made(what.bytes());
  pack(what, made.data());
  return made;
}

}  // namespace

comparison::comparison(const traffic& all, int rank)
    : bytes_(all.bytes()),
      is_told_(!all.among_all || all.wanted.what.of != collective::kind::exclusive_scan ||
               rank != 0) {
  for (const elements& each : all.results()) results_.push_back({each, image_of(each), {}});
}

void comparison::put_back() {
  for (result& each : results_) {
    each.ours = image_of(each.where);
    unpack(each.before.data(), each.where);
  }
}

void comparison::check() const {
  if (!is_told_) return;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const result& each = results_[i];
    const std::vector<std::byte> theirs = image_of(each.where);
    const auto [our, their] = std::ranges::mismatch(each.ours, theirs);
    if (our == each.ours.end()) continue;
    throw error(
        error_kind::fault,
        fmt::format(
            "byte {} of {} that this rank receives{} is {:#04x} by upwash and {:#04x} by the MPI "
            "library: the call is wrong, or one of the two (MPI libraries are on some "
            "topologies, docs/mpi.md); UPWASH_MPI_EXCEPT leaves the function to the MPI",
            our - each.ours.begin(), each.ours.size(),
            results_.size() > 1 ? fmt::format(" in block {}", i) : "",
            std::to_integer<unsigned>(*our), std::to_integer<unsigned>(*their)));
  }
}

}  // namespace upwash::mpi
