#!/usr/bin/env python3
"""The program as a whole: help, bad input, output that fails."""

import os
import re
import signal
import subprocess

import tap

GOOD = tap.write("good.csv", "page,rate,weight,links\na,1,1,b\nb,2,1,\n")

BAD_FILES = [
    # label, content, line, what is said of it
    ("empty", "", 1, "empty"),
    ("header only", "page,rate\n", 1, "no pages"),
    ("no header", "a,1\nb,2\n", 1, "unknown column 'a'"),
    ("unknown column", "page,rate,colour\na,1,red\n", 1, "'colour'"),
    ("no rates", "page,weight\na,1\n", 1, "'rate'"),
    ("negative rate", "page,rate\na,1\nb,-1\n", 3, "negative"),
    ("rate NaN", "page,rate\na,1\nb,NaN\n", 3, "not a number"),
    ("rate infinite", "page,rate\na,inf\n", 2, "not a number"),
    ("rate overflows", "page,rate\na,1e400\n", 2, "too large"),
    ("rate missing", "page,rate\na,\n", 2, "missing"),
    ("rate a word", "page,rate\na,daily\n", 2, "'daily'"),
    ("negative weight", "page,rate,weight\na,1,1\nb,1,-3\n", 3, "negative"),
    ("weight NaN", "page,rate,weight\na,1,nan\n", 2, "not a number"),
    ("a field too few", "page,rate\na,1\nb\n", 3, "1 field"),
    ("a field too many", "page,rate\na,1\nb,1,1\n", 3, "3 fields"),
    ("a page twice", "page,rate\na,1\nb,1\na,1\n", 4, "line 2"),
    ("a page without name", "page,rate\n,1\n", 2, "name"),
    ("a link to nowhere", "page,rate,links\na,1,b\nb,1,a nowhere\n", 3, "'nowhere'"),
    ("open quote", "page,rate\n\"a,1\n", 2, "quote"),
    ("binary", bytes(range(256)) * 4, 1, "NUL"),
    ("binary without NUL", bytes(range(128, 256)) * 4, 1, "unknown column"),
    ("control characters", "page,rate\n\"a\n\x1b[2Jb\",x\n", 2, "not a number"),
    ("line break in a name", "page,rate\n\"a\nb\",1\nc,1\n\"a\nb\",1\n", 5, "'a?b'"),
]

BAD_USAGE = [
    # label, what is said, arguments
    ("no command", "command is missing"),
    ("unknown command", "did you mean 'report'?", "repot"),
    ("unknown command, far off", "unknown command 'xyzzy'", "xyzzy"),
    ("unknown option", "unknown option '--verson'", "--verson"),
    ("help for an unknown command", "did you mean 'plan'?", "help", "plam"),
    ("plan: no file", "file of pages is missing", "plan"),
    ("plan: two files", "unexpected argument", "plan", GOOD, GOOD),
    ("plan: unknown option", "did you mean --delay?", "plan", GOOD, "--dealy", "1"),
    ("plan: unknown strategy", "did you mean 'stillpoint'?", "plan", GOOD, "-s", "stilpoint"),
    ("plan: unknown strategy, far off", "unknown strategy 'xyzzy'", "plan", GOOD, "-s", "xyzzy"),
    ("plan: delay 0", "--delay must be above 0", "plan", GOOD, "--delay", "0"),
    ("plan: negative delay", "--delay", "plan", GOOD, "--delay=-1"),
    ("plan: delay NaN", "--delay", "plan", GOOD, "--delay", "nan"),
    ("plan: tau 0", "--tau must be above 0", "plan", GOOD, "--tau", "0"),
    ("plan: tau above 1", "at most 1", "plan", GOOD, "--tau", "1.01"),
    ("plan: unknown format", "unknown format", "plan", GOOD, "--format", "xml"),
    ("plan: bad list of delays", "not '0'", "plan", GOOD, "--expect", "--delays", "1,0"),
    ("plan: empty delay", "not ''", "plan", GOOD, "--expect", "--delays", "1,"),
    ("plan: bad list of strategies", "'bsf-lifo', did you mean 'bfs-lifo'?", "plan", GOOD,
     "--expect", "--strategies", "bfs-fifo,bsf-lifo"),
    ("plan: lists without --expect", "are for --expect", "plan", GOOD, "--delays", "1"),
    ("plan: a file for --list-strategies", "needs no file", "plan", GOOD, "--list-strategies"),
    ("plan: no such file", "nowhere.csv: No such file", "plan", tap.path("nowhere.csv")),
    ("plan: a directory", "is a directory", "plan", tap.DIRECTORY.name),
    ("plan: reading fails", "/proc/self/mem:1: Input/output error", "plan", "/proc/self/mem"),
    ("train: no model", "say where to write it with -o", "train", GOOD),
    ("predict: no pages", "too few arguments", "predict", GOOD),
    ("simulate: no such file", "nowhere.csv: No such file", "simulate", "--graph",
     tap.path("nowhere.csv")),
    ("simulate: an argument too many", "unexpected argument", "simulate", GOOD),
    ("simulate: no mode", "--history is missing", "simulate"),
    ("simulate: size 0", "--size must be at least 1", "simulate", "--graph", GOOD, "--size", "0"),
    ("simulate: negative size", "--size", "simulate", "--graph", GOOD, "--size=-5"),
    ("simulate: size no number", "--size", "simulate", "--graph", GOOD, "--size", "many"),
    ("simulate: delay 0", "--delay", "simulate", "--graph", GOOD, "--delay", "0"),
    ("simulate: unknown strategy", "did you mean 'solar'?", "simulate", "--graph", GOOD,
     "--strategy", "sollar"),
    ("simulate: unknown seed", "seed 'c'", "simulate", "--graph", GOOD, "--seeds", "c"),
    ("simulate: empty seed", "seed ''", "simulate", "--graph", GOOD, "--seeds", ""),
]


