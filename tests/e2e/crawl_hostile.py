#!/usr/bin/env python3
"""Servers that mean no good: the capture ends by itself, in bounded memory, with right verdicts.

Each row of NASTY is a server of its own, all of them captured at once; then come sites that are
nasty as a whole.
"""

import base64
import concurrent.futures
import gzip
import json
import queue
import random
import signal
import subprocess
import sys
import threading
import time
import zlib

import living
import rawserver
import tap
from rawserver import page, respond

MEMORY_MAX = 250 << 20
MAX_BODY = 2 << 20
DEADLINE = 120
LIMITS = ["--delay", "0", "--max-body", "2M"]
# For servers that want to be waited for. All others get the minutes that are usual: on a loaded
# machine they may need them.
IMPATIENT = ["--timeout", "10s"]


# What the kernel says of a process includes the memory of the one that started it, so that had
# better be small.
MEASURE = """
import os, sys
_, status, usage = os.wait4(os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ), 0)
with open(sys.argv[1], "w") as out:
    out.write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Capture:
    """What came of a crawl: of the process, its report and its archive."""

    def __init__(self, name, *arguments):
        self.archive = tap.path(name)
        command = [tap.PROGRAM, "crawl", *LIMITS, *map(str, arguments), "-o", self.archive, "--json"]
        done = subprocess.run([sys.executable, "-S", "-c", MEASURE, tap.path(f"{name}.kb"), *command],
                              capture_output=True, text=True)
        self.status, self.messages = done.returncode, done.stderr
        self.report = json.loads(done.stdout or "null")
        with open(tap.path(f"{name}.kb"), encoding="ascii") as kilobytes:
            self.memory = int(kilobytes.read()) << 10
        self.reports = [self.report] if self.report else []
        if self.report and "captures" in self.report:  # one for each server
            self.reports = [json.loads(tap.succeed(
                "report", self.archive, "--json", "--capture", str(row["capture"])))
                for row in self.report["captures"]]
        self.pages = {row["url"]: row for report in self.reports for row in report["verdicts"]}

    def check(self, status=0):
        """Ended well, within its memory, and what it left behind is sound."""
        said = [line for line in self.messages.splitlines()
                if len(self.reports) == 1 or "nothing could be captured" not in line]
        if status == 0 and len(said) < len(self.messages.splitlines()):
            status = 3  # some of several sites have failed
        tap.equal((self.status, said if status != 1 else []), (status, []))
        assert living.SANITIZED or self.memory < MEMORY_MAX, f"{self.memory >> 20} MiB"
        for file in living.warc_files(self.archive, ""):
            for line in tap.succeed("inspect", "warc", file).splitlines():
                assert json.loads(line)["ok"], line
        tap.succeed("verify", self.archive)

    def is_page(self, url, verdict, reason=None):
        row = self.pages[url]
        tap.equal((url, row["verdict"], row["reason"])[:2], (url, verdict))
        if reason:
            assert reason in row["reason"], row

    def responses(self, url):
        return [record for file in living.warc_files(self.archive)
                for record in living.records(file)
                if (record.type, record.fields.get("WARC-Target-URI")) == ("response", url)]


def plain(request):
    """robots.txt and sitemaps of servers whose malice is elsewhere; None for all else."""
    return rawserver.NOT_FOUND if request.path in ("/robots.txt", "/sitemap.xml") else None


# ---- answers ----

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
HEAD = OK + b"\r\n"


def forever(send, data, pause=0.0):
    """Until the other end has had enough."""
    stop = time.monotonic() + DEADLINE
    while time.monotonic() < stop:
        send(data)
        time.sleep(pause)


def silent(request):
    request.socket.recv(1)  # which comes when the other end has had enough


def dripping_head(request):
    for byte in OK + b"X-More: " + b"x" * 1000:
        request.send(bytes([byte]))
        time.sleep(0.2)


def dripping_body(request):
    request.send(OK + b"Content-Length: 1000\r\n\r\n")
    forever(request.send, b"x", 0.2)


def one_byte_at_times(request):
    request.send(OK + b"Content-Length: 1000\r\n\r\n")
    forever(request.send, b"x", 10)


def endless_body(request):
    request.send(HEAD)
    forever(request.send, b"<p>more</p>" * 5000)


def endless_chunks(request):
    request.send(OK + b"Transfer-Encoding: chunked\r\n\r\n")
    forever(request.send, b"10000\r\n" + b"x" * 0x10000 + b"\r\n")


def endless_head(request):
    request.send(OK)
    forever(request.send, b"X-More: and more\r\n" * 100)


def endless_line(request):
    request.send(OK + b"X-More: ")
    forever(request.send, b"and more" * 1000)


def endless_interim(request):
    forever(request.send, b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


def endless_hints(request):
    forever(request.send, b"HTTP/1.1 103 Early\r\nLink: </x>; rel=preload\r\n\r\n" * 100)


def noise(request):
    request.send(random.Random(2).randbytes(5000))


def reset_at_once(request):
    request.reset()


def reset_in_the_head(request):
    request.send(OK)
    request.reset()


def reset_within(request):
    request.send(OK + b"Content-Length: 1000\r\n\r\nsome")
    request.reset()


def closing(data):
    """Sends that and closes."""
    return lambda request: request.send(data)


def bomb():
    """1 GiB of zeros in 1 MiB: blocks that do not refer to each other can be repeated."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    block = deflate.compress(bytes(16 << 20)) + deflate.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + block * 64 + deflate.flush() + bytes(8)


