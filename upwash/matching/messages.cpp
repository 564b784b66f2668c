// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/messages.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/matching/detail/messenger.hpp"
#include "upwash/matching/options.hpp"

namespace upwash::matching {
namespace {

/// One by one, as they were stored a moment ago: a longer load would wait until all stores before
/// it have left the processor.
void copy_parts(receipt& to, const receipt& from) noexcept {
  const volatile receipt& stored = from;
  to.source = stored.source;
  to.tag = stored.tag;
  to.bytes = stored.bytes;
  to.cancelled = stored.cancelled;
}

detail::messenger& of(const team& t) { return detail::messenger::on(t); }

constexpr knob rows[] = {
    knob{"matching", knob_type::text, "adaptive/single",
         "stores of tagged messages: ENGINE/PARTITION (upwash bench matching lists them)",
         knob_level::tuner},
    knob{"eager_limit", knob_type::bytes, "8k",
         "tagged messages up to this size are sent at once, larger ones fetched",
         knob_level::tuner},
    knob{"unexpected_limit", knob_type::bytes, "64m",
         "memory of a rank for tagged messages that came before their receives; beyond it they are "
         "fetched",
         knob_level::user},
    knob{"unexpected_envelopes", knob_type::integer, "65536",
         "messages to be fetched that a rank lists before their receives; beyond it they stay "
         "listed at their senders",
         knob_level::user},
    knob{
        "match_profile", knob_type::text, "",
        "trace (FILE, or FILE.RANK as match_trace writes) that clustered and static partner queues "
        "are made from",
        knob_level::tuner},
    knob{"match_trace", knob_type::text, "",
         "records posts, arrivals, probes and cancels of each rank into FILE.RANK (upwash bench "
         "matching --replay FILE)",
         knob_level::user},
};

}  // namespace

void add_knobs(knob_table& table) { table.add(rows); }

message_options options_of(const settings& values) {
  message_options chosen;
  const std::string name = values.text("matching");
  const auto slash = name.find('/');
  chosen.engine = name.substr(0, slash);
  if (slash != std::string::npos) chosen.partition = name.substr(slash + 1);
  (void)make_store(chosen.engine, chosen.partition, side::posted, {});  // says when there is none
  chosen.eager_bytes = values.bytes("eager_limit");
  chosen.unexpected_bytes = values.bytes("unexpected_limit");
  const std::int64_t envelopes = values.integer("unexpected_envelopes");
  if (envelopes < 0) {
    throw error(error_kind::argument,
                fmt::format("knob unexpected_envelopes: {}; give a number from 0 on", envelopes));
  }
  chosen.unexpected_envelopes = static_cast<std::size_t>(envelopes);
  chosen.profile = values.text("match_profile");
  chosen.trace = values.text("match_trace");
  return chosen;
}

void install(job& here, const message_options& chosen) {
  here.service<detail::messenger>().use(chosen);
}

bool receiving::test() { return state_ == nullptr || state_->owner->test(*state_); }

bool receiving::is_complete() const noexcept {
  return state_ == nullptr || state_->now == detail::posted::state::complete;
}

bool receiving::tell(const notice& where) {
  return state_ != nullptr && state_->owner->tell_end(*state_, where);
}

const receipt& receiving::wait(call_site site) {
  static constexpr receipt nothing{};
  if (state_ == nullptr) return nothing;
  if (state_->now != detail::posted::state::complete) state_->owner->wait(*state_, site);
  if (state_->unfit != detail::posted::misfit::none) [[unlikely]]
    detail::messenger::throw_misfit(*state_, site);
  return state_->got;
}

bool receiving::take_end(receipt& got, bool& fits) noexcept {
  if (state_ == nullptr) {
    got = {};
    fits = true;
    return true;
  }
  detail::posted& p = *state_;
  if (p.now != detail::posted::state::complete) return false;
  fits = p.unfit == detail::posted::misfit::none;
  copy_parts(got, p.got);
  state_ = nullptr;
  p.owner->give_back(p);
  return true;
}

void receiving::await_end(receipt& got, bool& fits, call_site site) {
  if (take_end(got, fits)) return;
  state_->owner->wait(*state_, site);
  static_cast<void>(take_end(got, fits));
}

bool receiving::cancel() { return state_ != nullptr && state_->owner->cancel(*state_); }

void receiving::finish() noexcept {
  if (state_ == nullptr) return;
  detail::posted& p = *std::exchange(state_, nullptr);
  if (p.now == detail::posted::state::complete) [[likely]]
    return p.owner->give_back(p);
  p.owner->finish(p);
}

claimed_message::~claimed_message() {
  if (state_ != nullptr) owner_->drop(*state_);
}

void promise(const team& on, const hints& what) { of(on).promise(on, what); }

void keep_early(job& here) { here.service<detail::messenger>().keep_early(); }

void drop_early(job& here) { here.service<detail::messenger>().drop_early(); }

bool send(const team& to, int destination, int tag, std::span<const std::byte> bytes, mode how,
          const notice& where) {
  return of(to).send(to, destination, tag, bytes, how, where);
}
bool has_room(const team& to, int destination, std::size_t bytes) {
  return of(to).has_room(to, destination, bytes);
}
receiving receive(claimed_message&& claimed, std::span<std::byte> into, item_type items) {
  return detail::messenger::receive_claimed(std::move(claimed), into, items);
}
std::optional<receipt> probe(const team& from, int source, int tag) {
  return of(from).probe(from, source, tag);
}
receipt wait_for_message(const team& from, int source, int tag, call_site site) {
  return of(from).wait_for_message(from, source, tag, site);
}
std::optional<claimed_message> claim(const team& from, int source, int tag) {
  return of(from).claim(from, source, tag);
}

void send_edge(const team& to, int member, const edge& what, std::span<const std::byte> bytes,
               bool acknowledged, std::uint64_t& told) {
  told = edge_under_way;
  of(to).send_edge(to, member, what, bytes, acknowledged, told);
}
void receive_edge(const team& from, int member, const edge& what, std::span<std::byte> into,
                  std::uint64_t& told) {
  told = edge_under_way;
  of(from).receive_edge(from, member, what, into, told);
}

message_memory memory_of(job& here) { return here.service<detail::messenger>().memory(); }

persistent_send::persistent_send(const team& to, int destination, int tag,
                                 std::span<const std::byte> bytes, mode how)
    : to_(to), destination_(destination), tag_(tag), bytes_(bytes), how_(how) {
  of(to).check_destination(to, destination, tag);
}
request persistent_send::start() const { return send(to_, destination_, tag_, bytes_, how_); }

persistent_receive::persistent_receive(const team& from, int source, int tag,
                                       std::span<std::byte> into)
    : from_(from), source_(source), tag_(tag), into_(into) {
  of(from).check_source(from, source, tag, "receive");
}
receiving persistent_receive::start() const { return receive(from_, source_, tag_, into_); }

}  // namespace upwash::matching
