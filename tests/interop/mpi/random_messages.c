// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random messages on random, overlapping communicators: modes, wildcards, probes, derived types,
// requests completed in any way, among those of the MPI library. All ranks draw the same plan, so
// that each receive knows what MPI's order gives it: random_messages [SEED [ROUNDS [MOST_BYTES
// [KEEPS_BUFFERED]]]].
#include "random_calls.h"

enum { most_messages = 40, communicators = 5, most_tags = 3 };

struct planned {
  int from, to, tag, count, kind;  // kind: of types
};
static struct planned plan[most_messages];
// Open MPI 4.1.4 itself sends by buffered requests that stay what was there at the beginning.
static int keeps_buffered = 1;
static int planned_now, round_now, turn_now;

struct buffer {
  char* at;
  MPI_Datatype type;
  int kind, room;  // elements
};

static int size_of_kind(int kind) {
  int bytes;
  MPI_Type_size(types[kind].type, &bytes);
  return bytes;
}

// The message as it travels.
static void pattern(char* into, int message, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    into[i] = (char)(round_now * 13 + turn_now * 5 + message * 31 + (int)i * 7 + (int)(i >> 8));
}

static struct buffer make_buffer(int kind, int elements) {
  struct buffer made = {0};
  made.kind = kind;
  made.room = elements;
  made.type = types[kind].derived[own_draw(4)];
  const MPI_Aint extent = extent_of(made.type);
  made.at = malloc((size_t)(extent * (elements + 1)) + 1);
  memset(made.at, 0x5a, (size_t)(extent * (elements + 1)) + 1);
  return made;
}

static void fill_buffer(struct buffer* out, int message) {
  const struct planned* what = &plan[message];
  const int bytes = what->count * size_of_kind(what->kind);
  char* travels = malloc((size_t)bytes + 1);
  pattern(travels, message, (size_t)bytes);
  int position = 0;
  PMPI_Unpack(travels, bytes, &position, out->at, what->count, out->type, MPI_COMM_WORLD);
  free(travels);
}

static struct buffer message_buffer(int message) {
  struct buffer made = make_buffer(plan[message].kind, plan[message].count);
  fill_buffer(&made, message);
  return made;
}

static void wrong(const char* what, int message, int is, int wanted) {
  if (++failures < 9)
    fprintf(stderr, "rank %d: round %d, message %d: %s is %d, not %d\n", me, round_now, message,
            what, is, wanted);
}

static void compare(const struct buffer* in, const MPI_Status* status, int message) {
  const struct planned* what = &plan[message];
  if (status->MPI_SOURCE != what->from) wrong("source", message, status->MPI_SOURCE, what->from);
  if (status->MPI_TAG != what->tag) wrong("tag", message, status->MPI_TAG, what->tag);
  int count = -1;
  MPI_Get_count(status, in->type, &count);
  if (count != what->count) {
    wrong("count", message, count, what->count);
    return;
  }
  const int bytes = count * size_of_kind(what->kind);
  char* wanted = malloc((size_t)bytes + 1);
  char* came = malloc((size_t)bytes + 1);
  pattern(wanted, message, (size_t)bytes);
  int position = 0;
  PMPI_Pack(in->at, count, in->type, came, bytes, &position, MPI_COMM_WORLD);
  check("message", came, wanted, (size_t)bytes, message);
  free(came);
  free(wanted);
}

static void draw_plan(int size, int most_bytes) {
  planned_now = 1 + (int)draw(most_messages);
  // Of one kind, so that whatever a wild receive gets has its signature.
  const int kind = (int)draw(type_count);
  for (int i = 0; i < planned_now; ++i) {
    struct planned* now = &plan[i];
    now->from = (int)draw((unsigned)size);
    now->to = (int)draw((unsigned)size);
    now->tag = (int)draw(most_tags);
    now->kind = kind;
    const int most = most_bytes / size_of_kind(kind);
    now->count = (int)draw(draw(6) == 0 ? (unsigned)most + 1 : draw(2) ? 9 : 300);
  }
}

// Which receives: of one source or any, of one tag or any.
struct style {
  int any_source, any_tag;
};

// The messages for this rank, as its receives are posted: exact ones in any order.
static int receives[most_messages], receives_now;
static void order_receives(int rank) {
  receives_now = 0;
  for (int i = 0; i < planned_now; ++i) {
    if (plan[i].to == rank) receives[receives_now++] = i;
  }
  for (int i = receives_now - 1; i > 0; --i) {
    const int other = (int)own_draw((unsigned)i + 1), mine = receives[i];
    receives[i] = receives[other];
    receives[other] = mine;
  }
}

