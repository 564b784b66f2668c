// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Some of several requests.
#include "upwash/core/request_sets.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "interop/c/detail/guard.hpp"
#include "interop/c/detail/requests.hpp"

using namespace upwash::c;  // NOLINT: of this file alone

static_assert(UPWASH_NO_REQUEST == upwash::no_request);

namespace {

using handles = std::span<upwash_request*>;

/// What is looked at: the operation, or of a receive the request that it tells.
upwash::request& looked_at(upwash_request& of) {
  auto* const plain = std::get_if<upwash::request>(&of.what);
  if (plain != nullptr) return *plain;
  if (!of.tells) {
    of.tells = true;
    std::get<upwash::matching::receiving>(of.what).tell(upwash::notice::to(of.told));
  }
  return of.told;
}

bool is_complete(upwash_request* of) { return of != nullptr && looked_at(*of).done(); }

size_t first_complete(handles among) {
  const auto at = std::ranges::find_if(among, is_complete);
  return at == among.end() ? UPWASH_NO_REQUEST : static_cast<size_t>(at - among.begin());
}

upwash_job* job_of(handles among) {
  const auto at = std::ranges::find_if(among, [](const auto* each) { return each != nullptr; });
  return at == among.end() ? nullptr : (*at)->of;
}

/// The requests of a set side by side, as waits for some take them; they are given back at the end.
class side_by_side {
 public:
  explicit side_by_side(handles of) : of_(of), taken_(of.size()) {
    for (size_t i = 0; i < of.size(); ++i) {
      if (of[i] != nullptr) taken_[i] = std::move(looked_at(*of[i]));
    }
  }
  ~side_by_side() {
    for (size_t i = 0; i < of_.size(); ++i) {
      if (of_[i] != nullptr) looked_at(*of_[i]) = std::move(taken_[i]);
    }
  }
  side_by_side(const side_by_side&) = delete;
  side_by_side& operator=(const side_by_side&) = delete;
  [[nodiscard]] std::span<upwash::request> all() noexcept { return taken_; }

 private:
  handles of_;
  std::vector<upwash::request> taken_;
};

/// Null arguments are refused; sets of nothing are not.
bool is_given(size_t count, upwash_request** requests, const void* result) {
  return (count == 0 || requests != nullptr) && result != nullptr;
}

/// All that are complete are given back: the first failure.
int take_complete(handles among, const char* function, size_t* indices, size_t* found) {
  int first = UPWASH_OK;
  for (size_t i = 0; i < among.size(); ++i) {
    if (!is_complete(among[i])) continue;
    const int status = wait_and_give_back(among[i], function);
    if (first == UPWASH_OK) first = status;
    indices[(*found)++] = i;
  }
  return first;
}

/// Blocks until one is complete.
void wait_for_one(handles among) {
  if (first_complete(among) != UPWASH_NO_REQUEST) return;
  side_by_side requests(among);
  static_cast<void>(upwash::wait_any(requests.all()));
}

void look_twice(upwash_job& on, handles among) {
  if (first_complete(among) == UPWASH_NO_REQUEST) on.here.progress();
}

}  // namespace

extern "C" {

int upwash_wait_any(size_t count, upwash_request** requests, size_t* index) {
  if (!is_given(count, requests, index)) return UPWASH_ARGUMENT;
  const handles among(requests, count);
  *index = UPWASH_NO_REQUEST;
  upwash_job* const on = job_of(among);
  if (on == nullptr) return UPWASH_OK;
  const int status = guarded(on, "upwash_wait_any", [&] { wait_for_one(among); });
  if (status != UPWASH_OK) return status;
  *index = first_complete(among);
  return wait_and_give_back(requests[*index], "upwash_wait_any");
}

int upwash_wait_some(size_t count, upwash_request** requests, size_t* indices, size_t* found) {
  if (!is_given(count, requests, found) || (count != 0 && indices == nullptr)) {
    return UPWASH_ARGUMENT;
  }
  const handles among(requests, count);
  upwash_job* const on = job_of(among);
  *found = on == nullptr ? UPWASH_NO_REQUEST : 0;
  if (on == nullptr) return UPWASH_OK;
  const int status = guarded(on, "upwash_wait_some", [&] { wait_for_one(among); });
  if (status != UPWASH_OK) return status;
  return take_complete(among, "upwash_wait_some", indices, found);
}

int upwash_test_any(size_t count, upwash_request** requests, size_t* index, int* done) {
  if (!is_given(count, requests, index) || done == nullptr) return UPWASH_ARGUMENT;
  const handles among(requests, count);
  *index = UPWASH_NO_REQUEST;
  upwash_job* const on = job_of(among);
  *done = on == nullptr ? 1 : 0;
  if (on == nullptr) return UPWASH_OK;
  const int status = guarded(on, "upwash_test_any", [&] { look_twice(*on, among); });
  if (status != UPWASH_OK) return status;
  const size_t first = first_complete(among);
  if (first == UPWASH_NO_REQUEST) return UPWASH_OK;
  *done = 1;
  *index = first;
  return wait_and_give_back(requests[first], "upwash_test_any");
}

int upwash_test_some(size_t count, upwash_request** requests, size_t* indices, size_t* found) {
  if (!is_given(count, requests, found) || (count != 0 && indices == nullptr)) {
    return UPWASH_ARGUMENT;
  }
  const handles among(requests, count);
  upwash_job* const on = job_of(among);
  *found = on == nullptr ? UPWASH_NO_REQUEST : 0;
  if (on == nullptr) return UPWASH_OK;
  const int status = guarded(on, "upwash_test_some", [&] { look_twice(*on, among); });
  if (status != UPWASH_OK) return status;
  return take_complete(among, "upwash_test_some", indices, found);
}

}  // extern "C"
