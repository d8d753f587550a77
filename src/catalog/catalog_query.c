#include <math.h>
#include <string.h>

#include "catalog/catalog_db.h"

/* ---- statements ---- */

/*
 * Takes the statement out of its place, or prepares it when it is not there: it is in use by a
 * reader whose callback reads the same, or it is the first time.
 */
static int take(struct catalog *c, enum catalog_sql id, sqlite3_stmt **ret, struct err *err)
{
	int rc;

	*ret = c->statements[id];
	c->statements[id] = NULL;
	if (*ret)
		return 0;
	rc = sqlite3_prepare_v3(c->db, catalog_sql(id), -1, SQLITE_PREPARE_PERSISTENT, ret, NULL);
	return rc == SQLITE_OK ? 0 : catalog_error(c, rc, err);
}

static void give_back(struct query *q)
{
	if (!q->stmt)
		return;
	(void)sqlite3_reset(q->stmt);
	if (q->c->statements[q->id])
		(void)sqlite3_finalize(q->stmt);
	else
		q->c->statements[q->id] = q->stmt;
	q->stmt = NULL;
}

/* rc: what came of it so far. */
static void start(struct query *q, struct catalog *c, enum catalog_sql id, int rc, struct err *err)
{
	*q = (struct query){.c = c, .id = id, .rc = rc, .err = err};
	if (rc == 0)
		q->rc = take(c, id, &q->stmt, err);
}

int query_read(struct query *q, struct catalog *c, enum catalog_sql id, struct err *err)
{
	start(q, c, id, 0, err);
	return q->rc;
}

int query_rows(
	struct query *q, struct catalog *c, enum catalog_sql id, uint32_t capture, struct err *err)
{
	int rc = query_read(q, c, id, err);

	if (rc == 0)
		query_put_int(q, capture);
	return rc;
}

static int run_alone(struct catalog *c, enum catalog_sql id, struct err *err)
{
	struct query q;

	start(&q, c, id, 0, err);
	return query_run(&q, err);
}

/* Another process may have written since our last transaction. */
static int notice_others(struct catalog *c, struct err *err)
{
	int64_t version = 0;
	struct query q;
	int rc = query_read(&q, c, SQL_DATA_VERSION, err);

	if (rc)
		return rc;
	rc = query_next(&q, err);
	if (rc == 0)
		version = query_int(&q, 0);
	rc = query_end(&q, rc);
	if (rc == 0 && version != c->data_version) {
		c->data_version = version;
		c->words.loaded = false;
		c->event_capture = 0;
		c->named = 0;
	}
	return rc;
}

static int begin(struct catalog *c, struct err *err)
{
	int rc;

	if (c->read_only)
		return err_set(err, ERR_STATE, "%s is open for reading only", c->path);
	if (c->failed)
		return err_set(err, ERR_IO, "%s: a write before this one has failed", c->path);
	if (c->dirty)
		return 0;
	rc = run_alone(c, SQL_BEGIN, err);
	if (rc)
		return rc;
	c->dirty = true;
	return notice_others(c, err);
}

void query_write(struct query *q, struct catalog *c, enum catalog_sql id, struct err *err)
{
	start(q, c, id, begin(c, err), err);
}

/* ---- parameters ---- */

/* Where the next one goes, or 0 after a failure. */
static int place(struct query *q)
{
	return q->rc ? 0 : ++q->put;
}

static void keep(struct query *q, int sqlite_code)
{
	if (sqlite_code != SQLITE_OK && !q->rc)
		q->rc = catalog_error(q->c, sqlite_code, q->err);
}

static void refuse(struct query *q, const char *why)
{
	if (!q->rc)
		q->rc = err_set(q->err, ERR_RANGE, "%s: %s", q->c->path, why);
}

void query_put_int(struct query *q, int64_t value)
{
	int at = place(q);

	if (at)
		keep(q, sqlite3_bind_int64(q->stmt, at, value));
}

void query_put_size(struct query *q, uint64_t value)
{
	if (value > INT64_MAX)
		refuse(q, "a size beyond 63 bits");
	else
		query_put_int(q, (int64_t)value);
}

void query_put_double(struct query *q, double value)
{
	int at = place(q);

	if (isnan(value))
		refuse(q, "a value that is not a number");
	else if (at)
		keep(q, sqlite3_bind_double(q->stmt, at, value));
}

void query_put_null(struct query *q)
{
	int at = place(q);

	if (at)
		keep(q, sqlite3_bind_null(q->stmt, at));
}

void query_put_text(struct query *q, slice value)
{
	int at = place(q);

	if (at)
		keep(q, sqlite3_bind_text64(
				q->stmt, at, value.ptr, value.len, SQLITE_STATIC, SQLITE_UTF8));
}

void query_put_blob(struct query *q, slice value)
{
	int at = place(q);

	if (at)
		keep(q, sqlite3_bind_blob64(q->stmt, at, value.ptr, value.len, SQLITE_STATIC));
}

