"""A server on loopback that sends what a test gives it, byte for byte.

    def answer(request):
        return rawserver.page(b"hello") if request.path == "/" else rawserver.NOT_FOUND

    with rawserver.Server(answer) as server:
        tap.run("crawl", server.url)

An answer is bytes, or None when the connection is to be closed; it may use request.socket itself
before that. Each connection has a thread of its own, so an answer may take its time.
"""

import socket
import struct
import threading
import time


class Request:
    def __init__(self, connection, head):
        lines = head.decode("latin-1").split("\r\n")
        self.socket, self.head = connection, head
        self.method, self.path = lines[0].split(" ")[:2]
        self.fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
        self.time = time.monotonic()

    def send(self, data):
        self.socket.sendall(data)

    def reset(self):
        """Ends the connection the hard way; nothing can be sent then."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Server:
    """Until it is stopped; `requests` are those it has seen."""

    def __init__(self, answer, port=0, host="127.0.0.1", tls=None):
        self.answer = answer
        self.tls = tls  # an ssl.SSLContext, or none
        self.requests = []
        self.connections = set()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.listener = socket.create_server((host, port), family=family, backlog=64)
        self.port = self.listener.getsockname()[1]
        name = f"[{host}]" if ":" in host else host
        self.url = f"http{'s' if tls else ''}://{name}:{self.port}/"
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        # Wakes accept(), too, which close() alone would not.
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        for connection in list(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def accept(self):
        while True:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            try:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.connections.add(connection)
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()
            except (OSError, RuntimeError) as error:  # gone already, or no thread: others go on
                print(f"# a connection is lost: {error}", flush=True)
                self.connections.discard(connection)
                connection.close()

    def serve(self, connection):
        try:
            if self.tls:
                connection = self.secure(connection)
            while (head := read_head(connection)) is not None:
                request = Request(connection, head)
                self.requests.append(request)
                data = self.answer(request)
                if data is None:
                    break
                connection.sendall(data)
        except OSError:
            pass  # the other end has had enough
        finally:  # also of an answer that raises: who waits for it would wait for a minute
            self.connections.discard(connection)
            connection.close()

    def secure(self, connection):
        self.connections.discard(connection)
        connection = self.tls.wrap_socket(connection, server_side=True)
        self.connections.add(connection)
        return connection


def reserve(host="127.0.0.1"):
    """A socket that keeps a port: nobody listens there, and nobody is given it, as long as it is
    open, but who asks for this very port and may share it, as all servers do here."""
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind((host, 0))
    return keeper


def port_of(keeper):
    return keeper.getsockname()[1]


def read_head(connection):
    """None at the end of the connection, or when it speaks something else, such as TLS."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte or not (head + byte)[:1].isalpha():
            return None
        head += byte
    return head


def respond(status, body=b"", **fields):
    """A whole response; content_type="text/css" is a field."""
    fields = {"content_length": len(body), **fields}
    lines = [f"HTTP/1.1 {status}"]
    lines += [f"{name.replace('_', '-').title()}: {value}" for name, value in fields.items()]
    return "\r\n".join(lines + ["", ""]).encode("latin-1") + body


def page(body, **fields):
    return respond("200 OK", body, **{"content_type": "text/html", **fields})


NOT_FOUND = respond("404 Not Found", b"nothing here", content_type="text/plain")
