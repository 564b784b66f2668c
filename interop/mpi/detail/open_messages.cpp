// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/open_messages.hpp"

#include <fmt/format.h>

#include <utility>

#include "interop/mpi/detail/persistent_calls.hpp"
#include "interop/mpi/detail/session.hpp"
#include "upwash/base/error.hpp"
#include "upwash/core/host.hpp"

namespace upwash::mpi {
namespace {

/// Of one copied send: its record here and in the matching, and its block.
constexpr std::size_t bytes_of_copy = sizeof(open_message) + 256;

}  // namespace

outcome end_of(matching::receiving& coming) {
  outcome end;
  bool fits = true;
  coming.await_end(end.got, fits, call_site{});  // program_call says where
  if (!fits) end.code = MPI_ERR_TRUNCATE;
  return end;
}

outcome end_of(matching::receiving& coming, const incoming& into) {
  const outcome end = end_of(coming);
  deliver(end, into);
  return end;
}

void deliver(const outcome& end, const incoming& into) {
  if (end.code == MPI_SUCCESS && !end.got.cancelled) into.deliver(end.got.bytes);
}

open_message& open_messages::begin(open_message& made, function which, membership& on) {
  made.in = this;
  made.which = which;
  made.on = &on;
  made.is_complete = false;
  made.is_active = true;
  ++on.under_way;
  return made;
}

void open_messages::add(open_message& message) {
  message.behind = nullptr;
  message.before = std::exchange(last_, &message);
  if (message.before != nullptr) message.before->behind = &message;
}

MPI_Request open_messages::send(function which, membership& on, int to, int tag,
                                std::span<const std::byte> bytes, matching::mode how) {
  if (unused_ == nullptr) unused_ = pool_.take();
  if (!matching::send(on.among, to, tag, bytes, how,
                      notice::call(&open_messages::part_ended, unused_))) [[likely]] {
    return request_book::of_complete_send();
  }
  open_message& message = begin(*std::exchange(unused_, nullptr), which, on);
  message.end = {};
  message.receives = false;
  message.parts = 1;
  add(message);
  return ask_for(message);
}

MPI_Request open_messages::receive(function which, membership& on, int source, int tag,
                                   std::span<std::byte> into) {
  open_message& made = make_receive(which, on);
  made.coming = matching::receive(on.among, source, tag, into);
  return ask_for(made);
}

open_message& open_messages::make_receive(function which, membership& on) {
  open_message& made = begin(*pool_.take(), which, on);
  made.receives = true;
  made.parts = 0;
  return made;
}

open_message& open_messages::make(function which, membership& on) {
  open_message& made = begin(*pool_.take(), which, on);
  made.is_active = false;
  made.end = {};
  made.receives = false;
  made.parts = 1;  // until all of it is begun
  add(made);
  return made;
}

void open_messages::send(open_message& message, int to, int tag, matching::mode how) {
  if (matching::send(message.on->among, to, tag, message.out->bytes(), how,
                     notice::call(&open_messages::part_ended, &message))) {
    ++message.parts;
  }
}

bool open_messages::may_copy(const membership& on, int to, std::size_t bytes) {
  if (matching::has_room(on.among, to, bytes)) return false;
  if (copied_bytes_ + bytes + bytes_of_copy > copied_limit_) return false;
  if (!std::exchange(has_copied_, true)) {
    say(
        fmt::format("rank {}: rank {} has not received this rank's messages, which fill its room "
                    "(unexpected_limit over the ranks): further small ones are copied here, up to "
                    "{} MiB (docs/mpi.md)",
                    here_.rank(), on.among.world_rank(to), copied_limit_ >> 20U));
  }
  return true;
}

void open_messages::send_copy(function which, membership& on, staging& memory, const elements& what,
                              int to, int tag, matching::mode how) {
  open_message& message = make(which, on);
  message.out.emplace(memory, what, outgoing::copied{});
  message.out->load();
  message.copied_bytes = what.bytes() + bytes_of_copy;
  copied_bytes_ += message.copied_bytes;
  send(message, to, tag, how);
  detach(message);
}

void open_messages::receive(open_message& message, matching::receiving coming) {
  message.receives = true;
  message.coming = std::move(coming);
  if (message.coming.tell(notice::call(&open_messages::part_ended, &message))) ++message.parts;
}

void open_messages::give(open_message& message, MPI_Request* request) {
  // Of a send nobody asks but whether it is over.
  const bool is_sent = message.parts == 1 && !message.receives && !message.end.of_nobody;
  message.is_active = !is_sent;
  *request = is_sent ? request_book::of_complete_send() : requests_.handle_of(message);
  end_part(message);
}

void open_messages::detach(open_message& message) { end_part(message); }

void open_messages::part_ended(void* message) {
  auto& of = *static_cast<open_message*>(message);
  of.in->end_part(of);
}

void open_messages::end(open_message& message) {
  message.is_complete = true;
  --message.on->under_way;
  // Its communicator may be freed before the program asks.
  if (message.end.code != MPI_SUCCESS) ++message.on->kept_messages;
}

void open_messages::leave(open_message& message) {
  message.parts = 1;
  add(message);
  if (!message.coming.tell(notice::call(&open_messages::part_ended, &message))) end_part(message);
}

void open_messages::end_part(open_message& message) {
  if (--message.parts != 0) return;
  if (message.receives) message.end = end_of(message.coming);
  message.coming = {};
  message.out.reset();
  copied_bytes_ -= std::exchange(message.copied_bytes, 0);
  if (message.before != nullptr) message.before->behind = message.behind;
  (message.behind != nullptr ? message.behind->before : last_) = message.before;
  end(message);
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

bool open_message::look() {
  bool fits = true;
  if (parts != 0 || !coming.take_end(end.got, fits)) return false;
  end.code = fits ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
  end.of_nobody = false;
  in->end(*this);
  return true;
}

void open_message::let_go() {
  const bool over = is_over();
  is_active = false;
  if (!over && parts == 0) in->leave(*this);
  if (!over) return;
  deliver();
  if (end.code != MPI_SUCCESS) --on->kept_messages;
  in->pool_.give_back(this);
}

void open_messages::finish(const membership& on) {
  struct waited {
    request_book* requests;
    const membership* on;
  } const what{&requests_, &on};
  const auto over = [](const void* context) {
    const auto& seen = *static_cast<const waited*>(context);
    seen.requests->each([&](own_request& of) {
      if (of.on == seen.on) static_cast<void>(of.is_over());
    });
    return seen.on->under_way == 0;
  };
  if (over(&what)) return;
  host(here_).wait(conduit::wait_target::predicate(over, &what),
                   {.operation = "messages under way"});
}

void open_messages::end() {
  for (open_message* each = last_; each != nullptr; each = each->before) each->cancel();
  requests_.each([](own_request& of) { of.cancel(); });
  struct waited {
    open_messages* all;
    request_book* requests;
  } const what{this, &requests_};
  const auto over = [](const void* context) {
    const auto& seen = *static_cast<const waited*>(context);
    bool looked_at = true;
    seen.requests->each([&](own_request& of) { looked_at = of.is_over() && looked_at; });
    return looked_at && seen.all->last_ == nullptr;
  };
  if (!over(&what)) {
    host(here_).wait(conduit::wait_target::predicate(over, &what),
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
