/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   upwash for C, and by C for Fortran and other languages: jobs, teams, memory of other ranks,
   collectives, messages, streams of bytes. What a call does and costs is said at length in the C++
   headers that are named here.

   Every function returns UPWASH_OK or another `upwash_status`; upwash_error_text says then what
   was wrong and what to do. No function throws. Handles are made by a call and given back by
   another, which sets them to NULL. A rank's calls come from one thread at a time.

   Calls with a last argument `request`: NULL blocks. Else the call is nonblocking, and buffers are
   upwash's until upwash_wait or upwash_test has said that it is complete; *request is NULL where
   it is complete at once. NULL requests are complete. */
#ifndef UPWASH_H
#define UPWASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header, as upwash/base/version.hpp has it; upwash_version() is the library's. */
#define UPWASH_VERSION_MAJOR 0
#define UPWASH_VERSION_MINOR 1
#define UPWASH_VERSION_PATCH 0
#define UPWASH_VERSION "0.1.0"
/* For comparisons: `#if UPWASH_VERSION_NUMBER >= 10203` asks for 1.2.3. */
#define UPWASH_VERSION_NUMBER \
  (UPWASH_VERSION_MAJOR * 10000 + UPWASH_VERSION_MINOR * 100 + UPWASH_VERSION_PATCH)

typedef struct upwash_job upwash_job;         /* the job, as one rank sees it */
typedef struct upwash_team upwash_team;       /* an ordered set of ranks */
typedef struct upwash_region upwash_region;   /* memory of a team's members that all can reach */
typedef struct upwash_request upwash_request; /* an operation under way */
typedef struct upwash_stream upwash_stream;   /* many small items for many ranks */

typedef enum upwash_status {
  UPWASH_OK = 0,
  UPWASH_ARGUMENT = 1,      /* the call was wrong; nothing has begun */
  UPWASH_CONFIGURATION = 2, /* a knob, file or machine description was */
  UPWASH_ENVIRONMENT = 3,   /* launcher or surroundings do not fit */
  UPWASH_SYSTEM = 4,        /* the operating system refused */
  UPWASH_FAULT = 5          /* a rank died, or ranks disagree: the job cannot go on */
} upwash_status;

typedef enum upwash_type {
  UPWASH_INT8,
  UPWASH_UINT8,
  UPWASH_INT16,
  UPWASH_UINT16,
  UPWASH_INT32,
  UPWASH_UINT32,
  UPWASH_INT64,
  UPWASH_UINT64,
  UPWASH_FLOAT,
  UPWASH_DOUBLE
} upwash_type;

/* Sums and products of integers wrap. The last three are for integers. */
typedef enum upwash_operator {
  UPWASH_SUM,
  UPWASH_PRODUCT,
  UPWASH_LEAST,
  UPWASH_MOST,
  UPWASH_BIT_AND,
  UPWASH_BIT_OR,
  UPWASH_BIT_XOR
} upwash_operator;

/* An operator of the program's: into[i] = left[i] op right[i] for `count` elements. `left` is what
   the lower ranks contributed; `into` may be either of the two. Called in progress: it must not
   call upwash. */
typedef void upwash_combine(const void* left, const void* right, void* into, size_t count,
                            void* context);
typedef struct upwash_own_operator {
  upwash_combine* combine;
  void* context;        /* handed to it */
  size_t element_bytes; /* at least 1 */
  int commutes;         /* whether elements may be combined in any order */
} upwash_own_operator;

typedef enum upwash_atomic_kind {
  UPWASH_LOAD,
  UPWASH_STORE,
  UPWASH_ADD,
  UPWASH_SWAP,
  UPWASH_COMPARE_SWAP,
  UPWASH_AND,
  UPWASH_OR,
  UPWASH_XOR,
  UPWASH_MIN_SIGNED,
  UPWASH_MAX_SIGNED,
  UPWASH_MIN_UNSIGNED,
  UPWASH_MAX_UNSIGNED
} upwash_atomic_kind;

enum { UPWASH_ANY_SOURCE = -1, UPWASH_ANY_TAG = -1 };

typedef struct upwash_receipt {
  int source; /* a member of the team */
  int tag;
  size_t bytes;
} upwash_receipt;

/* -- Jobs (upwash/runtime/run.hpp) ----------------------------------------------------------- */

/* Runs `body(job, context)` once for each rank of this process, and returns what main should: the
   largest result, or after an error, which is printed in one line, 1 or 2. Works on every conduit,
   with virtual ranks too. Ranks leave together. */
typedef int upwash_body(upwash_job* job, void* context);
int upwash_run(int argc, char** argv, upwash_body* body, void* context);

/* Joins the job that the surroundings describe, for programs whose main is not upwash's: one rank a
   process, real conduits only. Collective, blocking. What fails is printed in one line, too, and
   *job is NULL then. */
