// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/mpi/plugin/detail/packet_transport.hpp"

#include <sched.h>

#include <algorithm>
#include <climits>

namespace upwash::conduit::mpi {
namespace {

constexpr std::size_t largest_piece = INT_MAX;  // of a transfer: MPI counts in int
constexpr int packets_a_round = 64;             // of polls while it closes

/// Tells of a transfer when all its pieces are done, and goes.
struct several_pieces : completion {
  several_pieces(completion& of_all, int pieces) : whole(of_all), left(pieces) {
    tell = [](completion& self) noexcept {
      auto& own = static_cast<several_pieces&>(self);
      if (--own.left > 0) return;
      completion& all = own.whole;
      delete &own;
      all.tell(all);
    };
  }
  completion& whole;
  int left;
};

}  // namespace

packet_transport::packet_transport(std::span<const int> ranks, int /*rank*/,
                                   const transport_options& options)
    : rank_of_(ranks.begin(), ranks.end()),
      process_of_(ranks.size()),
      packet_bytes_(options.packet_bytes),
      receives_(options.packet_bytes, options.receives),
      packets_from_(ranks.size()) {
  for (std::size_t p = 0; p < ranks.size(); ++p) {
    process_of_[static_cast<std::size_t>(ranks[p])] = static_cast<int>(p);
  }
}

int packet_transport::open() {
  for (own_communicator* each : {&packets_, &bulk_}) {
    int code = each->begin();
    bool made = false;
    while (code == MPI_SUCCESS && !made) {
      code = each->advance(made);
      if (!made) sched_yield();
    }
    if (code != MPI_SUCCESS) return code;
  }
  return receives_.open(packets_.get());
}

void packet_transport::note(int code, const char* call, int process) {
  if (code == MPI_SUCCESS || !failure_.empty()) return;
  failure_ = text_of(code, call);
  failed_process_ = process;
}

outcome packet_transport::send(int process, std::span<const std::byte> packet,
                               completion& sent) noexcept {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = PMPI_Isend(packet.data(), static_cast<int>(packet.size()), MPI_BYTE, rank_of(process),
                        0, packets_.get(), &request);
  int done = 0;
  // Most libraries have copied a short one by now.
  if (code == MPI_SUCCESS) code = PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
  note(code, "MPI_Isend", process);
  if (done != 0) return outcome::done;
  if (code == MPI_SUCCESS) pending_.add(request, sent, process);
  return outcome::pending;
}

/// `start(offset, bytes, request)` begins a piece and returns an MPI error code.
template <class Start>
outcome packet_transport::in_pieces(int process, std::size_t bytes, completion& when, Start start) {
  completion* told = &when;
  if (bytes > largest_piece) {
    told = new several_pieces(when, static_cast<int>((bytes + largest_piece - 1) / largest_piece));
  }
  std::size_t offset = 0;
  do {
    const std::size_t piece = std::min(bytes - offset, largest_piece);
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = start(offset, static_cast<int>(piece), &request);
    if (code != MPI_SUCCESS) {
      note(code, "a bulk transfer", process);
      break;
    }
    pending_.add(request, *told, process);
    offset += piece;
  } while (offset < bytes);
  return outcome::pending;
}

outcome packet_transport::send_bulk(int process, std::uint32_t tag, std::span<const std::byte> from,
                                    completion& sent) noexcept {
  return in_pieces(process, from.size(), sent,
                   [&](std::size_t offset, int bytes, MPI_Request* request) {
                     return PMPI_Isend(from.data() + offset, bytes, MPI_BYTE, rank_of(process),
                                       static_cast<int>(tag), bulk_.get(), request);
                   });
}

outcome packet_transport::receive_bulk(int process, std::uint32_t tag, std::span<std::byte> to,
                                       completion& came) noexcept {
  return in_pieces(process, to.size(), came,
                   [&](std::size_t offset, int bytes, MPI_Request* request) {
                     return PMPI_Irecv(to.data() + offset, bytes, MPI_BYTE, rank_of(process),
                                       static_cast<int>(tag), bulk_.get(), request);
                   });
}

/// A look that finds nothing costs as much as a message: behind the first packet after such a look
/// there is none, since whoever waits for that packet goes on at once.
int packet_transport::receive(wire::transport_user& user, int most) {
  int taken = 0;
  for (bool more = true; more && taken < most;) {
    packet_receives::packet came;
    const int code = receives_.next(came);
    if (code != MPI_SUCCESS || came.source < 0) {
      note(code, "a receive");
      packets_follow_ = false;
      break;
    }
    ++taken;
    const auto source = static_cast<std::size_t>(came.source);
    ++packets_from_[source];
    more = user.packet(process_of_[source], came.bytes) && packets_follow_;
    packets_follow_ = true;
  }
  return taken;
}

int packet_transport::poll(wire::transport_user& user, int most) noexcept {
  int happened = 0;
  if (!pending_.empty()) {
    pending_requests::failure failed;
    happened += pending_.poll(failed);
    note(failed.code, "MPI_Testsome", failed.process);
  }
  if (failure_.empty()) happened += receive(user, most);
  if (!failure_.empty() && !failure_told_) {
    failure_told_ = true;
    user.lost(failed_process_, failure_);
  }
  return happened;
}

void packet_transport::close(wire::transport_user& user,
                             std::span<const std::uint64_t> packets_to) noexcept {
  std::vector<std::uint64_t> to(packets_to.size());
  std::vector<std::uint64_t> expected(packets_to.size());
  for (std::size_t p = 0; p < to.size(); ++p) {
    to[static_cast<std::size_t>(rank_of_[p])] = packets_to[p];
  }
  MPI_Request request = MPI_REQUEST_NULL;
  int told = 0;
  note(PMPI_Ialltoall(to.data(), 1, MPI_UINT64_T, expected.data(), 1, MPI_UINT64_T, bulk_.get(),
                      &request),
       "MPI_Ialltoall");
  while (failure_.empty() && (told == 0 || packets_from_ != expected)) {
    if (told == 0) note(PMPI_Test(&request, &told, MPI_STATUS_IGNORE), "MPI_Ialltoall");
    if (poll(user, packets_a_round) == 0) sched_yield();
  }
  if (!failure_.empty()) return;
  receives_.close();
  packets_.free();
  bulk_.free();
}

}  // namespace upwash::conduit::mpi
