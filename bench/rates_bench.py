#!/usr/bin/env python3
"""rates_bench PROGRAM [--pages N]: what many known pages cost those who need their change rates.

A CDXJ of so many pages with four captures each is read by 'rates', imported into an archive, and
read from there by 'rates' and by 'crawl', which asks nothing before it knows the rates: its site is
a server that takes a connection and never answers. Prints processor time and the largest memory of
each beside those with one page (docs/rates.md).
"""

import argparse
import os
import socket
import subprocess
import tempfile

CAPTURES = 4
DEADLINE = 1800
DIGESTS = ["sha1:" + letter * 32 for letter in "ABCD"]


def write_listing(path, pages):
    """Page n changes between none and all of its captures."""
    with open(path, "w", encoding="ascii") as file:
        for n in range(pages):
            for k in range(CAPTURES):
                print(f"example,a)/d{n % 1000}/page-{n} 20260{k + 1}{1 + n % 28:02}120000 "
                      f'{{"url": "http://a.example/d{n % 1000}/page-{n}", "status": "200", '
                      f'"digest": "{DIGESTS[k * (n % CAPTURES + 1) // CAPTURES]}"}}', file=file)  # fmt: skip


def usage(process):
    """Processor seconds and largest bytes of a process that ends."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def run(*command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    result = usage(process)
    if process.returncode:
        raise SystemExit(f"rates_bench: {' '.join(command)}: status {process.returncode}")
    return result


def begin_crawl(program, archive):
    """Until the first request."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(DEADLINE)
        process = subprocess.Popen(
            [program, "crawl", f"http://127.0.0.1:{server.getsockname()[1]}/", "-o", archive],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        with server.accept()[0]:
            process.kill()
            return usage(process)


def measure(program, pages):
    with tempfile.TemporaryDirectory() as work:
        listing, archive = os.path.join(work, "pages.cdxj"), os.path.join(work, "archive")
        write_listing(listing, pages)
        return {
            "rates FILE": run(program, "rates", "--csv", listing),
            "import": run(program, "import", archive, listing),
            "rates ARCHIVE": run(program, "rates", "--csv", archive),
            "crawl, until it asks": begin_crawl(program, archive),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", help="the stillpoint to measure")
    parser.add_argument("--pages", type=int, default=1000000)
    args = parser.parse_args()
    one, many = measure(args.program, 1), measure(args.program, args.pages)
    for name, (seconds, size) in many.items():
        print(f"{name:<22}{seconds:6.1f} s (one page: {one[name][0]:.2f} s){size / 1e6:8.0f} MB, "
              f"{(size - one[name][1]) / args.pages:5.0f} bytes for each page")  # fmt: skip


if __name__ == "__main__":
    main()
