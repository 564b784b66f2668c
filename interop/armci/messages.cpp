// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between two ranks, from one to all, and what comes of them.
#include <armci.h>
#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <span>

#include "interop/armci/detail/guard.hpp"
#include "interop/armci/detail/remote_operation.hpp"
#include "interop/armci/detail/scope.hpp"
#include "upwash/collective/broadcast.hpp"
#include "upwash/core/control.hpp"
#include "upwash/matching/messages.hpp"

using namespace upwash::armci;  // NOLINT: of this file alone

namespace {

namespace matching = upwash::matching;

constexpr int cluster_tag = 0x41524d43;

std::span<std::byte> bytes_of(void* buffer, int bytes) {
  if (bytes < 0) throw refusal(code::count, fmt::format("{} bytes; give 0 or more", bytes));
  if (bytes > 0 && buffer == nullptr) throw refusal(code::address, "the buffer is a null pointer");
  return {static_cast<std::byte*>(buffer), static_cast<std::size_t>(bytes)};
}

void check_tag(int tag) {
  if (tag < 0) throw refusal(code::kind, fmt::format("tag {}; give 0 or more", tag));
}

matching::receipt received(session& own, int tag, std::span<std::byte> into, int* bytes, int from) {
  check_tag(tag);
  auto under_way = matching::receive(own.world, from, tag, into);
  const matching::receipt got = under_way.wait(upwash::call_site{});
  if (bytes != nullptr) *bytes = static_cast<int>(got.bytes);
  return got;
}

/// `root` is a rank of the world.
void spread(const session& own, const upwash::team* among, void* buffer, int bytes, int root) {
  check_proc(own, root);
  const std::span<std::byte> data = bytes_of(buffer, bytes);
  if (among == nullptr) return;
  const int member = among->member_of(root);
  if (member < 0) throw refusal(code::rank, fmt::format("rank {} is no member", root));
  upwash::broadcast(*among, upwash::blocking, member, data);
}

void spread_to_all(const char* function, void* buffer, int bytes, int root) {
  must_in_job(function, [&](session& own) { spread(own, &own.world, buffer, bytes, root); });
}

/// From the first of n successive members to the others of them.
void spread_in_cluster(const upwash::team& among, std::span<std::byte> data, int first, int n) {
  const int mine = among.rank();
  if (first < 0 || n < 1 || first + n > among.size()) {
    throw refusal(code::rank, fmt::format("members {} to {}; the group has 0 to {}", first,
                                          first + n - 1, among.size() - 1));
  }
  if (mine == first) {
    for (int i = first + 1; i < first + n; ++i) {
      matching::send(among, i, cluster_tag, data).wait();
    }
  } else if (mine > first && mine < first + n) {
    matching::receive(among, first, cluster_tag, data).wait(upwash::call_site{});
  }
}

}  // namespace

namespace upwash::armci {

const team* in_scope(const session& own, int scope) {
  if (scope == SCOPE_ALL || scope == SCOPE_MASTERS) return &own.world;
  if (scope == SCOPE_NODE) return nullptr;
  throw refusal(code::kind, fmt::format("no scope {}", scope));
}

const team* in_scope(const session& own, int scope, const ARMCI_Group* group) {
  const team* found = in_scope(own, scope);
  return found != nullptr && group != nullptr ? &own.groups.members(group) : found;
}

}  // namespace upwash::armci

extern "C" {

int armci_msg_me(void) {
  return must_in_job("armci_msg_me", [](session& own) { return own.rank; });
}

int armci_msg_nproc(void) {
  return must_in_job("armci_msg_nproc", [](session& own) { return own.size; });
}

double armci_timer(void) {
  const std::chrono::duration<double> since = std::chrono::steady_clock::now().time_since_epoch();
  return since.count();
}

void armci_msg_snd(int tag, void* buffer, int bytes, int to) {
  must_in_job("armci_msg_snd", [&](session& own) {
    check_tag(tag);
    check_proc(own, to);
    matching::send(own.world, to, tag, bytes_of(buffer, bytes)).wait();
  });
}

void armci_msg_rcv(int tag, void* buffer, int most_bytes, int* bytes, int from) {
  must_in_job("armci_msg_rcv", [&](session& own) {
    check_proc(own, from);
    static_cast<void>(received(own, tag, bytes_of(buffer, most_bytes), bytes, from));
  });
}

int armci_msg_rcvany(int tag, void* buffer, int most_bytes, int* bytes) {
  return must_in_job("armci_msg_rcvany", [&](session& own) {
    return received(own, tag, bytes_of(buffer, most_bytes), bytes, matching::any_source).source;
  });
}

void parmci_msg_barrier(void) {
  must_in_job("armci_msg_barrier", [](session& own) { upwash::control::barrier(own.world); });
}

void parmci_msg_group_barrier(ARMCI_Group* group) {
  must("armci_msg_group_barrier",
       [&](session& own) { upwash::control::barrier(own.groups.members(group)); });
}

void armci_msg_bintree(int scope, int* root, int* up, int* left, int* right) {
  must_in_job("armci_msg_bintree", [&](session& own) {
    const upwash::team* among = in_scope(own, scope);
    const int size = among != nullptr ? among->size() : 1;
    const int mine = among != nullptr ? among->rank() : 0;
    const auto place = [&](int member) {
      if (member < 0 || member >= size) return -1;
      return among != nullptr ? among->world_rank(member) : own.rank;
    };
    *root = place(0);
    *up = mine == 0 ? -1 : place((mine - 1) / 2);
    *left = place(2 * mine + 1);
    *right = place(2 * mine + 2);
  });
}

void armci_msg_bcast(void* buffer, int bytes, int root) {
  spread_to_all("armci_msg_bcast", buffer, bytes, root);
}

void armci_msg_brdcst(void* buffer, int bytes, int root) {
  spread_to_all("armci_msg_brdcst", buffer, bytes, root);
}

void armci_msg_bcast_scope(int scope, void* buffer, int bytes, int root) {
  must_in_job("armci_msg_bcast_scope",
              [&](session& own) { spread(own, in_scope(own, scope), buffer, bytes, root); });
}

void armci_msg_group_bcast_scope(int scope, void* buffer, int bytes, int root, ARMCI_Group* group) {
  must("armci_msg_group_bcast_scope",
       [&](session& own) { spread(own, in_scope(own, scope, group), buffer, bytes, root); });
}

void armci_msg_clus_brdcst(void* buffer, int bytes) {
  must_in_job("armci_msg_clus_brdcst", [&](session& own) {
    spread(own, in_scope(own, SCOPE_NODE), buffer, bytes, own.rank);
  });
}

void armci_grp_clus_brdcst(void* buffer, int bytes, int first, int n, ARMCI_Group* group) {
  must("armci_grp_clus_brdcst", [&](session& own) {
    spread_in_cluster(own.groups.members(group), bytes_of(buffer, bytes), first, n);
  });
}

}  // extern "C"

#pragma weak armci_msg_barrier = parmci_msg_barrier
#pragma weak armci_msg_group_barrier = parmci_msg_group_barrier
