// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/semaphore.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/conduit/waiting.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/core/region_use.hpp"
#include "upwash/core/service.hpp"
#include "upwash/onesided/detail/agreement.hpp"

namespace upwash {
namespace {

constexpr std::size_t line_bytes = 64;  // an owner looks at a word while others are written
constexpr std::uint64_t most_at_once = std::uint64_t{1} << 62U;

using detail::refuse;

void check_same(const team& members, int per_rank, std::uint64_t initial) {
  const std::array mine{static_cast<std::uint64_t>(per_rank), initial};
  if (detail::same_at_all(members, mine)) return;
  refuse(members, fmt::format("a set of {} semaphores a rank with the value {}, and another member "
                              "asks for another one; give the same numbers at all members",
                              per_rank, initial));
}

/// Posts behind data of several messages, which nothing orders: each leaves when the data is told.
class late_posts final : public service_base {
 public:
  explicit late_posts(job& here) : here_(here) {}

  /// `put` takes the notice that its data is there. What it throws goes up; nothing is posted then.
  template <class Put>
  void post_behind(const signal_word& what, const completer& end, const Put& put) {
    auto made = std::make_unique<late_post>(
        late_post{this, what, end, region_use(here_, what.word.as<std::byte>())});
    late_post* post = made.get();
    waiting_.emplace(post, std::move(made));
    try {
      put(notice::call(&late_posts::send, post));
    } catch (...) {
      sent(post);
      throw;
    }
  }

 private:
  struct late_post {
    late_posts* home;
    signal_word what;
    completer end;
    region_use words;
  };
  static void send(void* context) {
    const late_post& post = *static_cast<late_post*>(context);
    put_signal(post.home->here_, post.what.word, {}, post.what,
               {.local = {}, .remote = notice::call(&late_posts::sent, context)});
  }
  static void sent(void* context) {
    auto& post = *static_cast<late_post*>(context);
    post.end.complete();
    post.home->waiting_.erase(&post);
  }

