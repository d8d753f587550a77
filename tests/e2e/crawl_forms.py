#!/usr/bin/env python3
"""Search forms: what they are asked for, what is never sent, and that nothing is lost by a kill.

With arguments (RECORDS [TOPICS]) it measures how many queries a database of that size takes, for
docs/forms.md, in place of the test.
"""

import signal
import subprocess
import sys
import time

import hidden
import living
import rawserver
import tap

QUICK = ["--delay", "0", "--jobs", "4", "--quiet"]
DEADLINE = 120
SHARE = 0.9  # of the records that are to be found

# Forms that must never be sent, each to a path of its own.
DANGEROUS = """
<form action="/login"><input name="user"><input type="password" name="secret"></form>
<form action="/mailed"><input name="q"><input type="email" name="reader"></form>
<form action="/mailed-too"><input name="q"><input name="email"></form>
<form action="/paid"><input name="q"><input name="card_number"></form>
<form action="/file" method="post" enctype="multipart/form-data"><input type="search" name="q">
  <input type="file" name="f"></form>
<form action="/newsletter/subscribe"><input name="q"></form>
<form action="/list" id="unsubscribe"><input name="q"></form>
<form action="/thing" name="deleteThing"><input name="q"></form>
<form action="/shop"><input name="q"><button>Order now</button></form>
<form action="/poll1"><select name="choice"><option>a<option>b</select><input type="submit" value="Vote"></form>
<form action="/device1"><input name="q"><button>Reboot</button></form>
<form action="/mail1"><input name="q"><input type="submit" value="Empty trash"></form>
<form action="/files1"><input name="q"><input type="hidden" name="do" value="rm"></form>
<form action="/cache1/search" method="post"><input name="q"><input type="hidden" name="x" value="purge"></form>
<form action="/kontakt1"><input name="q"><button>Senden</button></form>
<form action="/hidden-action"><input name="q"><input type="hidden" name="action" value="delete"></form>
<form action="/posted" method="post"><input name="comment_text"></form>
<form action="/nofollow" rel="nofollow"><input type="search" name="q"></form>
<form action="javascript:go()"><input type="search" name="q"></form>
<form action="http://127.0.0.2:9/elsewhere"><input type="search" name="q"></form>
<form action="/outer"><form action="/nested"><input name="q"><input type="password" name="p"></form></form>
<form id="late" action="/owned"><input name="q"></form><input type="password" name="x" form="late">
<form action="/dialog" method="dialog"><input type="search" name="q"></form>
<form action="/nameless"><input type="search"></form>
"""


def capture(site, archive, *options):
    result = tap.run("crawl", site.url, "-o", tap.path(archive), *QUICK, *options, timeout=DEADLINE)
    tap.equal((result.returncode, result.stderr), (0, ""))
    return tap.load("report", tap.path(archive))


def needed(site):
    """Queries until enough records were found."""
    for count in range(1, len(site.queries) + 1):
        if site.coverage(count) >= SHARE:
            return count
    raise AssertionError(f"{len(site.queries)} queries found {site.coverage(len(site.queries)):.1%}")


def measure(records, topics):
    database = hidden.Database(records, words=2 * records, topics=topics, skipped=100)
    oracle = database.until(database.greedy(), SHARE)
    chance = database.until(database.at_random(), SHARE)
    with hidden.Site(database, per_page=100) as site:
        result = tap.run("crawl", site.url, "-o", tap.path("large"), *QUICK, "--single",
                         "--forms", 2 * oracle)
        tap.equal(result.returncode, 0)
        print(f"{records} records, {topics} topics: oracle {oracle}, random words {chance}, "
              f"--forms {needed(site)}; {len(site.requests)} requests")


