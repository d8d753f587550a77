#!/usr/bin/env python3
"""Text of foreign sources never reaches a terminal raw: no command prints a control character that
a site, an archive or a file of somebody else has."""

import os
import re
import subprocess

import rawserver
import replaying
import tap

# Escape, bell, delete, a C1 control in UTF-8 and as a raw byte (Latin-1), and an order of writing.
EVIL = "\x1b[31m\x07\x7f\x9b2J\u202e"
RAW = EVIL.encode() + b"\x9b\x85"
QUOTED = "".join(f"%{byte:02x}" for byte in EVIL.encode())
BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
ORDER = re.compile("[\u202a-\u202e\u2066-\u2069]")
PATHS = ["/", f"/p{QUOTED}", "/gone", "/failed", "/moved", "/changed", "/types"]


def answer(request):
    """Every part of a response that may be shown has them; pages that change have them in between."""
    answer.count += 1
    path = request.path
    if path == "/robots.txt":
        return rawserver.respond("200 OK", b"User-agent: *\nDisallow: /no" + RAW + b"\n")
    head = [b"X-Evil: " + RAW.replace(b"\x00", b""), b"Set-Cookie: a=" + RAW, b"Last-Modified: " + RAW]
    links = "".join(f"<a href='{link}'>{EVIL}</a>" for link in (*PATHS, f"/no{EVIL}", f"//{EVIL}.example/"))
    body = f"<html lang='{EVIL}'><title>{EVIL}title</title>{links}<p>{EVIL} words {path}".encode() + RAW
    status = b"200 " + RAW
    if path == "/gone":
        status = b"404 " + RAW
    elif path == "/failed":
        status = b"500 " + RAW
    elif path == "/moved":
        status = b"302 " + RAW
        head.append(b"Location: /p2" + RAW)
    elif path == "/types":
        head.append(b"Content-Type: text/html" + RAW + b"; charset=" + RAW)
    elif path == "/changed":
        body += f"<p>{EVIL} {answer.count} changes</p>".encode()
    if path != "/types":
        head.append(b"Content-Type: text/html")
    return (b"HTTP/1.1 " + status + b"\r\n" + b"".join(line + b"\r\n" for line in head) +
            b"Content-Length: %d\r\n\r\n" % len(body) + body)


answer.count = 0


def check(*arguments, source=b""):
    done = subprocess.run([tap.PROGRAM, *map(str, arguments)], input=source, capture_output=True, check=False)
    for name, data in (("stdout", done.stdout), ("stderr", done.stderr)):
        text = data.decode()  # and it is UTF-8
        bad = BAD.search(text)
        assert not bad, (arguments, name, text[max(0, bad.start() - 200):bad.start() + 50])
        # JSON, CSV and CDXJ are data; what people read keeps its order.
        if "--json" not in arguments and "--csv" not in arguments and "inspect" not in arguments:
            order = ORDER.search(text)
            assert not order, (arguments, name, text[max(0, order.start() - 200):order.start() + 50])
    return done


with rawserver.Server(answer) as site:
    ARCHIVE, SITE = tap.path("hostile"), site.url
    EVENTS, LOG = tap.path("events"), tap.path("log")
    with tap.case("crawl: report, log and events"):
        check("crawl", SITE, "-o", ARCHIVE, "--delay", "1ms", "--attempts", 1, "--events", EVENTS, "--crawl-log", LOG)
        check("crawl", SITE, "-o", ARCHIVE, "--delay", "1ms", "--attempts", 1, "--json")
        check("crawl", SITE, "-o", tap.path(f"named-{EVIL}"), "--delay", "1ms", "--attempts", 1, "--max-pages", 2)
        tap.equal(len(tap.load("report", ARCHIVE)["verdicts"]) > len(PATHS), True)
        for path in (EVENTS, LOG):
            with open(path, encoding="utf-8") as file:
                assert not BAD.search(file.read()), path
    with tap.case("watch: what it says, and its status"):
        config = tap.write("watch.yaml", f"archive: {tap.path('watched')}\nbudget: {{requests: 50/s}}\n"
                                         f"delay: 1ms\nsites: [{{url: '{SITE}'}}]\n")
        check("watch", "--once", config)
        for form in ((), ("--json",)):
            check("watch", "--status", config, *form)

DATE = "2026-01-02T03:04:05Z"
FOREIGN = [tap.write(f"foreign{i}.warc.gz", replaying.members(*(
    replaying.response(f"http://a.example/{name}{QUOTED}", f"2026-01-02T0{3 + i}:04:05Z",
                       f"<title>{EVIL}</title><a href='/{EVIL}'>{EVIL}</a>{i if name == 'c' else ''} words".encode())
    .replace(b"WARC-Type", b"X-Evil: " + EVIL.encode() + b"\r\nWARC-Type", 1)
    .replace(b"HTTP/1.1 200 OK", b"HTTP/1.1 200 " + RAW, 1) for name in "abc"))) for i in range(2)]
