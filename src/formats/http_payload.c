#include "formats/http_payload.h"

#include "base/err.h"
#include "base/parse.h"
#include "base/word.h"

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
