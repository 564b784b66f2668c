// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives among neighbours. Where MPI does not promise that all blocks are as long, each end of
// an edge says how long its blocks are.
#include "interop/mpi/detail/describe.hpp"
#include "interop/mpi/detail/take.hpp"
#include "interop/mpi/detail/topology.hpp"

namespace upwash::mpi::describe {
namespace {

/// Blocks of as many elements, those that edges have.
block_list equal_blocks(const taken_call& call, const void* buffer, MPI_Count count,
                        MPI_Datatype type, std::span<const int> which) {
  block_list made(static_cast<int>(which.size()));
  for (const int each : which) {
    made.add(call.of(buffer, count, type, static_cast<MPI_Aint>(count) * each));
  }
  return made;
}

block_list listed_blocks(const taken_call& call, const void* buffer, integer_list counts,
                         integer_list places, MPI_Datatype type, std::span<const int> which) {
  if (!which.empty() && (counts.is_null() || places.is_null())) throw pass_on{fate::bad_call};
  block_list made(static_cast<int>(which.size()));
  for (const int each : which) made.add(call.of(buffer, counts[each], type, places[each]));
  return made;
}

block_list listed_blocks(const taken_call& call, const void* buffer, integer_list counts,
                         integer_list places, const MPI_Datatype* types,
                         std::span<const int> which) {
  if (!which.empty() && (counts.is_null() || places.is_null() || types == nullptr)) {
    throw pass_on{fate::bad_call};
  }
  block_list made(static_cast<int>(which.size()));
  for (const int each : which) {
    const auto begin = reinterpret_cast<std::uintptr_t>(buffer);
    const auto* at =
        reinterpret_cast<const std::byte*>(begin + static_cast<std::uintptr_t>(places[each]));
    // A block of nothing may name no type.
    made.add(counts[each] == 0 ? call.of(at, 0, MPI_BYTE) : call.of(at, counts[each], types[each]));
  }
  return made;
}

/// `in`, `out`: of a block. Those of no edges count for nothing.
bool are_equal(const topology& near, std::uint64_t in, std::uint64_t out) {
  return near.one_length() &&
         (in == out || near.received_blocks().empty() || near.sent_blocks().empty());
}

/// The blocks that come. One behind the other where the call is of equal blocks.
std::span<std::byte> take_equal_blocks(const taken_call& call, traffic& all, void* receive,
                                       MPI_Count receives, MPI_Datatype type, bool equal) {
  const topology& near = call.near();
  const auto blocks = near.received_blocks();
  if (equal && near.in_order()) {
    const auto count = receives * static_cast<MPI_Count>(blocks.size());
    return all.received.emplace(call.memory(), call.of(receive, count, type)).bytes();
  }
  block_list& made =
      all.received_blocks.emplace(equal_blocks(call, receive, receives, type, blocks));
  made.settle(call.memory(), false, equal);
  return made.bytes();
}

std::uint64_t bytes_of(const taken_call& call, const void* buffer, MPI_Count count,
                       MPI_Datatype type) {
  return call.of(buffer, count, type).bytes();
}

void gather_listed(const taken_call& call, traffic& all, const void* send, MPI_Count sends,
                   MPI_Datatype send_type) {
  const std::span<std::byte> output = all.received_blocks->bytes();
  const bool goes_nowhere = call.near().sent_blocks().empty();
  all.sent.emplace(call.memory(), call.of(send, goes_nowhere ? 0 : sends, send_type));
  all.near = {.among = &call.near().neighbors(),
              .gathers = true,
              .input = all.sent->bytes(),
              .output = output,
              .received = &*all.received_blocks};
}

void exchange_listed(const taken_call& call, traffic& all) {
  all.near = {.among = &call.near().neighbors(),
              .input = all.sent_blocks->bytes(),
              .output = all.received_blocks->bytes(),
              .sent = &*all.sent_blocks,
              .received = &*all.received_blocks};
}

}  // namespace

void neighbor_allgather(taken_call& call, traffic& all, const void* send, MPI_Count sends,
                        MPI_Datatype send_type, void* receive, MPI_Count receives,
                        MPI_Datatype receive_type) {
  const topology& near = call.near();
  const std::uint64_t in = bytes_of(call, receive, receives, receive_type);
  const std::uint64_t out = bytes_of(call, send, sends, send_type);
  const bool equal = are_equal(near, in, out);
  const auto output = take_equal_blocks(call, all, receive, receives, receive_type, equal);
  if (!equal) return gather_listed(call, all, send, sends, send_type);
  const std::uint64_t bytes = near.sent_blocks().empty() ? in : out;
  if (bytes == 0) return;
  if (near.sent_blocks().empty()) {
    all.room = call.memory().take(bytes);
    all.near = {.input = {all.room.data(), bytes}};
  } else {
    all.sent.emplace(call.memory(), call.of(send, sends, send_type));
    all.sent->keep_apart(call.memory(), output);
    all.near = {.input = all.sent->bytes()};
  }
  all.near.among = &near.neighbors();
  all.near.gathers = all.near.equal = true;
  all.near.bytes = bytes;
  all.near.output = output;
}

void neighbor_allgatherv(taken_call& call, traffic& all, const void* send, MPI_Count sends,
                         MPI_Datatype send_type, void* receive, integer_list receives,
                         integer_list places, MPI_Datatype receive_type) {
  all.received_blocks
      .emplace(listed_blocks(call, receive, receives, places, receive_type,
                             call.near().received_blocks()))
      .settle(call.memory(), false);
  gather_listed(call, all, send, sends, send_type);
}

void neighbor_alltoall(taken_call& call, traffic& all, const void* send, MPI_Count sends,
                       MPI_Datatype send_type, void* receive, MPI_Count receives,
                       MPI_Datatype receive_type) {
  const topology& near = call.near();
  const std::uint64_t in = bytes_of(call, receive, receives, receive_type);
  const std::uint64_t out = bytes_of(call, send, sends, send_type);
  const bool equal = are_equal(near, in, out);
  const auto output = take_equal_blocks(call, all, receive, receives, receive_type, equal);
  const std::uint64_t bytes = near.sent_blocks().empty() ? in : out;
  if (equal && bytes == 0) return;
  if (equal && near.in_order()) {
    const auto count = sends * static_cast<MPI_Count>(near.sent_blocks().size());
    all.sent.emplace(call.memory(), call.of(send, count, send_type));
    all.sent->keep_apart(call.memory(), output);
    all.near = {.input = all.sent->bytes()};
  } else {
    all.sent_blocks.emplace(equal_blocks(call, send, sends, send_type, near.sent_blocks()))
        .settle(call.memory(), true, equal);
    if (!equal) return exchange_listed(call, all);
    all.near = {.input = all.sent_blocks->bytes()};
  }
  all.near.among = &near.neighbors();
  all.near.equal = true;
  all.near.bytes = bytes;
  all.near.output = output;
}

void neighbor_alltoallv(taken_call& call, traffic& all, const void* send, integer_list sends,
                        integer_list send_places, MPI_Datatype send_type, void* receive,
                        integer_list receives, integer_list receive_places,
                        MPI_Datatype receive_type) {
  const topology& near = call.near();
  all.received_blocks
      .emplace(listed_blocks(call, receive, receives, receive_places, receive_type,
                             near.received_blocks()))
      .settle(call.memory(), false);
  all.sent_blocks
      .emplace(listed_blocks(call, send, sends, send_places, send_type, near.sent_blocks()))
      .settle(call.memory(), true);
  exchange_listed(call, all);
}

void neighbor_alltoallw(taken_call& call, traffic& all, const void* send, integer_list sends,
                        integer_list send_places, const MPI_Datatype* send_types, void* receive,
                        integer_list receives, integer_list receive_places,
                        const MPI_Datatype* receive_types) {
  const topology& near = call.near();
  all.received_blocks
      .emplace(listed_blocks(call, receive, receives, receive_places, receive_types,
                             near.received_blocks()))
      .settle(call.memory(), false);
  all.sent_blocks
      .emplace(listed_blocks(call, send, sends, send_places, send_types, near.sent_blocks()))
      .settle(call.memory(), true);
  exchange_listed(call, all);
}

}  // namespace upwash::mpi::describe