NOWHERE = tap.path("nowhere")
FILE = tap.write("file.txt", "hello\n")
DIRECTORY = tap.DIRECTORY.name
URL = "http://127.0.0.1:8/"


def archive(name, *parts):
    """A directory with some of what an archive has."""
    for part in parts:
        os.makedirs(os.path.join(tap.path(name), part))
    return tap.path(name)


BARE = archive("bare", "warc")
NAMED = archive("named.stillpoint", "warc")
EMPTY = tap.write("empty.txt", "# nothing\n")

BAD_PLACES = [
    # label, status, what is said, arguments
    *((f"{command}: {label}", 1, f"stillpoint: {command}: {path}: {want}", command, path)
      for command in ("report", "resume", "verify")
      for label, path, want in (
          ("no archive", NOWHERE, "No such file or directory; an archive is the directory that"),
          ("a file", FILE, "not an archive (an archive is a directory)"),
          ("the host alone", NAMED[:-len(".stillpoint")],
           f"No such file or directory; did you mean '{NAMED}'?"))),
    *((f"diff: {label}", 1, f"stillpoint: diff: {path}: {want}", "diff", path, URL)
      for label, path, want in (
          ("no archive", NOWHERE, "No such file or directory; an archive is the directory that"),
          ("a file", FILE, "not an archive (an archive is a directory)"))),
    ("diff: no catalog", 1, "verify --warc-only needs none", "diff", BARE, URL),
    ("diff: no URL", 2, "too few arguments", "diff", BARE),
    ("diff: an unknown rule", 2, "did you mean 'nonce'?", "diff", BARE, URL, "-w", "nonces"),
    ("retire: no archive", 1, f"retire: {NOWHERE}: No such file or directory; an archive is the "
     "directory that", "retire", NOWHERE, "--keep", "1y"),
    ("similar: no archive", 1, f"similar: {NOWHERE}: No such file or directory; give an archive, or "
     "a WARC", "similar", NOWHERE),
    ("watch --status: nothing", 1, f"watch: {NOWHERE}: No such file or directory; give the "
     "configuration or the archive", "watch", "--status", NOWHERE),
    ("report: an empty name", 1, "report: '': No such file", "report", ""),
    ("report: no catalog", 1, "verify --warc-only needs none", "report", BARE),
    ("report: no archive to list", 1, "report: ", "report", NOWHERE, "--captures"),
    ("crawl: no seeds", 2, f"crawl: {NOWHERE}: No such file or directory", "crawl", "--seeds", NOWHERE),
    ("crawl: a directory of seeds", 2, f"crawl: {DIRECTORY}: Is a directory", "crawl",
     "--seeds", DIRECTORY),
    ("crawl: seeds without URLs", 2, f"crawl: {EMPTY} has no URL in it", "crawl", "--seeds", EMPTY),
    ("crawl: no URL in a line", 2, f"crawl: {FILE}:1: 'hello' is not a URL", "crawl", "--seeds", FILE),
    ("crawl: into a file", 2, "choose another name with -o", "crawl", URL, "-o", FILE),
    ("crawl: into somebody's directory", 2, "choose another directory with -o", "crawl", URL,
     "-o", DIRECTORY),
    ("crawl: below nothing", 1, "create the directory above it first", "crawl", URL, "-o",
     os.path.join(NOWHERE, "deep")),
    ("crawl: into nothing", 2, "--output is empty", "crawl", URL, "-o", ""),
    ("crawl: nobody's agent", 2, "--user-agent is empty", "crawl", URL, "-A", ""),
    ("crawl: no DNS servers", 2, "crawl: --dns is wrong: the list is empty", "crawl", URL, "--dns", ""),
    ("crawl: no certificates", 2, f"crawl: --cacert is wrong: {FILE}: no certificate found", "crawl", URL,
     "--cacert", FILE),
    ("crawl: no file of certificates", 2, f"crawl: --cacert is wrong: {NOWHERE}: No such file", "crawl", URL,
     "--cacert", NOWHERE),
    ("crawl: a directory of certificates", 2, "no certificate found", "crawl", URL, "--cacert",
     DIRECTORY),
    ("crawl: an empty prefix", 2, "crawl: --surt '': empty SURT prefix", "crawl", URL, "--surt", ""),
    ("crawl: a bad expression", 2, "crawl: --include '('", "crawl", URL, "-i", "("),
    ("crawl: bad hours", 2, "crawl: --hours 'noon'", "crawl", URL, "--hours", "noon"),
    ("crawl: no cookies", 2, f"crawl: --cookies {NOWHERE}: No such file", "crawl", URL, "--cookies",
     NOWHERE),
    ("crawl: no rates", 2, f"crawl: {NOWHERE}: No such file", "crawl", URL, "--rates", NOWHERE),
    ("crawl: nobody to write to", 2, "(https://example.org/bot, me@example.org)", "crawl", URL,
     "--contact", "mailto:me@example.org"),
    ("inspect: nothing", 2, "inspect: say what to inspect", "inspect"),
    ("inspect links: no base", 2, "inspect links: --base is missing", "inspect", "links", FILE),
    ("inspect sitemap: a bad base", 2, "inspect sitemap: --base: ", "inspect", "sitemap", FILE,
     "--base", "here"),
    ("living-site: an unknown kind", 2, "--noise: unknown kind 'x' (nonce, csrf, clock, ad, ",
     "living-site", "--noise", "x"),
    ("living-site: an unknown error", 2, "unknown kind 'x' (404, 500, 503,", "living-site",
     "--errors", "0.1:x"),
    ("simulate: an unknown gain", 2, "gain 'x' is not known (last-modified, ", "simulate",
     "--history", FILE, "--gain", "x"),
    ("simulate: nowhere to write, before hours of work", 1, f"simulate: {NOWHERE}/x: No such file",
     "simulate", "--table", "all", "--html", os.path.join(NOWHERE, "x")),
]


