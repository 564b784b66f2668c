// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"

namespace upwash::matching {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 16U;
constexpr std::uint8_t team_mark = 0xff;
constexpr std::uint64_t most_tag = 0x7fffffff;

/// Number by number.
class recording_reader {
 public:
  recording_reader(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {
    if (!bytes.starts_with(recording_header)) {
      throw error(error_kind::argument,
                  fmt::format("{}: no recording of matching: its first line is not \"{}\"", name,
                              recording_header.substr(0, recording_header.size() - 1)));
    }
    at_ = recording_header.size();
  }

  [[nodiscard]] bool more() const noexcept { return at_ < bytes_.size(); }
  std::uint8_t byte() {
    if (!more()) fail("ends within an event");
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }
  std::uint64_t number(std::string_view what, std::uint64_t least, std::uint64_t most) {
    const std::size_t start = at_;
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint64_t next = byte();
      if (shift == 63 && next > 1) {  // the tenth byte has one bit left
        at_ = start;
        fail(fmt::format("{} has more than 64 bits", what));
      }
      value |= (next & 0x7fU) << shift;
      if ((next & 0x80U) == 0) break;
    }
    if (value < least || value > most) {
      at_ = start;
      fail(fmt::format("{} {} is not from {} to {}", what, value, least, most));
    }
    return value;
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw error(error_kind::argument, fmt::format("{}: byte {}: {}", name_, at_, why));
  }

 private:
  std::string_view bytes_;
  std::string_view name_;
  std::size_t at_ = 0;
};

/// What the fields of an event depend on.
struct recording_state {
  std::int32_t rank = 0;
  std::int32_t ranks = 0;
  std::vector<std::int32_t> team_sizes{};  ///< by context; 0: not told yet
  std::uint64_t now_ns = 0;
  std::uint64_t posts = 0;
};

/// A context that was seen before, or the next new one.
std::uint32_t context_of(recording_reader& from, recording_state& known) {
  const auto seen = from.number("context", 0, known.team_sizes.size());
  if (seen == known.team_sizes.size()) known.team_sizes.push_back(0);
  return static_cast<std::uint32_t>(seen);
}

trace_event event_of(recording_reader& from, trace_event::kind what, recording_state& known) {
  trace_event e;
  e.what = what;
  e.rank = known.rank;
  known.now_ns += from.number("time", 0, ~std::uint64_t{0} - known.now_ns);
  e.time_ns = known.now_ns;
  if (what == trace_event::kind::cancel) {
    e.number = known.posts - from.number("cancelled post", 1, known.posts);
    return e;
  }
  e.context = context_of(from, known);
  const std::uint64_t wild = what == trace_event::kind::arrival ? 1 : 0;  // 0: any
  e.peer =
      static_cast<std::int32_t>(static_cast<std::int64_t>(from.number(
                                    "source + 1", wild, static_cast<std::uint64_t>(known.ranks))) -
                                1);
  e.tag = static_cast<std::int32_t>(
      static_cast<std::int64_t>(from.number("tag + 1", wild, most_tag + 1)) - 1);
  e.kind_of_collective = static_cast<std::uint32_t>(from.number("collective kind", 0, ~0U));
  e.bytes = from.number("bytes", 0, ~std::uint64_t{0});
  if (what == trace_event::kind::post) e.number = known.posts++;
  return e;
}

}  // namespace

recorder::recorder(const std::string& path, std::int32_t rank, std::int32_t ranks)
    : path_(path), file_(path, std::ios::binary | std::ios::trunc), block_(recording_header) {
  if (!file_) throw system_error("recording of matching, " + path, errno);
  put(static_cast<std::uint64_t>(rank));
  put(static_cast<std::uint64_t>(ranks));
}

recorder::~recorder() {
  try {
    write();
    file_.close();
    if (!file_) throw system_error("recording of matching, " + path_, errno);
  } catch (const std::exception& failure) {
    log(log_level::error, "matching", failure.what());
  }
}

std::uint64_t recorder::add(trace_event::kind what, std::uint64_t time_ns, const envelope& with,
                            std::uint64_t bytes, std::int32_t team_size) {
  context& in =
      contexts_.try_emplace(with.context, context{static_cast<std::uint32_t>(contexts_.size())})
          .first->second;
  if (team_size > 0 && !std::exchange(in.has_size, true)) {
    block_.push_back(static_cast<char>(team_mark));
    put(in.number);
    put(static_cast<std::uint64_t>(team_size));
  }
  begin(what, time_ns);
  put(in.number);
  put(static_cast<std::uint64_t>(with.source + std::int64_t{1}));
  put(static_cast<std::uint64_t>(with.tag + std::int64_t{1}));
  put(with.kind);
  put(bytes);
  return what == trace_event::kind::post ? posts_++ : 0;
}

void recorder::cancel(std::uint64_t time_ns, std::uint64_t post) {
  begin(trace_event::kind::cancel, time_ns);
  put(posts_ - post);
}

void recorder::begin(trace_event::kind what, std::uint64_t time_ns) {
  if (block_.size() >= block_bytes) write();
  block_.push_back(static_cast<char>(what));
  put(time_ns - std::min(time_ns, last_ns_));
  last_ns_ = std::max(time_ns, last_ns_);
}

void recorder::put(std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) block_.push_back(static_cast<char>(value | 0x80U));
  block_.push_back(static_cast<char>(value));
}

void recorder::write() {
  file_.write(block_.data(), static_cast<std::streamsize>(block_.size()));
  if (!file_) throw system_error("recording of matching, " + path_, errno);
  block_.clear();
}

std::vector<trace_event> parse_recording(std::string_view bytes, std::string_view name) {
  using kind = trace_event::kind;
  recording_reader from(bytes, name);
  recording_state known;
  known.rank = static_cast<std::int32_t>(from.number("rank", 0, most_trace_ranks - 1));
  known.ranks = static_cast<std::int32_t>(
      from.number("ranks", static_cast<std::uint64_t>(known.rank) + 1, most_trace_ranks));
  std::vector<trace_event> events;
  while (from.more()) {
    const std::uint8_t what = from.byte();
    switch (what) {
      case team_mark: {
        const std::uint32_t context = context_of(from, known);
        known.team_sizes[context] = static_cast<std::int32_t>(
            from.number("team size", 1, static_cast<std::uint64_t>(known.ranks)));
        break;
      }
      case static_cast<std::uint8_t>(kind::post):
      case static_cast<std::uint8_t>(kind::probe):
      case static_cast<std::uint8_t>(kind::claim):
      case static_cast<std::uint8_t>(kind::arrival):
      case static_cast<std::uint8_t>(kind::cancel):
        events.push_back(event_of(from, static_cast<kind>(what), known));
        break;
      default: from.fail(fmt::format("there is no event of kind {}", what));
    }
  }
  for (trace_event& e : events) {
    if (e.what != kind::cancel) e.team_size = known.team_sizes[e.context];
  }
  return events;
}

}  // namespace upwash::matching
