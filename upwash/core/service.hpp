// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A layer's own state on a job: `job.service<T>()`. Made on first use; destroyed in reverse order.
// Lower layers do not name the services of higher layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "upwash/base/duration.hpp"
#include "upwash/observe/series.hpp"

namespace upwash {

class job;
class team;

/// The position of a service among the services of a rank when a team is made or released: by
/// number, then by name. Layers take numbers hundreds apart, above the numbers of services whose
/// messages they use.
struct team_place {
  static constexpr int last = 1'000'000;
  int order = last;
  std::string_view name = {};
};

/// Base of every service; the hooks are optional. T is constructible from `job&`.
class service_base {
 public:
  virtual ~service_base() = default;
  service_base(const service_base&) = delete;
  service_base& operator=(const service_base&) = delete;

  /// Returns whether `progress` is to be called. Called once, when the service is made. A service
  /// without work says so (host::set_busy); a poll then spends no time on it.
  [[nodiscard]] virtual bool wants_progress() const { return false; }
  /// Advances the layer's work as far as possible without waiting. Returns the number of pieces.
  /// Runs outside handlers, and never during another `progress` of this job. A service that waits
  /// here delays the other layers.
  virtual int progress() { return 0; }
  /// Describes the pending work, for the report of a job that hangs; empty without pending work.
  /// Called while the rank waits, also in the layer's own `progress`. Not called in signal
  /// handlers.
  [[nodiscard]] virtual std::string describe_pending() const { return {}; }
  /// Returns the number of operations of a series that the rank has begun on the team with this id.
  /// 0 if the layer has no part in the series.
  [[nodiscard]] virtual std::uint64_t begun_on(std::uint64_t /*team*/,
                                               observe::series /*which*/) const {
    return 0;
  }
  /// Returns the service's place, a constant. A service whose hooks below send or wait needs a
  /// place: all ranks then run the hooks in the same order, no matter which service was made first.
  /// Services without a place come last, in the order of creation. Called when services are made.
  [[nodiscard]] virtual team_place place_on_teams() const { return {}; }
  /// Called when a team was made (by rising places) or is to be released (by falling places). A
  /// service that is made meanwhile is not called for that team.
  virtual void on_team_create(const team& /*made*/) {}
  virtual void on_team_free(const team& /*going*/) {}
  /// Throws if an invariant of the layer does not hold. Called at the end of checked runs.
  virtual void check() const {}

 protected:
  service_base() = default;

 private:
  friend class host;
  friend class job;
  bool busy_ = false;
  duration alarm_ = duration::max();
};

namespace detail {

/// The address identifies the type T among the services of a job.
template <class T>
inline constexpr char service_tag = 0;

}  // namespace detail
}  // namespace upwash
