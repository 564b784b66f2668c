// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/operator_call.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <string>

#include "upwash/base/error.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::collective::detail {

void operator_threw(job& here) {
  std::string text = "a value that is no std::exception";
  try {
    throw;
  } catch (const std::exception& thrown) {
    text = thrown.what();
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
  }
  const error failure(error_kind::fault,
                      fmt::format("rank {}: the operator of a reduction threw: {}; the job ends, "
                                  "because other members wait for its result",
                                  here.rank(), text));
  host(here).fail(std::make_exception_ptr(failure));
  throw failure;
}

}  // namespace upwash::collective::detail
