#!/usr/bin/env python3
"""stillpoint report --html: what its page shows in Chromium, held against --json; --csv and the
lists of requests."""

import csv
import io
import json
import os
import re
import shutil
import subprocess

import rawserver
import tap

SRCDIR = os.environ["SRCDIR"]
PAGES = 125
LONG = "/long/" + "".join(f"{i:03}-" for i in range(120))
HOSTILE = "/x'\"><img src=x onerror=alert(1)></script><b>bold"
COUNTS = {}


def answer(request):
    """A home page with links; some pages change with every request, one is missing."""
    COUNTS[request.path] = COUNTS.get(request.path, 0) + 1
    if request.path in ABSENT:
        return rawserver.NOT_FOUND
    body = f"<title>T</title><p>This is what {len(request.path)} says.</p>"
    if request.path == "/":
        body += "".join(f"<a href=/d{i % 3}/{i}>{i}</a>" for i in range(PAGES))
        body += f"<a href={LONG}>long</a><a href='{HOSTILE.replace(chr(39), '&#39;')}'>odd</a>"
    if request.path in ("/d0/3", "/d2/5"):
        body += f"<p>Price: {COUNTS[request.path]}00.00</p>"
    return (f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
            f"{body}").encode()


TWO = tap.path("<i>two")
ABSENT = {"/robots.txt", "/sitemap.xml"}
with rawserver.Server(answer) as server:
    for missing in ({"/d1/10"}, {"/d1/7"}):  # one page appears, one goes
        ABSENT |= missing
        done = tap.run("crawl", server.url, "-o", TWO, "--delay", "2ms", "--no-sitemaps")
        assert done.returncode == 0, done.stderr
        ABSENT -= missing
COMPARED = tap.load("report", TWO, "--compare", 1, 2)
COUNTS.clear()
ABSENT.add("/d1/7")
ARCHIVE = tap.path("<i>archive")
with rawserver.Server(answer) as server:
    done = tap.run("crawl", server.url, "-o", ARCHIVE, "--delay", "2ms", "--no-sitemaps")
    assert done.returncode == 0, done.stderr
REPORT = tap.load("report", ARCHIVE)
URLS = [row["url"] for row in REPORT["verdicts"]]

with tap.case("--csv is what --json says"):
    rows = list(csv.DictReader(io.StringIO(tap.succeed("report", ARCHIVE, "--csv"))))
    tap.equal([row["url"] for row in rows], URLS)
    for row, want in zip(rows, REPORT["verdicts"]):
        for key in row:
            if key not in ("rate", "weight", "hopeless"):
                tap.equal((key, row[key]), (key, str(want[key] if want[key] is not None else "")))

for option, name in ("--hosts", "host"), ("--types", "type"), ("--status", "status"):
    with tap.case(f"{option}: requests are counted"):
        rows = tap.load("report", ARCHIVE, option)["rows"]
        tap.equal(sum(row["requests"] for row in rows), sum(COUNTS.values()))
        lines = tap.succeed("report", ARCHIVE, option, "--csv").splitlines()
        tap.equal((lines[0].split(",")[0], len(lines)), (name, len(rows) + 1))
        assert len(tap.succeed("report", ARCHIVE, option).splitlines()) == len(rows) + 1
with tap.case("--status: each status is counted"):
    rows = {row["status"]: row for row in tap.load("report", ARCHIVE, "--status")["rows"]}
    tap.equal((set(rows), rows["404"]["pages"], rows["404"]["errors"]),
              ({"200", "404"}, 1, rows["404"]["requests"]))
    tap.equal(rows["200"]["pages"], REPORT["captured"] - 1)

with tap.case("--compare: what appeared, went and changed, as JSON, CSV and text"):
    CHANGES = {}
    for row in COMPARED["pages"]:
        CHANGES.setdefault(row["change"], {})["/" + row["url"].split("/", 3)[3]] = row
    tap.equal({change: len(CHANGES.get(change, ())) for change in COMPARED["totals"]},
              COMPARED["totals"])
    tap.equal((set(CHANGES["appeared"]), set(CHANGES["went"]), set(CHANGES["changed"])),
              ({"/d1/10"}, {"/d1/7"}, {"/d0/3", "/d2/5"}))
    row = CHANGES["appeared"]["/d1/10"]
    tap.equal((row["evidence"], row["first_status"], row["second_status"]), ("status", 404, 200))
    assert row["last_seen"] < row["first_seen"], row
    tap.equal(CHANGES["same"]["/"]["evidence"], "bytes")
    first, second = (tap.load("report", TWO, "--capture", number) for number in (1, 2))
    tap.equal([COMPARED[side]["verdicts"]["sharp"] for side in ("first", "second")],
              [first["sharp"], second["sharp"]])
    moved = {(each["from"], each["to"]): each["pages"] for each in COMPARED["moved"]}
    tap.equal((moved["absent", "sharp"], moved["sharp", "absent"]), (1, 1))
    rows = list(csv.DictReader(io.StringIO(tap.succeed("report", TWO, "--compare", 1, 2, "--csv"))))
    tap.equal([(row["url"], row["change"]) for row in rows],
              [(row["url"], row["change"]) for row in COMPARED["pages"]])
    text = tap.succeed("report", "--compare", 1, 2, TWO)
    assert "1 appeared, 1 went, 2 changed" in text, text
    tap.equal(tap.load("report", TWO, "--compare", 2, 1)["totals"]["appeared"], 1)

