#!/usr/bin/env python3
"""crawl --login: a form with a CSRF token, a session that is lost and renewed, failures in one
line, and no password anywhere."""

import contextlib
import gzip
import html
import json
import os
import resource
import urllib.parse

import living
import rawserver
import tap
from rawserver import page, respond

PROGRAM = os.path.realpath(tap.PROGRAM)
PASSWORD = "geh eim&%ü+\"'x"
PAGES = [f"/p{i}" for i in range(8)]


class Site:
    """All pages but the login page need a session, and have a way out of it."""

    def __init__(self, how="redirect", lose_after=None, echo=False, action="/login"):
        self.how = how  # what a request without a session gets
        self.lose_after = lose_after  # pages that a session is good for, the first time
        self.echo = echo
        self.action = action
        self.tokens, self.sessions, self.logins, self.served = set(), set(), 0, 0
        self.server = rawserver.Server(self.answer)
        self.url = self.server.url

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()

    def form(self, text=""):
        token = f"token-{len(self.tokens)}"
        self.tokens.add(token)
        return page(f"""<title>Log in</title><form action=/search><input name=q></form>{text}
            <form method=post action="{self.action}">
            <input type=hidden name=csrf value="{token}"><input name=user>
            <input type=password name=pass><input type=checkbox name=stay value=1 checked>
            <button name=go value=in>Go</button></form>""".encode())

    def log_in(self, request):
        size, body = int(request.fields["Content-Length"]), b""
        while len(body) < size:
            body += request.socket.recv(size - len(body))
        sent = dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True))
        if (sent.get("csrf") not in self.tokens or sent.get("user") != "me" or
                sent.get("pass") != PASSWORD or sent.get("stay") != "1" or sent.get("go") != "in"):
            return self.form(f"<p>wrong: {sent['pass'] if self.echo else ''}</p>")
        self.logins += 1
        session = f"session-{self.logins}"
        self.sessions.add(session)
        return respond("303 See Other", location="/home", set_cookie=f"sid={session}; Path=/")

    def is_in(self, request):
        cookie = request.fields.get("Cookie", "")
        if self.lose_after is not None and self.served >= self.lose_after:
            self.sessions.clear()
            self.lose_after = None
        return any(f"sid={session}" == part.strip() for session in self.sessions
                   for part in cookie.split(";"))

    def answer(self, request):
        path = request.path
        if path == "/login":
            return self.log_in(request) if request.method == "POST" else self.form()
        if path == "/robots.txt":
            return rawserver.NOT_FOUND
        if not self.is_in(request):
            if self.how == "redirect":
                return respond("302 Found", location="/login")
            return page(b"<title>Members</title><p>Only for members.")
        self.served += 1
        if path in ("/", "/home"):
            body = "".join(f'<a href="{name}">x</a>' for name in PAGES)
        elif path in PAGES:
            body = "<p>secret page " + path
        else:
            return rawserver.NOT_FOUND
        body = gzip.compress((body + '<a href="/logout">Log out</a>').encode())
        return respond("200 OK", body, content_type="text/html", content_encoding="gzip")


def login(name="login.yaml", **more):
    value = {"url": "", "sentinel": "Log out", "password": PASSWORD, "user": "me", **more}
    quoted = value["password"].replace("\\", "\\\\").replace('"', '\\"')
    check = f"check: {value['check']}\n" if "check" in value else ""
    check += f"allow: {value['allow']}\n" if "allow" in value else ""
    path = tap.write(name, f"""url: {value['url']}
fields:
  user: {value['user']}
  pass: "{quoted}"
sentinel: {value['sentinel']}
{check}""")
    os.chmod(path, 0o600)
    return path


def crawl(site, name, file, *options, status=0):
    archive = tap.path(name)
    result = tap.run("crawl", site.url, "-o", archive, "--login", file, "--delay", "1ms",
                     "--no-probes", "--traps", "off", "--json", "-v", *options, timeout=120)
    tap.equal(result.returncode, status)
    return archive, result


