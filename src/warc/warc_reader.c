#include "warc/warc_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/word.h"
#include "formats/http_digest.h"
#include "formats/http_payload.h"

/* ---- digests ---- */

/* Holds one record's block against its header, as the bytes pass by. */
struct warc_check {
	struct payload payload;
	struct digester block;
	struct digest stated_block;
	struct digest stated_payload;
	bool has_block;
	bool has_payload;
	enum warc_verdict block_verdict;
	enum warc_verdict payload_verdict;
};

/* What the field states; NONE with *ret_has when it can be checked. */
static enum warc_verdict read_stated(
	const struct warc_header *h, slice name, struct digest *ret, bool *ret_has)
{
	slice text = warc_header_get(h, name);

	*ret_has = text.ptr && digest_parse(text, ret) == 0;
	return text.ptr && !*ret_has ? WARC_VERDICT_UNKNOWN : WARC_VERDICT_NONE;
}

static enum payload_form find_form(const struct warc_header *h)
{
	bool is_message = h->type == WARC_TYPE_RESPONSE || h->type == WARC_TYPE_REQUEST ||
			  h->type == WARC_TYPE_REVISIT;

	if (h->content_type.ptr)
		return payload_is_http(h->content_type) ? PAYLOAD_HTTP : PAYLOAD_WHOLE;
	return is_message && word_starts(h->url, SLICE("http")) ? PAYLOAD_HTTP : PAYLOAD_WHOLE;
}

static bool has_own_payload(const struct warc_header *h)
{
	return h->type != WARC_TYPE_REVISIT && h->type != WARC_TYPE_CONTINUATION &&
	       !warc_header_get(h, SLICE("WARC-Segment-Number")).ptr;
}

/* Begins with a record; with_digests false only takes the HTTP head apart. */
static void warc_check_start(struct warc_check *c, const struct warc_header *h, bool with_digests)
{
	enum payload_form form = find_form(h);

	c->has_block = c->has_payload = false;
	c->block_verdict = c->payload_verdict = WARC_VERDICT_NONE;
	if (with_digests) {
		c->block_verdict =
			read_stated(h, SLICE("WARC-Block-Digest"), &c->stated_block, &c->has_block);
		if (has_own_payload(h))
			c->payload_verdict = read_stated(h, SLICE("WARC-Payload-Digest"),
				&c->stated_payload, &c->has_payload);
	}
	/* An algorithm that this OpenSSL refuses (MD5, where it is forbidden) is one we do not
	 * know. */
	if (c->has_payload && payload_start(&c->payload, form, c->stated_payload.kind)) {
		c->has_payload = false;
		c->payload_verdict = WARC_VERDICT_UNKNOWN;
	}
	if (!c->has_payload)
		payload_start_unchecked(&c->payload, form);
	if (c->has_block && digester_start(&c->block, c->stated_block.kind)) {
		c->has_block = false;
		c->block_verdict = WARC_VERDICT_UNKNOWN;
	}
}

/* The block's bytes in their order, then its end, where the verdicts are made. */
static SP_MUST_CHECK int warc_check_feed(struct warc_check *c, slice bytes)
{
	if (c->has_block)
		digester_feed(&c->block, bytes);
	return payload_feed(&c->payload, bytes);
}

static enum warc_verdict judge_payload(
	const struct digest *stated, const struct payload_digests *found)
{
	if (digest_eq(stated, &found->decoded))
		return WARC_VERDICT_OK;
	return digest_eq(stated, &found->as_sent) ? WARC_VERDICT_AS_SENT : WARC_VERDICT_BAD;
}

static SP_MUST_CHECK int warc_check_finish(struct warc_check *c)
{
	struct payload_digests payload;
	struct digest block;

	if (c->has_block) {
		digester_finish(&c->block, &block);
		c->block_verdict =
			digest_eq(&block, &c->stated_block) ? WARC_VERDICT_OK : WARC_VERDICT_BAD;
	}
	if (c->has_payload) {
		TRY(payload_finish(&c->payload, &payload));
		c->payload_verdict = judge_payload(&c->stated_payload, &payload);
	}
	return 0;
}

