#!/usr/bin/env python3
"""Many living sites under watch for long, killed at random: budget, claims and memory.

The sites' clocks run fast: an instant of the grid comes every ten seconds, so ten seconds here are
a day of a usual site. STILLPOINT_TEST_SCALE=20 is 200 sites, 100 kills, and 17 weeks in 20 minutes.

What is measured may be off by three of its stated errors, in two comparisons: the mean of all
sites, and how many sites are within two errors. Each fails three times in a thousand by chance.
"""

import bisect
import collections
import math
import os
import random
import re
import signal
import statistics
import subprocess
import threading
import time

import living
import tap

SCALE = float(os.environ.get("STILLPOINT_TEST_SCALE", "1"))
SITES = max(3, round(10 * SCALE))
PAGES = 20
KILLS = max(2, round(5 * SCALE))
SECONDS = max(40, round(60 * SCALE))
PER_SECOND = min(5 * SITES, 100)
RATES = "lognormal:-5,1.2" if SCALE >= 10 else "lognormal:-3.5,1.2"
GRID = 10  # seconds
ARCHIVE = tap.path("archive")
WARM_UP, KILLING = 0.2, 0.5  # parts of the time: sites are found and rates learned; kills
ROOM = 0.02  # between what is expected and the truth, besides chance


def memory(process):
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


