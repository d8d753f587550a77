#!/usr/bin/env python3
"""What comes over the wire is read as browsers read it: what is found, and what is proven of it."""

import rawserver
import tap
from rawserver import page, respond

FAST = ["--delay", "0", "--no-sitemaps", "--contact", "me@example.org"]


def site(answers):
    """A server with these answers by path; what is missing is not found."""
    def answer(request):
        found = answers.get(request.path, rawserver.NOT_FOUND)
        return found(request) if callable(found) else found
    return rawserver.Server(answer)


def capture(name, answers, *options, seeds=("",)):
    """The verdicts of a capture by path, which verify finds sound, and its report."""
    with site(answers) as server:
        archive = tap.path(name)
        done = tap.run("crawl", *FAST, *options, "-o", archive, "--json",
                       *[server.url + seed for seed in seeds])
        tap.equal((done.returncode, done.stderr), (0, ""))
        tap.succeed("verify", archive)
        report = tap.load("report", archive)
    return {row["url"].replace(server.url, "/"): row["verdict"]
            for row in report["verdicts"]}, report


# ---- cookie gates ----

def has(request, name):
    return f"{name}=" in request.fields.get("Cookie", "")


def gated(content, gate="/gate"):
    return lambda request: content if has(request, "pass") else respond("302 Go", location=gate)


LINKS = page(b'<p>Home</p><a href="/a">a</a> <a href="/b">b</a>')

with tap.case("a gate that sets a cookie and leads back"):
    gate = respond("302 Go", location="/", set_cookie="pass=1; Path=/")
    verdicts, report = capture("gate", {"/": gated(LINKS), "/gate": gate, "/a": gated(page(b"A")),
                                        "/b": gated(page(b"B"))})
    tap.equal(verdicts, dict.fromkeys(["/", "/gate", "/a", "/b"], "sharp"))
    tap.equal(report["cookie_gate"], {"cookie": "pass", "pages": 1})
    text = tap.succeed("report", tap.path("gate"))
    assert "cookie 'pass': 1" in text, text

with tap.case("in two steps, with the cookie at the first"):
    def first(request):
        return LINKS if has(request, "pass") else respond("302 Go", location="/one",
                                                          set_cookie="pass=1; Path=/")
    verdicts, _ = capture("steps", {"/": first, "/one": respond("302 Go", location="/two"),
                                    "/two": respond("303 Go", location="/"),
                                    "/a": gated(page(b"A")), "/b": gated(page(b"B"))})
    tap.equal(verdicts, dict.fromkeys(["/", "/one", "/two", "/a", "/b"], "sharp"))

with tap.case("several pages were asked for before the cookie came"):
    gate = respond("302 Go", location="/", set_cookie="pass=1; Path=/")
    verdicts, report = capture("several", {
        "/": gated(LINKS), "/gate": gate, "/a": gated(page(b"A")), "/b": gated(page(b"B")),
        "/c": gated(page(b"C"))}, seeds=("", "a", "c"))
    tap.equal(verdicts, dict.fromkeys(["/", "/gate", "/a", "/b", "/c"], "sharp"))

with tap.case("redirects that set cookies and open nothing are asked twice at most"):
    asked = []

    def nowhere(request):
        asked.append(request.path)
        return respond("302 Go", location="/end", set_cookie="n=1")
    answers = {f"/r{i}": nowhere for i in range(30)}
    answers["/end"] = respond("302 Go", location="/", set_cookie="m=1")
    answers["/"] = page(b"".join(b'<a href="/r%d">r</a> ' % i for i in range(30)))
    verdicts, _ = capture("nowhere", answers, "--no-probes")
    tap.equal(set(verdicts.values()), {"sharp"})
    assert len(asked) <= 2 * 30 + 8, len(asked)

tap.done()
