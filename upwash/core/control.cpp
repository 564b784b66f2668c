// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/team_table.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/may_wait.hpp"
#include "upwash/core/service.hpp"

namespace upwash::control {
namespace {

/// What a member is in, as its messages tell the others.
enum class call : std::uint16_t { barrier, broadcast, all_gather, all_reduce, finish };

constexpr const char* name_of(call of) noexcept {
  constexpr const char* names[] = {"barrier", "broadcast", "all_gather", "all_reduce", "finish"};
  return names[static_cast<std::size_t>(of)];
}

/// What names a control message: the how-manieth collective of which team, its step, its source.
struct key {
  std::uint64_t team = 0;
  std::uint32_t number = 0;
  std::uint32_t step = 0;
  int source = 0;  ///< world rank
  friend auto operator<=>(const key&, const key&) = default;
};

/// Messages that came before they were waited for. Memory: those, nothing per rank or team.
class arrivals final : public service_base {
 public:
  explicit arrivals(job& /*here*/) {}
  struct message {
    call of = call::barrier;
    std::vector<std::byte> bytes;
  };
  std::map<key, message> waiting;
};

void arrived(incoming& in, std::uint64_t team, std::uint32_t number, std::uint16_t step, call of) {
  ++detail::job_access::state(in.here()).control_handled;
  const auto bytes = in.payload();
  in.here().service<arrivals>().waiting[{team, number, step, in.source()}] = {
      of, {bytes.begin(), bytes.end()}};
}

/// Of the call that begins; refused calls have none.
std::uint32_t next_number(const team& among, const char* name) {
  check_may_wait(among.here(), name);
  return team_access::state(among).control_number++;
}

/// One control collective on one team, as this rank goes through it.
class exchange {
 public:
  exchange(const team& among, call of, call_site site)
      : among_(among),
        here_(among.here()),
        name_(name_of(of)),
        is_(detail::job_access::state(here_).called_before_end ? call::finish : of),
        site_(site),
        number_(next_number(among, name_)) {}

  void send(int member, std::uint32_t step, std::span<const std::byte> bytes) {
    // Step and call share a word, so that messages are no longer than without the call.
    send_medium<&arrived>(here_, among_.world_rank(member), bytes, among_.id(), number_,
                          static_cast<std::uint16_t>(step), is_);
    ++detail::job_access::state(here_).control_sent;
  }

  /// Throws `error` (fault) where the member is in another call.
  std::vector<std::byte> receive(int member, std::uint32_t step) {
    auto& waiting = here_.service<arrivals>().waiting;
    const key wanted{among_.id(), number_, step, among_.world_rank(member)};
    struct query {
      const std::map<key, arrivals::message>& waiting;
      const key& wanted;
    } const query{waiting, wanted};
    const auto is_there = [](const void* context) {
      const auto& q = *static_cast<const struct query*>(context);
      return q.waiting.contains(q.wanted);
    };
    host(here_).wait(conduit::wait_target::predicate(is_there, &query),
                     {.operation = name_,
                      .peer = wanted.source,
                      .team = among_.id(),
                      .number = number_,
                      .counted = observe::series::controls,
                      .site = site_});
    arrivals::message came = std::move(waiting.extract(wanted).mapped());
    if (came.of != is_) refuse(wanted.source, came.of);
    return std::move(came.bytes);
  }

  void receive_into(int member, std::uint32_t step, std::span<std::byte> bytes) {
    const std::vector<std::byte> came = receive(member, step);
    if (came.size() != bytes.size()) {
      throw error(error_kind::fault,
                  fmt::format("rank {}: {} #{} on team {:#x}: {} bytes expected from member {}, "
                              "{} came; the members call different collectives or sizes",
                              here_.rank(), name_, number_, among_.id(), bytes.size(), member,
                              came.size()));
    }
    if (!came.empty()) std::memcpy(bytes.data(), came.data(), came.size());
  }

 private:
  /// Whose message came is in another call than this rank.
  [[noreturn]] void refuse(int peer, call theirs) const {
    const std::string whose =
        among_.id() == 0 ? std::string("the world") : fmt::format("team {:#x}", among_.id());
    const std::string mine = fmt::format("{} #{} of {}", name_of(is_), number_, whose);
    std::string why =
        fmt::format("{}: rank {} is in {} there; all members make the same calls in the same order",
                    mine, peer, name_of(theirs));
    if (theirs == call::finish) {
      why = fmt::format("{}: rank {} never called it, and waits in finish", mine, peer);
    } else if (is_ == call::finish) {
      why = fmt::format("finish: rank {} is in {} #{} of {}, which this rank never called", peer,
                        name_of(theirs), number_, whose);
    }
    throw error(error_kind::fault, fmt::format("rank {}: {}", here_.rank(), why));
  }

