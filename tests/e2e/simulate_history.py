#!/usr/bin/env python3
"""stillpoint-lab simulate --history and tools/history-from-git: replays of recorded histories."""

import gzip
import os
import subprocess

import tap

HISTORY_FROM_GIT = os.path.join(os.environ["SRCDIR"], "tools", "history-from-git")
DAY = 86400
KEYS = ["schema", "history", "crawl_days", "draws", "blocks", "rates", "links", "linked", "half",
        "seed", "pages", "arms"]
VALUES = ["sharp", "blur", "requests", "joint", "absent", "lost_bulk", "lost_large"]


def line(day, commit, kind, path):
    return f"{int(day * DAY)}\t{commit}\t{kind}\t{path}\n"


def site():
    """Twenty pages that are always the same, ten that change every day, for 1000 days."""
    lines = [line(0, "c0", "A", f"cold/{i}.html") for i in range(20)]
    lines += [line(0, "c0", "A", f"hot/{i}.html") for i in range(10)]
    for day in range(1, 1001):
        lines += [line(day, f"c{day}", "M", f"hot/{i}.html") for i in range(10)]
    return "".join(lines)


HISTORY = tap.write("site.tsv", site())
ZIPPED = tap.write("site.tsv.gz", gzip.compress(site().encode()))


def simulate(*arguments):
    return tap.load("simulate", "--history", HISTORY, "--draws", 12, *arguments)


def replays():
    with tap.case("keys, and figures that are known"):
        run = simulate("--crawl-days", 60, "--strategy", "bfs-lifo,bfs",
                       "--gain", "last-modified,third-visit")
        tap.equal(list(run), KEYS)
        tap.equal((run["crawl_days"], run["draws"], run["pages"]), (60, 12, 30))
        tap.equal([(a["strategy"], a["gain"]) for a in run["arms"]],
                  [("bfs-lifo", None), ("bfs", None), ("bfs-lifo", "last-modified"),
                   ("bfs-lifo", "third-visit")])
        plain, single, modified, third = run["arms"]
        for arm in run["arms"]:
            tap.equal(list(arm), ["strategy", "gain", *VALUES, "difference"])
        # One download a day. The hot pages are visited last, on ten successive days, and revisited
        # at once: of these only the innermost may be sharp.
        tap.near(plain["sharp"]["mean"], 21 / 30, 1e-9)
        tap.near(plain["lost_bulk"]["mean"], 9 / 30, 1e-9)  # ten pages a commit
        tap.equal((plain["lost_large"]["mean"], plain["difference"]), (0, None))
        tap.equal((single["sharp"]["mean"], single["requests"]["mean"]), (None, 1))
        # From the still point on a day passes for each of them as well.
        tap.near(modified["sharp"]["mean"], 21 / 30, 1e-9)
        tap.near(modified["difference"]["sharp"]["mean"], 0, 1e-9)
        tap.near(third["requests"]["mean"], 2 + 9 / 30, 1e-9)
    with tap.case("a page"):  # simulate_html.py looks at it
        simulate("--gain", "subsites,canaries", "--html", tap.path("page.html"))
        with open(tap.path("page.html"), encoding="utf-8") as file:
            assert file.read().endswith("</html>\n")
    with tap.case("the plan knows which pages are hot"):
        arms = simulate("--crawl-days", 60, "--strategy", "stillpoint,bfs-fifo")["arms"]
        tap.equal(arms[0]["strategy"], "stillpoint-offline")
        assert arms[0]["sharp"]["mean"] >= 21 / 30 - 1e-9, arms[0]
        tap.near(arms[1]["sharp"]["mean"], 20 / 30, 1e-9)
        assert arms[1]["difference"]["sharp"]["high"] < 0, arms[1]
    with tap.case("gzip, any number of threads, the same seed: the same figures"):
        options = ("--crawl-days", 20, "--gain", "canaries,subsites+best-instant", "--seed", 5)
        one = simulate(*options, "--threads", 1)
        three = tap.load("simulate", "--history", ZIPPED, "--draws", 12, *options, "--threads", 3)
        one["history"] = three["history"] = None
        tap.equal(one, three)
        other = simulate(*options[:-1], 6)
        assert one["arms"] != other["arms"] or one["arms"][0]["blur"] != other["arms"][0]["blur"]
    with tap.case("oracle, memory, halves"):
        for options in (("--rates", "oracle"), ("--memory-days", 30), ("--half", "second"),
                        ("--canary-period", 3, "--gain", "canaries")):
            run = simulate("--crawl-days", 20, *options)
            assert 0.6 < run["arms"][0]["sharp"]["mean"] <= 1, run
    with tap.case("predicted rates: the directories tell them"):
        arms = {rates: simulate("--crawl-days", 60, "--rates", rates)["arms"][0]["sharp"]["mean"]
                for rates in ("past", "predicted")}
        assert 20 / 30 - 1e-9 <= arms["predicted"] <= arms["past"] + 0.1, arms
    with tap.case("all strategies"):
        names = [a["strategy"] for a in simulate("--strategy", "all")["arms"]]
        tap.equal(names[0], "stillpoint-offline")
        assert "sharc-revisits" in names and len(names) == len(set(names)), names
    with tap.case("text"):
        text = tap.succeed("simulate", "--history", HISTORY, "--draws", 5, "--gain", "third-visit")
        for want in ("5 of 7 days, 30 pages on average, rates from the past",
                     "\nstillpoint-offline ", "\nwith stillpoint-offline:\nthird-visit "):
            assert want in text, text