static void warc_check_release(struct warc_check *c)
{
	payload_release(&c->payload);
	digester_release(&c->block);
	*c = (struct warc_check){0};
}

/* ---- records ---- */

enum {
	HEAD_STEP = 1 << 10,                  /* bytes of a header copied at a time */
	TRAILER_MAX = 4,                      /* the two line ends behind a block */
	KEEP = TRAILER_MAX + WARC_MAGIC_SIZE, /* what a search for the next record must see */
	JOIN_MAX = 2 * KEEP,
	RESCAN_FACTOR = 16,    /* bytes read again after damage, per byte of the file */
	RESCAN_FREE = 4 << 20, /* a small file is read again in any case */
};

enum state {
	BETWEEN, /* records */
	BLOCK,   /* of a record, or its end */
};

/*
 * The last bytes of a unit, taken already, which may make a record's start together with the first
 * ones of the next unit: there the input stands as long as len is not 0.
 */
struct join {
	struct warc_spot spot;
	uint64_t position;
	size_t len;
	char bytes[JOIN_MAX];
};

struct warc_reader {
	struct warc_input *in;
	int own_fd; /* -1 when the source is the caller's */
	unsigned flags;
	enum state state;
	struct buf head; /* of the record */
	struct warc_record record;
	struct warc_check check;
	struct warc_spot block; /* where the record's block begins */
	uint64_t left;          /* of the block, when the header tells its length */
	bool crossed;           /* the record goes on in another unit than it began in */
	bool block_ended;
	bool next_known; /* the block ended because we saw what follows */
	struct join join;
	char last[JOIN_MAX]; /* bytes of a block that join held */
	uint64_t rescanned;  /* bytes read again because of damage */
};

static void problem(struct warc_reader *r, const char *what)
{
	if (!r->record.problem.code)
		(void)err_set(&r->record.problem, ERR_SYNTAX, "%s", what);
}

static bool is_line_end(char c)
{
	return c == '\r' || c == '\n';
}

/*
 * Steps over line ends and counts the lines: 0 with bytes to be read, ERR_END at the end of the
 * unit, ERR_SYNTAX.
 */
static int skip_line_ends(
	struct warc_reader *r, slice *ret_bytes, unsigned *ret_lines, struct err *err)
{
	*ret_lines = 0;
	for (;;) {
		size_t n = 0;
		int rc = warc_input_peek(r->in, WARC_MAGIC_SIZE, ret_bytes, err);

		if (rc)
			return rc;
		for (; n < ret_bytes->len && is_line_end(ret_bytes->ptr[n]); n++)
			*ret_lines += ret_bytes->ptr[n] == '\n';
		if (n == 0)
			return 0;
		warc_input_take(r->in, n);
	}
}

/* Moves on in the unit to the next version line, wherever it stands: 0, ERR_END, ERR_SYNTAX. */
static int scan_unit(struct warc_reader *r, struct err *err)
{
	for (;;) {
		slice bytes;
		int rc = warc_input_peek(r->in, WARC_VERSION_SIZE, &bytes, err);

		if (rc)
			return rc;
		for (size_t at = 0; at < bytes.len; at++) {
			const char *w = memchr(bytes.ptr + at, 'W', bytes.len - at);

			if (!w)
				break;
			at = (size_t)(w - bytes.ptr);
			if (warc_header_is_version(slice_sub(bytes, at, bytes.len))) {
				warc_input_take(r->in, at);
				return 0;
			}
		}
		/* A line may be cut by the end of the window: its beginning is looked at again. */
		warc_input_take(r->in, bytes.len < WARC_VERSION_SIZE
					       ? bytes.len
					       : bytes.len - WARC_VERSION_SIZE + 1);
	}
}

/* The same, and out of the unit if need be: 0 at a record or between units, ERR_END of the file. */
static int scan_on(struct warc_reader *r, struct err *err)
{
	int rc;

	if (warc_input_coding(r->in) == WARC_CODING_PLAIN)
		return warc_input_resync(r->in, warc_input_spot(r->in).offset, err);
	rc = scan_unit(r, err);
	if (rc == ERR_SYNTAX)
		return warc_input_skip(r->in, err);
	return rc == ERR_END ? 0 : rc;
}

