// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The interfaces that UCX may listen on: those through which hosts of the job are reached.
#include "upwash/conduit/ucx/detail/job_interfaces.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace upwash::conduit::ucx;

/// An address as "10.0.0.1/24" or "fd00::1/64".
host_address address(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string number = text.substr(0, slash);
  const bool four = number.find('.') != std::string::npos;
  host_address made;
  const std::string mapped = four ? "::ffff:" + number : number;
  EXPECT_EQ(inet_pton(AF_INET6, mapped.c_str(), made.bytes.data()), 1) << text;
  made.prefix = static_cast<std::uint8_t>(std::stoi(text.substr(slash + 1)) + (four ? 96 : 0));
  return made;
}

host_addresses host(const std::vector<std::string>& texts) {
  host_addresses made{};
  std::transform(texts.begin(), texts.end(), made.begin(), address);
  return made;
}

std::vector<host_interface> own() {
  return {{"lo", address("127.0.0.1/8"), true},
          {"eth0", address("10.1.0.1/24"), false},
          {"eth0", address("fd01::1/64"), false},
          {"ib0", address("10.2.0.1/22"), false},
          {"docker0", address("172.17.0.1/16"), false}};
}

TEST(job_interfaces, are_those_in_whose_network_another_host_is) {
  const std::vector<host_addresses> one{host({"10.1.0.2/24", "172.17.0.1/16"})};
  EXPECT_EQ(choose_interfaces(own(), one), "eth0");
  const std::vector<host_addresses> two{host({"10.1.0.2/24"}), host({"10.2.3.4/22"})};
  EXPECT_EQ(choose_interfaces(own(), two), "eth0,ib0");
  const std::vector<host_addresses> six{host({"fd01::2/64"})};
  EXPECT_EQ(choose_interfaces(own(), six), "eth0");
}

/// Containers that share the network of their host have its addresses.
TEST(job_interfaces, of_a_host_with_the_same_addresses_are_the_loopback) {
  const std::vector<host_addresses> same{
      host({"10.1.0.1/24", "fd01::1/64", "10.2.0.1/22", "172.17.0.1/16"})};
  EXPECT_EQ(choose_interfaces(own(), same), "lo");
}

TEST(job_interfaces, are_unknown_if_no_interface_has_the_route) {
  // The kernel may have a route to it, from an address that is not among `own`.
  const std::vector<host_addresses> far{host({"10.1.0.2/24"}), host({"198.51.100.7/24"})};
  EXPECT_EQ(choose_interfaces(own(), far), "");
}

TEST(job_interfaces, of_another_network_are_those_of_the_kernels_route) {
  const std::vector<host_interface> here = interfaces_here();
  const auto loopback = std::find_if(here.begin(), here.end(), [](const auto& one) {
    return one.loopback && one.address.bytes[12] == 127;
  });
  if (loopback == here.end()) GTEST_SKIP() << "no loopback for IPv4 here";
  std::vector<host_interface> narrow{*loopback};
  narrow.front().address.prefix = 128;  // no other address is in its network
  const std::vector<host_addresses> routed{host({"127.0.0.9/8"})};
  EXPECT_EQ(choose_interfaces(narrow, routed), loopback->name);
}

TEST(job_interfaces, compare_the_bits_of_their_network) {
  EXPECT_TRUE(address("10.2.0.1/22").reaches(address("10.2.3.4/24")));
  EXPECT_FALSE(address("10.2.0.1/22").reaches(address("10.2.4.1/24")));
  EXPECT_FALSE(address("10.2.0.1/8").reaches(address("fd01::1/64")));
}

}  // namespace
