// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/topology.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/neighborhood/graphs/grid.hpp"

namespace upwash::mpi {

/// What MPI knows of a rank's edges.
struct topology::edges {
  std::vector<int> sources;
  std::vector<int> destinations;
  std::vector<int> in;   ///< by source: its block
  std::vector<int> out;  ///< by destination
  int blocks_in = 0;
  int blocks_out = 0;
  std::optional<grid> on;

  void all_in_order() {
    in.resize(sources.size());
    std::iota(in.begin(), in.end(), 0);
    out.resize(destinations.size());
    std::iota(out.begin(), out.end(), 0);
    blocks_in = static_cast<int>(in.size());
    blocks_out = static_cast<int>(out.size());
  }

  static std::optional<edges> of(MPI_Comm comm);
  static std::optional<edges> named_by(MPI_Comm comm);
  static std::optional<edges> of_grid(MPI_Comm comm);
  static edges of_graph(MPI_Comm comm);
  static edges of_distributed_graph(MPI_Comm comm);
};

/// Blocks lie by dimension, the neighbour before first. What goes forward comes from before. On a
/// ring of 1 or 2 ranks both neighbours are one rank: of several edges between the same two the
/// first named at one end is the first named at the other, so those that go forward are named
/// first.
std::optional<topology::edges> topology::edges::of_grid(MPI_Comm comm) {
  int dimensions = 0;
  int rank = 0;
  PMPI_Cartdim_get(comm, &dimensions);
  PMPI_Comm_rank(comm, &rank);
  if (dimensions == 0) return std::nullopt;
  std::vector<int> sizes(static_cast<std::size_t>(dimensions));
  std::vector<int> rings(sizes.size());
  std::vector<int> here(sizes.size());
  PMPI_Cart_get(comm, dimensions, sizes.data(), rings.data(), here.data());
  edges made;
  made.on.emplace(sizes, std::vector<bool>(rings.begin(), rings.end()));
  const bool short_ring = [&] {
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (rings[d] != 0 && sizes[d] <= 2) return true;
    }
    return false;
  }();
  const auto add = [](int neighbor, int block, std::vector<int>& ranks, std::vector<int>& blocks) {
    if (neighbor < 0) return;
    ranks.push_back(neighbor);
    blocks.push_back(block);
  };
  for (int d = 0; d < dimensions; ++d) {
    const int before = made.on->shifted(rank, d, -1);
    const int behind = made.on->shifted(rank, d, 1);
    add(before, 2 * d, made.sources, made.in);
    add(behind, 2 * d + 1, made.sources, made.in);
    if (short_ring) add(behind, 2 * d + 1, made.destinations, made.out);
    add(before, 2 * d, made.destinations, made.out);
    if (!short_ring) add(behind, 2 * d + 1, made.destinations, made.out);
  }
  made.blocks_in = made.blocks_out = 2 * dimensions;
  return made;
}

topology::edges topology::edges::of_graph(MPI_Comm comm) {
  int rank = 0;
  int count = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Graph_neighbors_count(comm, rank, &count);
  edges made;
  made.sources.resize(static_cast<std::size_t>(count));
  PMPI_Graph_neighbors(comm, rank, count, made.sources.data());
  made.destinations = made.sources;
  made.all_in_order();
  return made;
}

topology::edges topology::edges::of_distributed_graph(MPI_Comm comm) {
  int in = 0;
  int out = 0;
  int weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  edges made;
  made.sources.resize(static_cast<std::size_t>(in));
  made.destinations.resize(static_cast<std::size_t>(out));
  std::vector<int> source_weights(made.sources.size() + 1);
  std::vector<int> destination_weights(made.destinations.size() + 1);
  PMPI_Dist_graph_neighbors(comm, in, made.sources.data(), source_weights.data(), out,
                            made.destinations.data(), destination_weights.data());
  made.all_in_order();
  return made;
}

std::optional<topology::edges> topology::edges::named_by(MPI_Comm comm) {
  int what = MPI_UNDEFINED;
  if (PMPI_Topo_test(comm, &what) != MPI_SUCCESS) return std::nullopt;
  if (what == MPI_CART) return of_grid(comm);
  if (what == MPI_GRAPH) return of_graph(comm);
  if (what == MPI_DIST_GRAPH) return of_distributed_graph(comm);
  return std::nullopt;
}

