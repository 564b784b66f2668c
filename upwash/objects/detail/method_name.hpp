// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Methods as constants: equal with and without noexcept, and by name for reports.
#pragma once

#include <string_view>

namespace upwash::objects {

template <auto Method>
struct method_tag {};

/// Returns the method's type without noexcept.
template <class T, class... Params>
[[nodiscard]] constexpr auto plain(void (T::*method)(Params...)) {
  return method;
}

/// Returns "step" from "... [with auto Method = &cell::step; ...]", for any text that the compiler
/// writes around it.
template <auto Method>
[[nodiscard]] consteval std::string_view name_in_signature() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.rfind("Method = "));
  text = text.substr(0, text.find_first_of(";]"));
  const auto scope = text.rfind("::");
  return scope == std::string_view::npos ? text : text.substr(scope + 2);
}

template <auto Method>
inline constexpr std::string_view name_of_method = name_in_signature<Method>();

}  // namespace upwash::objects
