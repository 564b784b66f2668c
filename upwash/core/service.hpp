// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A layer's own state on a job: `job.service<T>()`. Made on first use, destroyed in reverse
// order of making. Nothing below names what is above.
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

/// Where a service stands among those of a rank when a team is made or released: by number, then by
/// name. Layers take numbers hundreds apart, above those whose messages they use.
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

  /// Whether `progress` is to be called; asked once, when the service is made. One that has nothing
  /// to do for a while says so (host::set_busy), and costs a poll nothing meanwhile.
  [[nodiscard]] virtual bool wants_progress() const { return false; }
  /// Moves the layer's work on, as far as it goes without waiting; returns how many pieces. Outside
  /// handlers, and never while a `progress` of this job runs: one that waits holds up the other
  /// layers.
  virtual int progress() { return 0; }
  /// Says what is pending, for the report of a job that hangs; empty when nothing is. Called while
  /// the rank waits, also in the layer's own `progress`; not in signal handlers.
  [[nodiscard]] virtual std::string describe_pending() const { return {}; }
  /// How many operations of a series the rank has begun on the team of that id; 0 where the layer
  /// has no part in them.
  [[nodiscard]] virtual std::uint64_t begun_on(std::uint64_t /*team*/,
                                               observe::series /*which*/) const {
    return 0;
  }
  /// A service whose hooks below send or wait has a place of its own, a constant: all ranks then
  /// run the hooks alike, whoever made which service first. Those without one come last, as they
  /// were made. Asked for when services are made.
  [[nodiscard]] virtual team_place place_on_teams() const { return {}; }
  /// A team was made or is to be released. Made: by rising places; released: by falling ones. A
  /// service that is made meanwhile does not hear of that team.
  virtual void on_team_create(const team& /*made*/) {}
  virtual void on_team_free(const team& /*going*/) {}
  /// Throws when an invariant of the layer does not hold; called at the end of checked runs.
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

/// Its address identifies the type T among the services of a job.
template <class T>
inline constexpr char service_tag = 0;

}  // namespace detail
}  // namespace upwash