static int done[most_messages];
// The message that a receive posted now gets of that sender.
static int expected(struct style how, int from, int to, int tag) {
  for (int i = 0; i < planned_now; ++i) {
    if (done[i] || plan[i].to != to || plan[i].from != from) continue;
    if (!how.any_tag && plan[i].tag != tag) continue;
    done[i] = 1;
    return i;
  }
  return -1;
}

static void judge(struct style how, const struct buffer* in, const MPI_Status* status, int rank,
                  int posted_for) {
  const int from = how.any_source ? status->MPI_SOURCE : plan[posted_for].from;
  const int tag = how.any_source ? status->MPI_TAG : plan[posted_for].tag;
  const int message = expected(how, from, rank, tag);
  if (message < 0) {
    wrong("a message of its sender", posted_for, status->MPI_SOURCE, from);
    return;
  }
  compare(in, status, message);
}

static int start_send(int message, struct buffer* out, MPI_Comm comm, int ready_too,
                      MPI_Request* request) {
  const struct planned* what = &plan[message];
  *out = message_buffer(message);
  switch (own_draw(ready_too ? 4 : 3)) {
    case 0: return MPI_Isend(out->at, what->count, out->type, what->to, what->tag, comm, request);
    case 1: return MPI_Issend(out->at, what->count, out->type, what->to, what->tag, comm, request);
    case 2: return MPI_Ibsend(out->at, what->count, out->type, what->to, what->tag, comm, request);
    default: return MPI_Irsend(out->at, what->count, out->type, what->to, what->tag, comm, request);
  }
}

static int send_now(int message, struct buffer* out, MPI_Comm comm, int ready_too) {
  const struct planned* what = &plan[message];
  *out = message_buffer(message);
  switch (own_draw(ready_too ? 4 : 3)) {
    case 0: return MPI_Send(out->at, what->count, out->type, what->to, what->tag, comm);
    case 1: return MPI_Ssend(out->at, what->count, out->type, what->to, what->tag, comm);
    case 2: return MPI_Bsend(out->at, what->count, out->type, what->to, what->tag, comm);
    default: return MPI_Rsend(out->at, what->count, out->type, what->to, what->tag, comm);
  }
}

static MPI_Request requests[2 * most_messages + 2];
static MPI_Status statuses[2 * most_messages + 2];

// Completes all in one of the ways of MPI.
static void complete(int number) {
  const unsigned way = own_draw(7);
  int indices[2 * most_messages + 2], flag = 0, at = 0;
  MPI_Status some[2 * most_messages + 2];
  if (way == 0) {
    MPI_Waitall(number, requests, statuses);
  } else if (way == 1) {
    for (int i = 0; i < number; ++i) {
      MPI_Waitany(number, requests, &at, &some[0]);
      if (at != MPI_UNDEFINED) statuses[at] = some[0];
    }
  } else if (way == 2) {
    for (int left = number; left > 0; left -= at) {
      MPI_Waitsome(number, requests, &at, indices, some);
      if (at == MPI_UNDEFINED) break;
      for (int i = 0; i < at; ++i) statuses[indices[i]] = some[i];
    }
  } else if (way == 3) {
    while (!flag) MPI_Testall(number, requests, &flag, statuses);
  } else if (way == 4) {
    for (int i = number - 1; i >= 0; --i) {
      for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, &statuses[i]);
    }
  } else if (way == 5) {
    for (int i = 0; i < number; ++i) {
      for (flag = 0; !flag;) MPI_Request_get_status(requests[i], &flag, &some[0]);
      MPI_Wait(&requests[i], &statuses[i]);
    }
  } else {
    for (int i = 0; i < number; ++i) MPI_Wait(&requests[i], &statuses[i]);
  }
}

static int most_count(void) {
  int most = 0;
  for (int i = 0; i < planned_now; ++i) {
    if (plan[i].count > most) most = plan[i].count;
  }
  return most;
}