def start():
    return subprocess.Popen([tap.PROGRAM, "watch", CONFIG], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def acknowledged():
    """The last looks that were committed."""
    return living.peek(ARCHIVE, "SELECT capture, page, attempt, last_byte FROM observation"
                       " WHERE leg = 5 ORDER BY rowid DESC LIMIT 100")


def host_of(url):
    return living.urllib.parse.urlsplit(url).hostname


class Claims(threading.Thread):
    """What the status says at random times: by host, pairs of a time in ms and a claim."""

    def __init__(self, until):
        super().__init__()
        self.until, self.random = until, random.Random(11)
        self.fresh, self.sharp = collections.defaultdict(list), collections.defaultdict(list)

    def run(self):
        while time.time() < self.until:
            time.sleep(self.random.uniform(0, SECONDS / 50))
            written = os.stat(os.path.join(ARCHIVE, "watch.status")).st_mtime
            for site in tap.load("watch", "--status", ARCHIVE)["sites"]:
                for claims, key in ((self.fresh, "fresh_expected"), (self.sharp, "sharp_expected")):
                    if site[key] is not None:
                        claims[host_of(site["url"])].append((written * 1000, site[key]))


class Looks:
    """Of every URL the ends of its usable looks, in ms, and the truth of the sites.

    asked: when each host was first asked for anything.
    """

    def __init__(self, truth, asked):
        self.truth, self.ends = truth, collections.defaultdict(list)
        self.hosts, self.known = collections.defaultdict(list), {}
        rows = living.query(
            ARCHIVE, "SELECT o.capture << 32 | o.page, o.last_byte FROM observation o"
            " WHERE o.leg = 5 AND o.status BETWEEN 200 AND 399 ORDER BY o.last_byte")
        pages = living.query(ARCHIVE, "SELECT id, url, id >> 32 << 32 | via FROM page WHERE taken")
        urls = {number: url for number, url, _ in pages}
        for number, end in rows:
            self.ends[urls[number]].append(end / 1e6)
        for _, url, via in pages:
            # A page is known when the one that links to it was looked at first.
            self.known[url] = self.ends[urls[via]][0] if via in urls else asked[host_of(url)]
            self.hosts[host_of(url)].append(url)
        self.changes = {url: [ms for ms, _ in truth.of(url)[1:]] for url in self.known}

    def unchanged(self, url, start, end):
        changes = self.changes[url]
        return bisect.bisect_left(changes, start) == bisect.bisect_right(changes, end)

    def share(self, host, instant, until):
        """Of a site's pages that were known: those unchanged since the look before the instant.

        until: the end of that, of the page's looks and the number of those up to the instant; or
        None.
        """
        found = []
        for url in self.hosts[host]:
            if self.known[url] <= instant:
                ends = self.ends[url]
                k = bisect.bisect_right(ends, instant)
                end = until(ends, k)
                found.append(k > 0 and end is not None and self.unchanged(url, ends[k - 1], end))
        return statistics.fmean(found) if found else math.nan

    def fresh(self, host, instant):
        """The share of a site's pages with a copy that was current."""
        return self.share(host, instant, lambda ends, k: instant)

    def sharp(self, host, instant):
        """The share of a site's pages that did not change between the looks around an instant."""
        return self.share(host, instant, lambda ends, k: ends[k] if k < len(ends) else None)


def compare(name, claims, truth):
    """Claims by host and the truth: their mean difference, and its standard error over hosts."""
    means = [(statistics.fmean(claim for _, claim in list_),
              statistics.fmean(truth(host, at) for at, _ in list_))
             for host, list_ in claims.items() if list_]
    off = [claim - true for claim, true in means]
    mean, error = statistics.fmean(off), statistics.stdev(off) / math.sqrt(len(off))
    print(f"# {name}: expected {statistics.fmean(m[0] for m in means):.4f},"
          f" true {statistics.fmean(m[1] for m in means):.4f}, off by {mean:.4f} ± {error:.4f}"
          f" at {len(off)} sites", flush=True)
    return mean, error


def running(times, lives, count):
    """So many instants at equal distances of the time in which there was a watch, in ms.

    times: of all requests. lives: of processes, from their start to their end.
    """
    spans = []
    for start, end in lives:
        first = bisect.bisect_left(times, start)
        if first < len(times) and times[first] < end:
            spans.append((times[first], end))
    instants, left = [], 0
    step = sum(end - start for start, end in spans) / count
    for start, end in spans:
        while left < end - start:
            instants.append((start + left) * 1000)
            left += step
        left -= end - start
    return instants


def within(claims, start, end):
    return {host: [c for c in list_ if start <= c[0] < end] for host, list_ in claims.items()}


def next_instant(ms):
    return math.ceil(ms / (1000 * GRID)) * 1000 * GRID


def report_at(ms):
    moment = living.datetime.datetime.fromtimestamp(ms / 1000, living.datetime.timezone.utc)
    return tap.load("report", ARCHIVE, "--at",
                    moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z")


if SCALE < 2:
    tap.skip("many sites for long", "it takes its time: STILLPOINT_TEST_SCALE=20")
    tap.done()
    raise SystemExit

SERVED = tap.path("served")
with living.Site("long", "--hosts", SITES, "--pages", PAGES, "--rates", RATES,
                 "--served", SERVED) as SITE:
    PORT = living.urllib.parse.urlsplit(SITE.url).port
    LINES = "".join(f"  - url: http://site{i + 1}.localhost:{PORT}/\n" +
                    ("" if i % 5 else f"    policy: sharp\n    grid: {GRID}\n")
                    for i in range(SITES))
    CONFIG = tap.write("long.yaml", f"archive: {ARCHIVE}\n"
                       f"budget: {{requests: {PER_SECOND * 86400}/day}}\n"
                       f"delay: 0\nsites:\n{LINES}")
    BEGAN, RANDOM, SIZES, LOOKED = time.time(), random.Random(3), [], set()
    PROCESS, LIVES, STARTED = start(), [], BEGAN
    WARM = BEGAN + WARM_UP * SECONDS
    time.sleep(max(0, WARM - time.time()))
    CLAIMS = Claims(BEGAN + 0.99 * SECONDS)
    CLAIMS.start()
    SIZES.append(memory(PROCESS))
    for k in sorted(RANDOM.uniform(0, KILLING * SECONDS) for _ in range(KILLS)):
        time.sleep(max(0, WARM + k - time.time()))
        PROCESS.kill()
        LIVES.append((STARTED, time.time()))
        LOOKED.update(acknowledged())
        PROCESS.communicate()
        PROCESS, STARTED = start(), time.time()
    STEADY = max(time.time(), BEGAN + (WARM_UP + KILLING) * SECONDS)
    CLAIMS.join()
    SIZES.append(memory(PROCESS))
    ENDED = time.time()
    LIVES.append((STARTED, ENDED))
    PROCESS.send_signal(signal.SIGTERM)
    OUTPUT = PROCESS.communicate(timeout=300)
    STATUS = tap.load("watch", "--status", ARCHIVE)

with tap.case("it ended well, and the archive is whole"):
    tap.equal((PROCESS.returncode, len(OUTPUT[1].splitlines())), (0, 2))  # its start and its end
    tap.succeed("verify", ARCHIVE, timeout=600)

with tap.case("no kill has lost a look"):
    KEPT = set(living.query(ARCHIVE, "SELECT capture, page, attempt, last_byte FROM observation"
                            " WHERE leg = 5"))
    assert LOOKED <= KEPT, LOOKED - KEPT
    print(f"# {KILLS} kills, {len(KEPT)} looks")

with tap.case("the budget is kept, and used"):
    with open(SERVED, encoding="utf-8") as file:
        ROWS = sorted((int(ms), host) for ms, _, host, _ in (line.split("\t", 3) for line in file))
    TIMES = [ms / 1000 for ms, _ in ROWS]
    ALL = len(TIMES) / (PER_SECOND * (ENDED - BEGAN))
    QUIET = sum(STEADY <= at < ENDED for at in TIMES) / (PER_SECOND * (ENDED - STEADY))
    print(f"# {len(TIMES)} requests, {ALL:.4f} of the budget; {QUIET:.4f} without kills")
    assert 0.99 < ALL < 1.01, ALL
    assert QUIET > 0.99, QUIET  # what accrued while it was dead may add to it

LOOKS = Looks(SITE.truth(), {host: ms for ms, host in reversed(ROWS)})
with tap.case("expected freshness agrees with the truth"):
    for name, span in (("all", (0, math.inf)), ("without kills", (STEADY * 1000, math.inf))):
        MEAN, ERROR = compare(f"freshness, {name}", within(CLAIMS.fresh, *span), LOOKS.fresh)
        assert abs(MEAN) < ROOM + 3 * ERROR, (MEAN, ERROR)

with tap.case("measured freshness agrees with the truth within its error"):
    INSTANTS, AUDITED = running(TIMES, LIVES, 400), []
    for site in STATUS["sites"]:
        if site["fresh_measured"] is not None:
            found = [LOOKS.fresh(host_of(site["url"]), at) for at in INSTANTS]
            AUDITED.append((site["fresh_measured"], site["fresh_error"],
                            statistics.fmean(share for share in found if not math.isnan(share))))
    MEASURED, TRUE = (statistics.fmean(row[i] for row in AUDITED) for i in (0, 2))
    ERROR = math.sqrt(sum(row[1] ** 2 for row in AUDITED)) / len(AUDITED)
    INSIDE = statistics.fmean(abs(row[0] - row[2]) < 2 * row[1] for row in AUDITED)
    print(f"# measured {MEASURED:.4f} ± {ERROR:.4f}, true {TRUE:.4f} at {len(AUDITED)} sites;"
          f" {INSIDE:.3f} of them within two errors")
    assert abs(MEASURED - TRUE) < 3 * ERROR, (MEASURED, TRUE, ERROR)
    assert INSIDE > 0.95 - 3 * math.sqrt(0.95 * 0.05 / len(AUDITED)), INSIDE

with tap.case("nothing is proven that was not, and what can be is"):
    POSSIBLE = PROVEN = 0
    SPAN = range(next_instant(WARM * 1000), round(ENDED * 1000), 1000 * GRID)
    for instant in random.Random(5).sample(SPAN, min(12, len(SPAN))):
        for page in report_at(instant)["pages"]:
            if page["state"] == "proven":
                span = [living.milliseconds(page[end]) for end in ("from", "to")]
                assert not LOOKS.truth.changed_within(page["url"], *span), page
                PROVEN += 1
        POSSIBLE += sum(LOOKS.sharp(host, instant) * len(urls)
                        for host, urls in LOOKS.hosts.items())
    print(f"# {PROVEN} pages proven, of {POSSIBLE:.0f} that did not change between looks")
    assert 0.99 * POSSIBLE < PROVEN < 1.01 * POSSIBLE, (PROVEN, POSSIBLE)

with tap.case("expected sharpness agrees with the truth"):
    # The looks behind the instants that are claimed must have come.
    END = (ENDED - GRID - 1.5 * PAGES * SITES / PER_SECOND) * 1000
    for name, span in (("all", (0, END)), ("without kills", (STEADY * 1000, END))):
        MEAN, ERROR = compare(f"sharpness, {name}", within(CLAIMS.sharp, *span),
                              lambda host, at: LOOKS.sharp(host, next_instant(at)))
        assert abs(MEAN) < ROOM + 3 * ERROR, (MEAN, ERROR)

with tap.case("memory is flat"):
    print(f"# {SIZES[0] / 1024:.1f} MB when warm, {SIZES[-1] / 1024:.1f} MB at the end")
    assert SIZES[-1] < 1.3 * SIZES[0] + 20 * 1024, SIZES

tap.done()
