#!/usr/bin/env python3
"""Servers that answer oddly, at the wrong time, or not the same way twice: no verdict is too good.

Each page of the table says what its server answers, request by request, in bytes of the wire; the
last answer holds for all further requests. No answer may stop the capture.
"""

import gzip
import random
import select
import socket
import struct
import threading
import time

import living
import tap

DEADLINE = 150


def http(body="", status="200 OK", *headers, length=None):
    body = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", *headers,
             f"Content-Length: {len(body) if length is None else length}"]
    if not any(line.startswith("Content-Type") for line in headers):
        lines.append("Content-Type: text/plain")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def chunked(*pieces, end=b"0\r\n\r\n"):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%s\r\n" % (len(p), p.encode()) for p in pieces) + end


def fields(count):
    """A head of that many fields: two are those of http."""
    return http("A", "200 OK", *(["a:"] * (count - 2)))


class Close(bytes):
    """The connection ends behind these bytes."""


class Reset(bytes):
    """The same, with a reset."""


class Late:
    """Answers, and later sends bytes that nobody has asked for."""

    def __init__(self, answer, stray, pause):
        self.answer, self.stray, self.pause = answer, stray, pause


def packed(text, level=9):
    return http(gzip.compress(text.encode(), level, mtime=0), "200 OK", "Content-Encoding: gzip")


A, B = http("A"), http("B")
GONE, MOVED = http("gone", "404 Not Found"), "301 Moved Permanently"
ERROR = http("oops", "500 Internal Server Error")
RAW = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
FIELDS_MAX = 16384
TOO_MANY_FIELDS = "truncated: the head has too many fields"
FAKE = http("a lie", "200 OK", "X-Fake: yes")

# What is behind the place where it is cut differs.
NOISE = random.Random(1).randbytes(40000).hex().encode()
WHOLE_GZIP = Close(f"{RAW}Content-Encoding: gzip\r\n\r\n".encode() + gzip.compress(NOISE, mtime=0))
CUT_GZIP = [f"{RAW}Content-Encoding: gzip\r\n\r\n".encode()
            + gzip.compress(NOISE + more, mtime=0)[:5000] for more in (b"A", b"B")]
assert CUT_GZIP[0] == CUT_GZIP[1]

