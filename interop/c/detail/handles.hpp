// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the handles of upwash.h are.
#pragma once

#include <upwash.h>

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "upwash/collective/persistent.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/region.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"
#include "upwash/matching/messages.hpp"
#include "upwash/neighborhood/neighborhood.hpp"
#include "upwash/onesided/layout.hpp"
#include "upwash/onesided/locks.hpp"
#include "upwash/onesided/semaphore.hpp"
#include "upwash/runtime/run.hpp"
#include "upwash/streaming/stream.hpp"

struct upwash_team {
  upwash_job* of;
  upwash::team members;
};

namespace upwash::c {

/// A message whose bytes lie in runs: it travels packed.
struct laid_message {
  std::vector<std::byte> packed;
  std::byte* into = nullptr;  ///< where runs of a receive begin; null: of none
  run_walker runs;
};

}  // namespace upwash::c

struct upwash_request {
  upwash_job* of;
  std::variant<upwash::request, upwash::matching::receiving> what;
  upwash_receipt* receipt = nullptr;  ///< the program's
  upwash::request told{};             ///< of a receive in a set: complete when that is
  bool tells = false;                 ///< whether `told` was asked for
  upwash::c::laid_message laid{};
};

struct upwash_job {
  explicit upwash_job(upwash::job& job) : here(job), world{this, job.world()} {}
  explicit upwash_job(upwash::attached_job&& joined)
      : own(std::move(joined)), here(own->job()), world{this, here.world()} {}

  std::optional<upwash::attached_job> own;  ///< where nobody else ends the job
  upwash::job& here;
  upwash_team world;
  std::string text;  ///< of the last failure
  std::vector<std::unique_ptr<upwash_request>> spare;
};

struct upwash_region {
  upwash_job* of;
  upwash::region memory;
};

struct upwash_locks {
  upwash_job* of;
  upwash::lock_set set;
};

struct upwash_semaphores {
  upwash_job* of;
  upwash::semaphore_set set;
};

struct upwash_persistent {
  upwash_job* of;
  std::variant<upwash::collective::persistent, upwash::matching::persistent_send,
               upwash::matching::persistent_receive>
      kept;
  upwash_receipt* receipt = nullptr;  ///< the program's
};

struct upwash_neighborhood {
  upwash_job* of;
  upwash::neighborhood graph;
};

namespace upwash::c {

/// Hands items to a function of C.
struct item_taker {
  upwash_take* take;
  void* context;
  void operator()(std::span<const std::byte> item) const {
    take(item.data(), item.size(), context);
  }
};

}  // namespace upwash::c

struct upwash_stream {
  upwash_stream(upwash_job* job, const upwash::team& among, upwash::c::item_taker taker,
                const upwash::stream_options& with)
      : of(job), items(among, taker, with) {}

  upwash_job* of;
  upwash::stream<std::span<const std::byte>, upwash::c::item_taker> items;
};
