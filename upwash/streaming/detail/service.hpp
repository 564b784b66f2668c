// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The streams of a rank, and where their messages come in.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "upwash/core/host.hpp"
#include "upwash/core/incoming.hpp"
#include "upwash/core/service.hpp"
#include "upwash/core/team.hpp"
#include "upwash/streaming/adapt.hpp"
#include "upwash/streaming/detail/adapter.hpp"
#include "upwash/streaming/detail/engine.hpp"
#include "upwash/streaming/detail/identity.hpp"
#include "upwash/streaming/detail/large_batches.hpp"

namespace upwash::streaming {

class service final : public service_base, private large_batches::receiver {
 public:
  explicit service(job& here) : here_(here), large_(here, *this) {}

  /// The number of the next stream on the team, the same at all members.
  [[nodiscard]] std::uint64_t next_number(const team& among) { return ++numbers_[among.id()]; }
  /// From now on messages find it; those that came before are delivered by the next progress.
  void add(engine& made);
  void remove(const engine& going);
  /// A stream has work for its progress.
  void wake() { host(here_).set_busy(*this, true); }
  /// Of streams opened from now on.
  void install(const installation& with) { installed_ = with; }
  /// Runs as long as somebody keeps it.
  [[nodiscard]] std::shared_ptr<const idle_clock> idles();
  /// Of all streams of the team, those too that are gone.
  [[nodiscard]] tally count(const team& among) const;
  void flush(const team& among);
  /// Nothing of the team is under way.
  void ended(const team& among);
  void received(const stream_name& name, content kind, const common_part& common,
                std::span<const std::byte> payload) override;
  [[nodiscard]] large_batches& large() noexcept { return large_; }
  /// Of checked runs.
  [[nodiscard]] stream_identities& identities() noexcept { return identities_; }

  [[nodiscard]] bool wants_progress() const override { return true; }
  int progress() override;
  [[nodiscard]] std::string describe_pending() const override;
  [[nodiscard]] team_place place_on_teams() const override { return {300, "streaming"}; }
  void on_team_free(const team& going) override;

 private:
  struct early {
    content kind;
    common_part common;
    std::vector<std::byte> payload;
  };

  int deliver_early();

  job& here_;
  installation installed_;
  std::map<const engine*, adapter> adapters_;  ///< of streams that set themselves
  std::weak_ptr<const idle_clock> idles_;
  large_batches large_;
  std::map<std::uint64_t, std::uint64_t> numbers_;
  std::map<stream_name, engine*> open_;
  engine* last_ = nullptr;                           ///< of `open_`: that had the last message
  std::map<std::uint64_t, tally> gone_;              ///< by team: what streams did that are no more
  std::map<stream_name, std::vector<early>> early_;  ///< what came before streams were open
  stream_identities identities_;
  bool early_open_ = false;  ///< some of them are open now
};

void handle_records(incoming& in, stream_name stream, content kind);
void handle_records_with(incoming& in, stream_name stream, content kind, common_part common);

}  // namespace upwash::streaming
