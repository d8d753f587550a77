#!/usr/bin/env python3
"""Manners: robots.txt that comes late, changes, loops or hangs; servers that ask for less, or die;
hours, bandwidth, room on the disk; who is asking.

Most of it is waiting, so the captures run side by side, and are looked at one after the other.
"""

import concurrent.futures
import contextlib
import datetime
import gzip
import email.utils
import itertools
import os
import signal
import sqlite3
import subprocess
import threading
import time

import dnsserver
import living
import rawserver
import tap
from rawserver import page, respond

DEADLINE = 120
ALLOW = respond("200 OK", b"User-agent: *\nDisallow:\n")


def links(*hrefs):
    return page("".join(f'<a href="{href}">x</a>' for href in hrefs).encode())


def forbid(*paths):
    rules = "".join(f"Disallow: {path}\n" for path in paths)
    return respond("200 OK", f"User-agent: *\n{rules}".encode())


class Site:
    """A server with answers by path: bytes, or what makes them of the request."""

    def __init__(self, answers, robots=ALLOW):
        self.answers = {"/robots.txt": robots, **answers}
        self.lock = threading.Lock()
        self.server = rawserver.Server(self.answer)
        self.url = self.server.url

    def answer(self, request):
        with self.lock:
            answer = self.answers.get(request.path, rawserver.NOT_FOUND)
            return answer(request) if callable(answer) else answer

    def asked(self, path=None):
        return [request for request in self.server.requests if path in (None, request.path)]

    def times(self, path):
        """How often, while an answer is made for it."""
        return len(self.asked(path))


def wait_until(happened):
    end = time.monotonic() + DEADLINE
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.02)


def change(archive, sql):
    with contextlib.closing(sqlite3.connect(os.path.join(archive, "catalog.sqlite"))) as database:
        database.execute(sql)
        database.commit()


class Capture:
    def __init__(self, name, *arguments):
        self.archive = tap.path(name)
        self.done = tap.run("crawl", "--delay", 0, *arguments, "-o", self.archive,
                            timeout=DEADLINE)
        self.report = None
        if self.done.returncode == 0:
            self.report = tap.load("report", self.archive)
            self.pages = {row["url"]: row for row in self.report["verdicts"]}

    def check(self, stderr=""):
        tap.equal((self.done.returncode, self.done.stderr), (0, stderr))
        tap.succeed("verify", self.archive)

    def is_page(self, url, verdict, reason=""):
        row = self.pages[url]
        tap.equal((url, row["verdict"]), (url, verdict))
        assert reason in (row["reason"] or ""), row

    def responses(self, url):
        return [record for file in living.warc_files(self.archive)
                for record in living.records(file)
                if record.type == "response" and record.fields["WARC-Target-URI"] == url]

    def robots(self):
        path = os.path.join(self.archive, "catalog.sqlite")
        with contextlib.closing(sqlite3.connect(path)) as database:
            return [body.decode() for body, in
                    database.execute("SELECT body FROM robots ORDER BY id")]

    def events(self, condition):
        path = os.path.join(self.archive, "catalog.sqlite")
        with contextlib.closing(sqlite3.connect(path)) as database:
            return database.execute(f"SELECT count(*) FROM event WHERE {condition}").fetchone()[0]


# ---- robots.txt ----

# Every page finds robots.txt too old, because the pause before it is longer than that.
TOO_OLD = ("--robots-age", "1ms", "--delay", "2ms")


def late_robots():
    """It fails twice, then it is there."""
    site = Site({"/": links("/a", "/b"), "/a": page(b"a"), "/b": page(b"b")},
                lambda _: ALLOW if site.times("/robots.txt") > 2 else respond("503 Later"))
    capture = Capture("late", site.url)
    capture.check()
    tap.equal(capture.report["sharp"], 3)
    tap.equal([request.path for request in site.asked()[:3]], ["/robots.txt"] * 3)


