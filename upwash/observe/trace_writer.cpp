// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/observe/trace_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"

namespace upwash::observe {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t lost_events = 256;

std::size_t chunk_offset(std::uint64_t which, std::size_t events) {
  return trace_head::events_at + static_cast<std::size_t>(which) * events * sizeof(trace_event);
}

/// A file that is open as long as this.
class open_file {
 public:
  open_file(const std::string& path, int flags) : descriptor_(open(path.c_str(), flags, 0600)) {}
  ~open_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

/// Real disk for [offset, offset + bytes), so that a store never finds that there is none. False
/// with errno where there is none.
bool reserve(const open_file& file, std::size_t offset, std::size_t bytes) {
  errno = posix_fallocate(file.descriptor(), static_cast<off_t>(offset), static_cast<off_t>(bytes));
  return errno == 0;
}

std::int64_t world_clock_ahead_ns() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_1970).count() -
         steady_now().ps() / 1000;
}

template <std::size_t Bytes>
void write_text(std::array<char, Bytes>& into, std::string_view text) {
  const std::size_t kept = std::min(text.size(), Bytes - 1);
  std::copy_n(text.begin(), kept, into.begin());
}

}  // namespace

std::string_view to_string(trace_kind kind) noexcept {
  switch (kind) {
    case trace_kind::send: return "send";
    case trace_kind::arrive: return "arrive";
    case trace_kind::put: return "put";
    case trace_kind::get: return "get";
    case trace_kind::atomic: return "atomic";
    case trace_kind::flush: return "flush";
    case trace_kind::wait: return "wait";
    case trace_kind::collective: return "collective";
    case trace_kind::compute: return "compute";
    case trace_kind::choice: return "choice";
    case trace_kind::batch: return "batch";
    case trace_kind::tagged: return "tagged";
    case trace_kind::receive: return "receive";
    case trace_kind::queues: return "queues";
    case trace_kind::migrate: return "migrate";
    case trace_kind::step: return "step";
  }
  return "?";
}

trace_writer::trace_writer(std::string path, const trace_owner& owner, std::size_t most_bytes,
                           std::size_t chunk_bytes)
    : path_(std::move(path)),
      // Chunks begin at a page: a page has no whole number of events, five pages have 512.
      chunk_events_(std::max<std::size_t>(1, chunk_bytes / (5 * page)) * (5 * page) /
                    sizeof(trace_event)),
      chunks_(std::max<std::size_t>(1, most_bytes / (chunk_events_ * sizeof(trace_event)))),
      lost_(lost_events),
      known_(256) {
  const open_file file(path_, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC);
  if (file.descriptor() < 0 || !reserve(file, 0, trace_head::events_at)) {
    throw error(error_kind::environment,
                fmt::format("rank {}: cannot write the trace {}: {}; name a folder with room by "
                            "UPWASH_TRACE or --trace",
                            owner.rank, path_, std::strerror(errno)));
  }
  void* const at = mmap(nullptr, trace_head::events_at, PROT_READ | PROT_WRITE, MAP_SHARED,
                        file.descriptor(), 0);
  if (at == MAP_FAILED) {
    throw error(error_kind::environment, fmt::format("rank {}: cannot map the trace {}: {}",
                                                     owner.rank, path_, std::strerror(errno)));
  }
  head_ = new (at) trace_head;
  head_->version = trace_head::right_version;
  head_->event_bytes = sizeof(trace_event);
  head_->rank = owner.rank;
  head_->ranks = owner.ranks;
  head_->node = owner.node;
  head_->process = owner.process;
  head_->virtual_time = owner.virtual_time ? 1 : 0;
  if (!owner.virtual_time) {
    head_->zero_ps = owner.zero.ps();
    head_->epoch_ns = world_clock_ahead_ns();
  }
  head_->capacity = chunks_ * chunk_events_;
  std::array<char, 64> host{};
  gethostname(host.data(), host.size() - 1);
  head_->host = host;
  write_text(head_->conduit, owner.conduit);
  static_cast<void>(add_name("?"));        // of what has none
  head_->magic = trace_head::right_magic;  // last: whoever sees it sees a head
}

