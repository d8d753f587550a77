#include "archive/attempt.h"

#include <limits.h>

#include "archive/post_query.h"
#include "archive/warc_date.h"
#include "archive/warc_header.h"
#include "base/format.h"
#include "base/parse.h"
#include "base/word.h"
#include "http/fields.h"

/* How a member of struct attempt is spelled. What is zero, or has no ptr, is left out. */
enum spelling {
	TEXT,    /* slice */
	LEG,     /* enum attempt_leg, always there */
	COUNT,   /* unsigned */
	FLAG,    /* bool: "true" */
	DATE,    /* int64_t since 1970: RFC 3339 */
	READING, /* int64_t of another clock: digits */
	DIGEST,  /* a digest, if the flag is set */
};

struct row {
	slice name;
	enum spelling spelling;
	size_t member; /* its offset */
	size_t flag;   /* of a digest: offset of has_… */
};

#define ROW(name, spelling, member)                                               \
	{                                                                         \
		SLICE_INIT(name), (spelling), offsetof(struct attempt, member), 0 \
	}
#define ROW_DIGEST(name, member)                                            \
	{                                                                   \
		SLICE_INIT(name), DIGEST, offsetof(struct attempt, member), \
			offsetof(struct attempt, has_##member)              \
	}

static const struct row ROWS[] = {
	ROW("capture", TEXT, capture),
	ROW("leg", LEG, leg),
	ROW("purpose", TEXT, purpose),
	ROW("postData", TEXT, post),
	ROW("attempt", COUNT, number),
	ROW("kind", TEXT, kind),
	ROW("via", TEXT, via),
	ROW("single", FLAG, single),
	ROW("requestSent", DATE, wall.sent),
	ROW("firstByte", DATE, wall.first_byte),
	ROW("lastByte", DATE, wall.last_byte),
	ROW("monotonicRequestSent", READING, clock.sent),
	ROW("monotonicFirstByte", READING, clock.first_byte),
	ROW("monotonicLastByte", READING, clock.last_byte),
	ROW("status", COUNT, status),
	ROW("truncated", FLAG, truncated),
	ROW("failure", TEXT, failure),
	ROW("protocol", TEXT, protocol),
	ROW("cipherSuite", TEXT, cipher),
	ROW("redacted", TEXT, redacted),
	ROW_DIGEST("state", state),
	ROW("closeDelimited", FLAG, close_delimited),
	ROW("standIn", TEXT, stand_in),
	ROW("deceit", TEXT, deceit),
	ROW("signSet", COUNT, sign_set),
	ROW("ruleSet", COUNT, rule_set),
	ROW("rules", TEXT, rules),
	ROW("maskedMillionths", COUNT, masked),
	ROW("compared", TEXT, compared),
	{SLICE_INIT("normalised"), DIGEST, offsetof(struct attempt, class),
		offsetof(struct attempt, has_class)},
	ROW("retired", DATE, retired),
};

/* Strings that the metadata record does not have. */
static const size_t OTHER_TEXTS[] = {
	offsetof(struct attempt, url),
	offsetof(struct attempt, target),
	offsetof(struct attempt, etag),
	offsetof(struct attempt, caches),
	offsetof(struct attempt, address),
	offsetof(struct attempt, links),
	offsetof(struct attempt, media_type),
	offsetof(struct attempt, record_id),
	offsetof(struct attempt, warc),
	offsetof(struct attempt, original.record),
	offsetof(struct attempt, original.url),
	offsetof(struct attempt, original.file),
};

enum {
	ROW_COUNT = sizeof ROWS / sizeof ROWS[0],
	OTHER_COUNT = sizeof OTHER_TEXTS / sizeof OTHER_TEXTS[0],
	/* Rows without which a block is of something else: capture and leg. */
	REQUIRED = 1 << 0 | 1 << 1,
	READING_SIZE = 1 + FORMAT_U64_SIZE,
};

_Static_assert((int)ROW_COUNT <= 64, "read_fields keeps a bit of each row");

static const slice LEGS[ATTEMPT_LEGS] = {
	[ATTEMPT_VISIT] = SLICE_INIT("visit"),
	[ATTEMPT_REVISIT] = SLICE_INIT("revisit"),
	[ATTEMPT_LATE] = SLICE_INIT("late"),
	[ATTEMPT_SIDE] = SLICE_INIT("side"),
	[ATTEMPT_PROBE] = SLICE_INIT("probe"),
	[ATTEMPT_LOOK] = SLICE_INIT("look"),
};

const char *attempt_leg_name(enum attempt_leg leg)
{
	return LEGS[leg].ptr;
}

/* ---- copying ---- */

static bool keep_text(slice *text, struct arena *arena)
{
	if (!text->ptr)
		return true;
	text->ptr = arena_strdup(arena, *text);
	return text->ptr != NULL;
}

int attempt_keep(struct attempt *a, struct arena *arena)
{
	char *base = (char *)a;
	bool ok = true;

	for (size_t i = 0; ok && i < ROW_COUNT; i++)
		if (ROWS[i].spelling == TEXT)
			ok = keep_text((slice *)(void *)(base + ROWS[i].member), arena);
	for (size_t i = 0; ok && i < OTHER_COUNT; i++)
		ok = keep_text((slice *)(void *)(base + OTHER_TEXTS[i]), arena);
	return ok ? 0 : ERR_NOMEM;
}

/* ---- writing ---- */

static int add_date(struct buf *out, slice name, int64_t ns)
{
	char text[WARC_DATE_NS_SIZE];
	int64_t again;

	if (ns == 0)
		return 0;
	warc_date_format_ns(ns, text);
	/* Years that are not read back are not written: what the WARC says must stay provable. */
	if (warc_date_parse(slice_str(text), &again))
		return ERR_RANGE;
	return warc_header_add(out, name, slice_str(text));
}

static int add_reading(struct buf *out, slice name, int64_t ns)
{
	uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	char text[READING_SIZE] = "-";

	if (ns == 0)
		return 0;
	(void)format_u64(magnitude, text + (ns < 0));
	return warc_header_add(out, name, slice_str(text));
}

static int add_digest(struct buf *out, slice name, const struct digest *digest)
{
	char text[DIGEST_TEXT_SIZE];

	(void)digest_format(digest, text);
	return warc_header_add(out, name, slice_str(text));
}

static int add_row(struct buf *out, const struct row *row, const struct attempt *a)
{
	const void *member = (const char *)a + row->member;

	switch (row->spelling) {
	case TEXT:
		return warc_header_add(out, row->name, fields_trim(*(const slice *)member));
	case LEG:
		return warc_header_add(out, row->name, LEGS[*(const enum attempt_leg *)member]);
	case COUNT:
		return add_reading(out, row->name, *(const unsigned *)member);
	case FLAG:
		return *(const bool *)member ? warc_header_add(out, row->name, SLICE("true")) : 0;
	case DATE:
		return add_date(out, row->name, *(const int64_t *)member);
	case READING:
		return add_reading(out, row->name, *(const int64_t *)member);
	case DIGEST:
		if (*(const bool *)((const char *)a + row->flag))
			return add_digest(out, row->name, member);
	}
	return 0;
}

int attempt_format(const struct attempt *a, struct buf *out)
{
	size_t before = out->len;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ROW_COUNT; i++)
		rc = add_row(out, &ROWS[i], a);
	if (rc)
		buf_truncate(out, before);
	return rc;
}

