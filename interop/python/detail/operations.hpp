// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operations under way, and the Python objects that they use.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "interop/python/detail/session.hpp"
#include "upwash/core/request.hpp"
#include "upwash/matching/messages.hpp"

namespace upwash::python {

/// Who sent what: what Status has.
struct status {
  int source = matching::any_source;
  int tag = matching::any_tag;
  std::uint64_t bytes = 0;
};
[[nodiscard]] inline status status_of(const matching::receipt& what) noexcept {
  return {what.source, what.tag, what.bytes};
}

/// Lengths and places of uneven blocks, which a collective reads until it is complete.
struct block_tables {
  std::vector<std::uint64_t> bytes, offsets, received_bytes, received_offsets;
};

/// What has to stay as it is until an operation is complete.
struct kept {
  std::array<py::object, 2> buffers;
  std::unique_ptr<block_tables> tables{};
  std::shared_ptr<job_part> started{};  ///< what was set up before
};

/// Belongs to its rank's session. Complete when `what` is empty.
struct operation : std::enable_shared_from_this<operation> {
  operation(std::shared_ptr<session> job, const char* name, kept stays)
      : of(std::move(job)), call(name), holds(std::move(stays)) {
    of->enter(*this);
  }
  ~operation() { of->leave(*this); }
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;

  std::shared_ptr<session> of;
  const char* call;
  kept holds;
  std::variant<std::monostate, request, matching::receiving> what;
  std::optional<status> received;  ///< once it is complete

  [[nodiscard]] bool complete() const noexcept { return what.index() == 0; }
  void wait();
  bool test();
  /// As the rank, inside `drive`: whether it is complete, which `settle` then notes.
  [[nodiscard]] bool look();
  void wait_here(const call_site& site);
  void settle();
  /// Takes a receive back; other operations go on.
  void cancel();
};

/// A Request of Python. An operation whose handle goes early is adopted by its session.
class request_handle {
 public:
  explicit request_handle(std::shared_ptr<operation> one) : one_(std::move(one)) {}
  request_handle(request_handle&&) noexcept = default;
  request_handle& operator=(request_handle&&) = delete;
  ~request_handle() {
    if (one_ && !one_->complete() && !one_->of->ended()) one_->of->adopt(std::move(one_));
  }
  [[nodiscard]] operation& operator*() const noexcept { return *one_; }
  [[nodiscard]] operation* operator->() const noexcept { return one_.get(); }

 private:
  std::shared_ptr<operation> one_;
};

/// Starts `begin()`, a request or receive, as the rank. `call` is a literal.
template <class Begin>
[[nodiscard]] request_handle start(session& on, const char* call, kept stays, const Begin& begin) {
  on.drop_complete();
  auto made = std::make_shared<operation>(on.shared_from_this(), call, std::move(stays));
  on.drive(call, [&] { made->what = begin(); });
  if (auto* plain = std::get_if<request>(&made->what); plain != nullptr && plain->done()) {
    made->settle();
  }
  return request_handle(std::move(made));
}

}  // namespace upwash::python