if len(sys.argv) > 1:
    measure(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    sys.exit()

SMALL = hidden.Database(300, words=1500, skipped=10)
ORACLE = SMALL.until(SMALL.greedy(), SHARE)
RANDOM = SMALL.until(SMALL.at_random(), SHARE)

with tap.case("the records behind a form are found with few queries"):
    with hidden.Site(SMALL, inline=True) as site:
        report = capture(site, "get", "--forms", 2 * ORACLE)
        assert needed(site) <= 1.5 * ORACLE, (needed(site), ORACLE)
        assert needed(site) <= RANDOM / 2, (needed(site), RANDOM)
        tap.equal(len(site.queries), 2 * ORACLE)
        asked = [v for v in report["verdicts"] if v["kind"] == "form"]
        tap.equal((len(asked), {v["verdict"] for v in asked}), (2 * ORACLE, {"sharp"}))
        paged = [v for v in report["verdicts"] if "page=" in v["url"]]
        assert paged and all(v["kind"] == "page" for v in paged)
    tap.succeed("verify", tap.path("get"))

with tap.case("without --forms no form is sent"):
    with hidden.Site(SMALL) as site:
        capture(site, "off")
        tap.equal([r for r in site.requests if r[1].startswith("/find")], [])

with tap.case("a search by POST is archived with its body, and found by it"):
    with hidden.Site(SMALL, post=True, shown=3) as site:
        report = capture(site, "post", "--forms", 4, "--max-pages", 30)
        sent = [body for method, path, body in site.requests if method == "POST"]
        tap.equal((len(sent), len(set(sent))), (8, 4))
        asked = [v["url"] for v in report["verdicts"] if v["kind"] == "form"]
        tap.equal(sorted(asked), sorted(f"{site.url}find?__wb_method=POST&{body}" for body in set(sent)))
    tap.succeed("verify", tap.path("post"))
    requests = [record for file in living.warc_files(tap.path("post")) for record in living.records(file)
                if record.type == "request" and record.block.startswith(b"POST ")]
    tap.equal({r.block.partition(b"\r\n\r\n")[2].decode() for r in requests}, set(sent))
    tap.equal({r.fields["WARC-Target-URI"] for r in requests}, {site.url + "find"})
    with open(tap.path("post/index.cdxj"), encoding="utf-8") as file:
        before = file.read()
    assert before.count("__wb_method=post&in=all&q=") == 8, before
    tap.succeed("index", tap.path("post"))
    with open(tap.path("post/index.cdxj"), encoding="utf-8") as file:
        tap.equal(file.read(), before)
    tap.equal(tap.run("rebuild", tap.path("post")).returncode, 0)
    tap.equal(tap.load("report", tap.path("post"))["verdicts"], report["verdicts"])

with tap.case("forms that could do something are never sent"):
    with hidden.Site(SMALL, extra=DANGEROUS, inline=True) as site:
        capture(site, "dangerous", "--forms", 12, "--traps", "off")
        paths = {path.partition("?")[0] for _, path, _ in site.requests}
        tap.equal(paths, {"/", "/find", "/robots.txt", "/sitemap.xml"})
        tap.equal(len(site.queries), 12)

with tap.case("robots.txt is obeyed, by its own path also for POST"):
    for post in (False, True):
        with hidden.Site(SMALL, post=post, robots="User-agent: *\nDisallow: /find$\nDisallow: /find?q") as site:
            report = capture(site, f"robots-{post}", "--forms", 5)
            tap.equal([r for r in site.requests if r[1].startswith("/find")], [])
            refused = [v for v in report["verdicts"] if v["kind"] == "form"]
            tap.equal([v["verdict"] for v in refused], ["excluded"])

with tap.case("a nofollow page's forms are left alone"):
    with hidden.Site(SMALL, extra="<meta name=robots content=nofollow>") as site:
        capture(site, "meta", "--forms", 5)
        tap.equal([r for r in site.requests if r[1].startswith("/find")], [])

with tap.case("options, radio buttons and numbers are tried; what changes nothing is given up"):
    SOME = sorted(SMALL.having, key=lambda text: (len(SMALL.having[text]), text))[-6:]
    CHOICES = ("<form action='/find'><select name='q'><option value=''>any"
               + "".join(f"<option>{text}" for text in SOME) + "</select>"
               "<select name='sort'><option>up<option>down</select></form>"
               "<form action='/find'><input type='number' name='size' min='1' max='500'></form>")
    with hidden.Site(SMALL, extra=CHOICES, inline=True) as site:
        capture(site, "choices", "--forms", 40, "--traps", "off")
        assert set(SOME) <= set(site.queries), site.queries
        sizes = {path for _, path, _ in site.requests if "size=" in path}
        assert 1 <= len(sizes) <= 8, sizes
        tap.equal([r for r in site.requests if "sort=down" in r[1]], [])

with tap.case("pages with thousands of forms and options do no harm"):
    MANY = ("<form action='/find'><select name='q'>" + "<option>x" * 10000 + "</select></form>"
            + "<form action='/find'><input name='q'></form>" * 1000 + "<form><label>" * 1000)
    with hidden.Site(SMALL, extra=MANY, inline=True) as site:
        capture(site, "many", "--forms", 5)
        tap.equal(len(site.queries), 5)

with tap.case("a capture that is killed goes on with its budget and its words"):
    with hidden.Site(SMALL, inline=True) as site:
        process = subprocess.Popen([tap.PROGRAM, "crawl", site.url, "-o", tap.path("killed"), *QUICK,
                                    "--delay", "5ms", "--forms", str(2 * ORACLE)])
        deadline = time.monotonic() + DEADLINE
        while len(site.queries) < 5 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        begun = len(site.queries)
        tap.equal(tap.run("resume", tap.path("killed"), timeout=DEADLINE).returncode, 0)
        report = tap.load("report", tap.path("killed"))
        asked = [v for v in report["verdicts"] if v["kind"] == "form"]
        tap.equal(len(asked), 2 * ORACLE)
        assert site.coverage(len(site.queries)) >= SHARE, site.coverage(len(site.queries))
        assert begun < len(site.queries)
    tap.succeed("verify", tap.path("killed"))

LINKS = ["/admin/reboot", "/cache/purge", "/mail/empty-trash", "/logout", "/x?do=rm", "/x?cmd=reset"]


def effects(request):
    if request.path in ("/robots.txt", "/sitemap.xml"):
        return rawserver.NOT_FOUND
    links = "".join(f'<a href="{link}">x</a>' for link in LINKS + ["/page"])
    return rawserver.page(f"<p>{request.path}{links}".encode())


with tap.case("links that change a state are followed only with --include"):
    for number, (options, want) in enumerate((((), set()),
                                              (("--include", "/admin/reboot$"), {"/admin/reboot"}))):
        with rawserver.Server(effects) as server:
            tap.run("crawl", server.url, "-o", tap.path(f"effects-{number}"), *QUICK, *options,
                    check=True)
            asked = {request.path for request in server.requests}
            tap.equal(asked & set(LINKS), want)
            assert "/page" in asked, asked

tap.done()
