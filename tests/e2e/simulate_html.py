#!/usr/bin/env python3
"""stillpoint-lab simulate --html: what the pages show in Chromium, held against --json."""

import json
import os
import random
import shutil
import subprocess

import tap

SRCDIR = os.environ["SRCDIR"]
DAY = 86400
HOSTILE = "</script><b>x</b><img src=x onerror=alert(1)>"


def write_history(name):
    """Forty pages over 600 days, one of them with a name that means harm."""
    draw = random.Random(1)
    paths = [HOSTILE] + [f"{'news' if i % 3 else 'docs'}/{i}.html" for i in range(39)]
    lines = [(0, "c0", "A", path) for path in paths]
    lines += [(draw.randrange(1, 600 * DAY), f"c{i}", "M", draw.choice(paths)) for i in range(400)]
    return tap.write(name, "".join(f"{at}\t{commit}\t{kind}\t{path}\n"
                                   for at, commit, kind, path in sorted(lines)))


GRAPH = tap.write("graph.csv", f"""page,rate,links
/,0.001,a b {HOSTILE.replace(' ', '_')}
a,0.01,
b,0.2,
{HOSTILE.replace(' ', '_')},0.05,
lost,1,
""")
# A file's name is shown too.
HISTORY = write_history("<img src=x onerror=alert(2)>.tsv")
COMMANDS = {
    "table": ["--table", "sharc-20", "--runs", 1],  # one run is cheap, and has no error
    "solar": ["--table", "solar-2", "--runs", 2],
    "worst": ["--table", "sharc-fig6"],
    "list": ["--table", "list"],
    "site": ["--site", "synthetic:n=100,leaves=hot", "--runs", 3, "-s",
             "stillpoint,solar,bfs-fifo,sharc", "--failures", 0.01],
    "graph": ["--graph", GRAPH, "-s", "stillpoint"],
    "history": ["--history", HISTORY, "--draws", 8, "--crawl-days", 20, "-s",
                "stillpoint,bfs-fifo", "--gain", "last-modified,subsites"],
}


def show(directory):
    """Name of a command → what it prints as JSON and what its page shows."""
    files = {name: f"{directory}/{name}.html" for name in COMMANDS}
    printed = {name: tap.load("simulate", *command, "--html", files[name])
               for name, command in COMMANDS.items()}
    done = subprocess.run(["node", f"{SRCDIR}/tests/e2e/simulate_html.mjs", modules, chromium,
                           *files.values()], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name: (printed[name], page)
            for name, page in zip(files, json.loads(done.stdout))}


def rows(page, table=0):
    """First cell → the others."""
    return {row[0]: row[1:] for row in page["tables"][table]["rows"] if len(row) > 1}


def number(value, digits, empty="–"):
    return empty if value is None else f"{value:.{digits}f}"


def interval(mean, scale, digits, sign=""):
    if mean["mean"] is None:
        return ""
    low, middle, high = (f"{scale * mean[key]:{sign}.{digits}f}" for key in ("low", "mean", "high"))
    return f"{middle} [{low}, {high}]"


def check_site(printed, page):
    table = rows(page)
    tap.equal(list(table), [s["strategy"] for s in printed["strategies"]])
    for s in printed["strategies"]:
        tap.equal(table[s["strategy"]], [
            number(s["pages"], 1), number(s["expected_coherence"], 2), number(s["coherence"], 2),
            number(s["coherence_stderr"], 2), number(s["expected_blur"], 4), number(s["blur"], 4),
            number(s["blur_stderr"], 4)])


def check_history(printed, page):
    table = rows(page)
    tap.equal(list(table), [arm["gain"] or arm["strategy"] for arm in printed["arms"]])
    for arm in printed["arms"]:
        difference = arm["difference"]
        tap.equal(table[arm["gain"] or arm["strategy"]], [
            interval(arm["sharp"], 100, 2),
            interval(difference["sharp"], 100, 2, "+") if difference else "",
            interval(arm["blur"], 1, 4), number(arm["requests"]["mean"], 3),
            number(100 * arm["joint"]["mean"], 2), number(100 * arm["lost_bulk"]["mean"], 2),
            number(100 * arm["lost_large"]["mean"], 2)])


def check_graph(printed, page):
    facts, pages = rows(page), rows(page, 1)
    tap.equal(facts["expected sharp"], [number(printed["expected_coherence"], 3)])
    tap.equal(facts["expected blur"], [number(printed["expected_blur"], 3)])
    tap.equal(facts["unreached"], [str(len(printed["unreached"]))])
    tap.equal(list(pages), printed["visits"])


