"""A site on loopback with a database that only its search form opens, and how few queries it takes.

    database = hidden.Database(records=10000)
    with hidden.Site(database) as site:
        tap.run("crawl", site.url, "--forms", "500")
    site.queries       # what it was asked for, in order, each once
    site.coverage(80)  # share of the records that the first 80 of them have found

Records are texts with words after Zipf's law, a part of them from the record's topic. Results are
paged; each leads to the page of its record, or shows all of it (`inline`).
"""

import html
import random
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LETTERS = "bcdfghklmnprstvz"
VOWELS = "aeiou"


def word(number):
    """A word that can be spoken, for each number."""
    text = ""
    number += 300
    while number:
        number, rest = divmod(number, len(LETTERS) * len(VOWELS))
        text += LETTERS[rest // len(VOWELS)] + VOWELS[rest % len(VOWELS)]
    return text


class Database:
    def __init__(self, records=400, words=4000, topics=0, length=(8, 16), skipped=20, seed=1):
        chance = random.Random(seed)
        weights = [1 / (rank + 1 + skipped) for rank in range(words)]
        orders = [chance.sample(range(words), words) for _ in range(topics)]
        self.records = []
        for _ in range(records):
            drawn = chance.choices(range(words), weights, k=chance.randint(*length))
            order = chance.choice(orders) if orders else None
            if order:
                drawn = [order[w] if chance.random() < 0.6 else w for w in drawn]
            self.records.append([word(w) for w in drawn])
        self.having = {}
        for number, record in enumerate(self.records):
            for text in record:
                self.having.setdefault(text, set()).add(number)

    def until(self, choose, share):
        """Queries until that share of the records is found; choose gives the words in turn."""
        found = set()
        for count, text in enumerate(choose, 1):
            found |= self.having.get(text, set())
            if len(found) >= share * len(self.records):
                return count
        raise AssertionError("not all words together find as many")

    def greedy(self):
        """Always the word with most new records: the oracle that knows them all."""
        left = {text: set(records) for text, records in self.having.items()}
        while left:
            best = max(left, key=lambda text: (len(left[text]), text))
            taken = left.pop(best)
            yield best
            for text in {text for number in taken for text in self.records[number]}:
                if text in left:
                    left[text] -= taken

    def at_random(self, seed=1):
        texts = sorted(self.having)
        random.Random(seed).shuffle(texts)
        return texts


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A client that was killed is none of the test's business."""


class Site:
    """post: the form is sent by POST; inline: results show the records, which have no pages."""

    def __init__(self, database, per_page=20, shown=5, post=False, inline=False, extra="", robots=""):
        self.database, self.per_page, self.shown = database, per_page, shown
        self.post, self.inline, self.extra, self.robots = post, inline, extra, robots
        self.queries, self.requests = [], []
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body leave together

            def do_GET(self):
                site.answer(self, "")

            def do_POST(self):
                site.answer(self, self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())

            def log_message(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def coverage(self, count):
        found = set()
        for query in self.queries[:count]:
            found |= self.database.having.get(query, set())
        return len(found) / len(self.database.records)

    def answer(self, handler, body):
        path, _, query = handler.path.partition("?")
        self.requests.append((handler.command, handler.path, body))
        fields = dict(urllib.parse.parse_qsl(query) + urllib.parse.parse_qsl(body))
        content = self.page(handler.command, path, fields)
        kind = "text/plain" if path == "/robots.txt" else "text/html; charset=utf-8"
        data = (content or "nothing here").encode()
        handler.send_response(200 if content is not None else 404)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    def page(self, command, path, fields):
        if path == "/robots.txt" and self.robots:
            return self.robots
        if path == "/":
            return self.front()
        if path == "/find":
            wrong = self.post and command != "POST" and "page" not in fields
            return None if wrong else self.results(fields)
        if path.startswith("/record/") and not self.inline:
            number = path.rpartition("/")[2]
            if number.isdigit() and int(number) < len(self.database.records):
                return self.record(int(number))
        return None

    def front(self):
        latest = "".join(f"<li>{' '.join(record)}</li>" for record in self.database.records[:self.shown])
        method = "post" if self.post else "get"
        return (f"<html><head><title>Catalogue</title></head><body><h1>Our catalogue</h1>"
                f"<form action='/find' method='{method}' role='search'><label for='w'>Search for</label>"
                f"<input id='w' name='q'><input type='hidden' name='in' value='all'>"
                f"<button>Search</button></form>{self.extra}<h2>New here</h2><ul>{latest}</ul></body></html>")

    def results(self, fields):
        text = fields.get("q", "").lower()
        number = int(fields.get("page", "1"))
        if number == 1 and text not in self.queries:
            self.queries.append(text)
        found = sorted(self.database.having.get(text, ()))
        part = found[(number - 1) * self.per_page:number * self.per_page]
        items = "".join(f"<li>{self.item(record)}</li>" for record in part)
        link = urllib.parse.urlencode({"q": text, "in": "all", "page": number + 1})
        more = f"<a href='/find?{html.escape(link)}'>next</a>" if number * self.per_page < len(found) else ""
        return (f"<html><body><h1>Results</h1><p>{len(found)} for {html.escape(text)}</p>"
                f"<ol>{items}</ol>{more}</body></html>")

    def item(self, record):
        text = " ".join(self.database.records[record])
        return text if self.inline else f"<a href='/record/{record}'>{text[:60]}</a>"

    def record(self, number):
        return f"<html><body><h1>Record {number}</h1><p>{' '.join(self.database.records[number])}</p></body></html>"
