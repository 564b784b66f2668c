// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Joins two independent layers: edges of collectives travel as tagged messages.
#pragma once

#include "upwash/collective/tagged_messages.hpp"
#include "upwash/matching/edges.hpp"

namespace upwash {

class tagged_edges final : public collective::tagged_messages {
 public:
  void send(const team& to, int member, const edge& what, std::span<const std::byte> bytes,
            bool acknowledged, std::uint64_t& told) override {
    matching::send_edge(to, member, named(to, what), bytes, acknowledged, told);
  }
  void receive(const team& from, int member, const edge& what, std::span<std::byte> into,
               std::uint64_t& told) override {
    matching::receive_edge(from, member, named(from, what), into, told);
  }

 private:
  static_assert(under_way == matching::edge_under_way);
  static_assert(edge_bits + phase_bits == matching::call_shift);

  [[nodiscard]] static matching::edge named(const team& on, const edge& what) {
    return {what.tag, matching::collective_kind(what.collective, what.bytes,
                                                static_cast<std::uint32_t>(on.size()))};
  }
};

}  // namespace upwash
