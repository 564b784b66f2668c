// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/trace_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>

#include "tools/trace_choices.hpp"
#include "tools/trace_messages.hpp"

namespace upwash::tools {
namespace {

using observe::trace_event;
using observe::trace_kind;
using observe::traced_rank;

double us(std::int64_t ps) { return static_cast<double>(ps) * 1e-6; }

/// Text as JSON has it, with its quotes.
std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Writes events with the commas between them.
class event_list {
 public:
  explicit event_list(std::ostream& out) : out_(out) { out_ << "{\"traceEvents\":[\n"; }
  ~event_list() { out_ << "\n]}\n"; }
  event_list(const event_list&) = delete;
  event_list& operator=(const event_list&) = delete;

  void add(const std::string& event) {
    if (!first_) out_ << ",\n";
    first_ = false;
    out_ << event;
  }

 private:
  std::ostream& out_;
  bool first_ = true;
};

void write_rank(const traced_rank& rank, event_list& list) {
  const int node = rank.head.node;
  const int id = rank.head.rank;
  list.add(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"node {}"}}}})",
                       node, node));
  list.add(fmt::format(
      R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"rank {}"}}}})", node,
      id, id));
  list.add(fmt::format(
      R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
      node, id, id));
}

void write_slice(const traced_rank& rank, const trace_event& e, event_list& list) {
  list.add(fmt::format(
      R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{:.6f},"dur":{:.6f},)"
      R"("args":{{"peer":{},"bytes":{},"number":{}}}}})",
      to_string(e.kind), json_text(event_name(rank, e)), rank.head.node, rank.head.rank,
      us(e.begin_ps), us(static_cast<std::int64_t>(e.length_ps)), e.peer, e.bytes, e.number));
}

/// Two ends that a number joins: collectives of a rank may overlap.
void write_asynchronous(const traced_rank& rank, const trace_event& e, std::uint64_t id,
                        event_list& list) {
  const auto end = [&](char phase, std::int64_t at) {
    list.add(fmt::format(
        R"({{"ph":"{}","cat":"collective","id":{},"name":{},"pid":{},"tid":{},"ts":{:.6f},)"
        R"("args":{{"bytes":{},"number":{}}}}})",
        phase, id, json_text(rank.name_of(e)), rank.head.node, rank.head.rank, us(at), e.bytes,
        e.number));
  };
  end('b', e.begin_ps);
  end('e', e.begin_ps + static_cast<std::int64_t>(e.length_ps));
}

/// Depths, as a line over time.
void write_depths(const traced_rank& rank, const trace_event& e, event_list& list) {
  list.add(fmt::format(R"({{"ph":"C","name":"rank {} tagged","pid":{},"ts":{:.6f},)"
                       R"("args":{{"receives posted":{},"messages kept":{}}}}})",
                       rank.head.rank, rank.head.node, us(e.begin_ps), e.bytes, e.number));
}

void write_arrow(const traced_message& m, std::uint64_t id, event_list& list) {
  const auto end = [&](std::string_view phase, const traced_rank& rank, const trace_event& e) {
    list.add(fmt::format(
        R"({{"ph":{},"cat":"message","name":"message","id":{},"pid":{},"tid":{},"ts":{:.6f}}})",
        phase, id, rank.head.node, rank.head.rank, us(e.begin_ps)));
  };
  end(R"("s")", *m.source, *m.sent);
  end(R"("f","bp":"e")", *m.destination, *m.arrived);
}

}  // namespace

void write_chrome(const observe::trace& from, std::ostream& out) {
  event_list list(out);
  std::uint64_t id = 0;
  for (const traced_rank& rank : from.ranks) {
    write_rank(rank, list);
    for (const trace_event& e : rank.events) {
      if (e.kind == trace_kind::collective) {
        write_asynchronous(rank, e, ++id, list);
      } else if (e.kind == trace_kind::queues) {
        write_depths(rank, e, list);
      } else {
        write_slice(rank, e, list);
      }
    }
  }
  for_each_message(from, [&](const traced_message& m) {
    if (m.arrived != nullptr) write_arrow(m, ++id, list);
  });
}

void write_messages(const observe::trace& from, std::ostream& out) {
  constexpr std::array<std::string_view, 3> lanes = {"request", "reply", "memory"};
  out << "source,destination,lane,number,bytes,sent_us,handled_us,tag\n";
  for_each_message(from, [&](const traced_message& m) {
    const trace_event& e = *m.sent;
    out << fmt::format("{},{},{},{},{},{:.6f},", m.source->head.rank, e.peer, lanes[e.lane],
                       e.number, e.bytes, us(e.begin_ps));
    if (m.arrived != nullptr) out << fmt::format("{:.6f}", us(m.arrived->begin_ps));
    out << ',';
    if (m.tag) out << *m.tag;
    out << '\n';
  });
}

}  // namespace upwash::tools
