"""Proxies on loopback for end-to-end tests: one of HTTP, one of SOCKS 5. Whatever host they are asked
for, they connect to loopback; `asked` says what they were asked for, and `logins` by whom.
"""

import base64
import socket
import threading

import rawserver


def pump(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def join(one, other):
    """Hands bytes through until both have ended."""
    thread = threading.Thread(target=pump, args=(other, one), daemon=True)
    thread.start()
    pump(one, other)
    thread.join()
    other.close()


def connect(port):
    return socket.create_connection(("127.0.0.1", port))


class Http(rawserver.Server):
    """Forwards http, tunnels the rest; wants this login ("user:password"), if any."""

    def __init__(self, login=None):
        self.login, self.asked, self.logins = login, [], []
        super().__init__(self.forward)
        self.address = self.url.rstrip("/")

    def forward(self, request):
        self.asked.append(f"{request.method} {request.path}")
        given = request.fields.get("Proxy-Authorization", "Basic ").partition(" ")[2]
        self.logins.append(base64.b64decode(given).decode())
        if self.login and self.logins[-1] != self.login:
            return rawserver.respond("407 Who", b"who are you", proxy_authenticate="Basic")
        if request.method == "CONNECT":
            return self.tunnel(request)
        return self.ask(request)

    def tunnel(self, request):
        request.send(b"HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n")
        join(request.socket, connect(int(request.path.rpartition(":")[2])))

    def ask(self, request):
        _, _, host, path = request.path.split("/", 3)
        with connect(int(host.rpartition(":")[2])) as server:
            server.sendall(f"GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            server.shutdown(socket.SHUT_WR)
            answer = b""
            while data := server.recv(65536):
                answer += data
        return answer


class Socks(rawserver.Server):
    """RFC 1928 and 1929, for CONNECT alone."""

    def __init__(self, login=None):
        self.login, self.asked, self.logins = login, [], []
        super().__init__(None)
        self.address = f"127.0.0.1:{self.port}"

    def serve(self, connection):
        try:
            self.negotiate(connection, connection.makefile("rb", buffering=0))
        except OSError:
            pass
        connection.close()

    def negotiate(self, connection, reader):
        methods = reader.read(reader.read(2)[1])
        connection.sendall(b"\5" + (b"\2" if 2 in methods else b"\0"))
        if 2 in methods:
            user = reader.read(reader.read(2)[1]).decode()
            self.logins.append(f"{user}:{reader.read(reader.read(1)[0]).decode()}")
            connection.sendall(b"\1" + bytes([self.logins[-1] != self.login]))
        kind = reader.read(4)[3]
        host = reader.read(reader.read(1)[0]).decode() if kind == 3 \
            else socket.inet_ntoa(reader.read(4))
        port = int.from_bytes(reader.read(2), "big")
        self.asked.append(f"{host}:{port}")
        connection.sendall(b"\5\0\0\1\0\0\0\0\0\0")
        join(connection, connect(port))
