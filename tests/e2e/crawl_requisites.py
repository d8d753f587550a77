#!/usr/bin/env python3
"""What pages embed, and what that embeds: on three hosts, each with a server of its own."""

import signal
import subprocess
import threading
import time

import rawserver
import tap

CONTACT = ("--contact", "https://example.org/")


class Web:
    """Pages by host and path; `{b}` in a body is the host b, with its port."""

    def __init__(self, **hosts):
        self.hosts = hosts
        self.first = self.then = None  # a page, and another that is answered behind it
        self.answered = threading.Event()
        self.servers = {name: rawserver.Server(self.answer(name), host=f"127.0.0.{number}")
                        for number, name in enumerate(hosts, 1)}
        self.names = {name: server.url[:-1] for name, server in self.servers.items()}

    def answer(self, name):
        types = {"html": "text/html", "css": "text/css", "svg": "image/svg+xml", "txt": "text/plain"}

        def answer(request):
            if name + request.path == self.then:
                self.answered.wait(60)
            data = find(request)
            if name + request.path == self.first:
                request.send(data)
                self.answered.set()
                return b""
            return data

        def find(request):
            body = self.hosts[name].get(request.path)
            if body is None:
                return rawserver.NOT_FOUND
            for host, url in self.names.items():
                body = body.replace("{" + host + "}", url)
            if body.startswith("-> "):
                return rawserver.respond("302 Found", location=body[3:])
            kind = types.get(request.path.rpartition(".")[2], "image/png")
            kind = "text/html" if body.startswith("<p>") else kind
            return rawserver.respond("200 OK", body.encode(), content_type=kind)

        return answer

    def asked(self):
        """Pages that a request came for, as "b/style.css"."""
        return {name + request.path for name, server in self.servers.items()
                for request in server.requests if request.path not in ("/robots.txt", "/sitemap.xml")}

    def url(self, page):
        host, path = page.split("/", 1)
        return f"{self.names[host]}/{path}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.servers.values():
            server.stop()


def options(name):
    return ["--delay", 0, "--traps", "off", *CONTACT, "-o", tap.path(name)]


def crawl(web, name, *arguments):
    """A capture of a/; its verdicts by page, of those that were taken."""
    report = tap.load("crawl", web.url("a/"), *options(name), *arguments)
    return verdicts(web, report)


def verdicts(web, report):
    short = {url: name for name, url in web.names.items()}
    return {short["/".join(row["url"].split("/")[:3])] + "/" + row["url"].split("/", 3)[3]: row["verdict"]
            for row in report["verdicts"] if row["verdict"] != "excluded"}


def why(web, name, page):
    return tap.succeed("report", tap.path(name), "--why", web.url(page))


FRONT = """<p><link rel=stylesheet href={b}/style.css>
<img srcset="{b}/wide.png 2x" src=/own.svg><div style="background: url({b}/attribute.png)">
<iframe src={b}/frame.html></iframe><img src={b}/moved.png><img src={b}/drawing.svg><img src={b}/page.png>
<a href={b}/linked.html>x</a>"""
PAGES = {
    "a": {
        "/": FRONT,
        "/own.svg": '<svg><image href="{c}/own.png"/></svg>',
        "/from-frame.html": "<p>In scope, though found in a frame.",
    },
    "b": {
        "/style.css": """@import "{c}/import.css"; @font-face { src: url({c}/font.woff) }
            p { background: url(background.png) }""",
        "/frame.html": """<p><link rel=stylesheet href={c}/frame.css><img src=in-frame.png>
            <iframe src={c}/inner.html></iframe><a href={b}/next.html>x</a>
            <a href={a}/from-frame.html>x</a>""",
        "/moved.png": "-> {c}/moved.png",
        "/drawing.svg": '<svg><image href="{c}/drawn.png"/></svg>',
        "/page.png": "<p>No image at all.<img src={c}/unseen.png>",
        **{f"/{name}.png": "b" for name in ("wide", "attribute", "background", "in-frame", "inner", "end")},
    },
    "c": {
        "/import.css": "p { background: url(imported.png) }",
        "/inner.html": "<p><img src={b}/inner.png><a href=/next.html>x</a>",
        "/frame.css": "p { background: image-set(url(framed.png) 1x) }",
        "/moved.png": "-> {b}/end.png",
        **{f"/{name}": "c" for name in ("own.png", "font.woff", "imported.png", "framed.png", "drawn.png")},
    },
}
FOUND = {host + path for host, pages in PAGES.items() for path in pages}


