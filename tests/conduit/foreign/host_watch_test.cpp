// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hosts that are processes of this machine: some end well, some do not, some are stopped. What a
// network that is cut does, tests/system/mpi_hosts.sh tries.
#include "upwash/conduit/foreign/detail/host_watch.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace upwash::conduit::foreign {
namespace {

using namespace std::chrono_literals;

struct told {
  std::string text;
  bool found_here = false;
};

class kept_lines final : public host_listener {
 public:
  void lost(const std::string& text, bool found_here) noexcept override {
    const std::lock_guard hold(lock_);
    told_ = {text, found_here};
    more_.notify_one();
  }
  /// What it was told, for which it waits.
  told wait() {
    std::unique_lock hold(lock_);
    more_.wait(hold, [this] { return told_.has_value(); });
    return *told_;
  }
  bool silent() {
    const std::lock_guard hold(lock_);
    return !told_.has_value();
  }
  void ended(const std::string& text) noexcept override {
    const std::lock_guard hold(lock_);
    EXPECT_FALSE(told_) << "all has been said";
    ended_.push_back(text);
  }
  /// Of connections, before it was told of a lost host.
  std::vector<std::string> all_ended() {
    const std::lock_guard hold(lock_);
    return ended_;
  }

 private:
  std::mutex lock_;
  std::condition_variable more_;
  std::optional<told> told_;
  std::vector<std::string> ended_;
};

std::string name_of(int host) { return fmt::format("host {}", host); }

/// A host that is a child: it gets the places of all, and does what it is told to.
class child_host {
 public:
  child_host(int self, int count) {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0);
    pid_ = fork();
    if (pid_ == 0) {
      run(self, count);
      _exit(0);
    }
    close(ends_[1]);
  }
  ~child_host() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(ends_[0]);
  }
  child_host(const child_host&) = delete;
  child_host& operator=(const child_host&) = delete;

  meeting_place place() { return hear<meeting_place>(ends_[0]); }
  void begin(const std::vector<meeting_place>& all) {
    for (const meeting_place& each : all) say(ends_[0], each);
  }
  void tell(char what) { say(ends_[0], what); }
  /// The line that it was told, and whether it has found that itself.
  told line() {
    told got;
    got.found_here = hear<bool>(ends_[0]);
    for (char each = hear<char>(ends_[0]); each != '\n'; each = hear<char>(ends_[0])) {
      got.text += each;
    }
    return got;
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  template <class Value>
  static void say(int to, const Value& value) {
    if (write(to, &value, sizeof value) != sizeof value) _exit(3);
  }
  template <class Value>
  static Value hear(int from) {
    Value value{};
    if (recv(from, &value, sizeof value, MSG_WAITALL) != sizeof value) _exit(3);
    return value;
  }

  struct reporter final : host_listener {
    void ended(const std::string& /*text*/) noexcept override {}
    void lost(const std::string& text, bool found_here) noexcept override {
      say(to, found_here);
      for (const char each : text) say(to, each);
      say(to, '\n');
    }
    int to = -1;
  };

  void run(int self, int count) {
    close(ends_[0]);
    auto& listener = *new reporter;
    listener.to = ends_[1];
    auto& watch = *new host_watch(listener, self, count, duration::from_seconds(2));
    say(ends_[1], watch.open());
    std::vector<meeting_place> all;
    for (int h = 0; h < count; ++h) all.push_back(hear<meeting_place>(ends_[1]));
    watch.begin(
        [&](int host) -> const meeting_place& { return all[static_cast<std::size_t>(host)]; },
        name_of);
    while (hear<char>(ends_[1]) != 'e') watch.leave();
  }

  std::array<int, 2> ends_{-1, -1};
  pid_t pid_ = -1;
};

