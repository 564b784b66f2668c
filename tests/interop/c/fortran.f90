! SPDX-FileCopyrightText: the upwash authors
! SPDX-License-Identifier: BSD-3-Clause
!
! By iso_c_binding: a sum and a ring of puts.
module ring
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function upwash_run(argc, argv, body, context) bind(c)
      import
      integer(c_int), value :: argc
      type(c_ptr), value :: argv, context
      type(c_funptr), value :: body
    end function
    integer(c_int) function upwash_rank(job) bind(c)
      import
      type(c_ptr), value :: job
    end function
    integer(c_int) function upwash_size(job) bind(c)
      import
      type(c_ptr), value :: job
    end function
    type(c_ptr) function upwash_world(job) bind(c)
      import
      type(c_ptr), value :: job
    end function
    integer(c_int) function upwash_all_reduce(team, mine, total, n, kind, by, request) bind(c)
      import
      type(c_ptr), value :: team, mine, total, request
      integer(c_size_t), value :: n
      integer(c_int), value :: kind, by
    end function
    integer(c_int) function upwash_barrier(team, request) bind(c)
      import
      type(c_ptr), value :: team, request
    end function
    integer(c_int) function upwash_allocate(team, bytes, made) bind(c)
      import
      type(c_ptr), value :: team
      integer(c_size_t), value :: bytes
      type(c_ptr) :: made
    end function
    integer(c_int) function upwash_free(region) bind(c)
      import
      type(c_ptr) :: region
    end function
    type(c_ptr) function upwash_local(region, bytes) bind(c)
      import
      type(c_ptr), value :: region, bytes
    end function
    integer(c_int) function upwash_put(region, member, offset, from, bytes, request) bind(c)
      import
      type(c_ptr), value :: region, from, request
      integer(c_int), value :: member
      integer(c_int64_t), value :: offset
      integer(c_size_t), value :: bytes
    end function
  end interface
  integer(c_int), parameter :: upwash_double = 9, upwash_sum = 0
contains
  integer(c_int) function body(job, context) bind(c)
    type(c_ptr), value :: job, context
    type(c_ptr) :: world, region
    real(c_double), target :: mine(3), total(3)
    real(c_double), pointer :: here(:)
    integer :: rank, ranks
    body = 1
    rank = upwash_rank(job)
    ranks = upwash_size(job)
    world = upwash_world(job)
    mine = [1.0d0, dble(rank), 2.0d0]
    if (upwash_all_reduce(world, c_loc(mine), c_loc(total), 3_c_size_t, upwash_double, upwash_sum, &
                          c_null_ptr) /= 0) return
    if (total(1) /= ranks .or. total(2) /= ranks * (ranks - 1) / 2) return
    if (upwash_allocate(world, 24_c_size_t, region) /= 0) return
    if (upwash_put(region, mod(rank + 1, ranks), 0_c_int64_t, c_loc(mine), 24_c_size_t, &
                   c_null_ptr) /= 0) return
    if (upwash_barrier(world, c_null_ptr) /= 0) return
    call c_f_pointer(upwash_local(region, c_null_ptr), here, [3])
    if (here(2) /= mod(rank + ranks - 1, ranks)) return
    if (upwash_free(region) /= 0) return
    if (rank == 0) print '(a, i0, a)', 'fortran: ', ranks, ' ranks'
    body = 0
  end function
end module

program main
  use ring
  implicit none
  integer(c_int) :: status
  status = upwash_run(0_c_int, c_null_ptr, c_funloc(body), c_null_ptr)
  if (status /= 0) error stop 1
end program
