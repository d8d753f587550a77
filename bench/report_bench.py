#!/usr/bin/env python3
"""report_bench PROGRAM MAKER [--pages N]: `stillpoint report --html` of a capture with many pages.

MAKER (report_archive.c) writes the catalog. Prints the processor time of the command, the size of the
page, and, if there is Chromium, when the page shows its first screen, when its table can be used, and
how long its script takes to draw the figures, each the median of several openings, beside what the
issue of the report asks for.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile

LIMITS = {"processor time, s": 3.0, "size, MB": 20.0, "first screen, s": 1.0,
          "drawing of the intervals, ms": 100.0}


def measure(command):
    """Seconds of processor time."""
    before = os.times()
    subprocess.run(command, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def show(name, value):
    limit = LIMITS.get(name)
    verdict = "" if limit is None else f"  at most {limit:g}: {'yes' if value <= limit else 'NO'}"
    print(f"{name:34} {value:9.2f}{verdict}", flush=True)


def browse(page):
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    chromium = shutil.which("chromium")
    if not (chromium and shutil.which("npm")):
        print("there is no chromium, or no npm")
        return
    modules = subprocess.run([f"{source}/tools/install-npm"], text=True, stdout=subprocess.PIPE,
                             check=True).stdout.strip()
    done = subprocess.run(["node", f"{source}/bench/report_bench.mjs", modules, chromium, page],
                          text=True, stdout=subprocess.PIPE, check=True)
    seen = json.loads(done.stdout)
    for name in seen[0]:
        show(name, statistics.median(each[name] for each in seen))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("maker")
    parser.add_argument("--pages", type=int, default=100_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        archive, page = os.path.join(directory, "archive"), os.path.join(directory, "report.html")
        subprocess.run([arguments.maker, archive, str(arguments.pages)], check=True)
        print(f"report --html of {arguments.pages:,} pages")
        show("processor time, s", measure([arguments.program, "report", archive, "--html", page]))
        show("size, MB", os.path.getsize(page) / 1e6)
        browse(page)


main()
