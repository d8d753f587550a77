#include "formats/http_payload.h"

#include "base/err.h"
#include "base/parse.h"
#include "base/word.h"
#include "formats/http_fields.h"

enum { SIZE_DIGITS_MAX = 16 };

static int fail(struct http_chunked *c, int code)
{
	c->state = HTTP_CHUNKED_BAD;
	return code;
}

static void end_size_line(struct http_chunked *c)
{
	c->state = c->left > 0 ? HTTP_CHUNKED_DATA : HTTP_CHUNKED_TRAILER;
	c->line = 0;
}

/* Some servers fill the size up with blanks in front of the line's end. */
static int step_size(struct http_chunked *c, char byte)
{
	int value = word_hex(byte);

	if (value >= 0) {
		if (c->digits == SIZE_DIGITS_MAX)
			return fail(c, ERR_LIMIT);
		c->left = c->left << 4 | (uint64_t)value;
		c->digits++;
		return 0;
	}
	if (c->digits == 0)
		return fail(c, ERR_SYNTAX);
	if (byte == '\n')
		end_size_line(c);
	else if (byte == ';' || byte == ' ' || byte == '\t' || byte == '\r')
		c->state = HTTP_CHUNKED_EXTENSION;
	else
		return fail(c, ERR_SYNTAX);
	return 0;
}

static int step_extension(struct http_chunked *c, char byte)
{
	if (byte == '\n')
		end_size_line(c);
	else if (++c->line > HTTP_CHUNK_LINE_MAX)
		return fail(c, ERR_LIMIT);
	return 0;
}

static int step_data_end(struct http_chunked *c, char byte)
{
	if (byte == '\n') {
		c->state = HTTP_CHUNKED_SIZE;
		c->digits = 0;
		c->line = 0;
	} else if (byte != '\r' || c->line++ > 0) {
		return fail(c, ERR_SYNTAX);
	}
	return 0;
}

static int step_trailer(struct http_chunked *c, char byte)
{
	if (++c->line > HTTP_CHUNK_TRAILER_MAX)
		return fail(c, ERR_LIMIT);
	if (byte == '\n')
		c->state =
			c->state == HTTP_CHUNKED_TRAILER ? HTTP_CHUNKED_END : HTTP_CHUNKED_TRAILER;
	else if (byte != '\r')
		c->state = HTTP_CHUNKED_FIELD;
	return 0;
}

static int step(struct http_chunked *c, char byte)
{
	switch (c->state) {
	case HTTP_CHUNKED_SIZE:
		return step_size(c, byte);
	case HTTP_CHUNKED_EXTENSION:
		return step_extension(c, byte);
	case HTTP_CHUNKED_DATA_END:
		return step_data_end(c, byte);
	case HTTP_CHUNKED_TRAILER:
	case HTTP_CHUNKED_FIELD:
		return step_trailer(c, byte);
	default:
		return ERR_SYNTAX;
	}
}

static slice take_data(struct http_chunked *c, slice *in)
{
	size_t n = in->len < c->left ? in->len : (size_t)c->left;
	slice data = slice_sub(*in, 0, n);

	*in = slice_sub(*in, n, in->len);
	c->left -= n;
	c->consumed += n;
	if (c->left == 0) {
		c->state = HTTP_CHUNKED_DATA_END;
		c->line = 0;
	}
	return data;
}

int http_chunked_next(struct http_chunked *c, slice *in, slice *ret_data)
{
	*ret_data = (slice){0};
	while (in->len > 0 && c->state != HTTP_CHUNKED_DATA && c->state != HTTP_CHUNKED_END) {
		TRY(step(c, in->ptr[0]));
		*in = slice_sub(*in, 1, in->len);
		c->consumed++;
	}
	if (c->state == HTTP_CHUNKED_END)
		*in = slice_sub(*in, in->len, in->len);
	else if (in->len > 0)
		*ret_data = take_data(c, in);
	return 0;
}

/* One field's share: a list of numbers, since some proxies make one field of two. */
static bool agrees_on_length(slice value, bool *has, uint64_t *length)
{
	bool any = false;
	uint64_t one;
	slice word;

	while (word_next(&value, ',', &word)) {
		if (parse_u64(word, &one) || (*has && one != *length))
			return false;
		*has = any = true;
		*length = one;
	}
	return any;
}

