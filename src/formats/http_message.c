#include "formats/http_message.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/word.h"
#include "formats/http_date.h"
#include "formats/http_fields.h"

#define NS_PER_SECOND INT64_C(1000000000)

static const slice CACHE_FIELDS[] = {
	SLICE_INIT("via"),
	SLICE_INIT("x-cache"),
	SLICE_INIT("cache-status"),
	SLICE_INIT("cf-cache-status"),
};

enum { CACHE_FIELD_COUNT = sizeof CACHE_FIELDS / sizeof CACHE_FIELDS[0] };

static int64_t read_modified(slice value, int64_t now)
{
	int64_t seconds;

	if (!value.ptr || http_date_parse_seconds(value, now, &seconds))
		return 0;
	if (seconds > INT64_MAX / NS_PER_SECOND || seconds < INT64_MIN / NS_PER_SECOND)
		return 0;
	return seconds * NS_PER_SECOND;
}

/* Several fields, or a list in one, contradict each other: the largest claims least. */
static void read_age(slice value, struct served *ret)
{
	while (value.len > 0) {
		const char *comma = memchr(value.ptr, ',', value.len);
		size_t len = comma ? (size_t)(comma - value.ptr) : value.len;
		uint64_t seconds;

		if (parse_u64(fields_trim((slice){value.ptr, len}), &seconds) == 0) {
			unsigned age = seconds > INT_MAX ? INT_MAX : (unsigned)seconds;

			ret->age = ret->has_age && ret->age > age ? ret->age : age;
			ret->has_age = true;
		}
		len += comma != NULL;
		value = (slice){value.ptr + len, value.len - len};
	}
}

static void add_cache(slice name, slice value, char out[SERVED_CACHES_SIZE])
{
	size_t at = strlen(out);

	if (at > 0)
		(void)snprintf(out + at, SERVED_CACHES_SIZE - at, "; ");
	at = strlen(out);
	(void)snprintf(out + at, SERVED_CACHES_SIZE - at, "%.*s: ", (int)name.len, name.ptr);
	at = strlen(out);
	for (size_t i = 0; i < value.len && at < SERVED_CACHES_SIZE - 1; i++) {
		bool shows = value.ptr[i] >= ' ' && value.ptr[i] <= '~';

		out[at++] = (char)(shows ? value.ptr[i] : '?');
	}
	out[at] = '\0';
}

void served_read(const struct fields *head, int64_t now, struct served *ret)
{
	slice etag = fields_get(head, SLICE("etag"));

	*ret = (struct served){
		.modified = read_modified(fields_get(head, SLICE("last-modified")), now)};
	if (etag.len > 0 && etag.len <= SERVED_ETAG_MAX && fields_is_value(etag))
		ret->etag = etag;
	for (size_t i = 0; i < head->items.len; i++) {
		const struct field *f = &head->items.ptr[i];

		if (word_is(f->name, SLICE("age")))
			read_age(f->value, ret);
		for (size_t k = 0; k < CACHE_FIELD_COUNT; k++)
			if (word_is(f->name, CACHE_FIELDS[k]))
				add_cache(CACHE_FIELDS[k], f->value, ret->caches);
	}
}

enum part { IN_HEAD, IN_BODY, NO_HTTP };

struct message {
	struct state *state;
	enum part part;
	struct buf head;
	size_t seen; /* bytes of it that were looked through */
};

struct message *message_new(state_sink *sink, void *context)
{
	struct message *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	buf_init(&m->head, FIELDS_HEAD_MAX);
	m->state = state_new(sink, context);
	if (m->state)
		return m;
	message_free(m);
	return NULL;
}

void message_free(struct message *m)
{
	if (!m)
		return;
	state_free(m->state);
	buf_release(&m->head);
	free(m);
}

void message_set_form(struct message *m, unsigned form)
{
	state_set_form(m->state, form);
}

void message_start(struct message *m)
{
	m->part = IN_HEAD;
	m->seen = 0;
	buf_reset(&m->head);
}

/* What is left of the block behind the head's end belongs to the body. */
static int feed_head(struct message *m, slice *block)
{
	size_t before = m->head.len, end;
	slice part = slice_sub(*block, 0, FIELDS_HEAD_MAX - before);
	int rc;

	TRY(buf_add(&m->head, part));
	end = fields_find_end(buf_slice(&m->head), &m->seen);
	if (end == 0) {
		if (m->head.len == FIELDS_HEAD_MAX)
			m->part = NO_HTTP;
		*block = slice_sub(*block, part.len, block->len);
		return 0;
	}
	*block = slice_sub(*block, end - before, block->len);
	rc = state_start(m->state, slice_sub(buf_slice(&m->head), 0, end), NULL);
	m->part = rc ? NO_HTTP : IN_BODY;
	return rc == ERR_NOMEM ? rc : 0;
}

int message_feed(struct message *m, slice block)
{
	int rc = m->part == IN_HEAD && block.len > 0 ? feed_head(m, &block) : 0;

	if (rc || m->part != IN_BODY || block.len == 0)
		return rc;
	return state_feed(m->state, block);
}

int message_finish(struct message *m, struct state_result *ret)
{
	return m->part == IN_BODY ? state_finish(m->state, ret) : ERR_SYNTAX;
}

int message_combine(struct message *m, const struct state_result *of, struct state_result *ret)
{
	return m->part == IN_BODY ? state_combine(m->state, of, ret) : ERR_SYNTAX;
}

const struct fields *message_fields(const struct message *m)
{
	return state_fields(m->state);
}
