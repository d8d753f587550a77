#!/usr/bin/env python3
"""Block, challenge and login pages, script shells, and links that do something."""

import collections
import http.server
import json
import subprocess
import threading

import living
import tally
import tap

CHALLENGE = ("<!doctype html><title>Just a moment...</title><body>Checking your browser."
             "<script src=/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1></script>")
SHELL = '<!doctype html><title>App</title><body><div id="root"></div><script src="/app.js"></script>'
TEXT = "<p>" + "A page with words that can be read. " * 40 + "</p>"


class Handler(http.server.BaseHTTPRequestHandler):
    """The second look at a page may differ from the first."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, **fields):
        body = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path = self.path.split("?")[0]
        self.server.asked[path] += 1
        again = self.server.asked[path] > 1
        if path == "/":
            links = ("good challenge later moved shell logout items/5/delete"
                     " unsubscribe?u=1 docs/logout").split()
            self.answer(200, "<title>home</title>" + TEXT +
                        "".join(f'<a href="/{link}">{link}</a> ' for link in links))
        elif path == "/challenge" or (path == "/later" and again):
            self.answer(200, CHALLENGE)
        elif path == "/moved":
            self.answer(302, "", Location="/login?next=/moved")
        elif path == "/shell":
            self.answer(200, SHELL)
        elif path in ("/good", "/later", "/docs/logout"):
            self.answer(200, f"<title>{path}</title>{TEXT}")
        elif path == "/robots.txt":
            self.answer(404, "")
        else:
            self.answer(200, "<title>done</title>")


def crawl(archive, url, *options):
    done = subprocess.run([tap.PROGRAM, "crawl", "-o", archive, "--delay", "1ms", *options, url],
                          capture_output=True, text=True, check=False)
    tap.equal(done.returncode, 0)
    return tap.load("report", archive)


def verify(archive):
    done = subprocess.run([tap.PROGRAM, "verify", archive], capture_output=True, text=True,
                          check=False)
    tap.equal((done.returncode, done.stdout + done.stderr if done.returncode else ""), (0, ""))


with tap.case("what stands in a page's place is never sharp"):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked = collections.Counter()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    archive = tap.path("hand.archive")
    report = crawl(archive, f"http://127.0.0.1:{server.server_port}/")
    server.shutdown()
    rows = {row["url"].split("/", 3)[3]: row for row in report["verdicts"]}
    said = {path: (row["verdict"], row["reason"]) for path, row in rows.items()}
    tap.equal(said["good"], ("sharp", None))
    tap.equal(said["docs/logout"], ("sharp", None))
    tap.equal(said["challenge"][0], "blocked")
    assert said["challenge"][1].startswith("challenge: "), said
    tap.equal(said["later"][0], "unconfirmed")
    assert said["later"][1].startswith("blocked: challenge: "), said
    tap.equal(said["moved"], ("blocked", "login: redirect to a login page"))
    tap.equal(said["shell"][0], "shell")
    for path in ("logout", "items/5/delete", "unsubscribe?u=1"):
        tap.equal((rows[path]["verdict"], rows[path]["left_out"]), ("excluded", "effect"))
        tap.equal(server.asked["/" + path.split("?")[0]], 0)
    tap.equal(server.asked["/login"], 0)
    tap.equal(report["left_out"]["effect"], 3)
    tap.equal(report["totals"]["shell"], 1)
    verify(archive)


LOGIN = '<form method=post action=/in><input name=u><input type=password name=p></form>'


class Club(Handler):
    """A home page with a login box; inner pages that show nothing but such a box; a login wall
    that takes other pages' place, with a menu."""

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/":
            names = [f"page{i}" for i in range(20)] + [f"inner/{i}" for i in range(3)] + \
                    [f"wall/{i}" for i in range(4)]
            self.answer(200, "<title>Club</title><form action=/find><input name=q></form>" + LOGIN +
                        "".join(f'<a href="/{name}">x</a>' for name in names))
        elif path.startswith("/page"):
            self.answer(200, f"<title>{path}</title>{TEXT}")
        elif path.startswith("/inner/"):
            self.answer(200, "<title>Inner</title>" + LOGIN + '<a href="/lost-password">x</a>')
        elif path.startswith("/wall/"):
            self.answer(200, "<title>Wall</title>" + LOGIN + '<a href="/page1">x</a>')
        else:
            self.answer(404, "")


