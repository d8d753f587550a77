#!/usr/bin/env python3
"""stillpoint-lab living-site: noise, small changes and lies, held against its logs."""

import collections
import http.client
import re
import time
import urllib.parse

import living
import tally
import tap

DEADLINE = 120
Response = collections.namedtuple("Response", "status headers body")

# What a kind of noise varies, said again here: without it the same content has the same bytes.
MASKS = {
    "nonce": r'nonce="[0-9a-f]{16}"',
    "csrf": r'name="csrf_token" value="[0-9a-f]+"',
    "clock": r"generated at <time>[^<]*",
    "ad": r'<div class="ad">[^<]*',
    "comment": r"<!--.*?-->",
    "csrf-meta": r'name="csrf-token" content="[^"]*"',
    "tokens": r'name="(authenticity_token|csrfmiddlewaretoken|_wpnonce|form_build_id)"'
              r' value="[^"]*"',
    "viewstate": r'id="__(VIEWSTATE|EVENTVALIDATION)" value="[^"]*"',
    "session": r"(sid|jsessionid)=\w+",
    "buster": r"\?(ver|_)=[0-9a-f]+",
    "hash": r"main\.[0-9a-f]{8}\.",
    "rendered": r"generated in 0\.\d+ seconds",
    "ids": r"(accordion|heading|panel|field)-[0-9a-f]{6}",
    "attributes": None,
    "whitespace": r"\s+",
    "json": r'"(csrfToken|requestId)":"[^"]*"|"serverTime":\d+',
    "script": r"token: '\w+', timestamp: \d+|\"nonce\":\"\w+\"",
    "build": r"css-\w+|Notice_root__\w+|static/\w{16}/|__BUILD_ID__ = '\w+'",
    "perf": r'"(queueTime|applicationTime)":\d+|"atts":"\w+"',
    "challenge": r"r:'\w+',t:'[^']+'",
    "email": None,
    "x-attribute": r'data-quux="\w+"|data-impression="\d+"',
    "x-ad": r"banner-\d+",
    "x-field": r'name="zq7" value="[^"]*"',
    "x-literal": r"ping\(\d+, 'k\w+'\)",
}


def sort_attributes(match):
    return " ".join(sorted(re.findall(r'\w+="[^"]*"', match[0])))


def decode_address(match):
    """As a browser does; the address never changes."""
    key, *rest = bytes.fromhex(match[1])
    tap.equal(bytes(byte ^ key for byte in rest), b"office@shop.example")
    return "address"


def masked(body, kinds):
    text = body.decode()
    for kind in kinds:
        if kind == "attributes":
            text = re.sub(r'(?<=<p><a )[^>]*permalink[^>]*', sort_attributes, text)
        elif kind == "email":
            text = re.sub(r'(?:data-cfemail="|protection#)(\w+)', decode_address, text)
        else:
            text, count = re.subn(MASKS[kind], " ", text, flags=re.S)
            assert count, kind
    return text


class Site(living.Site):
    """With a log of responses; get() asks over a connection of its own."""

    def __init__(self, name, *options):
        self.served_path = tap.path(f"{name}.served")
        super().__init__(name, *options, "--served", self.served_path)
        self.port = urllib.parse.urlsplit(self.url).port

    def get(self, path, address="127.0.0.1", **headers):
        connection = http.client.HTTPConnection(address, self.port, timeout=DEADLINE)
        try:
            connection.request("GET", path, headers={name.replace("_", "-"): value
                                                     for name, value in headers.items()})
            response = connection.getresponse()
            return Response(response.status, response.headers, response.read())
        finally:
            connection.close()

    def served(self):
        """Lines by number."""
        return tally.read_served(self.served_path)

    def line(self, response):
        """Of a response: it was written before the response was sent."""
        return self.served()[response.headers["X-Living-Response"]]


def until(condition):
    """Calls it until it says that it has seen enough."""
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "it does not happen"


def check_truth(site, lines):
    """Every line of a resource agrees with the log of changes."""
    truth = site.truth()
    for line in lines:
        if line.version == "-":
            continue
        at = int(line.unix_ms)
        url = f"http://{line.host}{line.path}"
        assert line.version in truth.versions(url, at, at), line
        if line.content.split("+")[0].isdigit() or line.content == "gone":
            shown = int(line.shown_ms)
            assert line.content.split("+")[0] in truth.versions(url, shown, shown), line


