// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Keeps the arguments of a call until its method runs.
#pragma once

#include <concepts>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/base/archive.hpp"
#include "upwash/base/is_address.hpp"

namespace upwash::objects {

/// The elements of a span: in the caller's memory until they are kept.
template <class U>
class span_argument {
 public:
  span_argument() = default;
  template <class Range>
  requires(std::convertible_to<const Range&, std::span<const U>> &&
           !std::is_same_v<Range, span_argument>) span_argument(const Range& elements)
      : seen_(elements) {}  // as the parameter takes them
  span_argument(const span_argument& other)
      : own_(other.seen_.begin(), other.seen_.end()), seen_(own_) {}
  span_argument(span_argument&&) noexcept = default;
  span_argument& operator=(span_argument&&) noexcept = default;

  void keep() {
    if (seen_.data() == own_.data()) return;
    own_.assign(seen_.begin(), seen_.end());
    seen_ = own_;
  }
  [[nodiscard]] std::span<const U> elements() const noexcept { return seen_; }

  template <class Archive>
  void serialize(Archive& archive) {
    if constexpr (std::is_same_v<Archive, archive_writer>) {
      archive(seen_);
    } else {
      archive(own_);
      seen_ = own_;
    }
  }

 private:
  std::vector<U> own_;
  std::span<const U> seen_;
};

template <class Param>
struct kept {
  static_assert(!is_address<Param>,
                "a pointer or view means nothing at another rank: take std::span<const T>, whose "
                "elements travel, or what it names (std::string, std::vector)");
  using type = Param;
};
template <class U>
struct kept<std::span<const U>> {
  using type = span_argument<U>;
};

template <class Param>
using kept_argument = typename kept<std::remove_cvref_t<Param>>::type;

/// Copies arguments in the caller's memory, because the call stays on this rank for a while.
template <class T>
void keep(T& /*own*/) noexcept {}
template <class U>
void keep(span_argument<U>& of) {
  of.keep();
}

/// Returns the argument in the form of the method's parameter; once.
template <class T>
[[nodiscard]] T&& given(T& own) noexcept {
  return std::move(own);
}
template <class U>
[[nodiscard]] std::span<const U> given(span_argument<U>& of) noexcept {
  return of.elements();
}

}  // namespace upwash::objects
