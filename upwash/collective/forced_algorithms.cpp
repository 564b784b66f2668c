// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/forced_algorithms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::collective {

void for_each_forced(std::string_view text,
                     function_ref<void(std::string_view, std::string_view)> use) {
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(text.size(), entry.size() + 1));
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) {
      throw error(error_kind::configuration,
                  fmt::format("algorithms: \"{}\" is not COLLECTIVE=NAME[:key=value,...]", entry));
    }
    use(entry.substr(0, equals), entry.substr(equals + 1));
  }
}

void check_forced(const registry& algorithms, std::string_view text) {
  const auto check = [&](std::string_view collective, std::string_view algorithm) {
    static_cast<void>(algorithms.named(algorithms.kind_named(collective), algorithm));
  };
  for_each_forced(text, check);
}

}  // namespace upwash::collective
