// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/together.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>

#include "upwash/core/control.hpp"

namespace upwash::objects {

std::optional<error> together(const team& among, const std::string& label,
                              function_ref<void()> act) {
  std::optional<error> failed;
  try {
    act();
  } catch (const error& failure) {
    failed = failure;
  } catch (const std::exception& failure) {
    failed.emplace(error_kind::fault, failure.what());
  }
  const auto members = static_cast<std::uint64_t>(among.size());
  std::uint64_t first = failed ? static_cast<std::uint64_t>(among.rank()) : members;
  control::all_reduce(among, std::span(&first, 1), control::fold::least);
  if (first == members) return std::nullopt;
  std::string text = failed ? failed->what() : "";
  auto kind = failed ? failed->kind() : error_kind::fault;
  std::uint64_t bytes = text.size();
  const auto root = static_cast<int>(first);
  control::broadcast_value(among, root, kind);
  control::broadcast_value(among, root, bytes);
  text.resize(bytes);
  control::broadcast(among, root, std::as_writable_bytes(std::span(text)));
  return error(kind, fmt::format("{}, member {}: {}", label, first, text));
}

}  // namespace upwash::objects
