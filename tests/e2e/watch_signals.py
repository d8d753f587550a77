#!/usr/bin/env python3
"""stillpoint watch: sitemaps and feeds that are polled, servers whose 304 is a lie, pings, weights."""

import atexit
import datetime
import http.client
import json
import signal
import subprocess
import threading
import time
import urllib.parse

import living
import rawserver
import replaying
import tap
from rawserver import page, respond

DEADLINE = 120
PAGES = 100
PER_SECOND = 20


class Site:
    """Pages with versions and dates, a sitemap and a feed of them. Counts what it is asked for."""

    def __init__(self, pages=PAGES, sitemap=True, feed=None, robots=""):
        self.lock = threading.Lock()
        self.versions = {f"/p{i}": 0 for i in range(pages)}
        self.dates = dict.fromkeys(self.versions, self.now())
        self.has_sitemap = sitemap
        self.feed = feed
        self.robots = robots
        self.linked = ""       # on every page
        self.lies = False      # answers 304 to every condition
        self.is_eager = False  # says that every page has just changed
        self.server = rawserver.Server(self.answer)
        self.url = self.server.url

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()

    @staticmethod
    def now():
        return datetime.datetime.now(datetime.timezone.utc)

    def change(self, *paths):
        with self.lock:
            for path in paths:
                self.versions[path] = self.versions.get(path, -1) + 1
                self.dates[path] = self.now()

    def answer(self, request):
        with self.lock:
            if request.path == "/robots.txt":
                return respond("200 OK", self.robots.encode(), content_type="text/plain")
            if request.path == "/sitemap.xml" and self.has_sitemap:
                return self.conditional(request, self.sitemap())
            if request.path == "/feed" and self.feed:
                return self.conditional(request, self.entries())
            if request.path == "/":
                return page(self.front())
            if request.path in self.versions:
                return page(f"{request.path} {self.versions[request.path]} {self.linked}".encode())
        return rawserver.NOT_FOUND

    def conditional(self, request, body):
        etag = f'"{hash(body):x}"'
        if request.fields.get("If-None-Match") == etag or \
                (self.lies and "If-None-Match" in request.fields):
            return respond("304 Not Modified", etag=etag)
        return respond("200 OK", body, content_type="text/xml", etag=etag)

    def front(self):
        links = [f'<a href="{path}">x</a>' for path in list(self.versions)[:PAGES]]
        if self.feed:
            links.insert(0, f'<link rel=alternate type="{self.feed}" href="/feed">')
        return "".join(links).encode()

    def date(self, path):
        return (self.now() if self.is_eager else self.dates[path]).isoformat()

    def sitemap(self):
        rows = (f"<url><loc>{self.url}{path[1:]}</loc><lastmod>{self.date(path)}</lastmod></url>"
                for path in self.versions)
        return f"<urlset>{''.join(rows)}</urlset>".encode()

    def entries(self):
        latest = sorted(self.versions, key=self.dates.get)[-20:]
        if self.feed == "application/feed+json":
            return json.dumps({"version": "https://jsonfeed.org/version/1.1", "items": [
                {"url": self.url + path[1:], "date_modified": self.date(path)}
                for path in latest]}).encode()
        rows = (f'<entry><link href="{path}"/><updated>{self.date(path)}</updated></entry>'
                for path in latest)
        return f'<feed xmlns="http://www.w3.org/2005/Atom">{"".join(rows)}</feed>'.encode()

    def asked(self, path, condition=None):
        """Places of the requests for it; with a condition, without, or either."""
        return [i for i, request in enumerate(list(self.server.requests)) if request.path == path and
                condition in (None, "If-None-Match" in request.fields)]