BOMB = bomb()
# 256 MiB of zeros.
BROTLI_BOMB = base64.b64decode(
    "z///fwAkAOKxQHLv//n//w+ABEAcFoDu/T////8BkACIwwLQvf/n//8/ABIAcVgAuvf//P//B0ACIA4LQPf+n////wBI"
    "AMRhAeje//P//x8ACYA4LADd+3/+//8DIAEQhwWge//P//9/ACQA4rAAdO//+f//D4AEQBwWgO79P////wGQAIjDAtC9"
    "/+f//z8AEgBxWAC69//8//8HQAIgDgtA9/6f////AEgAxGEB6N7/8///HwAJgDgsAN37//z//wcgARCHBaB7/w8=")
TEXT = b"<title>x</title>" + b"some text " * 100
SHORT = gzip.compress(TEXT)
MANY = 100000 if living.SANITIZED else 1000000
COOKIES = [b"Set-Cookie: c%d=%s; Path=/\r\n" % (i, b"v" * 30) for i in range(3000)]

# Verdict and part of the reason; `truncated` is what the WARC file says of the response.
NASTY = {
    "silent": (silent, "failed", "timeout"),
    "dripping head": (dripping_head, "failed", "timeout"),
    "one byte in ten seconds": (one_byte_at_times, "failed", "timeout", "time"),
    "dripping body": (dripping_body, "failed", "timeout", "time"),
    "endless body": (endless_body, "failed", "too-large", "length"),
    "endless chunks": (endless_chunks, "failed", "too-large", "length"),
    "endless head": (endless_head, "failed", "too-large"),
    "endless line": (endless_line, "failed", "too-large"),
    "endless interim responses": (endless_interim, "failed", "too-large"),
    "endless early hints": (endless_hints, "failed", "too-large"),
    "noise": (noise, "failed", "protocol"),
    "nothing": (lambda request: None, "failed", "reset"),
    "reset at once": (reset_at_once, "failed", "reset"),
    "reset in the head": (reset_in_the_head, "failed", "reset"),
    "reset within": (reset_within, "failed", "reset", "disconnect"),
    "half a head": (closing(OK), "failed", "reset"),
    "body too short": (closing(OK + b"Content-Length: 99\r\n\r\nx"), "failed", "reset",
                       "disconnect"),
    "body too long": (closing(OK + b"Content-Length: 3\r\n\r\nabcdef"), "sharp"),
    "two lengths": (closing(OK + b"Content-Length: 3\r\nContent-Length: 5\r\n\r\nabcde"),
                    "failed", "protocol"),
    "one length twice": (closing(OK + b"Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
                         "sharp"),
    "negative length": (closing(OK + b"Content-Length: -3\r\n\r\nabcde"), "failed", "protocol"),
    "huge length": (closing(OK + b"Content-Length: 99999999999999999999999\r\n\r\nabcde"),
                    "failed", "truncated"),
    "chunks without size": (closing(OK + b"Transfer-Encoding: chunked\r\n\r\nno size\r\n"),
                            "failed", "protocol", "unspecified"),
    "negative chunks": (closing(OK + b"Transfer-Encoding: chunked\r\n\r\n-3\r\nabc\r\n"),
                        "failed", "protocol", "unspecified"),
    "chunks too large": (closing(OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 30 + b"\r\nx"),
                         "failed", "protocol", "unspecified"),
    "chunks without end": (closing(OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
                           "failed", "reset", "disconnect"),
    "unknown transfer coding": (closing(OK + b"Transfer-Encoding: zip\r\n\r\nabc"), "failed",
                                "truncated"),
    "head of bare newlines": (closing(b"HTTP/1.1 200 OK\nContent-Length: 3\n\nabc"), "sharp"),
    "line without colon": (closing(OK + b"no colon\r\nContent-Length: 3\r\n\r\nabc"), "failed",
                           "protocol"),
    "field without name": (closing(OK + b": x\r\nContent-Length: 3\r\n\r\nabc"), "sharp"),
    "folded field": (closing(OK + b"X: y\r\n  z\r\nContent-Length: 3\r\n\r\nabc"), "sharp"),
    "fold without field": (closing(b"HTTP/1.1 200 OK\r\n x: y\r\n\r\nabc"), "failed", "protocol"),
    "status without blank": (closing(b"HTTP/1.1 200OK\r\nContent-Length: 3\r\n\r\nabc"), "failed",
                             "protocol"),
    "NUL in the head": (closing(OK + b"X: \0\r\nContent-Length: 3\r\n\r\nabc"), "failed",
                        "protocol"),
    "no UTF-8 in the head": (closing(OK + b"X-\xff: \xfe\x80\r\nContent-Length: 3\r\n\r\nabc"),
                             "sharp"),
    "2,000 cookies": (closing(OK + b"".join(COOKIES[:2000]) + b"Content-Length: 3\r\n\r\nabc"),
                      "sharp"),
    "3,000 cookies": (closing(OK + b"".join(COOKIES) + b"Content-Length: 3\r\n\r\nabc"),
                      "sharp"),
    "20,000 fields": (closing(OK + b"A:\r\n" * 20000 + b"Content-Length: 3\r\n\r\nabc"), "failed",
                      "truncated: the head has too many fields"),
    "HTTP/0.9": (closing(b"<html>what is a header?</html>"), "failed", "protocol"),
    "no reason": (closing(b"HTTP/1.1 200\r\nContent-Length: 3\r\n\r\nabc"), "sharp"),
    "large head": (closing(OK + b"".join(b"X-%d: %s\r\n" % (i, b"y" * 200) for i in range(1000))
                           + b"Content-Length: 3\r\n\r\nabc"), "sharp"),
    "status 999": (closing(b"HTTP/1.1 999 Hm\r\nContent-Length: 3\r\n\r\nabc"), "failed",
                   "HTTP 999"),
    "status 42": (closing(b"HTTP/1.1 42 Hm\r\nContent-Length: 3\r\n\r\nabc"), "failed", "protocol"),
    "status 2000": (closing(b"HTTP/1.1 2000 Hm\r\nContent-Length: 3\r\n\r\nabc"), "failed",
                    "protocol"),
    "status 101": (closing(b"HTTP/1.1 101 Switch\r\nUpgrade: x\r\n\r\nabc"), "failed", "protocol"),
    "status 206 unasked": (closing(b"HTTP/1.1 206 Part\r\nContent-Length: 3\r\n\r\nabc"),
                           "failed", "206"),
    "status 304 unasked": (closing(b"HTTP/1.1 304 Same\r\n\r\n"), "failed", "304"),
    "HTTP/9.9": (closing(b"HTTP/9.9 200 OK\r\nContent-Length: 3\r\n\r\nabc"), "failed", "protocol"),
    "early hints": (closing(b"HTTP/1.1 103 Early\r\nLink: </x>\r\n\r\n" + page(b"abc")), "sharp"),
    "gzip bomb": (closing(page(BOMB, content_encoding="gzip")), "sharp"),
    "brotli bomb": (closing(page(BROTLI_BOMB, content_encoding="br")), "sharp"),
    "brotli that is none": (closing(page(TEXT, content_encoding="br")), "sharp"),
    "bomb in a bomb": (closing(page(gzip.compress(BOMB), content_encoding="gzip, gzip")), "sharp"),
    "gzip that is none": (closing(page(TEXT, content_encoding="gzip")), "sharp"),
    "gzip cut short": (closing(page(SHORT[:-20], content_encoding="gzip")), "failed", "truncated"),
    "gzip with a wrong head": (closing(page(b"\x1f\x8b\x09" + SHORT[3:], content_encoding="gzip")),
                               "failed", "truncated"),
    "unknown coding": (closing(page(TEXT, content_encoding="rot13, \xff")), "sharp"),
    "nonsense type": (closing(page(TEXT, content_type="\xff\xfe/;;;==,\t; charset=\"")), "sharp"),
    "nonsense charset": (closing(page(b"\xff\xfe\0" * 500, content_type="text/html; charset=x")),
                         "sharp"),
    "NUL bytes": (closing(page(b"<a href='/\0\0'>\0" * 1000)), "sharp"),
    "attribute of 1.9 MB": (closing(page(b"<a href='" + b"x" * 1900000 + b"'>")), "sharp"),
    "a million tags deep": (closing(page(b"<b>" * 600000)), "sharp"),
    "Location without sense": (closing(respond("302 Go", location="http://[x")), "sharp"),
    "Location without end": (closing(respond("302 Go", location="/" + "x" * 100000)), "sharp"),
    "Location of a script": (closing(respond("302 Go", location="javascript:alert(1)")), "sharp"),
    "Location of a file": (closing(respond("302 Go", location="file:///etc/passwd")), "sharp"),
    "Location of a port that is none": (closing(respond("302 Go", location="http://127.0.0.1:99999/")),
                                        "sharp"),
    "Location with odd bytes": (closing(respond("302 Go", location="/\xff\xfe\x80%00")), "sharp"),
    "Location without value": (closing(respond("302 Go", location="")), "sharp"),
    "redirect to itself": (closing(respond("302 Go", location="/")), "sharp"),
    "429 for ever": (closing(respond("429 No", retry_after="0")), "blocked", "too many requests"),
    "503 with nonsense": (closing(respond("503 No", retry_after="soon")), "failed", "503"),
}


def nasty_server(answer):
    return rawserver.Server(lambda request: plain(request) or answer(request))


class Nasty:
    """Those of the servers that have to be waited for until the end of patience, or all others."""

    def __init__(self, name, are_slow, *options):
        rows = {name: row for name, row in NASTY.items() if ("timeout" in row) == are_slow}
        servers = {name: nasty_server(row[0]) for name, row in rows.items()}
        self.urls = {name: server.url for name, server in servers.items()}
        self.capture = Capture(name, *self.urls.values(), "--max-depth", 0, "--attempts", 1,
                               *options)
        for server in servers.values():
            server.stop()

    def check(self, name):
        """Verdict and archive of that server's page."""
        _, verdict, *more = NASTY[name]
        self.capture.is_page(self.urls[name], verdict, *more[:1])
        if len(more) > 1:
            record = self.capture.responses(self.urls[name])[-1]
            tap.equal(record.fields.get("WARC-Truncated"), more[1])
            assert len(record.block) <= MAX_BODY + 1000


# ---- sites ----


class Site:
    """A server with these answers by path; what is missing is not found."""

    def __init__(self, answers, port=0):
        self.answers = answers
        self.server = rawserver.Server(self.answer, port)
        self.url = self.server.url

    def answer(self, request):
        path = request.path.partition("?")[0]
        answer = self.answers.get(path) or self.answers.get("*") or rawserver.NOT_FOUND
        if path in ("/robots.txt", "/sitemap.xml") and path not in self.answers:
            answer = rawserver.NOT_FOUND
        return answer(request) if callable(answer) else answer

    def asked(self, path):
        return [request for request in self.server.requests if request.path == path]

    def capture(self, name, *options):
        capture = Capture(name, self.url, *options)
        self.server.stop()
        return capture


def links(*hrefs):
    return page("".join(f'<a href="{href}">x</a>' for href in hrefs).encode())


def test_redirects():
    """A chain that never ends, and one that bites its tail."""
    def chain(request):
        return respond("302 On", location=f"/r?n={int(request.path.partition('=')[2]) + 1}")

    site = Site({"/": links("/r?n=1", "/loop-a"), "/r": chain,
                 "/loop-a": respond("301 On", location="/loop-b"),
                 "/loop-b": respond("308 On", location="/loop-a#x")})
    capture = site.capture("redirects")
    capture.check()
    tap.equal(capture.report["sharp"], 1 + 21 + 2)
    capture.is_page(site.url + "r?n=21", "sharp")
    capture.is_page(site.url + "r?n=22", "excluded", "more than 20 redirects")
    tap.equal(capture.report["pages"], 25)


def test_traps():
    """Endless sites end where the limits say."""
    def calendar(request):
        month = int(request.path.partition("=")[2] or 0)
        return links(f"/calendar?month={month + 1}", f"/calendar?month={month - 1}")

    site = Site({"*": links("a/", "./a/?x", "../b/"), "/": links("a/", "/calendar"),
                 "/calendar": calendar})
    capture = site.capture("traps", "--max-pages", 60)
    capture.check()
    tap.equal(capture.report["sharp"], 60)
    reasons = {row["reason"] for row in capture.report["verdicts"]} - {None}
    tap.equal(reasons, {"out: --max-pages"})
    shallow = Site(site.answers)
    capture = shallow.capture("shallow", "--max-depth", 2)
    capture.check()
    reasons = {row["reason"] for row in capture.report["verdicts"]} - {None}
    tap.equal(reasons, {"out: --max-depth"})
    tap.equal(max(row["url"].count("/a/") for row in capture.report["verdicts"]
                  if row["verdict"] == "sharp"), 1)


def test_identity():
    """What is spelled differently is another page; a fragment is not."""
    paths = ["A", "a", "a/", "a?", "a?x=1&y=2", "a?y=2&x=1", "%61", "a//", "a;x", "index.html"]
    site = Site({"*": lambda request: page(request.path.encode()),
                 "/": links(*paths, "#x", "a#x", "a#y", "", "./", "/x/../a")})
    other = site.url.replace("127.0.0.1", "localhost")
    secure = site.url.replace("http:", "https:")
    capture = site.capture("identity", other, secure)
    capture.check()
    tap.equal(set(capture.pages), {host + path for host in (site.url, other)
                                   for path in ["", *paths]} | {secure})
    tap.equal(sum(report["sharp"] for report in capture.reports), 2 * (len(paths) + 1))
    capture.is_page(secure, "excluded", "robots.txt could not be read: tls")


def test_bases():
    """The first base counts, wherever it leads; one that is none does not."""
    site = Site({"*": page(b"leaf"),
                 "/": page(b"<a href=one>x</a><base href=/sub/><base href=/no/><a href=/b>b</a>"
                           b"<a href=/c>c</a>"),
                 "/b": page(b"<base href='javascript:x'><a href=two>x</a>"),
                 "/c": page(b"<base href=http://other.invalid/><a href=three>x</a>")})
    capture = site.capture("bases")
    capture.check()
    for path in ("sub/one", "b", "c", "two"):
        capture.is_page(site.url + path, "sharp")
    capture.is_page("http://other.invalid/three", "excluded")
    tap.equal(capture.report["pages"], 6)


def test_many_links():
    """A million links: the first 100,000 are known, as many as wanted are taken."""
    many = b"".join(b"<a href=/%d>x</a>" % i for i in range(1 + MANY))
    site = Site({"*": page(b"leaf"), "/": page(many)})
    capture = Capture("links", site.url, "--max-pages", 20, "--max-body", "50M")
    site.server.stop()
    capture.check()
    tap.equal((capture.report["pages"], capture.report["sharp"]), (100001, 20))


def test_long_urls():
    """A page of 45 kB that names 1.2 GB of URLs ends nothing, nor do its siblings."""
    long = "a" * 60000
    sitemap = "http://{0}/" + "s" * 17000 + "\nhttp://{0}/listed\n"
    site = Site({"*": page(b"leaf"), "/": links("/based", "/moved", "/headed", "/fine"),
                 "/based": page((f'<base href="/{long}/">' + "".join(
                     f"<a href={i}>" for i in range(20000))).encode()),
                 "/moved": respond("302 On", location="/" + long),
                 "/headed": page(b"", link=f"</{'h' * 20000}>; rel=next"),
                 "/sitemap.xml": lambda request: respond(
                     "200 OK", sitemap.format(request.fields["Host"]).encode(),
                     content_type="text/plain")})
    capture = site.capture("long")
    capture.check()
    for name in ("", "based", "moved", "headed", "fine", "listed"):
        capture.is_page(site.url + name, "sharp")
    tap.equal((capture.report["pages"], capture.report["left_out"]["length"]), (6, 20003))


def test_resume_long_urls():
    """Killed when such a page is in the archive, the capture is resumed like any other."""
    processes = queue.Queue()
    based = page((f'<base href="/{"a" * 60000}/">' + "".join(
        f"<a href={i}>" for i in range(20000))).encode())

    def kill_at_revisit(_):
        if len(site.asked("/based")) == 2:
            processes.get(timeout=DEADLINE).kill()
        return based

    site = Site({"/": links("/based", "/fine"), "/based": kill_at_revisit, "/fine": page(b"fine")})
    archive = tap.path("long-killed")
    process = subprocess.Popen([tap.PROGRAM, "crawl", *LIMITS, site.url, "-o", archive],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    processes.put(process)
    tap.equal(process.wait(DEADLINE), -signal.SIGKILL)
    report = tap.load("resume", archive, timeout=DEADLINE)
    site.server.stop()
    tap.equal((report["state"], report["pages"], report["sharp"], report["left_out"]["length"]),
              ("finished", 3, 3, 20000))
    tap.succeed("verify", archive)


def test_one_line():
    """50 MB of one line, and a million elements in each other, with a link at their end."""
    line = b"word " * 10 * MANY
    site = Site({"*": page(b"leaf"), "/": links("/line", "/tag", "/deep", "/style"),
                 "/line": page(line + b"<a href=/behind-the-line>x</a>"),
                 "/tag": page(b"<p title='" + line + b"'><a href=/behind-the-tag>x</a>"),
                 "/deep": page(b"<b>" * MANY + b"<a href=/deep-inside>x</a>"),
                 "/style": respond("200 OK", b"a{" * MANY, content_type="text/css")})
    capture = Capture("line", site.url, "--max-body", "100M", "--single")
    site.server.stop()
    capture.check()
    for name in ("behind-the-line", "behind-the-tag", "deep-inside"):
        capture.is_page(site.url + name, "single")
    tap.equal(capture.report["failed"], 0)


def test_large_robots():
    """100 MB of robots.txt: what stands at its head is obeyed."""
    rules = b"User-agent: *\nDisallow: /secret\n" + b"Disallow: /x*y$\n" * 6 * MANY
    site = Site({"*": page(b"leaf"), "/": links("/secret", "/open", "/x-y"),
                 "/robots.txt": lambda request: respond("200 OK", rules)})
    capture = Capture("robots", site.url, "--max-body", "200M")
    site.server.stop()
    capture.check()
    capture.is_page(site.url + "open", "sharp")
    capture.is_page(site.url + "secret", "excluded", "robots.txt, line 2")
    tap.equal(site.asked("/secret"), [])


def test_robots_at_once():
    """150 hosts whose robots.txt of 1 MiB come at the same time share a bounded memory."""
    hosts = 10 if living.SANITIZED else 150
    rules = b"".join(b"Disallow: /%08d/%s\n" % (i, b"a" * 40) for i in range(17000))
    arrived, together = [], threading.Event()

    def robots(request):
        own = f"User-agent: *\n# {request.fields['Host']}\n".encode()
        answer = respond("200 OK", own + rules)
        request.send(answer[:-1])
        arrived.append(None)
        if len(arrived) == hosts:
            together.set()
        together.wait(DEADLINE)
        return answer[-1:]

    # An address each: hosts that share one wait for each other.
    servers = [rawserver.Server(
        lambda request: robots(request) if request.path == "/robots.txt" else page(b"leaf"),
        host=f"127.0.1.{1 + i}") for i in range(hosts)]
    capture = Capture("at-once", *(server.url for server in servers), "--lanes", 1)
    for server in servers:
        server.stop()
    capture.check()
    assert living.SANITIZED or capture.memory < 128 << 20, f"{capture.memory >> 20} MiB"
    for server in servers:
        capture.is_page(server.url, "sharp")


def test_cut_robots():
    """A robots.txt beyond --max-body was not read: nobody knows what it forbids."""
    site = Site({"*": page(b"leaf"), "/robots.txt": lambda request: endless_body(request)})
    capture = site.capture("cut-robots")
    capture.check(status=1)
    assert "robots.txt could not be read" in capture.messages, capture.messages
    tap.equal({request.path for request in site.server.requests}, {"/robots.txt"})


def test_unreadable_robots():
    """A robots.txt whose head nobody can read keeps its site out, and no other."""
    bad = Site({"*": page(b"leaf"), "/robots.txt": closing(
        b"HTTP/1.1 200OK\r\nContent-Length: 3\r\n\r\nabc")})
    good = Site({"/": page(b"root")})
    capture = Capture("unreadable", bad.url, good.url)
    bad.server.stop()
    good.server.stop()
    capture.check()
    capture.is_page(bad.url, "excluded", "robots.txt could not be read: protocol")
    capture.is_page(good.url, "sharp")


def test_sitemaps():
    """An index that contains itself is read once; a bomb is not read to its end."""
    def index(request):
        names = ["index.xml", "index.xml?a", "bomb.xml.gz", "bomb.xml", "broken.xml", "good.xml"]
        entries = "".join(f"<sitemap><loc>http://{request.fields['Host']}/{name}</loc></sitemap>"
                          for name in names * 50)
        return respond("200 OK", f"<sitemapindex>{entries}</sitemapindex>".encode())

    good = "<urlset><url><loc>http://{}/good</loc></url></urlset>"
    site = Site({"/": page(b"root"), "/good": page(b"leaf"), "/index.xml": index,
                 "/robots.txt": lambda request: respond(
                     "200 OK", f"Sitemap: http://{request.fields['Host']}/index.xml".encode()),
                 "/bomb.xml.gz": respond("200 OK", BOMB, content_type="application/gzip"),
                 "/bomb.xml": respond("200 OK", BOMB, content_encoding="gzip"),
                 "/broken.xml": respond("200 OK", b"<urlset><url><loc>http://[</loc><url>"),
                 "/good.xml": lambda request: respond(
                     "200 OK", good.format(request.fields["Host"]).encode())})
    capture = site.capture("sitemaps")
    capture.check()
    capture.is_page(site.url + "good", "sharp")
    tap.equal(capture.report["pages"], 2)
    for path in ("/index.xml", "/bomb.xml.gz", "/bomb.xml", "/broken.xml", "/good.xml"):
        tap.equal((path, len(site.asked(path))), (path, 1))


def test_large_sitemap():
    """200,000 entries of a sitemap, and entities that stand for a billion more."""
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "ha"}">' for i in range(10))

    def bombs(request):
        host = request.fields["Host"]
        return respond("200 OK", (f"<!DOCTYPE urlset [{laughs}]><urlset><url><loc>http://{host}/"
                                  "&l9;</loc></url></urlset>").encode())

    site = Site({"*": page(b"leaf"), "/bomb.xml": bombs,
                 "/robots.txt": lambda request: respond("200 OK", "".join(
                     f"Sitemap: http://{request.fields['Host']}/{name}.xml\n"
                     for name in ("bomb", "many")).encode())})
    site.answers["/many.xml"] = respond("200 OK", b"<urlset>" + b"".join(
        b"<url><loc>%s%d</loc></url>" % (site.url.encode(), i) for i in range(MANY // 5))
        + b"</urlset>")
    capture = Capture("sitemap", site.url, "--max-body", "100M", "--max-pages", 20)
    site.server.stop()
    capture.check()
    tap.equal(capture.report["sharp"], 20)


def test_retry_after():
    """Who asks to be left alone is left alone, then asked again."""
    wait = 2
    refused = []

    def busy(request):
        if refused:
            return page(b"at last")
        refused.append(request.time)
        return respond("503 Busy", retry_after=wait)

    site = Site({"/": links("/busy", "/one", "/two"), "/busy": busy, "/one": page(b"1"),
                 "/two": page(b"2")})
    capture = site.capture("busy")
    capture.check()
    tap.equal(capture.report["sharp"], 4)
    later = [request.time - refused[0] for request in site.server.requests
             if request.time > refused[0]]
    assert later and min(later) >= wait, later


def test_death():
    """A server that dies in the middle and comes back: nothing is missing in the end."""
    pages = [f"/{i}" for i in range(12)]
    keeper = rawserver.reserve()
    reborn = []

    def die(request):
        if reborn:
            return page(b"alive")
        reborn.append(None)
        site.server.stop()

        def rise():
            time.sleep(0.5)
            reborn[0] = rawserver.Server(site.answer, rawserver.port_of(keeper))

        threading.Thread(target=rise).start()
        return None

    site = Site({"/": links(*pages), "/6": die, **{path: page(path.encode()) for path in pages
                                                    if path != "/6"}}, rawserver.port_of(keeper))
    # More attempts than are made in the time that it may take to rise.
    capture = site.capture("death", "--attempts", 9)
    reborn[0].stop()
    keeper.close()
    capture.check()
    tap.equal((capture.report["pages"], capture.report["sharp"]), (13, 13))


def test_smuggling():
    """What comes behind a response is never taken for the next one."""
    false = page(b"<a href=/false>never seen</a>")
    site = Site({"/": links("/one", "/two", "/three"),
                 "/one": page(b"one") + false,
                 "/two": page(b"two") + b"noise\r\n\r\n" * 10,
                 "/three": OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nthree\r\n0\r\n\r\n"
                           + false})
    capture = site.capture("smuggling")
    capture.check()
    tap.equal((capture.report["pages"], capture.report["sharp"]), (4, 4))
    for name in ("one", "two", "three"):
        for record in capture.responses(site.url + name):
            assert name.encode() in record.block and b"never seen" not in record.block


def test_all_dead():
    """Where nothing can be captured at all, that is said."""
    site = Site({"*": lambda request: None})
    capture = site.capture("dead", "--attempts", 2)
    capture.check(status=1)
    assert capture.messages.startswith("stillpoint: crawl: nothing could be captured: "), capture.messages


# ---- all of it, at once ----

TESTS = [test for name, test in list(globals().items()) if name.startswith("test_")]


def outcome(test):
    try:
        test()
        return None
    except Exception as error:  # told in its own case
        return error


with concurrent.futures.ThreadPoolExecutor(len(TESTS) + 2) as pool:
    running = [pool.submit(Nasty, "slow", True, *IMPATIENT), pool.submit(Nasty, "nasty", False)]
    errors = list(pool.map(outcome, TESTS))
    slow, nasty = (each.result() for each in running)

with tap.case("captures of nothing but nasty servers end well"):
    slow.capture.check(status=1)  # it has no page at all
    nasty.capture.check()
for name in NASTY:
    with tap.case(name):
        (slow if name in slow.urls else nasty).check(name)
for test, error in zip(TESTS, errors):
    with tap.case(test.__doc__.splitlines()[0]):
        if error:
            raise error
tap.done()
