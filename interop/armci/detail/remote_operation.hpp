// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One call that moves data to or from a rank, of any shape: checked, given a place in a region, and
// begun. All throw `refusal`, or `error` for extents that leave the memory, before anything is
// sent.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interop/armci/detail/session.hpp"
#include "upwash/onesided/layout.hpp"

namespace upwash::armci {

enum class direction : std::uint8_t { put, get, add };

struct remote_operation {
  direction how = direction::put;
  int proc = -1;
  int type = 0;  ///< of `add`, with the scale
  const void* scale = nullptr;
  bool blocking = true;  ///< else under `handle`; null: implicit
  armci_hdl_t* handle = nullptr;
};

/// ARMCI's two sides of a strided transfer.
struct strided_sides {
  void* source = nullptr;
  const int* source_strides = nullptr;
  void* destination = nullptr;
  const int* destination_strides = nullptr;
  const int* counts = nullptr;
  int levels = 0;
};

void run_contiguous(session& own, const remote_operation& what, void* source, void* destination,
                    int bytes);
void run_strided(session& own, const remote_operation& what, const strided_sides& sides);
void run_vector(session& own, const remote_operation& what, const armci_giov_t* list, int length);

/// The layout of strided memory, from the local side to the remote one. Throws `refusal`.
[[nodiscard]] strided layout_of(const int* local_strides, const int* remote_strides,
                                const int* counts, int levels);
void check_proc(const session& own, int proc);
/// The place of an address that `what` must be at `proc`. Throws `refusal` for none.
[[nodiscard]] global_ptr<std::byte> required_place(session& own, int proc, const void* address);
/// A value that is seen when this returns.
template <class T>
void store_value(session& own, int proc, void* address, T value) {
  run_contiguous(own, {.how = direction::put, .proc = proc}, &value, address, sizeof value);
}

}  // namespace upwash::armci
