#!/usr/bin/env python3
"""Rules of the user (--ignore FILE, --without-rule NAME): in captures, in what is said of them, and
in everything that computes it again."""

import contextlib
import hashlib
import itertools
import json
import os
import re
import sqlite3
import subprocess
import time

import living
import rawserver
import tap

TEXT = "<p>What there is to read on this page stays as it is, word for word.</p>" * 12
COUNT = itertools.count(1)
LOOKS = []  # at a page that every second request does not show
DEADLINE = 120
NAMES = ["counter", "line", "mostly", "price", "token", "gone", "sentinel", "plain"]

RULES = """# visitors, and what else only this site has
select:visitors .visitors, #weather   
text            \\d+ people are reading this

[127.0.0.1]
select:mostly   #much
require:main    main article
[other.example]
select          b
"""


def secret(turn):
    return hashlib.sha256(str(turn).encode()).hexdigest()[:32]


def answer(request):
    turn = next(COUNT)
    parts = {
        "/": "".join(f"<a href=/{name}>x</a>" for name in NAMES),
        "/counter": f"<div class='box visitors'>You are <b>visitor</b> {turn}"
                    f"<a href=/v/{turn}>why</a></div><i id=weather>{turn} degrees</i>",
        "/line": f"<p>Welcome. {turn} people are reading this</p>",
        "/mostly": f"<div id=much>{turn} {TEXT}</div>",
        "/price": f"<b>{turn} EUR</b>",
        "/token": f"<form><input type=hidden name=csrf_token value={secret(turn)}></form>",
        "/plain": "",
    }
    if request.path == "/robots.txt":
        return rawserver.NOT_FOUND
    if request.path.startswith("/v/"):
        return page("<i>because</i>")
    if request.path == "/gone":
        LOOKS.append(turn)
        return page("") if len(LOOKS) % 2 else page("Come back later", "")
    if request.path == "/sentinel":
        return page("", "")
    return page(parts.get(request.path, ""))


def page(body, main="<main><article>A</article></main>"):
    data = f"<html><head><title>T</title></head><body>{TEXT}{main}{body}</body></html>".encode()
    return (f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(data)}\r\n\r\n"
            ).encode() + data


def capture(name, *options):
    archive = tap.path(name)
    with rawserver.Server(answer) as server:
        done = tap.run("crawl", server.url, "-o", archive, "--delay", "1ms", "--no-sitemaps",
                       "--no-probes", "--exclude", "/v/", *options)
        assert done.returncode == 0, done
    report = tap.load("report", archive)
    return report, {row["url"].removeprefix(server.url): row for row in report["verdicts"]}, \
        server, archive


def verify(archive):
    for options in ([], ["--warc-only"]):
        done = tap.run("verify", archive, *options)
        assert done.returncode == 0 and not done.stderr, done


def said(rows, name):
    row = rows[name]
    return row["verdict"], row["evidence"], [rule["name"] for rule in row["rules"]]


rules = tap.write("rules.txt", RULES)

with tap.case("without rules of the user"):
    _, rows, _, _ = capture("none")
    tap.equal(said(rows, "counter")[:2], ("changed", None))
    tap.equal(said(rows, "token"), ("sharp", "normalised", ["token"]))
    tap.equal(rows["sentinel"]["verdict"], "sharp")

with tap.case("what the rules ignore"):
    report, rows, server, archive = capture("ignore", "--ignore", rules)
    tap.equal(said(rows, "counter"), ("sharp", "normalised", ["ignore:visitors"]))
    tap.equal(said(rows, "line"), ("sharp", "normalised", ["ignore:3"]))
    tap.equal(said(rows, "price"), ("changed", None, []))
    tap.equal(said(rows, "plain"), ("sharp", "bytes", []))

with tap.case("what the user ignores does not count, however much it is"):
    tap.equal(said(rows, "mostly"), ("sharp", "normalised", ["ignore:mostly"]))

with tap.case("a page without what it must have is blocked"):
    tap.equal((rows["sentinel"]["verdict"], rows["sentinel"]["reason"]),
              ("blocked", "required: no element for ignore:main"))
    tap.equal((rows["gone"]["verdict"], rows["gone"]["reason"]),
              ("unconfirmed", "blocked: required: no element for ignore:main"))

with tap.case("the report lists the rules, with the version of the file"):
    found = {rule["name"]: rule for rule in report["rules"]}
    tap.equal(set(found), {"ignore:visitors", "ignore:3", "ignore:mostly", "token"})
    tap.equal(found["token"]["version"], 2)
    assert re.fullmatch("sha256:[0-9a-f]{64}", found["ignore:3"]["version"]), found
    tap.equal((found["ignore:3"]["pages"], found["ignore:3"]["count"]), (1, 1))
    text = tap.succeed("report", archive, "--why", server.url + "line")
    assert "ignore:3 (1 times): a rule of the file of --ignore" in text, text

with tap.case("verify computes it again, from the WARC files alone, too"):
    verify(archive)

with tap.case("the rules are in the warcinfo record and the settings"):
    info = next(record.block.decode() for path in living.warc_files(archive)
                for record in living.records(path) if record.type == "warcinfo")
    lines = re.findall("^stillpoint-ignore: ?(.*)\r$", info, re.M)
    tap.equal(lines, [line.strip() for line in RULES.splitlines()])
    with contextlib.closing(sqlite3.connect(os.path.join(archive, "catalog.sqlite"))) as db:
        assert "ignore require:main    main article\n" in \
            db.execute("SELECT settings FROM capture").fetchone()[0]

