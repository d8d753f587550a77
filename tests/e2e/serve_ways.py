#!/usr/bin/env python3
"""`stillpoint serve`, the way in: start pages, lists of pages, calendars and days lead to where a page
is proven; every look counts, however it is kept; what the banner says of a page that vanished."""

import html
import itertools
import json
import re
import signal
import subprocess
import time
import urllib.parse

import rawserver
import tap
from rawserver import page, respond
from replaying import Server, members, response

TOKENS = itertools.count(0x5eed)
MISSING = respond("404 Not Found", b"<h1>not here</h1>", content_type="text/html")


def token():
    """Noise that is recognised: a body with it is kept as a patch."""
    value = f"{next(TOKENS) * 0x9e3779b97f4a7c15 % 2**64:016x}" * 2
    return f"<input type=hidden name=csrf_token value={value}>".encode()


class Site:
    def __init__(self):
        self.gone = set()
        filler = b"<p>" + b"a sentence that stays as it is. " * 100
        self.pages = {
            "/": lambda: page(b"<title>home</title><link rel=stylesheet href=/s.css><p>home"
                              b"<a href=/a>a</a><a href=/b/News>news</a><a href=/noise>n</a><a href=/old>o</a>"),
            "/a": lambda: page(b"<title>a</title><p>about"),
            "/b/News": lambda: page(b"<title>news</title><p>news"),
            "/noise": lambda: page(b"<title>noise</title>" + filler + token()),
            "/old": lambda: page(b"<title>old</title><p>an old page"),
            "/s.css": lambda: respond("200 OK", b"p { color: red }", content_type="text/css"),
        }

    def __call__(self, request):
        if request.path in self.gone or request.path not in self.pages:
            return MISSING
        return self.pages[request.path]()


def text_of(body):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def banner_of(body):
    return text_of(body[body.index("<header"):body.index("</header>")])


def verdict_of(body):
    return text_of(re.search(r'<p id="verdict".*?</p>', body, re.S)[0])


def links_of(body, pattern):
    return [html.unescape(link) for link in re.findall(r'href="([^"]*)"', body) if re.search(pattern, link)]


def path_of(address):
    parts = urllib.parse.urlsplit(address)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def arrive(server, path, **fields):
    """The page that a browser ends at, and its path."""
    for _ in range(5):
        answer = server.get(path, Sec_Fetch_Dest="document", **fields)
        if answer.status != 302:
            assert answer.status == 200, (path, answer)
            return answer.body.decode(), path
        path = path_of(answer.fields["location"])
    raise AssertionError(f"no end: {path}")


def mementos(server, name, url):
    return [one["uri"] for one in
            json.loads(server.text(f"/{name}/timemap/json/{url}"))["mementos"]["list"]]


def bodies(server, name, url):
    """What each memento shows, by time."""
    digits = [re.search(r"/(\d+)/http", uri)[1] for uri in mementos(server, name, url)]
    return [(answer.status, answer.body) for answer in
            (server.get(f"/{name}/{one}id_/{url}") for one in digits)]


SITE = Site()
ARCHIVE, OTHER = tap.path("own.stillpoint"), tap.path("two.stillpoint")
with rawserver.Server(SITE) as web:
    URL = web.url
    for _ in range(2):
        tap.succeed("crawl", URL, URL + "old", "-o", ARCHIVE, "--delay", "0.02", "--evidence", "compact")
        SITE.gone.add("/old")
tap.succeed("export", ARCHIVE, "--wacz", tap.path("own.wacz"))
PATHS = ["", "a", "b/News", "noise", "old", "s.css"]

