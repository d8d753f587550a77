#!/usr/bin/env python3
"""How pages come over the wire: HTTP/2, TLS, cookies, passwords, proxies, limits of bytes, IPv6.

Every server is real: Python's own TLS, Debian's nghttpd, a proxy of HTTP and SOCKS of our own. What
is in the archive is read by Python's own zlib, and verify agrees with all of it.
"""

import base64
import collections
import glob
import gzip
import os
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time

import h2server
import living
import proxies
import rawserver
import tap
from rawserver import page, respond

FAST = ["--delay", "0", "--attempts", "2", "--no-sitemaps", "--contact", "me@example.org"]
DEADLINE = 120


# ---- certificates ----

KEY, CERTIFICATE = h2server.make_certificate()


def context(*protocols, most=None, clients=None):
    """Clients, if given: the certificate that they need."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(CERTIFICATE, KEY)
    if clients:
        made.load_verify_locations(clients)
        made.verify_mode = ssl.CERT_REQUIRED
    if protocols:
        made.set_alpn_protocols(protocols)
    if most:
        made.maximum_version = most
    return made


# ---- captures ----


class Capture:
    """A crawl that goes well, its report, and the archive, which verify finds sound."""

    def __init__(self, name, *arguments, messages="", sites=1):
        self.archive = tap.path(name)
        done = tap.run("crawl", *FAST, *arguments, "-o", self.archive, "--json")
        tap.equal((done.returncode, done.stderr), (0, messages))
        tap.succeed("verify", self.archive)
        reports = [tap.load("report", self.archive, "--capture", i + 1) for i in range(sites)]
        self.report = reports[0]
        self.pages = {row["url"]: row for report in reports for row in report["verdicts"]}
        self.records = [record for file in living.warc_files(self.archive)
                        for record in living.records(file)]

    def verdict(self, url):
        return self.pages[url]["verdict"]

    def of(self, kind, url):
        return [record for record in self.records
                if record.type == kind and record.fields.get("WARC-Target-URI") == url]

    def attempt(self, url):
        """Fields of the first one's metadata."""
        return next(record.content() for record in self.of("metadata", url))

    def contains(self, secret):
        """Whether some file of the archive has it, as it is or as base64."""
        for path in glob.glob(f"{self.archive}/**", recursive=True):
            if os.path.isfile(path) and not path.endswith(".warc.gz"):
                with open(path, "rb") as file:
                    if secret in file.read():
                        return True
        return any(secret in record.block or secret in str(record.fields).encode()
                   for record in self.records)


def protocols(record):
    """All WARC-Protocol fields, of which there may be several."""
    return record.all("WARC-Protocol")


def site(answers, **more):
    """A server with these answers by path; what is missing is not found."""
    def answer(request):
        found = answers.get(request.path.partition("?")[0], rawserver.NOT_FOUND)
        return found(request) if callable(found) else found
    return rawserver.Server(answer, **more)


HOME = page(b'<a href="/a">a</a> <a href="/b">b</a>')
PAGES = {"/": HOME, "/a": page(b"A"), "/b": respond("301 Moved", location="/c"), "/c": page(b"C")}


def stop_at(server, path, *options):
    """The archive of a crawl that is stopped when it asks for the path."""
    archive = tap.path(f"stopped-{server.port}")
    process = subprocess.Popen([tap.PROGRAM, "crawl", *FAST, server.url, "-o", archive, *options],
                               stderr=subprocess.PIPE)
    deadline = time.monotonic() + DEADLINE
    while not any(request.path == path for request in server.requests):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert b"stillpoint resume" in process.communicate()[1]
    tap.equal(process.returncode, 3)
    return archive


def refuse(want, *arguments):
    tap.refuse(2, want, "crawl", *arguments, "-o", tap.path("refused"))
    assert not os.path.exists(tap.path("refused"))


# ---- TLS ----

with tap.case("TLS: version and cipher are in the records, redirects have verdicts of their own"):
    with site(PAGES, tls=context()) as server:
        capture = Capture("tls", server.url, "--cacert", CERTIFICATE)
    tap.equal({row["verdict"] for row in capture.report["verdicts"]}, {"sharp"})
    tap.equal(sorted((url[len(server.url):], row["status"]) for url, row in capture.pages.items()),
              [("", 200), ("a", 200), ("b", 301), ("c", 200)])
    for kind in "response", "request", "revisit":
        for record in capture.of(kind, server.url + "a"):
            tap.equal(protocols(record), ["http/1.1", "tls/1.3"])
            assert record.fields["WARC-Cipher-Suite"].startswith("TLS_"), record.fields
    metadata = capture.attempt(server.url)
    tap.equal((metadata["protocol"], metadata["cipherSuite"][:4]), ("http/1.1 tls/1.3", "TLS_"))

with tap.case("TLS 1.2 has another version and another name of its cipher"):
    with site(PAGES, tls=context(most=ssl.TLSVersion.TLSv1_2)) as server:
        capture = Capture("tls12", server.url, "--cacert", CERTIFICATE, "--scope", "page")
    record = capture.of("response", server.url)[0]
    tap.equal(protocols(record), ["http/1.1", "tls/1.2"])
    assert record.fields["WARC-Cipher-Suite"].startswith("TLS_ECDHE_ECDSA_WITH_"), record.fields

with tap.case("a certificate nobody vouches for is a failure with a reason"):
    with site(PAGES, tls=context()) as server:
        tap.refuse(1, "; trust it with --cacert, or do not check with --insecure", "crawl", *FAST,
                   server.url, "-o", tap.path("untrusted"))


