// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between two ranks, taken over: all of a communicator or none, since a send that one rank
// gave to upwash would never meet a receive that another gave to the MPI library. `generate.py`
// writes MPI's functions on these.
#pragma once

#include "interop/mpi/detail/buffers.hpp"
#include "interop/mpi/detail/kept_message.hpp"
#include "interop/mpi/detail/session.hpp"
#include "interop/mpi/detail/take.hpp"
#include "upwash/matching/messages.hpp"

namespace upwash::mpi {

[[nodiscard]] inline matching::mode mode_of(sending how) noexcept {
  switch (how) {
    case sending::synchronous: return matching::mode::synchronous;
    case sending::ready: return matching::mode::ready;
    case sending::standard:
    case sending::buffered: break;
  }
  return matching::mode::standard;
}
[[nodiscard]] inline int source_of(int from) noexcept {
  return from == MPI_ANY_SOURCE ? matching::any_source : from;
}
[[nodiscard]] inline int tag_of(int tag) noexcept {
  return tag == MPI_ANY_TAG ? matching::any_tag : tag;
}

/// Another thread may free the communicator while this one waits.
class in_use {
 public:
  explicit in_use(membership& on) noexcept : on_(on) { ++on_.under_way; }
  ~in_use() { --on_.under_way; }
  in_use(const in_use&) = delete;
  in_use& operator=(const in_use&) = delete;

 private:
  membership& on_;
};

/// A call of one function on a communicator whose messages upwash has. Its functions take the
/// arguments of MPI's but for the communicator, of which a peer at least is a rank, return MPI's
/// code, and throw `pass_on` before anything is sent where arguments are wrong.
class message_call {
 public:
  message_call(session& own, membership& on, function which) noexcept
      : own_(own), on_(on), which_(which) {}
  message_call(const message_call&) = delete;
  message_call& operator=(const message_call&) = delete;

  /// Blocking as MPI says of the mode.
  int send(sending how, const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag);
  int isend(sending how, const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag,
            MPI_Request* request);
  int recv(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Status* status);
  int irecv(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag,
            MPI_Request* request);
  int sendrecv(const void* sent, MPI_Count sends, MPI_Datatype send_type, int to, int send_tag,
               void* received, MPI_Count receives, MPI_Datatype receive_type, int from,
               int receive_tag, MPI_Status* status);
  int sendrecv_replace(void* buffer, MPI_Count count, MPI_Datatype type, int to, int send_tag,
                       int from, int receive_tag, MPI_Status* status);
  int isendrecv(const void* sent, MPI_Count sends, MPI_Datatype send_type, int to, int send_tag,
                void* received, MPI_Count receives, MPI_Datatype receive_type, int from,
                int receive_tag, MPI_Request* request);
  int isendrecv_replace(void* buffer, MPI_Count count, MPI_Datatype type, int to, int send_tag,
                        int from, int receive_tag, MPI_Request* request);
  int send_init(sending how, const void* buffer, MPI_Count count, MPI_Datatype type, int to,
                int tag, MPI_Request* request);
  int recv_init(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag,
                MPI_Request* request);
  int probe(int from, int tag, MPI_Status* status);
  int iprobe(int from, int tag, int* found, MPI_Status* status);
  int mprobe(int from, int tag, MPI_Message* message, MPI_Status* status);
  int improbe(int from, int tag, int* found, MPI_Message* message, MPI_Status* status);

  /// Of a message that a probe took out.
  int receive_claimed(void* buffer, MPI_Count count, MPI_Datatype type,
                      matching::claimed_message&& message, MPI_Status* status);
  int receive_claimed(void* buffer, MPI_Count count, MPI_Datatype type,
                      matching::claimed_message&& message, MPI_Request* request);

  /// Starts a persistent one. Nonblocking.
  static void start_kept(session& own, persistent_call& kept);

 private:
  void keep(std::unique_ptr<kept_message> message, MPI_Request* request);
  /// The two ends; either may be missing.
  struct exchange;

  [[nodiscard]] exchange described(const void* sent, MPI_Count sends, MPI_Datatype send_type,
                                   int to, int send_tag, void* received, MPI_Count receives,
                                   MPI_Datatype receive_type, int from, int receive_tag,
                                   bool replaces) const;
  [[nodiscard]] elements of(const void* buffer, MPI_Count count, MPI_Datatype type) const {
    return taken_call(own_, on_, which_, manner::nonblocking).of(buffer, count, type);
  }
  void check_destination(int to, int tag) const {
    if (to < 0 || to >= on_.size || tag < 0 || tag > own_.most_tag()) throw pass_on{fate::bad_call};
  }
  void check_source(int from, int tag) const {
    const bool wild = from == MPI_ANY_SOURCE;
    if (!wild && (from < 0 || from >= on_.size)) throw pass_on{fate::bad_call};
    if ((tag < 0 && tag != MPI_ANY_TAG) || tag > own_.most_tag()) throw pass_on{fate::bad_call};
  }
  /// The same calls where bytes do not travel as they lie there, or are copied. Not inline, since
  /// what they need slows down the others.
  int send_packed(sending how, const elements& what, int to, int tag);
  MPI_Request isend_packed(sending how, const elements& what, int to, int tag);
  /// The same for sends that are not complete at once.
  int send_slowly(sending how, const elements& what, int to, int tag);
  MPI_Request isend_slowly(sending how, const elements& what, int to, int tag);
  /// Whether it went as a copy (open_messages::may_copy).
  bool went_as_copy(sending how, const elements& what, int to, int tag);
  int recv_packed(const elements& where, int from, int tag, MPI_Status* status);
  MPI_Request irecv_packed(const elements& where, int from, int tag);
  int run(const exchange& both, MPI_Status* status);
  int start(exchange both, MPI_Request* request);

