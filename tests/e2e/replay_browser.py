#!/usr/bin/env python3
"""stillpoint serve in Chromium: archived pages work, in their frame and alone; one that tries every
way out reaches nobody; one that is hostile can neither read our pages nor pass for them. The
archived site's address is that of a server which would hear it."""

import http.server
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import threading
import zlib

import tap

SRCDIR = os.environ["SRCDIR"]
TIME = "20260102030405"


class Listener(http.server.ThreadingHTTPServer):
    """Hears connections that ask for nothing, too."""

    def process_request(self, request, client_address):
        Ears.heard.append("connection")
        super().process_request(request, client_address)


class Ears(http.server.BaseHTTPRequestHandler):
    """The live site, which nobody should ask."""

    heard = []

    def do_GET(self):
        Ears.heard.append(f"{self.command} {self.path}")
        self.send_response(200)
        self.end_headers()

    do_POST = do_HEAD = do_OPTIONS = do_GET

    def log_message(self, *arguments):
        pass


class Shop(http.server.BaseHTTPRequestHandler):
    """A site that does not change: its pages are sharp."""

    PAGES = {"/": ("text/html", b"<title>Shop</title><link rel=stylesheet href=s.css><img src=/i.svg><a href=/terms>x</a>"
                                b"<a href=/prices>prices</a>"),
             "/s.css": ("text/css", b"p { color: red }"), "/terms": ("text/html", b"<title>Terms</title><p>edition 2"),
             "/prices": ("text/html", b"<title>Prices</title><p>edition 2</p><a href=/terms>our terms</a>"),
             "/i.svg": ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg' width='7' height='5'/>")}

    def look_up(self):
        return self.PAGES.get(self.path, ("text/plain", None))

    def do_GET(self):
        media, body = self.look_up()
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", len(body or b""))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *arguments):
        pass


class BusyShop(Shop):
    """Its prices and terms change together, between the moments at which a plain crawl sees them."""

    PAGES = {**Shop.PAGES, "/": ("text/html", b"<title>Shop</title><a href=/prices>prices</a>")}
    edition = b"edition 1"

    def look_up(self):
        media, body = super().look_up()
        if body and self.path in ("/prices", "/terms"):
            body = body.replace(b"edition 2", self.edition)
        if self.path == "/prices":
            BusyShop.edition = b"edition 2"
        return media, body


def capture(handler, archive, *options):
    """An archive of a shop, which is gone then; its address."""
    shop = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=shop.serve_forever, daemon=True).start()
    tap.succeed("crawl", f"http://127.0.0.1:{shop.server_port}/", "--delay", 0, "-o", archive, *options)
    shop.shutdown()
    shop.server_close()
    return f"http://127.0.0.1:{shop.server_port}"


def hear_datagrams(ear):
    while True:
        Ears.heard.append(f"{len(ear.recv(4096))} bytes by UDP")


def picture():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 7, 5, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"\0\1\2\3\4\5\6\7" * 5)) + chunk(b"IEND", b""))


