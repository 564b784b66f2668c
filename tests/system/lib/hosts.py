#!/usr/bin/env python3
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""The remote shell of tests/system/lib/hosts.sh: `serve NAME READY` is the first process of a host and
answers there; `rsh HOST COMMAND...` runs a command on it by TCP, as ssh does: through a shell, with its
input, output, errors and exit status. Between the hosts of a test only; it asks for no password."""
import os
import signal
import socket
import struct
import subprocess
import sys
import threading

PORT = 7714
INPUT, OUTPUT, ERRORS, STATUS = range(4)
CHUNK = 65536


def send(sock, lock, stream, data):
    with lock:
        sock.sendall(struct.pack("<BI", stream, len(data)) + data)


def receive(sock):
    """(stream, data), or None when the connection has ended."""
    def exactly(count):
        data = b""
        while len(data) < count:
            more = sock.recv(count - len(data))
            if not more:
                return None
            data += more
        return data
    try:
        head = exactly(5)
        if head is None:
            return None
        stream, length = struct.unpack("<BI", head)
        data = exactly(length)
        return None if data is None else (stream, data)
    except OSError:
        return None


def forward(source, sock, lock, stream):
    """All of a file; an empty piece says that it has ended. Closed at last: who writes to a connection that is
    gone shall learn it, as under ssh, and not wait for a reader."""
    with source:
        try:
            while True:
                data = os.read(source.fileno(), CHUNK)
                send(sock, lock, stream, data)
                if not data:
                    return
        except OSError:
            return


def write_all(fd, data):
    while data:
        data = data[os.write(fd, data):]


def answer(sock):
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    first = receive(sock)
    if first is None:
        return
    child = subprocess.Popen(["sh", "-c", first[1].decode()], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/",
                             start_new_session=True)
    lock = threading.Lock()

    def feed():
        while True:
            piece = receive(sock)
            if piece is None or not piece[1]:
                child.stdin.close()
                return
            try:
                write_all(child.stdin.fileno(), piece[1])
            except OSError:
                return

    threading.Thread(target=feed, daemon=True).start()
    outputs = [threading.Thread(target=forward, args=(pipe, sock, lock, stream), daemon=True)
               for pipe, stream in ((child.stdout, OUTPUT), (child.stderr, ERRORS))]
    for thread in outputs:
        thread.start()
    status = child.wait()
    for thread in outputs:
        thread.join()
    try:
        send(sock, lock, STATUS, struct.pack("<i", status if status >= 0 else 128 - status))
        sock.shutdown(socket.SHUT_WR)
        # To close a connection with unread bytes would take back what the other end has not read.
        sock.settimeout(2)  # it may be out of reach
        while receive(sock) is not None:
            pass
    except OSError:
        pass


def serve(ready):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever is left to this process is reaped
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("0.0.0.0", PORT))
    listener.listen(64)
    open(ready, "w").close()
    while True:
        sock, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            answer(sock)
            os._exit(0)
        sock.close()


def rsh(host, words):
    try:
        sock = socket.create_connection((host, PORT), timeout=3)
    except OSError as problem:
        sys.exit(f"rsh: cannot reach {host}: {problem}")
    sock.settimeout(None)
    lock = threading.Lock()
    send(sock, lock, INPUT, " ".join(words).encode())
    threading.Thread(target=forward, args=(sys.stdin.buffer, sock, lock, INPUT), daemon=True).start()
    while True:
        piece = receive(sock)
        if piece is None:
            sys.stderr.write(f"rsh: connection to {host} closed\n")
            sys.stderr.flush()
            os._exit(255)
        stream, data = piece
        if stream == STATUS:
            os._exit(struct.unpack("<i", data)[0])
        try:
            write_all(1 if stream == OUTPUT else 2, data)
        except OSError:
            os._exit(255)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[3])
    else:
        rsh(sys.argv[2], sys.argv[3:])
