#!/usr/bin/env python3
"""stillpoint-lab simulate: the papers' online runs, and the contract of its output."""

import math

import sites
import tap

KEYS = ["schema", "strategy", "visits", "revisits", "hopeless", "unreached", "expected_coherence",
        "expected_blur"]
FIGURE_3 = sites.write("figure-3.csv", range(6), sites.FIGURE_3)
TREES = {name: sites.write(f"{name}-tree.csv", rates, sites.solar_tree())
         for name, rates in (("skewed", sites.skewed()), ("smooth", sites.smooth()))}

ORDERS = [
    # strategy, order of the visits: SHARC sections 5 and 9.1, tables 1 to 3
    ("dfs", "p0 p1 p3 p4 p2 p5"),
    ("bfs", "p0 p1 p2 p3 p4 p5"),
    ("sharc-online", "p0 p1 p4 p3 p2 p5"),
    ("sharc", "p0 p1 p4 p3 p2 p5"),
]

FIGURES = [
    # set, strategy, least and largest expected coherence according to PAPERS.md
    ("skewed", "hottest-middle", 672.2705, 672.2715),
    ("smooth", "hottest-middle", 455.5115, 455.5125),
    ("skewed", "solar", 673.5675, 673.5685),
    ("smooth", "solar", 482.5415, 482.5425),
    ("skewed", "sharc-selective", 731.5585, 731.5595),
    ("smooth", "sharc-selective", 536.1975, 536.1985),
    ("skewed", "stillpoint", 731.5, 731.5595),
    ("smooth", "stillpoint", 536.1, 536.2095),
]


def orders():
    for strategy, want in ORDERS:
        with tap.case(f"figure 3: {strategy}"):
            run = tap.load("simulate", "--graph", FIGURE_3, "--strategy", strategy, "--size", 6)
            tap.equal(list(run), KEYS)
            tap.equal(run["visits"], want.split())
            tap.equal((run["revisits"], run["expected_coherence"]), ([], None))
            tap.equal(run["unreached"], [])
    with tap.case("LIFO goes back the way it came"):
        run = tap.load("simulate", "--graph", FIGURE_3, "--strategy", "dfs-lifo")
        tap.equal(run["revisits"], run["visits"][::-1])
    with tap.case("FIFO goes the same way again"):
        run = tap.load("simulate", "--graph", FIGURE_3, "--strategy", "bfs-fifo")
        tap.equal(run["revisits"], run["visits"])
        # Six pages wait six slots each.
        tap.near(run["expected_coherence"], sum(math.exp(-6 * i) for i in range(6)), 1e-12)
    with tap.case("a wrong size misleads sharc-online"):
        run = tap.load("simulate", "--graph", FIGURE_3, "--strategy", "sharc", "--size", 60)
        assert run["visits"] != "p0 p1 p4 p3 p2 p5".split(), run


def figures():
    for name, strategy, least, most in FIGURES:
        with tap.case(f"{strategy}-online on the {name} tree"):
            run = tap.load("simulate", "--graph", TREES[name], "--strategy", strategy)
            tap.equal(run["strategy"], f"{strategy}-online")
            assert least <= run["expected_coherence"] <= most, run["expected_coherence"]
            pages = {f"p{i}" for i in range(1000)}
            tap.equal((set(run["visits"]), set(run["revisits"])), (pages, pages))
            tap.equal((len(run["visits"]), len(run["revisits"])), (1000, 1000))
            assert set(run["hopeless"]) <= pages
    with tap.case("a strategy that needs all pages gets them"):
        run = tap.load("simulate", "--graph", TREES["smooth"], "-s", "sharc-selective-offline")
        tap.near(run["expected_coherence"], 536.199, 0.0005)
        assert 0 < len(run["hopeless"]) < 1000
    with tap.case("the delay counts"):
        run = tap.load("simulate", "--graph", FIGURE_3, "-s", "bfs-fifo", "--delay", "0.01")
        tap.near(run["expected_coherence"], sum(math.exp(-0.06 * i) for i in range(6)), 1e-12)
    with tap.case("tau counts"):
        loose, strict = (tap.load("simulate", "--graph", TREES["smooth"], "-s", "solar", "--tau",
                                  tau)["hopeless"] for tau in ("0.1", "0.9"))
        assert len(loose) < len(strict), (len(loose), len(strict))


