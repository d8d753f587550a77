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

# ---- what a body is ----

BODY = b'<!doctype html><title>x</title><p>Text</p><a href="/FOUND-00">x</a>'


def raw(body, *lines, status="200 OK"):
    """A response with these lines in its head."""
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, f"Content-Length: {len(body)}", "", ""]
                       ).encode("latin-1") + body


def answers_of(bodies):
    """A site with such an answer at /0, /1 …, which may lead to /found-0, /found-1 …."""
    home = page(b"".join(b'<a href="/%d">x</a> ' % i for i in range(len(bodies))))
    answers = {"/": home}
    for i, body in enumerate(bodies):
        answers[f"/{i}"], answers[f"/found-{i:02}"] = body, page(b"F")
    return answers


def found(name, bodies):
    """By label: the verdict of that answer, and that of the page it may lead to. FOUND in an answer
    stands for the address."""
    verdicts, _ = capture(name, answers_of([body.replace(b"FOUND-00", b"found-%02d" % i)
                                            for i, body in enumerate(bodies.values())]))
    return {label: (verdicts[f"/{i}"], verdicts.get(f"/found-{i:02}"))
            for i, label in enumerate(bodies)}


TYPES = {
    "two lines": ["Content-Type: text/html", "Content-Type: text/html"],
    "two lines, the charset first": ["Content-Type: text/html; charset=utf-8",
                                     "Content-Type: text/html"],
    "a list": ["Content-Type: text/html, text/html"],
    "the last of two counts": ["Content-Type: text/plain", "Content-Type: text/html"],
    "a comma in quotes": ['Content-Type: text/html; a="b, text/plain"'],
    "no semicolon": ["Content-Type: text/html charset=utf-8"],
    "any type": ["Content-Type: */*"],
    "unknown": ["Content-Type: unknown/unknown"],
    "application/unknown": ["Content-Type: application/unknown"],
    "empty": ["Content-Type:"],
    "none": [],
    "no type": ["Content-Type: html"],
    "other letters": ["CONTENT-type: TEXT/HTML"],
    "xhtml": ["Content-Type: application/xhtml+xml"],
}
OTHERS = {
    "plain text": ["Content-Type: text/plain"],
    "the last is plain": ["Content-Type: text/html", "Content-Type: text/plain"],
    "not to be guessed": ["X-Content-Type-Options: nosniff"],
    "bytes": ["Content-Type: application/octet-stream"],
}

with tap.case("HTML by whatever head browsers take it for"):
    got = found("types", {label: raw(BODY, *lines) for label, lines in TYPES.items()})
    tap.equal(got, dict.fromkeys(TYPES, ("sharp", "sharp")))

with tap.case("what browsers do not show as HTML has no links"):
    others = {label: raw(BODY, *lines) for label, lines in OTHERS.items()}
    others["text"] = raw(b'just text, <a href="/FOUND-00">x</a>')
    others["binary"] = raw(b'\0\1<a href="/FOUND-00">x</a>')
    tap.equal(found("others", others), dict.fromkeys(others, ("sharp", None)))

with tap.case("a type that changes is a change"):
    seen = []

    def turns(_):
        seen.append(1)
        return raw(BODY, *["Content-Type: text/html"] * min(2, len(seen)))
    tap.equal(capture("turns", {"/": turns})[0]["/"], "changed")

# ---- encodings ----

RUSSIAN = "Привет".encode("cp1251")
LINK = b'<a href="/?q=' + RUSSIAN + b'">x</a>'
ENCODED = "/?q=" + "".join(f"%{byte:02X}" for byte in RUSSIAN)

with tap.case("encodings that are declared late, or between commas"):
    pages = {
        "late": page(b"<!doctype html><!--" + b"x" * 3000 + b"--><meta charset=windows-1251>" + LINK),
        "later": page(b"<!doctype html><script>'<meta charset=koi8-r>'</script>" + b"x" * 30000 +
                      b'<meta http-equiv=content-type content="text/html; charset=windows-1251">'
                      + LINK),
        "list": raw(b"<!doctype html>" + LINK,
                    "Content-Type: text/html; charset=windows-1251, text/html"),
        "lines": raw(b"<!doctype html>" + LINK, "Content-Type: text/html; charset=windows-1251",
                     "Content-Type: text/html"),
    }
    for label, home in pages.items():
        verdicts, _ = capture(label, {"/": home}, "--single")
        assert ENCODED in verdicts, (label, verdicts)

