// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/shm/shm_world.hpp"

#include "upwash/conduit/process_world.hpp"
#include "upwash/conduit/shm/detail/shm_endpoint.hpp"

namespace upwash::conduit {

std::unique_ptr<world> make_shm_world(bootstrap& boot, const settings& values) {
  return std::make_unique<process_world>(std::make_unique<shm_detail::shm_endpoint>(boot, values),
                                         values);
}

}  // namespace upwash::conduit
