#!/usr/bin/env python3
"""A second capture of a living site knows its pages from the first, and is sharper.

How sharp a capture is by its plan is computed from the true rates of the site and the times between
its looks: unlike the number of pages that happened not to change, that has no chance in it. Times
are shares of the capture's duration, so that a machine that becomes slower does not matter.
"""

import csv
import json
import math
import random
import statistics
import subprocess

import living
import tap

PAGES = 60
SITES = 4
HALF_HOT = [0, 1.5] * (PAGES // 2)  # changes per second
SPREAD = [0.02 * (5 / 0.02) ** (n / (PAGES - 1)) for n in range(PAGES)]
CAPTURES = 3
DURATION = 4.0  # seconds of a capture, for the rates below


def start(site, archive):
    return subprocess.Popen([tap.PROGRAM, "crawl", site.url, "-o", archive, "--delay", "15ms", "--json"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def finish(process):
    report = json.loads(process.communicate()[0])
    tap.equal(process.returncode, 0)
    return report


def capture_all(kind, sites):
    """All sites at once: mostly they wait. The reports."""
    running = [start(site, tap.path(f"{kind}{i}.stillpoint")) for i, site in enumerate(sites)]
    return [finish(process) for process in running]


def write_graph(name, rates, seed):
    """A tree of pages; which of them has which rate is drawn."""
    rates = random.Random(seed).sample(rates, PAGES)
    rows = [["page", "rate", "weight", "links"]]
    for n in range(PAGES):
        links = " ".join(f"p{k}" for k in range(5 * n + 1, min(5 * n + 6, PAGES)))
        rows.append([f"p{n}", rates[n], 1, links])
    with open(tap.path(name), "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return tap.path(name)


def lengths(report):
    """Seconds between the looks, by URL."""
    return {v["url"]: (living.milliseconds(v["revisit_start"]) - living.milliseconds(v["visit_end"])) / 1000
            for v in report["verdicts"] if v["revisit_start"]}


def planned(site, report):
    """Pages that stay the same, expected by their true rates."""
    known, spans = site.pages(), lengths(report)
    unit = DURATION / max(spans.values())
    return sum(math.exp(-float(known[url]["rate"]) * unit * span) for url, span in spans.items())


def truly_sharp(site, report):
    """Of the pages called sharp, those that the site did not change in between."""
    truth = site.truth()
    return sum(not truth.changed_within(v["url"], living.milliseconds(v["visit_end"]),
                                        living.milliseconds(v["revisit_start"]))
               for v in report["verdicts"] if v["verdict"] == "sharp")


def capture_often(kind, rates):
    """Sums over all sites, a number for each capture; and the reports."""
    sites = [living.Site(f"{kind}{i}", "--graph", write_graph(f"{kind}{i}.csv", rates, i), "--seed", i + 1)
             for i in range(SITES)]
    captures = [capture_all(kind, sites) for _ in range(CAPTURES)]
    sums = [[sum(measure(site, report) for site, report in zip(sites, reports)) for reports in captures]
            for measure in (truly_sharp, lambda _, report: report["sharp"],
                            lambda _, report: report["expected_sharp"], planned)]
    for site in sites:
        site.stop()
    print(f"# {kind}: sharp {sums[1]}, expected {sums[2]}, by true rates {sums[3]}")
    return *sums, captures


TRUE, SHARP, EXPECTED, PLANNED, REPORTS = capture_often("half-hot", HALF_HOT)

with tap.case("what is called sharp is"):
    tap.equal(TRUE, SHARP)

with tap.case("the second capture is visibly sharper than the first, and so is the third"):
    assert PLANNED[1] > 1.03 * PLANNED[0] and PLANNED[2] > 1.03 * PLANNED[0], PLANNED

with tap.case("it knows better what to expect"):
    off = [abs(expected - sharp) for expected, sharp in zip(EXPECTED, SHARP)]
    assert off[1] < off[0] and off[2] < off[0], off

with tap.case("the plan has the rates that the archive knows"):
    rows = {row["url"]: row for row in map(
        json.loads, tap.succeed("rates", tap.path("half-hot0.stillpoint"), "--json").splitlines())}
    rates = {v["url"]: v["rate"] for v in REPORTS[-1][0]["verdicts"]}
    hot = [rate for url, rate in rates.items() if rows[url]["changes"] >= 4]
    calm = [rate for url, rate in rates.items() if rows[url]["changes"] == 0]
    assert statistics.median(hot) > 3 * statistics.median(calm), (hot, calm)

if living.SCALE > 1:
    with tap.case("rates that are spread: what is called sharp is"):
        true, sharp, *_ = capture_often("spread", SPREAD)
        tap.equal(true, sharp)

tap.done()
