#!/usr/bin/env python3
"""stillpoint plan: the figures of PAPERS.md, the contract of its output, the exposure table."""

import csv
import io
import itertools
import json
import math

import sites
import tap

SETS = {"skewed": sites.skewed(), "smooth": sites.smooth(), "zipf": sites.zipf()}
FILES = {name: sites.write(f"{name}.csv", rates) for name, rates in SETS.items()}

FIGURES = [
    # set, strategy, options, expected coherence according to PAPERS.md
    ("skewed", "hottest-middle-offline", [], 649.577),
    ("smooth", "hottest-middle-offline", [], 492.864),
    ("skewed", "solar-offline", [], 725.665),
    ("smooth", "solar-offline", [], 515.207),
    ("skewed", "sharc-threshold", ["--tau", "0.2"], 684.145),
    ("smooth", "sharc-threshold", ["--tau", "0.7"], 492.864),
    ("skewed", "sharc-selective-offline", [], 731.559),
    ("smooth", "sharc-selective-offline", [], 536.199),
    ("zipf", "sharc-selective-offline", ["--delay", "5"], 242.716),
    ("skewed", "stillpoint-offline", [], 731.559),
    ("smooth", "stillpoint-offline", [], 536.209),
    ("zipf", "stillpoint-offline", [], 592.169),
    ("zipf", "stillpoint-offline", ["--delay", "5"], 243.676),
]
OPTIMUM = {"skewed": 731.559, "smooth": 536.209, "zipf": 592.169}

SMALL = "page,rate,weight\n/,0.3,2\n/a,0.05,1\n\"/b,c\",0.2,0.5\n/d,0,1\n/e,0.1,3\n"
SMALL_RATES = [0.3, 0.05, 0.2, 0, 0.1]
SMALL_WEIGHTS = [2, 1, 0.5, 1, 3]
NAMES = ["/", "/a", "/b,c", "/d", "/e"]
KEYS = ["schema", "strategy", "pages", "delay", "expected_coherence", "upper_bound", "expected_blur",
        "schedule"]


def strategies():
    return [line.split()[0] for line in tap.succeed("plan", "--list-strategies").splitlines()]


def has_revisits(name):
    return name not in ("bfs", "dfs", "hottest-first", "hottest-last", "sharc-offline",
                        "sharc-online")


def has_shared_slot(name):
    return not name.endswith("-fifo") and name != "sharc-revisits"


def penalty(downloads, start, end):
    """The integral of the distance to the nearest download: by pieces on which it is linear."""
    edges = {start, end, *downloads, sum(downloads) / len(downloads)}
    edges = sorted(edge for edge in edges if start <= edge <= end)

    def distance(x):
        return min(abs(x - t) for t in downloads)

    return sum((distance(a) + distance(b)) / 2 * (b - a) for a, b in zip(edges, edges[1:]))


def blur(rates, schedule, delay):
    times = [[delay * t for t in (row["visit"], row["revisit"]) if t is not None]
             for row in schedule]
    start, end = min(map(min, times)), max(map(max, times))
    return sum(rate * penalty(t, start, end) for rate, t in zip(rates, times)) / (end - start)


def check_slots(name, schedule):
    n = len(schedule)
    visits = sorted(row["visit"] for row in schedule)
    revisits = [row["revisit"] for row in schedule]
    if not has_revisits(name):
        tap.equal(visits, list(range(n)))
        tap.equal(revisits, [None] * n)
        return
    first = 0 if has_shared_slot(name) else 1
    tap.equal(visits, list(range(1 - n, 1)))
    tap.equal(sorted(revisits), list(range(first, n + first)))


def check_contract(name, small):
    """Keys, names, slots; and the figures recomputed from the schedule."""
    delay = 1.5
    document = tap.load("plan", small, "--strategy", name, "--delay", delay)
    schedule = document["schedule"]
    tap.equal(list(document), KEYS)
    tap.equal((document["strategy"], document["pages"], document["delay"]), (name, 5, delay))
    for row, page in zip(schedule, NAMES):
        tap.equal(list(row), ["page", "visit", "revisit", "hopeless"])
        tap.equal((row["page"], type(row["hopeless"])), (page, bool))
    check_slots(name, schedule)
    tap.near(document["expected_blur"], blur(SMALL_RATES, schedule, delay), 1e-9)
    if not has_revisits(name):
        tap.equal((document["expected_coherence"], document["upper_bound"]), (None, None))
        return
    coherence = sum(weight * math.exp(-rate * delay * (row["revisit"] - row["visit"]))
                    for weight, rate, row in zip(SMALL_WEIGHTS, SMALL_RATES, schedule))
    tap.near(document["expected_coherence"], coherence, 1e-9)
    assert document["expected_coherence"] <= document["upper_bound"]


