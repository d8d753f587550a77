#include "archive/listed.h"

#include <string.h>

#include "base/calendar.h"
#include "base/parse.h"
#include "base/word.h"

#define NS INT64_C(1000000000)

enum {
	DATE_DIGITS = 14,
	YEAR_MIN = 1900, /* nanoseconds in 64 bits hold these */
	YEAR_MAX = 2200,
	STATUS_MAX = 999,
};

struct cdx_layout cdx_layout_usual(void)
{
	return (struct cdx_layout){.separator = ' ',
		.fields = CDX_FIELDS_MIN,
		.date = 1,
		.url = 2,
		.status = 4,
		.digest = 5};
}

bool cdx_is_header(slice line)
{
	return line.len > 5 && slice_eq(slice_sub(line, 1, 4), SLICE("CDX")) &&
	       line.ptr[0] == line.ptr[4];
}

int cdx_layout_parse(slice line, struct cdx_layout *ret)
{
	struct cdx_layout l = {.date = -1, .url = -1, .status = -1, .digest = -1};
	slice rest = slice_sub(line, 5, line.len);

	if (!cdx_is_header(line))
		return ERR_SYNTAX;
	l.separator = line.ptr[0];
	while (rest.len > 0 && l.fields < CDX_FIELDS_MAX) {
		slice letter = slice_take(&rest, l.separator);
		int at = l.fields++;

		if (letter.len != 1)
			return ERR_SYNTAX;
		if (letter.ptr[0] == 'b')
			l.date = at;
		else if (letter.ptr[0] == 'a')
			l.url = at;
		else if (letter.ptr[0] == 's')
			l.status = at;
		else if (letter.ptr[0] == 'k')
			l.digest = at;
	}
	if (l.date < 0 || l.url < 0 || rest.len > 0)
		return ERR_SYNTAX;
	*ret = l;
	return 0;
}

static unsigned number(const char *digits, int count)
{
	unsigned value = 0;

	for (int i = 0; i < count; i++)
		value = 10 * value + (unsigned)(digits[i] - '0');
	return value;
}

int cdx_date_parse(slice text, int64_t *ret_ns)
{
	struct calendar_time t;
	int64_t seconds;

	if (text.len != DATE_DIGITS)
		return ERR_SYNTAX;
	for (size_t i = 0; i < DATE_DIGITS; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return ERR_SYNTAX;
	t = (struct calendar_time){number(text.ptr, 4), number(text.ptr + 4, 2),
		number(text.ptr + 6, 2), number(text.ptr + 8, 2), number(text.ptr + 10, 2),
		number(text.ptr + 12, 2)};
	if (t.year < YEAR_MIN || t.year > YEAR_MAX)
		return ERR_RANGE;
	TRY(calendar_seconds(&t, &seconds));
	*ret_ns = seconds * NS;
	return 0;
}

unsigned cdx_status_parse(slice text)
{
	uint64_t status;

	return parse_u64(text, &status) || status > STATUS_MAX ? 0 : (unsigned)status;
}

int cdx_parse(const struct cdx_layout *layout, slice line, struct listed *ret)
{
	slice fields[CDX_FIELDS_MAX];
	struct listed o = {0};
	int count = 0, rc;

	while (line.len > 0 && count < CDX_FIELDS_MAX)
		fields[count++] = slice_take(&line, layout->separator);
	if (count < layout->fields)
		return ERR_SYNTAX;
	rc = cdx_date_parse(fields[layout->date], &o.time);
	if (rc)
		return ERR_SYNTAX;
	o.url = fields[layout->url];
	if (layout->status >= 0)
		o.status = cdx_status_parse(fields[layout->status]);
	if (layout->digest >= 0)
		o.digest = listed_digest_parse(fields[layout->digest]);
	*ret = o;
	return o.url.len > 0 ? 0 : ERR_SYNTAX;
}

/* Algorithms of the low byte: digest.h's from 1, others have the highest bit. */
enum { FIRST = 1, OTHER = 128 };

enum { REAL_MIN = 24 }; /* characters of a real digest; what is shorter is a mere name */

/* FNV-1a over all bytes: equal ones are all that matters here. Catalogs keep the result. */
static uint64_t mix(const void *bytes, size_t count)
{
	const unsigned char *at = bytes;
	uint64_t h = 0xcbf29ce484222325U;

	for (size_t i = 0; i < count; i++)
		h = (h ^ at[i]) * 0x100000001b3U;
	return h;
}

static listed_digest join(uint64_t hash, uint64_t algorithm)
{
	return (hash & ~(uint64_t)LISTED_ALGORITHM) | algorithm;
}

listed_digest listed_digest_of(const struct digest *d)
{
	return join(mix(d->bytes, digest_size(d->kind)), FIRST + (uint64_t)d->kind);
}

/* 32 characters are SHA-1 in base32, in upper case as a rule, or MD5 in hexadecimal. */
static bool is_md5(slice text)
{
	bool is_base32 = true;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (word_hex(c) < 0)
			return false;
		is_base32 = is_base32 && ((c >= 'A' && c <= 'F') || (c >= '2' && c <= '7'));
	}
	return !is_base32;
}

/* The algorithm that has values of that length, with its colon; ptr is NULL for none. */
static slice guess(slice text)
{
	switch (text.len) {
	case 32:
		return is_md5(text) ? SLICE("md5:") : SLICE("sha1:");
	case 40:
		return SLICE("sha1:");
	case 52:
	case 56:
	case 64:
		return SLICE("sha256:");
	default:
		return (slice){0};
	}
}

/* Those of an algorithm that we do not know: its name tells them apart, or their length. */
static listed_digest other(slice text)
{
	const char *colon = memchr(text.ptr, ':', text.len);
	uint64_t kind = text.len >= REAL_MIN ? text.len : 0;

	if (colon)
		kind = mix(text.ptr, (size_t)(colon - text.ptr));
	return join(mix(text.ptr, text.len), OTHER | (kind & (OTHER - 1)));
}

listed_digest listed_digest_parse(slice text)
{
	slice algorithm;
	char full[DIGEST_TEXT_SIZE];
	struct digest d;

	if (text.len == 0 || slice_eq(text, SLICE("-")))
		return LISTED_NO_DIGEST;
	algorithm = memchr(text.ptr, ':', text.len) ? SLICE("") : guess(text);
	if (algorithm.ptr && text.len + algorithm.len < sizeof full) {
		memcpy(full, algorithm.ptr, algorithm.len);
		memcpy(full + algorithm.len, text.ptr, text.len);
		if (digest_parse((slice){full, algorithm.len + text.len}, &d) == 0)
			return listed_digest_of(&d);
	}
	return other(text);
}

int listed_more_timemap(struct listed_more *more, slice address)
{
	if (address.len == 0 || memchr(address.ptr, '\n', address.len))
		return 0;
	buf_add(&more->timemaps, address);
	return buf_add_char(&more->timemaps, '\n');
}
