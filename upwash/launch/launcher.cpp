// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A job that is all on this machine; those over several hosts are the head's.
#include "upwash/launch/launcher.hpp"

#include <fmt/format.h>

#include <optional>

#include "upwash/base/error.hpp"
#include "upwash/base/standard_descriptors.hpp"
#include "upwash/launch/bootstrap.hpp"
#include "upwash/launch/detail/hang_gatherer.hpp"
#include "upwash/launch/detail/head.hpp"
#include "upwash/launch/detail/job_lines.hpp"
#include "upwash/launch/detail/local_job.hpp"
#include "upwash/launch/detail/output.hpp"

namespace upwash::launch {
namespace {

/// Nobody else knows of the job: prints what there is to say, and keeps the clock.
class whole_job final : public detail::overseer {
 public:
  whole_job(const launch_options& options, const detail::job_map& map)
      : options_(options),
        sink_(options.output != nullptr ? *options.output : standard_),
        processes_(map.processes()),
        job_(options, map, 0, sink_, *this),
        hangs_(job_.block()),
        begin_(steady_now()) {}

  int run() {
    const int status = job_.run();
    if (status == 0 && !job_.ended()) tell_of_strangers();
    return detail::finish_output(standard_, job_.signals(), status);
  }

  void add_descriptors(std::vector<pollfd>& fds) override { standard_.add_descriptors(fds); }
  [[nodiscard]] bool takes_output(bool standard_error) const noexcept override {
    return standard_.takes(standard_error);
  }

  void look() override {
    standard_.flush();
    if (job_.ended()) return;
    look_for_hangs();
    if (options_.timeout > duration{} && steady_now() - begin_ > options_.timeout) {
      job_.end(timeout_status, detail::timeout_line(options_.timeout));
    }
  }

  void asked() override {
    job_.pass_on_question();
    hangs_.ask();
  }

  void failed(int /*status*/, const std::string& why) override { job_.say(why); }

 private:
  /// One report for the job when a rank waits too long, or somebody asks by SIGUSR1.
  void look_for_hangs() {
    const std::optional<std::string> report = hangs_.look(steady_now());
    if (!report) return;
    job_.drain_all();
    detail::say_lines(sink_, *report);
  }

  void tell_of_strangers() {
    if (!options_.tell_of_strangers || processes_ == 1 ||
        job_.block().header().attached.load() != 0) {
      return;
    }
    job_.say(detail::strangers_line(processes_, options_.program[0]));
  }

  const launch_options& options_;
  detail::queued_sink standard_;
  output_sink& sink_;
  int processes_;
  detail::local_job job_;
  detail::hang_gatherer hangs_;
  duration begin_;
};

void check(const launch_options& options) {
  const auto wrong = [](const std::string& text) { throw error(error_kind::argument, text); };
  if (options.ranks < 1 || options.ranks > most_ranks) {
    wrong(fmt::format("cannot start {} ranks: expected 1 to {} (-n)", options.ranks, most_ranks));
  }
  if (options.program.empty() || options.program[0].empty()) wrong("no program to start");
}

}  // namespace

int launch(const launch_options& options) {
  open_standard_descriptors();
  check(options);
  if (!options.hosts.empty()) return detail::launch_over_hosts(options);
  const auto map = detail::job_map::here(
      options.ranks, options.processes == 0 ? options.ranks : options.processes);
  return whole_job(options, map).run();
}

}  // namespace upwash::launch
