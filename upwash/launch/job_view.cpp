// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/job_view.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/printable.hpp"
#include "upwash/base/process_facts.hpp"
#include "upwash/launch/detail/control_block.hpp"
#include "upwash/launch/detail/foreign_board.hpp"
#include "upwash/launch/detail/standing_gatherer.hpp"

namespace upwash::launch {
namespace {

namespace files = std::filesystem;

/// A descriptor that is closed at the end.
class descriptor {
 public:
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&&) = delete;
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int number() const noexcept { return fd_; }

 private:
  int fd_;
};

/// Whether the memory belongs to the user whose process shows it, and cannot become smaller under
/// its reader: a foreign process may show any descriptor under any name.
bool is_control_of(int pid, int fd) {
  struct stat process {};
  struct stat memory {};
  const int seals = fcntl(fd, F_GET_SEALS);
  return stat(fmt::format("/proc/{}", pid).c_str(), &process) == 0 && fstat(fd, &memory) == 0 &&
         process.st_uid == memory.st_uid && seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
}

/// The control block of a launcher, by one of its descriptors; processes of the job have none.
std::optional<descriptor> control_of(int pid, std::string_view name) {
  std::error_code ignored;
  const files::path folder = fmt::format("/proc/{}/fd", pid);
  for (const auto& each : files::directory_iterator(folder, ignored)) {
    const std::string target = files::read_symlink(each.path(), ignored).string();
    if (!target.starts_with(fmt::format("/memfd:{}", name))) continue;
    descriptor made(open(each.path().c_str(), O_RDWR | O_CLOEXEC));
    if (made.number() >= 0 && is_control_of(pid, made.number())) return made;
  }
  return std::nullopt;
}

std::string command_line_of(int pid) {
  std::ifstream in(fmt::format("/proc/{}/cmdline", pid), std::ios::binary);
  std::string words(std::istreambuf_iterator<char>(in), {});
  std::ranges::replace(words, '\0', ' ');
  while (words.ends_with(' ')) words.pop_back();
  return printable(words);
}

std::optional<detail::control_block> block_of(int pid, std::string_view name) {
  const auto control = control_of(pid, name);
  if (!control) return std::nullopt;
  auto block = detail::control_block::attach(control->number());
  if (block.header().creator != pid) return std::nullopt;  // a process that the launcher started
  return block;
}

}  // namespace

std::vector<running_job> running_jobs() {
  std::vector<running_job> all;
  std::error_code ignored;
  for (const auto& each : files::directory_iterator("/proc", ignored)) {
    const std::string name = each.path().filename().string();
    int pid = 0;
    const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (failed != std::errc() || end != name.data() + name.size()) continue;
    try {
      auto block = block_of(pid, detail::reaching_all);
      if (!block) block = block_of(pid, detail::reaching_some);
      if (block) all.push_back({pid, block->ranks(), command_line_of(pid)});
    } catch (const error&) {
      continue;  // of another version
    }
  }
  std::ranges::sort(all, {}, &running_job::launcher);
  return all;
}

namespace {

/// Whether `pid` was started by `ancestor`, or by what that started.
bool descends_from(int pid, int ancestor) {
  constexpr int most_generations = 20;
  for (int i = 0; i < most_generations && pid > 1; ++i) {
    pid = parent_of(pid);
    if (pid == ancestor) return true;
  }
  return false;
}

}  // namespace

struct job_view::parts {
  explicit parts(int pid, detail::control_block&& of)
      : launcher(pid),
        started(process_started(pid)),
        block(std::move(of)),
        layout(block.layout()) {}

  int launcher;
  std::uint64_t started;
  detail::control_block block;
  conduit::rank_layout layout;
};

job_view::job_view(int launcher) {
  auto block = block_of(launcher, detail::reaching_all);
  if (!block && control_of(launcher, detail::reaching_some)) {
    throw error(error_kind::argument,
                fmt::format("job {}: another launcher has started it on other hosts, whose ranks "
                            "cannot be asked from here; give it conduit shm+ucx, whose hosts "
                            "upwash run reaches itself",
                            launcher));
  }
  if (!block) {
    throw error(error_kind::argument,
                fmt::format("process {} is no launcher of a job of yours; `upwash status` without "
                            "one lists them",
                            launcher));
  }
  parts_ = std::make_unique<parts>(launcher, std::move(*block));
}

job_view::~job_view() = default;

int job_view::ranks() const noexcept { return parts_->block.ranks(); }

bool job_view::runs() const { return process_lives(parts_->launcher, parts_->started); }

int job_view::process_of(int rank) const {
  const int pid = parts_->block.slot(parts_->layout.process_of(rank)).pid.load();
  // A host's part of a job knows the others' processes by numbers of their hosts.
  return descends_from(pid, parts_->launcher) ? pid : 0;
}

int job_view::ranks_beside(int rank) const {
  return parts_->layout.count_of(parts_->layout.process_of(rank));
}

std::vector<observe::standing> job_view::ask(duration patience) {
  detail::standing_gatherer asked(parts_->block, 0, ranks(), patience);
  asked.ask(parts_->block.header().question.load() + 1, steady_now());
  for (;;) {
    if (auto all = asked.look(steady_now())) return std::move(*all);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace upwash::launch
