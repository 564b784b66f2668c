// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program of MPI for bench/mpi-programs: prints "CELL: microseconds": the median of its rounds,
// or of one round where many receives wait. Ratios are of medians over launches.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { rounds = 11, most = 262144, window = 64, deep = 16384 };

static int me, all;
static char out[most], in[most];
static double times[rounds];

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void tell(const char* cell, int bytes) {
  qsort(times, rounds, sizeof times[0], by_size);
  if (me == 0) printf("%s of %d bytes: %.4f\n", cell, bytes, times[rounds / 2]);
}

static void round_trip(int bytes, int calls) {
  for (int i = 0; i < calls; ++i) {
    if (me == 0) {
      MPI_Send(out, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(in, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
  }
}

static void exchange(int bytes, int calls) {
  for (int i = 0; i < calls; ++i) {
    MPI_Request both[2];
    MPI_Irecv(in, bytes, MPI_CHAR, 1 - me, 1, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(out, bytes, MPI_CHAR, 1 - me, 1, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
}

static void windows(int bytes, int calls) {
  for (int i = 0; i < calls / window; ++i) {
    MPI_Request some[window];
    for (int j = 0; j < window; ++j) {
      if (me == 0) {
        MPI_Isend(out, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &some[j]);
      } else {
        MPI_Irecv(in, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &some[j]);
      }
    }
    MPI_Waitall(window, some, MPI_STATUSES_IGNORE);
    char over;
    if (me == 0) MPI_Recv(&over, 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me == 1) MPI_Send(&over, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
  }
}

static void cell(const char* name, void (*run)(int, int), int bytes, int calls) {
  run(bytes, calls / 10 + window);
  for (int i = 0; i < rounds; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    run(bytes, calls);
    times[i] = (MPI_Wtime() - begin) * 1e6 / calls;
  }
  tell(name, bytes);
}

// Receives wait in one order, messages come in the other.
static void queues(void) {
  MPI_Request* posted = malloc(deep * sizeof *posted);
  int* numbers = malloc(deep * sizeof *numbers);
  for (int kept = 0; kept < 2; ++kept) {
    if (me == 1 && !kept) {
      for (int i = 0; i < deep; ++i) {
        MPI_Irecv(&numbers[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &posted[i]);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = deep - 1; me == 0 && i >= 0; --i) {
      MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    }
    if (kept) MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; me == 1 && kept && i < deep; ++i) {
      MPI_Recv(&numbers[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (me == 1 && !kept) MPI_Waitall(deep, posted, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    const double time = (MPI_Wtime() - begin) * 1e6 / deep;
    if (me == 0)
      printf("a message among %d %s: %.4f\n", deep, kept ? "that came early" : "receives", time);
  }
  free(numbers);
  free(posted);
}

// When a message comes whose sender computes for 20 ms before it waits for the send. The receiver
// tells the time.
static void computing_sender(int bytes) {
  for (int i = 0; i < rounds; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    if (me == 0) {
      MPI_Request sent;
      MPI_Isend(out, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &sent);
      while (MPI_Wtime() < begin + 0.02) {
      }
      MPI_Wait(&sent, MPI_STATUS_IGNORE);
      MPI_Recv(&times[i], 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const double time = (MPI_Wtime() - begin) * 1e6;
      MPI_Send(&time, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    }
  }
  tell("a message whose sender computes for 20 ms", bytes);
}

static void barrier(int bytes, int calls) {
  (void)bytes;
  for (int i = 0; i < calls; ++i) MPI_Barrier(MPI_COMM_WORLD);
}
static void all_reduce(int bytes, int calls) {
  for (int i = 0; i < calls; ++i) {
    MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}
static void all_to_all(int bytes, int calls) {
  for (int i = 0; i < calls; ++i) {
    MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  if (all == 2) {
    const int sizes[] = {8, 1024, 16384, 262144};
    for (int i = 0; i < 4; ++i) {
      const int calls = sizes[i] > 10000 ? 256 : 2048;
      cell("a round trip", round_trip, sizes[i], calls);
      cell("an exchange by requests", exchange, sizes[i], calls);
      cell("a message of 64 at once", windows, sizes[i], calls);
    }
    computing_sender(16384);
    computing_sender(most);
    queues();
  }
  cell("a barrier", barrier, 0, 512);
  cell("an all-reduce", all_reduce, 8, 512);
  cell("an all-to-all", all_to_all, 8, 512);
  MPI_Finalize();
  return 0;
}
