#!/usr/bin/env python3
"""stillpoint judge: verdicts from archives that other crawlers made."""

import gzip
import hashlib
import http.server
import json
import os
import shutil
import subprocess
import threading
import zipfile

import tap
import warcs

SITE = "http://example.org/"
TEXT = "<title>t</title><p>A page with enough words to be read by somebody.</p>"
FIRST, SECOND = "2026-01-01T10:00:{:02}Z", "2026-01-02T10:00:{:02}Z"


def noisy(token):
    return f'{TEXT}<!-- rendered {token} --><form><input type=hidden name=csrf_token value={token * 4}>'


def make(bodies, date, **more):
    archive = warcs.Warc()
    for number, (name, body) in enumerate(bodies.items()):
        archive.response(SITE + name, body, date.format(number), **more)
    return archive


def judge(*arguments):
    result = tap.run("judge", *arguments, "--json")
    tap.equal(result.returncode, 0)
    document = json.loads(result.stdout)
    return document, {row["url"].replace(SITE, ""): row for row in document["verdicts"]}


BEFORE = make({"": TEXT, "same": TEXT + "1", "noise": noisy("8f3a91c2"), "price": TEXT + "9.99",
               "gone": TEXT + "2", "only-a": TEXT}, FIRST)
BEFORE.response(SITE + "missing", "no", FIRST.format(30), status="404 Not Found")
AFTER = make({"": TEXT, "same": TEXT + "1", "noise": noisy("b7d20e64"), "price": TEXT + "8.99",
              "only-b": TEXT}, SECOND)
AFTER.response(SITE + "missing", "none", SECOND.format(30), status="404 Not Found")
AFTER.response(SITE + "gone", "gone", SECOND.format(31), status="410 Gone")
A = tap.write("a.warc.gz", BEFORE.gz())
B = tap.write("b.warc.gz", AFTER.gz())
WANT = {"": ("sharp", "bytes"), "same": ("sharp", "bytes"), "noise": ("sharp", "normalised"),
        "price": ("changed", None), "gone": ("gone", None), "missing": ("absent", None),
        "only-a": ("unconfirmed", None), "only-b": ("single", None)}


def outcome(rows):
    return {url: (row["verdict"], row["evidence"]) for url, row in rows.items()}


with tap.case("two archives: visits from the one, revisits from the other"):
    document, rows = judge(A, B)
    tap.equal(outcome(rows), WANT)
    tap.equal((document["sharp"], document["sharp_bytes"], document["sharp_normalised"]), (3, 2, 1))
    tap.equal(document["expected_sharp"], None)
    for row in rows.values():
        assert "foreign-times" in row["flags"], row

with tap.case("times are as coarse as WARC-Date is"):
    # The last visit is of second 30, the first revisit of second 0: slack and a second around.
    tap.equal(document["stillpoint"], {"from": "2026-01-01T10:01:31.000Z",
                                       "to": "2026-01-02T09:59:00.000Z"})
    tap.equal([rows["same"][key] for key in ("visit_start", "visit_end", "revisit_start", "revisit_end")],
              ["2026-01-01T09:59:01.000Z", "2026-01-01T10:01:02.000Z",
               "2026-01-02T09:59:01.000Z", "2026-01-02T10:01:02.000Z"])
    slack = judge(A, B, "--slack", "0")[0]["stillpoint"]
    tap.equal(slack, {"from": "2026-01-01T10:00:31.000Z", "to": "2026-01-02T10:00:00.000Z"})

with tap.case("two crawls a minute apart: the report names the slack and the distance that is needed"):
    near = tap.write("near.warc.gz", make({"": TEXT, "same": TEXT + "1"}, "2026-01-01T10:01:{:02}Z").gz())
    early = tap.write("early.warc.gz", make({"": TEXT, "same": TEXT + "1"}, FIRST).gz())
    text = tap.succeed("judge", early, near)
    for part in ("60 s (--slack)", "more than 120 s apart"):
        assert part in text, text
    text = tap.succeed("judge", early, near, "--slack", "1")
    assert "--slack" not in text and "2 of 2 captured pages are sharp" in text, text

with tap.case("with --bytes-only no rule acts"):
    tap.equal(outcome(judge(A, B, "--bytes-only")[1]), dict(WANT, noise=("changed", None)))

