#!/usr/bin/env python3
"""stillpoint watch: living sites kept in an archive, held against their truth."""

import json
import os
import random
import re
import select
import shutil
import signal
import subprocess
import time

import living
import tap

DEADLINE = 120
KEYS = ["schema", "budget", "sites", "pages", "looks", "changes"]
SITE_KEYS = ["url", "policy", "pages", "fresh_expected", "fresh_measured", "fresh_error", "due",
             "sharp_expected", "signals"]
PER_SECOND = 25


def configure(name, sites, budget=PER_SECOND * 86400, **top):
    lines = [f"archive: {tap.path(name)}", f"budget: {{requests: {budget}/day}}", "delay: 0"]
    lines += [f"{key}: {value}" for key, value in top.items()] + ["sites:"]
    for site in sites:
        lines += [("  - " if i == 0 else "    ") + line for i, line in enumerate(site)]
    return tap.write(f"{name}.yaml", "\n".join(lines) + "\n")


class Watch:
    """A watch that runs, until it is stopped or killed."""

    def __init__(self, name, config, *options, environment=None):
        self.archive, self.said = tap.path(name), ""
        self.process = subprocess.Popen([tap.PROGRAM, "watch", config, *options], bufsize=0,
                                        env=environment, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE)

    def listen(self, seconds):
        """Takes what it says on standard error within that time; whether it says nothing more."""
        if not select.select([self.process.stderr], [], [], seconds)[0]:
            return False
        more = self.process.stderr.read(1 << 16).decode()
        self.said += more
        return not more

    def until(self, query):
        """Until the catalog answers yes."""
        deadline = time.monotonic() + DEADLINE
        while not any(row[0] for row in living.peek(self.archive, query)):
            assert self.process.poll() is None, self.said
            assert time.monotonic() < deadline, (query, self.said)
            self.listen(0.02)

    def looked(self):
        rows = living.peek(self.archive, "SELECT count(*) FROM observation")
        return rows[0][0] if rows else 0

    def looks(self, count):
        self.until(f"SELECT count(*) >= {count} FROM observation WHERE leg = 5")

    def wait_for(self, word):
        """Until it says so on standard error; not beyond the time, and the looks, that it needs."""
        deadline, enough = time.monotonic() + DEADLINE, self.looked() + DEADLINE * PER_SECOND
        while not (line := re.search(re.escape(word) + ".*\n", self.said)):
            ended = self.listen(1)
            assert not ended and (time.monotonic() < deadline or self.looked() < enough) and \
                time.monotonic() < deadline + 3 * DEADLINE, \
                f"never said: {word}; it said: {self.said}; {self.looked()} looks, {enough} are" \
                f" enough; {tap.run('watch', '--status', self.archive).stdout}"
        self.said = self.said[line.end():]

    def end(self, number=signal.SIGTERM):
        """Its exit status, and what it said but for the two lines of every watch."""
        self.process.send_signal(number)
        rest = self.process.communicate(timeout=DEADLINE)[1].decode()
        self.said, ends = re.subn(r"stillpoint: stopped after .*\n", "", self.said + rest)
        tap.equal(ends, 1 if number == signal.SIGTERM else 0)
        return self.process.returncode, re.sub(r"stillpoint: watching .*\n", "", self.said)


def status(where):
    answer = tap.load("watch", "--status", where)
    tap.equal(list(answer), KEYS)
    tap.equal(list(answer["budget"]), ["requests", "spent", "per_day"])
    for site in answer["sites"]:
        tap.equal(list(site), SITE_KEYS)
    return answer


