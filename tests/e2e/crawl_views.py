#!/usr/bin/env python3
"""Views of documents: they come last, are few, and cost no document."""

import re
import subprocess
import urllib.parse

import rawserver
import tap
from rawserver import page, respond

PAGES = 60
ORPHANS = ["hidden:a", "hidden:b"]
VIEWS = ["edit", "revisions", "backlink", "diff"]


class Wiki:
    """A wiki without rewriting: documents and views differ in their queries alone."""

    def __init__(self):
        self.server = rawserver.Server(self.answer)
        self.url = self.server.url.rstrip("/")

    def document(self, name):
        number = int(name[1:]) if re.fullmatch(r"p\d+", name) else None
        words = " ".join(f"{name}-{k}" for k in range(30))
        links = [f"/w/doku.php?id=p{(number * 7 + k) % PAGES}" for k in (1, 2, 3)] if number is not None else []
        tools = [f"/w/doku.php?id={name}&do={view}" for view in VIEWS + ["index", "recent"]]
        tools += [f"/w/doku.php?id={name}&rev={1700000000 + k}" for k in range(2)]
        return f"<p>{words}</p>", links + tools

    def answer(self, request):
        path, _, query = request.path.partition("?")
        fields = dict(urllib.parse.parse_qsl(query))
        if path == "/":
            return respond("302 Found", location="/w/doku.php?id=p0")
        if path == "/w/pixel.png":
            return respond("200 OK", b"png", content_type="image/png")
        if path != "/w/doku.php":
            return respond("404 Not Found", b"")
        name, do = fields.get("id", "p0"), fields.get("do")
        text, links = self.document(name)
        if "idx" in fields:
            links += [f"/w/doku.php?id={o}" for o in ORPHANS if o.startswith(fields["idx"] + ":")]
        elif do == "index":
            links += [f"/w/doku.php?id={name}&idx=hidden", f"/w/doku.php?id={name}&idx=team"]
        elif do == "revisions" and not name.startswith("user:"):  # the only way to the pages of authors
            links += [f"/w/doku.php?id=user:{name}"]
        if do:
            text = f"<p>{do} of {name}</p>" + text
        body = text + "".join(f'<a href="{link.replace("&", "&amp;")}">x</a>' for link in links)
        return page(f'{body}<img src="/w/pixel.png?id={name}&do=edit">'.encode())


class Shop:
    """An application that nobody knows. Its pages pass an origin on, which changes nothing; a
    language does change them; and ?action=show is how it shows a product."""

    def __init__(self, products=40):
        self.products = products
        self.server = rawserver.Server(self.answer)
        self.url = self.server.url.rstrip("/")

    def answer(self, request):
        path, _, query = request.path.partition("?")
        fields = dict(urllib.parse.parse_qsl(query))
        if path == "/":
            links = [f"/edit/{k}" for k in range(self.products)]
            links += [f"/shop?action=show&item={k}" for k in range(self.products)]
            return page(b"".join(f'<a href="{link.replace("&", "&amp;")}">x</a>'.encode() for link in links))
        if path.startswith("/edit/"):
            word = "wort" if fields.get("lang") == "de" else "word"
            text = " ".join(f"{word}{path}{k}" for k in range(40))
            me = int(path.split("/")[2])
            links = [f"/edit/{(me + k) % self.products}?from={me}" for k in (1, 2, 3)] + [f"{path}?lang=de"]
            return page((f"<p>{text}</p>" + "".join(f'<a href="{x}">x</a>' for x in links)).encode())
        if path == "/shop":
            return page(f"<p>product {fields.get('item')}</p>".encode())
        return respond("404 Not Found", b"")


def crawl(archive, url, *options):
    done = subprocess.run([tap.PROGRAM, "crawl", "-o", tap.path(archive), "--delay", "0",
                           "--no-probes", *options, url], capture_output=True, text=True, check=False)
    tap.equal(done.returncode, 0)
    return tap.load("report", tap.path(archive))


def captured(report, pattern):
    return [row["url"] for row in report["verdicts"]
            if row["verdict"] not in ("excluded", "unvisited") and re.search(pattern, row["url"])]


IS_VIEW = r"doku\.php\?.*(do=|rev=|idx=)"
IS_DOCUMENT = r"doku\.php\?id=[^&]*$"

with tap.case("documents first; views are at most a tenth, and no document is lost"):
    wiki = Wiki()
    report = crawl("wiki", wiki.url + "/")
    documents, views = captured(report, IS_DOCUMENT), captured(report, IS_VIEW)
    names = {url.split("id=")[1] for url in documents}
    assert {f"p{k}" for k in range(PAGES)} | set(ORPHANS) <= names, names
    pages = [row for row in report["verdicts"] if row["verdict"] not in ("excluded", "unvisited")]
    fruitful = sum("user:" in name for name in names)
    assert len(views) <= len(pages) / 10 + 2 * fruitful, (len(views), len(pages))
    assert len(views) >= 4, views
    assert report["left_out"]["view"] > 5 * PAGES, report["left_out"]
    # Pictures are no views, whatever they are called.
    assert captured(report, "pixel.png.*do=edit")
    # All documents that are linked from documents were asked for before any view but the lists.
    asked = [r.path for r in wiki.server.requests]
    first_view = next(i for i, path in enumerate(asked) if re.search("do=(?!index|recent)|rev=", path)
                      and "pixel" not in path)
    assert {f"/w/doku.php?id=p{k}" for k in range(PAGES)} <= set(asked[:first_view])
    out = next(row for row in report["verdicts"] if row["left_out"] == "view")
    why = subprocess.run([tap.PROGRAM, "report", tap.path("wiki"), "--why", out["url"]],
                         capture_output=True, text=True, check=False).stdout
    assert "view, dokuwiki: " in why, why
    text = subprocess.run([tap.PROGRAM, "report", tap.path("wiki")], capture_output=True, text=True,
                          check=False).stdout
    assert "views of other pages" in text and "--views" in text, text
    tap.equal(subprocess.run([tap.PROGRAM, "verify", tap.path("wiki")], capture_output=True,
                             check=False).returncode, 0)

with tap.case("--views takes them all; seeds and --include are the user's wish"):
    report = crawl("all", wiki.url + "/", "--views")
    tap.equal(report["left_out"]["view"], 0)
    assert len(captured(report, "do=edit")) > PAGES
    report = crawl("some", wiki.url + "/w/doku.php?id=p3&do=edit", "--include", "do=revisions",
                   "--max-pages", "200")
    tap.equal(len(captured(report, r"/w/doku.php\?id=p3&do=edit")), 1)
    assert len(captured(report, r"do=revisions")) >= PAGES
    wiki.server.stop()

with tap.case("what looks like a view is none; what changes nothing is learned"):
    shop = Shop()
    report = crawl("shop", shop.url + "/")
    tap.equal(len(captured(report, r"/edit/\d+$")), shop.products)
    tap.equal(len(captured(report, r"action=show")), shop.products)
    tap.equal(len(captured(report, r"lang=de")), shop.products)
    assert report["left_out"]["view"] > shop.products, report["left_out"]
    assert 0 < len(captured(report, r"from=")) < 2 * shop.products, captured(report, r"from=")
    shop.server.stop()

tap.done()
