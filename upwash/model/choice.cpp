// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/choice.hpp"

#include <fmt/format.h>

#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"

namespace upwash::model {
namespace {

std::string known_parameters(const choice& of) {
  std::string names;
  for (const parameter& each : of.parameters) {
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  return names;
}

std::size_t index_named(const choice& of, std::string_view name) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < of.parameters.size(); ++i) {
    if (of.parameters[i].name == name) return i;
    names.push_back(of.parameters[i].name);
  }
  if (names.empty()) {
    throw error(error_kind::argument,
                fmt::format("{}: takes no parameters; \"{}\" given", of.name, name));
  }
  const std::string_view near = nearest_name(name, names);
  throw error(error_kind::argument,
              fmt::format("{}: no parameter \"{}\"{} (known: {})", of.name, name,
                          near.empty() ? "" : fmt::format("; did you mean {}?", near),
                          known_parameters(of)));
}

std::uint64_t value_of(const choice& of, const parameter& to, std::string_view text) {
  std::uint64_t value = 0;
  try {
    value = parse_bytes(text, fmt::format("{}: {}", of.name, to.name));
  } catch (const error& wrong) {
    throw error(error_kind::argument, wrong.what());
  }
  if (value < to.least || value > to.most) {
    throw error(error_kind::argument, fmt::format("{}: {}={} is not in {} .. {} ({})", of.name,
                                                  to.name, text, to.least, to.most, to.doc));
  }
  return value;
}

}  // namespace

values initial_values(const choice& of) noexcept {
  values with{};
  for (std::size_t i = 0; i < of.parameters.size(); ++i) with[i] = of.parameters[i].initial;
  return with;
}

std::pair<std::string_view, std::string_view> split_choice(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

values parse_values(const choice& of, std::string_view text) {
  values with = initial_values(of);
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find(','));
    text.remove_prefix(pair.size() < text.size() ? pair.size() + 1 : pair.size());
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      throw error(error_kind::argument,
                  fmt::format("{}: \"{}\" is not key=value{}", of.name, pair,
                              of.parameters.empty()
                                  ? "; it takes no parameters"
                                  : fmt::format(" (known keys: {})", known_parameters(of))));
    }
    const std::size_t index = index_named(of, pair.substr(0, equals));
    with[index] = value_of(of, of.parameters[index], pair.substr(equals + 1));
  }
  return with;
}

std::string text_of(const choice& of, const values& with) {
  std::string text(of.name);
  for (std::size_t i = 0; i < of.parameters.size(); ++i) {
    text += fmt::format("{}{}={}", i == 0 ? ':' : ',', of.parameters[i].name, with[i]);
  }
  return text;
}

}  // namespace upwash::model
