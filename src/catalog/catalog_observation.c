#include <stddef.h>
#include <string.h>

#include "catalog/catalog_db.h"

/*
 * Attempts at robots.txt and sitemaps have no page. They are rows of pages that no capture can
 * have, from SIDE_FIRST on, in the order of their coming: behind all others.
 */
#define SIDE_FIRST INT64_C(0xffffffff)

enum {
	ATTEMPT_MAX = (1 << 26) - 1, /* what the reading order has room for, and of legs: */
	LEG_MAX = (1 << 4) - 1,
	UUID_SIZE = 16,
};

/* How a member of struct attempt is stored. */
enum column_kind {
	LEG,    /* enum attempt_leg */
	NUMBER, /* unsigned, up to ATTEMPT_MAX */
	COUNT,  /* unsigned */
	FLAG,   /* bool */
	TIME,   /* int64_t */
	HASH,   /* uint64_t, of which all bits count */
	SIZE,   /* uint64_t, up to INT64_MAX */
	AGE,    /* struct attempt_age */
	TEXT,   /* slice */
	BLOB,   /* slice */
	WORD,   /* slice, in the table word */
	ID,     /* slice, a record's */
	DIGEST, /* if the flag is set */
};

struct column {
	enum column_kind kind;
	size_t member, flag; /* offsets */
};

