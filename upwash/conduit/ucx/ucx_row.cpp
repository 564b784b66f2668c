// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/ucx/ucx_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/conduit/ucx/detail/kept_handlers.hpp"
#include "upwash/conduit/ucx/ucx_plugin.hpp"
#include "upwash/conduit/wire/wire_world.hpp"

namespace upwash::conduit {
namespace {

using namespace ucx;

constexpr knob rows[] = {
    knob{"ucx_plugin", knob_type::text, "",
         "the library that joins upwash with UCX; empty: libupwash_ucx.so beside libupwash",
         knob_level::developer},
};

const ucx_plugin& load(const settings& values) {
  const kept_handlers kept;
  return static_cast<const ucx_plugin&>(wire::load_plugin({.name = "ucx",
                                                           .file = values.text("ucx_plugin"),
                                                           .knob = "ucx_plugin",
                                                           .package = "libucx0 (Debian) with an "
                                                                      "upwash that was built where "
                                                                      "libucx-dev is"}));
}

/// Addresses have a few hundred bytes, one more device some more. Exchanged in pieces.
peer_addresses addresses_of_all(bootstrap& boot, std::span<const std::byte> own) {
  const auto processes = static_cast<std::size_t>(boot.process_count());
  const std::uint64_t own_bytes = own.size();
  std::vector<std::uint64_t> sizes(processes);
  boot.exchange(std::as_bytes(std::span(&own_bytes, 1)), std::as_writable_bytes(std::span(sizes)));
  peer_addresses all;
  all.stride = static_cast<std::size_t>(*std::max_element(sizes.begin(), sizes.end()));
  all.bytes.resize(processes * all.stride);
  std::vector<std::byte> mine(own.begin(), own.end());
  mine.resize(all.stride);
  for (std::size_t at = 0; at < all.stride; at += max_blob_bytes) {
    const std::size_t piece = std::min(max_blob_bytes, all.stride - at);
    std::vector<std::byte> pieces(processes * piece);
    boot.exchange(std::span(mine).subspan(at, piece), pieces);
    for (std::size_t p = 0; p < processes; ++p) {
      std::copy_n(pieces.begin() + static_cast<std::ptrdiff_t>(p * piece), piece,
                  all.bytes.begin() + static_cast<std::ptrdiff_t>(p * all.stride + at));
    }
  }
  const int here = boot.node_of(boot.process());
  for (int p = 0; p < boot.process_count(); ++p) all.near.push_back(boot.node_of(p) == here);
  return all;
}

std::unique_ptr<world> make(const settings& values, bootstrap* boot) {
  const ucx_plugin& plugin = load(values);
  std::string why;
  std::unique_ptr<ucx_transport> over(plugin.start(boot->process(), why));
  const char* chosen = std::getenv("UCX_TLS");
  const std::string transports = chosen != nullptr ? fmt::format("UCX_TLS={}", chosen) : "";
  if (over == nullptr) {
    throw error(error_kind::environment,
                fmt::format("conduit ucx: {} does not start: {}{}", plugin.engine, why,
                            chosen != nullptr ? " (" + transports + ")" : ""));
  }
  log(log_level::info, "ucx",
      fmt::format("{}, an address of {} bytes, transports as UCX likes{}", plugin.engine,
                  over->address().size(), chosen != nullptr ? " with " + transports : ""));
  over->meet(addresses_of_all(*boot, over->address()));
  return wire::make_wire_world("ucx", std::move(over), *boot, values);
}

}  // namespace

conduit_row ucx_row() {
  return {.name = "ucx",
          .doc = "processes anywhere, through UCX: InfiniBand, RoCE, TCP, shared memory",
          .several_processes = true,
          .knobs = rows,
          .only_here = {},
          .make = &make};
}

}  // namespace upwash::conduit
