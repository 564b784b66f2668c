// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/foreign_board.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/base/process.hpp"
#include "upwash/base/process_facts.hpp"
#include "upwash/launch/bootstrap.hpp"

namespace upwash::launch {
namespace detail {
namespace {

bool is_here(const job_map& map) {
  return map.node_count() == 1 && (map.hosts.empty() || map.hosts.front().empty());
}

/// A process's place on the board.
class place_on_board final : public conduit::launcher_board, private observe::hang_board {
 public:
  place_on_board(control_block block, int process, bool whole)
      : observe::hang_board(block.header().question),
        block_(std::move(block)),
        mine_(block_.slot(process)),
        whole_(whole) {
    mine_.started = process_started(getpid());
    mine_.pid.store(getpid());
    mine_.state.store(process_state::attached);
    process::show_current_rank(&mine_.running);
    block_.header().attached.fetch_add(1);
  }
  ~place_on_board() override { process::show_current_rank(nullptr); }
  place_on_board(const place_on_board&) = delete;
  place_on_board& operator=(const place_on_board&) = delete;

  void finished() noexcept override { mine_.state.store(process_state::finished); }
  void lost(std::string_view text) noexcept override { block_.fail(-1, 1, text, false); }
  [[nodiscard]] observe::hang_board* hang_board() noexcept override {
    return whole_ ? this : nullptr;
  }

 private:
  void answer(const observe::standing& mine, std::uint32_t question) noexcept override {
    observe::standing told = mine;
    told.process = getpid();
    block_.standing(mine.rank).write(told, question);
  }
  void tell_of_hang() noexcept override { block_.header().hangs.fetch_add(1); }

  control_block block_;
  process_slot& mine_;
  bool whole_;
};

}  // namespace

foreign_board::foreign_board(const job_map& map)
    : reaches_all_(is_here(map)),
      fd_(memfd_create(reaches_all_ ? reaching_all : reaching_some,
                       MFD_CLOEXEC | MFD_ALLOW_SEALING)),
      block_(control_block::create(fd_, map)),
      hangs_(block_),
      watched_(static_cast<std::size_t>(map.processes()), -1) {}

foreign_board::~foreign_board() {
  for (const int each : watched_) {
    if (each >= 0) close(each);
  }
  close(fd_);
}

void foreign_board::add_descriptors(std::vector<pollfd>& fds) const {
  for (const int each : watched_) {
    if (each >= 0) fds.push_back({each, POLLIN, 0});
  }
}

void foreign_board::look() {
  for (int process = 0; process < block_.processes(); ++process) {
    const process_slot& slot = block_.slot(process);
    if (slot.state.load() != process_state::attached) continue;
    int& watched = watched_[static_cast<std::size_t>(process)];
    if (watched < 0 && first_gone_ < 0) {
      watched = static_cast<int>(syscall(SYS_pidfd_open, slot.pid.load(), 0));
    }
    pollfd gone{watched, POLLIN, 0};
    if (watched < 0 || poll(&gone, 1, 0) != 1) continue;
    close(std::exchange(watched, -1));
    if (slot.state.load() == process_state::attached && first_gone_ < 0) first_gone_ = process;
  }
}

/// Also when it was started: on another host the pid may be another launcher's.
std::string foreign_board::name() const {
  return fmt::format("{}:{}:{}", getpid(), fd_, block_.header().creator_started);
}

std::string_view foreign_board::lost() const noexcept {
  return block_.failure_told() ? block_.header().failed_text.data() : std::string_view{};
}

bool foreign_board::was_joined() const noexcept {
  int process = block_.processes() - 1;
  while (process >= 0 && block_.slot(process).state.load() == process_state::absent) --process;
  return process >= 0;
}

int foreign_board::unfinished() const noexcept {
  if (first_gone_ >= 0) return first_gone_;
  int process = block_.processes() - 1;
  while (process >= 0 && block_.slot(process).state.load() != process_state::attached) --process;
  return process;
}

}  // namespace detail

std::unique_ptr<conduit::launcher_board> board_of_launcher(const settings& values,
                                                           const conduit::bootstrap& place) {
  const std::string& name = values.text("boot_board");
  int pid = 0;
  int number = -1;
  unsigned long long started = 0;
  if (std::sscanf(name.c_str(), "%d:%d:%llu", &pid, &number, &started) != 3) return nullptr;
  if (!process_lives(pid, started)) return nullptr;  // on another host
  const std::string path = fmt::format("/proc/{}/fd/{}", pid, number);
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  try {
    auto block = detail::control_block::attach(fd);
    close(fd);
    const auto& header = block.header();
    if (header.creator != pid || block.processes() != place.process_count()) return nullptr;
    const bool whole = block.nodes() == 1 && block.node(0).host[0] == '\0';
    return std::make_unique<detail::place_on_board>(std::move(block), place.process(), whole);
  } catch (const error& lacking) {
    close(fd);
    log(log_level::info, "launch", fmt::format("no board of upwash run: {}", lacking.what()));
    return nullptr;
  }
}

}  // namespace upwash::launch