/* Fills in where the record or gap, which began at its spot, has ended: here. */
static void measure(struct warc_reader *r)
{
	struct warc_record *rec = &r->record;
	struct warc_spot now = r->join.len ? r->join.spot : warc_input_spot(r->in);
	uint64_t position = r->join.len ? r->join.position : warc_input_position(r->in);
	bool same_unit = now.offset == rec->spot.offset;

	rec->is_shared = warc_input_coding(r->in) != WARC_CODING_PLAIN &&
			 (rec->spot.inner > 0 || now.inner > 0 || same_unit);
	if (rec->is_shared)
		rec->length = position - rec->position;
	else
		rec->length = now.offset - rec->spot.offset;
}

static void begin_record(struct warc_reader *r)
{
	struct warc_header header = r->record.header;

	r->record = (struct warc_record){
		.spot = warc_input_spot(r->in),
		.position = warc_input_position(r->in),
		.header = header,
	};
	r->crossed = r->block_ended = r->next_known = false;
}

/* Makes the record a gap up to here. rc is that of the search for the next record. */
static int end_gap(struct warc_reader *r, int rc, const char *what)
{
	struct warc_header empty = {.fields = r->record.header.fields};

	if (rc && rc != ERR_END)
		return rc;
	empty.fields.items.len = 0;
	empty.fields.first_line = (slice){0};
	r->record.header = empty;
	r->record.is_gap = true;
	problem(r, what);
	measure(r);
	return 0;
}

/* Takes the bytes, with which the unit ends, into join. */
static void start_join(struct warc_reader *r, slice bytes)
{
	r->join.spot = warc_input_spot(r->in);
	r->join.position = warc_input_position(r->in);
	r->join.len = bytes.len;
	memcpy(r->join.bytes, bytes.ptr, bytes.len);
	warc_input_take(r->in, bytes.len);
}

/* Forgets the first bytes of join. */
static void cut_join(struct warc_reader *r, size_t count)
{
	r->join.len -= count;
	r->join.spot.inner += count;
	r->join.position += count;
	memmove(r->join.bytes, r->join.bytes + count, r->join.len);
}

/* What is in join and the bytes that follow it: as many as out has room for. */
static slice joined(const struct warc_reader *r, slice next, char out[JOIN_MAX + KEEP])
{
	next = slice_sub(next, 0, KEEP);
	memcpy(out, r->join.bytes, r->join.len);
	if (next.len)
		memcpy(out + r->join.len, next.ptr, next.len);
	return (slice){out, r->join.len + next.len};
}

/* The unit ends in bytes that a record may begin with. */
static bool may_be_start(slice bytes)
{
	return bytes.len < WARC_MAGIC_SIZE &&
	       memcmp(bytes.ptr, "WARC/", bytes.len < 5 ? bytes.len : 5) == 0;
}

/* Begins the next unit that is not empty: 0 with its first bytes, ERR_END, ERR_SYNTAX, … */
static int next_unit(struct warc_reader *r, slice *ret_bytes, struct err *err)
{
	int rc;

	do {
		rc = warc_input_next(r->in, err);
		if (rc == 0)
			rc = warc_input_peek(r->in, KEEP, ret_bytes, err);
		else
			return rc;
	} while (rc == ERR_END);
	return rc;
}

/* join holds what may be the start of the record that was begun: 0, or *ret_gap. */
static int try_join(struct warc_reader *r, slice next, bool *ret_gap, struct err *err)
{
	char bytes[JOIN_MAX + KEEP];

	r->crossed = true;
	if (warc_header_is_start(joined(r, next, bytes)))
		return 0;
	r->join.len = 0;
	*ret_gap = true;
	return end_gap(r, warc_header_is_start(next) ? 0 : scan_on(r, err), "no WARC record");
}