def bad_places():
    for label, status, want, *arguments in BAD_PLACES:
        with tap.case(label):
            tap.refuse(status, want, *arguments, timeout=60)


def bad_files():
    for label, content, line, want in BAD_FILES:
        file = tap.write("bad.csv", content)
        for command in ["plan"], ["plan", "--json"], ["plan", "--expect"], ["simulate", "--graph"]:
            with tap.case(f"{label}: {' '.join(command)}"):
                tap.refuse(2, f"bad.csv:{line}: ", *command, file)
                tap.refuse(2, want, *command, file)
    with tap.case("bad standard input"):
        tap.refuse(2, "stdin:2: ", "plan", "-", input="page,rate\na,-1\n")
    secret = tap.write("secret.csv", "page,rate\na,1\n")
    os.chmod(secret, 0)
    if os.access(secret, os.R_OK):
        tap.skip("an unreadable file", "root reads everything")
    else:
        with tap.case("an unreadable file"):
            tap.refuse(2, "secret.csv: Permission denied", "plan", secret)


def bad_usage():
    for label, want, *arguments in BAD_USAGE:
        with tap.case(label):
            tap.refuse(2, want, *arguments)


def printed(program, *arguments):
    result = subprocess.run([program, *arguments], text=True, capture_output=True)
    tap.equal((result.returncode, result.stderr), (0, ""))
    return result.stdout


def help_texts():
    for program in tap.PROGRAM, tap.LAB:
        name = os.path.basename(program)
        with tap.case(f"{name} --version"):
            words = printed(program, "--version").split()
            tap.equal((len(words), words[0]), (2, name))
        with tap.case(f"{name} help is --help"):
            tap.equal(printed(program, "help"), printed(program, "--help"))
    for program, command in (tap.PROGRAM, "plan"), (tap.LAB, "simulate"):
        with tap.case(f"help {command}"):
            text = printed(program, "help", command)
            tap.equal(text, printed(program, command, "--help"))
            assert text.startswith(f"Usage: {os.path.basename(program)} {command} "), text
    with tap.case("the list of strategies marks the defaults"):
        marked = [line.split()[0] for line in tap.succeed("plan", "--list-strategies").splitlines()
                  if "(default of " in line]
        tap.equal(marked, ["stillpoint-offline", "stillpoint-online"])
    for program, least in (tap.PROGRAM, 16), (tap.LAB, 4):
        with tap.case(f"{os.path.basename(program)}: lines fit on a terminal"):
            commands = re.findall(r"^  ([a-z][a-z-]*) ", printed(program, "help"), re.M)
            assert len(commands) >= least, commands
            for command in [[], *([command] for command in commands)]:
                lines = printed(program, "help", *command).splitlines()
                wide = [line for line in lines if len(line) > 80 and " " in line.strip()]
                tap.equal(wide, [])


