// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/first_voice.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace upwash {

bool speaks_first(std::string_view name) noexcept {
  // An address in the abstract name space has one owner, and goes with it.
  constexpr std::string_view prefix = "upwash-";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  char* end = std::copy(prefix.begin(), prefix.end(), address.sun_path + 1);
  const auto room = static_cast<std::size_t>(address.sun_path + sizeof address.sun_path - end);
  end = std::copy_n(name.begin(), std::min(name.size(), room), end);
  const int claim = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (claim < 0) return true;
  const auto length = static_cast<socklen_t>(end - reinterpret_cast<char*>(&address));
  return bind(claim, reinterpret_cast<const sockaddr*>(&address), length) == 0 ||
         errno != EADDRINUSE;
}

}  // namespace upwash