/* The unit ends in bytes that a record may begin with, and the next one may go on with it. */
static int reach_over(struct warc_reader *r, slice bytes, bool *ret_gap, struct err *err)
{
	struct err damage = {0};
	slice next = {0};
	int rc;

	start_join(r, bytes);
	rc = warc_input_peek(r->in, 1, &next, &damage);
	if (rc == ERR_END)
		rc = next_unit(r, &next, &damage);
	if (rc == ERR_IO)
		return err_set(err, rc, "%s", damage.text);
	if (rc == 0)
		return try_join(r, next, ret_gap, err);
	r->join.len = 0; /* what comes next is for the next call to see */
	*ret_gap = true;
	return end_gap(r, 0, "no WARC record");
}

/* The search for the end of a block has found the record, and left its beginning in join. */
static int reach_joined(struct warc_reader *r, bool *ret_gap, struct err *err)
{
	slice next = {0};
	int rc = warc_input_peek(r->in, KEEP, &next, err);

	if (rc)
		return rc == ERR_END ? ERR_IO : rc; /* it was there before */
	begin_record(r);
	r->record.spot = r->join.spot;
	r->record.position = r->join.position;
	return try_join(r, next, ret_gap, err);
}

/* Comes to stand before a record: 0; or *ret_gap, when what is here is none; or ERR_END. */
static int reach_record(struct warc_reader *r, bool *ret_gap, struct err *err)
{
	struct err damage = {0};
	unsigned lines;
	slice bytes;
	int rc;

	*ret_gap = false;
	if (r->join.len)
		return reach_joined(r, ret_gap, err);
	for (;;) {
		rc = skip_line_ends(r, &bytes, &lines, &damage);
		if (rc != ERR_END)
			break;
		begin_record(r);
		rc = warc_input_next(r->in, &damage);
		if (rc == ERR_SYNTAX) {
			*ret_gap = true;
			rc = warc_input_resync(r->in, r->record.spot.offset, err);
			return end_gap(r, rc, damage.text);
		}
		if (rc)
			break;
	}
	if (rc == 0 || rc == ERR_SYNTAX)
		begin_record(r);
	if (rc == 0 && warc_header_is_start(bytes))
		return 0;
	if (rc == 0 && may_be_start(bytes) && warc_input_coding(r->in) != WARC_CODING_PLAIN)
		return reach_over(r, bytes, ret_gap, err);
	if (rc == 0) {
		*ret_gap = true;
		return end_gap(r, scan_on(r, err), "no WARC record");
	}
	if (rc == ERR_SYNTAX) {
		*ret_gap = true;
		return end_gap(r, warc_input_skip(r->in, err), damage.text);
	}
	return rc == ERR_END ? rc : err_set(err, rc, "%s", damage.text);
}

/*
 * Goes on into the next unit, when the record does: 0, or ERR_END when it does not, because the
 * file ends or another record begins there.
 */
static int cross(struct warc_reader *r, struct err *err)
{
	struct err ignored;
	slice bytes;
	int rc;

	rc = next_unit(r, &bytes, &ignored);
	if (rc == ERR_IO)
		return err_set(err, rc, "%s", ignored.text);
	if (rc || warc_header_is_start(bytes))
		return ERR_END;
	r->crossed = true;
	return 0;
}

/* Gathers the header up to its empty line: 0, ERR_END, ERR_SYNTAX, ERR_LIMIT, … */
static int read_head(struct warc_reader *r, struct err *err)
{
	size_t seen = 0;

	buf_reset(&r->head);
	buf_add(&r->head, (slice){r->join.bytes, r->join.len});
	r->join.len = 0;
	for (;;) {
		size_t before = r->head.len, end;
		slice bytes;
		int rc = warc_input_peek(r->in, 1, &bytes, err);

		if (rc == ERR_END) {
			rc = cross(r, err);
			if (rc == 0)
				continue;
		}
		if (rc)
			return rc;
		if (before == WARC_HEAD_MAX)
			return err_set(err, ERR_LIMIT, "record header is too long");
		bytes = slice_sub(bytes, 0, HEAD_STEP);
		bytes = slice_sub(bytes, 0, WARC_HEAD_MAX - before);
		buf_add(&r->head, bytes);
		end = fields_find_end(buf_slice(&r->head), &seen);
		warc_input_take(r->in, end ? end - before : bytes.len);
		if (end) {
			r->head.len = end;
			return 0;
		}
	}
}

