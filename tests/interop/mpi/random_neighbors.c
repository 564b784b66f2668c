// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random collectives among neighbours on random topologies, beside what they must give; where the
// MPI library is right, beside its own, too: random_neighbors [SEED [TOPOLOGIES [ONLY_RIGHT]]].
// With ONLY_RIGHT not 0 it leaves out what the library alone does wrong.
#include "random_calls.h"

enum { most_edges = 64, most_count = 600, gap = 3 };

// The topology at hand, as all know it: who sends which block to whom.
struct edge {
  int from, out;  // the block in the sender's buffer
  int to, in;
};
static struct edge edges[most_members * most_edges];
static int edge_count, members, rank, ins, outs;
static int library_is_right, only_right, is_directed;
static int colors[most_members];  // of a chess board: neighbours have the other one
static int is_chess_board;
static MPI_Comm comm;

static void add(int from, int out, int to, int in) {
  const struct edge made = {from, out, to, in};
  edges[edge_count++] = made;
}

// What goes forward comes from before, also where both neighbours are one rank, or this one.
static void make_grid(MPI_Comm on, int size) {
  int sizes[3] = {1, 1, 1}, rings[3] = {0, 0, 0}, here[3], there[3], left = size;
  const int dimensions = 1 + (int)draw(3);
  for (int d = 0; d < dimensions; ++d) {
    sizes[d] = d + 1 == dimensions ? left : 1 + (int)draw((unsigned)left);
    while (left % sizes[d] != 0) --sizes[d];
    left /= sizes[d];
    rings[d] = draw(4) != 0;
  }
  MPI_Cart_create(on, dimensions, sizes, rings, 0, &comm);
  library_is_right = is_chess_board = 1;
  is_directed = 0;
  edge_count = 0;
  for (int d = 0; d < dimensions; ++d) {
    if (rings[d] && sizes[d] <= 2) library_is_right = 0;
    if (rings[d] && sizes[d] % 2 != 0) is_chess_board = 0;
  }
  for (int member = 0; member < size; ++member) {
    for (int d = dimensions, rest = member; d-- > 0; rest /= sizes[d]) here[d] = rest % sizes[d];
    colors[member] =
        (here[0] + (dimensions > 1 ? here[1] : 0) + (dimensions > 2 ? here[2] : 0)) % 2;
    for (int d = 0; d < dimensions; ++d) {
      memcpy(there, here, sizeof there);
      if (++there[d] == sizes[d] && !rings[d]) continue;
      there[d] %= sizes[d];
      int behind = 0;
      for (int i = 0; i < dimensions; ++i) behind = behind * sizes[i] + there[i];
      add(member, 2 * d + 1, behind, 2 * d);
      add(behind, 2 * d, member, 2 * d + 1);
    }
  }
  ins = outs = 2 * dimensions;
}

