// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/armci/detail/open_operations.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace upwash::armci {
namespace {

constexpr int aggregate_mark = 0x41474752;
constexpr std::size_t most_alike = 4096;

bool same_place(const open_operations::operation& a, const open_operations::operation& b) {
  return a.region == b.region && a.proc == b.proc;
}

/// Complete ones to one place say no more than one of them.
void drop_repeated(std::vector<open_operations::operation>& all) {
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tuple(!a.handle.done(), a.region, a.proc) <
           std::tuple(!b.handle.done(), b.region, b.proc);
  });
  all.erase(std::unique(all.begin(), all.end(),
                        [](const auto& a, const auto& b) {
                          return a.handle.done() && b.handle.done() && same_place(a, b);
                        }),
            all.end());
}

}  // namespace

void open_operations::set_aggregate(armci_hdl_t& handle, bool to) noexcept {
  handle.aggregate = to ? aggregate_mark : 0;
}

bool open_operations::is_aggregate(const armci_hdl_t& handle) noexcept {
  return handle.aggregate == aggregate_mark;
}

open_operations::slot* open_operations::find(const armci_hdl_t& of) noexcept {
  const auto at = static_cast<std::size_t>(of.target);
  if (of.target < 1 || at >= slots_.size() || !slots_[at].used) return nullptr;
  return &slots_[at];
}

open_operations::slot& open_operations::slot_of(armci_hdl_t& under) {
  if (slot* found = find(under)) return *found;
  if (free_.empty()) {
    free_.push_back(static_cast<int>(slots_.size()));
    slots_.emplace_back();
  }
  under.target = free_.back();
  free_.pop_back();
  slot& made = slots_[static_cast<std::size_t>(under.target)];
  made.used = true;
  return made;
}

void open_operations::release(slot& going, armci_hdl_t& under) {
  going.begun.clear();
  going.gathered.reset();
  going.used = false;
  free_.push_back(static_cast<int>(&going - slots_.data()));
  under.target = 0;
}

void open_operations::add(armci_hdl_t* under, operation begun) {
  std::vector<operation>& to = under != nullptr ? slot_of(*under).begun : slots_.front().begun;
  if (begun.handle.empty() && !to.empty() && to.back().handle.empty() &&
      same_place(to.back(), begun)) {
    return;
  }
  if (to.size() >= most_alike && to.size() == to.capacity()) drop_repeated(to);
  to.push_back(std::move(begun));
}

void open_operations::gather(job& here, armci_hdl_t& under, global_ptr<std::byte> to,
                             std::span<const std::byte> from) {
  slot& at = slot_of(under);
  if (at.gathered && at.gathered->rank() != to.rank()) flush(at);
  if (!at.gathered) at.gathered = std::make_unique<aggregate>(here, to.rank());
  at.gathered->put(to, from);
  at.gathered_region = to.region_bits();
  add(&under, {{}, to.region_bits(), to.rank()});
}

void open_operations::flush(slot& of) {
  if (!of.gathered) return;
  of.begun.push_back({of.gathered->flush(), of.gathered_region, of.gathered->rank()});
  of.gathered.reset();
}

void open_operations::flush(int proc) {
  for (slot& each : slots_) {
    if (each.gathered && (proc < 0 || each.gathered->rank() == proc)) flush(each);
  }
}

void open_operations::wait(armci_hdl_t& under) {
  slot* found = find(under);
  if (found == nullptr) return;
  flush(*found);
  for (operation& each : found->begun) each.handle.wait();
  release(*found, under);
}

bool open_operations::test(armci_hdl_t& under) {
  slot* found = find(under);
  if (found == nullptr) return true;
  flush(*found);
  for (operation& each : found->begun) {
    if (!each.handle.test()) return false;
  }
  release(*found, under);
  return true;
}

void open_operations::wait_implicit(int proc) {
  std::vector<operation>& all = slots_.front().begun;
  for (operation& each : all) {
    if (proc < 0 || each.proc == proc) each.handle.wait();
  }
  std::erase_if(all, [&](const operation& each) { return proc < 0 || each.proc == proc; });
}

void open_operations::forget(int proc) {
  for (slot& each : slots_) {
    std::erase_if(each.begun, [&](const operation& one) {
      return (proc < 0 || one.proc == proc) && one.handle.done();
    });
    if (each.used && each.begun.empty() && !each.gathered) {
      each.used = false;
      free_.push_back(static_cast<int>(&each - slots_.data()));
    }
  }
}

bool open_operations::on(std::uint64_t region) const noexcept {
  return std::any_of(slots_.begin(), slots_.end(), [&](const slot& each) {
    return std::any_of(each.begun.begin(), each.begun.end(),
                       [&](const operation& one) { return one.region == region; });
  });
}

}  // namespace upwash::armci
