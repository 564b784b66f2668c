// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Quiescence: nobody has anything left to do, and nothing is under way. For programs whose members
// do not know what will come: streams whose handlers push, messages whose handlers send, work of
// their own, all mixed.
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

/// What `quiescence::send` sends: the handler, and that it ran.
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

/// Detects that a team has nothing left to do. Counted are items of all streams of the team and of
/// those attached, messages sent through it, and what `created` and `handled` say. A program works
/// in epochs: each member calls `wait` or `notify` once an epoch, when it has nothing to do but
/// what messages bring; an epoch ends when all have called and everything that was created anywhere
/// was handled. Never early, never missed, whatever handlers create meanwhile.
///
/// Costs nothing while no epoch is under way, and while one is: two waves at least over a binomial
/// tree, each at most 1 + ceil(log2 P) messages a member (detail/waves.hpp). Members that are busy
/// hold a wave back. Source: Mattern 1987; Narayanan 2020, 1.3 (marks for quiescence detection).
class quiescence final : private streaming::counted_work {
 public:
  /// Collective over the team, local: members make their detections on it in the same order.
  explicit quiescence(const team& among);
  /// Waits for the end of an epoch that is under way. When it is destroyed by an exception it waits
  /// for nobody.
  ~quiescence() noexcept(false);
  quiescence(const quiescence&) = delete;
  quiescence& operator=(const quiescence&) = delete;

  /// Counts the items of a stream of another team, too. Its members must all be members here, and
  /// all must attach it; it must live until `detach`, or longer than this. Outside epochs. Throws
  /// `error` (argument). O(members of the stream).
  template <class Stream>
  requires requires(Stream& of) { of.engine(); }
  void attach(Stream& stream) { attach(stream.engine()); }
  /// The same, for layers.
  void attach(streaming::engine& stream);
  /// What the stream did so far stays counted. Outside epochs; throws `error` (argument) for a
  /// stream that is not attached.
  template <class Stream>
  requires requires(Stream& of) { of.engine(); }
  void detach(Stream& stream) { detach(std::as_const(stream.engine())); }
  /// The same, for layers.
  void detach(const streaming::engine& stream);

  /// As `upwash::send`, to a member of the team; counted as handled when the handler has run, so
  /// that what it sends through this object is counted before. 16 bytes of the line are used. It
  /// may run at a member that has yet to make its detection.
  template <auto Handler, class... Args>
  void send(int member, const Args&... args) {
    const int to = among_.world_rank(member);
    ++waves_.messages().created;
    upwash::send<&streaming::counted_handler<Handler>::run>(among_.here(), to, waves_.team_id(),
                                                            waves_.number(), args...);
  }

  /// Work of the program's own: `handled` at any member for what was created at any. What it
  /// begets is to be created before it is handled. Also in handlers.
  void created(std::uint64_t pieces = 1) noexcept { own_.created += pieces; }
  /// So many pieces are done, here.
  void handled(std::uint64_t pieces = 1) noexcept { own_.handled += pieces; }
  /// Of what was created: it waits for something that is to be done yet, and was taken up again
  /// before what did that was handled. For layers that can say what that is where it never comes.
  void put_aside(std::uint32_t pieces) noexcept { own_.put_aside += pieces; }
  /// So many are no longer put aside.
  void taken_up(std::uint32_t pieces) noexcept { own_.taken_up += pieces; }

  /// This member has nothing to do but what comes; returns when nobody has. Collective with
  /// `notify`, blocking: runs handlers meanwhile, and flushes the streams that are counted. Throws
  /// `error` (argument) in a handler, in a callback, and while an epoch is under way.
  void wait(call_site site = call_site::current()) { waves_.wait(site); }

  /// As `wait`, but returns at all members alike, too, where it would never end: all that is left
  /// was put aside, or more was handled than created. The epoch is over then, nothing is quiet.
  [[nodiscard]] streaming::verdict wait_unless_hopeless(call_site site = call_site::current()) {
    return waves_.wait_unless_hopeless(site);
  }

  /// The same without waiting: `then` runs in progress of this member when the epoch is over, where
  /// it may push, send and begin the next epoch, but not wait. Throws `error` (argument) in a
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
