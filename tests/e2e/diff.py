#!/usr/bin/env python3
"""stillpoint diff: the two versions of a page, of sites whose every response is known."""

import gzip
import hashlib
import html.parser
import json
import os
import random
import re
import unicodedata

import living
import rawserver
import screen
import tap

FILLER = b"<p>" + b"Words that stay as they are, whoever asks. " * 40 + b"</p>"
# So large, compressed, that later captures refer to it.
SAME = FILLER + b"<p>" + random.Random(12).randbytes(2000).hex().encode() + b"</p>"
# Ends cells, elements and lines, calls for a request, and turns text and terminal around.
HOSTILE = ('</title></td></table><script>alert(1)</script><img src="http://evil.example/x">'
           "\x1b[31m\x07\x9b2J\u202egnp.exe \"'&amp;&lt;b&gt;")
LONG = b"y" * 20000
WIDE = "漢字かな交じり文" * 30
# A capture may look more often than twice; what counts is before and after the still point.
LOOKS = {}


def versions(request):
    """Bodies of both looks, and fields: what is asked for the first time, and again."""
    again = LOOKS.get(request.path, 0) > 0
    LOOKS[request.path] = LOOKS.get(request.path, 0) + 1
    number = b"2" if again else b"1"
    secret = hashlib.sha256(number).hexdigest()[:32].encode()
    text = {"content_type": "text/plain"}
    site = {
        "/": (b"<title>start</title>" + b"".join(b'<a href="%s">x</a> ' % path.encode() for path in PATHS), {}),
        "/same": (SAME, {}),
        "/noise": (b'<!-- made %s --><script nonce="%s">a</script>' % (number, secret) + FILLER +
                   b'<input type=hidden name=csrf_token value=%s>' % secret, {}),
        "/price": (b"<!-- made %s -->" % number + FILLER + b"<p>Price: %s EUR</p><p>end</p>" % number, {}),
        "/hostile": (b"<meta charset=utf-8><title>" + (HOSTILE if again else "calm").encode() + b"</title>" +
                     FILLER + b"<p title='" + HOSTILE.replace("'", "").encode() + b"'>%s</p>" % number, {}),
        "/long": (FILLER + b"<p>" + LONG + number + LONG + b"</p>", {}),
        "/wide": (b"<meta charset=utf-8><p>" + WIDE.encode() + number + b"</p>", {}),
        "/lines.txt": (b"one\n  two\n" + (b"three\n" if again else b"") + b"four %s\n" % number, text),
        "/latin.txt": (b"caf\xe9 %s\n\x1b[2J" % number, text),
        "/image.png": (b"\x89PNG\0" + number * 600, {"content_type": "image/png"}),
        "/still.png": (b"\x89PNG\0" + b"0" * 600, {"content_type": "image/png"}),
        "/packed": (gzip.compress(FILLER + b"<p>%s</p>" % number, mtime=0), {"content_encoding": "gzip"}),
        "/packed-same": (gzip.compress(FILLER + bytes(range(48, 58)) * 90, mtime=0, compresslevel=0),
                         {"content_encoding": "gzip"}),
        "/copy": (FILLER, {}),
        "/odd-coding": (FILLER + number, {"content_encoding": "x-unknown"}),
        "/empty": (b"", {}),
    }
    return again, site.get(request.path)


PATHS = ["/same", "/noise", "/price", "/hostile", "/long", "/wide", "/lines.txt", "/latin.txt", "/image.png",
         "/still.png", "/packed", "/packed-same", "/copy", "/odd-coding", "/empty", "/gone", "/moved", "/lost",
         "/cut", "/closed", "/closed-whole", "/never"]


def answer(request):
    again, found = versions(request)
    if found:
        return rawserver.page(found[0], **found[1])
    if request.path == "/gone" and not again:
        return rawserver.page(FILLER)
    if request.path == "/moved":
        return rawserver.respond("302 Found", location="/price" if again else "/same")
    if request.path in ("/closed", "/closed-whole"):
        request.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<!-- %d -->" % again)
        request.send(FILLER)
        if request.path == "/closed-whole":
            request.send(b"</html>\n")
        return None
    if request.path == "/cut":
        if again:
            request.send(rawserver.page(FILLER[:700], content_length=len(FILLER)))
            return None
        return rawserver.page(FILLER)
    if request.path == "/never" or (request.path == "/lost" and again):
        request.reset()
        return None
    if request.path == "/lost":
        return rawserver.page(FILLER)
    return rawserver.NOT_FOUND


