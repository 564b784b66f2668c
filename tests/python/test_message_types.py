# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Messages that are received as another dtype, or as an object where an array was sent."""

import numpy as np
import pytest

import upwash


def refuses(receive, text):
    with pytest.raises(upwash.ArgumentError, match=text):
        receive()


def test_wrong_dtypes_are_refused(everywhere):
    def body(job):
        world, rank = job.world, job.rank
        into = np.full(4, 7.0)
        going = [world.Isend(np.arange(4, dtype=np.int32), rank, tag=1),
                 world.Isend(np.arange(4, dtype=np.int64), rank, tag=2),
                 world.Isend(np.arange(4, dtype=">f8"), rank, tag=3),
                 world.isend("an object", rank, tag=4),
                 world.Isend(np.arange(4.0), rank, tag=5)]
        refuses(lambda: world.Recv(into, rank, 1), "holds int32, the receive wants float64")
        refuses(lambda: world.Irecv(into, rank, 2).wait(), "holds int64, the receive wants float64")
        refuses(lambda: world.Recv(into, rank, 3), "another type, the receive wants float64")
        refuses(lambda: world.Recv(into, rank, 4), "a Python object, the receive wants float64")
        assert (into == 7).all()
        refuses(lambda: world.recv(source=rank, tag=5), "holds float64, .* a Python object")
        upwash.wait_all(going)
        again = world.Isend(np.arange(2.0), rank, tag=6)
        assert world.Recv(into, rank, 6).bytes == 16
        again.wait()

    everywhere(body)
