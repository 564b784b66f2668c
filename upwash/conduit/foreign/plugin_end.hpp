// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a plugin calls when its process ends. Included by one source of a plugin.
#pragma once

namespace upwash::conduit::foreign {
namespace {

/// A plugin serves one engine.
struct last_call {
  void (*what)(void* argument) = nullptr;
  void* argument = nullptr;
};
last_call at_the_end;

/// Destructors of a library run behind handlers of exit and static objects of the program.
[[gnu::destructor]] void call_last() {
  if (at_the_end.what != nullptr) at_the_end.what(at_the_end.argument);
}

}  // namespace
}  // namespace upwash::conduit::foreign
