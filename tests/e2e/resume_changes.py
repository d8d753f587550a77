#!/usr/bin/env python3
"""resume with other limits, --revisit-now and --retry-failed: what an operator asks of a capture
that was stopped in its visits, or in its revisits."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import threading
import time

import living
import rawserver
import tap
from rawserver import page, respond

DEADLINE = 60
NAMES = ["", "a", "bad", "hold", "y", "z"]


class Site:
    """Links to its pages; one fails until it is mended, and one answer can be held back."""

    def __init__(self):
        self.mended = False
        self.held = None  # (path, how many requests for it are answered before)
        self.release = threading.Event()
        self.server = rawserver.Server(self.answer)
        self.url = self.server.url

    def count(self, path):
        return sum(request.path == path for request in self.server.requests)

    def answer(self, request):
        path = request.path
        if self.held and path == self.held[0] and self.count(path) > self.held[1]:
            self.release.wait(DEADLINE)
        if path == "/bad" and not self.mended:
            return respond("500 Oops")
        if path == "/":
            return page("".join(f'<a href="/{name}">x</a>' for name in NAMES[1:]).encode())
        return page(path.encode()) if path[1:] in NAMES else rawserver.NOT_FOUND


@contextlib.contextmanager
def held(path, before=0):
    """A site that does not answer the next request for this path but so many."""
    site = Site()
    site.held = (path, before)
    try:
        yield site
    finally:
        site.release.set()
        site.server.stop()


def stop_at(site, count, *arguments):
    """Runs the program until the site holds so many requests back, then stops it."""
    process = subprocess.Popen([tap.PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + DEADLINE
    while site.count(site.held[0]) < count and process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    told = process.communicate()[1]
    tap.equal(process.returncode, 3)
    assert "stopped" in told, told


def crawl(site, name, *options):
    archive = tap.path(name)
    stop_at(site, site.held[1] + 1, "crawl", site.url, "-o", archive, "--strategy", "bfs-lifo",
            "--delay", "1ms", "--attempts", 1, "--no-sitemaps", "--no-probes", *options)
    return archive


def finish(site, archive, *options):
    """Lets the site go on, resumes the capture and looks at it: (report, pages by name, errors)."""
    site.held = None
    site.release.set()
    result = tap.run("resume", archive, *options, timeout=DEADLINE)
    tap.equal(result.returncode, 0)
    tap.equal(tap.load("verify", archive)["problems"], [])
    report = tap.load("report", archive)
    rows = {row["url"][len(site.url):]: (row["verdict"], row["reason"])
            for row in report["verdicts"]}
    return report, rows, result.stderr


def settings(archive):
    with contextlib.closing(sqlite3.connect(os.path.join(archive, "catalog.sqlite"))) as database:
        text, = database.execute("SELECT settings FROM capture").fetchone()
    return dict(line.split(" ", 1) for line in text.splitlines())


def surt(url):
    return url[len("http://"):].replace("/", ")/", 1)


def recorded(archive):
    """What the records of the beginnings of runs say of the settings."""
    return [record.content() for name in living.warc_files(archive)
            for record in living.records(name)
            if record.block.startswith((b"moment: start\r\n", b"moment: resume\r\n"))]


with tap.case("--revisit-now ends the visits"):
    with held("/hold") as site:
        archive = crawl(site, "now")
        report, rows, _ = finish(site, archive, "--revisit-now")
        unvisited = ("unvisited", "the operator ended the visits")
        tap.equal(rows, {"": ("sharp", None), "a": ("sharp", None), "bad": ("failed", "HTTP 500"),
                         "hold": unvisited, "y": unvisited, "z": unvisited})
        tap.equal((report["state"], report["ended_by"]), ("cut", "operator"))
        assert "ended by its operator" in tap.succeed("report", archive)
        tap.equal(site.count("/y"), 0)

with tap.case("--retry-failed asks once more for what failed, also after another stop"):
    with held("/hold") as site:
        archive = crawl(site, "failed")
        site.mended = True
        stop_at(site, 2, "resume", archive, "--retry-failed")
        report, rows, errors = finish(site, archive)
        tap.equal(rows, {name: ("sharp", None) for name in NAMES})
        tap.equal((report["state"], report["ended_by"], errors), ("finished", None, ""))
        attempts = tap.load("report", archive, "--why", site.url + "bad")["attempts"]
        tap.equal([(a["leg"], a["number"], a["status"]) for a in attempts],
                  [("visit", 1, 500), ("visit", 2, 200), ("revisit", 1, 200)])

with tap.case("behind the still point there is nothing to try again, and that is said"):
    with held("/a", 1) as site:
        archive = crawl(site, "late")
        asked = site.count("/bad")
        report, rows, errors = finish(site, archive, "--retry-failed", "--revisit-now")
        assert "cannot be tried again" in errors and "over already" in errors, errors
        tap.equal(rows["bad"], ("failed", "HTTP 500"))
        tap.equal((report["state"], site.count("/bad")), ("finished", asked))

with tap.case("new limits count from then on, and are kept"):
    with held("/hold") as site:
        archive = crawl(site, "limits", "--max-pages", 4)
        tap.equal(tap.load("report", archive)["left_out"]["max-pages"], 2)
        stop_at(site, 2, "resume", archive, "--delay", "3ms", "--time-limit", "1h", "--max-bytes",
                "1M", "--max-pages", 5)
        want = {"delay": "0.003", "time_limit": "3600", "max_bytes": "1048576", "max_pages": "5"}
        kept = settings(archive)
        tap.equal({key: kept[key] for key in want}, want)
        report, rows, _ = finish(site, archive)
        tap.equal([rows[name][0] for name in NAMES],
                  ["sharp", "sharp", "failed", "sharp", "sharp", "excluded"])
        tap.equal(settings(archive), kept)
        delays = [moment["stillpoint-delay"] for moment in recorded(archive)]
        tap.equal(delays, ["0.001", "0.003", "0.003"])

with tap.case("--max-depth: deeper pages behind the barrier are seen once"):
    with held("/", 1) as site:
        archive = crawl(site, "deep", "--max-depth", 0)
        tap.equal(tap.load("report", archive)["left_out"]["max-depth"], 5)
        report, rows, _ = finish(site, archive, "--max-depth", 5, "--max-pages", 4)
        tap.equal([rows[name][0] for name in NAMES],
                  ["sharp", "single", "failed", "single", "excluded", "excluded"])

with tap.case("--include before the barrier: visited and revisited"):
    with held("/hold") as site:
        archive = crawl(site, "include", "--scope", "page", "--include", "/(a|hold)$")
        report, rows, _ = finish(site, archive, "--include", "/y$", "--surt", surt(site.url + "z"))
        tap.equal([rows[name][0] for name in NAMES],
                  ["sharp", "sharp", "excluded", "sharp", "sharp", "sharp"])
        tap.equal(settings(archive)["includes"], "/y$")  # the last of two

with tap.case("--include behind it: seen once"):
    with held("/a", 1) as site:
        archive = crawl(site, "late-include", "--scope", "page", "--include", "/(a|hold)$")
        report, rows, _ = finish(site, archive, "--include", "/[yz]$")
        tap.equal([rows[name][0] for name in NAMES],
                  ["sharp", "sharp", "excluded", "sharp", "single", "single"])
        tap.equal((site.count("/y"), site.count("/bad")), (1, 0))

with tap.case("a time limit that is over ends it; a delay may become automatic"):
    with held("/hold") as site:
        archive = crawl(site, "over")
        report, rows, _ = finish(site, archive, "--time-limit", "1ms", "--delay", "auto")
        tap.equal((report["state"], report["ended_by"], rows["y"]),
                  ("cut", "time", ("unvisited", "time limit")))
        assert "delay" not in settings(archive), settings(archive)

with tap.case("what cannot be is refused in one line"):
    with held("/") as site:
        archive = crawl(site, "nothing")
        site.held = None
        site.release.set()
        tap.refuse(1, "no page has been visited yet", "resume", archive, "--revisit-now")
        tap.refuse(2, "--delay needs auto or a time", "resume", archive, "--delay", "soon")
        for option in ("--strategy=bfs-lifo", "--scope=page", "--single", "--topic=x", "--seeds=f"):
            tap.refuse(2, option.split("=")[0] + " cannot change once a capture has begun",
                       "resume", archive, option)
        tap.refuse(2, "--tau is gone: ", "resume", archive, "--tau", 0.5)
        tap.equal(finish(site, archive)[1]["a"], ("sharp", None))

with tap.case("politeness and limits may change; a file gives what is of a run, and no more"):
    with held("/hold") as site:
        archive = crawl(site, "others")
        file = tap.write("resume.yaml", f"""\
