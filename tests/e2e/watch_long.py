#!/usr/bin/env python3
"""Many living sites under watch for long, killed at random: budget, claims and memory.

The sites' clocks run fast: their pages change every few seconds, so a minute here is a week of a
usual site. STILLPOINT_TEST_SCALE=20 is 200 sites, 100 kills and some 15 minutes.
"""

import bisect
import collections
import os
import random
import re
import signal
import statistics
import subprocess
import time

import living
import tap

SCALE = float(os.environ.get("STILLPOINT_TEST_SCALE", "1"))
SITES = max(3, round(10 * SCALE))
PAGES = 20
KILLS = max(2, round(5 * SCALE))
SECONDS = max(40, round(30 * SCALE))
PER_SECOND = min(5 * SITES, 100)
RATES = "lognormal:-3.5,1.2" if SCALE < 10 else "lognormal:-5,1.2"
ARCHIVE = tap.path("archive")
WARM_UP = 0.3  # part of the time in which the sites are found and their rates learned


def memory(process):
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


class Served:
    """Requests as the sites saw them: times in ms."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.times = [int(line.split("\t")[0]) for line in file]

    def between(self, start, end):
        return sum(start <= ms < end for ms in self.times)


def start():
    return subprocess.Popen([tap.PROGRAM, "watch", CONFIG], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def looks_by_page():
    """Ends of the usable looks of every URL, in ms."""
    looks = collections.defaultdict(list)
    rows = living.query(
        ARCHIVE, "SELECT p.url, o.last_byte FROM observation o"
        " JOIN page p ON p.id = (o.capture << 32 | o.page)"
        " WHERE o.leg = 5 AND o.status BETWEEN 200 AND 399 ORDER BY o.last_byte")
    for url, end in rows:
        looks[url].append(end / 1e6)
    return looks


def true_freshness(looks, truth, count=300):
    """By site: share of its pages whose last look is current, at instants at which audits were
    made: those say how fresh the archive was while the watch ran, not while it was dead."""
    audits = [row[0] / 1e6 for row in living.query(
        ARCHIVE, "SELECT sent FROM observation o JOIN word w ON o.purpose = w.id"
        " WHERE leg = 5 AND w.text = 'audit'")]
    instants = random.Random(7).choices(audits, k=count)
    sums = collections.defaultdict(list)
    for url, ends in looks.items():
        changes = [ms for ms, _ in truth.of(url)[1:]]
        for instant in instants:
            k = bisect.bisect_right(ends, instant)
            if k == 0:
                continue
            change = bisect.bisect_right(changes, instant)
            fresh = change == 0 or changes[change - 1] <= ends[k - 1]
            sums[living.urllib.parse.urlsplit(url).hostname].append(fresh)
    return {host: statistics.fmean(values) for host, values in sums.items()}


if SCALE < 2:
    tap.skip("many sites for long", "it takes its time: STILLPOINT_TEST_SCALE=20")
    tap.done()
    raise SystemExit

SERVED = tap.path("served")
with living.Site("long", "--hosts", SITES, "--pages", PAGES, "--rates", RATES,
                 "--served", SERVED) as SITE:
    PORT = living.urllib.parse.urlsplit(SITE.url).port
    LINES = "".join(f"  - url: http://site{i + 1}.localhost:{PORT}/\n" for i in range(SITES))
    CONFIG = tap.write("long.yaml", f"archive: {ARCHIVE}\n"
                       f"budget: {{requests: {PER_SECOND * 86400}/day}}\n"
                       f"delay: 0\nsites:\n{LINES}")
    BEGAN, RANDOM, SIZES = time.time(), random.Random(3), []
    PROCESS = start()
    WARM = BEGAN + WARM_UP * SECONDS
    time.sleep(max(0, WARM - time.time()))
    SIZES.append(memory(PROCESS))
    for _ in range(KILLS):
        time.sleep(RANDOM.uniform(0, 2 * (1 - WARM_UP) * SECONDS / KILLS))
        PROCESS.kill()
        PROCESS.communicate()
        PROCESS = start()
    while True:  # it has read the archive, and goes on
        try:
            before = os.stat(os.path.join(ARCHIVE, "watch.status")).st_mtime
        except OSError:
            before = 0
        if before > time.time() - 0.5 and PROCESS.poll() is None and before > BEGAN + SECONDS / 2:
            break
        time.sleep(0.1)
    STEADY = time.time()
    time.sleep(0.3 * SECONDS)
    SIZES.append(memory(PROCESS))
    ENDED = time.time()
    PROCESS.send_signal(signal.SIGTERM)
    OUTPUT = PROCESS.communicate(timeout=300)
    STATUS = tap.load("watch", "--status", ARCHIVE)

with tap.case("it ended well, and the archive is whole"):
    tap.equal((PROCESS.returncode, OUTPUT[1]), (0, ""))
    tap.succeed("verify", ARCHIVE, timeout=600)

with tap.case("the budget is kept"):
    REQUESTS = Served(SERVED)
    ALL = len(REQUESTS.times) / (PER_SECOND * (ENDED - BEGAN))
    QUIET = REQUESTS.between(STEADY * 1000 + 3000, ENDED * 1000) / (
        PER_SECOND * (ENDED - STEADY - 3))
    print(f"# {len(REQUESTS.times)} requests, {ALL:.3f} of the budget; {QUIET:.3f} without kills")
    assert ALL < 1.01, ALL
    assert 0.9 < QUIET < 1.05, QUIET

with tap.case("claimed freshness agrees with the truth"):
    LOOKS, TRUTH = looks_by_page(), SITE.truth()
    TRUE = true_freshness(LOOKS, TRUTH)
    AUDITED = [(site["fresh_measured"], site["fresh_error"],
                TRUE[living.urllib.parse.urlsplit(site["url"]).hostname])
               for site in STATUS["sites"] if site["fresh_measured"] is not None]
    EXPECTED = statistics.fmean(site["fresh_expected"] for site in STATUS["sites"])
    WEIGHTS = [1 / error ** 2 for _, error, _ in AUDITED]
    MEAN = statistics.fmean(TRUE.values())
    MEASURED = sum(w * m for w, (m, _, _) in zip(WEIGHTS, AUDITED)) / sum(WEIGHTS)
    TRUTHS = sum(w * t for w, (_, _, t) in zip(WEIGHTS, AUDITED)) / sum(WEIGHTS)
    ERROR = sum(WEIGHTS) ** -0.5
    print(f"# true {MEAN:.4f}, expected {EXPECTED:.4f}, measured {MEASURED:.4f} ± {ERROR:.4f} of"
          f" {TRUTHS:.4f} at {len(AUDITED)} sites")
    assert abs(MEASURED - TRUTHS) < 4 * ERROR, (MEASURED, TRUTHS, ERROR)
    assert abs(EXPECTED - MEAN) < 0.1, (EXPECTED, MEAN)

with tap.case("nothing is proven that was not"):
    CLAIMS = 0
    for instant in random.Random(5).sample(range(round(WARM * 1000), round(ENDED * 1000)), 6):
        moment = living.datetime.datetime.fromtimestamp(instant / 1000,
                                                        living.datetime.timezone.utc)
        answer = tap.load("report", ARCHIVE, "--at", moment.strftime("%Y-%m-%dT%H:%M:%S.") +
                          f"{instant % 1000:03d}Z")
        for page in answer["pages"]:
            if page["state"] == "proven":
                span = [living.milliseconds(page[end]) for end in ("from", "to")]
                assert not TRUTH.changed_within(page["url"], *span), page
                CLAIMS += 1
        print(f"# {answer['totals']['proven']} of {answer['totals']['pages']} proven")
    assert CLAIMS > 0

with tap.case("memory is flat"):
    print(f"# {SIZES[0] / 1024:.1f} MB when warm, {SIZES[-1] / 1024:.1f} MB at the end")
    assert SIZES[-1] < 1.3 * SIZES[0] + 20 * 1024, SIZES

tap.done()