def figures():
    for name, strategy, options, want in FIGURES:
        with tap.case(f"{strategy} on {name} {' '.join(options)}"):
            document = tap.load("plan", FILES[name], "--strategy", strategy, *options)
            tap.near(document["expected_coherence"], want, 0.0005)
            assert document["expected_coherence"] <= document["upper_bound"]
            if not options:
                tap.near(document["upper_bound"], OPTIMUM[name], 0.0005)
    with tap.case("--fast: nearly the same, under a bound that says how near"):
        document = tap.load("plan", FILES["smooth"], "--fast")
        bound = document["upper_bound"]
        assert 536.209 - 0.0005 <= bound <= 536.209 * 1.0002, bound
        assert bound * 0.9998 <= document["expected_coherence"] <= bound, document


def contract():
    small = tap.write("small.csv", SMALL)
    for name in strategies():
        with tap.case(f"contract: {name}"):
            check_contract(name, small)
    for bare in "sharc", "sharc-selective", "hottest-middle", "solar", "stillpoint":
        with tap.case(f"all pages are known: {bare} is offline"):
            tap.equal(tap.load("plan", small, "--strategy", bare)["strategy"], f"{bare}-offline")
    with tap.case("stillpoint is what is meant when nothing is said"):
        tap.equal(tap.load("plan", small)["strategy"], "stillpoint-offline")
    with tap.case("a delay stretches time"):
        slow = sites.write("slow.csv", [rate * 4 for rate in SMALL_RATES])
        fast = sites.write("fast.csv", SMALL_RATES)
        tap.near(tap.load("plan", slow)["expected_coherence"],
                 tap.load("plan", fast, "--delay", "4")["expected_coherence"], 1e-12)
    with tap.case("delays have units"):
        tap.equal(tap.load("plan", small, "--delay", "500ms")["delay"], 0.5)
    with tap.case("one page is always sharp and never blurred"):
        document = tap.load("plan", tap.write("one.csv", "rate,page\n7,x\n"))
        tap.equal(document["schedule"],
                  [{"page": "x", "visit": 0, "revisit": 0, "hopeless": False}])
        tap.equal((document["expected_coherence"], document["expected_blur"]), (1, 0))
    with tap.case("standard input"):
        tap.equal(tap.load("plan", "-", input=SMALL), tap.load("plan", small))
    with tap.case("some page is hopeless where giving it up pays"):
        document = tap.load("plan", FILES["smooth"], "--strategy", "sharc-selective")
        assert 0 < sum(row["hopeless"] for row in document["schedule"]) < 1000


def formats():
    small = tap.write("small.csv", SMALL)
    document = tap.load("plan", small, "--strategy", "sharc-selective")
    with tap.case("--format=json is --json"):
        tap.equal(json.loads(tap.succeed("plan", small, "-s", "sharc-selective", "-fjson")),
                  document)
    with tap.case("CSV has the same schedule"):
        text = tap.succeed("plan", small, "-s", "sharc-selective", "--format", "csv")
        rows = [{"page": row["page"], "visit": int(row["visit"]), "revisit": int(row["revisit"]),
                 "hopeless": {"true": True, "false": False}[row["hopeless"]]}
                for row in csv.DictReader(io.StringIO(text))]
        tap.equal(rows, document["schedule"])
    with tap.case("CSV of a single-visit strategy has no revisits"):
        text = tap.succeed("plan", small, "-s", "bfs", "-f", "csv")
        tap.equal(text.splitlines()[:2], ["page,visit,revisit,hopeless", "/,0,,false"])
    with tap.case("the text says what matters"):
        text = tap.succeed("plan", FILES["smooth"], "-s", "hottest-middle")
        for word in ("hottest-middle-offline", "1000", "492.864", "536.209", "976 more"):
            assert word in text, text
    with tap.case("the text of a small plan has all pages, from the still point outwards"):
        text = tap.succeed("plan", small)
        rows = [line.split() for line in text.split("\n\n")[1].splitlines()[1:]]
        tap.equal(sorted(row[0] for row in rows), sorted(NAMES))
        tap.equal([row[2] for row in rows], ["0", "-1", "-2", "-3", "-4"])


