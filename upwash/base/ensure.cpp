// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/ensure.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "upwash/base/process.hpp"
#include "upwash/base/signal_text.hpp"

namespace upwash::detail {

/// Allocates nothing: what does not hold may be the state of the heap.
void ensure_failed(const char* what, const char* file, int line, std::uint64_t left,
                   std::uint64_t right) noexcept {
  std::array<char, 512> room;
  signal_text text(room);
  std::string_view place(file);
  if (const auto at = place.rfind("upwash/"); at != place.npos) place.remove_prefix(at);
  text << "upwash: ";
  if (process::current_rank() >= 0) text << "rank " << process::current_rank() << ": ";
  text << "a check failed at " << place << ":" << line << ": " << what;
  if (left != 0 || right != 0) text << " (" << left << ", " << right << ")";
  text << "; please report it\n";
  [[maybe_unused]] const auto told = write(STDERR_FILENO, text.view().data(), text.view().size());
  std::abort();
}

}  // namespace upwash::detail
