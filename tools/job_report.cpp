// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tools/trace.hpp"
#include "tools/trace_json.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/output_file.hpp"

namespace upwash::tools {
namespace {

/// The least of times where there is no such file.
std::filesystem::file_time_type written_at(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::last_write_time(path, ignored);
}

}  // namespace

job_report::job_report(std::string report, std::string trace)
    : report_(report == "0" ? std::string() : std::move(report)), trace_(std::move(trace)) {
  if (!trace_.empty()) before_ = written_at(trace_);
  if (report_.empty() || !trace_.empty()) return;
  const char* const chosen = std::getenv("TMPDIR");
  folder_ = fmt::format("{}/upwash-report-XXXXXX", chosen == nullptr ? "/tmp" : chosen);
  if (mkdtemp(folder_.data()) == nullptr) {
    throw error(error_kind::environment,
                fmt::format("UPWASH_REPORT: cannot make {} for the trace of the job: {}; name a "
                            "folder with room by TMPDIR, or a trace by --trace",
                            folder_, std::strerror(errno)));
  }
  trace_ = folder_ + "/trace";
}

job_report::~job_report() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

void job_report::tell() const noexcept {
  if (report_.empty()) return;
  try {
    write();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "upwash run: UPWASH_REPORT: %s\n", e.what());
  }
}

void job_report::write() const {
  // Parts that were not put together are this job's; a trace as old as before is another's.
  const std::string parts = observe::parts_folder(trace_);
  const bool apart = std::filesystem::exists(parts);
  if (!apart && written_at(trace_) == before_) {
    throw error(error_kind::environment,
                "no rank wrote a trace: the program is none of upwash's, or ended before its job "
                "began");
  }
  const observe::trace all = observe::read_trace(apart ? parts : trace_);
  const trace_numbers numbers = numbers_of(all);
  std::fflush(stdout);
  if (report_ == "1") return print_trace(stderr, all, numbers);
  write_output(report_, text_of(json_of(all, numbers), 1) + "\n");
}

}  // namespace upwash::tools
