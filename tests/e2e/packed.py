"""Packed looks of a catalog (docs/archive.md, "Packed looks") as rows of the table observation.

Written after the document alone, so that it also checks it.
"""

import hashlib

DIGESTS = [16, 20, 32, 5]
SHORT = 5
TIMES = ["sent", "first_byte", "last_byte"]
CLOCKS = ["clock_sent", "clock_first_byte", "clock_last_byte"]
DERIVED, TEXT, WORD, COUNT, FLAG, TIME, HASH, AGE, DIGEST, RULES = range(10)

# By bit from 2 on: column and form.
FIELDS = [("age", AGE), ("address", WORD), ("caches", WORD), ("rules", RULES), ("state", DIGEST),
          ("payload", DIGEST), ("etag", TEXT), ("modified", TIME), ("is_revisit", FLAG),
          ("normal", DIGEST), ("masked", COUNT), ("rule_set", COUNT), ("links", TEXT),
          ("coding", HASH), ("status", COUNT), ("media_type", WORD), ("close_delimited", FLAG),
          ("truncated", FLAG), ("failure", TEXT), ("purpose", WORD), ("stand_in", WORD),
          ("warc", WORD), ("retired", TIME), ("is_compact", FLAG), ("deceit", TEXT)]
BLOBS = {"links"}


class Bytes:
    def __init__(self, data):
        self.data = data

    def take(self, count):
        assert count <= len(self.data), "a row is cut"
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def number(self):
        value = shift = 0
        while True:
            byte, = self.take(1)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.number()
        return ~(value >> 1) if value & 1 else value >> 1

    def optional(self):
        length = self.number()
        return self.take(length - 1) if length else None

    def word(self):
        number = self.number()
        if number > 1:
            return number - 1
        return self.take(self.number()).decode() if number else None

    def digest(self):
        kind = self.number()
        return self.take(DIGESTS[kind - 1]) if kind else None

    def field(self, name, kind, value):
        if kind == FLAG:
            return 1 - value
        if kind == RULES:
            text = self.optional()
            if text and text[0] < 32:
                text = (value or "").encode()[:text[0]] + text[1:]
            return text if text is None else text.decode()
        if kind == TEXT:
            text = self.optional()
            return text if text is None or name in BLOBS else text.decode()
        if kind == WORD:
            return self.word()
        if kind == DIGEST:
            return self.digest()
        if kind == AGE:
            age = self.number()
            return age - 1 if age else None
        if kind == HASH:
            return int.from_bytes(self.take(8), "big", signed=True)
        return self.signed() if kind == TIME else self.number()


def derive(uuid, look, url):
    """The name of the record that is made of a look."""
    parts = b"".join(value.to_bytes(8, "big", signed=True)
                     for value in (look["leg"], look["attempt"], look["sent"]))
    name = bytearray(hashlib.sha256(b"response" + uuid.encode() + parts + url.encode()).digest()[:16])
    name[6] = name[6] & 15 | 128
    name[8] = name[8] & 63 | 128
    return bytes(name)


def begin(base):
    """What the first look is stored against."""
    look = {name: 0 if kind in (FLAG, COUNT, TIME, HASH) else None for name, kind in FIELDS}
    if base:
        look = {name: base[name] for name, _ in FIELDS}
    look.update(is_revisit=1, is_compact=1, links=None, warc=None, place=0, length=0, attempt=0,
                retired=0, sent=0, ahead=base["clock_sent"] - base["sent"] if base else 0)
    return look


def next_look(row, look):
    look["attempt"] += row.number()
    look["sent"] += row.signed()
    look["first_byte"] = look["sent"] + row.signed()
    look["last_byte"] = look["first_byte"] + row.signed()
    look["place"] += row.signed()
    look["length"] += row.signed()
    bits = row.number()
    if bits & 1:
        look["ahead"] += row.signed()
        look["clock_sent"] = look["sent"] + look["ahead"]
        look["clock_first_byte"] = look["clock_sent"] + row.signed()
        look["clock_last_byte"] = look["clock_first_byte"] + row.signed()
    else:
        for time, clock in zip(TIMES, CLOCKS):
            look[clock] = look[time] + look["ahead"]
    name = row.optional() if bits & 2 else None
    look["record_id"] = name and name.decode()
    for i, (column, kind) in enumerate(FIELDS):
        if bits >> (i + 2) & 1:
            look[column] = row.field(column, kind, look[column])
            if column == "state" and look[column] and len(look[column]) == SHORT:
                look["payload"] = row.take(SHORT)
    return bool(bits & 2)


def find_base(database, capture, page, row):
    number = row.number()
    if not number:
        return None
    cursor = database.execute("SELECT * FROM observation WHERE capture = ? AND page = ? AND leg = ?"
                              " AND attempt = ?", (capture, page, row.number(), number))
    return dict(zip([column[0] for column in cursor.description], cursor.fetchone()))


def unpack(database):
    """Replaces packed looks by rows of one observation each; returns their number."""
    if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'packed'").fetchone():
        return 0
    rows = database.execute("SELECT packed.capture, packed.page, leg, looks, uuid, url FROM packed"
                            " JOIN capture ON capture.id = packed.capture"
                            " JOIN page ON page.id = packed.capture << 32 | page").fetchall()
    count = 0
    for capture, page, leg, looks, uuid, url in rows:
        row = Bytes(looks)
        look = begin(find_base(database, capture, page, row))
        while row.data:
            is_named = next_look(row, look)
            values = {key: value for key, value in look.items() if key != "ahead"}
            values.update(capture=capture, page=page, leg=leg)
            if not is_named:
                values["record_id"] = derive(uuid, values, url)
            database.execute(f"INSERT INTO observation({', '.join(values)})"
                             f" VALUES({', '.join('?' * len(values))})", tuple(values.values()))
            count += 1
    database.execute("DELETE FROM packed")
    return count
