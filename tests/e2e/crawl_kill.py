#!/usr/bin/env python3
"""Captures that are killed, stopped and resumed: nothing that was acknowledged is lost.

Acknowledged is what the catalog has committed. It is read from a copy after every kill, with the
bytes that it speaks of in the WARC files, and must be the same in the end.
"""

import concurrent.futures
import contextlib
import gzip
import hashlib
import http.server
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import threading
import time

import judge
import living
import tap

KILLS = living.scaled(50, 12)
SEED = 20240617
PAGES = ["--seed", 5, "--pages", 30, "--outdegree", 4, "--requisites", 1,
         "--noise", "csrf,nonce,comment",
         "--cdn-host", "cdn.localhost", "--sitemap", "index", "--rates", "lognormal:-4,1.5",
         "--mean-rate", 0.15, "--requisite-rates", "lognormal:-4,1.5",
         "--requisite-mean-rate", 0.15, "--errors", "0.1:404,500", "--redirects", 0.1]
EVENT_END_VISITS, EVENT_STEP, EVENT_CANCEL = 3, 4, 5  # of catalog.h
ROUND = 3  # captures at a time
BEGUN = 4  # requests after which a capture is in its middle
DEADLINE = 120


def start(*arguments):
    return subprocess.Popen([tap.PROGRAM, *map(str, arguments)], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


# What a capture is resumed by, in which leg, and when it is there.
PLANNERS = [
    ("hottest-middle", "visits", "SELECT count(*) > 25 FROM observation"),
    ("dfs-fifo", "visits", "SELECT count(*) > 25 FROM observation"),
    ("bfs-fifo", "revisits", "SELECT count(*) > 3 FROM observation WHERE leg = 1"),
]


def begin(site, archive, *options, delay="5ms"):
    return start("crawl", site.url, "-o", archive, "--delay", delay, "--rates", site.rates_path,
                 *options)


def begin_slowly(site, archive):
    """A capture that has begun, and that will be under way for long."""
    process = begin(site, archive, delay=living.SLOW)
    wait_until(process, archive, f"SELECT count(*) > {BEGUN} FROM observation")
    return process


def wait_until(process, archive, query):
    """Until the catalog of a capture under way answers yes."""
    deadline = time.monotonic() + DEADLINE
    while not any(row[0] for row in living.peek(archive, query)):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)


class Acknowledged:
    """What the catalog has committed, and its bytes in the WARC files."""

    def __init__(self, archive):
        self.captures, self.pages, self.observations, self.looks = 0, set(), {}, set()
        if not os.path.exists(os.path.join(archive, "catalog.sqlite")):
            return
        with CatalogCopy(archive) as copy:
            database = living.unpacked(f"file:{copy}")
            try:
                self.read(database, archive)
            finally:
                database.close()

    def read(self, database, archive):
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'page'").fetchone():
            return
        self.captures, = database.execute("SELECT count(*) FROM capture").fetchone()
        self.pages = {url for url, in database.execute("SELECT url FROM page")}
        for key, name, place, length in database.execute(
                "SELECT page || ' ' || leg || ' ' || attempt, coalesce(word.text, warc), place,"
                " length FROM observation LEFT JOIN word ON word.id = warc"):
            self.observations[key] = name and (name, self.digest(archive, name, place, length))
        self.read_looks(database, archive)

    def read_looks(self, database, archive):
        """Compact ones: rows that wait in the catalog, or in records that it knows."""
        blocks = [rows for rows, in database.execute("SELECT rows FROM look")]
        for name, place, length in database.execute(
                "SELECT text, place, length FROM looks JOIN word ON word.id = warc"):
            with self.open(archive, name) as file:
                file.seek(place)
                record = gzip.decompress(file.read(length))
            block = record.split(b"\r\n\r\n", 1)[1][:-4]
            blocks.append(block.removeprefix(b"stillpoint-looks: 1\r\n"))
        for block in blocks:
            rest = living.Row(block)
            while rest.rest:
                self.looks.add(rest.text())
        count, = database.execute("SELECT count(*) FROM observation WHERE is_compact").fetchone()
        tap.equal(len(self.looks), count)

    @staticmethod
    def open(archive, name):
        path = os.path.join(archive, "warc", name)
        return open(path if os.path.exists(path) else path + ".open", "rb")

    @staticmethod
    def digest(archive, name, place, length):
        with Acknowledged.open(archive, name) as file:
            file.seek(place)
            return hashlib.sha256(file.read(length)).hexdigest()

    def lost(self, later):
        """What of it is not the same later."""
        missing = [key for key, value in self.observations.items()
                   if key not in later.observations or later.observations[key] != value]
        return missing + sorted(self.pages - later.pages) + sorted(self.looks - later.looks)