for want, *options in (
        ("--compare needs two captures", "--compare", 1),
        ("no number of a capture", "--compare", "x", 2),
        ("--compare is about two captures", "--compare", 1, 2, "--hosts"),
        ("--at and --curve are about the whole archive", "--at", "2026", "--csv"),
        ("--why explains one page", "--why", URLS[0], "--csv"),
        ("--captures lists all of them", "--captures", "--html", "x"),
        ("--csv and --json cannot be combined", "--csv", "--json"),
        ("choose one of", "--hosts", "--types"),
        ("--html writes a page of its own", "--html", "x", "--json"),
        ("--replay is for --html", "--replay", "http://127.0.0.1/")):
    with tap.case(f"refused: {' '.join(map(str, options))}"):
        tap.refuse(2, want, "report", ARCHIVE, *options)
with tap.case("--compare: a capture that is not there"):
    done = tap.run("report", TWO, "--compare", 1, 7)
    tap.equal((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1))
with tap.case("a page that cannot be written"):
    tap.refuse(1, "/nowhere/at: there is no such directory", "report", ARCHIVE, "--html",
               "/nowhere/at/all.html")

chromium = shutil.which("chromium")
if not (chromium and shutil.which("npm")):
    tap.skip("the page in a browser", "there is no chromium, or no npm")
    tap.done()
modules = subprocess.run([f"{SRCDIR}/tools/install-npm"], text=True, stdout=subprocess.PIPE,
                         check=True).stdout.strip()

PAGE = tap.path("report.html")
PDF = tap.path("report.pdf")
tap.succeed("report", ARCHIVE, "--html", PAGE, "--replay", "http://127.0.0.1:1/archive")
STILL = tap.load("report", TWO)["stillpoint"]["from"]
OTHERS = [tap.path(name) for name in ("at.html", "curve.html", "compare.html")]
tap.succeed("report", TWO, "--at", STILL, "--html", OTHERS[0])
tap.succeed("report", TWO, "--curve", COMPARED["first"]["started"],
            COMPARED["second"]["finished"], "--html", OTHERS[1])
tap.succeed("report", TWO, "--compare", 1, 2, "--html", OTHERS[2])
done = subprocess.run(["node", f"{SRCDIR}/tests/e2e/report_html.mjs", modules, chromium, PAGE,
                       "/d1/13", PDF, *OTHERS], text=True, capture_output=True, check=False)
assert done.returncode == 0, done.stderr
SEEN = json.loads(done.stdout)

with tap.case("nothing is requested, run or complained about"):
    tap.equal(SEEN["trouble"], [])
    for form in "light", "dark", "plain":
        tap.equal((form, SEEN[form]["strange"], SEEN[form]["wide"] > 0), (form, 0, False))

with tap.case("it says how sharp the capture is"):
    absent = REPORT["totals"]["absent"]
    line = (f"{REPORT['sharp'] + absent} of {REPORT['captured']} captured pages are "
            f"{'proven' if absent else 'sharp'} (")
    for form in "light", "plain":
        assert SEEN[form]["lead"].startswith(line), SEEN[form]["lead"]
        assert REPORT["stillpoint"]["from"] in SEEN[form]["lead"], SEEN[form]["lead"]

with tap.case("the figures are drawn"):
    for form in "light", "dark":
        tap.equal(set(SEEN[form]["figures"]), {"pyramid", "curve", "treemap"})
        assert all(ink and ink > 1000 for ink in SEEN[form]["figures"].values()), SEEN[form]

with tap.case("without scripts the pages can be read"):
    tap.equal({row[0]: row[1] for row in SEEN["plain"]["first"]},
              {row["url"]: row["verdict"] for row in REPORT["verdicts"]})
    tap.equal(SEEN["plain"]["shown"], [])

with tap.case("the table sorts, filters, finds and pages"):
    use = SEEN["use"]
    count = len(use["ascending"])
    tap.equal(SEEN["light"]["count"], f"{len(URLS)} of {len(URLS)} pages")
    tap.equal(use["ascending"], sorted(URLS)[:count])
    tap.equal(use["descending"], sorted(URLS, reverse=True)[:count])
    assert use["paged"][0] == sorted(URLS, reverse=True)[count], use["paged"]
    tap.equal(use["changed"], f"{REPORT['changed']} of {len(URLS)} pages")
    tap.equal(use["found"], [server.url + "d1/13"])

