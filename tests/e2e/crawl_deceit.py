#!/usr/bin/env python3
"""Spam, cloaking, hidden redirects and link farms: what is flagged, what is not, and what that does.

With the argument `roc` it prints the figures of docs/deceit.md in place of the test.
"""

import html
import os
import pathlib
import re
import sys

import deceitful
import tap
from deceitful import document

QUICK = ["--delay", "0", "--jobs", "4", "--quiet"]
DEADLINE = 120


def capture(url, archive, *options):
    result = tap.run("crawl", url, "-o", tap.path(archive), *QUICK, *options, timeout=DEADLINE)
    tap.equal((result.returncode, result.stderr), (0, ""))
    return pages(archive)


def pages(archive):
    """By path."""
    report = tap.load("report", tap.path(archive))
    return {"/" + v["url"].split("/", 3)[3]: v for v in report["verdicts"]}


def marked_up(text):
    """Markdown as HTML, as far as our documents use it."""
    lines, in_code = [], False
    for line in html.escape(text, quote=False).splitlines():
        if line.startswith("    ") != in_code:
            lines.append("</pre>" if in_code else "<pre>")
            in_code = not in_code
        if line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            line = f"<h{level}>{line.lstrip('# ')}</h{level}>"
        elif line.startswith("|"):
            line = "<table><tr><td>" + "<td>".join(line.strip("|").split("|")) + "</table>"
        elif line.startswith("- "):
            line = "<li>" + line[2:]
        lines.append(line or "<p>")
    return "\n".join(re.sub("`([^`]*)`", r"<code>\1</code>", line) for line in lines)


def our_documentation():
    """Our own documents and header files; lists of all that is in them, as generators make them; and
    pages of references, each name with a line of its own and many times the same words."""
    root = pathlib.Path(os.environ["SRCDIR"])
    texts = {str(path.relative_to(root)): path.read_text(encoding="utf-8")
             for pattern in ("docs/*.md", "*.md", "include/stillpoint/*.h", "src/base/*.h", "src/formats/url*.h")
             for path in sorted(root.glob(pattern))}
    names = sorted(set(re.findall(r"\b[a-z]+_[a-z_]+(?=\()", "".join(texts.values()))))
    pages = [marked_up(text) if name.endswith(".md") else f"<h1>{name}</h1><pre>{html.escape(text)}</pre>"
             for name, text in texts.items()]
    pages.append("<h1>Index</h1><ul>" + "".join(f'<li><a href="#{n}">{n}</a>' for n in names) + "</ul>")
    pages.append("<h1>Contents</h1>" + "".join(f'<p><a href="doc-{i}.html">{n}</a></p>'
                                              for i, n in enumerate(texts)))
    pages += [f"<h1>{n}</h1><p>The function <code>{n}</code> is declared in this header. Synopsis: "
              f"<pre>int {n}(void);</pre><p>{n} returns 0, or a negative code. See also {n}_init, {n}_free."
              for n in names[:60]]
    return {f"/doc-{number}.html": document(page) for number, page in enumerate(pages)}


def print_roc():
    web = deceitful.Web(honest=500, each=100, extra=our_documentation())
    with web:
        found = capture(web.url, "roc", "--single")
    found = {path: v for path, v in found.items() if v["status"] == 200 and v["kind"] == "page"}
    honest = [v["spam"]["score"] for path, v in found.items() if not web.labels.get(path)]
    print(f"{len(honest)} honest pages, {len(web.labels) - 500} of spam")
    for bound in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        wrong = sum(score >= bound for score in honest) / len(honest)
        parts = []
        for kind in deceitful.SPAM:
            scores = [found[path]["spam"]["score"] for path, label in web.labels.items() if label == kind]
            parts.append(sum(score >= bound for score in scores) / len(scores))
        cells = " | ".join(f"{part:.2f}" for part in parts)
        print(f"| {bound} | {wrong:.4f} | {sum(parts) / len(parts):.2f} | {cells} |")
    pairs = [(v["spam"]["score"], bool(web.labels.get(path))) for path, v in found.items()]
    spam = [score for score, label in pairs if label]
    area = sum((s > h) + (s == h) / 2 for s in spam for h in honest) / (len(spam) * len(honest))
    print(f"area under the curve {area:.4f}; highest score of an honest page {max(honest):.2f}")


if sys.argv[1:] == ["roc"]:
    print_roc()
    sys.exit()

with tap.case("spam is flagged, ordinary pages are not"):
    with deceitful.Web() as web:
        found = capture(web.url, "spam")
        flagged = {path for path, v in found.items() if v["spam"]["flagged"]}
        tap.equal({path for path in flagged if not web.labels.get(path)}, set())
        for kind in deceitful.SPAM:
            strong = [path for path, label in web.labels.items() if label == kind][-4:]
            assert set(strong) <= flagged, (kind, [found[path]["spam"] for path in strong])
        stuffed = found["/stuffed-9"]["spam"]
        assert stuffed["features"]["stuffing"] > 0.2 and 0.5 <= stuffed["score"] <= 1, stuffed
        tap.equal({v["cloaked"] for v in found.values()}, {None})
        why = tap.succeed("report", tap.path("spam"), "--why", web.url + "stuffed-9")
        assert "flagged" in why and "stuffing" in why, why
    tap.succeed("verify", tap.path("spam"))

with tap.case("documentation gets no flag"):
    files = our_documentation()
    with deceitful.Web(honest=0, each=0, extra=files) as web:
        found = capture(web.url, "documentation", "--single")
        tap.equal([(path, v["spam"]) for path, v in found.items() if v["spam"]["flagged"]], [])
        assert len(found) > len(files)