class Page(html.parser.HTMLParser):
    """A page that was written: its elements, the words in it, and nothing that leads anywhere."""

    def __init__(self, path):
        super().__init__()
        self.elements, self.words = {}, []
        with open(path, encoding="utf-8") as file:
            self.source = file.read()
        self.feed(self.source)
        self.text = "".join(self.words)

    def handle_starttag(self, tag, attrs):
        self.elements[tag] = self.elements.get(tag, 0) + 1
        for name, _ in attrs:
            assert name not in ("href", "src", "style", "action") and not name.startswith("on"), (tag, attrs)

    def handle_data(self, data):
        self.words.append(data)


def columns(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def check_plain(text, width=80):
    for line in text.splitlines():
        assert columns(line) < width or "sha256:" in line, f"{columns(line)} columns: {line!r}"
    odd = [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")]
    tap.equal(odd, [])


def squeeze(text):
    return " ".join(text.split())


EXPECTED = [
    # path, same, differences, rules, what the text says
    ("/same", "bytes", [], [], "the same, byte for byte (evidence: bytes)"),
    ("/copy", "bytes", [], [], "the same, byte for byte (evidence: bytes)"),
    ("/empty", "bytes", [], [], "the same, byte for byte (evidence: bytes)"),
    ("/still.png", "bytes", [], [], "the same, byte for byte (evidence: bytes)"),
    ("/packed-same", "bytes", [], [], "the same, byte for byte (evidence: bytes)"),
    ("/noise", "normalised", [], ["comment", "nonce", "token"],
     "the same but for noise (evidence: normalised). Places that differ: 3; rules explain all of them."),
    ("/price", None, [("Price: 1 EUR", "Price: 2 EUR")], ["comment"],
     "The two versions differ. Unexplained places: 1; explained by rules: 1."),
    ("/packed", None, [("1", "2")], [], "Unexplained places: 1"),
    ("/lines.txt", None, None, [], "The two versions differ. Unexplained places:"),
    ("/image.png", None, None, [], "The two versions differ. Unexplained places:"),
    ("/odd-coding", None, None, None, "not decoded"),
    ("/moved", None, None, [], "Location"),
    ("/gone", None, None, None, "404"),
]


def check_pages(archive, url):
    for path, same, differs, rules, says in EXPECTED:
        with tap.case(f"{path}: JSON"):
            found = tap.load("diff", archive, url + path)
            tap.equal((found["url"], found["capture"], found["same"]), (url + path, 1, same))
            if path != "/odd-coding":
                tap.equal(found["doubt"], None)
            assert found["same"] or found["differs"] or found["doubt"] or found["limit"], found
            if differs is not None:
                tap.equal([(row["a"], row["b"]) for row in found["differs"]], differs)
            if rules is not None:
                tap.equal(sorted(rule["name"] for rule in found["rules"]), rules)
                tap.equal(sorted({row["rule"] for row in found["masked"]}), rules)
            if same == "bytes":
                tap.equal(found["visit"]["digest"], found["revisit"]["digest"])
        with tap.case(f"{path}: text"):
            text = tap.succeed("diff", archive, url + path)
            check_plain(text)
            assert squeeze(says) in squeeze(text), text


def check_details(archive, url):
    with tap.case("a revisit record has the body of the record that it refers to"):
        found = tap.load("diff", archive, url + "/same")
        tap.equal(found["visit"]["refers_to"], None)
        assert re.fullmatch(r"<urn:uuid:[0-9a-f-]{36}>", found["revisit"]["refers_to"]), found
        tap.equal(found["revisit"]["size"], len(SAME))
        assert "revisit record" in tap.succeed("diff", archive, url + "/same")
    with tap.case("one that refers to another URL"):
        found = tap.load("diff", archive, url + "/copy")
        sizes = {found[look]["size"] for look in ("visit", "revisit")}
        tap.equal((sizes, found["revisit"]["refers_to"] is None), ({len(FILLER)}, False))
    with tap.case("a body is decoded"):
        found = tap.load("diff", archive, url + "/packed")
        tap.equal((found["visit"]["coding"], found["visit"]["size"]), ("gzip", len(FILLER) + 8))
    with tap.case("sizes and digests of what is not text"):
        text = tap.succeed("diff", archive, url + "/image.png")
        assert "605 bytes" in text, text
    with tap.case("the difference of a long text is shown"):
        found = tap.load("diff", archive, url + "/long")
        (row,) = found["differs"]
        assert "y1y" in row["a"] and "y2y" in row["b"] and len(row["b"]) < 3000, row
        text = tap.succeed("diff", archive, url + "/long")
        assert "y1y" in text and "y2y" in text, text
    with tap.case("a rule that is off"):
        found = tap.load("diff", archive, url + "/noise", "--without-rule", "comment", "-w", "nonce")
        tap.equal((found["same"], len(found["differs"]), len(found["masked"])), (None, 2, 1))
    with tap.case("a body that ends with its connection is the same by its bytes only"):
        found = tap.load("diff", archive, url + "/closed")
        tap.equal((found["same"], found["differs"], found["visit"]["close_delimited"]), (None, [], True))
        assert "may be cut off" in found["doubt"], found
    with tap.case("unless both end in what ends a document of their format"):
        found = tap.load("diff", archive, url + "/closed-whole")
        tap.equal((found["same"], found["visit"]["close_delimited"]), ("normalised", True))
    with tap.case("a body that was cut off is never the same"):
        result = tap.run("diff", archive, url + "/cut", "--json")
        if result.returncode == 0:
            found = json.loads(result.stdout)
            tap.equal((found["same"], found["revisit"]["whole"]), (None, False))
            assert "not whole" in found["doubt"], found
        else:
            assert "one look at it only" in result.stderr, result.stderr


def check_hostile(archive, url):
    for path in "/hostile", "/latin.txt", "/wide":
        with tap.case(f"{path}: no control characters, no long lines"):
            check_plain(tap.succeed("diff", archive, url + path))
    with tap.case("JSON of a hostile page"):
        found = tap.load("diff", archive, url + "/hostile")
        assert any("calm" in (row["a"] or "") for row in found["differs"]), found
    for path in "/hostile", "/price", "/noise", "/image.png", "/same", "/latin.txt":
        with tap.case(f"{path}: HTML"):
            file = tap.path("page.html")
            tap.succeed("diff", archive, url + path, "--html", file)
            page = Page(file)
            tap.equal({tag: count for tag, count in page.elements.items()
                       if tag in ("script", "img", "link", "iframe", "form", "a", "base", "object", "title")},
                      {"title": 1})
            assert "default-src 'none'" in page.source and "prefers-color-scheme:dark" in page.source
            assert "script-src" not in page.source and "@import" not in page.source and "url(" not in page.source
            tap.equal([c for c in page.source if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf")], [])
            assert url + path in page.text, page.text
    with tap.case("HTML: what is unexplained, and what rules explain"):
        tap.succeed("diff", archive, url + "/price", "--html", tap.path("price.html"))
        page = Page(tap.path("price.html"))
        for words in ("Price: 1 EUR", "Price: 2 EUR", "comment", " made 1 ", "Explained by rules"):
            assert words in page.text, f"{words!r} is not in {page.text!r}"
        assert '<mark>1</mark>' in page.source
    with tap.case("HTML: hostile text is there, as text"):
        tap.succeed("diff", archive, url + "/hostile", "--html", tap.path("hostile.html"))
        assert "gnp.exe" in Page(tap.path("hostile.html")).text


def check_terminal(archive, url):
    for width in 120, 80, 40:
        with tap.case(f"a terminal of {width} columns"):
            for path in "/price", "/hostile", "/wide", "/noise":
                shown = screen.Screen(width)
                tap.equal(shown.run(tap.PROGRAM, "diff", archive, url + path), 0)
                tap.equal([line for line in shown.wrapped if url not in line], [])
                assert b"\x1b[31m" in shown.raw or path == "/noise", shown.raw
    for label, variable, term in (("NO_COLOR", "1", "xterm"), ("TERM=dumb", "", "dumb")):
        with tap.case(f"no colours with {label}"):
            os.environ["NO_COLOR"] = variable
            shown = screen.Screen(80)
            tap.equal(shown.run(tap.PROGRAM, "diff", archive, url + "/price", term=term), 0)
            del os.environ["NO_COLOR"]
            assert b"\x1b" not in shown.raw, shown.raw


def check_refusals(archive, url):
    for label, want, path, *options in (
            ("an unknown URL", "did you mean " + url + "/noise ?", url + "/nosie"),
            ("a path alone", "did you mean " + url + "/noise ?", "/noise"),
            ("nothing like it", "does not know this URL", "http://elsewhere.example/"),
            ("a revisit without an answer", "one look at it only: its revisit got no answer", url + "/lost"),
            ("no answer at all", "has no answer of it", url + "/never"),
            ("a capture that is not there", "capture", url + "/same", "--capture", 9),
            ("a page that cannot be written", "no such directory", url + "/same", "--html", tap.path("none/x.html"))):
        with tap.case(f"refused: {label}"):
            tap.refuse(1, want, "diff", archive, path, *options)


def check_damage(archive, url):
    """The last of all: the archive is of no use afterwards."""
    (warc,) = living.warc_files(archive)
    place = tap.load("diff", archive, url + "/price")["visit"]["offset"]
    with tap.case("a damaged record"):
        with open(warc, "r+b") as file:
            file.seek(place + 200)
            byte = file.read(1)[0]
            file.seek(place + 200)
            file.write(bytes([byte ^ 0x10]))
        tap.refuse(1, f"visit 1: warc/{os.path.basename(warc)} at {place}: ", "diff", archive, url + "/price")
    with tap.case("a lost file"):
        os.rename(warc, warc + ".away")
        tap.refuse(1, "No such file", "diff", archive, url + "/price")


def known_site():
    archive = tap.path("known")
    with rawserver.Server(answer) as server:
        url = server.url.rstrip("/")
        tap.run("crawl", server.url, "-o", archive, "--delay", "0", "--attempts", "1")
    check_pages(archive, url)
    check_details(archive, url)
    check_hostile(archive, url)
    check_terminal(archive, url)
    check_refusals(archive, url)
    with tap.case("two captures: the newest, whose visit has the body of the earlier one"):
        with rawserver.Server(answer) as server:
            for _ in range(2):
                tap.run("crawl", server.url, "-o", tap.path("twice"), "--delay", "0", "--attempts", "1")
            for options, capture in ([], 2), (["--capture", 1], 1), (["--capture", 2], 2):
                found = tap.load("diff", tap.path("twice"), server.url + "same", *options)
                tap.equal((found["capture"], found["same"], found["visit"]["size"]), (capture, "bytes", len(SAME)))
                tap.equal(found["visit"]["refers_to"] is None, capture == 1)
    with tap.case("one look only: a capture without revisits"):
        with rawserver.Server(answer) as server:
            tap.run("crawl", server.url, "-o", tap.path("single"), "--delay", "0", "--single", "--attempts", "1")
            tap.refuse(1, "one look at it only: the capture makes no revisits", "diff", tap.path("single"),
                       server.url + "same")
    check_damage(archive, url)


def is_logged(truth, url):
    try:
        return bool(truth.of(url))
    except KeyError:
        return False


def living_site():
    """What is said of pages that change for real, held against the truth."""
    archive = tap.path("living")
    with living.Site("living", "--pages", living.scaled(60, 24), "--noise", "nonce,csrf,comment,tokens,session",
                     "--changes", "all", "--mean-rate", "1") as site:
        tap.equal(living.crawl(site, archive, "--delay", "2ms").returncode, 0)
    truth, kinds, known = site.truth(), {}, 0
    rows = [row for row in tap.load("report", archive)["verdicts"] if row["revisit_start"]]
    with tap.case("a living site: what is the same has not changed"):
        for row in rows[:40]:
            result = tap.run("diff", archive, row["url"], "--json")
            if "one look at it only" in result.stderr:
                continue
            tap.equal((result.returncode, result.stderr), (0, ""))
            found = json.loads(result.stdout)
            tap.equal(found["same"] == "bytes", row["evidence"] == "bytes")
            kinds[found["same"]] = kinds.get(found["same"], 0) + 1
            if not is_logged(truth, row["url"]):
                continue
            known += 1
            if truth.changed_within(row["url"], living.milliseconds(row["visit_end"]),
                                    living.milliseconds(row["revisit_start"])):
                tap.equal((row["url"], found["same"]), (row["url"], None))
        assert known, "the truth knows no page"
        assert kinds.get("normalised"), f"noise hides every page: {kinds}"
    print(f"# living site: {kinds}, {known} held against the truth")


known_site()
living_site()
tap.done()
