// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/method_fibers.hpp"

#include <fmt/format.h>

#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/objects/detail/array_core.hpp"
#include "upwash/objects/detail/object_service.hpp"
#include "upwash/objects/detail/stopwatch.hpp"

namespace upwash::objects {
namespace {

constexpr std::size_t most_described = 4;

/// Among the conditions of its object while it lives.
class listed_condition {
 public:
  listed_condition(element& of, function_ref<bool()> holds, open_method& who)
      : of_(of), entry_{holds, &who, of.conditions} {
    of_.conditions = &entry_;
  }
  listed_condition(const listed_condition&) = delete;
  listed_condition& operator=(const listed_condition&) = delete;
  ~listed_condition() {
    awaited_condition** at = &of_.conditions;
    while (*at != &entry_) at = &(*at)->next;
    *at = entry_.next;
  }

 private:
  element& of_;
  awaited_condition entry_;
};

std::string wait_text(const wait_reason& why) {
  std::string text = why.operation == nullptr ? "a wait" : why.operation;
  if (why.peer >= 0) text += fmt::format(", peer {}", why.peer);
  if (why.tag >= 0) text += fmt::format(", tag {}", why.tag);
  if (why.site.line != 0) text += fmt::format(", at {}:{}", why.site.name(), why.site.line);
  return text;
}

std::string text_of(const open_method& one) {
  return fmt::format("method {} of {} waits in {}", *one.call->waits,
                     one.on->of.name_of(one.on->key), wait_text(one.fiber->reason()));
}

}  // namespace

void method_fibers::begin(std::unique_ptr<invocation> call, element& on) {
  if (free_.empty()) free_.push_back(made_.emplace_back(std::make_unique<open_method>()).get());
  open_method& one = *free_.back();
  one.call = std::move(call);
  one.on = &on;
  // What it throws ends the job, as what methods throw does.
  host(here_).run_as_handler([&] { one.fiber = &stacks_.begin(&run, &one); });
  free_.pop_back();
  ++on.on_fibers;
  turn(one);
}

void method_fibers::run(void* of) {
  const open_method& one = *static_cast<open_method*>(of);
  one.call->run(*one.on);
}

void method_fibers::resume(open_method& one) {
  now_ = &one;
  service_.running = one.on;
  service_.on_fiber = true;
  {
    const stopwatch timed(*one.on);
    one.fiber->resume();
  }
  service_.on_fiber = false;
  service_.running = nullptr;
  now_ = nullptr;
}

int method_fibers::turn(open_method& one) {
  const bool tried = one.fiber->tries_again();
  element& on = *one.on;
  resume(one);
  if (one.fiber->over()) {
    end(one);
    return 1;
  }
  keep(one);
  if (on.conditions != nullptr) host(here_).run_as_handler([&] { look_at_conditions(on); });
  return tried && one.fiber->tries_again() ? 0 : 1;
}

void method_fibers::keep(open_method& one) {
  if (!one.fiber->parked()) return looked_at_.push_back(&one);
  one.place = parked_.size();
  parked_.push_back(&one);
}

void method_fibers::look_again(open_method& one) {
  parked_.back()->place = one.place;
  parked_[one.place] = parked_.back();
  parked_.pop_back();
  one.fiber->wake();
  looked_at_.push_back(&one);
}

/// It is no more under way; what it threw.
std::exception_ptr method_fibers::release(open_method& one) {
  --one.on->on_fibers;
  std::exception_ptr failure = one.fiber->take_failure();
  stacks_.give_back(*one.fiber);
  one.call.reset();
  free_.push_back(&one);
  return failure;
}

void method_fibers::end(open_method& one) {
  element& on = *one.on;
  array_core& array = on.of;  // the object may be gone in the end
  const std::exception_ptr failure = release(one);
  host(here_).run_as_handler([&] {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (...) {
      array.method_threw(on);
    }
    array.method_over(on);
    array.handled();
  });
}

int method_fibers::progress() {
  int moved = 0;
  bool any = false;
  // Those that were there when it began: each has one turn.
  for (std::size_t i = 0, count = looked_at_.size(); i < count; ++i) {
    open_method* const one = looked_at_[i];
    if (one == nullptr || !one->fiber->ready()) continue;
    looked_at_[i] = nullptr;
    any = true;
    moved += turn(*one);
  }
  if (any) std::erase(looked_at_, nullptr);
  return moved;
}

void method_fibers::wait_until(element& on, function_ref<bool()> condition) {
  static constexpr wait_reason reason{.operation = "wait_until"};
  while (!condition()) {
    const listed_condition mine(on, condition, *now_);
    now_->fiber->park(reason);
  }
}

void method_fibers::look_at_conditions(element& on) {
  try {
    for (const awaited_condition* each = on.conditions; each != nullptr; each = each->next) {
      if (each->who->fiber->parked() && each->holds()) look_again(*each->who);
    }
  } catch (...) {
    on.of.method_threw(on);
  }
}

std::vector<open_method*> method_fibers::waiting() const {
  std::vector<open_method*> all;
  for (const auto* const some : {&looked_at_, &parked_}) {
    for (open_method* const one : *some) {
      if (one != nullptr) all.push_back(one);
    }
  }
  return all;
}

void method_fibers::stop(std::uint64_t array) {
  const auto of_array = [array](const open_method* one) {
    return one != nullptr && one->on->of.name() == array;
  };
  std::vector<open_method*> going = waiting();
  std::erase_if(going, [&](const open_method* one) { return !of_array(one); });
  if (going.empty()) return;
  const open_method& first = *going.front();
  host(here_).fail(std::make_exception_ptr(
      error(error_kind::fault, fmt::format("rank {}: {}, but the array goes: wait for its methods "
                                           "(quiet) before",
                                           here_.rank(), text_of(first)))));
  std::erase_if(looked_at_, of_array);
  std::erase_if(parked_, of_array);
  for (std::size_t i = 0; i < parked_.size(); ++i) parked_[i]->place = i;
  if (host(here_).aside() != nullptr) return;  // in a method that made the array: they are dropped
  for (open_method* const one : going) {
    while (!one->fiber->over()) resume(*one);
    static_cast<void>(release(*one));
  }
}

std::string method_fibers::describe() const {
  std::string text;
  const std::vector<open_method*> all = waiting();
  for (std::size_t i = 0; i < all.size() && i < most_described; ++i) {
    text += (i == 0 ? "" : "; ") + text_of(*all[i]);
  }
  if (all.size() > most_described) text += fmt::format("; {} more", all.size() - most_described);
  return text;
}

}  // namespace upwash::objects
