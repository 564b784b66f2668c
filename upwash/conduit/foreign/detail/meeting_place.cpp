// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/foreign/detail/meeting_place.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace upwash::conduit::foreign {
namespace {

constexpr int reach_ms = 1000;           // for an address to answer
constexpr timeval to_say{1, 0};          // for a guest to say who it is
constexpr timeval to_be_welcomed{5, 0};  // whom it visits may be visiting others itself

/// What a guest says.
struct greeting {
  meeting_place::secret knock;
  std::uint32_t number;
};

constexpr std::array<std::byte, 12> mapped_prefix = [] {
  std::array<std::byte, 12> prefix{};
  prefix[10] = prefix[11] = std::byte{0xff};
  return prefix;
}();

bool is_mapped(const meeting_place::address& of) {
  return std::equal(mapped_prefix.begin(), mapped_prefix.end(), of.begin());
}

meeting_place::address mapped(const in_addr& of) {
  meeting_place::address made{};
  std::copy(mapped_prefix.begin(), mapped_prefix.end(), made.begin());
  std::memcpy(made.data() + mapped_prefix.size(), &of, sizeof of);
  return made;
}

/// False where others cannot reach it: addresses of a link need its name.
bool address_of(const ifaddrs& one, meeting_place::address& address) {
  if (one.ifa_addr == nullptr || (one.ifa_flags & IFF_UP) == 0) return false;
  if (one.ifa_addr->sa_family == AF_INET) {
    address = mapped(reinterpret_cast<const sockaddr_in*>(one.ifa_addr)->sin_addr);
    return true;
  }
  if (one.ifa_addr->sa_family != AF_INET6) return false;
  const in6_addr& six = reinterpret_cast<const sockaddr_in6*>(one.ifa_addr)->sin6_addr;
  std::memcpy(address.data(), &six, sizeof six);
  return !IN6_IS_ADDR_LINKLOCAL(&six);
}

/// The loopback's only where there is no other.
void list_addresses(meeting_place& place) {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> all(first, &freeifaddrs);
  for (const bool loopback : {false, true}) {
    for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
      if (place.addresses == place.at.size()) return;
      if (((one->ifa_flags & IFF_LOOPBACK) != 0) != loopback) continue;
      if (address_of(*one, place.at[place.addresses])) ++place.addresses;
    }
    if (place.addresses > 0) return;
  }
}

/// A port that the kernel chooses; -1 on failure.
int listen_at_any(int family, std::uint16_t& port) {
  const int listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return -1;
  const int no = 0;
  if (family == AF_INET6) setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  sockaddr_storage where{};
  where.ss_family = static_cast<sa_family_t>(family);
  socklen_t size = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  auto* generic = reinterpret_cast<sockaddr*>(&where);
  if (bind(listener, generic, size) != 0 || listen(listener, 64) != 0 ||
      getsockname(listener, generic, &size) != 0) {
    const int why = errno;
    close(listener);
    errno = why;
    return -1;
  }
  // Both kinds of address have it at the same place.
  port = ntohs(reinterpret_cast<const sockaddr_in*>(&where)->sin_port);
  return listener;
}

bool say(int connection, const void* what, std::size_t bytes) {
  return send(connection, what, bytes, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes);
}