def changed_robots():
    """After the visits it forbids one page and allows another."""
    before, after = forbid("/later"), forbid("/secret", "/dir/")
    pages = ["/a", "/b", "/secret", "/dir/x"]

    def robots(_):
        visited = all(site.times(path) for path in pages)
        return after if visited else before

    site = Site({"/": links(*pages, "/later"), "/later": page(b"later"),
                 **{path: page(path.encode()) for path in pages}}, robots)
    capture = Capture("changed", site.url, *TOO_OLD)
    capture.check()
    url = site.url[:-1]
    for path in ("/", "/a", "/b"):
        capture.is_page(url + path, "sharp")
    for path in ("/secret", "/dir/x"):
        capture.is_page(url + path, "excluded", "robots.txt changed at 20")
        tap.equal(len(site.asked(path)), 1)
        tap.equal(len(capture.responses(url + path)), 1)  # what there was stays
    capture.is_page(url + "/later", "single")
    tap.equal(capture.events("kind = 6"), 2)  # withdrawn: no failure is made up
    tap.equal(capture.events("kind = 2 AND outcome = 2"), 0)
    tap.equal([body.count("Disallow") for body in capture.robots()], [1, 2])
    blocks = {record.block for record in capture.responses(url + "/robots.txt")}
    tap.equal(len(blocks), 2)
    why = tap.succeed("report", capture.archive, "--why", url + "/secret")
    assert "robots.txt changed" in why, why
    # The log with its withdrawn pages restores the planner: nothing is left to be done.
    change(capture.archive, "UPDATE capture SET state = 0, finished = 0")
    tap.equal(tap.load("resume", capture.archive)["verdicts"], capture.report["verdicts"])
    for path in ("/a", "/b"):
        tap.equal(len(site.asked(path)), 2)


def unchanged_robots():
    """What is the same is asked for again, and is one version."""
    site = Site({"/": links("/a"), "/a": page(b"a")})
    capture = Capture("unchanged", site.url, *TOO_OLD)
    capture.check()
    tap.equal(capture.report["sharp"], 2)
    tap.equal(site.times("/robots.txt"), 1 + 4)  # at first, and once before each page
    tap.equal(len(capture.robots()), 1)


def unreachable_later():
    """It cannot be had when it is asked for again: what is known counts."""
    site = Site({"/": links("/a", "/b"), "/a": page(b"a"), "/b": page(b"b")},
                lambda _: forbid("/b") if site.times("/robots.txt") == 1 else respond("500 Oops"))
    capture = Capture("lost", site.url, *TOO_OLD)
    capture.check()
    tap.equal(capture.report["sharp"], 2)
    capture.is_page(site.url + "b", "excluded", "robots.txt, line 2")


def remembered_robots():
    """The next capture cannot have it at all: the copy of the first one counts."""
    site = Site({"/": links("/a", "/b"), "/a": page(b"a"), "/b": page(b"b")}, forbid("/b"))
    Capture("copy", site.url).check()
    site.answers["/robots.txt"] = respond("500 Oops")
    before = len(site.asked())
    capture = Capture("copy", site.url)
    capture.check()
    tap.equal(capture.report["sharp"], 2)
    capture.is_page(site.url + "b", "excluded", "robots.txt, line 2")
    tries = itertools.takewhile(lambda request: request.path == "/robots.txt",
                                site.asked()[before:])
    tap.equal(len(list(tries)), 4)


def long_unreachable():
    """Nobody has reached it for a month: everything is allowed."""
    site = Site({"/": links("/a"), "/a": page(b"a")}, respond("500 Oops"))
    tap.equal(Capture("month", site.url).done.returncode, 1)
    left_out = tap.load("report", tap.path("month"))["left_out"]
    tap.equal((left_out["unreachable"], left_out["robots"]), (1, 0))  # it refused nothing
    change(tap.path("month"), "UPDATE robots SET fetched = fetched - 31 * 86400000000000")
    capture = Capture("month", site.url)
    capture.check()
    tap.equal(capture.report["sharp"], 2)


def resumed_later(name, hours, times):
    """A capture that is resumed after so many hours asks for it again, or does not."""
    ended = threading.Event()

    def slow(_):
        ended.wait(DEADLINE)
        return page(b"a")

    site = Site({"/": links("/a"), "/b": page(b"b")})
    site.server.answer = lambda request: (slow if request.path == "/a" else site.answer)(request)
    running = Running(name, site.url)
    wait_until(lambda: site.asked("/a"))
    tap.equal(running.end(signal.SIGINT), 3)
    ended.set()
    change(tap.path(name), f"UPDATE robots SET checked = checked - {hours} * 3600000000000")
    tap.succeed("resume", tap.path(name), timeout=DEADLINE)
    tap.equal(tap.load("report", tap.path(name))["sharp"], 2)
    tap.equal(site.times("/robots.txt"), times)