with tap.case("bytes in a redirect stay what they are"):
    verdicts, _ = capture("location", {
        "/": raw(b"", "Location: /t-\xe9", status="302 Go"), "/t-%E9": page(b"T")})
    tap.equal(verdicts, {"/": "sharp", "/t-%E9": "sharp"})

# ---- transfer codings ----

CHUNKS = b"%X\r\n" % len(BODY) + BODY + b"\r\n0\r\n\r\n"


def coded(body, *lines):
    return "\r\n".join(["HTTP/1.1 200 OK", "Content-Type: text/html", *lines, "", ""]).encode() + body


with tap.case("transfer codings as curl and browsers read them, on connections that stay open"):
    length = f"Content-Length: {len(BODY)}"
    pages = {
        "chunked twice": coded(CHUNKS, *["Transfer-Encoding: chunked"] * 2),
        "in a list": coded(CHUNKS, "Transfer-Encoding: chunked, chunked"),
        "identity, chunked": coded(CHUNKS, "Transfer-Encoding: identity, chunked"),
        "identity with a length": coded(BODY, "Transfer-Encoding: identity", length),
        "the other way round": coded(BODY, length, "transfer-encoding: Identity"),
    }
    answers = answers_of([body.replace(b"FOUND-00", b"found-%02d" % i)
                          for i, body in enumerate(pages.values())])
    empty = coded(b"", "Transfer-Encoding: identity", "Content-Length: 0")
    verdicts, _ = capture("codings", answers | {"/found-00": empty}, "--timeout", "5s")
    tap.equal({label: (verdicts[f"/{i}"], verdicts.get(f"/found-{i:02}"))
               for i, label in enumerate(pages)}, dict.fromkeys(pages, ("sharp", "sharp")))

# ---- where links are ----

RSS = b"""<?xml version="1.0"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel>
<link>/</link><image><url>/logo.png</url></image>
<item><link>/item</link><guid isPermaLink="false">/no</guid></item>
<item><guid>/guid</guid><enclosure url="/sound.mp3" length="1" type="audio/mpeg"/></item>
<item><link><![CDATA[/cdata?a=1&b=2]]></link><media:thumbnail url="/thumb.png"/></item>
</channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><logo>/logo.png</logo><entry>
<link href="/entry"/><link rel="enclosure" href="/film.mp4"/></entry></feed>"""
JSON_FEED = b"""{"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "1", "url": "\\/item",
"attachments": [{"url": "/a.mp3", "mime_type": "audio/mpeg"}], "image": "/i.png"}]}"""
MANIFEST = b"""{"name": "x", "start_url": "/start", "icons": [{"src": "icon.png", "sizes": "1x1"}],
"shortcuts": [{"name": "s", "url": "/short", "icons": [{"src": "/s.png"}]}]}"""


FEEDS = {
    "rss": (RSS, "application/rss+xml", {"/logo.png", "/item", "/guid", "/sound.mp3",
                                         "/cdata?a=1&b=2", "/thumb.png"}),
    "xml": (RSS, "text/xml", {"/logo.png", "/item", "/guid", "/sound.mp3", "/cdata?a=1&b=2",
                              "/thumb.png"}),
    "atom": (ATOM, "application/atom+xml", {"/logo.png", "/entry", "/film.mp4"}),
    "json": (JSON_FEED, "application/feed+json", {"/item", "/a.mp3", "/i.png"}),
    "manifest": (MANIFEST, "application/manifest+json", {"/start", "/dir/icon.png", "/short",
                                                         "/s.png"}),
    "data": (b'{"url": "/no", "items": [{"url": "/no"}]}', "application/json", set()),
    "broken": (b'{"version": "https://jsonfeed.org/version/1", "items": [{', "application/json",
               set()),
}