def chain(length, end=""):
    """Frames in frames, on hosts b and c in turn."""
    pages = {"b": {}, "c": {}}
    for i in range(1, length + 1):
        pages["bc"[i % 2 == 0]][f"/{i}.html"] = "<p>" + (
            f"<iframe src={{{'bc'[i % 2]}}}/{i + 1}.html></iframe>" if i < length else end)
    return pages


with tap.case("a page comes complete, whatever the hosts"):
    with Web(**PAGES) as web:
        got = crawl(web, "complete")
        tap.equal(web.asked(), FOUND)
        tap.equal(set(got.values()), {"sharp"})
        tap.equal(set(got), FOUND)
        assert "in: requisite" in why(web, "complete", "c/imported.png")
        for page in ("b/linked.html", "b/next.html", "c/next.html", "c/unseen.png"):
            assert "out: outside" in why(web, "complete", page), why(web, "complete", page)
    tap.succeed("verify", tap.path("complete"))

with tap.case("with --scope page, on its own host, too"):
    own = {"/": "<p><link rel=stylesheet href=/a.css><iframe src=/f.html></iframe><a href=/next.html>x</a>",
           "/a.css": "@import 'b.css'; p { background: url(p.png) }",
           "/b.css": "@font-face { src: url({b}/f.woff) }",
           "/f.html": "<p><img src=i.png><a href=/other.html>x</a>",
           "/p.png": "a", "/i.png": "a"}
    with Web(a=own, b={"/f.woff": "b"}) as web:
        got = crawl(web, "page", "--scope", "page")
        tap.equal(web.asked(), {"a" + path for path in own} | {"b/f.woff"})
        tap.equal(set(got.values()), {"sharp"})

with tap.case("five in a row"):
    with Web(a={"/": "<p><iframe src={b}/1.html></iframe>"}, **chain(7)) as web:
        got = crawl(web, "row")
        tap.equal(web.asked(), {"a/", "b/1.html", "c/2.html", "b/3.html", "c/4.html", "b/5.html"})
        assert "out: outside" in why(web, "row", "c/6.html"), why(web, "row", "c/6.html")

with tap.case("redirects are no hops"):
    moved = {f"/{i}.png": f"-> {{{'bc'[i % 2]}}}/{i + 1}.png" for i in range(1, 9)}
    with Web(a={"/": "<p><img src={b}/1.png>"}, b={**moved, "/9.png": "b"}, c={**moved}) as web:
        tap.equal(crawl(web, "redirects")["b/9.png"], "sharp")

with tap.case("too far at first, found nearer later"):
    far = chain(5, "<img src={c}/far.png><a href={a}/late.html>x</a>")
    far["c"]["/far.png"] = "c"
    with Web(a={"/": "<p><iframe src={b}/1.html></iframe>", "/late.html": "<p><img src={c}/far.png>"},
             **far) as web:
        tap.equal(crawl(web, "nearer")["c/far.png"], "sharp")

with tap.case("found nearer while it waits: what it needs is found from there"):
    # The sheet is met in the fourth frame; its host keeps it waiting until a page embeds it.
    far = chain(4, "<link rel=stylesheet href={d}/s.css><a href={a}/late.html>x</a>")
    with Web(a={"/": "<p><iframe src={b}/1.html></iframe>",
                "/late.html": "<p><link rel=stylesheet href={d}/s.css>"},
             **far, d={"/s.css": "@import '1.css';", "/1.css": "p { background: url(i.png) }",
                       "/i.png": "d"}) as web:
        web.first, web.then = "a/late.html", "d/robots.txt"
        tap.equal(crawl(web, "waiting").get("d/i.png"), "sharp")

