#!/usr/bin/env python3
"""crawl --login: a form with a CSRF token, a session that is lost and renewed, failures in one
line, and no password anywhere."""

import gzip
import os
import urllib.parse

import living
import rawserver
import tap
from rawserver import page, respond

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
