// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/c/detail/requests.hpp"

#include <cstring>

#include "interop/c/detail/guard.hpp"

using namespace upwash::c;  // NOLINT: of this file alone

namespace upwash::c {
namespace {

upwash_request& make(upwash_job& on) {
  if (on.spare.empty()) on.spare.push_back(std::make_unique<upwash_request>(&on));
  upwash_request* const made = on.spare.back().release();
  on.spare.pop_back();
  return *made;
}

void give_back(upwash_request& request) {
  upwash_job& on = *request.of;
  request.what = upwash::request();
  request.receipt = nullptr;
  request.told = upwash::request();
  request.tells = false;
  request.laid = {};
  on.spare.emplace_back(&request);
}

/// The first bytes that came, where the runs are.
void lay_out(laid_message& of, std::size_t bytes) {
  const std::byte* from = of.packed.data();
  run_row row;
  while (of.runs.next(row, bytes)) {
    for (std::uint64_t i = 0; i < row.count; ++i, from += row.bytes) {
      std::memcpy(of.into + row.local + i * row.local_stride, from, row.bytes);
    }
    bytes -= row.bytes * row.count;
  }
}

void finish(matching::receiving& receive, laid_message& laid, upwash_receipt* receipt) {
  const matching::receipt& what = receive.wait();
  if (laid.into != nullptr) lay_out(laid, what.bytes);
  write(receipt, what);
}

void wait(upwash_request& request) {
  if (auto* plain = std::get_if<upwash::request>(&request.what)) return plain->wait();
  finish(std::get<matching::receiving>(request.what), request.laid, request.receipt);
}

bool test(upwash_request& request) {
  if (auto* plain = std::get_if<upwash::request>(&request.what)) return plain->test();
  return std::get<matching::receiving>(request.what).test();
}

/// Gives a handle back, however its operation ends.
class handle_at_end {
 public:
  explicit handle_at_end(upwash_request*& handle) : handle_(*std::exchange(handle, nullptr)) {}
  ~handle_at_end() { give_back(handle_); }
  handle_at_end(const handle_at_end&) = delete;
  handle_at_end& operator=(const handle_at_end&) = delete;
  [[nodiscard]] upwash_request& operator*() const noexcept { return handle_; }

 private:
  upwash_request& handle_;
};

}  // namespace

void write(upwash_receipt* into, const matching::receipt& what) noexcept {
  if (into != nullptr) *into = {what.source, what.tag, what.bytes};
}

void hand_over(upwash_job& on, request started, upwash_request** told) {
  if (told == nullptr) return started.wait();
  *told = nullptr;
  if (started.done()) return;
  *told = &make(on);
  (*told)->what = std::move(started);
}

void hand_over(upwash_job& on, matching::receiving started, upwash_receipt* receipt,
               upwash_request** told) {
  if (told == nullptr) return write(receipt, started.wait());
  *told = &make(on);
  (*told)->what = std::move(started);
  (*told)->receipt = receipt;
}

void hand_over(upwash_job& on, request started, laid_message&& of, upwash_request** told) {
  hand_over(on, std::move(started), told);
  if (told != nullptr && *told != nullptr) (*told)->laid = std::move(of);
}

void hand_over(upwash_job& on, matching::receiving started, laid_message&& of,
               upwash_receipt* receipt, upwash_request** told) {
  if (told == nullptr) return finish(started, of, receipt);
  hand_over(on, std::move(started), receipt, told);
  (*told)->laid = std::move(of);
}

int wait_and_give_back(upwash_request*& request, const char* function) {
  return guarded_by(request, function, [&] {
    const handle_at_end handle(request);
    wait(*handle);
  });
}

}  // namespace upwash::c

extern "C" {

int upwash_wait(upwash_request** request) {
  if (request == nullptr) return UPWASH_ARGUMENT;
  if (*request == nullptr) return UPWASH_OK;
  return wait_and_give_back(*request, "upwash_wait");
}

int upwash_test(upwash_request** request, int* done) {
  if (request == nullptr || done == nullptr) return UPWASH_ARGUMENT;
  *done = 1;
  if (*request == nullptr) return UPWASH_OK;
  return guarded_by(*request, "upwash_test", [&] {
    *done = test(**request) ? 1 : 0;
    if (*done == 0) return;
    const handle_at_end handle(*request);
    wait(*handle);
  });
}

int upwash_wait_all(size_t count, upwash_request** requests) {
  if (count != 0 && requests == nullptr) return UPWASH_ARGUMENT;
  int first = UPWASH_OK;
  for (size_t i = 0; i < count; ++i) {
    const int status = upwash_wait(&requests[i]);
    if (first == UPWASH_OK) first = status;
  }
  return first;
}

}  // extern "C"
