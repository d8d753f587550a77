#!/usr/bin/env python3
"""What README, docs and manual pages show is what the program does: their command lines and queries
run, on a small site that a proxy on loopback plays, and every key of JSON that is printed is in the
documents.

Command lines that would need the network, run for ever or take long are checked word by word: the
command is there, and so is each of its options.
"""

import functools
import glob
import gzip
import itertools
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess

import rawserver
import tap

ROOT = os.environ["SRCDIR"]
# Servers, daemons, the laboratory: they have tests of their own.
NOT_RUN = {"serve", "watch"}
NETWORK = {"--cdx-server", "--timemap"}
PAGES = {"/": ["prices", "terms", "s1/", "news/", "private/a", "today", "tea"]}
TURN = itertools.count()


def answer(request):
    """As a proxy: the same pages on every host."""
    path = re.sub(r"^http://[^/]+", "", request.path)
    links = "".join(f'<a href="/{name}">{name}</a> ' for name in PAGES.get(path, []))
    if path == "/robots.txt" or path.endswith(".xml"):
        return rawserver.NOT_FOUND
    extra = f"<p>Price: {next(TURN)} EUR" if path == "/prices" else ""
    return rawserver.page(f"<!doctype html><title>{path}</title><p>A refund within thirty days. "
                          f"{links}{extra}".encode())


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def markdown():
    return ["README.md", *sorted(os.path.relpath(name, ROOT) for name in glob.glob(f"{ROOT}/docs/*.md"))]


def manual():
    return sorted(os.path.relpath(name, ROOT) for name in glob.glob(f"{ROOT}/docs/man/*.1"))


def plain(roff):
    """Without roff's escapes."""
    text = re.sub(r"\\f[BIRP]|\\&", "", roff)
    for old, new in ((r"\-", "-"), (r"\(aq", "'"), (r"\(dq", '"'), (r"\e", "\\")):
        text = text.replace(old, new)
    return text


def command_lines(name):
    """Lines of code that call the program, those that go on joined, comments away."""
    text = read(name)
    if name.endswith(".md"):
        lines = [line[4:] for line in text.split("\n") if line.startswith("    ")]
    else:
        lines = plain(text).split("\n")
    lines = iter(lines)
    for line in lines:
        line = line.removeprefix("$ ")
        if not re.match(r"stillpoint(-lab)? [a-z]|sqlite3 ", line) or re.match(r"stillpoint +\d", line):
            continue
        while line.rstrip().endswith("\\"):
            line = line.rstrip()[:-1] + next(lines).strip()
        if not name.endswith(".md") and line.startswith("stillpoint") and "(1)" in line:
            continue
        yield re.sub(r"\s+#.*", "", line)