class Watch:
    """Looks at all pages again and again; knows what each content looked like."""

    def __init__(self, site):
        self.site = site
        self.pages = site.pages()
        self.bodies = []  # (number, body)
        self.noisy, self.changed = set(), set()

    def look(self):
        for url in self.pages:
            response = self.site.get(urllib.parse.urlsplit(url).path)
            tap.equal(response.status, 200)
            self.bodies.append((response.headers["X-Living-Response"], response.body))
        self.compare()
        return (self.noisy == {row["noise"] for row in self.pages.values()} and
                self.changed == {row["changes"] for row in self.pages.values()})

    def compare(self):
        """The same content has the same bytes but for the noise, another has others."""
        served = self.site.served()
        raw, bare = collections.defaultdict(set), collections.defaultdict(set)
        contents = collections.defaultdict(set)
        for number, body in self.bodies:
            line = served[number]
            key = line.path, line.content
            tap.equal(line.noise, self.row(line)["noise"])
            raw[key].add(body)
            bare[key].add(masked(body, [line.noise]))
            contents[line.path].add(line.content)
            if len(raw[key]) > 1:
                self.noisy.add(line.noise)
            if len(contents[line.path]) > 1:
                self.changed.add(self.row(line)["changes"])
        assert all(len(same) == 1 for same in bare.values())
        for path, names in contents.items():
            shown = set().union(*(bare[path, name] for name in names))
            tap.equal(len(shown), len(names))

    def row(self, line):
        return self.pages[f"{self.site.url[:-1]}{line.path}"]


with tap.case("every kind of noise and of change: bytes differ by what the log says, and no more"):
    with Site("noise", "--pages", 150, "--outdegree", 20, "--noise", "all", "--noise-per-page", 1,
              "--changes", "all", "--rates", "constant:0.3", "--seed", 3) as site:
        watch = Watch(site)
        tap.equal({row["noise"] for row in watch.pages.values()}, set(MASKS))
        tap.equal(len({row["changes"] for row in watch.pages.values()}), 12)
        until(watch.look)
    check_truth(site, site.served().values())

with tap.case("all kinds in one page"):
    with Site("all", "--pages", 2, "--rates", "constant:0", "--noise", "all") as site:
        responses = [site.get("/") for _ in range(4)]
        tap.equal(len({response.body for response in responses}), 4)
        kinds = site.line(responses[0]).noise.split(",")
        tap.equal(kinds, list(MASKS))
        kinds.sort(key="whitespace".__eq__)  # it would join what others look for
        tap.equal(len({masked(response.body, kinds) for response in responses}), 1)
        linked = re.findall(rb'(?:href|src)="(/[^"]*|http://localhost[^"]*)"', responses[0].body)
        for url in linked:
            parts = urllib.parse.urlsplit(url.decode())
            if "cdn-cgi" not in parts.path:
                response = site.get(parts.path + ("?" + parts.query if parts.query else ""))
                tap.equal((url, response.status), (url, 200))

with tap.case("replicas: old versions by turns, Last-Modified goes back"):
    with Site("replicas", "--pages", 1, "--rates", "constant:1", "--replicas", 2, "--replica-lag",
              "1.5s") as site:
        seen = []

        def went_back():
            response = site.get("/")
            seen.append(response)
            dates = [r.headers["Last-Modified"] for r in seen[-2:]]
            versions = [site.line(r).content for r in seen[-3:]]
            return (len(seen) > 2 and versions[0] == versions[2] != versions[1] and
                    dates[0] != dates[1])

        until(went_back)
    lines = site.served().values()
    check_truth(site, lines)
    start = min(ms for log in site.truth().log.values() for ms, _ in log)
    for line in lines:
        lag = 1500 if line.lies == "replica" else 0
        assert abs(int(line.shown_ms) - max(start, int(line.unix_ms) - lag)) <= 1, line

with tap.case("replicas by connection and by address"):
    with Site("connection", "--pages", 1, "--replicas", 2, "--replicas-by", "connection") as site:
        names = [site.get("/").headers["X-Served-By"] for _ in range(4)]
        tap.equal(sorted(names[:2]), ["web1", "web2"])
        tap.equal(names[:2], names[2:])
    with Site("address", "--pages", 1, "--replicas", 2, "--replicas-by", "address",
              "--listen-also", "127.0.0.2") as site:
        names = [site.get("/", address=f"127.0.0.{i}").headers["X-Served-By"] for i in (1, 2, 1)]
        tap.equal(names, ["web1", "web2", "web1"])

with tap.case("a cache: the same bytes, noise and all, while the page changes"):
    with Site("cache", "--pages", 1, "--rates", "constant:5", "--cache", "1h", "--noise",
              "csrf,clock") as site:
        first = site.get("/")
        tap.equal((first.headers["X-Cache"], first.headers["Age"]), ("MISS", "0"))
        until(lambda: site.line(site.get("/")).version != site.line(first).content)
        until(lambda: int(site.get("/").headers["Age"]) >= 1)
        later = site.get("/")
        tap.equal((later.headers["X-Cache"], later.body), ("HIT", first.body))
        tap.equal(site.line(later)[5:9:3] + (site.line(later).shown_ms,),
                  (site.line(first).content, "cache", site.line(first).shown_ms))
        assert "Via" in later.headers
    check_truth(site, site.served().values())

