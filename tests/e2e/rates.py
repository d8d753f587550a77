#!/usr/bin/env python3
"""stillpoint rates: from lists of captures whose rates are known, and from archives of our own."""

import base64
import csv
import datetime
import gzip
import hashlib
import http.server
import io
import json
import os
import random
import subprocess
import threading
import time

import living
import tap

KEYS = ["url", "rate", "low", "high", "observations", "changes", "last_change", "source"]
DAY = 86400
PAGES = 60  # in each of DIRECTORIES
DIRECTORIES = {"news": 3 * DAY, "docs": 200 * DAY}  # mean time between changes


def digest(text):
    return base64.b32encode(hashlib.sha1(text.encode()).digest()).decode()


def stamp(seconds):
    return time.strftime("%Y%m%d%H%M%S", time.gmtime(seconds))


def cdx_line(url, seconds, version, status="200"):
    key = "org,example)" + url[len("http://example.org"):]
    return f"{key} {stamp(seconds)} {url} text/html {status} {digest(url + str(version))} - 1 a.gz\n"


def poisson_pages():
    """Pages of known rates, each seen at random times; lines by page and time, and the rates."""
    draw = random.Random(1)
    lines, rates = [], {}
    for directory, period in DIRECTORIES.items():
        for page in range(PAGES):
            url = f"http://example.org/{directory}/{page}.html"
            rates[url] = draw.gammavariate(1, 1 / period)
            now, version, change = 1.3e9, 0, draw.expovariate(rates[url])
            for _ in range(draw.randint(2, 30)):
                gap = draw.lognormvariate(13.5, 1)
                now += gap
                change -= gap
                if change < 0:  # one or many look alike, and the process has no memory
                    version += 1
                    change = draw.expovariate(rates[url])
                lines.append(cdx_line(url, now, version))
    return lines, rates


def rates(*arguments):
    return {row["url"]: row
            for row in map(json.loads, tap.succeed("rates", *arguments, "--json").splitlines())}


LINES, TRUTH = poisson_pages()
CDX = tap.write("all.cdx", " CDX N b a m s k r V g\n" + "".join(LINES))
ANSWERS = rates(CDX)

with tap.case("the contract of JSON"):
    tap.equal(sorted(ANSWERS), sorted(TRUTH))
    for row in ANSWERS.values():
        tap.equal(list(row), KEYS)
        assert 0 < row["low"] < row["rate"] < row["high"], row
        tap.equal(row["source"], "cdx")
        tap.equal(row["last_change"] is None, row["changes"] == 0)

with tap.case("intervals cover the true rates about as often as they say"):
    covered = sum(ANSWERS[url]["low"] <= rate <= ANSWERS[url]["high"] for url, rate in TRUTH.items())
    share = covered / len(TRUTH)  # the draw is fixed; 95 % are due
    assert 0.89 <= share <= 0.995, share

with tap.case("observations and changes are those of the list"):
    for url in list(TRUTH)[::10]:
        seen = [line.split()[5] for line in LINES if line.split()[2] == url]
        tap.equal(ANSWERS[url]["observations"], len(seen))
        tap.equal(ANSWERS[url]["changes"], sum(a != b for a, b in zip(seen, seen[1:])))

