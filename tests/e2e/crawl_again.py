#!/usr/bin/env python3
"""A second capture of a living site knows its pages and their rates from the first, and is sharper.

How sharp a capture is by its plan is computed from the true rates of the site and the times between
its looks: unlike the number of pages that happened not to change, that has no chance in it. It is
compared with what the same times would give if they were dealt out to the pages at random, so that
it does not matter how fast the machine is.
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


def start(site, archive, told):
    return subprocess.Popen([tap.PROGRAM, "crawl", site.url, "-o", archive, "--delay", "15ms", "--json",
                             *(["--rates", site.rates_path] if told else [])],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def finish(process):
    report = json.loads(process.communicate()[0])
    tap.equal(process.returncode, 0)
    return report


def capture_all(kind, sites, told=False):
    """All sites at once: mostly they wait. The reports."""
    running = [start(site, tap.path(f"{kind}{i}.stillpoint"), told) for i, site in enumerate(sites)]
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


def true_rates(site, report):
    known = site.pages()
    return {url: float(known[url]["rate"]) for url in lengths(report)}


def planned(site, report):
    """Pages that stay the same, expected by their true rates."""
    rates = true_rates(site, report)
    return sum(math.exp(-rates[url] * span) for url, span in lengths(report).items())


def blind(site, report):
    """The same if any page could have any of these lengths."""
    spans = lengths(report).values()
    return sum(math.exp(-rate * span) for rate in true_rates(site, report).values() for span in spans) / len(spans)


def truly_sharp(site, report):
    """Of the pages called sharp, those that the site did not change in between."""
    truth = site.truth()
    return sum(not truth.changed_within(v["url"], living.milliseconds(v["visit_end"]),
                                        living.milliseconds(v["revisit_start"]))
               for v in report["verdicts"] if v["verdict"] == "sharp")


def expected(_, report):
    """NAN: a first capture knows no rates, and claims nothing."""
    claim = report["expected_sharp"]
    return math.nan if claim is None else claim


def capture_often(kind, rates):
    """Sums over all sites, a number for each capture; and the reports. At a larger scale one more
    capture, last, is told the true rates: nothing can be sharper by its plan."""
    sites = [living.Site(f"{kind}{i}", "--graph", write_graph(f"{kind}{i}.csv", rates, i), "--seed", i + 1)
             for i in range(SITES)]
    captures = [capture_all(kind, sites) for _ in range(CAPTURES)]
    if living.SCALE > 1:
        captures.append(capture_all(kind, sites, told=True))
    sums = [[sum(measure(site, report) for site, report in zip(sites, reports)) for reports in captures]
            for measure in (truly_sharp, lambda _, report: report["sharp"],
                            expected, planned, blind)]
    for site in sites:
        site.stop()
    print(f"# {kind}: sharp {sums[1]}, expected {sums[2]}, by true rates {sums[3]}, blind {sums[4]}")
    return *sums, captures


def gains(planned_sums, blind_sums):
    """Of the captures over the first, as shares."""
    shares = [plan / chance for plan, chance in zip(planned_sums, blind_sums)]
    return [share / shares[0] for share in shares]


TRUE, SHARP, EXPECTED, PLANNED, BLIND, REPORTS = capture_often("half-hot", HALF_HOT)

with tap.case("what is called sharp is"):
    tap.equal(TRUE, SHARP)

with tap.case("the second capture is visibly sharper than the first, and so is the third"):
    gain = gains(PLANNED, BLIND)
    assert min(gain[1:]) > 1.03, gain

with tap.case("it knows better what to expect"):
    tap.equal({report["expected_sharp"] for report in REPORTS[0]}, {None})
    # As if all pages stayed as they are.
    naive = sum(report["captured"] for report in REPORTS[0]) - SHARP[0]
    off = [abs(claim - sharp) for claim, sharp in zip(EXPECTED, SHARP)]
    assert off[1] < naive and off[2] < naive, (off, naive)

with tap.case("the plan has the rates that the archive knows"):
    rows = {row["url"]: row for row in map(
        json.loads, tap.succeed("rates", tap.path("half-hot0.stillpoint"), "--json").splitlines())}
    rates = {v["url"]: v["rate"] for v in REPORTS[CAPTURES - 1][0]["verdicts"]}
    hot = [rate for url, rate in rates.items() if rows[url]["changes"] >= 4]
    calm = [rate for url, rate in rates.items() if rows[url]["changes"] == 0]
    assert statistics.median(hot) > 3 * statistics.median(calm), (hot, calm)

if living.SCALE > 1:
    TRUE, SHARP, _, PLANNED, BLIND, _ = capture_often("spread", SPREAD)

    with tap.case("rates that are spread: what is called sharp is"):
        tap.equal(TRUE, SHARP)

    with tap.case("rates that are spread: the third capture is sharper than the first"):
        assert gains(PLANNED, BLIND)[2] > 1.01, (PLANNED, BLIND)

tap.done()
