#include "replay/body.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "formats/http_decode.h"
#include "formats/page.h"

enum {
	FEED_SIZE = 16 << 10,   /* bytes given to the decoder at a time */
	DECODED_MAX = 16 << 20, /* bytes that it may make of them */
	DECODED_KEEP = 1 << 20, /* memory that is kept from one piece to the next */
	SKIP_STEP = 8 << 20,    /* bytes that are passed over in one turn */
};

struct body {
	struct record *record;
	struct buf named; /* codings, by the head */
	slice codings;    /* of these, those that the body has */
	bool decodes;
	struct decode decode;
	bool ended;
	slice raw;          /* of the record, waits to be decoded */
	struct buf decoded; /* the piece handed out */
	slice waiting;      /* of the piece that was handed out, not taken yet */
	struct buf gathered;
	size_t gathered_at;
	bool limited;
	uint64_t left; /* of the limit */
	uint64_t skip; /* bytes that are passed over before the first is sent */
};

/* Whether the body begins as something with these codings does. */
static bool fits(slice codings, slice first)
{
	struct decode trial = {0};
	struct buf out;
	bool ok;

	if (decode_open(&trial, codings, NULL))
		return false;
	buf_init(&out, DECODED_MAX);
	ok = trial.count == 0 || (decode_start(&trial, first) != DECODE_START_OTHER &&
					 decode_feed(&trial, first, &out, NULL) != ERR_SYNTAX);
	buf_release(&out);
	decode_close(&trial);
	return ok;
}

/*
 * The codings that the head names, as far as they are there: many servers label a body that is not
 * coded, or name twice what they did once. The first one named is the innermost.
 */
static int find_codings(struct body *b, struct err *err)
{
	int rc = coding_names(record_head(b->record)->fields, SLICE("Content-Encoding"), &b->named);

	if (rc == ERR_LIMIT)
		buf_reset(&b->named);
	else if (rc)
		return err_code(err, rc);
	if (b->named.len == 0)
		return 0;
	rc = record_read(b->record, &b->raw, err);
	if (rc && rc != ERR_END)
		return rc;
	b->ended = rc == ERR_END;
	b->codings = buf_slice(&b->named);
	while (b->codings.len && !b->ended && !fits(b->codings, slice_sub(b->raw, 0, FEED_SIZE)))
		(void)slice_take(&b->codings, ',');
	return 0;
}

slice body_codings(const struct body *b)
{
	return b->codings;
}

int body_decode(struct body *b, struct err *err)
{
	int rc = b->codings.len ? decode_open(&b->decode, b->codings, err) : 0;

	b->decodes = rc == 0 && b->decode.count > 0;
	return rc;
}

int body_new(struct record *record, struct body **ret, struct err *err)
{
	struct body *b = mem_new(1, sizeof *b);
	int rc;

	b->record = record;
	buf_init(&b->decoded, DECODED_MAX);
	buf_init(&b->gathered, BODY_MEMORY_MAX + DECODED_MAX);
	buf_init(&b->named, CODING_NAME_MAX);
	rc = find_codings(b, err);
	if (rc) {
		body_free(b);
		return rc;
	}
	*ret = b;
	return 0;
}

int body_new_decoded(struct record *record, struct body **ret, struct err *err)
{
	struct body *b = NULL;
	int rc = body_new(record, &b, err);

	if (rc == 0 && (rc = body_decode(b, err)) != 0)
		body_free(b);
	if (rc == 0)
		*ret = b;
	return rc;
}

void body_free(struct body *b)
{
	if (!b)
		return;
	record_close(b->record);
	if (b->decodes)
		decode_close(&b->decode);
	buf_release(&b->named);
	buf_release(&b->decoded);
	buf_release(&b->gathered);
	free(b);
}

/* The next piece of what the record holds, content coding undone if that is wanted. */
static int next_decoded(struct body *b, slice *ret, struct err *err)
{
	for (;;) {
		slice piece;
		int rc = 0;

		if (b->raw.len == 0)
			rc = record_read(b->record, &b->raw, err);
		if (rc)
			return rc;
		if (!b->decodes) {
			*ret = b->raw;
			b->raw.len = 0;
			return 0;
		}
		piece = slice_sub(b->raw, 0, FEED_SIZE);
		b->raw = slice_sub(b->raw, piece.len, b->raw.len);
		if (b->decoded.cap > DECODED_KEEP) {
			buf_release(&b->decoded);
			buf_init(&b->decoded, DECODED_MAX);
		}
		buf_reset(&b->decoded);
		rc = decode_feed(&b->decode, piece, &b->decoded, err);
		if (rc)
			return rc;
		if (b->decoded.len > 0) {
			*ret = buf_slice(&b->decoded);
			return 0;
		}
	}
}

