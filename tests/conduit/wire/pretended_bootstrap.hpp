// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Of a pretended process: it knows who it is. What only start-up needs is not pretended.
#pragma once

#include <fmt/format.h>

#include <cstdlib>

#include "upwash/conduit/bootstrap.hpp"

namespace upwash::test {

class pretended_bootstrap final : public conduit::bootstrap {
 public:
  pretended_bootstrap(const conduit::rank_layout& layout, int process)
      : layout_(layout), process_(process) {}

  [[nodiscard]] int process() const noexcept override { return process_; }
  [[nodiscard]] int process_count() const noexcept override { return layout_.processes(); }
  [[nodiscard]] const conduit::rank_layout& layout() const noexcept override { return layout_; }
  void exchange(std::span<const std::byte> /*mine*/, std::span<std::byte> /*all*/) override {
    std::abort();
  }
  void barrier() override { std::abort(); }
  void finished() noexcept override {}
  [[noreturn]] void abort(int rank, int /*status*/, std::string_view why) noexcept override {
    fmt::print(stderr, "rank {} ends the job: {}\n", rank, why);
    std::abort();
  }
  void desert(int rank, std::string_view why) noexcept override { abort(rank, 1, why); }
  [[nodiscard]] bool failed() const noexcept override { return false; }

 private:
  const conduit::rank_layout layout_;
  const int process_;
};

}  // namespace upwash::test
