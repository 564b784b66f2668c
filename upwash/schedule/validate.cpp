// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "upwash/base/random.hpp"

namespace upwash::schedule {
namespace {

constexpr const char* kind_names[] = {"send", "receive", "copy", "reduce"};
constexpr const char* buffer_names[] = {"none", "input", "output", "scratch"};

std::string text_of(int rank, std::size_t number, const step& s) {
  return fmt::format("rank {}, step {} ({}, round {})", rank, number,
                     kind_names[static_cast<int>(s.kind)], s.round);
}

/// Which steps come before which, directly or not: one bit a pair.
class order {
 public:
  explicit order(std::size_t steps) : words_((steps + 63) / 64), bits_(steps * words_) {}

  void after(std::size_t later, std::size_t earlier) {
    for (std::size_t w = 0; w < words_; ++w) row(later)[w] |= row(earlier)[w];
    row(later)[earlier / 64] |= std::uint64_t{1} << (earlier % 64);
  }
  [[nodiscard]] bool is_after(std::size_t later, std::size_t earlier) const {
    return (bits_[later * words_ + earlier / 64] >> (earlier % 64) & 1U) != 0;
  }

 private:
  [[nodiscard]] std::uint64_t* row(std::size_t step) { return &bits_[step * words_]; }
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

struct rank_run {
  std::vector<step> steps;
  std::vector<bool> done;
  std::map<buffer, std::vector<abstract_value>> memory;
};

class abstract_run {
 public:
  abstract_run(const expectation& of, function_ref<generator(int)> schedule_of, std::uint64_t seed)
      : of_(of), random_(seed, 0x76616c), ranks_(static_cast<std::size_t>(of.ranks)) {
    for (int rank = 0; rank < of.ranks && problem_.empty(); ++rank) load(rank, schedule_of(rank));
  }

  std::string run(function_ref<abstract_value(int, std::uint64_t)> wanted) {
    for (int rank = 0; rank < of_.ranks && problem_.empty(); ++rank) find_races(rank);
    if (problem_.empty()) execute();
    if (problem_.empty()) find_leftovers();
    for (int rank = 0; rank < of_.ranks && problem_.empty(); ++rank) compare(rank, wanted);
    return problem_;
  }

 private:
  using edge_key = std::tuple<int, int, std::uint32_t>;  ///< source, destination, edge

  void load(int rank, generator steps);
  void find_races(int rank);
  void execute();
  bool ready(const rank_run& r, std::size_t number) const;
  bool perform(int rank, const step& s);
  void find_leftovers();
  void compare(int rank, function_ref<abstract_value(int, std::uint64_t)> wanted);
  [[nodiscard]] std::vector<abstract_value> read(rank_run& r, const piece& p) const;
  void write(rank_run& r, const piece& p, const std::vector<abstract_value>& values) const;
  [[nodiscard]] bool aligned(const rank_run& r, const piece& p) const;