trace_writer::~trace_writer() {
  if (mapped_ != nullptr) munmap(mapped_, mapped_bytes_);
  munmap(head_, trace_head::events_at);
}

void trace_writer::close() noexcept {
  count_refused();
  head_->ended = 1;
}

/// Since it was asked last.
void trace_writer::count_refused() noexcept {
  if (counts_ != 0) return;
  head_->refused += static_cast<std::uint64_t>(next_ - lost_from_);
  lost_from_ = next_;
}

/// The next chunk, which may be the oldest one again.
void trace_writer::turn_over() noexcept {
  count_refused();
  if (counts_ != 0) {
    if (map_chunk(chunk_ % chunks_)) {
      ++chunk_;
      next_ = first_;
      end_ = first_ + chunk_events_;
      return;
    }
    log(log_level::warning, "trace",
        fmt::format("{}: no room on the disk; events from now on are counted, not kept", path_));
    counts_ = 0;
  }
  next_ = lost_from_ = lost_.data();
  end_ = next_ + lost_.size();
}

bool trace_writer::map_chunk(std::uint64_t which) noexcept {
  const std::size_t offset = chunk_offset(which, chunk_events_);
  const std::size_t bytes = chunk_events_ * sizeof(trace_event);
  const open_file file(path_, O_RDWR | O_CLOEXEC);
  if (file.descriptor() < 0 || !reserve(file, offset, bytes)) return false;
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                        file.descriptor(), static_cast<off_t>(offset));
  if (at == MAP_FAILED) return false;
  if (mapped_ != nullptr) munmap(mapped_, mapped_bytes_);
  mapped_ = at;
  mapped_bytes_ = bytes;
  first_ = static_cast<trace_event*>(at);
  return true;
}

trace_writer::known_name& trace_writer::find(const char* what, const char* more, const char* file,
                                             std::uint32_t line) {
  if (known_count_ * 2 >= known_.size()) grow_names();
  const std::size_t mask = known_.size() - 1;
  std::size_t at =
      (reinterpret_cast<std::uintptr_t>(what) * 3 + reinterpret_cast<std::uintptr_t>(more) * 5 +
       reinterpret_cast<std::uintptr_t>(file) * 7 + line) *
          0x9e3779b97f4a7c15U >>
      32U;
  for (;; ++at) {
    known_name& place = known_[at & mask];
    if (place.id == unknown) {
      place = {what, more, file, line, unknown};
      ++known_count_;
      return place;
    }
    if (place.what == what && place.more == more && place.file == file && place.line == line) {
      return place;
    }
  }
}

void trace_writer::grow_names() {
  std::vector<known_name> before(known_.size() * 2);
  before.swap(known_);
  known_count_ = 0;
  for (const known_name& each : before) {
    if (each.id != unknown) find(each.what, each.more, each.file, each.line).id = each.id;
  }
}

std::uint32_t trace_writer::name(const char* what, const char* more, const call_site& at) {
  known_name& place = find(what, more, at.file, at.line);
  if (place.id != unknown) return place.id;
  std::string text(what);
  if (more != nullptr && *more != '\0') text += fmt::format(" {}", more);
  if (at.line != 0) text += fmt::format(" at {}:{}", at.name(), at.line);
  place.id = add_name(text);
  return place.id;
}

std::uint32_t trace_writer::long_text(std::string_view text) {
  text = text.substr(0, most_long_text);
  if (text.size() > long_texts_left_) return 0;
  long_texts_left_ -= text.size();
  return add_name(text);
}

/// 0 where there is no room for more.
std::uint32_t trace_writer::add_name(std::string_view text) {
  if (head_->names == trace_head::most_names ||
      head_->names_bytes + text.size() + 1 > trace_head::name_room) {
    return 0;
  }
  char* const at = reinterpret_cast<char*>(head_) + trace_head::bytes + head_->names_bytes;
  std::memcpy(at, text.data(), text.size());
  at[text.size()] = '\0';
  head_->names_bytes += static_cast<std::uint32_t>(text.size() + 1);
  return head_->names++;
}

}  // namespace upwash::observe