  const team& among_;
  job& here_;
  const char* name_;
  call is_;
  call_site site_;
  std::uint32_t number_;
};

void fold_into(std::span<std::uint64_t> values, std::span<const std::uint64_t> other, fold how) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    switch (how) {
      case fold::sum: values[i] += other[i]; break;
      case fold::least: values[i] = std::min(values[i], other[i]); break;
      case fold::most: values[i] = std::max(values[i], other[i]); break;
    }
  }
}

/// The highest power of two that divides the rank relative to the root; for the root, one that
/// spans the team: where a member's subtree of the binomial tree ends.
int subtree(int relative, int size) {
  if (relative != 0) return relative & -relative;
  int span = 1;
  while (span < size) span *= 2;
  return span;
}

void broadcast_down(exchange& talk, const team& among, int root, std::uint32_t step,
                    std::span<std::byte> bytes) {
  const int size = among.size();
  const int relative = (among.rank() - root + size) % size;
  const int span = subtree(relative, size);
  if (relative != 0) talk.receive_into((relative - span + root) % size, step, bytes);
  for (int child = span / 2; child > 0; child /= 2) {
    if (relative + child < size) talk.send((relative + child + root) % size, step, bytes);
  }
}

}  // namespace

void barrier_by_messages(const team& among, call_site site) {
  exchange talk(among, call::barrier, site);
  const int size = among.size();
  std::uint32_t step = 0;
  for (int distance = 1; distance < size; distance *= 2, ++step) {
    talk.send((among.rank() + distance) % size, step, {});
    talk.receive_into((among.rank() - distance + size) % size, step, {});
  }
}

void broadcast(const team& among, int root, std::span<std::byte> bytes, call_site site) {
  static_cast<void>(among.world_rank(root));  // throws for a root outside the team
  exchange talk(among, call::broadcast, site);
  broadcast_down(talk, among, root, 0, bytes);
}

void all_gather(const team& among, std::span<const std::byte> mine, std::span<std::byte> all,
                call_site site) {
  const auto size = static_cast<std::size_t>(among.size());
  const auto rank = static_cast<std::size_t>(among.rank());
  const std::size_t block = mine.size();
  if (all.size() != block * size) {
    throw error(error_kind::argument,
                fmt::format("rank {}: all_gather of {} bytes from {} members into {} bytes",
                            among.here().rank(), block, size, all.size()));
  }
  exchange talk(among, call::all_gather, site);
  std::vector<std::byte> gathered(block * size);  // my block first, then my successors'
  std::copy(mine.begin(), mine.end(), gathered.begin());
  std::uint32_t step = 0;
  for (std::size_t have = 1; have < size; have *= 2, ++step) {
    const std::size_t more = std::min(have, size - have);
    const std::span known(gathered);
    talk.send(static_cast<int>((rank + size - have) % size), step, known.first(more * block));
    talk.receive_into(static_cast<int>((rank + have) % size), step,
                      known.subspan(have * block, more * block));
  }
  for (std::size_t i = 0; i < size; ++i) {
    const auto from = std::span(gathered).subspan(i * block, block);
    std::copy(from.begin(), from.end(),
              all.begin() + static_cast<std::ptrdiff_t>((rank + i) % size * block));
  }
}

void all_reduce(const team& among, std::span<std::uint64_t> values, fold how, call_site site) {
  exchange talk(among, call::all_reduce, site);
  const int rank = among.rank();
  std::vector<std::uint64_t> other(values.size());
  const int span = subtree(rank, among.size());
  for (int child = 1; child < span; child *= 2) {
    if (rank + child >= among.size()) break;
    talk.receive_into(rank + child, 0, std::as_writable_bytes(std::span(other)));
    fold_into(values, other, how);
  }
  if (rank != 0) talk.send(rank - span, 0, std::as_bytes(values));
  broadcast_down(talk, among, 0, 1, std::as_writable_bytes(values));
}

wait_reason reason_of(const team& among, const char* call, call_site site) {
  check_may_wait(among.here(), call);
  return {.operation = call,
          .team = among.id(),
          .number = team_access::state(among).control_number,
          .counted = observe::series::controls,
          .site = site};
}

}  // namespace upwash::control
