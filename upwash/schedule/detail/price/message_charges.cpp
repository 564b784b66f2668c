// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/message_charges.hpp"

namespace upwash::schedule::detail {

message_charges::message_charges(const machine& on, const price_options& options, int ranks)
    : on_(on), levels_(on.levels.size()), main_(on, options) {
  if (options.charge_combining) packed_.resize(static_cast<std::size_t>(ranks));
  if (!options.from_nic_memory) return;
  from_nic_.emplace(nic_.emplace(sending_from_nic(on)), options);
  nics_.resize(static_cast<std::size_t>(ranks));
}

duration message_charges::choose_memory(int rank, const piece& from, message& m) {
  const bool between_nodes = m.level + 1 == levels_;
  if (!from_nic_ || !between_nodes || m.what != message_kind::data) return {};
  const nic_memory::way goes = nics_[static_cast<std::size_t>(rank)].send(from);
  m.from_nic = goes != nic_memory::way::from_main;
  if (goes != nic_memory::way::copied_first) return {};
  return model::bytes_time(m.bytes, needed(on_, on_.nic.memory_copy_ns_per_byte, "nic.memory_copy",
                                           "copying to the memory of the NIC"));
}

duration message_charges::combining(int rank, const piece& sent) {
  if (packed_.empty()) return {};
  const std::size_t combined = packed_[static_cast<std::size_t>(rank)].take(sent);
  return combined == 0 ? duration() : main_.combine() * static_cast<std::int64_t>(combined);
}

}  // namespace upwash::schedule::detail