static enum framing_kind read_length(const struct fields *fields, uint64_t *ret_length)
{
	bool has = false;

	for (size_t i = 0; i < fields->items.len; i++) {
		const struct field *field = &fields->items.ptr[i];

		if (word_is(field->name, SLICE("Content-Length")) &&
			!agrees_on_length(field->value, &has, ret_length))
			return FRAMING_BROKEN;
	}
	return has ? FRAMING_LENGTH : FRAMING_CLOSE;
}

void framing_start(struct framing *f, const struct payload *head)
{
	*f = (struct framing){.opaque = head->other_coded};
	if (head->fields_lost) {
		f->kind = FRAMING_BROKEN;
		return;
	}
	if (head->chunked)
		f->kind = FRAMING_CHUNKED;
	else if (head->other_coded)
		f->kind = FRAMING_CLOSE;
	else
		f->kind = read_length(&head->fields, &f->length);
	f->bodiless = head->status < 200 || head->status == 204 || head->status == 304;
	/* Where there is nothing, no length is wrong. */
	if (f->bodiless && f->kind == FRAMING_BROKEN)
		f->kind = FRAMING_LENGTH;
}

void framing_ignore_chunks(struct framing *f)
{
	f->kind = FRAMING_BROKEN;
	f->bad = true;
}

static slice take_all(slice *wire)
{
	slice all = *wire;

	*wire = slice_sub(*wire, wire->len, wire->len);
	return all;
}

slice framing_next(struct framing *f, slice *wire)
{
	size_t before = wire->len;
	slice data;

	if (f->kind != FRAMING_CHUNKED) {
		data = take_all(wire);
	} else if (f->chunks.state == HTTP_CHUNKED_BAD ||
		   http_chunked_next(&f->chunks, wire, &data)) {
		f->bad = true;
		(void)take_all(wire);
		data = (slice){0};
	}
	f->wire += before - wire->len;
	f->payload += data.len;
	return data;
}

bool framing_is_whole(const struct framing *f)
{
	if (f->bodiless)
		return f->wire == 0;
	switch (f->kind) {
	case FRAMING_CHUNKED:
		return !f->bad && http_chunked_complete(&f->chunks) &&
		       f->chunks.consumed == f->wire;
	case FRAMING_LENGTH:
		return f->payload == f->length;
	case FRAMING_CLOSE:
		return true;
	case FRAMING_BROKEN:
		break;
	}
	return false;
}

bool framing_shows_end(const struct framing *f)
{
	return f->bodiless || f->kind == FRAMING_CHUNKED || f->kind == FRAMING_LENGTH;
}

bool framing_identity_end(slice head, uint64_t *ret_end)
{
	static const slice IDENTITY = SLICE_INIT("identity");
	struct payload p = {0};
	struct framing f = {.kind = FRAMING_BROKEN};
	bool says = false;

	/* Hardly any head does. */
	for (size_t i = 0; !says && i + IDENTITY.len <= head.len; i++)
		says = word_starts(slice_sub(head, i, head.len), IDENTITY);
	if (!says)
		return false;
	payload_start_unchecked(&p, PAYLOAD_HTTP);
	if (payload_feed(&p, head) == 0 && p.state == PAYLOAD_BODY &&
		fields_get(&p.fields, SLICE("Transfer-Encoding")).ptr)
		framing_start(&f, &p);
	payload_release(&p);
	*ret_end = f.length;
	return f.kind == FRAMING_LENGTH;
}

void payload_start_unchecked(struct payload *p, enum payload_form form)
{
	struct payload old = *p;

	buf_reset(&old.head);
	*p = (struct payload){
		.form = form,
		.state = form == PAYLOAD_HTTP ? PAYLOAD_HEAD : PAYLOAD_BODY,
		.head = old.head,
		.fields = old.fields,
		.as_sent = old.as_sent,
		.decoded = old.decoded,
	};
	p->head.max = FIELDS_HEAD_MAX;
	p->fields.items.len = 0;
}

int payload_start(struct payload *p, enum payload_form form, enum digest_kind kind)
{
	payload_start_unchecked(p, form);
	p->wants_digest = true;
	return digester_start(&p->as_sent, kind);
}

