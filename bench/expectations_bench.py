#!/usr/bin/env python3
"""expectations_bench.py STILLPOINT [--sites N] [--jobs N]: what captures expect, and what they prove.

Living sites of several kinds are captured five times each. Of the first, the second and the fifth
capture, `expected_sharp` of the report is held against the pages that were found unchanged: the
mean difference over all sites, and its standard error. A capture that knows no rates claims
nothing; its `expected_range` must contain what was found.
"""

import argparse
import concurrent.futures
import json
import math
import os
import statistics
import subprocess
import tempfile

CAPTURES = 5
TOLD = 1, 2, 5
KINDS = {
    "calm": ("--rates", "lognormal:-6,1"),
    "mixed": ("--rates", "lognormal:-3.5,1.5"),
    "fast": ("--rates", "lognormal:-1.5,1"),
    "zipf": ("--rates", "zipf:1", "--mean-rate", "0.05"),
}


def capture(program, kind, seed, pages):
    """Of one site: by number of the capture its report."""
    found = {}
    with tempfile.TemporaryDirectory() as directory:
        site = subprocess.Popen([program + "-lab", "living-site", "--pages", str(pages), "--seed", str(seed),
                                 *KINDS[kind]], stdout=subprocess.PIPE, text=True)
        url, archive = site.stdout.readline().strip(), os.path.join(directory, "archive")
        try:
            for number in range(1, CAPTURES + 1):
                subprocess.run([program, "crawl", url, "-o", archive, "--delay", "30ms", "--quiet"], check=True,
                               capture_output=True)
                if number in TOLD:
                    done = subprocess.run([program, "report", archive, "--json", "--capture", str(number)],
                                          check=True, capture_output=True, text=True)
                    found[number] = json.loads(done.stdout)
        finally:
            site.terminate()
            site.communicate()
    return kind, found


def unchanged(report):
    return report["sharp"] + report["totals"].get("absent", 0)


def describe(reports):
    claims = [(r["expected_sharp"], unchanged(r)) for r in reports if r["expected_sharp"] is not None]
    silent = [r for r in reports if r["expected_sharp"] is None]
    text = f"{len(silent)} claim nothing" if silent else ""
    if silent:
        inside = sum(r["expected_range"]["low"] <= unchanged(r) <= r["expected_range"]["high"] for r in silent)
        text += f" ({inside} of {len(silent)} within their range)"
    if len(claims) > 1:
        off = [claim - true for claim, true in claims]
        error = statistics.stdev(off) / math.sqrt(len(off))
        text += (f"{', ' if text else ''}expected {statistics.fmean(c for c, _ in claims):.2f}, found"
                 f" {statistics.fmean(t for _, t in claims):.2f}, off by {statistics.fmean(off):+.2f} ± {error:.2f}"
                 f" ({statistics.fmean(off) / error if error else 0:+.1f} errors)")
    return text


def main():
    parser = argparse.ArgumentParser(description="what captures expect, and what they prove")
    parser.add_argument("program")
    parser.add_argument("--sites", type=int, default=50, help="of all kinds together")
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=4)
    options = parser.parse_args()
    program, kinds = os.path.abspath(options.program), list(KINDS)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(lambda i: capture(program, kinds[i % len(kinds)], i + 1, options.pages),
                             range(options.sites)))
    for number in TOLD:
        print(f"capture {number}, {len(done)} sites: {describe([found[number] for _, found in done])}")
        for kind in kinds:
            print(f"  {kind:6} {describe([found[number] for of, found in done if of == kind])}")


if __name__ == "__main__":
    main()
