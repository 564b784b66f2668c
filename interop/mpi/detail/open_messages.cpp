// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/open_messages.hpp"

#include <utility>

#include "interop/mpi/detail/persistent_calls.hpp"
#include "upwash/base/error.hpp"
#include "upwash/core/host.hpp"

namespace upwash::mpi {

outcome end_of(matching::receiving& coming) {
  try {
    return {coming.wait(), MPI_SUCCESS};
  } catch (const error& refused) {
    if (refused.kind() != error_kind::argument) throw;
    return {coming.came(), MPI_ERR_TRUNCATE};
  }
}

outcome end_of(matching::receiving& coming, const incoming& into) {
  const outcome end = end_of(coming);
  deliver(end, into);
  return end;
}

void deliver(const outcome& end, const incoming& into) {
  if (end.code == MPI_SUCCESS && !end.got.cancelled) into.deliver(end.got.bytes);
}

open_message& open_messages::make(function which, membership& on) {
  open_message& made = *pool_.take();
  made.which = which;
  made.on = &on;
  made.end = {};
  made.is_complete = false;
  made.is_active = false;
  made.in = this;
  made.parts = 1;  // until all of it is begun
  ++on.under_way;
  made.behind = nullptr;
  made.before = std::exchange(last_, &made);
  if (made.before != nullptr) made.before->behind = &made;
  return made;
}

void open_messages::send(open_message& message, int to, int tag, matching::mode how) {
  if (matching::send(message.on->among, to, tag, message.out->bytes(), how,
                     notice::call(&open_messages::part_ended, &message))) {
    ++message.parts;
  }
}

void open_messages::receive(open_message& message, matching::receiving coming) {
  message.coming = std::move(coming);
  if (message.coming.tell(notice::call(&open_messages::part_ended, &message))) ++message.parts;
}

void open_messages::give(open_message& message, MPI_Request* request) {
  // Of a send nobody asks but whether it is over.
  const bool is_sent = message.parts == 1 && !message.into && !message.end.of_nobody;
  message.is_active = !is_sent;
  *request = is_sent ? request_book::of_complete_send() : requests_.handle_of(message);
  end_part(message);
}

void open_messages::detach(open_message& message) { end_part(message); }

void open_messages::part_ended(void* message) {
  auto& of = *static_cast<open_message*>(message);
  of.in->end_part(of);
}

void open_messages::end_part(open_message& message) {
  if (--message.parts != 0) return;
  if (message.into) message.end = end_of(message.coming);
  message.coming = {};
  message.out.reset();
  message.is_complete = true;
  --message.on->under_way;
  // Its communicator may be freed before the program asks.
  if (message.end.code != MPI_SUCCESS) ++message.on->kept_messages;
  if (message.before != nullptr) message.before->behind = message.behind;
  (message.behind != nullptr ? message.behind->before : last_) = message.before;
  if (persistent_call* kept = std::exchange(message.kept, nullptr); kept != nullptr) {
    kept->message->going = nullptr;
    kept->end = message.end;
    kept->into = std::exchange(message.into, {});
    message.let_go();
    return kept->of.tell(*kept);
  }
  if (!message.is_active) requests_.let_go(message);
}

void open_message::deliver() {
  if (!into) return;
  mpi::deliver(end, *into);
  into.reset();
  types.reset();
}

void open_message::cancel() { coming.cancel(); }

void open_message::let_go() {
  is_active = false;
  if (!is_complete) return;
  deliver();
  if (end.code != MPI_SUCCESS) --on->kept_messages;
  in->pool_.give_back(this);
}

void open_messages::finish(const membership& on) {
  const auto over = [](const void* of) {
    return static_cast<const membership*>(of)->under_way == 0;
  };
  if (over(&on)) return;
  host(here_).wait(conduit::wait_target::predicate(over, &on), {.operation = "messages under way"});
}

void open_messages::end() {
  for (open_message* each = last_; each != nullptr; each = each->before) each->cancel();
  const auto over = [](const void* of) { return static_cast<const open_messages*>(of)->empty(); };
  if (!over(this)) {
    host(here_).wait(conduit::wait_target::predicate(over, this),
                     {.operation = "messages under way"});
  }
  claimed_.clear();
}

MPI_Message open_messages::keep(matching::claimed_message message, membership& on) {
  std::uintptr_t word = 0;
  do {
    word = own_handle_bits | (std::uintptr_t{++last_claimed_} << 1U & own_handle_mask);
  } while (claimed_.contains(word));
  ++on.kept_messages;
  claimed_.emplace(word, claimed{std::move(message), &on});
  return handle_of<MPI_Message>(word);
}

open_messages::claimed* open_messages::find(MPI_Message message) {
  const auto found = claimed_.find(word_of(message));
  return found == claimed_.end() ? nullptr : &found->second;
}

void open_messages::drop(MPI_Message message) {
  const auto found = claimed_.find(word_of(message));
  --found->second.on->kept_messages;
  claimed_.erase(found);
}

}  // namespace upwash::mpi
