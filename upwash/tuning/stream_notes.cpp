// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/stream_notes.hpp"

#include <algorithm>
#include <ctime>

namespace upwash::tuning {
namespace {

streaming::stream_kind printable(streaming::stream_kind kind) {
  std::replace_if(
      kind.label.begin(), kind.label.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return kind;
}

}  // namespace

std::optional<streaming::stream_finding> stream_notes::recall(const streaming::stream_kind& kind) {
  const streaming::stream_kind wanted = printable(kind);
  const stream_note* found = fresh_.nearest(wanted);
  if (found == nullptr && known_ != nullptr) found = known_->nearest(wanted);
  if (found == nullptr) return std::nullopt;
  return found->found;
}

void stream_notes::note(const streaming::stream_kind& kind,
                        const streaming::stream_finding& found) {
  fresh_.add({printable(kind), found, static_cast<std::int64_t>(std::time(nullptr))});
}

}  // namespace upwash::tuning
