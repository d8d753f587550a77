#!/usr/bin/env python3
"""plan_live_bench.py STILLPOINT [servers|groups|again [SCALE [RUNS]]]: what plans gain on living sites.

servers: a capture of four hosts with pauses of 0.1, 0.3, 1 and 3 s (all times are divided by SCALE),
planned together, and with --plan-apart: one sequence for each host, all begun at once, and a barrier
that nobody plans. The bound is that of `stillpoint plan` for every host by itself.

groups: a capture of pages with requisites, planned as whole groups, and with --plan-apart.

again: a second capture of a site, told the pages of the first, only their number, or neither
(--earlier pages, size, off). The bound is that of `stillpoint plan`.

Rates are given, so that nothing but the plan differs. Each run has a site of its own, captured by
all at the same time.
"""

import csv
import datetime
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PROGRAM = sys.argv[1]
DELAYS = (0.1, 0.3, 1, 3)
PAGES = 50
CHANGES = 1.5  # of a page during the capture of the slowest host, on average
GROUP_CHANGES = 4  # of a page, during a capture of pages with requisites; of a requisite a quarter
REQUISITES = 4
AGAIN_PAGES = 100
AGAIN_CHANGES = 3  # of a page, during a second capture
LOCK = threading.Lock()
QUICK = ["--delay", "0", "--no-probes", "--no-sitemaps", "--traps", "off", "--dust", "off", "--json",
         "--contact", "https://example.org/"]


class Living:
    """A living site; its rates are in a file until the directory goes."""

    def __init__(self, directory, name, *options):
        self.rates = os.path.join(directory, name + ".rates")
        self.process = subprocess.Popen(
            [PROGRAM + "-lab", "living-site", "--write-rates", self.rates, *map(str, options)],
            stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def rows(self):
        with open(self.rates, encoding="utf-8", newline="") as file:
            return list(csv.reader(file))

    def stop(self):
        self.process.terminate()
        self.process.communicate()


class Server(ThreadingHTTPServer):
    """Answers with what a function makes of the path: text, or None."""

    def __init__(self, find):
        class Page(BaseHTTPRequestHandler):
            def do_GET(self):
                body = find(self.path)
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Type", "text/css" if self.path.endswith(".css") else "text/html")
                self.send_header("Content-Length", str(len(body or "")))
                self.end_headers()
                self.wfile.write((body or "").encode())

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Page)
        self.url = f"http://127.0.0.1:{self.server_port}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Composites:
    """A living site whose pages share requisites: half of them with about eight other pages."""

    def __init__(self, seed, mean):
        self.random, self.began = random.Random(seed), time.monotonic()
        self.needs = {f"/{page}": [f"/{page}-{part}.css" if self.random.random() < 0.5 else
                                   f"/shared-{self.random.randrange(PAGES * REQUISITES // 16)}.css"
                                   for part in range(REQUISITES)] for page in range(PAGES)}
        self.needs["/"] = self.needs.pop("/0")
        paths = list(self.needs) + sorted({part for parts in self.needs.values() for part in parts})
        heat = {path: self.random.lognormvariate(0, 1.5) * (1 if path in self.needs else 0.25) for path in paths}
        scale = mean * PAGES / sum(heat[path] for path in self.needs)
        self.rates = {path: heat[path] * scale for path in paths}
        self.changes = {path: [] for path in paths}

    def version(self, path):
        """Changes of the path so far; they are drawn when they are asked for."""
        now, list_ = time.monotonic() - self.began, self.changes[path]
        while not list_ or list_[-1] < now:
            list_.append((list_[-1] if list_ else 0) + self.random.expovariate(self.rates[path]))
        return len(list_)

    def find(self, path):
        with LOCK:
            if path not in self.rates:
                return None
            text = f"<p>Version {self.version(path)} of {path}.</p>"
        if path not in self.needs:
            return "/* %s */" % text
        number = int(path[1:] or 0)
        return text + "".join(f'<link rel="stylesheet" href="{part}">' for part in self.needs[path]) + "".join(
            f'<a href="/{child}">page</a>' for child in range(10 * number + 1, min(10 * number + 11, PAGES)))


def capture_all(url, directory, ways, *options):
    """The reports of captures at the same time, each in its own way: an archive and options."""
    archives = [os.path.join(directory, name) for name in ways]
    processes = [subprocess.Popen([PROGRAM, "crawl", url, "-o", archive, *QUICK, *options, *more],
                                  stdout=subprocess.PIPE)
                 for archive, more in zip(archives, ways.values())]
    for process in processes:
        process.communicate()
        assert process.returncode == 0, process.args
    return [json.loads(subprocess.run([PROGRAM, "report", archive, "--requisites", "--json"], check=True,
                                      stdout=subprocess.PIPE).stdout) for archive in archives]