with tap.case("for people"):
    text = tap.succeed("judge", A, B)
    assert "4 of 8 captured pages are proven (50.0 %): 3 sharp, 1 absent." in text, text
    assert "hardly ever" not in text, text  # nothing was assumed
    text = tap.succeed("judge", A, B, "--why", SITE + "noise")
    for part in ("sharp, the same after the rules above", "foreign-times", "a.warc.gz at "):
        assert part in text, text
    why = tap.load("judge", A, B, "--why", SITE + "noise")
    tap.equal((why["verdict"], why["flags"], why["attempts"][0]["record"]["file"][-9:]),
              ("sharp", ["foreign-times"], "a.warc.gz"))

with tap.case("one archive that holds pages twice"):
    both = tap.write("both.warc", BEFORE.plain() + AFTER.plain())
    document, rows = judge(both)
    tap.equal(outcome(rows), {**WANT, "only-a": ("single", None)})
    assert document["stillpoint"]["from"] >= rows["noise"]["visit_end"], document["stillpoint"]

with tap.case("the instant that most intervals contain is found afterwards"):
    mixed = warcs.Warc()
    for name, hours in {"a": (1, 5), "b": (2, 6), "c": (3, 9), "d": (7, 8), "e": (4, 4)}.items():
        for hour in hours:
            mixed.response(SITE + name, TEXT + name, f"2026-01-01T0{hour}:00:00Z")
    document, rows = judge(tap.write("mixed.warc", mixed.plain()))
    tap.equal(document["stillpoint"], {"from": "2026-01-01T03:01:01.000Z",
                                       "to": "2026-01-01T04:59:00.000Z"})
    tap.equal({name: row["verdict"] for name, row in rows.items()},
              {"a": "sharp", "b": "sharp", "c": "sharp", "d": "unconfirmed", "e": "unconfirmed"})

with tap.case("a change between two of three looks"):
    three = warcs.Warc()
    for hour, body in ((1, "old"), (2, "new"), (6, "new")):
        three.response(SITE, TEXT + body, f"2026-01-01T0{hour}:00:00Z")
    document, rows = judge(tap.write("three.warc", three.plain()))
    tap.equal(rows[""]["verdict"], "sharp")
    tap.equal(rows[""]["visit_end"], "2026-01-01T02:01:01.000Z")

with tap.case("of several looks the last before and the first after count"):
    first, second = warcs.Warc(), warcs.Warc()
    for minute, body in ((0, "1"), (30, "2")):
        first.response(SITE, TEXT + body, f"2026-01-01T10:{minute:02}:00Z")
    for minute, body in ((0, "2"), (30, "3")):
        second.response(SITE, TEXT + body, f"2026-01-02T10:{minute:02}:00Z")
    pair = (tap.write("f.warc", first.plain()), tap.write("s.warc", second.plain()))
    tap.equal(outcome(judge(*pair)[1]), {"": ("sharp", "bytes")})

with tap.case("revisit records are resolved, in the other archive and before their original"):
    first, second = warcs.Warc(), warcs.Warc()
    pages = {name: first.response(SITE + name, TEXT + name, FIRST.format(1))
             for name in ("id", "digest", "other", "wrong", "type")}
    second.revisit(SITE + "id", SECOND.format(1), pages["id"])
    second.revisit(SITE + "digest", SECOND.format(1), pages["digest"], by_id=False)
    second.revisit(SITE + "other", SECOND.format(1), pages["id"])  # another page's body
    second.revisit(SITE + "wrong", SECOND.format(1), pages["wrong"],
                   stated=warcs.digest(b"something else"))
    second.revisit(SITE + "type", SECOND.format(1), pages["type"], media="text/plain")
    late = warcs.Warc()
    original = late.response(SITE + "late", TEXT, SECOND.format(9))
    first.revisit(SITE + "late", FIRST.format(9), original)
    second.records += late.records
    second.revisit(SITE + "not-modified", SECOND.format(9), pages["id"],
                   profile="server-not-modified", status="304 Not Modified")
    first.response(SITE + "not-modified", TEXT, FIRST.format(9))
    result = tap.run("judge", tap.write("r1.warc", first.plain()),
                     tap.write("r2.warc", second.plain()), "--json")
    rows = {row["url"].replace(SITE, ""): row for row in json.loads(result.stdout)["verdicts"]}
    tap.equal({name: row["verdict"] for name, row in rows.items()},
              {"id": "sharp", "digest": "sharp", "other": "changed", "wrong": "unconfirmed",
               "type": "changed", "late": "sharp", "not-modified": "unconfirmed"})
    assert "1 revisit records refer to records that are not in the archives" in result.stderr

