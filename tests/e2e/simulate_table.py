#!/usr/bin/env python3
"""stillpoint-lab simulate --table and --site: the papers' figures, and the contract of the output."""

import json

import tap

KEYS = ["table", "row", "strategy", "metric", "paper", "ours", "stderr", "note"]
NAMES = ["sharc-fig6", *(f"sharc-{i}" for i in range(11, 22)), "solar-1", "solar-2",
         *(f"online-{told}" for told in ("exact", "half", "twice", "none")),
         "limits", "servers-4", "groups"]

EXPECTED = [
    # of solar-2: row, strategy, the expected value that an independent computation gives
    ("skewed", "hottest-middle-online", 672.271),
    ("smooth", "hottest-middle-online", 455.512),
    ("skewed", "sharc-selective-online", 731.559),
    ("smooth", "sharc-selective-online", 536.198),
    ("skewed", "solar-online", 673.568),
    ("smooth", "solar-online", 482.542),
]

BAD = [
    # label, what the message says, arguments
    ("unknown table", "did you mean 'sharc-11'?", "--table", "sharc11"),
    ("unknown table, far off", "--table list", "--table", "xyzzy"),
    ("no table", "unknown table ''", "--table", ""),
    ("runs 0", "--runs must be at least 1", "--table", "solar-1", "--runs", "0"),
    ("threads 0", "--threads must be at least 1", "--table", "solar-1", "--threads", "0"),
    ("negative seed", "--seed", "--table", "solar-1", "--seed=-1"),
    ("two modes", "cannot be combined", "--table", "solar-1", "--site", "synthetic"),
    ("an option of another mode", "--delay has no meaning with --table", "--table", "solar-1",
     "--delay", "3"),
    ("an option of another mode, again", "--runs has no meaning with --graph", "--graph", "x.csv",
     "--runs", "3"),
    ("unknown key", "unknown key 'pages'", "--site", "synthetic:pages=3"),
    ("bad number", "skew must be a number from 0 to 10, not 'x'", "--site", "synthetic:skew=x"),
    ("bad word", "leaves must be cold, hot or mixed, not 'warm'", "--site",
     "synthetic:leaves=warm"),
    ("too many pages", "n must be a whole number", "--site", "synthetic:n=99999999"),
    ("unknown kind of site", "is not a kind of site", "--site", "real:n=3"),
    ("unknown strategy in a list", "did you mean 'bfs-lifo'?", "--site", "synthetic", "-s",
     "bfs,bsf-lifo"),
    ("no pages left", "--estimate-error must be above -1", "--site", "synthetic",
     "--estimate-error=-1"),
    ("all fail", "--failures", "--site", "synthetic", "--failures", "1"),
    ("a factor below 1", "--rate-error must be at least 1", "--site", "synthetic", "--rate-error",
     "0.5"),
]


# Those that are played on recorded histories or under watch.
LABS = ["sampling-policies", "sampling-depth", "sampling-phi", "sampling-cycles",
        "fresh-synthetic", "fresh-history", "order-web", "order-history"]


def table(*arguments):
    return tap.load("simulate", "--table", *arguments)


def lists():
    with tap.case("the list"):
        text = tap.succeed("simulate", "--table", "list")
        tap.equal([line.split()[0] for line in text.splitlines()], NAMES + LABS)
    with tap.case("the list as JSON"):
        tap.equal([entry["table"] for entry in table("list")], NAMES + LABS)


def figures():
    with tap.case("the same for any number of threads"):
        rows = table("solar-2", "--runs", 4, "--threads", 1)
        tap.equal(rows, table("solar-2", "--runs", 4, "--threads", 5))
    for name, document in ("solar-2", rows), ("sharc-21", table("sharc-21", "--runs", 1)):
        with tap.case(f"{name}: form"):
            for row in document:
                tap.equal(list(row), KEYS)
                tap.equal(row["table"], name)
            assert any(row["strategy"].startswith("stillpoint") for row in document)
    for row, strategy, want in EXPECTED:
        with tap.case(f"solar-2: {row}, {strategy}"):
            expected, simulated = (entry for entry in rows
                                   if (entry["row"], entry["strategy"]) == (row, strategy))
            assert expected["metric"] == "expected_" + simulated["metric"], expected
            tap.near(expected["stderr"], 0, 1e-9)
            tap.near(expected["ours"], want, 0.0005)
            tap.near(simulated["ours"], expected["ours"], 4 * simulated["stderr"])
    with tap.case("what is printed in the papers stands beside it"):
        by = {(r["row"], r["strategy"], r["metric"]): r["paper"] for r in rows}
        tap.equal(by["smooth", "solar-online", "expected_coherence"], 459.799)
        tap.equal(by["smooth", "solar-online", "coherence"], 455)
        tap.equal(by["smooth", "stillpoint-online", "coherence"], None)
    with tap.case("what cannot be reproduced is said"):
        notes = {r["note"] for r in rows if r["strategy"] == "solar-online"}
        assert all("not reproduced" in note for note in notes), notes