def robots_in_an_hour():
    """It asks to be left alone for so long that nobody waits for it."""
    busy = Site({}, respond("503 Later", retry_after="3600"))
    site = Site({"/": links("/a", busy.url), "/a": page(b"a")})
    capture = Capture("hour", site.url, "--include", busy.url)
    capture.check()
    tap.equal(capture.report["sharp"], 2)
    capture.is_page(busy.url, "excluded", "robots.txt could not be read: HTTP 503")
    tap.equal(len(busy.asked()), 1)


def looping_robots():
    site = Site({"/": page(b"x"), "/there": respond("302 On", location="/robots.txt")},
                respond("302 On", location="/there"))
    capture = Capture("loop", site.url)
    tap.equal(capture.done.returncode, 1)
    assert "its redirects go round in a circle" in capture.done.stderr, capture.done.stderr
    tap.equal({request.path for request in site.asked()}, {"/robots.txt", "/there"})


def far_robots():
    """More than five redirects, all different: as if there were none."""
    site = Site({"/": page(b"x"), **{f"/{i}": respond("302 On", location=f"/{i + 1}")
                                     for i in range(9)}},
                respond("302 On", location="/0"))
    capture = Capture("far", site.url)
    capture.check()
    tap.equal((capture.report["sharp"], site.times("/4"), site.times("/5")), (1, 1, 0))


CODED = b"User-agent: *\nDisallow: /secret\n" + b"".join(b"# %d\n" % i for i in range(999))
PACKED = gzip.compress(CODED, mtime=0)

# Content-Encoding and body of robots.txt: labels that say nothing, and one that is not true.
READABLE = {
    "utf-8": CODED, "none": CODED, "aws-chunked": CODED, "x-foo": CODED, "gzip": CODED,
    "br": CODED, "gzip, x-foo": PACKED,
}
UNREADABLE = {"cut short": PACKED[:-20], "cut early": PACKED[:12],
              "damaged": PACKED[:100] + b"\xff" * 40 + PACKED[140:]}


def coded_robots():
    """Labels that are not known mean nothing; the links of pages with them are found."""
    sites = {coding: Site({"/": page(b"<a href=/a>a</a><a href=/secret>b</a>",
                                     content_encoding=coding if body is CODED else "x-foo"),
                           "/a": page(b"a"), "/secret": page(b"secret")},
                          respond("200 OK", body, content_encoding=coding))
             for coding, body in READABLE.items()}
    capture = Capture("coded", *(site.url for site in sites.values()))
    capture.check()
    for coding, site in sites.items():
        tap.equal((coding, site.times("/a"), site.times("/secret")), (coding, 2, 0))


def unreadable_robots():
    """One whose content coding is cut off or damaged is as good as none that can be had."""
    sites = {name: Site({"/": page(b"x")}, respond("200 OK", body, content_encoding="gzip"))
             for name, body in UNREADABLE.items()}
    sites["not labelled"] = Site({"/": page(b"x")}, respond("200 OK", PACKED))
    sites["labelled x-foo"] = Site({"/": page(b"x")}, respond("200 OK", PACKED,
                                                             content_encoding="x-foo"))
    late = Site({"/": page(b"late")}, lambda _: respond(
        "200 OK", PACKED if late.times("/robots.txt") > 1 else PACKED[:-20],
        content_encoding="gzip"))
    capture = Capture("unreadable", *(site.url for site in sites.values()), late.url)
    tap.succeed("verify", capture.archive)
    for name, site in sites.items():
        tap.equal((name, {request.path for request in site.asked()}), (name, {"/robots.txt"}))
        reason = tap.succeed("report", capture.archive, "--why", site.url)
        assert "its content coding cannot be undone" in reason, reason
    tap.equal((late.times("/robots.txt"), late.times("/")), (2, 2))


def hanging_robots():
    """One host's hangs: its pages are left out, those of the other host are not."""
    ended = threading.Event()
    hanging = Site({})
    hanging.server.answer = lambda request: ended.wait(DEADLINE) and None
    site = Site({"/": links("/a", hanging.url), "/a": page(b"a")})
    capture = Capture("hanging", site.url, "--include", hanging.url, "--timeout", "2s",
                      "--down-after", "1h", "--attempts", 9)
    ended.set()
    capture.check()
    tap.equal(capture.report["sharp"], 2)
    capture.is_page(hanging.url, "excluded", "robots.txt could not be read: timeout")
    tap.equal({request.path for request in hanging.asked()}, {"/robots.txt"})
    assert len(hanging.asked()) >= 4, len(hanging.asked())


