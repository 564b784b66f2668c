// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Transports in shared libraries of their own, so that libupwash depends on no network engine:
// libupwash_NAME.so links with its engine and is loaded when a job asks for a conduit over it.
//
// A plugin links with nothing of upwash; it uses headers alone (transport.hpp). It defines, and
// exports nothing but, `upwash_plugin`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace upwash::conduit::wire {

/// Of transport.hpp and of all that plugins and their conduits hand each other. It grows with each
/// change to one of them.
inline constexpr std::uint32_t plugin_abi = 6;

/// What a plugin exports begins with this; what follows is between it and its conduit, which
/// derives a structure of its own.
struct plugin_head {
  std::uint32_t abi = plugin_abi;  ///< of the headers that the plugin was compiled with
  const char* name = nullptr;      ///< of the engine
};

struct plugin_wanted {
  std::string_view name;  ///< of the engine
  std::string file;       ///< where the plugin is; empty: libupwash_NAME.so is looked for
  std::string_view knob;  ///< that names the file
  /// What the user installs where it is missing, as "libucx0 (Debian)".
  std::string_view package;
  std::string_view conduit{};  ///< for messages; empty: as the engine
  /// The engine has plugins of its own, which look for its symbols among all of the process.
  bool shows_symbols = false;
};

/// Where it is: the file that is named, else the first that is found; none where neither is there.
/// Looked for: in upwash/ beside libupwash, in the library folder beside the folder of a program
/// that has libupwash inside, where it is installed, in the build tree.
[[nodiscard]] std::optional<std::string> find_plugin(const plugin_wanted& wanted);

/// Loads a plugin; it stays as long as the process, since engines leave handlers and threads
/// behind. Throws `error` (environment) that says which file, why not and what to do.
[[nodiscard]] const plugin_head& load_plugin(const plugin_wanted& wanted);

}  // namespace upwash::conduit::wire

extern "C" [[gnu::visibility("default")]] const upwash::conduit::wire::plugin_head*
upwash_plugin() noexcept;
