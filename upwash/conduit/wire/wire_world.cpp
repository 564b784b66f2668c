// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/wire/wire_world.hpp"

#include <utility>

#include "upwash/conduit/process_world.hpp"
#include "upwash/conduit/wire/detail/wire_endpoint.hpp"

namespace upwash::conduit::wire {

std::unique_ptr<world> make_wire_world(std::string_view name, std::unique_ptr<transport> over,
                                       bootstrap& boot, const settings& values) {
  return std::make_unique<process_world<wire_endpoint>>(values, std::move(over), boot,
                                                        options_of(name, boot, values));
}

}  // namespace upwash::conduit::wire