  expectation of_;
  random_stream random_;
  std::vector<rank_run> ranks_;
  std::map<edge_key, std::vector<abstract_value>> in_flight_;
  std::map<edge_key, int> used_;
  std::string problem_;
};

void abstract_run::load(int rank, generator steps) {
  rank_run& r = ranks_[static_cast<std::size_t>(rank)];
  const auto elements = [this](std::uint64_t bytes) {
    return std::vector<abstract_value>(bytes / of_.element_bytes);
  };
  r.memory[buffer::input] = elements(of_.input_bytes);
  for (std::uint32_t e = 0; e < r.memory[buffer::input].size(); ++e) {
    r.memory[buffer::input][e] = {{rank, e}};
  }
  r.memory[buffer::output] = elements(of_.output_bytes);
  if (of_.in_place) {
    std::copy(r.memory[buffer::input].begin(), r.memory[buffer::input].end(),
              r.memory[buffer::output].begin());
  }
  r.memory[buffer::scratch] = elements(steps.scratch_bytes());
  for (step s; steps.next(s);) {
    const std::size_t number = r.steps.size();
    for (const std::uint32_t distance : s.after) {
      if (distance > number || distance > steps.window()) {
        problem_ = fmt::format("{} waits for {} steps back; {} were emitted, the window is {}",
                               text_of(rank, number, s), distance, number, steps.window());
      }
    }
    for (const piece& p : {s.left, s.right, s.into}) {
      if (!aligned(r, p)) {
        problem_ = fmt::format("{}: {} bytes at {} of {} leave it or split an element",
                               text_of(rank, number, s), p.bytes, p.offset,
                               buffer_names[static_cast<int>(p.of)]);
      }
    }
    r.steps.push_back(s);
  }
  r.done.assign(r.steps.size(), false);
}

bool abstract_run::aligned(const rank_run& r, const piece& p) const {
  if (p.of == buffer::none) return true;
  return p.offset % of_.element_bytes == 0 && p.bytes % of_.element_bytes == 0 &&
         p.end() <= r.memory.at(p.of).size() * of_.element_bytes;
}

/// Two steps of a rank that touch the same bytes, one of them writing, must be ordered.
void abstract_run::find_races(int rank) {
  const rank_run& r = ranks_[static_cast<std::size_t>(rank)];
  order before(r.steps.size());
  for (std::size_t later = 0; later < r.steps.size(); ++later) {
    const step& b = r.steps[later];
    for (const std::uint32_t distance : b.after) {
      if (distance != 0) before.after(later, later - distance);
    }
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (before.is_after(later, earlier)) continue;
      const step& a = r.steps[earlier];
      const auto clash = [](const step& writer, const step& other) {
        const piece w = writer.into;
        return w.overlaps(other.left) || w.overlaps(other.right) || w.overlaps(other.into);
      };
      if (clash(a, b) || clash(b, a)) {
        problem_ = fmt::format("{} and {} touch the same bytes in no order",
                               text_of(rank, earlier, a), text_of(rank, later, b));
        return;
      }
    }
  }
}

bool abstract_run::ready(const rank_run& r, std::size_t number) const {
  if (r.done[number]) return false;
  for (const std::uint32_t distance : r.steps[number].after) {
    if (distance != 0 && !r.done[number - distance]) return false;
  }
  return true;
}

/// Any step whose dependencies are done may be next, whatever the order of emission.
void abstract_run::execute() {
  std::vector<std::pair<int, std::size_t>> open;
  for (int rank = 0; rank < of_.ranks; ++rank) {
    for (std::size_t i = 0; i < ranks_[static_cast<std::size_t>(rank)].steps.size(); ++i) {
      open.emplace_back(rank, i);
    }
  }
  while (!open.empty()) {
    bool moved = false;
    for (std::size_t i = open.size(); i > 1; --i) std::swap(open[i - 1], open[random_.below(i)]);
    for (const auto& [rank, number] : open) {
      rank_run& r = ranks_[static_cast<std::size_t>(rank)];
      if (!ready(r, number) || !perform(rank, r.steps[number])) continue;
      if (!problem_.empty()) return;
      r.done[number] = true;
      moved = true;
    }
    std::erase_if(open, [this](const auto& at) {
      return ranks_[static_cast<std::size_t>(at.first)].done[at.second];
    });
    if (!moved) {
      const auto& [rank, number] = *std::min_element(open.begin(), open.end());
      problem_ =
          fmt::format("deadlock: {} never becomes ready, nor do {} others",
                      text_of(rank, number, ranks_[static_cast<std::size_t>(rank)].steps[number]),
                      open.size() - 1);
      return;
    }
  }
}

std::vector<abstract_value> abstract_run::read(rank_run& r, const piece& p) const {
  if (p.of == buffer::none) return {};
  const auto& from = r.memory[p.of];
  const auto first = from.begin() + static_cast<std::ptrdiff_t>(p.offset / of_.element_bytes);
  return {first, first + static_cast<std::ptrdiff_t>(p.bytes / of_.element_bytes)};
}

void abstract_run::write(rank_run& r, const piece& p,
                         const std::vector<abstract_value>& values) const {
  if (p.of == buffer::none) return;
  std::copy(values.begin(), values.end(),
            r.memory[p.of].begin() + static_cast<std::ptrdiff_t>(p.offset / of_.element_bytes));
}

/// False: a receive whose message is not there yet.
bool abstract_run::perform(int rank, const step& s) {
  rank_run& r = ranks_[static_cast<std::size_t>(rank)];
  if (s.kind == step_kind::send) {
    const edge_key key{rank, s.peer, s.edge};
    if (s.peer < 0 || s.peer >= of_.ranks || used_[key]++ != 0) {
      problem_ = fmt::format("rank {} sends edge {} to rank {} of {}, or twice", rank, s.edge,
                             s.peer, of_.ranks);
    }
    in_flight_[key] = read(r, s.left);
    return true;
  }
  if (s.kind == step_kind::receive) {
    const auto it = in_flight_.find({s.peer, rank, s.edge});
    if (it == in_flight_.end()) return false;
    if (it->second.size() != s.into.bytes / of_.element_bytes) {
      problem_ =
          fmt::format("rank {} receives {} elements as edge {} from rank {}, which sent {}", rank,
                      s.into.bytes / of_.element_bytes, s.edge, s.peer, it->second.size());
      return true;
    }
    write(r, s.into, it->second);
    in_flight_.erase(it);
    return true;
  }
  std::vector<abstract_value> values = read(r, s.left);
  if (s.kind == step_kind::reduce) {
    const std::vector<abstract_value> right = read(r, s.right);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i].insert(values[i].end(), right[i].begin(), right[i].end());
    }
  }
  write(r, s.into, values);
  return true;
}

void abstract_run::find_leftovers() {
  if (in_flight_.empty()) return;
  const auto& [source, destination, edge] = in_flight_.begin()->first;
  problem_ = fmt::format("rank {} sent edge {} to rank {}, which never receives it; {} others too",
                         source, edge, destination, in_flight_.size() - 1);
}

void abstract_run::compare(int rank, function_ref<abstract_value(int, std::uint64_t)> wanted) {
  auto& output = ranks_[static_cast<std::size_t>(rank)].memory[buffer::output];
  for (std::uint64_t e = 0; e < output.size(); ++e) {
    abstract_value want = wanted(rank, e);
    if (want.empty()) continue;
    abstract_value have = output[e];
    if (of_.commutative) {
      std::sort(want.begin(), want.end());
      std::sort(have.begin(), have.end());
    }
    if (have != want) {
      problem_ = fmt::format(
          "rank {}, element {} of the output: {} contributions, {} wanted, or "
          "others, or in another order",
          rank, e, have.size(), want.size());
      return;
    }
  }
}

}  // namespace

std::string validate(const expectation& of, function_ref<generator(int)> schedule_of,
                     function_ref<abstract_value(int, std::uint64_t)> wanted, std::uint64_t seed) {
  return abstract_run(of, schedule_of, seed).run(wanted);
}

}  // namespace upwash::schedule
