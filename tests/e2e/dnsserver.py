"""A DNS server on loopback, over UDP, for A and AAAA.

    with dnsserver.Server({"a.test": ["127.0.0.1"]}) as dns:
        tap.run("crawl", "http://a.test/", "--dns", dns.address)
        dns.names["a.test"] = ["127.0.0.2"]

Names without an entry do not exist; the server fails for those whose entry is None. `asked` has a name for each question after its A record, which
who has no answer in time sends once more.
"""

import ipaddress
import socket
import struct
import threading

TYPES = {1: ipaddress.IPv4Address, 28: ipaddress.IPv6Address}
SERVFAIL, NXDOMAIN = 2, 3


class Server:
    def __init__(self, names, ttl=300):
        self.names = names
        self.ttl = ttl
        self.asked, self.seen = [], set()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # An empty packet wakes recvfrom, which close() would not.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waker:
            waker.sendto(b"", self.socket.getsockname())
        self.thread.join()
        self.socket.close()

    def serve(self):
        while True:
            packet, sender = self.socket.recvfrom(4096)
            if not packet:
                return
            self.socket.sendto(self.answer(packet), sender)

    def answer(self, packet):
        labels, at = [], 12
        while packet[at]:
            labels.append(packet[at + 1:at + 1 + packet[at]].decode())
            at += 1 + packet[at]
        name = ".".join(labels).lower()
        kind = struct.unpack("!H", packet[at + 1:at + 3])[0]
        if kind == 1 and packet not in self.seen:
            self.asked.append(name)
        self.seen.add(packet)
        known = [ipaddress.ip_address(text) for text in self.names.get(name) or ()]
        found = [address for address in known if isinstance(address, TYPES.get(kind, ()))]
        records = b"".join(b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, self.ttl, len(a.packed)) + a.packed
                           for a in found)
        flags = 0x8580 | (NXDOMAIN if name not in self.names else
                          SERVFAIL if self.names.get(name) is None else 0)
        return packet[:2] + struct.pack("!HHHHH", flags, 1, len(found), 0, 0) + packet[12:at + 5] + records
