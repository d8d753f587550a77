#!/usr/bin/env python3
"""Clocks that are set, and machines that are suspended, during a capture: no still point gets a
wrong date, and verify holds every time against the readings of the clocks.
"""

import base64
import contextlib
import datetime
import hashlib
import os
import re
import signal
import sqlite3
import subprocess
import threading

import rawserver
import tap
from rawserver import page, respond

DEADLINE = 120
HOUR = 3600
PAGES = [f"/{i}" for i in range(5)]
REASON = "the wall clock was set during the capture"


class Site:
    """Pages that never change; on_request gets each path and how often it was asked for."""

    def __init__(self, on_request=lambda path, times: None):
        self.times = {}
        self.on_request = on_request
        self.server = rawserver.Server(self.answer)
        self.url = self.server.url

    def answer(self, request):
        times = self.times[request.path] = self.times.get(request.path, 0) + 1
        self.on_request(request.path, times)
        if request.path == "/":
            return page("".join(f'<a href="{path}">x</a>' for path in PAGES).encode())
        return page(request.path.encode()) if request.path in PAGES else respond("404 None")


class Clocks:
    """What the program's clocks show, from when it is said."""

    def __init__(self, name):
        self.file = tap.path(f"{name}.clocks")
        self.environment = dict(
            os.environ, LD_PRELOAD=os.environ["CLOCKS"], CLOCKS_FILE=self.file,
            ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")

    def shift(self, wall, boot=0, monotonic=0):
        with open(self.file + ".new", "w", encoding="ascii") as file:
            file.write(f"{wall} {boot} {monotonic}")
        os.replace(self.file + ".new", self.file)

    def run(self, *arguments):
        return subprocess.run([tap.PROGRAM, *map(str, arguments)], text=True, capture_output=True,
                              check=False, env=self.environment, timeout=DEADLINE)


def capture(name, when, wall, boot=0, options=()):
    """A capture in which the clocks are set while that page is asked for that often."""
    clocks = Clocks(name)

    def on_request(path, times):
        if (path, times) == when:
            clocks.shift(wall, boot)

    site = Site(on_request)
    archive = tap.path(name)
    done = clocks.run("crawl", "--delay", 0, "-j", 1, *options, site.url, "-o", archive)
    tap.equal(done.returncode, 0)
    return archive, done


def check_withdrawn(archive, ways=((), ("--warc-only",))):
    report = tap.load("report", archive)
    tap.equal(report["stillpoint"], {"from": None, "to": None})
    tap.equal(report["caveats"], ["clock"])
    tap.equal({(row["verdict"], row["reason"]) for row in report["verdicts"]},
              {("unconfirmed", REASON)})
    assert f"none: {REASON}" in tap.succeed("report", archive)
    for options in ways:
        verified = tap.load("verify", archive, *options)
        tap.equal((verified["ok"], verified["sharp"], verified["problems"]), (True, 0, []))
        tap.equal(verified["captures"][0]["caveats"], ["clock"])


def check_sharp(archive):
    report = tap.load("report", archive)
    tap.equal((report["sharp"], report["caveats"]), (len(PAGES) + 1, []))
    assert report["stillpoint"]["from"], report["stillpoint"]
    for options in ((), ("--warc-only",)):
        tap.succeed("verify", archive, *options)
    return report


STEPS = [
    # label, while what is asked for, by how many seconds
    ("forward during the visits", ("/1", 1), HOUR),
    ("back during the visits", ("/1", 1), -HOUR),
    ("forward during the revisits", ("/1", 2), HOUR),
    ("by a fifth of a second", ("/1", 2), 0.2),
    ("by two seconds", ("/1", 1), 2),
]

def check_doubted(archive, wall):
    """The monotonic clock has not moved: the proof stands, and the date is in doubt by what was set."""
    report = tap.load("report", archive)
    tap.equal((report["sharp"], report["caveats"]), (len(PAGES) + 1, ["date"]))
    assert report["stillpoint"]["from"], report["stillpoint"]
    doubt = report["date_doubt"]
    assert doubt["later" if wall > 0 else "earlier"] >= abs(wall), doubt
    assert doubt["earlier"] > 0 and doubt["later"] > 0 and sum(doubt.values()) <= 2 * abs(wall) + 1, doubt
    assert "the wall clock was set" in tap.succeed("report", archive)
    for options in ((), ("--warc-only",)):
        verified = tap.load("verify", archive, *options)
        tap.equal((verified["ok"], verified["sharp"], verified["problems"]), (True, len(PAGES) + 1, []))
        tap.equal(verified["captures"][0]["caveats"], ["date"])
    os.remove(f"{archive}/catalog.sqlite")
    tap.succeed("rebuild", archive)
    again = tap.load("report", archive)
    for key in ("sharp", "caveats", "date_doubt", "stillpoint"):
        tap.equal((key, again[key]), (key, report[key]))


for number, (label, when, wall) in enumerate(STEPS):
    with tap.case(f"a wall clock set {label}"):
        archive, done = capture(f"step{number}", when, wall)
        assert REASON in done.stderr, done.stderr
        check_doubted(archive, wall)

for label, step in (("forward", 0.05), ("back", -0.05)):
    with tap.case(f"a wall clock that drifts {label} all the time"):
        clocks = Clocks(f"drift-{label}")
        moved = [0.0]

        def drift(*_, step=step, moved=moved, clocks=clocks):
            moved[0] += step
            clocks.shift(moved[0])

        archive = tap.path(f"drift-{label}")
        tap.equal(clocks.run("crawl", "--delay", 0, "-j", 1, Site(drift).url, "-o", archive).returncode, 0)
        # It moved on while the last answers came; the last reading is before that.
        check_doubted(archive, moved[0] - 5 * step)

with tap.case("a clock set by less than its usual error"):
    archive, done = capture("slew", ("/1", 1), 0.02)
    tap.equal(done.stderr, "")
    check_sharp(archive)

with tap.case("a machine that was suspended for an hour"):
    archive, done = capture("suspend", ("/1", 1), HOUR, HOUR)
    report = check_sharp(archive)
    started, reached = (datetime.datetime.fromisoformat(text[:-1])
                        for text in (report["started"], report["stillpoint"]["from"]))
    assert (reached - started).total_seconds() >= HOUR, (started, reached)


def stop_and_resume(name, wall, boot):
    """Stopped while a visit is under way, and resumed with the clocks set."""
    clocks = Clocks(name)
    archive = tap.path(name)

    def on_request(path, times):
        if (path, times) == ("/2", 1):
            process.send_signal(signal.SIGINT)

    site = Site(on_request)
    process = subprocess.Popen(
        [tap.PROGRAM, "crawl", "--delay", "0.02", "-j", "1", site.url, "-o", archive],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=clocks.environment)
    tap.equal(process.wait(timeout=DEADLINE), 3)
    clocks.shift(wall, boot)
    done = clocks.run("resume", archive)
    tap.equal(done.returncode, 0)
    return archive


BOOT_ID = "/proc/sys/kernel/random/boot_id"

with tap.case("a capture that is resumed"):
    check_sharp(stop_and_resume("resumed", 0, 0))
with tap.case("a capture that is resumed after the machine was suspended"):
    check_sharp(stop_and_resume("resumed-suspended", HOUR, HOUR))
with tap.case("a clock set back between stop and resume"):
    # Without the catalog files are read in the order of their names, which begin with a time.
    check_withdrawn(tap.doctored(stop_and_resume("resumed-back", -HOUR, 0)), ways=((),))
if os.path.exists(BOOT_ID):
    with tap.case("a clock set forward between stop and resume"):
        check_withdrawn(stop_and_resume("resumed-forward", HOUR, 0))
else:
    tap.skip("a clock set forward between stop and resume", "the kernel does not number its boots")


# ---- hours ----

DAY = 24 * HOUR
STEP = 8  # below the 10 seconds that any request may take


class Noon:
    """A site where every request for a page takes STEP seconds, from the next noon on."""

    def __init__(self, name, pages):
        self.clocks = Clocks(name)
        self.paths = ["/"] + [f"/{i}" for i in range(pages - 1)]
        now = datetime.datetime.now(datetime.timezone.utc)
        noon = now.replace(hour=12, minute=0, second=0, microsecond=0)
        self.noon = (noon - now).total_seconds() % DAY
        self.passed = 0
        self.server = rawserver.Server(self.answer)
        self.clocks.environment["TZ"] = "UTC"
        self.clocks.shift(self.noon, self.noon)

    def answer(self, request):
        if request.path not in self.paths:
            return respond("404 None")
        self.passed += STEP
        self.clocks.shift(self.noon + self.passed, self.noon + self.passed)
        links = "".join(f'<a href="{path}">x</a>' for path in self.paths[1:])
        return page((links if request.path == "/" else request.path).encode())

    def next_noon(self):
        self.passed = DAY
        self.clocks.shift(self.noon + DAY, self.noon + DAY)


def capture_until_closed(name, aim):
    """The hours end in the midst of it; resumed when they begin again. The reports of both."""
    site = Noon(name, 41)
    rates = tap.write(f"{name}.csv", "url,rate\n" + "".join(
        f"{site.server.url}{path[1:]},1e-3\n" for path in site.paths))
    archive = tap.path(name)
    process = subprocess.Popen(
        [tap.PROGRAM, "crawl", site.server.url, "--hours", "12:00-12:08", "--aim", aim, "--rates", rates,
         "--delay", "0", "-j", "1", "--no-probes", "--no-sitemaps", "--traps", "off",
         "-o", archive],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=site.clocks.environment)
    lines = iter(process.stderr.readline, "")
    assert any("waiting until 12:00" in line for line in lines), "it did not wait"
    process.send_signal(signal.SIGINT)
    tap.equal(process.wait(timeout=DEADLINE), 3)
    process.stderr.close()
    closed = tap.load("report", archive)
    site.next_noon()
    done = site.clocks.run("resume", archive)
    tap.equal((done.returncode, len(site.paths)), (0, closed["pages"]))
    tap.succeed("verify", archive)
    return closed, tap.load("report", archive)


def count(report):
    verdicts = [row["verdict"] for row in report["verdicts"]]
    return {verdict: verdicts.count(verdict) for verdict in verdicts}


with tap.case("hours that end: what was visited is revisited before, the rest is put off"):
    closed, report = capture_until_closed("hours-balanced", "balanced")
    # 60 downloads fit into the hours, so some 30 of each leg.
    assert 25 <= count(closed)["sharp"] <= 30, count(closed)
    sharp = count(report)["sharp"]
    assert count(closed)["sharp"] <= sharp <= 30, count(report)
    tap.equal(count(report), {"sharp": sharp, "single": 41 - sharp})
    assert all("hours" in row["reason"] for row in report["verdicts"] if row["verdict"] == "single")

with tap.case("hours that end: most pages first"):
    closed, report = capture_until_closed("hours-complete", "complete")
    assert count(closed)["unconfirmed"] > 20, count(closed)
    tap.equal(count(report), {"sharp": 41})


# ---- lies ----

def digest(block, old):
    """In the form of the old one."""
    name, value = old.split(b":")
    made = hashlib.new(name.decode(), block).digest()
    if len(value) == 2 * len(made):
        return name + b":" + made.hex().encode()
    return name + b":" + base64.b32encode(made).rstrip(b"=")


def rewrite(archive, change):
    """Changes blocks of records of uncompressed files, whose digests fit afterwards."""
    changed = 0
    directory = os.path.join(archive, "warc")
    for name in os.listdir(directory):
        with open(os.path.join(directory, name), "rb") as file:
            data, out = file.read(), b""
        while data:
            head, _, rest = data.partition(b"\r\n\r\n")
            length = int(re.search(rb"Content-Length: (\d+)", head).group(1))
            block, data = rest[:length], rest[length + 4:]
            new_head, new = change(head, block)
            assert len(new) == length
            changed += (new_head, new) != (head, block)
            head = new_head
            if new != block:
                head = re.sub(rb"(?<=WARC-Block-Digest: )\S+",
                              lambda m, new=new: digest(new, m.group()), head)
            out += head + b"\r\n\r\n" + new + b"\r\n\r\n"
        with open(os.path.join(directory, name), "wb") as file:
            file.write(out)
    assert changed, "nothing was changed"


def later(block, field):
    """That date an hour later."""
    def shift(match):
        date = datetime.datetime.fromisoformat(match.group(1).decode())
        return (date + datetime.timedelta(seconds=HOUR)).isoformat().encode() + match.group(2)

    return re.sub(rb"(?<=%s: )(\S{19})(\.\d+Z)" % field, shift, block)


def later_moment(moment, *fields):
    def change(head, block):
        if block.startswith(b"moment: " + moment):
            for field in fields:
                block = later(block, field)
        return head, block
    return change


def other_date(head, block):
    if block.startswith(b"moment: end"):
        head = re.sub(rb"(?<=WARC-Date: )\d{4}", b"2001", head)
    return head, block


def later_attempts(head, block):
    if b"\r\nleg: " in block:
        for field in (b"requestSent", b"firstByte", b"lastByte"):
            block = later(block, field)
    return head, block


LIES = [
    # label, what is changed in the WARC, what is said of the WARC files alone and with the catalog
    ("all attempts an hour later", later_attempts, "its times do not fit the clock of the capture",
     "the catalog has another still point"),
    ("the start an hour later", later_moment(b"start", b"captureTime", b"wallClock"),
     "its times do not fit the clock of the capture", "the catalog has other readings of the clock"),
    ("the still point an hour later", later_moment(b"stillpoint", b"captureTime", b"wallClock"),
     "the reading of the clock at 'stillpoint' does not fit", "other readings of the clock"),
    ("the date of the end's record", other_date, "its date is not that of the reading of the clock",
     "its date is not that of the reading of the clock"),
    ("the wall clock of the end", later_moment(b"end", b"wallClock"), "",
     "the catalog has other readings of the clock"),
]

for number, (label, change, alone, with_catalog) in enumerate(LIES):
    with tap.case(f"a lie: {label}"):
        archive, _ = capture(f"lie{number}", None, 0, options=("--warc-compression", "none"))
        check_sharp(archive)
        rewrite(tap.doctored(archive), change)
        result = tap.run("verify", archive, "--warc-only")
        tap.equal((result.returncode, result.stderr), (int(alone != ""), ""))
        assert alone in result.stdout, result.stdout
        result = tap.run("verify", archive)
        tap.equal((result.returncode, result.stderr), (1, ""))
        assert with_catalog in result.stdout, result.stdout

with tap.case("a lie: readings of the clock that only the catalog has"):
    archive = tap.doctored(capture("catalog", None, 0)[0])
    with contextlib.closing(sqlite3.connect(os.path.join(archive, "catalog.sqlite"))) as database:
        database.execute("UPDATE clock SET wall = wall + 3600000000000 WHERE moment = 'end'")
        database.execute("DELETE FROM saved")  # or report prints what was known at the end
        database.commit()
    tap.equal(tap.load("report", archive)["caveats"], ["date"])
    result = tap.run("verify", archive)
    tap.equal(result.returncode, 1)
    assert "other readings of the clock than the WARC" in result.stdout, result.stdout


def watch_progress(name, *options):
    """What a crawl without a terminal says while minutes pass, until it is in its visits."""
    clocks, said, told = Clocks(name), [], threading.Event()
    minutes = 0

    def pass_minute():
        nonlocal minutes
        minutes += 1
        clocks.shift(*[61 * minutes] * 3)

    def on_request(path, _):
        if path == "/1":
            pass_minute()
            if "--quiet" not in options:
                told.wait(DEADLINE)

    site = Site(on_request)
    # With revisits a page that does not come for minutes would be given up; so the timeout, too.
    with subprocess.Popen(
            [tap.PROGRAM, "crawl", "--single", "--delay", "0", "-j", "1", "--no-sitemaps", "--timeout", "90h",
             "--contact", "me@example.org", *options, site.url, "-o", tap.path(name)], text=True,
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=clocks.environment) as process:
        for line in process.stderr:
            said.append(line)
            if ": visits: " in line:
                told.set()
            else:  # what it did before: the next line is of the visits
                pass_minute()
        tap.equal(process.wait(DEADLINE), 0)
    tap.equal(site.times["/1"], 1)
    return said


with tap.case("without a terminal a crawl says each minute how far it is"):
    said = watch_progress("progress")
    assert re.fullmatch(r"stillpoint: visits: \d/6 pages  \d+ %.*\n", said[-1]), said

with tap.case("--quiet says nothing"):
    tap.equal(watch_progress("quiet", "--quiet"), [])

tap.done()