with tap.case("Heritrix says how long a download took"):
    slow, fast = warcs.Warc(), warcs.Warc()
    slow.heritrix(SITE, TEXT, FIRST.format(0), 250)
    fast.heritrix(SITE, TEXT, SECOND.format(0), 90000)
    _, rows = judge(tap.write("h1.warc.gz", slow.gz()), tap.write("h2.warc.gz", fast.gz()))
    tap.equal([rows[""]["visit_end"], rows[""]["revisit_end"]],
              ["2026-01-01T10:00:01.250Z", "2026-01-02T10:01:31.000Z"])

with tap.case("answers to a POST are no looks at the page"):
    posted = warcs.Warc()
    page = posted.response(SITE, TEXT, SECOND.format(0))
    answer = posted.response(SITE, "posted", SECOND.format(5))
    posted.request(answer, "POST")
    tap.equal(outcome(judge(A, tap.write("post.warc", posted.plain()))[1])[""], ("sharp", "bytes"))

for label, method in ("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED):
    with tap.case(f"WACZ files, {label}"):
        package = warcs.wacz({"a.warc.gz": BEFORE.gz()}, method)
        other = warcs.wacz({"b.warc": AFTER.plain()}, method)
        tap.equal(outcome(judge(tap.write("a.wacz", package), tap.write("b.wacz", other))[1]), WANT)

with tap.case("Browsertrix: HTTP/2 without Content-Length"):
    first = make({"noise": noisy("8f3a91c2")}, FIRST, length=False)
    second = make({"noise": noisy("b7d20e64")}, SECOND, length=False)
    pair = (tap.write("c1.warc", first.plain()), tap.write("c2.warc", second.plain()))
    tap.equal(judge(*pair)[1]["noise"]["verdict"], "changed")  # perhaps cut off: bytes only
    for archive, name in ((first, "c1.warc"), (second, "c2.warc")):
        text = archive.plain().replace(b"WARC-Type: r", b"WARC-Protocol: h2\r\nWARC-Type: r")
        tap.write(name, text)
    tap.equal(outcome(judge(*pair)[1])["noise"], ("sharp", "normalised"))

# Answers in the place of a page: status, further fields of the head, body, and what they are.
CHALLENGE = '<title>Just a moment...</title><p>Checking your browser.</p><script>window._cf_chl_opt={}</script>'
LOGIN = '<title>Sign in</title><form method=post><input name=user><input type=password name=p></form>'
STAND_INS = {
    "challenge": ("200 OK", (), CHALLENGE, "challenge: "),
    "mitigated": ("200 OK", ("cf-mitigated: challenge",), TEXT, "challenge: cloudflare challenge"),
    "captcha": ("403 Forbidden", (), '<title>Access denied</title><div class="g-recaptcha"></div>', ""),
    "news": ("200 OK", (), LOGIN, "login: "),
    "redirect": ("302 Found", ("Location: /login?next=/redirect",), "", "login: "),
    "slow-down": ("429 Too Many Requests", (), "slow down", "refused: too many requests"),
}
SHELL = '<title>Shop</title><div id="root"></div><script src="/app.js"></script>'


def answers(date, stand_in):
    """Every page as it is, or what stands in its place."""
    archive = warcs.Warc()
    for number, (name, (status, head, body, _)) in enumerate(STAND_INS.items()):
        if stand_in:
            archive.response(SITE + name, body, date.format(number), status=status, head=head)
        else:
            archive.response(SITE + name, TEXT + name, date.format(number))
    return archive


def judge_looks(*archives):
    """Of two archives, then of one that has all their records."""
    files = [tap.write(f"look{number}.warc", archive.plain()) for number, archive in enumerate(archives)]
    yield judge(*files)
    yield judge(tap.write("looks.warc", b"".join(archive.plain() for archive in archives)))


with tap.case("a block, challenge or login page is never sharp, though it is the same twice"):
    for document, rows in judge_looks(answers(FIRST, True), answers(SECOND, True)):
        tap.equal({name: row["verdict"] for name, row in rows.items()}, dict.fromkeys(STAND_INS, "blocked"))
        for name, (*_, reason) in STAND_INS.items():
            assert rows[name]["reason"].startswith(reason), rows[name]
            tap.equal(rows[name]["proven"], [])
        tap.equal((document["sharp"], document["best_instant"]["proven"]), (0, 0))

with tap.case("a good visit and a blocked revisit: unconfirmed"):
    for document, rows in judge_looks(answers(FIRST, False), answers(SECOND, True)):
        for name, row in rows.items():
            tap.equal(row["verdict"], "unconfirmed")
            assert row["reason"].startswith("blocked: "), row

with tap.case("a login page that was asked for is the page"):
    first, second = (make({"login": LOGIN}, date) for date in (FIRST, SECOND))
    for _, rows in judge_looks(first, second):
        tap.equal(outcome(rows), {"login": ("sharp", "bytes")})

with tap.case("a look that was blocked makes room for one that was not"):
    three = answers(FIRST, False), answers("2026-01-01T15:00:{:02}Z", True), answers(SECOND, False)
    _, rows = judge(tap.write("room.warc", b"".join(archive.plain() for archive in three)))
    tap.equal(outcome(rows), dict.fromkeys(STAND_INS, ("sharp", "bytes")))

with tap.case("a page that only scripts fill is a shell, and proven of it is nothing"):
    first, second = (make({"shell": SHELL, "page": SHELL + TEXT * 20}, date) for date in (FIRST, SECOND))
    for _, rows in judge_looks(first, second):
        tap.equal(outcome(rows), {"shell": ("shell", None), "page": ("sharp", "bytes")})
        tap.equal(rows["shell"]["proven"], [])

with tap.case("the body in another record shows it as well, also when that comes later"):
    first, second = warcs.Warc(), warcs.Warc()
    for name, body in {"shell": SHELL, "challenge": CHALLENGE, "news": LOGIN, "page": TEXT}.items():
        second.revisit(SITE + name + "-1", SECOND.format(1),
                       first.response(SITE + name + "-1", body, FIRST.format(1)))
        first.revisit(SITE + name + "-2", FIRST.format(1),
                      second.response(SITE + name + "-2", body, SECOND.format(1)))
    for _, rows in judge_looks(first, second):
        tap.equal({name[:-2]: row["verdict"] for name, row in rows.items() if name.endswith("-2")},
                  {"shell": "shell", "challenge": "blocked", "news": "blocked", "page": "sharp"})
        tap.equal({name[:-2]: row["verdict"] for name, row in rows.items() if name.endswith("-1")},
                  {"shell": "shell", "challenge": "blocked", "news": "blocked", "page": "sharp"})

with tap.case("a directory with files of both kinds"):
    os.makedirs(tap.path("dir/below"))
    shutil.copy(A, tap.path("dir/below"))
    shutil.copy(tap.path("b.wacz"), tap.path("dir"))
    tap.write("dir/notes.txt", "no archive")
    tap.equal(outcome(judge(tap.path("dir"))[1]), {**WANT, "only-a": ("single", None)})

with tap.case("a truncated or damaged record proves nothing"):
    cut = make({"": TEXT, "same": TEXT + "1"}, SECOND)
    cut.response(SITE + "noise", noisy("8f3a91c2"), SECOND.format(3), ("WARC-Truncated", "length"))
    text = cut.plain().replace(b"somebody.</p>1", b"somebodx.</p>1")
    result = tap.run("judge", A, tap.write("cut.warc", text), "--json")
    rows = {row["url"].replace(SITE, ""): row for row in json.loads(result.stdout)["verdicts"]}
    tap.equal((rows["noise"]["verdict"], rows["noise"]["reason"]), ("unconfirmed", "truncated"))
    tap.equal((rows["same"]["verdict"], rows["same"]["reason"]), ("unconfirmed", "damaged record"))
    assert "1 records are damaged and prove nothing, the first: " in result.stderr, result.stderr

with tap.case("a record is never compared with itself"):
    tap.refuse(1, "it has no records that the first archive has not", "judge", A, A)
    copies = judge(tap.write("copies.warc", BEFORE.plain() + BEFORE.plain()))[1]
    tap.equal({row["verdict"] for row in copies.values()}, {"single"})

with tap.case("archives in the wrong order prove nothing"):
    tap.equal({row["verdict"] for row in judge(B, A)[1].values()} & {"sharp", "absent"}, set())

with tap.case("what is no archive is refused in one line"):
    tap.refuse(1, "No such file", "judge", tap.path("nothing"))
    os.makedirs(tap.path("empty"))
    tap.refuse(1, "there are no WARC files in it", "judge", tap.path("empty"))
    tap.refuse(1, "there are no HTTP responses in it", "judge", tap.write("x.txt", "hello\n" * 99))
    tap.refuse(1, "its end is missing", "judge", tap.write("x.wacz", b"PK\3\4" + bytes(99)))
    tap.refuse(2, "--slack", "judge", A, B, "--slack", "2d")


class Site(http.server.BaseHTTPRequestHandler):
    """Pages with a price that changes on request, and noise that always does."""
    prices, served = 1, 0

    def do_GET(self):
        Site.served += 1
        body = {"/": noisy(hashlib.sha256(str(Site.served).encode()).hexdigest()[:8]) + '<a href="/price">p</a><a href="/still">s</a>',
                "/price": f"{TEXT}<b>{Site.prices}.99</b>", "/still": TEXT}.get(self.path, "")
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *arguments):
        pass