def check_secrets(archive, *texts):
    """The password is in no file of the archive, in no form, and was not told."""
    forms = [PASSWORD.encode(), urllib.parse.quote_plus(PASSWORD, safe="*-._").encode(), b"geh+eim",
             b"geh eim"]
    for directory, _, names in os.walk(archive):
        for name in names:
            with open(os.path.join(directory, name), "rb") as file:
                data = file.read()
            if name.endswith(".gz"):
                data = gzip.decompress(data)
            for form in forms:
                assert form not in data, (name, form)
            assert b"sid=session" not in data, name
    for text in texts:
        assert "geh" not in text, text


def verdicts(archive, site):
    return {row["url"][len(site.url) - 1:]: row["verdict"]
            for row in tap.load("report", archive)["verdicts"]}


with tap.case("a form with a token: all pages are captured"), Site() as site:
    archive, result = crawl(site, "token", login(url=site.url + "login"))
    found = verdicts(archive, site)
    tap.equal([found[name] for name in ["/"] + PAGES], ["sharp"] * 9)
    tap.equal(site.logins, 1)
    check_secrets(archive, result.stdout, result.stderr)
    tap.equal(tap.load("verify", archive)["problems"], [])
    tap.equal(tap.load("verify", "--warc-only", archive)["problems"], [])

with tap.case("the request is archived without its body, the session not at all"), Site() as site:
    archive, _ = crawl(site, "records", login(url=site.url + "login"))
    posts = [record for name in living.warc_files(archive) for record in living.records(name)
             if record.type == "request" and record.block.startswith(b"POST ")]
    tap.equal(len(posts), 1)
    assert posts[0].block.endswith(b"\r\n\r\n"), posts[0].block
    everything = b"".join(record.block for name in living.warc_files(archive)
                          for record in living.records(name))
    assert b"sid=session" not in everything

for how, after in (("redirect", 5), ("notice", 12)):
    with tap.case(f"a session that is lost is renewed ({how})"), Site(how, after) as site:
        archive, result = crawl(site, f"lost-{how}", login(url=site.url + "login"))
        found = verdicts(archive, site)
        got = sorted(found[name] for name in ["/"] + PAGES)
        # Of what shows no login form, nothing in the archive tells that it is not the page.
        tap.equal(got, ["sharp"] * 9 if how == "redirect" else ["sharp"] * 8 + ["unconfirmed"])
        tap.equal(site.logins, 2)
        check_secrets(archive, result.stdout, result.stderr)
        tap.equal(tap.load("verify", archive)["problems"], [])

with tap.case("the sentinel can be looked for elsewhere"), Site() as site:
    file = login(url=site.url + "login", check=site.url + "p3", sentinel="secret page /p3")
    archive, _ = crawl(site, "check", file)
    tap.equal(verdicts(archive, site)["/p1"], "sharp")

with tap.case("a wrong password: one line, and nothing told, even if the page repeats it"):
    with Site(echo=True) as site:
        file = login(url=site.url + "login", password="geheim" + PASSWORD)
        archive, result = crawl(site, "wrong", file, status=1)
        line = result.stderr.splitlines()[-1]
        assert f"login at {site.url}login: the sentinel is not on" in line, line
        assert "stillpoint resume" in line, line
        tap.equal(len([l for l in result.stderr.splitlines() if l.startswith("stillpoint:")]), 1)
        check_secrets(archive, result.stdout, result.stderr)
        with tap.case("resume needs the file again, and goes on with a right one"):
            tap.refuse(2, "started with --login", "resume", archive)
            tap.succeed("resume", archive, "--login", login(url=site.url + "login"), "-q")
            tap.equal(verdicts(archive, site)["/p1"], "sharp")
            check_secrets(archive)

with tap.case("forms that would give the password away"):
    for action, why in (("http://attacker.example/", "to another site"), ("", None)):
        with Site(action=action or "/login") as site:
            if why is None:
                site.form = lambda text="": page(b"<form action=/login><input name=user></form>")
                why = "in the URL"
            _, result = crawl(site, f"away-{len(action)}", login(url=site.url + "login"), status=1)
            assert why in result.stderr, result.stderr
            assert not any(r.method == "POST" for r in site.server.requests)

# ---- where the password may go ----