  session& own_;
  membership& on_;
  function which_;
};

inline int message_call::send(sending how, const void* buffer, MPI_Count count, MPI_Datatype type,
                              int to, int tag) {
  check_destination(to, tag);
  const elements what = of(buffer, count, type);
  if (how == sending::buffered || !what.facts->dense) [[unlikely]]
    return send_packed(how, what, to, tag);
  if (matching::send_at_once(on_.among, to, tag, {what.at, what.bytes()}, mode_of(how))) [[likely]]
    return MPI_SUCCESS;
  return send_slowly(how, what, to, tag);
}

inline int message_call::isend(sending how, const void* buffer, MPI_Count count, MPI_Datatype type,
                               int to, int tag, MPI_Request* request) {
  check_destination(to, tag);
  if (request == nullptr) throw pass_on{fate::bad_call};
  const elements what = of(buffer, count, type);
  if (how == sending::buffered || !what.facts->dense) [[unlikely]] {
    *request = isend_packed(how, what, to, tag);
  } else if (matching::send_at_once(on_.among, to, tag, {what.at, what.bytes()}, mode_of(how)))
      [[likely]] {
    *request = request_book::of_complete_send();
  } else {
    *request = isend_slowly(how, what, to, tag);
  }
  return MPI_SUCCESS;
}

inline int message_call::recv(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag,
                              MPI_Status* status) {
  check_source(from, tag);
  const elements where = of(buffer, count, type);
  if (!where.facts->dense) [[unlikely]]
    return recv_packed(where, source_of(from), tag_of(tag), status);
  const in_use waits(on_);
  matching::receiving coming =
      matching::receive(on_.among, source_of(from), tag_of(tag), {where.at, where.bytes()});
  const outcome end = end_of(coming);
  fill(status, end);
  return end.code;
}

inline int message_call::irecv(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag,
                               MPI_Request* request) {
  check_source(from, tag);
  if (request == nullptr) throw pass_on{fate::bad_call};
  const elements where = of(buffer, count, type);
  *request = !where.facts->dense ? irecv_packed(where, source_of(from), tag_of(tag))
                                 : own_.messages.receive(which_, on_, source_of(from), tag_of(tag),
                                                         {where.at, where.bytes()});
  return MPI_SUCCESS;
}

namespace detail {

/// Why upwash has no messages of the communicator.
[[nodiscard]] fate why_no_messages(session& own, const membership* on) noexcept;
/// The communicator's record where upwash has its messages; counts why it does not.
[[nodiscard]] inline membership* begin_message(session& own, function which, MPI_Comm comm) {
  membership* on = own.communicators.find(comm);
  if (on != nullptr && on->has_messages) [[likely]]
    return on;
  count(which, why_no_messages(own, on));
  return nullptr;
}

/// `ours(message_call&)` on that communicator; not its `comm` alone: a message knows its own.
template <class Ours>
int run_message(session& own, membership& on, function which, const Ours& ours) {
  message_call call(own, on, which);
  const int code = ours(call);
  count(which, fate::taken);
  return code;
}

}  // namespace detail

/// `ours(message_call&)` as above, where the call `names_rank`, not MPI_PROC_NULL alone; `theirs()`
/// calls the MPI library.
template <class Ours, class Theirs>
int take_message(function which, MPI_Comm comm, bool names_rank, const Ours& ours,
                 const Theirs& theirs) noexcept {
  session* own = session::current();
  if (own == nullptr) {
    count(which, fate::no_job);
    return theirs();
  }
  membership* on = nullptr;
  int code = MPI_SUCCESS;
  try {
    const session::inside here(*own);
    on = detail::begin_message(*own, which, comm);
    if (on != nullptr && !names_rank) {
      count(which, fate::no_peer);
      on = nullptr;
    }
    if (on != nullptr) code = detail::run_message(*own, *on, which, ours);
  } catch (const pass_on& why) {
    count(which, why.why);
    on = nullptr;
  } catch (...) {
    own->fail(which);
  }
  if (on == nullptr) return theirs();
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, code);
  return code;
}

/// MPI_Mrecv and MPI_Imrecv, whose message knows its communicator. `behind`: the status or request.
template <class Behind, class Theirs>
int take_claimed(function which, void* buffer, MPI_Count count_of, MPI_Datatype type,
                 MPI_Message* message, Behind* behind, const Theirs& theirs) noexcept {
  session* own = session::current();
  int code = MPI_SUCCESS;
  MPI_Comm comm = MPI_COMM_NULL;
  if (own == nullptr || message == nullptr || !is_own_handle(word_of(*message))) {
    passed(which);
    return theirs();
  }
  try {
    const session::inside here(*own);
    if (auto* claimed = own->messages.find(*message); claimed != nullptr) {
      comm = claimed->on->comm;
      code = detail::run_message(*own, *claimed->on, which, [&](message_call& call) {
        return call.receive_claimed(buffer, count_of, type, std::move(claimed->message), behind);
      });
      own->messages.drop(*message);
      *message = MPI_MESSAGE_NULL;
    }
  } catch (const pass_on& why) {
    count(which, why.why);
    code = MPI_ERR_ARG;  // of the MPI library's messages it is none; and it stays
  } catch (...) {
    own->fail(which);
  }
  if (comm == MPI_COMM_NULL) return theirs();
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, code);
  return code;
}

}  // namespace upwash::mpi
