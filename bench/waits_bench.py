#!/usr/bin/env python3
"""waits_bench PROGRAM LAB [--pages N…] [--keep DIR]: what commands cost as an archive grows.

Captures a living site that does not change, of each size, without delay, and then runs what users
run on the archive. Prints processor seconds and peak memory of each command, one row for each, and
one column for each size; last, how the cost of a page grew from the first size to the last. The
figures are in docs/scale.md. Counts and ratios are meant: on a busy machine all times are larger.
"""

import argparse
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


class Site:
    """A living site whose pages stay as they are."""

    def __init__(self, lab, pages, *options):
        self.process = subprocess.Popen(
            [lab, "living-site", "--pages", str(pages), "--rates", "constant:0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.url = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def run(command, output=os.devnull, want=0):
    """Processor seconds and peak bytes of a command."""
    with open(output, "wb") as out:
        process = subprocess.Popen([str(c) for c in command], stdout=out, stderr=out)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != want:
        print(f"waits_bench: {' '.join(map(str, command))}: exit {process.returncode}", file=sys.stderr)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def bytes_of(directory, pattern="*"):
    return sum(p.stat().st_size for p in directory.rglob(pattern) if p.is_file())


def crawl(program, url, archive, *options):
    return run([program, "crawl", url, "-o", archive, "--delay", "0", "--jobs", "16", "--quiet", *options])


def measure(args, pages, directory):
    """Rows of one size: name → (seconds, bytes)."""
    rows = {}
    archive = directory / "archive"
    with Site(args.lab, pages) as site:
        rows["crawl --single"] = crawl(args.program, site.url, archive, "--single")
        url = f"{site.url}{'' if site.url.endswith('/') else '/'}"
    rows["catalog on disk"] = (0, bytes_of(archive, "catalog*"))
    rows["index on disk"] = (0, bytes_of(archive, "*.cdxj*"))
    run([args.program, "report", archive, "--csv"], directory / "pages.csv")
    with open(directory / "pages.csv", encoding="utf-8") as rows_of_pages:
        page = next(itertools.islice(rows_of_pages, pages // 2, None)).split(",")[0]
    rows["report --why"] = run([args.program, "report", archive, "--why", page])
    rows["report --why, unknown URL"] = run([args.program, "report", archive, "--why", url + "no/such"], want=1)
    rows["report"] = run([args.program, "report", archive])
    rows["report --json"] = run([args.program, "report", archive, "--json"])
    rows["report --html"] = run([args.program, "report", archive, "--html", directory / "page.html"])
    with Site(args.lab, 100, "--seed", "7") as site:
        rows["100 pages into an empty archive"] = crawl(args.program, site.url, directory / "small")
        other = site.url.replace("127.0.0.1", "localhost")
        rows["100 pages into this one"] = crawl(args.program, other, archive)
    rows["index --text"] = run([args.program, "index", "--text", archive])
    rows["search"] = run([args.program, "search", archive, "page"])
    rows["export --wacz"] = run([args.program, "export", archive, "--wacz", directory / "a.wacz"])
    rows["verify"] = run([args.program, "verify", archive])
    rows["rebuild"] = run([args.program, "rebuild", archive])
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("lab")
    parser.add_argument("--pages", type=int, nargs="+", default=[2000, 20000])
    parser.add_argument("--keep", type=pathlib.Path)
    args = parser.parse_args()
    table = []
    for pages in args.pages:
        directory = pathlib.Path(tempfile.mkdtemp(prefix="waits-", dir=args.keep))
        table.append(measure(args, pages, directory))
        if not args.keep:
            shutil.rmtree(directory)
    print(f"{'processor seconds, peak MB':34}" + "".join(f"{n:>18,}" for n in args.pages) + "    growth")
    for name in table[0]:
        first, last = table[0][name], table[-1][name]
        cells = "".join(f"{s:11.2f} s {b / 1e6:5.0f}" for s, b in (t[name] for t in table))
        growth = f"{last[0] / first[0]:9.2f} ×" if first[0] else f"{last[1] / max(first[1], 1):9.2f} ×"
        print(f"{name:34}{cells}{growth}")


if __name__ == "__main__":
    main()
