#!/usr/bin/env python3
"""crawl_bench PROGRAM [--pages N] [--rounds N] [--only NAME…] [--again N]: whole crawls of a static site.

Builds a site, serves it with nginx on loopback, and crawls it without delay with wget (with a
compressed WARC), wget2 (which writes none) and Stillpoint, several times in turn. Prints processor
time, speed and memory (medians of the rounds) and how they compare. docs/performance.md has the
figures and tells what they are made of. With --again the unchanged site is captured so many times
into one archive instead, and what each capture stores is printed (docs/traps.md).
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

WORDS = (
    "the of and to in is that for it as was with be by on not he his but at are this have from or "
    "had an they which one you were her all she there would their we him been has when who will no "
    "more if out so said what up its about into than them can only other new some could time these "
    "two may then do first any my now such like our over man me even most made after also did many "
    "before must through back years where much your way well down should because each just those "
    "people mister how too little state good very make world still own see men work long get here "
    "archive library capture revisit page website instant change coherence schedule evidence stone "
    "harbour window letter garden mountain station bridge market council review edition chapter"
).split()
LINKS = 30
PARAGRAPHS = 18
SITES = 8  # of the rows with lanes; together they have as many pages as the one of the others


def paragraph(rng):
    words = rng.choices(WORDS, k=70)
    return "<p>" + " ".join(words).capitalize() + ".</p>\n"


def write_site(root, pages):
    """Pages of about 10 KB with about 30 links; each reachable within a few steps."""
    rng = random.Random(20000)
    stock = [paragraph(rng) for _ in range(4000)]
    for i in range(pages):
        targets = [2 * i + 1, 2 * i + 2] + [rng.randrange(pages) for _ in range(LINKS - 2)]
        links = [
            f'<li><a href="{link_to(t)}" title="{t:x}">{" ".join(rng.choices(WORDS, k=3))}</a></li>\n'
            for t in targets
            if t < pages
        ]
        body = "".join(rng.choices(stock, k=PARAGRAPHS))
        path = root / link_to(i)[1:]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<title>Page {i}</title>\n"
            f"</head>\n<body>\n<h1>Page {i}</h1>\n<ul class=nav>\n{''.join(links)}</ul>\n{body}"
            f"<footer>{rng.getrandbits(256):064x}</footer>\n</body>\n</html>\n",
            encoding="ascii",
        )


def link_to(i):
    return f"/s{i % 97}/page-{i}.html"


class Nginx:
    """One worker that serves a site at 127.0.0.1, and small ones at that address and the next."""

    def __init__(self, directory, root, small):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        config = directory / "nginx.conf"
        temp = "".join(
            f"{kind}_temp_path {directory}/{kind};\n"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        user = "user root;\n" if os.getuid() == 0 else ""
        config.write_text(
            f"{user}worker_processes 1;\ndaemon off;\npid {directory}/pid;\nerror_log {directory}/error.log;\n"
            f"events {{ worker_connections 1024; }}\nhttp {{\n{temp}access_log off;\nsendfile on;\n"
            "tcp_nopush on;\nkeepalive_requests 1000000;\n"
            f"types {{ text/html html; }}\nserver {{ listen 127.0.0.1:{self.port} backlog=1024;\n"
            f"root {root};\n}}\n{self.small_sites(small)}}}\n"
        )
        self.process = subprocess.Popen(
            ["nginx", "-e", f"{directory}/error.log", "-c", config], stderr=subprocess.DEVNULL
        )
        self.wait()

    def small_sites(self, root):
        listen = "".join(f"listen 127.0.0.{10 + i}:{self.port};\n" for i in range(SITES))
        return f"server {{ {listen}root {root};\n}}\n"

    def url(self):
        return f"http://127.0.0.1:{self.port}{link_to(0)}"

    def small_urls(self):
        return [f"http://127.0.0.{10 + i}:{self.port}{link_to(0)}" for i in range(SITES)]

    def wait(self):
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.02)
        sys.exit("crawl_bench: nginx does not start")

    def stop(self):
        self.process.terminate()
        self.process.wait()


def run(command, directory):
    """Wall seconds, processor seconds and kilobytes of a command."""
    begin = time.monotonic()
    with open(directory / "stdout", "wb") as out, open(directory / "stderr", "wb") as err:
        process = subprocess.Popen(command, cwd=directory, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begin
    return process.returncode, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def files_below(directory):
    return sum(len(names) for _, _, names in os.walk(directory))


def bytes_of(directory, pattern):
    return sum(p.stat().st_size for p in directory.glob(pattern))


class Wget:
    name = "wget"
    says = "wget -r --warc-file (gzip)"

    def command(self, server):
        return ["wget", "-q", "-r", "-l", "inf", "-e", "robots=off", "-P", "files",
                "--warc-file", "site", server.url()]  # fmt: skip

    def pages(self, directory):
        return files_below(directory / "files")

    def bytes(self, directory):
        return bytes_of(directory, "site*.warc.gz")


class Wget2:
    name = "wget2"
    says = "wget2 -r (no WARC)"

    def command(self, server):
        return ["wget2", "-q", "-r", "-l", "inf", "--robots=off", "--max-threads=16", "-P", "files",
                server.url()]  # fmt: skip

    def pages(self, directory):
        return files_below(directory / "files")

    def bytes(self, directory):
        return 0


class Stillpoint:
    def __init__(self, program, name, says, *options):
        self.program, self.name, self.says, self.options = program, name, says, options

    def seeds(self, server):
        return [server.url()]

    def command(self, server):
        return [self.program, "crawl", *self.seeds(server), "-o", "archive", "--delay", "0",
                "--jobs", "16", *self.options]  # fmt: skip

    def pages(self, directory):
        catalog = sqlite3.connect(directory / "archive/catalog.sqlite")
        visits = catalog.execute(
            "SELECT count(*) FROM observation WHERE leg = 0 AND status = 200"
        ).fetchone()[0]
        catalog.close()
        return visits

    def bytes(self, directory):
        return bytes_of(directory, "archive/warc/*")


class ManySites(Stillpoint):
    def seeds(self, server):
        return server.small_urls()


def measure(runner, server, pages, work):
    """One crawl in a directory of its own."""
    with tempfile.TemporaryDirectory(dir=work) as name:
        directory = pathlib.Path(name)
        code, wall, cpu, peak = run(runner.command(server), directory)
        if code != 0:
            text = (directory / "stderr").read_text(errors="replace")[-400:]
            sys.exit(f"crawl_bench: {runner.name}: exit code {code}: {text}")
        got = runner.pages(directory)
        if got != pages:
            sys.exit(f"crawl_bench: {runner.name} has {got} pages of {pages}")
        return {"wall": wall, "cpu": cpu, "peak": peak / 1024, "bytes": runner.bytes(directory)}


def median(results, key):
    return statistics.median(r[key] for r in results)


def print_table(runners, results, pages):
    print(f"{'':31} {'CPU/page':>9} {'pages/s':>8} {'wall':>7} {'peak':>7} {'WARC':>8}")
    for runner in runners:
        r = results[runner.name]
        print(
            f"{runner.says:31} {1e6 * median(r, 'cpu') / pages:6.0f} µs "
            f"{pages / median(r, 'wall'):8.0f} {median(r, 'wall'):5.1f} s "
            f"{median(r, 'peak'):4.0f} MB {median(r, 'bytes') / 1e6:5.1f} MB"
        )


def ratio(results, one, other, key):
    """Median of the ratios within each round: what slows the machine down slows both."""
    pairs = zip(results[one], results[other])
    return statistics.median(a[key] / b[key] for a, b in pairs)


def print_ratios(results):
    wanted = [
        ("CPU per page / wget", "single", "wget", "cpu", "at most 0.25"),
        ("CPU per page / wget2", "single", "wget2", "cpu", "at most 1.25"),
        ("time of wget / ours", "wget", "single", "wall", "at least 5"),
        ("zstd: CPU / gzip", "zstd", "single", "cpu", ""),
        ("zstd: bytes / gzip", "zstd", "single", "bytes", ""),
        ("visit–revisit: CPU / single", "pair", "single", "cpu", ""),
        ("visit–revisit: time / single", "pair", "single", "wall", ""),
        ("visit–revisit: bytes / single", "pair", "single", "bytes", ""),
        ("compact evidence: bytes / single", "compact", "single", "bytes", "at most 1.03"),
        ("compact evidence: CPU / records", "compact", "pair", "cpu", ""),
        ("traps: CPU / without", "single", "no traps", "cpu", ""),
        ("8 sites, 2 lanes: time / 1 lane", "two lanes", "one lane", "wall", ""),
    ]
    print()
    for text, one, other, key, aim in wanted:
        if one in results and other in results:
            value = ratio(results, one, other, key)
            print(f"{text:34} {value:6.3f}  {aim}")


def print_looks(results, pages):
    """What a revisit adds to the archive, beyond a capture of visits alone."""
    for name, text, aim in (("pair", "records", "at most 750"), ("compact", "compact", "at most 150")):
        if name in results and "single" in results:
            more = [(a["bytes"] - b["bytes"]) / pages for a, b in zip(results[name], results["single"])]
            print(f"bytes of a revisit, {text:14} {statistics.median(more):6.0f}  {aim}")


def has_option(program, option):
    text = subprocess.run([program, "crawl", "--help"], capture_output=True, text=True, check=True)
    return option in text.stdout


def make_runners(program):
    runners = [
        Wget(),
        Wget2(),
        Stillpoint(program, "single", "stillpoint --single (gzip)", "--single"),
        Stillpoint(program, "pair", "stillpoint, visit–revisit"),
    ]
    if has_option(program, "--evidence"):
        runners.append(
            Stillpoint(program, "compact", "the same, --evidence compact", "--evidence", "compact")
        )
    if has_option(program, "--warc-compression"):
        runners.append(
            Stillpoint(program, "zstd", "stillpoint --single (zstd)", "--single",
                       "--warc-compression", "zstd")  # fmt: skip
        )
    if has_option(program, "--traps"):
        runners.append(
            Stillpoint(program, "no traps", "stillpoint --single --traps off", "--single", "--traps",
                       "off")  # fmt: skip
        )
    if has_option(program, "--lanes"):
        for count, name in ((1, "one lane"), (2, "two lanes")):
            runners.append(
                ManySites(program, name, f"stillpoint, 8 sites, {name}", "--single", "--lanes",
                          str(count))  # fmt: skip
            )
    return runners


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", help="the stillpoint to measure")
    parser.add_argument("--pages", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", help="wget, wget2, single, pair, compact, zstd, no traps, one lane, two lanes")
    parser.add_argument("--again", type=int, metavar="N", help="captures of one archive")
    return parser.parse_args()


KINDS = ("response", "revisit", "request", "metadata")


def bytes_by_kind(program, files):
    """Bytes of all records of WARC files, by their type."""
    sizes = collections.Counter()
    for file in files:
        text = subprocess.run([program, "inspect", "warc", file], capture_output=True, text=True, check=True)
        for line in text.stdout.splitlines():
            record = json.loads(line)
            sizes[record["type"]] += record["length"]
    return sizes


def capture_again(program, server, args, work):
    """The same site, several times into one archive: what each capture adds to it."""
    runner = Stillpoint(program, "again", "")
    seen = set()
    first = None
    print(f"{'capture':7} {'CPU/page':>9} {'/ first':>7}", *(f"{kind:>10}" for kind in KINDS),
          f"{'all':>10}")  # fmt: skip
    for number in range(1, args.again + 1):
        code, _, cpu, _ = run(runner.command(server), work)
        files = set((work / "archive/warc").iterdir())
        if code != 0 or runner.pages(work) != number * args.pages:
            sys.exit(f"crawl_bench: capture {number}: exit code {code}, {runner.pages(work)} pages")
        sizes = bytes_by_kind(program, files - seen)
        seen |= files
        first = first or cpu
        print(f"{number:7} {1e6 * cpu / args.pages:6.0f} µs {cpu / first:7.2f}",
              *(f"{sizes[kind]:10}" for kind in KINDS), f"{sizes.total():10}")  # fmt: skip


def main():
    args = parse_arguments()
    for tool in ("nginx", "wget", "wget2"):
        if args.only and tool != "nginx" and tool not in args.only:
            continue
        if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin"):
            print(f"crawl_bench: {tool} is not installed; see tools/packages")
            return
    os.environ["PATH"] += ":/usr/sbin"
    program = os.path.abspath(args.program)
    runners = [r for r in make_runners(program) if not args.only or r.name in args.only]
    with tempfile.TemporaryDirectory(prefix="crawl_bench.") as name:
        work = pathlib.Path(name)
        write_site(work / "site", args.pages)
        write_site(work / "small", args.pages // SITES)
        size = bytes_of(work, "site/*/*")
        what = f"{args.again} captures" if args.again else f"{args.rounds} rounds"
        print(f"{args.pages} pages, {size / args.pages / 1000:.1f} kB each, {what}")
        server = Nginx(work, work / "site", work / "small")
        results = {r.name: [] for r in runners}
        try:
            if args.again:
                capture_again(program, server, args, work)
                return
            for _ in range(args.rounds):
                for runner in runners:
                    results[runner.name].append(measure(runner, server, args.pages, work))
        finally:
            server.stop()
    print_table(runners, results, args.pages)
    print_ratios(results)
    print_looks(results, args.pages)


if __name__ == "__main__":
    main()
