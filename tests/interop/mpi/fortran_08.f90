! SPDX-FileCopyrightText: the upwash authors
! SPDX-License-Identifier: BSD-3-Clause
!
! The same by the module of Fortran 2008, whose functions have other names. Ends with 1 where a
! result is wrong.
program fortran_08
  use mpi_f08
  implicit none
  integer :: me, ranks, mine, total, i
  integer, allocatable :: all(:)
  type(MPI_Request) :: request

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  allocate(all(ranks))
  all = 0
  all(me + 1) = me + 1
  call MPI_Allreduce(MPI_IN_PLACE, all, ranks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  mine = sum(all)
  total = 0
  call MPI_Iallreduce(mine, total, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Finalize()
  if (total /= sum((/ (i, i = 1, ranks) /))) stop 1
end program