URLS = [SITE, SITE + f"p{QUOTED}", SITE + "changed", SITE + "gone", SITE + "failed", SITE + "moved", SITE + EVIL]
READING = [
    *(("report", *form) for form in (
        (), ("--json",), ("--csv",), ("--captures",), ("--captures", "--json"), ("--requisites",), ("--hosts",), ("--types",),
        ("--status",), ("--compare", "1", "2"), ("--compare", "1", "2", "--json"), ("--at", "now"),
        ("--at", "now", "--json"), ("--site", EVIL, "--at", "now"), ("--capture", EVIL), ("--html", "-"),
        ("--operator", EVIL), ("--operator", EVIL, "--json"), *(("--why", url) for url in URLS),
        *(("--why", url, "--json") for url in URLS))),
    *(("diff", url, *form) for url in URLS for form in ((), ("--json",))),
    ("diff", SITE, "--without-rule", EVIL), ("verify",), ("verify", "--json"), ("verify", "--warc-only", "--verbose"),
    ("rates",), ("rates", "--json"), ("rates", "--csv"), ("rates", "--csv", "--contents"), ("rates", "--due"),
    ("rates", "--explain", URLS[1]), ("rates", "--per", "site"), ("graph",), ("graph", "--json"), ("similar",),
    ("similar", "--json"), ("index", "--text"), ("index", "-o", "-"), ("search", "words"), ("search", "words", "--json"),
    ("search", EVIL), ("export", "--csv", "-"), ("export", "--cdxj", "-"), ("retire", "--keep", EVIL),
    ("retire", "--keep", "30d", "--dry-run"), ("judge",), ("judge", "--json"), ("judge", "--why", URLS[1]),
]
for arguments in READING:
    with tap.case("an archive: " + " ".join(map(repr, arguments)).replace("#", "")):
        check(arguments[0], ARCHIVE, *arguments[1:])
for command in ("judge", "verify", "report", "rates", "inspect warc"):
    with tap.case(f"foreign WARC files: {command}"):
        check(*command.split(), *(FOREIGN if command == "judge" else FOREIGN[:1]))
        check(*command.split(), *(FOREIGN if command == "judge" else FOREIGN[:1]), "--json")
with tap.case("judge: why"):
    check("judge", *FOREIGN, "--why", f"http://a.example/c{QUOTED}")

# Files that are wrong, with the wrong thing in the message.
FILES = {
    "robots.txt": b"User-agent: " + RAW + b"\nDisallow: /" + RAW + b"\nSitemap: " + RAW,
    "sitemap.xml": f"<urlset><url><loc>http://a/{EVIL}</loc><changefreq>{EVIL}</changefreq>".encode() + RAW,
    "page.html": b"<title>" + RAW + b"</title><a href='" + RAW + b"'>" + RAW,
    "rates.csv": b"page,rate\n" + RAW + b"," + RAW + b"\n",
    "odd.csv": b"page," + RAW + b"\na,1\n",
    "config.yaml": b"archive: x\n\"" + b"\\e[31m\\x9b" + b"\": 1\nsites: [{url: \"http://a/\\e\"}]\n",
    "bad.yaml": b"archive: [\n" + RAW,
    "list.cdxj": b"com,a)/" + RAW + b" 20260101000000 {\"url\": \"http://a/" + RAW + b"\"}\n" + RAW + b"\n",
    "timemap.link": b"<http://a/" + RAW + b">; rel=\"memento\"; datetime=\"" + RAW + b"\"",
    "rules.access": RAW + b" block\n",
    "login.yaml": b"url: \"http://a/\\e[31m\\x9b\"\n\"\\e\": 1\n",
    "model.json": b"{\"schema\": \"" + RAW + b"\"}",
    "ignore.yaml": b"- \"\\e[31m\\x9b\": 1\n",
}
WRONG = [
    ("inspect", "robots", "robots.txt", f"http://a/{EVIL}"), ("inspect", "sitemap", "sitemap.xml"),
    ("inspect", "links", "page.html", "--base", "http://a/"), ("inspect", "text", "page.html"),
    ("inspect", "change", "page.html", "page.html"), ("inspect", "url", EVIL), ("inspect", "warc", "page.html"),
    ("inspect", EVIL), (EVIL,), ("help", EVIL), ("crawl", EVIL), ("crawl", "http://a/", "--" + EVIL),
    ("crawl", "http://a/", "--strategy", EVIL), ("crawl", "--config", "config.yaml"), ("crawl", "--config", "bad.yaml"),
    ("crawl", "--seeds", "robots.txt"), ("crawl", "http://a/", "--login", "login.yaml"),
    ("crawl", "http://a/", "--ignore", "ignore.yaml"), ("crawl", "http://a/", "--rates", "rates.csv"),
    ("crawl", "http://a/", "--include", "(" + EVIL), ("crawl", "http://a/", "--auth", EVIL),
    ("crawl", "http://a/", "--header", EVIL), ("crawl", "http://a/", "--proxy", EVIL),
    ("watch", "--check", "config.yaml"), ("watch", "--check", "bad.yaml"), ("plan", "rates.csv"), ("plan", "odd.csv"),
    ("rates", "list.cdxj"), ("rates", "timemap.link"), ("rates", "page.html"), ("train", "rates.csv", "-o", EVIL),
    ("predict", "model.json", "rates.csv"), ("serve", "--access", "rules.access", "page.html"), ("serve", EVIL),
    ("report", EVIL), ("verify", EVIL), ("import", tap.path("into"), "list.cdxj"), ("import", EVIL, "-o", tap.path("into")),
    ("export", EVIL, "--csv", "-"), ("resume", EVIL), ("rebuild", EVIL), ("watch", EVIL), ("diff", EVIL, EVIL),
]
for name, data in FILES.items():
    with open(tap.path(name), "wb") as file:
        file.write(data)
for arguments in WRONG:
    with tap.case("what is wrong: " + " ".join(map(repr, arguments)).replace("#", "")):
        check(*(tap.path(word) if word in FILES else word for word in arguments))

os.mkdir(tap.path("named"))
NAMED = tap.path(f"named/{EVIL}.stillpoint")
os.rename(ARCHIVE, NAMED)
with tap.case("an archive with such a name"):
    for command in ("report", "verify", "rates", "resume", "graph", "search"):
        check(command, NAMED, *(["x"] if command == "search" else []))
        check(command, NAMED + "x", *(["x"] if command == "search" else []))
tap.done()
