// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One fence_barrier of one rank in flight: advances whenever a message arrives, never waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "upwash/core/completer.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"
#include "upwash/onesided/detail/count_exchange.hpp"
#include "upwash/onesided/detail/settled_puts.hpp"
#include "upwash/onesided/fence_barrier.hpp"

namespace upwash::detail {

/// Team, number of the fence_barrier on it, number of the message.
using fence_barrier_key = std::tuple<std::uint64_t, std::uint64_t, int>;
/// Arrived messages that are not used yet.
using fence_barrier_mail = std::map<fence_barrier_key, std::vector<pair_count>>;

class fence_barrier_run {
 public:
  /// `with_counts`: both exchanges; otherwise only the second. `number`: the same at all members.
  fence_barrier_run(const team& among, std::uint64_t number, bool with_counts, completer end,
                    fence_barrier_mail& mail, settled_puts& settled);

  /// Advances as far as possible. Returns whether the operation is complete. Runs as a handler.
  bool advance();
  /// Reports the completion.
  void tell() { end_.complete(); }

  [[nodiscard]] const fence_barrier_count& count() const noexcept { return count_; }
  [[nodiscard]] std::string describe() const;

 private:
  enum class stage : std::uint8_t {
    telling,    ///< operations with completion
    joining,    ///< counts of the surplus member
    counting,   ///< the first exchange
    passing,    ///< counts for the surplus member
    arriving,   ///< puts
    gathering,  ///< the surplus member's message that its puts have arrived
    meeting,    ///< the second exchange
    leaving,
    done,
  };

  void look_for_open();
  bool is_told();
  void count_own();
  void settle_own();
  bool all_arrived();
  bool go_on();
  bool join();
  bool exchange_counts();
  bool pass_on();
  bool meet();
  /// Removes the counts for which `which` is true from `held_` and returns them.
  template <class Which>
  std::vector<pair_count> taken_out(Which which);
  void send(int member, int message, std::span<const pair_count> what = {});
  bool came(int message);

  team among_;
  job& here_;
  std::uint64_t number_;
  bool with_counts_;
  completer end_;
  fence_barrier_mail& mail_;
  settled_puts& settled_;
  pairwise plan_;
  stage at_ = stage::telling;
  int round_ = 0;
  int sent_ = -1;                 ///< last message of a round
  std::vector<int> open_;         ///< ranks with incomplete or unflushed operations
  std::vector<request> flushes_;  ///< by the conduit
  std::vector<pair_count> own_;   ///< counts of this rank
  std::vector<pair_count> held_;  ///< to be sent on; after the first exchange those for this rank
  fence_barrier_count count_;
};

/// Sends a message: it runs `advance` of its receiver, or waits in the mail.
void send_fence_barrier(job& here, int rank, std::uint64_t team, std::uint64_t number, int message,
                        std::span<const std::byte> counts);

}  // namespace upwash::detail