with tap.case("feeds and manifests lead on"):
    for label, (body, kind, want) in FEEDS.items():
        verdicts, _ = capture(label, {
            "/": page(b'<link rel=manifest href="/dir/feed">'),
            "/dir/feed": respond("200 OK", body, content_type=kind)}, "--single")
        tap.equal((label, set(verdicts) - {"/", "/dir/feed"}), (label, want))

with tap.case("a Refresh header, choices, and a redirect that leads nowhere"):
    pages = {
        "refresh": raw(b"", "Refresh: 0; url=/FOUND-00", "Content-Type: text/html"),
        "of an image": raw(b"GIF", "Refresh: 5;URL='FOUND-00'", "Content-Type: image/gif"),
        "choices": raw(BODY, "Content-Type: text/html", status="300 Choose"),
        "nowhere": raw(BODY, "Content-Type: text/html", status="302 Go"),
        "choice": raw(b"x", "Location: /FOUND-00", status="300 Choose"),
    }
    tap.equal(found("leads", pages), dict.fromkeys(pages, ("sharp", "sharp")))

# ---- limits ----

with tap.case("--max-pages leaves no style sheets and images of captured pages out"):
    def styled(name, links):
        return page(b'<link rel=stylesheet href="/%b.css"><img src="/%b.png">' % (name, name) +
                    b"".join(b'<a href="/%b">x</a>' % link for link in links))
    parts = {f"/{name}.{kind}" for name in ("home", "a", "b") for kind in ("css", "png")}
    answers = {"/": styled(b"home", [b"a", b"b", b"c", b"d"])}
    for name in (b"a", b"b", b"c", b"d"):
        answers["/" + name.decode()] = styled(name, [])
    for part in parts:
        answers[part] = respond("200 OK", b"x", content_type="image/png")
    for options in ([], ["--order", "breadth"]):
        verdicts, report = capture("limit" + "".join(options), answers, "--max-pages", "3", *options)
        tap.equal({path for path, verdict in verdicts.items() if verdict == "sharp"},
                  {"/", "/a", "/b"} | parts)
        tap.equal(report["left_out"]["max-pages"], 2)

# ---- modules ----

MAIN = b"""import a, {b} from './dep.js'; export * from "../up.js"; // import './comment.js'
const s = "import './string.js'", t = `import './template.js'`, r = /import '.\\/regex.js'/;
if (s) import('/late.js').then(m => m.import('./method.js')); import 'bare'; import "./side.js"
export {x} from '/x.js'; export const y = import.meta.url; await import(`./tick.js`); import(s);"""

with tap.case("modules: what scripts import is part of the page"):
    script = {"content_type": "text/javascript"}
    asked = [0]

    def dep(_):
        asked[0] += 1
        return respond("200 OK", b"export const b = %d" % asked[0], **script)
    answers = {
        "/": page(b'<p>Text that is long enough to be a page of its own.</p>' * 10 +
                  b'<script type="importmap">{"imports": {"bare": "/js/bare.js", "lib/": "/lib/"},'
                  b'"scopes": {"/a/": {"x": "./js/scoped.js"}}}</script>'
                  b'<script type=module src="/js/main.js"></script>'
                  b'<script type=module>import "./inline.js"</script>'
                  b'<script>import("/classic.js")</script>'),
        "/js/main.js": respond("200 OK", MAIN, **script),
        "/js/dep.js": dep,
    }
    for path in ("/up.js", "/late.js", "/js/side.js", "/x.js", "/js/tick.js", "/js/bare.js",
                 "/js/scoped.js", "/inline.js", "/classic.js"):
        answers[path] = respond("200 OK", b"export {}", **script)
    verdicts, report = capture("modules", answers)
    tap.equal(set(verdicts), set(answers))
    home = next(row for row in report["verdicts"] if row["url"].count("/") == 3 and
                row["url"].endswith("/"))
    tap.equal((home["verdict"], home["composite"], verdicts["/js/dep.js"]),
              ("sharp", "blurred", "changed"))

tap.done()
