#include "http/state.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/format.h"
#include "base/word.h"
#include "http/framing.h"
#include "http/payload.h"

/* Changes with whatever makes the same response another digest. */
#define STATE_FORM "stillpoint-state-1"

struct state {
	struct payload head; /* only its head is fed */
	struct framing framing;
	struct coding coding;
	struct digester raw;   /* of the wire, until the body proves to be in chunks */
	struct digester parts; /* of the state */
};

struct state *state_new(state_sink *sink, void *context)
{
	struct state *s = calloc(1, sizeof(*s));

	if (s) {
		s->coding.sink = sink;
		s->coding.context = context;
	}
	return s;
}

void state_free(struct state *s)
{
	if (!s)
		return;
	payload_release(&s->head);
	coding_release(&s->coding);
	digester_release(&s->raw);
	digester_release(&s->parts);
	free(s);
}

static int parse_head(struct state *s, slice head, struct err *err)
{
	int rc;

	payload_start_unchecked(&s->head, PAYLOAD_HTTP);
	rc = payload_feed(&s->head, head);
	if (rc)
		return err_code(err, rc);
	if (s->head.state == PAYLOAD_NO_HTTP)
		return err_set(err, ERR_LIMIT, "HTTP head of more than %d bytes", FIELDS_HEAD_MAX);
	if (s->head.state != PAYLOAD_BODY || s->head.body > 0 || s->head.status < 100)
		return err_set(err, ERR_SYNTAX, "no head of an HTTP response");
	return 0;
}

int state_start(struct state *s, slice head, struct err *err)
{
	int rc = parse_head(s, head, err);

	if (rc)
		return rc;
	framing_start(&s->framing, &s->head);
	rc = coding_start(&s->coding, &s->head.fields, s->framing.opaque);
	if (rc == 0)
		rc = digester_start(&s->raw, DIGEST_SHA256);
	return err_code(err, rc);
}

const struct fields *state_fields(const struct state *s)
{
	return &s->head.fields;
}

int state_feed(struct state *s, slice wire)
{
	bool in_doubt = s->framing.kind == FRAMING_CHUNKED && s->framing.payload == 0;
	int rc = in_doubt ? digester_feed(&s->raw, wire) : 0;

	while (rc == 0 && wire.len > 0)
		rc = coding_feed(&s->coding, framing_next(&s->framing, &wire));
	return rc;
}

static int add_part(struct digester *d, slice part)
{
	unsigned char length[8];
	int rc;

	for (size_t i = 0; i < sizeof(length); i++)
		length[i] = (unsigned char)((uint64_t)part.len >> (56 - 8 * i));
	rc = digester_feed(d, (slice){(const char *)length, sizeof(length)});
	return rc || part.len == 0 ? rc : digester_feed(d, part);
}

static int add_pair(struct digester *d, slice name, slice value)
{
	int rc = add_part(d, name);

	return rc ? rc : add_part(d, value);
}

/* Type and subtype have no case (RFC 9110 §8.3.1); parameters may. */
static int add_media_type(struct digester *d, slice value)
{
	size_t type = fields_media_type(value).len;
	struct buf lower;
	int rc;

	buf_init(&lower, FIELDS_HEAD_MAX);
	rc = buf_add(&lower, value);
	for (size_t i = 0; rc == 0 && i < type; i++)
		lower.ptr[i] = word_lower(lower.ptr[i]);
	if (rc == 0)
		rc = add_pair(d, SLICE("content-type"), buf_slice(&lower));
	buf_release(&lower);
	return rc;
}

static int add_location(struct digester *d, slice value)
{
	return add_pair(d, SLICE("location"), value);
}

/*
 * A field that is given twice is there twice: what a browser makes of it is not for us to say. The
 * order of different fields means nothing (RFC 9110 §5.3), so each name has its turn.
 */
static int add_fields(struct state *s, slice name, int (*add)(struct digester *, slice))
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->head.fields.items.len; i++) {
		const struct field *f = &s->head.fields.items.ptr[i];

		if (word_is(f->name, name))
			rc = add(&s->parts, fields_trim(f->value));
	}
	return rc;
}

static int add_body(struct state *s, const struct state_result *r)
{
	slice digest = {(const char *)r->body.bytes, DIGEST_SIZE_MAX};
	int rc = 0;

	if (!r->decoded)
		rc = add_pair(&s->parts, SLICE("coding"), r->coding);
	return rc ? rc : add_pair(&s->parts, SLICE("body"), digest);
}

/* Begins a digest with all that counts of the head. */
static int add_head(struct state *s, slice form)
{
	char status[FORMAT_U64_SIZE];
	slice text = {status, format_u64(s->head.status, status)};
	int rc = digester_start(&s->parts, DIGEST_SHA256);

	if (rc == 0)
		rc = add_pair(&s->parts, form, text);
	if (rc == 0)
		rc = add_fields(s, SLICE("Location"), add_location);
	return rc ? rc : add_fields(s, SLICE("Content-Type"), add_media_type);
}

static int compute(struct state *s, struct state_result *r)
{
	int rc = add_head(s, SLICE(STATE_FORM));

	if (rc == 0)
		rc = add_body(s, r);
	return rc ? rc : digester_finish(&s->parts, &r->state);
}

/* Chunked in name only: the payload is what was sent, as http/payload.h has it. */
static int mend_payload(struct state *s, struct state_result *r)
{
	if (s->framing.chunks.state != HTTP_CHUNKED_BAD || s->framing.payload > 0)
		return 0;
	r->payload_size = s->framing.wire;
	return digester_finish(&s->raw, &r->payload);
}

/* A coding that has not ended is proof that the body has not, whatever the framing says. */
static bool is_whole(const struct framing *f, enum coding_end end)
{
	return end == CODING_ENDED || (end == CODING_UNSEEN && framing_shows_end(f));
}

/* A content coding with an end of its own shows it where the framing does not. */
static bool is_close_delimited(const struct state *s, enum coding_end end)
{
	bool coding_shows = s->coding.names.len > 0 && end == CODING_ENDED;

	return !framing_shows_end(&s->framing) && !coding_shows;
}

int state_finish(struct state *s, struct state_result *ret)
{
	struct coding_result c;
	struct state_result r;
	int rc = coding_finish(&s->coding, &c);

	if (rc)
		return rc;
	r = (struct state_result){
		.status = s->head.status,
		.fields_lost = s->head.fields_lost,
		.whole = framing_is_whole(&s->framing) && is_whole(&s->framing, c.end),
		.decoded = c.decoded,
		.readable = c.readable,
		.close_delimited = is_close_delimited(s, c.end),
		.coding_end = c.end,
		.payload = c.payload,
		.body = c.body,
		.payload_size = c.payload_size,
		.coding = buf_slice(&s->coding.names),
	};
	rc = compute(s, &r);
	if (rc == 0)
		rc = mend_payload(s, &r);
	if (rc == 0)
		*ret = r;
	return rc;
}

int state_combine(struct state *s, const struct state_result *of, struct state_result *ret)
{
	struct state_result r = *of;
	int rc;

	if (!slice_eq(of->coding, buf_slice(&s->coding.names)))
		return ERR_STATE;
	r.status = s->head.status;
	r.whole = of->whole && s->framing.kind != FRAMING_BROKEN &&
		  is_whole(&s->framing, of->coding_end);
	r.close_delimited = is_close_delimited(s, of->coding_end);
	r.coding = buf_slice(&s->coding.names);
	rc = compute(s, &r);
	if (rc == 0)
		*ret = r;
	return rc;
}
