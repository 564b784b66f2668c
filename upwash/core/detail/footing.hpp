// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The base of a job, hidden from programs: the conduit's endpoint, the rank's idle behaviour, and
// the sink that receives its messages.
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
  job* above = nullptr;  ///< set before the endpoint knows this object
};

}  // namespace upwash::detail