class Elsewhere:
    """Another server, which must not get the password."""

    def __init__(self, target="/login"):
        self.server = rawserver.Server(lambda request: page(
            f'<form method=post action="{target}"><input name=user><input type=password name=pass>'
            "</form>".encode()))
        self.url = self.server.url

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()


def posts(*servers):
    return [r for server in servers for r in server.server.requests if r.method == "POST"]


with tap.case("a login page that redirects to another port is not obeyed"):
    with Site() as site, Elsewhere(target=site.url + "login") as other:
        answer = site.answer
        site.server.answer = lambda request: (
            respond("302 Found", location=other.url) if request.path == "/login" and
            request.method == "GET" else answer(request))
        _, result = crawl(site, "moved", login(url=site.url + "login"), status=1)
        assert "it redirects to another site" in result.stderr, result.stderr
        assert "allow: [" in result.stderr, result.stderr
        tap.equal((len(other.server.requests), posts(site, other)), (0, []))
        with tap.case("but if the file names it"):
            file = login(url=site.url + "login", allow=f"[{other.url}]")
            crawl(site, "moved-allowed", file, status=1)  # its form has no token
            tap.equal(len(other.server.requests), 1)
            tap.equal([r.path for r in posts(site, other)], ["/login"])

with tap.case("a form that would be sent to another port"):
    with Elsewhere() as other, Site(action=other.url + "login") as site:
        _, result = crawl(site, "port", login(url=site.url + "login"), status=1)
        assert "its form would be sent to another site" in result.stderr, result.stderr
        tap.equal(posts(site, other), [])

for label, allow, want in (
        ("not a URL", "[here]", "allow is not a list of http or https URLs"),
        ("not encrypted", "['http://a.example/']", "is not encrypted, but url is"),
        ("not a list", "x", "allow needs a list")):
    with tap.case(f"the file: allow is {label}"):
        tap.refuse(2, want, "crawl", "http://127.0.0.1:8080/", "-o", tap.path("none"), "--login",
                   login(url="https://a.example/", allow=allow))

# ---- a server that repeats the password ----

QUOTED = urllib.parse.quote(PASSWORD, safe="")
ECHOES = {
    "in the redirect": lambda: respond("303 See Other", location="/home?p=" + QUOTED),
    "as a form would": lambda: respond("303 See Other",
                                       location="/home?p=" + urllib.parse.quote_plus(PASSWORD)),
    "escaped twice": lambda: respond("303 See Other",
                                     location="/home?next=" + urllib.parse.quote("/?" + QUOTED)),
}
for label, echo in ECHOES.items():
    with tap.case(f"a password that the server repeats {label} is nowhere"), Site() as site:
        inner = site.answer

        def repeating(request, inner=inner, site=site, echo=echo):
            response = inner(request)
            if request.path == "/login" and request.method == "POST" and b" 303 " in response:
                return echo().replace(b"\r\n\r\n", f"\r\nSet-Cookie: sid=session-{site.logins}; "
                                      "Path=/\r\n\r\n".encode(), 1)
            if request.path.startswith("/home?"):
                request.path = "/home"
                return inner(request)
            return response
        site.server.answer = repeating
        log, events = tap.path(f"{label}.log"), tap.path(f"{label}.events")
        archive, result = crawl(site, label, login(url=site.url + "login"), "--crawl-log", log,
                                "--events", events)
        tap.equal(verdicts(archive, site)["/p1"], "sharp")
        for name in (log, events):
            with open(name, encoding="utf-8") as file:
                check_secrets(archive, result.stdout, result.stderr, file.read())
        tap.equal(tap.load("verify", archive)["problems"], [])