def links():
    graph = tap.write("links.tsv", "".join(f"cold/{i}.html\tcold/{i + 1}.html\n" for i in range(19))
                      + "cold/19.html\thot/0.html\ncold/0.html\tpicture.png\n")
    with tap.case("links: pages are found on the way"):
        run = simulate("--crawl-days", 60, "--links", graph, "--strategy",
                       "stillpoint,stillpoint-offline,bfs-lifo,bfs-fifo", "--gain", "last-modified")
        tap.equal((run["links"], run["linked"]), (graph, 20 / 30))
        tap.equal([arm["strategy"] for arm in run["arms"]],
                  ["stillpoint-online", "stillpoint-offline", "bfs-lifo", "bfs-fifo",
                   "stillpoint-online"])
        # Breadth first: the root, the nine hot pages that nothing links to, the chain of cold ones
        # and at its end the last hot page. Nothing but that one is innermost.
        tap.near(run["arms"][2]["sharp"]["mean"], 21 / 30, 1e-9)
        tap.near(run["arms"][3]["sharp"]["mean"], 20 / 30, 1e-9)
    with tap.case("links: in the text, and all strategies"):
        text = tap.succeed("simulate", "--history", HISTORY, "--draws", 3, "--links", graph,
                           "--strategy", "all")
        assert "66.7 % of the pages are found by them" in text, text
        assert "\nstillpoint-online " in text and "\nsharc-selective-online " in text, text
    rows = [
        ("links: a broken line", "cold/0.html\tcold/1.html\nnonsense\n", ":2: a line is two paths"),
        ("links: of another site", "x\ty\n", ": no link is between pages of the history"),
    ]
    for label, content, want in rows:
        with tap.case(label):
            path = tap.write("broken-links.tsv", content)
            tap.refuse(2, path + want, "simulate", "--history", HISTORY, "--links", path)
    with tap.case("links: not where all pages must be known"):
        tap.refuse(2, "not with --links", "simulate", "--history", HISTORY, "--links", graph,
                   "--gain", "canaries")
        tap.refuse(2, "--links has no meaning with --site", "simulate", "--site", "synthetic",
                   "--links", graph)