def ignored_robots():
    site = Site({"/": links("/b"), "/b": page(b"b")}, forbid("/"))
    capture = Capture("ignored", site.url, "--robots", "ignore")
    assert capture.done.stderr.count("\n") == 1 and "--robots ignore" in capture.done.stderr
    capture.check(capture.done.stderr)
    tap.equal(capture.report["sharp"], 2)
    tap.equal(len(capture.responses(site.url + "robots.txt")), 1)
    info = next(living.records(next(iter(living.warc_files(capture.archive)))))
    tap.equal((info.type, info.content()["robots"]), ("warcinfo", "ignore"))


def sitemaps_of_the_target():
    """A seed that redirects to another host stands for that host's sitemaps, too."""
    target = Site({"/": page(b"home"), "/hidden": page(b"hidden")})
    target.answers["/sitemap.xml"] = respond(
        "200 OK", f"<urlset><url><loc>{target.url}hidden</loc></url></urlset>".encode(),
        content_type="text/xml")
    site = Site({"/": respond("301 Moved", location=target.url)})
    capture = Capture("target", site.url)
    capture.check()
    capture.is_page(target.url + "hidden", "sharp")


def xml(body):
    return respond("200 OK", body.encode(), content_type="text/xml")


def index_of(*urls):
    return xml("<sitemapindex>" + "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
               + "</sitemapindex>")


def map_of(*urls):
    return xml("<urlset>" + "".join(f"<url><loc>{url}</loc></url>" for url in urls) + "</urlset>")


def robots_of(*lines):
    return respond("200 OK", "\n".join(["User-agent: *", *lines]).encode(),
                   content_type="text/plain")


def foreign_sitemaps():
    """Those of another host are asked for only as far as its robots.txt lets them be."""
    site = Site({"/": page(b"x"), "/new": page(b"new")})
    other = Site({"/open.xml": map_of(site.url + "new"), "/shut/0.xml": map_of(),
                  "/moved.xml": respond("302 Go", location="/shut/moved.xml")},
                 robots_of("Disallow: /shut/"))
    dead = Site({}, respond("503 Later"))
    site.answers["/robots.txt"] = robots_of(
        *(f"Sitemap: {other.url}shut/{i}.xml" for i in range(50)), f"Sitemap: {dead.url}x.xml",
        f"Sitemap: {other.url}open.xml", f"Sitemap: {other.url}moved.xml")
    capture = Capture("foreign-sitemaps", site.url)
    capture.check()
    tap.equal([request.path for request in other.asked()],
              ["/robots.txt", "/open.xml", "/moved.xml"])
    tap.equal({request.path for request in dead.asked()}, {"/robots.txt"})
    capture.is_page(site.url + "new", "sharp")


def own_sitemaps():
    """One that robots.txt names is an invitation; what an index names, or nobody, is not."""
    invited = Site({"/": page(b"x"), "/no/map.xml": index_of(), "/no/nested.xml": map_of(),
                    "/yes.xml": map_of()})
    invited.answers["/no/map.xml"] = index_of(invited.url + "no/nested.xml",
                                              invited.url + "yes.xml")
    invited.answers["/robots.txt"] = robots_of("Disallow: /no/", "Sitemap: /no/map.xml")
    guessed = Site({"/": page(b"y"), "/sitemap.xml": map_of()},
                   robots_of("Disallow: /sitemap.xml"))
    Capture("own-sitemaps", invited.url, guessed.url).check()
    tap.equal([request.path for request in invited.asked()[:3]],
              ["/robots.txt", "/no/map.xml", "/yes.xml"])
    tap.equal((invited.times("/no/nested.xml"), guessed.times("/sitemap.xml")), (0, 0))


def many_sitemap_hosts():
    """Sitemaps lead to a few hosts besides those of the seeds, not to everybody."""
    others = [Site({"/map.xml": map_of()}) for _ in range(12)]
    site = Site({"/": page(b"x")})
    site.answers["/robots.txt"] = robots_of(*(f"Sitemap: {other.url}map.xml" for other in others))
    Capture("sitemap-hosts", site.url).check()
    tap.equal([len(other.asked()) for other in others], [2] * 8 + [0] * 4)