/// Open MPI 4.1.4 gives a communicator of MPI_Comm_create_group the topology of the one that it was
/// made from, which may be of more ranks. All members find the same.
std::optional<topology::edges> topology::edges::of(MPI_Comm comm) {
  std::optional<edges> named = named_by(comm);
  if (!named) return named;
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  const auto is_member = [=](int rank) { return rank < ranks; };
  const bool fits = std::ranges::all_of(named->sources, is_member) &&
                    std::ranges::all_of(named->destinations, is_member) &&
                    (!named->on || named->on->ranks() == ranks);
  int all_fit = fits ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &all_fit, 1, MPI_INT, MPI_MIN, comm);
  return all_fit != 0 ? std::move(named) : std::nullopt;
}

namespace {

/// Sets of numbers that belong together.
class groups {
 public:
  explicit groups(std::size_t numbers) : first_(numbers) {
    std::iota(first_.begin(), first_.end(), 0);
  }
  [[nodiscard]] int of(int number) {
    int& above = first_[static_cast<std::size_t>(number)];
    while (above != first_[static_cast<std::size_t>(above)]) {
      above = first_[static_cast<std::size_t>(above)];
    }
    return above;
  }
  void join(int a, int b) { first_[static_cast<std::size_t>(of(a))] = of(b); }

 private:
  std::vector<int> first_;
};

/// An edge makes what its source sends as long as what its destination receives. Where this joins
/// all there is, one length holds everywhere. Where it leaves two groups, and each rank sends in
/// one and receives in the other, as on a chess board, a rank knows both lengths. Else, and where a
/// rank has no edge at all, nobody knows them. Collective; memory: a word for each edge of all.
bool tells_one_length(MPI_Comm comm, const std::vector<int>& destinations) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  const int own = static_cast<int>(destinations.size());
  std::vector<int> counts(static_cast<std::size_t>(size));
  PMPI_Allgather(&own, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
  std::vector<int> places(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  std::vector<int> all(static_cast<std::size_t>(places.back() + counts.back()));
  PMPI_Allgatherv(destinations.data(), own, MPI_INT, all.data(), counts.data(), places.data(),
                  MPI_INT, comm);
  const std::size_t members = counts.size();
  groups lengths(2 * members);  // what each sends, and what each receives
  std::vector<bool> sends(members);
  std::vector<bool> receives(members);
  for (std::size_t i = 0; i < members; ++i) {
    for (int at = places[i]; at < places[i] + counts[i]; ++at) {
      const auto to = static_cast<std::size_t>(all[static_cast<std::size_t>(at)]);
      lengths.join(static_cast<int>(i), static_cast<int>(members + to));
      sends[i] = receives[to] = true;
    }
  }
  std::vector<int> found;
  bool all_know_both = true;
  for (std::size_t i = 0; i < members; ++i) {
    if (!sends[i] && !receives[i]) return false;
    if (sends[i]) found.push_back(lengths.of(static_cast<int>(i)));
    if (receives[i]) found.push_back(lengths.of(static_cast<int>(members + i)));
    all_know_both = all_know_both && sends[i] && receives[i] &&
                    lengths.of(static_cast<int>(i)) != lengths.of(static_cast<int>(members + i));
  }
  std::ranges::sort(found);
  const auto others = std::ranges::unique(found);
  const auto different = found.size() - others.size();
  return different == 1 || (different == 2 && all_know_both);
}

}  // namespace

topology::topology(const team& among, MPI_Comm comm, edges&& own)
    : in_(std::move(own.in)),
      out_(std::move(own.out)),
      in_order_(static_cast<int>(in_.size()) == own.blocks_in &&
                static_cast<int>(out_.size()) == own.blocks_out && std::ranges::is_sorted(in_) &&
                std::ranges::is_sorted(out_)),
      one_length_(tells_one_length(comm, own.destinations)),
      neighbors_(among, {own.sources, own.destinations}, own.on) {}

std::unique_ptr<topology> topology::of(MPI_Comm comm, const team& among) {
  std::optional<edges> own = edges::of(comm);
  if (!own) return nullptr;
  try {
    return std::unique_ptr<topology>(new topology(among, comm, std::move(*own)));
  } catch (const error& refused) {
    // All members refuse a graph with edges that one end does not know of.
    if (refused.kind() != error_kind::argument) throw;
    return nullptr;
  }
}

}  // namespace upwash::mpi