budget: 5/day
delay: 9
jobs: 7
header: "Accept-Language: la"
crawl-log: {tap.path("log")}
sites: [{{url: {site.url}}}]
""")
        report, rows, _ = finish(site, archive, "--config", file, "--jobs", 2, "--timeout", "90s",
                                 "--bandwidth", "1G")
        tap.equal(rows["y"][0], "sharp")
        kept = settings(archive)
        tap.equal((kept["jobs"], kept["timeout"], kept["bandwidth"], kept["delay"]),
                  ("2", "90", "1073741824", "0.001"))
        assert os.path.getsize(tap.path("log")) > 0
        tap.refuse(2, "bad.yaml:1:1: unknown key 'jbs', did you mean 'jobs'?", "resume", archive,
                   "--config", tap.write("bad.yaml", "jbs: 2\n"))

with tap.case("--warc-prefix: names, repair, and the order of files without a catalog"):
    with held("/hold") as site:
        archive = crawl(site, "prefix", "--warc-prefix", "my.site_1")
        torn = "my.site_1-20260101000000-00009.warc.gz"
        others = "other-20260101000000-00009.warc.gz.open"
        for name in (torn + ".open", others):
            with open(os.path.join(archive, "warc", name), "wb") as file:
                file.write(b"x")
        site.held = None
        site.release.set()
        tap.succeed("resume", archive)
        left = os.listdir(os.path.join(archive, "warc"))
        assert others in left and torn + ".open" not in left, left
        os.remove(os.path.join(archive, "warc", others))
        tap.succeed("crawl", site.url, "-o", archive, "--delay", "1ms", "--attempts", 1,
                    "--warc-prefix", "a")
        names = {name.split("-")[0] for name in os.listdir(os.path.join(archive, "warc"))
                 if name.endswith(".warc.gz")}
        tap.equal(names, {"my.site_1", "a"})
        tap.equal(tap.load("verify", archive)["problems"], [])
        tap.equal(tap.load("verify", "--warc-only", archive)["problems"], [])

with tap.case("a prefix is no path, whoever gives it"):
    for prefix in ("", "../x", "a/b", "-x", ".x", "a b", "%t", "é", 65 * "a"):
        tap.refuse(2, "--warc-prefix is up to 64", "crawl", "http://127.0.0.1:9/", "-o",
                   tap.path("none"), "--warc-prefix", prefix)
    with held("/hold") as site:
        archive = crawl(site, "path", "--warc-prefix", "good")
        with contextlib.closing(sqlite3.connect(archive + "/catalog.sqlite")) as database:
            database.execute("UPDATE capture SET settings = replace(settings, 'warc_prefix good',"
                             " 'warc_prefix ../../x')")
            database.commit()
        tap.equal(tap.run("resume", archive).returncode, 1)

tap.done()
