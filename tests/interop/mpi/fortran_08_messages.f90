! SPDX-FileCopyrightText: the upwash authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Messages, requests and communicators by the module of Fortran 2008: what waits and tests tell, on
! communicators of each function that makes one. Ends with 1 where a result is wrong.
program fortran_08_messages
  use mpi_f08
  implicit none
  integer :: wrong = 0, provided, me, ranks
  type(MPI_Comm) :: made, half

  call MPI_Init_thread(MPI_THREAD_SINGLE, provided)
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call on(MPI_COMM_WORLD)
  call MPI_Comm_dup(MPI_COMM_WORLD, made)
  call on(made)
  call MPI_Comm_split(made, mod(me, 2), -me, half)
  call on(half)
  call MPI_Comm_free(half)
  call MPI_Comm_free(made)
  call check(made == MPI_COMM_NULL, 1)
  call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, made)
  call on(made)
  call MPI_Comm_disconnect(made)
  call topologies()
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Finalize()
  if (wrong /= 0) stop 1

contains

  subroutine check(good, where)
    logical, intent(in) :: good
    integer, intent(in) :: where
    if (good) return
    wrong = wrong + 1
    print *, "rank", me, ": wrong at", where
  end subroutine

  subroutine topologies()
    type(MPI_Comm) :: grid, line, ring
    integer :: sent(2), got(2)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, [ranks, 1], [.true., .false.], .true., grid)
    call MPI_Cart_sub(grid, [.true., .false.], line)
    call on(line)
    call MPI_Dist_graph_create_adjacent(line, 1, [before(line)], MPI_UNWEIGHTED, 1, [after(line)], MPI_UNWEIGHTED, &
      MPI_INFO_NULL, .false., ring)
    call on(ring)
    sent = [me, -me]
    call MPI_Neighbor_allgather(sent, 2, MPI_INTEGER, got, 2, MPI_INTEGER, ring)
    call check(got(1) == before(MPI_COMM_WORLD) .and. got(2) == -before(MPI_COMM_WORLD), 2)
    call MPI_Comm_free(ring)
    call MPI_Comm_free(line)
    call MPI_Comm_free(grid)
  end subroutine

  integer function after(comm)
    type(MPI_Comm), intent(in) :: comm
    integer :: rank, size
    call MPI_Comm_rank(comm, rank)
    call MPI_Comm_size(comm, size)
    after = mod(rank + 1, size)
  end function

  integer function before(comm)
    type(MPI_Comm), intent(in) :: comm
    integer :: rank, size
    call MPI_Comm_rank(comm, rank)
    call MPI_Comm_size(comm, size)
    before = mod(rank + size - 1, size)
  end function

  subroutine on(comm)
    type(MPI_Comm), intent(in) :: comm
    integer :: rank, size
    call MPI_Comm_rank(comm, rank)
    call MPI_Comm_size(comm, size)
    call lists(comm, rank, before(comm), after(comm))
    call probes(comm, rank, before(comm), after(comm))
    call starts(comm, rank, before(comm), after(comm))
  end subroutine

  ! To the right; from the left, whose number is `from`.
  subroutine lists(comm, rank, from, to)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: rank, from, to
    integer, asynchronous :: out(4), in(4)
    integer :: i, index, number, indices(8), items
    logical :: flag
    type(MPI_Request) :: all(8)
    type(MPI_Status) :: one, each(8)
    out = [(rank * 10 + i, i = 1, 4)]
    in = -1
    do i = 1, 4
      call MPI_Irecv(in(i:i), 1, MPI_INTEGER, from, i, comm, all(i))
    end do
    do i = 1, 4
      call MPI_Issend(out(i:i), 1, MPI_INTEGER, to, i, comm, all(4 + i))
    end do
    call MPI_Waitany(1, all(2:2), index, one)
    call check(index == 1 .and. one%MPI_SOURCE == from .and. one%MPI_TAG == 2 .and. all(2) == MPI_REQUEST_NULL, 10)
    call MPI_Get_count(one, MPI_INTEGER, items)
    call check(items == 1, 11)
    call MPI_Waitsome(8, all, number, indices, each)
    call check(number > 0, 12)
    do i = 1, number
      call check(indices(i) /= 2 .and. all(indices(i)) == MPI_REQUEST_NULL, 13)
      if (indices(i) <= 4) call check(each(i)%MPI_TAG == indices(i) .and. each(i)%MPI_SOURCE == from, 14)
    end do
    flag = .false.
    do while (.not. flag)
      call MPI_Testany(8, all, index, flag, MPI_STATUS_IGNORE)
    end do
    call MPI_Testsome(8, all, number, indices, MPI_STATUSES_IGNORE)
    flag = .false.
    do while (.not. flag)
      call MPI_Request_get_status(all(8), flag, one)
    end do
    call MPI_Wait(all(8), MPI_STATUS_IGNORE)
    call MPI_Waitall(8, all, MPI_STATUSES_IGNORE)
    call MPI_Waitany(8, all, index, one)
    call check(index == MPI_UNDEFINED, 15)
    call check(all_null(all), 16)
    call check(ignored_is_free(), 17)
    call check(maxval(abs(in - [(from * 10 + i, i = 1, 4)])) == 0, 18)
    call MPI_Irecv(in, 4, MPI_INTEGER, MPI_ANY_SOURCE, 9, comm, all(1))
    call send_three(out, to, comm, all(2))
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(2, all, flag, each)
    end do
    call check(each(1)%MPI_SOURCE == from .and. each(1)%MPI_TAG == 9, 19)
    call MPI_Get_count(each(1), MPI_INTEGER, items)
    call check(items == 3, 20)
  end subroutine

  subroutine send_three(out, to, comm, request)
    integer, intent(in), asynchronous :: out(:)
    integer, intent(in) :: to
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Request), intent(out) :: request
    call MPI_Isend(out, 3, MPI_INTEGER, to, 9, comm, request)
  end subroutine

  logical function all_null(all)
    type(MPI_Request), intent(in) :: all(:)
    integer :: i
    all_null = .true.
    do i = 1, size(all)
      all_null = all_null .and. all(i) == MPI_REQUEST_NULL
    end do
  end function

  ! Nothing is written to what stands for no status.
  logical function ignored_is_free()
    ignored_is_free = MPI_STATUS_IGNORE%MPI_TAG == 0 .and. MPI_STATUS_IGNORE%MPI_SOURCE == 0
  end function

  subroutine probes(comm, rank, from, to)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: rank, from, to
    integer, asynchronous :: out, in
    logical :: flag
    type(MPI_Request) :: request, later
    type(MPI_Status) :: status
    type(MPI_Message) :: message
    out = rank
    call MPI_Isend(out, 1, MPI_INTEGER, to, 5, comm, request)
    call MPI_Probe(from, 5, comm, status)
    call check(status%MPI_SOURCE == from .and. status%MPI_TAG == 5, 30)
    call MPI_Iprobe(MPI_ANY_SOURCE, 5, comm, flag, MPI_STATUS_IGNORE)
    call check(flag, 31)
    call MPI_Iprobe(from, 6, comm, flag, status)
    call check(.not. flag, 32)
    call MPI_Mprobe(from, 5, comm, message, status)
    in = -1
    call MPI_Mrecv(in, 1, MPI_INTEGER, message, status)
    call check(in == from .and. message == MPI_MESSAGE_NULL, 33)
    call MPI_Wait(request, status)
    call MPI_Isend(out, 1, MPI_INTEGER, to, 5, comm, request)
    flag = .false.
    do while (.not. flag)
      call MPI_Improbe(from, MPI_ANY_TAG, comm, flag, message, status)
    end do
    in = -1
    call MPI_Imrecv(in, 1, MPI_INTEGER, message, later)
    call MPI_Wait(later, status)
    call check(in == from .and. status%MPI_TAG == 5, 34)
    call MPI_Request_free(request)
    call MPI_Irecv(in, 1, MPI_INTEGER, from, 7, comm, request)
    call MPI_Cancel(request)
    call MPI_Wait(request, status)
    call MPI_Test_cancelled(status, flag)
    call check(flag, 35)
    call MPI_Ibarrier(comm, request)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(request, flag, status)
    end do
    call check(request == MPI_REQUEST_NULL, 36)
  end subroutine

  subroutine starts(comm, rank, from, to)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: rank, from, to
    integer, asynchronous :: out, in
    integer :: i
    type(MPI_Request) :: both(2)
    call MPI_Recv_init(in, 1, MPI_INTEGER, from, 4, comm, both(1))
    call MPI_Send_init(out, 1, MPI_INTEGER, to, 4, comm, both(2))
    do i = 1, 3
      out = rank + i
      if (i == 2) then
        call MPI_Start(both(1))
        call MPI_Start(both(2))
      else
        call MPI_Startall(2, both)
      end if
      call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
      call check(in == from + i, 40 + i)
    end do
    call MPI_Request_free(both(1))
    call MPI_Request_free(both(2))
    call check(both(1) == MPI_REQUEST_NULL .and. both(2) == MPI_REQUEST_NULL, 44)
  end subroutine
end program
