#!/usr/bin/env python3
"""URLs that show what another one shows: rules are learned, confirmed and applied, and nothing is lost."""

import hashlib
import random
import re
import signal
import subprocess
import urllib.parse

import rawserver
import tap
from rawserver import page, respond

QUICK = ["--delay", "0", "--jobs", "1", "--no-sitemaps"]
ITEMS = 40


def words(seed, count=60):
    rng = random.Random(f"words {seed}")
    return " ".join("".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(count))


class Site(rawserver.Server):
    """Pages by their content; many URLs of each. variants(item): URLs that show it."""

    def __init__(self):
        super().__init__(self.answer_path)
        self.asked = []
        self.contents = {}  # content by name, for all that is distinct

    def answer_path(self, request):
        if request.path in ("/robots.txt", "/sitemap.xml"):
            return rawserver.NOT_FOUND
        if not request.path.startswith("/stillpoint-probe"):
            self.asked.append(request.path)
        return self.find(request.path) or rawserver.NOT_FOUND

    def show(self, name, more=""):
        text = self.contents.setdefault(name, words(name))
        menu = "<ul><li>home</li><li>about this site</li></ul>"
        return page(f"<title>{name}</title>{menu}<p>content {name}</p><p>{text}</p>{more}".encode())


def links(urls):
    return "".join(f'<p><a href="{url}">to</a></p>' for url in urls)


