// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/wire/wire_world.hpp"

#include <utility>

#include "upwash/conduit/process_world.hpp"
#include "upwash/conduit/wire/detail/threaded_endpoint.hpp"
#include "upwash/conduit/wire/detail/wire_endpoint.hpp"

namespace upwash::conduit::wire {

std::unique_ptr<world> make_wire_world(std::string_view name, std::unique_ptr<transport> over,
                                       bootstrap& boot, const settings& values) {
  auto made =
      std::make_unique<wire_endpoint>(std::move(over), boot, options_of(name, boot, values));
  if (values.flag("progress_thread") && made->local_ranks() == 1) {
    // An engine wakes nobody: to sleep until something comes is to nap between looks.
    const bool naps = values.text("progress_wait") != "poll";
    auto shared = std::make_unique<threaded_endpoint>(std::move(made), naps);
    return std::make_unique<process_world>(std::move(shared), values);
  }
  return std::make_unique<process_world>(std::move(made), values);
}

}  // namespace upwash::conduit::wire
