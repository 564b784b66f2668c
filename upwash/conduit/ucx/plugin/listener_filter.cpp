// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/ucx/plugin/detail/listener_filter.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace upwash::conduit::ucx {
namespace {

constexpr std::uint32_t accept_all = 0xffffffff;
constexpr auto network_header = static_cast<std::uint32_t>(SKF_NET_OFF);
constexpr std::uint32_t ipv4_source = 12;  // offsets in the headers of IPv4 and IPv6
constexpr std::uint32_t ipv6_source = 8;
constexpr ip_address loopback4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1};
constexpr ip_address loopback6{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

int option(int fd, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  return getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

std::uint32_t word_of(const ip_address& address, std::size_t number) {
  std::uint32_t word = 0;
  std::memcpy(&word, &address.at(number * 4), sizeof word);
  return ntohl(word);
}

/// Compares words of the source address from `first` on; accepts if all are equal.
void add(std::vector<sock_filter>& filter, const ip_address& source, std::size_t first,
         std::uint32_t offset) {
  for (std::size_t number = first; number < 4; ++number) {
    const auto where = network_header + offset + static_cast<std::uint32_t>(number - first) * 4;
    filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, where));
    // If they differ: behind the words to come, two instructions each, and the acceptance.
    const auto rest = static_cast<std::uint8_t>((3 - number) * 2 + 1);
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, word_of(source, number), 0, rest));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, accept_all));
}

}  // namespace

std::set<int> listening_sockets() {
  namespace fs = std::filesystem;
  std::set<int> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", none)) {
    const std::string name = entry.path().filename().string();
    int fd = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    const int domain = option(fd, SO_DOMAIN);
    if ((domain == AF_INET || domain == AF_INET6) && option(fd, SO_ACCEPTCONN) == 1) {
      found.insert(fd);
    }
  }
  return found;
}

std::vector<sock_filter> source_filter(bool ipv4, std::span<const ip_address> sources) {
  std::vector<sock_filter> filter;
  const auto mapped = [](const ip_address& one) {
    return std::equal(one.begin(), one.begin() + 12, loopback4.begin());
  };
  add(filter, ipv4 ? loopback4 : loopback6, ipv4 ? 3 : 0, ipv4 ? ipv4_source : ipv6_source);
  for (const ip_address& one : sources) {
    if (mapped(one) == ipv4) add(filter, one, ipv4 ? 3 : 0, ipv4 ? ipv4_source : ipv6_source);
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, 0));
  if (filter.size() > BPF_MAXINSNS) filter.clear();
  return filter;
}

bool accept_only(std::span<const ip_address> sources, const std::set<int>& earlier) {
  bool all = true;
  for (const int fd : listening_sockets()) {
    if (earlier.contains(fd)) continue;
    std::vector<sock_filter> filter = source_filter(option(fd, SO_DOMAIN) == AF_INET, sources);
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    all = all && !filter.empty() &&
          setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
  }
  return all;
}

}  // namespace upwash::conduit::ucx
