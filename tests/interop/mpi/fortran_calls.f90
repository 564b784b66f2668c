! SPDX-FileCopyrightText: the upwash authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Collectives of Fortran, each beside what it must give: in place, with MPI_BOTTOM, with arrays of
! types, nonblocking, persistent, on communicators and grids that Fortran made. Ends with 1 where one is wrong.
program fortran_calls
  use mpi
  implicit none
  integer :: me, ranks, failures, code, i, total, half, ring, request, place, word
  integer :: requests(2), sums(3), statuses(MPI_STATUS_SIZE, 2)
  integer, allocatable :: counts(:), places(:), types(:), one(:), all(:)
  integer(kind=MPI_ADDRESS_KIND) :: at(1)
  double precision :: numbers(4)
  logical :: truth, both, periods(1)
  integer :: sent(2), received(2)

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  failures = 0
  allocate(counts(ranks), places(ranks), types(ranks), one(2 * ranks), all(2 * ranks))
  total = ranks * (ranks - 1) / 2

  numbers = 0
  if (me == ranks - 1) numbers = (/ 1.5d0, 2.5d0, 3.5d0, 4.5d0 /)
  call MPI_Bcast(numbers, 4, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD, code)
  call check('a broadcast', nint(2 * sum(numbers)), 24)

  sums = (/ me, 2 * me, 1 /)
  call MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  call check('sums in place', sums(1) + 1000 * sums(2) + 1000000 * sums(3), total + 2000 * total + 1000000 * ranks)

  truth = me /= 1
  call MPI_Allreduce(truth, both, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, code)
  call check('logical and', merge(1, 0, both), merge(0, 1, ranks > 1))

  all = -1
  all(me + 1) = me * me
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD, code)
  call check('a gather in place', sum(all(1:ranks)), sum((/ (i * i, i = 0, ranks - 1) /)))

  counts = (/ (1 + mod(i, 2), i = 0, ranks - 1) /)
  places = (/ (2 * i, i = 0, ranks - 1) /)
  all = 0
  one = me + 1
  call MPI_Gatherv(one, counts(me + 1), MPI_INTEGER, all, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
  if (me == 0) call check('blocks of other lengths', sum(all), sum((/ ((1 + i) * counts(i + 1), i = 0, ranks - 1) /)))

  ! What lies somewhere in memory, from its beginning.
  word = 0
  if (me == 0) word = 4711
  call MPI_Get_address(word, at(1), code)
  call MPI_Type_create_hindexed(1, (/ 1 /), at, MPI_INTEGER, place, code)
  call MPI_Type_commit(place, code)
  call MPI_Bcast(MPI_BOTTOM, 1, place, 0, MPI_COMM_WORLD, code)
  call MPI_Get_address(word, at(1), code)
  call check('a word of memory', word, 4711)
  call MPI_Type_free(place, code)

  one(1:ranks) = (/ (100 * me + i, i = 0, ranks - 1) /)
  counts = 1
  types = MPI_INTEGER
  places = (/ (4 * i, i = 0, ranks - 1) /)
  all = 0
  call MPI_Alltoallw(one, counts, places, types, all, counts, places, types, MPI_COMM_WORLD, code)
  call check('an exchange of types', sum(all(1:ranks)), 100 * total + ranks * me)

  ! Nonblocking, among the library's own requests.
  sent = me
  call MPI_Irecv(received, 1, MPI_INTEGER, mod(me + ranks - 1, ranks), 5, MPI_COMM_WORLD, requests(1), code)
  sums(1) = me + 1
  call MPI_Iallreduce(MPI_IN_PLACE, sums, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, requests(2), code)
  call MPI_Send(sent, 1, MPI_INTEGER, mod(me + 1, ranks), 5, MPI_COMM_WORLD, code)
  call MPI_Waitall(2, requests, statuses, code)
  call check('a message', received(1), mod(me + ranks - 1, ranks))
  call check('the largest', sums(1), ranks)
  call check('requests that are done', count(requests == MPI_REQUEST_NULL), 2)

  ! Persistent, by the name that this library has for it.
  call ALLREDUCE_INIT(one, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), code)
  call ALLREDUCE_INIT(word, sums, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2), code)
  do i = 1, 3
    one(1) = i + me
    word = i * me
    if (i == 3) then
      call MPI_Startall(2, requests, code)
    else
      call MPI_Start(requests(1 + mod(me, 2)), code)
      call MPI_Start(requests(2 - mod(me, 2)), code)
    end if
    call MPI_Waitall(2, requests, statuses, code)
    call check('a sum started again', all(1), total + i * ranks)
    call check('a maximum started again', sums(1), i * (ranks - 1))
  end do
  call MPI_Request_free(requests(1), code)
  call MPI_Request_free(requests(2), code)
  call check('requests that are freed', count(requests == MPI_REQUEST_NULL), 2)

  call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), me, half, code)
  sums(2) = 0
  call MPI_Iallreduce(me, sums(2), 1, MPI_INTEGER, MPI_SUM, half, request, code)
  call MPI_Wait(request, MPI_STATUS_IGNORE, code)
  call check('a sum of half of them', sums(2), sum((/ (i, i = mod(me, 2), ranks - 1, 2) /)))
  call MPI_Comm_free(half, code)
  call check('a communicator that is gone', half, MPI_COMM_NULL)

  periods = .true.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, (/ ranks /), periods, .false., ring, code)
  sent = (/ 10 * me, 10 * me + 1 /)
  call MPI_Neighbor_alltoall(sent, 1, MPI_INTEGER, received, 1, MPI_INTEGER, ring, code)
  call check('from before', received(1), 10 * mod(me + ranks - 1, ranks) + 1)
  call check('from behind', received(2), 10 * mod(me + 1, ranks))
  call MPI_Comm_free(ring, code)

  call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  call MPI_Finalize(code)
  if (total /= 0) stop 1

contains

  subroutine check(what, seen, wanted)
    character(*), intent(in) :: what
    integer, intent(in) :: seen, wanted
    if (seen == wanted) return
    failures = failures + 1
    write (0, *) 'rank', me, ': ', what, ':', seen, ', expected', wanted
  end subroutine

end program