/// Host 0 is this process, all others are children.
class hosts {
 public:
  explicit hosts(int count) : count_(count) {
    for (int h = 1; h < count; ++h) children_.push_back(std::make_unique<child_host>(h, count));
    watch_ = new host_watch(lines, 0, count, duration::from_seconds(2));
    all.push_back(watch_->open());
    for (const auto& child : children_) all.push_back(child->place());
  }
  void begin() {
    for (const auto& child : children_) child->begin(all);
    watch_->begin(
        [this](int host) -> const meeting_place& { return all[static_cast<std::size_t>(host)]; },
        name_of);
    std::this_thread::sleep_for(500ms);  // all have met
  }
  child_host& operator[](int host) { return *children_[static_cast<std::size_t>(host - 1)]; }
  void leave() {
    for (const auto& child : children_) child->tell('l');
    watch_->leave();
  }

  kept_lines& lines = *new kept_lines;
  std::vector<meeting_place> all;

 private:
  int count_;
  host_watch* watch_ = nullptr;
  std::vector<std::unique_ptr<child_host>> children_;
};

TEST(host_watch, one_that_dies_is_named_on_all_hosts) {
  hosts three(3);
  three.begin();
  kill(three[1].pid(), SIGKILL);
  const told here = three.lines.wait();
  EXPECT_EQ(here.text, "host 1 is lost: its connection has ended; job ended");
  EXPECT_TRUE(here.found_here);
  EXPECT_EQ(three.lines.all_ended(), std::vector{here.text});  // for whoever is ended before
  const told there = three[2].line();
  EXPECT_EQ(there.text, here.text);
  EXPECT_FALSE(there.found_here);
}

TEST(host_watch, words_go_down_a_tree) {
  const int count = host_watch::fan_out + 3;  // the last two are children of host 1
  hosts many(count);
  many.begin();
  kill(many[count - 1].pid(), SIGKILL);
  EXPECT_EQ(many.lines.wait().text,
            fmt::format("host {} is lost: its connection has ended; job ended", count - 1));
  EXPECT_EQ(many[count - 2].line().text, many[2].line().text);
}

TEST(host_watch, one_that_leaves_is_not_missed) {
  hosts three(3);
  three.begin();
  three.leave();
  std::this_thread::sleep_for(200ms);
  three[1].tell('e');
  three[2].tell('e');
  waitpid(three[1].pid(), nullptr, 0);
  std::this_thread::sleep_for(1500ms);
  EXPECT_TRUE(three.lines.silent());
  EXPECT_TRUE(three.lines.all_ended().empty());
}

TEST(host_watch, a_stopped_one_is_alive) {
  hosts two(2);
  two.begin();
  kill(two[1].pid(), SIGSTOP);
  std::this_thread::sleep_for(4s);  // twice its limit
  EXPECT_TRUE(two.lines.silent());
}

int connect_to(std::uint16_t port) {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(made, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  return made;
}

TEST(host_watch, strangers_are_sent_away_and_the_port_is_closed) {
  hosts two(2);
  const std::uint16_t port = two.all[0].port;
  const int early = connect_to(port);
  const std::array<char, 20> wrong{};
  EXPECT_EQ(send(early, wrong.data(), wrong.size(), 0), 20);
  two.begin();
  char answer = 0;
  EXPECT_LE(recv(early, &answer, 1, 0), 0);  // not a word
  close(early);
  kill(two[1].pid(), SIGKILL);  // it has been let in all the same
  EXPECT_EQ(two.lines.wait().text, "host 1 is lost: its connection has ended; job ended");
  const int late = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_NE(connect(late, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  close(late);
}

TEST(host_watch, a_stranger_in_place_of_the_parent_is_left) {
  meeting_place real;
  std::string why;
  const int listener = open_meeting(real, why);
  ASSERT_GE(listener, 0) << why;
  meeting_place wanted = real;
  wanted.welcome[0] ^= std::byte{1};
  std::atomic<bool> over = false;
  std::thread guest([&] {
    EXPECT_EQ(go_to(wanted, 1, why), -1);
    over = true;
  });
  int taken = 0;  // it tries all addresses
  while (!over) {
    std::uint32_t number = 0;
    if (const int connection = take_guest(listener, real, number); connection >= 0) {
      ++taken;
      close(connection);
    }
    std::this_thread::sleep_for(5ms);
  }
  guest.join();
  EXPECT_GE(taken, 1);
  EXPECT_EQ(why, "somebody else answers at its address");
  close(listener);
}

}  // namespace
}  // namespace upwash::conduit::foreign