// Receives first, all nonblocking; then sends of all modes.
static void posted_round(MPI_Comm comm, int rank, int with_barrier) {
  const struct style how = {(int)own_draw(2), (int)own_draw(2)};
  struct buffer in[most_messages], out[most_messages];
  int sends = 0, number = 0;
  order_receives(rank);
  for (int i = 0; i < receives_now; ++i) {
    const struct planned* what = &plan[receives[i]];
    in[i] = make_buffer(what->kind, most_count());
    MPI_Irecv(in[i].at, in[i].room, in[i].type, how.any_source ? MPI_ANY_SOURCE : what->from,
              how.any_tag ? MPI_ANY_TAG : what->tag, comm, &requests[number++]);
  }
  const int cancels = own_draw(4) == 0;
  int unused;
  MPI_Request cancelled = MPI_REQUEST_NULL;
  if (cancels) MPI_Irecv(&unused, 1, MPI_INT, MPI_ANY_SOURCE, most_tags, comm, &cancelled);
  if (with_barrier) MPI_Barrier(comm);
  for (int i = 0; i < planned_now; ++i) {
    if (plan[i].from != rank) continue;
    if (own_draw(2)) {
      start_send(i, &out[sends++], comm, with_barrier, &requests[number++]);
    } else {
      send_now(i, &out[sends++], comm, with_barrier);
    }
  }
  PMPI_Ibarrier(comm, &requests[number++]);
  complete(number);
  memset(done, 0, sizeof done);
  for (int i = 0; i < receives_now; ++i) {
    judge(how, &in[i], &statuses[i], rank, receives[i]);
    free(in[i].at);
  }
  if (cancels) {
    MPI_Status status;
    int is = 0;
    MPI_Cancel(&cancelled);
    MPI_Wait(&cancelled, &status);
    MPI_Test_cancelled(&status, &is);
    if (!is) wrong("a cancelled receive", -1, is, 1);
  }
  for (int i = 0; i < sends; ++i) free(out[i].at);
  // A wild receive may get what its sender sent in the next round.
  MPI_Barrier(comm);
}

static void take_one(struct style how, int wanted, MPI_Comm comm, int rank) {
  const struct planned* what = &plan[wanted];
  const int from = how.any_source ? MPI_ANY_SOURCE : what->from;
  const int tag = how.any_tag ? MPI_ANY_TAG : what->tag;
  MPI_Status status, probed;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request request;
  int found = 0, count = most_count();
  const unsigned way = own_draw(6);
  if (way == 1) MPI_Probe(from, tag, comm, &probed);
  if (way == 2) {
    while (!found) MPI_Iprobe(from, tag, comm, &found, &probed);
  }
  if (way == 3) MPI_Mprobe(from, tag, comm, &message, &probed);
  if (way == 4) {
    while (!found) MPI_Improbe(from, tag, comm, &found, &message, &probed);
  }
  // As much room as was probed; of one probed a receive that names its sender and tag.
  if (way >= 1 && way <= 4) MPI_Get_count(&probed, types[what->kind].type, &count);
  struct buffer in = make_buffer(what->kind, count);
  if (way == 3) {
    MPI_Mrecv(in.at, in.room, in.type, &message, &status);
  } else if (way == 4) {
    MPI_Imrecv(in.at, in.room, in.type, &message, &request);
    MPI_Wait(&request, &status);
  } else if (way == 5) {
    MPI_Irecv(in.at, in.room, in.type, from, tag, comm, &request);
    MPI_Wait(&request, &status);
  } else if (way == 0) {
    MPI_Recv(in.at, in.room, in.type, from, tag, comm, &status);
  } else {
    MPI_Recv(in.at, in.room, in.type, probed.MPI_SOURCE, probed.MPI_TAG, comm, &status);
  }
  if (message != MPI_MESSAGE_NULL) wrong("a received message's handle", wanted, 1, 0);
  judge(how, &in, &status, rank, wanted);
  free(in.at);
}

// Nonblocking sends first, then one receive after the other.
static void late_round(MPI_Comm comm, int rank) {
  const struct style how = {(int)own_draw(2), (int)own_draw(2)};
  struct buffer out[most_messages];
  int sends = 0;
  for (int i = 0; i < planned_now; ++i) {
    if (plan[i].from == rank) {
      start_send(i, &out[sends], comm, 0, &requests[sends]);
      ++sends;
    }
  }
  order_receives(rank);
  memset(done, 0, sizeof done);
  for (int i = 0; i < receives_now; ++i) take_one(how, receives[i], comm, rank);
  complete(sends);
  for (int i = 0; i < sends; ++i) free(out[i].at);
  MPI_Barrier(comm);
}