if shutil.which("wget"):
    with tap.case("what wget wrote"):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            root = f"http://127.0.0.1:{server.server_address[1]}/"
            for name in "w1", "w2":
                subprocess.run(["wget", "-q", "-r", "--no-proxy", "--delete-after", "-P", tap.path("w"),
                                "--no-warc-keep-log", f"--warc-file={tap.path(name)}", root])
                Site.prices += 1
            server.shutdown()
        # The second crawl began in the second in which the first had ended: dates tell nothing.
        close = judge(tap.path("w1.warc.gz"), tap.path("w2.warc.gz"))[1]
        tap.equal({row["verdict"] for row in close.values()} & {"sharp", "absent"}, set())
        tap.equal(close[root + "price"]["verdict"], "changed")
        # A day later, by its dates.
        with gzip.open(tap.path("w2.warc.gz")) as file:
            text = file.read()
        for year in b"2020", b"2021", b"2022", b"2023", b"2024", b"2025", b"2026", b"2027", b"2028", b"2029":
            text = text.replace(b"WARC-Date: " + year, b"WARC-Date: 2099")
        rows = judge(tap.path("w1.warc.gz"), tap.write("w3.warc", text))[1]
        tap.equal({url.replace(root, "/"): row["verdict"] for url, row in rows.items()},
                  {"/": "sharp", "/price": "changed", "/still": "sharp", "/robots.txt": "absent"})
        tap.equal(rows[root]["evidence"], "normalised")