/* ---- reading ---- */

static int read_leg(slice value, enum attempt_leg *ret)
{
	for (unsigned i = 0; i < ATTEMPT_LEGS; i++)
		if (slice_eq(value, LEGS[i])) {
			*ret = (enum attempt_leg)i;
			return 0;
		}
	return ERR_UNSUPPORTED;
}

static int read_count(slice value, unsigned *ret)
{
	uint64_t number;
	int rc = parse_u64(value, &number);

	if (rc == 0 && number > UINT_MAX)
		rc = ERR_RANGE;
	if (rc == 0)
		*ret = (unsigned)number;
	return rc;
}

static int read_flag(slice value, bool *ret)
{
	if (!slice_eq(value, SLICE("true")) && !slice_eq(value, SLICE("false")))
		return ERR_SYNTAX;
	*ret = value.ptr[0] == 't';
	return 0;
}

static int read_row(const struct row *row, slice value, struct attempt *a)
{
	void *member = (char *)a + row->member;

	switch (row->spelling) {
	case TEXT:
		*(slice *)member = value;
		/* They would forge a line wherever the value is printed. */
		return memchr(value.ptr, '\r', value.len) || memchr(value.ptr, '\0', value.len)
			       ? ERR_SYNTAX
			       : 0;
	case LEG:
		return read_leg(value, member);
	case COUNT:
		return read_count(value, member);
	case FLAG:
		return read_flag(value, member);
	case DATE:
		return warc_date_parse(value, member);
	case READING:
		return parse_i64(value, member);
	case DIGEST:
		*(bool *)((char *)a + row->flag) = true;
		return digest_parse(value, member);
	}
	return ERR_SYNTAX;
}