#define COUNT_OF(list)             (sizeof(list) / sizeof(list)[0])
#define COLUMN(name, kind, member) {(kind), offsetof(struct attempt, member), 0},
#define DIGEST_COLUMN(name, member) \
	{DIGEST, offsetof(struct attempt, member), offsetof(struct attempt, has_##member)},

static const struct column ALL[] = {CATALOG_OBSERVATION_FIELDS(COLUMN, DIGEST_COLUMN)};
static const struct column BODY[] = {CATALOG_BODY_FIELDS(COLUMN, DIGEST_COLUMN)};
static const struct column TIMES[] = {CATALOG_TIMES_FIELDS(COLUMN, DIGEST_COLUMN)};

static const char UUID_BEGIN[] = "<urn:uuid:";
static const char UUID_SHAPE[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx>";

enum {
	UUID_BEGIN_LEN = sizeof UUID_BEGIN - 1,
	RECORD_ID_LEN = sizeof UUID_BEGIN + sizeof UUID_SHAPE - 2,
};

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Our own record ids are kept in a third of the space; false for any other, which is kept whole. */
static bool pack_id(slice id, unsigned char out[UUID_SIZE])
{
	unsigned digits = 0;

	if (id.len != RECORD_ID_LEN || memcmp(id.ptr, UUID_BEGIN, UUID_BEGIN_LEN) != 0)
		return false;
	memset(out, 0, UUID_SIZE);
	for (size_t i = 0; UUID_SHAPE[i]; i++) {
		char c = id.ptr[UUID_BEGIN_LEN + i];
		int value = hex_value(c);

		if (UUID_SHAPE[i] != 'x' && c != UUID_SHAPE[i])
			return false;
		if (UUID_SHAPE[i] != 'x')
			continue;
		if (value < 0)
			return false;
		out[digits / 2] = (unsigned char)(out[digits / 2] << 4 | value);
		digits++;
	}
	return true;
}

static slice unpack_id(slice packed, char out[RECORD_ID_LEN])
{
	static const char HEX[] = "0123456789abcdef";
	unsigned digits = 0;

	memcpy(out, UUID_BEGIN, UUID_BEGIN_LEN);
	for (size_t i = 0; UUID_SHAPE[i]; i++) {
		unsigned byte = (unsigned char)packed.ptr[digits / 2 % UUID_SIZE];
		bool is_digit = UUID_SHAPE[i] == 'x';

		out[UUID_BEGIN_LEN + i] = UUID_SHAPE[i];
		if (is_digit)
			out[UUID_BEGIN_LEN + i] = HEX[digits % 2 ? byte & 15 : byte >> 4];
		digits += is_digit;
	}
	return (slice){out, RECORD_ID_LEN};
}

/* ---- adding ---- */

static int next_side(struct catalog *c, uint32_t capture, int64_t *ret, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_NEXT_SIDE, capture, err);

	if (rc == 0)
		rc = query_next(&q, err);
	if (rc == 0)
		*ret = sqlite3_column_type(q.stmt, 0) == SQLITE_NULL ? SIDE_FIRST
								     : query_int(&q, 0);
	return query_end(&q, rc);
}

static void put_id(struct query *q, slice id, unsigned char packed[UUID_SIZE])
{
	if (pack_id(id, packed))
		query_put_blob(q, (slice){(const char *)packed, UUID_SIZE});
	else
		query_put_text(q, id);
}

static void put_age(struct query *q, const struct attempt_age *age)
{
	if (age->known)
		query_put_int(q, age->seconds);
	else
		query_put_null(q);
}

/* id is room for the record's, until the query is run. */
static void put(struct query *q, const struct column *column, const struct attempt *a,
	unsigned char id[UUID_SIZE])
{
	const void *member = (const char *)a + column->member;

	switch (column->kind) {
	case LEG:
		query_put_int(q, *(const enum attempt_leg *)member);
		break;
	case NUMBER:
	case COUNT:
		query_put_int(q, *(const unsigned *)member);
		break;
	case FLAG:
		query_put_int(q, *(const bool *)member);
		break;
	case TIME:
		query_put_int(q, *(const int64_t *)member);
		break;
	case HASH:
		query_put_int(q, (int64_t) * (const uint64_t *)member);
		break;
	case SIZE:
		query_put_size(q, *(const uint64_t *)member);
		break;
	case AGE:
		put_age(q, member);
		break;
	case TEXT:
		query_put_text(q, *(const slice *)member);
		break;
	case BLOB:
		query_put_blob(q, *(const slice *)member);
		break;
	case WORD:
		query_put_word(q, *(const slice *)member);
		break;
	case ID:
		put_id(q, *(const slice *)member, id);
		break;
	case DIGEST:
		query_put_digest(q, *(const bool *)((const char *)a + column->flag), member);
		break;
	}
}

static int add(
	struct query *q, uint32_t capture, int64_t page, const struct attempt *a, struct err *err)
{
	unsigned char id[UUID_SIZE];

	query_put_int(q, capture);
	query_put_int(q, page);
	/* That of a page is the page's. */
	query_put_text(q, page >= SIDE_FIRST ? a->url : (slice){0});
	for (size_t i = 0; i < COUNT_OF(ALL); i++)
		put(q, &ALL[i], a, id);
	return query_run(q, err);
}

int catalog_add_observation(
	struct catalog *c, uint32_t capture, const struct attempt *a, struct err *err)
{
	int64_t page = a->page;
	struct query q;
	int rc = 0;

	if (a->number > ATTEMPT_MAX)
		return err_set(err, ERR_RANGE, "%s: attempt %u", c->path, a->number);
	query_write(&q, c, SQL_ADD_OBSERVATION, err);
	if (a->page == CATALOG_NO_PAGE && !q.rc)
		rc = next_side(c, capture, &page, err);
	return rc ? query_end(&q, rc) : add(&q, capture, page, a, err);
}

/* ---- reading ---- */

static slice read_record_id(struct query *q, int column, char out[RECORD_ID_LEN])
{
	slice id = query_text(q, column);

	if (sqlite3_column_type(q->stmt, column) != SQLITE_BLOB)
		return id;
	if (id.len != UUID_SIZE) {
		q->damaged = true;
		return id;
	}
	return unpack_id(id, out);
}

static struct attempt_age read_age(struct query *q, int column)
{
	if (sqlite3_column_type(q->stmt, column) == SQLITE_NULL)
		return (struct attempt_age){0};
	return (struct attempt_age){true, (unsigned)query_up_to(q, column, UINT32_MAX)};
}

static void read_column(struct query *q, int at, const struct column *column, struct attempt *ret,
	char id[RECORD_ID_LEN])
{
	void *member = (char *)ret + column->member;

	switch (column->kind) {
	case LEG:
		*(enum attempt_leg *)member = (enum attempt_leg)query_up_to(q, at, LEG_MAX);
		break;
	case NUMBER:
		*(unsigned *)member = (unsigned)query_up_to(q, at, ATTEMPT_MAX);
		break;
	case COUNT:
		*(unsigned *)member = (unsigned)query_up_to(q, at, UINT32_MAX);
		break;
	case FLAG:
		*(bool *)member = query_bool(q, at);
		break;
	case TIME:
		*(int64_t *)member = query_int(q, at);
		break;
	case HASH:
		*(uint64_t *)member = (uint64_t)query_int(q, at);
		break;
	case SIZE:
		*(uint64_t *)member = query_up_to(q, at, INT64_MAX);
		break;
	case AGE:
		*(struct attempt_age *)member = read_age(q, at);
		break;
	case TEXT:
	case BLOB:
		*(slice *)member = query_text(q, at);
		break;
	case WORD:
		*(slice *)member = query_word(q, at);
		break;
	case ID:
		*(slice *)member = read_record_id(q, at, id);
		break;
	case DIGEST:
		*(bool *)((char *)ret + column->flag) = query_digest(q, at, member);
		break;
	}
}

/* What to read: a statement, and its columns behind key, page and url. */
struct reading {
	enum catalog_sql sql;
	const struct column *columns;
	size_t count;
};

static int hand_out(struct query *q, const struct reading *r, catalog_on_observation *call,
	void *context, int rc, struct err *err)
{
	char id[RECORD_ID_LEN];

	while (rc == 0 && (rc = query_next_key(q, err)) == 0) {
		uint64_t page = query_up_to(q, 1, INT64_MAX >> 30);
		struct attempt a = {
			.page = page < SIDE_FIRST ? (uint32_t)page : CATALOG_NO_PAGE,
			.url = query_text(q, 2),
		};

		for (size_t i = 0; i < r->count; i++)
			read_column(q, 3 + (int)i, &r->columns[i], &a, id);
		rc = query_check(q, err);
		/* Legs of a later version are passed over. */
		if (rc == 0 && a.leg < ATTEMPT_LEGS)
			rc = call(context, &a);
	}
	return query_end(q, rc);
}

static int each(struct catalog *c, uint32_t capture, const struct reading *r,
	catalog_on_observation *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, r->sql, capture, err);

	return hand_out(&q, r, call, context, rc, err);
}

int catalog_page_observations(struct catalog *c, uint32_t capture, uint32_t page,
	catalog_on_observation *call, void *context, struct err *err)
{
	static const struct reading R = {SQL_PAGE_OBSERVATIONS, ALL, COUNT_OF(ALL)};
	struct query q;
	int rc = query_rows(&q, c, R.sql, capture, err);

	if (rc == 0)
		query_put_int(&q, page);
	return hand_out(&q, &R, call, context, rc, err);
}

int catalog_each_observation(struct catalog *c, uint32_t capture, catalog_on_observation *call,
	void *context, struct err *err)
{
	static const struct reading R = {SQL_EACH_OBSERVATION, ALL, COUNT_OF(ALL)};

	return each(c, capture, &R, call, context, err);
}

int catalog_each_body(struct catalog *c, uint32_t capture, catalog_on_observation *call,
	void *context, struct err *err)
{
	static const struct reading R = {SQL_EACH_BODY, BODY, COUNT_OF(BODY)};

	return each(c, capture, &R, call, context, err);
}

int catalog_each_times(struct catalog *c, uint32_t capture, catalog_on_observation *call,
	void *context, struct err *err)
{
	static const struct reading R = {SQL_EACH_TIMES, TIMES, COUNT_OF(TIMES)};

	return each(c, capture, &R, call, context, err);
}
