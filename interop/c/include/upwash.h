/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   upwash for C, and by C for Fortran and other languages: jobs, teams, memory of other ranks,
   layouts, locks, semaphores, collectives, also persistent ones and those of neighbours, messages,
   streams of bytes. What a call does and costs is said at length in the C++ headers that are named
   here.

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
typedef struct upwash_locks upwash_locks;     /* locks that lie at a team's members */
typedef struct upwash_semaphores upwash_semaphores;     /* counts that lie at a team's members */
typedef struct upwash_persistent upwash_persistent;     /* a call to be started often */
typedef struct upwash_neighborhood upwash_neighborhood; /* whom members of a team talk to */

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
  UPWASH_DOUBLE,
  UPWASH_FLOAT_COMPLEX, /* of upwash_accumulate alone, as the next */
  UPWASH_DOUBLE_COMPLEX
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

/* What the next four say of requests that are all NULL: none can be reported. */
#define UPWASH_NO_REQUEST ((size_t)-1)
/* Some of several, of one job (upwash/core/request_sets.hpp): each that is complete is given back
   and reported once, with its status; NULL ones are passed over. `indices` has room for `count`, in
   rising order. Blocks until one is complete: *index is the first such. O(count). */
int upwash_wait_any(size_t count, upwash_request** requests, size_t* index);
/* The same of all that are complete, one at least: *found of them. The first failure is
   returned. */
int upwash_wait_some(size_t count, upwash_request** requests, size_t* indices, size_t* found);
/* Whether one is complete: *done is 1, or 0. Makes progress; nonblocking. */
int upwash_test_any(size_t count, upwash_request** requests, size_t* index, int* done);
/* As upwash_wait_some, nonblocking: *found may be 0. */
int upwash_test_some(size_t count, upwash_request** requests, size_t* indices, size_t* found);

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

/* Blocks until all that this rank began towards a rank of the world is visible there; makes
   progress (upwash/onesided/fence.hpp). */
int upwash_fence(upwash_job* job, int world_rank);
/* The same towards all ranks. */
int upwash_fence_all(upwash_job* job);

/* -- Layouts (upwash/onesided/layout.hpp, transfer.hpp, accumulate.hpp) ---------------------- */

enum { UPWASH_MOST_LEVELS = 8 };
/* `count` of the level below, so many bytes apart at either end; none below 0. */
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
/* A piece of a list. */
typedef struct upwash_segment {
  uint64_t local;  /* offset from the local address */
  uint64_t remote; /* offset from the place at the member */
  uint64_t bytes;
} upwash_segment;
/* Where the bytes of a transfer lie: `strided`, or where it is NULL `count` segments. Read before
   the call returns; but of messages segments are upwash's as the buffers are. */
typedef struct upwash_layout {
  const upwash_strided* strided;
  const upwash_segment* segments;
  size_t count;
} upwash_layout;

/* As upwash_put and upwash_get, run by run. Both ends begin at the address and the offset that are
   given; bytes between runs are not touched. O(bytes + runs). */
int upwash_put_laid(upwash_region* to, int member, uint64_t offset, const void* from,
                    const upwash_layout* laid, upwash_request** request);
int upwash_get_laid(upwash_region* from, int member, uint64_t offset, void* to,
                    const upwash_layout* laid, upwash_request** request);
/* The same, complete after upwash_quiet. */
int upwash_put_laid_later(upwash_region* to, int member, uint64_t offset, const void* from,
                          const upwash_layout* laid);
int upwash_get_laid_later(upwash_region* from, int member, uint64_t offset, void* to,
                          const upwash_layout* laid);
/* Adds *scale (NULL: 1) times each element of `x` to the member's: `count` elements, or where
   `laid` is not NULL those of its runs. Elements are changed as a whole with regard to other
   accumulates. Types: INT32, INT64, FLOAT, DOUBLE, FLOAT_COMPLEX, DOUBLE_COMPLEX. Complete when all
   are added. */
int upwash_accumulate(upwash_region* to, int member, uint64_t offset, const void* x, size_t count,
                      const upwash_layout* laid, upwash_type type, const void* scale,
                      upwash_request** request);
/* The same, complete after upwash_quiet. */
int upwash_accumulate_later(upwash_region* to, int member, uint64_t offset, const void* x,
                            size_t count, const upwash_layout* laid, upwash_type type,
                            const void* scale);