with tap.case("a login box does not hide a site"):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Club)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    archive = tap.path("club.archive")
    report = crawl(archive, f"http://127.0.0.1:{server.server_port}/")
    server.shutdown()
    rows = {row["url"].split("/", 3)[3]: row for row in report["verdicts"]}
    tap.equal((rows[""]["verdict"], rows[""]["flags"]), ("sharp", ["login-box"]))
    tap.equal({rows[f"page{i}"]["verdict"] for i in range(20)}, {"sharp"})
    tap.equal({(rows[f"inner/{i}"]["verdict"], rows[f"inner/{i}"]["reason"])
               for i in range(3)}, {("blocked", "login: password form")})
    tap.equal({(rows[f"wall/{i}"]["verdict"], rows[f"wall/{i}"]["reason"]) for i in range(4)},
              {("blocked", "login: many URLs with one password form")})
    verify(archive)


PLACES = {
    "fetch": "<p id=x>Loading…</p><script>fetch('/x.json').then(r=>r.text()).then("
             "t=>{x.textContent=t})</script>",
    "xhr": "<h1>News</h1><div id=x></div><script>var r=new XMLHttpRequest();r.open('GET','/x');"
           "r.onload=function(){x.innerHTML=r.responseText};r.send()</script>",
    "module": "<h1>News</h1><script type=module>const m=await import('/m.js');"
              "document.body.append(m.text)</script>",
    "write": "<h1>News</h1><script src=/data.js></script><script>document.write(news)</script>",
    "menu": "<nav>" + "<a href='/'>Home</a> " * 40 + "</nav><main>Loading…</main>"
            "<script src=/app.js></script>",
}


class Application(Handler):
    """Pages that never change, while what their scripts load does."""

    def do_GET(self):
        name = self.path[1:]
        if name == "":
            self.answer(200, TEXT + "".join(f"<a href=/{name}>{name}</a>" for name in PLACES))
        elif name in PLACES:
            self.answer(200, "<!doctype html><title>x</title>" + PLACES[name])
        else:
            self.answer(404, "")


with tap.case("pages that inline scripts fill are shells"):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Application)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    archive = tap.path("application.archive")
    report = crawl(archive, f"http://127.0.0.1:{server.server_port}/")
    server.shutdown()
    rows = {row["url"].split("/", 3)[3]: row["verdict"] for row in report["verdicts"]}
    tap.equal({name: rows[name] for name in PLACES}, dict.fromkeys(PLACES, "shell"))
    tap.equal(rows[""], "sharp")
    verify(archive)


def tell(name, *options):
    archive, served = tap.path(f"{name}.archive"), tap.path(f"{name}.served")
    with living.Site(name, "--pages", 60, "--outdegree", 10, "--served", served,
                     *options) as site:
        done = living.crawl(site, archive, "--delay", "1ms")
        tap.equal(done.returncode, 0)
    report = tap.load("report", archive)
    counts = tally.Tally(site, served, archive, report)
    tap.equal(counts.total("false"), counts.total("undone"))
    verify(archive)
    return report


with tap.case("script shells whose data change"):
    report = tell("shells", "--shells", "0.5")
    assert report["totals"]["shell"] > 0, report["totals"]


with tap.case("sessions that expire"):
    report = tell("sessions", "--session-requests", 30)
    assert report["totals"]["blocked"] + report["totals"]["unconfirmed"] > 0, report["totals"]


with tap.case("a block page after so many requests, of each kind"):
    for kind in ("forbidden", "soft"):
        report = tell(f"block-{kind}", "--block-after", 70, "--block-kind", kind)
        assert report["totals"]["unconfirmed"] > 0, json.dumps(report["totals"])
    # Half of the visits, and all revisits, show the same block page: none of it is sharp.
    report = tell("block-early", "--block-after", 30, "--block-kind", "soft")
    tap.equal(report["sharp"], 0)
    tap.equal({row["reason"] for row in report["verdicts"] if row["verdict"] == "blocked"},
              {"refused: many URLs with one body"})
    tap.equal({row["reason"] for row in report["verdicts"] if row["verdict"] == "unconfirmed"},
              {"blocked: refused: many URLs with one body"})


tap.done()
