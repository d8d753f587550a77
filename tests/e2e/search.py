#!/usr/bin/env python3
"""Full text: `index --text`, `search` and /NAME/search, as of one instant."""

import json
import os
import shutil
import sqlite3
import urllib.parse

import rawserver
import tap
from rawserver import page, respond
from replaying import Server, members, record, response, sha1

A = "http://example.org/"


def day(n, clock="12:00:00"):
    return f"2020-01-{n:02}T{clock}Z"


def html(title, text):
    return f"<html><head><title>{title}</title><script>hidden()</script></head><body><p>{text}</p>".encode()


OLD = html("Prices", "A lamp costs ten crowns. Ship by Friday & pay <b>later</b>.")
NEW = html("Prices", "A lamp costs twelve crowns now.")
os.mkdir(tap.path("dir"))
tap.write("dir/a.warc.gz", members(
    response(A + "prices", day(1), OLD),
    response(A + "prices", day(5), NEW),
    # An unchanged page: the revisit record has no text of its own.
    response(A + "terms", day(1), html("Terms", "Crème brûlée is not part of the LAMP.")),
    record("revisit", A + "terms", day(5), b"", WARC_Payload_Digest=sha1(html(
        "Terms", "Crème brûlée is not part of the LAMP.")),
        WARC_Profile="http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"),
    response(A + "cjk", day(1), html("東京", "東京都の天気は晴れです"), Content_Type="text/html; charset=utf-8"),
    response(A + "markup", day(1), html("a &lt;img src=x&gt; title", "&lt;script&gt;alert(1)&lt;/script&gt; zebra \x02")),
    # Neither HTML nor a success: no pages.
    response(A + "data.json", day(1), b'{"lamp": 1}', Content_Type="application/json"),
    response(A + "gone", day(1), html("Gone", "lamp"), status="404 Not Found"),
    # Without a digest, as some tools write it.
    response(A + "bare", day(1), html("Bare", "quokka"), digest=False),
    # Gzip: what is searched is what a reader sees.
    response("https://other.example/x", day(2), html("Other", "lamp lamp lamp")),
))


def urls(*arguments):
    return [hit["url"] for hit in tap.load("search", *arguments)["pages"]]


directory = tap.path("dir")
with tap.case("without an index, the command says how to write one"):
    tap.refuse(1, "--text", "search", directory, "lamp")

with tap.case("the index has pages, each text once, and no text"):
    out = tap.succeed("index", directory, "--text")
    assert out.startswith("text.sqlite: 7 new pages") and "1 WARC file" in out, out
    db = sqlite3.connect(f"file:{directory}/text.sqlite?mode=ro", uri=True)
    tap.equal(db.execute("SELECT count(*) FROM doc").fetchone(), (7,))
    tap.equal(db.execute("SELECT body FROM text LIMIT 1").fetchone(), (None,))
    db.close()
    assert not os.path.exists(f"{directory}/text.sqlite.new")

with tap.case("only the version of the asked time counts"):
    tap.equal(urls(directory, "ten", "crowns", "--at", "20200102"), [A + "prices"])
    tap.equal(urls(directory, "twelve", "--at", "20200102"), [])
    tap.equal(urls(directory, "ten", "crowns"), [])
    tap.equal(urls(directory, "twelve"), [A + "prices"])
    tap.equal(urls(directory, "ten", "--at", "2020-01-01T12:00:00Z"), [A + "prices"])

with tap.case("a page that a revisit record repeats is found at both times"):
    for at in ("20200101120000", "20200105120000", "2030"):
        tap.equal(urls(directory, "creme", "brulee", "--at", at), [A + "terms"])

with tap.case("words are found whatever their case and accents, phrases and beginnings as asked"):
    tap.equal(set(urls(directory, "lamp")), {A + "prices", A + "terms", "https://other.example/x"})
    tap.equal(urls(directory, '"part of the lamp"'), [A + "terms"])
    tap.equal(urls(directory, '"lamp the"'), [])
    tap.equal(urls(directory, "zeb*"), [A + "markup"])
    tap.equal(urls(directory, "prices", "crowns"), [A + "prices"])
    tap.equal(urls(directory, "quokka"), [A + "bare"])
    tap.equal(urls(directory, "hidden"), [])
    for text in ("東京", "天気", "東京都の天気"):
        tap.equal(urls(directory, text), [A + "cjk"])
    tap.equal(urls(directory, "京東"), [])

with tap.case("a snippet is read from the record; the title of the page comes along"):
    hit = tap.load("search", directory, "crowns", "--at", "20200102")["pages"][0]
    tap.equal((hit["title"], hit["ground"], hit["memento"], hit["timestamp"]),
              ("Prices", "nearest", "2020-01-01T12:00:00.000Z", "20200101120000"))
    assert "costs ten crowns" in hit["snippet"], hit
    tap.equal(tap.load("search", directory, "天気")["pages"][0]["snippet"], "東京都の天気は晴れです")
    text = tap.succeed("search", directory, "zebra")
    assert "\x02" not in text and text.endswith("Z\n") and "1 page as of" in text, text

