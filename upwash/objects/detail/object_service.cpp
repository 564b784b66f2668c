// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/object_service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/objects/detail/array_core.hpp"

namespace upwash::objects {
namespace {

constexpr int calls_at_once = 64;  // of one progress: messages come in between

}  // namespace

std::uint64_t object_service::next_name(const team& among) {
  constexpr std::uint64_t arrays = 7;  // a stream of random numbers of their own
  return random_bits(among.id(), arrays, ++numbers_[among.id()]);
}

void object_service::remove(std::uint64_t name) {
  open_.erase(name);
  std::erase_if(queue_, [&](const waiting& each) { return each.call->head.array == name; });
  std::make_heap(queue_.begin(), queue_.end(), &later);
}

array_core& object_service::find(std::uint64_t name) const {
  const auto found = open_.find(name);
  if (found != open_.end()) return *found->second;
  throw error(error_kind::fault,
              fmt::format("rank {}: a message for the object array {:#x}, which is not, or no "
                          "more, here: wait for its end (quiet) before it goes",
                          here_.rank(), name));
}

void object_service::hold(int more) noexcept {
  pauses_ += more;
  tell_of_work();
}

void object_service::tell_of_work() noexcept {
  host(here_).set_busy(*this, pauses_ == 0 && !queue_.empty());
}

void object_service::enqueue(std::unique_ptr<invocation> call) {
  const std::int16_t priority = call->head.priority;
  queue_.push_back({priority, came_++, std::move(call)});
  std::push_heap(queue_.begin(), queue_.end(), &later);
  tell_of_work();
}

int object_service::progress() {
  if (pauses_ != 0) return 0;
  int done = 0;
  for (; done < calls_at_once && !queue_.empty(); ++done) {
    std::pop_heap(queue_.begin(), queue_.end(), &later);
    std::unique_ptr<invocation> next = std::move(queue_.back().call);
    queue_.pop_back();
    // Methods wait for nothing: as handlers they cannot, and what they send is queued.
    host(here_).run_as_handler([&] { find(next->head.array).run(std::move(next)); });
  }
  tell_of_work();
  return done;
}

std::string object_service::describe_pending() const {
  std::string text;
  for (const auto& [name, each] : open_) {
    const std::string said = each->describe_pending();
    if (!said.empty()) text += (text.empty() ? "" : "; ") + said;
  }
  return text;
}

}  // namespace upwash::objects
