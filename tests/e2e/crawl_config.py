#!/usr/bin/env python3
"""crawl --config: several sites with their own settings, what the command line changes, what
--print-config writes, and where errors are said to be."""

import contextlib
import os
import sqlite3

import living
import rawserver
import tap
from rawserver import page


def site():
    """Links to a few pages in two directories."""
    def answer(request):
        if request.path == "/":
            return page(b'<a href="/news/">n</a><a href="/other">o</a><a href="/x.pdf">p</a>')
        if request.path == "/news/":
            return page(b'<a href="/news/1">1</a><a href="/other">o</a>')
        known = ("/news/1", "/other", "/x.pdf")
        return page(request.path.encode()) if request.path in known else rawserver.NOT_FOUND
    return rawserver.Server(answer)


def settings(archive):
    """Of all captures, in their order."""
    with contextlib.closing(sqlite3.connect(os.path.join(archive, "catalog.sqlite"))) as database:
        rows = database.execute("SELECT settings FROM capture ORDER BY id").fetchall()
    return [dict(line.split(" ", 1) for line in text.splitlines()) for text, in rows]


def pages(archive, capture, server):
    """Which pages of a capture were taken."""
    rows = tap.load("report", archive, "--capture", capture)["verdicts"]
    return sorted(row["url"][len(server.url) - 1:] for row in rows if row["verdict"] == "sharp")


def target(record):
    return record.fields.get("WARC-Target-URI", "")


QUICK = "delay: 1ms\nno-sitemaps: true\nno-probes: true\n"

with site() as one, site() as two:
    CONFIG = tap.write("two.yaml", f"""\
# Two sites, each with its own settings.
archive: {tap.path("two.stillpoint")}
budget: {{requests: 20000/day, bytes: 5G/day}}   # of a watch, as are these:
policy: fresh
retention: 30d
windows: 22-06
{QUICK}exclude: "pdf$"
sites:
  - url: {one.url}
    max-pages: 2
  - url: [{two.url}news/]
    scope: prefix
    delay: 2ms
    exclude: []
    weights: {{"*/today*": 5}}
    ignore: {tap.write("rules", "select .advert")}
""")

    with tap.case("sites with settings of their own"):
        tap.equal(tap.run("crawl", "--config", CONFIG, "-q").returncode, 0)
        archive = tap.path("two.stillpoint")
        first, second = settings(archive)
        tap.equal((first["delay"], first["max_pages"], first["excludes"]), ("0.001", "2", "pdf$"))
        tap.equal((second["delay"], second["scope"], second["seeds"], second["ignore"]),
                  ("0.002", "1", two.url + "news/", "select .advert"))
        assert "excludes" not in second, second
        tap.equal(len(pages(archive, 1, one)), 2)
        tap.equal(pages(archive, 2, two), ["/news/", "/news/1"])
        tap.equal(tap.load("verify", archive)["problems"], [])
        tap.equal(tap.load("verify", "--warc-only", archive)["problems"], [])

    with tap.case("each WARC file tells the rules of its captures only"):
        rules = {}
        for name in living.warc_files(archive):
            for record in living.records(name):
                if record.type == "warcinfo":
                    info = record.content()
                    rules[info.get("stillpoint-delay")] = info.get("stillpoint-ignore")
                    assert "stillpoint-max-pages" not in info, info
        tap.equal(rules, {"0.001": None, "0.002": "select .advert"})

    with tap.case("the command line goes before the file, and adds sites"):
        archive = tap.path("over.stillpoint")
        tap.equal(tap.run("crawl", two.url + "other", "--config", CONFIG, "-o", archive, "-q",
                          "--max-pages", 1, "--exclude", "never").returncode, 0)
        kept = settings(archive)
        tap.equal([s["max_pages"] for s in kept], ["1", "1", "1"])
        tap.equal([s["excludes"] for s in kept], ["never"] * 3)
        tap.equal([s["delay"] for s in kept], ["0.001", "0.002", "0.001"])
        tap.equal(kept[2]["seeds"], two.url + "other")

    with tap.case("--print-config writes what is read as the same"):
        printed = tap.succeed("crawl", "--config", CONFIG, "--print-config", "--jobs", 3,
                              "--exclude", 'a "b" \\. #x', "--user-agent", "é: x")
        again = tap.succeed("crawl", "--config", tap.write("again.yaml", printed), "--print-config")
        tap.equal(again, printed)
        assert "\njobs: 3\n" in printed and "\n    delay: 0.002\n" in printed, printed
        plain = tap.succeed("crawl", one.url, "--print-config", "--delay", "2", "--single")
        assert "\ndelay: 2\n" in plain and "\nsingle: true\n" in plain, plain
        assert f"\n  - url: \"{one.url}\"\n" in plain or f"\n  - url: {one.url}\n" in plain, plain

    with tap.case("--print-config makes no archive, and tells no secret"):
        printed = tap.succeed("crawl", one.url, "-o", tap.path("none"), "--print-config", "--auth",
                              "me:geheim", "--header", "X-Key: geheim")
        assert "geheim" not in printed and "# auth: not written" in printed, printed
        assert not os.path.exists(tap.path("none"))

    with tap.case("passwords in a file that others can read are warned of"):
        path = tap.write("secret.yaml", "auth: http://me:x@127.0.0.1/\n"
                         f"sites: [{{url: '{one.url}'}}]\n")
        for mode, warned in ((0o644, True), (0o600, False)):
            os.chmod(path, mode)
            result = tap.run("crawl", "--config", path, "--print-config")
            tap.equal("other users can read" in result.stderr, warned)

    with tap.case("resume keeps the settings of each"):
        archive = tap.path("resumed.stillpoint")
        tap.succeed("crawl", "--config", CONFIG, "-o", archive, "-q")
        kept = settings(archive)
        with contextlib.closing(sqlite3.connect(archive + "/catalog.sqlite")) as database:
            database.execute("UPDATE capture SET state = 0, finished = 0")
            database.commit()
        tap.equal(tap.run("resume", archive, "-q").returncode, 0)
        tap.equal(settings(archive), kept)
        tap.equal(tap.load("verify", archive)["problems"], [])

    with tap.case("--warc-per-site: a series of files for each"):
        archive = tap.path("series.stillpoint")
        tap.succeed("crawl", "--config", CONFIG, "-o", archive, "-q", "--warc-per-site",
                    "--warc-prefix", "lib")
        for server, capture in ((one, 1), (two, 2)):
            port = server.url.rstrip("/").rsplit(":", 1)[1]
            names = [name for name in os.listdir(archive + "/warc")
                     if name.startswith(f"lib-127.0.0.1-{port}-")]
            assert names, os.listdir(archive + "/warc")
            other = (two if server is one else one).url
            for name in names:
                for record in living.records(os.path.join(archive, "warc", name)):
                    assert not target(record).startswith(other), (name, target(record))
        tap.equal(tap.load("verify", archive)["problems"], [])

