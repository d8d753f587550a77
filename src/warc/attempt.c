#include "warc/attempt.h"

#include <limits.h>

#include "base/format.h"
#include "base/parse.h"
#include "base/word.h"
#include "formats/http_fields.h"
#include "warc/warc_date.h"
#include "warc/warc_header.h"
#include "warc/warc_request.h"

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

static const slice PURPOSE_WORDS[PURPOSES] = {
	[PURPOSE_NOISE] = SLICE_INIT("noise"),
	[PURPOSE_CANARY] = SLICE_INIT("canary"),
	[PURPOSE_VARIANT] = SLICE_INIT("variant"),
	[PURPOSE_LANGUAGE] = SLICE_INIT("language"),
	[PURPOSE_CLOAKING] = SLICE_INIT("cloaking"),
	[PURPOSE_SESSION] = SLICE_INIT("session"),
	[PURPOSE_COOKIES] = SLICE_INIT("cookies"),
	[PURPOSE_POST] = SLICE_INIT("post"),
	[PURPOSE_AUDIT] = SLICE_INIT("audit"),
	[PURPOSE_COOKIE_GATE] = SLICE_INIT("cookie: "),
};

slice attempt_purpose_word(enum attempt_purpose purpose)
{
	return PURPOSE_WORDS[purpose];
}

enum attempt_purpose attempt_purpose(const struct attempt *a)
{
	if (a->purpose.len == 0)
		return PURPOSE_NONE;
	for (unsigned i = PURPOSE_NOISE; i < PURPOSE_COOKIE_GATE; i++)
		if (slice_eq(a->purpose, PURPOSE_WORDS[i]))
			return (enum attempt_purpose)i;
	return slice_starts_with(a->purpose, PURPOSE_WORDS[PURPOSE_COOKIE_GATE])
		       ? PURPOSE_COOKIE_GATE
		       : PURPOSE_OTHER;
}

bool attempt_is_look(const struct attempt *a)
{
	enum attempt_purpose purpose = attempt_purpose(a);

	if (a->leg == ATTEMPT_PROBE)
		return purpose == PURPOSE_NOISE || purpose == PURPOSE_CANARY;
	return a->leg != ATTEMPT_SIDE;
}

static const slice FAILURE_WORDS[FAILURES] = {
	[FAILURE_HOURS] = SLICE_INIT("hours"),
	[FAILURE_SLOW] = SLICE_INIT("slow"),
	[FAILURE_ABORTED] = SLICE_INIT("aborted"),
	[FAILURE_HOST_DOWN] = SLICE_INIT("host-down"),
	[FAILURE_DNS] = SLICE_INIT("dns"),
};

slice attempt_failure_word(enum attempt_failure failure)
{
	return FAILURE_WORDS[failure];
}

enum attempt_failure attempt_failure(slice text)
{
	for (unsigned i = FAILURE_OTHER + 1; i < FAILURES; i++) {
		slice word = FAILURE_WORDS[i];

		if (slice_starts_with(text, word) && text.len > word.len &&
			text.ptr[word.len] == ':')
			return (enum attempt_failure)i;
	}
	return FAILURE_OTHER;
}

const char *same_by_name(enum same_by by)
{
	static const char *const NAMES[] = {
		[SAME_BYTES] = "bytes",
		[SAME_RULES] = "normalised",
		[SAME_STATUS] = "status",
		[SAME_ASSERTED] = "asserted",
		[SAME_TOMBSTONE] = "tombstone",
	};

	return NAMES[by];
}

/* ---- copying ---- */

static void keep_text(slice *text, struct arena *arena)
{
	*text = arena_keep(arena, *text);
}

int attempt_keep(struct attempt *a, struct arena *arena)
{
	char *base = (char *)a;

	for (size_t i = 0; i < ROW_COUNT; i++)
		if (ROWS[i].spelling == TEXT)
			keep_text((slice *)(void *)(base + ROWS[i].member), arena);
	for (size_t i = 0; i < OTHER_COUNT; i++)
		keep_text((slice *)(void *)(base + OTHER_TEXTS[i]), arena);
	return arena_full(arena) ? ERR_LIMIT : 0;
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

static bool is_there(const struct row *row, const struct attempt *a)
{
	const void *member = (const char *)a + row->member;

	switch (row->spelling) {
	case TEXT:
		return ((const slice *)member)->ptr != NULL;
	case LEG:
		return true;
	case COUNT:
		return *(const unsigned *)member != 0;
	case FLAG:
		return *(const bool *)member;
	case DATE:
	case READING:
		return *(const int64_t *)member != 0;
	case DIGEST:
		return *(const bool *)((const char *)a + row->flag);
	}
	return false;
}

/* One that is there. */
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
		return warc_header_add(out, row->name, SLICE("true"));
	case DATE:
		return add_date(out, row->name, *(const int64_t *)member);
	case READING:
		return add_reading(out, row->name, *(const int64_t *)member);
	case DIGEST:
		return add_digest(out, row->name, member);
	}
	return 0;
}

