"""A server on loopback that speaks HTTP/2 over TLS frame by frame, however wrong.

    with h2server.Server(context, lambda stream: [h2server.headers(stream), ...]) as server:

Requests are not read (their names are packed by Huffman's code): the first is taken for robots.txt
and is not found, all others get the same frames. A client that agrees on HTTP/1.1 is answered with
`plain`.

And Debian's nghttpd, which does it right; and certificates for both.
"""

import os
import socket
import struct
import subprocess
import threading
import time

import rawserver
import tap

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7
END_STREAM, END_HEADERS, ACK = 1, 4, 1
DEADLINE = 120
STATUS = {200: b"\x88", 404: b"\x8d"}  # of the static table, RFC 7541, appendix A


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def headers(stream, status=200, end=False, **fields):
    """Literal fields without indexing: a name, a value, each behind its length."""
    block = STATUS[status]
    for name, value in fields.items():
        name, value = name.replace("_", "-").encode(), str(value).encode()
        block += bytes([0, len(name)]) + name + bytes([len(value)]) + value
    return frame(HEADERS, END_HEADERS | (END_STREAM if end else 0), stream, block)


def data(stream, body, end=True):
    return frame(DATA, END_STREAM if end else 0, stream, body)


def reset(stream, code):
    return frame(RST_STREAM, 0, stream, struct.pack(">I", code))


def goaway(last, code=0):
    return frame(GOAWAY, 0, 0, struct.pack(">II", last, code))


PING_FRAME = frame(PING, 0, 0, bytes(8))
WHEN_READ = object()


class Server(rawserver.Server):
    """`frames` are sent one by one; None among them ends the connection, a number is a pause.

    What comes behind WHEN_READ is sent when the client has answered a PING: it has read then what
    came before.
    """

    def __init__(self, context, frames, plain=rawserver.NOT_FOUND):
        self.frames, self.plain = frames, plain
        self.streams = self.plain_requests = 0
        super().__init__(self.answer_plain, tls=context)

    def answer_plain(self, _):
        self.plain_requests += 1
        return self.plain

    def serve(self, connection):
        try:
            connection = self.secure(connection)
            if connection.selected_alpn_protocol() == "h2":
                self.serve_h2(connection)
                connection.close()
                return
        except OSError:
            connection.close()
            return
        self.tls, context = None, self.tls  # it is done
        try:
            super().serve(connection)
        finally:
            self.tls = context

    def serve_h2(self, connection):
        reader = connection.makefile("rb")
        assert reader.read(24).startswith(b"PRI * HTTP/2.0")
        connection.sendall(frame(SETTINGS, 0, 0))
        while True:
            stream = self.read_until(connection, reader, HEADERS)
            if not self.send(connection, reader, stream):
                connection.shutdown(socket.SHUT_RDWR)
                return

    @staticmethod
    def read_until(connection, reader, wanted, wanted_flags=0):
        """The stream of the next frame of that kind."""
        while len(head := reader.read(9)) == 9:
            kind, flags, stream = struct.unpack(">BBI", head[3:])
            reader.read(int.from_bytes(head[:3], "big"))
            if kind == SETTINGS and not flags & ACK:
                connection.sendall(frame(SETTINGS, ACK, 0))
            if kind == wanted and flags & wanted_flags == wanted_flags:
                return stream
        raise ConnectionError("the client is gone")

    def send(self, connection, reader, stream):
        self.streams += 1
        if self.streams == 1:
            connection.sendall(headers(stream, 404, True, content_length=0))
            return True
        for item in self.frames(stream):
            if item is None:
                return False
            if isinstance(item, bytes):
                connection.sendall(item)
            elif item is WHEN_READ:
                connection.sendall(PING_FRAME)
                self.read_until(connection, reader, PING, ACK)
            else:
                threading.Event().wait(item)
        return True


def wait_for(port):
    """Until something listens there."""
    deadline = time.monotonic() + DEADLINE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            assert time.monotonic() < deadline, f"nobody listens at {port}"
            threading.Event().wait(0.02)


class Nghttpd:
    """Debian's HTTP/2 server, with the files of a directory."""

    def __init__(self, files, key, certificate):
        root = tap.path("htdocs")
        os.makedirs(root, exist_ok=True)
        for name, content in files.items():
            tap.write(f"htdocs/{name}", content)
        self.keeper = rawserver.reserve()
        port = rawserver.port_of(self.keeper)
        self.process = subprocess.Popen(
            ["nghttpd", "--address=127.0.0.1", "-d", root, str(port), key, certificate],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"https://127.0.0.1:{port}/"
        wait_for(port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=DEADLINE)
        self.keeper.close()


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def make_certificate(of=""):
    """A certificate for loopback that vouches for itself, and its key."""
    key, certificate = tap.path(f"{of}key.pem"), tap.path(f"{of}cert.pem")
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", key, "-out", certificate, "-subj", "/CN=localhost", "-days", "2",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1")
    return key, certificate