# ---- client certificates ----

OWN_KEY, OWN = h2server.make_certificate("client-")
FOREIGN_KEY, FOREIGN = h2server.make_certificate("foreign-")
WANTED = "the server wants a client certificate; give one with --cert and --key"


def name_failure(want, archive, url, *options):
    done = tap.run("crawl", *FAST, "--attempts", "1", "--robots", "ignore", "--cacert", CERTIFICATE,
                   url, "-o", tap.path(archive), *options)
    tap.equal((done.returncode, done.stdout), (1, ""))
    assert want in done.stderr, done.stderr


def hang_up(reset):
    """A server that asks for a certificate, and ends the connection behind the handshake."""
    def answer(request):
        if reset:
            request.reset()
    made = context(clients=OWN)
    made.verify_mode = ssl.CERT_OPTIONAL
    return rawserver.Server(answer, tls=made)


def client_server(version, answer=None, **more):
    return rawserver.Server(answer or (lambda request: PAGES.get(request.path, rawserver.NOT_FOUND)),
                            tls=context(most=version, clients=OWN), **more)


for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
    with tap.case(f"{version.name}: a server that wants a client certificate is named"):
        with client_server(version) as server:
            name_failure(WANTED, f"uncertified-{version.name}", server.url)
            name_failure("the server does not accept the client certificate of --cert",
                         f"foreign-{version.name}", server.url, "--cert", FOREIGN, "--key",
                         FOREIGN_KEY)
            tap.equal(server.requests, [])

    with tap.case(f"{version.name}: --cert and --key show it, and leave nothing in the archive"):
        with client_server(version) as server:
            capture = Capture(f"certified-{version.name}", server.url, "--cacert", CERTIFICATE,
                              "--cert", OWN, "--key", OWN_KEY)
        tap.equal({row["verdict"] for row in capture.report["verdicts"]}, {"sharp"})
        for path in OWN, OWN_KEY:
            with open(path, "rb") as file:
                assert not capture.contains(file.read().splitlines()[1])
        assert not capture.contains(OWN.encode())
        assert not capture.contains(OWN_KEY.encode())
        tap.equal(os.stat(capture.archive).st_mode & 0o077, 0)

for reset in False, True:
    with tap.case(f"so is one that {'resets' if reset else 'closes'} the connection without a word"):
        with hang_up(reset) as server:
            name_failure(WANTED, f"hung-up-{reset}", server.url)

with tap.case("so is one that answers without, but not with the page"):
    asking = context(clients=OWN)
    asking.verify_mode = ssl.CERT_OPTIONAL
    with rawserver.Server(lambda _: respond("400 Bad Request", connection="close"),
                          tls=asking) as server:
        name_failure("HTTP 400: " + WANTED, "answering", server.url)

with tap.case("a client certificate is shown to the seeds' hosts alone"):
    shown = collections.defaultdict(set)

    def note(request):
        shown[request.socket.getsockname()[0]].add(bool(request.socket.getpeercert()))
        return page(f'<a href="/a">a</a><img src="{other.url}a.png">'.encode())
    with rawserver.Server(note, tls=asking) as server, \
            rawserver.Server(note, host="::1", tls=asking) as other:
        Capture("shown", server.url, "--cacert", CERTIFICATE, "--cert", OWN, "--key", OWN_KEY)
    tap.equal(shown, {"127.0.0.1": {True}, "::1": {False}})

with tap.case("client certificates that cannot be used are refused, and a file of both can"):
    pair = tap.path("pair.pem")
    with open(pair, "w", encoding="ascii") as to:
        for path in OWN_KEY, OWN:
            with open(path, encoding="ascii") as file:
                to.write(file.read())
    os.chmod(pair, 0o600)
    locked = tap.path("locked.pem")
    h2server.openssl("pkey", "-in", OWN_KEY, "-aes256", "-passout", "pass:x", "-out", locked)
    for want, *options in (("--key is of use only with --cert", "--key", OWN_KEY),
                           ("No such file", "--cert", tap.path("is-not-there")),
                           ("No such file", "--cert", OWN, "--key", tap.path("is-not-there")),
                           ("no certificate found", "--cert", OWN_KEY),
                           ("no key found that fits it", "--cert", OWN),
                           ("no key found that fits it", "--cert", OWN, "--key", FOREIGN_KEY),
                           ("PEM file without a password", "--cert", OWN, "--key", locked)):
        refuse(want, "https://127.0.0.1:8/", *options)
    refuse("--cert is for one site", "https://127.0.0.1:8/", "https://127.0.0.2:8/", "--cert", pair)
    with client_server(None) as server:
        config = tap.write("cert.yaml", f"cert: {pair}\ncacert: {CERTIFICATE}\nsites:\n  - url: {server.url}\n")
        tap.equal(Capture("pair", "--config", config).report["sharp"], 4)

with tap.case("resume wants the client certificate again"):
    slow = threading.Event()

    def slowly(request):
        if request.path == "/a":
            slow.wait(DEADLINE)
        return PAGES.get(request.path, rawserver.NOT_FOUND)
    with client_server(None, slowly) as server:
        archive = stop_at(server, "/a", "--cacert", CERTIFICATE, "--cert", OWN, "--key", OWN_KEY)
        slow.set()
        tap.refuse(2, "started with --cert, which is not kept in the archive; give it again",
                   "resume", archive)
        tap.equal(tap.load("resume", archive, "--cert", OWN, "--key", OWN_KEY)["sharp"], 4)
        tap.succeed("verify", archive)

