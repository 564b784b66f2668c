/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   upwash for C, and through C for Fortran and other languages: jobs, teams, memory of other
   ranks, layouts, locks, semaphores, collectives (also persistent and neighbor ones), messages,
   streams of bytes. The C++ headers named here describe effects and costs in detail.

       static int body(upwash_job* job, void* context) {
         double mine = upwash_rank(job), total = 0;
         (void)context;
         return upwash_all_reduce(upwash_world(job), &mine, &total, 1, UPWASH_DOUBLE, UPWASH_SUM,
                                  NULL);
       }
       int main(int argc, char** argv) { return upwash_run(argc, argv, body, NULL); }

   Every function returns UPWASH_OK or another `upwash_status`. After a failure upwash_error_text
   describes the error and the remedy. No function throws. A call makes a handle; another call
   releases it and sets it to NULL. The calls of a rank come from one thread at a time.

   Calls with a last argument `request`: NULL blocks. Otherwise the call is nonblocking, and
   buffers belong to upwash until upwash_wait or upwash_test has reported completion. *request is
   NULL if the call is complete at once. NULL requests are complete. */
#ifndef UPWASH_H
#define UPWASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header, as in upwash/base/version.hpp. upwash_version() returns the
   library's. */
#define UPWASH_VERSION_MAJOR 0
#define UPWASH_VERSION_MINOR 1
#define UPWASH_VERSION_PATCH 0
#define UPWASH_VERSION "0.1.0"
/* For comparisons: `#if UPWASH_VERSION_NUMBER >= 10203` requires 1.2.3. */
#define UPWASH_VERSION_NUMBER \
  (UPWASH_VERSION_MAJOR * 10000 + UPWASH_VERSION_MINOR * 100 + UPWASH_VERSION_PATCH)

typedef struct upwash_job upwash_job;         /* the job, as one rank sees it */
typedef struct upwash_team upwash_team;       /* an ordered set of ranks */
typedef struct upwash_region upwash_region;   /* memory of a team's members that all can access */
typedef struct upwash_request upwash_request; /* an operation in progress */
typedef struct upwash_stream upwash_stream;   /* many small items for many ranks */
typedef struct upwash_locks upwash_locks;     /* locks stored at a team's members */
typedef struct upwash_semaphores upwash_semaphores;     /* counts stored at a team's members */
typedef struct upwash_persistent upwash_persistent;     /* a call to be started often */
typedef struct upwash_neighborhood upwash_neighborhood; /* a team's members with their edges */

typedef enum upwash_status {
  UPWASH_OK = 0,
  UPWASH_ARGUMENT = 1,      /* the call was wrong; nothing has begun */
  UPWASH_CONFIGURATION = 2, /* a knob, file or machine description was wrong */
  UPWASH_ENVIRONMENT = 3,   /* the launcher or the environment does not fit */
  UPWASH_SYSTEM = 4,        /* the operating system refused an operation */
  UPWASH_FAULT = 5          /* a rank died, or ranks disagree: the job cannot continue */
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
  UPWASH_DOUBLE,
  UPWASH_FLOAT_COMPLEX, /* this and the next: only for upwash_accumulate */
  UPWASH_DOUBLE_COMPLEX
} upwash_type;

/* Sums and products of integers wrap. The last three operators are for integers. */
typedef enum upwash_operator {
  UPWASH_SUM,
  UPWASH_PRODUCT,
  UPWASH_LEAST,
  UPWASH_MOST,
  UPWASH_BIT_AND,
  UPWASH_BIT_OR,
  UPWASH_BIT_XOR
} upwash_operator;

/* An operator of the program: into[i] = left[i] op right[i] for `count` elements. `left` holds
   the contributions of the lower ranks; `into` may be either of the two. Called in progress: it
   must not call upwash. */
typedef void upwash_combine(const void* left, const void* right, void* into, size_t count,
                            void* context);