/* The header could not be read: what began here becomes a gap. */
static int lose_head(struct warc_reader *r, int rc, const struct err *damage, struct err *err)
{
	switch (rc) {
	case ERR_END: /* of the unit; the next one has been begun, or there is none */
		return end_gap(r, 0, "record header is cut off");
	case ERR_SYNTAX:
		return end_gap(r, warc_input_skip(r->in, err), damage->text);
	case ERR_LIMIT:
		return end_gap(r, scan_on(r, err), damage->text);
	default:
		return err_set(err, rc, "%s", damage->text);
	}
}

int warc_reader_next(struct warc_reader *r, const struct warc_record **ret, struct err *err)
{
	struct err damage = {0};
	bool gap;
	int rc = warc_reader_end(r, err);

	if (rc == 0)
		rc = reach_record(r, &gap, err);
	if (rc)
		return rc;
	*ret = &r->record;
	if (gap)
		return 0;
	rc = read_head(r, &damage);
	if (rc)
		return lose_head(r, rc, &damage, err);
	rc = warc_header_parse(&r->record.header, r->head.ptr, r->head.len, &damage);
	if (rc == ERR_SYNTAX)
		return end_gap(r, scan_on(r, err), damage.text);
	if (rc)
		return lose_head(r, rc, &damage, err);
	warc_check_start(&r->check, &r->record.header, !(r->flags & WARC_READER_UNCHECKED));
	r->left = r->record.header.length;
	r->block = warc_input_spot(r->in);
	r->state = BLOCK;
	return 0;
}

/* Where in bytes a line begins like a record, from the second byte on; bytes.len if none does. */
static size_t find_start(slice bytes)
{
	size_t at = 0;

	while (at + 1 < bytes.len) {
		const char *lf = memchr(bytes.ptr + at, '\n', bytes.len - at);

		if (!lf)
			break;
		at = (size_t)(lf - bytes.ptr) + 1;
		if (warc_header_is_start(slice_sub(bytes, at, bytes.len)))
			return at;
	}
	return bytes.len;
}

/* How many of the bytes at the end are line ends that belong behind the block; two at most. */
static size_t count_trailer(slice bytes)
{
	size_t n = 0;

	for (int lines = 0; lines < 2 && n < bytes.len; lines++) {
		if (bytes.ptr[bytes.len - 1 - n] != '\n')
			break;
		n++;
		if (n < bytes.len && bytes.ptr[bytes.len - 1 - n] == '\r')
			n++;
	}
	return n;
}

/* The block ends with these bytes of join, behind which stand line ends and the next record. */
static int end_in_join(struct warc_reader *r, size_t len, size_t start, slice *ret)
{
	r->next_known = true;
	memcpy(r->last, r->join.bytes, len);
	*ret = (slice){r->last, len};
	cut_join(r, start < r->join.len ? start : r->join.len);
	return len > 0 ? 0 : ERR_END;
}

/* A unit of nothing but line ends is the last one, cut off from the record they stand behind. */
static bool is_trailer(slice unit)
{
	for (size_t i = 0; i < unit.len; i++)
		if (!is_line_end(unit.ptr[i]))
			return false;
	return unit.len <= TRAILER_MAX;
}

/* The last bytes of a unit, in which no record begins: it may do so across its end. */
static int unmeasured_over(struct warc_reader *r, slice bytes, slice *ret, struct err *err)
{
	char room[JOIN_MAX + KEEP];
	slice next = {0}, both, block;
	size_t start;
	int rc;

	start_join(r, bytes);
	rc = warc_input_peek(r->in, 1, &next, err);
	if (rc == ERR_END && (rc = cross(r, err)) == 0)
		rc = warc_input_peek(r->in, KEEP, &next, err);
	if (rc == ERR_IO)
		return rc;
	both = joined(r, next, room);
	start = rc == 0 ? find_start(both) : both.len;
	block = slice_sub(both, 0, start);
	block.len -= count_trailer(block);
	if (rc == ERR_END || ((start < both.len || is_trailer(next)) && block.len <= r->join.len))
		return end_in_join(r, block.len, start, ret);
	memcpy(r->last, r->join.bytes, r->join.len); /* damage is for the next call to see */
	*ret = (slice){r->last, r->join.len};
	r->join.len = 0;
	return 0;
}

