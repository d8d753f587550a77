#!/usr/bin/env python3
"""Many sites at once: one capture each, on several lanes, in one archive.

Eight living sites with faults of every kind are captured together; every verdict is held against
the truth. The process is killed in the middle and resumed; a site that cannot be had disturbs no
other; a server that two captures on different lanes ask is paced by one clock.
"""

import base64
import collections
import http.server
import itertools
import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.parse

import judge
import living
import rawserver
import tap

SITES = 8
# Each at an address of its own, since politeness is owed to addresses, too.
HOSTS = [f"127.0.0.{number}" for number in range(2, SITES + 2)]
FAULTY = ["--listen", "0.0.0.0:0", *(f"--host={host}" for host in HOSTS), "--pages", living.scaled(24, 12), "--outdegree", 5, "--sitemap", "index",
          "--requisites", 1, "--rates", "lognormal:-4,1.5", "--mean-rate", 0.1,
          "--errors", 0.1, "--redirects", 0.08, "--slow", "0.03:0.03",
          "--lying-validators", 0.3, "--absent-validators", 0.2]
DEADLINE = 120


class Sites(living.Site):
    """Several sites on one port; the first line was read already."""

    def __init__(self, name, count, *options):
        super().__init__(name, *options)
        self.urls = [self.url] + [self.process.stdout.readline().strip()
                                  for _ in range(count - 1)]
        self.seeds = tap.write(f"{name}.txt", "# sites\n\n" + "\n".join(self.urls) + "\n")


class JudgeOne(judge.Judge):
    """Of one capture among those of an archive."""

    def __init__(self, sites, archive, report):
        self.uuid, self.host = report["uuid"], urllib.parse.urlsplit(report["site"]).hostname
        super().__init__(sites, archive, report)
        self.pages = {url: page for url, page in self.pages.items()
                      if urllib.parse.urlsplit(url).hostname == self.host}

    def read(self, archive):
        attempts = [a for a in living.attempts(archive) if a.capture == self.uuid]
        original, living.attempts = living.attempts, lambda _: attempts
        try:
            super().read(archive)
        finally:
            living.attempts = original


def check(sites, archive):
    """Every capture is complete, and every verdict true."""
    rows = tap.load("report", archive, "--captures")["captures"]
    tap.equal([row["site"] for row in rows], sites.urls)
    tap.equal({row["state"] for row in rows}, {"finished"})
    for row in rows:
        report = tap.load("report", archive, "--capture", row["capture"])
        tap.equal({key: report[key] for key in row}, row)
        JudgeOne(sites, archive, report).check()
    for options in ([], ["--warc-only"]):
        done = tap.run("verify", archive, *options)
        tap.equal((done.returncode, done.stderr), (0, ""))
        assert "problem" not in done.stdout, done.stdout
    return rows


def check_index(archive, rows):
    """One index has the responses of all captures."""
    with open(os.path.join(archive, "index.cdxj"), encoding="utf-8") as file:
        hosts = collections.Counter(re.search(r'"url":"https?://([^:/"]+)', line)[1] for line in file)
    tap.equal(sorted(hosts), sorted(urllib.parse.urlsplit(row["site"]).hostname for row in rows))


def capture_all(lanes):
    name = f"lanes-{lanes}"
    archive = tap.path(name)
    with Sites(name, SITES, "--seed", lanes, *FAULTY) as sites:
        done = tap.run("crawl", "--seeds", sites.seeds, "-o", archive, "--delay", "2ms",
                       "--lanes", lanes, "--rates", sites.rates_path, "--json", timeout=DEADLINE)
        tap.equal((done.returncode, done.stderr), (0, ""))
    rows = check(sites, archive)
    printed = json.loads(done.stdout)
    tap.equal(sorted(printed), ["archive", "captures", "schema"])
    tap.equal((printed["archive"], printed["captures"]), (archive, rows))
    tap.equal(len(living.warc_files(archive)), lanes)
    check_index(archive, rows)
    print(f"# {lanes} lanes: {sum(row['pages'] for row in rows)} URLs, "
          f"{sum(row['sharp'] for row in rows)} sharp, {sum(row['changed'] for row in rows)} changed")
    return archive