def stamp(ms):
    moment = living.datetime.datetime.fromtimestamp(ms / 1000, living.datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


def check_truth(archive, sites):
    """Nothing is proven that was not; returns how much was."""
    spans = living.query(archive, "SELECT min(sent), max(last_byte) FROM observation WHERE leg = 5")
    start, end = (round(time_ns / 1e6) for time_ns in spans[0])
    claims = 0
    known = [(site.url, site.pages(), site.truth()) for site in sites]
    for instant in sorted(random.Random(1).sample(range(start, end), 12)):
        answer = tap.load("report", archive, "--at", stamp(instant))
        for page in answer["pages"]:
            if page["state"] not in ("proven", "absent"):
                continue
            _, pages, truth = next(k for k in known if page["url"].startswith(k[0]))
            behaviour = pages[page["url"]]["behaviour"]
            tap.equal(page["state"] == "absent", behaviour == "404")
            first, last = living.milliseconds(page["from"]), living.milliseconds(page["to"])
            assert behaviour == "404" or \
                not truth.changed_within(page["url"], first, last), page
            claims += 1
    return claims


def a_day_later(name):
    """What a watch remembers of its last retirement, as if it were a day older."""
    text = open(tap.path(f"{name}/watch.status"), encoding="utf-8").read()
    tap.write(f"{name}/watch.status", re.sub(
        r"(?<=\nretired\t)\d+", lambda match: str(int(match[0]) - 86400), text))


def retired(archive):
    return living.query(archive, "SELECT count(*) FROM observation WHERE retired > 0")[0][0]


def warcs(archive):
    return sorted(os.listdir(os.path.join(archive, "warc")))


with tap.case("one file serves crawl and watch: --check says what a watch goes without"):
    BOTH = tap.write("both.yaml", f"archive: {tap.path('both')}\nbudget: {{requests: 5184000/day}}\n"
                     "spam: skip\njobs: 2\nsites:\n  - url: [http://127.0.0.1:8999/a/,"
                     " http://127.0.0.1:8999/b/]\n    scope: prefix\n    dust: apply\n")
    answer = tap.run("watch", "--check", BOTH)
    tap.equal(answer.returncode, 0)
    assert "1 site, 5184000 requests a day" in answer.stdout, answer.stdout
    tap.equal([line.split(": rules")[0] for line in answer.stderr.splitlines()],
              [f"{BOTH}:8:5: 'dust' is for captures"])
    tap.succeed("crawl", "--config", BOTH, "--print-config")

with tap.case("the example of the documentation passes"):
    PAGE = open(os.path.join(os.environ["SRCDIR"], "docs/config.md"), encoding="utf-8").read()
    EXAMPLE = re.search(r"(?:^    .*\n)+", PAGE[PAGE.index("## Sites"):], re.MULTILINE)[0]
    assert "url: [" in EXAMPLE, EXAMPLE
    EXAMPLE = tap.write("example.yaml", re.sub("^    ", "", EXAMPLE, flags=re.MULTILINE))
    answer = tap.run("watch", "--check", EXAMPLE)
    tap.equal((answer.returncode, answer.stderr), (0, ""))
    assert "2 sites, " in answer.stdout, answer.stdout
    tap.succeed("crawl", "--config", EXAMPLE, "--print-config")

with tap.case("--check names line and column"):
    GOOD = configure("check", [["url: http://127.0.0.1:8999/"]])
    tap.succeed("watch", "--check", GOOD)
    BAD = tap.write("bad.yaml", "archive: a\nbudget: {requests: 5/day}\nsites:\n  - policy: age\n")
    answer = tap.run("watch", "--check", BAD)
    tap.equal(answer.returncode, 2)
    assert answer.stderr.startswith(f"{BAD}:4:5: "), answer.stderr
    tap.equal(answer.stderr.count("\n"), 1)
    tap.equal(tap.run("watch", BAD).returncode, 2)
    tap.refuse(2, "3:12: retention is wrong: bad retention", "watch", "--check", tap.write(
        "rules.yaml", "archive: a\nbudget: {requests: 5/day}\nretention: all:1q\n"
        "sites: [{url: http://127.0.0.1:1/}]\n"))
    tap.equal(status(GOOD)["looks"], 0)

with living.Site("watched", "--pages", 12, "--rates", "constant:0.05", "--errors", "0.15:404,500",
                 "--sitemap", "index", "--noise", "nonce") as ONE, \
     living.Site("second", "--pages", 6, "--rates", "constant:0.2") as TWO:
    CONFIG = configure("archive", [[f"url: {ONE.url}"]])
    ARCHIVE = tap.path("archive")
    WATCH = Watch("archive", CONFIG)
    WATCH.looks(60)
    with tap.case("the status of a watch that runs"):
        while status(CONFIG)["looks"] < 40:
            time.sleep(0.05)
        answer = status(ARCHIVE)
        tap.equal(answer["budget"]["per_day"], PER_SECOND * 86400)
        tap.equal([site["url"] for site in answer["sites"]], [ONE.url])
        tap.equal(answer["sites"][0]["policy"], "fresh")
        assert 0 < answer["sites"][0]["fresh_expected"] <= 1, answer
    with tap.case("kill -9 loses no look that was acknowledged"):
        ACKNOWLEDGED = set(living.peek(ARCHIVE, "SELECT page, attempt FROM observation"))
        WATCH.process.kill()
        WATCH.process.communicate()
        tap.succeed("verify", ARCHIVE)
        WATCH = Watch("archive", CONFIG)
        WATCH.looks(120)
        now = set(living.peek(ARCHIVE, "SELECT page, attempt FROM observation"))
        assert ACKNOWLEDGED < now
    with tap.case("SIGHUP: a configuration with a mistake is refused, and all goes on"):
        KEPT = open(CONFIG, encoding="utf-8").read()
        tap.write("archive.yaml", KEPT.replace("sites:", "sitez:"))
        WATCH.process.send_signal(signal.SIGHUP)
        WATCH.wait_for("goes on counting")
    with tap.case("SIGHUP: another budget and policy, then another site"):
        tap.write("archive.yaml", KEPT.replace("delay: 0", "delay: 0\npolicy: age"))
        WATCH.process.send_signal(signal.SIGHUP)
        WATCH.wait_for("read again")
        configure("archive", [[f"url: {ONE.url}", "policy: sharp", "grid: 10s"],
                              [f"url: {TWO.url}", "budget: 10/s"]], policy="harmonic")
        WATCH.process.send_signal(signal.SIGHUP)
        WATCH.wait_for("read again")
        WATCH.until("SELECT count(*) >= 30 FROM observation WHERE leg = 5 AND capture = 2")
    with tap.case("SIGTERM: a clean end"):
        code, said = WATCH.end()
        tap.equal((code, said), (0, ""))
        answer = status(CONFIG)
        tap.equal([site["policy"] for site in answer["sites"]], ["sharp", "harmonic"])
        tap.succeed("verify", ARCHIVE)
    with tap.case("--once looks at what is due, and ends"):
        ONCE = configure("once", [[f"url: {TWO.url}"]])
        tap.succeed("watch", "--once", ONCE)
        answer = status(ONCE)
        assert answer["looks"] >= 6, answer
        tap.succeed("verify", tap.path("once"))

with tap.case("nothing is proven that was not"):
    assert check_truth(ARCHIVE, [ONE, TWO]) > 0

with tap.case("a site that is down costs its retries only"):
    DOWN = configure("down", [[f"url: {ONE.url}"]])
    answer = tap.run("watch", "--once", DOWN, timeout=DEADLINE)
    tap.equal(answer.returncode, 0)
    assert status(DOWN)["budget"]["spent"] <= 5, status(DOWN)

with tap.case("resume leaves sites under watch alone, and says how they go on"):
    answer = tap.run("resume", ARCHIVE)
    tap.equal(answer.returncode, 0)
    assert "under watch; go on with stillpoint watch CONFIG" in answer.stderr, answer.stderr
    assert "finished" not in answer.stderr and "stillpoint resume" not in answer.stdout, answer

with tap.case("report speaks of the watch, and of each look at a page"):
    TEXT = tap.succeed("report", ARCHIVE, "--capture", "1")
    LOOKS = living.query(ARCHIVE, "SELECT count(*) FROM observation WHERE leg = 5 AND capture = 1"
                         " AND status IN (200, 404)")[0][0]
    assert "under watch" in TEXT and f"{LOOKS} looks in all" in TEXT, (LOOKS, TEXT)
    assert "No page was captured" not in TEXT and "stillpoint resume" not in TEXT, TEXT
    LIST = tap.succeed("report", ARCHIVE, "--captures")
    assert "under watch: go on with 'stillpoint watch CONFIG'" in LIST, LIST
    assert "not finished" not in LIST and "stillpoint resume" not in LIST, LIST
    tap.succeed("report", ARCHIVE, "--capture", "1", "--html", tap.path("watched.html"))
    with open(tap.path("watched.html"), encoding="utf-8") as FILE:
        HTML = FILE.read()
    assert f"{LOOKS} looks in all" in HTML and "1, under watch" in HTML
    assert "none revisited" not in HTML and "Still point" not in HTML
    PAGE, COUNT = living.query(
        ARCHIVE, "SELECT p.url, count(*) FROM observation o JOIN page p ON p.id = o.capture << 32"
        " | o.page WHERE o.leg = 5 AND o.status = 200 GROUP BY 1 ORDER BY 2 DESC LIMIT 1")[0]
    TEXT = tap.succeed("report", ARCHIVE, "--why", PAGE)
    tap.equal(TEXT.count("\nlook "), COUNT)
    tap.equal(len(re.findall(r"(?:changed|unchanged.*|says unchanged) since the look [\d.]+ \w+"
                             r".* before\n", TEXT)), COUNT - 1)
    assert "unvisited" not in TEXT and "spam" not in TEXT and "under watch" in TEXT, TEXT

if "CLOCKS" in os.environ:
    with living.Site("clock", "--pages", 6, "--rates", "constant:0.1") as SITE, \
         tap.case("a wall clock that is set: what it saw before is not proven, and it goes on"):
        FILE = tap.path("clocks")
        WATCH = Watch("clock", configure("clock", [[f"url: {SITE.url}"]]), environment=dict(
            os.environ, LD_PRELOAD=os.environ["CLOCKS"], CLOCKS_FILE=FILE,
            ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"))
        WATCH.looks(30)
        BEFORE = round(time.time() * 1000) - 500
        tap.write("clocks.new", "86400 0 0")
        os.replace(tap.path("clocks.new"), FILE)
        WATCH.wait_for("the wall clock was set")
        WATCH.looks(60)
        tap.equal(WATCH.end()[0], 0)
        tap.equal(tap.load("report", WATCH.archive, "--at", stamp(BEFORE))["totals"]["proven"], 0)
        tap.succeed("verify", WATCH.archive)

if os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "true"], check=False,
                                        stderr=subprocess.DEVNULL).returncode == 0:
    DISK = tap.path("disk")
    os.mkdir(DISK)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", DISK], check=True)
    with living.Site("full", "--pages", 5, "--rates", "constant:0.1") as SITE, \
         tap.case("little space on the disk: it pauses, says so, and goes on by itself"):
        FILLER = tap.write("disk/filler", "x" * (18 << 20))
        WATCH = Watch("disk/archive", configure("disk/archive", [[f"url: {SITE.url}"]],
                                                **{"min-free": "8M"}))
        WATCH.wait_for("waiting for disk space: less than 8 MiB are free")
        tap.equal(WATCH.looked(), 0)
        os.unlink(FILLER)
        WATCH.wait_for("going on")
        WATCH.looks(20)
        tap.write("disk/filler", "x" * (18 << 20))
        WATCH.wait_for("waiting for disk space")
        WATCH.end()
        tap.succeed("verify", WATCH.archive)
    subprocess.run(["umount", "--lazy", DISK], check=True)

with living.Site("budgeted", "--pages", 10, "--rates", "constant:0.1") as SITE:
    with tap.case("the budget is kept, by requests of all kinds"):
        SLOW = configure("slow", [[f"url: {SITE.url}"]], budget=5 * 86400)
        WATCH = Watch("slow", SLOW)
        BEGAN = time.monotonic()
        WATCH.looks(30)
        PASSED = time.monotonic() - BEGAN
        WATCH.end()
        SPENT = status(SLOW)["budget"]["spent"]
        assert 30 <= SPENT <= 5 * (PASSED + 2) + 2, (SPENT, PASSED)

with living.Site("retention", "--pages", 5, "--rates", "constant:5") as SITE:
    SITES = [[f"url: {SITE.url}", "policy: uniform"]]
    WATCH = Watch("kept", configure("kept", SITES))
    # Each page several times, or there is nothing to retire, and no word of it.
    WATCH.until("SELECT max(sent) - min(sent) > 3e9 AND count(*) > 30 FROM observation WHERE leg = 5")
    tap.equal(WATCH.end(), (0, ""))
    KEPT = WATCH.archive
    CONFIG = configure("kept", SITES, retention="all:1s")
    with tap.case("retention: old versions are retired, and the watch goes on"):
        tap.equal(retired(KEPT), 0)
        WATCH = Watch("kept", CONFIG)
        WATCH.wait_for("retention: retired")
        WATCH.until(f"SELECT max(sent) > {time.time_ns()} + 2e9 AND count(*) > {WATCH.looked()} + 30"
                    " FROM observation WHERE leg = 5")
        tap.equal(WATCH.end(), (0, ""))
        FIRST = retired(KEPT)
        assert FIRST > 0 and any("-r1.warc" in name for name in warcs(KEPT)), warcs(KEPT)
        tap.succeed("verify", KEPT)
        tap.succeed("verify", KEPT, "--warc-only")
    with tap.case("retention: a failure is one line, nothing is retired, the watch goes on"):
        DAMAGED = shutil.copytree(KEPT, tap.path("damaged"))
        a_day_later("damaged")
        BEFORE = warcs(DAMAGED)
        for name in BEFORE:
            with open(os.path.join(DAMAGED, "warc", name), "r+b") as file:
                half = file.seek(0, os.SEEK_END) // 2
                file.seek(half)
                file.write(bytes(half))
        WATCH = Watch("damaged", configure("damaged", SITES, retention="all:1s"))
        WATCH.wait_for("it is tried again in a day")
        WATCH.until(f"SELECT max(sent) > {time.time_ns()} FROM observation WHERE leg = 5")
        tap.equal(WATCH.end(), (0, ""))
        tap.equal(retired(DAMAGED), FIRST)
        assert set(BEFORE) < set(warcs(DAMAGED)), warcs(DAMAGED)
    with tap.case("retention: once a day, also by --once"):
        tap.equal(tap.run("watch", "--once", CONFIG).stderr, "")
        tap.equal(retired(KEPT), FIRST)
        a_day_later("kept")
        answer = tap.run("watch", "--once", CONFIG)
        assert answer.returncode == 0 and "retention: retired" in answer.stderr, answer
        assert retired(KEPT) > FIRST
        tap.succeed("verify", KEPT)

tap.done()
