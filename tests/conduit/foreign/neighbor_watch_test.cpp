// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Children that show themselves, and end in several ways.
#include "upwash/conduit/foreign/detail/neighbor_watch.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace upwash::conduit::foreign {
namespace {

class kept_lines final : public watch_listener {
 public:
  void died(const std::string& text) noexcept override { keep(text); }
  void changed(const std::string& text) noexcept override { keep(text); }

  /// The next one, for which it waits.
  std::string next() {
    std::unique_lock hold(lock_);
    more_.wait(hold, [this] { return taken_ < lines_.size(); });
    return lines_[taken_++];
  }
  bool empty() {
    const std::lock_guard hold(lock_);
    return taken_ == lines_.size();
  }

 private:
  void keep(const std::string& text) {
    const std::lock_guard hold(lock_);
    lines_.push_back(text);
    more_.notify_one();
  }
  std::mutex lock_;
  std::condition_variable more_;
  std::vector<std::string> lines_;
  std::size_t taken_ = 0;
};

/// A watch lives as long as its process.
neighbor_watch& new_watch(watch_listener& listener) { return *new neighbor_watch(listener); }
kept_lines& new_lines() { return *new kept_lines; }

/// A process that waits for a word, settles if the word is 's', and exits.
class child {
 public:
  child() {
    std::array<int, 2> to{};
    std::array<int, 2> from{};
    EXPECT_EQ(pipe(to.data()), 0);
    EXPECT_EQ(pipe(from.data()), 0);
    pid_ = fork();
    if (pid_ == 0) live(to[0], from[1]);
    word_ = to[1];
    EXPECT_EQ(read(from[0], &shown, sizeof shown), ssize_t{sizeof shown});
    close(from[0]);
    close(from[1]);
    close(to[0]);
  }
  ~child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(word_);
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  void tell(char word) const { EXPECT_EQ(write(word_, &word, 1), 1); }
  void wait() const { waitid(P_PID, static_cast<id_t>(pid_), nullptr, WEXITED | WNOWAIT); }
  [[nodiscard]] pid_t pid() const { return pid_; }

  watched_process shown;

 private:
  [[noreturn]] static void live(int words, int out) {
    auto& self = new_watch(new_lines());
    const watched_process mine = self.show_self();
    char word = 0;
    if (write(out, &mine, sizeof mine) != sizeof mine || read(words, &word, 1) != 1) _exit(1);
    if (word == 's') self.settle();
    _exit(0);
  }
  pid_t pid_ = -1;
  int word_ = -1;
};

/// Watches a child as its neighbour would.
kept_lines& watch(const child& one, const std::string& where = {}) {
  kept_lines& lines = new_lines();
  neighbor_watch& mine = new_watch(lines);
  EXPECT_GE(mine.show_self().sign, 0);
  mine.watch(one.shown, "rank 3", where);
  return lines;
}

TEST(neighbor_watch, tells_of_a_killed_process) {
  const child one;
  kept_lines& lines = watch(one);
  kill(one.pid(), SIGKILL);
  EXPECT_EQ(lines.next(), fmt::format("rank 3 (pid {}) died; job ended", one.pid()));
}

TEST(neighbor_watch, tells_of_a_process_that_leaves_without_a_word) {
  const child one;
  kept_lines& lines = watch(one);
  one.tell('x');
  EXPECT_EQ(lines.next(), fmt::format("rank 3 (pid {}) died; job ended", one.pid()));
}

TEST(neighbor_watch, is_silent_when_a_process_has_settled) {
  const child one;
  const child other;
  kept_lines& lines = watch(one);
  kept_lines& others = watch(other);
  one.tell('s');
  one.wait();
  kill(other.pid(), SIGKILL);
  EXPECT_FALSE(others.next().empty());  // so long that the first would have been told of
  EXPECT_TRUE(lines.empty());
}

TEST(neighbor_watch, tells_of_a_stopped_process_until_it_goes_on) {
  const child one;
  kept_lines& lines = watch(one);
  kill(one.pid(), SIGSTOP);
  EXPECT_EQ(lines.next(),
            fmt::format("rank 3 (pid {0}) is stopped; kill -CONT {0} lets it go on", one.pid()));
  kill(one.pid(), SIGCONT);
  EXPECT_EQ(lines.next(), fmt::format("rank 3 (pid {}) goes on", one.pid()));
  kill(one.pid(), SIGSTOP);
  kill(one.pid(), SIGKILL);
  std::string last = lines.next();
  if (last.find("stopped") != std::string::npos) last = lines.next();
  EXPECT_EQ(last, fmt::format("rank 3 (pid {}) died; job ended", one.pid()));
}

TEST(neighbor_watch, says_on_which_host_a_pid_is) {
  const child one;
  kept_lines& lines = watch(one, " on host b");
  kill(one.pid(), SIGSTOP);
  EXPECT_EQ(
      lines.next(),
      fmt::format("rank 3 (pid {0} on host b) is stopped; kill -CONT {0} on host b lets it go on",
                  one.pid()));
  kill(one.pid(), SIGKILL);
  EXPECT_EQ(lines.next(), fmt::format("rank 3 (pid {} on host b) died; job ended", one.pid()));
}

TEST(neighbor_watch, does_without_a_process_that_has_gone) {
  kept_lines& lines = new_lines();
  neighbor_watch& mine = new_watch(lines);
  static_cast<void>(mine.show_self());
  watched_process gone;
  {
    const child one;
    gone = one.shown;
  }
  mine.watch(gone, "rank 3");
  EXPECT_TRUE(lines.empty());
}

}  // namespace
}  // namespace upwash::conduit::foreign