int upwash_attach(upwash_job** job);
/* Leaves an attached job. Collective, blocking; all handles must be given back. */
int upwash_detach(upwash_job** job);
/* Ends the whole job with this exit status, which is not 0, and one line. Does not return. */
void upwash_abort(upwash_job* job, int status, const char* why);

/* What the last call of this rank that failed has said; "" before. Valid until the next one. */
const char* upwash_error_text(const upwash_job* job);
/* "1.2.3", of the library. */
const char* upwash_version(void);

int upwash_rank(const upwash_job* job); /* in the world; -1 for NULL */
int upwash_size(const upwash_job* job); /* of the world; -1 for NULL */
/* Seconds since the job began; virtual on a simulated conduit. */
double upwash_now(const upwash_job* job);
/* The program computes for so many seconds: virtual time goes on. */
int upwash_compute(upwash_job* job, double seconds);
/* Takes messages and moves operations on. Nonblocking. */
int upwash_progress(upwash_job* job);

/* -- Requests (upwash/core/request.hpp) ------------------------------------------------------ */

/* Blocks until it is complete, and gives it back. A receive fills its receipt. */
int upwash_wait(upwash_request** request);
/* Whether it is complete: *done is 1, and it is given back, or 0. Makes progress. */
int upwash_test(upwash_request** request, int* done);
/* Waits for all, of one job. The first failure is returned; all are given back all the same. */
int upwash_wait_all(size_t count, upwash_request** requests);

/* -- Teams (upwash/core/team.hpp) ------------------------------------------------------------ */

/* All ranks; lives as long as the job. NULL for NULL. */
upwash_team* upwash_world(upwash_job* job);
int upwash_team_rank(const upwash_team* team); /* mine; -1 for NULL */
int upwash_team_size(const upwash_team* team); /* -1 for NULL */
/* The world rank of a member, the member with a world rank; -1: none. */
int upwash_world_rank(const upwash_team* team, int member);
int upwash_member_of(const upwash_team* team, int world_rank);
/* Ranks of equal color, ordered by key, then by rank; color below 0: *made is NULL. Collective,
   blocking. */
int upwash_team_split(upwash_team* team, int color, int key, upwash_team** made);
/* The members listed, in that order; called by exactly these. Blocking. */
int upwash_team_subset(upwash_team* team, const int* members, int count, upwash_team** made);
/* The members on my node. Collective, blocking. */
int upwash_team_node(upwash_team* team, upwash_team** made);
/* Gives back a team that is not the world. Collective. */
int upwash_team_free(upwash_team** team);

/* -- Memory of other ranks (upwash/core/region.hpp, memory_access.hpp, atomic.hpp) ----------- */

/* Each member gives its own number of bytes; zeroed. Collective, blocking. */
int upwash_allocate(upwash_team* team, size_t bytes, upwash_region** made);
/* Collective, blocking: all operations on it must be complete. */
int upwash_free(upwash_region** region);
/* My own part, 64-byte aligned. */
void* upwash_local(const upwash_region* region, size_t* bytes);

/* `bytes` at `offset` of a member's part. A put is complete when the data is visible there. */
int upwash_put(upwash_region* to, int member, uint64_t offset, const void* from, size_t bytes,
               upwash_request** request);
int upwash_get(upwash_region* from, int member, uint64_t offset, void* to, size_t bytes,
               upwash_request** request);
/* The same, complete after upwash_quiet; until then the buffers are upwash's. */
int upwash_put_later(upwash_region* to, int member, uint64_t offset, const void* from,
                     size_t bytes);
int upwash_get_later(upwash_region* from, int member, uint64_t offset, void* to, size_t bytes);
/* Blocks until all of these are complete. */
int upwash_quiet(upwash_job* job);
/* One operation on a word of 4 or 8 bytes (`width`) at a multiple of it. Blocking. *old, which may
   be NULL, is what was there, zero-extended. `compare` is for COMPARE_SWAP. */
int upwash_atomic(upwash_region* at, int member, uint64_t offset, int width,
                  upwash_atomic_kind kind, uint64_t operand, uint64_t compare, uint64_t* old);

/* -- Collectives (upwash/collective) --------------------------------------------------------- */

/* Called by all members in one order. `bytes` is a block's; buffers of several have one for each
   member, in the order of the ranks. The same address for input and output means in place, and all
   members say it: a rank's own block, or vector, lies where it belongs then. */
int upwash_barrier(upwash_team* team, upwash_request** request);
int upwash_broadcast(upwash_team* team, int root, void* data, size_t bytes,
                     upwash_request** request);
int upwash_gather(upwash_team* team, int root, const void* mine, void* all, size_t bytes,
                  upwash_request** request);
int upwash_scatter(upwash_team* team, int root, const void* all, void* mine, size_t bytes,
                   upwash_request** request);
