#!/usr/bin/env python3
"""What cannot be captured: one clear line each, and an archive that stays usable."""

import concurrent.futures
import contextlib
import http.server
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import threading
import time

import dnsserver
import rawserver
import replaying
import tap

NOBODY = 65534
DEADLINE = 120
PAGES = 40
ROOT = os.geteuid() == 0


def small_site(request):
    """A page that links to all others."""
    if request.path in ("/robots.txt", "/sitemap.xml"):
        return rawserver.NOT_FOUND
    links = "".join(f"<a href='/{i}'>{i}</a>" for i in range(1, PAGES))
    return rawserver.page(f"<p>{request.path}</p>{links}".encode())


def robots(answer):
    """The small site with this answer for robots.txt."""
    return lambda request: answer if request.path == "/robots.txt" else small_site(request)


def crawl(url, archive, *options, **keywords):
    return tap.run("crawl", url, "--delay", 0, "-o", archive, *options, **keywords)


def one_line(result, status, *wanted):
    """The command failed with that status and one line that says all that is wanted."""
    tap.equal(result.returncode, status)
    assert result.stderr.startswith("stillpoint: "), result.stderr
    assert result.stderr.endswith("\n") and result.stderr.count("\n") == 1, result.stderr
    for text in wanted:
        assert text in result.stderr, f"{result.stderr!r} does not say {text!r}"


def usable(archive):
    """Whatever was refused, the archive can be looked at, checked and resumed."""
    tap.succeed("report", archive)
    tap.succeed("verify", archive)
    result = tap.run("resume", archive)
    tap.equal(result.returncode, 0)


def refused_as_usage(*arguments, says):
    """Nothing is written when the command itself is wrong."""
    archive = tap.path("not-made")
    result = tap.run("crawl", *arguments, "-o", archive)
    tap.equal(result.stdout, "")
    one_line(result, 2, *says)
    assert not os.path.exists(archive)


def change(archive, sql):
    with contextlib.closing(sqlite3.connect(os.path.join(archive, "catalog.sqlite"))) as database:
        database.execute(sql)
        database.commit()


def copy(archive, name):
    return tap.doctored(shutil.copytree(archive, tap.path(name)))


# ---- sites ----

# What cannot be had at once is asked for again after a while: these wait side by side.
PATIENT = concurrent.futures.ThreadPoolExecutor(6)
UNUSED = rawserver.reserve()
CLOSED = f"http://127.0.0.1:{rawserver.port_of(UNUSED)}/"
NAMES = dnsserver.Server({})
OOPS = rawserver.Server(robots(rawserver.respond("500 Oops")))
closed = PATIENT.submit(crawl, CLOSED, tap.path("closed"))
nowhere = PATIENT.submit(crawl, "http://nonexistent.invalid/", tap.path("nowhere"), "--contact",
                         "a@example.org", "--dns", NAMES.address)
oops = PATIENT.submit(crawl, OOPS.url, tap.path("oops"))
too_late = threading.Event()


class Plain(http.server.BaseHTTPRequestHandler):
    """A server without TLS, which takes a greeting of TLS for a bad request."""

    def log_message(self, *_):
        pass


PLAIN = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Plain)
threading.Thread(target=PLAIN.serve_forever, daemon=True).start()
no_tls = PATIENT.submit(crawl, f"https://127.0.0.1:{PLAIN.server_port}/", tap.path("no-tls"))
# This one hangs up at such a greeting.
MUTE = rawserver.Server(small_site)
hung_up = PATIENT.submit(crawl, MUTE.url.replace("http:", "https:"), tap.path("hung-up"))


def slow_robots(request):
    """Comes when the time is over, and asks for more of it."""
    too_late.wait(6)
    return rawserver.respond("503 Later", retry_after="60")


SLOW_ROBOTS = rawserver.Server(slow_robots)
late = PATIENT.submit(crawl, SLOW_ROBOTS.url, tap.path("too-late"), "--time-limit", "5s",
                      timeout=DEADLINE)

with tap.case("an empty page is a page"):
    with rawserver.Server(lambda request: rawserver.NOT_FOUND if len(request.path) > 1
                          else rawserver.page(b"")) as server:
        report = tap.load("crawl", server.url, "--delay", 0, "-o", tap.path("empty"))
    tap.equal((report["pages"], report["sharp"]), (1, 1))
    usable(tap.path("empty"))

