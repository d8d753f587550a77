#!/usr/bin/env python3
"""A capture that was stopped anywhere, its catalog lost and made anew from the WARC files, then
resumed: what was fetched is not fetched again, and what was to come still comes."""

import concurrent.futures
import contextlib
import os
import random
import shutil
import signal
import subprocess
import threading
import time

import living
import rawserver
import tap
from rawserver import page, respond

DEADLINE = 90
DAMAGES = living.scaled(10, 6)


class Site:
    """A page that links to the others. `answers`: by path, a function of the site, the path and
    how often it was asked for; `hold`: whether a request is held back until `release`."""

    def __init__(self, names, hold, **answers):
        self.names, self.hold, self.answers = names, hold, answers
        self.release, self.is_held = threading.Event(), threading.Event()
        self.server = rawserver.Server(self.answer)
        self.url = self.server.url

    def count(self, name):
        return sum(request.path == "/" + name for request in self.server.requests)

    def answer(self, request):
        name = request.path[1:]
        if name not in ["", *self.names]:
            return rawserver.NOT_FOUND
        if self.hold and self.hold(self, name):
            self.is_held.set()
            self.release.wait(DEADLINE)
        if name in self.answers:
            return self.answers[name](self, request)
        links = "".join(f'<a href="/{each}">x</a>' for each in self.names) if name == "" else ""
        return page((name + links).encode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.release.set()
        self.server.stop()


def slow_at_first(site, request):
    """Does not answer the first time, until the other side has had enough."""
    name = request.path[1:]
    if site.count(name) == 1:
        with contextlib.suppress(OSError):
            request.socket.recv(1)
        return None
    return page(name.encode())


def stop(site, *arguments):
    """Runs the program until the site holds a request back, and stops it."""
    process = subprocess.Popen([tap.PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + DEADLINE
    while not site.is_held.is_set() and process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    told = process.communicate()[1]
    tap.equal((process.returncode, "stopped" in told), (3, True))


def crawl(site, name, *options):
    archive = tap.path(name)
    stop(site, "crawl", site.url, "-o", archive, "--strategy", "bfs-lifo", "--delay", "1ms",
         "--no-sitemaps", "--no-probes", *options)
    return archive


def rebuild(archive):
    for name in os.listdir(archive):
        if name.startswith("catalog.sqlite"):
            os.unlink(os.path.join(archive, name))
    return tap.load("rebuild", archive)


def resume(site, archive, *options):
    """Lets the site go on; what the capture shows in the end, by name: (verdict, attempts)."""
    site.hold = None
    site.release.set()
    done = tap.run("resume", archive, *options, timeout=DEADLINE)
    tap.equal((done.returncode, done.stderr), (0, ""))
    return rows(site, archive)


def rows(site, archive):
    for options in ((), ("--warc-only",)):
        tap.equal(tap.load("verify", archive, *options)["problems"], [])
    found = {}
    for row in tap.load("report", archive)["verdicts"]:
        attempts = tap.load("report", archive, "--why", row["url"])["attempts"]
        found[row["url"][len(site.url):]] = (
            row["verdict"], [(each["leg"], each["number"]) for each in attempts])
    return found


TWICE = [("visit", 1), ("revisit", 1)]


def is_revisit_of(name):
    return lambda site, asked: asked == name and site.count(name) == 2


def is_last_late(site, name):
    """The second of the two slow pages that is asked for once more."""
    return name.startswith("slow") and site.count("slow1") + site.count("slow2") == 4


def stopped_late():
    site = Site(["a", "slow1", "slow2"], is_last_late, slow1=slow_at_first, slow2=slow_at_first)
    return site, crawl(site, "late", "--attempts", 1)


def stopped_in_revisits(attempts):
    site = Site(["a", "b", "slow"], is_revisit_of("a"), slow=slow_at_first)
    return site, crawl(site, f"revisits-{attempts}", "--attempts", attempts)


def oops(site, request):
    return respond("500 Oops") if site.count(request.path[1:]) <= 1 else page(b"mended")


# They wait for slow pages, so they do it side by side.
POOL = concurrent.futures.ThreadPoolExecutor(4)
LATE = POOL.submit(stopped_late)
IN_REVISITS = {attempts: POOL.submit(stopped_in_revisits, attempts) for attempts in (1, 3)}


def same_pages(row):
    tap.equal((row[""], row["a"]), (("sharp", TWICE), ("sharp", TWICE)))


with tap.case("a page that was put off and has come since is not fetched again"):
    late, archive = LATE.result()
    ORIGINAL = shutil.copytree(archive, tap.doctored(tap.path("original")))
    rebuild(archive)
    found = resume(late, archive)
    same_pages(found)
    for name in ("slow1", "slow2"):
        tap.equal(found[name], ("single", [("visit", 1), ("late", 2)]))
    # Twice, and the one that was under way once more.
    tap.equal(sorted([late.count("slow1"), late.count("slow2")]), [2, 3])
    rebuild(archive)
    tap.equal(rows(late, archive), found)

for attempts in (1, 3):
    with tap.case(f"a page that waits to come late when revisits have begun, {attempts} attempts"):
        site, archive = IN_REVISITS[attempts].result()
        with site:
            asked = site.count("slow")
            rebuild(archive)
            found = resume(site, archive)
            same_pages(found)
            tap.equal(found["b"], ("sharp", TWICE))
            tap.equal(found["slow"][0], "single")
            tap.equal(site.count("slow"), asked + 1)
            tap.equal(found["slow"][1][-1][0], "late")

with tap.case("a visit that --retry-failed has made is one: it gets its revisit"):
    with Site(["a", "bad", "hold", "z"], lambda site, name: name == "hold", bad=oops) as site:
        archive = crawl(site, "retried", "--attempts", 1)
        site.release.set()
        site.is_held.clear()
        site.hold = lambda site, name: name == "bad" and site.count(name) == 3
        site.release = threading.Event()
        stop(site, "resume", archive, "--retry-failed")
        rebuild(archive)
        found = resume(site, archive)
        tap.equal(found["bad"], ("sharp", [("visit", 1), ("visit", 2), ("revisit", 1)]))
        tap.equal(site.count("bad"), 4)  # the one that was under way once more

with tap.case("a page that was not retried yet is, once it is asked for again"):
    with Site(["a", "bad", "hold", "z"], lambda site, name: name == "hold", bad=oops) as site:
        archive = crawl(site, "not-retried", "--attempts", 1)
        rebuild(archive)
        found = resume(site, archive, "--retry-failed")
        tap.equal(found["bad"], ("sharp", [("visit", 1), ("visit", 2), ("revisit", 1)]))


def damage(site, original, number, record):
    """One record cannot be read any more: the rest counts."""
    copy = tap.path(f"damaged-{number}")
    shutil.copytree(original, tap.doctored(copy))
    with open(max(living.warc_files(copy), key=os.path.basename), "r+b") as file:
        file.seek(record.offset + record.length // 2)
        file.write(bytes(8))
    assert rebuild(copy)["damaged"] > 0
    done = tap.run("resume", copy, "--quiet", timeout=DEADLINE)
    assert done.returncode == 0, (number, record.lines, done.stderr)
    report = tap.load("report", copy)
    tap.equal(report["state"], "finished")
    found = {row["url"][len(site.url):]: row["verdict"] for row in report["verdicts"]}
    for name in ("", *site.names):
        assert found.get(name) in ("sharp", "single", "unconfirmed"), (record.lines, name, found)
    shutil.rmtree(copy)


with tap.case("any record that cannot be read: what is left is not taken for something else"):
    path = max(living.warc_files(ORIGINAL), key=os.path.basename)
    stored = [record for record in living.stored_records(path)
              if late.url in record.fields.get("WARC-Target-URI", "")]
    for number, record in enumerate(random.Random(1).sample(stored, min(DAMAGES, len(stored)))):
        damage(late, ORIGINAL, number, record)

late.__exit__()
POOL.shutdown()
tap.done()