def evaluations():
    """Pages of one directory change every day, those of the other never, for 1400 days."""
    lines = [line(0, "c0", "A", f"{name}/{i}") for name in ("hot", "cold") for i in range(10)]
    lines += [line(day, f"c{day}", "M", f"hot/{i}") for day in range(1, 1401) for i in range(10)]
    history = tap.write("long.tsv", "".join(lines))
    common = ["simulate", "--history", history, "--start", "1970-04-11"]
    with tap.case("evaluate hacs: keys, and figures that are known"):
        run = tap.load(*common, "--evaluate", "hacs")
        tap.equal(list(run), ["schema", "evaluation", "history", "rows"])
        tap.equal((run["evaluation"], run["history"]), ("hacs", history))
        policies = ["hacs", "random", "brute-force", "last-obs", "all-history", "gamma-poisson",
                    "directory-grid"]
        tap.equal([(row["weeks"], row["policy"]) for row in run["rows"]],
                  [(weeks, policy) for weeks in range(1, 13) for policy in policies])
        for row in run["rows"]:
            tap.equal(list(row), ["policy", "weeks", "threshold", "precision", "recall", "f1",
                                  "macro_precision", "macro_recall", "macro_f1", "weighted_p_at_k",
                                  "log_loss", "average_precision"])
        last = {row["policy"]: row for row in run["rows"][-7:]}
        tap.equal(last["brute-force"]["recall"], 1)
        tap.near(last["brute-force"]["precision"], 0.5, 0.1)
        tap.near(last["directory-grid"]["f1"], 1, 0.02)
        tap.equal(last["last-obs"]["precision"], None)
    with tap.case("evaluate: the same seed gives the same, another does not"):
        texts = [tap.succeed(*common, "--evaluate", "estimators", "--seed", seed)
                 for seed in (1, 1, 2)]
        assert texts[0] == texts[1] != texts[2]
    with tap.case("evaluate predictor: two directories, two rates"):
        run = tap.load(*common, "--evaluate", "predictor")
        tap.equal([(row["classifier"], row["features"]) for row in run["rows"]],
                  [("bayes", "online"), ("c45", "online"), ("bayes", "offline"), ("c45", "offline")])
        for row in run["rows"]:
            tap.equal(list(row), ["classifier", "features", "precision", "histogram"])
            tap.equal((row["precision"], row["histogram"]), (1, [20] + 9 * [0]))
    with tap.case("evaluate estimators: keys"):
        run = tap.load(*common, "--evaluate", "estimators")
        tap.equal(list(run["rows"][0]), ["estimator", "observations", "log_likelihood",
                                         "rate_error"])
        tap.equal(len(run["rows"]), 49)


def refusals():
    rows = [
        # label, content, what the line says
        ("broken line", "100\tc\tA\ta\nnonsense\n", ":2: a line is time, commit"),
        ("times out of order", "100\tc\tA\ta\n99\tc\tA\tb\n", ":2: the time is before that"),
        ("unknown action", "100\tc\tX\ta\n", ":1: 'X' is neither A, M nor D"),
        ("path too long", f"100\tc\tA\t{'x' * 5000}\n", ":1: the path is longer than 4096"),
        ("line too long", f"100\tc\tA\t{'x' * 70000}\n", ":1: the line is too long"),
        ("empty", "", ": the history is empty"),
        ("too short", "100\tc\tA\ta\n200\tc\tM\ta\n", ": 0 days of history are too few"),
        ("cut gzip", gzip.compress(site().encode())[:2000], "unexpected end of file"),
    ]
    for label, content, want in rows:
        with tap.case(f"refused: {label}"):
            path = tap.write("broken.tsv", content)
            tap.refuse(2, f"{path}", "simulate", "--history", path)
            tap.refuse(2, want, "simulate", "--history", path)
    usage = [
        ("no such file", ["--history", "/nowhere"], "/nowhere: No such file"),
        ("strategy", ["--history", HISTORY, "-s", "stilpoint"], "did you mean 'stillpoint"),
        ("gain", ["--history", HISTORY, "--gain", "third-visits"], "did you mean 'third-visit'"),
        ("gain of a single visit", ["--history", HISTORY, "-s", "bfs", "--gain", "canaries"],
         "needs a strategy with revisits"),
        ("two modes", ["--history", HISTORY, "--graph", "x.csv"], "cannot be combined"),
        ("draws", ["--history", HISTORY, "--draws", "0"], "--draws"),
        ("evaluation", ["--evaluate", "x", "--history", HISTORY], "'x' is not hacs, predictor or"),
        ("evaluation of nothing", ["--evaluate", "hacs"], "--evaluate needs --history"),
        ("evaluation with draws", ["--evaluate", "hacs", "--history", HISTORY, "--draws", "3"],
         "--draws has no meaning with --evaluate"),
        ("evaluation of a graph", ["--evaluate", "hacs", "--graph", "x.csv"],
         "--graph has no meaning with --evaluate"),
        ("start", ["--evaluate", "hacs", "--history", HISTORY, "--start", "2015-6-1"],
         "'2015-6-1' is not a date"),
        ("start without evaluation", ["--history", HISTORY, "--start", "2015-06-01"],
         "--start has no meaning with --history"),
        ("too short to evaluate", ["--evaluate", "hacs", "--history", HISTORY],
         "must cover the 156 weeks"),
    ]
    for label, arguments, want in usage:
        with tap.case(f"usage: {label}"):
            tap.refuse(2, want, "simulate", *arguments)


