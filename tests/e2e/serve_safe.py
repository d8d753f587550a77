#!/usr/bin/env python3
"""`stillpoint serve` against odd archives and odd clients: every answer carries a policy, every
record gets an answer, what is asked for is bounded."""

import datetime
import email.utils
import gzip
import http.client
import json
import os
import re
import resource
import select
import signal
import socket
import subprocess
import urllib.parse

import tap
from replaying import Server, head, members, record, response

A = "http://odd.example/"
DATE = "2020-01-01T12:00:00Z"
TIME = "20200101120000"
HTML = b"<title>x</title><p>plain"


def raw(name, lines, body, date=DATE):
    """A response with exactly these lines of its head."""
    return record("response", A + name, date, "\r\n".join(lines).encode() + b"\r\n\r\n" + body)


EMPTY = ["X-Empty:", "Pragma: ", "X-Blank: \t ", "X-Control: \x01"]
CODED = {
    "br-plain": (["Content-Encoding: br"], HTML),
    "deflate-plain": (["Content-Encoding: deflate"], HTML),
    "gzip-plain": (["Content-Encoding: gzip"], HTML),
    "zstd-plain": (["Content-Encoding: zstd"], HTML),
    "two-lines-once": (["Content-Encoding: gzip", "Content-Encoding: gzip"], gzip.compress(HTML)),
    "two-lines-twice": (["Content-Encoding: gzip", "Content-Encoding: gzip"], gzip.compress(gzip.compress(HTML))),
    "two-lines-identity": (["Content-Encoding: identity", "Content-Encoding: gzip"], gzip.compress(HTML)),
    "unknown": (["Content-Encoding: utf-8"], HTML),
    "long-list": (["Content-Encoding: " + ", ".join(["gzip"] * 99)], HTML),
    "empty": (["Content-Encoding: br"], b""),
}
STATUSES = ["100 Continue", "101 Switching", "103 Hints", "199 x", "204 No Content", "205 Reset", "304 Not Modified",
            "600 x", "999 x"]
WARC = tap.write("odd.warc.gz", members(
    response(A, DATE, HTML),
    raw("fields", ["HTTP/1.1 200 OK", "Content-Type: text/html", *EMPTY], HTML),
    raw("location", ["HTTP/1.1 200 OK", "Location:", "Content-Type: text/html"], HTML),
    raw("untyped", ["HTTP/1.1 200 OK", "Content-Type:"], HTML),
    raw("crowded", ["HTTP/1.1 200 OK", "Content-Type: text/html", *(f"X-{i}: {'v' * 800}" for i in range(60))], HTML),
    *(raw(name, ["HTTP/1.1 200 OK", "Content-Type: text/html", *lines], body) for name, (lines, body) in CODED.items()),
    *(raw(f"status-{status[:3]}", [f"HTTP/1.1 {status}", "Content-Type: text/html"], HTML) for status in STATUSES),
    response(A + "moved", DATE, b"gone", status="301 Moved", Location=A + "target?a=1&b=<2>"),
    response(A + "self", DATE, HTML, status="302 Found", Location=A + "self"),
    # Out of order, in one second, by fractions of any length; and two without.
    *(response(A + "second", f"2020-03-01T00:00:00{fraction}Z", name.encode())
      for fraction, name in ((".750", "three"), (".25", "one"), (".500000001", "two"))),
    *(response(A + "whole", "2020-03-01T00:00:00Z", name.encode()) for name in ("one", "two")),
    record("response", A + "x.svg", DATE, head(Content_Type="image/svg+xml") + b"<svg/>"),
    record("response", A + "x.xml", DATE, head(Content_Type="text/xml") + b"<x/>"),
))

# One record, and an index that has it 20,001 times.
LOOP = response(A + "loop", DATE, b"", status="302 Found", Location=A + "loop")
os.mkdir(tap.path("many"))
tap.write("many/loop.warc", LOOP)
START = datetime.datetime(2020, 1, 1)
tap.write("many/loop.cdxj", "".join(
    f"example,odd)/loop {START + datetime.timedelta(minutes=n):%Y%m%d%H%M%S} "
    f'{{"url": "{A}loop", "status": "302", "filename": "loop.warc", "offset": "0", "length": "{len(LOOP)}"}}\n'
    for n in range(20001)))