with tap.case("linked first and embedded later, and the other way round"):
    with Web(a={"/": "<p><a href={b}/i.png>x</a><img src={b}/j.png><a href={b}/f.html>x</a><a href=/2.html>x</a>",
                "/2.html": "<p><img src={b}/i.png><a href={b}/j.png>x</a><iframe src={b}/f.html></iframe>"},
             b={"/i.png": "b", "/j.png": "b", "/k.png": "b",
                "/f.html": "<p><img src=k.png><a href=/next.html>x</a>"}) as web:
        got = crawl(web, "kinds")
        tap.equal(web.asked(), {"a/", "a/2.html", "b/i.png", "b/j.png", "b/k.png", "b/f.html"})
        tap.equal(set(got.values()), {"sharp"})

with tap.case("limits and robots.txt hold for them"):
    with Web(**{**PAGES, "c": {**PAGES["c"], "/robots.txt": "User-agent: *\nDisallow: /\n"}}) as web:
        crawl(web, "robots")
        tap.equal({page for page in web.asked() if page[0] == "c"}, set())
        assert "robots.txt, line 2" in why(web, "robots", "c/import.css")
    # Pages count, what they are made of does not.
    pages = {"/": "<p><img src={b}/0.png>" + "".join(f"<a href=/{i}.html>x</a>" for i in range(1, 9)),
             **{f"/{i}.html": f"<p><link rel=stylesheet href={{b}}/{i}.css><img src=/{i}.png>"
                for i in range(1, 9)}, **{f"/{i}.png": "a" for i in range(1, 9)}}
    parts = {"/0.png": "b", **{f"/{i}.css": f"p {{ background: url({i}.png) }}" for i in range(1, 9)},
             **{f"/{i}.png": "b" for i in range(1, 9)}}
    with Web(a=pages, b=parts) as web:
        got = crawl(web, "max", "--max-pages", 5)
        taken = {page.removesuffix(".html")[2:] for page in got if page.endswith(".html")}
        tap.equal((len(taken), "a/" in got), (4, True))
        wanted = {"a/", "b/0.png"} | {part.format(i) for i in taken for part in
                                      ("a/{}.html", "a/{}.png", "b/{}.css", "b/{}.png")}
        tap.equal(got, {page: "sharp" for page in wanted})
        tap.equal(web.asked(), wanted)
    with Web(**PAGES) as web:
        tap.equal(set(crawl(web, "one", "--max-pages", 1)), FOUND - {"a/from-frame.html"})
    with Web(**PAGES) as web:
        crawl(web, "none", "--no-requisites")
        tap.equal(web.asked(), {"a/", "a/own.svg"})
    with Web(**PAGES) as web:
        crawl(web, "depth", "--max-depth", 0)
        tap.equal(web.asked(), FOUND - {"a/from-frame.html"})
    with Web(**PAGES) as web:
        crawl(web, "exclude", "--exclude", "import")
        tap.equal(web.asked(), FOUND - {"c/import.css", "c/imported.png"})

with tap.case("the count survives resume"):
    with Web(a={"/": "<p><iframe src={b}/1.html></iframe>"}, **chain(7)) as web:
        process = subprocess.Popen([tap.PROGRAM, "crawl", web.url("a/"), *map(str, options("resume")),
                                    "--delay", "200ms"], stderr=subprocess.PIPE, text=True)
        while "b/3.html" not in web.asked() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        told = process.communicate()[1]
        assert process.returncode == 3 and "stopped" in told, (process.returncode, told)
        got = verdicts(web, tap.load("resume", tap.path("resume")))
        tap.equal(got, {page: "sharp" for page in
                        ("a/", "b/1.html", "c/2.html", "b/3.html", "c/4.html", "b/5.html")})

tap.done()