with tap.case("a host that nobody listens on"):
    one_line(closed.result(), 1, CLOSED, "connect", "check the URL")
    UNUSED.close()
    usable(tap.path("closed"))

with tap.case("a host that resolves to nothing"):
    one_line(nowhere.result(), 1, "http://nonexistent.invalid/", "dns", "check the URL")
    usable(tap.path("nowhere"))

with tap.case("robots.txt forbids everything"):
    with rawserver.Server(robots(rawserver.respond(
            "200 OK", b"User-agent: *\nDisallow: /\n"))) as server:
        result = crawl(server.url, tap.path("forbidden"))
        tap.equal([request.path for request in server.requests], ["/robots.txt"])
    one_line(result, 1, server.url, "robots.txt, line 2", "forbids")
    tap.equal(tap.load("report", tap.path("forbidden"))["totals"]["excluded"], 1)
    usable(tap.path("forbidden"))

with tap.case("robots.txt cannot be had"):
    one_line(oops.result(), 1, OOPS.url, "robots.txt could not be read: HTTP 500",
             "try again later")
    tap.equal({request.path for request in OOPS.requests}, {"/robots.txt"})
    OOPS.stop()
    usable(tap.path("oops"))

with tap.case("https where only http is spoken"):
    one_line(no_tls.result(), 1, "the server does not speak TLS on this port", "with http://")
    PLAIN.shutdown()
    PLAIN.server_close()
    usable(tap.path("no-tls"))

with tap.case("https where the server hangs up at the greeting of TLS"):
    one_line(hung_up.result(), 1, "the server ended the connection at the start of TLS",
             "try http:// instead")
    MUTE.stop()

with tap.case("a site that wants a login"):
    with rawserver.Server(lambda request: rawserver.respond(
            "401 Unauthorized", b"who?", www_authenticate="Basic")) as server:
        one_line(crawl(server.url, tap.path("login")), 1, "HTTP 401", "--auth USER:PASSWORD")

with tap.case("the time limit ends before a robots.txt is asked for again"):
    result = late.result()
    SLOW_ROBOTS.stop()
    tap.equal([request.path for request in SLOW_ROBOTS.requests], ["/robots.txt"])
    tap.equal(result.returncode, 1)
    assert "the time limit ended the capture" in result.stderr, result.stderr
    usable(tap.path("too-late"))

# ---- what is typed ----

with tap.case("URLs with a typo"):
    for url, *says in (
            ("htp://example.org/", "did you mean https://example.org/ ?"),
            ("ftp://example.org/", "is not an http or https URL"),
            ("mailto:someone@example.org", "is not an http or https URL"),
            ("example.org", "did you mean https://example.org/ ?"),
            ("//example.org/a", "did you mean https://example.org/a ?"),
            ("http//example.org/a", "did you mean http://example.org/a ?"),
            ("localhost", "did you mean http://localhost/ ?"),
            ("hello", "is not a URL"),
            ("example.org/a:b", "did you mean https://example.org/a:b ?"),
            ("localhost:8080", "did you mean http://localhost:8080/ ?"),
            ("http://exa mple/", "forbidden character"),
            ("http://[::1", "closing bracket"),
            ("http://example.org:99999/", "port"),
            ("http://", "host is missing"),
            ("https//example.org", "did you mean https://example.org/ ?"),
            ("http:", "is not a URL"),
            ("", "is not a URL"),
            ("  ", "is not a URL")):
        refused_as_usage(url, says=says)

with tap.case("options that cannot be"):
    URL = "http://127.0.0.1:8/"
    refused_as_usage(says=["a URL is missing"])
    refused_as_usage(URL, "--strategy", "stilpoint", says=["did you mean 'stillpoint'?"])
    refused_as_usage(URL, "--strategy", "xyzzy", says=["--list-strategies"])
    for delay in ("-1", "nan", "inf", "1 parsec", "", "1e9"):
        refused_as_usage(URL, f"--delay={delay}", says=["--delay", f"not {delay}" if delay in ("-1", "1e9") else f"'{delay}'"])
    refused_as_usage(URL, "--include", "(", says=["--include '('", "parenthesis"])
    refused_as_usage(URL, "--exclude", "[a", says=["--exclude '[a'", "]"])
    refused_as_usage(URL, "--max-pages", "0", says=["--max-pages"])
    refused_as_usage(URL, "--timeout", "-3s", says=["--timeout"])

