// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Slurm writes lists of hosts as "a,n[1-3,07-09]x,b", and numbers for each as "4(x2),1".
#include "upwash/launch/allocation.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "upwash/base/error.hpp"
#include "upwash/launch/bootstrap.hpp"

namespace upwash::launch {
namespace {

/// A variable of Slurm, read from its front.
class list_reader {
 public:
  list_reader(std::string_view name, std::string_view text)
      : name_(name), all_(text), left_(text) {}

  [[nodiscard]] bool at_end() const noexcept { return left_.empty(); }
  [[nodiscard]] std::string_view rest() const noexcept { return left_; }
  bool take(std::string_view expected) {
    if (!left_.starts_with(expected)) return false;
    left_.remove_prefix(expected.size());
    return true;
  }
  void expect(std::string_view expected) {
    if (!take(expected)) wrong();
  }
  std::string_view take_until(std::string_view any_of) {
    const std::string_view taken = left_.substr(0, left_.find_first_of(any_of));
    left_.remove_prefix(taken.size());
    return taken;
  }
  /// With its digits, since zeros in front belong to names.
  std::string_view digits(int& value) {
    const auto read = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (read.ec != std::errc() || value < 0 || left_.front() == '-') wrong();
    const std::string_view taken =
        left_.substr(0, static_cast<std::size_t>(read.ptr - left_.data()));
    left_.remove_prefix(taken.size());
    return taken;
  }
  [[noreturn]] void wrong() const {
    throw error(error_kind::environment,
                fmt::format("{}={}: not understood at '{}'; name the hosts by --hosts a:8,b:8",
                            name_, all_, left_));
  }

 private:
  std::string_view name_;
  std::string_view all_;
  std::string_view left_;
};

void check_count(const list_reader& in, std::size_t count) {
  if (count > static_cast<std::size_t>(most_ranks)) in.wrong();
}

/// "1-3,07": appended to each of the names.
std::vector<std::string> with_numbers(list_reader& in, const std::vector<std::string>& names) {
  std::vector<std::string> all;
  do {
    int first = 0;
    const std::size_t width = in.digits(first).size();
    int last = first;
    if (in.take("-")) in.digits(last);
    if (last < first) in.wrong();
    check_count(
        in, names.size() * (static_cast<std::size_t>(last) - static_cast<std::size_t>(first) + 1));
    for (const std::string& name : names) {
      for (int n = first; n <= last; ++n) all.push_back(fmt::format("{}{:0{}}", name, n, width));
    }
  } while (in.take(","));
  in.expect("]");
  return all;
}

std::vector<std::string> names_in(list_reader in) {
  std::vector<std::string> all;
  do {
    std::vector<std::string> some{std::string(in.take_until(",["))};
    while (in.take("[")) {
      some = with_numbers(in, some);
      const std::string_view behind = in.take_until(",[");
      for (std::string& name : some) name += behind;
    }
    if (some.front().empty()) in.wrong();
    check_count(in, all.size() + some.size());
    all.insert(all.end(), some.begin(), some.end());
  } while (in.take(","));
  if (!in.at_end()) in.wrong();
  return all;
}

std::vector<int> slots_in(list_reader in) {
  std::vector<int> all;
  do {
    int slots = 0;
    int times = 1;
    in.digits(slots);
    if (in.take("(x")) {
      in.digits(times);
      in.expect(")");
    }
    if (slots < 1) in.wrong();
    check_count(in, all.size() + static_cast<std::size_t>(times));
    all.insert(all.end(), static_cast<std::size_t>(times), slots);
  } while (in.take(","));
  if (!in.at_end()) in.wrong();
  return all;
}

}  // namespace

std::vector<host_share> allocated_hosts(function_ref<const char*(const char* name)> variable) {
  const char* nodes = variable("SLURM_JOB_NODELIST");
  if (nodes == nullptr) {
    throw error(error_kind::environment,
                "--hosts allocation: no job of Slurm is around this (SLURM_JOB_NODELIST is not "
                "set); name the hosts, as a:8,b:8 or @FILE");
  }
  const char* which = variable("SLURM_TASKS_PER_NODE") != nullptr ? "SLURM_TASKS_PER_NODE"
                                                                  : "SLURM_JOB_CPUS_PER_NODE";
  const char* slots = variable(which);
  const std::vector<std::string> names = names_in({"SLURM_JOB_NODELIST", nodes});
  const std::vector<int> each =
      slots != nullptr ? slots_in({which, slots}) : std::vector<int>(names.size(), 1);
  if (each.size() != names.size()) {
    throw error(error_kind::environment,
                fmt::format("SLURM_JOB_NODELIST={} has {} hosts, {}={} is of {}; name the hosts by "
                            "--hosts a:8,b:8",
                            nodes, names.size(), which, slots, each.size()));
  }
  std::vector<host_share> all;
  for (std::size_t i = 0; i < names.size(); ++i) all.push_back({names[i], each[i]});
  return all;
}

}  // namespace upwash::launch
