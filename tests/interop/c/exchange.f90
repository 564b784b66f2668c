! SPDX-FileCopyrightText: the upwash authors
! SPDX-License-Identifier: BSD-3-Clause
!
! By iso_c_binding: a persistent sum, neighbours on a ring, a column put as a layout, sums into
! memory of others, locks, and waits for any.
module exchange
  use iso_c_binding
  implicit none
  type, bind(c) :: upwash_level
    integer(c_int64_t) :: count, local_stride, remote_stride
  end type
  type, bind(c) :: upwash_strided
    integer(c_int64_t) :: bytes
    integer(c_int) :: levels
    type(upwash_level) :: level(8)
  end type
  type, bind(c) :: upwash_layout
    type(c_ptr) :: strided, segments
    integer(c_size_t) :: count
  end type
  include 'upwash.inc'
  interface
    integer(c_int) function upwash_all_reduce_prepare(team, mine, total, n, kind, by, made) bind(c)
      import
      type(c_ptr), value :: team, mine, total
      integer(c_size_t), value :: n
      integer(c_int), value :: kind, by
      type(c_ptr) :: made
    end function
    integer(c_int) function upwash_start(persistent, request) bind(c)
      import
      type(c_ptr), value :: persistent, request
    end function
    integer(c_int) function upwash_persistent_free(persistent) bind(c)
      import
      type(c_ptr) :: persistent
    end function
    integer(c_int) function upwash_neighborhood_cartesian(team, dimensions, sizes, periodic, made) bind(c)
      import
      type(c_ptr), value :: team
      integer(c_int), value :: dimensions
      integer(c_int) :: sizes(*), periodic(*)
      type(c_ptr) :: made
    end function
    integer(c_int) function upwash_neighbor_all_gather(neighbors, mine, all, bytes, request) bind(c)
      import
      type(c_ptr), value :: neighbors, mine, all, request
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function upwash_neighborhood_free(neighbors) bind(c)
      import
      type(c_ptr) :: neighbors
    end function
    integer(c_int) function upwash_put_laid(region, member, offset, from, laid, request) bind(c)
      import
      type(c_ptr), value :: region, from, request
      integer(c_int), value :: member
      integer(c_int64_t), value :: offset
      type(upwash_layout) :: laid
    end function
    integer(c_int) function upwash_accumulate(region, member, offset, x, n, laid, kind, scale, request) bind(c)
      import
      type(c_ptr), value :: region, x, laid, scale, request
      integer(c_int), value :: member, kind
      integer(c_int64_t), value :: offset
      integer(c_size_t), value :: n
    end function
    integer(c_int) function upwash_locks_make(team, per_rank, kind, most_held, made) bind(c)
      import
      type(c_ptr), value :: team
      integer(c_int), value :: per_rank, kind, most_held
      type(c_ptr) :: made
    end function
    integer(c_int) function upwash_lock(locks, member, index) bind(c)
      import
      type(c_ptr), value :: locks
      integer(c_int), value :: member, index
    end function
    integer(c_int) function upwash_unlock(locks, member, index) bind(c)
      import
      type(c_ptr), value :: locks
      integer(c_int), value :: member, index
    end function
    integer(c_int) function upwash_locks_free(locks) bind(c)
      import
      type(c_ptr) :: locks
    end function
    integer(c_int) function upwash_send(team, destination, tag, from, bytes, request) bind(c)
      import
      type(c_ptr), value :: team, from, request
      integer(c_int), value :: destination, tag
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function upwash_receive(team, source, tag, into, bytes, receipt, request) bind(c)
      import
      type(c_ptr), value :: team, into, receipt
      integer(c_int), value :: source, tag
      integer(c_size_t), value :: bytes
      type(c_ptr) :: request
    end function
    integer(c_int) function upwash_wait_any(n, requests, index) bind(c)
      import
      integer(c_size_t), value :: n
      type(c_ptr) :: requests(*)
      integer(c_size_t) :: index
    end function
  end interface
  integer(c_int), parameter :: upwash_double = 9, upwash_sum = 0, upwash_lock_queue = 3
