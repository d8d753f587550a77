"""A terminal that a test looks at: what a program has drawn, at which width.

    screen = screen.Screen(80)
    status = screen.run(tap.PROGRAM, "crawl", url)
    print(screen.text())

It understands what our program sends: text, CR, LF, "erase to the end of the line" and "cursor up";
colours are passed over.
Long lines wrap, and wrap anew when the width changes, as terminals of today do it.
"""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unicodedata

ESCAPE = re.compile(r"\x1b\[(\d*)([A-Za-z])")


class Screen:
    """Everything that was ever on it; `wrapped` are the lines that did not fit when drawn."""

    def __init__(self, width):
        self.width = width
        self.lines = [[]]
        self.line = self.at = 0  # the cursor: a line, and a place in it, wrapped or not
        self.wrapped = []
        self.raw = b""
        self.control, self.tty = pty.openpty()
        self.resize(width)

    def resize(self, width):
        fcntl.ioctl(self.control, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        self.width = width

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.lines)

    def put(self, character):
        line = self.lines[self.line]
        line.extend(" " * (self.at - len(line)))
        if self.at and self.at % self.width == 0:
            self.wrapped.append("".join(line))
        line[self.at:self.at + 1] = character
        self.at += 1
        if character and unicodedata.east_asian_width(character) in "WF":
            self.put("")

    def up(self):
        column = self.at % self.width
        if self.at >= self.width:
            self.at -= self.width
        elif self.line > 0:
            self.line -= 1
            rows = max(1, -(-len(self.lines[self.line]) // self.width))
            self.at = (rows - 1) * self.width + column

    def obey(self, text):
        while text:
            escape = ESCAPE.match(text)
            if escape:
                assert escape[2] in "AKm", f"unknown escape sequence {escape[0]!r}"
                if escape[2] == "K":
                    del self.lines[self.line][self.at:]
                elif escape[2] == "A":
                    for _ in range(int(escape[1] or 1)):
                        self.up()
                text = text[escape.end():]
                continue
            character, text = text[0], text[1:]
            if character == "\r":
                self.at -= self.at % self.width
            elif character == "\n":
                self.line += 1
                self.at = 0
                if self.line == len(self.lines):
                    self.lines.append([])
            else:
                assert character >= " ", f"control character {character!r}"
                self.put(character)

    def start(self, *arguments, term="xterm"):
        """The program's standard output and error are this terminal."""
        environment = {name: value for name, value in os.environ.items() if name != "TERM"}
        environment["LC_ALL"] = "C.UTF-8"
        if term is not None:
            environment["TERM"] = term
        process = subprocess.Popen(list(map(str, arguments)), stdin=subprocess.DEVNULL,
                                   stdout=self.tty, stderr=self.tty, env=environment)
        os.close(self.tty)
        return process

    def read(self):
        """Some more; False at the end."""
        try:
            data = os.read(self.control, 4096)
        except OSError:  # nobody has the other side any more
            data = b""
        self.raw += data
        # Our programs write whole characters, but a terminal's buffer may end within one.
        while data and data[-1] & 0x80:
            try:
                data.decode()
                break
            except UnicodeDecodeError:
                data += os.read(self.control, 1)
        while re.search(rb"\x1b(\[\d*)?$", data):
            data += os.read(self.control, 1)
        self.obey(data.decode())
        return bool(data)

    def run(self, *arguments, term="xterm"):
        """Until it ends; its exit status."""
        process = self.start(*arguments, term=term)
        while self.read():
            pass
        os.close(self.control)
        return process.wait()