def texts():
    with tap.case("text, and both at once"):
        file = tap.path("fig6.txt")
        document = tap.load("simulate", "--table", "sharc-fig6", "--text", file)
        text = tap.succeed("simulate", "--table", "sharc-fig6")
        with open(file, encoding="utf-8") as written:
            tap.equal(written.read(), text)
        assert "example-6" in text and "176.000" in text, text
        tap.equal((document[0]["paper"], document[0]["stderr"]), (145, None))
        tap.near(document[0]["ours"], 176, 1e-9)
    with tap.case("the text cannot be written"):
        tap.refuse(1, "/nowhere/x: No such file", "simulate", "--table", "sharc-fig6", "--text",
                   "/nowhere/x")


def site(*arguments):
    return tap.load("simulate", "--site", *arguments)


def sites():
    with tap.case("a synthetic site"):
        study = site("synthetic:n=500,outdegree=20", "-s", "stillpoint,bfs,op,bfs", "--runs", 30,
                     "--delay", "0.5")
        tap.equal([s["strategy"] for s in study["strategies"]], ["stillpoint-online", "bfs", "op"])
        tap.equal((study["pages"], study["delay"], study["runs"]), (500, 0.5, 30))
        ours, bfs, _ = study["strategies"]
        tap.equal((bfs["expected_coherence"], bfs["coherence_stderr"]), (None, None))
        tap.near(ours["coherence"], ours["expected_coherence"], 4 * ours["coherence_stderr"])
        tap.near(bfs["blur"], bfs["expected_blur"], 4 * bfs["blur_stderr"])
    with tap.case("the seed counts"):
        zero, again, one = (site("synthetic:n=50", "-s", "bfs", "--runs", 2, "--seed", seed)
                            ["strategies"] for seed in (0, 0, 1))
        assert zero == again != one
    with tap.case("all strategies"):
        strategies = site("synthetic:n=50", "-s", "all", "--runs", 1)["strategies"]
        assert len(strategies) == 25, len(strategies)
        tap.equal((strategies[-1]["strategy"], strategies[-1]["blur_stderr"]), ("op", None))
    with tap.case("a wrong size"):
        blur = [site("synthetic:leaves=hot", "-s", "sharc-online", "--runs", 1,
                     f"--estimate-error={error}")["strategies"][0]["expected_blur"]
                for error in (-0.1, 0, 1)]
        for got, want in zip(blur, (1.47, 1.24, 2.29)):
            tap.near(got, want, 0.005)
    with tap.case("failures, late links and wrong rates"):
        study = site("synthetic:n=300,outdegree=10,leaves=mixed", "-s", "stillpoint,bfs-fifo",
                     "--failures", 0.2, "--late", 0.1, "--rate-error", 3, "--runs", 4)
        tap.equal((study["failures"], study["late"], study["rate_error"]), (0.2, 0.1, 3))
        for strategy in study["strategies"]:
            assert strategy["pages"] < 300, strategy
            assert strategy["coherence"] < strategy["pages"], strategy
    with tap.case("text"):
        text = tap.succeed("simulate", "--site", "synthetic:n=50", "-s", "bfs,bfs-lifo")
        assert "bfs-lifo" in text and "50 pages" in text, text


def bad_usage():
    for label, want, *arguments in BAD:
        with tap.case(label):
            tap.refuse(2, want, "simulate", *arguments)
    with tap.case("the document is one line"):
        text = tap.succeed("simulate", "--table", "sharc-fig6", "--json")
        tap.equal(text.count("\n"), 1)
        json.loads(text)


lists()
figures()
texts()
sites()
bad_usage()
tap.done()
