// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/detail/mailboxes.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/values.hpp"
#include "upwash/core/atomic.hpp"
#include "upwash/core/memory_access.hpp"

namespace upwash::neighborhoods::detail {
namespace {

constexpr std::uint64_t word_bytes = sizeof(std::uint64_t);
/// The cursors of the halves stand in front of these, each in a line of its own.
constexpr std::uint64_t line_words = 8;
constexpr std::uint64_t cursor_words = 2 * line_words;

/// What stands before a letter; behind the last one of a mailbox that was too small, `nobody`.
struct heading {
  std::int32_t from;
  std::int32_t words;
};
constexpr std::int32_t nobody = -1;
static_assert(sizeof(heading) == word_bytes);

std::uint64_t room_for(const letter& one) {
  return 1 + (one.words.size() * sizeof(std::int32_t) + word_bytes - 1) / word_bytes;
}

region made(const team& among, std::uint64_t words) {
  return allocate(among, (cursor_words + 2 * words) * word_bytes, atomicity::automatic,
                  {atomic_kind::fetch_add, atomic_kind::swap});
}

}  // namespace

mailboxes::mailboxes(const team& among, std::uint64_t bytes)
    : among_(among),
      words_(std::max<std::uint64_t>(1, bytes / word_bytes)),
      boxes_(made(among, words_)) {}

void mailboxes::close() { free(boxes_); }

global_ptr<std::uint64_t> mailboxes::cursor(int member) const {
  return boxes_.at<std::uint64_t>(member, half_ * line_words);
}

global_ptr<std::uint64_t> mailboxes::place(int member, std::uint64_t word) const {
  return boxes_.at<std::uint64_t>(member, cursor_words + half_ * words_ + word);
}

std::vector<letter> mailboxes::exchange(std::vector<letter>&& going) {
  std::vector<letter> came;
  for (letter& each : going) {
    if (each.peer == among_.rank()) came.push_back(std::move(each));  // does not travel
  }
  std::erase_if(going, [&](const letter& each) { return each.peer == among_.rank(); });
  for (std::uint64_t wanted = 1; wanted != 0;) {
    // Of the letters for a mailbox that do not fit, the last one ends where all would end.
    wanted = all_reduce<most>(among_, blocking, deliver(going));
    collect(came);
    half_ = 1 - half_;
    if (wanted != 0) grow(wanted);
  }
  std::sort(came.begin(), came.end(),
            [](const letter& a, const letter& b) { return a.peer < b.peer; });
  return came;
}

/// What found no room is left in `going`; returns the end of the last of it in its mailbox, or 0.
std::uint64_t mailboxes::deliver(std::vector<letter>& going) const {
  job& here = among_.here();
  std::vector<std::uint64_t> starts(going.size());
  std::vector<request> under_way;
  for (std::size_t i = 0; i < going.size(); ++i) {
    under_way.push_back(atomic_async(here, cursor(going[i].peer), atomic_kind::fetch_add,
                                     room_for(going[i]), 0, &starts[i]));
  }
  wait_all(under_way);
  under_way.clear();

  std::vector<std::uint64_t> written;
  std::vector<std::size_t> begins;
  for (const letter& each : going) {
    begins.push_back(written.size());
    written.resize(written.size() + room_for(each));
    const heading first{among_.rank(), static_cast<std::int32_t>(each.words.size())};
    std::uint64_t* const at = written.data() + begins.back();
    std::memcpy(at, &first, sizeof first);
    if (!each.words.empty()) {
      std::memcpy(at + 1, each.words.data(), each.words.size() * sizeof(std::int32_t));
    }
  }
  const heading end{nobody, 0};
  const auto end_word = std::bit_cast<std::uint64_t>(end);
  std::uint64_t wanted = 0;
  std::vector<letter> left;
  for (std::size_t i = 0; i < going.size(); ++i) {
    const std::uint64_t room = room_for(going[i]);
    std::span<const std::uint64_t> goes(written.data() + begins[i], room);
    if (starts[i] + room > words_) {
      wanted = std::max(wanted, starts[i] + room);
      goes = std::span(&end_word, starts[i] < words_ ? 1 : 0);
    }
    if (!goes.empty()) under_way.push_back(put(here, place(going[i].peer, starts[i]), goes));
    if (starts[i] + room > words_) left.push_back(std::move(going[i]));
  }
  wait_all(under_way);
  going = std::move(left);
  return wanted;
}

/// All letters of this half are there. It is next used after a reduction that this member has yet
/// to enter.
void mailboxes::collect(std::vector<letter>& came) {
  const int own = among_.rank();
  const std::uint64_t end = std::min(words_, swap(among_.here(), cursor(own), 0));
  const auto box = boxes_.mine_as<std::uint64_t>().subspan(cursor_words + half_ * words_, words_);
  for (std::uint64_t at = 0; at < end;) {
    const auto first = std::bit_cast<heading>(box[at]);
    if (first.from == nobody) return;
    letter& one = came.emplace_back();
    one.peer = first.from;
    one.words.resize(static_cast<std::size_t>(first.words));
    if (first.words != 0) {
      std::memcpy(one.words.data(), &box[at + 1], one.words.size() * sizeof(std::int32_t));
    }
    at += room_for(one);
  }
}

void mailboxes::grow(std::uint64_t words) {
  ++grown_;
  words_ = std::bit_ceil(words);
  free(boxes_);
  boxes_ = made(among_, words_);
  half_ = 0;
}

}  // namespace upwash::neighborhoods::detail