class Watch:
    """A watch that runs, until it is stopped or killed."""

    def __init__(self, name, sites, budget=PER_SECOND, **top):
        lines = [f"archive: {tap.path(name)}", f"budget: {{requests: {budget}/second}}", "delay: 0"]
        lines += [f"{key}: {value}" for key, value in top.items()] + ["sites:"]
        lines += [f"  - url: {site.url}" for site in sites]
        self.archive = tap.path(name)
        self.config = tap.write(f"{name}.yaml", "\n".join(lines) + "\n")
        self.process = None
        atexit.register(lambda: self.process.kill())
        self.start()

    def start(self):
        self.process = subprocess.Popen([tap.PROGRAM, "watch", self.config], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def until(self, holds):
        deadline = time.monotonic() + DEADLINE
        while not (value := holds()):
            assert self.process.poll() is None, self.process.stderr.read()
            assert time.monotonic() < deadline, "it never happened"
            time.sleep(0.01)
        return value

    def signals(self):
        """By their source, once the status has them."""
        answer = json.loads(tap.run("watch", "--status", "--json", self.config).stdout)
        return {row["source"]: row for site in answer["sites"] for row in site["signals"]}

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        said = self.process.communicate(timeout=DEADLINE)[1]
        tap.equal(self.process.returncode, 0)
        tap.succeed("verify", self.archive)
        return "".join(line for line in said.splitlines(True)
                       if not line.startswith(("stillpoint: watching ", "stillpoint: stopped ")))

    def kill(self):
        self.process.kill()
        self.process.communicate()


def seen(site, paths=None):
    return lambda: {request.path for request in list(site.server.requests)} >= set(
        paths or site.versions)


def recent(site):
    """A page that was looked at lately; the answer has long been sent."""
    return next(r.path for r in reversed(site.server.requests[:-8]) if r.path in site.versions)


def delays(watch, site, list_path, count):
    """Requests between answers that announce a change and the next look at the page.

    It is a page that was looked at just before: it would not be its turn for long."""
    found = []
    for _ in range(count):
        path = recent(site)
        before = len(site.server.requests)
        site.change(path)
        announced = watch.until(lambda: [i for i in site.asked(list_path, True) if i >= before])[0]
        looked = watch.until(lambda: [i for i in site.asked(path) if i >= before])[0]
        found.append(max(0, looked - announced))
    return found


with Site() as SITE:
    WATCH = Watch("polled", [SITE])
    WATCH.until(seen(SITE))
    with tap.case("a polled sitemap: a new page is found"):
        SITE.change("/born")
        WATCH.until(seen(SITE, ["/born"]))
    with tap.case("a polled sitemap: pages that have changed are looked at soon"):
        DELAYS = delays(WATCH, SITE, "/sitemap.xml", 4)
        assert sum(DELAYS) < 4 * PAGES / 4, DELAYS
    with tap.case("an honest server: 304 is counted, checked, and believed"):
        WATCH.until(lambda: len(SITE.asked("/sitemap.xml", True)) >= 3)
        WATCH.until(lambda: any(row["checked"] for row in WATCH.signals().values()))
        tap.equal(WATCH.end(), "")
        SIGNAL = WATCH.signals()[SITE.url + "sitemap.xml"]
        assert SIGNAL["lies"] == 0 < SIGNAL["not_modified"] < SIGNAL["polls"], SIGNAL
        assert SIGNAL["precision"] > 0.6, SIGNAL
        ROWS = living.query(WATCH.archive, "SELECT status FROM observation WHERE leg = 3")
        assert (304,) in ROWS, ROWS
    with tap.case("replay shows no 304 in place of what it confirms"), \
         replaying.Server(WATCH.archive) as SERVER:
        assert b"<urlset>" in SERVER.get(f"/polled/2099id_/{SITE.url}sitemap.xml").body
    with tap.case("what a sitemap was worth survives"):
        WATCH.start()
        WATCH.until(lambda: WATCH.signals()[SITE.url + "sitemap.xml"]["polls"] > SIGNAL["polls"])
        assert WATCH.signals()[SITE.url + "sitemap.xml"]["precision"] > 0.6
        WATCH.kill()

with Site(pages=40) as SITE:
    with tap.case("a sitemap that calls every page new is not believed for long"):
        SITE.is_eager = True
        WATCH = Watch("eager", [SITE], budget=60)
        WATCH.until(lambda: WATCH.signals().get(
            SITE.url + "sitemap.xml", {"precision": 1})["precision"] < 0.1)
        WATCH.kill()

with Site(pages=30) as SITE:
    SITE.lies = True
    WATCH = Watch("lying", [SITE], budget=60)
    WATCH.until(seen(SITE))
    with tap.case("a server that answers 304 for what has changed loses its trust"):
        def changes():
            SITE.change("/p7")
            return any(row["lies"] for row in WATCH.signals().values())
        WATCH.until(changes)
        BEFORE = len(SITE.server.requests)
        SITE.change("/hidden")
        WATCH.until(seen(SITE, ["/hidden"]))
        assert not [i for i in SITE.asked("/sitemap.xml", True) if i > BEFORE + 5]
    with tap.case("which survives kill -9"):
        WATCH.kill()
        AGAIN = len(SITE.server.requests)
        WATCH.start()
        WATCH.until(lambda: len([i for i in SITE.asked("/sitemap.xml") if i >= AGAIN]) >= 3)
        assert not [i for i in SITE.asked("/sitemap.xml", True) if i >= AGAIN]
        assert WATCH.signals()[SITE.url + "sitemap.xml"]["lies"] > 0
        WATCH.end()
    with tap.case("and is in the WARC files"):
        ROWS = living.query(WATCH.archive, "SELECT * FROM poll ORDER BY id")
        assert ROWS
        tap.succeed("rebuild", WATCH.archive)
        tap.equal(living.query(WATCH.archive, "SELECT * FROM poll ORDER BY id"), ROWS)

for KIND in ("application/atom+xml", "application/feed+json"):
    with Site(sitemap=False, feed=KIND) as SITE, \
         tap.case(f"a feed that a page links to is polled: {KIND}"):
        WATCH = Watch(KIND[-4:], [SITE])
        WATCH.until(seen(SITE))
        SITE.change("/entry")
        WATCH.until(seen(SITE, ["/entry"]))
        DELAYS = delays(WATCH, SITE, "/feed", 2)
        assert sum(DELAYS) < 2 * PAGES / 4, DELAYS
        WATCH.kill()
        AGAIN = len(SITE.server.requests)
        WATCH.start()
        WATCH.until(lambda: [i for i in SITE.asked("/feed") if i >= AGAIN])
        tap.equal(WATCH.end(), "")

def ping(port, path="/", form=None, method=None):
    """The status of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    body = urllib.parse.urlencode(form) if isinstance(form, list) else form
    connection.request(method or ("POST" if body is not None else "GET"), path, body)
    status = connection.getresponse().status
    connection.close()
    return status


def listening(watch):
    """The port that it says."""
    line = next(line for line in watch.process.stderr if "listening" in line)
    return int(line.split()[-1])


with Site(sitemap=False) as SITE:
    WATCH = Watch("pinged", [SITE], ping="127.0.0.1:0")
    PORT = listening(WATCH)
    MODE = ("hub.mode", "publish")
    with tap.case("pings: what is answered"):
        tap.equal(ping(PORT, form=[MODE, ("hub.url", SITE.url + "p1")]), 204)
        tap.equal(ping(PORT, "/ping?url=" + urllib.parse.quote(SITE.url + "p2", safe="")), 204)
        tap.equal(ping(PORT, "/ping", [("url", SITE.url + "p2")]), 204)
        tap.equal(ping(PORT, form=[MODE, ("hub.url", "http://elsewhere.example/")]), 404)
        tap.equal(ping(PORT, form=[MODE, ("hub.url", "http://elsewhere.example/"),
                                   ("hub.url", SITE.url)]), 204)
        tap.equal(ping(PORT, form=[("hub.mode", "subscribe"), ("hub.url", SITE.url)]), 400)
        tap.equal(ping(PORT, form=[MODE, ("hub.url", "ftp://x/")]), 400)
        tap.equal(ping(PORT, form=""), 400)
        tap.equal(ping(PORT, form=[MODE] + [("hub.url", SITE.url)] * 65), 413)
        tap.equal(ping(PORT, form="url=" + 20000 * "x"), 413)
        tap.equal(ping(PORT, "/"), 405)
        tap.equal(ping(PORT, "/other", form=""), 404)
    WATCH.until(seen(SITE))
    with tap.case("pings: a page that has changed is looked at soon, a new one is found"):
        BEFORE = len(SITE.server.requests)
        PATH = recent(SITE)
        SITE.change(PATH)
        tap.equal(ping(PORT, form=[MODE, ("hub.url", SITE.url + PATH[1:])]), 204)
        LOOKED = WATCH.until(lambda: [i for i in SITE.asked(PATH) if i >= BEFORE])[0]
        assert LOOKED - BEFORE < PAGES / 2, LOOKED - BEFORE
        SITE.change("/secret")
        tap.equal(ping(PORT, "/ping", [("url", SITE.url + "secret")]), 204)
        WATCH.until(seen(SITE, ["/secret"]))
    with tap.case("pings: a flood is cut off, and keeps to the budget"):
        BEGAN, BEFORE = time.monotonic(), len(SITE.server.requests)
        ANSWERS = [ping(PORT, form=[MODE] + [("hub.url", f"{SITE.url}flood/{n}/{i}")
                                             for i in range(20)]) for n in range(60)]
        tap.equal(set(ANSWERS), {204, 429})
        for _ in range(40):
            ping(PORT, form=[MODE, ("hub.url", SITE.url + "p5")])
        WATCH.until(lambda: len(SITE.server.requests) > BEFORE + 60)
        SENT, PASSED = len(SITE.server.requests) - BEFORE, time.monotonic() - BEGAN
        # A minute's share may leave at once, and a surplus at twice the pace.
        assert SENT <= 2 * PER_SECOND * (PASSED + 1) + 60, (SENT, PASSED)
        ASKED = [r.path for r in SITE.server.requests[BEFORE:]]
        assert sum(path.startswith("/flood") for path in ASKED) < len(ASKED) / 4, ASKED
        tap.equal(WATCH.end(), "")
        SIGNAL = WATCH.signals()["ping"]
        assert 0 < SIGNAL["precision"] < 1 and SIGNAL["polls"] == 0, SIGNAL
    with tap.case("pings: mistakes in the configuration"):
        BAD = tap.write("bad.yaml", "archive: a\nbudget: {requests: 5/day}\nping: localhost\n"
                        f"sites: [{{url: {SITE.url}}}]\n")
        tap.refuse(2, "3:7: ping: ", "watch", "--check", BAD)

with Site(pages=3, sitemap=False) as SITE, \
     rawserver.Server(lambda request: respond("301 Moved", location=SITE.url)) as DOOR, \
     tap.case("pings: a site that its seed redirects to is in the scope, also after a restart"):
    WATCH = Watch("moved", [DOOR], ping="127.0.0.1:0")
    PORT = listening(WATCH)
    WATCH.until(seen(SITE))
    tap.equal(ping(PORT, "/ping", [("url", SITE.url + "p1")]), 204)
    WATCH.kill()
    WATCH.start()
    PORT = listening(WATCH)
    WATCH.until(lambda: ping(PORT, "/ping", [("url", SITE.url + "p1")]) == 204)
    tap.equal(WATCH.end(), "")

def favour(watch, site, paths):
    """How much more often these are looked at than the others, after the first time."""
    watch.until(seen(site))
    before = len(site.server.requests)
    watch.until(lambda: len(site.server.requests) > before + 8 * len(site.versions))
    asked = [r.path for r in site.server.requests[before:] if r.path in site.versions]
    share = sum(path in paths for path in asked) / len(paths)
    return share * (len(site.versions) - len(paths)) / max(1, len(asked) - share * len(paths))


with Site(pages=30, sitemap=False) as SITE, tap.case("weights out of a file"):
    FILE = tap.write("weights", f"# what matters\n{SITE.url}p3 50\n*/p4* 20\n* 0.5\n")
    WATCH = Watch("weighed", [SITE], budget=60, weights=f"{{file: {FILE}}}")
    PATHS = [path for path in SITE.versions if path == "/p3" or path.startswith("/p4")]
    RATIO = favour(WATCH, SITE, PATHS)
    assert RATIO > 1.5, RATIO
    tap.write("weights", "http://x/ heavy\n")
    tap.refuse(2, "weights:1: a line is", "watch", "--check", WATCH.config)
    tap.equal(WATCH.end(), "")

with Site(pages=30, sitemap=False) as SITE, tap.case("weights by PageRank"):
    SITE.linked = '<a href="/p0">x</a> <a href="/p1">y</a>'
    WATCH = Watch("ranked", [SITE], budget=60, weights="pagerank")
    RATIO = favour(WATCH, SITE, ["/p0", "/p1"])
    assert RATIO > 1.5, RATIO
    tap.equal(WATCH.end(), "")

tap.done()
