#include <string.h>

#include "catalog/catalog_db.h"

/*
 * Attempts at robots.txt and sitemaps have no page. They are rows of pages that no capture can
 * have, from SIDE_FIRST on, in the order of their coming: behind all others.
 */
#define SIDE_FIRST INT64_C(0xffffffff)

enum {
	ATTEMPT_MAX = (1 << 28) - 1, /* what the reading order has room for */
	UUID_SIZE = 16,
};

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

static void put_times(struct query *q, const struct attempt_times *t)
{
	query_put_int(q, t->sent);
	query_put_int(q, t->first_byte);
	query_put_int(q, t->last_byte);
}

static void put_attempt(struct query *q, const struct attempt *a)
{
	query_put_int(q, a->leg);
	query_put_int(q, a->number);
	query_put_text(q, a->url);
	put_times(q, &a->wall);
	put_times(q, &a->clock);
	query_put_int(q, a->status);
	query_put_int(q, a->truncated);
	query_put_text(q, a->failure);
	query_put_digest(q, a->has_state, &a->state);
}

static int add(struct query *q, uint32_t capture, int64_t page, const struct catalog_observation *o,
	struct err *err)
{
	struct attempt attempt = o->attempt;
	unsigned char id[UUID_SIZE];

	/* That of a page is the page's. */
	if (page < SIDE_FIRST)
		attempt.url = (slice){0};
	query_put_int(q, capture);
	query_put_int(q, page);
	put_attempt(q, &attempt);
	query_put_word(q, o->media_type);
	query_put_digest(q, o->has_payload, &o->payload);
	query_put_word(q, o->warc);
	query_put_size(q, o->offset);
	query_put_size(q, o->length);
	if (pack_id(o->record_id, id))
		query_put_blob(q, (slice){(const char *)id, sizeof id});
	else
		query_put_text(q, o->record_id);
	query_put_int(q, o->is_revisit);
	query_put_int(q, (int64_t)o->coding);
	return query_run(q, err);
}

int catalog_add_observation(
	struct catalog *c, uint32_t capture, const struct catalog_observation *o, struct err *err)
{
	int64_t page = o->page;
	struct query q;
	int rc;

	if (o->attempt.number > ATTEMPT_MAX)
		return err_set(err, ERR_RANGE, "%s: attempt %u", c->path, o->attempt.number);
	rc = query_write(&q, c, SQL_ADD_OBSERVATION, err);
	if (rc)
		return rc;
	if (o->page == CATALOG_NO_PAGE)
		rc = next_side(c, capture, &page, err);
	return rc ? query_end(&q, rc) : add(&q, capture, page, o, err);
}

/* ---- reading ---- */

static struct attempt_times read_times(struct query *q, int column)
{
	return (struct attempt_times){
		.sent = query_int(q, column),
		.first_byte = query_int(q, column + 1),
		.last_byte = query_int(q, column + 2),
	};
}

static struct attempt read_attempt(struct query *q)
{
	struct attempt a = {
		.leg = (enum attempt_leg)query_up_to(q, 2, ATTEMPT_SIDE),
		.number = (unsigned)query_up_to(q, 3, ATTEMPT_MAX),
		.url = query_text(q, 4),
		.wall = read_times(q, 5),
		.clock = read_times(q, 8),
		.status = (unsigned)query_up_to(q, 11, UINT32_MAX),
		.truncated = query_bool(q, 12),
		.failure = query_text(q, 13),
	};

	a.has_state = query_digest(q, 14, &a.state);
	return a;
}

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

static int read_row(
	struct query *q, struct catalog_observation *ret, char id[RECORD_ID_LEN], struct err *err)
{
	uint64_t page = query_up_to(q, 1, INT64_MAX >> 30);

	*ret = (struct catalog_observation){
		.page = page < SIDE_FIRST ? (uint32_t)page : CATALOG_NO_PAGE,
		.attempt = read_attempt(q),
		.media_type = query_word(q, 15),
		.warc = query_word(q, 17),
		.offset = query_up_to(q, 18, INT64_MAX),
		.length = query_up_to(q, 19, INT64_MAX),
		.record_id = read_record_id(q, 20, id),
		.is_revisit = query_bool(q, 21),
		.coding = (uint64_t)query_int(q, 22),
	};
	ret->has_payload = query_digest(q, 16, &ret->payload);
	return query_check(q, err);
}

int catalog_each_observation(struct catalog *c, uint32_t capture, catalog_on_observation *call,
	void *context, struct err *err)
{
	struct catalog_observation o;
	char id[RECORD_ID_LEN];
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_OBSERVATION, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 &&
		(rc = read_row(&q, &o, id, err)) == 0)
		rc = call(context, &o);
	return query_end(&q, rc);
}

static int read_body(struct query *q, struct catalog_body *ret, struct err *err)
{
	*ret = (struct catalog_body){.is_original = !query_bool(q, 1)};
	ret->is_original = query_digest(q, 2, &ret->payload) && ret->is_original;
	if (ret->is_original) {
		ret->coding = (uint64_t)query_int(q, 3);
		ret->warc = query_word(q, 4);
		ret->offset = query_up_to(q, 5, INT64_MAX);
		ret->length = query_up_to(q, 6, INT64_MAX);
		ret->is_original = ret->warc.ptr != NULL;
	}
	return query_check(q, err);
}

int catalog_each_body(
	struct catalog *c, uint32_t capture, catalog_on_body *call, void *context, struct err *err)
{
	struct catalog_body b;
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_BODY, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 && (rc = read_body(&q, &b, err)) == 0)
		rc = call(context, &b);
	return query_end(&q, rc);
}

int catalog_each_times(
	struct catalog *c, uint32_t capture, catalog_on_times *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_read(&q, c, SQL_EACH_TIMES, err);

	if (rc)
		return rc;
	query_put_int(&q, capture);
	while (rc == 0) {
		struct attempt_times wall;
		enum attempt_leg leg;

		rc = query_next_key(&q, err);
		if (rc)
			break;
		leg = (enum attempt_leg)query_up_to(&q, 1, ATTEMPT_SIDE);
		wall = read_times(&q, 2);
		rc = query_check(&q, err);
		if (rc == 0)
			rc = call(context, leg, &wall);
	}
	return query_end(&q, rc);
}