/*
 * Bytes of a block of unknown length: it goes up to the next line that begins a record, or to the
 * end of the unit if the next one begins with a record, without the line ends before that.
 */
static int unmeasured_block(struct warc_reader *r, slice *ret, struct err *err)
{
	slice bytes;
	size_t start;
	int rc;

	if (r->next_known)
		return ERR_END;
	do
		rc = warc_input_peek(r->in, JOIN_MAX, &bytes, err);
	while (rc == ERR_END && (rc = cross(r, err)) == 0);
	r->next_known = rc == ERR_END;
	if (rc)
		return rc;
	start = find_start(bytes);
	if (start == bytes.len && bytes.len < JOIN_MAX)
		return unmeasured_over(r, bytes, ret, err);
	if (start < bytes.len) {
		bytes = slice_sub(bytes, 0, start);
		bytes.len -= count_trailer(bytes);
	} else {
		bytes.len -= KEEP;
	}
	*ret = bytes;
	warc_input_take(r->in, bytes.len);
	return bytes.len > 0 ? 0 : ERR_END;
}

static int measured_block(struct warc_reader *r, slice *ret, struct err *err)
{
	slice bytes;
	int rc;

	if (r->left == 0)
		return ERR_END;
	do
		rc = warc_input_peek(r->in, 1, &bytes, err);
	while (rc == ERR_END && (rc = cross(r, err)) == 0);
	if (rc == ERR_END) {
		char text[80];

		(void)snprintf(text, sizeof text, "block ends %llu bytes before its length",
			(unsigned long long)r->left);
		problem(r, text);
	}
	if (rc)
		return rc;
	*ret = slice_sub(bytes, 0, r->left < bytes.len ? (size_t)r->left : bytes.len);
	r->left -= ret->len;
	warc_input_take(r->in, ret->len);
	return 0;
}

int warc_reader_block(struct warc_reader *r, slice *ret, struct err *err)
{
	struct err damage = {0};
	int rc;

	if (r->state != BLOCK || r->block_ended)
		return ERR_END;
	rc = r->record.header.has_length ? measured_block(r, ret, &damage)
					 : unmeasured_block(r, ret, &damage);
	if (rc == 0) {
		rc = warc_check_feed(&r->check, *ret);
		return err_code(err, rc);
	}
	if (rc == ERR_IO)
		return err_set(err, rc, "%s", damage.text);
	r->block_ended = true;
	if (rc == ERR_SYNTAX)
		problem(r, damage.text);
	return ERR_END;
}

/*
 * The block did not end where its length says. If the length is wrong it may have swallowed other
 * records: they are looked for from the block's start, as long as all that costs is bearable.
 */
static int rescan(struct warc_reader *r, struct err *err)
{
	uint64_t size = warc_input_size(r->in);
	uint64_t cost = warc_input_position(r->in) - r->record.position + r->record.spot.inner;
	int rc;

	if (r->crossed || r->rescanned / RESCAN_FACTOR > size + RESCAN_FREE)
		return scan_on(r, err);
	r->rescanned += cost;
	if (r->block.offset >= size)
		return 0;
	if (warc_input_coding(r->in) == WARC_CODING_PLAIN)
		return warc_input_resync(r->in, r->block.offset, err);
	rc = warc_input_seek(r->in, r->block, err);
	return rc == ERR_SYNTAX ? warc_input_skip(r->in, err) : rc ? rc : scan_on(r, err);
}

