// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/traced/detail/rank_trace.hpp"

#include <fmt/format.h>

namespace upwash::conduit::traced {
namespace {

using observe::trace_event;
using observe::trace_kind;

/// A handler's number among names of numbers.
std::uint64_t number_of(handler_id id) {
  return std::uint64_t{id.module} << 32U | id.offset | std::uint64_t{1} << 63U;
}

/// What a message of that handler is called: modules of the library's own are known, others are
/// places in the program.
std::string text_of(handler_id id) {
  if (id.module == conduit_module) return "message of the conduit";
  if (id.module == core_module) return fmt::format("message of core {}", id.offset);
  return fmt::format("message {}+{:#x}", id.module, id.offset);
}

std::uint64_t length(duration begin, duration end) {
  return end > begin ? static_cast<std::uint64_t>((end - begin).ps()) : 0;
}

}  // namespace

rank_trace::rank_trace(const traced_rank& of, waiter& within, const std::string& path,
                       const observe::trace_owner& owner, std::size_t most_bytes,
                       std::size_t chunk_bytes)
    : of_(of),
      within_(within),
      ordered_(of.within.describe().ordered),
      writer_(path, owner, most_bytes, chunk_bytes) {}

void rank_trace::write_message(trace_kind kind, const message& m, int peer, std::uint32_t number,
                               duration begin) {
  const std::uint32_t name =
      writer_.name_of_number(number_of(m.handler), [&m] { return text_of(m.handler); });
  writer_.next() = trace_event{.begin_ps = begin.ps(),
                               .length_ps = length(begin, now()),
                               .bytes = m.arguments.size() + m.payload.size(),
                               .peer = peer,
                               .number = number,
                               .name = name,
                               .kind = kind,
                               .lane = static_cast<std::uint8_t>(m.kind)};
}

void rank_trace::sent(const message& m, duration begin) {
  const std::uint32_t number =
      ordered_ ? counts_.of(m.destination).gone[static_cast<std::size_t>(m.kind)]++ : m.sequence;
  write_message(trace_kind::send, m, m.destination, number, begin);
}

void rank_trace::arrived(const message& m, std::uint32_t number, duration begin) {
  write_message(trace_kind::arrive, m, m.source, number, begin);
}

void rank_trace::touched(trace_kind kind, int peer, std::size_t bytes, duration begin,
                         const char* name) {
  writer_.next() = trace_event{.begin_ps = begin.ps(),
                               .length_ps = length(begin, now()),
                               .bytes = bytes,
                               .peer = peer,
                               .name = writer_.name(name, nullptr, {}),
                               .kind = kind};
}

void rank_trace::close() {
  end_wait();
  writer_.close();
}

void rank_trace::begin_wait(int rank) {
  end_wait();
  within_.begin_wait(rank);
}

void rank_trace::idle(int rank, const wait_target& target, const wait_reason& reason) {
  const duration begin = now();
  const bool goes_on = open_ && open_->operation == reason.operation &&
                       open_->number == reason.number && open_->site.line == reason.site.line;
  if (!goes_on) {
    end_wait();
    open_ = reason;
    open_since_ = begin;
  }
  within_.idle(rank, target, reason);
  open_until_ = now();
}

void rank_trace::end_wait() {
  if (!open_) return;
  const wait_reason& why = *open_;
  writer_.next() = trace_event{.begin_ps = open_since_.ps(),
                               .length_ps = length(open_since_, open_until_),
                               .bytes = why.bytes,
                               .peer = why.peer,
                               .number = static_cast<std::uint32_t>(why.number),
                               .name = writer_.name(why.operation, nullptr, why.site),
                               .kind = trace_kind::wait};
  open_.reset();
}

}  // namespace upwash::conduit::traced
