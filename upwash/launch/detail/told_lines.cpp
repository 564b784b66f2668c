// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/told_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "upwash/conduit/failure_line.hpp"

namespace upwash::launch::detail {
namespace {

std::string label_of(int first, int count) {
  return count == 1 ? fmt::format("[{}] ", first)
                    : fmt::format("[{}-{}] ", first, first + count - 1);
}

}  // namespace

void told_lines::line(int /*rank*/, bool standard_error, std::string_view text) {
  if (deaf_) return;
  const int process = manner_ != nullptr && prefix_ ? manner_->untag(text) : -1;
  if (process < 0 && manner_ != nullptr &&
      manner_->is_comment(text, standard_error, inside_[standard_error ? 1 : 0])) {
    comments_ += text;
    return;
  }
  const bool says_why = standard_error && text.starts_with("upwash: ");
  // Hosts that do not hear each other say the same, or tell of those that the launcher ends.
  const bool lost_host = says_why && conduit::tells_of_lost_host(text);
  const bool is_sure = lost_host && (manner_ == nullptr || !conduit::tells_of_ended_host(text));
  // A host whose rank has died ends its connections for that.
  const bool knows_better =
      lost_host && !held_.empty() && (is_sure || node_in(text) != node_in(held_));
  const bool is_death = says_why && conduit::tells_of_death(text);
  if (is_death && !lost_host && first_death_.empty()) first_death_ = text;
  if (is_death && said_end_ && !knows_better) return;
  if (is_sure) drop_held();
  said_lost_ |= is_sure;
  said_end_ |= says_why && text.ends_with("; job ended\n");
  if (is_death && !is_sure) {
    held_ = text;
    held_since_ = steady_now();
    return;
  }
  said_why_ |= says_why && !conduit::tells_of_stopped(text);
  if (says_why || process < 0 || process >= layout_.processes()) {
    return to_.line(-1, standard_error, text);
  }
  const int first = layout_.first_of(process);
  to_.line(first, standard_error, label_of(first, layout_.count_of(process)) + std::string(text));
}

std::string told_lines::name_of(int process) const {
  const int first = layout_.first_of(process);
  const int count = layout_.count_of(process);
  return count == 1 ? fmt::format("rank {}", first)
                    : fmt::format("ranks {} to {}", first, first + count - 1);
}

std::string told_lines::victim(int process) const {
  if (process < 0 || process >= layout_.processes()) return "a process was";
  return fmt::format("{} {}", name_of(process), layout_.count_of(process) == 1 ? "was" : "were");
}

void told_lines::put_right(std::string_view first) {
  if (first.empty() || !conduit::tells_of_ended_host(held_)) return;
  held_ = fmt::format("upwash: {}\n", first);
}

void told_lines::show_held(duration if_older_than) {
  if (held_.empty() || steady_now() - held_since_ < if_older_than) return;
  if (const int node = failed_node(); node >= 0 && node == node_in(first_death_)) {
    held_ = first_death_;
  } else if (const int before = node_before_held(); before >= 0) {
    held_ = fmt::format("upwash: {}\n", conduit::ended_host_line(name_of_node(before)));
  } else if (node >= 0 && (node != node_in(held_) || conduit::tells_of_ended_host(held_))) {
    if (if_older_than == duration{}) drop_held();
    return;
  }
  said_why_ = true;
  said_lost_ |= conduit::tells_of_lost_host(held_);
  to_.line(-1, true, std::exchange(held_, {}));
}

int told_lines::node_before_held() const {
  if (manner_ == nullptr) return -1;
  const std::string_view gone = manner_->host_hung_up(comments_);
  const auto found = std::find(map_.hosts.begin(), map_.hosts.end(), gone);
  const int held = node_in(held_);
  if (found == map_.hosts.end() || held < 0) return -1;
  const auto node = static_cast<int>(found - map_.hosts.begin());
  return held == node ? -1 : node;
}

int told_lines::failed_node() const {
  const int process = manner_ == nullptr ? -1 : manner_->failed_process(comments_);
  if (process < 0 || process >= layout_.processes()) return -1;
  return map_.nodes[static_cast<std::size_t>(process)];
}

int told_lines::node_in(std::string_view line) const {
  const std::size_t word = std::min(line.find("rank"), line.size());
  line.remove_prefix(std::min(line.find_first_of("0123456789", word), line.size()));
  int rank = -1;
  std::from_chars(line.data(), line.data() + line.size(), rank);
  if (rank < 0 || rank >= layout_.ranks()) return -1;
  return map_.nodes[static_cast<std::size_t>(layout_.process_of(rank))];
}

std::string told_lines::host_named(std::string_view host) const {
  const auto found = std::find(map_.hosts.begin(), map_.hosts.end(), host);
  return found == map_.hosts.end() ? fmt::format("host {}", host)
                                   : name_of_node(static_cast<int>(found - map_.hosts.begin()));
}

std::string told_lines::name_of_node(int node) const {
  const int first = layout_.first_of(map_.first_process(node));
  const int end = layout_.first_of(map_.first_process(node + 1));
  const auto ranks = end - first == 1 ? fmt::format("rank {}", first)
                                      : fmt::format("ranks {} to {}", first, end - 1);
  return fmt::format("host {}, {},", map_.hosts[static_cast<std::size_t>(node)], ranks);
}

}  // namespace upwash::launch::detail
