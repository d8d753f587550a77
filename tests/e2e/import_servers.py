#!/usr/bin/env python3
"""stillpoint import --cdx-server and --timemap: a server that speaks both, with its moods."""

import contextlib
import gzip
import http.server
import json
import os
import signal
import sqlite3
import subprocess
import threading
import urllib.parse

import living
import tap

STAMPS = [f"2016010{day}000000" for day in range(1, 10)]


def cdx(page, stamps=STAMPS):
    return [f"com,example)/{page} {stamp} http://example.com/{page} text/html 200 "
            f"{'AB'[i % 2]}BCDEFGHIJKLMNOPQRSTUVWXYZ234567 1" for i, stamp in enumerate(stamps)]


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked, self.moods, self.hold = [], [], threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """Clients that were killed."""

    def url(self, path):
        return f"http://127.0.0.1:{self.server_address[1]}{path}"

    def count(self, word):
        return sum(word in path for path in self.asked)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, status=200, **fields):
        body = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def moody(self):
        """Whether this request is not answered as usual."""
        mood = self.server.moods.pop(0) if self.server.moods else None
        if mood in (429, 503):
            self.answer("later", mood, Retry_After="0")
        elif mood == 400:
            self.answer("what?", 400)
        elif mood == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "5000")
            self.end_headers()
            self.wfile.write("\n".join(cdx("cut"))[:100].encode())
            self.close_connection = True
        elif mood == "reset":
            self.close_connection = True
            self.connection.close()
        elif mood == "damaged":
            self.answer(gzip.compress(b"com,example)/" * 999)[:60], Content_Encoding="gzip")
        elif mood == "away":
            self.answer("", 302, Location=self.path.replace("/cdx", "/moved"))
        elif mood == "hold":
            self.server.hold.wait(60)
            return False
        return mood is not None

    def do_GET(self):
        self.server.asked.append(self.path)
        if self.moody():
            return
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        getattr(self, url.path.strip("/").split("/")[0].replace("-", "_"))(url, query)

    # ---- CDX servers ----

    def cdx_pages(self, _, query):
        """Pages and their number, as the Wayback Machine's server."""
        pages = [cdx("a"), cdx("b"), [], cdx("c", STAMPS[:3])]
        if query.get("showNumPages"):
            self.answer(f"{len(pages)}\n")
        elif pages[int(query["page"])]:
            self.answer("\n".join(pages[int(query["page"])]) + "\n")
        else:
            self.answer('{"message": "No Captures found"}', 404)

    def cdx_json(self, _, query):
        """The same as pywb: a JSON object for each, gzip."""
        lines = [{"urlkey": "k", "timestamp": stamp, "url": "http://example.com/j",
                  "digest": "sha1:ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "status": "200"} for stamp in STAMPS]
        if query.get("showNumPages"):
            self.answer('{"pages": 3, "pageSize": 5, "blocks": 11}')
            return
        page = int(query["page"])
        text = "\n".join(map(json.dumps, lines[3 * page:3 * page + 3])) + "\n"
        self.answer(gzip.compress(text.encode()), Content_Encoding="gzip")

    def cdx_keys(self, _, query):
        """No pages; a part of the list, and a key to the next."""
        lines = cdx("k") + cdx("l")
        start = int(query.get("resumeKey", "at 0").split()[1])
        tail = f"\nat+{start + 7}\n" if start + 7 < len(lines) else ""
        self.answer("\n".join(lines[start:start + 7]) + "\n" + tail)

    def cdx_table(self, _, query):
        """The same as a JSON table."""
        rows = [line.split() for line in cdx("t")]
        start = int(query.get("resumeKey", 0))
        head = [["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"]]
        tail = [[], [str(start + 4)]] if start + 4 < len(rows) else []
        self.answer(json.dumps(head + rows[start:start + 4] + tail))

    def cdx_same_key(self, _, query):
        self.answer("\n".join(cdx(f"n{len(self.server.asked)}")) + "\n\nagain\n")

    def cdx_same_part(self, _, query):
        self.answer("\n".join(cdx("s")) + f"\n\nkey{len(self.server.asked)}\n")

    def cdx_huge(self, *_):
        self.answer("100000000\n")

    def cdx_whole(self, _, query):
        self.answer("\n".join(cdx("w")) + "\n")

    def moved(self, *_):
        self.answer("\n".join(cdx("m")) + "\n")

    def missing(self, *_):
        self.answer("no", 404)

    def page(self, *_):
        self.answer("<html><body>Welcome</body></html>", Content_Type="text/html")

    # ---- TimeMaps ----

    def mementos(self, first, count):
        return [f'<http://a.example/{n}>; rel="memento"; datetime="Mon, {n:02} Jan 2016 23:24:25 GMT"'
                for n in range(first, first + count)]

    def timemap(self, url, _):
        page = int(url.path.rsplit("/", 1)[1])
        links = ['<http://example.com/tm>; rel="original"',
                 f'<{self.server.url(url.path)}>; rel="self"',
                 '<http://elsewhere.example/timemap/9>; rel="timemap"',
                 f'<{self.server.url("/json")}>; rel="timemap"; type="application/json"']
        links += [f'</timemap/{n}>; rel="timemap"; type="application/link-format"; from="x"'
                  for n in range(1, 4)]
        self.answer(",\n".join(links + self.mementos(1 + 5 * page, 5)), Content_Type="application/link-format")

    def timemap_json(self, url, _):
        page = int(url.path.rsplit("/", 1)[1])
        more = {"pages": {"next": {"uri": f"/timemap-json/{page + 1}"}}} if page < 2 else {}
        self.answer(json.dumps({"original_uri": "http://example.com/tj", "mementos": {"list": [
            {"datetime": f"2016-02-{1 + 3 * page + n:02}T00:00:00Z", "uri": "http://a.example/"}
            for n in range(3)]}, **more}))

    def timemap_endless(self, url, _):
        page = int(url.path.rsplit("/", 1)[1])
        self.answer(f'<http://example.com/e>; rel="original",\n</timemap-endless/{page + 1}>; rel="timemap"')


SERVER = Server()
ARCHIVE = tap.path("site.stillpoint")
with living.Site("site", "--pages", 3, "--mean-rate", 0) as site:
    tap.succeed("crawl", site.url, "-o", ARCHIVE, "--delay", 0, "--single", "--json")


def imported(*arguments, **options):
    """What is printed, and the requests that were made."""
    SERVER.asked.clear()
    text = tap.succeed("import", ARCHIVE, "--delay", 0, *arguments, **options)
    return text.strip()


def cdx_server(path):
    return ["--cdx-server", SERVER.url(path)]


def refused(*arguments, status=1):
    SERVER.asked.clear()
    result = tap.run("import", ARCHIVE, "--delay", 0, *arguments)
    tap.equal((result.returncode, result.stdout), (status, ""))
    tap.equal(result.stderr.count("\n"), 1)
    return result.stderr


def known(url):
    """Times at which the archive knows captures of a page."""
    with contextlib.closing(sqlite3.connect(os.path.join(ARCHIVE, "catalog.sqlite"))) as database:
        return database.execute("SELECT time FROM imported WHERE page = "
                                "(SELECT id FROM imported_page WHERE url = ?)", [url]).fetchall()


with tap.case("pages, one after the other; one of them is empty"):
    tap.equal(imported(*cdx_server("/cdx-pages?url=example.com")),
              "imported 21 captures of 3 pages; 0 were there already")
    tap.equal([path.split("example.com")[1] for path in SERVER.asked],
              ["&showNumPages=true&showResumeKey=true", "&page=0", "&page=1", "&page=2", "&page=3"])
    rows = {row["url"]: row for row in map(json.loads, tap.succeed("rates", ARCHIVE, "--json").splitlines())}
    tap.equal([rows["http://example.com/a"][key] for key in ("observations", "changes", "source")],
              [9, 8, "cdx"])

with tap.case("nothing twice"):
    tap.equal(imported(*cdx_server("/cdx-pages?url=example.com")),
              "imported 0 captures of 3 pages; 21 were there already")

with tap.case("JSON lines, gzip, the number of pages in an object"):
    tap.equal(imported(*cdx_server("/cdx-json?url=example.com")),
              "imported 9 captures of 1 pages; 0 were there already")

with tap.case("resume keys, in text"):
    tap.equal(imported(*cdx_server("/cdx-keys")), "imported 18 captures of 2 pages; 0 were there already")
    assert "resumeKey=at+7" in SERVER.asked[1] and "?" in SERVER.asked[0], SERVER.asked

with tap.case("resume keys, in a table"):
    tap.equal(imported(*cdx_server("/cdx-table?x=y")), "imported 9 captures of 1 pages; 0 were there already")

with tap.case("a list without pages and keys; a server that does not like to be asked"):
    SERVER.moods = [400]
    tap.equal(imported(*cdx_server("/cdx-whole")), "imported 9 captures of 1 pages; 0 were there already")
    tap.equal(SERVER.asked[1], "/cdx-whole")

with tap.case("a redirect"):
    SERVER.moods = ["away"]
    tap.equal(imported(*cdx_server("/cdx/x")), "imported 9 captures of 1 pages; 0 were there already")

for mood in (429, "cut", "reset", "damaged"):
    with tap.case(f"asked again after: {mood}"):
        SERVER.moods = [mood]
        tap.equal(imported(*cdx_server("/cdx-whole?again")), "imported 0 captures of 1 pages; 9 were there already")
        tap.equal(len(SERVER.asked), 2)

with tap.case("endless: the same key, the same part, too many pages, TimeMaps without captures"):
    assert "a resume key came twice" in refused(*cdx_server("/cdx-same-key"))
    tap.equal(len(known("http://example.com/n1")), 9)  # what came so far is kept
    assert "a part came twice" in refused(*cdx_server("/cdx-same-part"))
    assert "too many pages" in refused(*cdx_server("/cdx-huge"))
    assert "are without captures" in refused("--timemap", SERVER.url("/timemap-endless/0"))
    assert len(SERVER.asked) < 200, len(SERVER.asked)

with tap.case("not such a server"):
    assert "HTTP status 404" in refused(*cdx_server("/missing"))
    assert "not " in refused(*cdx_server("/page"))
    assert "not an http or https URL" in refused("--cdx-server", "ftp://example.com/", status=2)

with tap.case("a TimeMap in pages: each of them once, none of other servers"):
    tap.equal(imported("--timemap", SERVER.url("/timemap/0")),
              "imported 20 captures of 1 pages; 0 were there already")
    tap.equal(SERVER.asked, ["/timemap/0", "/timemap/1", "/timemap/2", "/timemap/3"])

with tap.case("a TimeMap in JSON, with the next one"):
    tap.equal(imported("--timemap", SERVER.url("/timemap-json/0")),
              "imported 9 captures of 1 pages; 0 were there already")

with tap.case("killed at the third page: goes on there, and starts anew the next time"):
    where = cdx_server("/cdx-pages?url=other")
    SERVER.moods = [None, None, None, "hold"]
    SERVER.asked.clear()
    process = subprocess.Popen([tap.PROGRAM, "import", ARCHIVE, "--delay", "0", *where])
    while SERVER.count("page=2") == 0:
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    SERVER.hold.set()
    imported(*where)
    tap.equal([path.split("other&")[1] for path in SERVER.asked], ["page=2", "page=3"])
    imported(*where)
    tap.equal(len(SERVER.asked), 5)

with tap.case("a server that stays away is given up, with what to do"):
    SERVER.moods = ["reset"] * 99
    text = refused(*cdx_server("/cdx-whole?gone")) if os.environ.get("STILLPOINT_TEST_SCALE") else None
    SERVER.moods = []
    assert text is None or "run the same command again later" in text, text

with tap.case("nothing to import"):
    result = tap.run("import", ARCHIVE)
    tap.equal((result.returncode, result.stdout), (2, ""))
    assert "--cdx-server" in result.stderr

tap.done()
