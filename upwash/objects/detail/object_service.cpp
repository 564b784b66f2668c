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
#include "upwash/objects/detail/call_queue.hpp"
#include "upwash/objects/detail/method_fibers.hpp"

namespace upwash::objects {
namespace {

constexpr int calls_at_once = 64;  // of one progress: messages come in between

}  // namespace

object_service::object_service(job& here) : here_(here), queue_(std::make_unique<call_queue>()) {}
object_service::~object_service() = default;

std::uint64_t object_service::next_name(const team& among) {
  constexpr std::uint64_t arrays = 7;  // a stream of random numbers of their own
  return random_bits(among.id(), arrays, ++numbers_[among.id()]);
}

void object_service::remove(std::uint64_t name) {
  if (aside_) aside_->stop(name);
  open_.erase(name);
  queue_->remove(name);
  std::erase_if(later_, [&](const auto& each) { return each.second->head.array == name; });
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
  host(here_).set_busy(
      *this, pauses_ == 0 && (strategies_ || !queue_->empty() || (aside_ && aside_->looks())));
}

void object_service::tell_of_strategy() noexcept {
  strategies_ = true;
  tell_of_work();
}

void object_service::enqueue(std::unique_ptr<invocation> call) {
  queue_->push(std::move(call));
  tell_of_work();
}

void object_service::enqueue_at(duration time, std::unique_ptr<invocation> call) {
  later_.emplace(time, std::move(call));
  set_alarm();
}

/// Calls that run when the rank is idle are looked at again after whatever idling does, at once.
void object_service::set_alarm() noexcept {
  duration next = later_.empty() ? duration::max() : later_.begin()->first;
  if (queue_->only_when_idle()) next = duration();
  host(here_).set_alarm(*this, next);
}

int object_service::make_due_calls() {
  int made = 0;
  for (; !later_.empty() && later_.begin()->first <= here_.now(); ++made) {
    const auto due = later_.extract(later_.begin());
    host(here_).run_as_handler(
        [&] { find(due.mapped()->head.array).call(std::move(due.mapped())); });
  }
  return made;
}

/// Whether no message has come since it was asked last.
bool object_service::look_for_idleness() noexcept {
  const std::uint64_t handled = here_.counters().handlers_run;
  return std::exchange(handled_before_, handled) == handled;
}

int object_service::progress() {
  if (pauses_ != 0) return 0;
  int done = 0;
  const int went_on = (aside_ ? aside_->progress() : 0) + (later_.empty() ? 0 : make_due_calls());
  const bool idle = look_for_idleness() && went_on == 0 && queue_->only_when_idle();
  for (; done < calls_at_once && !queue_->empty(); ++done) {
    if (queue_->only_when_idle() && (!idle || done > 0)) break;
    std::unique_ptr<invocation> next = queue_->pop();
    // Most methods wait for nothing: as handlers they cannot, and what they send is queued.
    host(here_).run_as_handler([&] { find(next->head.array).run(std::move(next)); });
    if (begins_) aside_->begin(std::move(begins_), *begins_at_);
  }
  if (strategies_) {
    for (const auto& [name, each] : open_) done += each->delegated().progress();
    strategies_ = std::ranges::any_of(
        open_, [](const auto& each) { return each.second->delegated().busy(); });
  }
  tell_of_work();
  set_alarm();
  if (queue_->only_when_idle()) host(here_).charge(conduit::cost::poll, 1);  // it looks again
  return idle ? 0 : done + went_on;
}

void object_service::begin_aside(std::unique_ptr<invocation> call, element& on) {
  if (!aside_) aside_ = std::make_unique<method_fibers>(here_, *this);
  begins_ = std::move(call);
  begins_at_ = &on;
}

void object_service::look_at_conditions(element& on) {
  aside_->look_at_conditions(on);
  tell_of_work();
}

void object_service::wait_until(element& on, function_ref<bool()> condition) {
  if (running != &on || host(here_).aside() == nullptr || here_.in_handler()) {
    throw error(error_kind::argument,
                on.of.naming(on.key) +
                    "wait_until outside its methods that may wait; name the method in "
                    "methods_that_wait");
  }
  aside_->wait_until(on, condition);
}

std::string object_service::describe_pending() const {
  std::string text = aside_ ? aside_->describe() : "";
  if (!later_.empty()) {
    text += fmt::format("{}{} calls wait for their time, the first for {:.3f} us",
                        text.empty() ? "" : "; ", later_.size(),
                        (later_.begin()->first - here_.now()).us());
  }
  for (const auto& [name, each] : open_) {
    const std::string said = each->describe_pending();
    if (!said.empty()) text += (text.empty() ? "" : "; ") + said;
  }
  return text;
}

}  // namespace upwash::objects