BODIES = {
    "/p1": lambda: page(b"<p>Your password is " + PASSWORD.encode()),
    "/p2": lambda: page(b"<p>Your password is " + html.escape(PASSWORD).encode()),
    "/p3": lambda: page(b"<script>var p = " + json.dumps(PASSWORD).encode() + b"</script>"),
    "/p4": lambda: respond("302 Found", location="/q?p=" + QUOTED),
    "/p5": lambda: respond("200 OK", gzip.compress(b"x" * 70_000 + PASSWORD.encode()),
                           content_type="text/html", content_encoding="gzip"),
    "/p6": lambda: page(f"<a href='/q?p={QUOTED}'>x</a>".encode()),
    "/p7": lambda: page(b"<p>text", x_echo=QUOTED),
}
with tap.case("a page that repeats the password is not kept, the others are"), Site() as site:
    own = site.answer
    site.server.answer = lambda request: (
        BODIES[request.path]() if request.path in BODIES and site.is_in(request) else own(request))
    archive, result = crawl(site, "pages", login(url=site.url + "login"))
    found = verdicts(archive, site)
    tap.equal({found[name] for name in BODIES}, {"failed"})
    tap.equal((found["/"], found["/p0"]), ("sharp", "sharp"))
    check_secrets(archive, result.stdout, result.stderr)
    tap.equal(tap.load("verify", archive)["problems"], [])

with tap.case("a server that answers 403: the line says what may be wrong"), Site() as site:
    plain = site.answer
    site.server.answer = lambda request: (
        respond("403 Forbidden") if request.method == "POST" else plain(request))
    _, result = crawl(site, "refused", login(url=site.url + "login"), status=1)
    for part in ("HTTP 403 to the form", "the password is wrong", "check the fields"):
        assert part in result.stderr, result.stderr

with tap.case("no core file, and what is exported is for the owner alone"), Site() as site:
    limits = []
    plain = site.answer

    def looking(request):
        for name in os.listdir("/proc"):
            with contextlib.suppress(OSError):
                if name.isdigit() and os.readlink(f"/proc/{name}/exe") == PROGRAM:
                    with open(f"/proc/{name}/cmdline", "rb") as file:
                        if site.url.encode() in file.read():
                            limits.append(resource.prlimit(int(name), resource.RLIMIT_CORE)[0])
        return plain(request)
    site.server.answer = looking
    archive, _ = crawl(site, "private", login(url=site.url + "login"))
    assert limits and set(limits) <= {0, 1}, limits
    tap.equal(os.stat(archive).st_mode & 0o777, 0o700)
    for form in ("--wacz", "--warc", "--cdxj", "--csv"):
        out = tap.path("private" + form + ".warc.gz")
        tap.run("export", form, out, archive, check=True)
        tap.equal(os.stat(out).st_mode & 0o777, 0o600)
    tap.run("import", archive, "-o", tap.path("copy"), check=True)
    tap.equal(os.stat(tap.path("copy")).st_mode & 0o777, 0o700)
    tap.run("report", archive, "--html", tap.path("private.html"), check=True)
    tap.equal(os.stat(tap.path("private.html")).st_mode & 0o777, 0o600)

ERRORS = [
    ("no sentinel", "url: http://a/\nfields: {a: b}\n", "l.yaml:1:1: the key 'sentinel' is missing"),
    ("no URL", "url: ftp://a/\n", "l.yaml:1:6: url is not an http or https URL"),
    ("fields", "url: http://a/\nsentinel: x\nfields: [a]\n", "l.yaml:3:9: fields needs a mapping"),
    ("a list", "url: http://a/\nsentinel: x\nfields:\n  a: [geheim]\n",
     "l.yaml:4:6: a field needs one value"),
]
for label, text, want in ERRORS:
    with tap.case(f"the file: {label}"):
        path = tap.write("l.yaml", text)
        os.chmod(path, 0o600)
        tap.refuse(2, want, "crawl", "http://127.0.0.1:8080/", "-o", tap.path("none"), "--login",
                   path)

with tap.case("no form there"), Site() as site:
    _, result = crawl(site, "none", login(url=site.url + "robots.txt"), status=1)
    assert "the page answers HTTP 404" in result.stderr, result.stderr

with tap.case("one site only; not without cookies"):
    file = login(url="http://127.0.0.1:8080/")
    tap.refuse(2, "--login is for one site", "crawl", "http://127.0.0.1:8080/",
               "http://127.0.0.1:8081/", "--login", file)
    tap.refuse(2, "--login and --no-cookies", "crawl", "http://127.0.0.1:8080/", "--no-cookies",
               "--login", file)

tap.done()
