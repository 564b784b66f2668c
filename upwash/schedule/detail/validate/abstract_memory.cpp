// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/validate/abstract_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/schedule/detail/validate/describe.hpp"

namespace upwash::schedule::detail {

abstract_values::name abstract_values::leaf(contribution of) {
  nodes_.push_back({of, unwritten, unwritten});
  return static_cast<name>(nodes_.size() - 1);
}

abstract_values::name abstract_values::combined(name left, name right) {
  if (left == unwritten) return right;
  if (right == unwritten) return left;
  nodes_.push_back({{}, left, right});
  return static_cast<name>(nodes_.size() - 1);
}

abstract_value abstract_values::spelled(name of) const {
  abstract_value all;
  std::vector<name> ahead{of};
  while (!ahead.empty()) {
    const name here = ahead.back();
    ahead.pop_back();
    if (here == unwritten) continue;
    const node& n = nodes_[here];
    if (n.left == unwritten) {
      all.push_back(n.leaf);
    } else {
      ahead.push_back(n.right);
      ahead.push_back(n.left);
    }
  }
  return all;
}

abstract_memory::abstract_memory(const expectation& of)
    : element_bytes_(of.element_bytes), buffers_(static_cast<std::size_t>(of.ranks)) {
  for (int rank = 0; rank < of.ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const rank_call call = of.calls.empty() ? rank_call{} : of.calls[r];
    value_names input(call.input_bytes.value_or(of.input_bytes) / of.element_bytes);
    for (std::uint32_t e = 0; e < input.size(); ++e) input[e] = values.leaf({rank, e});
    value_names output(call.output_bytes.value_or(of.output_bytes) / of.element_bytes);
    if (of.in_place || call.in_place_at) {
      const std::uint64_t first =
          call.in_place_at.value_or(of.in_place_stride * r) / of.element_bytes;
      std::copy(input.begin(), input.end(), output.begin() + static_cast<std::ptrdiff_t>(first));
      input.clear();
    }
    buffers_[r][static_cast<std::size_t>(buffer::input)] = std::move(input);
    buffers_[r][static_cast<std::size_t>(buffer::output)] = std::move(output);
  }
}

void abstract_memory::grow(int rank, buffer which, std::uint64_t bytes) {
  value_names& at = buffers_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(which)];
  at.resize(std::max<std::size_t>(at.size(), (bytes + element_bytes_ - 1) / element_bytes_));
}

std::string abstract_memory::objection(int rank, const piece& p) const {
  if (p.of == buffer::none) return {};
  const int owner = p.owner == own ? rank : p.owner;
  if (owner != rank && p.of == buffer::scratch) {
    return fmt::format("the scratch of rank {} is its own", owner);
  }
  const std::uint64_t size = of(owner, p.of).size() * element_bytes_;
  if (p.offset % element_bytes_ != 0 || p.bytes % element_bytes_ != 0 || p.offset > size ||
      p.bytes > size - p.offset) {
    return fmt::format("{} bytes at {} of {} leave it or split an element ({} bytes, rank {})",
                       p.bytes, p.offset, to_string(p.of), size, owner);
  }
  return {};
}

value_names abstract_memory::read(int rank, const piece& p) const {
  if (p.of == buffer::none) return {};
  const value_names& from = of(p.owner == own ? rank : p.owner, p.of);
  const auto first = from.begin() + static_cast<std::ptrdiff_t>(p.offset / element_bytes_);
  return {first, first + static_cast<std::ptrdiff_t>(elements(p))};
}

void abstract_memory::write(int rank, const piece& p,
                            std::span<const abstract_values::name> names) {
  if (p.of == buffer::none) return;
  auto& to = buffers_[static_cast<std::size_t>(p.owner == own ? rank : p.owner)]
                     [static_cast<std::size_t>(p.of)];
  std::copy(names.begin(), names.end(),
            to.begin() + static_cast<std::ptrdiff_t>(p.offset / element_bytes_));
}

}  // namespace upwash::schedule::detail
