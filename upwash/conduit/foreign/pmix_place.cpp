// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/foreign/pmix_place.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "upwash/base/log.hpp"
#include "upwash/conduit/foreign/pmix_plugin.hpp"

namespace upwash::conduit::foreign {

bool pmix_is_there() noexcept {
  return std::getenv("PMIX_RANK") != nullptr && std::getenv("PMIX_NAMESPACE") != nullptr;
}

std::unique_ptr<bootstrap> join_by_pmix(const announcement& said, const settings& values) {
  const wire::plugin_wanted wanted{.name = "pmix",
                                   .file = values.text("pmix_plugin"),
                                   .knob = "pmix_plugin",
                                   .package =
                                       "libpmix2 (Debian) with an upwash that was built "
                                       "where libpmix-dev is",
                                   .conduit = values.text("conduit"),
                                   .shows_symbols = true};
  const auto& plugin = static_cast<const pmix_plugin&>(wire::load_plugin(wanted));
  auto place = join(std::unique_ptr<foreign_engine>(plugin.make()), said, values);
  log(log_level::info, "launch",
      fmt::format("a place in the job of {} by {}", said.launcher, place->engine().version()));
  return place;
}

}  // namespace upwash::conduit::foreign
