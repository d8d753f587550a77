#!/usr/bin/env python3
"""stillpoint-lab living-site: what it serves is what its log says, and every option does what it says."""

import collections
import csv
import gzip
import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import time
import urllib.parse

import tap

DEADLINE = 120
VERSION = re.compile(rb'id="version">(\d+)<')


class Site:
    """A running living site; `with` stops it and reads what it wrote."""

    def __init__(self, *options, truth=True):
        self.files = {name: tap.path(f"{name}.{id(self)}") for name in ("truth", "pages", "rates")}
        command = [tap.LAB, "living-site", "--write-pages", self.files["pages"],
                   "--write-rates", self.files["rates"]]
        if truth:
            command += ["--truth", self.files["truth"]]
        self.process = subprocess.Popen(command + list(map(str, options)), text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        ready, _, _ = select.select([self.process.stdout], [], [], DEADLINE)
        assert ready, "no URL in time"
        self.url = self.process.stdout.readline().strip()
        assert self.url, self.process.stderr.read()
        self.port = urllib.parse.urlsplit(self.url).port
        self.connection = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.connection:
            self.connection.close()
            self.connection = None
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
            self.more_urls = self.process.stdout.read().split()
            _, err = self.process.communicate(timeout=DEADLINE)
            tap.equal((self.process.returncode, err), (0, ""))

    def ask(self, path, method="GET", **headers):
        """(response, body) over a connection that is kept."""
        if not self.connection:
            self.connection = http.client.HTTPConnection("127.0.0.1", int(self.port),
                                                         timeout=DEADLINE)
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            self.connection.request(method, path, headers=names)
            response = self.connection.getresponse()
            return response, response.read()
        except Exception:
            self.connection.close()
            self.connection = None
            raise

    def get(self, path, **headers):
        response, body = self.ask(path, **headers)
        tap.equal(response.status, 200)
        return body

    def version(self, path):
        return int(VERSION.search(self.get(path))[1])

    def wait_for_change(self, path):
        """The version after the next change of a page."""
        first = self.version(path)
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            version = self.version(path)
            if version != first:
                return version
        raise AssertionError(f"{path} does not change")

    def pages(self):
        with open(self.files["pages"], encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def paths(self, behaviour):
        return [path_of(row["url"]) for row in self.pages() if row["behaviour"] == behaviour]

    def truth(self):
        """Changes of each (host, path): [(ms, version)]."""
        changes = collections.defaultdict(list)
        with open(self.files["truth"], encoding="utf-8") as lines:
            for line in lines:
                ms, host, path, version = line.rstrip("\n").split("\t")
                changes[host, path].append((int(ms), version))
        return changes


def path_of(url):
    return urllib.parse.urlsplit(url).path


def sitemap(site, path):
    """The entries of a sitemap, as we read it."""
    out = tap.succeed("inspect", "sitemap", "-", input=site.get(path).decode())
    return [json.loads(line) for line in out.splitlines()]


def possible(changes, begin_ms, end_ms):
    """Versions that held at some time in an interval; the log rounds down to milliseconds."""
    versions = {version for ms, version in changes if begin_ms - 1 <= ms <= end_ms}
    before = [version for ms, version in changes if ms < begin_ms]
    return versions | set(before[-1:])


with tap.case("what is served is what the log says"):
    with Site("--pages", 200, "--rates", "constant:5", "--seed", 7) as site:
        looks = []
        paths = [path_of(row["url"]) for row in site.pages()]
        enough = time.monotonic() + 0.5  # for some hundreds of changes
        while len(looks) < 3 * len(paths) or time.monotonic() < enough:
            path = paths[len(looks) % len(paths)]
            begin = time.time_ns() // 1000000
            version = site.version(path)
            looks.append((path, begin, time.time_ns() // 1000000 + 1, str(version)))
            # It was logged, and the log flushed, before it was sent.
        with open(site.files["truth"], encoding="utf-8") as lines:
            assert any(line.split("\t")[2:] == [looks[-1][0], looks[-1][3] + "\n"]
                       for line in lines)
        site.stop()
        truth = site.truth()
        tap.equal(len(truth), 200)
        for path, begin, end, version in looks:
            assert version in possible(truth["127.0.0.1", path], begin, end), (path, version)
        assert sum(len(changes) for changes in truth.values()) > 300
        for changes in truth.values():
            tap.equal(changes, sorted(changes, key=lambda change: change[0]))
            tap.equal([version for _, version in changes],
                      [str(i + 1) for i in range(len(changes))])

with tap.case("the log is complete at the end: as many changes as the rates say"):
    with Site("--pages", 300, "--rates", "constant:4", "--duration", 1) as site:
        tap.equal(site.process.wait(timeout=DEADLINE), 0)
        times = [ms for changes in site.truth().values() for ms, _ in changes]
        first_second = [ms for ms in times if ms < min(times) + 1000]  # it may have lived for longer
        tap.near(len(first_second) - 300, 1200, 180)  # more than five standard deviations

with tap.case("the same seed, the same changes; another, others"):
    times = []
    for seed in (5, 5, 6):
        with Site("--pages", 30, "--rates", "lognormal:1,1", "--seed", seed,
                  "--duration", 0.5) as site:
            site.process.wait(timeout=DEADLINE)
            truth = site.truth()
            start = min(ms for changes in truth.values() for ms, _ in changes)
            # Rounding: the two starts differ in their fraction of a millisecond.
            times.append({(path, version): ms - start for (_, path), changes in truth.items()
                          for ms, version in changes if ms - start < 450})
    common = times[0].keys() & times[1].keys()
    assert len(common) >= max(len(times[0]), len(times[1])) - 2 and len(common) > 40
    assert all(abs(times[0][key] - times[1][key]) <= 1 for key in common)
    assert any(abs(times[0][key] - times[2].get(key, 0)) > 1 for key in common)

with tap.case("all pages are linked, and a crawl by links finds them"):
    with Site("--pages", 60, "--outdegree", 3, "--theme", "shop", "--rates", "constant:0") as site:
        seen, queue = {"/"}, ["/"]
        for path in queue:
            for link in re.findall(rb'href="([^"]+)"', site.get(path)):
                if link.decode() not in seen:
                    seen.add(link.decode())
                    queue.append(link.decode())
        tap.equal(seen, {path_of(row["url"]) for row in site.pages()})

with tap.case("zipf rates have the mean that is asked for"):
    with Site("--pages", 50, "--rates", "zipf:1.1", "--mean-rate", 0.04) as site:
        rates = [float(row["rate"]) for row in site.pages()]
        tap.near(sum(rates) / 50, 0.04, 1e-12)
        tap.near(max(rates) / min(rates), 50 ** 1.1, 1e-6)

with tap.case("the rates that are written can be read again"):
    with Site("--pages", 40, "--rates", "lognormal:-3,1", "--rate-order", "hot-last") as first:
        with Site("--pages", 40, "--rates", first.files["rates"]) as second:
            tap.equal([row["rate"] for row in first.pages()],
                      [row["rate"] for row in second.pages()])
    with open(first.files["rates"], encoding="utf-8") as file:
        tap.equal(file.readline(), "url,rate\n")
        tap.equal(len(file.readlines()), 40)

with tap.case("also those of requisites, and of several hosts"):
    options = ["--pages", 10, "--requisites", 1, "--host", "a.test", "--host", "b.test",
               "--cdn-host", "localhost"]
    with Site(*options, "--rates", "lognormal:-3,1", "--requisite-rates", "lognormal:-3,1",
              "--requisite-mean-rate", 0.5) as first:
        with Site(*options, "--rates", first.files["rates"]) as second:
            tap.equal([row["rate"] for row in first.pages()],
                      [row["rate"] for row in second.pages()])
        styles = [float(row["rate"]) for row in first.pages() if row["kind"] == "style"]
        tap.near(sum(styles) / len(styles), 0.5, 1e-12)

with tap.case("a graph's own rates, scaled"):
    with Site("--graph", tap.write("two.csv", "page,rate\n/,1\n/b,3\n"), "--mean-rate",
              0.2) as site:
        tap.equal([round(float(row["rate"]), 12) for row in site.pages()], [0.1, 0.3])

with tap.case("an IPv6 address"):
    if socket.has_ipv6 and os.path.exists("/proc/net/if_inet6"):
        with Site("--listen", "[::1]:0", "--pages", 2) as site:
            assert site.url.startswith("http://[::1]:"), site.url
            site.stop()
            tap.equal({host for host, _ in site.truth()}, {"[::1]"})

with tap.case("a graph: pages, rates and links of a file"):
    graph = tap.write("graph.csv", "page,rate,weight,links\n/,0,1,/a?x=1&y=2 /b\n"
                      "/a?x=1&y=2,3,1,/\n/b,0,1,\n")
    with Site("--graph", graph) as site:
        body = site.get("/").decode()
        assert 'href="/a?x=1&amp;y=2"' in body and 'href="/b"' in body
        site.wait_for_change("/a?x=1&y=2")
        tap.equal([row["rate"] for row in site.pages()], ["0", "3", "0"])

with tap.case("prices and terms change together"):
    with Site("--pages", 10, "--theme", "shop", "--pair-rate", 20) as site:
        site.wait_for_change("/prices")
        site.stop()
        truth = site.truth()
        tap.equal(truth["127.0.0.1", "/prices"], truth["127.0.0.1", "/terms"])
        assert len(truth["127.0.0.1", "/prices"]) > 1

with tap.case("noise varies the bytes of a version, and is not in the log"):
    with Site("--pages", 5, "--rates", "constant:0", "--noise", "nonce,csrf,clock,ad") as site:
        bodies = {site.get("/") for _ in range(5)}
        tap.equal(len(bodies), 5)
        for mark in (b"nonce=", b"csrf_token", b"<time>", b'class="ad"'):
            assert all(mark in body for body in bodies)
        tap.equal({VERSION.search(body)[1] for body in bodies}, {b"1"})
        site.stop()
        tap.equal([len(changes) for changes in site.truth().values()], [1] * 5)

with tap.case("reverts: a version that comes again has the same bytes"):
    with Site("--pages", 1, "--rates", "constant:300", "--reverts", 0.5) as site:
        bodies = collections.defaultdict(set)
        enough, end = time.monotonic() + 0.4, time.monotonic() + DEADLINE
        while time.monotonic() < enough or len(bodies) <= 5 and time.monotonic() < end:
            body = site.get("/")
            bodies[VERSION.search(body)[1].decode()].add(body)
        site.stop()
        versions = [version for _, version in site.truth()["127.0.0.1", "/"]]
        assert len(set(versions)) < 0.8 * len(versions)
        assert all(a != b for a, b in zip(versions, versions[1:]))
        assert all(len(same) == 1 for same in bodies.values()) and len(bodies) > 5

with tap.case("honest validators: 304 while it is true"):
    with Site("--pages", 1, "--rates", "constant:4") as site:
        response, _ = site.ask("/")
        etag, modified = response.headers["ETag"], response.headers["Last-Modified"]
        assert site.ask("/", If_None_Match='"other"')[0].status == 200
        first = site.version("/")
        version = site.wait_for_change("/")
        response, body = site.ask("/", If_None_Match=etag)
        tap.equal(response.status, 200)
        assert response.headers["ETag"] != etag
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:  # a change between the two requests is possible
            response, _ = site.ask("/")
            again, body = site.ask("/", If_None_Match=response.headers["ETag"])
            if again.status == 304:
                tap.equal(body, b"")
                break
        tap.equal(again.status, 304)

with tap.case("If-Modified-Since"):
    with Site("--pages", 1, "--rates", "constant:0") as site:
        response, _ = site.ask("/")
        modified = response.headers["Last-Modified"]
        tap.equal(site.ask("/", If_Modified_Since=modified)[0].status, 304)
        tap.equal(site.ask("/", If_Modified_Since="Mon, 01 Jan 2001 00:00:00 GMT")[0].status, 200)
        tap.equal(site.ask("/", If_Modified_Since="yesterday")[0].status, 200)
        tap.equal(site.ask("/", If_Modified_Since=modified, If_None_Match='"x"')[0].status, 200)

with tap.case("lying validators"):
    with Site("--pages", 1, "--rates", "constant:20", "--lying-validators", "1:stale") as site:
        response, _ = site.ask("/")
        site.wait_for_change("/")
        again, _ = site.ask("/")
        for name in ("ETag", "Last-Modified"):
            tap.equal(response.headers[name], again.headers[name])
        tap.equal(site.ask("/", If_None_Match=response.headers["ETag"])[0].status, 304)
    with Site("--pages", 1, "--rates", "constant:0", "--lying-validators", "1:now") as site:
        response, _ = site.ask("/")
        tap.equal(site.ask("/", If_None_Match=response.headers["ETag"])[0].status, 200)
        tap.equal(site.pages()[0]["validators"], "now")

with tap.case("absent validators"):
    with Site("--pages", 1, "--absent-validators", 1) as site:
        response, _ = site.ask("/", If_Modified_Since="Mon, 01 Jan 2099 00:00:00 GMT")
        tap.equal((response.status, response.headers["ETag"], response.headers["Last-Modified"]),
                  (200, None, None))

with tap.case("errors: each page fails as the list of pages says"):
    with Site("--pages", 120, "--rates", "constant:0", "--errors", 0.6) as site:
        for path in site.paths("ok")[:3]:
            site.get(path)
        for status, count in (("404", 3), ("500", 3)):
            for path in site.paths(status)[:2]:
                tap.equal([site.ask(path)[0].status for _ in range(count)], [int(status)] * count)
        path = site.paths("503")[0]
        responses = [site.ask(path)[0] for _ in range(4)]
        tap.equal([response.status for response in responses], [503, 503, 200, 200])
        tap.equal(responses[0].headers["Retry-After"], "1")
        for behaviour, failures in (("reset", 3), ("reset-once", 1)):
            path = site.paths(behaviour)[0]
            for _ in range(failures):
                try:
                    site.ask(path)
                    raise AssertionError("no reset")
                except ConnectionResetError:
                    pass
        site.get(site.paths("reset-once")[0])
        try:
            site.get(site.paths("truncated")[0])
            raise AssertionError("not truncated")
        except http.client.IncompleteRead as cut:
            assert len(cut.partial) > 0 and cut.expected > 0
        site.stop()
        truth = site.truth()
        for path in site.paths("404"):
            tap.equal(truth["127.0.0.1", path][0][1], "gone")

with tap.case("redirects"):
    with Site("--pages", 60, "--rates", "constant:20", "--redirects", 0.5) as site:
        targets = {path_of(row["url"]): path_of(row["target"]) for row in site.pages()}
        for behaviour, status in (("301", 301), ("302", 302), ("moving", 302)):
            path = site.paths(behaviour)[0]
            response, _ = site.ask(path)
            tap.equal(response.status, status)
            if behaviour != "moving":
                tap.equal(response.headers["Location"], targets[path])
            site.get(response.headers["Location"])
        end = time.monotonic() + DEADLINE
        seen = set()
        while len(seen) < 2 and time.monotonic() < end:
            seen.add(site.ask(path)[0].headers["Location"])
        assert len(seen) > 1
        site.stop()
        truth = site.truth()
        assert len(truth["127.0.0.1", path]) > 1
        tap.equal(len(truth["127.0.0.1", site.paths("301")[0]]), 1)

with tap.case("slow pages are slow and hold nobody up"):
    with Site("--pages", 40, "--rates", "constant:0", "--slow", "0.5:300ms", "--threads", 1) as site:
        paths = site.paths("slow")[:3] + site.paths("slow-body")[:3]
        sockets = []
        begin = time.monotonic()
        for path in paths:
            sockets.append(socket.create_connection(("127.0.0.1", int(site.port))))
            sockets[-1].sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                                .encode())
        site.get("/")
        for waiting in sockets:
            with waiting, waiting.makefile("rb") as file:
                body = file.read()
                assert body.endswith(b"</html>\n"), body
            # All waited at the same time; each for as long as it should.
        assert time.monotonic() - begin >= 0.3

with tap.case("robots.txt as inspect reads it"):
    with Site("--pages", 5, "--robots-delay", "2.5s", "--robots-disallow", "/s1/",
              "--robots-disallow", "/private", "--sitemap", "flat") as site:
        text = site.get("/robots.txt").decode()
        out = tap.succeed("inspect", "robots", "-", site.url + "s1/1", site.url + "s2/",
                          site.url + "private", input=text)
        decisions = [json.loads(line) for line in out.splitlines()]
        tap.equal([decision["allowed"] for decision in decisions], [False, True, False])
        tap.equal({decision["crawl_delay"] for decision in decisions}, {2.5})
        assert f"Sitemap: {site.url}sitemap.xml\n" in text

with tap.case("a flat sitemap as inspect reads it"):
    with Site("--pages", 40, "--rates", "constant:0.5", "--time-scale", 86400, "--sitemap", "flat",
              "--absent-validators", 0.5) as site:
        entries = sitemap(site, "/sitemap.xml")
        validators = {row["url"]: row["validators"] for row in site.pages()}
        tap.equal({entry["loc"] for entry in entries}, set(validators))
        for entry in entries:
            tap.equal(entry["lastmod"] is None, validators[entry["loc"]] == "absent")
            tap.equal(entry["changefreq"], "daily")  # once in two days of recorded time

with tap.case("a sitemap index: every page is in one of its files"):
    with Site("--pages", 120, "--outdegree", 4, "--theme", "shop", "--sitemap", "index") as site:
        files = [path_of(entry["sitemap"]) for entry in sitemap(site, "/sitemap.xml")]
        tap.equal(len(files), 6)
        urls = [entry["loc"] for file in files for entry in sitemap(site, file)]
        tap.equal(sorted(urls), sorted(row["url"] for row in site.pages()))
        tap.equal(site.ask("/sitemap-6.xml")[0].status, 404)

with tap.case("several hosts on one port"):
    with Site("--pages", 20, "--rates", "constant:5", "--host", "a.test", "--host", "b.test",
              "--requisites", 1) as site:
        a, b = site.get("/", Host="a.test"), site.get("/", Host="B.test:80")
        assert a != b
        tap.equal(site.ask("/", Host="c.test")[0].status, 421)
        site.stop()
        tap.equal(site.url, f"http://a.test:{site.port}/")
        tap.equal(site.more_urls, [f"http://b.test:{site.port}/"])
        tap.equal({host for host, _ in site.truth()}, {"a.test", "b.test"})

with tap.case("requisites on a second host, with rates of their own"):
    with Site("--pages", 10, "--rates", "constant:0", "--requisites", 2, "--requisite-rates",
              "constant:20", "--cdn-host", "localhost") as site:
        body = site.get("/").decode()
        links = re.findall(r'(?:href|src)="(http://localhost:[^"]+)"', body)
        tap.equal(len(links), 2)
        style = urllib.parse.urlsplit(links[0])
        tap.equal(style.port, int(site.port))
        first = site.get(style.path, Host=style.netloc)
        end = time.monotonic() + DEADLINE
        while site.get(style.path, Host=style.netloc) == first and time.monotonic() < end:
            pass
        assert site.get(style.path, Host=style.netloc) != first
        assert site.get(urllib.parse.urlsplit(links[1]).path, Host=style.netloc)[:6] == b"GIF89a"
        tap.equal(site.ask(style.path)[0].status, 404)
        tap.equal([row["kind"] for row in site.pages()[8:14]],
                  ["page", "page", "style", "image", "style", "image"])
        site.stop()
        tap.equal(len(site.truth()["127.0.0.1", "/"]), 1)
        assert len(site.truth()["localhost", style.path]) > 1

HISTORY = ("1000\tc1\tA\tindex.html\n1000\tc1\tA\tdocs/old page.html\n"
           "2000\tc2\tM\tindex.html\n2000\tc2\tA\tdocs/new.html\n3000\tc3\tD\tdocs/old page.html\n")

OLD, NEW = "/docs/old%20page.html", "/docs/new.html"


def live_through(history, scale):
    """What is seen of it before the old page is gone, and the truth."""
    seen = []
    with Site("--history", history, "--time-scale", scale) as site:
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end and site.ask(OLD)[0].status == 200:
            listing = site.get("/docs/").decode()
            seen.append((OLD in listing, NEW in listing, site.ask(NEW)[0].status,
                         site.version("/index.html")))
        listing = site.get("/docs/").decode()
        assert OLD not in listing and NEW in listing
        site.stop()
        return seen, site.truth()


def check_history(truth, scale):
    """The log has the instants of the history, in a time that goes that much faster."""
    step = 1000 * 1000 / scale
    start = truth["127.0.0.1", "/"][0][0]
    want = {"/": [(0, "2")],
            "/docs/": [(0, "1"), (step, "2"), (2 * step, "3")],
            NEW: [(0, "gone"), (step, "1")],
            OLD: [(0, "1"), (2 * step, "gone")],
            "/index.html": [(0, "1"), (step, "2")]}
    got = {path: [(ms - start, version) for ms, version in changes]
           for (_, path), changes in truth.items()}
    tap.equal({path: [version for _, version in changes] for path, changes in got.items()},
              {path: [version for _, version in changes] for path, changes in want.items()})
    for path, changes in want.items():
        for (a, _), (b, _) in zip(changes, got[path]):
            tap.near(b, a, 1)


with tap.case("a recorded history: pages appear, change and disappear"):
    file = tap.write("history.tsv.gz", gzip.compress(HISTORY.encode()))
    first, last = (True, False, 404, 1), (True, True, 200, 2)
    for scale in (5000, 1000, 200, 50):  # the slower, the surer is all of it seen
        seen, truth = live_through(file, scale)
        check_history(truth, scale)
        if first in seen and last in seen:
            break
    assert first in seen and last in seen, seen

with tap.case("HEAD, other methods, unknown pages"):
    with Site("--pages", 5) as site:
        response, body = site.ask("/", method="HEAD")
        tap.equal((response.status, body), (200, b""))
        assert int(response.headers["Content-Length"]) > 100
        response, _ = site.ask("/", method="DELETE")
        tap.equal((response.status, response.headers["Allow"]), (405, "GET, HEAD"))
        for path in ("/nothing", "/s1/999", "/a/0-1.css", "/sitemap.xml"):
            tap.equal(site.ask(path)[0].status, 404)

with tap.case("a port that is in use is a failure"):
    with Site("--pages", 1) as site:
        tap.refuse(1, "in use", "living-site", "--listen", f"127.0.0.1:{site.port}",
                   timeout=DEADLINE)

with tap.case("a log that cannot be written ends it"):
    tap.refuse(1, "/nonexistent/truth", "living-site", "--truth", "/nonexistent/truth",
               timeout=DEADLINE)
    if os.path.exists("/dev/full"):
        tap.refuse(1, "/dev/full", "living-site", "--truth", "/dev/full", timeout=DEADLINE)

REFUSED = [
    ("an unknown option", "--page", ["--page", 3]),
    ("no pages", "pages", ["--pages", 0]),
    ("too many pages", "pages", ["--pages", 10000001]),
    ("too many with requisites", "too many", ["--pages", 10000000, "--requisites", 1]),
    ("no address", "--listen", ["--listen", "localhost"]),
    ("no rates", "--rates: 'zipf:x'", ["--rates", "zipf:x"]),
    ("no such file of rates", "nowhere.csv", ["--rates", "nowhere.csv"]),
    ("a bad line", "line 2", ["--rates", tap.write("bad.csv", "page,rate\n/,fast\n")]),
    ("a bad graph", "bad.csv:2", ["--graph", tap.path("bad.csv")]),
    ("no such history", "nowhere.tsv", ["--history", "nowhere.tsv"]),
    ("a bad history", "bad.csv:1: ", ["--history", tap.path("bad.csv")]),
    ("an unknown kind of error", "--errors: unknown kind '418'", ["--errors", "0.1:418"]),
    ("a share above 1", "--errors", ["--errors", "1.5"]),
    ("shares above 1", "more than all", ["--errors", "0.6", "--redirects", "0.6"]),
    ("no time", "--slow", ["--slow", "0.5"]),
    ("a host with a port", "--host", ["--host", "a.test:80"]),
    ("a host twice", "twice", ["--host", "a.test", "--host", "A.test"]),
    ("a history with rates", "no rates", ["--history", "x", "--mean-rate", "1"]),
    ("too fast", "at most", ["--rates", "constant:2000"]),
]
for label, want, arguments in REFUSED:
    with tap.case(f"refused: {label}"):
        tap.refuse(2, want, "living-site", *arguments, timeout=DEADLINE)

tap.done()
