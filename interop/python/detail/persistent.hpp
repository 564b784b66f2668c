// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that are set up once and started often.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "interop/python/detail/operations.hpp"
#include "upwash/collective/persistent.hpp"

namespace upwash::python {

/// What a start copies first: the call's input, where it is a copy of a part of its output.
struct fresh_copy {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t bytes = 0;
};

/// Destroyed with Python's lock, given back without.
struct prepared_collective : job_part {
  kept holds;
  fresh_copy before;
  std::optional<collective::persistent> inner;

  void give_back() noexcept override { inner.reset(); }
};

/// A Persistent of Python.
class persistent_handle {
 public:
  /// `begin()`, a collective::persistent, is made as the rank. `call` is a literal.
  template <class Begin>
  persistent_handle(std::shared_ptr<session> of, const char* call, kept holds, fresh_copy before,
                    const Begin& begin)
      : of_(std::move(of)), call_(call), part_(std::make_shared<prepared_collective>()) {
    of_->drop_complete();
    part_->holds = std::move(holds);
    part_->before = before;
    of_->drive(call, [&] { part_->inner.emplace(begin()); });
    of_->own(part_);
  }
  persistent_handle(persistent_handle&&) noexcept = default;
  persistent_handle& operator=(persistent_handle&&) = delete;
  ~persistent_handle() { free(); }

  /// Nonblocking: the operation.
  [[nodiscard]] request_handle start() const;
  /// Blocking.
  void run() const;
  void free() {
    if (part_) of_->retire(std::exchange(part_, nullptr));
  }
  [[nodiscard]] const char* call() const noexcept { return call_; }
  [[nodiscard]] session& of() const noexcept { return *of_; }

 private:
  /// Ready to be started.
  [[nodiscard]] collective::persistent& ready() const;

  std::shared_ptr<session> of_;
  const char* call_;
  std::shared_ptr<prepared_collective> part_;  ///< null: it was freed
  mutable std::weak_ptr<operation> last_;      ///< the start before
};

}  // namespace upwash::python
