// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages that do not fit their receive: which they are, and the error that names both.
#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/matching/detail/messenger.hpp"

namespace upwash::matching {

std::string text_of_code(std::uint16_t code) {
  if (code >= foreign_code) return "another type";
  if (code >= class_code) return "a class";
  const unsigned bytes = code & 0xffU;
  switch (static_cast<item_kind>(code >> 8U)) {
    case item_kind::signed_integer: return fmt::format("int{}", bytes * 8);
    case item_kind::unsigned_integer: return fmt::format("uint{}", bytes * 8);
    case item_kind::floating: return fmt::format("float{}", bytes * 8);
    case item_kind::boolean: return "bool";
    case item_kind::complex: return fmt::format("complex{}", bytes * 8);
    case item_kind::pickled: return "a Python object";
    case item_kind::bytes: break;
  }
  return "bytes";
}

namespace detail {

void messenger::compare_types(posted& p, std::uint16_t type) const {
  if (p.unfit != posted::misfit::none || codes_fit(type, p.items.code)) return;
  if (!p.items.always_checked && !here_.options().checked) return;
  p.unfit = posted::misfit::other_type;
  p.sent_type = type;
}

void messenger::throw_misfit(const posted& p, const call_site& site) {
  const receipt& got = p.got;
  const std::string which = fmt::format("receive of tag {} from member {}", got.tag, got.source);
  const auto refuse = [](const std::string& text) { throw error(error_kind::argument, text); };
  if (p.unfit == posted::misfit::truncated) {
    refuse(
        fmt::format("{}: the message has {} bytes, the buffer {}; receive with at least as much "
                    "room as is sent",
                    which, got.bytes, p.into.size()));
  }
  const int rank = p.owner->rank();
  if (p.unfit == posted::misfit::inexact) {
    refuse(
        fmt::format("rank {}: {}: exact_length is promised on this team, but the message has {} "
                    "bytes, the buffer {}",
                    rank, which, got.bytes, p.into.size()));
  }
  const std::string place =
      *site.file == '\0' ? std::string() : fmt::format(" ({}:{})", site.name(), site.line);
  if (p.unfit == posted::misfit::other_type) {
    refuse(
        fmt::format("rank {}: {}{}: the message holds {}, the receive wants {}; receive the "
                    "type that is sent",
                    rank, which, place, text_of_code(p.sent_type), text_of_code(p.items.code)));
  }
  throw error(
      error_kind::argument,
      fmt::format(
          "rank {}: {}{}: the message has {} bytes, the receive wants {} of {} "
          "bytes{}; receive the type that is sent",
          rank, which, place, got.bytes, p.items.one ? "one value" : "items", p.items.bytes,
          p.items.code == 0 ? std::string() : fmt::format(" ({})", text_of_code(p.items.code))));
}

}  // namespace detail
}  // namespace upwash::matching
