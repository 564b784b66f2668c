// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/failure_line.hpp"

#include <fmt/format.h>

namespace upwash::conduit {
namespace {

constexpr std::string_view lets_it_go_on = " lets it go on";
constexpr std::string_view goes_on = " goes on";
constexpr std::string_view is_lost = " is lost: ";
constexpr std::string_view has_ended = "its connection has ended";
constexpr std::string_view died = " died; job ended";

}  // namespace

std::string failure_line(int rank, std::string_view why) {
  if (rank < 0) return std::string(why);
  const auto who = fmt::format("rank {}: ", rank);
  return fmt::format("{}{}; job ended", why.starts_with(who) ? "" : who, why);
}

std::string lost_host_line(std::string_view who, std::string_view why) {
  return fmt::format("{}{}{}; job ended", who, is_lost, why);
}

std::string ended_host_line(std::string_view who) { return lost_host_line(who, has_ended); }

std::string silent_host_line(std::string_view who, duration limit) {
  return lost_host_line(who, fmt::format("nothing has come from it for {:g} s (host_timeout, "
                                         "UPWASH_HOST_TIMEOUT)",
                                         limit.seconds()));
}

bool tells_of_lost_host(std::string_view line) noexcept {
  return line.find(is_lost) != std::string_view::npos;
}

bool tells_of_ended_host(std::string_view line) noexcept {
  return tells_of_lost_host(line) && line.find(has_ended) != std::string_view::npos;
}

std::string died_line(std::string_view who) { return std::string(who).append(died); }

bool tells_of_death(std::string_view line) noexcept {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line.ends_with(died) || tells_of_lost_host(line);
}

std::string stopped_line(std::string_view who, int pid, std::string_view where) {
  return fmt::format("{} is stopped; kill -CONT {}{}{}", who, pid, where, lets_it_go_on);
}

std::string goes_on_line(std::string_view who) { return std::string(who).append(goes_on); }

bool tells_of_stopped(std::string_view line) noexcept {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line.ends_with(lets_it_go_on) || line.ends_with(goes_on);
}

}  // namespace upwash::conduit
