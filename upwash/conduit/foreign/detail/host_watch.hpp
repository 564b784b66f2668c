// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hosts watch each other, whoever started the job: launchers notice a host that is gone late, or
// never. One process of each host holds a TCP connection to that of its parent in a tree of hosts,
// for as long as the job goes on. The kernels ask each other each second whether they are there: a
// host whose processes compute, or are stopped, is alive.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/conduit/foreign/detail/meeting_place.hpp"

namespace upwash::conduit::foreign {

/// Whom a watch tells, from its thread.
class host_listener {
 public:
  /// A host is gone, or has lost its network: `text` says which. Once, the last call. `found_here`:
  /// no other host has told this one.
  virtual void lost(const std::string& text, bool found_here) noexcept = 0;
  /// A host's connection has ended, and may be all that is ever known of it: `text` says which. At
  /// most once, before `lost`.
  virtual void ended(const std::string& text) noexcept = 0;

 protected:
  ~host_listener() = default;
};

/// One host of such a tree, in one of its processes, for as long as that lives: never freed. Its
/// thread sleeps. Memory and connections: one for the parent, and `fan_out` at most.
class host_watch {
 public:
  static constexpr int fan_out = 32;  ///< up to 33 hosts all watch the first one

  /// Host `self` of `count`. `limit`: after so long a silence a host is lost.
  host_watch(host_listener& listener, int self, int count, duration limit);
  host_watch(const host_watch&) = delete;
  host_watch& operator=(const host_watch&) = delete;

  /// Where its children in the tree can come to, if it has any. Once.
  [[nodiscard]] meeting_place open();
  /// `of`: the place of a host. `name`: of a host, for texts: "host b, ranks 2 to 3,". Both are
  /// asked before it returns. Once, behind `open` of all. Hosts that cannot be reached are named in
  /// the log.
  void begin(function_ref<const meeting_place&(int host)> of,
             function_ref<std::string(int host)> name);
  /// This host's end needs no explanation any more. May be called by any thread.
  void leave() noexcept;

 private:
  struct neighbor {
    int host = 0;
    std::string name;
    int connection = -1;  ///< -1: none yet, or none any more
    bool left = false;    ///< in good order
    bool gone = false;    ///< not so
    std::string heard;    ///< of a message that is not whole
  };

  void keep_watching(const meeting_place& parent);
  void reach_parent(const meeting_place& place);
  void take_guests();
  void wait_for_events();
  void hear(neighbor& from);
  [[nodiscard]] bool take_messages(neighbor& from);
  void look_for_silence();
  void look_for_ended();
  void note_ended(const std::string& name, const neighbor* told_by);
  void spread(char mark, const std::string& text, const neighbor* but);
  void end(const std::string& text, const neighbor* told_by);
  void adopt(neighbor& of, int connection);
  [[nodiscard]] bool all_have_come() const noexcept;

  host_listener& listener_;
  int self_;
  duration limit_;
  meeting_place own_;
  int listening_ = -1;
  duration until_;   ///< for guests to come
  std::mutex lock_;  ///< of connections, between the thread and `leave`
  bool leaving_ = false;
  std::string first_ended_;          ///< the host whose connection was the first to end
  duration ended_since_;             ///< where one has
  std::vector<neighbor> neighbors_;  ///< the parent first, where there is one
};

}  // namespace upwash::conduit::foreign
