// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rooms: messages that are written where they travel.
#include "upwash/conduit/shm/detail/shm_endpoint.hpp"

#include <mutex>

#include "upwash/base/ensure.hpp"

namespace upwash::conduit::shm_detail {

injection shm_endpoint::prepare(int source, int destination, lane kind, std::size_t bytes,
                                reservation& room) {
  ensure(bytes <= medium_bytes(), "a room is no larger than a message", bytes);
  const int process = process_of(destination);
  if (kind == lane::request && throttled(process)) {
    return injection::retry(retry_reason::throttled);
  }
  room.source = source;
  room.destination = destination;
  room.kind = kind;
  if (kind != lane::memory) {
    return out(process, kind).reserve(bytes, local_of(source), local_of(destination), room.payload);
  }
  const std::lock_guard guard(outbound_);
  return out(process, kind).reserve(bytes, local_of(source), local_of(destination), room.payload);
}

void shm_endpoint::commit(const reservation& room, const message& m) {
  const int process = process_of(room.destination);
  sender_ring& ring = out(process, room.kind);
  if (scheduler_ != nullptr && process == mesh_.self() && room.kind != lane::memory &&
      handled_here(m)) {
    return ring.cancel();  // its payload was read in the room
  }
  if (room.kind == lane::memory) outbound_.lock();
  ring.commit(m, local_of(m.source), local_of(m.destination));
  if (room.kind == lane::memory) outbound_.unlock();
  if (announced_to(process)) announce(process);
  if (room.kind == lane::memory) wake(process);
}

void shm_endpoint::cancel(const reservation& room) {
  sender_ring& ring = out(process_of(room.destination), room.kind);
  if (room.kind == lane::memory) outbound_.lock();
  ring.cancel();
  if (room.kind == lane::memory) outbound_.unlock();
}

}  // namespace upwash::conduit::shm_detail
