// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random persistent collectives on random, overlapping communicators: made in one order, started
// again and again in an order of each rank's own, among persistent messages and nonblocking
// collectives, and completed in any way; each beside the MPI library's own blocking call:
// random_persistent [SEED [ROUNDS [MOST_BYTES [FREES_ACTIVE]]]]. With FREES_ACTIVE not 0 requests
// are freed while they are under way, which an MPI library need not take.
static int sets_up;  // else it is the library's turn to say what comes out
#define CALL(name, later_name, ...)                                        \
  do {                                                                     \
    if (sets_up) INIT(name)(__VA_ARGS__, MPI_INFO_NULL, &at->requests[0]); \
  } while (0)
#define THEIRS(name, later_name, ...)       \
  do {                                      \
    if (!sets_up) PMPI_##name(__VA_ARGS__); \
  } while (0)
#include "collective_calls.h"

enum { slots = 10, open = 4, others = 1 + open, listed_most = 2 * slots + others };

// A slot's call, as all members know it, and where random numbers were when it was made.
struct kept {
  struct slot slot;
  int live, number, count;
  int taken, on;  // by a call on this communicator, which some ranks may not be in
  unsigned long long shared, own;
};
static struct kept all[slots];
static char* left[1 << 16];  // buffers of requests that were freed while they were under way
static int left_count, ranks, most, frees_active;
static size_t room;
static MPI_Comm comms[open];

static void describe(struct kept* of) {
  struct slot* at = &of->slot;
  int size, rank;
  MPI_Comm_size(at->comm, &size);
  MPI_Comm_rank(at->comm, &rank);
  const unsigned long long shared = state, own = own_state;
  state = of->shared;
  own_state = of->own;
  if (at->kind == 0) {
    CALL(Barrier, , at->comm);
    at->filled = at->bytes = 0;
  } else if (at->kind < 11) {
    moving(at, at->kind, at->comm, size, rank, of->count);
  } else if (at->kind < ring) {
    combining(at, at->kind, at->comm, size, rank, of->count);
  } else if (sets_up) {
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    at->bytes = at->filled = (size_t)of->count;
    MPI_Recv_init(at->mine, of->count, MPI_CHAR, from, of->number, at->comm, &at->requests[0]);
    MPI_Send_init(at->sent, of->count, MPI_CHAR, to, of->number, at->comm, &at->requests[1]);
  }
  state = shared;
  own_state = own;
}

// What the library makes of the same. Of a request that was freed nobody knows when it is complete.
static void compare_with_library(struct kept* of) {
  struct slot* at = &of->slot;
  int size, rank;
  describe(of);
  if (at->kind == ring) {
    MPI_Comm_size(at->comm, &size);
    MPI_Comm_rank(at->comm, &rank);
    PMPI_Sendrecv(at->sent, of->count, MPI_CHAR, (rank + 1) % size, 0, at->wanted, of->count,
                  MPI_CHAR, (rank + size - 1) % size, 0, at->comm, MPI_STATUS_IGNORE);
  }
  if (of->live) compare(at);
  at->busy = 0;
}

static void make(struct kept* of, MPI_Comm comm, int count, int number) {
  struct slot* at = &of->slot;
  int size;
  MPI_Comm_size(comm, &size);
  of->live = 1;
  of->number = at->call = number;
  at->comm = comm;
  at->kind = (int)draw(kinds + 1);
#ifndef OPEN_MPI
  // MPICH 4.0.2 fails in MPI_Testall where there are persistent collectives of its own.
  if (size == 1) at->kind = ring;
#endif
  at->is_pairs = at->in_place = 0;
  of->count = at->kind != 1 && at->kind != 12 ? count / size : count;
  of->shared = state;
  of->own = own_state;
  at->requests[0] = at->requests[1] = MPI_REQUEST_NULL;
  sets_up = 1;
  describe(of);
  sets_up = 0;
}

static void free_requests(struct kept* of) {
  for (int i = 0; i < 2; ++i) {
    if (of->slot.requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&of->slot.requests[i]);
  }
  of->live = 0;
}

static void new_buffers(struct slot* at) {
  at->sent = malloc(room);
  at->mine = malloc(room);
  at->wanted = malloc(room);
}

// Nobody can know when it ends: its buffers stay. The library's own call gets the same in others.
static void free_active(struct kept* of) {
  struct slot* at = &of->slot;
  char *sent = at->sent, *wanted = at->wanted;
  left[left_count++] = at->sent;
  left[left_count++] = at->mine;
  left[left_count++] = at->wanted;
  new_buffers(at);
  memcpy(at->sent, sent, at->filled);
  memcpy(at->wanted, wanted, at->filled);
  free_requests(of);
}