int upwash_all_gather(upwash_team* team, const void* mine, void* all, size_t bytes,
                      upwash_request** request);
int upwash_all_to_all(upwash_team* team, const void* blocks, void* received, size_t bytes,
                      upwash_request** request);

/* Blocks of different lengths: `bytes[i]` at `offsets[i]` for member i. The arrays are upwash's as
   the buffers are. All members give the same `bytes`; gather and scatter: the root alone. */
int upwash_all_gather_v(upwash_team* team, const void* mine, size_t mine_bytes, void* all,
                        const uint64_t* bytes, const uint64_t* offsets, upwash_request** request);
int upwash_gather_v(upwash_team* team, int root, const void* mine, size_t mine_bytes, void* all,
                    const uint64_t* bytes, const uint64_t* offsets, upwash_request** request);
int upwash_scatter_v(upwash_team* team, int root, const void* all, const uint64_t* bytes,
                     const uint64_t* offsets, void* mine, size_t mine_bytes,
                     upwash_request** request);
/* Each member says what it sends, and what it receives. */
int upwash_all_to_all_v(upwash_team* team, const void* sent, const uint64_t* sent_bytes,
                        const uint64_t* sent_offsets, void* received,
                        const uint64_t* received_bytes, const uint64_t* received_offsets,
                        upwash_request** request);

/* `count` elements a rank; of reduce_scatter: of each block. */
int upwash_reduce(upwash_team* team, int root, const void* mine, void* result, size_t count,
                  upwash_type type, upwash_operator by, upwash_request** request);
int upwash_all_reduce(upwash_team* team, const void* mine, void* result, size_t count,
                      upwash_type type, upwash_operator by, upwash_request** request);
int upwash_reduce_scatter(upwash_team* team, const void* blocks, void* mine, size_t count,
                          upwash_type type, upwash_operator by, upwash_request** request);
int upwash_scan(upwash_team* team, const void* mine, void* result, size_t count, upwash_type type,
                upwash_operator by, upwash_request** request);
/* Member 0 keeps what `result` has. */
int upwash_exclusive_scan(upwash_team* team, const void* mine, void* result, size_t count,
                          upwash_type type, upwash_operator by, upwash_request** request);
/* By an operator of the program's, the same at all members. */
int upwash_reduce_by(upwash_team* team, int root, const void* mine, void* result, size_t count,
                     const upwash_own_operator* by, upwash_request** request);
int upwash_all_reduce_by(upwash_team* team, const void* mine, void* result, size_t count,
                         const upwash_own_operator* by, upwash_request** request);
int upwash_scan_by(upwash_team* team, const void* mine, void* result, size_t count,
                   const upwash_own_operator* by, upwash_request** request);

/* -- Messages (upwash/matching/messages.hpp) ------------------------------------------------- */

/* To a member, with a tag from 0 on. Complete when the buffer may be reused. */
int upwash_send(upwash_team* team, int destination, int tag, const void* from, size_t bytes,
                upwash_request** request);
/* From a member or any, with a tag or any. `receipt`, which may be NULL, is filled when it is
   complete. A message longer than `bytes` is an error of the wait, and the buffer unchanged. */
int upwash_receive(upwash_team* team, int source, int tag, void* into, size_t bytes,
                   upwash_receipt* receipt, upwash_request** request);
/* What a receive would get now: *found is 1 or 0. Makes progress; nonblocking. */
int upwash_probe(upwash_team* team, int source, int tag, int* found, upwash_receipt* receipt);

/* -- Streams of bytes (upwash/streaming/stream.hpp) ------------------------------------------ */

/* Called in progress and in waits of this rank for each item that came: it must not wait; it may
   push. The bytes are gone when it returns. */
typedef void upwash_take(const void* item, size_t bytes, void* context);
/* All zero: automatic. The same at all members. */
typedef struct upwash_stream_options {
  int dimensions;      /* of the virtual grid; 0: by the size of the team */
  size_t buffer_bytes; /* 0: automatic */
  int ordered;         /* items of a pair arrive as they were pushed */
  int shared_buffers;  /* members on one node share buffers */
} upwash_stream_options;

/* Collective. `options` may be NULL. */
int upwash_stream_open(upwash_team* team, upwash_take* take, void* context,
                       const upwash_stream_options* options, upwash_stream** made);
/* Copies the item; outside handlers it may wait for credit. */
int upwash_stream_push(upwash_stream* stream, int destination, const void* item, size_t bytes);
/* Sends what waits in buffers. */
int upwash_stream_flush(upwash_stream* stream);
/* All that was pushed anywhere, in handlers too, is handled everywhere. Collective, blocking. */
int upwash_stream_finish(upwash_stream* stream);
/* Finishes, and gives it back. Collective, blocking. */
int upwash_stream_close(upwash_stream** stream);

#ifdef __cplusplus
}
#endif

#endif
