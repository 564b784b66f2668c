// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Private reads. Each advance() does a bounded piece of every transfer that can move.
#include "upwash/conduit/shm/detail/span_reader.hpp"

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>

#include "upwash/base/log.hpp"
#include "upwash/conduit/shm/detail/mesh.hpp"

namespace upwash::conduit::shm_detail {
namespace {

constexpr std::size_t attach_at_once = std::size_t{1} << 20U;  // a call blocks: 20-60 us

/// Pieces that the owner is asked for ahead: together they fill the pipeline, so that it need not
/// stand between them.
constexpr std::size_t pieces_ahead = 2;
/// Before attach is tried again where it was in vain.
constexpr duration attach_pause = duration::from_us(200);

/// Copies what is at `there` of the process `pid`. How many bytes, perhaps fewer; -1: errno says
/// why.
ssize_t attached_copy(int pid, const std::byte* there, std::byte* here,
                      std::size_t bytes) noexcept {
  const iovec into{here, bytes};
  const iovec from{const_cast<std::byte*>(there), bytes};
  return process_vm_readv(pid, &into, 1, &from, 1, 0);
}

}  // namespace

injection span_reader::get(const imported& from, int pid, std::size_t offset,
                           std::span<std::byte> to, completion* local) {
  if (to.empty()) return injection::done();
  transfer one{from.process, pid, from.span, from.address + offset, to.data(), to.size(), local};
  if (wants_attach(from, to.size())) {
    switch (attach_step(one)) {
      case attach_result::done: return injection::done();
      case attach_result::partial:
      case attach_result::owner_gone: attached_.push_back(one); return injection::pending();
      case attach_result::refused: break;
    }
  }
  pipeline(one);
  return injection::pending();
}

void span_reader::pass(transfer& one, std::uint64_t bytes) noexcept {
  one.from += bytes;
  one.to += bytes;
  one.left -= bytes;
}

span_reader::attach_result span_reader::attach_step(transfer& one) {
  const std::size_t bytes = std::min<std::size_t>(one.left, attach_at_once);
  const ssize_t moved = attached_copy(one.pid, one.from, one.to, bytes);
  if (moved < 0) {
    if (is_refused(errno)) return attach_result::refused;
    if (errno == ESRCH) return attach_result::owner_gone;  // its death ends the job
    if (errno == EFAULT) return attach_result::refused;    // as memory of devices: by the owner
    sender_.give_up(fmt::format("reading {} bytes at {} of process {} (pid {}): {}", bytes,
                                static_cast<const void*>(one.from), one.process, one.pid,
                                std::strerror(errno)));
  }
  pass(one, static_cast<std::uint64_t>(moved));
  return one.left == 0 ? attach_result::done : attach_result::partial;
}

/// Whether the kernel does not let it. That is said once, and not tried again.
bool span_reader::is_refused(int failure) {
  if (failure != EPERM && failure != ENOSYS) return false;
  if (may_attach_.exchange(false, std::memory_order_relaxed)) {
    log(log_level::info, "shm",
        fmt::format("the kernel refuses cross-memory attach ({}): private reads by two copies",
                    std::strerror(failure)));
  }
  return true;
}

bool span_reader::read_aside(int pid, std::uint64_t address, std::span<std::byte> to) {
  if (!may_attach_.load(std::memory_order_relaxed)) return false;
  const auto* from = reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(address));
  while (!to.empty()) {
    const ssize_t moved = attached_copy(pid, from, to.data(), to.size());
    if (moved < 0) static_cast<void>(is_refused(errno));
    if (moved <= 0) return false;
    from += moved;
    to = to.subspan(static_cast<std::size_t>(moved));
  }
  return true;
}

void span_reader::pipeline(const transfer& one) {
  incoming& from = pipes_[static_cast<std::size_t>(one.process)];
  if (!from.pipe.file) {
    try {
      from.serial = new_serial();
      from.pipe.slot_bytes = options_.slot_bytes;
      from.pipe.file = shared_memory::make(pipe_memory::file_bytes(options_.slot_bytes),
                                           from.serial, "a pipeline", "UPWASH_SHM_PIPELINE");
    } catch (const std::exception& problem) {
      sender_.give_up(problem.what());
    }
  }
  if (from.transfers.empty()) {
    active_.push_back(one.process);
    from.stands_since.reset();
  }
  from.transfers.push_back(one);
  ask(one.process, from);
}