int attempt_format(const struct attempt *a, struct buf *out)
{
	size_t before = out->len;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ROW_COUNT; i++)
		if (is_there(&ROWS[i], a))
			rc = add_row(out, &ROWS[i], a);
	if (rc)
		buf_truncate(out, before);
	return rc;
}

size_t attempt_protocol(const struct attempt *a, struct field out[ATTEMPT_PROTOCOL_FIELDS])
{
	slice left = a->protocol;
	size_t n = 0;

	while (left.len && n < ATTEMPT_PROTOCOL_FIELDS - 1)
		out[n++] = (struct field){SLICE("WARC-Protocol"), slice_take(&left, ' ')};
	if (n && a->cipher.len)
		out[n++] = (struct field){SLICE("WARC-Cipher-Suite"), a->cipher};
	return n;
}

/* ---- in the header of a record ---- */

#define PREFIX "stillpoint-"
#define LINE   PREFIX "attempt"

/* Rows that a record's header has in LINE, in fields of the standard, or not at all. */
static bool is_elsewhere(const struct row *row)
{
	static const size_t MEMBERS[] = {offsetof(struct attempt, capture),
		offsetof(struct attempt, number), offsetof(struct attempt, status),
		offsetof(struct attempt, state), offsetof(struct attempt, protocol),
		offsetof(struct attempt, cipher)};
	bool found = row->spelling == LEG || row->spelling == DATE || row->spelling == READING;

	for (size_t i = 0; !found && i < sizeof MEMBERS / sizeof MEMBERS[0]; i++)
		found = row->member == MEMBERS[i];
	return found;
}

bool attempt_has_all_times(const struct attempt *a)
{
	const struct attempt_times *w = &a->wall, *c = &a->clock;

	return w->sent > 0 && w->first_byte >= w->sent && w->last_byte >= w->first_byte &&
	       c->sent > 0 && c->first_byte - c->sent == w->first_byte - w->sent &&
	       c->last_byte - c->sent == w->last_byte - w->sent;
}

bool attempt_may_be_revisit(const struct attempt *a)
{
	/* Readers of CDX know what was posted from its request record. */
	return a->is_revisit && !a->post.ptr && a->has_payload && a->has_state && !a->truncated &&
	       !a->failure.ptr && !a->retired && a->original.record.len > 0 &&
	       a->original.url.len > 0 && a->original.date > 0 && a->capture.len > 0 &&
	       !memchr(a->capture.ptr, ' ', a->capture.len) && attempt_has_all_times(a);
}

static int add_line(struct buf *out, const struct attempt *a, unsigned form)
{
	const struct attempt_times *w = &a->wall;
	const uint64_t numbers[] = {a->number, a->status, form,
		(uint64_t)(w->sent - warc_date_truncate(w->sent)), (uint64_t)a->clock.sent,
		(uint64_t)(w->first_byte - w->sent), (uint64_t)(w->last_byte - w->first_byte)};

	TRY(warc_header_add(out, SLICE(LINE), a->capture));
	buf_truncate(out, out->len - 2);
	buf_add_char(out, ' ');
	TRY(buf_add(out, LEGS[a->leg]));
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		char text[1 + FORMAT_U64_SIZE] = " ";

		(void)format_u64(numbers[i], text + 1);
		TRY(buf_add_str(out, text));
	}
	return buf_add(out, SLICE("\r\n"));
}

