// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/ucx/detail/job_interfaces.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <set>
#include <string_view>

#include "upwash/conduit/ucx/detail/exchanged.hpp"

namespace upwash::conduit::ucx {
namespace {

constexpr std::array<std::uint8_t, 12> mapped_front{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr int mapped_bits = 96;

bool is_ipv4(const host_address& one) {
  return std::equal(mapped_front.begin(), mapped_front.end(), one.bytes.begin());
}

host_address address_of(const sockaddr& from) {
  host_address made;
  if (from.sa_family == AF_INET) {
    std::copy(mapped_front.begin(), mapped_front.end(), made.bytes.begin());
    std::memcpy(&made.bytes[12], &reinterpret_cast<const sockaddr_in&>(from).sin_addr, 4);
  } else {
    std::memcpy(made.bytes.data(), &reinterpret_cast<const sockaddr_in6&>(from).sin6_addr, 16);
  }
  return made;
}

int bits_of(const sockaddr* mask) {
  if (mask == nullptr) return 8 * 16;
  const bool four = mask->sa_family == AF_INET;
  const host_address as_address = address_of(*mask);
  int bits = 0;
  for (const std::uint8_t byte : as_address.bytes) bits += std::popcount(byte);
  return four ? bits - 16 + mapped_bits : bits;  // 16 bits of ::ffff: are set
}

bool is_of_link(const host_address& one) {
  return one.bytes[0] == 0xfe && (one.bytes[1] & 0xc0U) == 0x80;
}

/// The own address from which the kernel sends to `other`; sends nothing.
bool route_to(const host_address& other, host_address& from) {
  const bool four = is_ipv4(other);
  sockaddr_storage to{};
  if (four) {
    auto& in = reinterpret_cast<sockaddr_in&>(to);
    in.sin_family = AF_INET;
    in.sin_port = htons(9);
    std::memcpy(&in.sin_addr, &other.bytes[12], 4);
  } else {
    auto& in = reinterpret_cast<sockaddr_in6&>(to);
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(9);
    std::memcpy(&in.sin6_addr, other.bytes.data(), 16);
  }
  const int fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  socklen_t size = four ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  const bool found = connect(fd, reinterpret_cast<const sockaddr*>(&to), size) == 0 &&
                     getsockname(fd, reinterpret_cast<sockaddr*>(&to), &size) == 0;
  if (found) from = address_of(reinterpret_cast<const sockaddr&>(to));
  close(fd);
  return found;
}

class chooser {
 public:
  explicit chooser(std::span<const host_interface> own) : own_(own) {}

  /// False if none of the interfaces reaches a host with these addresses.
  bool add(const host_addresses& other) {
    bool reached = false;
    bool here = true;  // all of the addresses are this host's
    for (const host_address& each : other) {
      if (each.prefix == 0 || is_own(each)) continue;
      here = false;
      reached =
          take([&](const host_interface& one) { return one.address.reaches(each); }) || reached;
    }
    if (reached) return true;
    if (here) return take([](const host_interface& one) { return one.loopback; });
    for (const host_address& each : other) {
      host_address from;
      if (each.prefix == 0 || is_own(each) || !route_to(each, from)) continue;
      reached =
          take([&](const host_interface& one) { return one.address.is_same(from); }) || reached;
    }
    return reached;
  }

  [[nodiscard]] std::string names() const {
    std::string text;
    for (const std::string& each : names_) text += (text.empty() ? "" : ",") + each;
    return text;
  }

 private:
  [[nodiscard]] bool is_own(const host_address& one) const {
    return std::ranges::any_of(own_, [&](const auto& mine) { return mine.address.is_same(one); });
  }

  template <class Test>
  bool take(const Test& test) {
    bool taken = false;
    for (const host_interface& one : own_) {
      if (!test(one)) continue;
      names_.insert(one.name);
      taken = true;
    }
    return taken;
  }

  std::span<const host_interface> own_;
  std::set<std::string> names_;
};

}  // namespace

bool host_address::reaches(const host_address& other) const noexcept {
  const auto whole = static_cast<std::size_t>(prefix / 8);
  if (!std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(whole),
                  other.bytes.begin())) {
    return false;
  }
  const unsigned rest = prefix % 8U;
  if (rest == 0) return true;
  return (static_cast<unsigned>(bytes.at(whole)) ^ static_cast<unsigned>(other.bytes.at(whole))) >>
             (8U - rest) ==
         0;
}

std::vector<host_interface> interfaces_here() {
  std::vector<host_interface> found;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return found;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> all(first, &freeifaddrs);
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0) continue;
    if (one->ifa_addr->sa_family != AF_INET && one->ifa_addr->sa_family != AF_INET6) continue;
    host_address address = address_of(*one->ifa_addr);
    address.prefix = static_cast<std::uint8_t>(bits_of(one->ifa_netmask));
    if (!is_of_link(address)) {
      // A further IPv4 address may have a label, as "eth0:1".
      const std::string_view name = one->ifa_name;
      found.push_back({std::string(name.substr(0, name.find(':'))), address,
                       (one->ifa_flags & IFF_LOOPBACK) != 0});
    }
  }
  return found;
}

std::string choose_interfaces(std::span<const host_interface> own,
                              std::span<const host_addresses> others) {
  chooser chosen(own);
  for (const host_addresses& each : others) {
    if (!chosen.add(each)) return {};
  }
  return chosen.names();
}

job_network network_of(bootstrap& boot) {
  job_network network;
  const std::vector<host_interface> own = interfaces_here();
  if (boot.node_count() == 1) {
    const auto loopback = std::ranges::find(own, true, &host_interface::loopback);
    if (loopback != own.end()) network.interfaces = loopback->name;
    return network;
  }
  host_addresses mine{};
  std::size_t count = 0;
  for (const host_interface& one : own) {
    if (!one.loopback && count < mine.size()) mine.at(count++) = one.address;
  }
  const std::vector<host_addresses> all = exchange_values(boot, mine);
  std::vector<host_addresses> others;
  bool complete = true;
  for (int p = 0; p < boot.process_count(); ++p) {
    if (p > 0 && boot.node_of(p) == boot.node_of(p - 1)) continue;
    const host_addresses& host = all[static_cast<std::size_t>(p)];
    if (boot.node_of(p) != boot.node_of(boot.process())) others.push_back(host);
    complete = complete && host.back().prefix == 0;  // else it may have more of them
    for (const host_address& each : host) {
      if (each.prefix != 0) network.addresses.push_back(each.bytes);
    }
  }
  if (!complete) network.addresses.clear();
  network.interfaces = choose_interfaces(own, others);
  return network;
}

}  // namespace upwash::conduit::ucx