static MPI_Request other_requests[others];
static MPI_Request listed[listed_most];
static void list(void) {
  for (int i = 0; i < 2 * slots; ++i)
    listed[i] = all[i / 2].live ? all[i / 2].slot.requests[i % 2] : MPI_REQUEST_NULL;
  memcpy(listed + 2 * slots, other_requests, sizeof other_requests);
}
static void unlist(void) {
  for (int i = 0; i < 2 * slots; ++i)
    if (all[i / 2].live) all[i / 2].slot.requests[i % 2] = listed[i];
  memcpy(other_requests, listed + 2 * slots, sizeof other_requests);
}

static void look_at_some(void) {
  int which, flag, indices[listed_most];
  MPI_Status status, statuses[listed_most];
  const int one = (int)own_draw(listed_most);
  list();
  switch (own_draw(4)) {
    case 0: MPI_Testany(listed_most, listed, &which, &flag, &status); break;
    case 1: MPI_Testsome(listed_most, listed, &which, indices, statuses); break;
    case 2: MPI_Testall(listed_most, listed, &flag, MPI_STATUSES_IGNORE); break;
    default:
      if (listed[one] != MPI_REQUEST_NULL) MPI_Request_get_status(listed[one], &flag, &status);
      MPI_Test(&listed[one], &flag, &status);
  }
  unlist();
}

static void complete_all(void) {
  int which = 0, flag = 0, indices[listed_most];
  MPI_Status statuses[listed_most];
  list();
  switch (own_draw(5)) {
    case 0: MPI_Waitall(listed_most, listed, own_draw(2) ? statuses : MPI_STATUSES_IGNORE); break;
    case 1:
      while (which != MPI_UNDEFINED) MPI_Waitany(listed_most, listed, &which, MPI_STATUS_IGNORE);
      break;
    case 2:
      while (which != MPI_UNDEFINED)
        MPI_Waitsome(listed_most, listed, &which, indices, MPI_STATUSES_IGNORE);
      break;
    case 3:
      while (!flag) MPI_Testall(listed_most, listed, &flag, statuses);
      break;
    default:
      for (int i = listed_most; i-- > 0;) MPI_Wait(&listed[i], MPI_STATUS_IGNORE);
  }
  unlist();
}

// Starts those of a list, some together, in the order of the list.
static void start_them(const int* order, int number) {
  MPI_Request together[2 * slots];
  for (int i = 0; i < number;) {
    const int end = i + 1 + (int)own_draw((unsigned)(number - i));
    int with = 0;
    for (int j = i; j < end; ++j) {
      for (int k = 0; k < 2; ++k) {
        const MPI_Request each = all[order[j]].slot.requests[k];
        if (each != MPI_REQUEST_NULL) together[with++] = each;
      }
    }
    if (with == 1 && own_draw(2)) {
      MPI_Start(together);
    } else {
      MPI_Startall(with, together);
    }
    for (int j = i, at = 0; j < end; ++j) {
      for (int k = 0; k < 2; ++k) {
        MPI_Request* each = &all[order[j]].slot.requests[k];
        if (*each != MPI_REQUEST_NULL) *each = together[at++];
      }
    }
    i = end;
    while (own_draw(3) == 0) look_at_some();
  }
}

// Nonblocking collectives beside them, one of a communicator at most.
static int words[open], counted[open];
static void begin_nonblocking(int which) {
  for (int i = 0; i < open; ++i) {
    if (comms[i] == MPI_COMM_NULL || !(which >> i & 1)) continue;
    words[i] = me + i + 1;
    counted[i] = -1;
    MPI_Iallreduce(&words[i], &counted[i], 1, MPI_INT, MPI_SUM, comms[i], &other_requests[1 + i]);
  }
}
static void check_nonblocking(int which) {
  for (int i = 0; i < open; ++i) {
    int wanted;
    if (comms[i] == MPI_COMM_NULL || !(which >> i & 1)) continue;
    PMPI_Allreduce(&words[i], &wanted, 1, MPI_INT, MPI_SUM, comms[i]);
    if (counted[i] == wanted) continue;
    ++failures;
    fprintf(stderr, "rank %d: a nonblocking sum is %d, not %d\n", me, counted[i], wanted);
  }
}

// Those of `which`, in an order of this rank's own, around a call that all make. Returns how many
// ranks that call has counted.
static int start_in_any_order(int which, int call_of_all, int nonblocking) {
  int order[slots], number = 0, one = 1;
  static int sum;
  for (int i = 0; i < slots; ++i) {
    if (!all[i].live || !(which >> i & 1)) continue;
    all[i].slot.busy = 1;
    fill(&all[i].slot);
    order[number++] = i;
  }
  for (int i = number; i-- > 1;) {
    const int j = (int)own_draw((unsigned)i + 1), was = order[i];
    order[i] = order[j];
    order[j] = was;
  }
  const int before = (int)own_draw((unsigned)number + 1);
  start_them(order, before);
  if (call_of_all == 1) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (call_of_all == 2) MPI_Ibarrier(MPI_COMM_WORLD, &other_requests[0]);
  begin_nonblocking(nonblocking);
  start_them(order + before, number - before);
  return call_of_all == 1 ? sum : ranks;
}

