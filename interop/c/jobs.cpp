// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>

#include "interop/c/detail/guard.hpp"
#include "upwash/base/version.hpp"

using namespace upwash::c;  // NOLINT: of this file alone

namespace upwash::c {

int tell(upwash_job& on, const char* function, const std::exception& why) noexcept {
  const auto* known = dynamic_cast<const error*>(&why);
  try {
    const std::string_view what = why.what();
    const std::string who = fmt::format("rank {}: ", on.here.rank());
    on.text = fmt::format("{}: {}{}", function, what.starts_with("rank ") ? "" : who, what);
  } catch (const std::exception&) {
    on.text.clear();  // no memory for it
  }
  return known != nullptr ? status_of(known->kind()) : UPWASH_FAULT;
}

}  // namespace upwash::c

extern "C" {

int upwash_run(int argc, char** argv, upwash_body* body, void* context) {
  if (body == nullptr) {
    std::fputs("upwash: upwash_run: body is null\n", stderr);
    return 2;
  }
  return upwash::run(argc, argv, [&](upwash::job& here) {
    upwash_job job(here);
    return body(&job, context);
  });
}

int upwash_attach(upwash_job** job) {
  if (job == nullptr) return UPWASH_ARGUMENT;
  *job = nullptr;
  try {
    *job = new upwash_job(upwash::attach(0, nullptr));  // NOLINT: until upwash_detach
    return UPWASH_OK;
  } catch (const upwash::error& why) {
    fmt::print(stderr, "upwash: {}\n", why.what());
    return status_of(why.kind());
  } catch (const std::exception& why) {
    fmt::print(stderr, "upwash: {}\n", why.what());
    return UPWASH_FAULT;
  }
}

int upwash_detach(upwash_job** job) {
  if (job == nullptr || *job == nullptr) return UPWASH_ARGUMENT;
  return guarded(*job, "upwash_detach", [&] {
    if (!(*job)->own) refuse("a job of upwash_run ends when its body returns");
    const std::unique_ptr<upwash_job> going(std::exchange(*job, nullptr));
  });
}

void upwash_abort(upwash_job* job, int status, const char* why) {
  const int code = status % 256 != 0 ? status % 256 : 1;
  const std::string line = why == nullptr ? "upwash_abort" : why;
  if (job != nullptr && job->own) job->own->abort(code, line);
  std::fflush(nullptr);
  fmt::print(stderr, "upwash: rank {}: {}\n", upwash_rank(job), line);
  std::_Exit(code);
}

const char* upwash_version(void) { return UPWASH_VERSION; }

const char* upwash_error_text(const upwash_job* job) {
  return job == nullptr ? "the job is null" : job->text.c_str();
}

int upwash_rank(const upwash_job* job) { return job == nullptr ? -1 : job->here.rank(); }
int upwash_size(const upwash_job* job) { return job == nullptr ? -1 : job->here.size(); }

double upwash_now(const upwash_job* job) {
  return job == nullptr ? 0 : static_cast<double>(job->here.now().ps()) * 1e-12;
}

int upwash_compute(upwash_job* job, double seconds) {
  return guarded(job, "upwash_compute", [&] {
    constexpr double most_seconds = 1e6;
    if (!(seconds >= 0 && seconds <= most_seconds)) {
      refuse(fmt::format("{} seconds: expected 0 to {}", seconds, most_seconds));
    }
    job->here.compute(upwash::duration::from_ps(std::llround(seconds * 1e12)));
  });
}

int upwash_progress(upwash_job* job) {
  return guarded(job, "upwash_progress", [&] { job->here.progress(); });
}

}  // extern "C"