/* "HTTP/1.1 200 OK": the three digits behind the first blanks. */
static unsigned read_status(slice line)
{
	slice rest = line;
	uint64_t status;

	if (!word_starts(line, SLICE("HTTP/")))
		return 0;
	(void)slice_take(&rest, ' ');
	rest = fields_trim(rest);
	if (rest.len > 3 && rest.ptr[3] != ' ')
		return 0;
	return parse_u64(slice_sub(rest, 0, 3), &status) ? 0 : (unsigned)status;
}

/*
 * The codings of all Transfer-Encoding fields, as curl and browsers read them: identity is none,
 * and chunked is meant once, however often it is said. It is the last one, and the first to be
 * removed.
 */
static void read_codings(struct payload *p)
{
	for (size_t i = 0; i < p->fields.items.len; i++) {
		slice list = p->fields.items.ptr[i].value, coding;

		if (!word_is(p->fields.items.ptr[i].name, SLICE("Transfer-Encoding")))
			continue;
		while (word_next(&list, ',', &coding)) {
			bool is_chunked = word_is(coding, SLICE("chunked"));

			if (word_is(coding, SLICE("identity")))
				continue;
			p->other_coded = p->other_coded || !is_chunked;
			p->chunked = is_chunked;
		}
	}
}

static int parse_head(struct payload *p)
{
	/* An absurd head, but its end is known: the body still is the body. */
	p->fields_lost = fields_parse(&p->fields, p->head.ptr, p->head.len) != 0;
	p->state = PAYLOAD_BODY;
	p->status = read_status(p->fields.first_line);
	p->content_type = fields_get(&p->fields, SLICE("Content-Type"));
	read_codings(p);
	return p->chunked && p->wants_digest ? digester_start(&p->decoded, p->as_sent.kind) : 0;
}

/* Moves bytes to the head until its end; what is left of them belongs to the body. */
static int feed_head(struct payload *p, slice *bytes)
{
	size_t room = FIELDS_HEAD_MAX - p->head.len, before = p->head.len, end;
	slice part = slice_sub(*bytes, 0, room);

	TRY(buf_add(&p->head, part));
	end = fields_find_end(buf_slice(&p->head), &p->head_seen);
	if (end > 0) {
		*bytes = slice_sub(*bytes, end - before, bytes->len);
		p->head.len = end;
		p->head.ptr[end] = '\0';
		return parse_head(p);
	}
	*bytes = slice_sub(*bytes, part.len, bytes->len);
	if (p->head.len == FIELDS_HEAD_MAX)
		p->state = PAYLOAD_NO_HTTP;
	return 0;
}

static void feed_chunks(struct payload *p, slice bytes)
{
	while (bytes.len > 0 && !p->bad_chunks) {
		slice data;

		if (http_chunked_next(&p->chunks, &bytes, &data)) {
			p->bad_chunks = true;
			break;
		}
		p->body_clean += data.len;
		if (p->wants_digest)
			digester_feed(&p->decoded, data);
	}
}

static int feed_body(struct payload *p, slice bytes)
{
	if (p->wants_digest)
		digester_feed(&p->as_sent, bytes);
	p->body += bytes.len;
	if (p->chunked)
		feed_chunks(p, bytes);
	return 0;
}

int payload_feed(struct payload *p, slice bytes)
{
	if (p->state == PAYLOAD_HEAD && bytes.len > 0) {
		TRY(feed_head(p, &bytes));
	}
	return p->state == PAYLOAD_BODY && bytes.len > 0 ? feed_body(p, bytes) : 0;
}

int payload_finish(struct payload *p, struct payload_digests *ret)
{
	bool never_chunked = !p->chunked || (p->bad_chunks && p->body_clean == 0);

	digester_finish(&p->as_sent, &ret->as_sent);
	if (p->state == PAYLOAD_HEAD)
		p->state = PAYLOAD_NO_HTTP;
	ret->decoded = ret->as_sent;
	if (!never_chunked)
		digester_finish(&p->decoded, &ret->decoded);
	return 0;
}

void payload_release(struct payload *p)
{
	buf_release(&p->head);
	fields_release(&p->fields);
	digester_release(&p->as_sent);
	digester_release(&p->decoded);
	*p = (struct payload){0};
}

bool payload_is_http(slice content_type)
{
	return word_is(fields_media_type(content_type), SLICE("application/http"));
}