else:
    tap.skip("what wget wrote", "no wget")

with tap.case("an archive of our own has exact times"):
    archive = tap.path("archive")
    os.mkdir(archive)
    subprocess.run([os.environ["ARCHIVE_SAMPLE"], archive], check=True)
    report = {row["url"]: row for row in tap.load("report", archive)["verdicts"]}
    result = tap.run("judge", archive, "--json")
    judged = {row["url"]: row for row in json.loads(result.stdout)["verdicts"]}
    sharp = [url for url, row in report.items() if row["verdict"] == "sharp"]
    assert sharp, report
    for url in sharp:
        tap.equal([judged[url][key] for key in ("verdict", "visit_end", "revisit_start")],
                  [report[url][key] for key in ("verdict", "visit_end", "revisit_start")])
        assert "foreign-times" not in judged[url]["flags"], judged[url]

with tap.case("composites: also of a page whose body is in another record"):
    page, old = TEXT + "<img src=i.gif>", "2025-12-31T10:00:00Z"
    for second, image, want in ((b"GIF1", "same", "sharp"), (b"GIF2", "changed", "blurred")):
        a, b = warcs.Warc(), warcs.Warc()
        first = a.response(SITE + "p", page, old)
        a.revisit(SITE + "p", FIRST.format(1), first)
        a.revisit(SITE + "dir/other", FIRST.format(2), first)
        a.response(SITE + "i.gif", b"GIF1", FIRST.format(3), media="image/gif")
        for number, name in enumerate(("p", "dir/other")):
            b.response(SITE + name, page, SECOND.format(number))
        b.response(SITE + "i.gif", second, SECOND.format(3), media="image/gif")
        document, rows = judge(tap.write("ca.warc.gz", a.gz()), tap.write("cb.warc.gz", b.gz()))
        tap.equal((image, rows["p"]["verdict"], rows["p"]["composite"]), (image, "sharp", want))
        # What its relative links lead to was not read under this URL.
        tap.equal((rows["dir/other"]["verdict"], rows["dir/other"]["composite"]),
                  ("sharp", "incomplete"))

tap.done()
