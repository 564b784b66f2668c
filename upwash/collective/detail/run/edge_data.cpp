// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/edge_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "upwash/base/error.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/memory_access.hpp"

namespace upwash::collective::detail {
namespace {

/// Of a message that is here.
std::uint64_t header_bytes_in(const schedule::step& s, std::span<const std::byte> message) {
  if (!s.counted) return edge_data::header_bytes(s);
  std::uint64_t words = 0;
  std::memcpy(&words, message.data(), sizeof words);
  return words * sizeof words;
}

}  // namespace

std::span<const std::byte> edge_data::in_one_piece(operation& op, slot& s) {
  const schedule::step& what = s.what;
  if (what.header.count == 0) return {op.source(what.left), what.left.bytes};
  if (!s.staged.empty()) return s.staged;  // an injection that found no credit
  const auto words = std::as_bytes(op.words(what.header));
  s.staged.assign(words.begin(), words.end());
  const std::byte* data = op.source(what.left);
  s.staged.insert(s.staged.end(), data, data + what.left.bytes);
  host(here_).charge(conduit::cost::copy, s.staged.size());
  return s.staged;
}

bool edge_data::fits(slot& s, std::uint64_t came) {
  const schedule::step& what = s.what;
  const std::uint64_t header = header_bytes(what);
  const bool any = what.length_slot != schedule::step::no_slot;
  const std::uint64_t most = header + what.into.bytes;
  const std::uint64_t least = (what.counted ? sizeof header : header) + (any ? 0 : what.into.bytes);
  if (least <= came && came <= most) return true;
  misfits(s, came);
  return false;
}

void edge_data::misfits(slot& s, std::uint64_t came) {
  const schedule::step& what = s.what;
  s.state = progress_of::asked;
  if (!misfit_.text.empty()) return;
  misfit_ = {{s.of->among.id(), s.of->run()},
             fmt::format("{} bytes came from member {} where {} were expected ({} #{} on team "
                         "{:#x}, edge {}); the members call different collectives or sizes",
                         came, what.peer, what.into.bytes + header_bytes(what),
                         s.of->how.agreed.operation, s.of->number, s.of->among.id(), what.edge)};
}

bool edge_data::take(slot& s, std::span<const std::byte> bytes) {
  if (!fits(s, bytes.size())) return false;
  operation& op = *s.of;
  const std::uint64_t header = header_bytes_in(s.what, bytes);
  const std::uint64_t data_bytes = bytes.size() - header;
  if (header > std::min<std::uint64_t>(header_bytes(s.what), bytes.size()) ||
      data_bytes > s.what.into.bytes) {
    misfits(s, bytes.size());
    return false;
  }
  if (header != 0) std::memcpy(op.words(s.what.header).data(), bytes.data(), header);
  const auto data = bytes.subspan(header);
  if (!data.empty()) std::memcpy(op.target(s.what.into), data.data(), data.size());
  if (s.what.length_slot != schedule::step::no_slot) {
    op.words({static_cast<std::uint32_t>(s.what.length_slot), 1})[0] = data.size();
  }
  host(here_).charge(conduit::cost::copy, bytes.size());
  return true;
}

global_ptr<std::byte> global_of(const operation& op, int member, const schedule::piece& p) {
  const bool input = p.of == schedule::buffer::input;
  const std::byte* base = input ? op.buffers.input.data() : op.buffers.output.data();
  const global_ptr<std::byte> here = to_global(op.among.here(), const_cast<std::byte*>(base));
  if (!here) {
    throw error(
        error_kind::argument,
        fmt::format("rank {}: {}: address mode single needs the {} buffer in a region "
                    "(allocate), at the same offset on every member; use mode local "
                    "for other memory",
                    op.among.here().rank(), op.how.agreed.operation, input ? "input" : "output"));
  }
  return {op.among.world_rank(member), here.region(), here.offset() + p.offset};
}

}  // namespace upwash::collective::detail
