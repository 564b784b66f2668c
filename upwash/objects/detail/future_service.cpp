// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/future_service.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::objects {

awaited_value::awaited_value(job& here)
    : here_(here), number_(here.service<future_service>().open.enter(*this)) {}

awaited_value::~awaited_value() { here_.service<future_service>().open.leave(number_); }

int awaited_value::rank() const noexcept { return here_.rank(); }

void awaited_value::wait(bool (*there)(const void*), call_site site) const {
  host(here_).wait(conduit::wait_target::predicate(there, this),
                   {.operation = "future::get", .number = number_, .site = site});
}

void check_promise(const job& here, int rank) {
  if (rank >= 0 && rank < here.size()) return;
  throw error(error_kind::argument,
              fmt::format("rank {}: a value is set by a promise that names no future: take it from "
                          "get_promise of one",
                          here.rank()));
}

void refuse_second_value(const job& here, int from) {
  throw error(error_kind::argument,
              fmt::format("rank {}: a future gets a second value, from rank {}: a promise is "
                          "fulfilled once",
                          here.rank(), from));
}

}  // namespace upwash::objects