def check_text(archive):
    """What a user reads in the morning."""
    rows = tap.load("report", archive, "--captures")["captures"]
    text = tap.succeed("report", archive, "--captures")
    lines = text.splitlines()
    tap.equal(len(lines), SITES + 3)
    assert all(line.endswith("  finished") for line in lines[1:SITES + 1]), text
    assert re.match(rf"{SITES} captures: \d+ pages captured, \d+ sharp, \d+ changed, \d+ failed$",
                    lines[SITES + 1]), text
    tap.equal(tap.succeed("report", archive).splitlines()[-1],
              f"The last of {SITES} captures; all of them: stillpoint report {archive} --captures")
    assert "--captures" not in tap.succeed("report", archive, "--capture", 2)
    for number, site in enumerate(rows, 1):
        text = tap.succeed("report", archive, "--why", site["site"])
        assert re.search(rf"^capture +{number} of {re.escape(site['site'])}$", text, re.M), text
    for options in (("--capture", 1), ("--why", "http://a/")):
        tap.refuse(2, "--captures lists all", "report", archive, "--captures", *options)


# ---- killing ----


# Page, leg and attempt of each capture.
OBSERVATIONS = "SELECT capture, page, leg, attempt FROM observation WHERE leg < 3"


def observations(archive):
    """What the catalog of an archive that nobody writes to has committed."""
    return set(living.query(archive, OBSERVATIONS))


