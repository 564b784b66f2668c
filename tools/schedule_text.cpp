// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/schedule_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/pricing_progress.hpp"
#include "upwash/base/error.hpp"
#include "upwash/schedule/count.hpp"

namespace upwash::tools {
namespace {

using schedule::buffer;
using schedule::generator;
using schedule::piece;
using schedule::price_result;
using schedule::step;
using schedule::step_kind;

constexpr int few_ranks = 8;     ///< whose steps are all printed
constexpr int countable = 4096;  ///< ranks that are all counted
constexpr std::uint64_t few_steps = 2000;
constexpr std::uint64_t most_counted = 100'000'000;  ///< steps: a second

price_result price_of(const asked_schedule& asked) {
  asked_schedule priced = asked;
  priced.as_priced = true;
  std::deque<known_words> kept;
  const auto facts_of = [&](int rank) {
    kept.push_back(priced.words_of(rank));
    return kept.back().facts;
  };
  schedule::price_options options = asked.options;
  options.facts_of.emplace(facts_of);
  return price(
      asked.call.ranks, [&](int rank) { return priced.steps_of(rank); }, *asked.on, priced.rules(),
      options);
}

/// Nothing for more than `most_steps`, which are taken off.
std::optional<schedule::totals> counted(const asked_schedule& asked, int rank,
                                        std::uint64_t& most_steps) {
  const known_words known = asked.words_of(rank);
  const schedule::totals sum = count(asked.steps_of(rank), known.facts, most_steps);
  if (sum.steps > most_steps) return std::nullopt;
  most_steps -= sum.steps;
  return sum;
}

constexpr const char* copies_are_free = "copies take no time here: {} gives no cost for them\n";

std::string text_of(const piece& p) {
  constexpr std::array names{"", "input", "output", "scratch", "shared"};
  static_assert(names.size() == schedule::buffer_kinds);
  if (p.of == buffer::none) return "";
  const std::string text =
      fmt::format("{}[{}..{})", names[static_cast<std::size_t>(p.of)], p.offset, p.end());
  return p.owner == schedule::own ? text : fmt::format("{} of rank {}", text, p.owner);
}

std::string text_of(const step& s) {
  const std::string left = text_of(s.left);
  const std::string into = text_of(s.into);
  std::string text(to_string(s.kind));
  switch (s.kind) {
    case step_kind::send: text += fmt::format(" {} to {}, edge {}", left, s.peer, s.edge); break;
    case step_kind::receive:
      text += fmt::format(" {} from {}, edge {}", into, s.peer, s.edge);
      break;
    case step_kind::copy: text += fmt::format(" {} = {}", into, left); break;
    case step_kind::reduce:
      text += fmt::format(" {} = {} op {}", into, left, text_of(s.right));
      break;
    case step_kind::signal: text += fmt::format(" counter {} of {}", s.edge, s.peer); break;
    case step_kind::await:
      text += s.peer < 0 ? fmt::format(" own counter {} >= {}", s.edge, s.value)
                         : fmt::format(" counter {} of {} >= {}", s.edge, s.peer, s.value);
      break;
    case step_kind::collect: text += fmt::format(" edge {}", s.edge); break;
    case step_kind::close:
      text += fmt::format(" edge {}", s.edge);
      if (s.counted) text += fmt::format(" after {} messages", s.value);
      break;
    case step_kind::deliver: text += fmt::format(" {} as a message from {}", left, s.peer); break;
    default: break;
  }
  return text;
}

/// "after 3, 5": the numbers of the steps that it waits for.
std::string waits_of(const step& s, std::uint64_t number) {
  if (s.after_all) return "after all";
  std::string text;
  for (const std::uint32_t distance : s.after) {
    if (distance != 0)
      text += fmt::format("{}{}", text.empty() ? "after " : ", ", number - distance);
  }
  return text;
}

void print_steps(const asked_schedule& asked, int rank) {
  fmt::print("rank {}\n", rank);
  generator steps = asked.steps_of(rank);
  const known_words known = asked.words_of(rank);
  std::uint64_t number = 0;
  for (step s; steps.next(s, known.facts); ++number) {
    if (number == few_steps) {
      fmt::print("  ... and more than these {}\n", few_steps);
      break;
    }
    std::string flags = s.placed ? ", placed" : "";
    if (s.acknowledged) flags += ", acknowledged";
    const std::string waits = waits_of(s, number);
    fmt::print("  {:>4}  round {:<3} {}{}{}{}\n", number, s.round, text_of(s), flags,
               waits.empty() ? "" : "; ", waits);
  }
  if (number == 0) fmt::print("  nothing to do\n");
  fmt::print("  its coroutine takes {} bytes; a step waits for one of the {} before it\n",
             steps.frame_bytes(), steps.wants().window);
}

void print_counts(const asked_schedule& asked, int rank) {
  std::uint64_t left = most_counted;
  const auto line = [](const std::string& who, const std::optional<schedule::totals>& of) {
    if (!of) {
      fmt::print("{}: not counted, more than {} steps; ask for fewer ranks\n", who, most_counted);
      return;
    }
    fmt::print("{}: {} messages, {} bytes sent; {} bytes copied, {} reduced; {} rounds\n", who,
               of->messages_sent, of->bytes_sent, of->bytes_copied, of->bytes_reduced, of->rounds);
  };
  const auto mine = counted(asked, rank, left);
  line(fmt::format("rank {}", rank), mine);
  if (asked.call.ranks > countable || !mine) return;
  std::optional<schedule::totals> sum(std::in_place);
  for (int each = 0; each < asked.call.ranks && sum; ++each) {
    const auto one = counted(asked, each, left);
    if (!one) {
      sum.reset();
      continue;
    }
    sum->messages_sent += one->messages_sent;
    sum->bytes_sent += one->bytes_sent;
    sum->bytes_copied += one->bytes_copied;
    sum->bytes_reduced += one->bytes_reduced;
    sum->rounds = std::max(sum->rounds, one->rounds);
  }
  line(fmt::format("all {} ranks", asked.call.ranks), sum);
}

void print_eager(const asked_schedule& asked) {
  if (asked.call.transfer) {
    fmt::print("edges travel by {} where they can, as asked for\n",
               to_string(*asked.call.transfer));
  } else {
    fmt::print("edges of up to {} bytes travel eagerly, {}\n", asked.rules().eager_bytes,
               asked.with.eager_bytes || asked.call.eager_limit == 0
                   ? "as asked for"
                   : fmt::format("by prices on {}", asked.on->name));
  }
}

void print_price(const asked_schedule& asked, const price_result& result) {
  fmt::print(
      "on {}: complete after {:.3f} us; processors busy for {:.3f} us at most, {:.3f} us in "
      "the mean ({})\n",
      asked.on->name, result.completion.us(), result.processor_most.us(),
      result.processor_mean.us(), result.how(asked.call.ranks));
  if (asked.copies_free) fmt::print(copies_are_free, asked.on->name);
  if (result.core_sharing != duration()) {
    fmt::print("of this {:.3f} us for ranks that share cores\n", result.core_sharing.us());
  }
}

struct row {
  const collective::algorithm* one = nullptr;
  std::optional<price_result> price;
  std::string why_not;
};

row row_of(const collective::algorithm* one, const asked_schedule& asked) {
  row made{one, {}, {}};
  if (!asked.on) return made;
  asked_schedule with_it = asked;
  with_it.with = {one, model::initial_values(one->is)};
  made.why_not = collective::registry::objection(with_it.with, asked.call);
  if (!made.why_not.empty()) return made;
  try {
    made.price = price_of(with_it);
  } catch (const error& failure) {
    made.why_not = failure.what();
  }
  return made;
}

/// By price, where there is one.
std::vector<row> rows_of(const collective::registry& all, const asked_schedule& asked) {
  std::vector<row> rows;
  const auto algorithms = all.of(asked.call.of);
  pricing_progress progress;
  for (const collective::algorithm* each : algorithms) {
    rows.push_back(row_of(each, asked));
    progress.done(rows.size(), algorithms.size());
  }
  std::stable_sort(rows.begin(), rows.end(), [](const row& a, const row& b) {
    if (!a.price || !b.price) return a.price.has_value() > b.price.has_value();
    return a.price->completion < b.price->completion;
  });
  return rows;
}

}  // namespace

void record_if_needed(asked_schedule& asked) {
  const known_words first = asked.lengths.of(0, asked.with.schedule_of(asked.call, 0));
  step s;
  const bool asks_at_once =
      asked.with.schedule_of(asked.call, 0).next(s, first.facts) && s.kind == step_kind::stage;
  if (!asks_at_once) return;
  std::deque<known_words> kept;
  const auto steps_of = [&](int rank) { return asked.with.schedule_of(asked.call, rank); };
  const auto facts_of = [&](int rank) {
    kept.push_back(asked.lengths.of(rank, steps_of(rank)));
    return kept.back().facts;
  };
  asked.recorded = std::make_shared<schedule::recording>(asked.call.ranks, steps_of, facts_of);
}

void print_algorithms_json(const collective::registry& all, const asked_schedule& asked,
                           const std::string& chosen) {
  for (const row& each : rows_of(all, asked)) {
    const model::choice& is = each.one->is;
    const std::string text = model::text_of(is, model::initial_values(is));
    nlohmann::ordered_json line{{"algorithm", text}, {"doc", is.doc}, {"source", is.source}};
    if (!chosen.empty()) line["chosen"] = chosen.substr(0, chosen.find(':')) == is.name;
    if (each.price) {
      line["completion_ns"] = each.price->completion.ns();
      line["cpu_most_ns"] = each.price->processor_most.ns();
      line["how"] = each.price->how(asked.call.ranks);
    }
    if (!each.why_not.empty()) line["no_price"] = each.why_not;
    fmt::print("{}\n", line.dump());
  }
}

void print_algorithms(const collective::registry& all, const asked_schedule& asked,
                      const std::string& chosen) {
  const std::vector<row> rows = rows_of(all, asked);
  if (asked.copies_free) fmt::print(copies_are_free, asked.on->name);
  if (asked.on) print_eager(asked);
  if (!chosen.empty()) fmt::print("jobs choose {}\n", chosen);
  if (rows.empty()) fmt::print("no algorithm of {} yet\n", to_string(asked.call.of));
  for (const row& each : rows) {
    const model::choice& is = each.one->is;
    fmt::print("{}\n    {}\n", model::text_of(is, model::initial_values(is)), is.doc);
    for (const model::parameter& p : is.parameters) {
      fmt::print("    {}: {}; {} .. {}\n", p.name, p.doc, p.least, p.most);
    }
    const std::string needs = collective::registry::requirements_of(*each.one);
    if (!needs.empty()) fmt::print("    needs {}\n", needs);
    if (each.price) {
      fmt::print("    {:.3f} us on {}, processors busy for {:.3f} us at most ({})\n",
                 each.price->completion.us(), asked.on->name, each.price->processor_most.us(),
                 each.price->how(asked.call.ranks));
    }
    if (!each.why_not.empty()) fmt::print("    no price: {}\n", each.why_not);
    fmt::print("    source: {}\n", is.source);
  }
}

void print_text(const asked_schedule& asked) {
  // First what may fail, so that an error stands alone.
  std::optional<price_result> result;
  if (asked.on) {
    result = price_of(asked);
    print_eager(asked);
  }
  if (!asked.rank && asked.call.ranks <= few_ranks) {
    for (int rank = 0; rank < asked.call.ranks; ++rank) print_steps(asked, rank);
  } else {
    print_steps(asked, asked.rank.value_or(0));
  }
  print_counts(asked, asked.rank.value_or(0));
  if (result) print_price(asked, *result);
}

namespace {

nlohmann::ordered_json steps_of_rank(const asked_schedule& asked, int rank) {
  const known_words known = asked.words_of(rank);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  generator steps = asked.steps_of(rank);
  for (step s; steps.next(s, known.facts);) {
    nlohmann::ordered_json one{{"kind", to_string(s.kind)}, {"round", s.round}};
    if (s.peer != schedule::own) one["peer"] = s.peer;
    one["bytes"] = std::max(s.left.bytes, s.into.bytes);
    all.push_back(std::move(one));
  }
  return all;
}

/// Whether the ranks from `first` on have so few steps together.
bool are_few(const asked_schedule& asked, int first, int end, std::uint64_t most) {
  for (int rank = first; rank < end; ++rank) {
    if (!counted(asked, rank, most)) return false;
  }
  return true;
}

}  // namespace

void print_json(const asked_schedule& asked) {
  asked_schedule of = asked;
  of.options.per_rank = true;
  const int team = asked.call.ranks;
  const bool alike = !asked.rank && asked.steps_of(0).wants().alike;
  const bool one = asked.rank || team > countable || alike;
  const int first = one ? asked.rank.value_or(0) : 0;
  const int end = one ? first + 1 : team;
  std::uint64_t left = most_counted;
  if (!are_few(asked, first, end, left)) {
    throw error(error_kind::argument,
                fmt::format("schedule: more than {} steps; ask for fewer ranks", most_counted));
  }
  const bool with_steps = asked.rank || are_few(asked, first, end, few_steps);
  std::optional<price_result> result;
  if (asked.on) result = price_of(of);
  for (int rank = first; rank < end; ++rank) {
    const schedule::totals sum = *counted(asked, rank, left);
    nlohmann::ordered_json line{{"rank", rank},
                                {"messages", sum.messages_sent},
                                {"bytes", sum.bytes_sent},
                                {"rounds", sum.rounds}};
    if (alike && team > 1) line["stands_for"] = team;
    if (with_steps) {
      line["steps"] = steps_of_rank(asked, rank);
    } else {
      line["steps_left_out"] =
          fmt::format("more than {} together; name a rank by --rank", few_steps);
    }
    if (result) {
      const schedule::rank_price& mine = result->of_rank(rank);
      line["cpu_ns"] = mine.processor.ns();
      line["completion_ns"] = (mine.completion + result->core_sharing).ns();
      if (asked.copies_free) line["without_cost"] = "copies";
    }
    fmt::print("{}\n", line.dump());
  }
}

}  // namespace upwash::tools