/// Within `limit` for each piece of it.
bool hear(int connection, void* what, std::size_t bytes, const timeval& limit) {
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  return recv(connection, what, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
}

/// Takes as long whatever differs.
bool same(const meeting_place::secret& one, const meeting_place::secret& other) {
  std::byte differs{};
  for (std::size_t i = 0; i < one.size(); ++i) differs |= one[i] ^ other[i];
  return differs == std::byte{};
}

int begin_connect(const meeting_place::address& to, std::uint16_t port) {
  const bool four = is_mapped(to);
  const int made = socket(four ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  v4.sin_family = AF_INET;
  v4.sin_port = v6.sin6_port = htons(port);
  v6.sin6_family = AF_INET6;
  std::memcpy(&v4.sin_addr, to.data() + mapped_prefix.size(), sizeof v4.sin_addr);
  std::memcpy(&v6.sin6_addr, to.data(), sizeof v6.sin6_addr);
  const int answer = four ? connect(made, reinterpret_cast<const sockaddr*>(&v4), sizeof v4)
                          : connect(made, reinterpret_cast<const sockaddr*>(&v6), sizeof v6);
  if (answer == 0 || errno == EINPROGRESS) return made;
  const int why = errno;
  close(made);
  errno = why;
  return -1;
}

/// Where it is not, `errno` says why; 0: whoever answered is a stranger.
bool is_welcomed(int connection, const meeting_place& place, std::uint32_t self) {
  pollfd one{connection, POLLOUT, 0};
  errno = ETIMEDOUT;
  if (poll(&one, 1, reach_ms) != 1) return false;
  int why = 0;
  socklen_t size = sizeof why;
  getsockopt(connection, SOL_SOCKET, SO_ERROR, &why, &size);
  errno = why;
  if (why != 0 || fcntl(connection, F_SETFL, 0) != 0) return false;  // reads wait from here on
  const greeting mine{place.knock, self};
  meeting_place::secret heard{};
  if (!say(connection, &mine, sizeof mine) ||
      !hear(connection, heard.data(), heard.size(), to_be_welcomed)) {
    return false;
  }
  errno = 0;
  return same(heard, place.welcome);
}

}  // namespace

int open_meeting(meeting_place& place, std::string& why) noexcept {
  place = {};
  const auto bytes = static_cast<ssize_t>(sizeof place.knock);
  if (getrandom(place.knock.data(), place.knock.size(), 0) != bytes ||
      getrandom(place.welcome.data(), place.welcome.size(), 0) != bytes) {
    why = "no random numbers";
    return -1;
  }
  list_addresses(place);
  int listener = listen_at_any(AF_INET6, place.port);
  if (listener < 0) listener = listen_at_any(AF_INET, place.port);
  if (listener < 0) why = fmt::format("cannot listen: {}", std::strerror(errno));
  if (listener >= 0 && place.addresses == 0) why = "this host has no address";
  return listener;
}

int take_guest(int listener, const meeting_place& own, std::uint32_t& number) noexcept {
  const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) return -1;
  greeting said{};
  if (hear(connection, &said, sizeof said, to_say) && same(said.knock, own.knock) &&
      say(connection, own.welcome.data(), own.welcome.size())) {
    number = said.number;
    return connection;
  }
  close(connection);
  return -1;
}

int go_to(const meeting_place& place, std::uint32_t self, std::string& why) noexcept {
  why = "it has no address";
  for (std::size_t i = 0; i < std::min<std::size_t>(place.addresses, place.at.size()); ++i) {
    const int connection = begin_connect(place.at[i], place.port);
    if (connection >= 0 && is_welcomed(connection, place, self)) return connection;
    why = errno != 0 ? std::strerror(errno) : "somebody else answers at its address";
    if (connection >= 0) close(connection);
  }
  return -1;
}

void keep_asking(int connection) noexcept {
  const int on = 1;
  const int second = 1;
  const int many = 127;  // whether the silence is too long is asked elsewhere
  setsockopt(connection, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(connection, IPPROTO_TCP, TCP_KEEPIDLE, &second, sizeof second);
  setsockopt(connection, IPPROTO_TCP, TCP_KEEPINTVL, &second, sizeof second);
  setsockopt(connection, IPPROTO_TCP, TCP_KEEPCNT, &many, sizeof many);
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

duration silent_for(int connection) noexcept {
  tcp_info now{};
  socklen_t size = sizeof now;
  if (getsockopt(connection, IPPROTO_TCP, TCP_INFO, &now, &size) != 0) return {};
  return duration::from_us(1000) * static_cast<std::int64_t>(now.tcpi_last_ack_recv);
}

}  // namespace upwash::conduit::foreign