def words_of(line):
    """Of the first command: without what it is piped or written to."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:  # a quote that ends on a line further on, behind the pipe
        words = line.split("|")[0].split()
    ends = [i for i, word in enumerate(words) if set(word) <= {"|", ">"}]
    return words[1:ends[0] if ends else None]


@functools.cache
def help_of(program, *command):
    return subprocess.run([program, *command, "--help", "all"], text=True, capture_output=True).stdout


def check_words(program, words):
    """The command and its options are there."""
    command = words[:2] if words[0] in ("inspect", "simulate") and not words[1].startswith("-") else words[:1]
    text = help_of(program, *command) + help_of(program, *command[:1])
    assert text, f"there is no command {command}"
    for word in words[1:]:
        if word.startswith("--"):
            option = word.split("=")[0]
            assert re.search(rf"{option}\b", text), f"{command} has no option {option}"


def adapt(words, proxy):
    """To a site without TLS, whose pages come from the proxy at once."""
    words = [word.replace("https://", "http://") for word in words]
    words = ["http://example.org/" if word == "URL" else word for word in words]
    if words[0] == "crawl":
        words += ["--proxy", proxy, "--delay", "0"]
    return words


def is_run(program, words):
    return not (program == tap.LAB or words[0] in NOT_RUN or NETWORK & {word.split("=")[0] for word in words})


def check(line, directory, proxy):
    words = words_of(line)
    program = tap.LAB if line.startswith("stillpoint-lab ") else tap.PROGRAM
    check_words(program, words)
    if not is_run(program, words):
        return
    result = subprocess.run([tap.PROGRAM, *adapt(words, proxy)], cwd=directory, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    # What compares may find something to tell, and say so by 1.
    statuses = (0, 1) if words[0] in ("diff", "verify") else (0,)
    assert result.returncode in statuses, f"{line}: {result.returncode}, {result.stderr}"


def prepare(directory, proxy):
    """What the documents speak of, under its name."""
    def run(*words):
        result = tap.run(*map(str, words), cwd=directory)
        assert result.returncode == 0, f"{words}: {result.stderr}"
        return result.stdout

    def put(name, content):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(content)

    def crawl(*words):
        run("crawl", *words, "--proxy", proxy, "--delay", "0")

    os.mkdir(directory)
    put("sites.txt", "http://site1.localhost:8080/\nhttp://site2.localhost:8080/\n")
    put("site.csv", "page,rate\n/,0.002\n/news,0.01\n/imprint,0.0000001\n")
    rates = "url,rate\n" + "".join(f"http://example.org/p{i}/,{10.0 ** -(i % 5)}\n" for i in range(40))
    put("known-rates.csv", rates)
    put("rates.csv", rates)
    put("urls.txt", "http://example.org/\nhttp://example.org/news/\n")
    put("robots.txt", "User-agent: *\nDisallow: /private/\n")
    put("monday.html", "<p>one")
    put("tuesday.html", "<p>two")
    put("page.html", "<p>one<a href=x>x</a>")
    put("sitemap.xml", "<urlset><url><loc>http://example.org/</loc></url></urlset>")
    put("ignore.txt", "select .advert\n")
    crawl("http://example.org/")
    crawl("http://example.org/", "-o", "example.org.stillpoint")
    for _ in range(2):
        crawl("http://shop.example/", "-o", "shop.stillpoint")
    crawl("--seeds", "sites.txt")
    shutil.copytree(f"{directory}/sites.stillpoint", f"{directory}/towns.stillpoint")
    for name in ("others.wacz", "more.warc.gz", "crawl.warc.gz", "others.cdxj"):
        run("export", "shop.stillpoint", "--" + name.split(".")[1], name)
    run("export", "shop.stillpoint", "--warc", "monday.warc.gz", "--capture", 1)
    run("export", "shop.stillpoint", "--wacz", "tuesday.wacz", "--capture", 2)
    shutil.copy(f"{directory}/known-rates.csv", f"{directory}/a.csv")
    shutil.copy(f"{directory}/known-rates.csv", f"{directory}/b.csv")
    with open(f"{directory}/sitemap.xml", "rb") as file, gzip.open(f"{directory}/sitemap.xml.gz", "wb") as out:
        out.write(file.read())
    with open(f"{directory}/others.cdxj", "rb") as cdxj, gzip.open(f"{directory}/others.cdx.gz", "wb") as out:
        out.write(cdxj.read())
    for name in ("crawls", "warcs"):
        os.mkdir(f"{directory}/{name}")
        shutil.copy(f"{directory}/more.warc.gz", f"{directory}/{name}/")
    run("train", "known-rates.csv", "-o", "example.model")
    run("index", "example.org.stillpoint", "--text")


def keys_of(value):
    """Of an object and all in it; names that are data (hosts, rules, reasons) are no keys."""
    if isinstance(value, list):
        for item in value:
            yield from keys_of(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from keys_of(item)


PRINTED = [
    "report {a} --json", "report {a} --why http://example.org/ --json", "report {a} --at now --json",
    "report {a} --curve 2020-01-01 2040-01-01 --json", "report {a} --compare 1 2 --json",
    "report {a} --captures --json", "report {a} --hosts --json", "report {a} --requisites --json",
    "verify {a} --json", "diff {a} http://example.org/prices --json", "rates {a} --json",
    "rates {a} --due --json", "graph {a} --json", "similar {a} --json", "search {a} refund --json",
    "judge {a} --json", "rebuild {a} --json", "plan site.csv --json", "plan site.csv --expect --json",
    "plan site.csv --expect --time-limit 60 --json", "predict example.model urls.txt --json",
    "train known-rates.csv -o x.model --json", "retire {a} --keep all --dry-run --json",
    "inspect url http://example.org/a", "inspect links page.html --base http://example.org/",
    "inspect text page.html", "inspect change monday.html tuesday.html",
    "inspect sitemap sitemap.xml", "inspect warc more.warc.gz", "inspect robots robots.txt http://example.org/",
    "inspect change --list-rules",
]


def printed_keys(directory):
    """Key → the command that printed it."""
    found = {}
    for row in PRINTED:
        words = row.format(a="example.org.stillpoint").split()
        result = tap.run(*words, cwd=directory)
        assert result.returncode in (0, 1) and result.stdout, f"{row}: {result.stderr}"
        is_lines = words[0] in ("inspect", "predict", "rates")
        for text in result.stdout.splitlines() if is_lines else [result.stdout]:
            document = json.loads(text)
            if not is_lines:
                tap.equal(next(iter(document.items())), ("schema", 1))
            for key in keys_of(document):
                found.setdefault(key, row)
    return found


def written_keys():
    """Key → the file of the source that names it; pages of HTML have data of their own."""
    found = {}
    for name in glob.glob(f"{ROOT}/src/**/*.c", recursive=True):
        short = os.path.relpath(name, ROOT)
        if re.search(r"_html|simulate|/report/|/living/|/demo|src/archive/export_|/zipnum", short):
            continue
        text = read(short)
        columns = re.findall(r'\{"(\w+)",\s*(?:BOTH|ALL|TEXT|TABLE_JSON)\b', text)  # of base/table.h
        for key in columns + re.findall(r'\b(?:json|report_json|put)_\w+\(\s*&?\w[\w.>-]*,\s*"(\w+)"', text):
            found.setdefault(key, short)
    return found


@functools.cache
def documented():
    """Words that the documents set off: in `code`, in "quotes", in roff's bold."""
    words = set()
    for name in markdown():
        for code in re.findall(r"`([^`]+)`|^    (.*)", read(name), re.M):
            words |= set(re.findall(r"[\w-]+", " ".join(code)))
        words |= set(re.findall(r'"([\w-]+)"', read(name)))
    for name in manual():
        # In bold or italic, or in a sentence about JSON.
        for line in re.findall(r"^\.(?:[BI][RIB]?|R[BI]) (.*)|(\\f[BI][\w-]+)|(.*JSON.*)|(\".*\")", read(name), re.M):
            words |= set(re.findall(r"[\w-]+", re.sub(r"\\f[BIRP]", " ", plain(" ".join(line)))))
    return words