class CatalogCopy:
    """A copy of the catalog, with its log, as the kill has left it."""

    def __init__(self, archive):
        self.path = archive + ".copy"
        shutil.rmtree(self.path, ignore_errors=True)
        os.mkdir(self.path)
        for name in ("catalog.sqlite", "catalog.sqlite-wal"):
            if os.path.exists(os.path.join(archive, name)):
                shutil.copy(os.path.join(archive, name), self.path)

    def __enter__(self):
        return os.path.join(self.path, "catalog.sqlite")

    def __exit__(self, *_):
        shutil.rmtree(self.path)


def finish(process):
    """Its exit status and what it said."""
    try:
        _, said = process.communicate(timeout=DEADLINE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError("it hangs") from None
    return process.returncode, said


def kill_after(process, seconds):
    """Kills it then; whether it was still there."""
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
    process.communicate()
    assert process.returncode in (0, -signal.SIGKILL), process.returncode
    return process.returncode != 0


def has_capture(archive):
    return Acknowledged(archive).captures > 0


def go_on(site, archive, options):
    """Resumes, or begins anew where there was nothing yet to resume."""
    if has_capture(archive):
        return start("resume", archive)
    return begin(site, archive, *options)


def kill_often(site, number, kills, length):
    """One capture that is killed that often at random moments; its archive and how often it was."""
    rng = random.Random(SEED + number)
    archive = tap.path(f"killed-{number}")
    # Small files are begun and completed all the time.
    options = ["--warc-size", "20k"] if number % 2 else []
    options += ["--jobs", 3] if number % 3 == 0 else []
    before, done = [], 0
    process = begin(site, archive, *options)
    # Short and long lives: the first ends during the start, others get to the very end.
    while done < kills and kill_after(process, rng.choice([0.05, 0.3, 1]) * rng.random() * length):
        done += 1
        before.append(Acknowledged(archive))
        process = go_on(site, archive, options)
    if process.returncode is None:
        code, said = finish(process)
        # The last kill may have come when all was done but the printing.
        tap.equal((code, "" if "nothing to resume" in said else said), (0, ""))
    after = Acknowledged(archive)
    for each in before:
        tap.equal(each.lost(after), [])
    return archive, done


def check_files(archive):
    """All records parse, each attempt is there once, and nothing is left open."""
    names = sorted(os.listdir(os.path.join(archive, "warc")))
    tap.equal([name for name in names if name.endswith(".open") or name.endswith(".part")], [])
    for path in living.warc_files(archive):
        subprocess.run(["gzip", "-t", path], check=True)
        tap.equal(tap.run("inspect", "warc", path).returncode, 0)
    # Those that were repaired, too.
    with contextlib.closing(sqlite3.connect(os.path.join(archive, "catalog.sqlite"))) as database:
        for name, digest in database.execute("SELECT name, digest FROM warc WHERE size > 0"):
            with open(os.path.join(archive, "warc", name), "rb") as file:
                tap.equal(digest, hashlib.sha256(file.read()).digest())
    keys = [(a.url, a.leg, a.number) for a in living.attempts(archive) if a.leg != "side"]
    tap.equal(len(keys), len(set(keys)))
    assert not os.path.exists(os.path.join(archive, "spool")), "the spool is left over"
    return sum(".torn-" in name for name in names)


def check(site, archive, wanted):
    """The same pages as an undisturbed capture, and no verdict that is not true."""
    report = tap.load("report", archive)
    tap.equal(sorted(row["url"] for row in report["verdicts"]), wanted)
    judge.Judge(site, archive, report).check()
    done = tap.run("verify", archive)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


def undisturbed(site):
    """How long a capture takes, and the URLs in it."""
    archive = tap.path("undisturbed")
    began = time.monotonic()
    tap.equal(finish(begin(site, archive)), (0, ""))
    length = time.monotonic() - began
    check_files(archive)
    return length, sorted(row["url"] for row in tap.load("report", archive)["verdicts"])


def kill_all(site, length):
    """Kills captures, several at a time, until it is enough."""
    killed, torn, archives = 0, 0, []
    with concurrent.futures.ThreadPoolExecutor(ROUND) as pool:
        while killed < KILLS:
            numbers = range(len(archives), len(archives) + ROUND)
            for archive, kills in pool.map(lambda n: kill_often(site, n, 8, length), numbers):
                archives.append(archive)
                killed += kills
                torn += check_files(archive)
    print(f"# {len(archives)} captures, {killed} kills, {torn} torn files")
    return archives


def stop(process, archive, number):
    """Stops a capture in the middle; it says how to go on, and does."""
    process.send_signal(number)
    tap.equal(finish(process), (3, f"stillpoint: stopped; continue with: stillpoint resume {archive}\n"))
    check_files(archive)
    check_unvisited(archive)
    living.hasten(archive)
    tap.equal(finish(start("resume", archive)), (0, ""))


def check_unvisited(archive):
    """What was not asked for when a capture was stopped has not failed."""
    rows = tap.load("report", archive)["verdicts"]
    asked = {attempt.url for attempt in living.attempts(archive)}
    unasked = [row for row in rows if row["url"] not in asked and row["verdict"] != "excluded"]
    assert unasked
    tap.equal({(row["verdict"], row["reason"]) for row in unasked},
              {("unvisited", "the capture is not finished")})
    tap.equal([row["url"] for row in rows if row["verdict"] == "unvisited"],
              [row["url"] for row in unasked])


def change_planner(site, archive, strategy, begun):
    """A capture that is resumed by a planner that would have ordered otherwise."""
    process = begin(site, archive, delay="50ms")
    wait_until(process, archive, begun)
    process.kill()
    process.communicate()
    with contextlib.closing(sqlite3.connect(os.path.join(archive, "catalog.sqlite"))) as database:
        settings, = database.execute("SELECT settings FROM capture").fetchone()
        lines = [line for line in settings.splitlines() if not line.startswith("strategy ")]
        database.execute("UPDATE capture SET settings = ?",
                         ("\n".join([*lines, f"strategy {strategy}"]) + "\n",))
        database.commit()
    tap.equal(finish(start("resume", archive)), (0, ""))
    tap.equal(ask(archive, "SELECT count(*) FROM (SELECT 1 FROM observation WHERE page < 1 << 31"
                  " GROUP BY page, leg HAVING count(*) > 3)"), 0)


def refuse_second(site, archive):
    """Another process that would write to the archive; and the first goes on undisturbed."""
    process = begin_slowly(site, archive)
    for arguments in (("resume", archive), ("crawl", site.url, "-o", archive)):
        tap.refuse(1, "another process is writing", *arguments)
    stop(process, archive, signal.SIGINT)


class Hanging(http.server.ThreadingHTTPServer):
    """Never answers one request, the first for a certain path; all others at once.

    good: so many requests for that path are answered before.
    """

    def __init__(self, path, answers, good=0):
        self.path, self.answers, self.asked = path, answers, threading.Event()
        self.good = good
        super().__init__(("127.0.0.1", 0), Answering)
        self.url = f"http://127.0.0.1:{self.server_port}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def hangs(self, path):
        if path != self.path or self.asked.is_set():
            return False
        self.good -= 1
        if self.good < 0:
            self.asked.set()
        return self.asked.is_set()

    def __exit__(self, *arguments):
        self.shutdown()
        super().__exit__(*arguments)


class Answering(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.server.hangs(self.path):
            self.rfile.read(1)  # until the other side is gone
            return
        answer = self.server.answers.get(self.path, "text").format(self.headers["Host"])
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *_):
        pass


def ask(archive, query):
    """The number that the catalog of a capture that has ended answers."""
    with CatalogCopy(archive) as copy:
        with contextlib.closing(living.unpacked(f"file:{copy}")) as database:
            return database.execute(query).fetchone()[0]


def kill_when(server, name, query, *options):
    """Kills a capture of the server once the catalog says so; its archive."""
    archive = tap.path(name)
    process = start("crawl", server.url, "-o", archive, "--delay", "5ms", *options)
    wait_until(process, archive, query)
    process.kill()
    process.communicate()
    return archive


def kill_before_sitemap():
    """A capture that knows robots.txt and waits for the sitemap."""
    answers = {"/robots.txt": "User-agent: *\nDisallow:\n",
               "/sitemap.xml": "<urlset><url><loc>http://{}/hidden</loc></url></urlset>"}
    with Hanging("/sitemap.xml", answers) as server:
        archive = kill_when(server, "sitemap", "SELECT count(*) FROM robots")
        tap.equal(finish(start("resume", archive)), (0, ""))
    paths = [row["url"].rsplit("/", 1)[1] for row in tap.load("report", archive)["verdicts"]]
    tap.equal(sorted(paths), ["", "hidden"])
    # What is added to a file that a crash has cut is seen, as in any other.
    tap.equal(ask(archive, "SELECT count(*) FROM warc WHERE NOT complete"), 0)
    with open(living.warc_files(archive)[0], "ab") as file:
        file.write(b"more")
    done = tap.run("verify", archive)
    tap.equal(done.returncode, 1)
    assert "goes on behind" in done.stdout, done.stdout


def kill_at_limit():
    """A capture whose time is up, and that waits for its last request.

    That is to be asked for before, so there is more time than the slowest machine needs; a tenth
    of it remains until that request is ended. Without revisits nobody is held up by it before.
    """
    links = "".join(f"<a href=/{i}>x</a>" for i in range(9))
    with Hanging("/4", {"/": links, "/robots.txt": "User-agent: *\nDisallow:\n"}) as server:
        # The planner was told, and was asked again after that.
        archive = kill_when(server, "limit", "SELECT max(id) > (SELECT id FROM event WHERE"
                            f" kind = {EVENT_CANCEL}) FROM event WHERE kind = {EVENT_STEP}",
                            "--time-limit", "35s", "--single")
        status, said = finish(start("resume", archive))
    tap.equal((status, said), (0, "stillpoint: the time limit ended the capture\n"))
    tap.equal(tap.load("report", archive)["ended_by"], "time")
    tap.equal(tap.run("verify", archive).returncode, 0)


def kill_at_bytes():
    """A capture of which --max-bytes has ended the visits, though it has a time limit, too."""
    pages = {f"/{i}": "x" * 10000 for i in range(9)}
    links = "".join(f"<a href=/{i}>x</a>" for i in range(9)).ljust(10000)
    # The revisit of the first page hangs.
    with Hanging("/", {"/": links, "/robots.txt": "User-agent: *\nDisallow:\n", **pages},
                 good=1) as server:
        archive = kill_when(server, "bytes", "SELECT count(*) FROM event WHERE"
                            f" kind = {EVENT_END_VISITS}", "--max-bytes", "60k",
                            "--time-limit", "1h")
        report = tap.load("report", archive)
        tap.equal((report["state"], report["ended_by"], report["failed"]), ("running", None, 0))
        tap.equal({row["reason"] for row in report["verdicts"] if row["verdict"] == "unvisited"},
                  {"byte limit"})
        status, said = finish(start("resume", archive))
    tap.equal((status, said), (0, "stillpoint: --max-bytes ended the capture\n"))
    report = tap.load("report", archive)
    tap.equal((report["state"], report["ended_by"]), ("cut", "bytes"))
    assert report["totals"]["unvisited"] > 0, report["totals"]
    tap.equal(tap.run("verify", archive).returncode, 0)


def main():
    archives = []
    at_limit = concurrent.futures.ThreadPoolExecutor(1).submit(kill_at_limit)
    with tap.case("a sitemap that was under way is asked for again"):
        kill_before_sitemap()
    with living.Site("site", *PAGES) as site:
        with tap.case("a capture that is left alone"):
            length, wanted = undisturbed(site)
        with tap.case("captures that are killed"):
            archives += kill_all(site, length)
        for name, number in (("SIGINT", signal.SIGINT), ("SIGTERM", signal.SIGTERM),
                             ("SIGHUP", signal.SIGHUP)):
            with tap.case(f"{name} stops a capture"):
                archive = tap.path(name)
                stop(begin_slowly(site, archive), archive, number)
                archives.append(archive)
        with tap.case("there is nothing to resume in a finished capture"):
            done = tap.run("resume", archive)
            tap.equal((done.returncode, "nothing to resume" in done.stderr), (0, True))
        for strategy, what, begun in PLANNERS:
            with tap.case(f"another planner goes on with the {what}: {strategy}"):
                archive = tap.path(f"{what}-{strategy}")
                change_planner(site, archive, strategy, begun)
                check(site, archive, wanted)
                archives.append(archive)
        with tap.case("two processes do not write to one archive"):
            refuse_second(site, tap.path("two"))
            archives.append(tap.path("two"))
    with tap.case("their verdicts are true"):
        for archive in archives:
            check_files(archive)
            check(site, archive, wanted)
    with tap.case("a capture whose time is up is resumed as such"):
        at_limit.result()
    with tap.case("and so is one whose bytes are spent"):
        kill_at_bytes()


main()
tap.done()