with tap.case("a list in two files, overlapping and in another order, is the same list"):
    first = tap.write("first.cdx", "".join(reversed(LINES[:len(LINES) * 2 // 3])))
    second = tap.write("second.cdx.gz", gzip.compress("".join(LINES[len(LINES) // 3:]).encode()))
    for url, row in rates(second, first, first).items():
        for key in ("rate", "low", "high"):  # sums in another order
            tap.near(row[key], ANSWERS[url][key], 1e-6 * row[key])
            row[key] = ANSWERS[url][key]
        tap.equal(row, ANSWERS[url])

with tap.case("CDXJ gives what CDX gives"):
    rows = [line.split() for line in LINES]
    cdxj = tap.write("all.cdxj", "".join(
        f'{r[0]} {r[1]} {{"url":"{r[2]}","status":"200","digest":"sha1:{r[5]}"}}\n' for r in rows))
    got = rates(cdxj)
    for url, row in ANSWERS.items():
        tap.equal(got[url], {**row, "source": "cdxj"})

with tap.case("a page without captures of its own has the rate of its directory"):
    news, docs = (tap.succeed("rates", CDX, "--explain", f"http://example.org/{name}/new.html")
                  for name in DIRECTORIES)
    assert "none: the prior stands" in news, news
    per_second = [float(text.split(" per second")[0].split()[-1]) for text in (news, docs)]
    assert 0.5 < per_second[0] * DIRECTORIES["news"] < 2, per_second
    # what other directories do counts as ten pages, so a calm one looks less calm than it is
    assert 0.5 < per_second[1] * DIRECTORIES["docs"] < 10, per_second

with tap.case("explain: prior, evidence, both"):
    url = list(TRUTH)[0]
    text = tap.succeed("rates", CDX, "--explain", url, "--at", "2012-12-31")
    for want in (url, "example.org/news/ (60 with captures to compare)", "all pages (120",
                 f"{ANSWERS[url]['observations']} captures, ", "alone, without the prior: once in",
                 f"{ANSWERS[url]['rate']:.3g} per second", "by 2013-01-08T00:00:00Z: "):
        assert want in text, (want, text)

with tap.case("TimeMaps tell times, and nothing about changes"):
    timemap = tap.write("timemap", '<http://example.org/docs/t.html>; rel="original",\n' + ",\n".join(
        f'<http://a.example/{n}>; rel="memento"; datetime="Mon, {n + 10} Jan 2016 23:24:25 GMT"'
        for n in range(5)))
    row = rates(CDX, timemap)["http://example.org/docs/t.html"]
    tap.equal((row["observations"], row["changes"], row["last_change"], row["source"]),
              (5, None, None, "class"))
    assert "no two of them can be compared" in tap.succeed(
        "rates", timemap, "--explain", "http://example.org/docs/t.html")

with tap.case("--at: what was not known then does not count, in any form"):
    url, later = "http://example.org/at", "http://example.org/later"
    early = [cdx_line(url, 1.2e9 + n * 1e6, 1) for n in range(4)]
    late = [cdx_line(url, 1.3e9 + n * 1e6, n) for n in range(5)] + [cdx_line(later, 1.31e9, 1)]
    now, then = tap.write("now.cdx", "".join(early + late)), tap.write("then.cdx", "".join(early))
    for form in (["--json"], [], ["--csv"], ["--explain", url], ["--due", "--threshold", "0"],
                 ["--per", "site"], ["--change", "payload"]):
        tap.equal(tap.succeed("rates", now, *form, "--at", "2008-06-01"),
                  tap.succeed("rates", then, *form, "--at", "2008-06-01"))
        assert tap.succeed("rates", now, *form, "--at", "2008-06-01") != \
            tap.succeed("rates", now, *form, "--at", "2012-06-01"), form
    tap.equal(rates(now, "--at", "2000-01-01"), {})

with tap.case("--change links: lists of others count captures, and no change of a payload"):
    row = rates(CDX, "--change", "links")[list(TRUTH)[0]]
    tap.equal((row["observations"], row["changes"]), (ANSWERS[list(TRUTH)[0]]["observations"], None))

with tap.case("explain: the prior stands only where the figure is the prior's"):
    listed = "http://example.org/docs/listed.html"
    sitemap = tap.write("s.xml", f"<urlset><url><loc>{listed}</loc>"
                        "<lastmod>2001-01-01T00:00:00Z</lastmod></url></urlset>")
    for extra in ([], [tap.write("one.cdx", cdx_line(listed, 1.3e9, 1))]):
        text = tap.succeed("rates", CDX, sitemap, *extra, "--explain", listed)
        prior = text.split("example.org/docs/ (")[0].splitlines()[-1].strip()
        assert ("the prior stands" in text) == (f"changes {prior}:" in text), text

with tap.case("errors and redirects are no states of a page"):
    url = "http://example.org/x"
    file = tap.write("status.cdx", cdx_line(url, 1e9, 1) + cdx_line(url, 1.1e9, 2, "503")
                     + cdx_line(url, 1.2e9, 3, "302") + cdx_line(url, 1.3e9, 1, "-"))
    row = rates(file)[url]
    tap.equal((row["observations"], row["changes"]), (2, 0))

with tap.case("due: likeliest first, above the threshold, at most so many"):
    arguments = ["--due", "--at", "2012-12-31", "--threshold", "0.9"]
    due = [json.loads(line)
           for line in tap.succeed("rates", CDX, *arguments, "--json").splitlines()]
    chances = [row["probability"] for row in due]
    assert 0 < len(due) < len(TRUTH) and min(chances) >= 0.9, chances
    tap.equal(chances, sorted(chances, reverse=True))
    few = tap.succeed("rates", CDX, *arguments, "--json", "--limit", 3).splitlines()
    tap.equal([json.loads(line) for line in few], due[:3])

with tap.case("due: later is likelier"):
    soon, late = (rates(CDX, "--due", "--threshold", 0, "--at", "2011-03-31", "--within", within)
                  for within in ("1h", "30d"))
    assert all(soon[url]["probability"] <= late[url]["probability"] for url in soon)
    assert any(soon[url]["probability"] < late[url]["probability"] for url in soon)

with tap.case("per site: any of its pages changes"):
    other = tap.write("other.cdx", cdx_line("http://example.org/a", 1e9, 1).replace(
        "http://example.org/", "https://other.example/"))
    site = rates(CDX, other, "--per", "site")
    tap.equal(sorted(site), ["http://example.org/", "https://other.example/"])
    row = site["http://example.org/"]
    tap.equal(row["changes"], sum(row["changes"] for row in ANSWERS.values()))
    assert row["low"] < sum(row["rate"] for row in ANSWERS.values()) < row["high"], row

with tap.case("CSV is what plan, simulate and crawl --rates read"):
    text = tap.succeed("rates", CDX, "--csv")
    table = list(csv.DictReader(io.StringIO(text)))
    tap.equal([float(row["rate"]) for row in table],
              [ANSWERS[row["url"]]["rate"] for row in table])
    file = tap.write("rates.csv", text)
    tap.equal(tap.load("plan", file)["pages"], len(TRUTH))
    tap.succeed("simulate", "--graph", file, "--strategy", "stillpoint")
    tap.succeed("train", file, "-o", tap.path("offline.model"), "--features", "offline")
    for row in csv.DictReader(io.StringIO(tap.succeed("rates", CDX, "--csv", "--at", "2012-12-31"))):
        age = datetime.datetime(2013, 1, 1) - datetime.datetime.fromisoformat(
            row["last_change"].rstrip("Z") or "2013-01-01")
        tap.near(float(row["days_since_change"] or 0), age.total_seconds() / 86400, 1e-3)
    due = tap.write("due.csv", tap.succeed("rates", CDX, "--csv", "--due", "--threshold", "0"))
    tap.equal(tap.load("plan", due)["pages"], len(TRUTH))

with tap.case("lines that cannot be read are passed over and told"):
    file = tap.write("bad.cdx", LINES[0] + "what is this\n" + LINES[1])
    done = tap.run("rates", file, "--json")
    tap.equal(done.returncode, 0)
    assert "passed over 1 unreadable lines (first: line 2)" in done.stderr, done.stderr

with tap.case("nothing known"):
    tap.equal(tap.succeed("rates", tap.write("empty", ""), "--json"), "")

with living.Site("site", "--pages", 12, "--mean-rate", "0.2", "--seed", 3) as site:
    ARCHIVE = tap.path("living")
    for _ in range(2):
        done = living.crawl(site, ARCHIVE, "--delay", "100ms")
        tap.equal(done.returncode, 0)
    with tap.case("an archive of our own: two captures of a living site"):
        got = rates(ARCHIVE)
        pages = [row for row in got.values() if row["changes"] is not None]
        assert len(pages) >= 10, got
        tap.equal({row["source"] for row in pages}, {"archive+last-modified"})
        for row in pages:
            assert row["observations"] >= 3, row

    with tap.case("changes of an archive are those of its WARC files"):
        warcs = rates(*living.warc_files(ARCHIVE))
        compared = 0
        for url, row in got.items():
            if row["changes"] is not None and url in warcs:
                compared += 1
                assert abs(warcs[url]["changes"] - row["changes"]) <= 1, (row, warcs[url])
        assert compared >= 10, compared

    with tap.case("a WACZ file is what its WARC files are, and Last-Modified counts"):
        package = tap.path("living.wacz")
        tap.succeed("export", ARCHIVE, "--wacz", package)
        packed = rates(package)
        assert all("last-modified" in packed[url]["source"] for url in got), packed
        for url, row in warcs.items():
            tap.equal((packed[url]["observations"], packed[url]["changes"]),
                      (row["observations"], row["changes"]))

    with tap.case("its CSV is taken by the next crawl"):
        file = tap.write("living.csv", tap.succeed("rates", ARCHIVE, "--csv"))
        tap.equal(living.crawl(site, ARCHIVE, "--delay", "0s", "--rates", file).returncode, 0)

with tap.case("noise is no change"):
    archive = tap.path("noisy")
    with living.Site("noisy-site", "--pages", 20, "--noise", "nonce,comment",
                     "--rates", "constant:0") as site:
        for _ in range(2):
            tap.equal(living.crawl(site, archive, "--delay", 0).returncode, 0)
    report = tap.load("report", archive)
    tap.equal((report["sharp"], report["sharp_bytes"]), (20, 0))
    rows = rates(archive).values()
    tap.equal({(row["observations"], row["changes"]) for row in rows}, {(4, 0)})

class Words(http.server.BaseHTTPRequestHandler):
    """A site with a sitemap; pages have links, text, Last-Modified and lies as VERSION says."""
    version = 0
    asked = set()

    def log_message(self, *_):
        pass

    def do_GET(self):
        pages = {"/": "".join(f'<a href="/{n}">x</a>' for n in ("still", "text", "links", "liar/1")),
                 "/still": "still", "/text": f"text {self.version}", "/liar/1": f"lie {self.version}",
                 "/links": "".join(f'<a href="/?{n}">x</a>' for n in range(3 + self.version))}
        body = pages.get(self.path)
        if self.path == "/sitemap.xml":
            body = "<urlset>" + "".join(
                f"<url><loc>http://{self.headers['Host']}{path}</loc><lastmod>2020-01-01</lastmod>"
                f"<changefreq>{word}</changefreq></url>" for path, word in
                (("/still", "yearly"), ("/daily/new", "daily"))) + "</urlset>"
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/xml" if "xml" in self.path else "text/html")
        if self.path.startswith("/liar"):
            self.send_header("Last-Modified", "Mon, 06 Jan 2020 00:00:00 GMT")
        self.end_headers()
        self.wfile.write((body or "none").encode())
        self.asked.add(self.path)


with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Words) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_address[1]}"
    archive = tap.path("words")
    for Words.version in range(3):
        tap.equal(tap.run("crawl", home + "/", "-o", archive, "--delay", 0).returncode, 0)
    watched = tap.path("watched")
    watch = subprocess.Popen(
        [tap.PROGRAM, "watch", tap.write("watched.yaml", f"archive: {watched}\ndelay: 0\n"
                                         f"budget: {{requests: 60/second}}\nsites:\n  - url: {home}/\n")],
        stderr=subprocess.DEVNULL)
    for Words.version in range(3):
        Words.asked, deadline = set(), time.monotonic() + 120
        while not {"/still", "/text", "/links"} <= Words.asked and time.monotonic() < deadline:
            time.sleep(0.05)
    watch.terminate()
    tap.equal(watch.wait(timeout=60), 0)
    server.shutdown()

with tap.case("what counts as a change: content, payload or new links"):
    for change, want in (("content", (0, 2, 2)), ("payload", (0, 2, 2)), ("links", (0, 0, 2))):
        got = rates(archive, "--change", change)
        tap.equal(tuple(got[home + page]["changes"] for page in ("/still", "/text", "/links")), want)

with tap.case("of a watch, looks with a change count as those without"):
    by_content, by_links = rates(watched), rates(watched, "--change", "links")
    for page, content, links in (("/still", 0, 0), ("/text", 2, 0), ("/links", 2, 2)):
        found = [rows[home + page] for rows in (by_content, by_links)]
        tap.equal([row["changes"] for row in found], [content, links])
        tap.equal(found[0]["observations"], found[1]["observations"])

with tap.case("changefreq and lastmod of a sitemap; a Last-Modified that lies has no say"):
    got = rates(archive)
    assert "sitemap" in got[home + "/still"]["source"], got[home + "/still"]
    tap.equal(got[home + "/liar/1"]["source"], "archive")
    text = tap.succeed("rates", archive, "--explain", home + "/still")
    assert "/sitemap:yearly/" in text and "Last-Modified of this host contradicts" in text, text

with tap.case("a sitemap file: words, and a lastmod as of the file's time"):
    sitemap = tap.write("sitemap.xml.gz", gzip.compress(
        b"<?xml version='1.0'?><urlset>" + b"".join(
            b"<url><loc>http://s.example/%s</loc>%s</url>" % row for row in (
                (b"", b"<changefreq>always</changefreq>"), (b"d", b"<changefreq>daily</changefreq>"),
                (b"old", b"<lastmod>2001-01-01</lastmod>"), (b"none", b""))) + b"</urlset>"))
    got = rates(sitemap)
    tap.near(got["http://s.example/"]["rate"], 1 / 60, 1e-9)
    tap.near(got["http://s.example/d"]["rate"], 1 / 86400, 1e-9)
    assert got["http://s.example/old"]["rate"] < 0.1 * got["http://s.example/none"]["rate"], got
    tap.equal([row["source"] for row in got.values()], ["sitemap", "sitemap", "class", "sitemap"])
    assert "its sitemap: daily" in tap.succeed("rates", sitemap, "--explain", "http://s.example/d")
    tap.refuse(2, "a sitemap has no captures", "import", tap.path("never.stillpoint"), sitemap)

with tap.case("contents of pages, for train"):
    text = tap.succeed("rates", archive, "--csv", "--contents")
    rows = {row["url"][len(home):]: [row[key] for key in ("images", "tables", "out_links", "in_links")]
            for row in csv.DictReader(io.StringIO(text))}
    tap.equal((rows["/"], rows["/still"], rows["/links"], rows["/?1"]),
              (["0", "0", "4", "0"], ["0", "0", "0", "1"], ["0", "0", "3", "1"], [""] * 4))
    tap.succeed("train", tap.write("contents.csv", text), "-o", tap.path("contents.model"), "-f", "offline")
    tap.equal(tap.load("plan", tap.path("contents.csv"))["pages"], len(rows))

with tap.case("a home page, and a site"):
    tap.equal(list(rates(archive, "--per", "homepage")), [home + "/"])
    assert rates(archive, "--per", "site")[home + "/"]["changes"] > 4

with tap.case("a model in the archive speaks for pages without captures"):
    table = tap.write("rates.csv", "url,rate\n" + "".join(
        f"{home}/{kind}/{n}.html,{rate}\n" for n in range(30) for kind, rate in (("hot", 1), ("cold", 1e-7))))
    tap.succeed("train", table, "-o", os.path.join(archive, "rates.model"))
    hot, cold = (float(tap.succeed("rates", archive, "--explain", f"{home}/{kind}/77.html")
                       .split(" per second")[0].split()[-1]) for kind in ("hot", "cold"))
    assert hot > 3 * cold, (hot, cold)

with tap.case("import: kept in the archive, and nothing twice"):
    want = rates(ARCHIVE, CDX)
    captures = sum(row["observations"] for row in ANSWERS.values())
    for added, known in ((captures, 0), (0, captures)):
        tap.equal(tap.succeed("import", ARCHIVE, CDX),
                  f"imported {added} captures of {len(TRUTH)} pages; {known} were there already\n")
        for url, row in rates(ARCHIVE).items():
            tap.near(row["rate"], want[url]["rate"], 1e-6 * row["rate"])
            tap.equal({**want[url], **{key: row[key] for key in ("rate", "low", "high")}}, row)

with tap.case("import: the archive is as sound as before"):
    tap.equal(tap.run("verify", ARCHIVE).returncode, 0)

with tap.case("import: what cannot be read leaves the archive alone"):
    before = rates(ARCHIVE)
    tap.refuse(2, "not a list of captures", "import", ARCHIVE, cdxj, tap.write("prose", "Dear Sir,\n"))
    tap.equal(rates(ARCHIVE), before)

with tap.case("import: into a new archive, but not when a file cannot be read"):
    new = tap.path("new.stillpoint")
    tap.refuse(2, "not a list of captures", "import", new, CDX, tap.path("prose"))
    assert not os.path.exists(new)
    tap.succeed("import", new, CDX)
    tap.equal({url: (row["observations"], row["changes"]) for url, row in rates(new).items()},
              {url: (row["observations"], row["changes"]) for url, row in ANSWERS.items()})
    tap.equal(tap.run("verify", new).returncode, 0)
    tap.refuse(1, "nowhere", "import", tap.path("nowhere/new"), CDX)

for label, want, *arguments in [
        ("no file", "No such file or directory", tap.path("nowhere")),
        ("not a list", "not a list of captures", tap.write("prose", "Dear Sir,\n")),
        ("bytes with tabs", "not a list of captures", tap.write("bytes", b"\0k\tp\t\1\t\2\t\n" * 9)),
        ("half a WACZ file", "half.wacz", tap.write("half.wacz", b"PK\3\4" + bytes(99))),
        ("two forms", "exclude each other", CDX, "--json", "--csv"),
        ("limit alone", "need --due", CDX, "--limit", "3"),
        ("contents as JSON", "--contents needs --csv", CDX, "--json", "--contents"),
        ("within alone", "needs --due", CDX, "--within", "3d"),
        ("a bad date", "--at: 'soon' is no time", CDX, "--due", "--at", "soon"),
        ("explain no URL", "--explain: 'here' is not an http or https URL", CDX, "--explain", "here"),
        ("explain as JSON", "--explain is for one page", CDX, "--explain", "http://a/", "--json")]:
    with tap.case(f"refused: {label}"):
        tap.refuse(2, want, "rates", *arguments)

with tap.case("refused: a directory that is no archive"):
    os.mkdir(tap.path("empty-directory"))
    tap.refuse(1, "not an archive", "rates", tap.path("empty-directory"))

tap.done()