with tap.case("--insecure takes it, warns, and says so in the archive"):
    with site(PAGES, tls=context()) as server:
        capture = Capture("insecure", server.url, "--insecure", messages=(
            "stillpoint: warning: --insecure: certificates are not checked, so nothing proves which"
            " server sent the pages\n"))
    tap.equal(capture.report["sharp"], 4)
    tap.equal(capture.records[0].content()["stillpoint-insecure"], "true")


def without_length(request):
    """A body that ends with its connection."""
    request.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end")
    if request.path == "/ends":
        request.socket.unwrap()


with tap.case("a body that ends with its TLS connection is whole with a close_notify alone"):
    answers = {"/": page(b'<a href="/ends">x</a><a href="/cut">x</a>'),
               "/ends": without_length, "/cut": without_length}
    with site(answers, tls=context()) as server:
        capture = Capture("notify", server.url, "--cacert", CERTIFICATE)
    tap.equal(capture.verdict(server.url + "ends"), "sharp")
    tap.equal(capture.verdict(server.url + "cut"), "failed")
    assert "reset" in capture.pages[server.url + "cut"]["reason"], capture.pages
    tap.equal(capture.of("response", server.url + "cut")[0].fields["WARC-Truncated"], "disconnect")

# ---- HTTP/2 ----

H2_FILES = {"index.html": '<a href="a.html">a</a> <img src=b.png> <a href="big.html">big</a>',
            "a.html": "<p>A", "b.png": "B", "big.html": "more " * 100000}

if not shutil.which("nghttpd"):
    tap.skip("HTTP/2", "there is no nghttpd")
else:
    with tap.case("HTTP/2 is archived as HTTP/1.1, and says what it was"):
        with h2server.Nghttpd(H2_FILES, KEY, CERTIFICATE) as server:
            capture = Capture("h2", server.url, "--http2", "--cacert", CERTIFICATE, "--jobs", "4",
                              "--max-body", "100k")
        tap.equal((capture.report["pages"], capture.report["sharp"]), (4, 3))
        tap.equal(capture.verdict(server.url + "big.html"), "failed")
        tap.equal(capture.of("response", server.url + "big.html")[0].fields["WARC-Truncated"],
                  "length")
        for record in capture.of("response", server.url + "a.html"):
            tap.equal(protocols(record), ["h2", "tls/1.3"])
            head, _, body = record.block.partition(b"\r\n\r\n")
            lines = head.decode().split("\r\n")
            tap.equal((lines[0], body), ("HTTP/1.1 200 OK", b"<p>A"))
            fields = dict(line.split(": ", 1) for line in lines[1:])
            tap.equal((fields["content-length"], "transfer-encoding" in fields), ("4", False))
            assert not any(name.startswith(":") for name in fields), fields
        request = capture.of("request", server.url + "a.html")[0].block.decode()
        assert request.startswith("GET /a.html HTTP/1.1\r\nHost: 127.0.0.1:"), request
        tap.equal(capture.attempt(server.url)["protocol"], "h2 tls/1.3")
        assert "HTTP/1.1 404 Not Found\r\n" in str(
            capture.of("response", server.url + "robots.txt")[0].block, "latin-1")

with tap.case("without --http2 it is not spoken, and in clear never"):
    with h2server.Server(context("h2", "http/1.1"), None, plain=page(b"plain")) as server:
        capture = Capture("h1", server.url, "--cacert", CERTIFICATE)
        tap.equal((server.streams, capture.verdict(server.url)), (0, "sharp"))
    with site(PAGES) as server:
        capture = Capture("clear", server.url, "--http2")
        assert all("Upgrade" not in request.fields for request in server.requests)
    tap.equal((capture.report["sharp"], protocols(capture.of("response", server.url)[0])), (4, []))

TEXT = {"content_type": "text/plain"}


def sized(length):
    return {**TEXT, "content_length": length}


# Frames, then part of the reason; None for a page that is sharp.
STREAMS = {
    "whole": (lambda s: [h2server.headers(s, **sized(5)), h2server.data(s, b"hello")], None),
    "in pieces": (lambda s: [h2server.headers(s, **sized(5)), h2server.data(s, b"he", False),
                             h2server.data(s, b"llo")], None),
    "too short": (lambda s: [h2server.headers(s, **sized(9)), h2server.data(s, b"hello")], "reset"),
    "reset": (lambda s: [h2server.headers(s, **sized(9)), h2server.data(s, b"hello", False),
                         h2server.WHEN_READ, h2server.reset(s, 8)], "reset"),
    "reset without an error": (
        lambda s: [h2server.headers(s, **sized(9)), h2server.data(s, b"hello", False),
                   h2server.WHEN_READ, h2server.reset(s, 0)], "reset"),
    "reset within the head": (lambda s: [h2server.reset(s, 2)], "reset"),
    "connection closed": (lambda s: [h2server.headers(s, **sized(9)),
                                     h2server.data(s, b"hello", False), None], "reset"),
    "gone away": (lambda s: [h2server.headers(s, **sized(9)), h2server.data(s, b"hello", False),
                             h2server.goaway(s), None], "reset"),
    "transfer coding": (lambda s: [h2server.headers(s, transfer_encoding="chunked", **TEXT),
                                   h2server.data(s, b"hello")], "reset"),
}