// The same messages several times, by requests that stay.
static void kept_round(MPI_Comm comm, int rank, int size) {
  const struct style how = {(int)own_draw(2), (int)own_draw(2)};
  struct buffer in[most_messages], out[most_messages];
  int sent[most_messages], sends = 0, number = 0;
  const int one_by_one = (int)own_draw(2);
  order_receives(rank);
  for (int i = 0; i < receives_now; ++i) {
    const struct planned* what = &plan[receives[i]];
    in[i] = make_buffer(what->kind, most_count());
    MPI_Recv_init(in[i].at, in[i].room, in[i].type, how.any_source ? MPI_ANY_SOURCE : what->from,
                  how.any_tag ? MPI_ANY_TAG : what->tag, comm, &requests[number++]);
  }
  for (int i = 0; i < planned_now; ++i) {
    const struct planned* what = &plan[i];
    if (what->from != rank) continue;
    struct buffer* of = &out[sends];
    *of = message_buffer(i);
    sent[sends++] = i;
    MPI_Request* request = &requests[number++];
    switch (own_draw(size > 1 && keeps_buffered ? 3 : 2)) {
      case 0:
        MPI_Send_init(of->at, what->count, of->type, what->to, what->tag, comm, request);
        break;
      case 1:
        MPI_Ssend_init(of->at, what->count, of->type, what->to, what->tag, comm, request);
        break;
      default: MPI_Bsend_init(of->at, what->count, of->type, what->to, what->tag, comm, request);
    }
  }
  const int turns = 1 + (int)draw(3);
  for (turn_now = 0; turn_now < turns; ++turn_now) {
    for (int i = 0; i < sends; ++i) fill_buffer(&out[i], sent[i]);
    if (one_by_one) {
      for (int i = 0; i < number; ++i) MPI_Start(&requests[i]);
    } else {
      MPI_Startall(number, requests);
    }
    complete(number);
    memset(done, 0, sizeof done);
    for (int i = 0; i < receives_now; ++i) judge(how, &in[i], &statuses[i], rank, receives[i]);
    MPI_Barrier(comm);
  }
  turn_now = 0;
  for (int i = 0; i < number; ++i) MPI_Request_free(&requests[i]);
  for (int i = 0; i < receives_now; ++i) free(in[i].at);
  for (int i = 0; i < sends; ++i) free(out[i].at);
}

// Everyone to one behind itself, nobody at the ends.
static void shifted_round(MPI_Comm comm, int rank, int size) {
  const int by = 1 + (int)draw(3), wraps = (int)draw(2), replaces = (int)draw(2);
  const int kind = plan[0].kind, count = plan[0].count;
  planned_now = size < most_messages ? size : most_messages;
  for (int i = 0; i < planned_now; ++i) {
    plan[i] = (struct planned){i, (i + by) % size, i % most_tags, count, kind};
  }
  if (rank >= planned_now) return;
  int to = rank + by, from = rank - by;
  if (wraps) {
    to %= size;
    from = (from + 3 * size) % size;
  } else {
    if (to >= size) to = MPI_PROC_NULL;
    if (from < 0) from = MPI_PROC_NULL;
  }
  struct buffer out = message_buffer(rank), in = make_buffer(kind, count);
  const int tag = from == MPI_PROC_NULL ? MPI_ANY_TAG : from % most_tags;
  MPI_Status status;
  if (replaces) {
    MPI_Sendrecv_replace(out.at, count, out.type, to, rank % most_tags, from, tag, comm, &status);
    if (from != MPI_PROC_NULL) compare(&out, &status, from);
  } else {
    MPI_Sendrecv(out.at, count, out.type, to, rank % most_tags, in.at, count, in.type, from, tag,
                 comm, &status);
    if (from != MPI_PROC_NULL) compare(&in, &status, from);
  }
  if (from == MPI_PROC_NULL && status.MPI_SOURCE != MPI_PROC_NULL)
    wrong("source", -1, status.MPI_SOURCE, MPI_PROC_NULL);
  free(out.at);
  free(in.at);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int all;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  const unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  const int rounds = argc > 2 ? atoi(argv[2]) : 100;
  const int most_bytes = argc > 3 ? atoi(argv[3]) : 20000;
  if (argc > 4) keeps_buffered = atoi(argv[4]);
  state = seed * 2654435761ULL + 1;
  own_state = state + (unsigned)me * 977;
  make_types();
  const int buffered = (most_bytes + 4096) * most_messages * 2;
  MPI_Buffer_attach(malloc((size_t)buffered), buffered);
  MPI_Comm comms[communicators];
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, all - me, &comms[2]);
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &comms[3]);
  MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 0, me, &comms[4]);
  for (round_now = 0; round_now < rounds; ++round_now) {
    const MPI_Comm comm = comms[draw(communicators)];
    const unsigned way = draw(6);
    // Of split ones each part draws its own; afterwards all draw alike again.
    const unsigned long long before = state;
    if (comm != MPI_COMM_NULL) {
      int rank, size;
      MPI_Comm_rank(comm, &rank);
      MPI_Comm_size(comm, &size);
      draw_plan(size, most_bytes);
      if (way == 0) {
        shifted_round(comm, rank, size);
      } else if (way < 3) {
        posted_round(comm, rank, way == 1);
      } else if (way == 3) {
        kept_round(comm, rank, size);
      } else {
        late_round(comm, rank);
      }
    }
    state = before + 1000003ULL * (unsigned)(round_now + 1);
  }
  for (int i = 1; i < communicators; ++i) {
    if (comms[i] != MPI_COMM_NULL) MPI_Comm_free(&comms[i]);
  }
  void* attached;
  int bytes;
  MPI_Buffer_detach(&attached, &bytes);
  free(attached);
  free_types();
  int most = 0;
  MPI_Allreduce(&failures, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return most != 0;
}
