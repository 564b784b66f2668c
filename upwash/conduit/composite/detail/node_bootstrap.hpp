// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The processes of one node, seen as a job: for the conduit inside the node.
#pragma once

#include <string_view>
#include <vector>

#include "upwash/conduit/bootstrap.hpp"

namespace upwash::conduit::composite {

/// What is exchanged goes around the whole job, so all nodes must exchange equally often. Who ends
/// the part ends the job.
class node_bootstrap final : public bootstrap {
 public:
  /// `nodes`: of each process. `whole` outlives it.
  node_bootstrap(bootstrap& whole, std::span<const int> nodes);

  [[nodiscard]] int process() const noexcept override { return whole_.process() - first_; }
  [[nodiscard]] int process_count() const noexcept override { return layout_.processes(); }
  [[nodiscard]] const rank_layout& layout() const noexcept override { return layout_; }
  void exchange(std::span<const std::byte> mine, std::span<std::byte> all) override;
  void barrier() override { whole_.barrier(); }
  void finished() noexcept override {}  // the whole job says so
  [[noreturn]] void abort(int rank, int status, std::string_view why) noexcept override;
  void desert(int rank, std::string_view why) noexcept override;
  [[nodiscard]] bool failed() const noexcept override { return whole_.failed(); }

  /// The first of its ranks in the whole job, and the end.
  [[nodiscard]] int first_rank() const noexcept { return whole_.layout().first_of(first_); }
  [[nodiscard]] int end_rank() const noexcept { return first_rank() + layout_.ranks(); }

 private:
  [[nodiscard]] int in_whole(int rank) const noexcept {
    return rank < 0 ? rank : first_rank() + rank;
  }

  bootstrap& whole_;
  int first_;  ///< process of the node
  rank_layout layout_;
  std::vector<std::byte> everybodys_;
};

}  // namespace upwash::conduit::composite