def response(body, content_type="text/html; charset=utf-8", status="200 OK", fields=""):
    body = body.encode() if isinstance(body, str) else body
    return (f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n{fields}"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


def record(url, block):
    head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
            "WARC-Date: 2026-01-02T03:04:05Z\r\n"
            f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{zlib.crc32(url.encode()):012x}>\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n")
    return head.encode() + block + b"\r\n\r\n"


# Ways out that need no script; LIVE is the address that must not be reached.
MARKUP_WAYS = """
<link rel=preconnect href=LIVE/><link rel=dns-prefetch href=LIVE/><link rel=prefetch href=LIVE/way-prefetch>
<link rel=stylesheet href=LIVE/way-sheet><meta http-equiv=refresh content="30;url=LIVE/way-meta">
<style>@import 'LIVE/way-import';body{background:url(LIVE/way-css)}@font-face{font-family:f;src:url(LIVE/way-font)}
p{font-family:f}</style>
<p style="background:url(LIVE/way-inline)">x<img src=LIVE/way-img srcset="LIVE/way-srcset 1x"><object data=LIVE/way-object></object>
<embed src=LIVE/way-embed><iframe src=LIVE/way-iframe></iframe><iframe srcdoc="<img src=LIVE/way-srcdoc>"></iframe>
<video src=LIVE/way-video poster=LIVE/way-poster></video><audio src=LIVE/way-audio></audio>
<svg><image href=LIVE/way-svg /><use href=LIVE/way-use#x /><style>rect{fill:url(LIVE/way-svgcss#x)}</style><rect width=1 height=1 /></svg>
<script src=LIVE/way-script></script><input type=image src=LIVE/way-input><iframe src="javascript:fetch('LIVE/way-js')"></iframe>
<a id=pinged href=#x ping=LIVE/way-ping>x</a><table background=LIVE/way-table></table>
"""

# Those of scripts: with what the client script has put in its place, and past it (clean).
SCRIPT_WAYS = """
const clean = document.body.appendChild(document.createElement("iframe")).contentWindow;
const ways = {
  fetch: (w) => w.fetch(LIVE + "/way-fetch", { mode: "no-cors" }),
  xhr: (w) => { const x = new w.XMLHttpRequest(); x.open("POST", LIVE + "/way-xhr"); x.send("x"); },
  beacon: (w) => w.navigator.sendBeacon(LIVE + "/way-beacon", "x"),
  socket: (w) => new w.WebSocket(LIVE.replace("http", "ws") + "/way-socket"),
  events: (w) => new w.EventSource(LIVE + "/way-events"),
  image: (w) => { new w.Image().src = LIVE + "/way-image"; },
  audio: (w) => { new w.Audio(LIVE + "/way-sound"); },
  worker: (w) => new w.Worker(w.URL.createObjectURL(new w.Blob(
    ["fetch('" + LIVE + "/way-worker',{mode:'no-cors'});importScripts('" + LIVE + "/way-import-scripts')"]))),
  module: () => import(LIVE + "/way-module").catch(() => 0),
  service: (w) => w.navigator.serviceWorker?.register("/x/20260102030405js_/" + LIVE + "/sw.js").then(
    () => { window.registered = true; }, () => 0),
  hint: (w) => { for (const rel of ["preconnect", "prefetch", "prerender", "modulepreload"]) {
    const l = w.document.createElement("link"); l.rel = rel; l.href = LIVE + "/way-" + rel; l.as = "script";
    w.document.head.append(l); } },
  rules: (w) => { const s = w.document.createElement("script"); s.type = "speculationrules";
    s.textContent = JSON.stringify({ prefetch: [{ source: "list", urls: [LIVE + "/way-rules"], eagerness: "immediate" }] });
    w.document.head.append(s); },
  inner: (w) => { w.document.body.insertAdjacentHTML("beforeend", "<img src='" + LIVE + "/way-inner'>"); },
  style: (w) => { w.document.body.style.backgroundImage = "url(" + LIVE + "/way-style)"; },
  frame: (w) => { const f = w.document.createElement("iframe"); f.src = LIVE + "/way-frame"; w.document.body.append(f); },
  attribute: (w) => { const i = w.document.createElement("img");
    const a = w.document.createAttribute("src"); a.value = LIVE + "/way-attribute"; i.setAttributeNode(a); },
  form: (w) => { const f = w.document.createElement("form"); f.method = "post"; f.action = LIVE + "/way-form";
    f.target = "sink"; w.document.body.append(f); f.submit(); },
  open: (w) => { const o = w.open("about:blank"); if (o) o.location = LIVE + "/way-open"; },
};
for (const [name, go] of Object.entries(ways))
  for (const w of name === "open" ? [clean] : [window, clean])
    try { go(w); } catch (e) { }
try {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:UDP" }] });
  peer.createDataChannel("x"); peer.createOffer().then((offer) => peer.setLocalDescription(offer));
} catch (e) { }
document.querySelector("#pinged").click();
window.leave = () => { clean.top.location = LIVE + "/way-top"; };
setTimeout(() => { window.tried = true; }, 1500);
"""

HOSTILE = """<!doctype html><title>hostile</title><script>
(async () => {
  const found = window.found = {};
  const control = location.ancestorOrigins[0] + "/";
  const clean = document.documentElement.appendChild(document.createElement("iframe")).contentWindow;
  const attempt = async (name, go) => { try { found[name] = String(await go()); } catch (e) { found[name] = "refused"; } };
  await attempt("read", async () => (await clean.fetch(control)).text());
  await attempt("above", () => parent.document.title);
  await attempt("banner", () => parent.document.querySelector("#verdict").textContent = "sharp");
  await attempt("frame", () => new Promise((done) => {
    const f = clean.document.createElement("iframe"); f.src = control; clean.document.body.append(f);
    f.onload = () => { try { done(f.contentWindow.location.href); } catch (e) { done("refused"); } }; }));
  await attempt("worker", async () => (await clean.navigator.serviceWorker.register(location.pathname)).scope);
  parent.postMessage({ stillpoint: "go", url: "javascript:alert(1)" }, "*");
  parent.postMessage({ stillpoint: "open", url: "https://[" }, "*");
  parent.postMessage("go", "*");
  found.done = true;
})();
</script>"""

PLAIN = """<!doctype html><html><head><meta charset=utf-8><title>Prices</title>
<meta http-equiv=Content-Security-Policy content="script-src 'none'">
<link rel=stylesheet href=/main.css integrity=sha256-x><script src=app.js nonce=x></script></head>
<body><h1>Prices</h1><img id=still src=/still.png><a id=next href=next.html>next</a>
<a id=fresh href=next.html target=_blank>fresh</a><form action=/search><input name=q value=milk><button id=go>go</button></form>
<iframe id=inner srcdoc="<script>parent.innerService='serviceWorker' in navigator</script>
<img src=/still.png onload='parent.innerLoaded=(parent.innerLoaded||0)+1'>"></iframe>
</body></html>"""

APP = """
window.addEventListener("DOMContentLoaded", async () => {
  const out = window.seen = {};
  const load = (e) => new Promise((done) => { e.onload = () => done(e.naturalWidth || true); e.onerror = () => done(0); });
  out.data = (await (await fetch("/data.json")).json()).milk;
  out.absolute = (await (await fetch(LIVE + "/data.json")).json()).milk;
  const request = new Request("/data.json");
  out.request = (await (await fetch(request)).json()).milk;
  out.requestUrl = request.url;
  const xhr = new XMLHttpRequest();
  xhr.open("GET", "/data.json", false); xhr.send();
  out.xhr = JSON.parse(xhr.responseText).milk; out.xhrUrl = xhr.responseURL;
  const image = new Image(); const loaded = load(image); image.src = LIVE + "/still.png";
  out.image = await loaded; out.imageUrl = image.src;
  const div = document.body.appendChild(document.createElement("div"));
  div.innerHTML = "<img src='" + LIVE + "/still.png'>"; out.inner = await load(div.firstChild);
  const set = document.createElement("img"); const setLoaded = load(set); set.setAttribute("src", "/still.png");
  out.attribute = await setLoaded;
  out.href = document.querySelector("#next").href; out.host = document.querySelector("#next").host;
  out.url = document.URL; out.domain = document.domain;
  document.cookie = "a=1; path=/"; document.cookie = "b=2; path=/elsewhere/"; out.cookie = document.cookie;
  localStorage.setItem("k", "v"); out.stored = localStorage.k + localStorage.length;
  history.pushState({}, "", "/pushed"); out.pushed = location.pathname.endsWith("/pushed") && document.URL;
  out.worker = await new Promise((done) => { const w = new Worker("/worker.js"); w.onmessage = (e) => done(e.data); w.onerror = () => done("error"); });
  out.socket = await new Promise((done) => { new WebSocket("ws://127.0.0.1/").onclose = (e) => done(e.code); });
  out.beacon = navigator.sendBeacon(LIVE + "/x"); out.service = "serviceWorker" in navigator;
  out.stray = await (async () => { const link = document.createElement("style"); link.textContent = "h1{background:url(/still.png)}";
    document.head.append(link); return (await fetch(new URL("/data.json", location.href))).ok; })();
  out.done = true;
});
"""


# A frame in a page, which wants to move the page around both.
NESTED = """<!doctype html><title>outer</title><p>outer<iframe name=inner src=/inner></iframe>"""
INNER = """<!doctype html><p>inner <a id=top target=_top href='LIVE/next.html'>top</a>
<a id=fresh target=_blank href='LIVE/next.html'>fresh</a>"""

SVG_WAYS = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:h="http://www.w3.org/1999/xhtml">
<image href="LIVE/way-raw-svg"/><style>@import 'LIVE/way-raw-svgcss';</style><h:img src="LIVE/way-raw-svg-html"/>
<script href="LIVE/way-raw-svg-script"/></svg>"""

XML_WAYS = """<?xml version="1.0"?><?xml-stylesheet type="text/css" href="LIVE/way-raw-xmlcss"?>
<?xml-stylesheet type="text/xsl" href="LIVE/way-raw-xsl"?>
<!DOCTYPE x SYSTEM "LIVE/way-raw-dtd"><x><h:img xmlns:h="http://www.w3.org/1999/xhtml" src="LIVE/way-raw-xml"/></x>"""


def site(live, udp):
    """Path → response."""
    def fill(text):
        return text.replace("LIVE", live)

    script = f"const LIVE = '{live}';{SCRIPT_WAYS}".replace("UDP", str(udp))
    ways = (f"<!doctype html><title>ways</title><body>{fill(MARKUP_WAYS)}<iframe name=sink></iframe>"
            f"<script>{script}</script>")
    app = f"const LIVE = '{live}';{APP}"
    escapes = ("Link: <LIVE/way-link>; rel=preload; as=image, <LIVE/>; rel=preconnect\r\n"
               "Set-Cookie: real=1; Path=/\r\nClear-Site-Data: \"*\"\r\nService-Worker-Allowed: /\r\n"
               "Strict-Transport-Security: max-age=999\r\nRefresh: 60; url=LIVE/way-refresh\r\n"
               "Content-Security-Policy-Report-Only: default-src 'none'; report-uri LIVE/way-report\r\n"
               "Reporting-Endpoints: default=\"LIVE/way-endpoint\"\r\n")
    return {
        "/": response(PLAIN, fields="Content-Security-Policy: default-src 'none'\r\n"),
        "/app.js": response(app, "text/javascript"),
        "/main.css": response("h1 { color: rgb(1, 2, 3); background: url(still.png) }", "text/css"),
        "/still.png": response(picture(), "image/png"),
        "/data.json": response('{"milk": 1.09}', "application/json"),
        "/worker.js": response("fetch('/data.json').then((r) => r.json()).then((d) => postMessage(d.milk))",
                               "text/javascript"),
        "/next.html": response("<title>next</title><p id=here>next page"),
        "/search?q=milk": response("<title>found</title><p>found milk"),
        "/moved": response("", status="302 Found", fields="Location: /next.html\r\n"),
        "/jump": response(f"<title>jump</title><script>location.href = '{live}/next.html'</script>"),
        "/past": response("<title>past</title><form method=post action=/next.html></form>"
                          "<script>onload = () => setTimeout(() => document.forms[0].submit())</script>"),
        "/ways": response(ways, fields=fill(escapes)),
        "/nested": response(fill(NESTED)),
        "/inner": response(fill(INNER)),
        "/ways.svg": response(fill(SVG_WAYS), "image/svg+xml"),
        "/ways.xml": response(fill(XML_WAYS), "text/xml"),
        "/ways.xhtml": response(fill(SVG_WAYS), "application/xhtml+xml"),
        "/away": response(fill("<img src=LIVE/way-raw-redirect>"), status="302 Found",
                          fields=fill("Location: LIVE/way-raw-location\r\n")),
        "/sw.js": response("self.onfetch = () => 0", "text/javascript"),
        "/hostile": response(HOSTILE),
        "/title?%3Cb%3Ex%3C/b%3E": response("<title></title><script>parent.x=1</script><b>bold</b>"),
    }


def browse(control):
    modules = subprocess.run([f"{SRCDIR}/tools/install-npm"], text=True, stdout=subprocess.PIPE,
                             check=True).stdout.strip()
    done = subprocess.run(["node", f"{SRCDIR}/tests/e2e/replay_browser.mjs", modules,
                           shutil.which("chromium"), f"{control}/x/{TIME}", LIVE, STEADY, BUSY],
                          text=True, capture_output=True, check=False, timeout=840)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


ears = Listener(("127.0.0.1", 0), Ears)
threading.Thread(target=ears.serve_forever, daemon=True).start()
datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
datagrams.bind(("127.0.0.1", 0))
threading.Thread(target=hear_datagrams, args=(datagrams,), daemon=True).start()
LIVE = f"http://127.0.0.1:{ears.server_port}"
WARC = tap.path("x.warc")
SHOP = tap.path("shop.stillpoint")
PLAIN_CRAWL = tap.path("plain.stillpoint")
STEADY = capture(Shop, SHOP)
BUSY = capture(BusyShop, PLAIN_CRAWL, "--single")
tap.succeed("index", SHOP, "--text")
with open(WARC, "wb") as file:
    for path, block in site(LIVE, datagrams.getsockname()[1]).items():
        file.write(record(LIVE + path, block))

with subprocess.Popen([tap.PROGRAM, "serve", WARC, SHOP, PLAIN_CRAWL, "--listen", "127.0.0.1:0"], text=True,
                      stdout=subprocess.PIPE) as server:
    try:
        got = browse(server.stdout.readline().strip().rstrip("/"))
    finally:
        server.terminate()

for name in ("framed", "alone"):
    page = got[name]
    with tap.case(f"a page {name}: its style, image and script are the archive's"):
        tap.equal((page["colour"], page["image"], page["inner"]), ("rgb(1, 2, 3)", 7, 1))
    with tap.case(f"a page {name}: a document inside of an attribute has its client script, and is loaded once"):
        tap.equal(page["service"], False)
    with tap.case(f"a page {name}: what its script builds comes from the archive"):
        seen = page["seen"]
        tap.equal([seen[key] for key in ("data", "absolute", "request", "xhr", "worker")], [1.09] * 5)
        tap.equal([seen[key] for key in ("image", "inner", "attribute")], [7] * 3)
        tap.equal(seen["stray"], True)
    with tap.case(f"a page {name}: its script reads live addresses"):
        tap.equal([seen["requestUrl"], seen["xhrUrl"]], [f"{LIVE}/data.json"] * 2)
        tap.equal([seen["imageUrl"], seen["href"]], [f"{LIVE}/still.png", f"{LIVE}/next.html"])
        tap.equal([seen["url"], seen["pushed"]], [f"{LIVE}/", f"{LIVE}/pushed"])
        tap.equal([seen["host"], seen["domain"]], [LIVE[7:], "127.0.0.1"])
    with tap.case(f"a page {name}: cookies and storage are in memory, sockets and service workers not there"):
        tap.equal([seen["cookie"], seen["stored"]], ["a=1", "v1"])
        tap.equal([seen["socket"], seen["beacon"], seen["service"]], [1006, True, False])
        tap.equal(page["cookies"], [])

with tap.case("links, forms, redirects and scripts lead on inside of the archive, with the banner"):
    for name in ("link", "form", "redirect", "script"):
        tap.equal(got["moves"][name]["url"], f"/x/{TIME}/" + LIVE + got["moves"][name]["want"])
        tap.equal(got["moves"][name]["shown"], got["moves"][name]["text"])

with tap.case("window.open and links to new windows open inside of the archive"):
    tap.equal(got["windows"], {"script": f"/x/{TIME}/{LIVE}/next.html", "link": f"/x/{TIME}/{LIVE}/next.html",
                               "alone": f"/x/{TIME}mp_/{LIVE}/next.html"})

with tap.case("a page that tries every way out reaches nobody"):
    tap.equal(got["ways"], {"framed": True, "alone": True, "left": False})
    tap.equal(Ears.heard, [])

with tap.case("raw mementos in a tab reach nobody, redirects say where they led"):
    tap.equal(got["raw"], {"shown": True, "away": f"/x/{TIME}/{LIVE}/way-raw-location"})

with tap.case("no message moves a tab out of the collection and the time"):
    assert len(got["messages"]["asked"]) > 20, got["messages"]
    tap.equal([place for place in got["messages"]["asked"] if not place.startswith(f"/x/{TIME}/http")], [])

with tap.case("frames inside of the page move nothing by themselves, their links do"):
    tap.equal(got["nested"], {"moved": [f"/x/{TIME}/{LIVE}/next.html"], "top": f"/x/{TIME}/{LIVE}/next.html",
                              "fresh": f"/x/{TIME}/{LIVE}/next.html"})

with tap.case("hostile scripts neither read nor frame our pages, nor touch the banner"):
    hostile = got["hostile"]
    for attempt in ("read", "above", "banner", "frame", "worker"):
        tap.equal((attempt, hostile["found"][attempt]), (attempt, "refused"))
    tap.equal((hostile["workers"], hostile["still"]), (0, True))

with tap.case("at the still point the banner says what is proven, and lists it"):
    shop = got["shop"]
    assert re.fullmatch(r"This page and its 2 resources are proven to have been like this at 20\S+ \S+ UTC\.",
                        shop["verdict"]), shop["verdict"]
    tap.equal((shop["mood"], len(shop["lines"]), shop["image"]), ("sharp", 3, 7))
    assert all("unchanged" in line and line.endswith("(bytes)") for line in shop["lines"]), shop["lines"]

with tap.case("a click leads on at the same instant"):
    tap.equal((shop["same"], shop["terms"]), (True, "edition 2"))

with tap.case("at the still point prices and terms agree, in a plain crawl they do not, and the banner says so"):
    tap.equal([got["pairs"]["still"][key] for key in ("prices", "terms")], ["edition 2", "edition 2"])
    tap.equal([got["pairs"]["plain"][key] for key in ("prices", "terms")], ["edition 1", "edition 2"])
    for verdict in got["pairs"]["still"]["verdicts"]:
        assert "proven to have been like this" in verdict, verdict
    for verdict in got["pairs"]["plain"]["verdicts"]:
        assert "is not proven" in verdict or "no second look proves it" in verdict, verdict

with tap.case("a search from the collection's page leads to the page of the still point"):
    tap.equal((got["search"]["marked"], got["search"]["shown"]), (["edition"] * 2, "edition 2"))
    assert "the newest still point" in got["search"]["time"], got["search"]

with tap.case("what was looked at once is not called proven"):
    tap.equal(got["blurred"], "This page was like this when it was seen at 2026-01-02 03:04:05 UTC; no second look "
                              "proves it. 3 of 3 resources are from then, and not proven.")

with tap.case("a page that goes on past the client script is told apart"):
    tap.equal(got["moved"], True)

with tap.case("our pages: titles and addresses stay text"):
    tap.equal(got["text"], {"bold": 0, "box": f"{LIVE}/title?<b>x</b>", "alerts": []})

with tap.case("our pages: nothing in the console, nothing cut off at 360 pixels, a landmark and a heading"):
    for path, page in got["ours"].items():
        verdict = page.pop("verdict", None)
        tap.equal((path, page), (path, {"said": [], "wide": 0, "mains": 1, "headings": 1, "icon": True}))
        if path in ("/shop/start", f"/shop/{STEADY}/"):
            assert verdict.startswith("This page and its 2 resources are proven"), (path, verdict)

with tap.case("the calendar leads to the memento"):
    tap.equal(got["calendar"], {"links": [f"/x/{TIME}/{LIVE}/next.html"], "caption": "January 2026"})
tap.done()
