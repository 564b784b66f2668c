// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that move data. Lengths that MPI wants the same at all ranks are taken from whichever
// argument counts at this one. MPI_IN_PLACE is the rank's own affair: what is in place is copied
// out first, so that nothing depends on whether others say it too.
#include "interop/mpi/detail/describe.hpp"
#include "interop/mpi/detail/take.hpp"

namespace upwash::mpi::describe {
namespace {

using collective::kind;

/// The rank's own block in a buffer of equal blocks.
elements own_block(const taken_call& call, const void* all, MPI_Count count, MPI_Datatype type) {
  return call.of(all, count, type, static_cast<MPI_Aint>(count) * call.rank());
}

elements all_blocks(const taken_call& call, const void* all, MPI_Count count, MPI_Datatype type) {
  return call.of(all, count * call.size(), type);
}

/// What this rank contributes: from its send buffer, or from its own block of the result. Apart
/// from where the result comes.
std::span<const std::byte> contribute(const taken_call& call, traffic& all, const void* send,
                                      MPI_Count count, MPI_Datatype type, const elements& own,
                                      std::span<const std::byte> result) {
  if (send == MPI_IN_PLACE) {
    all.sent.emplace(call.memory(), own, outgoing::copied{});
  } else {
    all.sent.emplace(call.memory(), call.of(send, count, type));
  }
  all.sent->keep_apart(call.memory(), result);
  return all.sent->bytes();
}

std::span<const std::byte> send_only(const taken_call& call, traffic& all, const void* send,
                                     MPI_Count count, MPI_Datatype type) {
  return all.sent.emplace(call.memory(), call.of(send, count, type)).bytes();
}

std::span<std::byte> receive_into(const taken_call& call, traffic& all, const elements& where) {
  return all.received.emplace(call.memory(), where).bytes();
}

/// Blocks of different lengths, as the executor takes them.
std::array<std::span<const std::uint64_t>, 4> given(const block_list& blocks) {
  return {blocks.lengths(), blocks.places(), {}, {}};
}

/// `sent_blocks` and `received_blocks` have a block for each member.
void exchange_blocks(const taken_call& call, traffic& all, bool in_place) {
  block_list& received = *all.received_blocks;
  block_list& sent = *all.sent_blocks;
  received.settle(call.memory(), false);
  sent.settle(call.memory(), true, in_place);
  all.set(call_of(kind::all_to_all_v, 0),
          {.input = sent.bytes(),
           .output = received.bytes(),
           .given = {sent.lengths(), sent.places(), received.lengths(), received.places()}});
}

}  // namespace

void barrier(taken_call& /*call*/, traffic& all) { all.set(call_of(kind::barrier, 0), {}); }

void bcast(taken_call& call, traffic& all, void* buffer, MPI_Count count, MPI_Datatype type,
           int root) {
  call.check_root(root);
  const elements data = call.of(buffer, count, type);
  if (data.bytes() == 0) return;
  const std::span<std::byte> bytes = receive_into(call, all, data);
  all.delivers = call.rank() != root;
  auto wanted = call_of(kind::broadcast, data.bytes(), root);
  wanted.what.in_place = true;  // as every broadcast is
  all.set(wanted, {.output = bytes});
}

void gather(taken_call& call, traffic& all, const void* send, MPI_Count sends,
            MPI_Datatype send_type, void* receive, MPI_Count receives, MPI_Datatype receive_type,
            int root) {
  call.check_root(root);
  if (call.rank() != root) {
    const auto mine = send_only(call, all, send, sends, send_type);
    if (mine.empty()) return;
    return all.set(call_of(kind::gather, mine.size(), root), {.input = mine});
  }
  const auto result = receive_into(call, all, all_blocks(call, receive, receives, receive_type));
  const auto mine = contribute(call, all, send, sends, send_type,
                               own_block(call, receive, receives, receive_type), result);
  if (mine.empty()) return;
  all.set(call_of(kind::gather, mine.size(), root), {.input = mine, .output = result});
}

void gatherv(taken_call& call, traffic& all, const void* send, MPI_Count sends,
             MPI_Datatype send_type, void* receive, integer_list receives, integer_list places,
             MPI_Datatype receive_type, int root) {
  call.check_root(root);
  // Rooted calls say nothing of the mean, which only the root knows.
  const auto wanted = call_of(kind::gather_v, 0, root);
  if (call.rank() != root) {
    return all.set(wanted, {.input = send_only(call, all, send, sends, send_type)});
  }
  block_list& blocks =
      all.received_blocks.emplace(call.blocks(receive, receives, places, receive_type));
  blocks.settle(call.memory(), false);
  const auto mine =
      contribute(call, all, send, sends, send_type, blocks.block(root), blocks.bytes());
  all.set(wanted, {.input = mine, .output = blocks.bytes(), .given = given(blocks)});
}

void scatter(taken_call& call, traffic& all, const void* send, MPI_Count sends,
             MPI_Datatype send_type, void* receive, MPI_Count receives, MPI_Datatype receive_type,
             int root) {
  call.check_root(root);
  if (call.rank() != root) {
    const auto mine = receive_into(call, all, call.of(receive, receives, receive_type));
    if (mine.empty()) return;
    return all.set(call_of(kind::scatter, mine.size(), root), {.output = mine});
  }
  all.sent.emplace(call.memory(), all_blocks(call, send, sends, send_type));
  const std::uint64_t bytes = all.sent->bytes().size() / static_cast<std::size_t>(call.size());
  if (bytes == 0) return;
  const auto wanted = call_of(kind::scatter, bytes, root);
  if (receive == MPI_IN_PLACE) {
    all.room = call.memory().take(bytes);
    return all.set(wanted, {.input = all.sent->bytes(), .output = {all.room.data(), bytes}});
  }
  const auto mine = receive_into(call, all, call.of(receive, receives, receive_type));
  all.sent->keep_apart(call.memory(), mine);
  all.set(wanted, {.input = all.sent->bytes(), .output = mine});
}

void scatterv(taken_call& call, traffic& all, const void* send, integer_list sends,
              integer_list places, MPI_Datatype send_type, void* receive, MPI_Count receives,
              MPI_Datatype receive_type, int root) {
  call.check_root(root);
  const auto wanted = call_of(kind::scatter_v, 0, root);
  if (call.rank() != root) {
    const auto mine = receive_into(call, all, call.of(receive, receives, receive_type));
    return all.set(wanted, {.output = mine});
  }
  block_list& blocks = all.sent_blocks.emplace(call.blocks(send, sends, places, send_type));
  blocks.settle(call.memory(), true);
  if (receive == MPI_IN_PLACE) {
    const std::uint64_t bytes = blocks.block(root).bytes();
    all.room = call.memory().take(bytes);
    return all.set(
        wanted,
        {.input = blocks.bytes(), .output = {all.room.data(), bytes}, .given = given(blocks)});
  }
  const auto mine = receive_into(call, all, call.of(receive, receives, receive_type));
  const auto bytes = static_cast<MPI_Count>(blocks.bytes().size());
  all.sent.emplace(call.memory(), call.of(blocks.bytes().data(), bytes, MPI_BYTE));
  all.sent->keep_apart(call.memory(), mine);
  all.set(wanted, {.input = all.sent->bytes(), .output = mine, .given = given(blocks)});
}

void allgather(taken_call& call, traffic& all, const void* send, MPI_Count sends,
               MPI_Datatype send_type, void* receive, MPI_Count receives,
               MPI_Datatype receive_type) {
  const auto result = receive_into(call, all, all_blocks(call, receive, receives, receive_type));
  const auto mine = contribute(call, all, send, sends, send_type,
                               own_block(call, receive, receives, receive_type), result);
  if (mine.empty()) return;
  all.set(call_of(kind::all_gather, mine.size()), {.input = mine, .output = result});
}

void allgatherv(taken_call& call, traffic& all, const void* send, MPI_Count sends,
                MPI_Datatype send_type, void* receive, integer_list receives, integer_list places,
                MPI_Datatype receive_type) {
  block_list& blocks =
      all.received_blocks.emplace(call.blocks(receive, receives, places, receive_type));
  blocks.settle(call.memory(), false);
  if (blocks.total() == 0) return;
  const auto mine =
      contribute(call, all, send, sends, send_type, blocks.block(call.rank()), blocks.bytes());
  const auto members = static_cast<std::uint64_t>(call.size());
  all.set(call_of(kind::all_gather_v, (blocks.total() + members - 1) / members),
          {.input = mine, .output = blocks.bytes(), .given = given(blocks)});
}

void alltoall(taken_call& call, traffic& all, const void* send, MPI_Count sends,
              MPI_Datatype send_type, void* receive, MPI_Count receives,
              MPI_Datatype receive_type) {
  const elements received = all_blocks(call, receive, receives, receive_type);
  const auto result = receive_into(call, all, received);
  if (result.empty()) return;
  if (send == MPI_IN_PLACE) {
    all.sent.emplace(call.memory(), received, outgoing::copied{});
  } else {
    all.sent.emplace(call.memory(), all_blocks(call, send, sends, send_type));
  }
  all.sent->keep_apart(call.memory(), result);
  all.set(call_of(kind::all_to_all, result.size() / static_cast<std::size_t>(call.size())),
          {.input = all.sent->bytes(), .output = result});
}

void alltoallv(taken_call& call, traffic& all, const void* send, integer_list sends,
               integer_list send_places, MPI_Datatype send_type, void* receive,
               integer_list receives, integer_list receive_places, MPI_Datatype receive_type) {
  all.received_blocks.emplace(call.blocks(receive, receives, receive_places, receive_type));
  const bool in_place = send == MPI_IN_PLACE;
  all.sent_blocks.emplace(in_place ? call.blocks(receive, receives, receive_places, receive_type)
                                   : call.blocks(send, sends, send_places, send_type));
  exchange_blocks(call, all, in_place);
}

void alltoallw(taken_call& call, traffic& all, const void* send, integer_list sends,
               integer_list send_places, const MPI_Datatype* send_types, void* receive,
               integer_list receives, integer_list receive_places,
               const MPI_Datatype* receive_types) {
  all.received_blocks.emplace(call.blocks(receive, receives, receive_places, receive_types));
  const bool in_place = send == MPI_IN_PLACE;
  all.sent_blocks.emplace(in_place ? call.blocks(receive, receives, receive_places, receive_types)
                                   : call.blocks(send, sends, send_places, send_types));
  exchange_blocks(call, all, in_place);
}

}  // namespace upwash::mpi::describe
