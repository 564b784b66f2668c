// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/open_messages.hpp"

#include <utility>

#include "interop/mpi/detail/persistent_calls.hpp"
#include "upwash/base/error.hpp"
#include "upwash/core/host.hpp"

namespace upwash::mpi {

void fill(MPI_Status* status, const outcome& end) {
  if (status == MPI_STATUS_IGNORE) return;
  const matching::receipt& got = end.got;
  status->MPI_SOURCE = end.of_nobody                        ? MPI_PROC_NULL
                       : got.source == matching::any_source ? MPI_ANY_SOURCE
                                                            : got.source;
  status->MPI_TAG = got.tag == matching::any_tag ? MPI_ANY_TAG : got.tag;
  PMPI_Status_set_elements_x(status, MPI_BYTE, static_cast<MPI_Count>(got.bytes));
  PMPI_Status_set_cancelled(status, got.cancelled ? 1 : 0);
}

outcome end_of(matching::receiving& coming, const incoming& into) {
  try {
    const matching::receipt got = coming.wait();
    if (!got.cancelled) into.deliver(got.bytes);
    return {got, MPI_SUCCESS};
  } catch (const error& refused) {
    if (refused.kind() != error_kind::argument) throw;
    return {{}, MPI_ERR_TRUNCATE};
  }
}

open_message& open_messages::make(function which, membership& on) {
  open_message& made = *pool_.take();
  made.which = which;
  made.on = &on;
  made.in = this;
  made.parts = 1;  // until all of it is begun
  made.is_freed = false;
  made.told = MPI_REQUEST_NULL;
  made.end = {};
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
  if (message.parts == 1 && !message.into && !message.end.of_nobody) {
    // Of a send nobody asks but whether it is over: so is one to nobody.
    PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, message.on->comm, request);
  } else {
    PMPI_Grequest_start(&query, &let_go, &cancel_if_open, &message, request);
    message.told = *request;
    recent(*request) = &message;
  }
  end_part(message);
}

void open_messages::detach(open_message& message) { end_part(message); }

void open_messages::part_ended(void* message) {
  auto& of = *static_cast<open_message*>(message);
  of.in->end_part(of);
}

void open_messages::end_part(open_message& message) {
  if (--message.parts != 0) return;
  if (message.into) message.end = end_of(message.coming, *message.into);
  message.coming = {};
  message.out.reset();
  message.into.reset();
  message.types.reset();
  --message.on->under_way;
  if (message.before != nullptr) message.before->behind = message.behind;
  (message.behind != nullptr ? message.behind->before : last_) = message.before;
  if (persistent_call* kept = std::exchange(message.kept, nullptr); kept != nullptr) {
    kept->message->going = nullptr;
    kept->message->end = message.end;
    pool_.give_back(&message);
    return kept->of.tell(*kept);
  }
  if (message.told == MPI_REQUEST_NULL) return pool_.give_back(&message);
  if (open_message*& known = recent(message.told); known == &message) known = nullptr;
  // Where the program has let go of it already, MPICH has said so and Open MPI says it now.
  const bool is_freed = message.is_freed;
  PMPI_Grequest_complete(message.told);
  if (is_freed) pool_.give_back(&message);
}

void open_messages::finish(const membership& on) {
  const auto over = [](const void* of) {
    return static_cast<const membership*>(of)->under_way == 0;
  };
  if (over(&on)) return;
  host(here_).wait(conduit::wait_target::predicate(over, &on), {.operation = "messages under way"});
}

void open_messages::end() {
  for (open_message* each = last_; each != nullptr; each = each->before) cancel(*each);
  const auto over = [](const void* of) { return static_cast<const open_messages*>(of)->empty(); };
  if (!over(this)) {
    host(here_).wait(conduit::wait_target::predicate(over, this),
                     {.operation = "messages under way"});
  }
  claimed_.clear();
}

void open_messages::wait_for(MPI_Request request) {
  const open_message* known = recent(request);
  if (known == nullptr || known->told != request) return;
  const auto over = [](const void* message) {
    return static_cast<const open_message*>(message)->parts == 0;
  };
  host(here_).wait(conduit::wait_target::predicate(over, known),
                   {.operation = function_names[static_cast<std::size_t>(known->which)]});
}

void open_messages::wait_for(const kept_message& message) {
  const auto over = [](const void* what) {
    return static_cast<const kept_message*>(what)->going == nullptr;
  };
  if (over(&message)) return;
  host(here_).wait(conduit::wait_target::predicate(over, &message),
                   {.operation = "a persistent message"});
}

MPI_Message open_messages::keep(matching::claimed_message message, membership& on) {
  std::uintptr_t word = 0;
  do {
    word = claimed_bits | (++last_claimed_ << 1U & 0xffffffU);
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

int open_messages::query(void* message, MPI_Status* status) {
  const auto& of = *static_cast<const open_message*>(message);
  fill(status, of.end);
  if (of.end.code != MPI_SUCCESS) status->MPI_ERROR = of.end.code;
  return of.end.code;
}

/// The program has no request for it any more.
int open_messages::let_go(void* message) {
  auto& of = *static_cast<open_message*>(message);
  of.is_freed = true;
  if (of.parts == 0) of.in->pool_.give_back(&of);
  return MPI_SUCCESS;
}

/// Sends go on: MPI leaves that open.
int open_messages::cancel_if_open(void* message, int complete) {
  if (complete == 0) cancel(*static_cast<open_message*>(message));
  return MPI_SUCCESS;
}

}  // namespace upwash::mpi
