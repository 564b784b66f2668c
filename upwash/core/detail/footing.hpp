// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a job stands on, which programs do not see: the conduit's endpoint, what the rank does when
// it idles, and the sink that gets its messages.
#pragma once

#include "upwash/conduit/endpoint.hpp"

namespace upwash {
class job;
}

namespace upwash::detail {

class footing final : public conduit::sink {
 public:
  footing(conduit::endpoint& below, conduit::waiter& idle) noexcept
      : endpoint(below), waiter(&idle) {}

  void deliver(const active_message& arrived) override;
  [[nodiscard]] observe::standing standing() const override;
  void act_first(bool now) noexcept { acts_first_ = now; }

  conduit::endpoint& endpoint;
  conduit::waiter* waiter;
  job* above = nullptr;  ///< set before the endpoint knows of this
};

}  // namespace upwash::detail