with tap.case("no input is an error of the index"):
    for words in ('"', 'a"b', "NEAR(", "title:", "(", "^x", "a AND", "-", "*", "a*b", "'", "\\", "{a}"):
        result = tap.run("search", directory, "--", words)
        assert result.returncode in (0, 2) and result.stderr.count("\n") == (result.returncode != 0), result
    tap.refuse(2, "no words", "search", directory, "!!")
    tap.refuse(2, "is no time", "search", directory, "lamp", "--at", "yesterday")
    tap.refuse(1, "nowhere", "search", tap.path("nowhere"), "lamp")
    tap.refuse(2, "--text goes with no other option", "index", directory, "--text", "--compressed")

with tap.case("new files are added, changed ones make it anew, a damaged index is made again"):
    tap.write("dir/b.warc.gz", members(response(A + "new", day(6), html("New", "wombat lamp"))))
    assert "1 new pages" in (out := tap.succeed("index", directory, "--text")) and "1 were known" in out, out
    tap.equal(urls(directory, "wombat"), [A + "new"])
    assert urls(directory, "twelve") == [A + "prices"]
    tap.write("dir/b.warc.gz", members(response(A + "new", day(6), html("New", "a dingo, not the other"))))
    assert "8 new pages" in (out := tap.succeed("index", directory, "--text")), out
    tap.equal((urls(directory, "wombat"), urls(directory, "dingo")), ([], [A + "new"]))
    with open(f"{directory}/text.sqlite", "r+b") as file:
        file.write(b"not a database at all")
    tap.refuse(1, "text.sqlite", "search", directory, "lamp")
    tap.succeed("index", directory, "--text")
    tap.equal(urls(directory, "dingo"), [A + "new"])

with tap.case("a foreign database is refused"):
    shutil.copytree(directory, tap.path("foreign"))
    os.remove(tap.path("foreign/text.sqlite"))
    db = sqlite3.connect(tap.path("foreign/text.sqlite"))
    db.execute("CREATE VIEW text AS SELECT 1")
    db.close()
    tap.refuse(1, "no index of ours", "search", tap.path("foreign"), "lamp")

ACCESS = tap.write("access", "org,example)/terms block\n")
with Server(directory, "--access", ACCESS) as server:
    def ask(words, **more):
        query = urllib.parse.urlencode({"q": words, "output": "json", **more})
        return json.loads(server.text(f"/dir/search?{query}"))

    with tap.case("the server searches, too, and its page is text"):
        tap.equal([hit["url"] for hit in ask("ten crowns", at="20200102")["pages"]], [A + "prices"])
        body = server.text("/dir/search?q=zebra")
        assert "<mark>zebra</mark>" in body and "<script>alert" not in body, body
        assert "a &lt;img src=x&gt; title" in body, body
        assert f'href="/dir/20200101120000/{A}markup"' in body, body
        assert "No page has" in server.text("/dir/search?q=nothinglikethis")

    with tap.case("what access rules refuse is not found"):
        tap.equal([hit["url"] for hit in ask("brulee")["pages"]], [])

    with tap.case("results come in parts"):
        first = ask("lamp", limit=1)
        rest = ask("lamp", limit=1, skip=1)
        tap.equal((first["more"], len(first["pages"]), rest["more"], len(rest["pages"])), (True, 1, False, 1))
        assert first["pages"] != rest["pages"]

    with tap.case("bad questions get 400"):
        for query in ("", "q=", "q=a&at=x", "q=a&limit=1000", "q=a&skip=-1", "q=a&output=xml", "q=" + "a" * 3000):
            tap.equal(server.get(f"/dir/search?{query}").status, 400)

with Server(tap.path("foreign")) as server:
    with tap.case("a collection with a foreign index answers with an error, without one with 404"):
        tap.equal(server.get("/foreign/search?q=lamp").status, 500)
        os.remove(tap.path("foreign/text.sqlite"))
        tap.equal(server.get("/foreign/search?q=lamp").status, 404)

# ---- an archive of our own: the still point ----

HOME = [page(b"<title>Home</title><a href=/still>still</a> before"),
        page(b"<title>Home</title><a href=/still>still</a> afterwards")]
asked = []


def answer(request):
    if request.path == "/":
        asked.append(request)
        return HOME[len(asked) > 1]
    if request.path == "/still":
        return page(b"<title>Still</title>steady kiwi")
    return respond("404 Not Found", b"no", content_type="text/plain")


with rawserver.Server(answer) as site:
    tap.run("crawl", site.url, "-o", tap.path("own.stillpoint"), "--delay", "0", "--json")
own = tap.path("own.stillpoint")
with tap.case("an archive is searched as of its newest still point"):
    tap.succeed("index", own, "--text")
    report = tap.load("report", own)
    found = tap.load("search", own, "kiwi")
    tap.equal((found["stillpoint"], found["pages"][0]["ground"]), (True, "proven"))
    assert report["stillpoint"]["from"] <= found["at"] <= report["stillpoint"]["to"], found["at"]
    tap.equal(len(tap.load("search", own, "before")["pages"]) + len(tap.load("search", own, "afterwards")["pages"]), 1)
    tap.equal(len(tap.load("search", own, "afterwards", "--at", "2100")["pages"]), 1)

tap.done()