typedef struct upwash_own_operator {
  upwash_combine* combine;
  void* context;        /* passed to `combine` */
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

/* Runs `body(job, context)` once for each rank of this process. Returns the exit status for
   main: the largest result of the bodies; after an error, which is printed in one line, 1 or 2.
   Works on every conduit, also with virtual ranks. The ranks leave together. */
typedef int upwash_body(upwash_job* job, void* context);
int upwash_run(int argc, char** argv, upwash_body* body, void* context);

/* Joins the job that the environment describes, for programs that have their own main: one rank
   a process, real conduits only. Collective, blocking. An error is also printed in one line, and
   *job is then NULL. */
int upwash_attach(upwash_job** job);
/* Leaves an attached job. All handles must be released before. Collective, blocking. */
int upwash_detach(upwash_job** job);
/* Ends the whole job with this exit status, which is not 0, and prints one line. Does not
   return. */
void upwash_abort(upwash_job* job, int status, const char* why);

/* Returns the message of this rank's latest failed call; "" if no call has failed. Valid until
   the next failure. */
const char* upwash_error_text(const upwash_job* job);
/* Returns the library's version, for example "1.2.3". */
const char* upwash_version(void);

int upwash_rank(const upwash_job* job); /* in the world; -1 for NULL */
int upwash_size(const upwash_job* job); /* of the world; -1 for NULL */
/* Returns the seconds since the begin of the job; virtual on a simulated conduit. */
double upwash_now(const upwash_job* job);
/* Declares `seconds` of computation by the program; advances virtual time. */
int upwash_compute(upwash_job* job, double seconds);
/* Makes progress: receives messages and advances operations. Nonblocking. */
int upwash_progress(upwash_job* job);

/* -- Requests (upwash/core/request.hpp) ------------------------------------------------------ */

/* Blocks until the request is complete, and releases it. A receive fills its receipt. */
int upwash_wait(upwash_request** request);
/* Tests a request. *done is 1 if it is complete, and the request is released; otherwise 0. Makes
   progress. */
int upwash_test(upwash_request** request, int* done);
/* Waits for all requests, which belong to one job. Returns the first failure. Releases all of
   them in any case. */
int upwash_wait_all(size_t count, upwash_request** requests);

/* The index that the next four functions return if all requests are NULL. */
#define UPWASH_NO_REQUEST ((size_t)-1)
/* The next four functions handle several requests of one job (upwash/core/request_sets.hpp).
   Each complete request is released and reported once, with its status. NULL requests are
   skipped. `indices` has room for `count` indices, in rising order. O(count).

   Blocks until one request is complete. *index is the first complete one. */
int upwash_wait_any(size_t count, upwash_request** requests, size_t* index);
/* Blocks until at least one request is complete. Reports all *found complete ones. Returns the
   first failure. */
int upwash_wait_some(size_t count, upwash_request** requests, size_t* indices, size_t* found);
/* Tests whether a request is complete: *done is 1, or 0. Makes progress; nonblocking. */
int upwash_test_any(size_t count, upwash_request** requests, size_t* index, int* done);
/* As upwash_wait_some, but nonblocking: *found may be 0. */
int upwash_test_some(size_t count, upwash_request** requests, size_t* indices, size_t* found);

/* -- Teams (upwash/core/team.hpp) ------------------------------------------------------------ */

/* Returns the team of all ranks, which lives as long as the job. NULL for NULL. */
upwash_team* upwash_world(upwash_job* job);
int upwash_team_rank(const upwash_team* team); /* of the calling rank; -1 for NULL */
int upwash_team_size(const upwash_team* team); /* -1 for NULL */
/* Return the world rank of a member, and the member with a world rank; -1 if there is none. */
int upwash_world_rank(const upwash_team* team, int member);
int upwash_member_of(const upwash_team* team, int world_rank);
/* Makes a team of the ranks with equal color, ordered by key, then by rank. If color is below 0,
 *made is NULL. Collective, blocking. */
int upwash_team_split(upwash_team* team, int color, int key, upwash_team** made);
/* Makes a team of the listed members, in that order. Called by exactly these members. Blocking. */
int upwash_team_subset(upwash_team* team, const int* members, int count, upwash_team** made);
/* Makes a team of the members on the caller's node. Collective, blocking. */
int upwash_team_node(upwash_team* team, upwash_team** made);
/* Releases a team that is not the world. Collective. */
int upwash_team_free(upwash_team** team);

/* -- Memory of other ranks (upwash/core/region.hpp, memory_access.hpp, atomic.hpp) ----------- */

/* Allocates zeroed memory. Each member gives its own number of bytes. Collective, blocking. */
int upwash_allocate(upwash_team* team, size_t bytes, upwash_region** made);
/* Releases a region. All operations on it must be complete. Collective, blocking. */
int upwash_free(upwash_region** region);
/* Returns the caller's part of the region, 64-byte aligned, and its bytes. */
void* upwash_local(const upwash_region* region, size_t* bytes);

/* Copy `bytes` bytes to or from `offset` of a member's part. A put is complete when the data is
   visible there. */
int upwash_put(upwash_region* to, int member, uint64_t offset, const void* from, size_t bytes,
               upwash_request** request);
int upwash_get(upwash_region* from, int member, uint64_t offset, void* to, size_t bytes,
               upwash_request** request);
/* The same, complete after upwash_quiet. The buffers belong to upwash until then. */
int upwash_put_later(upwash_region* to, int member, uint64_t offset, const void* from,
                     size_t bytes);
int upwash_get_later(upwash_region* from, int member, uint64_t offset, void* to, size_t bytes);
/* Blocks until all operations of upwash_put_later and upwash_get_later are complete. */
int upwash_quiet(upwash_job* job);
/* Performs one operation on a word of `width` bytes (4 or 8) at a multiple of `width`. Blocking.
 *old is the previous value, zero-extended; `old` may be NULL. `compare` is for COMPARE_SWAP. */
int upwash_atomic(upwash_region* at, int member, uint64_t offset, int width,
                  upwash_atomic_kind kind, uint64_t operand, uint64_t compare, uint64_t* old);

/* Blocks until all operations of this rank towards a rank of the world are visible there. Makes
   progress (upwash/onesided/fence.hpp). */
int upwash_fence(upwash_job* job, int world_rank);
/* The same towards all ranks. */
int upwash_fence_all(upwash_job* job);

/* -- Layouts (upwash/onesided/layout.hpp, transfer.hpp, accumulate.hpp) ---------------------- */

enum { UPWASH_MOST_LEVELS = 8 };
/* `count` items of the next inner level, with the given strides in bytes at either end. No value
   is negative. */
typedef struct upwash_level {
  int64_t count;
  int64_t local_stride;
  int64_t remote_stride;
} upwash_level;
/* Runs of `bytes` bytes each over levels of strides, the innermost level first. */
typedef struct upwash_strided {
  int64_t bytes; /* of one run */
  int levels;    /* 0: one run */
  upwash_level level[UPWASH_MOST_LEVELS];
} upwash_strided;
/* One segment of a list. */
typedef struct upwash_segment {
  uint64_t local;  /* offset from the local address */
  uint64_t remote; /* offset from the offset at the member */
  uint64_t bytes;
} upwash_segment;
/* The positions of a transfer's bytes: `strided`, or if it is NULL `count` segments. Read before
   the call returns; for messages, however, the segments belong to upwash as long as the buffers
   do. */
typedef struct upwash_layout {
  const upwash_strided* strided;
  const upwash_segment* segments;
  size_t count;
} upwash_layout;

/* As upwash_put and upwash_get, run by run. Both ends begin at the given address and offset.
   Bytes between runs do not change. O(bytes + runs). */
int upwash_put_laid(upwash_region* to, int member, uint64_t offset, const void* from,
                    const upwash_layout* laid, upwash_request** request);
int upwash_get_laid(upwash_region* from, int member, uint64_t offset, void* to,
                    const upwash_layout* laid, upwash_request** request);
/* The same, complete after upwash_quiet. */
int upwash_put_laid_later(upwash_region* to, int member, uint64_t offset, const void* from,
                          const upwash_layout* laid);
int upwash_get_laid_later(upwash_region* from, int member, uint64_t offset, void* to,
                          const upwash_layout* laid);
/* Adds *scale (NULL: 1) times each element of `x` to the member's elements: `count` elements, or
   those of the runs of `laid` if it is not NULL. Each element is updated atomically with respect
   to other accumulates. Types: INT32, INT64, FLOAT, DOUBLE, FLOAT_COMPLEX, DOUBLE_COMPLEX.
   Complete when all elements are added. */
int upwash_accumulate(upwash_region* to, int member, uint64_t offset, const void* x, size_t count,
                      const upwash_layout* laid, upwash_type type, const void* scale,
                      upwash_request** request);
/* The same, complete after upwash_quiet. */
int upwash_accumulate_later(upwash_region* to, int member, uint64_t offset, const void* x,
                            size_t count, const upwash_layout* laid, upwash_type type,
                            const void* scale);

/* -- Locks (upwash/onesided/locks.hpp) ------------------------------------------------------- */

/* The algorithm of a lock. Use UPWASH_LOCK_QUEUE unless there is a reason for another. */
typedef enum upwash_lock_kind {
  UPWASH_LOCK_TICKET,
  UPWASH_LOCK_SERVER,
  UPWASH_LOCK_HYBRID,
  UPWASH_LOCK_QUEUE,
  UPWASH_LOCK_TEST_AND_SET,
  UPWASH_LOCK_ARRAY
} upwash_lock_kind;

/* Makes `per_rank` free locks at each member. A rank holds at most `most_held` of them (0: 64).
   The same arguments at all members. Collective, blocking. */
int upwash_locks_make(upwash_team* team, int per_rank, upwash_lock_kind kind, int most_held,
                      upwash_locks** made);
/* Blocks until this rank holds the lock; makes progress. Waiting ranks are served in turn,
   except by UPWASH_LOCK_TEST_AND_SET. A lock orders the operations of its holders: puts made
   under it are complete before it is released. */
int upwash_lock(upwash_locks* locks, int member, int index);
/* Takes the lock if it is free: *taken is 1, or 0. Never waits for a holder. */
int upwash_try_lock(upwash_locks* locks, int member, int index, int* taken);
/* Passes the lock to the longest waiting rank, or leaves it free. */
int upwash_unlock(upwash_locks* locks, int member, int index);
/* Returns whether this rank holds the lock: 1 or 0; -1 for NULL. Local. */
int upwash_holds(const upwash_locks* locks, int member, int index);
/* Releases the set of locks; no member may hold any. Collective, blocking. */
int upwash_locks_free(upwash_locks** locks);

/* -- Semaphores (upwash/onesided/semaphore.hpp) ---------------------------------------------- */

/* Makes `per_rank` semaphores at each member, with the value `initial`. The same arguments at
   all members. Collective, blocking. */
int upwash_semaphores_make(upwash_team* team, int per_rank, uint64_t initial,
                           upwash_semaphores** made);
/* Adds `n`, 1 to 2^62, to semaphore `index` of a member. Complete when the member can see it.
   Puts of this rank that it did not wait for may arrive later. */
int upwash_post(upwash_semaphores* semaphores, int member, int index, uint64_t n,
                upwash_request** request);
/* A put followed by a post to the same rank: a rank that has waited for the post finds the data.
   Complete when both are visible. */
int upwash_put_and_post(upwash_semaphores* semaphores, upwash_region* to, int member,
                        uint64_t offset, const void* from, size_t bytes, int index, uint64_t n,
                        upwash_request** request);
/* The same with a layout. */
int upwash_put_laid_and_post(upwash_semaphores* semaphores, upwash_region* to, int member,
                             uint64_t offset, const void* from, const upwash_layout* laid,
                             int index, uint64_t n, upwash_request** request);
/* Blocks until semaphore `index` of this rank is at least `n`, and subtracts `n`. Makes
   progress. */
int upwash_semaphore_wait(upwash_semaphores* semaphores, int index, uint64_t n);
/* Subtracts `n` if the value is at least `n`: *taken is 1, or 0. Makes progress; nonblocking. */
int upwash_semaphore_try(upwash_semaphores* semaphores, int index, uint64_t n, int* taken);
/* Returns the current value of a semaphore of this rank. Local. */
int upwash_semaphore_value(const upwash_semaphores* semaphores, int index, uint64_t* value);
/* Releases the semaphores, when the posts of all members are complete. Collective, blocking. */
int upwash_semaphores_free(upwash_semaphores** semaphores);

/* A fence of all members and a barrier in one (upwash/onesided/fence_barrier.hpp). Complete when
   all operations that any member began towards a member before its call are visible there. All
   members block, or none. Collective. */
int upwash_fence_barrier(upwash_team* team, upwash_request** request);

/* -- Collectives (upwash/collective) --------------------------------------------------------- */

/* All members call collectives in one order. `bytes` is the length of a block. Buffers of
   several blocks have one for each member, in the order of the ranks. Equal addresses of input
   and output mean in place; all members use this form, or none. The rank's own block, or vector,
   then lies at its position. */
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

/* Blocks of different lengths: `bytes[i]` at `offsets[i]` for member i. The arrays belong to
   upwash as long as the buffers do. All members give the same `bytes`; for gather and scatter
   only the root gives them. */
int upwash_all_gather_v(upwash_team* team, const void* mine, size_t mine_bytes, void* all,
                        const uint64_t* bytes, const uint64_t* offsets, upwash_request** request);
int upwash_gather_v(upwash_team* team, int root, const void* mine, size_t mine_bytes, void* all,
                    const uint64_t* bytes, const uint64_t* offsets, upwash_request** request);
int upwash_scatter_v(upwash_team* team, int root, const void* all, const uint64_t* bytes,
                     const uint64_t* offsets, void* mine, size_t mine_bytes,
                     upwash_request** request);
/* Each member gives the lengths that it sends and those that it receives. */
int upwash_all_to_all_v(upwash_team* team, const void* sent, const uint64_t* sent_bytes,
                        const uint64_t* sent_offsets, void* received,
                        const uint64_t* received_bytes, const uint64_t* received_offsets,
                        upwash_request** request);

/* Reductions of `count` elements a rank; for reduce_scatter, `count` elements of each block. */
int upwash_reduce(upwash_team* team, int root, const void* mine, void* result, size_t count,
                  upwash_type type, upwash_operator by, upwash_request** request);
int upwash_all_reduce(upwash_team* team, const void* mine, void* result, size_t count,
                      upwash_type type, upwash_operator by, upwash_request** request);
int upwash_reduce_scatter(upwash_team* team, const void* blocks, void* mine, size_t count,
                          upwash_type type, upwash_operator by, upwash_request** request);
int upwash_scan(upwash_team* team, const void* mine, void* result, size_t count, upwash_type type,
                upwash_operator by, upwash_request** request);
/* `result` of member 0 does not change. */
int upwash_exclusive_scan(upwash_team* team, const void* mine, void* result, size_t count,
                          upwash_type type, upwash_operator by, upwash_request** request);
/* Reductions with an operator of the program, the same at all members. */
int upwash_reduce_by(upwash_team* team, int root, const void* mine, void* result, size_t count,
                     const upwash_own_operator* by, upwash_request** request);
int upwash_all_reduce_by(upwash_team* team, const void* mine, void* result, size_t count,
                         const upwash_own_operator* by, upwash_request** request);
int upwash_scan_by(upwash_team* team, const void* mine, void* result, size_t count,
                   const upwash_own_operator* by, upwash_request** request);

/* -- Persistent collectives (upwash/collective/persistent.hpp) ------------------------------- */

/* Each of the following functions sets up the collective of its name, to be started often. It
   keeps steps, scratch and number, so a start costs less than a call. All members call it in one
   order. Local. Buffers, and arrays of bytes and offsets, must stay valid until the handle is
   released. */
int upwash_barrier_prepare(upwash_team* team, upwash_persistent** made);
int upwash_broadcast_prepare(upwash_team* team, int root, void* data, size_t bytes,
                             upwash_persistent** made);
int upwash_gather_prepare(upwash_team* team, int root, const void* mine, void* all, size_t bytes,
                          upwash_persistent** made);
int upwash_scatter_prepare(upwash_team* team, int root, const void* all, void* mine, size_t bytes,
                           upwash_persistent** made);
int upwash_all_gather_prepare(upwash_team* team, const void* mine, void* all, size_t bytes,
                              upwash_persistent** made);
int upwash_all_to_all_prepare(upwash_team* team, const void* blocks, void* received, size_t bytes,
                              upwash_persistent** made);
int upwash_all_gather_v_prepare(upwash_team* team, const void* mine, size_t mine_bytes, void* all,
                                const uint64_t* bytes, const uint64_t* offsets,
                                upwash_persistent** made);
int upwash_gather_v_prepare(upwash_team* team, int root, const void* mine, size_t mine_bytes,
                            void* all, const uint64_t* bytes, const uint64_t* offsets,
                            upwash_persistent** made);
int upwash_scatter_v_prepare(upwash_team* team, int root, const void* all, const uint64_t* bytes,
                             const uint64_t* offsets, void* mine, size_t mine_bytes,
                             upwash_persistent** made);
int upwash_all_to_all_v_prepare(upwash_team* team, const void* sent, const uint64_t* sent_bytes,
                                const uint64_t* sent_offsets, void* received,
                                const uint64_t* received_bytes, const uint64_t* received_offsets,
                                upwash_persistent** made);
int upwash_reduce_prepare(upwash_team* team, int root, const void* mine, void* result, size_t count,
                          upwash_type type, upwash_operator by, upwash_persistent** made);
int upwash_all_reduce_prepare(upwash_team* team, const void* mine, void* result, size_t count,
                              upwash_type type, upwash_operator by, upwash_persistent** made);
int upwash_reduce_scatter_prepare(upwash_team* team, const void* blocks, void* mine, size_t count,
                                  upwash_type type, upwash_operator by, upwash_persistent** made);
int upwash_scan_prepare(upwash_team* team, const void* mine, void* result, size_t count,
                        upwash_type type, upwash_operator by, upwash_persistent** made);
int upwash_exclusive_scan_prepare(upwash_team* team, const void* mine, void* result, size_t count,
                                  upwash_type type, upwash_operator by, upwash_persistent** made);
int upwash_reduce_by_prepare(upwash_team* team, int root, const void* mine, void* result,
                             size_t count, const upwash_own_operator* by, upwash_persistent** made);
int upwash_all_reduce_by_prepare(upwash_team* team, const void* mine, void* result, size_t count,
                                 const upwash_own_operator* by, upwash_persistent** made);
int upwash_scan_by_prepare(upwash_team* team, const void* mine, void* result, size_t count,
                           const upwash_own_operator* by, upwash_persistent** made);
/* Starts the operation, as the call that it was made from. All members start a collective in one
   order. The previous start must be complete. Each member may block or not. */
int upwash_start(upwash_persistent* persistent, upwash_request** request);
/* Releases the handle. Waits for a start that is not complete, except for messages, which
   continue. */
int upwash_persistent_free(upwash_persistent** persistent);

/* -- Neighborhoods (upwash/neighborhood) ----------------------------------------------------- */

/* Makes a neighborhood in which every member names its own edges at both ends: the members that
   it receives blocks from and sends blocks to, in the order of the blocks. Members may repeat.
   Collective, blocking. */
int upwash_neighborhood_graph(upwash_team* team, const int* sources, int source_count,
                              const int* destinations, int destination_count,
                              upwash_neighborhood** made);
/* Makes a neighborhood on a grid; its last dimension varies fastest. The neighbors are the
   previous and the next member in each dimension, if they exist. `periodic` marks the dimensions
   that form a ring; NULL: none. The product of the sizes is the team's size. Collective,
   blocking. */
int upwash_neighborhood_cartesian(upwash_team* team, int dimensions, const int* sizes,
                                  const int* periodic, upwash_neighborhood** made);
/* The same with all members within `radius` in each dimension, except the rank itself. */
int upwash_neighborhood_moore(upwash_team* team, int dimensions, const int* sizes,
                              const int* periodic, int radius, upwash_neighborhood** made);
/* Return the members that blocks come from, or go to, in their order, and their number. *members
   is valid until the neighborhood is released. Local. */
int upwash_sources(upwash_neighborhood* neighbors, const int** members, int* count);
int upwash_destinations(upwash_neighborhood* neighbors, const int** members, int* count);
/* Releases a neighborhood. The team must not be released earlier. Local. */
int upwash_neighborhood_free(upwash_neighborhood** neighbors);

/* Sends a block of `bytes` bytes to all destinations. The block of source i arrives as block i
   of `all`. Collective, as the following calls. The first call makes a plan, and blocks for
   that. */
int upwash_neighbor_all_gather(upwash_neighborhood* neighbors, const void* mine, void* all,
                               size_t bytes, upwash_request** request);
/* Sends block i of `blocks` to destination i, and receives block i of `received` from source i. */
int upwash_neighbor_all_to_all(upwash_neighborhood* neighbors, const void* blocks, void* received,
                               size_t bytes, upwash_request** request);
/* Blocks of different lengths, `bytes[i]` at `offsets[i]` for source or destination i. The
   arrays are read before the call returns. */
int upwash_neighbor_all_gather_v(upwash_neighborhood* neighbors, const void* mine,
                                 size_t mine_bytes, void* all, const uint64_t* bytes,
                                 const uint64_t* offsets, upwash_request** request);
int upwash_neighbor_all_to_all_v(upwash_neighborhood* neighbors, const void* sent,
                                 const uint64_t* sent_bytes, const uint64_t* sent_offsets,
                                 void* received, const uint64_t* received_bytes,
                                 const uint64_t* received_offsets, upwash_request** request);
/* The persistent forms, to be started often. */
int upwash_neighbor_all_gather_prepare(upwash_neighborhood* neighbors, const void* mine, void* all,
                                       size_t bytes, upwash_persistent** made);
int upwash_neighbor_all_to_all_prepare(upwash_neighborhood* neighbors, const void* blocks,
                                       void* received, size_t bytes, upwash_persistent** made);
int upwash_neighbor_all_gather_v_prepare(upwash_neighborhood* neighbors, const void* mine,
                                         size_t mine_bytes, void* all, const uint64_t* bytes,
                                         const uint64_t* offsets, upwash_persistent** made);
int upwash_neighbor_all_to_all_v_prepare(upwash_neighborhood* neighbors, const void* sent,
                                         const uint64_t* sent_bytes, const uint64_t* sent_offsets,
                                         void* received, const uint64_t* received_bytes,
                                         const uint64_t* received_offsets,
                                         upwash_persistent** made);

/* -- Messages (upwash/matching/messages.hpp) ------------------------------------------------- */

/* Sends to a member, with a tag of at least 0. Complete when the buffer may be reused. */
int upwash_send(upwash_team* team, int destination, int tag, const void* from, size_t bytes,
                upwash_request** request);
/* Receives from a member or any, with a tag or any. `receipt`, which may be NULL, is filled at
   completion. A message longer than `bytes` is an error of the wait; the buffer then does not
   change. */
int upwash_receive(upwash_team* team, int source, int tag, void* into, size_t bytes,
                   upwash_receipt* receipt, upwash_request** request);
/* The same with the local runs of a layout instead of a buffer, in their order; remote offsets
   are ignored. The bytes are copied: packed before the call returns, or unpacked at completion.
   A shorter message fills the first runs. A longer one is an error of the wait, and nothing is
   unpacked. */
int upwash_send_laid(upwash_team* team, int destination, int tag, const void* from,
                     const upwash_layout* laid, upwash_request** request);
int upwash_receive_laid(upwash_team* team, int source, int tag, void* into,
                        const upwash_layout* laid, upwash_receipt* receipt,
                        upwash_request** request);
/* Set up a send or receive, to be started often by upwash_start. Buffers and the receipt must
   stay valid until the handle is released. Wrong arguments are refused here. Local. */
int upwash_send_prepare(upwash_team* team, int destination, int tag, const void* from, size_t bytes,
                        upwash_persistent** made);
int upwash_receive_prepare(upwash_team* team, int source, int tag, void* into, size_t bytes,
                           upwash_receipt* receipt, upwash_persistent** made);
/* Returns the message that a receive would get now: *found is 1 or 0. Makes progress;
   nonblocking. */
int upwash_probe(upwash_team* team, int source, int tag, int* found, upwash_receipt* receipt);

/* -- Streams of bytes (upwash/streaming/stream.hpp) ------------------------------------------ */

/* The handler of a stream, called for each arriving item in progress and waits of this rank. It
   must not wait; it may push. The bytes are valid until it returns. */
typedef void upwash_take(const void* item, size_t bytes, void* context);
/* Options of a stream; zero means automatic. The same at all members. */
typedef struct upwash_stream_options {
  int dimensions;      /* of the virtual grid; 0: by the size of the team */
  size_t buffer_bytes; /* 0: automatic */
  int ordered;         /* items of a pair arrive as they were pushed */
  int shared_buffers;  /* members on one node share buffers */
} upwash_stream_options;

/* Opens a stream. `options` may be NULL. Collective. */
int upwash_stream_open(upwash_team* team, upwash_take* take, void* context,
                       const upwash_stream_options* options, upwash_stream** made);
/* Pushes a copy of the item. Outside handlers it may wait for credit. */
int upwash_stream_push(upwash_stream* stream, int destination, const void* item, size_t bytes);
/* Sends the items in the buffers. */
int upwash_stream_flush(upwash_stream* stream);
/* Waits until all items pushed by any member, also in handlers, have been handled. Collective,
   blocking. */
int upwash_stream_finish(upwash_stream* stream);
/* Finishes the stream and releases it. Collective, blocking. */
int upwash_stream_close(upwash_stream** stream);

#ifdef __cplusplus
}
#endif

#endif