with tap.case("variants by cookie and by language"):
    with Site("variants", "--pages", 2, "--rates", "constant:0", "--variants", 1) as site:
        page = "/s1/"
        a, b = (site.get(page, Cookie=f"living_ab={name}") for name in "ab")
        tap.equal([site.line(r).content for r in (a, b)], ["1", "1+b"])
        assert a.body != b.body
        german = site.get(page, Cookie="living_ab=a", Accept_Language="de-AT,en;q=0.5")
        tap.equal((site.line(german).content, site.line(german).lies), ("1+de", "variant"))
        assert len({a.body, b.body, german.body}) == 3 == len(
            {a.headers["ETag"], b.headers["ETag"], german.headers["ETag"]})
        new = [site.get(page) for _ in range(40)]
        tap.equal({r.body for r in new}, {a.body, b.body})
        for response in new:
            cookie = response.headers["Set-Cookie"].split(";")[0]
            tap.equal(site.get(page, Cookie=cookie).body, response.body)

with tap.case("a block page after some requests, for some requests"):
    for kind, status in (("forbidden", 403), ("too-many", 429), ("challenge", 503), ("soft", 200)):
        with Site(kind, "--pages", 1, "--block-after", 2, "--block-for", 1, "--block-kind",
                  kind) as site:
            responses = [site.get("/") for _ in range(6)]
            tap.equal([r.status for r in responses], [200, 200, status] * 2)
            tap.equal([site.line(r)[5:7] + (site.line(r).lies,) for r in responses[1:3]],
                      [("1", "1", "-"), ("blocked", "-", "block")])

with tap.case("a session expires: a redirect to the login page, which gives another"):
    with Site("session", "--pages", 3, "--rates", "constant:0", "--session-requests", 2) as site:
        responses = [site.get("/s1/") for _ in range(3)]
        tap.equal([r.status for r in responses], [200, 200, 302])
        tap.equal(site.line(responses[2]).content, "login")
        login = site.get(responses[2].headers["Location"])
        tap.equal((login.status, site.line(login).content), (200, "login"))
        assert b'type="password"' in login.body
        cookie = login.headers["Set-Cookie"].split(";")[0]
        tap.equal([site.get("/s1/", Cookie=cookie).status for _ in range(3)], [200, 200, 302])

with tap.case("script shells: the same bytes, and content that changes in JSON"):
    with Site("shells", "--pages", 40, "--rates", "constant:1", "--shells", 1) as site:
        found = {}
        for number, url in enumerate(site.pages()):
            if number > 0:
                response = site.get(urllib.parse.urlsplit(url).path)
                tap.equal(site.line(response).lies, "shell")
                found.setdefault(site.line(response).content == "shell",
                                 (urllib.parse.urlsplit(url).path, number, response))
        path, number, page = found[True]
        tap.equal(re.search(rb"/data/(\d+)\.json", page.body)[1], str(number).encode())
        data = site.get(f"/data/{number}.json")
        until(lambda: site.get(f"/data/{number}.json").body != data.body)
        tap.equal(site.get(path).body, page.body)
        path, number, page = found[False]
        until(lambda: site.get(path).body != page.body)
        visible = re.sub(rb"<(script|noscript|title).*?</\1>|<[^>]*>", b"", page.body, flags=re.S)
        tap.equal(visible.strip(), b"")
        tap.equal(site.get("/").status, 200)
    check_truth(site, [line for line in site.served().values() if ".json" not in line.path])

with tap.case("requisites of every kind, on three hosts, also named in style sheets"):
    kinds = "style,script,image,font,frame,background"
    with Site("requisites", "--pages", 2, "--requisites", 6, "--requisite-kinds", kinds,
              "--requisite-host", "127.0.0.2", "--requisite-host", "127.0.0.3", "--listen-also",
              "127.0.0.2", "--listen-also", "127.0.0.3", "--rates", "constant:0") as site:
        wanted = {url: row["kind"] for url, row in site.pages().items() if row["kind"] != "page"}
        named = re.compile(rb'(?:href|src)="(http://[^"]*)"|url\("([^"]*)"\)')
        found, hosts, queue = {}, set(), ["/", "/s1/"]
        for url in queue:
            parts = urllib.parse.urlsplit(url)
            hosts.add(parts.hostname)
            response = site.get(parts.path, address=parts.hostname or "127.0.0.1")
            tap.equal((url, response.status), (url, 200))
            found[url] = response.headers["Content-Type"].split(";")[0]
            queue += [(a or b).decode() for a, b in named.findall(response.body)]
        types = {"style": "text/css", "script": "text/javascript", "image": "image/gif",
                 "font": "font/woff2", "frame": "text/html", "background": "image/gif"}
        tap.equal({url: kind for url, kind in found.items() if url.startswith("http")},
                  {url: types[kind] for url, kind in wanted.items()})
        tap.equal(hosts, {None, "127.0.0.2", "127.0.0.3"})

