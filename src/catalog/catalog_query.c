#include <math.h>
#include <string.h>

#include "catalog/catalog_db.h"

enum { SQL_MAX = 64 << 10 };

/* ---- statements ---- */

/*
 * Takes the statement out of its place, or prepares it when it is not there: it is in use by a
 * reader whose callback reads the same, or it is the first time.
 */
static int take(struct catalog *c, enum catalog_sql id, sqlite3_stmt **ret, struct err *err)
{
	BUF_SCOPED(sql, SQL_MAX);
	int rc;

	*ret = c->statements[id];
	c->statements[id] = NULL;
	if (*ret)
		return 0;
	catalog_sql(id, &sql);
	rc = sqlite3_prepare_v3(c->db, buf_str(&sql), -1, SQLITE_PREPARE_PERSISTENT, ret, NULL);
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

void query_read(struct query *q, struct catalog *c, enum catalog_sql id, struct err *err)
{
	start(q, c, id, 0, err);
}

void query_rows(
	struct query *q, struct catalog *c, enum catalog_sql id, uint32_t capture, struct err *err)
{
	query_read(q, c, id, err);
	query_put_int(q, capture);
}

/* Another process may have written since our last transaction. */
static int notice_others(struct catalog *c, struct err *err)
{
	int64_t version = 0;
	struct query q;
	int rc;

	query_read(&q, c, SQL_DATA_VERSION, err);
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
	struct query q;

	if (c->read_only)
		return err_set(err, ERR_STATE, "%s is open for reading only", c->path);
	if (c->failed)
		return err_set(err, ERR_IO, "%s: a write before this one has failed", c->path);
	if (c->dirty)
		return 0;
	query_read(&q, c, SQL_BEGIN, err);
	TRY(query_run(&q, err));
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

static void put_null(struct query *q)
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
		put_null(q);
}

static void put_column(
	struct query *q, const struct catalog_column *column, uint32_t capture, const void *row)
{
	const void *member = (const char *)row + column->member;
	slice text;

	switch (column->kind) {
	case COLUMN_OWNER:
		query_put_int(q, capture);
		break;
	case COLUMN_KEY:
	case COLUMN_LEFT_OUT_KEY:
		query_put_int(q, catalog_key(capture, *(const uint32_t *)member));
		break;
	case COLUMN_BOOL:
		query_put_int(q, *(const bool *)member);
		break;
	case COLUMN_U8:
		query_put_int(q, *(const uint8_t *)member);
		break;
	case COLUMN_VIA:
		if (*(const uint32_t *)member == CATALOG_NO_PAGE)
			put_null(q);
		else
			query_put_int(q, *(const uint32_t *)member);
		break;
	case COLUMN_U32:
	case COLUMN_PAGE:
	case COLUMN_LEFT_OUT:
		query_put_int(q, *(const uint32_t *)member);
		break;
	case COLUMN_U64:
		query_put_size(q, *(const uint64_t *)member);
		break;
	case COLUMN_POSITION:
		/* Most pages of an unfinished capture have none: NULL takes no space. */
		if (*(const int64_t *)member < 0)
			put_null(q);
		else
			query_put_int(q, *(const int64_t *)member);
		break;
	case COLUMN_BITS:
	case COLUMN_I64:
	case COLUMN_TIME:
		query_put_int(q, *(const int64_t *)member);
		break;
	case COLUMN_DOUBLE:
		query_put_double(q, *(const double *)member);
		break;
	case COLUMN_FLOAT:
		query_put_double(q, (double)*(const float *)member);
		break;
	case COLUMN_AGE:
		if (((const struct attempt_age *)member)->known)
			query_put_int(q, ((const struct attempt_age *)member)->seconds);
		else
			put_null(q);
		break;
	case COLUMN_DIGEST:
		query_put_digest(q, *((const bool *)row + column->flag), member);
		break;
	case COLUMN_TEXT:
		query_put_text(q, *(const slice *)member);
		break;
	case COLUMN_BLOB:
		query_put_blob(q, *(const slice *)member);
		break;
	case COLUMN_WORD:
		query_put_word(q, *(const slice *)member);
		break;
	case COLUMN_RECORD_ID:
		text = *(const slice *)member;
		if (warc_id_pack(text, q->packed_id))
			query_put_blob(q, (slice){(const char *)q->packed_id, WARC_ID_BYTES});
		else
			query_put_text(q, text);
		break;
	}
}

void query_put_row(struct query *q, uint32_t capture, const void *row)
{
	const struct catalog_statement *s = catalog_statement(q->id);

	for (size_t i = 0; i < s->count; i++)
		put_column(q, &s->columns[i], capture, row);
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

	TRY(query_run(q, err));
	if (sqlite3_changes(c->db) == 0)
		TRY(err_set(err, ERR_NOTFOUND, "%s has no such %s", c->path, what));
	return 0;
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

static int64_t read_time(struct query *q, int column)
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

static slice read_word(struct query *q, int column)
{
	slice text = {0};

	if (sqlite3_column_type(q->stmt, column) != SQLITE_INTEGER)
		return query_text(q, column);
	if (!q->rc)
		q->rc = catalog_word_text(
			q->c, sqlite3_column_int64(q->stmt, column), &text, q->err);
	return text;
}

static bool read_digest(struct query *q, int column, struct digest *ret)
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

/* ---- rows ---- */

static slice read_record_id(struct query *q, int at)
{
	slice id = query_text(q, at);

	if (sqlite3_column_type(q->stmt, at) != SQLITE_BLOB)
		return id;
	if (id.len != WARC_ID_BYTES) {
		q->damaged = true;
		return id;
	}
	warc_id_unpack((const unsigned char *)id.ptr, &q->record_id);
	return slice_str(q->record_id.text);
}

static void read_column(struct query *q, int at, const struct catalog_column *column, void *row)
{
	void *member = (char *)row + column->member;
	bool is_null = sqlite3_column_type(q->stmt, at) == SQLITE_NULL;
	uint32_t number;

	switch (column->kind) {
	case COLUMN_OWNER:
		break;
	case COLUMN_KEY:
		*(uint32_t *)member = query_number(q, at);
		break;
	case COLUMN_LEFT_OUT_KEY:
		number = query_number(q, at);
		if (number > column->max)
			q->damaged = true;
		*(uint32_t *)member = number;
		break;
	case COLUMN_BOOL:
		*(bool *)member = query_bool(q, at);
		break;
	case COLUMN_U8:
		*(uint8_t *)member = (uint8_t)query_up_to(q, at, column->max);
		break;
	case COLUMN_VIA:
		*(uint32_t *)member =
			is_null ? CATALOG_NO_PAGE : (uint32_t)query_up_to(q, at, column->max);
		break;
	case COLUMN_U32:
	case COLUMN_PAGE:
	case COLUMN_LEFT_OUT:
		*(uint32_t *)member = (uint32_t)query_up_to(q, at, column->max);
		break;
	case COLUMN_U64:
		*(uint64_t *)member = query_up_to(q, at, column->max);
		break;
	case COLUMN_BITS:
	case COLUMN_I64:
		*(int64_t *)member = query_int(q, at);
		break;
	case COLUMN_TIME:
		*(int64_t *)member = read_time(q, at);
		break;
	case COLUMN_POSITION:
		*(int64_t *)member = is_null ? -1 : (int64_t)query_up_to(q, at, INT64_MAX);
		break;
	case COLUMN_DOUBLE:
		*(double *)member = query_double(q, at);
		break;
	case COLUMN_FLOAT:
		*(float *)member = (float)query_double(q, at);
		break;
	case COLUMN_AGE:
		if (!is_null)
			*(struct attempt_age *)member = (struct attempt_age){
				true, (unsigned)query_up_to(q, at, column->max)};
		break;
	case COLUMN_DIGEST:
		*((bool *)row + column->flag) = read_digest(q, at, member);
		break;
	case COLUMN_TEXT:
	case COLUMN_BLOB:
		*(slice *)member = query_text(q, at);
		break;
	case COLUMN_WORD:
		*(slice *)member = read_word(q, at);
		break;
	case COLUMN_RECORD_ID:
		*(slice *)member = read_record_id(q, at);
		break;
	}
}

int query_read_row(struct query *q, void *row, size_t size, struct err *err)
{
	const struct catalog_statement *s = catalog_statement(q->id);

	memset(row, 0, size);
	for (size_t i = 0; i < s->count; i++)
		read_column(q, s->before + (int)i, &s->columns[i], row);
	return query_check(q, err);
}

int query_row(struct query *q, void *row, size_t size, struct err *err)
{
	TRY(query_next_key(q, err));
	return query_read_row(q, row, size, err);
}