with tap.case("--spam skip: links are not followed, pages not revisited, and it says so"):
    extra = {"/trap": document(deceitful.stuffed(deceitful.random.Random(3), 1) + "<a href='/behind'>x</a>"),
             "/behind": document("nothing to see")}
    web = deceitful.Web(honest=4, each=0, extra=extra)
    web.pages["/"] = document("<a href='/trap'>a</a><a href='/page-1'>b</a>")
    with web:
        found = capture(web.url, "skip", "--spam", "skip")
        tap.equal((found["/trap"]["verdict"], found["/trap"]["left_out"]), ("excluded", "spam"))
        assert "spam" in found["/trap"]["reason"], found["/trap"]
        assert found["/trap"]["spam"]["flagged"] and "/behind" not in found
        tap.equal(sum(request.path == "/trap" for request in web.requests), 1)
        tap.equal(found["/page-1"]["verdict"], "sharp")
    tap.succeed("verify", tap.path("skip"))

with tap.case("--spam off: nobody looks"):
    with deceitful.Web(honest=2, each=2) as web:
        found = capture(web.url, "off", "--spam", "off", "--single")
        tap.equal({v["spam"]["score"] for v in found.values()}, {0})

REDIRECTS = {
    "/assigned": ("<script>window.location = '/target';</script>", "script"),
    "/replaced": ("<script>/* x */ location.replace(\"/target\")</script>", "script"),
    "/timed": ("<script>setTimeout(function () { document.location.href = '/tar' + 'get'; }, 10);</script>",
               "script"),
    "/coded": ("<script>eval(unescape('%6cocation%3d%27/target%27'))</script>", "script"),
    "/searched": ("<script>if (document.referrer.match('google')) top.location = '/target'</script>", "script"),
    "/refreshed": ("<meta http-equiv='refresh' content='0; url=/target'>", "meta"),
    "/framed": ("<iframe src='/target' width='100%' height='100%'></iframe>", "frame"),
    "/frameset": ("<frameset><frame src='/target'></frameset>", "frame"),
}
PLAIN = {
    "/called": "<script>function go() { location = '/target'; }</script><p onclick='go()'>go</p>",
    "/compared": "<script>if (location.href == '/target') { alert(1); }</script>",
    "/other": "<script>map.location = '/target'; var s = \"location = '/target'\";</script>",
    "/slow": "<meta http-equiv='refresh' content='300; url=/target'>",
    "/embedded": "<p>" + "words around it " * 20 + "</p><iframe src='/target' width='100%' height='100%'></iframe>",
    "/busted": "<script>if (top != self) top.location = self.location;</script>",
}

with tap.case("redirects that only browsers follow are named, with their target"):
    extra = {path: document(body) for path, (body, _) in REDIRECTS.items()}
    extra |= {path: document(body) for path, body in PLAIN.items()}
    with deceitful.Web(honest=0, each=0, extra={**extra, "/target": document("here")}) as web:
        found = capture(web.url, "redirects", "--single")
        for path, (_, kind) in REDIRECTS.items():
            tap.equal((path, found[path]["redirect"]), (path, {"kind": kind, "target": web.url + "target"}))
        for path in PLAIN:
            tap.equal((path, found[path]["redirect"]), (path, None))


def cloaked(request):
    agent = request.fields.get("User-Agent", "")
    chance = deceitful.random.Random("browser" if "Chrome" in agent else "crawler")
    return document(deceitful.paragraphs(chance, 5))


def noisy(request):
    agent = request.fields.get("User-Agent", "")
    text = deceitful.paragraphs(deceitful.random.Random("noisy"), 5)
    return document(f"{text}<p>Served {request.time} to {len(agent)}</p>")


with tap.case("--cloaking finds pages that show browsers something else, not noise"):
    extra = {"/cloaked": cloaked, "/noisy": noisy}
    with deceitful.Web(honest=1, each=0, extra=extra) as web:
        found = capture(web.url, "cloaking", "--cloaking")
        tap.equal((found["/cloaked"]["cloaked"], found["/noisy"]["cloaked"]), (True, False))
        tap.equal(found["/page-0"]["cloaked"], False)
        probes = [r for r in web.requests if "Chrome" in r.fields.get("User-Agent", "")]
        assert len(probes) == 4 and all("Referer" in r.fields for r in probes), len(probes)
        assert all(r.path != "/robots.txt" for r in probes)
    tap.succeed("verify", tap.path("cloaking"))
    with deceitful.Web(honest=2, each=0, extra=extra) as web:
        capture(web.url, "plain")
        tap.equal([r for r in web.requests if "Chrome" in r.fields.get("User-Agent", "")], [])

with tap.case("a clique of hosts is a link farm; a page that links to them is none"):
    webs = [deceitful.Web(honest=1, each=0) for _ in range(8)]
    chance = deceitful.random.Random(9)
    for number, web in enumerate(webs):
        farm = "".join(f"<a href='{other.url}'>{deceitful.prose(chance, 3)}</a>" for other in webs[:7]
                       if other is not web)
        web.pages["/"] = document(deceitful.paragraphs(chance, 3) + farm)
    result = tap.run("crawl", webs[7].url, "-o", tap.path("farm"), *QUICK, "--include", "^http://127",
                     "--max-pages", 30, timeout=DEADLINE)
    tap.equal((result.returncode, result.stderr), (0, ""))
    scores = {v["url"]: v["spam"] for v in tap.load("report", tap.path("farm"))["verdicts"]}
    tap.equal([scores[web.url]["flagged"] for web in webs], [True] * 7 + [False])
    assert scores[webs[0].url]["features"]["farm"] > 0.9
    for web in webs:
        web.stop()

tap.done()
