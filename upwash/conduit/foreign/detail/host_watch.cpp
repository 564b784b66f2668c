// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/foreign/detail/host_watch.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "upwash/base/log.hpp"
#include "upwash/conduit/failure_line.hpp"
#include "upwash/conduit/foreign/detail/quiet_thread.hpp"

namespace upwash::conduit::foreign {
namespace {

// Messages: the first is a letter alone; the others are a letter, a text, and its end.
constexpr char goodbye = 'g';
constexpr char lost_mark = 'l';   // a line: the job ends
constexpr char ended_mark = 'e';  // a host, whose connection has ended
constexpr std::size_t longest_message = 1024;
const duration for_better_words = duration::from_seconds(1);  // whoever is nearer knows more
const duration for_its_words = duration::from_seconds(0.5);   // for the one that saw it to be first
const duration for_guests = duration::from_seconds(60);
constexpr int look_ms = 250;

void send_text(int connection, std::string_view text) {
  static_cast<void>(send(connection, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

}  // namespace

host_watch::host_watch(host_listener& listener, int self, int count, duration limit)
    : listener_(listener), self_(self), limit_(limit) {
  const auto add = [this](int host) { neighbors_.emplace_back().host = host; };
  if (self > 0) add((self - 1) / fan_out);
  // Numbers of 64 bits: the last host's children would be past those of int.
  const std::int64_t first = std::int64_t{self} * fan_out + 1;
  for (std::int64_t child = first; child < std::min<std::int64_t>(first + fan_out, count);
       ++child) {
    add(static_cast<int>(child));
  }
}

meeting_place host_watch::open() {
  const bool has_children = neighbors_.size() > (self_ > 0 ? 1U : 0U);
  std::string why;
  if (has_children) listening_ = open_meeting(own_, why);
  if (!why.empty()) {
    log(log_level::warning, "launch", fmt::format("other hosts cannot watch this one: {}", why));
  }
  return own_;
}

void host_watch::begin(function_ref<const meeting_place&(int host)> of,
                       function_ref<std::string(int host)> name) {
  for (neighbor& each : neighbors_) each.name = name(each.host);
  until_ = steady_now() + for_guests;
  start_without_signals([this, parent = self_ > 0 ? of(neighbors_.front().host) : meeting_place{}] {
    keep_watching(parent);
  });
}

void host_watch::leave() noexcept {
  const std::lock_guard hold(lock_);
  leaving_ = true;
  for (const neighbor& each : neighbors_) {
    if (each.connection >= 0) send_text(each.connection, {&goodbye, 1});
  }
}

void host_watch::keep_watching(const meeting_place& parent) {
  if (parent.port != 0) reach_parent(parent);
  for (;;) {
    wait_for_events();
    if (listening_ >= 0) take_guests();
    for (neighbor& each : neighbors_) hear(each);
    look_for_silence();
    look_for_ended();
  }
}

void host_watch::adopt(neighbor& of, int connection) {
  keep_asking(connection);
  const std::lock_guard hold(lock_);
  of.connection = connection;
  if (leaving_) send_text(connection, {&goodbye, 1});
}

void host_watch::reach_parent(const meeting_place& place) {
  std::string why;
  const int connection = go_to(place, static_cast<std::uint32_t>(self_), why);
  if (connection >= 0) return adopt(neighbors_.front(), connection);
  log(log_level::warning, "launch",
      fmt::format("{} cannot be watched from here: {}; if it is lost, the job's launcher must "
                  "notice",
                  neighbors_.front().name, why));
}

bool host_watch::all_have_come() const noexcept {
  const auto children = std::span(neighbors_).subspan(self_ > 0 ? 1 : 0);
  return std::ranges::all_of(children, [](const neighbor& each) {
    return each.connection >= 0 || each.left || each.gone;
  });
}

/// Nobody can come any more when all are there: the port is closed.
void host_watch::take_guests() {
  std::uint32_t number = 0;
  const int connection = take_guest(listening_, own_, number);
  if (connection >= 0) {
    const auto of = std::ranges::find_if(neighbors_, [number](const neighbor& each) {
      return each.host == static_cast<int>(number) && each.connection < 0;
    });
    if (of != neighbors_.end()) {
      adopt(*of, connection);
    } else {
      close(connection);
    }
  }
  if (!all_have_come()) {
    if (steady_now() < until_) return;
    log(log_level::warning, "launch", "some hosts have not come to be watched from here");
  }
  close(listening_);
  listening_ = -1;
}

void host_watch::wait_for_events() {
  std::array<pollfd, fan_out + 2> all{};
  std::size_t count = 0;
  if (listening_ >= 0) all[count++] = {listening_, POLLIN, 0};
  for (const neighbor& each : neighbors_) {
    if (each.connection >= 0) all[count++] = {each.connection, POLLIN, 0};
  }
  poll(all.data(), count, look_ms);
}

void host_watch::hear(neighbor& from) {
  if (from.connection < 0) return;
  std::array<char, 512> bytes;
  const ssize_t got = recv(from.connection, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) {
    from.heard.append(bytes.data(), static_cast<std::size_t>(got));
    if (take_messages(from)) return;
  }
  {
    const std::lock_guard hold(lock_);
    close(from.connection);
    from.connection = -1;
  }
  if (from.left) return;
  from.gone = true;
  note_ended(from.name, &from);
}

/// Passes it on: a launcher ends the others' processes next, whose connections end too.
void host_watch::note_ended(const std::string& name, const neighbor* told_by) {
  if (!first_ended_.empty()) return;
  first_ended_ = name;
  ended_since_ = steady_now() + (told_by->gone ? duration{} : for_its_words);
  spread(ended_mark, name, told_by);
  listener_.ended(ended_host_line(name));
}

void host_watch::spread(char mark, const std::string& text, const neighbor* but) {
  for (const neighbor& each : neighbors_) {
    if (each.connection >= 0 && &each != but) send_text(each.connection, mark + text + "\n");
  }
}

/// False where what came is none of a watch's.
bool host_watch::take_messages(neighbor& from) {
  std::string& heard = from.heard;
  while (!heard.empty()) {
    if (heard.front() == goodbye) {
      from.left = true;
      heard.erase(0, 1);
      continue;
    }
    const std::size_t size = heard.find('\n');
    const char mark = heard.front();
    if ((mark != lost_mark && mark != ended_mark) || heard.size() > longest_message) return false;
    if (size == std::string::npos) return true;
    const std::string text = heard.substr(1, size - 1);
    heard.erase(0, size + 1);
    if (mark == lost_mark) end(text, &from);
    note_ended(text, &from);
  }
  return true;
}

void host_watch::look_for_silence() {
  for (const neighbor& each : neighbors_) {
    if (each.connection < 0 || silent_for(each.connection) < limit_) continue;
    end(silent_host_line(each.name, limit_), nullptr);
  }
}

/// The process at the other end is gone. Its neighbours and its launcher say why, unless they went
/// too.
void host_watch::look_for_ended() {
  if (first_ended_.empty() || steady_now() - ended_since_ < for_better_words) return;
  end(ended_host_line(first_ended_), nullptr);
}

/// Tells the other hosts before this process may end.
void host_watch::end(const std::string& text, const neighbor* told_by) {
  spread(lost_mark, text, told_by);
  listener_.lost(text, told_by == nullptr);
  for (;;) pause();  // the job is over
}

}  // namespace upwash::conduit::foreign
