#include "formats/http_framing.h"

#include "base/parse.h"
#include "base/word.h"
#include "formats/http_fields.h"

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