for label, (frames, reason) in STREAMS.items():
    with tap.case(f"a stream of HTTP/2: {label}"):
        with h2server.Server(context("h2", "http/1.1"), frames) as server:
            name = "stream-" + label.replace(" ", "-")
            done = tap.run("crawl", *FAST, "--http2", "--cacert", CERTIFICATE, server.url,
                           "-o", tap.path(name), "--json")
            tap.equal((done.returncode, reason or ""), (1 if reason else 0, reason or ""))
        tap.succeed("verify", tap.path(name))
        rows = tap.load("report", tap.path(name))["verdicts"]
        tap.equal(rows[0]["verdict"], "failed" if reason else "sharp")
        assert not reason or reason in rows[0]["reason"], rows

with tap.case("a stream of HTTP/2: stalled"):
    def stalled(stream):
        """The connection lives: its frames are of another stream's, or of none."""
        yield h2server.headers(stream, **sized(9))
        yield h2server.data(stream, b"hello", False)
        while True:  # until the client has enough
            yield 0.1
            yield h2server.PING_FRAME

    with h2server.Server(context("h2"), stalled) as server:
        tap.refuse(1, "timeout: stalled: ", "crawl", *FAST, "--http2", "--cacert", CERTIFICATE,
                   server.url, "-o", tap.path("stalled"), "--timeout", "6s", "--attempts",
                   "1")
    tap.succeed("verify", tap.path("stalled"))

PACKED = gzip.compress(b"packed " * 100, mtime=0)
ZIPPED = {**TEXT, "content_encoding": "gzip"}


def cut(fields, *pieces):
    """A stream that lacks its end, and is reset without an error: libcurl does not notice."""
    return lambda s: [h2server.headers(s, **fields),
                      *(h2server.data(s, piece, False) for piece in pieces),
                      h2server.WHEN_READ, h2server.reset(s, 0)]


UNPROVEN = {
    "text": cut(TEXT, b"half of"),
    "half of a gzip": cut(ZIPPED, PACKED[:-9]),
    "nothing of a gzip": cut(ZIPPED),
    "text that is whole": lambda s: [h2server.headers(s, **TEXT), h2server.data(s, b"all of it")],
}

for label, frames in UNPROVEN.items():
    with tap.case(f"what HTTP/2 cannot prove is asked for over HTTP/1.1: {label}"):
        with h2server.Server(context("h2", "http/1.1"), frames, plain=page(b"whole")) as server:
            capture = Capture("unproven " + label, server.url, "--http2", "--cacert", CERTIFICATE)
            tap.equal((server.streams, server.plain_requests), (2, 2))
        tap.equal(capture.verdict(server.url), "sharp")
        assert capture.attempt(server.url)["failure"].startswith("unproven: "), capture.records
        tap.equal([protocols(r)[0] for r in capture.of("response", server.url)],
                  ["h2", "http/1.1"])

with tap.case("a gzip over HTTP/2 shows its end by itself"):
    frames = lambda s: [h2server.headers(s, **ZIPPED), h2server.data(s, PACKED)]
    with h2server.Server(context("h2", "http/1.1"), frames) as server:
        capture = Capture("zipped", server.url, "--http2", "--cacert", CERTIFICATE)
        tap.equal((server.streams, server.plain_requests), (3, 0))
    tap.equal(capture.verdict(server.url), "sharp")
# ---- cookies ----


def cookie(request):
    return request.fields.get("Cookie", "")


def shop(request):
    """Behind its first page are others, for who has the cookie that it sets."""
    if request.path == "/":
        return page(b'<a href="/a">a</a>', set_cookie="session=7; Path=/; HttpOnly")
    if request.path == "/a":
        return page(b"A") if "session=7" in cookie(request) else respond("302 Go", location="/")
    return rawserver.NOT_FOUND


def looked_with(server, path):
    """The cookies of visit and revisit. A probe without may follow: do cookies matter?"""
    sent = [cookie(request) for request in server.requests if request.path == path]
    assert sent[2:] in ([], [""]), sent
    return sent[:2]


with tap.case("cookies are kept for the capture, and redacted in its requests"):
    with rawserver.Server(shop) as server:
        capture = Capture("cookies", server.url)
        # The first visit shows that the page needs them.
        tap.equal([cookie(request) for request in server.requests if request.path == "/a"][:3], ["", "session=7", "session=7"])
    tap.equal(capture.verdict(server.url + "a"), "sharp")
    # A probe goes without.
    tap.equal([b"\r\nCookie: [redacted]\r\n" in record.block
               for record in capture.of("request", server.url + "a")].count(True), 2)
    tap.equal([(record.content().get("redacted"), record.content().get("purpose"))
               for record in capture.of("metadata", server.url + "a")][1], ("cookie", "cookies"))
    # What the server said is part of the page's history.
    assert any(b"Set-Cookie: session=7" in record.block for record in capture.records)

with tap.case("a page that looks whether its cookie is kept is had all the same"):
    def gate(request):
        if request.path == "/robots.txt":
            return rawserver.NOT_FOUND
        if request.path == "/loop":
            return respond("302 Go", location="/loop", set_cookie="n=1")
        if "gate=open" not in cookie(request):
            return respond("302 Go", location="/#top", set_cookie="gate=open; Max-Age=60")
        return page(b'<a href="/loop">x</a>')

    with rawserver.Server(gate) as server:
        capture = Capture("gate", server.url)
    tap.equal([(row["status"], row["verdict"]) for row in capture.report["verdicts"]],
              [(200, "sharp"), (302, "sharp")])