def git(repository, *arguments, time=None):
    environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
    if time:
        environment.update(GIT_COMMITTER_DATE=f"{time} +0000", GIT_AUTHOR_DATE=f"{time} +0000")
    subprocess.run(["git", "-C", repository, "-c", "user.name=n", "-c", "user.email=e@example.org",
                    "-c", "init.defaultBranch=main", *arguments],
                   check=True, capture_output=True, env=environment)


def repository():
    """Two pages; one is changed and the other renamed on a branch; a note; the merge; a deletion."""
    root = tap.path("repository")
    os.makedirs(os.path.join(root, "d"))
    git(root, "init")
    for name in ("a.html", "d/\u00e9.html"):
        with open(os.path.join(root, name), "w") as file:
            file.write(f"{name}\n")
    git(root, "add", ".")
    git(root, "commit", "-m", "first", time=1000000000)
    git(root, "checkout", "-b", "side")
    with open(os.path.join(root, "a.html"), "a") as file:
        file.write("more\n")
    git(root, "mv", "d/\u00e9.html", "d/e.html")
    git(root, "commit", "-am", "side", time=1000000100)
    git(root, "checkout", "main")
    with open(os.path.join(root, "note.txt"), "w") as file:
        file.write("note\n")
    git(root, "add", ".")
    git(root, "commit", "-m", "note", time=1000000200)
    git(root, "merge", "--no-ff", "-m", "merge", "side", time=1000000300)
    git(root, "rm", "a.html")
    git(root, "commit", "-m", "a clock that is slow", time=1000000250)
    return root


def from_git():
    root = repository()
    want = [
        ("1000000000", "A", "a.html"), ("1000000000", "A", '"d/\\303\\251.html"'),
        ("1000000300", "M", "a.html"), ("1000000300", "A", "d/e.html"),
        ("1000000300", "D", '"d/\\303\\251.html"'), ("1000000300", "D", "a.html"),
    ]
    with tap.case("history-from-git: merges, renames, quotes, clocks"):
        output = subprocess.run([HISTORY_FROM_GIT, root, "*.html"], check=True, text=True,
                                capture_output=True).stdout
        rows = [row.split("\t") for row in output.splitlines()]
        tap.equal([(time, kind, path) for time, _, kind, path in rows], want)
        tap.equal(len({commit for _, commit, _, _ in rows}), 3)
    with tap.case("history-from-git: what it prints is read"):
        path = tap.write("from-git.tsv", output)
        tap.refuse(2, "0 days of history are too few", "simulate", "--history", path)
    with tap.case("history-from-git: no repository"):
        result = subprocess.run([HISTORY_FROM_GIT, tap.path("nowhere")], text=True,
                                capture_output=True)
        tap.equal((result.returncode, result.stdout), (1, ""))
        assert "is no git repository" in result.stderr, result.stderr


replays()
links()
evaluations()
refusals()
from_git()
tap.done()