with tap.case("diff masks by the capture's rules, and names them"):
    found = tap.load("diff", archive, server.url + "counter")
    tap.equal(found["same"], "normalised")
    tap.equal({row["rule"] for row in found["masked"]}, {"ignore:visitors"})
    text = tap.succeed("diff", archive, server.url + "line")
    assert "ignore:3, 1×: a rule of the file of --ignore" in text, text
    assert "people are reading this" in text, text

with tap.case("judge with the same rules says the same"):
    judged = tap.load("judge", archive, "--ignore", rules)
    got = {row["url"].removeprefix(server.url): row for row in judged["verdicts"]}
    for name in ("counter", "line", "price", "mostly", "plain", "token"):
        tap.equal((name, *said(got, name)[:2]), (name, *said(rows, name)[:2]))
    tap.equal(got["sentinel"]["verdict"], "blocked")
    got = {row["url"].removeprefix(server.url): row for row in tap.load("judge", archive)["verdicts"]}
    tap.equal(got["counter"]["verdict"], "changed")

with tap.case("inspect change: rules of the page's site, or of all"):
    a, b = (tap.write(f"{name}.html", f"<p>{TEXT}</p><b>{name}</b><i class=visitors>{name}</i>")
            for name in "ab")
    for url, same in ((None, None), ("http://x.example/", None),
                      ("http://other.example/", "normalised")):
        line = {"a": a, "b": b} | ({"url": url} if url else {})
        pairs = tap.write("pairs", json.dumps(line) + "\n")
        got = json.loads(tap.succeed("inspect", "change", pairs, "--ignore", rules))
        tap.equal((url, got["same"]), (url, same))
        assert same or "ignore:visitors" in {row["rule"] for row in got["explained"]}, got
        assert len(got["differs"]) == (0 if same else 1), got

with tap.case("a built-in rule that is off"):
    report, rows, _, off = capture("off", "--without-rule", "token")
    tap.equal(said(rows, "token")[:2], ("changed", None))
    tap.equal(report["rules"], [])
    verify(off)

with tap.case("another capture of the archive by other rules"):
    with rawserver.Server(answer, port=server.port):
        for options, verdict in (([], "changed"), (["--ignore", rules], "sharp")):
            done = tap.run("crawl", server.url, "-o", archive, "--delay", "1ms", "--no-sitemaps",
                           "--no-probes", "--exclude", "/v/", *options)
            tap.equal(done.returncode, 0)
            rows = {row["url"].removeprefix(server.url): row
                    for row in tap.load("report", archive)["verdicts"]}
            tap.equal((rows["counter"]["verdict"], rows["plain"]["verdict"]), (verdict, "sharp"))
            verify(archive)

with tap.case("the WARC lies about the rules"):
    lying = tap.path("lying")
    count = living.rewrite(archive, lying, lambda record: record.type == "warcinfo",
                           lambda block: block.replace(b"-ignore: text ", b"-ignore: # text "))
    tap.equal(count, 2)
    done = tap.run("verify", lying, "--warc-only")
    tap.equal(done.returncode, 1)
    assert "it differs by noise alone, the two bodies do not" in done.stdout, done.stdout

for label, text, want in (
        ("selector", "select .a\nselect  p + b\n", ":2:11: selector: "),
        ("expression", "text (\n", ":1:7: "),
        ("kind", "\n\nhide .a\n", ":3:1: 'hide' is no rule; write select, text, require"),
        ("section", "[a.example\nselect b\n", ":1:11: the section's ']' is missing"),
        ("control character", "text a\x01b\n", ":1:7: this is a control character")):
    with tap.case(f"bad rules: {label}"):
        bad = tap.write("bad.txt", text)
        for command in (["crawl", server.url, "-o", tap.path("bad")],
                        ["judge", archive], ["inspect", "change", pairs]):
            done = tap.run(*command, "--ignore", bad)
            tap.equal((command[0], done.returncode, done.stdout), (command[0], 2, ""))
            assert f"{bad}{want}" in done.stderr, done.stderr
            tap.equal(done.stderr.count("\n"), 1)
        assert not os.path.exists(tap.path("bad"))

with tap.case("usage"):
    for options, want in ((["--ignore", tap.path("none.txt")], "No such file"),
                          (["--ignore", rules, "--bytes-only"], "--bytes-only applies no rules"),
                          (["--without-rule", "nonces"], "did you mean 'nonce'?")):
        done = tap.run("crawl", server.url, "-o", tap.path("bad"), *options)
        assert done.returncode in (1, 2) and want in done.stderr, done

with tap.case("resume goes on with the rules"):
    stopped = tap.path("stopped")
    with rawserver.Server(answer) as server:
        process = subprocess.Popen([tap.PROGRAM, "crawl", server.url, "-o", stopped, "--delay",
                                    living.SLOW, "--no-sitemaps", "--no-probes", "--ignore", rules],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        visits = "SELECT 1 FROM observation WHERE leg = 0"
        end = time.monotonic() + DEADLINE
        while not living.peek(stopped, visits):
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        process.kill()
        process.wait(timeout=DEADLINE)
        living.hasten(stopped)
        os.unlink(rules)
        tap.equal(tap.run("resume", stopped).returncode, 0)
    rows = {row["url"].removeprefix(server.url): row
            for row in tap.load("report", stopped)["verdicts"]}
    tap.equal(said(rows, "counter"), ("sharp", "normalised", ["ignore:visitors"]))
    verify(stopped)

tap.done()