def slow_rules():
    """Rules that cost too much to compare with a URL forbid it, and the report says so."""
    long = "/" + "a" * 1900
    site = Site({"/": links(long, "/short"), "/short": page(b"short"), long: page(b"long")},
                robots_of(*(f"Disallow: /*b{i}*c" for i in range(4900))))
    capture = Capture("slow-rules", site.url)
    capture.check()
    tap.equal((site.times("/short"), site.times(long)), (2, 0))
    capture.is_page(site.url[:-1] + long, "excluded", "take too long to compare")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stopped_in_rules():
    """Ctrl-C is heard between two links: nothing is kept of a page that was not read to its end."""
    paths = [f"/{number}{'a' * 1900}" for number in range(3000)]
    site = Site({"/": links(*paths)}, robots_of(*(f"Disallow: /*b{i}*c" for i in range(4900))))
    running = Running("stopped-in-rules", site.url)
    wait_until(lambda: site.asked("/"))
    busy = cpu_seconds(running.process.pid) + 0.4  # by then the page has been read
    wait_until(lambda: cpu_seconds(running.process.pid) >= busy)
    tap.equal(running.end(signal.SIGINT), 3)
    tap.equal(tap.load("report", tap.path("stopped-in-rules"))["pages"], 1)


# ---- servers that ask for less, or die ----

def gap_after(site, index):
    return site.asked()[index + 1].time - site.asked()[index].time


def refused(name, **fields):
    """The first answer to a page asks for less: nothing comes for a second at least."""
    def limited(_):
        if site.times("/a") > 1:
            return page(b"a")
        return respond("429 Slowly", **{field: make() for field, make in fields.items()})

    site = Site({"/": links("/a"), "/a": limited})
    capture = Capture(name, site.url)
    capture.check()
    capture.is_page(site.url + "a", "sharp")
    index = [request.path for request in site.asked()].index("/a")
    gap = gap_after(site, index)
    assert gap > 0.95, gap


def in_two_seconds():
    """As an HTTP date, which has whole seconds only."""
    return email.utils.format_datetime(
        datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2), usegmt=True)


def dying_server():
    """It goes away for good: its pages do not wait for it one by one."""
    pages = [f"/{i}" for i in range(60)]

    def home(request):
        if site.times("/") == 1:
            return links(*pages)
        request.reset()
        return None

    def dead(request):
        request.reset()

    def robots(request):
        return ALLOW if not site.times("/") else dead(request)

    site = Site({"/": home, **{path: dead for path in pages}}, robots)
    capture = Capture("dying", site.url, "--down-after", "1s")
    capture.check()
    rows = [row for row in capture.report["verdicts"] if row["url"] != site.url]
    tap.equal({row["verdict"] for row in rows}, {"failed"})
    down = [row for row in rows if "host-down" in row["reason"]]
    assert len(down) >= 50, len(down)
    capture.is_page(site.url, "unconfirmed", "host-down")
    assert len(site.asked()) < 20, len(site.asked())


def dying_image_server():
    """It dies during the visits of others: what is not sent to it does not move the still point."""
    images = [f"/{i}.png" for i in range(40)]

    def dead(request):
        request.reset()

    other = Site({path: dead for path in images},
                 lambda request: dead(request) if any(map(other.asked, images)) else ALLOW)
    site = Site({"/": page("".join(f'<img src="{other.url}{path[1:]}">'
                                   for path in images).encode())})
    capture = Capture("image-server", site.url, "--down-after", "1s")
    capture.check()
    capture.is_page(site.url, "sharp")
    assert capture.report["stillpoint"]["from"], capture.report["stillpoint"]
    assert any("host-down" in (row["reason"] or "") for row in capture.report["verdicts"])


def broken_section():
    """Pages that all reset on a server that lives cost the others nothing."""
    bad, good = [f"/bad/{i}" for i in range(40)], [f"/good/{i}" for i in range(5)]

    def reset(request):
        request.reset()

    site = Site({"/": links(*bad, *good), **{path: reset for path in bad},
                 **{path: page(path.encode()) for path in good}})
    capture = Capture("section", site.url, "--attempts", 1)
    capture.check()
    tap.equal(capture.report["sharp"], 6)
    tap.equal(sum(row["verdict"] == "failed" and "reset" in row["reason"]
                  for row in capture.report["verdicts"]), len(bad))


