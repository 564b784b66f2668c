// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/ucx/ucx_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/conduit/ucx/detail/exchanged.hpp"
#include "upwash/conduit/ucx/detail/job_interfaces.hpp"
#include "upwash/conduit/ucx/detail/kept_handlers.hpp"
#include "upwash/conduit/ucx/detail/patient_abort.hpp"
#include "upwash/conduit/ucx/detail/queue_files.hpp"
#include "upwash/conduit/ucx/ucx_plugin.hpp"
#include "upwash/conduit/wire/wire_world.hpp"

namespace upwash::conduit {
namespace {

using namespace ucx;

constexpr knob rows[] = {
    knob{"ucx_filter", knob_type::flag, "1",
         "on several hosts: only hosts of the job may connect to UCX's TCP ports; 0: any may, as "
         "where addresses are translated between hosts"},
    knob{"ucx_plugin", knob_type::text, "",
         "the library that joins upwash with UCX; empty: libupwash_ucx.so beside libupwash",
         knob_level::developer},
};

wire::plugin_wanted plugin_of(const settings& values) {
  return {.name = "ucx",
          .file = values.text("ucx_plugin"),
          .knob = "ucx_plugin",
          .package = "libucx0 (Debian) with an upwash that was built where libucx-dev is"};
}

const ucx_plugin& load(const settings& values) {
  const kept_handlers kept;
  return static_cast<const ucx_plugin&>(wire::load_plugin(plugin_of(values)));
}

std::string lacking_here(const settings& values) {
  const wire::plugin_wanted wanted = plugin_of(values);
  if (wire::find_plugin(wanted)) return {};
  return fmt::format("conduit ucx: no plugin here; install {}", wanted.package);
}

/// Addresses have a few hundred bytes, one more device some more.
peer_addresses addresses_of_all(bootstrap& boot, std::span<const std::byte> own) {
  const auto sizes = exchange_values<std::uint64_t>(boot, own.size());
  peer_addresses all;
  all.stride = static_cast<std::size_t>(*std::max_element(sizes.begin(), sizes.end()));
  std::vector<std::byte> mine(own.begin(), own.end());
  mine.resize(all.stride);
  all.bytes = exchange_bytes(boot, mine);
  const int here = boot.node_of(boot.process());
  for (int p = 0; p < boot.process_count(); ++p) all.near.push_back(boot.node_of(p) == here);
  return all;
}

/// The next process of the node of this one, which may be this one.
int next_on_node(const bootstrap& boot) {
  int next = boot.process();
  do {
    next = (next + 1) % boot.process_count();
  } while (boot.node_of(next) != boot.node_of(boot.process()));
  return next;
}

/// Whether all processes find what the next one on their node has written to memory that it
/// allocated, where it is mapped here: who shares memory with the next shares it with all of a
/// node.
bool is_direct_in_nodes(ucx_transport& over, bootstrap& boot) {
  wire::remote_access& memory = *over.memory();
  std::string why;
  const memory_block mine = memory.allocate(sizeof(std::uint64_t), why);
  const std::uint64_t word = 0x75'70'77'61'73'68ULL + static_cast<std::uint64_t>(boot.process());
  if (mine.base != nullptr) std::memcpy(mine.base, &word, sizeof word);
  const auto keys = exchange_values(boot, mine.key);
  const int next = next_on_node(boot);
  remote_memory seen;
  bool found = false;
  if (keys[static_cast<std::size_t>(next)].size != 0 &&
      memory.import(next, keys[static_cast<std::size_t>(next)], seen, why)) {
    std::uint64_t there = 0;
    if (seen.direct != nullptr) std::memcpy(&there, seen.direct, sizeof there);
    found = there - word == static_cast<std::uint64_t>(next - boot.process());
    memory.forget(seen);
  }
  const auto all = exchange_values<std::uint8_t>(boot, found ? 1 : 0);
  if (mine.base != nullptr) memory.release(mine);
  return std::find(all.begin(), all.end(), 0) == all.end();
}

std::unique_ptr<world> make(const settings& values, bootstrap* boot) {
  const ucx_plugin& plugin = load(values);
  std::string why;
  const queue_files files(values.text("boot_folder"));
  job_network network = network_of(*boot);
  if (!values.flag("ucx_filter")) network.addresses.clear();
  std::unique_ptr<ucx_transport> over(plugin.start({.process = boot->process(),
                                                    .one_host = boot->node_count() == 1,
                                                    .interfaces = network.interfaces,
                                                    .addresses = network.addresses},
                                                   why));
  if (over == nullptr) {
    const char* chosen = std::getenv("UCX_TLS");
    throw error(
        error_kind::environment,
        fmt::format("conduit ucx: {} does not start: {}{}", plugin.engine, why,
                    chosen != nullptr ? fmt::format(" (UCX_TLS={})", chosen) : std::string()));
  }
  log(log_level::info, "ucx",
      fmt::format("{}, {}, an address of {} bytes", plugin.engine, over->settings_text(),
                  over->address().size()));
  if (boot->process_count() > 1 && boot->layout().one_each()) be_patient_in_abort();
  over->meet(addresses_of_all(*boot, over->address()));
  if (is_direct_in_nodes(*over, *boot)) over->promise_direct_memory();
  return wire::make_wire_world("ucx", std::move(over), *boot, values);
}

}  // namespace

conduit_row ucx_row() {
  return {.name = "ucx",
          .doc = "processes anywhere, through UCX: InfiniBand, RoCE, TCP, shared memory",
          .several_processes = true,
          .spans_nodes = true,
          .knobs = rows,
          .only_here = {},
          .make = &make,
          .lacking = &lacking_here};
}

}  // namespace upwash::conduit
