! SPDX-FileCopyrightText: the upwash authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Messages of Fortran around a ring of two ranks or more: modes, statuses, requests, probes. Ends
! with 1 where one is wrong.
program fortran_messages
  use mpi
  implicit none
  integer :: me, ranks, failures, code, next, before, message, number, i
  integer :: requests(2), indices(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
  integer :: sent(4), received(4)
  integer(kind=MPI_ADDRESS_KIND) :: at(1)
  integer :: place, word
  logical :: found

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  failures = 0
  next = mod(me + 1, ranks)
  before = mod(me + ranks - 1, ranks)
  sent = (/ (10 * me + i, i = 1, 4) /)

  received = 0
  call MPI_Sendrecv(sent, 4, MPI_INTEGER, next, 1, received, 4, MPI_INTEGER, before, 1, MPI_COMM_WORLD, status, code)
  call check('an exchange', sum(received), 40 * before + 10)
  call check('its source', status(MPI_SOURCE), before)
  call MPI_Get_count(status, MPI_INTEGER, number, code)
  call check('its count', number, 4)

  call MPI_Irecv(received, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), code)
  call MPI_Issend(sent, 3, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(2), code)
  call MPI_Waitall(2, requests, statuses, code)
  call check('a receive later', sum(received(1:3)), 30 * before + 6)
  call check('its tag', statuses(MPI_TAG, 1), 2)
  call MPI_Get_count(statuses(:, 1), MPI_INTEGER, number, code)
  call check('its length', number, 3)

  call MPI_Isend(sent, 2, MPI_INTEGER, next, 3, MPI_COMM_WORLD, requests(1), code)
  call MPI_Probe(before, 3, MPI_COMM_WORLD, status, code)
  call MPI_Get_count(status, MPI_INTEGER, number, code)
  call check('a probe', number, 2)
  call MPI_Recv(received, number, MPI_INTEGER, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
  call check('what was probed', sum(received(1:2)), 20 * before + 3)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, code)

  call MPI_Isend(sent, 1, MPI_INTEGER, next, 4, MPI_COMM_WORLD, requests(1), code)
  found = .false.
  do while (.not. found)
    call MPI_Iprobe(before, 4, MPI_COMM_WORLD, found, status, code)
  end do
  call MPI_Mprobe(before, 4, MPI_COMM_WORLD, message, status, code)
  call MPI_Mrecv(received, 1, MPI_INTEGER, message, status, code)
  call check('what was taken out', received(1), 10 * before + 1)
  call check('its handle', message, MPI_MESSAGE_NULL)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, code)

  ! To nobody, and from there.
  call MPI_Send(sent, 1, MPI_INTEGER, MPI_PROC_NULL, 5, MPI_COMM_WORLD, code)
  call MPI_Recv(received, 1, MPI_INTEGER, MPI_PROC_NULL, 5, MPI_COMM_WORLD, status, code)
  call check('nobody', status(MPI_SOURCE), MPI_PROC_NULL)

  ! A word of memory, from its beginning.
  word = me + 7
  call MPI_Get_address(word, at(1), code)
  call MPI_Type_create_hindexed(1, (/ 1 /), at, MPI_INTEGER, place, code)
  call MPI_Type_commit(place, code)
  call MPI_Isend(MPI_BOTTOM, 1, place, next, 6, MPI_COMM_WORLD, requests(1), code)
  call MPI_Recv(received, 1, MPI_INTEGER, before, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, code)
  call check('a word', received(1), before + 7)
  call MPI_Sendrecv_replace(MPI_BOTTOM, 1, place, next, 7, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
  call MPI_Get_address(word, at(1), code)
  call check('a word replaced', word, before + 7)
  call MPI_Type_free(place, code)

  ! Requests that stay; which of them is over, counted from one.
  call MPI_Recv_init(received, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), code)
  call MPI_Send_init(sent, 4, MPI_INTEGER, next, 8, MPI_COMM_WORLD, requests(2), code)
  do i = 1, 2
    sent(1) = 1000 * i + me
    call MPI_Startall(2, requests, code)
    call MPI_Waitall(2, requests, statuses, code)
    call check('what stays', received(1), 1000 * i + before)
    call check('its source', statuses(MPI_SOURCE, 1), before)
    call check('its tag', statuses(MPI_TAG, 1), 8)
    call MPI_Barrier(MPI_COMM_WORLD, code)
  end do
  call MPI_Start(requests(2), code)
  call MPI_Waitany(2, requests, number, status, code)
  call check('the one that is over', number, 2)
  call MPI_Start(requests(1), code)
  call MPI_Wait(requests(1), status, code)
  call check('the source of one', status(MPI_SOURCE), before)
  call MPI_Start(requests(1), code)
  call MPI_Start(requests(2), code)
  number = 0
  do while (number < 2)
    call MPI_Waitsome(2, requests, i, indices, statuses, code)
    number = number + i
    if (any(indices(1:i) == 1)) received(2) = 77
  end do
  call check('some of them', received(2), 77)
  call MPI_Barrier(MPI_COMM_WORLD, code)
  call MPI_Start(requests(1), code)
  call MPI_Cancel(requests(1), code)
  call MPI_Wait(requests(1), status, code)
  call MPI_Test_cancelled(status, found, code)
  call check('cancelled', merge(1, 0, found), 1)
  call MPI_Request_free(requests(1), code)
  call MPI_Request_free(requests(2), code)

  call MPI_Finalize(code)
  if (failures /= 0) stop 1

contains

  subroutine check(what, is, wanted)
    character(len=*), intent(in) :: what
    integer, intent(in) :: is, wanted
    if (is == wanted) return
    print *, 'rank', me, ': ', what, ' is', is, ', not', wanted
    failures = failures + 1
  end subroutine
end program