def content_of(server):
    """The content origin, as the framed page knows it."""
    port = re.search(r'src="(http://[^/"]+)', server.text(f"/odd/{TIME}/{A}"))[1]
    return urllib.parse.urlsplit(port).netloc


def ask(host, path, method="GET", **fields):
    connection = http.client.HTTPConnection(host, timeout=120)
    connection.putrequest(method, path, skip_accept_encoding=True)
    for name, value in fields.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.headers, body


with Server(WARC, tap.path("many")) as server:
    CONTENT = content_of(server)
    URLS = [A, A + "moved", A + "none", A + "x.svg", A + "x.xml", A + "self", A + "fields", "http://[", "x" * 20000]
    FORMS = ["", "id_", "mp_", "im_", "js_", "cs_", "xx_"]
    PATHS = (["/", "/odd/", "/odd", "/none/", "/_/viewer.js", "/_/replay.js", "/_/viewer.css", "/_/none", "/favicon.ico",
              "/odd/cdx?url=odd.example", "/odd/cdx", "/odd/search?q=x", "/odd/search", "/odd/?url=x", "/odd/timemap/xx/x",
              "/odd/99999999999999id_/" + A, "/odd/20209999id_/" + A, "/_/9//", "//", "/odd//", "/%", "/odd/%00/x", "*"]
             + [f"/odd/{TIME}{form}/{url}" for form in FORMS for url in URLS]
             + [f"/odd/{kind}/{url}" for url in URLS for kind in ("*", "timemap/link", "timemap/json", "timemap/cdxj",
                                                                  f"composite/{TIME}")]
             + [f"/odd/{url}" for url in URLS])

    with tap.case("every answer of both origins has a policy that lets nothing out"):
        for host in (server.host, CONTENT):
            for path in PATHS:
                for method, fields in (("GET", {}), ("GET", {"Sec_Fetch_Dest": "document"}), ("GET", {"Range": "bytes=9999-"}),
                                       ("HEAD", {}), ("POST", {}), ("OPTIONS", {}), ("GET", {"Service_Worker": "script"})):
                    status, fields, _ = ask(host, path, method, **fields)
                    policies = fields.get_all("Content-Security-Policy") or []
                    assert len(policies) == 1, (host, path[:80], method, status, policies)
                    sources = re.sub(r"frame-ancestors [^;]*", "", policies[0])
                    assert "default-src 'none'" in sources or "default-src 'self'" in sources, policies
                    for other in re.findall(r"https?://[^ ;]+", sources):
                        assert urllib.parse.urlsplit(other).netloc == CONTENT, policies

    with tap.case("raw mementos, and errors in their place, load and run nothing"):
        for name in ("", "x.svg", "x.xml", "fields", "none"):
            policy = ask(server.host, f"/odd/{TIME}id_/{A}{name}")[1]["Content-Security-Policy"]
            directives = dict(d.strip().partition(" ")[::2] for d in policy.split(";"))
            assert "sandbox" in directives and "script-src" not in directives, policy
            tap.equal(directives.pop("style-src"), "'unsafe-inline'")
            tap.equal({directives[k] for k in directives if k.endswith("-src") and k != "default-src"}, {"data:"})

    with tap.case("a raw redirect leads on for programs, and tells people where it led"):
        for fields in ({}, {"Sec_Fetch_Dest": "empty"}, {"Accept": "*/*"}):
            status, got, body = ask(server.host, f"/odd/{TIME}id_/{A}moved", **fields)
            tap.equal((status, got["Location"], body), (301, A + "target?a=1&b=<2>", b"gone"))
        for fields in ({"Sec_Fetch_Dest": "document"}, {"Sec_Fetch_Dest": "iframe"}, {"Sec_Fetch_Mode": "navigate"},
                       {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}):
            status, got, body = ask(server.host, f"/odd/{TIME}id_/{A}moved", **fields)
            tap.equal((status, got["Location"]), (200, None))
            assert b"http://odd.example/target?a=1&amp;b=%3C2%3E" in body, body

    with tap.case("fields without a value do not cost the answer"):
        for form in ("id_", "mp_"):
            host = CONTENT if form == "mp_" else server.host
            for name in ("fields", "location", "untyped", "crowded"):
                status, got, body = ask(host, f"/odd/{TIME}{form}/{A}{name}")
                assert status == 200 and HTML[-5:] in body, (form, name, status, body)
        tap.equal(ask(server.host, f"/odd/{TIME}id_/{A}crowded?{'q' * 9000}")[0], 404)

    with tap.case("every archived status gets an answer"):
        for form in ("id_", "mp_"):
            host = CONTENT if form == "mp_" else server.host
            for status in STATUSES:
                got = ask(host, f"/odd/{TIME}{form}/{A}status-{status[:3]}")[0]
                tap.equal((status, got), (status, 200 if int(status[:3]) < 200 else int(status[:3])))

    with tap.case("labels of codings that the body does not have: what was captured is shown"):
        for name, (_, stored) in CODED.items():
            want = HTML if stored else b""
            status, _, body = ask(CONTENT, f"/odd/{TIME}mp_/{A}{name}")
            assert status == 200 and want[-5:] in body, (name, status, body)
            for accept in ("", "gzip, br, deflate, zstd"):
                status, fields, body = ask(server.host, f"/odd/{TIME}id_/{A}{name}", Accept_Encoding=accept)
                for coding in reversed((fields["Content-Encoding"] or "").split(",")):
                    assert coding.strip() in ("", "gzip", "br"), (name, fields["Content-Encoding"])
                    body = gzip.decompress(body) if coding.strip() == "gzip" else body
                tap.equal((name, accept, status, body), (name, accept, 200, want))

    with tap.case("a page that only led to itself is shown as that"):
        for collection, name in (("odd", "self"), ("many", "loop")):
            status, fields, body = ask(CONTENT, f"/{collection}/{TIME}mp_/{A}{name}")
            tap.equal((status, fields["Location"]), (200, None))
            assert b"led to itself" in body, body
            tap.equal(ask(server.host, f"/{collection}/{TIME}/{A}{name}")[0], 200)
            tap.equal(ask(server.host, f"/{collection}/{TIME}id_/{A}{name}")[0], 302)

    with tap.case("a TimeMap of 20,001 mementos has three pages, each of which names the others"):
        base = f"{server.url}/many/timemap/link/"
        for number, count in ((1, 10000), (2, 10000), (3, 1)):
            page = server.text(f"/many/timemap/link/{number}/{A}loop")
            tap.equal(page.count('memento"; datetime'), count)
            others = re.findall(r'<([^>]*)>; rel="timemap"', page)
            tap.equal(others, [f"{base}{n}/{A}loop" for n in (1, 2, 3) if n != number])
        pages = json.loads(server.text(f"/many/timemap/json/{A}loop"))["pages"]
        tap.equal([page["uri"] for page in pages], [f"{server.url}/many/timemap/json/{n}/{A}loop" for n in (1, 2, 3)])
        tap.equal(server.text(f"/many/timemap/cdxj/2/{A}loop").count("timemap_page"), 3)
        tap.equal(server.get(f"/many/timemap/link/4/{A}loop").status, 404)

    with tap.case("fractions of dates decide among mementos of one second"):
        listed = json.loads(server.text(f"/odd/timemap/json/{A}second"))["mementos"]["list"]
        tap.equal([one["uri"].split("/")[4] for one in listed],
                  ["20200301000000250", "20200301000000500", "20200301000000750"])
        for asked, want in (("20200301000000250", "one"), ("20200301000000500", "two"), ("20200301000000750", "three"),
                            ("2019", "one"), ("20200301000000000", "one"), ("20200301000000300", "one"),
                            ("20200301000000400", "two"), ("20200301000000", "three"), ("2021", "three"),
                            ("20200301000000700", "three")):
            tap.equal((asked, server.text(f"/odd/{asked}id_/{A}second")), (asked, want))
        listed = json.loads(server.text(f"/odd/timemap/json/{A}whole"))["mementos"]["list"]
        for one, want in zip(listed, ("one", "two"), strict=True):
            tap.equal(server.text(f"/odd/{one['uri'].split('/')[4]}id_/{A}whole"), want)

    with tap.case("a resume key works as it is printed, and escaped once more"):
        page = server.text(f"/many/cdx?url={A}loop&limit=2&showResumeKey=true&output=text&fl=timestamp")
        key = page.splitlines()[-1]
        for sent in (key, urllib.parse.quote(key), urllib.parse.quote_plus(key)):
            tap.equal(server.text(f"/many/cdx?url={A}loop&limit=1&output=text&fl=timestamp&resumeKey={sent}"),
                      "20200101000200\n")

    with tap.case("years that 64 bits of nanoseconds do not reach are before, or behind, everything"):
        first, last = "20200101000000", f"{START + datetime.timedelta(minutes=20000):%Y%m%d%H%M%S}"
        for year, want in (("0000", first), ("0001", first), ("1600", first), ("1677", first), ("1678", first),
                           ("2261", last), ("2262", last), ("9999", last)):
            got = server.text(f"/many/cdx?url={A}loop&closest={year}&limit=1&output=text&fl=timestamp")
            tap.equal((year, got), (year, want + "\n"))
            got = server.get(f"/many/{year}id_/{A}loop").fields["memento-datetime"]
            want_date = email.utils.format_datetime(datetime.datetime.strptime(want, "%Y%m%d%H%M%S").replace(
                tzinfo=datetime.timezone.utc), usegmt=True)
            tap.equal((year, got), (year, want_date))
            if year not in ("0000",):
                got = server.get(f"/many/{A}loop", Accept_Datetime=f"Fri, 01 Jan {year} 00:00:00 GMT")
                assert f"/{want}/" in got.fields["location"], (year, got)

    with tap.case("times are what they are in every command: now, dates, with and without zone"):
        today = f"{datetime.datetime.now(datetime.timezone.utc):%Y%m%d}"
        for said, want in (("2020-01-01", "20200101"), ("2020-01-01T12:00Z", "202001011200"),
                           ("2020-01-01T12:00:00", TIME), ("2020-01-01T13:00:00+01:00", TIME), ("2020-01", "202001"),
                           ("now", today)):
            for form in ("", "id_"):
                answer = server.get(f"/odd/{said}{form}/{A}x.svg")
                assert answer.status == 302, (said, answer)
                assert re.fullmatch(rf"/odd/{want}\d*{form}/{re.escape(A)}x.svg", answer.fields["location"]), (said, answer)
        tap.equal(server.get(f"/odd/2020-13-01/{A}").status, 400)
        assert server.get("/odd/now/x").status == 404, "a host of that name"
        for said in ("now", "2020-01-01", "20200101", "2020-01-01T12:00:00Z"):
            got = server.text(f"/many/cdx?url={A}loop&to={said}&limit=1&output=text&fl=timestamp")
            tap.equal((said, got), (said, "20200101000000\n"))
        tap.equal(server.text(f"/many/cdx?url={A}loop&from=now&output=text"), "")
        assert b"is no time" in server.get(f"/many/cdx?url={A}loop&from=then").body

    with tap.case("answers do not tell where the server keeps its files; errors are pages with a landmark and a heading"):
        for path in ("/odd/search?q=x", "/many/search?q=x", f"/odd/{TIME}/http://none.example/", "/none/", "/odd/search",
                     f"/odd/http://none.example/{'x' * 500}", f"/odd/20201301/{A}"):
            answer = server.get(path)
            tap.equal((path, answer.status // 100), (path, 4))
            assert tap.DIRECTORY.name.encode() not in answer.body, answer.body
            for tag in (b"<main>", b"<h1>", b"rel=\"icon\"", b"name=\"viewport\""):
                tap.equal((path, tag, answer.body.count(tag)), (path, tag, 1))

    with tap.case("a record without Content-Type is of an unknown type"):
        tap.equal(server.text(f"/odd/cdx?url={A}untyped&output=text&fl=mime"), "unk\n")
        tap.equal(json.loads(server.text(f"/odd/cdx?url={A}untyped&output=json&filter==mime:unk"))["mime"], "unk")

with tap.case("rules for everything hide it in every list"):
    for rule in ("* block", "http://* block", "* embargo 20000d", "http://Odd.example/ block"):
        with Server("--access", tap.write("rules", rule + "\n"), WARC) as server:
            tap.equal(server.text("/").count("/odd/"), 0)
            tap.equal(server.text("/odd/cdx?url=odd.example*"), "")
            for path in (f"/odd/*/{A}", f"/odd/timemap/link/{A}", f"/odd/{TIME}id_/{A}", f"/odd/{TIME}/{A}", f"/odd/{A}",
                         f"/odd/composite/{TIME}/{A}"):
                answer = server.get(path)
                assert answer.status in (404, 451) and b"untyped" not in answer.body, (rule, path, answer)
    tap.refuse(1, "protects nothing", "serve", "--access", tap.write("rules", "odd.*.example block\n"), WARC)

# ---- names, ports and the log ----

LOG = tap.path("access.log")
with Server("--access-log", LOG, "--host-name", "Archive.example", "--host-name", "b.example", WARC) as server:
    def logged(text):
        """The log, when it has that; a line is written when the answer is on its way."""
        while True:
            with open(LOG, encoding="ascii") as file:
                if text in (log := file.read()):
                    return log

    def asked_as(name, path="/"):
        return server.get(path, Host=name)

    with tap.case("only names of our own are answered to, and no other is repeated"):
        port = server.host.split(":")[1]
        for lines in (b"", b"Host:\r\n", b"Host: \r\n", b"Host: localhost\r\nHost: evil.example\r\n"):
            with socket.create_connection(("127.0.0.1", int(port))) as client:
                client.sendall(b"GET / HTTP/1.1\r\nConnection: close\r\n" + lines + b"\r\n")
                answer = client.makefile("rb").read()
                assert b" 400 " in answer.splitlines()[0] and b"Content-Security-Policy" in answer, (lines, answer)
        for name in ("127.0.0.1", "localhost", "archive.example", "B.example", f"localhost:{port}", "archive.example:80"):
            tap.equal((name, asked_as(name).status), (name, 200))
        for name in ("evil.example", "127.0.0.2", f"evil.example:{port}", "localhost.evil.example", "x" * 300, "<b>"):
            for path in ("/", f"/odd/{TIME}/{A}", f"/odd/{TIME}id_/{A}", f"/odd/{A}"):
                answer = asked_as(name, path)
                assert answer.status == 421 and name not in repr(answer), (name, answer)
                assert "default-src 'none'" in answer.fields["content-security-policy"], answer
        tap.equal(ask(content_of(server), f"/odd/{TIME}mp_/{A}")[0], 200)
        connection = http.client.HTTPConnection(content_of(server))
        connection.request("GET", f"/odd/{TIME}mp_/{A}", headers={"Host": "evil.example"})
        tap.equal(connection.getresponse().status, 421)

    with tap.case("the access log has the combined format, and each request is one line"):
        server.get("/", User_Agent='a "b" \\ c', Referer="http://r.example/\xe9")
        server.get(f"/odd/{TIME}id_/{A}?n=1", method="HEAD")
        lines = logged('"HEAD /odd/').splitlines()
        form = re.compile(r'127\.0\.0\.1 - - \[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000\] '
                          r'"[A-Z]+ /[^"]* HTTP/1\.1" \d{3} \d+ "(\\.|[^"\\])*" "(\\.|[^"\\])*"')
        for line in lines:
            assert form.fullmatch(line), line
        assert lines[-2].endswith(r'"http://r.example/\xe9" "a \"b\" \\ c"'), lines[-2]
        assert '"HEAD /odd/' in lines[-1] and " 404 0 " in lines[-1], lines[-1]

    with tap.case("SIGHUP opens the access log anew"):
        os.rename(LOG, LOG + ".1")
        server.process.send_signal(signal.SIGHUP)
        while not os.path.exists(LOG):
            server.get("/")
        server.get("/?after")
        logged("/?after")

with tap.case("a port that is taken: the message says what to do, or another one is chosen"):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        if port > 1024:
            tap.refuse(1, "--content-listen", "serve", WARC, "--listen", f"127.0.0.1:{port - 1}")
        tap.refuse(1, "in use", "serve", WARC, "--listen", "127.0.0.1:0", "--content-listen", f"127.0.0.1:{port}")
    held = []
    for port in (8080, 8081):
        try:
            held.append(socket.create_server(("127.0.0.1", port)))
        except OSError:
            pass  # somebody else has it
    with subprocess.Popen([tap.PROGRAM, "serve", WARC], stdout=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().strip()
        tap.equal(ask(address[7:].rstrip("/"), "/")[0], 200)
        process.terminate()
        tap.equal(process.wait(60), 0)
    for one in held:
        one.close()

# ---- many, and costly ----

BIG = 96 << 20
EXPENSIVE = "&".join("filter=!~url:" + urllib.parse.quote(rf"(\w*)*(\w*)*(\w*)*[!{n}]") for n in range(30)) + "&filter==status:999"
tap.write("big.warc.gz", members(record("response", A + "big", DATE, head(
    Content_Type="video/mp4", Transfer_Encoding="identity") + bytes(BIG))))


def hold(host, path, **fields):
    """A request whose answer nobody reads yet."""
    connection = http.client.HTTPConnection(host, timeout=120)
    connection.request("GET", path, headers={k.replace("_", "-"): v for k, v in fields.items()})
    return connection


def dribble(host, count, keep):
    """Connections with half a head each; those that are kept stay open."""
    name, port = host.split(":")
    kept = []
    for _ in range(count):
        one = socket.create_connection((name, int(port)), timeout=60)
        one.sendall(b"GET /odd/ HTTP/1.1\r\nHost: x\r\nX-Half: ")
        if keep:
            kept.append(one)
        else:
            one.close()
    return kept


def ready(connections, timeout):
    """Those that have an answer; waits for one, so long."""
    poll = select.poll()
    for one in connections:
        poll.register(one.sock, select.POLLIN)
    found = {fd for fd, _ in poll.poll(timeout * 1000)}
    return [one for one in connections if one.sock.fileno() in found]


_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
with Server(WARC, tap.path("many"), tap.path("big.warc.gz")) as server:
    queries = [hold(server.host, f"/many/cdx?url={A}*&{more}&{EXPENSIVE}")
               for more in ("", "sort=reverse", "showNumPages=true", "page=3", "limit=-1", "resumeKey=a+1+0+x") * 3]

    with tap.case("while costly queries are pending, pages are shown"):
        tap.equal(server.get("/").status, 200)
        tap.equal(server.get("/_/viewer.css").status, 200)
        tap.equal(server.get(f"/odd/{TIME}id_/{A}").status, 200)
        assert len(ready(queries, 0)) < len(queries), "the queries were not costly"

    with tap.case("the end of a large record, asked for again and again, keeps nobody waiting"):
        ends = [hold(server.host, f"/big/{TIME}id_/{A}big", Range="bytes=-1") for _ in range(4)]
        tap.equal(server.get("/").status, 200)
        for one in ends:
            answer = one.getresponse()
            tap.equal((answer.status, answer.getheader("Content-Range"), answer.read()),
                      (206, f"bytes {BIG - 1}-{BIG - 1}/{BIG}", b"\0"))

    with tap.case("connections without a whole request keep nobody out"):
        dribble(server.host, 1500, keep=False)
        tap.equal(server.get("/").status, 200)
        open_ones = dribble(server.host, 1500, keep=True)
        tap.equal(server.get("/").status, 200)
        tap.equal(server.get(f"/odd/{TIME}id_/{A}").status, 200)

    with tap.case("one address has a bounded number of queries under way"):
        more = [hold(server.host, f"/many/cdx?url={A}*&{EXPENSIVE}") for _ in range(80)]
        answer = ready(more, 60)[0].getresponse()
        tap.equal((answer.status, answer.getheader("Retry-After")), (503, "10"))
        tap.equal(server.get("/").status, 200)

with tap.case("SIGTERM ends the server while queries are pending"):
    tap.equal(server.process.returncode, 0)
tap.done()