contains
  logical function sums_often(world, rank, ranks) result(right)
    type(c_ptr), intent(in) :: world
    integer, intent(in) :: rank, ranks
    type(c_ptr) :: often
    real(c_double), target :: mine(2), total(2)
    integer :: round
    right = .false.
    if (upwash_all_reduce_prepare(world, c_loc(mine), c_loc(total), 2_c_size_t, upwash_double, &
                                  upwash_sum, often) /= 0) return
    do round = 1, 4
      mine = [dble(rank * round), 1.0d0]
      if (upwash_start(often, c_null_ptr) /= 0) return
      if (total(1) /= round * ranks * (ranks - 1) / 2 .or. total(2) /= ranks) return
    end do
    right = upwash_persistent_free(often) == 0
  end function

  logical function from_both_sides(world, rank, ranks) result(right)
    type(c_ptr), intent(in) :: world
    integer, intent(in) :: rank, ranks
    type(c_ptr) :: ring
    real(c_double), target :: mine(1), both(2)
    integer(c_int) :: sizes(1), periodic(1)
    right = .false.
    sizes = ranks
    periodic = 1
    mine = rank
    if (upwash_neighborhood_cartesian(world, 1_c_int, sizes, periodic, ring) /= 0) return
    if (upwash_neighbor_all_gather(ring, c_loc(mine), c_loc(both), 8_c_size_t, c_null_ptr) /= 0) return
    right = both(1) == mod(rank + ranks - 1, ranks) .and. both(2) == mod(rank + 1, ranks) .and. &
            upwash_neighborhood_free(ring) == 0
  end function

  ! A row of a matrix here becomes a column there; then all add to one of rank 0.
  logical function through_memory(world, rank, ranks) result(right)
    type(c_ptr), intent(in) :: world
    integer, intent(in) :: rank, ranks
    type(c_ptr) :: region
    type(upwash_strided), target :: runs
    type(upwash_layout) :: laid
    real(c_double), target :: matrix(3, 4), one(1)
    real(c_double), pointer :: here(:)
    integer :: i, j
    right = .false.
    do j = 1, 4
      do i = 1, 3
        matrix(i, j) = 100 * rank + 10 * i + j
      end do
    end do
    runs%bytes = 8
    runs%levels = 1
    runs%level(1) = upwash_level(4_c_int64_t, 24_c_int64_t, 8_c_int64_t)
    laid = upwash_layout(c_loc(runs), c_null_ptr, 0_c_size_t)
    one = rank + 1
    if (upwash_allocate(world, 64_c_size_t, region) /= 0) return
    call c_f_pointer(upwash_local(region, c_null_ptr), here, [8])
    if (upwash_put_laid(region, mod(rank + 1, ranks), 0_c_int64_t, c_loc(matrix(2, 1)), laid, &
                        c_null_ptr) /= 0) return
    if (upwash_accumulate(region, 0_c_int, 56_c_int64_t, c_loc(one), 1_c_size_t, c_null_ptr, &
                          upwash_double, c_null_ptr, c_null_ptr) /= 0) return
    if (upwash_barrier(world, c_null_ptr) /= 0) return
    do j = 1, 4
      if (here(j) /= 100 * mod(rank + ranks - 1, ranks) + 20 + j) return
    end do
    if (rank == 0 .and. here(8) /= ranks * (ranks + 1) / 2) return
    right = upwash_free(region) == 0
  end function

  logical function in_turn(world, rank, ranks) result(right)
    type(c_ptr), intent(in) :: world
    integer, intent(in) :: rank, ranks
    type(c_ptr) :: locks
    integer :: round
    right = .false.
    if (upwash_locks_make(world, 1_c_int, upwash_lock_queue, 0_c_int, locks) /= 0) return
    do round = 1, 5
      if (upwash_lock(locks, mod(rank + round, ranks), 0_c_int) /= 0) return
      if (upwash_unlock(locks, mod(rank + round, ranks), 0_c_int) /= 0) return
    end do
    if (upwash_barrier(world, c_null_ptr) /= 0) return
    right = upwash_locks_free(locks) == 0
  end function

  ! Two receives; whichever is complete first is said.
  logical function whichever(world, rank, ranks) result(right)
    type(c_ptr), intent(in) :: world
    integer, intent(in) :: rank, ranks
    type(c_ptr) :: requests(2)
    integer(c_int32_t), target :: sent(1), came(2)
    integer(c_size_t) :: index
    integer :: before, next, done
    right = .false.
    next = mod(rank + 1, ranks)
    before = mod(rank + ranks - 1, ranks)
    sent = rank
    came = -1
    if (upwash_receive(world, before, 1_c_int, c_loc(came(1)), 4_c_size_t, c_null_ptr, requests(1)) /= 0) return
    if (upwash_receive(world, before, 2_c_int, c_loc(came(2)), 4_c_size_t, c_null_ptr, requests(2)) /= 0) return
    if (upwash_send(world, next, 2_c_int, c_loc(sent), 4_c_size_t, c_null_ptr) /= 0) return
    if (upwash_wait_any(2_c_size_t, requests, index) /= 0) return
    if (index /= 1 .or. came(2) /= before .or. came(1) /= -1) return
    if (upwash_barrier(world, c_null_ptr) /= 0) return
    if (upwash_send(world, next, 1_c_int, c_loc(sent), 4_c_size_t, c_null_ptr) /= 0) return
    done = upwash_wait_any(2_c_size_t, requests, index)
    if (done /= 0 .or. index /= 0 .or. came(1) /= before) return
    done = upwash_wait_any(2_c_size_t, requests, index)
    right = done == 0 .and. index == -1
  end function

  integer(c_int) function body(job, context) bind(c)
    type(c_ptr), value :: job, context
    type(c_ptr) :: world
    integer :: rank, ranks
    body = 1
    rank = upwash_rank(job)
    ranks = upwash_size(job)
    world = upwash_world(job)
    if (.not. sums_often(world, rank, ranks)) return
    body = 2
    if (.not. from_both_sides(world, rank, ranks)) return
    body = 3
    if (.not. through_memory(world, rank, ranks)) return
    body = 4
    if (.not. in_turn(world, rank, ranks)) return
    body = 5
    if (.not. whichever(world, rank, ranks)) return
    body = upwash_barrier(world, c_null_ptr)
    if (rank == 0) print '(a, i0, a)', 'exchange: ', ranks, ' ranks'
  end function
end module

program main
  use exchange
  implicit none
  integer(c_int) :: status
  status = upwash_run(0_c_int, c_null_ptr, c_funloc(body), c_null_ptr)
  if (status /= 0) error stop 1
end program
