"""A web on loopback with pages that deceive and pages that do not, each with its label.

    with deceitful.Web() as web:
        tap.run("crawl", web.url)
    web.labels["/spam/stuffed-3"]  # "stuffed"; "" for a page that is what it seems

Spam comes in kinds and strengths (0 to 1): the weakest are hard to tell from ordinary pages.
"""

import random

import rawserver
from rawserver import page

SUBJECTS = "library archive river engine garden market theatre harbour museum railway".split()
STOP = "the of and a to in is that for with on as by from at which it was are".split()
GOODS = "casino viagra loans replica watches cheap insurance mortgage poker pills".split()
LETTERS = "bcdfghklmnprstvwz"


def vocabulary(chance, count):
    return ["".join(chance.choice(LETTERS) + chance.choice("aeiou") for _ in range(chance.randint(2, 4)))
            for _ in range(count)]


WORDS = vocabulary(random.Random(5), 3000)


def prose(chance, count):
    """Words as texts have them: many of few, few of many."""
    drawn = chance.choices(WORDS, [1 / (rank + 10) for rank in range(len(WORDS))], k=count)
    return " ".join(chance.choice(STOP) if chance.random() < 0.4 else word for word in drawn)


def paragraphs(chance, count):
    return "".join(f"<p>{prose(chance, chance.randint(30, 90))}.</p>" for _ in range(count))


def stuffed(chance, strength):
    """Words that sell, between the others."""
    goods = chance.sample(GOODS, 2)
    text = prose(chance, 300).split()
    for i in range(len(text)):
        if chance.random() < 0.15 + 0.6 * strength:
            text[i] = chance.choice(goods)
    return f"<p>{' '.join(text)}</p>"


def repeated(chance, strength):
    """A few sentences again and again."""
    lines = [prose(chance, 12) for _ in range(2 + int(10 * (1 - strength)))]
    return "".join(f"<p>{chance.choice(lines)}.</p>" for _ in range(40))


def hidden(chance, strength):
    ways = ["font-size:0", "text-indent:-9999px", "position:absolute;left:-5000px",
            "color:#fff;background-color:#fff"]
    words = " ".join(chance.choice(GOODS) + " " + prose(chance, 2) for _ in range(20 + int(180 * strength)))
    return f"{paragraphs(chance, 4)}<div style='{chance.choice(ways)}'><p>{words}</p></div>"


def concealed(chance, strength):
    """Hidden as menus are, but stuffed."""
    goods = chance.sample(GOODS, 3)
    words = " ".join(chance.choice(goods) + " " + prose(chance, 1) for _ in range(50 + int(300 * strength)))
    return f"{paragraphs(chance, 3)}<div style='display: none'>{words}</div>"


def parked(chance, _):
    name = chance.choice(WORDS)
    return f"<h1>{name}.example</h1><p>This domain is for sale! {prose(chance, 15)}</p>"


def suspended(chance, _):
    return f"<h1>Sorry</h1><p>This account has been suspended. {prose(chance, 10)}</p>"


SPAM = {"stuffed": stuffed, "repeated": repeated, "hidden": hidden, "concealed": concealed,
        "parked": parked, "suspended": suspended}


def article(chance):
    return f"<h1>{chance.choice(SUBJECTS)}</h1>{paragraphs(chance, chance.randint(3, 12))}"


def index(chance):
    return "<ul>" + "".join(f"<li><a href='/{i}'>{prose(chance, 3)}</a></li>" for i in range(80)) + "</ul>"


def table(chance):
    names = chance.sample(WORDS, 8)
    rows = "".join(f"<tr><td>{chance.choice(names)}</td><td>{chance.randint(1, 999)}</td>"
                   f"<td>{prose(chance, 4)}</td></tr>" for _ in range(60))
    return f"<table><tr><th>name</th><th>count</th><th>text</th></tr>{rows}</table>"


def faq(chance):
    """Answers that a script shows."""
    return "".join(f"<h3>{prose(chance, 8)}?</h3><div style='display:none'>{paragraphs(chance, 1)}</div>"
                   for _ in range(8))


def manual(chance):
    """One word comes often, as in manuals."""
    word = chance.choice(WORDS)
    return "".join(f"<h2>{word} {prose(chance, 3)}</h2><p>{word} {prose(chance, 25)}</p>" for _ in range(8))


HONEST = [article, index, table, faq, manual]


def document(body, title="A page"):
    return page(f"<html><head><title>{title}</title></head><body>{body}</body></html>".encode())


class Web(rawserver.Server):
    """extra: path → answer, or what makes one of the request."""

    def __init__(self, honest=50, each=10, seed=1, extra=None):
        chance = random.Random(seed)
        self.labels, self.pages = {}, {}
        for number in range(honest):
            self.add(f"/page-{number}", "", HONEST[number % len(HONEST)](chance))
        for kind, make in SPAM.items():
            for number in range(each):
                self.add(f"/{kind}-{number}", kind, make(chance, (number + 1) / each))
        self.pages.update(extra or {})
        links = "".join(f"<li><a href='{path}'>{prose(chance, 2)}</a></li>" for path in self.pages)
        self.pages["/"] = document(f"<ul>{links}</ul>")
        super().__init__(self.answer_request)

    def add(self, path, label, body):
        self.labels[path] = label
        self.pages[path] = document(body)

    def answer_request(self, request):
        answer = self.pages.get(request.path.partition("?")[0], rawserver.NOT_FOUND)
        return answer(request) if callable(answer) else answer
