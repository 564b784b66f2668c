// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/observe/trace_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/base/output_file.hpp"
#include "upwash/observe/detail/trace_clocks.hpp"

namespace upwash::observe {
namespace {

namespace files = std::filesystem;

constexpr std::string_view set_magic = "upwash traces 1\n";

using bytes = std::vector<char>;

std::optional<bytes> read_file(const files::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return bytes(std::istreambuf_iterator<char>(in), {});
}

/// Parts are called by their ranks; whatever else lies in a folder is not ours.
bool is_part(const files::directory_entry& each) {
  std::error_code ignored;
  const std::string name = each.path().filename().string();
  return each.is_regular_file(ignored) &&
         std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<files::path> parts_in(const files::path& folder) {
  std::vector<files::path> parts;
  std::error_code ignored;
  for (const auto& each : files::directory_iterator(folder, ignored)) {
    if (is_part(each)) parts.push_back(each.path());
  }
  std::ranges::sort(parts);
  return parts;
}

/// Of a part, the bytes that say something: its disk was taken in whole chunks.
std::size_t used_bytes(const bytes& part) {
  trace_head head;
  if (part.size() < trace_head::events_at) return part.size();
  std::memcpy(&head, part.data(), sizeof head);
  const std::uint64_t kept = std::min(head.written, head.capacity);
  const std::uint64_t room = (part.size() - trace_head::events_at) / sizeof(trace_event);
  return trace_head::events_at +
         static_cast<std::size_t>(std::min(kept, room)) * sizeof(trace_event);
}

void write_set(const std::vector<files::path>& parts, std::ostream& out) {
  const std::uint64_t count = parts.size();
  out.write(set_magic.data(), set_magic.size());
  out.write(reinterpret_cast<const char*>(&count), sizeof count);
  for (const files::path& each : parts) {
    const bytes part = read_file(each).value_or(bytes{});
    const std::uint64_t length = used_bytes(part);
    out.write(reinterpret_cast<const char*>(&length), sizeof length);
    out.write(part.data(), static_cast<std::streamsize>(length));
  }
}

/// Of a damaged or foreign trace, what would do something to a terminal. Choices are lines of
/// fields between tabs.
bool is_control(char c) { return (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == '\x7f'; }

/// A part, or why it is none.
class part_reader {
 public:
  part_reader(std::span<const char> part, std::string where, std::vector<std::string>& faults)
      : part_(part), where_(std::move(where)), faults_(faults) {}

  [[nodiscard]] std::optional<traced_rank> read() {
    if (part_.size() < trace_head::events_at) {
      return refuse(fmt::format("it has {} bytes, less than a head", part_.size()));
    }
    std::memcpy(&of_.head, part_.data(), sizeof of_.head);
    of_.head.conduit.back() = '\0';
    const trace_head& head = of_.head;
    if (head.magic != trace_head::right_magic) return refuse("it is no part of a trace");
    if (head.version == 0 || head.version > trace_head::right_version ||
        head.event_bytes != sizeof(trace_event)) {
      return refuse(fmt::format("it has version {}, this reads up to {}", head.version,
                                trace_head::right_version));
    }
    if (head.rank < 0 || head.ranks <= 0 || head.rank >= head.ranks || head.capacity == 0) {
      return refuse(fmt::format("its head says rank {} of {}", head.rank, head.ranks));
    }
    read_names();
    read_events();
    if (head.refused != 0) fault(fmt::format("the disk was full: {} events", head.refused));
    if (head.ended == 0) fault("the rank did not end its job in good order");
    return std::move(of_);
  }

 private:
  std::optional<traced_rank> refuse(const std::string& why) {
    faults_.push_back(fmt::format("{}: left out: {}", where_, why));
    return std::nullopt;
  }
  void fault(const std::string& what) {
    faults_.push_back(fmt::format("rank {}: {}", of_.head.rank, what));
  }

  void read_names() {
    const char* at = part_.data() + trace_head::bytes;
    const char* const end = at + std::min<std::size_t>(of_.head.names_bytes, trace_head::name_room);
    while (at < end && of_.names.size() < trace_head::most_names) {
      const char* const stop = std::find(at, end, '\0');
      of_.names.emplace_back(at, stop);
      std::ranges::replace_if(of_.names.back(), &is_control, '?');
      at = stop == end ? end : stop + 1;
    }
    if (of_.names.empty()) of_.names.emplace_back("?");
  }

  /// In the order in which they were written: a part that went round begins behind its newest.
  void read_events() {
    const std::uint64_t room = (part_.size() - trace_head::events_at) / sizeof(trace_event);
    const std::uint64_t kept = std::min(of_.head.written, of_.head.capacity);
    const std::uint64_t here = std::min(kept, room);
    if (here < kept)
      fault(fmt::format("{} events are missing: the part is cut short", kept - here));
    const bool went_round = of_.head.written > of_.head.capacity && here == kept;
    const std::uint64_t oldest = went_round ? of_.head.written % of_.head.capacity : 0;
    of_.overwritten = of_.head.written - kept;
    of_.events.reserve(static_cast<std::size_t>(here));
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < here; ++i) {
      const std::uint64_t at = (oldest + i) % here;
      trace_event e;
      std::memcpy(&e, part_.data() + trace_head::events_at + at * sizeof e, sizeof e);
      if (is_right(e)) {
        of_.events.push_back(e);
      } else {
        ++wrong;
      }
    }
    // The last event of a rank that was killed may be half written.
    if (wrong > (of_.head.ended == 0 ? 1U : 0U)) {
      fault(fmt::format("{} events are left out: they make no sense", wrong));
    }
  }

  [[nodiscard]] bool is_right(const trace_event& e) const noexcept {
    constexpr std::int64_t most_ps = std::int64_t{1} << 60U;  // 13 days; sums of some do not wrap
    return static_cast<std::size_t>(e.kind) < trace_kind_count && e.peer >= -1 &&
           e.peer < of_.head.ranks && e.begin_ps >= 0 && e.begin_ps < most_ps &&
           e.length_ps < static_cast<std::uint64_t>(most_ps) && e.lane < 3;
  }

  std::span<const char> part_;
  std::string where_;
  std::vector<std::string>& faults_;
  traced_rank of_;
};

void add_part(trace& made, std::span<const char> part, const std::string& where) {
  auto one = part_reader(part, where, made.faults).read();
  if (one) made.ranks.push_back(std::move(*one));
}

void read_set(trace& made, const bytes& all, const std::string& path) {
  std::span<const char> rest(all);
  rest = rest.subspan(set_magic.size());
  const auto number = [&rest]() -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    if (rest.size() < sizeof value) return std::nullopt;
    std::memcpy(&value, rest.data(), sizeof value);
    rest = rest.subspan(sizeof value);
    return value;
  };
  const auto count = number();
  for (std::uint64_t i = 0; count && i < *count; ++i) {
    const auto length = number();
    if (!length) {
      made.faults.push_back(
          fmt::format("{}: cut short: {} of {} parts are there", path, i, *count));
      return;
    }
    const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(*length, rest.size()));
    add_part(made, rest.first(here), fmt::format("{} part {}", path, i));
    rest = rest.subspan(here);
  }
}

void read_folder(trace& made, const files::path& folder) {
  for (const files::path& each : parts_in(folder)) {
    if (const auto part = read_file(each)) add_part(made, *part, each.string());
  }
}

/// Ranks twice, of other jobs, or missing.
void check_ranks(trace& made) {
  auto& ranks = made.ranks;
  std::ranges::stable_sort(ranks, {}, [](const traced_rank& r) { return r.head.rank; });
  for (std::size_t i = 1; i < ranks.size();) {
    const bool twice = ranks[i].head.rank == ranks[i - 1].head.rank;
    const bool foreign = ranks[i].head.ranks != ranks[0].head.ranks;
    if (!twice && !foreign) {
      ++i;
      continue;
    }
    made.faults.push_back(fmt::format("rank {} of {}: left out: {}", ranks[i].head.rank,
                                      ranks[i].head.ranks,
                                      twice ? "it is there twice" : "of another job"));
    ranks.erase(ranks.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (ranks.empty()) return;
  const int size = ranks.front().head.ranks;  // a damaged one may be of billions
  const std::size_t missing = static_cast<std::size_t>(size) - ranks.size();
  if (missing == 0) return;
  constexpr std::size_t most_shown = 10;
  std::vector<int> shown;
  std::size_t next = 0;
  for (int r = 0; r < size && shown.size() < std::min(missing, most_shown); ++r) {
    if (next < ranks.size() && ranks[next].head.rank == r) {
      ++next;
    } else {
      shown.push_back(r);
    }
  }
  made.faults.push_back(fmt::format("{} of {} ranks have no part: {}{}", missing, size,
                                    fmt::join(shown, ", "), shown.size() < missing ? ", ..." : ""));
}

}  // namespace

std::string parts_folder(std::string_view file) { return fmt::format("{}.parts", file); }

void forget_parts(std::string_view file) {
  const std::string folder = parts_folder(file);
  std::error_code ignored;
  for (const files::path& each : parts_in(folder)) files::remove(each, ignored);
  files::remove(folder, ignored);  // refuses while something else is there
}

void merge_parts(const std::string& file) {
  const std::string folder = parts_folder(file);
  const auto parts = parts_in(folder);
  if (parts.empty()) return forget_parts(file);
  try {
    output_file out(file);
    write_set(parts, out.stream());
    out.finish();
  } catch (const error& failure) {
    return log(log_level::warning, "trace",
               fmt::format("{}: the trace stays in parts in {}, which upwash trace reads too",
                           failure.what(), folder));
  }
  forget_parts(file);
}

void check_trace_file(const std::string& file) {
  std::error_code why;
  const auto type = files::status(file, why).type();
  if (type == files::file_type::not_found || type == files::file_type::regular) return;
  const char* const is = type == files::file_type::directory ? "a folder"
                         : type == files::file_type::fifo    ? "a FIFO"
                         : type == files::file_type::none    ? "out of reach"
                                                             : "a device or a socket";
  throw error(error_kind::environment,
              fmt::format("cannot write the trace {}: it is {}{}{}; name a regular file by "
                          "UPWASH_TRACE or --trace",
                          file, is, why ? ", " : "", why ? why.message() : ""));
}

namespace {

/// Whether the descriptor is of the file that has the name now.
bool is_at(const std::string& path, int descriptor) {
  struct stat named {};
  struct stat open {};
  return stat(path.c_str(), &named) == 0 && fstat(descriptor, &open) == 0 &&
         named.st_ino == open.st_ino && named.st_dev == open.st_dev;
}

/// A descriptor of the folder, which it makes; -1 with errno.
int make_folder(const std::string& path) {
  std::error_code why;
  files::create_directories(path, why);
  if (why) {
    errno = why.value();
    return -1;
  }
  return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

}  // namespace

trace_claim::trace_claim(std::string file) : file_(std::move(file)) {
  check_trace_file(file_);
  const std::string path = parts_folder(file_);
  // Another job may remove the folder between the opening and the lock.
  do {
    if (folder_ >= 0) close(folder_);
    folder_ = make_folder(path);
    if (folder_ < 0) {
      throw error(error_kind::environment,
                  fmt::format("cannot make the folder {} for the trace: {}; name another file by "
                              "UPWASH_TRACE or --trace",
                              path, std::strerror(errno)));
    }
    // File systems without locks are used without them.
    if (flock(folder_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(folder_);
      throw error(error_kind::environment,
                  fmt::format("another job writes the trace {}; wait for its end, or name another "
                              "file by UPWASH_TRACE or --trace",
                              file_));
    }
  } while (!is_at(path, folder_));
  std::error_code ignored;
  for (const files::path& each : parts_in(path)) files::remove(each, ignored);
}

trace_claim::~trace_claim() {
  std::error_code ignored;
  const std::string path = parts_folder(file_);
  if (is_at(path, folder_)) files::remove(path, ignored);  // refuses while something is in it
  close(folder_);
}

trace read_trace(const std::string& path) {
  trace made;
  std::error_code ignored;
  const bool has_parts = !parts_in(parts_folder(path)).empty();
  if (files::is_directory(path, ignored)) {
    read_folder(made, path);
  } else if (const auto all = read_file(path);
             all && std::string_view(all->data(), all->size()).starts_with(set_magic)) {
    read_set(made, *all, path);
  } else if (all) {
    add_part(made, *all, path);
  } else if (has_parts) {
    read_folder(made, parts_folder(path));
  }
  if (has_parts && files::exists(path, ignored)) {
    made.faults.push_back(fmt::format(
        "{0} holds another run, not put together: upwash trace {0} shows it", parts_folder(path)));
  }
  check_ranks(made);
  if (made.ranks.empty()) {
    throw error(error_kind::argument,
                fmt::format("{}: no trace{}{}; a run with UPWASH_TRACE={} writes one", path,
                            made.faults.empty() ? "" : ": ",
                            made.faults.empty() ? "" : made.faults.front(), path));
  }
  detail::set_clocks(made);
  return made;
}

}  // namespace upwash::observe
