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

/// A call of one function on a communicator whose messages upwash has. Its functions take the
/// arguments of MPI's but for the communicator, of which a peer at least is a rank, return MPI's
/// code, and throw `pass_on` before anything is sent where arguments are wrong.
class message_call {
 public:
  /// Another thread may free the communicator while this one waits.
  message_call(session& own, membership& on, function which) noexcept
      : own_(own), on_(on), which_(which) {
    ++on_.under_way;
  }
  ~message_call() { --on_.under_way; }
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
    return taken_call(own_, on_, which_).of(buffer, count, type);
  }
  void check_destination(int to, int tag) const;
  void check_source(int from, int tag) const;
  int run(const exchange& both, MPI_Status* status);
  int start(exchange both, MPI_Request* request);

  session& own_;
  membership& on_;
  function which_;
};

namespace detail {

/// The communicator's record where upwash has its messages; counts why it does not.
[[nodiscard]] membership* begin_message(session& own, function which, MPI_Comm comm);

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