with tap.case("a good visit survives a failed second one"):
    asked = []

    def moody(request):
        if request.path == "/robots.txt":
            return rawserver.NOT_FOUND
        asked.append(request.path)
        if len(asked) == 2:
            return respond("403 Forbidden")
        cookies = {} if len(asked) > 1 else {"set_cookie": "gate=open"}
        return respond("302 Go", location="/#top", **cookies)

    with rawserver.Server(moody) as server:
        capture = Capture("moody", server.url)
    tap.equal(len(asked), 3)
    row, = capture.report["verdicts"]
    tap.equal((row["status"], row["verdict"], row["reason"]), (302, "sharp", None))
    # The claim is that of the first visit and the revisit. Starts are rounded down in the report.
    starts = [record.content()["requestSent"] for record in capture.of("metadata", server.url)]
    tap.equal((row["visit_start"][:23], row["revisit_start"][:23]), (starts[0][:23], starts[2][:23]))

with tap.case("--keep-secrets archives them"):
    with rawserver.Server(shop) as server:
        capture = Capture("kept", server.url, "--keep-secrets")
    assert b"\r\nCookie: session=7\r\n" in capture.of("request", server.url + "a")[1].block
    assert "redacted" not in capture.attempt(server.url + "a")

with tap.case("--no-cookies takes none"):
    with rawserver.Server(shop) as server:
        capture = Capture("none", server.url, "--no-cookies")
        tap.equal({cookie(request) for request in server.requests}, {""})
    tap.equal((capture.report["pages"], capture.pages[server.url + "a"]["status"]), (2, 302))

with tap.case("--cookies begins with those of a file"):
    file = tap.write("cookies.txt", "# Netscape HTTP Cookie File\n\n"
                     "127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\t7\n"
                     "#HttpOnly_127.0.0.1\tFALSE\t/a\tFALSE\t4102444800\tdeep\tsecret-deep\n"
                     "127.0.0.1\tFALSE\t/\tFALSE\t1\told\tx\n"
                     ".example.org\tTRUE\t/\tFALSE\t0\tother\tx\n")
    with rawserver.Server(shop) as server:
        capture = Capture("file", server.url, "--cookies", file)
        for path, want in (("/", "session=7"), ("/a", "deep=secret-deep; session=7")):
            tap.equal(looked_with(server, path), [want] * 2)
    assert not capture.contains(b"secret-deep")
    tap.equal(capture.records[0].content()["stillpoint-withheld"], "cookies")
    refuse("line 1 is not a cookie", server.url, "--cookies", tap.write("bad.txt", "a=b\n"))
    refuse("--cookies", server.url, "--cookies", tap.path("is-not-there"))
    refuse("cannot be combined", server.url, "--cookies", file, "--no-cookies")