with tap.case("a file of rates that is wrong is named with its line"):
    for content, *says in (
            ("url,rate\nhttp://a/,1\nhttp://b/,-1\n", "line 3", "negative"),
            ("url,rate\nhttp://a/,nan\n", "line 2", "not a number"),
            ("url,rate\nhttp://a/,1\nhttp://A:80,2\n", "line 3", "given already"),
            ("url\nhttp://a/\n", "line 1", "no column 'rate'"),
            ("url,rate\na,1\n", "line 2", "not a URL"),
            ("", "line 1", "empty")):
        path = tap.write("rates.csv", content)
        refused_as_usage("http://127.0.0.1:8/", "--rates", path, says=[path, *says])
    refused_as_usage("http://127.0.0.1:8/", "--rates", tap.path("none"), says=["No such file"])
    refused_as_usage("http://127.0.0.1:8/", "--rates", tap.path("."), says=["is a directory"])

# ---- where it is to go ----

with tap.case("a path that is no archive is never filled"):
    file = tap.write("file", "mine")
    one_line(crawl("http://127.0.0.1:8/", file), 2, file, "an archive is a directory")
    os.mkdir(tap.path("foreign"))
    tap.write("foreign/letter", "mine")
    one_line(crawl("http://127.0.0.1:8/", tap.path("foreign")), 2, "choose another directory")
    tap.equal(os.listdir(tap.path("foreign")), ["letter"])
    one_line(crawl("http://127.0.0.1:8/", tap.path("no/parent")), 1, "cannot be created")
    for command in ("resume", "report", "verify"):
        one_line(tap.run(command, tap.path("missing")), 1, "No such file")
        one_line(tap.run(command, file), 1, "an archive is a directory")
        one_line(tap.run(command, tap.path("foreign")), 1, "not an archive")

site = rawserver.Server(small_site)
SOUND = tap.path("sound")

with tap.case("to resume what is finished is no failure"):
    tap.equal(crawl(site.url, SOUND).returncode, 0)
    result = tap.run("resume", SOUND, "--json")
    one_line(result, 0, "nothing to resume")
    tap.equal(result.stdout, tap.succeed("report", SOUND, "--json"))


# What version 4 of the catalog has added.
ADDED = {"page": ["lastmod", "frequency"],
         "observation": ["purpose", "stand_in", "modified", "etag", "age", "caches", "address", "links",
                         "is_compact", "retired", "deceit"]}


def make_older(archive):
    """Its catalog as version 3 had it."""
    for table, columns in ADDED.items():
        for column in columns:
            change(archive, f"ALTER TABLE {table} DROP COLUMN {column}")
    for table in ("requisite", "import_progress", "learned", "look", "looks", "packed", "replaced", "links",
                  "dust", "poll", "saved"):
        change(archive, f"DROP TABLE {table}")
    change(archive, "PRAGMA user_version = 3")


def version_of(archive):
    with contextlib.closing(sqlite3.connect(os.path.join(archive, "catalog.sqlite"))) as database:
        return database.execute("PRAGMA user_version").fetchone()[0]


AS_NOBODY = {"user": NOBODY, "group": NOBODY, "extra_groups": []}

if ROOT:
    with tap.case("a directory that may not be written to"):
        os.chmod(tap.DIRECTORY.name, 0o755)
        result = crawl(site.url, tap.path("mine"), **AS_NOBODY)
        one_line(result, 1, "cannot be created", "Permission denied")
        assert not os.path.exists(tap.path("mine"))
        result = crawl(site.url, SOUND, **AS_NOBODY)
        one_line(result, 1, "cannot be written to", "Permission denied")

    with tap.case("an archive that may only be read can be read"):
        for command in ("report", "verify"):
            tap.equal(tap.succeed(command, SOUND, **AS_NOBODY),
                      tap.succeed(command, SOUND))
        for command in ("resume", "index"):
            one_line(tap.run(command, SOUND, **AS_NOBODY), 1, "Permission denied")

    with tap.case("an archive of an older version that may only be read can be read"):
        sound = tap.path("with-records")  # that version had no other
        tap.equal(crawl(site.url, sound, "--evidence", "records").returncode, 0)
        older = copy(sound, "older")
        make_older(older)
        for command in (["report", "--json"], ["report", "--captures"], ["verify"], ["rates"]):
            tap.equal(tap.succeed(*command, older, **AS_NOBODY),
                      tap.succeed(*command, sound).replace(sound, older))
        with replaying.Server(older, **AS_NOBODY) as server:
            assert "<title>Stillpoint</title>" in server.text("/")
            tap.equal(len(server.text(f"/older/cdx?url={site.url}1").splitlines()), 2)
        tap.equal(version_of(older), 3)

    with tap.case("an archive that may not be looked into is not called none"):
        closed_off = copy(SOUND, "closed-off")
        os.chmod(closed_off, 0o700)
        for command in ("report", "verify", "resume", "index"):
            result = tap.run(command, closed_off, **AS_NOBODY)
            one_line(result, 1, "Permission denied")
            assert "not an archive" not in result.stderr, result.stderr
        result = crawl(site.url, closed_off, **AS_NOBODY)
        one_line(result, 1, "Permission denied")
        os.chmod(closed_off, 0o755)
        os.chmod(f"{closed_off}/warc", 0o700)
        one_line(tap.run("verify", closed_off, **AS_NOBODY), 1, "Permission denied")
