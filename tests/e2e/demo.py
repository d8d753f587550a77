#!/usr/bin/env python3
"""stillpoint-lab demo: a small shop, quickly; every archive it leaves is finished, sound and honest."""

import os
import re
import signal
import subprocess

import tap

STRATEGIES = ["bfs-fifo", "bfs-lifo", "sharc-selective", "stillpoint"]
DIR = tap.path("archives")

run = tap.run("demo", "--pages", "40", "--delay", "10ms", "--seed", "2", "--output", DIR)
lines = run.stdout.splitlines()

with tap.case("ends well"):
    tap.equal((run.returncode, run.stderr), (0, ""))

with tap.case("every strategy has its row, and no claim is false"):
    rows = [re.match(r"  (\S+) +(\d+) +(\d+) +(\d+) +([0-9.]+)  .* of (\d+) pages$", line) for line in lines]
    rows = {row[1]: [float(value) for value in row.groups()[1:]] for row in rows if row}
    tap.equal(list(rows), STRATEGIES)
    for claimed, true, false, expected, pages in rows.values():
        tap.equal((false, pages), (0, 40))
        assert 0 < claimed <= true <= 40 and 0 < expected <= 40, (claimed, true, expected)

with tap.case("shows the pair of every archive"):
    pairs = [line for line in lines if "price list: edition" in line]
    tap.equal([line.split()[0] for line in pairs], STRATEGIES)

with tap.case("a bit that was turned is noticed, with the page's name"):
    start = next(i for i, line in enumerate(lines) if line.startswith("One bit of "))
    assert any("/prices: " in line for line in lines[start:]), lines[start:]

with tap.case("writes a report for a browser, and names it"):
    page = os.path.join(DIR, "report.html")
    assert any(line.endswith(page) for line in lines), lines
    with open(page, encoding="utf-8") as file:
        assert " captured pages are sharp (" in file.read()

with tap.case("ends with the way to look at the archives"):
    assert "http://127.0.0.1:8080/" in lines[-1], lines[-1]
    assert lines[-1].endswith(f"stillpoint serve {DIR}/*.stillpoint"), lines[-1]

for name in STRATEGIES:
    with tap.case(f"{name}: the archive is finished and sound"):
        archive = os.path.join(DIR, name + ".stillpoint")
        verified = tap.run("verify", archive)
        tap.equal(verified.returncode, 0)
        assert "finished" in tap.run("resume", archive).stderr

with tap.case("a directory that is there is left alone"):
    again = tap.run("demo", "--output", DIR)
    tap.equal((again.returncode, again.stdout), (2, ""))
    tap.equal(again.stderr.count("\n"), 1)

with tap.case("Ctrl-C ends it"):
    demo = subprocess.Popen([tap.LAB, "demo", "--output", tap.path("stopped")], stdout=subprocess.PIPE, text=True)
    demo.stdout.readline()
    demo.send_signal(signal.SIGINT)
    rest = demo.communicate(timeout=60)[0]
    tap.equal(demo.returncode, 0)
    assert "Stopped" in rest, rest

tap.done()
