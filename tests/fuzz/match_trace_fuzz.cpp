// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes given to the readers of matching traces are read or refused with an `error`. Built for
// libFuzzer, or with `fuzz_driver.cpp`, by scripts/fuzz.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "upwash/base/error.hpp"
#include "upwash/matching/recording.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace upwash::matching;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto events = parse_trace(bytes, "fuzz");
    const std::string text = to_text(events);
    if (to_text(parse_trace(text, "fuzz")) != text) std::abort();  // not read back as written
  } catch (const upwash::error&) {
  }
  try {
    for (const auto& e : parse_recording(bytes, "fuzz")) {
      if (e.rank < 0 || e.peer < -1 || e.tag < -1 || e.team_size < 0) std::abort();
    }
  } catch (const upwash::error&) {
  }
  return 0;
}