static void one_round(void) {
  const int which = (int)draw(1 << slots),
            dying = (int)(draw(1 << slots) & draw(1 << slots) & draw(1 << slots));
  const int call_of_all = (int)draw(3), nonblocking = (int)draw(1 << open);
  if (start_in_any_order(which, call_of_all, nonblocking) != ranks) ++failures;
  for (int i = 0; i < slots; ++i) {
    struct kept* of = &all[i];
    int size = 1;
    if (of->live) MPI_Comm_size(of->slot.comm, &size);
    // Of one member, and of messages, it is the library's own.
    if (size > 1 && (dying >> i & 1) && of->slot.kind != ring && frees_active && own_draw(2))
      free_active(of);
  }
  complete_all();
  check_nonblocking(nonblocking);
  for (int i = 0; i < slots; ++i) {
    if (all[i].slot.busy) compare_with_library(&all[i]);
  }
  for (int i = 0; i < slots; ++i) {
    if (!(dying >> i & 1)) continue;
    if (all[i].live) free_requests(&all[i]);
    all[i].taken = 0;
  }
}

// Another communicator in the place of one. Requests go before it or behind it.
static void exchange(void) {
  const int at = 1 + (int)draw(open - 1);
  int behind[slots] = {0};
  for (int i = 0; i < slots; ++i) {
    if (!all[i].taken || all[i].on != at) continue;
    all[i].taken = 0;
    behind[i] = all[i].live && own_draw(2);
    if (all[i].live && !behind[i]) free_requests(&all[i]);
  }
  if (comms[at] != MPI_COMM_NULL) MPI_Comm_free(&comms[at]);
  for (int i = 0; i < slots; ++i) {
    if (behind[i]) free_requests(&all[i]);
  }
  const int colors = 1 + (int)draw(3), turn = (int)draw((unsigned)ranks);
  const int color = (me + turn) % colors, leaves = draw(3) == 0 && color == 1;
  MPI_Comm_split(MPI_COMM_WORLD, leaves ? MPI_UNDEFINED : color, (me * 5 + turn) % ranks,
                 &comms[at]);
}

static void make_some(void) {
  static int numbers;
  for (int i = 0; i < slots; ++i) {
    struct kept* of = &all[i];
    if (of->taken || draw(3) == 0) continue;
    of->taken = 1;
    of->on = (int)draw(open);
    const int bits = (int)draw(20), longest = (1 << bits) > most / 8 ? most / 8 : 1 << bits;
    const unsigned long long shared = state;
    if (comms[of->on] != MPI_COMM_NULL)
      make(of, comms[of->on], (int)draw((unsigned)longest + 1), numbers);
    state = shared * 31 + 7;  // calls of communicators of different sizes draw differently
    numbers = (numbers + 1) % 30000;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const unsigned long long seed = argc > 1 ? strtoull(argv[1], 0, 10) : 1;
  const int rounds = argc > 2 ? atoi(argv[2]) : 100;
  most = argc > 3 ? atoi(argv[3]) : 1 << 14;
  frees_active = argc > 4 && atoi(argv[4]);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  state = seed;
  own_state = seed * 977 + (unsigned long long)me;
  fills_later = 1;
  make_types();
  room = (((size_t)most * (size_t)ranks + 4 * (size_t)ranks + 64) * 3 + 4096) * 2;
  for (int i = 0; i < slots; ++i) new_buffers(&all[i].slot);
  comms[0] = MPI_COMM_WORLD;
  for (int i = 1; i < open; ++i) comms[i] = MPI_COMM_NULL;
  for (int i = 0; i < others; ++i) other_requests[i] = MPI_REQUEST_NULL;
  for (int i = 0; i < rounds; ++i) {
    if (draw(6) == 0) exchange();
    if (draw(3) == 0) make_some();
    one_round();
  }
  for (int i = 0; i < slots; ++i) {
    if (all[i].live) free_requests(&all[i]);
  }
  for (int i = 1; i < open; ++i) {
    if (comms[i] != MPI_COMM_NULL) MPI_Comm_free(&comms[i]);
  }
  free_types();
  int sum = 0;
  PMPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("random_persistent: %d ranks, %d rounds, %d wrong\n", ranks, rounds, sum);
  MPI_Finalize();
  for (int i = 0; i < slots; ++i) {
    free(all[i].slot.sent);
    free(all[i].slot.mine);
    free(all[i].slot.wanted);
  }
  while (left_count > 0) free(left[--left_count]);
  return sum != 0;
}