def exposure():
    with tap.case("--expect: rows and what they say"):
        document = tap.load("plan", FILES["zipf"], "--expect")
        tap.equal(list(document), ["schema", "pages", "rows"])
        tap.equal([row["delay"] for row in document["rows"]], [.1, .2, .5, 1, 2, 5, 10, 30, 60])
        for row in document["rows"]:
            tap.equal(list(row), ["delay", "seconds", "strategies", "upper_bound"])
            tap.near(row["seconds"], 1999 * row["delay"], 1e-6)
            tap.equal(list(row["strategies"]), ["bfs-fifo", "bfs-lifo", "hottest-middle",
                                                "sharc-selective", "solar", "stillpoint"])
            assert max(row["strategies"].values()) == row["strategies"]["stillpoint"]
            assert row["strategies"]["stillpoint"] <= row["upper_bound"]
        tap.near(document["rows"][3]["strategies"]["stillpoint"], 592.169, 0.0005)
        tap.near(document["rows"][5]["strategies"]["stillpoint"], 243.676, 0.0005)
    with tap.case("--expect: lists of one's own"):
        document = tap.load("plan", FILES["zipf"], "--expect", "--delays", "5,2m",
                            "--strategies", "dfs-lifo,bfs,sharc-selective-offline")
        tap.equal([row["delay"] for row in document["rows"]], [5, 120])
        first = document["rows"][0]["strategies"]
        tap.equal(list(first), ["dfs-lifo", "bfs", "sharc-selective-offline"])
        tap.equal(first["bfs"], None)
        tap.near(first["sharc-selective-offline"], 242.716, 0.0005)
    with tap.case("--expect: one delay, one strategy"):
        document = tap.load("plan", FILES["zipf"], "--expect", "--delay", "5", "-s", "bfs-lifo")
        tap.equal([list(row["strategies"]) for row in document["rows"]], [["bfs-lifo"]])
        tap.equal(document["rows"][0]["delay"], 5)
    with tap.case("--expect: tau counts"):
        document = tap.load("plan", FILES["skewed"], "-e", "--delay", "1", "--tau", "0.2",
                            "-s", "sharc-threshold")
        tap.near(document["rows"][0]["strategies"]["sharc-threshold"], 684.145, 0.0005)
    with tap.case("--expect --time-limit: all aims side by side"):
        document = tap.load("plan", FILES["zipf"], "--expect", "--time-limit", "25m",
                            "--delays", "1,5")
        tap.equal((document["pages"], document["time_limit"]), (1000, 1500))
        tap.equal([row["downloads"] for row in document["rows"]], [1501, 301])
        for row in document["rows"]:
            complete, balanced, sharp = (row["aims"][aim] for aim in (
                "complete", "balanced", "sharp"))
            for share in (complete, balanced, sharp):
                assert share["visits"] + share["revisits"] <= row["downloads"]
                tap.near(share["expected_sharp"], share["upper_bound"], 1e-6)
            tap.equal(complete["visits"], min(1000, row["downloads"] - 1))
            assert complete["captured"] >= balanced["captured"] >= sharp["captured"]
            assert (complete["expected_sharp"] < balanced["expected_sharp"]
                    <= sharp["expected_sharp"])
    with tap.case("--expect --hours: to end in time, or to go on"):
        document = tap.load("plan", FILES["zipf"], "--expect", "--hours", "12-20", "--delays", "1,30")
        day = document["open_seconds"] + document["closed_seconds"]
        assert abs(day - 86400) <= 3600, day  # the clocks may be set in one of the nights
        fits, short = document["rows"]
        tap.equal((fits["in_time"]["visits"], fits["ends_in_time"]), (1000, False))
        tap.near(fits["in_time"]["expected_sharp"], fits["go_on"]["expected_sharp"], 1e-6)
        limit = tap.load("plan", FILES["zipf"], "--expect", "--time-limit",
                         document["open_seconds"], "--delay", "30", "--aim", "sharp")
        sharp = limit["rows"][0]["aims"]["sharp"]
        tap.equal(short["in_time"]["visits"], sharp["visits"])
        tap.near(short["in_time"]["expected_sharp"], sharp["expected_sharp"], 1e-9)
        tap.equal(short["in_time"]["put_off"], 1000 - sharp["visits"])
        assert short["go_on"]["expected_sharp"] < sharp["expected_sharp"], short
        tap.equal(short["ends_in_time"], True)
        for row in document["rows"]:
            for way in (row["in_time"], row["go_on"]):
                assert way["expected_sharp"] <= way["upper_bound"] * (1 + 1e-9), way
        tap.succeed("plan", FILES["zipf"], "-e", "--hours", "12-20", "--delay", "30", "-f", "csv")
        tap.succeed("plan", FILES["zipf"], "-e", "--hours", "12-20", "--delay", "30")
        tap.refuse(2, "never end", "plan", FILES["zipf"], "--expect", "--hours", "0-24")
    with tap.case("--time-limit: a schedule that keeps to it"):
        expected = tap.load("plan", FILES["zipf"], "-e", "--time-limit", "600", "--delay", "1",
                            "--aim", "sharp")["rows"][0]["aims"]
        tap.equal(list(expected), ["sharp"])
        document = tap.load("plan", FILES["zipf"], "--time-limit", "600", "--aim", "sharp")
        tap.near(document["expected_coherence"], expected["sharp"]["expected_sharp"], 1e-6)
        times = [page[leg] for page in document["schedule"] for leg in ("visit", "revisit")
                 if page[leg] is not None]
        assert max(times) - min(times) <= 600
        tap.equal(sum(page["visit"] is not None for page in document["schedule"]),
                  expected["sharp"]["visits"])
        tap.succeed("plan", FILES["zipf"], "--time-limit", "600", "--format", "csv")
        tap.succeed("plan", FILES["zipf"], "--time-limit", "600", "--format", "text")
    with tap.case("requisites: whole groups are worth more, within the bound"):
        lines = ["page,rate,requisites"]
        for i in range(30):
            lines.append(f"p{i},{(i * 7 % 30 + 1) / 400},{f'p{i + 20} p{29 - i}' if i < 10 else ''}")
        path = tap.write("groups.csv", "\n".join(lines) + "\n")
        grouped, plain = (tap.load("plan", path, "--strategy", name)
                          for name in ("stillpoint", "sharc-selective"))
        tap.equal((grouped["groups"], plain["groups"]), (10, 10))
        assert plain["expected_groups"] < grouped["expected_groups"] <= grouped["groups_upper_bound"]
        assert "whole groups" in tap.succeed("plan", path)
        tap.refuse(2, "is not a page of the file", "plan",
                   tap.write("no-part.csv", "page,rate,requisites\np0,1,p9\n"))
    with tap.case("--time-limit: what cannot be"):
        for options, says in (
                (["--aim", "sharp"], "--aim is for --time-limit"),
                (["--time-limit", "0.5"], "shorter than one delay"),
                (["-e", "--time-limit", "9", "--strategies", "bfs"], "compares aims")):
            tap.refuse(2, says, "plan", FILES["zipf"], *options)
    with tap.case("--expect: --fast has a weaker bound"):
        exact, fast = (tap.load("plan", FILES["smooth"], "-e", "--delay", "1", *option)["rows"][0]
                       for option in ([], ["--fast"]))
        tap.near(exact["upper_bound"], 536.209, 0.0005)
        assert 0 < fast["upper_bound"] - exact["upper_bound"] < 0.0002 * exact["upper_bound"]
    with tap.case("--expect: CSV"):
        text = tap.succeed("plan", FILES["zipf"], "-e", "--delays", "1", "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(text)))
        tap.equal(len(rows), 1)
        tap.near(float(rows[0]["stillpoint"]), 592.169, 0.0005)
        tap.equal(rows[0]["seconds"], "1999")
    with tap.case("--expect: text"):
        text = tap.succeed("plan", FILES["zipf"], "-e", "--delays", "1,5")
        assert "33 min 19 s" in text and "2 h 47 min" in text, text
        assert " 592.2" in text and " 243.7" in text, text


UNCERTAIN = [  # rate, weight, shape: 0 for a rate that is known
    (0.3, 2, 0.2), (0.05, 1, 0), (0.2, 0.5, 4), (1, 1, 0.05), (0.1, 3, 1), (2, 1, 0)]


def survival(rate, shape, length):
    return (1 + rate * length / shape) ** -shape if shape else math.exp(-rate * length)


def shapes():
    rows = "".join(f"p{i},{rate},{weight},{shape}\n"
                   for i, (rate, weight, shape) in enumerate(UNCERTAIN))
    file = tap.write("uncertain.csv", "page,rate,weight,shape\n" + rows)
    with tap.case("shapes: no order is better, and the expectation is the formula's"):
        document = tap.load("plan", file, "--delay", 2)
        best = max(sum(weight * survival(rate, shape, 4 * place)
                       for (rate, weight, shape), place in zip(UNCERTAIN, places))
                   for places in itertools.permutations(range(len(UNCERTAIN))))
        tap.near(document["expected_coherence"], best, 1e-12)
        tap.near(document["upper_bound"], best, 1e-9)


def large():
    rates = sites.zipf(10 ** 6, 0.5)
    file = sites.write("million.csv", rates)
    with tap.case("a million pages"):
        document = tap.load("plan", file, "--strategy", "sharc-offline")
        tap.equal(sorted(row["visit"] for row in document["schedule"]), list(range(10 ** 6)))
        tap.equal(document["schedule"][-1]["page"], "p999999")
    with tap.case("one bad line in a million is found"):
        with open(file, "r+b") as lines:
            content = lines.read()
            at = content.index(b"\np765431,") + len(b"\np765431,")
            lines.seek(at)
            lines.write(b"x")
        tap.refuse(2, "million.csv:765433: rate 'x.", "plan", file)


figures()
contract()
formats()
exposure()
shapes()
large()
tap.done()