# ---- who is asking ----

def user_agents():
    for option, want in ((("--contact", "https://example.org/x"), "+https://example.org/x)"),
                         (("--contact", "a.b@example.org"), "+mailto:a.b@example.org)"),
                         ((), ")")):
        site = Site({"/": page(b"x")})
        name = f"agent-{len(want)}"
        capture = Capture(name, site.url, *option)
        capture.check()
        agents = {request.fields["User-Agent"] for request in site.asked()}
        version = tap.succeed("--version").split()[1]
        space = " " if option else ""
        tap.equal(agents, {f"Mozilla/5.0 (compatible; stillpoint/{version}{space}{want}"})
    for bad in ("nobody", "a@b c", "https://exa mple", "x)@example.org", "a@", "@example.org"):
        tap.refuse(2, "a contact is a URL or a mail address", "crawl", "http://127.0.0.1:8/",
                   "--contact", bad, "-o", tap.path("never"))


def named_agents():
    """robots.txt is read for the name that is sent."""
    robots = (b"User-agent: stillpoint\nDisallow: /ours\n\n"
              b"User-agent: mybot\nDisallow: /theirs\n\nUser-agent: *\nDisallow: /all\n")
    pages = ("/ours", "/theirs", "/all")
    for i, (options, name, forbidden) in enumerate((
            ((), "stillpoint", "/ours"),
            (("--user-agent", "MyBot/1.0 (a@example.org)"), "MyBot", "/theirs"),
            (("--user-agent", "Mozilla/5.0 (compatible; mybot/2; +http://x)"), "mybot", "/theirs"),
            (("--user-agent", "Mozilla/5.0 (X11)"), "Mozilla", "/all"))):
        site = Site({"/": links(*pages), **{path: page(path.encode()) for path in pages}},
                    respond("200 OK", robots))
        capture = Capture(f"named-{i}", site.url, "-v", *options)
        tap.equal(capture.done.returncode, 0)
        assert f"robots.txt is read for '{name}'" in capture.done.stderr, capture.done.stderr
        tap.equal((name, [path for path in pages if not site.asked(path)]), (name, [forbidden]))


def warned():
    """Who asks other machines without a contact is warned; who has one is not."""
    def crawl(name, **environment):
        return tap.run("crawl", "http://nonexistent.invalid/", "--time-limit", "100ms", "--dns",
                       dns.address, "-o", tap.path(name), env={**os.environ, **environment},
                       timeout=DEADLINE).stderr

    with dnsserver.Server({}) as dns:
        assert "add --contact" in crawl("warned")
        assert "add --contact" not in crawl("known", STILLPOINT_CONTACT="a@example.org")


# ---- when, and how fast ----

class Running:
    """A crawl in the background."""

    def __init__(self, name, *arguments):
        self.errors = open(tap.path(f"{name}.err"), "w+b")
        self.process = subprocess.Popen(
            [tap.PROGRAM, "crawl", *map(str, arguments), "--delay", "0", "-o", tap.path(name)],
            stdout=subprocess.DEVNULL, stderr=self.errors, env={**os.environ, "TZ": "UTC"})

    def said(self):
        with open(self.errors.name, encoding="utf-8") as file:
            return file.read()

    def wait_for(self, words):
        wait_until(lambda: words in self.said() or self.process.poll() is not None)
        assert words in self.said(), self.said()

    def end(self, sign=None):
        if sign:
            self.process.send_signal(sign)
        status = self.process.wait(timeout=DEADLINE)
        self.errors.close()
        return status


def hours():
    """Nothing starts outside of them; within, all does."""
    now = datetime.datetime.now(datetime.timezone.utc).hour
    site = Site({"/": page(b"x")})
    running = Running("closed", site.url, "--hours", f"{(now + 3) % 24:02}-{(now + 4) % 24:02}")
    running.wait_for(f"waiting until {(now + 3) % 24:02}:00")
    tap.equal(running.end(signal.SIGINT), 3)
    tap.equal(site.asked(), [])
    around = f"{(now + 12) % 24}:30-{(now + 13) % 24}:00,{(now - 1) % 24}-{(now + 3) % 24}"
    running = Running("open", site.url, "--hours", around)
    tap.equal((running.end(), running.said(), len(site.asked("/"))), (0, "", 2))
    tap.refuse(2, "--hours 'noon' is not a window of time", "crawl", site.url, "--hours", "noon", "-o",
               tap.path("never"))


