// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/own_request.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"

namespace upwash::mpi {

void request_book::number(own_request& of) {
  if (!unused_.empty()) {
    of.number_ = unused_.back();
    unused_.pop_back();
    all_[of.number_] = &of;
    return;
  }
  if (all_.size() > own_handle_mask >> 1U) {
    throw error(error_kind::system,
                fmt::format("{} requests are under way at one rank: there is no number for "
                            "another; wait for some, or set UPWASH_MPI=off",
                            all_.size() - 1));
  }
  of.number_ = static_cast<std::uint32_t>(all_.size());
  all_.push_back(&of);
}

void request_book::forget(own_request& of) noexcept {
  if (of.number_ == 0) return;
  all_[of.number_] = nullptr;
  unused_.push_back(of.number_);
  of.number_ = 0;
}

void request_book::let_go_late() {
  while (!late_.empty()) {
    own_request& last = *late_.back();
    late_.pop_back();
    last.let_go();
  }
}

}  // namespace upwash::mpi