  job& here_;
  std::unordered_map<const late_post*, std::unique_ptr<late_post>> waiting_;
};

}  // namespace

semaphore_set::semaphore_set(const team& members, int per_rank, std::uint64_t initial)
    : semaphore_set(members, per_rank, initial, line_bytes) {}

semaphore_set::semaphore_set(const team& members, int per_rank, std::uint64_t initial,
                             std::size_t stride_bytes)
    : members_(members), stride_(stride_bytes), per_rank_(per_rank) {
  if (per_rank < 0 || initial > most_at_once) {
    refuse(members, fmt::format("a set of {} semaphores a rank with the value {}; give 0 or more "
                                "semaphores, and values up to 2^62",
                                per_rank, initial));
  }
  check_same(members, per_rank, initial);
  // All changes of a word are signals of puts: whoever carries these out does it for all alike.
  words_ =
      allocate(members, static_cast<std::size_t>(per_rank) * stride_, atomicity::automatic, {});
  left_.assign(static_cast<std::size_t>(per_rank), std::uint64_t{0} - initial);  // wraps, and back
}

void semaphore_set::check(std::string_view call, int member, int index, std::uint64_t n) const {
  if (!words_) {
    throw error(error_kind::argument,
                fmt::format("{} of a semaphore in a set that was not made, or is released", call));
  }
  if (member < 0 || member >= members_.size()) {
    refuse(members_, fmt::format("{} of a semaphore at member {}; the team has members 0 to {}",
                                 call, member, members_.size() - 1));
  }
  if (index < 0 || index >= per_rank_) {
    refuse(members_, fmt::format("{} of semaphore {} at member {}; the set has {} at each, counted "
                                 "from 0",
                                 call, index, member, per_rank_));
  }
  if (n == 0 || n > most_at_once) {
    refuse(members_, fmt::format("{} of semaphore {} at member {} by {}; give 1 to 2^62", call,
                                 index, member, n));
  }
}

global_ptr<std::uint64_t> semaphore_set::word(int member, int index) const {
  return words_.at(member, static_cast<std::uint64_t>(index) * stride_).as<std::uint64_t>();
}

const std::uint64_t& semaphore_set::own_word(int index) const {
  const std::size_t at = static_cast<std::size_t>(index) * stride_ / sizeof(std::uint64_t);
  return words_.mine_as<std::uint64_t>()[at];
}

request semaphore_set::post(int member, int index, std::uint64_t n) {
  check("post", member, index, n);
  const auto to = word(member, index);
  return put_signal(members_.here(), to, {}, {to, n});
}

request semaphore_set::put_and_post_bytes(global_ptr<std::byte> to, std::span<const std::byte> from,
                                          int index, std::uint64_t n) {
  const int member = words_ ? members_.member_of(to.rank()) : -1;
  check("put_and_post", member, index, n);
  return put_signal(members_.here(), to, from, {word(member, index), n});
}

request semaphore_set::put_and_post_laid(global_ptr<std::byte> to, std::span<const std::byte> from,
                                         const layout& laid, int index, std::uint64_t n,
                                         const transfer_options& how) {
  const int member = words_ ? members_.member_of(to.rank()) : -1;
  check("put_and_post", member, index, n);
  job& here = members_.here();
  const signal_word post{word(member, index), n};
  if (detail::put_laid_at_once(here, to, from, laid)) return put_signal(here, post.word, {}, post);
  auto [handle, end] =
      begin_operation(here, {.operation = "put_and_post", .peer = to.rank(), .bytes = from.size()});
  here.service<late_posts>().post_behind(post, end, [&](const notice& data_is_there) {
    detail::put_laid(here, to, from, laid, how, data_is_there);
  });
  return std::move(handle);
}

void semaphore_set::wait(int index, std::uint64_t n, call_site site) {
  check("wait", words_ ? members_.rank() : -1, index, n);
  auto& left = left_[static_cast<std::size_t>(index)];
  const std::uint64_t& posted = own_word(index);
  if (value(index) < n) {  // more posts must come, so their number has not wrapped
    host(members_.here())
        .wait(
            conduit::wait_target::peers_word(posted, conduit::comparison::greater_equal, left + n),
            {.operation = "wait for a semaphore", .team = members_.id(), .site = site});
  }
  left += n;
}

bool semaphore_set::try_wait(int index, std::uint64_t n) {
  check("try_wait", words_ ? members_.rank() : -1, index, n);
  if (value(index) < n) members_.here().progress();
  if (value(index) < n) return false;
  left_[static_cast<std::size_t>(index)] += n;
  return true;
}

std::uint64_t semaphore_set::value(int index) const {
  check("value", words_ ? members_.rank() : -1, index, 1);
  auto& posted = const_cast<std::uint64_t&>(own_word(index));  // atomic_ref takes no const here
  // Acquire: the data that was put before the post is there.
  return std::atomic_ref(posted).load(std::memory_order_acquire) -
         left_[static_cast<std::size_t>(index)];
}

void semaphore_set::release() {
  if (!words_) return;
  free(words_);
  words_ = {};
  left_.clear();
}

notifications::notifications(const team& members)
    : counts_(members, members.size(), 0, sizeof(std::uint64_t)), rank_(members.rank()) {}

void notifications::check(std::string_view call, int member, std::uint64_t n) const {
  if (!counts_) {
    throw error(error_kind::argument,
                fmt::format("{} among notifications that were not made, or are released", call));
  }
  const team& members = counts_.members_;
  if (member < 0 || member >= members.size()) {
    refuse(members, fmt::format("{} of member {}; the team has members 0 to {}", call, member,
                                members.size() - 1));
  }
  if (n == 0 || n > most_at_once) {
    refuse(members, fmt::format("{} of member {} {} times; give 1 to 2^62", call, member, n));
  }
}

request notifications::notify(int member, std::uint64_t n) {
  check("notify", member, n);
  return counts_.post(member, rank_, n);
}

void notifications::wait_for(int member, std::uint64_t count, call_site site) {
  check("wait_for", member, count);
  counts_.wait(member, count, site);
}

bool notifications::try_wait_for(int member, std::uint64_t count) {
  check("try_wait_for", member, count);
  return counts_.try_wait(member, count);
}

}  // namespace upwash
