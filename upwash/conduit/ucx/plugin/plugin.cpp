// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What libupwash_ucx.so exports.
#include <memory>
#include <string>

#include "upwash/conduit/ucx/plugin/detail/ucp_transport.hpp"

namespace upwash::conduit::ucx {
namespace {

ucx_transport* start(const job_reach& job, std::string& why) noexcept {
  auto made = std::make_unique<ucp_transport>(job.process);
  return made->start(job, why) ? made.release() : nullptr;
}

const ucx_plugin& plugin() {
  static const std::string engine = std::string("UCX ") + ucp_get_version_string();
  static const ucx_plugin made{{.name = "ucx"}, engine.c_str(), &start};
  return made;
}

}  // namespace
}  // namespace upwash::conduit::ucx

extern "C" const upwash::conduit::wire::plugin_head* upwash_plugin() noexcept {
  return &upwash::conduit::ucx::plugin();
}