with Server(ARCHIVE, tap.path("own.wacz")) as server:
    with tap.case("every look is a memento, in an archive and in its WACZ alike"):
        for path in PATHS:
            own, package = (bodies(server, name, URL + path) for name in ("own", "own-2"))
            tap.equal((path, len(own)), (path, len(package)))
            assert len(own) >= 4, (path, own)  # two visits, two revisits
            assert sorted(own) == sorted(package), path  # dates of records are whole seconds
        # The CDX server lists records: these looks have none of their own, or this proves nothing.
        assert len(server.text(f"/own/cdx?url={URL}a").splitlines()) < len(mementos(server, "own", URL + "a"))
        assert len({body for _, body in bodies(server, "own", URL + "noise")}) >= 4

    with tap.case("the calendar names every look, and leads to where what it saw is proven"):
        for path in PATHS:
            calendar = server.text(f"/own/*/{URL}{path}")
            links = links_of(calendar, r"/own/\d+/")
            tap.equal(len(links), len(mementos(server, "own", URL + path)))
            assert f"Seen {len(links)} times" in text_of(calendar), text_of(calendar)
            for link in links:
                assert "is proven to have been" in verdict_of(server.text(link)), (path, link)
                digits = link.split("/")[2]
                composite = json.loads(server.text(f"/own/composite/{digits}/{URL}{path}"))
                tap.equal((link, composite["verdict"]), (link, "sharp"))

    with tap.case("a day, a month, a year and no time at all lead to where the page is proven"):
        now = re.search(r"/(\d+)/http", mementos(server, "own", URL)[-1])[1]
        for address in (f"{now[:8]}/{URL}", f"{now[:6]}/{URL}a", f"{now[:4]}/{URL}noise", URL, URL + "a"):
            body, path = arrive(server, f"/own/{address}")
            assert "is proven to have been like this" in verdict_of(body), (address, path, verdict_of(body))
        # Programs get the newest memento; an instant is meant as it was asked for.
        answer = server.get(f"/own/{URL}")
        tap.equal((answer.status, answer.fields["location"]), (302, mementos(server, "own", URL)[-1]))
        tap.equal(server.get(f"/own/{now}/{URL}").status, 200)
        tap.equal(server.get(f"/own/1999/{URL}").status, 200)

    with tap.case("where an instant is not proven, the banner offers one that is"):
        body = server.text(f"/own/{now}/{URL}")
        assert "proven to have been" not in verdict_of(body), verdict_of(body)
        [offer] = links_of(re.search(r'<p id="offer".*?</p>', body, re.S)[0], "/own/")
        assert "is proven to have been like this" in verdict_of(server.text(offer)), offer

    with tap.case("a page that vanished: the banner says so, since when, and offers the last version"):
        calendar = links_of(server.text(f"/own/*/{URL}old"), r"/own/\d+/")
        looks = [re.search(r"/(\d+)/http", uri)[1] for uri in mementos(server, "own", URL + "old")]
        for link in [calendar[-1], calendar[-2], f"/own/{looks[-1]}/{URL}old", f"/own/2099/{URL}old"]:
            body, _ = arrive(server, link)
            said = banner_of(body)
            assert "missing (its server answered 404)" in said and "like this" not in said, said
            shown = [f"{t[:4]}-{t[4:6]}-{t[6:8]} {t[8:10]}:{t[10:12]}:{t[12:14]}" for t in looks]
            assert f"found it missing was at {shown[2]}" in said, (said, shown)
            assert f"last seen at {shown[1]}" in said, (said, shown)
            [last] = links_of(re.search(r'<p id="vanished".*?</p>', body, re.S)[0], "/own/")
            version = server.text(last)
            assert "is proven to have been like this" in verdict_of(version), verdict_of(version)
            assert "vanished" not in version, version
            tap.equal(server.get(f"/own/{last.split('/')[2]}id_/{URL}old").status, 200)
        composite = json.loads(server.text(f"/own/composite/{looks[-1]}/{URL}old"))
        tap.equal(composite["page"]["status"], 404)

    with tap.case("start pages: of an archive the seed, of a package the page with the shortest path"):
        for name in ("own", "own-2"):
            assert f'href="/{name}/start"' in server.text("/") and f'href="/{name}/start"' in server.text(f"/{name}/")
            body, path = arrive(server, f"/{name}/start")
            assert path.endswith(f"/{URL}"), path
            # Dates of records are whole seconds: a package proves less.
            assert name == "own-2" or "is proven to have been like this" in verdict_of(body), verdict_of(body)

    with tap.case("the list of pages: by path, with verdicts, searched in any case"):
        listed = server.text("/own/pages")
        tap.equal([path_of(link.split("/", 3)[3]) for link in links_of(listed, r"/own/\d+/")],
                  ["/", "/a", "/b/News", "/noise", "/old"])
        assert re.search(r"/a sharp \S+ \S+ UTC \d", text_of(listed)), text_of(listed)
        assert re.search(r"/old absent \(404\)", text_of(listed)), text_of(listed)
        assert URL + "s.css" in server.text("/own/pages?all=1")
        for query in ("news", "NEWS", "B%2Fn", "+news+"):
            tap.equal(len(links_of(server.text(f"/own/pages?q={query}"), r"/own/\d+/")), 1)
        none = server.text("/own/pages?q=%22%3E%3Cscript%3E")
        assert "There is no such page" in none and "<script>" not in none.replace("<script src", ""), none
        for link in links_of(listed, r"/own/\d+/"):
            assert "is proven to have been" in verdict_of(server.text(link)), link
        tap.equal(server.get("/own/pages?q=" + "x" * 5000).status, 400)

