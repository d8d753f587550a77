/*
 * WARC records as various producers write them, for the tests of this room, and a short text of how
 * a file of them is read.
 */
#ifndef TESTS_ARCHIVE_SAMPLE_H
#define TESTS_ARCHIVE_SAMPLE_H

#include "base/buf.h"
#include "base/slice.h"

enum { SAMPLE_MAX = 64 << 20 };

enum sample_habit {
	SAMPLE_LF = 1 << 0,         /* lines of the header end in LF */
	SAMPLE_BRACKETS = 1 << 1,   /* wget */
	SAMPLE_FOLDED = 1 << 2,     /* lines of the header */
	SAMPLE_NO_LENGTH = 1 << 3,  /* no Content-Length */
	SAMPLE_CHUNKED = 1 << 4,    /* the body is, and the digest is that of the content */
	SAMPLE_AS_SENT = 1 << 5,    /* the digest is that of the body with its chunks */
	SAMPLE_SHA256 = 1 << 6,     /* hexadecimal; else sha1 in base32 */
	SAMPLE_MD5 = 1 << 7,        /* hexadecimal */
	SAMPLE_018 = 1 << 8,        /* WARC/0.18 */
	SAMPLE_NO_DIGESTS = 1 << 9, /* none stated */
	SAMPLE_BAD_BLOCK = 1 << 10, /* a block digest that does not match */
	SAMPLE_BAD_PAYLOAD = 1 << 11,
	SAMPLE_NO_TRAILER = 1 << 12, /* no line ends behind the block */
	SAMPLE_LONG = 1 << 13,       /* Content-Length is 1000 too large */
	SAMPLE_SHORT = 1 << 14,      /* Content-Length is 10 too small */
};

/* Appends a response record for http://example.com/NUMBER with a body of about 500 bytes. */
void sample_record(struct buf *out, unsigned number, unsigned habits);

/* Appends the bytes as one gzip member, as one zstd frame. */
void sample_gzip(struct buf *out, slice bytes);
void sample_zstd(struct buf *out, slice bytes, slice dictionary);

/* Records 1 to count, each in a gzip member. ret_ends[i] is where the i-th ends; may be NULL. */
void sample_gzip_file(struct buf *out, unsigned count, size_t *ret_ends);

/*
 * How the bytes are read, a word for each record: its number, '?' for a gap, then '!' for a
 * problem; "12?3!" for instance. With where, "@offset+length " behind each.
 */
void sample_read(slice bytes, bool where, struct buf *out);

/* Which of records 1 to 9 are read without a problem, as bits: 1 is bit 0. */
unsigned sample_good(slice bytes);

#endif