def bandwidth():
    """Received no faster than that, be it in one body or in many."""
    rate, size, count = 200_000, 40_000, 6
    site = Site({"/": links(*(f"/{i}" for i in range(count)), "/large"),
                 **{f"/{i}": page(b"x" * size) for i in range(count)},
                 "/large": page(b"y" * rate)})
    capture = Capture("bandwidth", site.url, "--bandwidth", rate, "--jobs", 4)
    capture.check()
    asked = site.asked()
    sent = 2 * (count * size + rate)
    last = size * 4 if asked[-1].path != "/large" else rate + 3 * size
    seconds = asked[-1].time - asked[0].time
    assert seconds >= 0.9 * (sent - last - rate) / rate, (seconds, sent)


def low_disk():
    """Pauses while there is no room, and goes on by itself."""
    mount = tap.path("disk")
    os.mkdir(mount)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", mount], check=True)
    try:
        with open(f"{mount}/filler", "wb") as file:
            file.write(bytes(6 << 20))
        site = Site({"/": page(b"x")})
        running = Running("disk/archive", site.url, "--min-free", "4M")
        running.wait_for("waiting for disk space: less than 4 MiB are free")
        tap.equal(site.asked(), [])
        os.unlink(f"{mount}/filler")
        tap.equal(running.end(), 0)
        tap.equal(len(site.asked("/")), 2)
        assert running.said().count("waiting") == 1 and "going on" in running.said()
    finally:
        # Lazily: what the other cases start may have inherited a file for a moment.
        subprocess.run(["umount", "--lazy", mount], check=True)


def can_mount():
    return os.geteuid() == 0 and subprocess.run(
        ["unshare", "--mount", "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0


CASES = {
    "robots.txt that fails twice": late_robots,
    "robots.txt that changes between visit and revisit": changed_robots,
    "robots.txt that stays as it is": unchanged_robots,
    "robots.txt that cannot be had again": unreachable_later,
    "robots.txt that only an earlier capture has seen": remembered_robots,
    "robots.txt that nobody has seen for a month": long_unreachable,
    "robots.txt of a capture resumed after a day": lambda: resumed_later("day", 25, 2),
    "robots.txt of a capture resumed soon": lambda: resumed_later("soon", 1, 1),
    "robots.txt in an hour": robots_in_an_hour,
    "robots.txt that redirects in a circle": looping_robots,
    "robots.txt that redirects too often": far_robots,
    "robots.txt whose content coding is only a label": coded_robots,
    "robots.txt whose content coding is broken": unreadable_robots,
    "robots.txt that hangs": hanging_robots,
    "robots.txt ignored": ignored_robots,
    "sitemaps of where a seed leads": sitemaps_of_the_target,
    "sitemaps of other hosts": foreign_sitemaps,
    "sitemaps of the own host": own_sitemaps,
    "sitemaps of very many hosts": many_sitemap_hosts,
    "robots.txt that takes long to compare": slow_rules,
    "Ctrl-C while rules are compared": stopped_in_rules,
    "429 without Retry-After": lambda: refused("429"),
    "429 with seconds": lambda: refused("seconds", retry_after=lambda: "1"),
    "429 with a date": lambda: refused("date", retry_after=in_two_seconds),
    "a server that dies": dying_server,
    "a server of images that dies": dying_image_server,
    "a section whose pages all reset": broken_section,
    "user agents": user_agents,
    "robots.txt for the user agent that is sent": named_agents,
    "a warning without a contact": warned,
    "hours": hours,
    "bandwidth": bandwidth,
}


def main():
    if can_mount():
        CASES["a disk that is full for a while"] = low_disk
    with concurrent.futures.ThreadPoolExecutor(len(CASES)) as pool:
        running = {name: pool.submit(check) for name, check in CASES.items()}
        for name, result in running.items():
            with tap.case(name):
                result.result()
    if not can_mount():
        tap.skip("a disk that is full for a while", "no file system may be mounted here")


main()
tap.done()
