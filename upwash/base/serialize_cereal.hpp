// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Opt-in: sends types that only cereal knows (maps, shared pointers, polymorphic types) through
// cereal's binary archive. Wrap the value: `send<&h>(job, rank, by_cereal<T>{value})`.
#pragma once

#include <cereal/archives/binary.hpp>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

#include "upwash/base/archive.hpp"

namespace upwash {

/// Carries a value of any type that cereal can save and load; `include` cereal's headers for the
/// types in it. Costs one pass through a stream on each side.
template <class T>
struct by_cereal {
  T value{};

  template <class A>
  void serialize(A& archive) {
    if constexpr (std::is_same_v<A, archive_writer>) {
      archive(save());
    } else {
      std::string bytes;
      archive(bytes);
      load(bytes);
    }
  }

 private:
  [[nodiscard]] std::string save() const {
    std::ostringstream out;
    cereal::BinaryOutputArchive archive(out);
    archive(value);
    return std::move(out).str();
  }
  void load(const std::string& bytes) {
    std::istringstream in(bytes);
    cereal::BinaryInputArchive archive(in);
    archive(value);
  }
};

}  // namespace upwash
