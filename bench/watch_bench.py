#!/usr/bin/env python3
"""watch_bench.py STILLPOINT [--seconds N] [--runs N] [SCENARIO…]: what a watch does with its budget.

Living sites under watch, each scenario with sites, policy and budget of its own. Held against the
truth of the sites:

  copied    the share of all pages with a copy, at the end, and when all of them had one
  looks     the correlation of the looks at each page with those of the optimum, which knows the
            rates; in brackets without first copies
  claimed   freshness that the status claimed, mean by part of the time, and the truth at the same
            instants; sharp_expected likewise
  failed    the share of requests that went to sites that do not answer
  spent     budget.spent of the status, against the requests that were served
"""

import argparse
import bisect
import csv
import json
import math
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

GRID = 10
PARTS = ((0, 10), (10, 30), (30, 60), (60, math.inf))  # seconds since the start


class Living:
    """A living site; its truth is complete when it was stopped."""

    def __init__(self, program, directory, name, options):
        self.name = name
        self.path = {what: os.path.join(directory, f"{name}.{what}") for what in ("truth", "rates", "served")}
        self.process = subprocess.Popen(
            [program + "-lab", "living-site", "--truth", self.path["truth"], "--write-rates",
             self.path["rates"], "--served", self.path["served"], *options],
            stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def stop(self):
        self.process.terminate()
        self.process.communicate()
        with open(self.path["rates"], encoding="utf-8", newline="") as file:
            self.rates = {path_of(row["url"]): float(row["rate"]) for row in csv.DictReader(file)}
        self.changes, self.looks, self.requests = {p: [] for p in self.rates}, {p: [] for p in self.rates}, 0
        seen = set()
        with open(self.path["truth"], encoding="utf-8") as file:
            for line in file:
                ms, _, path, _ = line.rstrip("\n").split("\t")
                if path in seen and path in self.changes:
                    self.changes[path].append(int(ms) / 1000)
                seen.add(path)
        with open(self.path["served"], encoding="utf-8") as file:
            for line in file:
                ms, _, _, path, status, *_ = line.split("\t")
                self.requests += 1
                if path in self.looks and status == "200":
                    self.looks[path].append(int(ms) / 1000)

    def steady(self, path, start, end):
        return bisect.bisect_right(self.changes[path], start) == bisect.bisect_right(self.changes[path], end)

    def fresh(self, at, known):
        """The share of pages that the watch knew whose copy is current."""
        current = 0
        for path, looks in self.looks.items():
            k = bisect.bisect_right(looks, at)
            current += k > 0 and self.steady(path, looks[k - 1], at)
        return current / max(known, 1)

    def sharp(self, at, known):
        proven = 0
        for looks, path in ((looks, path) for path, looks in self.looks.items()):
            k = bisect.bisect_right(looks, at)
            proven += 0 < k < len(looks) and self.steady(path, looks[k - 1], looks[k])
        return proven / max(known, 1)


class Dead:
    """A port whose connections are refused, cut, never answered, or answered by 503."""

    def __init__(self, how):
        self.how, self.asked, self.name = how, 0, how
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/"
        if how == "nameless":
            self.url = "http://nowhere.invalid/"
        if how in ("refused", "nameless"):
            return
        self.socket.listen(128)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        kept = []
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.asked += 1
            if self.how == "hangs":
                kept.append(connection)
                continue
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        with connection:
            while self.how == "503" and connection.recv(65536):
                connection.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
                self.asked += 1

    def stop(self):
        self.socket.close()


def path_of(url):
    parts = urllib.parse.urlsplit(url)
    return parts.path + ("?" + parts.query if parts.query else "")


def site(pages, rates, seed=1):
    return ["--pages", str(pages), "--rates", rates, "--seed", str(seed)]


MIXED = site(60, "lognormal:-3.5,1.5")
SCENARIOS = {
    # A cold site beside a hot one: who gets the budget.
    "cold-hot": {"sites": [site(401, "lognormal:-7,1"), site(13, "lognormal:-2,1", 2)], "budget": 8},
    "large-new": {"sites": [site(701, "lognormal:-6,1"), site(10, "constant:0.3", 2)], "budget": 16},
    "dead": {"sites": [MIXED, site(100, "lognormal:-5,1", 2)], "budget": 12,
             "dead": ["refused", "cut", "hangs", "503", "nameless"]},
    **{policy: {"sites": [MIXED, site(20, "lognormal:-2.5,1", 2)], "budget": 8, "policy": policy}
       for policy in ("fresh", "age", "harmonic", "hacs", "sharp", "proportional", "capture", "uniform")},
}


def correlation(x, y):
    if len(set(x)) < 2 or len(set(y)) < 2:
        return math.nan
    return statistics.correlation(x, y)


def fresh_demand(rate, margin):
    """Looks a second at which another one gains the margin: 1 - (1+r) e^-r = margin·rate, r = rate/f."""
    y = margin * rate
    if y >= 1:
        return 0
    low, high = 1e-9, 1e3
    for _ in range(80):
        middle = math.sqrt(low * high)
        if 1 - (1 + middle) * math.exp(-middle) < y:
            low = middle
        else:
            high = middle
    return rate / low


def age_demand(rate, margin):
    low, high = 1e-6, 1e6
    for _ in range(80):
        r = math.sqrt(low * high)
        slope = (r * r / 2 - 1 + (1 + r) * math.exp(-r)) / rate / rate if r > 1e-3 else r**3 / 3 / rate / rate
        low, high = (r, high) if slope < margin else (low, r)
    return rate / low


DEMANDS = {"fresh": fresh_demand, "age": age_demand, "uniform": lambda rate, margin: 1 / margin,
           "proportional": lambda rate, margin: rate / margin, "capture": lambda rate, margin: rate / margin,
           "harmonic": lambda rate, margin: 2 * rate / (margin * rate + math.sqrt((margin * rate) ** 2 + 4 * margin * rate)),
           "hacs": lambda rate, margin: rate / math.log(2)}


def optimum(rates, budget, demand):
    low, high = 1e-9, 1e9
    for _ in range(100):
        margin = math.sqrt(low * high)
        if sum(demand(rate, margin) for rate in rates if rate > 0) > budget:
            low = margin
        else:
            high = margin
    return [demand(rate, high) if rate > 0 else 0 for rate in rates]


class Run:
    def __init__(self, program, scenario, directory, seconds):
        self.program, self.scenario, self.directory = program, scenario, directory
        self.policy = scenario.get("policy", "fresh")
        self.living = [Living(program, directory, f"site{i}", options)
                       for i, options in enumerate(scenario["sites"])]
        self.dead = [Dead(how) for how in scenario.get("dead", [])]
        self.claims = []
        config = os.path.join(directory, "watch.yaml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f"archive: {directory}/archive\nbudget: {{requests: {scenario['budget']}/second}}\n"
                       f"policy: {self.policy}\ndelay: 0\n")
            if self.policy == "sharp":
                file.write(f"grid: {GRID}\n")
            file.write("sites:\n" + "".join(f"  - url: {s.url}\n" for s in self.living + self.dead))
        self.config, self.began = config, time.time()
        process = subprocess.Popen([program, "watch", config], stderr=subprocess.PIPE, text=True)
        self.wait(process, seconds)
        process.send_signal(signal.SIGTERM)
        self.said = process.communicate(timeout=60)[1]
        self.ended = time.time()
        self.status = self.read_status()
        for s in self.living + self.dead:
            s.stop()

    def read_status(self):
        done = subprocess.run([self.program, "watch", "--status", "--json", self.config],
                              capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def wait(self, process, seconds):
        path = os.path.join(self.directory, "archive", "watch.status")
        while time.time() < self.began + seconds:
            time.sleep(1)
            assert process.poll() is None, process.stderr.read()
            status = self.read_status()
            if status:
                self.claims.append((os.stat(path).st_mtime, status["sites"]))

    def copied(self):
        pages = sum(len(s.looks) for s in self.living)
        firsts = sorted(looks[0] for s in self.living for looks in s.looks.values() if looks)
        when = f"all after {firsts[-1] - self.began:.0f} s" if len(firsts) == pages else "not all"
        return f"{len(firsts)} of {pages}, {when}"

    def looks(self):
        if self.policy not in DEMANDS:
            return "-"
        pages = [(s.rates[p], len(looks)) for s in self.living for p, looks in s.looks.items()]
        wanted = optimum([rate for rate, _ in pages], self.scenario["budget"], DEMANDS[self.policy])
        got = [count for _, count in pages]
        return (f"{correlation(got, wanted):.2f} ({correlation([max(0, n - 1) for n in got], wanted):.2f})"
                f", shares {' '.join(str(s.requests) for s in self.living)}")

    def held(self, key, truth):
        """Claims against the truth, by part of the time: mean claim, mean truth, mean of claim - truth."""
        rows = []
        for start, end in PARTS:
            pairs = []
            for at, sites in self.claims:
                if not start <= at - self.began < end:
                    continue
                for s in self.living:
                    claim = next(row for row in sites if row["url"] == s.url)
                    true = truth(s, at, claim["pages"])
                    if claim[key] is not None and not math.isnan(true):
                        pairs.append((claim[key], true))
            if pairs:
                means = [statistics.fmean(p[i] for p in pairs) for i in (0, 1)]
                rows.append(f"{start}–{'' if end == math.inf else end} s: {means[0]:.2f}/{means[1]:.2f}")
        return ", ".join(rows) or "none"

    def next_sharp(self, s, at, known):
        instant = math.ceil(at / GRID) * GRID
        return s.sharp(instant, known) if instant < self.ended - GRID else math.nan

    def print(self, name):
        served = sum(s.requests for s in self.living)
        dead = sum(s.asked for s in self.dead)
        spent = self.status["budget"]["spent"]
        print(f"{name}: copied {self.copied()}\n  looks   {self.looks()}\n"
              f"  fresh   {self.held('fresh_expected', Living.fresh)}")
        for s in self.living:
            one = Run.__new__(Run)
            one.__dict__.update(self.__dict__, living=[s])
            print(f"          {s.name} {one.held('fresh_expected', Living.fresh)}")
        if self.policy == "sharp":
            print(f"  sharp   {self.held('sharp_expected', self.next_sharp)}")
        print(f"  spent   {spent}, served {served} by living sites, {spent / (self.ended - self.began) / self.scenario['budget']:.2f} of the budget")
        if self.dead:
            print(f"  dead    {100 * (spent - served) / max(spent, 1):.1f} % ({', '.join(f'{d.how} {d.asked}' for d in self.dead)})")
        sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description="what a watch does with its budget")
    parser.add_argument("program")
    parser.add_argument("scenario", nargs="*", choices=[*SCENARIOS, []])
    parser.add_argument("--seconds", type=float, default=90)
    options = parser.parse_args()
    for name in options.scenario or SCENARIOS:
        with tempfile.TemporaryDirectory() as directory:
            Run(os.path.abspath(options.program), SCENARIOS[name], directory, options.seconds).print(name)


if __name__ == "__main__":
    main()