def check_queries(directory):
    queries = re.findall(r'sqlite3 catalog\.sqlite "([^"]+)"', read("docs/archive.md"))
    assert len(queries) >= 2, queries
    database = sqlite3.connect(f"file:{directory}/example.org.stillpoint/catalog.sqlite?mode=ro", uri=True)
    for query in queries:
        rows = database.execute(query).fetchall()
        assert rows and all(value is not None for row in rows for value in row), f"{query}: {rows}"
    version = database.execute("PRAGMA user_version").fetchone()[0]
    assert f"version of the schema, now {version}." in read("docs/archive.md"), version
    database.close()


def check_reasons():
    text = read("docs/quality.md") + read("docs/archive.md")
    for word in re.findall(r'X\(LEFT_OUT_\w+, "([\w-]+)"', read("src/catalog/left_out.h")):
        assert f"`{word.removeprefix('trap-')}`" in text or word == "taken", word


def check_targets():
    """Every fuzz target is in the table of CONTRIBUTING, and every one there exists."""
    rows = read("CONTRIBUTING.md").split("| target |")[1].split("\n\n")[0].split("\n")[2:]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    tap.equal(named, set(re.findall(r"^  '(\w+)': files", read("tests/fuzz/meson.build"), re.M)))


def check_paths():
    """Files of the repository that documents name are there; NAME, ROOM and PAGE stand for any."""
    for name in [*markdown(), "CONTRIBUTING.md"]:
        for path in re.findall(r"`((?:bench|docs|include|lab|src|tests|tools|web)/[\w./-]+)`", read(name)):
            if not re.search(r"[A-Z]{4}", path):
                assert os.path.exists(os.path.join(ROOT, path)), (name, path)


def main():
    with rawserver.Server(answer) as proxy:
        directory = tap.path("documents")
        with tap.case("what the documents speak of can be made"):
            prepare(directory, proxy.url)
        with tap.case("keys of JSON that commands print are documented"):
            keys = printed_keys(directory)
            missing = {key: row for key, row in keys.items() if key not in documented()}
            assert len(keys) > 150 and not missing, (len(keys), missing)
        with tap.case("queries of the catalog"):
            check_queries(directory)
        for name in markdown() + manual():
            lines = list(command_lines(name))
            if not lines:
                continue
            with tap.case(f"{name}: {len(lines)} command lines"):
                wrong = []
                for line in lines:
                    try:
                        if line.startswith("stillpoint"):
                            check(line, directory, proxy.url)
                    except AssertionError as error:
                        wrong.append(str(error))
                assert not wrong, "\n".join(wrong)
    with tap.case("keys of JSON in the source are documented"):
        missing = {key: name for key, name in written_keys().items() if key not in documented()}
        assert not missing, missing
    with tap.case("reasons why URLs are left out are documented"):
        check_reasons()
    with tap.case("fuzz targets are documented"):
        check_targets()
    with tap.case("files that documents name exist"):
        check_paths()


main()
tap.done()
