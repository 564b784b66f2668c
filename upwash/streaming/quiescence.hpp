// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Quiescence detection solves this problem: members do not know how many messages will come, so
// they do not know when the work is done. The work may be streams whose handlers push, messages
// whose handlers send, the program's own work, or all of these.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/core/active_message.hpp"
#include "upwash/core/team.hpp"
#include "upwash/streaming/detail/waves.hpp"

namespace upwash {

namespace streaming {

class engine;

/// The handler that `quiescence::send` sends: runs the user's handler and counts the message as
/// handled.
template <auto Handler, class = decltype(Handler)>
struct counted_handler;
template <auto Handler, class... Args>
struct counted_handler<Handler, void (*)(incoming&, Args...)> {
  static void run(incoming& in, std::uint64_t team, std::uint64_t number,
                  std::remove_cvref_t<Args>... args) {
    Handler(in, std::move(args)...);
    note_handled(in, team, number);
  }
};

template <class Then>
class callback_of final : public callback {
 public:
  explicit callback_of(Then&& then) : then_(std::move(then)) {}
  void run() override { then_(); }

 private:
  Then then_;
};

}  // namespace streaming

/// Detects that a team has nothing left to do.
///
/// Counts the items of all streams of the team and of attached streams, the messages sent through
/// this object, and the pieces given to `created` and `handled`. A program works in epochs. Each
/// member calls `wait` or `notify` once an epoch, when its only remaining work is to handle
/// messages. An epoch ends when all members have called and everything that was created anywhere
/// was handled. The end is never reported early and never missed, no matter what handlers create
/// meanwhile.
///
/// Cost: none outside an epoch. An epoch costs at least two waves over a binomial tree, each at
/// most 1 + ceil(log2 P) messages a member (detail/waves.hpp). Busy members delay a wave. Source:
/// Mattern 1987; Narayanan 2020, 1.3 (marks for quiescence detection).
/// @code
/// void greet(upwash::incoming& in, int value) {
///   std::printf("rank %d sent %d\n", in.source(), value);
/// }
/// void greet_all(upwash::job& job) {
///   upwash::quiescence work(job.world());
///   for (int member = 0; member < job.size(); ++member) work.send<&greet>(member, 42);
///   work.wait();  // Now all greetings of all ranks have been handled.
/// }
/// @endcode
class quiescence final : private streaming::counted_work {
 public:
  /// Creates a detection on a team. Collective over the team, local: members create their
  /// detections on a team in the same order.
  explicit quiescence(const team& among);
  /// Waits for the end of an epoch that is under way. If an exception destroys the object, it does
  /// not wait.
  ~quiescence() noexcept(false);
  quiescence(const quiescence&) = delete;
  quiescence& operator=(const quiescence&) = delete;

  /// Counts the items of a stream of another team, too. All members of the stream must be members
  /// here, and all must attach it. The stream must live until `detach`, or longer than this object.
  /// Outside epochs only. Throws `error` (argument). O(members of the stream).
  template <class Stream>
  requires requires(Stream& of) { of.engine(); }
  void attach(Stream& stream) { attach(stream.engine()); }
  /// Attaches a stream; for layers.
  void attach(streaming::engine& stream);
  /// Detaches a stream. Its items so far stay counted. Outside epochs only. Throws `error`
  /// (argument) for a stream that is not attached.
  template <class Stream>
  requires requires(Stream& of) { of.engine(); }
  void detach(Stream& stream) { detach(std::as_const(stream.engine())); }
  /// Detaches a stream; for layers.
  void detach(const streaming::engine& stream);

  /// Sends a message to a member of the team, as `upwash::send` does. The message counts as handled
  /// when the handler has run, so messages that the handler sends through this object are counted
  /// before. Uses 16 bytes of the line. The handler may run at a member that has not made its
  /// detection yet.
  template <auto Handler, class... Args>
  void send(int member, const Args&... args) {
    const int to = among_.world_rank(member);
    ++waves_.messages().created;
    upwash::send<&streaming::counted_handler<Handler>::run>(among_.here(), to, waves_.team_id(),
                                                            waves_.number(), args...);
  }

  /// Counts pieces of the program's own work as created. Any member may call `handled` for a piece
  /// that any member created. Work that follows from a piece must be created before the piece is
  /// handled. Also in handlers.
  void created(std::uint64_t pieces = 1) noexcept { own_.created += pieces; }
  /// Counts `pieces` pieces as handled here.
  void handled(std::uint64_t pieces = 1) noexcept { own_.handled += pieces; }
  /// Counts created pieces as put aside: they wait for work that is still to be done. They must be
  /// taken up again before that work is handled. For layers that can name the missing work if it
  /// never comes.
  void put_aside(std::uint32_t pieces) noexcept { own_.put_aside += pieces; }
  /// Counts `pieces` pieces as no longer put aside.
  void taken_up(std::uint32_t pieces) noexcept { own_.taken_up += pieces; }

  /// Ends an epoch: this member is idle except for arriving messages. Returns when all
  /// members are done. Collective with `notify`, blocking: runs handlers meanwhile, and flushes the
  /// counted streams. Throws `error` (argument) in a handler, in a callback, and while an epoch is
  /// under way.
  void wait(call_site site = call_site::current()) { waves_.wait(site); }

  /// Waits as `wait` does, but also returns, with the same verdict at all members, if the wait
  /// would never end. This is the case if all remaining work was put aside, or if more was handled
  /// than created. The epoch is then over, without quiescence.
  [[nodiscard]] streaming::verdict wait_unless_hopeless(call_site site = call_site::current()) {
    return waves_.wait_unless_hopeless(site);
  }

  /// Ends an epoch without waiting. `then` runs in progress of this member when the epoch is over.
  /// There it may push, send and begin the next epoch, but not wait. Throws `error` (argument) in a
  /// handler, and while an epoch is under way.
  template <class Then>
  void notify(Then then) {
    begin(std::make_unique<streaming::callback_of<Then>>(std::move(then)));
  }

 private:
  void begin(std::unique_ptr<streaming::callback> then);
  void flush() override;
  [[nodiscard]] streaming::tally count() const override;
  void ended(std::uint64_t idle_ns) override;

  team among_;
  streaming::waves waves_;
  streaming::tally own_;
  std::vector<streaming::engine*> attached_;
  const int exceptions_ = std::uncaught_exceptions();
};

}  // namespace upwash
