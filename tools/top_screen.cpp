// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top_screen.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "upwash/base/process_facts.hpp"
#include "upwash/observe/hang_report.hpp"

namespace upwash::tools {
namespace {

using observe::doing;
using observe::standing;

struct terminal_size {
  std::size_t rows = 50;
  std::size_t columns = 200;
};

/// Of standard output; where it is no terminal, enough.
terminal_size size_of_terminal() {
  winsize is{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &is) != 0 || is.ws_row == 0) return {};
  return {is.ws_row, is.ws_col};
}

/// "950", "12.3 k", "4.5 M".
std::string rate_text(double value) {
  if (value < 1e3) return fmt::format("{:.0f}  ", value);
  if (value < 1e6) return fmt::format("{:.1f} k", value * 1e-3);
  if (value < 1e9) return fmt::format("{:.1f} M", value * 1e-6);
  return fmt::format("{:.1f} G", value * 1e-9);
}

/// Begun on the teams that a rank tells of: the world and some more.
std::uint64_t collectives_of(const standing& is) {
  std::uint64_t sum = 0;
  for (std::size_t t = 0; t < std::min<std::size_t>(is.teams_known, is.teams.size()); ++t) {
    sum += is.teams[t].barriers + is.teams[t].controls + is.teams[t].collectives;
  }
  return sum;
}

/// A team that was released takes its collectives along: then they are fewer than before.
rates rates_between(const activity& was_done, const activity& is_done, double seconds) {
  const counters& before = was_done.done;
  const counters& now = is_done.done;
  const auto each = [seconds](std::uint64_t was, std::uint64_t is) {
    return is > was && seconds > 0 ? static_cast<double>(is - was) / seconds : 0;
  };
  return {.messages = each(before.messages_sent, now.messages_sent),
          .bytes = each(before.message_bytes + before.put_bytes + before.get_bytes,
                        now.message_bytes + now.put_bytes + now.get_bytes),
          .memory_operations =
              each(before.puts + before.gets + before.atomics, now.puts + now.gets + now.atomics),
          .collectives = each(was_done.collectives, is_done.collectives)};
}

std::string cells(const rates& made) {
  return fmt::format(" {:>9} {:>9} {:>9} {:>9}", rate_text(made.messages), rate_text(made.bytes),
                     rate_text(made.memory_operations), rate_text(made.collectives));
}

std::string what_and_how_long(const standing& is) {
  std::string text = observe::what_it_does(is);
  if (is.now == doing::waits) {
    if (is.peer >= 0) text += fmt::format(" for rank {}", is.peer);
    text += fmt::format(", {:.1f} s", duration::from_ps(is.waited_ps).seconds());
  }
  if (!is.pending.view().empty()) text += fmt::format("; {}", is.pending.view());
  return text;
}

}  // namespace

std::string top_screen::line_of(const launch::job_view& view, const standing& is, duration now,
                                rates& total) {
  seen& was = before_[static_cast<std::size_t>(is.rank)];
  const int pid = view.process_of(is.rank);
  const double computed = processor_seconds_of(pid);
  const double since = (now - shown_at_).seconds();
  const double busy = shown_at_ == duration() ? 0 : (computed - was.processor_seconds) / since;
  was.processor_seconds = computed;
  total.processors += busy / view.ranks_beside(is.rank);
  std::string text = fmt::format("{:>6} {:>8} {:>4.0f}%", is.rank, pid, busy * 100);
  // Who has answered knows the world's counts; of others nothing is known that could be compared.
  const bool answered = is.teams_known != 0;
  const activity did{is.done, collectives_of(is)};
  if (answered && was.at != duration()) {
    const rates made = rates_between(was.did, did, (now - was.at).seconds());
    total += made;
    text += cells(made);
  } else {
    text += fmt::format(" {0:>9} {0:>9} {0:>9} {0:>9}", "-  ");
  }
  if (answered) {
    was.did = did;
    was.at = now;
  }
  return text + "  " + what_and_how_long(is);
}

void top_screen::show(launch::job_view& view, duration patience) {
  const std::vector<standing> all = view.ask(patience);
  const duration now = steady_now();
  before_.resize(all.size());
  rates total;
  std::vector<std::string> lines;
  for (const standing& each : all) lines.push_back(line_of(view, each, now, total));
  shown_at_ = now;

  const terminal_size size = size_of_terminal();
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  std::string text = terminal ? "\x1b[H\x1b[J" : "";
  const auto add = [&](std::string_view line) {
    text += line.substr(0, size.columns);
    text += '\n';
  };
  add(fmt::format("job {}: {}", job_.launcher, job_.command));
  add(fmt::format("{:>6} {:>8} {:>5} {:>9} {:>9} {:>9} {:>9}  {}", "rank", "process", "busy",
                  "msg/s  ", "byte/s  ", "mem/s  ", "coll/s  ", "what it does"));
  add(fmt::format("{:>6} {:>8} {:>4.0f}%{}  {} ranks", "all", "", total.processors * 100,
                  cells(total), all.size()));
  const std::size_t room = size.rows > 6 ? size.rows - 5 : 1;
  const std::size_t shown = terminal ? std::min(room, lines.size()) : lines.size();
  for (std::size_t i = 0; i < shown; ++i) add(lines[i]);
  if (shown < lines.size()) add(fmt::format("  and {} more ranks", lines.size() - shown));
  if (!terminal) text += '\n';
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace upwash::tools