def seeds():
    web = tap.write("web.csv", "page,rate,weight,links\n"
                               "a,0.1,1,b c b a\n"
                               "b,0.2,1,d\n"
                               "c,0.3,1,d a\n"
                               "d,0.4,1,\n"
                               "e,0.5,1,d\n"
                               "\"f,g\",0.6,1,\n")
    rows = [
        # label, options, visits in breadth-first order, unreached
        ("the first page is the seed", [], "abcd", ["e", "f,g"]),
        ("a seed", ["--seeds", "e"], "ed", ["a", "b", "c", "f,g"]),
        ("seeds in the order given", ["--seeds", "e,b"], "ebd", ["a", "c", "f,g"]),
        ("more than once", ["--seeds", "e", "--seeds", "b"], "ebd", ["a", "c", "f,g"]),
        ("a seed twice", ["--seeds", "d,d"], "d", ["a", "b", "c", "e", "f,g"]),
    ]
    for label, options, visits, unreached in rows:
        for strategy in "bfs-lifo", "sharc-selective-offline", "stillpoint-online":
            with tap.case(f"{label}: {strategy}"):
                run = tap.load("simulate", "--graph", web, "--strategy", strategy, *options)
                tap.equal(sorted(run["visits"]), sorted(visits))
                tap.equal(sorted(run["revisits"]), sorted(visits))
                tap.equal(run["unreached"], unreached)
                if strategy == "bfs-lifo":
                    tap.equal(run["visits"], list(visits))
    with tap.case("a seed with a comma in its name"):
        tap.equal(tap.load("simulate", "--graph", web, "--seeds", "f,g")["visits"], ["f,g"])
    with tap.case("an unknown seed"):
        tap.refuse(2, "seed 'x' is not a page", "simulate", "--graph", web, "--seeds", "a,x")
    with tap.case("weights count"):
        heavy = tap.write("heavy.csv", "page,rate,weight,links\na,0,5,b\nb,0,0.5,\n")
        run = tap.load("simulate", "--graph", heavy, "-s", "bfs-lifo")
        tap.near(run["expected_coherence"], 5.5, 1e-12)
    with tap.case("a file of rates, without links: all pages are known, and planned alike"):
        rates = tap.write("rates.csv", "url,rate,weight,shape\nhttp://a/,1,3,2\nhttp://b/,0.1,1,0\nhttp://c/,0.2,1,1\n")
        run = tap.load("simulate", "--graph", rates, "-s", "stillpoint-offline")
        tap.equal(run["unreached"], [])
        tap.near(run["expected_coherence"], tap.load("plan", rates)["expected_coherence"], 1e-9)
    with tap.case("text"):
        text = tap.succeed("simulate", "--graph", web, "-s", "dfs-lifo")
        for line in ("strategy        dfs-lifo", "visits (4)\n  a b d c", "unreached (2)\n  e f,g"):
            assert line in text, text
        tap.load("simulate", "--graph", web, "-s", "dfs-lifo", "--text", tap.path("web.txt"))
        with open(tap.path("web.txt"), encoding="utf-8") as file:
            tap.equal(file.read(), text)


def pages():
    """That they are written; simulate_html.py looks at them."""
    for mode in (["--graph", FIGURE_3], ["--graph", FIGURE_3, "-s", "dfs"],
                 ["--site", "synthetic:n=60", "-s", "all", "--runs", 2],
                 ["--table", "sharc-fig6"], ["--table", "solar-2", "--runs", 1]):
        with tap.case(f"a page: {' '.join(map(str, mode[:4]))}"):
            tap.load("simulate", *mode, "--html", tap.path("page.html"))
            with open(tap.path("page.html"), encoding="utf-8") as file:
                page = file.read()
            assert page.startswith("<!doctype html>") and page.endswith("</html>\n"), page[-80:]
            assert page.count("<figure") == page.count("</script></figure>") > 0


orders()
figures()
seeds()
pages()
tap.done()
