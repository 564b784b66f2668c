// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/validate/abstract_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "upwash/schedule/detail/validate/describe.hpp"

namespace upwash::schedule::detail {

abstract_run::abstract_run(const expectation& of, function_ref<generator(int)> schedule_of,
                           std::uint64_t seed)
    : of_(of), random_(seed, 0x76616c), memory_(of_) {
  const auto ranks = static_cast<std::size_t>(of.ranks);
  history_.steps.resize(ranks);
  collected_.resize(ranks);
  for (int rank = 0; rank < of.ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const generator steps = schedule_of(rank);
    memory_.grow(rank, buffer::scratch, steps.scratch_bytes());
    memory_.grow(rank, buffer::shared, steps.wants().shared_bytes);
    ranks_.emplace_back(rank, steps, of_, history_.steps[r]);
  }
}

std::string abstract_run::describe(const step_name& of) const {
  return detail::describe(of.rank, of.number, history_.at(of));
}

/// Any open step whose dependencies are done may be next, whatever the order of emission.
std::string abstract_run::execute() {
  for (;;) {
    std::vector<step_name> open;
    for (int rank = 0; rank < of_.ranks; ++rank) {
      emission& here = ranks_[static_cast<std::size_t>(rank)];
      if (std::string wrong = here.refill(memory_); !wrong.empty()) return wrong;
      for (const std::size_t number : here.open()) open.push_back({rank, number});
    }
    if (open.empty()) {
      for (const auto find :
           {&abstract_run::leftovers, &abstract_run::mixed_edges, &abstract_run::unlike_ranks}) {
        if (std::string wrong = (this->*find)(); !wrong.empty()) return wrong;
      }
      return {};
    }
    bool moved = false;
    for (std::size_t i = open.size(); i > 1; --i) std::swap(open[i - 1], open[random_.below(i)]);
    for (const step_name& is : open) {
      emission& here = ranks_[static_cast<std::size_t>(is.rank)];
      if (!here.ready(is.number)) continue;
      bool done = true;
      posted_ = false;
      partners_.clear();
      if (std::string wrong = perform(is, done); !wrong.empty()) return wrong;
      moved = moved || posted_;
      if (!done) continue;
      here.finish(is.number);
      history_.order.push_back({is, partners_});
      moved = true;
    }
    if (!moved) {
      std::ranges::sort(open, {},
                        [](const step_name& is) { return std::pair(is.rank, is.number); });
      return deadlock(open);
    }
  }
}

/// Named is the first that nothing of its own rank holds back.
std::string abstract_run::deadlock(const std::vector<step_name>& open) const {
  const auto first = std::ranges::find_if(open, [this](const step_name& is) {
    return ranks_[static_cast<std::size_t>(is.rank)].ready(is.number);
  });
  if (first == open.end())
    return fmt::format("deadlock: {} never becomes ready", describe(open[0]));
  return fmt::format("deadlock: {} {}, and {} other steps wait", describe(*first), awaited(*first),
                     open.size() - 1);
}

/// Of a step that waits for another rank.
std::string abstract_run::awaited(const step_name& is) const {
  const step& s = history_.at(is);
  switch (s.kind) {
    case step_kind::receive:
      return fmt::format("waits for edge {} from rank {}, which has not sent it", s.edge, s.peer);
    case step_kind::send:
      return fmt::format("waits until rank {} receives edge {}, which it does not", s.peer, s.edge);
    case step_kind::await: {
      const int of = s.peer == own ? is.rank : s.peer;
      const auto counter = counters_.find({of, s.edge});
      return fmt::format("waits for {} signals to counter {} of rank {}, which has {}", s.value,
                         s.edge, of, counter == counters_.end() ? 0 : counter->second);
    }
    case step_kind::close: return fmt::format("waits for {} messages of edge {}", s.value, s.edge);
    default: return "waits for ranks that do not come";
  }
}

std::string abstract_run::perform(const step_name& is, bool& done) {
  const step& s = history_.at(is);
  switch (s.kind) {
    case step_kind::send: return of_.sends_wait ? send_and_wait(is, done) : send(is);
    case step_kind::receive: return receive(is, done);
    case step_kind::copy:
    case step_kind::reduce: return compute(is);
    case step_kind::stage:
      if (s.into.of == buffer::scratch) memory_.grow(is.rank, buffer::scratch, s.into.bytes);
      return {};
    case step_kind::collect: return collect(is);
    case step_kind::close: return close(is, done);
    case step_kind::deliver: deliver(is); return {};
    case step_kind::signal:
    case step_kind::await: return count(is, done);
    default: return in_network(is, done);
  }
}

std::string abstract_run::send(const step_name& is) {
  const step& s = history_.at(is);
  const auto collector = collecting_.find({s.peer, s.edge});
  if (collector != collecting_.end() && !collector->second) {
    return fmt::format("{} goes to edge {} of rank {}, which has closed it", describe(is), s.edge,
                       s.peer);
  }
  const edge_key key{is.rank, s.peer, s.edge};
  ++sent_[key];
  const emission& here = ranks_[static_cast<std::size_t>(is.rank)];
  in_flight_[key].push_back({is, memory_.read(is.rank, s.left), here.words(s.header)});
  return {};
}

std::string abstract_run::send_and_wait(const step_name& is, bool& done) {
  const step& s = history_.at(is);
  const bool eager = s.left.bytes == 0 && s.header.count == 0;  // as lower() has it
  const auto [at, fresh] = waiting_.try_emplace({is.rank, is.number}, eager);
  std::string wrong = fresh ? send(is) : std::string();
  done = at->second || collecting_.contains({s.peer, s.edge});
  posted_ = fresh;
  return wrong;
}

std::string abstract_run::receive(const step_name& is, bool& done) {
  const step& s = history_.at(is);
  const auto it = in_flight_.find({s.peer, is.rank, s.edge});
  done = it != in_flight_.end();
  if (!done) return {};
  const message came = std::move(it->second.front());
  it->second.pop_front();
  if (it->second.empty()) in_flight_.erase(it);
  if (of_.sends_wait) waiting_[{came.send.rank, came.send.number}] = true;
  const step& sent = history_.at(came.send);
  const bool fits = s.length_slot == step::no_slot ? came.values.size() == memory_.elements(s.into)
                                                   : came.values.size() <= memory_.elements(s.into);
  if (!fits) {
    return fmt::format("rank {} receives {} elements as edge {} from rank {}, which sent {}",
                       is.rank, memory_.elements(s.into), s.edge, s.peer, came.values.size());
  }
  const bool counts = s.counted && !came.header.empty() && came.header[0] == came.header.size();
  if (sent.counted != s.counted || (s.counted && !counts) ||
      (counts ? came.header.size() > s.header.count : came.header.size() != s.header.count)) {
    return fmt::format("{} takes {} header words; {} sent {}", describe(is), s.header.count,
                       describe(came.send), came.header.size());
  }
  const bool same_place = sent.into.of == s.into.of && sent.into.offset == s.into.offset &&
                          (sent.into.owner == own || sent.into.owner == is.rank);
  if (sent.placed != s.placed || (s.placed && !same_place)) {
    return fmt::format("{} and {} do not agree on the place", describe(came.send), describe(is));
  }
  memory_.write(is.rank, s.into, came.values);
  emission& here = ranks_[static_cast<std::size_t>(is.rank)];
  here.set_words(s.header, came.header);
  if (s.length_slot != step::no_slot) {
    here.set_words({static_cast<std::uint32_t>(s.length_slot), 1}, {sent.left.bytes});
  }
  partners_.push_back(came.send);
  return {};
}

std::string abstract_run::compute(const step_name& is) {
  const step& s = history_.at(is);
  for (const piece* p : {&s.left, &s.right}) {
    if (p->owner == own || p->owner == is.rank || p->bytes == 0) continue;
    const needs& theirs = ranks_[static_cast<std::size_t>(p->owner)].wants();
    if ((p->of == buffer::input && !theirs.exposes_input) ||
        (p->of == buffer::output && !theirs.exposes_output)) {
      return fmt::format("{} reads the {} of rank {}, which does not expose it", describe(is),
                         to_string(p->of), p->owner);
    }
  }
  value_names names = memory_.read(is.rank, s.left);
  if (s.kind == step_kind::reduce) {
    const value_names right = memory_.read(is.rank, s.right);
    for (std::size_t i = 0; i < names.size(); ++i) {
      names[i] = memory_.values.combined(names[i], right[i]);
    }
  }
  memory_.write(is.rank, s.into, names);
  return {};
}

std::string abstract_run::collect(const step_name& is) {
  const step& s = history_.at(is);
  if (!collecting_.try_emplace({is.rank, s.edge}, true).second) {
    return fmt::format("{} collects edge {} a second time", describe(is), s.edge);
  }
  return {};
}

std::string abstract_run::close(const step_name& is, bool& done) {
  const step& s = history_.at(is);
  const auto known = collecting_.find({is.rank, s.edge});
  if (known == collecting_.end() || !known->second) {
    return fmt::format("{} closes edge {}, which it does not collect", describe(is), s.edge);
  }
  std::uint64_t here = 0;
  for (int source = 0; source < of_.ranks; ++source) {
    const auto came = in_flight_.find({source, is.rank, s.edge});
    if (came != in_flight_.end()) here += came->second.size();
  }
  done = !s.counted || here >= s.value;
  if (!done && !s.acknowledged) return {};
  if (s.counted && here != s.value) {
    return fmt::format("{} counts {} messages; {} came", describe(is), s.value, here);
  }
  known->second = false;
  for (int source = 0; source < of_.ranks; ++source) {
    const auto came = in_flight_.find({source, is.rank, s.edge});
    if (came == in_flight_.end()) continue;
    for (const message& one : came->second) {
      hand_over(is.rank, source, one.values);
      if (s.counted) partners_.push_back(one.send);
    }
    in_flight_.erase(came);
  }
  return {};
}

void abstract_run::deliver(const step_name& is) {
  const step& s = history_.at(is);
  hand_over(is.rank, s.peer, memory_.read(is.rank, s.left));
}

void abstract_run::hand_over(int rank, int source, const value_names& names) {
  collected_message& here = collected_[static_cast<std::size_t>(rank)].emplace_back();
  here.source = source;
  for (const auto name : names) here.values.push_back(memory_.values.spelled(name));
}

std::string abstract_run::count(const step_name& is, bool& done) {
  const step& s = history_.at(is);
  const int of = s.peer == own ? is.rank : s.peer;
  if (s.edge >= ranks_[static_cast<std::size_t>(of)].wants().counters) {
    return fmt::format("{} names counter {} of rank {}, which does not exist", describe(is), s.edge,
                       of);
  }
  std::uint64_t& counter = counters_[{of, s.edge}];
  const bool announces = ranks_[static_cast<std::size_t>(of)].wants().announces;
  const bool is_more = s.kind == step_kind::signal ? of != is.rank || counter != 0 : s.value > 1;
  if (announces && (s.edge != 0 || is_more)) {
    return fmt::format(
        "{} uses counter {} of rank {}, which announces: it has one counter, and "
        "counts it up itself, once",
        describe(is), s.edge, of);
  }
  if (s.kind == step_kind::signal) {
    ++counter;
  } else {
    done = counter >= s.value;
  }
  return {};
}

std::string abstract_run::in_network(const step_name& is, bool& done) {
  const step& s = history_.at(is);
  const auto ranks = static_cast<std::size_t>(of_.ranks);
  const auto r = static_cast<std::size_t>(is.rank);
  network_operation& op = network_[{s.kind, s.edge}];
  if (op.here.empty()) {
    op.entered.resize(ranks);
    op.left.resize(ranks);
    op.here.resize(ranks);
  }
  if (!op.here[r]) {
    op.here[r] = true;
    ++op.ranks_here;
    op.entered[r] = is;
    if (s.kind == step_kind::net_reduce || s.peer == is.rank) {
      op.left[r] = memory_.read(is.rank, s.left);
    }
  } else if (op.entered[r].number != is.number) {
    return fmt::format("{} enters edge {} a second time", describe(is), s.edge);
  }
  const bool is_root = s.peer == is.rank;
  if (s.kind == step_kind::net_multicast) {
    done = op.here[static_cast<std::size_t>(s.peer)];
    if (done) partners_ = {op.entered[static_cast<std::size_t>(s.peer)]};
  } else if (s.kind == step_kind::net_barrier || s.peer == own || is_root) {
    done = op.ranks_here == of_.ranks;
    if (done) partners_ = op.entered;
  }
  if (!done) return {};
  ++op.ranks_gone;
  return network_result(is, op);
}

/// What the network brings to a rank. It combines in the order of ranks.
std::string abstract_run::network_result(const step_name& is, const network_operation& op) {
  const step& s = history_.at(is);
  if (partners_.empty() || s.kind == step_kind::net_barrier) return {};
  value_names result;
  for (const step_name& from : partners_) {
    const step& other = history_.at(from);
    const value_names& left = op.left[static_cast<std::size_t>(from.rank)];
    if (other.peer != s.peer || left.size() != memory_.elements(s.into)) {
      return fmt::format("{} and {} differ in root or size", describe(is), describe(from));
    }
    if (result.empty()) {
      result = left;
      continue;
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      result[i] = memory_.values.combined(result[i], left[i]);
    }
  }
  memory_.write(is.rank, s.into, result);
  return {};
}

/// Executors rely on what a generator says of its edges.
std::string abstract_run::mixed_edges() const {
  std::map<std::pair<int, std::uint32_t>, int> source_of;  // by destination and edge
  for (const auto& [key, times] : sent_) {
    const auto& [source, destination, edge] = key;
    if (!ranks_[static_cast<std::size_t>(destination)].wants().edges_apart) continue;
    const int first = source_of.try_emplace({destination, edge}, source).first->second;
    if (first == source) continue;
    return fmt::format(
        "rank {} receives edge {} from rank {} and from rank {}; the generator says "
        "that its edges are apart",
        destination, edge, first, source);
  }
  return {};
}

/// Who prices alike ranks looks at one of them: their steps differ in peers, places and perhaps an
/// element of length. So each receives the edges that it sends, too: else some never came.
std::string abstract_run::unlike_ranks() const {
  const auto shape = [](const step& s) {
    return std::tuple(s.kind, s.edge, s.round, s.after, s.after_all, s.header.count, s.value);
  };
  const std::vector<step>& first = history_.steps.front();
  for (int rank = 0; rank < of_.ranks; ++rank) {
    const std::vector<step>& steps = history_.steps[static_cast<std::size_t>(rank)];
    if (!ranks_[static_cast<std::size_t>(rank)].wants().alike) continue;
    const auto [here, there] =
        std::mismatch(steps.begin(), steps.end(), first.begin(), first.end(),
                      [&](const step& a, const step& b) { return shape(a) == shape(b); });
    if (here != steps.end() || there != first.end()) {
      return fmt::format("rank {} says that it does as rank 0 does, but not in step {}", rank,
                         here - steps.begin());
    }
  }
  return {};
}

std::string abstract_run::leftovers() const {
  for (const auto& [key, times] : sent_) {
    const auto& [source, destination, edge] = key;
    if (times > 1 && !collecting_.contains({destination, edge})) {
      return fmt::format("rank {} sends edge {} to rank {} {} times", source, edge, destination,
                         times);
    }
  }
  if (!in_flight_.empty()) {
    const auto& [source, destination, edge] = in_flight_.begin()->first;
    return fmt::format("rank {} sent edge {} to rank {}, which never receives it; {} others too",
                       source, edge, destination, in_flight_.size() - 1);
  }
  for (const auto& [where, is_open] : collecting_) {
    if (is_open) return fmt::format("rank {} never closes edge {}", where.first, where.second);
  }
  for (const auto& [key, op] : network_) {
    if (op.ranks_gone != of_.ranks) {
      return fmt::format("{} of {} ranks take part in {} edge {}", op.ranks_here, of_.ranks,
                         to_string(key.first), key.second);
    }
  }
  return {};
}

std::string abstract_run::compare(function_ref<abstract_value(int, std::uint64_t)> wanted) const {
  for (int rank = 0; rank < of_.ranks; ++rank) {
    const value_names& output = memory_.output(rank);
    for (std::uint64_t e = 0; e < output.size(); ++e) {
      abstract_value want = wanted(rank, e);
      if (want.empty()) continue;
      abstract_value have = memory_.values.spelled(output[e]);
      if (of_.commutative) {
        std::sort(want.begin(), want.end());
        std::sort(have.begin(), have.end());
      }
      if (have == want) continue;
      return fmt::format(
          "rank {}, element {} of the output: {} contributions, {} wanted, or "
          "others, or in another order",
          rank, e, have.size(), want.size());
    }
    if (std::string wrong = compare_arrivals(rank); !wrong.empty()) return wrong;
  }
  return {};
}

std::string abstract_run::compare_arrivals(int rank) const {
  const auto r = static_cast<std::size_t>(rank);
  std::vector<collected_message> want =
      of_.calls.empty() ? std::vector<collected_message>{} : of_.calls[r].collected;
  std::vector<collected_message> have = collected_[r];
  std::sort(want.begin(), want.end());
  std::sort(have.begin(), have.end());
  if (have == want) return {};
  return fmt::format("rank {} collects {} messages, {} wanted, or others", rank, have.size(),
                     want.size());
}

}  // namespace upwash::schedule::detail