def kill_when(archive, count, *arguments):
    """Starts the program and kills it when that many observations are committed."""
    process = subprocess.Popen([tap.PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + DEADLINE
    while len(living.peek(archive, OBSERVATIONS)) < count:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    process.kill()
    tap.equal(process.wait(), -signal.SIGKILL)
    return observations(archive)


def kill_and_resume():
    archive = tap.path("killed")
    with Sites("killed", SITES, "--seed", 9, *FAULTY) as sites:
        before = kill_when(archive, 100, "crawl", "--seeds", sites.seeds, "-o", archive,
                           "--delay", living.SLOW, "--lanes", 2)
        again = kill_when(archive, len(before) + 100, "resume", archive, "--lanes", 2)
        tap.equal(sorted(before - again), [])
        living.hasten(archive)
        done = tap.run("resume", archive, "--lanes", 1, timeout=DEADLINE)
        tap.equal((done.returncode, done.stderr), (0, ""))
    tap.equal(sorted(again - observations(archive)), [])
    check(sites, archive)
    keys = [(a.capture, a.url, a.leg, a.number) for a in living.attempts(archive) if a.leg != "side"]
    tap.equal(len(keys), len(set(keys)))
    tap.equal([name for name in os.listdir(os.path.join(archive, "warc")) if name.endswith(".open")],
              [])
    done = tap.run("resume", archive)
    tap.equal((done.returncode, "nothing to resume" in done.stderr), (0, True))


def stop():
    """SIGINT stops all of them, once each has something, and says how to go on."""
    archive = tap.path("stopped")
    with Sites("stopped", SITES, "--seed", 3, *FAULTY) as sites:
        process = subprocess.Popen(
            [tap.PROGRAM, "crawl", "--seeds", sites.seeds, "-o", archive, "--delay", living.SLOW],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + DEADLINE
        while len({row[0] for row in living.peek(archive, OBSERVATIONS)}) < SITES:
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=DEADLINE)
        tap.equal((process.returncode, said),
                  (3, f"stillpoint: stopped; continue with: stillpoint resume {archive}\n"))
        assert out.count("not finished\n") == SITES, out
        tap.equal(tap.run("verify", archive).returncode, 0)
        living.hasten(archive)
        resume_broken(archive)


def resume_broken(archive):
    """One has a log that no planner could have written, one settings that nobody could have
    given: the others go on."""
    database = sqlite3.connect(os.path.join(archive, "catalog.sqlite"))
    with database:
        changed = database.execute("UPDATE event SET attempt = attempt + 1"
                                   " WHERE kind = 1 AND id >> 32 = 3").rowcount
        database.execute("UPDATE capture SET settings = 'delay ?' WHERE id = 5")
    assert changed > 0
    done = tap.run("resume", archive, timeout=DEADLINE)
    tap.equal((done.returncode, done.stderr.count("\n")), (1, 2))
    assert "stillpoint: resume: capture 3: " in done.stderr, done.stderr
    assert "stillpoint: resume: capture 5: the capture's settings" in done.stderr, done.stderr
    tap.equal([row["state"] for row in tap.load("report", archive, "--captures")["captures"]],
              ["running" if number in (3, 5) else "finished" for number in range(1, SITES + 1)])
    with database:
        database.execute("UPDATE capture SET state = 1 WHERE id = 3")
    tap.refuse(1, "resume: capture 5: the capture's settings", "resume", archive)
    database.close()


# ---- sites of our own ----


class Server(http.server.ThreadingHTTPServer):
    """Says when it was asked by which name, and how many at once."""

    def __init__(self, pages):
        self.pages, self.lock = pages, threading.Lock()
        self.asked, self.under_way, self.most = [], 0, 0
        super().__init__(("127.0.0.1", 0), Answering)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def url(self, host, path="/"):
        return f"http://{host}:{self.server_port}{path}"


class Answering(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        host = self.headers["Host"].split(":")[0]
        with server.lock:
            server.under_way += 1
            server.most = max(server.most, server.under_way)
            began = time.monotonic()
        body = server.pages(host, self.path)
        time.sleep(0.01)
        with server.lock:
            server.under_way -= 1
            server.asked.append((began, time.monotonic(), host, self.path))
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


def share():
    """Two captures on two lanes, and a host that both need: never two at once, with the pause."""

    def pages(host, path):
        if path in ("/robots.txt", "/sitemap.xml"):
            return None
        if host == "cdn.localhost":
            return b"/* nothing */"
        return "".join(f"<link rel=stylesheet href=//cdn.localhost:{server.server_port}/{host}{i}.css>"
                       for i in range(8)).encode()

    with Server(pages) as server:
        archive = tap.path("shared")
        tap.succeed("crawl", server.url("a.localhost"), server.url("b.localhost"), "-o", archive,
                    "--lanes", 2, "--delay", "30ms", "--single", timeout=DEADLINE)
        asked = sorted(entry for entry in server.asked if entry[2] == "cdn.localhost")
    tap.equal(len([path for _, _, _, path in asked if path.endswith(".css")]), 16)
    for (_, ended, _, _), (began, _, _, _) in itertools.pairwise(asked):
        # The server sees the end of a request before the client does, so the pause is no shorter.
        assert began - ended >= 0.030, began - ended


def disturb():
    """A site that cannot be had is a line of its own; the others do not notice."""
    with Server(lambda host, path: None if path == "/robots.txt" else b"hello") as server:
        archive = tap.path("disturbed")
        nobody = [rawserver.reserve(f"127.0.0.{i}") for i in (1, 2)]
        dead, dead_too = (f"http://127.0.0.{i}:{rawserver.port_of(keeper)}/"
                          for i, keeper in enumerate(nobody, 1))
        done = tap.run("crawl", server.url("a.localhost"), dead, server.url("b.localhost"), "-o",
                       archive, "--delay", "1ms", "--attempts", 1, timeout=DEADLINE)
        tap.equal(done.returncode, 3)
        tap.equal(done.stderr.count("\n"), 1)
        assert dead in done.stderr and "nothing could be captured" in done.stderr, done.stderr
        rows = tap.load("report", archive, "--captures")["captures"]
        tap.equal([row["sharp"] for row in rows], [1, 0, 1])
        assert "nothing captured" in done.stdout, done.stdout
        done = tap.run("crawl", dead, dead_too, "-o", tap.path("dead"), "--delay", "1ms",
                       "--attempts", 1, timeout=DEADLINE)
        tap.equal((done.returncode, done.stderr.count("\n")), (1, 2))
        for keeper in nobody:
            keeper.close()


def fill_disk():
    """No file may grow beyond a limit, which the WARC files reach: one line, and nothing is lost."""
    bodies = {f"/{i}": base64.b64encode(os.urandom(800_000)) for i in range(4)}  # spooled, all different

    def pages(_, path):
        if path == "/":
            return "".join(f"<a href={name}>{name}</a>" for name in bodies).encode()
        return bodies.get(path)

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))

    with Server(pages) as server:
        archive = tap.path("full")
        urls = [server.url(f"{name}.localhost") for name in "abc"]
        # Python ignores SIGXFSZ; so does the program then, and gets EFBIG.
        done = tap.run("crawl", *urls, "-o", archive, "--delay", "1ms",
                       "--lanes", 3, "--single", preexec_fn=limit, restore_signals=False,
                       timeout=DEADLINE)
        tap.equal((done.returncode, done.stderr.count("\n")), (1, 1))
        assert ".warc.gz: cannot be written" in done.stderr, done.stderr
        assert f"stillpoint resume {archive}" in done.stderr, done.stderr
        tap.succeed("verify", archive)
        tap.succeed("resume", archive, "--lanes", 3, timeout=DEADLINE)
    rows = tap.load("report", archive, "--captures")["captures"]
    tap.equal([(row["state"], row["pages"]) for row in rows], [("finished", len(bodies) + 1)] * 3)
    tap.succeed("verify", archive)


def group():
    """Seeds of one server are one site; of one domain, with that scope."""
    with Server(lambda host, path: None if path == "/robots.txt" else b"hello") as server:
        one = [server.url("a.localhost", "/x"), server.url("a.localhost", "/y")]
        report = tap.load("crawl", *one, "-o", tap.path("one"), "--delay", "1ms", timeout=DEADLINE)
        tap.equal((report["capture"], report["pages"]), (1, 2))  # the document of a single site
        text = "\n".join([*one, server.url("b.localhost") + "  # another", ""])
        done = subprocess.run([tap.PROGRAM, "crawl", "--seeds", "-", "--delay", "1ms", "--json"],
                              input=text, capture_output=True, text=True, cwd=tap.DIRECTORY.name,
                              timeout=DEADLINE)
        tap.equal((done.returncode, done.stderr), (0, ""))
        printed = json.loads(done.stdout)
        tap.equal(printed["archive"], f"a.localhost-{server.server_port}.stillpoint")
        tap.equal([row["pages"] for row in printed["captures"]], [2, 1])
        seeds = tap.write("news.sites.txt", server.url("a.localhost") + "\n"
                          + server.url("b.localhost"))
        done = tap.run("crawl", "--seeds", seeds, "--delay", "1ms", cwd=tap.DIRECTORY.name,
                       timeout=DEADLINE)
        tap.equal((done.returncode, done.stderr), (0, ""))
        assert os.path.exists(tap.path("news.sites.stillpoint/index.cdxj"))


SEEDS_REFUSED = (
    ("no URL", "https://a/\n\nnot a url\n", ":3: 'not a url' is not a URL"),
    ("no scheme", "# list\nexample.org\n", ":2: 'example.org' is not a URL; did you mean "
                                            "https://example.org/ ?"),
    ("another scheme", "ftp://a/\n", ":1: 'ftp://a/' is not an http or https URL"),
    ("too long", "http://a/" + "x" * 70000, ":1: the line is too long"),
    ("nothing", "# only a remark\n", " has no URL in it"),
)


def refuse_seeds():
    archive = tap.path("refused")
    for name, content, says in SEEDS_REFUSED:
        path = tap.write(f"{name}.txt", content)
        tap.refuse(2, path + says, "crawl", "--seeds", path, "-o", archive)
    tap.refuse(2, "No such file", "crawl", "--seeds", tap.path("none"), "-o", archive)
    tap.refuse(2, "--lanes", "crawl", "http://a/", "--lanes", 0, "-o", archive)
    assert not os.path.exists(archive)


def main(quick):
    if quick:  # what threads can do wrong shows in few crawls
        with tap.case("eight sites on three lanes"):
            capture_all(3)
        with tap.case("a server that two lanes ask is paced by one clock"):
            share()
        with tap.case("stopped in the middle; one cannot be resumed"):
            stop()
        with tap.case("a disk that takes no more ends all of them, and nothing is lost"):
            fill_disk()
        return
    for lanes in (1, 2):
        with tap.case(f"eight sites with faults of every kind, lanes: {lanes}"):
            archive = capture_all(lanes)
    with tap.case("they are listed"):
        check_text(archive)
    with tap.case("killed in the middle and resumed: nothing is lost"):
        kill_and_resume()
    with tap.case("stopped in the middle; one cannot be resumed"):
        stop()
    with tap.case("a server that two lanes ask is paced by one clock"):
        share()
    with tap.case("a site that cannot be had disturbs no other"):
        disturb()
    with tap.case("a disk that takes no more ends all of them, and nothing is lost"):
        fill_disk()
    with tap.case("seeds of one server are one site"):
        group()
    with tap.case("a list of sites with something wrong in it"):
        refuse_seeds()


main("--quick" in sys.argv[1:])
tap.done()
