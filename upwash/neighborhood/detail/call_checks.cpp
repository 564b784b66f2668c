// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/detail/call_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/core/job.hpp"

namespace upwash::neighborhoods::detail {
namespace {

[[noreturn]] void refuse(const neighborhood& on, what of, const std::string& why) {
  throw error(error_kind::argument,
              fmt::format("rank {}: {}: {}", on.among().here().rank(), name_of(of), why));
}

schedule::steps nothing(schedule::script& /*out*/) { co_return; }

/// A collective without steps, whose signature alone travels: planning by different schemes would
/// wait for messages that nobody sends.
void compare_schemes(const neighborhood& on, what of, std::uint64_t bytes,
                     const neighbor_options& how, call_site site) {
  const auto scheme = std::make_shared<const std::string>(how.scheme);
  collective::manner run_as;
  run_as.agreed = {.operation = name_of(of), .algorithm = *scheme, .bytes = bytes, .site = site};
  run_as.refers_to = scheme;
  const schedule::generator none({}, [](schedule::script& out) { return nothing(out); });
  collective::execute(on.among(), none, {}, run_as).detach();
}

/// A block in memory, of the input or of the output.
struct stretch {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool written = false;
  std::size_t block = 0;
};

template <class Byte>
void add_blocks(std::span<Byte> buffer, std::span<const std::uint64_t> bytes,
                std::span<const std::uint64_t> at, bool written, std::vector<stretch>& all) {
  const auto first = reinterpret_cast<std::uintptr_t>(buffer.data());
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint64_t begin = at.empty() ? next : at[i];
    next = begin + bytes[i];
    if (bytes[i] != 0) all.push_back({first + begin, first + next, written, i});
  }
}

std::string text_of(const stretch& one) {
  return fmt::format("block {} of the {} ({} bytes)", one.block, one.written ? "output" : "input",
                     one.end - one.begin);
}

}  // namespace

const char* name_of(what of) noexcept {
  return of == what::all_gather ? "neighbor_all_gather" : "neighbor_all_to_all";
}

void check_options(const neighborhood& on, what of, std::uint64_t bytes,
                   const neighbor_options& how, call_site site) {
  if (!how.edges.algorithm.empty()) {
    refuse(on, of,
           fmt::format("neighbor_options::edges.algorithm is \"{}\"; it chooses nothing here: give "
                       "neighbor_options::scheme",
                       how.edges.algorithm));
  }
  if (on.among().here().options().checked) compare_schemes(on, of, bytes, how, site);
}

void check_blocks_apart(const neighborhood& on, const uneven_call& all) {
  std::vector<stretch> blocks;
  const auto sent = all.of == what::all_gather ? std::span(&all.own, 1) : all.sent;
  blocks.reserve(sent.size() + all.received.size());
  add_blocks(all.input, sent, all.sent_at, false, blocks);
  add_blocks(all.output, all.received, all.received_at, true, blocks);
  std::sort(blocks.begin(), blocks.end(),
            [](const stretch& a, const stretch& b) { return a.begin < b.begin; });
  // The blocks that end last of those before: of all, and of those that are written.
  stretch any;
  stretch written{.written = true};
  for (const stretch& each : blocks) {
    const stretch& before = each.written ? any : written;
    if (each.begin < before.end) {
      refuse(on, all.of,
             fmt::format("{} overlaps {}; give blocks that are apart", text_of(each),
                         text_of(before)));
    }
    if (each.end > any.end) any = each;
    if (each.written && each.end > written.end) written = each;
  }
}

}  // namespace upwash::neighborhoods::detail
