// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/lower.hpp"

namespace upwash::schedule {
namespace {

wire made(mechanism how, std::initializer_list<wire_step> steps) {
  wire w;
  w.how = how;
  for (const wire_step& s : steps) w.steps[w.count++] = s;
  return w;
}

mechanism rule_for(std::uint64_t bytes, bool can_put, const transfer_rules& rules) {
  if (bytes <= rules.eager_bytes) return mechanism::eager;
  if (can_put && rules.entry != sync_mode::mine) return mechanism::signalling_put;
  return rules.direct && rules.addresses == address_mode::single ? mechanism::single_copy
                                                                 : mechanism::rendezvous;
}

}  // namespace

wire lower(std::uint64_t bytes, bool placed, bool acknowledged, const transfer_rules& rules) {
  using kind = wire_step::kind;
  // Nothing has no place: a buffer of no bytes need not lie in a region.
  const bool known = rules.addresses == address_mode::single && bytes != 0;
  const bool can_put = placed && known && !acknowledged;
  const bool can_copy = rules.direct && known;
  mechanism how = rules.forced.value_or(rule_for(bytes, can_put, rules));
  // Nothing is to be fetched of nothing; and schedules rely on it that such a send does not wait.
  if (how == mechanism::rendezvous && bytes == 0) how = mechanism::eager;
  // A large message is fetched when its receive has been found.
  if (how == mechanism::matched && bytes > rules.eager_bytes) how = mechanism::rendezvous;
  const bool cannot = (how == mechanism::eager && bytes > rules.eager_bytes) ||
                      (how == mechanism::signalling_put && !can_put) ||
                      (how == mechanism::single_copy && !can_copy);
  if (cannot) how = rule_for(bytes, can_put, rules);

  const wire_step note{};
  const wire_step back{.backwards = true};
  switch (how) {
    case mechanism::signalling_put: {
      const wire_step put{.what = kind::put, .bytes = bytes};
      return rules.entry == sync_mode::mine ? made(how, {back, put}) : made(how, {put});
    }
    case mechanism::rendezvous:
      return made(how, {note, {.what = kind::get, .backwards = true, .bytes = bytes}, back});
    case mechanism::single_copy:
      return made(how, {note, {.what = kind::copy, .backwards = true, .bytes = bytes}, back});
    default: break;  // eager, matched
  }
  const wire_step message{.bytes = bytes};
  return acknowledged ? made(how, {message, back}) : made(how, {message});
}

}  // namespace upwash::schedule
