// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/armci/detail/guard.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "upwash/base/error.hpp"

namespace upwash::armci {
namespace {

struct told {
  int code = 0;
  int status = 2;     ///< of a job that ends of it
  bool ends = false;  ///< the job cannot go on
  std::string why;
};

/// The library names the rank first, which our line does already.
std::string_view without_rank(std::string_view text) {
  const session* own = session::current();
  if (own == nullptr) return text;
  const std::string mine = fmt::format("rank {}: ", own->rank);
  return text.substr(0, mine.size()) == mine ? text.substr(mine.size()) : text;
}

told understand(const char* function) {
  try {
    throw;
  } catch (const refusal& no) {
    return {static_cast<int>(no.which()), 2, false, fmt::format("{}: {}", function, no.what())};
  } catch (const error& no) {
    // What the library checks behind our own checks are the extents of transfers.
    const auto which = no.kind() == error_kind::argument ? code::count : code::failed;
    const bool ends = no.kind() == error_kind::fault || session::current() == nullptr;
    return {static_cast<int>(which), no.exit_status(), ends,
            fmt::format("{}: {}", function, without_rank(no.what()))};
  } catch (const std::exception& no) {
    return {static_cast<int>(code::failed), 1, true, fmt::format("{}: {}", function, no.what())};
  }
}

[[noreturn]] void end(int status, const std::string& why) {
  if (const session* own = session::current()) own->joined.abort(status, why);
  std::fflush(nullptr);
  fmt::print(stderr, "upwash: {}\n", why);
  std::fflush(nullptr);
  std::_Exit(status);
}

}  // namespace

int tell(const char* function) noexcept {
  const told what = understand(function);
  if (what.ends) end(what.status, what.why);
  const session* own = session::current();
  const std::string rank = own != nullptr ? fmt::format("rank {}: ", own->rank) : "";
  std::fputs(fmt::format("upwash: {}{}\n", rank, what.why).c_str(), stderr);
  return what.code;
}

void tell_and_end(const char* function) noexcept {
  const told what = understand(function);
  end(what.status, what.why);
}

}  // namespace upwash::armci
