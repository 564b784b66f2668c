// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/message_call.hpp"

#include <optional>
#include <utility>

#include "upwash/base/error.hpp"

namespace upwash::mpi {
namespace {

/// As it is now; a buffered send is over when its bytes are copied.
outgoing packed(staging& memory, sending how, const elements& what) {
  outgoing made = how == sending::buffered ? outgoing(memory, what, outgoing::copied{})
                                           : outgoing(memory, what);
  made.load();
  return made;
}

/// Where its bytes come: the program's buffer, or one that they are unpacked from.
std::span<std::byte> received_at(open_message& message, staging& memory, const elements& where) {
  if (where.facts->dense) return {where.at, where.bytes()};
  message.into.emplace(memory, where);
  message.types = std::make_unique<kept_types>();
  message.into->keep_type(*message.types);
  return message.into->bytes();
}

}  // namespace

struct message_call::exchange {
  std::optional<outgoing> out;
  int to = MPI_PROC_NULL;
  int send_tag = 0;
  std::optional<elements> into;
  int from = MPI_PROC_NULL;
  int receive_tag = 0;
};

int message_call::send_packed(sending how, const elements& what, int to, int tag) {
  if (how == sending::buffered) {
    open_message& message = own_.messages.make(which_, on_);
    message.out.emplace(packed(own_.memory, how, what));
    own_.messages.send(message, to, tag, matching::mode::standard);
    own_.messages.detach(message);
    return MPI_SUCCESS;
  }
  if (went_as_copy(how, what, to, tag)) return MPI_SUCCESS;
  const outgoing out = packed(own_.memory, how, what);
  const in_use waits(on_);
  matching::send(on_.among, to, tag, out.bytes(), mode_of(how)).wait(call_site{});
  return MPI_SUCCESS;
}

MPI_Request message_call::isend_packed(sending how, const elements& what, int to, int tag) {
  if (how == sending::buffered) {
    send_packed(how, what, to, tag);
    return request_book::of_complete_send();
  }
  if (went_as_copy(how, what, to, tag)) return request_book::of_complete_send();
  open_message& message = own_.messages.make(which_, on_);
  message.out.emplace(packed(own_.memory, how, what));
  own_.messages.send(message, to, tag, mode_of(how));
  MPI_Request request = MPI_REQUEST_NULL;
  own_.messages.give(message, &request);
  return request;
}

bool message_call::went_as_copy(sending how, const elements& what, int to, int tag) {
  if (how == sending::synchronous || !own_.messages.may_copy(on_, to, what.bytes())) return false;
  own_.messages.send_copy(which_, on_, own_.memory, what, to, tag, mode_of(how));
  return true;
}

int message_call::send_slowly(sending how, const elements& what, int to, int tag) {
  if (went_as_copy(how, what, to, tag)) return MPI_SUCCESS;
  const in_use waits(on_);
  matching::send(on_.among, to, tag, {what.at, what.bytes()}, mode_of(how)).wait(call_site{});
  return MPI_SUCCESS;
}

MPI_Request message_call::isend_slowly(sending how, const elements& what, int to, int tag) {
  if (went_as_copy(how, what, to, tag)) return request_book::of_complete_send();
  return own_.messages.send(which_, on_, to, tag, {what.at, what.bytes()}, mode_of(how));
}

int message_call::recv_packed(const elements& where, int from, int tag, MPI_Status* status) {
  const incoming into(own_.memory, where);
  const in_use waits(on_);
  matching::receiving coming = matching::receive(on_.among, from, tag, into.bytes());
  const outcome end = end_of(coming, into);
  fill(status, end);
  return end.code;
}

MPI_Request message_call::irecv_packed(const elements& where, int from, int tag) {
  open_message& message = own_.messages.make_receive(which_, on_);
  message.coming =
      matching::receive(on_.among, from, tag, received_at(message, own_.memory, where));
  return own_.messages.ask_for(message);
}

int message_call::run(const exchange& both, MPI_Status* status) {
  const in_use waits(on_);
  std::optional<incoming> into;
  matching::receiving coming;
  if (both.into) {
    into.emplace(own_.memory, *both.into);
    coming =
        matching::receive(on_.among, source_of(both.from), tag_of(both.receive_tag), into->bytes());
  }
  upwash::request going;
  if (both.out) going = matching::send(on_.among, both.to, both.send_tag, both.out->bytes());
  const outcome end = into ? end_of(coming, *into) : outcome{.got = {}, .of_nobody = true};
  fill(status, end);
  going.wait(call_site{});
  return end.code;
}

int message_call::start(exchange both, MPI_Request* request) {
  if (request == nullptr) throw pass_on{fate::bad_call};
  open_message& message = own_.messages.make(which_, on_);
  if (both.into) {
    own_.messages.receive(
        message, matching::receive(on_.among, source_of(both.from), tag_of(both.receive_tag),
                                   received_at(message, own_.memory, *both.into)));
  }
  message.end.of_nobody = !both.into;
  if (both.out) {
    message.out = std::move(both.out);
    own_.messages.send(message, both.to, both.send_tag, matching::mode::standard);
  }
  own_.messages.give(message, request);
  return MPI_SUCCESS;
}

message_call::exchange message_call::described(const void* sent, MPI_Count sends,
                                               MPI_Datatype send_type, int to, int send_tag,
                                               void* received, MPI_Count receives,
                                               MPI_Datatype receive_type, int from, int receive_tag,
                                               bool replaces) const {
  exchange both;
  if (to != MPI_PROC_NULL) check_destination(to, send_tag);
  if (from != MPI_PROC_NULL) {
    check_source(from, receive_tag);
    both.into = of(received, receives, receive_type);
    both.from = from;
    both.receive_tag = receive_tag;
  }
  if (to != MPI_PROC_NULL) {
    // What is replaced goes out from a copy, as of a buffered send.
    both.out.emplace(packed(own_.memory, replaces ? sending::buffered : sending::standard,
                            of(sent, sends, send_type)));
    both.to = to;
    both.send_tag = send_tag;
  }
  return both;
}

int message_call::sendrecv(const void* sent, MPI_Count sends, MPI_Datatype send_type, int to,
                           int send_tag, void* received, MPI_Count receives,
                           MPI_Datatype receive_type, int from, int receive_tag,
                           MPI_Status* status) {
  return run(described(sent, sends, send_type, to, send_tag, received, receives, receive_type, from,
                       receive_tag, false),
             status);
}

int message_call::sendrecv_replace(void* buffer, MPI_Count count, MPI_Datatype type, int to,
                                   int send_tag, int from, int receive_tag, MPI_Status* status) {
  return run(
      described(buffer, count, type, to, send_tag, buffer, count, type, from, receive_tag, true),
      status);
}

int message_call::isendrecv(const void* sent, MPI_Count sends, MPI_Datatype send_type, int to,
                            int send_tag, void* received, MPI_Count receives,
                            MPI_Datatype receive_type, int from, int receive_tag,
                            MPI_Request* request) {
  return start(described(sent, sends, send_type, to, send_tag, received, receives, receive_type,
                         from, receive_tag, false),
               request);
}

int message_call::isendrecv_replace(void* buffer, MPI_Count count, MPI_Datatype type, int to,
                                    int send_tag, int from, int receive_tag, MPI_Request* request) {
  return start(
      described(buffer, count, type, to, send_tag, buffer, count, type, from, receive_tag, true),
      request);
}

int message_call::send_init(sending how, const void* buffer, MPI_Count count, MPI_Datatype type,
                            int to, int tag, MPI_Request* request) {
  check_destination(to, tag);
  keep(std::make_unique<kept_message>(&on_, true, how, of(buffer, count, type), to, tag), request);
  return MPI_SUCCESS;
}

int message_call::recv_init(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag,
                            MPI_Request* request) {
  check_source(from, tag);
  keep(std::make_unique<kept_message>(&on_, false, sending::standard, of(buffer, count, type), from,
                                      tag),
       request);
  return MPI_SUCCESS;
}

void message_call::keep(std::unique_ptr<kept_message> message, MPI_Request* request) {
  if (request == nullptr) throw pass_on{fate::bad_call};
  message->types.keep(message->what);  // the program may free its own before a start
  ++on_.kept_messages;
  auto kept = own_.persistent.make(which_);
  kept->on = &on_;
  kept->message = std::move(message);
  own_.persistent.add(std::move(kept), request);
}

void message_call::start_kept(session& own, persistent_call& kept) {
  kept_message& what = *kept.message;
  open_message& message = own.messages.make(kept.which, *what.on);
  if (!what.sends) {
    message.into.emplace(own.memory, what.what);
    own.messages.receive(message, matching::receive(what.on->among, source_of(what.peer),
                                                    tag_of(what.tag), message.into->bytes()));
  } else {
    message.out.emplace(packed(own.memory, what.how, what.what));
    own.messages.send(message, what.peer, what.tag, mode_of(what.how));
  }
  if (what.how == sending::buffered) {
    own.messages.detach(message);
    return kept.of.tell(kept);
  }
  message.kept = &kept;
  what.going = &message;
  own.messages.detach(message);
}

int message_call::probe(int from, int tag, MPI_Status* status) {
  check_source(from, tag);
  const in_use waits(on_);
  fill(status, {matching::wait_for_message(on_.among, source_of(from), tag_of(tag), call_site{})});
  return MPI_SUCCESS;
}

int message_call::iprobe(int from, int tag, int* found, MPI_Status* status) {
  check_source(from, tag);
  if (found == nullptr) throw pass_on{fate::bad_call};
  own_.begin_look();
  const auto seen = matching::probe(on_.among, source_of(from), tag_of(tag));
  *found = seen ? 1 : 0;
  if (seen) fill(status, {*seen});
  if (!seen) own_.let_library_go_on();
  return MPI_SUCCESS;
}

int message_call::improbe(int from, int tag, int* found, MPI_Message* message, MPI_Status* status) {
  check_source(from, tag);
  if (found == nullptr || message == nullptr) throw pass_on{fate::bad_call};
  own_.begin_look();
  auto taken = matching::claim(on_.among, source_of(from), tag_of(tag));
  *found = taken ? 1 : 0;
  if (!taken) {
    own_.let_library_go_on();
    return MPI_SUCCESS;
  }
  fill(status, {taken->what()});
  *message = own_.messages.keep(std::move(*taken), on_);
  return MPI_SUCCESS;
}

int message_call::mprobe(int from, int tag, MPI_Message* message, MPI_Status* status) {
  const in_use waits(on_);
  int found = 0;
  for (;;) {
    improbe(from, tag, &found, message, status);
    if (found != 0) return MPI_SUCCESS;
    static_cast<void>(
        matching::wait_for_message(on_.among, source_of(from), tag_of(tag), call_site{}));
  }
}

int message_call::receive_claimed(void* buffer, MPI_Count count, MPI_Datatype type,
                                  matching::claimed_message&& message, MPI_Status* status) {
  const incoming into(own_.memory, of(buffer, count, type));
  const in_use waits(on_);
  matching::receiving coming = matching::receive(std::move(message), into.bytes());
  const outcome end = end_of(coming, into);
  fill(status, end);
  return end.code;
}

int message_call::receive_claimed(void* buffer, MPI_Count count, MPI_Datatype type,
                                  matching::claimed_message&& message, MPI_Request* request) {
  const elements where = of(buffer, count, type);
  open_message& under_way = own_.messages.make_receive(which_, on_);
  under_way.coming =
      matching::receive(std::move(message), received_at(under_way, own_.memory, where));
  *request = own_.messages.ask_for(under_way);
  return MPI_SUCCESS;
}

namespace detail {

fate why_no_messages(session& own, const membership* on) noexcept {
  if (!own.has_messages()) return own.options().messages ? fate::no_progress : fate::left_out;
  if (on == nullptr) return fate::bad_call;
  return on->refused != fate::taken ? on->refused : fate::no_team_yet;
}

}  // namespace detail
}  // namespace upwash::mpi