/* -- Locks (upwash/onesided/locks.hpp) ------------------------------------------------------- */

/* How a lock is taken and handed over; UPWASH_LOCK_QUEUE where nothing speaks for another. */
typedef enum upwash_lock_kind {
  UPWASH_LOCK_TICKET,
  UPWASH_LOCK_SERVER,
  UPWASH_LOCK_HYBRID,
  UPWASH_LOCK_QUEUE,
  UPWASH_LOCK_TEST_AND_SET,
  UPWASH_LOCK_ARRAY
} upwash_lock_kind;

/* `per_rank` free locks at each member; a rank holds `most_held` of them at most (0: 64). The same
   at all members. Collective, blocking. */
int upwash_locks_make(upwash_team* team, int per_rank, upwash_lock_kind kind, int most_held,
                      upwash_locks** made);
/* Blocks until this rank holds that lock; makes progress. Those who ask are served in turn, but of
   UPWASH_LOCK_TEST_AND_SET. A lock orders what its holders do; puts made under it are complete
   before it is given back. */
int upwash_lock(upwash_locks* locks, int member, int index);
/* Takes it where it is free: *taken is 1, or 0. Never waits for a holder. */
int upwash_try_lock(upwash_locks* locks, int member, int index, int* taken);
/* Hands it to the one who waits longest, or leaves it free. */
int upwash_unlock(upwash_locks* locks, int member, int index);
/* Whether this rank holds it: 1 or 0; -1 for NULL. Local. */
int upwash_holds(const upwash_locks* locks, int member, int index);
/* Gives them back, while no member holds any. Collective, blocking. */
int upwash_locks_free(upwash_locks** locks);

/* -- Semaphores (upwash/onesided/semaphore.hpp) ---------------------------------------------- */

/* `per_rank` at each member, of the value `initial`; the same at all members. Collective,
   blocking. */
int upwash_semaphores_make(upwash_team* team, int per_rank, uint64_t initial,
                           upwash_semaphores** made);
/* Adds `n`, 1 to 2^62, to semaphore `index` of a member. Complete when the member can see it; puts
   of this rank that it did not wait for may come later. */
int upwash_post(upwash_semaphores* semaphores, int member, int index, uint64_t n,
                upwash_request** request);
/* A put and behind it a post to the same rank: who has waited for the post finds the data there.
   Complete when both are visible. */
int upwash_put_and_post(upwash_semaphores* semaphores, upwash_region* to, int member,
                        uint64_t offset, const void* from, size_t bytes, int index, uint64_t n,
                        upwash_request** request);
/* The same behind a layout. */
int upwash_put_laid_and_post(upwash_semaphores* semaphores, upwash_region* to, int member,
                             uint64_t offset, const void* from, const upwash_layout* laid,
                             int index, uint64_t n, upwash_request** request);
/* Blocks until semaphore `index` of this rank has the value `n`, and takes that; makes progress. */
int upwash_semaphore_wait(upwash_semaphores* semaphores, int index, uint64_t n);
/* Takes `n` where they are there: *taken is 1, or 0. Makes progress; nonblocking. */
int upwash_semaphore_try(upwash_semaphores* semaphores, int index, uint64_t n, int* taken);
/* What a wait would find now. Local. */
int upwash_semaphore_value(const upwash_semaphores* semaphores, int index, uint64_t* value);
/* Gives them back, when the posts of all members are complete. Collective, blocking. */
int upwash_semaphores_free(upwash_semaphores** semaphores);

/* A fence of all members and a barrier in one (upwash/onesided/fence_barrier.hpp): complete when
   all that any member began towards a member before its call is visible there. All members block,
   or none. Collective. */
int upwash_fence_barrier(upwash_team* team, upwash_request** request);

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

/* -- Persistent collectives (upwash/collective/persistent.hpp) ------------------------------- */

/* Each of the following sets up the collective of its name, to be started often: steps, scratch and
   number are kept, so a start costs less. Called by all members in one order; local. Buffers, and
   arrays of bytes and offsets, stay where they are until it is given back. */
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
/* Starts it, as the call that it was made of, and a collective by all members in one order: the
   start before is complete. Members may block or not as they like. */