with tap.case("of two sites in an archive, a link from one leads to the still point of the other"):
    second = rawserver.Server(lambda request: page(b"<title>b</title><p>b") if request.path == "/" else MISSING)
    with second:
        with rawserver.Server(lambda request: page(b"<title>a</title><a href=%s>b</a>" % second.url.encode())
                              if request.path == "/" else MISSING) as first:
            for url in (first.url, second.url):
                tap.succeed("crawl", url, "-o", OTHER, "--delay", "0.02")
            pair = [first.url, second.url]
    with Server(OTHER) as server:
        stills = [links_of(server.text("/two/"), r"/two/\d+/http.*" + re.escape(url.split(":")[2]))[0] for url in pair]
        for here, there in ((0, 1), (1, 0)):
            digits = stills[here].split("/")[2]
            body, path = arrive(server, f"/two/{digits}/{pair[there]}")
            tap.equal(path, stills[there])
            assert "is proven to have been like this" in verdict_of(body), verdict_of(body)

PAGES = 120
tap.write("many.warc.gz", members(*(
    [response(f"http://example.org/p{n:03}/x", "2020-01-01T00:00:00Z", b"<p>page") for n in range(PAGES)] +
    [response("http://example.org/p050/again", f"2020-01-01T00:{n // 60:02}:{n % 60:02}Z", b"<p>again")
     for n in range(1500)] +
    [response("http://example.org/secret/page", "2020-01-01T00:00:00Z", b"<p>secret")])))


def whole_list(server, query=""):
    """All pages of a list, by its button for more."""
    seen, path = [], f"/many/pages?{query}"
    for _ in range(20):
        body = server.text(path)
        seen += [link.split("/", 3)[3] for link in links_of(body, r"/many/\d+/")]
        more = re.search(r'name="from" value="([^"]*)"', body)
        if not more:
            return seen
        path = f"/many/pages?{query}&from=" + urllib.parse.quote(html.unescape(more[1]))
    raise AssertionError("the list does not end")


with tap.case("a long list comes in pages, each page of the collection once; access rules hold"):
    want = sorted([f"http://example.org/p{n:03}/x" for n in range(PAGES)] + ["http://example.org/p050/again"])
    with Server(tap.path("many.warc.gz")) as server:
        tap.equal(sorted(whole_list(server)), want + ["http://example.org/secret/page"])
        tap.equal(whole_list(server, "q=AGAIN"), ["http://example.org/p050/again"])
    with Server("--access", tap.write("rules", "org,example)/secret block\n"), tap.path("many.warc.gz")) as server:
        tap.equal(sorted(whole_list(server)), want)
        tap.equal(whole_list(server, "q=secret"), [])
    with Server("--access", tap.write("all", "* block\n"), tap.path("many.warc.gz"), ARCHIVE) as server:
        tap.equal(whole_list(server), [])
        for name in ("many", "own"):
            tap.equal(server.get(f"/{name}/start").status, 404)

with tap.case("an import has a list and a start page"):
    tap.succeed("import", tap.path("many.warc.gz"), "-o", tap.path("in.stillpoint"))
    with Server(tap.path("in.stillpoint")) as server:
        assert 'href="/in/start"' in server.text("/in/") and 'name="q"' not in server.text("/in/")
        _, path = arrive(server, "/in/start")
        assert "http://example.org/" in path, path
        tap.equal(len(links_of(server.text("/in/pages"), r"/in/\d+/")), 50)

with tap.case("a watched archive says what it has, and leads there"):
    SITE.gone.clear()
    watched = tap.path("seen.stillpoint")
    with rawserver.Server(SITE) as web:
        config = tap.write("watch.yaml", f"archive: {watched}\nbudget: {{requests: 864000/day}}\ndelay: 0\n"
                                         f"sites:\n  - url: {web.url}\n")
        with subprocess.Popen([tap.PROGRAM, "watch", config], stderr=subprocess.PIPE) as process:
            deadline = time.monotonic() + 120
            while min([r.path for r in web.requests].count(path) for path in ("/", "/s.css", "/old")) < 4:
                assert process.poll() is None and time.monotonic() < deadline, "the watch does not look"
                time.sleep(0.02)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
        with Server(watched) as server:
            said = text_of(server.text("/seen/"))
            row = re.search(r"watch (\d+) by looks newest look", said)
            assert row and int(row[1]) >= 5, said
            assert "not yet" not in said, said
            for way in ["/seen/start", *links_of(server.text("/seen/"), r"^/seen/http")]:
                body, path = arrive(server, way)
                assert "is proven to have been like this" in verdict_of(body), (way, path, verdict_of(body))
            listed = server.text("/seen/pages")
            tap.equal(len(links_of(listed, r"/seen/\d+/")), 5)
            assert "unchanged since" in text_of(listed), text_of(listed)

tap.done()
