#!/usr/bin/env python3
"""Cookies are sent only where a site needs them: what it shows must not follow from what we asked before."""

import itertools

import rawserver
import tap
from rawserver import page, respond

QUICK = ["--delay", "0", "--jobs", "1", "--no-sitemaps"]
PAGES = [f"/page{i}" for i in range(12)]


def links(paths):
    return "".join(f'<p><a href="{path}">{path}</a></p>' for path in paths)


def sent(request):
    """Its cookies by name."""
    text = request.fields.get("Cookie", "")
    return dict(part.split("=", 1) for part in text.split("; ") if part)


class Site(rawserver.Server):
    """Sessions by cookie; find(request, session) makes the page."""

    NAME = "SESSION"

    def __init__(self):
        super().__init__(self.answer_path)
        self.sessions, self.asked, self.numbers = {}, [], itertools.count(1)

    def answer_path(self, request):
        if request.path == "/robots.txt" or request.path.startswith("/stillpoint-probe"):
            return rawserver.NOT_FOUND
        self.asked.append((request.path, sent(request)))
        name = sent(request).get(self.NAME)
        is_new = name not in self.sessions
        if is_new:
            name = f"s{next(self.numbers)}"
            self.sessions[name] = []
        return self.find(request, self.sessions[name], {"set_cookie": f"{self.NAME}={name}; Path=/"} if is_new else {})


class Trail(Site):
    """A wiki that shows the last pages of the session, and counts them."""

    def find(self, request, session, fields):
        session.append(request.path)
        trail = " » ".join(session[-5:])
        return page(f"<p>{request.path} of this wiki</p><p>Trace: {trail}</p>{links(PAGES)}".encode(), **fields)


class Cart(Site):
    """A shop: links put things into the cart, which all pages show."""

    def find(self, request, session, fields):
        if request.path.startswith("/add"):
            session.append(request.path)
        more = [f"/add{i}" for i in range(4)]
        return page(f"<p>{request.path}: {len(session)} things in your cart</p>{links(PAGES + more)}".encode(), **fields)


class Gate(Site):
    """Shows nothing without its cookie. kind: how it says so."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def find(self, request, session, fields):
        if "SESSION" in sent(request) and request.path != "/gate":
            return page(f"<p>This is {request.path}</p>{links(PAGES)}".encode())
        if self.kind == "itself":
            return respond("302 Go", location=request.path, **fields)
        if self.kind == "other":
            if request.path == "/gate":
                return respond("302 Go", location="/", set_cookie="SESSION=" + next(iter(self.sessions)) + "; Path=/")
            return respond("302 Go", location="/gate")
        return respond("403 Forbidden", b"<p>no</p>", **fields)


class Mixed(Trail):
    """A trail on all pages, and three that are forbidden without a session."""

    def find(self, request, session, fields):
        if request.path.startswith("/members/"):
            return (page(f"<p>For members: {request.path}</p>".encode()) if "SESSION" in sent(request)
                    else respond("403 Forbidden", b"<p>no</p>", **fields))
        if request.path == "/":
            return page(links(PAGES + [f"/members/{i}" for i in range(5)]).encode(), **fields)
        return super().find(request, session, fields)


class Buckets(Site):
    """Who comes without a cookie gets one of two variants, in turn; the cookie keeps it."""

    NAME = "BUCKET"

    def find(self, request, session, fields):
        variant = "ab"[len(self.sessions) % 2] if fields else session[0]
        if fields:
            session.append(variant)
        return page(f"<p>{request.path}</p><p>We call this the offer {variant * 9} for you</p>{links(PAGES)}".encode(), **fields)


def crawl(site, name, *options):
    with site as server:
        report = tap.load("crawl", server.url, *QUICK, *options, "-o", tap.path(name))
    tap.succeed("verify", tap.path(name))
    return server, report, {row["url"][len(server.url) - 1:]: row for row in report["verdicts"]}


with tap.case("a trail by session: all pages are sharp, and the archive holds no trail of ours"):
    server, report, rows = crawl(Trail(), "trail")
    tap.equal((report["sharp"], report["pages"]), (13, 13))
    tap.equal(report["cookies"], 0)
    assert "sets cookies" in tap.succeed("report", tap.path("trail")), "the report says nothing of cookies"

with tap.case("a cart: pages show what a newcomer sees"):
    server, report, rows = crawl(Cart(), "cart")
    tap.equal([path for path, row in rows.items() if row["verdict"] != "sharp" and not path.startswith("/add")], [])

for kind in ("itself", "other", "refused"):
    with tap.case(f"a site that shows nothing without its cookie ({kind}): it is sent"):
        server, report, rows = crawl(Gate(kind), f"gate-{kind}")
        tap.equal([path for path in ["/", *PAGES] if rows.get(path, {}).get("verdict") != "sharp" or rows[path]["status"] != 200], [])
        assert report["cookies"] >= 13, report["cookies"]
        assert "Cookies were sent for" in tap.succeed("report", tap.path(f"gate-{kind}"))
        assert len(server.asked) <= 2 * 13 + 12, len(server.asked)

with tap.case("cookies are sent only where they are needed"):
    server, report, rows = crawl(Mixed(), "mixed")
    tap.equal([(path, row["status"], row["verdict"]) for path, row in rows.items() if (row["status"], row["verdict"]) != (200, "sharp")], [])
    tap.equal(report["cookies"], 5)

with tap.case("pages that are the same with cookies only get them"):
    server, report, rows = crawl(Buckets(), "buckets")
    assert report["sharp"] >= 12, report["sharp"]

with tap.case("--no-cookies sends none, --cookies sends those of the file everywhere"):
    server, report, rows = crawl(Trail(), "none", "--no-cookies")
    assert not any(cookies for _, cookies in server.asked)
    file = tap.write("jar.txt", "127.0.0.1\tFALSE\t/\tFALSE\t0\tSESSION\tmine\n")
    server, report, rows = crawl(Trail(), "given", "--cookies", file)
    assert all("SESSION" in cookies for _, cookies in server.asked), server.asked[:3]

tap.done()