// Edges in any number, also several between the same ranks, and of a rank with itself.
static void make_directed(MPI_Comm on, int size, int symmetric) {
  int own[most_members] = {0}, given[most_members] = {0};
  int sources[most_edges], destinations[most_edges], index[most_members], list[2 * most_edges];
  edge_count = is_chess_board = 0;
  is_directed = !symmetric;
  library_is_right = 1;
  const int wanted = (int)draw(3u * (unsigned)size + 1);
  for (int i = 0; i < wanted && i < 30; ++i) {
    const int from = (int)draw((unsigned)size), to = (int)draw((unsigned)size);
    if (symmetric && from == to) continue;
    // Which of several edges is which, both libraries see otherwise, each in its way.
    for (int j = 0; j < edge_count; ++j) {
      if (edges[j].from == from && edges[j].to == to) library_is_right = 0;
    }
    add(from, own[from]++, to, given[to]++);
    if (symmetric) add(to, own[to]++, from, given[from]++);
  }
  for (int i = 0; i < edge_count; ++i) {
    if (edges[i].to == rank) sources[edges[i].in] = edges[i].from;
    if (edges[i].from == rank) destinations[edges[i].out] = edges[i].to;
  }
  ins = given[rank];
  outs = own[rank];
  if (!symmetric) {
    MPI_Dist_graph_create_adjacent(on, ins, sources, MPI_UNWEIGHTED, outs, destinations,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    return;
  }
  for (int member = 0, at = 0; member < size; ++member) {
    for (int i = 0; i < edge_count; ++i) {
      if (edges[i].from == member) list[at + edges[i].out] = edges[i].to;
    }
    index[member] = at += own[member];
  }
  MPI_Graph_create(on, size, index, list, 0, &comm);
}

static char *sent, *mine, *wanted, *theirs, *packed;
static size_t room;

// What travels on an edge: so many elements; a gather sends all neighbours the same block.
struct shape {
  int gathers, lists, count, salt, chess;
};
static int length_of(const struct shape* of, int from, int out) {
  if (of->chess && !of->lists) return colors[from] ? of->count : of->count / 2;
  if (!of->lists) return of->count;
  return (from * 7 + (of->gathers ? 0 : out * 3) + of->salt) % (of->count + 1);
}
static char byte_of(const struct shape* of, int from, int out, int at) {
  return (char)(1 + (from * 31 + (of->gathers ? 0 : out * 17) + at * 7 + of->salt) % 100);
}

// The block of an edge goes to a place of a buffer.
static void put(const struct shape* of, int from, int out, MPI_Datatype type, char* to) {
  int bytes, position = 0;
  MPI_Type_size(type, &bytes);
  const int count = length_of(of, from, out);
  for (int i = 0; i < count * bytes; ++i) packed[i] = byte_of(of, from, out, i);
  PMPI_Unpack(packed, count * bytes, &position, to, count, type, MPI_COMM_WORLD);
}

static int sends[most_edges], receives[most_edges], send_places[most_edges],
    receive_places[most_edges];
static MPI_Aint send_at[most_edges], receive_at[most_edges];
static MPI_Datatype send_types[most_edges], receive_types[most_edges];

enum manner { at_once, later, kept };

// What is sent when a persistent call is set up means nothing.
#define IN_MANNER(how, name, later_name, ...)                          \
  do {                                                                 \
    void* into = mine;                                                 \
    if ((how) == at_once) MPI_##name(__VA_ARGS__, comm);               \
    if ((how) == later) MPI_##later_name(__VA_ARGS__, comm, &request); \
    if ((how) == kept) {                                               \
      memcpy(packed, sent, room);                                      \
      memset(sent, 0, room);                                           \
      INIT(name)(__VA_ARGS__, comm, MPI_INFO_NULL, &request);          \
      memcpy(sent, packed, room);                                      \
    }                                                                  \
    into = theirs;                                                     \
    if (compares) PMPI_##name(__VA_ARGS__, comm);                      \
  } while (0)

// Places with gaps, and types of each block.
static void lay_out(int spare, MPI_Datatype s, MPI_Datatype r) {
  for (int i = 0, at = 0; i < outs; at += sends[i++] + spare) send_places[i] = at;
  for (int i = 0, at = 0; i < ins; at += receives[i++] + spare) receive_places[i] = at;
  for (int i = 0; i < outs; ++i) {
    send_at[i] = send_places[i] * extent_of(s);
    send_types[i] = s;
  }
  for (int i = 0; i < ins; ++i) {
    receive_at[i] = receive_places[i] * extent_of(r);
    receive_types[i] = r;
  }
}

static int library_does_it(int kind, const struct shape* of) {
#ifdef OPEN_MPI
  (void)kind;
  return library_is_right && !of->chess;
#else
  return library_is_right && !of->chess && (kind != 4 || !is_directed);  // 4.0.2 mixes up blocks
#endif
}

// It does the same again, into what nobody has looked at.
static void start_again(MPI_Request* request, const char* name, int call) {
  for (size_t i = 0; i < room; ++i) mine[i] = (char)(-(int)(i % 13) - call % 7);
  MPI_Startall(1, request);
  MPI_Wait(request, MPI_STATUS_IGNORE);
  check(name, mine, wanted, room, call);
  MPI_Request_free(request);
}

static void one_call(int kind, int call) {
  static const char* const names[] = {"Neighbor_allgather", "Neighbor_allgatherv",
                                      "Neighbor_alltoall", "Neighbor_alltoallv",
                                      "Neighbor_alltoallw"};
  const struct type_case* of = &types[draw(4)];
  const MPI_Datatype s = of->derived[own_draw(4)], r = of->derived[own_draw(4)];
  const enum manner how = (enum manner)draw(3);
  const int spare = own_draw(3);
  struct shape shape = {kind < 2, kind == 1 || kind > 2, 0, call, 0};
  shape.count = (int)draw(draw(2) ? 20 : most_count);
  shape.chess = is_chess_board && draw(3) == 0;
  const int compares = library_does_it(kind, &shape);
  if (only_right && !compares) return;
  const MPI_Aint se = extent_of(s), re = extent_of(r);
  MPI_Request request = MPI_REQUEST_NULL;
  for (size_t i = 0; i < room; ++i)
    mine[i] = wanted[i] = theirs[i] = (char)(-(int)(i % 13) - call % 7);
  // Lengths by block. Blocks without an edge have some length, too.
  int edges_here = 0;
  for (int i = 0; i < outs; ++i) sends[i] = length_of(&shape, rank, i);
  for (int i = 0; i < ins; ++i) receives[i] = shape.lists ? 1 : 0;
  int send_count = length_of(&shape, rank, 0), receive_count = shape.count;
  if (shape.chess && !shape.lists) receive_count = colors[rank] ? shape.count / 2 : shape.count;
  for (int i = 0; i < edge_count; ++i) {
    if (edges[i].to == rank) receives[edges[i].in] = length_of(&shape, edges[i].from, edges[i].out);
    edges_here += edges[i].to == rank || edges[i].from == rank;
  }
  // Nobody has to do with what a rank says that has no edge.
  if (edges_here == 0 && !shape.lists) send_count = receive_count = (int)own_draw(9);
  lay_out(spare, s, r);
  if (shape.gathers && edges_here != 0) put(&shape, rank, 0, s, sent);
  for (int i = 0; i < edge_count; ++i) {
    const struct edge* e = &edges[i];
    const int out_at = shape.lists ? send_places[e->out] : e->out * send_count;
    const int in_at = shape.lists ? receive_places[e->in] : e->in * receive_count;
    if (e->from == rank && !shape.gathers) put(&shape, rank, e->out, s, sent + out_at * se);
    if (e->to == rank) put(&shape, e->from, e->out, r, wanted + in_at * re);
  }
  switch (kind) {
    case 0:
      IN_MANNER(how, Neighbor_allgather, Ineighbor_allgather, sent, send_count, s, into,
                receive_count, r);
      break;
    case 1:
      IN_MANNER(how, Neighbor_allgatherv, Ineighbor_allgatherv, sent, length_of(&shape, rank, 0), s,
                into, receives, receive_places, r);
      break;
    case 2:
      IN_MANNER(how, Neighbor_alltoall, Ineighbor_alltoall, sent, send_count, s, into,
                receive_count, r);
      break;
    case 3:
      IN_MANNER(how, Neighbor_alltoallv, Ineighbor_alltoallv, sent, sends, send_places, s, into,
                receives, receive_places, r);
      break;
    default:
      IN_MANNER(how, Neighbor_alltoallw, Ineighbor_alltoallw, sent, sends, send_at, send_types,
                into, receives, receive_at, receive_types);
  }
  if (how == kept) MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(names[kind], mine, wanted, room, call);
  if (how == kept) start_again(&request, names[kind], call);
  if (compares) check("the library's own", theirs, wanted, room, call);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const unsigned long long seed = argc > 1 ? strtoull(argv[1], 0, 10) : 1;
  const int topologies = argc > 2 ? atoi(argv[2]) : 20;
  only_right = argc > 3 && atoi(argv[3]) != 0;
  int ranks, calls = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  state = seed;
  own_state = seed * 977 + (unsigned long long)me;
  make_types();
  room = (most_count + gap) * most_edges * 8 * 3 + 4096;
  sent = malloc(room);
  mine = malloc(room);
  wanted = malloc(room);
  theirs = malloc(room);
  packed = malloc(room);
  for (int i = 0; i < topologies; ++i) {
    const int what = (int)draw(6);
    const unsigned long long shared = state;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    members = ranks;
    if (what == 0) {  // a rank alone
      rank = 0;
      members = 1;
      make_grid(MPI_COMM_SELF, 1);
    } else if (what < 4) {
      make_grid(MPI_COMM_WORLD, ranks);
    } else {
      make_directed(MPI_COMM_WORLD, ranks, what == 5);
    }
    const int here = 4 + (int)draw(8);
    for (int j = 0; j < here; ++j, ++calls) one_call((int)draw(5), calls);
    MPI_Comm_free(&comm);
    state = shared * 31 + 7;
  }
  free_types();
  int sum = 0;
  PMPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("random_neighbors: %d ranks, %d calls, %d wrong\n", ranks, calls, sum);
  free(sent);
  free(mine);
  free(wanted);
  free(theirs);
  free(packed);
  MPI_Finalize();
  return sum != 0;
}
