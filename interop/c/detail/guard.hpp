// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Nothing throws out of a C function but what unwinds a rank's whole stack: an exception becomes a
// status, and its text is kept for upwash_error_text.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

#include "interop/c/detail/handles.hpp"
#include "upwash/base/error.hpp"

namespace upwash::c {

[[nodiscard]] inline upwash_status status_of(error_kind kind) noexcept {
  switch (kind) {
    case error_kind::argument: return UPWASH_ARGUMENT;
    case error_kind::configuration: return UPWASH_CONFIGURATION;
    case error_kind::environment: return UPWASH_ENVIRONMENT;
    case error_kind::system: return UPWASH_SYSTEM;
    case error_kind::fault: return UPWASH_FAULT;
  }
  return UPWASH_FAULT;
}

/// In a catch block of `error` or another exception: the status, with the function's name in the
/// text.
int tell(upwash_job& on, const char* function, const std::exception& why) noexcept;

[[noreturn]] inline void refuse(const std::string& what) {
  throw error(error_kind::argument, what);
}

/// Runs `body` on a job, for the function of that name.
template <class Body>
int guarded(upwash_job* on, const char* function, const Body& body) {
  if (on == nullptr) return UPWASH_ARGUMENT;
  try {
    body();
    return UPWASH_OK;
  } catch (const std::exception& why) {
    return tell(*on, function, why);
  }
}
/// On the job of a handle, which may be null.
template <class Handle, class Body>
int guarded_by(const Handle* handle, const char* function, const Body& body) {
  return guarded(handle == nullptr ? nullptr : handle->of, function, body);
}

/// The argument of that name, which must not be null.
template <class T>
[[nodiscard]] T& given(T* pointer, std::string_view name) {
  if (pointer == nullptr) refuse(fmt::format("{} is null: give its address", name));
  return *pointer;
}

/// The bytes of an argument; null is fine where there are none.
[[nodiscard]] inline std::span<const std::byte> input(const void* at, std::size_t bytes,
                                                      std::string_view name) {
  if (bytes != 0) static_cast<void>(given(at == nullptr ? nullptr : &bytes, name));
  return {static_cast<const std::byte*>(at), bytes};
}
[[nodiscard]] inline std::span<std::byte> output(void* at, std::size_t bytes,
                                                 std::string_view name) {
  if (bytes != 0) static_cast<void>(given(at == nullptr ? nullptr : &bytes, name));
  return {static_cast<std::byte*>(at), bytes};
}

/// `count` times `bytes`, or an error of the argument `name`.
[[nodiscard]] inline std::size_t product(std::size_t count, std::size_t bytes,
                                         std::string_view name) {
  std::size_t made = 0;
  if (__builtin_mul_overflow(count, bytes, &made)) {
    refuse(fmt::format("{}: {} times {} bytes are more than memory has", name, count, bytes));
  }
  return made;
}

}  // namespace upwash::c
