#include "http/served.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/word.h"
#include "http/date.h"

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