ERRORS = [
    ("unknown key", "sites:\n  - urll: x\n", "f.yaml:2:5: unknown key 'urll', did you mean 'url'?"),
    ("a key for the crawl in a site", "sites:\n  - url: http://a/\n    lanes: 3\n",
     "f.yaml:3:5: 'lanes' is for all sites together; put it at the top"),
    ("missing key", "sites:\n  - delay: 2\n", "f.yaml:2:5: the key 'url' is missing"),
    ("wrong kind", "sites: 5\n", "f.yaml:1:8: sites needs a list"),
    ("no URL", "delay: 2\n", "a URL is missing"),
    ("bad value", "delay: fast\nsites: [{url: 'http://a/'}]\n", "f.yaml:1:8: delay needs auto or a time such as 30, 1.5s, 20m or 2h, not 'fast'"),
    ("not a URL", "sites:\n  - url: ftp://x/\n", "f.yaml:2:10: 'ftp://x/' is not an http"),
    ("not a pattern", "exclude: ['a', '(']\n", "f.yaml:1:16: exclude '('"),
    ("no such file", "sites:\n  - {url: http://a/, cacert: /no/such}\n", "f.yaml:2:30: cacert is wrong: /no/such"),
    ("duplicate", "delay: 1\ndelay: 2\n", "f.yaml:2:1: duplicate key 'delay'"),
    ("two names", "output: a\narchive: b\n", "f.yaml:2:10: archive and output are the same"),
    ("not YAML", "a: [\n", "f.yaml:2:1: "),
    ("within", "config: x\n", "f.yaml:1:1: 'config' is for the command line only"),
]
for label, text, want in ERRORS:
    with tap.case(f"error: {label}"):
        tap.refuse(2, want, "crawl", "--config", tap.write("f.yaml", text))

with tap.case("error: no such file"):
    tap.refuse(2, "none.yaml: No such file", "crawl", "--config", tap.path("none.yaml"))

with tap.case("more combinations than lanes are refused"):
    text = "".join(f"  - {{url: http://127.0.0.1:8080/, delay: {i}}}\n" for i in range(1, 300))
    tap.refuse(2, "more than 256 different combinations", "crawl", "-o", tap.path("many"),
               "--config", tap.write("many.yaml", "sites:\n" + text))

tap.done()