with tap.case("the evidence of a page"):
    want = next(row for row in REPORT["verdicts"] if row["url"] == server.url + "d1/13")
    detail = SEEN["use"]["detail"]
    tap.equal((detail["Verdict"], detail["Evidence"]), (want["verdict"], want["evidence"]))
    tap.equal(detail["Visit"], f"{want['visit_start']} to {want['visit_end']}")
    tap.equal(detail["Revisit"], f"{want['revisit_start']} to {want['revisit_end']}")
    tap.equal(detail["Visit, digest"], detail["Revisit, digest"])
    file, offset = detail["Visit, record"].split(", offset ")
    with open(os.path.join(ARCHIVE, "warc", file), "rb") as warc:
        warc.seek(int(offset))
        assert warc.read(2) == b"\x1f\x8b", "no record begins there"
    assert SEEN["use"]["link"].startswith("http://127.0.0.1:1/archive/20"), SEEN["use"]["link"]
    assert SEEN["use"]["link"].endswith(want["url"]), SEEN["use"]["link"]

with tap.case("nothing serious for readers with other senses"):
    tap.equal(SEEN["audits"], {"light": [], "dark": []})

AT, CURVE, COMPARE = SEEN["others"]

with tap.case("other forms: drawn, readable without scripts, printed, nothing strange"):
    for form, figures in (AT, {"pyramid", "treemap"}), (CURVE, {"curve"}), (COMPARE, {"treemap"}):
        for scheme in "light", "dark":
            tap.equal(set(form[scheme]["figures"]), figures)
            assert all(ink and ink > 500 for ink in form[scheme]["figures"].values()), form
            tap.equal((form[scheme]["strange"], form[scheme]["wide"] > 0), (0, False))
            tap.equal(form[f"{scheme}Audit"], [])
        assert form["pdf"] > 1000
        tap.equal(form["plain"]["strange"], 0)
        tap.equal(form["plain"]["lead"], form["light"]["lead"])

with tap.case("the page of an instant says what --json says"):
    at = tap.load("report", TWO, "--at", STILL)
    tap.equal([(row[0], row[1]) for row in AT["plain"]["first"]],
              [(row["url"], row["state"]) for row in at["pages"]])
    assert f"{at['totals']['proven']} of {at['totals']['pages']} pages" in AT["plain"]["lead"]
    tap.equal(AT["light"]["count"], f"{len(at['pages'])} of {len(at['pages'])} pages")

with tap.case("the page of a curve says what --json says"):
    curve = tap.load("report", TWO, "--curve", COMPARED["first"]["started"],
                     COMPARED["second"]["finished"])
    most = max(point["proven"] for point in curve["curve"])
    assert f"proves {most} of {curve['pages']} pages" in CURVE["plain"]["lead"], CURVE["plain"]

with tap.case("the page of a comparison says what --json says"):
    tap.equal(sorted((row[0], row[1]) for row in COMPARE["plain"]["first"]),
              sorted((row["url"], row["change"]) for row in COMPARED["pages"]))
    # Changes come first.
    tap.equal([row[1] for row in COMPARE["light"]["shown"]][:4],
              ["appeared", "went", "changed", "changed"])

with tap.case("URLs are links that tell nobody: to the replay if there is one, else to the page"):
    tap.equal({rel for _, rel in SEEN["plain"]["links"]}, {"noreferrer noopener"})
    for (link, _), want in zip(SEEN["plain"]["links"], REPORT["verdicts"], strict=True):
        assert re.fullmatch(r"http://127\.0\.0\.1:1/archive/\d{17}/" + re.escape(want["url"]), link), link
    tap.equal({link.split("/", 3)[3] for link, _ in COMPARE["plain"]["links"]},
              {row["url"].split("/", 3)[3] for row in COMPARED["pages"]})

with tap.case("it prints: no row is cut, every page of a table has its headings"):
    with open(PDF, "rb") as pdf:
        assert pdf.read(5) == b"%PDF-"
    sheets = subprocess.run(["pdftotext", "-layout", PDF, "-"], text=True, stdout=subprocess.PIPE,
                            check=True).stdout.split("\f")
    table = [sheet for sheet in sheets if "/d1/1" in sheet or "/d2/2" in sheet]
    assert len(table) > 1, sheets
    for sheet in table[1:]:
        assert re.match(r"\s*URL +verdict +status", sheet), sheet[:300]
    # A row of several lines is on one sheet, from its beginning to its end.
    begin, end = ([i for i, sheet in enumerate(sheets) if part in "".join(sheet.split())]
                  for part in (LONG[:40], LONG[-40:]))
    tap.equal((begin, len(begin)), (end, 1))

tap.done()