/* Lets the next piece wait, unless one does: 0, ERR_END, or an error, which ends it. */
static int wait_for_piece(struct body *b, struct err *err)
{
	int rc = 0;

	if (b->waiting.len == 0)
		rc = b->ended ? ERR_END : next_decoded(b, &b->waiting, err);
	b->ended = b->ended || rc;
	return rc;
}

int body_next(struct body *b, slice *ret, struct err *err)
{
	TRY(b->limited && b->left == 0 ? ERR_END : wait_for_piece(b, err));
	*ret = b->waiting;
	if (b->limited && ret->len > b->left)
		ret->len = (size_t)b->left;
	if (b->limited)
		b->left -= ret->len;
	b->waiting.len = 0;
	return 0;
}

void body_begin_at(struct body *b, uint64_t first)
{
	b->skip = first;
}

/* ---- sending ---- */

/* Passes over some of what is not sent: 0, ERR_STATE when there is more of it, or an error. */
static int skip_some(struct body *b, struct err *err)
{
	uint64_t count = b->skip < SKIP_STEP ? b->skip : SKIP_STEP;
	int rc = 0;

	b->skip -= count;
	while (count > 0 && (rc = wait_for_piece(b, err)) == 0) {
		size_t step = b->waiting.len < count ? b->waiting.len : (size_t)count;

		b->waiting = slice_sub(b->waiting, step, b->waiting.len);
		count -= step;
	}
	return rc && rc != ERR_END ? rc : b->skip ? ERR_STATE : 0;
}

static ssize_t read_some(void *context, char *out, size_t room)
{
	struct body *b = context;
	slice rest = slice_sub(buf_slice(&b->gathered), b->gathered_at, SIZE_MAX);
	struct err ignored = {0};
	int rc = b->skip ? skip_some(b, &ignored) : 0;

	if (rc)
		return rc == ERR_STATE ? HTTPD_AGAIN : -1;
	if (rest.len > 0) {
		room = rest.len < room ? rest.len : room;
		memcpy(out, rest.ptr, room);
		b->gathered_at += room;
		return (ssize_t)room;
	}
	if (b->limited && b->left == 0)
		return 0;
	rc = wait_for_piece(b, &ignored);
	if (rc)
		return rc == ERR_END ? 0 : -1;
	rest = b->waiting;
	room = rest.len < room ? rest.len : room;
	if (b->limited && room > b->left)
		room = (size_t)b->left;
	if (b->limited)
		b->left -= room;
	memcpy(out, rest.ptr, room);
	b->waiting = slice_sub(rest, room, rest.len);
	return (ssize_t)room;
}

static void free_stream(void *context)
{
	body_free(context);
}

int body_read_page(struct body *b, uint64_t max, struct page *page, struct err *err)
{
	slice piece;
	int rc = 0;

	while (max > 0 && (rc = body_next(b, &piece, err)) == 0) {
		piece = slice_sub(piece, 0, max);
		max -= piece.len;
		rc = err_code(err, page_feed(page, piece));
		if (rc)
			return rc;
	}
	return rc == ERR_NOMEM ? rc : err_code(err, page_finish(page));
}

int body_send(
	struct body *b, bool has_size, uint64_t size, struct httpd_response *r, struct err *err)
{
	slice piece;
	int rc;

	b->limited = has_size;
	b->left = size;
	rc = b->skip > 0 ? skip_some(b, err)
			 : 0; /* the rest of it, and what is sent, as it is taken */
	/* What is sent from memory, if it is all, is read ahead. */
	while (rc == 0 && b->gathered.len < BODY_MEMORY_MAX &&
		(rc = body_next(b, &piece, err)) == 0)
		rc = err_code(err, buf_add(&b->gathered, piece));
	if (rc == ERR_STATE)
		rc = 0;
	if (rc == ERR_END) {
		/* The response frees its buffer, so it may have this one. */
		buf_release(&r->body);
		r->body = b->gathered;
		b->gathered = (struct buf){0};
		body_free(b);
		return 0;
	}
	if (rc) {
		body_free(b);
		return rc;
	}
	r->stream = (struct httpd_stream){
		.read = read_some,
		.free = free_stream,
		.context = b,
		.slow = b->skip > 0 || b->decodes,
		.has_size = has_size,
		.size = size,
	};
	return 0;
}