/* Index of the row of that name, or ROW_COUNT: fields of later versions are none of ours. */
static size_t find_row(slice name)
{
	size_t i = 0;

	while (i < ROW_COUNT && !word_is(name, ROWS[i].name))
		i++;
	return i;
}

static int read_fields(const struct fields *f, struct attempt *a, struct err *err)
{
	bool known_leg = true;
	uint64_t seen = 0;

	for (size_t i = 0; i < f->items.len; i++) {
		size_t row = find_row(f->items.ptr[i].name);
		int rc;
		bool is_later_leg;

		if (row == ROW_COUNT)
			continue;
		/* Two answers to one question prove neither. */
		if (seen & UINT64_C(1) << row)
			return err_set(
				err, ERR_SYNTAX, "attempt: %s is there twice", ROWS[row].name.ptr);
		rc = read_row(&ROWS[row], f->items.ptr[i].value, a);
		is_later_leg = ROWS[row].spelling == LEG && rc == ERR_UNSUPPORTED;
		known_leg = known_leg && !is_later_leg;
		if (rc && !is_later_leg)
			return err_set(
				err, ERR_SYNTAX, "attempt: malformed %s", ROWS[row].name.ptr);
		seen |= UINT64_C(1) << row;
	}
	if ((seen & REQUIRED) != REQUIRED)
		return err_set(err, ERR_NOTFOUND, "the fields are not those of an attempt");
	if (!known_leg)
		return err_set(err, ERR_UNSUPPORTED, "attempt: a leg of a later version");
	return 0;
}

/* A copy that fields_parse may change, below the first line that it expects. */
static int copy_block(slice block, struct arena *arena, char **ret, size_t *ret_len)
{
	static const slice FIRST = SLICE_INIT("attempt\r\n");
	char *copy = arena_alloc(arena, FIRST.len + block.len, 1);

	if (!copy)
		return ERR_NOMEM;
	memcpy(copy, FIRST.ptr, FIRST.len);
	if (block.len)
		memcpy(copy + FIRST.len, block.ptr, block.len);
	*ret = copy;
	*ret_len = FIRST.len + block.len;
	return 0;
}

/* The URL of a page that is asked by POST has the body in it. */
static int add_body(struct attempt *a, struct arena *arena)
{
	struct buf url;
	int rc;

	buf_init(&url, POST_QUERY_MAX + FIELDS_HEAD_MAX);
	rc = post_query_join(&url, a->url, a->post);
	a->target = a->url;
	a->url = (slice){rc ? NULL : arena_strdup(arena, buf_slice(&url)), url.len};
	buf_release(&url);
	return rc == 0 && !a->url.ptr ? ERR_NOMEM : rc;
}

int attempt_parse(slice block, slice url, struct arena *arena, struct attempt *ret, struct err *err)
{
	struct attempt a = {0};
	struct fields fields = {0};
	char *copy, *url_copy;
	size_t len;
	int rc;

	if (block.len > FIELDS_HEAD_MAX)
		return err_set(err, ERR_NOTFOUND, "too long for an attempt: %zu bytes", block.len);
	url_copy = arena_strdup(arena, url);
	rc = url_copy ? copy_block(block, arena, &copy, &len) : ERR_NOMEM;
	if (rc == 0)
		rc = fields_parse(&fields, copy, len);
	if (rc == ERR_LIMIT)
		rc = ERR_SYNTAX;
	rc = rc ? err_set(err, rc, "attempt: %s", err_name(rc)) : read_fields(&fields, &a, err);
	fields_release(&fields);
	if (rc)
		return rc;
	a.url = (slice){url.ptr ? url_copy : NULL, url.len};
	if (a.post.ptr && a.url.ptr)
		rc = err_code(err, add_body(&a, arena));
	if (rc == 0)
		*ret = a;
	return rc;
}