int span_reader::ask(int process, incoming& from) {
  if (!from.announced) {
    const open_pipe opening{from.pipe.file.fd(), from.serial, from.pipe.slot_bytes};
    if (!sender_.send_control(process, control::open_pipe, &opening, sizeof opening)) return 0;
    from.announced = true;
  }
  int asked = 0;
  // Of an owner that was away a part: that it fills it tells that it is back.
  const bool away = from.patience == duration();
  const std::size_t ahead = away ? 1 : pieces_ahead;
  const std::uint64_t most =
      away ? from.pipe.part_bytes(1) : pipe_slots / pieces_ahead * from.pipe.slot_bytes;
  while (from.asking < from.transfers.size() && from.pieces.size() < ahead) {
    transfer& one = from.transfers[from.asking];
    const fetch wanted{static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(one.from)),
                       std::min(one.left, most), one.span};
    if (!sender_.send_control(process, control::fetch, &wanted, sizeof wanted)) break;
    from.pieces.push_back({one.from, one.to, wanted.bytes, from.pipe.part_bytes(wanted.bytes)});
    ++one.pieces;
    pass(one, wanted.bytes);
    if (one.left == 0) ++from.asking;
    ++asked;
  }
  return asked;
}

int span_reader::drain(incoming& from) {
  int parts = 0;
  // Acquire: the part is in its slot when it counts.
  const std::uint64_t filled = from.pipe.filled().load(std::memory_order_acquire);
  for (; from.drained < filled; ++parts) {
    const piece& first = from.pieces.front();
    std::memcpy(first.to, from.pipe.slot(from.drained), first.next_part());
    pass_part(from);
  }
  return parts;
}

/// The next part is here. The owner may write its slot again, or need not fill it any more.
void span_reader::pass_part(incoming& from) {
  // Release: copied before the owner hears so.
  from.pipe.drained().store(++from.drained, std::memory_order_release);
  piece& first = from.pieces.front();
  const std::size_t part = first.next_part();
  first.from += part;
  first.to += part;
  first.left -= part;
  if (first.left != 0) return;
  from.pieces.pop_front();
  --from.transfers.front().pieces;
  end_transfers(from);
}

void span_reader::end_transfers(incoming& from) {
  while (!from.transfers.empty() && from.transfers.front().left == 0 &&
         from.transfers.front().pieces == 0) {
    completion* const local = from.transfers.front().local;
    from.transfers.pop_front();
    --from.asking;
    if (local != nullptr) local->tell(*local);
  }
}

int span_reader::read_on(incoming& from) {
  if (!may_attach_.load(std::memory_order_relaxed)) {
    from.patience = usual_patience;
    return 0;
  }
  if (from.patience != duration()) {
    const duration now = steady_now();
    if (!from.stands_since) from.stands_since = now;
    if (now - *from.stands_since < from.patience) return 0;
  }
  const std::uint64_t drained = from.drained;
  const int read = from.asking == 0 ? read_unasked(from) : take_over_part(from);
  from.stands_since.reset();
  if (read == 0) {
    from.patience = attach_pause;
  } else if (from.pipe.filled().load(std::memory_order_relaxed) <= drained) {
    from.patience = duration();
  } else {
    from.patience = usual_patience;  // it has filled a part meanwhile
  }
  return read;
}

int span_reader::read_unasked(incoming& from) {
  transfer& one = from.transfers[from.asking];
  transfer some = one;
  some.left = std::min<std::uint64_t>(one.left, pipe_slots * from.pipe.slot_bytes);
  const std::uint64_t wanted = some.left;
  const attach_result result = attach_step(some);
  if (result == attach_result::refused || result == attach_result::owner_gone) return 0;
  pass(one, wanted - some.left);
  if (one.left == 0) ++from.asking;
  end_transfers(from);
  return 1;
}

/// Where the owner fills it meanwhile, both have done it.
int span_reader::take_over_part(incoming& from) {
  const piece& first = from.pieces.front();
  transfer part = from.transfers.front();
  part.from = first.from;
  part.to = first.to;
  part.left = first.next_part();
  attach_result result = attach_step(part);
  while (result == attach_result::partial) result = attach_step(part);
  if (result != attach_result::done) return 0;
  pass_part(from);
  return 1;
}

int span_reader::advance_attached() {
  if (attached_.empty()) return 0;
  // One piece of the first, then the next has its turn.
  transfer one = attached_.front();
  attached_.pop_front();
  switch (attach_step(one)) {
    case attach_result::done:
      if (one.local != nullptr) one.local->tell(*one.local);
      break;
    case attach_result::partial: attached_.push_back(one); break;
    case attach_result::owner_gone: attached_.push_back(one); return 0;  // nothing moved
    case attach_result::refused: pipeline(one); break;
  }
  return 1;
}

int span_reader::advance() {
  int happened = advance_attached();
  for (std::size_t i = 0; i < active_.size();) {
    const int process = active_[i];
    incoming& from = pipes_[static_cast<std::size_t>(process)];
    const int drained = drain(from);
    if (drained > 0) {
      from.stands_since.reset();
      from.patience = usual_patience;
    }
    happened += drained + ask(process, from);
    if (drained == 0) happened += read_on(from);
    if (from.transfers.empty()) {
      active_[i] = active_.back();
      active_.pop_back();
    } else {
      ++i;
    }
  }
  return happened;
}

}  // namespace upwash::conduit::shm_detail
