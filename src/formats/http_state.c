#include "formats/http_state.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/format.h"
#include "base/word.h"
#include "formats/http_payload.h"

/*
 * What counts of a head beside its Content-Type, in this order. Where the reader is taken, and what
 * is shown to them in place of the page; since form 2 also when, and whether the answer is shown or
 * saved, and under which name. X-Robots-Tag speaks to search engines, not to readers.
 */
static const struct {
	slice name, part;
	bool is_new; /* since form 2 */
} HEAD[] = {
	{SLICE_INIT("Location"), SLICE_INIT("location"), false},
	{SLICE_INIT("Refresh"), SLICE_INIT("refresh"), true},
	{SLICE_INIT("Content-Disposition"), SLICE_INIT("content-disposition"), true},
};

enum { HEAD_FIELDS = sizeof HEAD / sizeof HEAD[0] };

struct state {
	unsigned form;
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
		s->form = STATE_FORM_LAST;
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

void state_set_form(struct state *s, unsigned form)
{
	s->form = form;
}

bool state_head_counts(slice name)
{
	for (size_t i = 0; i < HEAD_FIELDS; i++)
		if (word_is(name, HEAD[i].name))
			return true;
	return false;
}

int state_head_text(const struct fields *head, struct buf *out)
{
	int rc = 0;

	for (size_t i = 0; i < HEAD_FIELDS; i++)
		for (size_t k = 0; k < head->items.len; k++) {
			slice value = fields_trim(head->items.ptr[k].value);

			if (word_is(head->items.ptr[k].name, HEAD[i].name))
				rc = buf_printf(out, "%.*s: %.*s\n", (int)HEAD[i].name.len,
					HEAD[i].name.ptr, (int)value.len, value.ptr);
		}
	return rc;
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

bool state_is_coded(const struct state *s)
{
	return s->coding.names.len > 0;
}

int state_feed(struct state *s, slice wire)
{
	bool in_doubt = s->framing.kind == FRAMING_CHUNKED && s->framing.payload == 0;
	int rc = 0;

	if (in_doubt)
		digester_feed(&s->raw, wire);
	while (rc == 0 && wire.len > 0)
		rc = coding_feed(&s->coding, framing_next(&s->framing, &wire));
	return rc;
}

static void add_part(struct digester *d, slice part)
{
	unsigned char length[8];

	for (size_t i = 0; i < sizeof(length); i++)
		length[i] = (unsigned char)((uint64_t)part.len >> (56 - 8 * i));
	digester_feed(d, (slice){(const char *)length, sizeof(length)});
	digester_feed(d, part);
}

static void add_pair(struct digester *d, slice name, slice value)
{
	add_part(d, name);
	add_part(d, value);
}

/* Type and subtype have no case (RFC 9110 §8.3.1); parameters may. */
static void add_media_type(struct digester *d, slice value)
{
	size_t type = fields_media_type(value).len;
	struct buf lower;

	buf_init(&lower, FIELDS_HEAD_MAX);
	buf_add(&lower, value);
	for (size_t i = 0; i < type && i < lower.len; i++)
		lower.ptr[i] = word_lower(lower.ptr[i]);
	add_pair(d, SLICE("content-type"), buf_slice(&lower));
	buf_release(&lower);
}

/*
 * A field that is given twice is there twice: what a browser makes of it is not for us to say. The
 * order of different fields means nothing (RFC 9110 §5.3), so each name has its turn.
 */
static void add_fields(struct state *s, slice name, slice part)
{
	for (size_t i = 0; i < s->head.fields.items.len; i++) {
		const struct field *f = &s->head.fields.items.ptr[i];

		if (!word_is(f->name, name))
			continue;
		if (part.ptr)
			add_pair(&s->parts, part, fields_trim(f->value));
		else
			add_media_type(&s->parts, fields_trim(f->value));
	}
}

/* Whether the form matters: heads without these fields have the same state in all forms. */
static bool has_new_fields(const struct state *s)
{
	for (size_t i = 0; i < HEAD_FIELDS; i++)
		if (HEAD[i].is_new && fields_get(&s->head.fields, HEAD[i].name).ptr)
			return true;
	return false;
}

static void add_body(struct state *s, const struct state_result *r)
{
	if (!r->decoded)
		add_pair(&s->parts, SLICE("coding"), r->coding);
	add_pair(&s->parts, SLICE("body"), (slice){(const char *)r->body.bytes, DIGEST_SIZE_MAX});
}

/* Begins a digest with all that counts of the head. */
static int add_head(struct state *s)
{
	bool is_new = s->form > STATE_FORM_1 && has_new_fields(s);
	char status[FORMAT_U64_SIZE];
	slice text = {status, format_u64(s->head.status, status)};
	int rc = digester_start(&s->parts, DIGEST_SHA256);

	if (rc)
		return rc;
	add_pair(&s->parts, is_new ? SLICE("stillpoint-state-2") : SLICE("stillpoint-state-1"),
		text);
	for (size_t i = 0; i < HEAD_FIELDS; i++)
		if (is_new || !HEAD[i].is_new)
			add_fields(s, HEAD[i].name, HEAD[i].part);
	add_fields(s, SLICE("Content-Type"), (slice){0});
	return 0;
}

static int compute(struct state *s, struct state_result *r)
{
	int rc = add_head(s);

	if (rc)
		return rc;
	add_body(s, r);
	digester_finish(&s->parts, &r->state);
	return 0;
}

/* Chunked in name only: the payload is what was sent, as formats/http_payload.h has it. */
static void mend_payload(struct state *s, struct state_result *r)
{
	if (s->framing.chunks.state != HTTP_CHUNKED_BAD || s->framing.payload > 0)
		return;
	r->payload_size = s->framing.wire;
	digester_finish(&s->raw, &r->payload);
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
	if (rc)
		return rc;
	mend_payload(s, &r);
	*ret = r;
	return 0;
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
