// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "bench/bench.hpp"

namespace upwash::bench {
namespace {

constexpr std::array entries{
    entry{"am-latency", "one-way time of an active message; floor: a cache line's ping-pong", 2, 2,
          &am_latency},
    entry{"am-rate", "one-way rate of active messages; floor: a bare ring", 2, 2, &am_rate},
    entry{"multi-ping", "bursts of 128 messages and a reply, with processor time (Kumar 2005, 2.2)",
          2, 2, &multi_ping},
    entry{"put-latency", "cost of a blocking put, and until acknowledged; floor: a store", 2, 2,
          &put_latency},
    entry{"put-rate", "implicit puts and quiet; floor: stores", 2, 2, &put_rate},
    entry{"put-bandwidth", "put into a peer's region; floor: memcpy", 2, 2, &put_bandwidth},
    entry{"get-latency", "cost of a blocking get; floor: a load", 2, 2, &get_latency},
    entry{"get-bandwidth", "get from a peer's region; floor: memcpy", 2, 2, &get_bandwidth},
    entry{"copy-bandwidth", "between private buffers; floor: a bare ring of chunks, two copies", 2,
          2, &copy_bandwidth},
    entry{"atomic-latency", "cost of blocking atomics; floor: the processor's", 2, 2,
          &atomic_latency},
    entry{"barrier", "barriers: core's (floor: a central counter), collective ones (by hand)", 1, 2,
          &barrier},
    entry{"onesided",
          "fences, fence_barrier, locks beside each other (Saify 2002); speed; --algorithm", 2, 2,
          &onesided},
    entry{"broadcast", "broadcast by every algorithm", 1, 2, &broadcast},
    entry{"all-gather", "all-gather; floor with two ranks: an exchange of lines by hand", 1, 2,
          &all_gather},
    entry{"all-to-all", "all-to-all by every algorithm", 1, 2, &all_to_all},
    entry{"neighbor-send", "rank i to i+1 .. i+degree by every many-to-many (Kumar 2005, 3.3.1)", 1,
          2, &neighbor_send},
    entry{"neighbor-plans", "a neighborhood and its first all-gather, planned by messages or puts",
          2, 2, &neighbor_plans},
    entry{"neighbor-forms", "a neighbor all-gather nonblocking and persistent; floor: blocking", 2,
          4, &neighbor_forms},
    entry{"all-reduce", "sum of doubles by every algorithm", 1, 2, &all_reduce},
    entry{"reduce", "sum of doubles at a root by every algorithm", 1, 2, &reduce},
    entry{"gather", "gather by every algorithm", 1, 2, &gather},
    entry{"scatter", "scatter by every algorithm", 1, 2, &scatter},
    entry{"scan", "prefix sum of doubles by every algorithm", 1, 2, &scan},
    entry{"overlap",
          "nonblocking collectives under computation, in % (OSU's); floor: the most by prices", 1,
          2, &overlap},
    entry{"in-flight", "16 collectives at once against one after the other (Nishtala 2009)", 1, 2,
          &many_in_flight},
    entry{"adapt", "collectives in a job that adapts; floor: with what was chosen first", 1, 2,
          &adapt},
    entry{"matching", "searches of every matching store beside a list; --bytes: depths", 1, 1,
          &matching_stores},
    entry{"matched", "collectives as tagged messages, a fan-in; floor: with a list", 1, 2,
          &matched},
    entry{"messages", "two-sided messages; with receives posted ahead, floor: with none", 2, 2,
          &messages},
    entry{"stream-records",
          "fixed records handed over in batches, to all others; floor: bare rings", 1, 2,
          &stream_records},
    entry{"stream-typed", "typed items, a handler call each; floor: bare rings", 1, 2,
          &stream_typed},
    entry{"stream-variable", "items of 1 to 200 bytes, as bytes and as vectors; floor: bare rings",
          1, 2, &stream_variable},
    entry{"stream-histogram", "random words of a table counted up (bale); floor: bare rings", 1, 2,
          &stream_histogram},
    entry{"stream-indexgather", "random words of a table fetched: request and reply; floor: rings",
          1, 2, &stream_index_gather},
    entry{"stream-chain", "an item that goes round, time of a hop; floor: a cache line's", 2, 2,
          &stream_chain},
    entry{"stream-pair", "items from one rank to one other; floor: a direct message each", 2, 2,
          &stream_pair},
    entry{"stream-pushed", "items pushed by handlers of short ones; floor: pushed outside handlers",
          2, 2, &stream_pushed},
    entry{"stream-two-way", "items both ways without an answer, by size (Narayanan 2020, 5.1)", 2,
          2, &stream_two_way},
    entry{"stream-acknowledged", "the same, every 100 acknowledged (Narayanan 2020, 5.2)", 2, 2,
          &stream_acknowledged},
    entry{"stream-synthetic", "the same from each to all others (Narayanan 2020, 5.3)", 2, 2,
          &stream_synthetic},
    entry{"stream-neighbors", "items to 26 neighbours in a cube of ranks (Narayanan 2020, 5.5)", 27,
          27, &stream_neighbors},
    entry{"stream-ring", "short messages to the next rank by bucket (Kumar 2005, 5.8)", 2, 2,
          &stream_ring},
    entry{"stream-alltoall", "k short messages a pair; --bytes: k (Kumar 2005, 5.10)", 2, 2,
          &stream_all_to_all},
    entry{"stream-phold", "PHOLD event simulation by windows: events a second of all ranks", 1, 2,
          &stream_phold},
    entry{"stream-randomaccess", "HPC Challenge RandomAccess: updates of all ranks", 1, 2,
          &stream_random_access},
    entry{"stream-unionfind", "the components of a graph (--graph)", 1, 2, &stream_union_find},
    entry{"object-calls", "calls of random objects: aggregated, and one by one; floor: a stream", 1,
          2, &object_calls},
    entry{"object-latency",
          "objects that call each other, and that move; floor: a cache line's way", 2, 2,
          &object_latency},
    entry{"object-all-to-all",
          "calls of each object to all others by strategies; floor: one by one", 2, 2,
          &object_all_to_all},
    entry{"stream-auto", "phases of items to all others: auto beside the best of fixed settings", 2,
          2, &stream_auto},
};

}  // namespace

std::span<const entry> table() { return entries; }

const entry* find(std::string_view name) {
  for (const entry& each : entries) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace upwash::bench