MOVED = [["demo"], ["demo", "--help"], ["living-site"], ["living-site", "--pages", "9"], ["simulate"],
         ["simulate", "--table", "list"], ["help", "simulate"],
         *(["inspect", what] for what in ("allocate", "distance", "pagerank", "rate")),
         ["inspect", "rate", "--help"], ["inspect", "rate", "no-such-file"]]


def moved_commands():
    for words in MOVED:
        with tap.case(f"moved to the laboratory: {' '.join(words)}"):
            done = subprocess.run([tap.PROGRAM, *words], text=True, capture_output=True)
            tap.equal((done.returncode, done.stdout), (2, ""))
            name = " ".join(word for word in words if word not in ("help", "--help", "no-such-file"))
            name = name.split(" --")[0]
            tap.equal(done.stderr, f"stillpoint: '{name}' is now a command of stillpoint-lab: "
                                   f"run 'stillpoint-lab {name}'\n")
    with tap.case("nothing else has moved"):
        for words in ["simulates"], ["inspect", "rates"], ["inspect", "inspect", "rate"], ["rate"]:
            done = subprocess.run([tap.PROGRAM, *words], text=True, capture_output=True)
            tap.equal((done.returncode, "-lab" in done.stderr), (2, False))
    with tap.case("the laboratory does nothing of the product"):
        for words in ["crawl", "http://127.0.0.1:9/"], ["inspect", "url", "http://h/"], ["plan", GOOD]:
            done = subprocess.run([tap.LAB, *words], text=True, capture_output=True)
            tap.equal((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
            assert done.stderr.startswith("stillpoint-lab: "), done.stderr


OUTPUTS = [["--help"], ["--version"], ["plan", "--help"], ["plan", "--list-strategies"],
           ["plan", GOOD], ["plan", GOOD, "-f", "csv"], ["plan", GOOD, "--json"],
           ["plan", GOOD, "--expect"], ["plan", GOOD, "--expect", "--json"],
           ["simulate", "--graph", GOOD], ["simulate", "--graph", GOOD, "--json"]]


def fails_to_write(arguments, stdout):
    result = subprocess.run(tap.command(*arguments), stdout=stdout, stderr=subprocess.PIPE,
                            text=True)
    tap.equal(result.returncode, 1)
    tap.equal(result.stderr.count("\n"), 1)
    assert re.match("stillpoint(-lab)?: standard output: ", result.stderr), result.stderr
    return result.stderr


def lost_output():
    for arguments in OUTPUTS:
        name = " ".join(os.path.basename(word) for word in arguments)
        with tap.case(f"the disk is full: {name}"), open("/dev/full", "wb") as full:
            assert "No space left" in fails_to_write(arguments, full)
    for arguments in OUTPUTS:
        name = " ".join(os.path.basename(word) for word in arguments)
        with tap.case(f"the reader has gone: {name}"):
            reader, writer = os.pipe()
            os.close(reader)
            result = subprocess.run(tap.command(*arguments), stdout=writer,
                                    stderr=subprocess.PIPE, text=True)
            os.close(writer)
            tap.equal((result.returncode, result.stderr), (-signal.SIGPIPE, ""))
    with tap.case("the reader has gone while there is still input"):
        with subprocess.Popen(["yes", "http://example.org/"], stdout=subprocess.PIPE) as endless:
            program = subprocess.Popen([tap.PROGRAM, "inspect", "url", "-"], stdin=endless.stdout,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            endless.stdout.close()
            program.stdout.readline()
            program.stdout.close()
            try:
                tap.equal(program.wait(60), -signal.SIGPIPE)
            finally:
                program.kill()
            tap.equal(program.stderr.read(), "")
    with tap.case("standard output is closed"):
        result = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', tap.PROGRAM, "plan", GOOD],
                                stderr=subprocess.PIPE, text=True)
        tap.equal((result.returncode, result.stderr.count("\n")), (1, 1))


bad_files()
bad_places()
bad_usage()
help_texts()
moved_commands()
lost_output()
tap.done()