def check_table(printed, page):
    """Simulated figures, row by row; digits are those of the text."""
    cells = [row for row in page["tables"][0]["rows"] if len(row) > 1]
    figures = [f for f in printed if not f["metric"].startswith("expected")]
    tap.equal(len(cells), len(figures))
    for row, figure in zip(cells, figures):
        tap.equal(row[0], figure["strategy"])
        tap.near(float(row[4]), figure["ours"], 0.05)
        if figure["stderr"] is None:
            tap.equal(row[5], "")
        else:
            tap.near(float(row[5]), figure["stderr"], 0.05)
        tap.equal(row[3], "" if figure["paper"] is None else f"{figure['paper']:.0f}")


CHECKS = {"site": check_site, "history": check_history, "graph": check_graph,
          "table": check_table, "solar": check_table}
# Kinds of the plots of a page, in their order.
PLOTS = {
    "table": ["lines"] + 13 * ["pyramid"],
    "solar": ["forest"] + 4 * ["pyramid"],
    "worst": ["lines", "lines"],
    "list": [],
    "site": ["lines", "lines"] + 3 * ["pyramid"],
    "graph": ["pyramid", "lines", "lines"],
    "history": ["forest", "lines", "lines"] + 3 * ["pyramid"],
}
SERIES = {"lines": "series", "forest": "rows", "pyramid": "bars"}


def is_drawn(figure):
    """More than axes: a colour for what is plotted besides that of lines and grid."""
    plot = figure["data"]
    tap.equal(figure["drawn"], plot["kind"])
    assert figure["painted"] > 1000 and figure["colours"] > 2, figure["caption"]
    assert len(plot[SERIES[plot["kind"]]]) > 0, plot
    assert figure["name"] and figure["caption"], figure
    if plot["kind"] == "lines":
        tap.equal(figure["legend"], 1 + len(plot["series"]))


chromium = shutil.which("chromium")
if not (chromium and shutil.which("npm")):
    tap.skip("pages in a browser", "there is no chromium, or no npm")
    tap.done()
modules = subprocess.run([f"{SRCDIR}/tools/install-npm"], text=True, stdout=subprocess.PIPE,
                         check=True).stdout.strip()
SHOWN = show(os.path.dirname(GRAPH))

for name, (printed, page) in SHOWN.items():
    with tap.case(f"{name}: asks for nothing and complains about nothing"):
        tap.equal((page["scripted"]["trouble"], page["plain"]["trouble"]), ([], []))
    with tap.case(f"{name}: all plots are drawn"):
        tap.equal([figure["data"]["kind"] for figure in page["scripted"]["figures"]], PLOTS[name])
        for figure in page["scripted"]["figures"]:
            is_drawn(figure)
    with tap.case(f"{name}: the same without JavaScript, but for the plots"):
        tap.equal(page["plain"]["tables"], page["scripted"]["tables"])
        assert page["plain"]["tables"] and page["plain"]["heading"] == page["plain"]["title"]
    with tap.case(f"{name}: says how it was made, and fits the window"):
        assert page["plain"]["command"].startswith("stillpoint-lab simulate --"), page["plain"]["command"]
        assert page["scripted"]["wide"] <= 0, page["scripted"]["wide"]
    if name in CHECKS:
        with tap.case(f"{name}: the figures of --json"):
            CHECKS[name](printed, page["scripted"])

with tap.case("names stay text"):
    tap.equal({page["scripted"]["bold"] for _, page in SHOWN.values()}, {0})
    assert HOSTILE.replace(" ", "_") in rows(SHOWN["graph"][1]["plain"], 1)
    assert "<img src=x onerror=alert(2)>" in SHOWN["history"][1]["plain"]["command"]

with tap.case("what is printed comes with what is ours"):
    series = SHOWN["table"][1]["scripted"]["figures"][0]["data"]["series"]
    tap.equal([s["style"] for s in series], 13 * ["line"] + 11 * ["points"])

with tap.case("the same command writes the same page"):
    again = tap.path("again.html")
    tap.load("simulate", *COMMANDS["site"], "--threads", 1, "--html", again)
    with open(again, encoding="utf-8") as one, open(tap.path("site.html"), encoding="utf-8") as two:
        texts = [file.read().split("How this was made")[0] for file in (one, two)]
    assert texts[0] == texts[1]

with tap.case("a page that cannot be written"):
    tap.refuse(1, "/nowhere/at/all.html: No such file", "simulate", "--table", "list",
               "--html", "/nowhere/at/all.html")

tap.done()
