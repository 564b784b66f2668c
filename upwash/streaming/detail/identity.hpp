// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In checked runs each member tells its parent in a binary tree of the team which stream it has
// opened, so that members that open streams in different orders hear it.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "upwash/base/call_site.hpp"
#include "upwash/core/incoming.hpp"
#include "upwash/streaming/detail/records.hpp"

namespace upwash::streaming {

/// The name of T as the compiler writes it, the same at all members.
template <class T>
[[nodiscard]] constexpr std::string_view item_text() noexcept {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  return text.substr(0, text.find_first_of(";]"));
}

/// The facts of a member's stream that all members must agree on, and where it was opened. Plain
/// data, sent as it is; longer texts are cut.
struct stream_identity {
  stream_name name;
  int member = 0;
  int world_rank = 0;
  std::array<char, 96> item{};
  std::array<char, 32> label{};
  std::array<char, 64> site{};

  void set_texts(std::string_view item_type, std::string_view stream_label,
                 const call_site& opened_at) noexcept;
  [[nodiscard]] bool agrees(const stream_identity& other) const noexcept {
    return item == other.item && label == other.label;
  }
  /// "member 1 (rank 1) has opened a stream of int at main.cpp:12".
  [[nodiscard]] std::string text() const;
};

/// The streams that a rank has opened, and those that others have told it of.
class stream_identities {
 public:
  /// Throws `error` (argument) if a member has told of another stream.
  void opened(const stream_identity& own);
  /// The same, if this rank has opened it; else keeps it.
  void told(const stream_identity& others);
  /// The team is released.
  void forget(std::uint64_t team);

 private:
  std::map<stream_name, stream_identity> own_;
  std::multimap<stream_name, stream_identity> early_;
};

/// The payload is a stream_identity.
void handle_identity(incoming& in);

}  // namespace upwash::streaming