def alive(row):
    """The probability that a page did not change between its two looks, by its true rate."""
    if not (row["visit_end"] and row["revisit_start"]):
        return 0
    times = [datetime.datetime.fromisoformat(row[key].replace("Z", "+00:00")).timestamp()
             for key in ("visit_end", "revisit_start")]
    return math.exp(-float(row["rate"] or 0) * (times[1] - times[0]))


def expected(report):
    """Pages and whole groups that were to be expected of the intervals that the capture gave them."""
    rows = report["verdicts"]
    return (sum(alive(row) for row in rows),
            sum(math.prod([alive(row)] + [alive(rows[part["page"]]) for part in row["requisites"]])
                for row in rows if row["composite"]))


def bound(site, delay):
    """What no schedule of its pages can expect, without the page that all sequences begin with."""
    plan = subprocess.run([PROGRAM, "plan", site.rates, "--delay", str(delay), "--json"], check=True,
                          stdout=subprocess.PIPE)
    return json.loads(plan.stdout)["upper_bound"]


APART = {"together": [], "apart": ["--plan-apart"]}


def servers(scale, seed, directory):
    mean = CHANGES / (2 * PAGES * DELAYS[-1] / scale)
    sites = [Living(directory, f"site{number}", "--pages", PAGES, "--robots-delay", delay / scale,
                    "--rates", "lognormal:0,1.5", "--mean-rate", mean, "--seed", seed + number)
             for number, delay in enumerate(DELAYS)]
    links = "".join(f'<a href="{site.url}">site</a>' for site in sites)
    hub = Server(lambda path: links if path == "/" else None)
    rates = os.path.join(directory, "rates.csv")
    with open(rates, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(sites[0].rows()[:1] + [row for site in sites for row in site.rows()[1:]])
    reports = capture_all(hub.url, directory, APART, "--rates", rates,
                           "--include", r"^http://127\.0\.0\.1:")
    limit = 1 + sum(bound(site, delay / scale) for site, delay in zip(sites, DELAYS))
    for site in sites:
        site.stop()
    hub.shutdown()
    return [report["sharp"] for report in reports] + [expected(report)[0] for report in reports] + [limit]


def groups(scale, seed, directory):
    delay = 1 / scale
    site = Composites(seed, GROUP_CHANGES * scale / (2 * PAGES * (1 + REQUISITES / 2)))
    server = Server(site.find)
    rates = os.path.join(directory, "rates.csv")
    with open(rates, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("url", "rate")] + [
            (server.url + path[1:], rate) for path, rate in site.rates.items()])
    reports = capture_all(server.url, directory, APART, "--rates", rates, "--delay", str(delay))
    server.shutdown()
    return [report["composites"]["sharp"] for report in reports] + [expected(report)[1] for report in reports]


def again(scale, seed, directory):
    delay = 1 / scale
    ways = {name: ["--earlier", name] for name in ("pages", "size", "off")}
    site = Living(directory, "site", "--pages", AGAIN_PAGES, "--rates", "lognormal:0,1.5", "--mean-rate",
                  AGAIN_CHANGES / (2 * AGAIN_PAGES * delay), "--seed", seed)
    capture_all(site.url, directory, {"pages": []}, "--rates", site.rates)
    for name in ("size", "off"):
        shutil.copytree(os.path.join(directory, "pages"), os.path.join(directory, name))
    reports = capture_all(site.url, directory, ways, "--rates", site.rates, "--delay", str(delay))
    limit = bound(site, delay)
    site.stop()
    return [report["sharp"] for report in reports] + [expected(report)[0] for report in reports] + [limit]


EXPERIMENTS = {
    "servers": (servers, 10, ("together", "apart", "expected", "apart", "bound")),
    "groups": (groups, 20, ("together", "apart", "expected", "apart")),
    "again": (again, 20, ("pages", "size", "off", "expected", "size", "off", "bound")),
}


def main():
    names = [sys.argv[2]] if len(sys.argv) > 2 else list(EXPERIMENTS)
    for name in names:
        experiment, scale, columns = EXPERIMENTS[name]
        scale = float(sys.argv[3]) if len(sys.argv) > 3 else scale
        runs = int(sys.argv[4]) if len(sys.argv) > 4 else 5
        print(f"{name}: pages proven sharp on {runs} living sites, times divided by {scale:g}")
        print("run  " + "  ".join(f"{column:>14}" for column in columns))
        rows = []
        for run in range(runs):
            with tempfile.TemporaryDirectory() as directory:
                rows.append(experiment(scale, 100 * run + 1, directory))
            print(f"{run + 1:>3}  " + "  ".join(f"{value:>14.1f}" for value in rows[-1]), flush=True)
        print("sum  " + "  ".join(f"{sum(column):>14.1f}" for column in zip(*rows)))


main()