with tap.case("pages appear and vanish"):
    with Site("vanishing", "--pages", 20, "--rates", "constant:2", "--vanishing", 1) as site:
        statuses = collections.defaultdict(set)

        def both_seen():
            for url in site.pages():
                path = urllib.parse.urlsplit(url).path
                response = site.get(path)
                tap.equal(site.line(response).content == "gone", response.status == 404)
                statuses[path].add(response.status)
            return list(statuses.values()).count({200, 404}) > 10

        until(both_seen)
        tap.equal(statuses["/"], {200})
    check_truth(site, site.served().values())
    starts = [log[0][1] for log in site.truth().log.values()]
    assert 3 <= starts.count("gone") <= 17, starts

with tap.case("commits touch many pages at one instant"):
    with Site("commits", "--pages", 100, "--rates", "constant:0", "--commits", "0.2s",
              "--commit-share", 0.4) as site:
        versions = {site.line(site.get("/")).version}
        until(lambda: versions.add(site.line(site.get("/")).version) or len(versions) > 4)
    times = collections.Counter(ms for log in site.truth().log.values() for ms, _ in log[1:])
    assert len(times) >= 4 and all(15 <= count <= 65 for count in times.values()), times

with tap.case("the same seed, the same site: habits of pages, and what each version shows"):
    sites = []
    for run in range(2):
        with Site(f"seed{run}", "--pages", 60, "--rates", "constant:0", "--changes", "all",
                  "--noise", "all", "--noise-per-page", 2, "--vanishing", 0.3, "--seed", 8) as site:
            rows = [(urllib.parse.urlsplit(url).path, row["changes"], row["noise"])
                    for url, row in site.pages().items()]
            bodies = {}
            for path, _, noise in rows:
                response = site.get(path)
                if response.status == 200:
                    kinds = sorted(noise.split("+"), key="whitespace".__eq__)
                    text = masked(response.body, kinds)
                    bodies[path] = text.replace(str(site.port), "PORT")
            sites.append((rows, bodies))
    tap.equal(sites[0][0], sites[1][0])
    same = [path for path in sites[0][1] if sites[0][1][path] == sites[1][1].get(path)]
    tap.equal(len(same), len(sites[0][1]))



def capture(name, *options):
    """Of a site of its own: what it got wrong, by kind."""
    archive = tap.path(f"{name}.archive")
    with Site(name, "--pages", 75, "--outdegree", 20, "--rates", "constant:0.2", *options) as site:
        done = living.crawl(site, archive, "--delay", "2ms")
        tap.equal((done.returncode, done.stderr), (0, ""))
    counts = tally.Tally(site, site.served_path, archive, tap.load("report", archive))
    for line in counts.table():
        print("#", line)
    return counts


with tap.case("both looks of every page of a capture are in the log, and none is false sharp"):
    counts = capture("looks", "--noise", "all", "--noise-per-page", 1, "--changes", "all")
    tap.equal((counts.total("pages"), counts.total("false")), (75, 0))
    tap.equal({kind for group, kind in counts.rows if group == "noise"},
              {row["noise"] for row in counts.site.values()})

with tap.case("small changes, no noise: what did not change is sharp, the rest is not"):
    counts = capture("small", "--changes", "all")
    tap.equal([counts.total(name) for name in ("pages", "false", "missed")], [75, 0, 0])

with tap.case("wrong options say what is wrong"):
    for options, words in ((["--noise", "hum"], "--noise: unknown kind 'hum'"),
                           (["--changes", "mood"], "--changes: unknown kind 'mood'"),
                           (["--variants", "2"], "--variants: share '2'"),
                           (["--shells", "1:x"], "--shells: unknown kind 'x' (fetch, inline)"),
                           (["--requisite-kinds", "page"], "--requisite-kinds: unknown kind"),
                           (["--requisite-host", "a b"], "--requisite-host: 'a b' is not a host"),
                           (["--replicas-by", "address"], "give --listen-also"),
                           (["--listen-also", "here"], "'here' is not a numeric address"),
                           (["--served", "/nowhere/x"], "/nowhere/x: No such file")):
        done = tap.run("living-site", *options, "--duration", "0.1s")
        assert done.returncode in (1, 2) and words in done.stderr, (options, done.stderr)

tap.done()