class TenKinds(Site):
    """Ten kinds of duplicates of every item, all without redirects."""

    def variants(self, i):
        token = hashlib.md5(str(i).encode()).hexdigest()
        return {
            "parameter": f"/item/{i}/?ref=list&color=red",
            "index.html": f"/item/{i}/index.html?color=red",
            "trailing-slash": f"/item/{i}?color=red",
            "case": f"/Item/{i}/?color=red",
            "print-version": f"/print/item/{i}/?color=red",
            "session-id": f"/item/{i}/?sid={token}&color=red",
            "default-document": f"/item/{i}/default.asp?color=red",
            "tracking-parameter": f"/item/{i}/?utm_source=x&color=red",
            "parameter-order": f"/two/?b={i}&a={i}",
            "spelling": f"/%69tem/{i}/?color=red",
        }

    def canonical(self, i):
        return [f"/item/{i}/?color=red", f"/two/?a={i}&b={i}"]

    def find(self, path):
        parts = urllib.parse.urlsplit(path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        if path == "/":
            urls = [url for i in range(ITEMS) for url in (*self.canonical(i), *self.variants(i).values())]
            random.Random(7).shuffle(urls)
            return page(links(urls).encode())
        if parts.path == "/two/" and query.get("a") == query.get("b"):
            return self.show(f"two {query['a']}")
        match = re.fullmatch(r"(/print)?/item/(\d+)(/|/index.html|/default.asp)?", urllib.parse.unquote(parts.path), re.I)
        if not match:
            return None
        name = f"item {match[2]}"
        if match[1]:
            text = self.contents.setdefault(name, words(name))
            return page(f"<p>content {name}</p><p>{text}</p>".encode())
        return self.show(name, links([f"/item/{(int(match[2]) + 1) % ITEMS}/?color=red"]))


class Sessions(Site):
    """Every answer has links with a session id that nobody has seen before."""

    def __init__(self, name, pages):
        super().__init__()
        self.name, self.pages, self.count = name, pages, 0

    def find(self, path):
        self.count += 1
        token = hashlib.md5(str(self.count).encode()).hexdigest()
        urls = [f"/page{'abcdefghijklmnopqrst'[i]}?{self.name}={token}" for i in range(self.pages)]
        return self.show(urllib.parse.urlsplit(path).path, links(urls))


class Adversarial(Site):
    """What looks like duplicates is none, here and there."""

    def find(self, path):
        parts = urllib.parse.urlsplit(path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        if path == "/":
            urls = []
            for i in range(ITEMS):
                urls += [f"/a/{i}", f"/a/{i}?view=x", f"/c/page{i}", f"/c/Page{i}", f"/d/{i}/", f"/d/{i}/index.html"]
            random.Random(3).shuffle(urls)
            return page(links(urls).encode())
        if match := re.fullmatch(r"/a/(\d+)", parts.path):
            chosen = "view" in query and int(match[1]) % 2 == 0
            return self.show(f"a {match[1]} {query['view']}" if chosen else f"a {match[1]}")
        if match := re.fullmatch(r"/c/([Pp])age(\d+)", parts.path):
            return self.show(f"c {match[2]} {match[1] if int(match[2]) % 2 == 1 else ''}")
        if match := re.fullmatch(r"/d/(\d+)/(index.html)?", parts.path):
            return self.show(f"d {match[1]} {match[2] if int(match[1]) % 2 == 0 else ''}")
        return None


class Directories(Site):
    """Directories of ten pages, each page with six kinds of duplicates. exceptions: what is different
    in which directory, as {directory: (kind, which pages)}. counters: pages that count their visitors."""

    KINDS = ("case", "trailing-slash", "index.html", "print-version", "parameter", "spelling")

    def __init__(self, names, exceptions, counters=(), pages=10):
        super().__init__()
        self.names, self.exceptions, self.counters, self.pages, self.count = names, exceptions, counters, pages, 0

    @staticmethod
    def path(name, i, kind):
        base = f"/{name}/page{'abcdefghijklmnopqrstuvwxyz'[i]}"
        return {"": base + "/", "case": f"/{name}/Page{base[-1]}/", "trailing-slash": base, "index.html": base + "/index.html",
                "print-version": base + "/?print=1", "parameter": base + "/?ref=home", "spelling": f"/{name}/%70age{base[-1]}/"}[kind]

    def all_urls(self):
        return {self.path(name, i, kind): (name, i, kind)
                for name in self.names for i in range(self.pages) for kind in ("", *self.KINDS)}

    def content(self, name, i, kind):
        """The name of what a URL shows."""
        exception, which = self.exceptions.get(name, ("", ()))
        return f"{name} {i} {kind}" if kind and kind == exception and i in which else f"{name} {i}"

    def find(self, path):
        if path == "/":
            urls = list(self.all_urls())
            random.Random(5).shuffle(urls)
            return page(links(urls).encode())
        if path not in self.all_urls():
            return None
        name, i, kind = self.all_urls()[path]
        self.count += 1
        visitors = f"<p>You are visitor number {self.count} of this page</p>" if (name, i) in self.counters else ""
        return self.show(self.content(name, i, kind), visitors)


def crawl_directories(label, *arguments, **more):
    """Captures it; (lost contents, requests for duplicates as a share of what fetching all of them costs, report)."""
    with Directories(*arguments, **more) as server:
        report = tap.load("crawl", server.url, *QUICK, "--dust", "apply", "-o", tap.path(label))
    urls = server.all_urls()
    taken = [row["url"][len(server.url) - 1:] for row in report["verdicts"] if row["verdict"] in ("single", "sharp", "changed")]
    shown = {server.content(*urls[path]) for path in taken if path in urls}
    everything = {server.content(*value) for value in urls.values()}
    waste = len(urls) - len(everything)
    asked = sum(path in urls for path in server.asked) - 2 * len(everything)
    print(f"# {label}: lost {len(everything - shown)} of {len(everything)}; {asked} requests for {waste} duplicates,"
          f" {100 - 50 * asked / waste:.1f} % of the waste avoided")
    return everything - shown, asked / (2 * waste), report


def captured(report, server):
    """Paths of the pages that were captured."""
    return {row["url"][len(server.url) - 1:] for row in report["verdicts"] if row["verdict"] in ("single", "sharp")}


def contents(site, paths):
    """Titles of what these URLs show."""
    return {re.search(rb"content ([^<]*)<", site.find(path))[1] for path in paths if path != "/"}


def everything_of(items):
    """What a site with ten kinds shows."""
    return {f"{kind} {i}".encode() for i in range(items) for kind in ("item", "two")}


def rules(report):
    return {row["rule"].rsplit(" at ", 1)[0]: row for row in report["dust"]}


with tap.case("learning leaves nothing out but views, and reports the rules that would hold"):
    with TenKinds() as server:
        report = tap.load("crawl", server.url, *QUICK, "--views", "-o", tap.path("learn"))
    found = rules(report)
    for kind in server.variants(0):
        name = "parameter ref" if kind == "parameter" else kind
        assert found[name]["urls"] >= ITEMS * 0.9 and not found[name]["applied"], (name, found.get(name))
    tap.equal(set(found) - set(server.variants(0)), {"parameter ref"})
    tap.equal(report["left_out"]["dust"], 0)
    visits = len(set(server.asked))
    tap.equal(len(captured(report, server)), visits)

with tap.case("learning costs no request"):
    with TenKinds() as server:
        tap.load("crawl", server.url, *QUICK, "--views", "--dust", "off", "-o", tap.path("off"))
    tap.equal(visits, len(set(server.asked)))

with tap.case("applied, nine tenths of ten kinds of duplicates are not fetched, and nothing is lost"):
    with TenKinds() as server:
        report = tap.load("crawl", server.url, *QUICK, "--dust", "apply", "-o", tap.path("apply"))
    pages = captured(report, server) - {"/"}
    everything = everything_of(ITEMS)
    tap.equal(contents(server, pages), everything)
    waste = visits - 1 - len(everything)
    fetched, asked = len(pages) - len(everything), len(server.asked) - 2 - 2 * len(everything)
    print(f"# {fetched} of {waste} duplicates are pages; {asked} of {2 * waste} requests for them were made")
    assert fetched <= 0.1 * waste and asked <= 0.1 * 2 * waste, (fetched, asked, waste)

with tap.case("each URL that was saved is listed with its rule, and counted"):
    saved = [row for row in report["verdicts"] if row["left_out"] == "dust"]
    assert all(row["verdict"] == "excluded" and row["reason"].startswith("dust: ") for row in saved)
    names = {row["rule"]: row["urls"] for row in report["dust"]}
    for rule, count in names.items():
        tap.equal((rule, sum(row["reason"] == f"dust: {rule}" for row in saved)), (rule, count))
    tap.equal(len(saved), sum(names.values()))
    tap.equal(report["left_out"]["dust"], len(saved))
    assert all(row["applied"] for row in report["dust"] if row["urls"]), report["dust"]
    why = tap.succeed("report", tap.path("apply"), "--why", saved[0]["url"])
    assert saved[0]["reason"] in why, why

with tap.case("verify and resume understand the archive"):
    tap.succeed("verify", tap.path("apply"))
    tap.succeed("verify", tap.path("apply"), "--warc-only")

with tap.case("where rules hold for some pages only, they are withdrawn, and no distinct page is lost"):
    with Adversarial() as server:
        report = tap.load("crawl", server.url, *QUICK, "--dust", "apply", "-o", tap.path("adversarial"))
    everything = [row["url"][len(server.url) - 1:] for row in report["verdicts"]]
    tap.equal(contents(server, everything) - contents(server, captured(report, server)), set())
    tap.equal(report["dust"], [])

NAMES = [f"section{'abcdefghij'[i]}" for i in range(10)]
ALL = range(10)

with tap.case("rules are withdrawn where they do not hold, and used elsewhere"):
    lost, cost, report = crawl_directories(
        "directories", NAMES, {"sectionc": ("case", ALL), "sectionf": ("trailing-slash", ALL)}, [("sectionh", 3)])
    tap.equal(lost, set())
    assert cost <= 0.11, cost  # 0.09 to 0.1; the choice is random
    names = {row["rule"].split("/", 1)[0].rsplit(" at ", 1)[0] for row in report["dust"]}
    tap.equal(names, {"case", "trailing-slash", "index.html", "print-version", "parameter ref", "spelling"})

with tap.case("a counter on one page withdraws no rule"):
    lost, cost, report = crawl_directories("counter", NAMES[:4], {}, [("sectionb", 3)])
    tap.equal(lost, set())
    assert cost <= 0.1, cost
    tap.equal(len(report["dust"]), 4 * 6)

with tap.case("exceptions of each kind in one directory"):
    for kind in Directories.KINDS[:5]:
        lost, cost, report = crawl_directories(f"only-{kind}", NAMES[:6], {"sectiond": (kind, ALL)})
        tap.equal(lost, set())
        assert cost <= 0.12, cost

with tap.case("all pages of a directory but one are different, and none of them is lost"):
    lost, cost, report = crawl_directories("most", NAMES[:4], {"sectionb": ("case", range(19))}, pages=20)
    tap.equal(lost, set())

with tap.case("pages that are different here and there: each URL of that kind is checked, and none is lost"):
    scattered = {name: ("trailing-slash", range(0, 20, 2)) for name in NAMES}
    lost, cost, report = crawl_directories("scattered", NAMES, scattered, pages=20)
    tap.equal(lost, set())

with tap.case("many small directories: most of them need no request of their own"):
    lost, cost, report = crawl_directories("small", [f"d{i}" for i in range(40)], {}, pages=2)
    tap.equal(lost, set())
    assert cost <= 0.1, cost

with tap.case("killed and resumed, a capture has every page, and its rules"):
    with TenKinds() as server:
        process = subprocess.Popen([tap.PROGRAM, "crawl", server.url, *QUICK, "--quiet", "--dust", "apply", "-o", tap.path("killed")],
                                   stderr=subprocess.DEVNULL)
        while len(server.asked) < 60 and process.poll() is None:
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        report = tap.load("resume", tap.path("killed"))
    tap.equal(contents(server, captured(report, server) - {"/"}), everything_of(ITEMS))
    saved = [row for row in report["verdicts"] if row["left_out"] == "dust"]
    tap.equal(len(saved), sum(row["urls"] for row in report["dust"]))
    print(f"# {len(saved)} URLs were saved")
    tap.succeed("verify", tap.path("killed"))

with tap.case("session ids on all links: the capture ends, and has every page"):
    for name, options, limit in (("sid", [], 9), ("sid", ["--dust", "off"], 9), ("sid", ["--dust", "apply"], 2),
                                 ("unheardof", ["--dust", "apply"], 5), ("unheardof", ["--trap-budget", "8"], 40)):
        with Sessions(name, 20) as server:
            report = tap.load("crawl", server.url, *QUICK, "--single", *options, "-o", tap.path(f"{name}{limit}{len(options)}"))
        paths = {urllib.parse.urlsplit(row["url"]).path for row in report["verdicts"] if row["verdict"] == "single"}
        tap.equal(len(paths), 21)
        print(f"# {name} {options}: {len(server.asked)} requests for 21 pages")
        assert len(server.asked) <= limit * 21, (name, options, len(server.asked))

class Mirrored(Site):
    """A site that two hosts serve, with some pages that only one of them has."""

    def find(self, path):
        if path == "/":
            urls = [f"/page/{i}" for i in range(30)]
            other = self.other[:-1]
            return page(links([*urls, *(other + url for url in urls), other + "/only/here"]).encode())
        return self.show(path)


def crawl_mirrored(*options):
    with Mirrored() as server:
        server.other = server.url.replace("127.0.0.1", "localhost")
        return server, tap.load("crawl", server.url, *QUICK, "--single", "--include", "localhost", *options)


with tap.case("a host that serves the same is reported with its evidence, and nothing is left out"):
    server, report = crawl_mirrored("-o", tap.path("mirrors"))
    [mirror] = report["mirrors"]
    tap.equal({mirror["host"], mirror["of"]}, {server.url[:-1], server.other[:-1]})
    tap.equal((mirror["applied"], mirror["urls"], mirror["evidence"]["same"], mirror["evidence"]["different"]), (False, 0, 30, 0))
    tap.equal((mirror["evidence"]["addresses"], report["left_out"]["mirror"]), (True, 0))
    tap.equal(len(server.asked), 62)

with tap.case("with --mirrors skip its pages are left out, but for those that only it has"):
    server, report = crawl_mirrored("--mirrors", "skip", "-o", tap.path("skip"))
    [mirror] = report["mirrors"]
    rows = [row for row in report["verdicts"] if row["left_out"] == "mirror"]
    assert len(rows) >= 20 and mirror["applied"] and mirror["urls"] == len(rows), (mirror, len(rows))
    assert all(row["verdict"] == "excluded" and row["reason"].startswith("mirror of http://") for row in rows)
    shown = {path.split("/", 3)[3] for path in
             (row["url"] for row in report["verdicts"] if row["verdict"] == "single") if path.count("/") > 3}
    tap.equal(shown, {f"page/{i}" for i in range(30)} | {"only/here"})
    tap.succeed("verify", tap.path("skip"))
    tap.equal(crawl_mirrored("--mirrors", "off", "-o", tap.path("none"))[1]["mirrors"], [])

tap.done()