/* Steps over what is behind the block, and notices when that is no record. */
static int end_block(struct warc_reader *r, struct err *err)
{
	bool is_short = r->record.header.has_length && r->left > 0;
	enum warc_verdict verdict = r->check.block_verdict;
	struct err damage = {0};
	unsigned lines;
	slice bytes;
	int rc;

	if (r->next_known)
		return 0;
	rc = skip_line_ends(r, &bytes, &lines, &damage);
	if (rc == ERR_SYNTAX) {
		problem(r, damage.text);
		return warc_input_skip(r->in, err);
	}
	if (rc == ERR_IO)
		return err_set(err, rc, "%s", damage.text);
	if (is_short)
		return rescan(r, err);
	if (rc == ERR_END || warc_header_is_start(bytes))
		return 0;
	/* The record is whole: what follows is a gap of its own. */
	if (verdict == WARC_VERDICT_OK || (verdict != WARC_VERDICT_BAD && lines >= 2))
		return 0;
	problem(r,
		"the block is followed by something that is not a record: its length may be wrong");
	return rescan(r, err);
}

static void judge(struct warc_reader *r)
{
	struct warc_record *rec = &r->record;
	const struct payload *p = &r->check.payload;

	rec->block = r->check.block_verdict;
	rec->payload = r->check.payload_verdict;
	if (rec->header.fields.surplus)
		problem(r, "record header has too many fields");
	if (rec->header.bad_length)
		problem(r, "Content-Length is not a number");
	else if (!rec->header.has_length)
		problem(r, "Content-Length is missing");
	if (rec->block == WARC_VERDICT_BAD)
		problem(r, "block digest does not match");
	if (rec->payload == WARC_VERDICT_BAD)
		problem(r, "payload digest does not match");
	if (p->form == PAYLOAD_WHOLE)
		rec->mime = fields_media_type(rec->header.content_type);
	else if (p->state == PAYLOAD_BODY) {
		rec->http_head = buf_slice(&p->head);
		rec->mime = fields_media_type(p->content_type);
		rec->status = p->status;
	}
}

int warc_reader_end(struct warc_reader *r, struct err *err)
{
	slice bytes;
	int rc;

	if (r->state != BLOCK)
		return 0;
	do
		rc = warc_reader_block(r, &bytes, err);
	while (rc == 0);
	if (rc != ERR_END)
		return rc;
	r->state = BETWEEN;
	rc = warc_check_finish(&r->check);
	if (rc)
		return err_code(err, rc);
	rc = end_block(r, err);
	if (rc && rc != ERR_END)
		return rc;
	judge(r);
	measure(r);
	return 0;
}

int warc_reader_seek(struct warc_reader *r, struct warc_spot spot, struct err *err)
{
	r->state = BETWEEN;
	r->join.len = 0;
	return warc_input_seek(r->in, spot, err);
}

int warc_reader_open_source(
	const struct warc_source *source, unsigned flags, struct warc_reader **ret, struct err *err)
{
	struct warc_reader *r = mem_new(1, sizeof *r);
	int rc;

	r->own_fd = -1;
	r->flags = flags;
	buf_init(&r->head, WARC_HEAD_MAX);
	rc = warc_input_open(source, &r->in, err);
	if (rc) {
		warc_reader_close(r);
		return rc;
	}
	*ret = r;
	return 0;
}

int warc_reader_take_source(
	const struct warc_source *source, unsigned flags, struct warc_reader **ret, struct err *err)
{
	int rc = warc_reader_open_source(source, flags, ret, err);

	if (rc)
		(void)close(source->fd);
	else
		(*ret)->own_fd = source->fd;
	return rc;
}

int warc_reader_open(const char *path, unsigned flags, struct warc_reader **ret, struct err *err)
{
	int fd = file_open_given(path), rc;

	if (fd < 0)
		return err_set(err, ERR_IO, "%s: %s", path, file_problem(errno));
	rc = warc_reader_take_source(&(struct warc_source){.fd = fd}, flags, ret, err);
	if (rc)
		err_prefix(err, "%s", path);
	return rc;
}

void warc_reader_close(struct warc_reader *r)
{
	if (!r)
		return;
	warc_input_close(r->in);
	buf_release(&r->head);
	warc_header_release(&r->record.header);
	warc_check_release(&r->check);
	if (r->own_fd >= 0)
		(void)close(r->own_fd);
	free(r);
}

enum warc_coding warc_reader_coding(const struct warc_reader *r)
{
	return warc_input_coding(r->in);
}