# path: (answers, verdict, how its reason begins where that matters). The rules of docs/quality.md:
# a head that libcurl refuses, or with more than 16,384 fields, fails; a body that cannot be decoded
# counts as it was sent if a length or a last chunk shows its end; chunks go before a length.
PAGES = {
    # What identical means.
    "/same": ([A], "sharp"),
    "/other-body": ([A, B], "changed"),
    "/other-status": ([A, http("A", "203 Non-Authoritative Information")], "changed"),
    "/other-type": ([A, http("A", "200 OK", "Content-Type: text/html")], "changed"),
    "/other-target": ([http("", MOVED, "Location: /same"), http("", MOVED, "Location: /none")],
                      "changed"),
    "/same-target": ([http("", MOVED, "Location: /same")], "sharp"),
    "/now-a-redirect": ([A, http("", MOVED, "Location: /same")], "changed"),
    "/now-packed": ([http("packed or not"), packed("packed or not")], "sharp"),
    "/packed-otherwise": ([packed("level " * 99, 1), packed("level " * 99, 9)], "sharp"),
    "/packed-other": ([packed("one"), packed("two")], "changed"),
    "/now-chunked": ([http("AB"), chunked("A", "B")], "sharp"),
    "/other-headers": ([http("A", "200 OK", "ETag: 1", "Set-Cookie: a=1"),
                        http("A", "200 OK", "ETag: 2", "Set-Cookie: a=2")], "sharp"),
    "/broken-gzip": ([http("no gzip", "200 OK", "Content-Encoding: gzip")], "sharp"),
    "/broken-gzip-other": ([http("no gzip", "200 OK", "Content-Encoding: gzip"),
                            http("no gzap", "200 OK", "Content-Encoding: gzip")], "changed"),
    "/empty": ([http("", "204 No Content")], "sharp"),
    "/empty-length": ([b"HTTP/1.1 204 No\r\nContent-Length:\r\n\r\n"], "sharp"),
    "/empty-wrong-length": ([b"HTTP/1.1 204 No\r\nContent-Length: 7\r\n\r\n"], "sharp"),
    "/empty-two-lengths": ([b"HTTP/1.1 204 No\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"],
                           "failed", "protocol: "),
    "/loop-1": ([http("", MOVED, "Location: /loop-2")], "sharp"),
    "/loop-2": ([http("", MOVED, "Location: /loop-1")], "sharp"),
    # Coming and going.
    "/absent": ([GONE], "absent"),
    "/absent-otherwise": ([GONE, http("", "410 Gone")], "absent"),
    "/appeared": ([GONE, A], "appeared"),
    "/gone": ([A, GONE], "gone"),
    # Blocks, and what a server says without being asked.
    "/forbidden": ([http("no", "403 Forbidden")], "blocked"),
    "/login": ([http("who", "401 Unauthorized")], "blocked"),
    "/asserted": ([A, http("", "304 Not Modified")], "unconfirmed"),
    "/part": ([A, http("A", "206 Partial Content", "Content-Range: bytes 0-0/2")], "unconfirmed"),
    "/always-304": ([http("", "304 Not Modified")], "failed"),
    # Retries: the last one counts, and its own interval.
    "/late-visit": ([ERROR, A], "sharp"),
    "/late-revisit": ([A, ERROR, A], "sharp"),
    "/changed-by-retry": ([A, ERROR, B], "changed"),
    "/reset-first": ([Reset(), A], "sharp"),
    "/reset-revisit": ([A, Reset(), Reset(), Reset()], "unconfirmed"),
    "/error-revisit": ([A, ERROR], "unconfirmed"),
    "/error": ([ERROR], "failed"),
    # Bodies that are not whole, even if they are so twice.
    "/short": ([Close(http("half", length=9))], "failed"),
    "/short-revisit": ([http("half"), Close(http("half", length=9))], "unconfirmed"),
    "/cut-chunk": ([Close(chunked("abc", end=b"9\r\nab"))], "failed"),
    "/no-last-chunk": ([Close(chunked("abc", end=b""))], "failed"),
    "/no-last-chunk-revisit": ([chunked("abc"), Close(chunked("abc", end=b""))], "unconfirmed"),
    "/bad-chunks": ([Close(chunked("abc", end=b"zz\r\n\r\n"))], "failed"),
    "/two-lengths": ([Close(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nAB")],
                     "failed"),
    "/gzip-cut-by-close": ([Close(part) for part in CUT_GZIP], "failed"),
    "/gzip-cut-revisit": ([WHOLE_GZIP, Close(CUT_GZIP[0])], "unconfirmed"),
    "/gzip-cut-with-length": ([http(gzip.compress(NOISE)[:5000], "200 OK",
                                    "Content-Encoding: gzip")], "failed"),
    "/gzip-empty-by-close": ([Close(f"{RAW}Content-Encoding: gzip\r\n\r\n".encode())], "failed"),
    "/gzip-empty": ([http("", "200 OK", "Content-Encoding: gzip")], "sharp"),
    "/until-close": ([Close(RAW.encode() + b"\r\nuntil the end")], "sharp"),
    # Heads that no server should send.
    "/no-reason": ([Close(b"HTTP/1.1 200\r\n\r\nA")], "sharp"),
    "/line-feeds": ([Close(b"HTTP/1.1 200 OK\nContent-Type: text/plain\n\nA")], "sharp"),
    "/no-colon": ([Close(RAW.encode() + b"what is this\r\nContent-Length: 1\r\n\r\nA")],
                  "failed", "protocol: "),
    "/folded": ([http("A", "200 OK", "X-Long: a\r\n b\r\n\tc")], "sharp"),
    "/zero-byte": ([Close(RAW.encode() + b"X-Zero: a\0b\r\nContent-Length: 1\r\n\r\nA")],
                   "failed", "protocol: "),
    "/bytes": ([http("A", "200 OK", "X-Bytes: \u00ff\u0080")], "sharp"),
    "/no-name": ([http("A", "200 OK", ": empty")], "sharp"),
    "/long-line": ([http("A", "200 OK", "X-Long: " + "x" * 90000)], "sharp"),
    "/large-head": ([http("A", "200 OK", *(f"X-{i}: " + "x" * 1000 for i in range(300)))],
                    "failed", "too-large: "),
    "/many-fields": ([http("A", "200 OK", *(f"X-{i}: x" for i in range(4000)))], "sharp"),
    "/many-fields-other": ([http(body, "200 OK", *(f"X-{i}: x" for i in range(4000)))
                            for body in "AB"], "changed"),
    "/most-fields": ([fields(FIELDS_MAX)], "sharp"),
    "/too-many-fields": ([fields(FIELDS_MAX + 1)], "failed", TOO_MANY_FIELDS),
    "/far-too-many-fields": ([fields(40000)], "failed", TOO_MANY_FIELDS),
    "/too-many-fields-revisit": ([fields(FIELDS_MAX), fields(FIELDS_MAX + 1)], "unconfirmed"),
    "/most-types": ([http("A", "200 OK", *(["Content-Type: text/html"] * 4000))], "sharp"),
    "/most-links": ([http("A", "200 OK", *(["Link: </same>; rel=next"] * 4000))], "sharp"),
    "/many-codings": ([http("A", "200 OK", "Content-Encoding: " + ", ".join(["gzip"] * 400))],
                      "sharp"),
    "/transfer-gzip": ([Close(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
                              b"1\r\nA\r\n0\r\n\r\n")], "sharp"),
    "/both": ([Close(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
                     b"1\r\nA\r\n0\r\n\r\n")], "sharp"),
    "/negative": ([Close(RAW.encode() + b"Content-Length: -1\r\n\r\nA")], "failed", "protocol: "),
    "/huge-length": ([Close(RAW.encode() + b"Content-Length: 99999999999999999999\r\n\r\nA")],
                     "failed", "truncated: "),
    "/status-999": ([http("A", "999 What")], "failed", "HTTP 999"),
    "/status-000": ([Close(http("A", "000 None"))], "failed"),
    "/status-99999": ([Close(http("A", "99999 Many"))], "failed", "protocol: "),
    "/icy": ([Close(b"ICY 200 OK\r\n\r\nA")], "failed", "protocol: "),
    "/http09": ([Close(b"just text")], "failed"),
    "/nothing": ([Close(b"")], "failed"),
    "/switch": ([Close(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")], "failed"),
    "/interim": ([b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + A], "sharp"),
    "/only-interim": ([Close(b"HTTP/1.1 100 Continue\r\n\r\n")], "failed"),
    "/bad-location": ([http("", MOVED, "Location: http://[bad/")], "sharp"),
    "/no-location": ([http("", MOVED)], "sharp"),
    "/strange-location": ([http("", MOVED, "Location: javascript:alert(1)")], "sharp"),
    "/type-of-all": ([http("<a href=x>", "200 OK", "Content-Type: " + "text/html;" * 999)],
                     "sharp"),
    # Large in some way or other.
    "/large": ([http("x" * 3_000_000)], "sharp"),
    "/large-other": ([http("x" * 3_000_000), http("x" * 2_999_999 + "y")], "changed"),
    "/bomb": ([packed("0" * 60_000_000)], "sharp"),
    "/many-links": ([http("".join(f"<a href=/many-links?{i % 7}>" for i in range(60000)),
                          "200 OK", "Content-Type: text/html")], "sharp"),
    "/late-link": ([http("A", "200 OK", "Content-Type: text/html"),
                    http("<a href=/found-late>", "200 OK", "Content-Type: text/html")], "changed"),
    "/found-late": ([http("new")], "single"),
}

# Bytes behind a response, at once or while nobody asks for anything, are nobody's answer.
STRAYS = {
    "/stray": ([A + FAKE], "sharp"),
    "/stray-chunked": ([chunked("abc") + FAKE], "sharp"),
    "/stray-later": ([Late(http("before"), FAKE, 0.01)], "sharp"),
    "/stray-part": ([Late(http("before"), FAKE[:9], 0.01)], "sharp"),
    "/stray-again": ([Late(http("before"), FAKE, 0.01)], "sharp"),
    "/none": ([A], "sharp"),
}
STRAY_DELAY = "300ms"


class Server:
    """Answers by the table, a thread for each connection."""

    def __init__(self, pages):
        self.pages = pages
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = "http://127.0.0.1:%d/" % self.listener.getsockname()[1]
        self.asked, self.lock = {}, threading.Lock()
        self.busy = self.busiest = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            # What is sent at some moment is to go then, not with what the client sends next.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def answer(self, path):
        if path == "/":
            links = "".join(f'<a href="{each}">x</a>' for each in self.pages
                            if each != "/found-late")
            return http(links, "200 OK", "Content-Type: text/html")
        if path.partition("?")[0] not in self.pages:
            return GONE
        with self.lock:
            count = self.asked[path] = self.asked.get(path, 0) + 1
        answers = self.pages[path.partition("?")[0]][0]
        return answers[min(count, len(answers)) - 1]

    def count(self, step):
        with self.lock:
            self.busy += step
            self.busiest = max(self.busiest, self.busy)

    def serve(self, connection):
        try:
            with connection:
                while self.serve_one(connection):
                    pass
        except OSError:
            pass

    def serve_one(self, connection):
        request = b""
        while b"\r\n\r\n" not in request:
            received = connection.recv(65536)
            if not received:
                return False
            request += received
        self.count(1)
        answer = self.answer(request.split(b" ", 2)[1].decode())
        self.count(-1)  # whoever has the first byte of it may have given up on the rest
        return self.send(connection, answer)

    @staticmethod
    def send(connection, answer):
        if isinstance(answer, Reset):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        if isinstance(answer, Late):
            connection.sendall(answer.answer)
            time.sleep(answer.pause)  # the moment is what is tried out here
            # If it is missed, and the next request there, the bytes would be its answer.
            if not select.select([connection], [], [], 0)[0]:
                connection.sendall(answer.stray)
            return True
        connection.sendall(answer)
        return not isinstance(answer, Close)


def capture(server, name, *options):
    done = tap.run("crawl", server.url, "-o", tap.path(name), *options, timeout=DEADLINE)
    tap.equal((done.returncode, done.stderr), (0, ""))
    return tap.load("report", tap.path(name))


def check(report, pages):
    """All verdicts, and the reasons that the table has."""
    got = {row["url"]: row for row in report["verdicts"]}
    base = next(iter(got))
    wrong = []
    for path, (_, wanted, *reason) in pages.items():
        row = got.get(base + path[1:], {"verdict": None, "reason": None})
        if row["verdict"] != wanted or not (row["reason"] or "").startswith(tuple(reason) or ""):
            wrong.append(f"{path} is {row['verdict']}, {row['reason']}; not {wanted}, {reason}")
    assert not wrong, "\n".join(wrong)


def check_strays(archive):
    """Nobody's answer is taken for that of a page."""
    for attempt in living.attempts(archive):
        if attempt.response:
            assert not attempt.response.block.partition(b"\r\n\r\n")[0].count(b"X-Fake"), attempt.url


def trial(name, pages, jobs, delay):
    server = Server(pages)
    with tap.case(f"{name}: verdicts"):
        check(capture(server, name, "--jobs", jobs, "--delay", delay), pages)
    with tap.case(f"{name}: no more than {jobs} at a time"):
        assert server.busiest <= jobs, server.busiest
    with tap.case(f"{name}: verified"):
        done = tap.run("verify", tap.path(name))
        tap.equal((done.returncode, done.stderr), (0, ""))
    server.listener.close()


class Flipping(Server):
    """All pages change at one moment: when the first of them is asked for once more."""

    def __init__(self):
        super().__init__({f"/{i}": None for i in range(20)})
        self.moved = False

    def answer(self, path):
        with self.lock:
            count = self.asked[path] = self.asked.get(path, 0) + 1
            self.moved = self.moved or count > 1
        if path not in self.pages and path != "/":
            return GONE
        links = "".join(f'<a href="{each}">x</a>' for each in self.pages)
        return http(f"{path} {self.moved} {links}", "200 OK", "Content-Type: text/html")


class FlippingBefore(Flipping):
    """The same when the last of them has been asked for the first time."""

    def answer(self, path):
        with self.lock:
            before = len(self.asked)
        answer = super().answer(path)
        self.moved = self.moved or before == 2 + len(self.pages)  # robots.txt, sitemap.xml, /, all others
        return answer


def flip(name, server, jobs):
    """The moment of change is the barrier itself: nothing is sharp."""
    with tap.case(name):
        report = capture(server, name, "--jobs", jobs, "--delay", "2ms")
        verdicts = [row["verdict"] for row in report["verdicts"]]
        tap.equal((len(verdicts), set(verdicts)), (len(server.pages) + 1, {"changed"}))
    server.listener.close()


def compressions():
    """However the records are compressed, the archive says the same."""
    for coding, suffix in (("zstd", ".warc.zst"), ("none", ".warc")):
        with tap.case(f"WARC files: {coding}"):
            server = FlippingBefore()
            capture(server, coding, "--warc-compression", coding, "--delay", "2ms")
            assert living.warc_files(tap.path(coding), suffix)
            assert "verified" in tap.succeed("verify", tap.path(coding))
            server.listener.close()


def main():
    for jobs in (1, 4):
        flip(f"changes at the first revisit, {jobs} at a time", Flipping(), jobs)
        flip(f"changes after the last visit, {jobs} at a time", FlippingBefore(), jobs)
    trial("odd", PAGES, 1, "2ms")
    trial("odd, several at a time", PAGES, 4, "2ms")
    trial("strays", STRAYS, 1, STRAY_DELAY)
    compressions()
    with tap.case("strays: no answers"):
        check_strays(tap.path("strays"))


main()
tap.done()