else:
    tap.skip("a directory that may not be written to", "needs root to become somebody else")

# ---- the catalog ----


def damage(kind, data):
    if kind == "noise":
        return random.Random(1).randbytes(20000)
    if kind == "cut":
        return data[:len(data) // 2]
    if kind == "flipped":
        return bytes(byte ^ 0xff if i > 100 and i % 97 == 0 else byte
                     for i, byte in enumerate(data))
    return data[:4096] + bytes(len(data) - 4096)


with tap.case("a damaged catalog is named, and the WARC files are still good"):
    for kind in ("noise", "cut", "flipped", "zeroed"):
        archive = copy(SOUND, kind)
        path = os.path.join(archive, "catalog.sqlite")
        with open(path, "rb") as file:
            data = file.read()
        tap.write(f"{kind}/catalog.sqlite", damage(kind, data))
        for command in (["resume"], ["report"], ["verify"], ["crawl", site.url, "-o"]):
            one_line(tap.run(*command, archive), 1, path, "--warc-only")
        tap.succeed("verify", "--warc-only", archive)

with tap.case("an archive of another version"):
    archive = copy(SOUND, "newer")
    change(archive, "PRAGMA user_version = 99")
    for command in (["resume"], ["report"], ["report", "--captures"], ["verify"],
                    ["crawl", site.url, "-o"]):
        one_line(tap.run(*command, archive), 2, "version 99", "use a newer stillpoint")
    tap.succeed("verify", "--warc-only", archive)

# ---- in use, stopped, full ----


def wait_for(event):
    assert event.wait(DEADLINE), "nothing happened"


def wait_until_committed(archive):
    """What was crawled is in the catalog, but only after a quarter of a second."""
    end = time.monotonic() + DEADLINE
    while tap.run("report", archive).returncode or not tap.load("report", archive)["verdicts"]:
        assert time.monotonic() < end
        time.sleep(0.02)


@contextlib.contextmanager
def under_way(archive):
    """A crawl that has begun, of a site whose fifth page takes until the end of this."""
    begun, go_on = threading.Event(), threading.Event()

    def answer(request):
        if request.path == "/5":
            begun.set()
            go_on.wait(DEADLINE)
        return small_site(request)

    with rawserver.Server(answer) as server:
        process = subprocess.Popen(
            [tap.PROGRAM, "crawl", server.url, "--delay", "0", "-o", archive],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            wait_for(begun)
            wait_until_committed(archive)
            yield process
        finally:
            go_on.set()
            process.communicate()


with tap.case("an archive in use is left alone, but can be looked at; Ctrl-C stops cleanly"):
    archive = tap.path("busy")
    with under_way(archive) as process:
        for command in (["resume"], ["index"], ["crawl", site.url, "-o"]):
            one_line(tap.run(*command, archive), 1, "another process is writing")
        tap.succeed("report", archive)
        tap.succeed("verify", archive)
        process.send_signal(signal.SIGINT)
        output, messages = process.communicate(timeout=DEADLINE)
        tap.equal((process.returncode, output), (3, ""))
        tap.equal(messages, f"stillpoint: stopped; continue with: stillpoint resume {archive}\n")
        tap.equal(tap.load("report", archive)["state"], "running")
        tap.succeed("verify", archive)
        with contextlib.closing(sqlite3.connect(f"{archive}/catalog.sqlite")) as other:
            other.isolation_level = None
            other.execute("BEGIN EXCLUSIVE")
            one_line(tap.run("resume", archive), 1, "in use by another process")
            other.execute("ROLLBACK")

# ---- archives of strangers: nothing is written outside of them ----


def link_warc(archive, outside, link):
    """A file that a crash left behind, which is elsewhere and longer than the catalog knows."""
    (name,) = (name for name in os.listdir(f"{archive}/warc") if name.endswith(".warc.gz"))
    change(archive, "UPDATE warc SET complete = 0, digest = NULL")
    shutil.move(f"{archive}/warc/{name}", outside)
    with open(outside, "ab") as file:
        file.write(b"precious")
    link(outside, f"{archive}/warc/{name}.open")


def link_part(archive, outside, link):
    """The same for the file that the torn off bytes are written to first."""
    (name,) = (name for name in os.listdir(f"{archive}/warc") if name.endswith(".warc.gz"))
    change(archive, "UPDATE warc SET complete = 0, digest = NULL")
    size = os.path.getsize(f"{archive}/warc/{name}")
    with open(f"{archive}/warc/{name}", "ab") as file:
        file.write(b"torn")
    with open(outside, "wb") as file:
        file.write(b"precious")
    link(outside, f"{archive}/warc/{name}.torn-{size}.part")


def link_file(name):
    def make(archive, outside, link):
        if os.path.exists(f"{archive}/{name}"):
            shutil.move(f"{archive}/{name}", outside)
        else:
            with open(outside, "wb"):
                pass
        link(outside, f"{archive}/{name}")
    return make


def link_directory(name):
    def make(archive, outside, link):
        os.makedirs(f"{archive}/{name}", exist_ok=True)
        shutil.move(f"{archive}/{name}", outside)
        link(outside, f"{archive}/{name}")
    return make


LINKS = [
    # label, how it is made, the kind of link, what is said of it: nothing when it does no harm
    ("WARC file, symbolic", link_warc, os.symlink, "symbolic link"),
    ("WARC file, hard", link_warc, os.link, "hard link"),
    ("part of a WARC file, symbolic", link_part, os.symlink, None),
    ("part of a WARC file, hard", link_part, os.link, None),
    ("catalog, symbolic", link_file("catalog.sqlite"), os.symlink, "symbolic link"),
    ("catalog, hard", link_file("catalog.sqlite"), os.link, "hard link"),
    ("its log, hard", link_file("catalog.sqlite-wal"), os.link, "hard link"),
    ("lock, symbolic", link_file("lock"), os.symlink, "symbolic link"),
    ("index, symbolic", link_file("index.cdxj"), os.symlink, None),
    ("new index, symbolic", link_file("index.cdxj.new"), os.symlink, None),
    ("new index, hard", link_file("index.cdxj.new"), os.link, None),
    ("directory of WARC files", link_directory("warc"), os.symlink, "must be a directory"),
    ("directory of bodies", link_directory("spool"), os.symlink, "must be a directory"),
]


def contents(path):
    """All bytes of a file, or of those in a directory."""
    if os.path.isdir(path):
        return {name: contents(os.path.join(path, name)) for name in os.listdir(path)}
    with open(path, "rb") as file:
        return file.read()


for number, (label, make, link, says) in enumerate(LINKS):
    with tap.case(f"a link in an archive: {label}"):
        archive, outside = copy(SOUND, f"foreign-{number}"), tap.path(f"outside-{number}")
        if says:
            change(archive, "UPDATE capture SET state = 0")
        make(archive, outside, link)
        before = contents(outside)
        if says:
            one_line(tap.run("resume", archive), 1, says)
        result = crawl(site.url, archive, "--max-pages", 1)
        tap.equal(contents(outside), before)
        if says:
            one_line(result, 1, says)
        else:
            tap.equal(result.returncode, 0)
            tap.succeed("verify", archive)

with tap.case("an archive that is reached by a link is like any other"):
    archive = copy(SOUND, "linked-to")
    os.symlink(archive, tap.path("link-to-it"))
    tap.equal(crawl(site.url, tap.path("link-to-it"), "--max-pages", 1).returncode, 0)
    tap.succeed("verify", tap.path("link-to-it"))

with tap.case("a capture whose pages were found nowhere is not resumed"):
    archive = copy(tap.path("busy"), "nowhere-found")
    change(archive, "UPDATE page SET via = 4000000000 WHERE via IS NOT NULL")
    one_line(tap.run("resume", archive), 1, "the catalog is damaged", "4000000000")

with tap.case("what Ctrl-C has stopped goes on"):
    begun, stopped = threading.Event(), threading.Event()

    def slow_at_first(request):
        if not begun.is_set() and request.path == "/5":
            begun.set()
            stopped.wait(DEADLINE)
        return small_site(request)

    with rawserver.Server(slow_at_first) as server:
        process = subprocess.Popen(
            [tap.PROGRAM, "crawl", server.url, "--delay", "0", "-o", tap.path("stopped")],
            stderr=subprocess.DEVNULL)
        wait_for(begun)
        process.terminate()
        tap.equal(process.wait(DEADLINE), 3)
        stopped.set()
        report = tap.load("resume", tap.path("stopped"))
    tap.equal((report["state"], report["pages"], report["sharp"]), ("finished", PAGES, PAGES))
    usable(tap.path("stopped"))


def fill(pipe):
    """It takes nothing more then, as a terminal that is held by Ctrl-S."""
    os.set_blocking(pipe, False)
    for size in (4096, 1):
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(pipe, bytes(size))
    os.set_blocking(pipe, True)


with tap.case("a second Ctrl-C ends at once what cannot hear the first, and it goes on later"):
    # -v has a line for each failure, and the lane waits until it is taken.
    failing = threading.Event()

    def fail_at_first(request):
        if request.path != "/5" or failing.is_set():
            return small_site(request)
        fill(ends[1])
        failing.set()
        return b"nonsense\r\n\r\n"

    ends = os.pipe()
    with rawserver.Server(fail_at_first) as server:
        process = subprocess.Popen(
            [tap.PROGRAM, "crawl", "-v", server.url, "--delay", "0", "-o", tap.path("twice")],
            stderr=ends[1])
        wait_for(failing)
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.2)
        tap.equal(process.returncode, -signal.SIGINT)
        report = tap.load("resume", tap.path("twice"))
    for end in ends:
        os.close(end)
    tap.equal((report["state"], report["pages"]), ("finished", PAGES))
    assert report["sharp"] >= PAGES - 1, report["sharp"]  # if the failure is kept, it stays one
    usable(tap.path("twice"))


def completed_later(archive):
    """Once there is room, resume takes the rest; where nothing had begun, crawl does."""
    if tap.run("report", archive).returncode == 0:
        report = tap.load("resume", archive)
    else:
        report = tap.load("crawl", site.url, "--delay", 0, "-o", archive)
    tap.equal((report["state"], report["sharp"]), ("finished", PAGES))
    tap.succeed("verify", archive)


with tap.case("an index that cannot be written: resume ends the capture"):
    archive = tap.path("no-index")
    tap.equal(crawl(site.url, archive, "--max-pages", 1).returncode, 0)
    os.unlink(f"{archive}/index.cdxj")
    os.mkdir(f"{archive}/index.cdxj")
    one_line(crawl(site.url, archive), 1, "index.cdxj", f"stillpoint resume {archive}")
    os.rmdir(f"{archive}/index.cdxj")
    completed_later(archive)

with tap.case("files that may not grow"):
    for limit in (4 << 10, 70 << 10, 300 << 10):
        archive = tap.path(f"limited-{limit}")
        result = subprocess.run(["prlimit", f"--fsize={limit}", tap.PROGRAM, "crawl", site.url,
                                 "--delay", "0", "-o", archive], text=True, capture_output=True)
        if result.returncode or limit < 100 << 10:
            one_line(result, 1, archive)
            completed_later(archive)


@contextlib.contextmanager
def small_disk(size):
    """A file system of its own."""
    mount = tap.path(f"disk-{size}")
    os.mkdir(mount)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", mount], check=True)
    try:
        yield mount
    finally:
        subprocess.run(["umount", mount], check=True)


def can_mount():
    return ROOT and subprocess.run(["unshare", "--mount", "true"], check=False,
                                   stderr=subprocess.DEVNULL).returncode == 0


if can_mount():
    with tap.case("a full disk: what is there stays, and resume goes on when there is room"):
        for size in ("4k", "100k", "150k", "200k"):
            with small_disk(size) as mount:
                archive = f"{mount}/archive"
                one_line(crawl(site.url, archive, "--min-free", 0), 1, archive)
                subprocess.run(["mount", "-o", "remount,size=1g", mount], check=True)
                completed_later(archive)
else:
    tap.skip("a full disk", "no file system may be mounted here")

site.stop()
tap.done()