int upwash_start(upwash_persistent* persistent, upwash_request** request);
/* Gives it back; waits for a start that is not complete, but of a message: that goes on. */
int upwash_persistent_free(upwash_persistent** persistent);

/* -- Neighborhoods (upwash/neighborhood) ----------------------------------------------------- */

/* Every member names its own edges at both ends: the members that it gets blocks from and sends
   blocks to, in the order of the blocks. Members may repeat. Collective, blocking. */
int upwash_neighborhood_graph(upwash_team* team, const int* sources, int source_count,
                              const int* destinations, int destination_count,
                              upwash_neighborhood** made);
/* On a grid whose last dimension varies fastest: for each dimension the one before and the one
   behind, as far as there are such. `periodic` says which dimensions close to a ring; NULL: none.
   The sizes' product is the team's size. Collective, blocking. */
int upwash_neighborhood_cartesian(upwash_team* team, int dimensions, const int* sizes,
                                  const int* periodic, upwash_neighborhood** made);
/* The same of all within a distance of `radius` in each dimension, but for the rank itself. */
int upwash_neighborhood_moore(upwash_team* team, int dimensions, const int* sizes,
                              const int* periodic, int radius, upwash_neighborhood** made);
/* Whom blocks come from, or go to, in their order; *count of them, *members valid until it is given
   back. Local. */
int upwash_sources(upwash_neighborhood* neighbors, const int** members, int* count);
int upwash_destinations(upwash_neighborhood* neighbors, const int** members, int* count);
/* Local. The team is not to be given back before. */
int upwash_neighborhood_free(upwash_neighborhood** neighbors);

/* A block of `bytes` bytes to all destinations; source i's lands as block i of `all`. Collective,
   as the following; the first call makes a plan, and blocks for that. */
int upwash_neighbor_all_gather(upwash_neighborhood* neighbors, const void* mine, void* all,
                               size_t bytes, upwash_request** request);
/* Block i of `blocks` goes to destination i, block i of `received` comes from source i. */
int upwash_neighbor_all_to_all(upwash_neighborhood* neighbors, const void* blocks, void* received,
                               size_t bytes, upwash_request** request);
/* Blocks of different lengths, `bytes[i]` at `offsets[i]` for source or destination i. The arrays
   are read before the call returns. */
int upwash_neighbor_all_gather_v(upwash_neighborhood* neighbors, const void* mine,
                                 size_t mine_bytes, void* all, const uint64_t* bytes,
                                 const uint64_t* offsets, upwash_request** request);
int upwash_neighbor_all_to_all_v(upwash_neighborhood* neighbors, const void* sent,
                                 const uint64_t* sent_bytes, const uint64_t* sent_offsets,
                                 void* received, const uint64_t* received_bytes,
                                 const uint64_t* received_offsets, upwash_request** request);
/* The same, set up to be started often. */
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

/* To a member, with a tag from 0 on. Complete when the buffer may be reused. */
int upwash_send(upwash_team* team, int destination, int tag, const void* from, size_t bytes,
                upwash_request** request);
/* From a member or any, with a tag or any. `receipt`, which may be NULL, is filled when it is
   complete. A message longer than `bytes` is an error of the wait, and the buffer unchanged. */
int upwash_receive(upwash_team* team, int source, int tag, void* into, size_t bytes,
                   upwash_receipt* receipt, upwash_request** request);
/* The same with the local ends of a layout's runs in place of a buffer, in their order; remote ends
   do not count. The bytes are copied: packed before the call returns, or laid out when it is
   complete. A shorter message fills the first runs; a longer one is an error of the wait, and
   nothing is laid out. */
int upwash_send_laid(upwash_team* team, int destination, int tag, const void* from,
                     const upwash_layout* laid, upwash_request** request);
int upwash_receive_laid(upwash_team* team, int source, int tag, void* into,
                        const upwash_layout* laid, upwash_receipt* receipt,
                        upwash_request** request);
/* The same send or receive, set up to be started often by upwash_start. Buffers, and the receipt,
   stay where they are until it is given back. Wrong arguments are refused here. Local. */
int upwash_send_prepare(upwash_team* team, int destination, int tag, const void* from, size_t bytes,
                        upwash_persistent** made);
int upwash_receive_prepare(upwash_team* team, int source, int tag, void* into, size_t bytes,
                           upwash_receipt* receipt, upwash_persistent** made);
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