int attempt_format_header(const struct attempt *a, unsigned form, struct buf *out)
{
	size_t before = out->len;
	int rc = attempt_may_be_revisit(a) ? add_line(out, a, form) : ERR_RANGE;

	for (size_t i = 0; rc == 0 && i < ROW_COUNT; i++) {
		if (!is_there(&ROWS[i], a) || is_elsewhere(&ROWS[i]))
			continue;
		rc = buf_add(out, SLICE(PREFIX));
		if (rc == 0)
			rc = add_row(out, &ROWS[i], a);
	}
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

	TRY(parse_u64(value, &number));
	if (number > UINT_MAX)
		TRY(ERR_RANGE);
	*ret = (unsigned)number;
	return 0;
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

/* The URL of a page that is asked by POST has the body in it. */
static int add_body(struct attempt *a, struct arena *arena)
{
	BUF_SCOPED(url, POST_QUERY_MAX + FIELDS_HEAD_MAX);

	TRY(post_query_join(&url, a->url, a->post));
	a->target = a->url;
	a->url = arena_keep(arena, buf_slice(&url));
	return 0;
}

static int bad_header(struct err *err, const char *what)
{
	return err_set(err, ERR_SYNTAX, "attempt: malformed %s", what);
}

/* Spans and readings, so large that nothing that is added to them overflows. */
static int take_number(slice *left, uint64_t max, uint64_t *ret)
{
	int rc = left->ptr ? parse_u64(slice_take(left, ' '), ret) : ERR_SYNTAX;

	return rc || *ret > max ? ERR_SYNTAX : 0;
}

/* "CAPTURE LEG NUMBER STATUS FORM SENT CLOCK FIRST LAST", sent within the second of the record. */
static int read_line(slice line, const struct warc_header *h, struct attempt *a, unsigned *ret_form)
{
	static const uint64_t MAX[] = {UINT_MAX, UINT_MAX, UINT_MAX, 999999999, INT64_MAX / 4,
		INT64_MAX / 8, INT64_MAX / 8};
	enum { NUMBER, STATUS, FORM, SENT, CLOCK, FIRST, LAST, COUNT_ };
	uint64_t n[COUNT_] = {0};
	slice leg;
	int rc = 0;

	a->capture = slice_take(&line, ' ');
	leg = slice_take(&line, ' ');
	for (size_t i = 0; rc == 0 && i < COUNT_; i++)
		rc = take_number(&line, MAX[i], &n[i]);
	if (rc || line.len || !a->capture.len || !h->has_date || h->date < 0 ||
		h->date > INT64_MAX / 2)
		return ERR_SYNTAX;
	a->number = (unsigned)n[NUMBER];
	a->status = (unsigned)n[STATUS];
	*ret_form = (unsigned)n[FORM];
	a->wall.sent = h->date + (int64_t)n[SENT];
	a->clock.sent = (int64_t)n[CLOCK];
	a->wall.first_byte = a->wall.sent + (int64_t)n[FIRST];
	a->clock.first_byte = a->clock.sent + (int64_t)n[FIRST];
	a->wall.last_byte = a->wall.first_byte + (int64_t)n[LAST];
	a->clock.last_byte = a->clock.first_byte + (int64_t)n[LAST];
	if (!attempt_has_all_times(a) || a->status == 0)
		return ERR_SYNTAX;
	return read_leg(leg, &a->leg);
}

static bool is_prefixed(slice name)
{
	return word_is(slice_sub(name, 0, sizeof PREFIX - 1), SLICE(PREFIX));
}

/* The fields with our prefix. */
static int read_prefixed(const struct fields *f, struct attempt *a, struct err *err)
{
	uint64_t seen = 0;
	unsigned lines = 0;

	for (size_t i = 0; i < f->items.len; i++) {
		slice name = f->items.ptr[i].name;
		size_t row;

		if (!is_prefixed(name))
			continue;
		lines += word_is(name, SLICE(LINE));
		if (lines > 1)
			return bad_header(err, LINE);
		if (word_is(name, SLICE(LINE)))
			continue;
		row = find_row(slice_sub(name, sizeof PREFIX - 1, name.len));
		if (row == ROW_COUNT)
			continue;
		if (is_elsewhere(&ROWS[row]) || seen & UINT64_C(1) << row ||
			read_row(&ROWS[row], f->items.ptr[i].value, a))
			return bad_header(err, ROWS[row].name.ptr);
		seen |= UINT64_C(1) << row;
	}
	return 0;
}

/* "h2" and "tls/1.3" are two fields. */
static int read_protocol(const struct fields *f, struct arena *arena, struct attempt *a)
{
	BUF_SCOPED(text, FIELDS_HEAD_MAX);

	for (size_t i = 0; i < f->items.len; i++) {
		if (!word_is(f->items.ptr[i].name, SLICE("WARC-Protocol")))
			continue;
		if (text.len)
			buf_add_char(&text, ' ');
		buf_add(&text, f->items.ptr[i].value);
	}
	if (text.len)
		a->protocol = arena_keep(arena, buf_slice(&text));
	return text.error;
}

/* What a revisit record says of the one that has its body. */
static int read_original(const struct warc_header *h, struct attempt_original *ret)
{
	slice date = warc_header_get(h, SLICE("WARC-Refers-To-Date"));

	ret->record = fields_trim(warc_header_get(h, SLICE("WARC-Refers-To")));
	ret->url = warc_header_uri(h, SLICE("WARC-Refers-To-Target-URI"));
	return ret->record.len && ret->url.len ? warc_date_parse(date, &ret->date) : ERR_SYNTAX;
}

/* What the fields of the standard say of an attempt. */
static int read_standard(const struct warc_header *h, struct arena *arena, struct attempt *a)
{
	int rc = digest_parse(warc_header_get(h, SLICE("WARC-Payload-Digest")), &a->payload);

	a->url = h->url;
	a->record_id = fields_trim(warc_header_get(h, SLICE("WARC-Record-ID")));
	a->address = warc_header_get(h, SLICE("WARC-IP-Address"));
	a->cipher = warc_header_get(h, SLICE("WARC-Cipher-Suite"));
	a->has_payload = true;
	a->is_revisit = h->type == WARC_TYPE_REVISIT;
	if (rc || !a->url.len || !a->record_id.len ||
		(a->is_revisit && read_original(h, &a->original)))
		return ERR_SYNTAX;
	return read_protocol(&h->fields, arena, a);
}

bool attempt_is_in_header(const struct warc_header *h)
{
	return (h->type == WARC_TYPE_REVISIT || h->type == WARC_TYPE_RESPONSE) &&
	       warc_header_get(h, SLICE(LINE)).ptr;
}

int attempt_copy_header(const struct warc_header *h, struct buf *out)
{
	const struct fields *f = &h->fields;

	for (size_t i = 0; i < f->items.len; i++)
		if (is_prefixed(f->items.ptr[i].name))
			TRY(warc_header_add(out, f->items.ptr[i].name, f->items.ptr[i].value));
	return 0;
}

int attempt_parse_header(const struct warc_header *h, struct arena *arena, struct attempt *ret,
	unsigned *ret_form, struct err *err)
{
	struct attempt a = {0};
	unsigned form;
	int rc;

	if (!attempt_is_in_header(h))
		return err_set(err, ERR_NOTFOUND, "the record has no attempt in its header");
	if (arena_full(arena))
		return err_code(err, ERR_LIMIT);
	rc = read_line(warc_header_get(h, SLICE(LINE)), h, &a, &form);
	if (rc == ERR_UNSUPPORTED)
		return err_set(err, rc, "attempt: a leg of a later version");
	if (rc)
		return bad_header(err, LINE);
	TRY(read_prefixed(&h->fields, &a, err));
	rc = read_standard(h, arena, &a);
	if (rc == ERR_SYNTAX)
		return bad_header(err, "revisit");
	TRY(err_code(err, rc));
	TRY(err_code(err, attempt_keep(&a, arena)));
	if (a.post.ptr)
		TRY(err_code(err, add_body(&a, arena)));
	if (arena_full(arena))
		return err_code(err, ERR_LIMIT);
	*ret = a;
	*ret_form = form;
	return 0;
}

int attempt_parse(slice block, slice url, struct arena *arena, struct attempt *ret, struct err *err)
{
	static const slice FIRST = SLICE_INIT("attempt\r\n");
	struct attempt a = {0};
	SCOPED(fields_release) struct fields fields = {0};
	char *copy;
	int rc;

	if (block.len > FIELDS_HEAD_MAX)
		return err_set(err, ERR_NOTFOUND, "too long for an attempt: %zu bytes", block.len);
	if (arena_full(arena))
		return err_code(err, ERR_LIMIT);
	/* A copy that fields_parse may change, below the first line that it expects. */
	copy = arena_need(arena, FIRST.len + block.len, 1);
	memcpy(copy, FIRST.ptr, FIRST.len);
	if (block.len)
		memcpy(copy + FIRST.len, block.ptr, block.len);
	rc = fields_parse(&fields, copy, FIRST.len + block.len);
	if (rc == ERR_LIMIT)
		rc = ERR_SYNTAX;
	if (rc)
		return err_set(err, rc, "attempt: %s", err_name(rc));
	TRY(read_fields(&fields, &a, err));
	a.url = arena_keep(arena, url);
	if (a.post.ptr && a.url.ptr)
		TRY(err_code(err, add_body(&a, arena)));
	if (arena_full(arena))
		return err_code(err, ERR_LIMIT);
	*ret = a;
	return 0;
}