def flood(request):
    """More cookies than anybody wants, at every page."""
    if request.path == "/robots.txt":
        return rawserver.NOT_FOUND
    number = int(request.path[1:] or 0)
    fields = "".join(f"Set-Cookie: n{number}-{i}={'x' * 900}\r\n" for i in range(200))
    body = f'<a href="/{number + 1}">next</a>'.encode() if number < 20 else b"end"
    return (f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{fields}"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


with tap.case("a flood of cookies fills neither memory nor requests"):
    with rawserver.Server(flood) as server:
        capture = Capture("flood", server.url)
        longest = max(len(cookie(request)) for request in server.requests)
    tap.equal(capture.report["sharp"], 21)
    assert 4000 < longest <= 8190, longest

# ---- passwords and header fields ----


def vault(request):
    """Pages behind a password; an image of somebody else's."""
    if request.path == "/robots.txt":
        return rawserver.NOT_FOUND
    login = "Basic " + base64.b64encode(b"me:pass-word:1").decode()
    if request.fields.get("Authorization") != login:
        return respond("401 Who", b"who?", www_authenticate="Basic")
    return page(f'<img src="http://localhost:{other.port}/x.png">'.encode())


with site({"/x.png": page(b"X")}) as other, rawserver.Server(vault) as server:
    FOREIGN = f"http://localhost:{other.port}/x.png"
    with tap.case("--auth goes to the seeds' hosts alone, and into no archive"):
        capture = Capture("auth", server.url, "--auth", "me:pass-word:1", "--header",
                          "X-Key: key-word", "--header", "Accept-Language: la")
        tap.equal((capture.verdict(server.url), capture.verdict(FOREIGN)), ("sharp", "sharp"))
        for request in other.requests:
            assert "Authorization" not in request.fields and "X-Key" not in request.fields
            tap.equal(request.fields["Accept-Language"], "la")
        tap.equal({request.fields["X-Key"] for request in server.requests}, {"key-word"})
        for secret in b"pass-word", base64.b64encode(b"me:pass-word:1"), b"key-word":
            assert not capture.contains(secret), secret
        info = capture.records[0]
        tap.equal(info.content()["stillpoint-headers"], "Accept-Language: la")
        assert b"stillpoint-withheld: auth\r\nstillpoint-withheld: header X-Key\r\n" in info.block
        tap.equal(capture.attempt(server.url)["redacted"], "authorization, X-Key")

    with tap.case("user and password of a seed are the same, and leave its URL"):
        capture = Capture("seed", server.url.replace("//", "//me:pass-word%3A1@"))
        tap.equal(capture.verdict(server.url), "sharp")
        assert not any("Authorization" in request.fields for request in other.requests)
        assert not capture.contains(b"pass-word")

for label, want, *options in (
        ("Basic realm=x", "authentication required; it needs a login; add --auth"),
        ("Basic realm=x", "the user name or password of --auth is wrong", "--auth", "me:wrong"),
        ("Digest realm=x, nonce=y", "by Digest, not supported; capture it through a proxy"),
        ("Bearer", "by a token (--header); add --header 'Authorization: Bearer TOKEN'")):
    with tap.case(f"what to do about {label.split()[0]}{' ' if options else ''}{' '.join(options)}"):
        denied = respond("401 No", www_authenticate=label)
        with rawserver.Server(lambda _, denied=denied: denied) as server:
            name_failure(want, f"denied-{server.port}", server.url, *options)

with tap.case("of several sites each gets its own password"):
    with site(PAGES) as one, site(PAGES) as two:
        seeds = tap.write("seeds.txt", "".join(
            server.url.replace("//", f"//{name}:pass-word@") + "\n"
            for name, server in (("one", one), ("two", two))))
        capture = Capture("several", "--seeds", seeds, sites=2)
        for name, server in ("one", one), ("two", two):
            login = "Basic " + base64.b64encode(f"{name}:pass-word".encode()).decode()
            tap.equal({request.fields.get("Authorization") for request in server.requests},
                      {login})
    tap.equal([row["verdict"] for row in capture.pages.values()], ["sharp"] * 8)
    assert not capture.contains(b"pass-word")

with tap.case("what cannot be sent is refused, and no secret repeated"):
    URL, OTHER = "http://127.0.0.1:8/", "http://127.0.0.2:8/"
    refuse("would be sent to several sites", URL, OTHER, "--auth", "me:secret")
    refuse("would be sent to several sites", URL, OTHER, "--header", "X-Key: secret")
    refuse("'Name: value'", URL, "--header", "no colon")
    refuse("'Name: value'", URL, "--header", "X-A: b\r\nHost: c")
    refuse("Host cannot be set", URL, "--header", "Host: x")
    refuse("Transfer-Encoding cannot be set", URL, "--header", "transfer-encoding: x".title())
    refuse("use --cookies", URL, "--header", "Cookie: a=b")
    refuse("USER:PASSWORD", URL, "--auth", "somebody")
    refuse("a proxy must be http://HOST:PORT", URL, "--proxy", "ftp://me:secret@x/")
    refuse("--cacert", URL, "--cacert", tap.path("is-not-there"))
    assert "secret" not in tap.run("crawl", URL, "--proxy", "ftp://me:secret@x/").stderr

with tap.case("resume wants the secrets again"):
    slow = threading.Event()

    def behind(request):
        if request.path != "/robots.txt" and request.fields.get("X-Key") != "key-word":
            return respond("403 No")
        if request.path == "/a":
            slow.wait(DEADLINE)
        return PAGES.get(request.path, rawserver.NOT_FOUND)

    with rawserver.Server(behind) as server:
        archive = stop_at(server, "/a", "--header", "X-Key: key-word")
        slow.set()
        tap.refuse(2, "started with --header X-Key, which is not kept in the archive; give it again",
                   "resume", archive)
        report = tap.load("resume", archive, "--header", "X-Key: key-word")
        tap.equal(report["sharp"], 4)
        tap.succeed("verify", archive)


def secret_file(name, text, mode=0o600):
    path = tap.write(f"secret-{name}", text)
    os.chmod(path, mode)
    return path


def modes(archive):
    """Of all that is in an archive: what others than its owner may do with it."""
    return {os.path.relpath(os.path.join(directory, name), archive):
            os.stat(os.path.join(directory, name)).st_mode & 0o077
            for directory, directories, files in os.walk(archive) for name in [".", *files]}


with tap.case("passwords, keys and a proxy's password from files and the environment"):
    auth = secret_file("auth", "\nme:pass word#1 \r\n")
    keys = secret_file("keys", "X-Key: key-word\nX-Other: 2")
    login = "Basic " + base64.b64encode(b"me:pass word#1 ").decode()
    with site(PAGES) as server, proxies.Http("me:pass-word") as proxy:
        url = secret_file("proxy", proxy.address.replace("//", "//me:pass-word@") + "\n")
        capture = Capture("files", server.url, "--auth-file", auth, "--header-file", keys)
        tap.equal({(request.fields.get("Authorization"), request.fields.get("X-Key"),
                    request.fields.get("X-Other")) for request in server.requests},
                  {(login, "key-word", "2")})
        Capture("proxy-file", server.url, "--proxy-file", url)
        tap.equal(set(proxy.logins), {"me:pass-word"})
        assert not capture.contains(b"pass word") and not capture.contains(b"key-word")
        environment = dict(os.environ, STILLPOINT_AUTH="you:secret", STILLPOINT_HEADER="X-Key: env")
        for more, want in ((), "you:secret"), (("--auth-file", auth), "me:pass word#1 "), \
                (("--auth", "he:x"), "he:x"):
            server.requests.clear()
            tap.load("crawl", *FAST, server.url, *more, "-o", tap.path(f"env-{want[:2]}"),
                     env=environment)
            tap.equal({(request.fields["Authorization"], request.fields["X-Key"])
                       for request in server.requests},
                      {("Basic " + base64.b64encode(want.encode()).decode(), "env")})

with tap.case("files of secrets that are wrong, or read by others"):
    refuse("missing: No such file", URL, "--auth-file", tap.path("missing"))
    refuse("the file is empty", URL, "--auth-file", secret_file("empty", "\n\n"))
    refuse("bad:2: --auth must be USER:PASSWORD", URL, "--auth-file", secret_file("bad", "a:b\nc\n"))
    refuse("bad:1: --header: Host cannot be set", URL, "--header-file",
           secret_file("bad", "Host: secret\n"))
    refuse("nul:1: the line is too long", URL, "--auth-file", secret_file("nul", "a:b\0c\nd\n"))
    refuse("the proxy is given twice", URL, "--proxy", "socks5://127.0.0.1:1080", "--proxy-file",
           secret_file("twice", "socks5://127.0.0.1:1080\n"))
    refuse("would be sent to several sites", URL, OTHER, "--auth-file", secret_file("all", "a:b\n"))
    told = tap.run("crawl", URL, env=dict(os.environ, STILLPOINT_AUTH="secret"), cwd=tap.path("."))
    tap.equal((told.returncode, "secret" in told.stderr), (2, False))
    assert "STILLPOINT_AUTH in the environment: --auth must be" in told.stderr, told.stderr
    with site(PAGES) as server:
        path = secret_file("open", "a:b\n", mode=0o644)
        Capture("open-file", server.url, "--auth-file", path, messages=(
            f"stillpoint: warning: {path}: other users can read this file; run 'chmod 600' on it\n"))

with tap.case("an archive with logins or secrets is its owner's alone"):
    cookies = secret_file("jar.txt", "127.0.0.1\tFALSE\t/\tFALSE\t0\tn\t1\n")
    before = os.umask(0o022)
    with site(PAGES) as server:
        for name, *more in (("modes-auth", "--auth", "me:x"), ("modes-key", "--header", "X-Key: 1"),
                            ("modes-cookies", "--cookies", cookies), ("modes-kept", "--keep-secrets")):
            archive = Capture(name, server.url, *more).archive
            tap.equal(os.stat(archive).st_mode & 0o777, 0o700)
            tap.equal(set(modes(archive).values()), {0})
        usual = Capture("modes-usual", server.url).archive
        tap.equal(os.stat(usual).st_mode & 0o777, 0o755)
        # One that is there becomes so with its first capture of that kind, and stays so.
        Capture("modes-usual", server.url, "--auth", "me:x")
        tap.equal(os.stat(usual).st_mode & 0o777, 0o700)
        known = set(modes(usual))
        Capture("modes-usual", server.url)
        tap.equal(os.stat(usual).st_mode & 0o777, 0o700)
        fresh = {name: mode for name, mode in modes(usual).items() if name not in known}
        assert fresh and set(fresh.values()) == {0}, fresh
    os.umask(before)

# ---- proxies ----

with tap.case("an HTTP proxy is asked for http, and tunnels https"):
    with proxies.Http("me:pass-word") as proxy, site(PAGES) as server, \
            site(PAGES, tls=context()) as secure:
        with_login = proxy.address.replace("//", "//me:pass-word@")
        capture = Capture("proxy", server.url, secure.url, "--cacert", CERTIFICATE, "--proxy",
                          with_login, "--scope", "page", "--no-requisites", sites=2)
        assert f"GET {server.url}" in proxy.asked, proxy.asked
        assert f"CONNECT 127.0.0.1:{secure.port}" in proxy.asked, proxy.asked
        tap.equal(set(proxy.logins), {"me:pass-word"})
    tap.equal((capture.verdict(server.url), capture.verdict(secure.url)), ("sharp", "sharp"))
    record = capture.of("request", server.url)[0]
    assert f"GET {server.url} HTTP/1.1" in record.block.decode(), record.block
    assert b"Proxy-Authorization: [redacted]" in record.block, record.block
    assert "WARC-IP-Address" not in record.fields  # nobody knows the server's
    assert b"X-Proxy" not in capture.of("response", secure.url)[0].block
    for secret in b"pass-word", base64.b64encode(b"me:pass-word"):
        assert not capture.contains(secret), secret
    withheld = capture.records[0].content()["stillpoint-withheld"]
    tap.equal(withheld, f"proxy {proxy.address}")

with tap.case("a proxy that refuses is no page"):
    with proxies.Http("me:pass-word") as proxy, site(PAGES) as server:
        tap.refuse(1, "connect: the proxy wants a user name and password", "crawl", *FAST,
                   server.url, "--proxy", proxy.address, "-o", tap.path("refusing"))
        tap.refuse(1, "connect: the proxy wants a user name and password (--proxy)", "crawl", *FAST,
                   server.url.replace("http", "https"), "--proxy", proxy.address, "-o",
                   tap.path("refusing-tls"))
        for name, scheme in (("wrong", "http"), ("wrong-tls", "https")):
            tap.refuse(1, "connect: the proxy refuses the user name and password of --proxy",
                       "crawl", *FAST, server.url.replace("http", scheme), "--proxy",
                       proxy.address.replace("//", "//me:other@"), "-o", tap.path(name))
    assert not any(record.type == "response" for file in living.warc_files(tap.path("refusing"))
                   for record in living.records(file))

with tap.case("SOCKS 5, names resolved here or there"):
    with proxies.Socks("me:pass-word") as proxy, site(PAGES) as server:
        capture = Capture("socks", server.url, "--proxy", f"socks5://me:pass-word@{proxy.address}")
        tap.equal(set(proxy.asked), {f"127.0.0.1:{server.port}"})
        tap.equal(set(proxy.logins), {"me:pass-word"})
        tap.equal(capture.report["sharp"], 4)
        proxy.asked.clear()
        # No such name is known here.
        url = f"http://site.test:{server.port}/"
        capture = Capture("socksh", url, "--proxy", f"socks5h://{proxy.address}")
        tap.equal(set(proxy.asked), {f"site.test:{server.port}"})
    tap.equal(capture.report["sharp"], 4)
    tap.equal(capture.records[0].content()["stillpoint-proxy"], f"socks5h://{proxy.address}")

with tap.case("proxies of the environment are not asked"):
    environment = dict(os.environ, http_proxy="http://127.0.0.1:9", ALL_PROXY="http://127.0.0.1:9")
    with site(PAGES) as server:
        tap.equal(tap.load("crawl", *FAST, server.url, "-o", tap.path("environment"),
                           env=environment)["sharp"], 4)

# ---- limits ----

with tap.case("a head of more than 256 KiB"):
    large = page(b"abc", **{f"x_large_{i}": "y" * 3000 for i in range(100)})
    with site({"/": HOME, "/a": large, "/b": page(b"B")}) as server:
        capture = Capture("header", server.url)
    tap.equal((capture.verdict(server.url + "a"), capture.verdict(server.url + "b")),
              ("failed", "sharp"))
    assert "too-large: the response's head" in capture.pages[server.url + "a"]["reason"]

CUT = "stillpoint: --max-bytes ended the capture\n"


def long_site(request):
    """A hundred pages of 10 KB, one behind the other."""
    if request.path == "/robots.txt":
        return rawserver.NOT_FOUND
    number = int(request.path[1:] or 0)
    return page(f'<a href="/{number + 1}">next</a>'.encode().ljust(10000))


def payload(server):
    return sum(request.path != "/robots.txt" for request in server.requests) * 10000


with tap.case("--max-bytes ends the visits in time to revisit what was visited"):
    with rawserver.Server(long_site) as server:
        capture = Capture("bytes", server.url, "--max-bytes", "200k", messages=CUT)
        assert 150000 < payload(server) <= 200 << 10, payload(server)
    verdicts = [row["verdict"] for row in capture.report["verdicts"]]
    assert verdicts.count("sharp") >= 8 and verdicts.count("unconfirmed") == 0, verdicts
    tap.equal(set(verdicts), {"sharp", "unvisited"})

def short_site(request):
    if request.path == "/robots.txt":
        return rawserver.NOT_FOUND
    links = "".join(f'<a href="/{number}">page</a>' for number in range(1, 15))
    return page((links if request.path == "/" else request.path).encode().ljust(10000))


def aim(name):
    """How many of the 15 pages a limit for 20 downloads leaves with each verdict."""
    with rawserver.Server(short_site) as server:
        capture = Capture(f"aim-{name}", server.url, "--max-bytes", "200k", "--aim", name,
                          "--no-probes", messages=CUT)
    return collections.Counter(row["verdict"] for row in capture.report["verdicts"])


with tap.case("--aim sharp: what is visited is revisited"):
    verdicts = aim("sharp")
    assert 8 <= verdicts["sharp"] <= 10, verdicts
    tap.equal(verdicts["sharp"] + verdicts["unvisited"], 15)

with tap.case("--aim complete: every page is captured, and revisited with what is left"):
    verdicts = aim("complete")
    assert 3 <= verdicts["sharp"] <= 5, verdicts
    tap.equal(verdicts["sharp"] + verdicts["unconfirmed"], 15)

with tap.case("--max-bytes is named as what ended the capture, beside a time limit too"):
    with rawserver.Server(long_site) as server:
        capture = Capture("bytes-and-time", server.url, "--max-bytes", "200k",
                          "--time-limit", "1h", messages=CUT)
    tap.equal((capture.report["state"], capture.report["ended_by"]), ("cut", "bytes"))
    tap.equal({row["reason"] for row in capture.report["verdicts"]}, {None, "byte limit"})
    text = tap.succeed("report", tap.path("bytes-and-time"))
    assert text.splitlines()[0].endswith(": ended by its byte limit") and "time limit" not in text
    table = tap.succeed("report", tap.path("bytes-and-time"), "--captures")
    assert "byte limit" in table and "time limit" not in table, table
    moments = [record.content() for record in capture.records
               if record.type == "metadata" and record.block.startswith(b"moment: ")]
    tap.equal([(moment["moment"], moment.get("endedBy")) for moment in moments],
              [("start", None), ("stillpoint", "bytes"), ("end", "bytes")])

with tap.case("--max-bytes cuts what is under way"):
    def endless(request):
        if request.path == "/robots.txt":
            return rawserver.NOT_FOUND
        request.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        while True:
            request.send(b"more " * 1000)

    with rawserver.Server(endless) as server:
        done = tap.run("crawl", *FAST, server.url, "--max-bytes", "100k", "--jobs", "2",
                       "-o", tap.path("endless"))
        tap.equal(done.returncode, 1)
        assert "the limit of bytes is reached (--max-bytes)" in done.stderr, done.stderr
    tap.succeed("verify", tap.path("endless"))
    stored = [record for file in living.warc_files(tap.path("endless"))
              for record in living.records(file) if record.type == "response"]
    assert sum(len(record.block) for record in stored) <= 100 << 10
    tap.equal(stored[-1].fields["WARC-Truncated"], "length")

# ---- IPv6 ----


def has_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        return True
    except OSError:
        return False


if has_ipv6():
    with tap.case("IPv6, in clear and with TLS"):
        with site(PAGES, host="::1") as server, site(PAGES, host="::1", tls=context()) as secure:
            capture = Capture("ipv6", server.url, secure.url, "--cacert", CERTIFICATE, sites=2)
            tap.equal(server.requests[0].fields["Host"], f"[::1]:{server.port}")
        tap.equal([row["verdict"] for row in capture.pages.values()], ["sharp"] * 8)
        for url in server.url, secure.url:
            tap.equal(capture.of("response", url)[0].fields["WARC-IP-Address"], "::1")
else:
    tap.skip("IPv6", "there is no ::1 here")

tap.done()