void query_put_word(struct query *q, slice value)
{
	int64_t number = 0;

	if (value.ptr && !q->rc)
		q->rc = catalog_word_number(q->c, value, &number, q->err);
	if (number)
		query_put_int(q, number);
	else
		query_put_text(q, value);
}

static const size_t DIGEST_SIZES[] = {
	[DIGEST_MD5] = 16, [DIGEST_SHA1] = 20, [DIGEST_SHA256] = 32, [DIGEST_SHORT] = 5};

enum { DIGEST_KINDS = sizeof DIGEST_SIZES / sizeof DIGEST_SIZES[0] };

void query_put_digest(struct query *q, bool has, const struct digest *d)
{
	if (has)
		query_put_blob(q, (slice){(const char *)d->bytes, DIGEST_SIZES[d->kind]});
	else
		query_put_null(q);
}

/* ---- running ---- */

int query_run(struct query *q, struct err *err)
{
	int rc = q->rc, sqlite = SQLITE_DONE;

	if (rc == 0)
		do
			sqlite = sqlite3_step(q->stmt);
		while (sqlite == SQLITE_ROW);
	if (sqlite != SQLITE_DONE)
		rc = catalog_error(q->c, sqlite, err);
	return query_end(q, rc);
}

int query_run_on(struct query *q, const char *what, struct err *err)
{
	struct catalog *c = q->c;
	int rc = query_run(q, err);

	if (rc == 0 && sqlite3_changes(c->db) == 0)
		rc = err_set(err, ERR_NOTFOUND, "%s has no such %s", c->path, what);
	return rc;
}

int query_next(struct query *q, struct err *err)
{
	int rc;

	if (q->rc)
		return q->rc;
	rc = sqlite3_step(q->stmt);
	if (rc == SQLITE_ROW)
		return 0;
	return rc == SQLITE_DONE ? ERR_END : catalog_error(q->c, rc, err);
}

int query_next_key(struct query *q, struct err *err)
{
	int rc = query_next(q, err);
	int64_t key;

	if (rc)
		return rc;
	key = query_int(q, 0);
	if (q->has_key && key <= q->key)
		return catalog_damaged(q->c, "rows are out of order", err);
	q->has_key = true;
	q->key = key;
	return 0;
}

int query_check(struct query *q, struct err *err)
{
	if (q->rc)
		return q->rc;
	return q->damaged ? catalog_damaged(q->c, "a value is impossible", err) : 0;
}

int query_end(struct query *q, int rc)
{
	give_back(q);
	return rc == ERR_END ? 0 : rc;
}

/* ---- columns ---- */

int64_t query_int(struct query *q, int column)
{
	if (sqlite3_column_type(q->stmt, column) != SQLITE_INTEGER)
		q->damaged = true;
	return sqlite3_column_int64(q->stmt, column);
}

uint64_t query_up_to(struct query *q, int column, uint64_t max)
{
	int64_t value = query_int(q, column);

	if (value >= 0 && (uint64_t)value <= max)
		return (uint64_t)value;
	q->damaged = true;
	return 0;
}

int64_t query_time(struct query *q, int column)
{
	int64_t value = query_int(q, column);

	if (value >= -CATALOG_TIME_MAX && value <= CATALOG_TIME_MAX)
		return value;
	q->damaged = true;
	return 0;
}

bool query_bool(struct query *q, int column)
{
	return query_up_to(q, column, 1) != 0;
}

uint32_t query_number(struct query *q, int column)
{
	return (uint32_t)((uint64_t)query_int(q, column) & UINT32_MAX);
}

double query_double(struct query *q, int column)
{
	if (sqlite3_column_type(q->stmt, column) != SQLITE_FLOAT)
		q->damaged = true;
	return sqlite3_column_double(q->stmt, column);
}

slice query_text(struct query *q, int column)
{
	int type = sqlite3_column_type(q->stmt, column);
	const char *text;

	if (type == SQLITE_NULL)
		return (slice){0};
	if (type != SQLITE_TEXT && type != SQLITE_BLOB)
		q->damaged = true;
	/* The text first, then its length; an empty blob has no address. */
	text = type == SQLITE_BLOB ? sqlite3_column_blob(q->stmt, column)
				   : (const char *)sqlite3_column_text(q->stmt, column);
	return (slice){text ? text : "", (size_t)sqlite3_column_bytes(q->stmt, column)};
}

slice query_word(struct query *q, int column)
{
	slice text = {0};

	if (sqlite3_column_type(q->stmt, column) != SQLITE_INTEGER)
		return query_text(q, column);
	if (!q->rc)
		q->rc = catalog_word_text(
			q->c, sqlite3_column_int64(q->stmt, column), &text, q->err);
	return text;
}

bool query_digest(struct query *q, int column, struct digest *ret)
{
	slice bytes = query_text(q, column);

	if (!bytes.ptr)
		return false;
	for (int i = 0; i < DIGEST_KINDS; i++)
		if (bytes.len == DIGEST_SIZES[i]) {
			*ret = (struct digest){.kind = (enum digest_kind)i};
			memcpy(ret->bytes, bytes.ptr, bytes.len);
			return true;
		}
	q->damaged = true;
	return false;
}
