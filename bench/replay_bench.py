#!/usr/bin/env python3
"""replay_bench PROGRAM [--seconds S]: raw mementos of 10 kB from `stillpoint serve`, beside nginx
that serves the same bodies as files: one thread against one worker, the same client (wrk, keep-alive,
16 connections), one run. Prints requests per second of both, and their ratio; and what 1,000 slow
clients cost in threads and memory (docs/replay-server.md).
"""

import argparse
import gzip
import os
import random
import re
import socket
import subprocess
import tempfile
import time

PAGES = 200
SIZE = 10_000
SLOW = 1000

SCRIPT = """
local n = 0
request = function()
  n = (n + 1) %% %d
  return wrk.format("GET", string.format("%s", n))
end
"""


def body(number):
    """Text that compresses like a page."""
    rng = random.Random(number)
    words = [f"word{rng.randrange(500)}" for _ in range(SIZE)]
    return (" ".join(words))[:SIZE].encode()


def write_warc(path):
    with open(path, "wb") as file:
        for i in range(PAGES):
            block = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % SIZE) + body(i)
            head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.org/{i}\r\n"
                    f"WARC-Date: 2020-01-01T12:00:00Z\r\nWARC-Record-ID: <urn:x:{i}>\r\n"
                    f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n")
            file.write(gzip.compress(head.encode() + block + b"\r\n\r\n"))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def start_nginx(work):
    port = free_port()
    os.mkdir(f"{work}/www")
    for i in range(PAGES):
        with open(f"{work}/www/{i}", "wb") as file:
            file.write(body(i))
    with open(f"{work}/nginx.conf", "w", encoding="ascii") as file:
        file.write(f"""daemon off; worker_processes 1; pid {work}/pid; error_log {work}/error.log;
events {{ worker_connections 512; }}
http {{ access_log off; sendfile on; keepalive_requests 10000000; default_type text/html;
 client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f;
 uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
 server {{ listen 127.0.0.1:{port}; root {work}/www; }} }}
""")
    os.chmod(work, 0o755)
    process = subprocess.Popen(["nginx", "-c", f"{work}/nginx.conf", "-e", f"{work}/error.log"])
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process, f"http://127.0.0.1:{port}"
        except OSError:
            time.sleep(0.05)


def start_serve(program, warc):
    process = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0", "--threads", "1", warc],
                               stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip().rstrip("/")


def rate(url, form, work, seconds):
    script = f"{work}/script.lua"
    with open(script, "w", encoding="ascii") as file:
        file.write(SCRIPT % (PAGES, form))
    out = subprocess.run(["wrk", "-t1", "-c16", f"-d{seconds}s", "-s", script, url],
                         capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in out:
        raise SystemExit(f"replay_bench: {out}")
    return float(re.search(r"Requests/sec:\s*([\d.]+)", out)[1])


def status(pid, name):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(rf"^{name}:\s*(\d+)", file.read(), re.M)[1])


def slow_clients(process, url, target):
    """Threads and kB of memory before and with clients that ask and do not read."""
    before = status(process.pid, "Threads"), status(process.pid, "VmRSS")
    host, port = re.match(r"http://([^:/]+):(\d+)", url).groups()
    kept = []
    for _ in range(SLOW):
        client = socket.create_connection((host, int(port)))
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\n".encode())  # the end never comes
        kept.append(client)
    answered = subprocess.run(["wrk", "-t1", "-c1", "-d1s", url + target], capture_output=True,
                              check=True).returncode == 0  # fmt: skip
    after = status(process.pid, "Threads"), status(process.pid, "VmRSS")
    for client in kept:
        client.close()
    return before, after, answered


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        warc = f"{work}/c.warc.gz"
        write_warc(warc)
        nginx, nginx_url = start_nginx(work)
        serve, serve_url = start_serve(options.program, warc)
        try:
            ours = rate(serve_url, "/c/20200101120000id_/http://example.org/%d", work, options.seconds)
            theirs = rate(nginx_url, "/%d", work, options.seconds)
            print(f"raw mementos of 10 kB: {ours:.0f} per second, nginx {theirs:.0f}, ratio {ours / theirs:.2f}")
            before, after, _ = slow_clients(serve, serve_url, "/c/20200101120000id_/http://example.org/1")
            print(f"{SLOW} slow clients: {before[0]} → {after[0]} threads, "
                  f"{before[1] / 1024:.1f} → {after[1] / 1024:.1f} MB")
        finally:
            nginx.terminate()
            serve.terminate()
            nginx.wait()
            serve.wait()


if __name__ == "__main__":
    main()
