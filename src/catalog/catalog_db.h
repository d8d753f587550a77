/*
 * Inside the room: the open database, its schema, and queries on it. A query is one run of a
 * prepared statement:
 *
 *	query_write(&q, c, SQL_ADD_PAGE, err);
 *	query_put_int(&q, number);				// parameters in their order;
 *	query_put_text(&q, url);				// the first failure is kept
 *	return query_run(&q, err);
 *
 *	query_rows(&q, c, SQL_EACH_PAGE, capture, err);		// reading: row by row
 *	while ((rc = query_next(&q, err)) == 0)
 *		use(query_int(&q, 0), query_text(&q, 1));
 *	return query_end(&q, rc);				// ERR_END becomes 0
 *
 * Rows with a struct are written and read as a whole: query_put_row, query_row.
 *
 * Values that cannot have come from us mark the query as damaged, which query_check tells: a row is
 * used only after that.
 */
#ifndef CATALOG_CATALOG_DB_H
#define CATALOG_CATALOG_DB_H

#include <sqlite3.h>

#include "base/hash.h"
#include "base/lists.h"
#include "catalog/catalog.h"
#include "warc/warc_header.h"

/* Statements by name; catalog_sql.c has their text. */
enum catalog_sql {
	SQL_BEGIN,
	SQL_COMMIT,
	SQL_DATA_VERSION,
	SQL_ADD_WORD,
	SQL_EACH_WORD,
	SQL_ADD_CAPTURE,
	SQL_UPDATE_CAPTURE,
	SQL_SET_SETTINGS,
	SQL_GET_CAPTURE,
	SQL_LAST_CAPTURE,
	SQL_EACH_CAPTURE,
	SQL_ADD_PAGE,
	SQL_REFUSE_PAGE,
	SQL_ADMIT_PAGE,
	SQL_TAKE_PAGE,
	SQL_MARK_PAGE,
	SQL_WEIGH_PAGE,
	SQL_LIST_PAGE,
	SQL_EACH_PAGE,
	SQL_GET_PAGE,
	SQL_LAST_PAGE,
	SQL_EACH_URL,
	SQL_URLS_FROM,
	SQL_SET_UNKEPT,
	SQL_EACH_UNKEPT,
	SQL_SET_PLAN,
	SQL_EACH_PLAN,
	SQL_ADD_OBSERVATION,
	SQL_NEXT_SIDE,
	SQL_EACH_OBSERVATION,
	SQL_PAGE_OBSERVATIONS,
	SQL_SIDE_OBSERVATIONS,
	SQL_GET_OBSERVATION,
	SQL_FIND_BASE,
	SQL_EACH_BODY,
	SQL_ADD_PACKED,
	SQL_SET_PACKED,
	SQL_LAST_PACKED,
	SQL_EACH_PACKED,
	SQL_PAGE_PACKED,
	SQL_DROP_OBSERVATIONS,
	SQL_DROP_PACKED,
	SQL_CLEAR_MOVES,
	SQL_ADD_MOVE,
	SQL_MOVE_OBSERVATIONS,
	SQL_MOVE_LOOKS,
	SQL_DROP_LOOKS,
	SQL_RENAME_WARC,
	SQL_ADD_REPLACED,
	SQL_REPLACED_DONE,
	SQL_DROP_REPLACED,
	SQL_EACH_REPLACED,
	SQL_ADD_EVENT,
	SQL_NEXT_EVENT,
	SQL_EACH_EVENT,
	SQL_EVENTS_FROM,
	SQL_ADD_LOOK,
	SQL_SET_LOOKS,
	SQL_DROP_LOOK,
	SQL_EACH_LOOK,
	SQL_LOOKS_ROWS,
	SQL_GET_LOOKS,
	SQL_LAST_LOOKS,
	SQL_SET_WARC,
	SQL_EACH_WARC,
	SQL_ADD_ROBOTS,
	SQL_CONFIRM_ROBOTS,
	SQL_EACH_ROBOTS,
	SQL_EARLIER_ROBOTS,
	SQL_ADD_CLOCK,
	SQL_EACH_CLOCK,
	SQL_ADD_REQUISITE,
	SQL_EACH_REQUISITE,
	SQL_PAGE_REQUISITES,
	SQL_SET_DUST,
	SQL_EACH_DUST,
	SQL_SET_LINKS,
	SQL_EACH_LINKS,
	SQL_ADD_LEARNED,
	SQL_EACH_LEARNED,
	SQL_SET_POLL,
	SQL_EACH_POLL,
	SQL_SET_VERDICT,
	SQL_EACH_VERDICT,
	SQL_PAGE_VERDICT,
	SQL_COUNT_SEEN,
	SQL_ADD_SAVED,
	SQL_DROP_SAVED,
	SQL_EACH_SAVED,
	SQL_SAVED_AROUND,
	SQL_SET_PROGRESS,
	SQL_DROP_PROGRESS,
	SQL_GET_PROGRESS,
	SQL_ADD_IMPORTED_PAGE,
	SQL_ADD_IMPORTED,
	SQL_EACH_IMPORTED,
	SQL_COUNT,
};

/* Appends the text of a statement, as SQLite gets it. */
void catalog_sql(enum catalog_sql id, struct buf *out);

/*
 * Columns of a table, and the members of its struct that they hold: from them follow the names and
 * parameters in statements, the code that writes and reads rows, the lines of page tables
 * (catalog_line.h) and copies of rows (catalog_row_copy).
 */
struct catalog_column {
	const char *name;
	enum column_kind {
		COLUMN_OWNER, /* no member: the capture, when a row is written */
		COLUMN_KEY,   /* uint32_t, packed with the capture */
		COLUMN_BOOL,
		COLUMN_U8,           /* uint8_t, up to max, as all unsigned ones */
		COLUMN_U32,          /* uint32_t, unsigned or enum */
		COLUMN_U64,          /* uint64_t, up to INT64_MAX */
		COLUMN_BITS,         /* uint64_t, of which all bits count */
		COLUMN_I64,          /* int64_t */
		COLUMN_TIME,         /* int64_t, within CATALOG_TIME_MAX */
		COLUMN_POSITION,     /* int64_t; NULL for -1 */
		COLUMN_PAGE,         /* uint32_t, the number of a page or CATALOG_NO_PAGE */
		COLUMN_VIA,          /* the same; NULL for CATALOG_NO_PAGE */
		COLUMN_LEFT_OUT,     /* enum left_out */
		COLUMN_LEFT_OUT_KEY, /* the same, packed with the capture */
		COLUMN_DOUBLE,
		COLUMN_FLOAT,
		COLUMN_AGE,       /* struct attempt_age */
		COLUMN_DIGEST,    /* struct digest, if the flag is set */
		COLUMN_TEXT,      /* slice, as all below */
		COLUMN_BLOB,      /* any bytes */
		COLUMN_WORD,      /* in the table word */
		COLUMN_RECORD_ID, /* of a WARC record */
	} kind;
	size_t member, flag; /* offsets */
	uint64_t max;
};

static inline bool catalog_column_is_text(const struct catalog_column *c)
{
	return c->kind >= COLUMN_TEXT;
}

/* How many an observation has, besides capture, page and url. */
enum { CATALOG_OBSERVATION_COLUMNS = 36 };

/* In the text "@" stands for the names of the columns and "#" for as many parameters. */
struct catalog_statement {
	const char *text;
	const struct catalog_column *columns; /* that it writes or reads; may be NULL */
	size_t count;
	int before; /* columns of the result before those */
};

const struct catalog_statement *catalog_statement(enum catalog_sql id);

/* What catalog_write makes of a kind of rows. */
struct catalog_row_form {
	enum catalog_sql sql; /* whose columns are those of the row */
	size_t size;          /* of its body */
	const char *changes;  /* what must be there already; NULL: nothing */
};

const struct catalog_row_form *catalog_row_form(enum catalog_row_kind kind);

/*
 * Texts that come again and again (kinds, rules, media types, names of files) are stored once, in
 * the table word. Its rows, as far as they are known; once committed they never change, so they may
 * be handed out. What a transaction added is forgotten with it.
 */
struct catalog_words {
	struct arena arena;
	struct strmap numbers;  /* text to number */
	struct slice_vec texts; /* by number, from 1 */
	bool loaded;            /* all are known, so that a writer may add to them */
};

enum {
	CATALOG_ATTEMPT_MAX = (1 << 26) - 1, /* what the reading order has room for, and of legs: */
	CATALOG_LEG_MAX = (1 << 4) - 1,
	CATALOG_NAME_SIZE = 64, /* of a capture, "urn:uuid:…" */
};

struct catalog {
	sqlite3 *db;
	char *path;
	bool read_only;
	bool is_new;          /* its tables were made by this process */
	bool dirty;           /* a transaction is open */
	bool failed;          /* and SQLite has ended it: commit must not succeed */
	int64_t data_version; /* changes when another process has written */
	sqlite3_stmt *statements[SQL_COUNT];
	struct catalog_words words;
	uint32_t named; /* the capture whose name is in name; 0: none */
	char name[CATALOG_NAME_SIZE];
	uint32_t event_capture; /* whose events are counted in next_event; 0: none */
	uint64_t next_event;
};

/* Rows of a capture are numbered capture << 32 | number: neighbours, and no index is needed. */
static inline int64_t catalog_key(uint32_t capture, uint32_t number)
{
	return (int64_t)((uint64_t)capture << 32 | number);
}

/* What SQLite's code means to our callers, with a sentence in err. */
int catalog_error(struct catalog *c, int sqlite_code, struct err *err);

/* For what no writer of ours has written: ERR_IO. */
int catalog_damaged(const struct catalog *c, const char *what, struct err *err);

/* ---- schema ---- */

enum {
	CATALOG_APPLICATION_ID = 0x53746c70, /* "Stlp" */
	CATALOG_VERSION = 10,
};

/* Steps of the schema: the i-th leads from version i to i + 1. Tests have steps of their own. */
struct catalog_schema {
	int application_id;
	int version; /* and number of steps */
	const char *const *steps;
	const char *const *whole; /* what they make, for a new catalog; NULL: take the steps */
};

const struct catalog_schema *catalog_schema(void);

/* Creates or migrates what is there, in one transaction; a newer one is ERR_UNSUPPORTED. */
int catalog_schema_migrate(
	struct catalog *c, const struct catalog_schema *schema, struct err *err) SP_MUST_CHECK;

/* The same of a database that nobody else sees: it needs no WAL. */
int catalog_schema_upgrade(
	struct catalog *c, const struct catalog_schema *schema, struct err *err) SP_MUST_CHECK;

/*
 * Whether the file has an older version of this schema. It is held against that version, letter by
 * letter: only what is ours may be migrated.
 */
int catalog_schema_is_old(struct catalog *c, const struct catalog_schema *schema, bool *ret,
	struct err *err) SP_MUST_CHECK;

/* Makes sure that the file has this schema, and no other: a foreign view could run for ever. */
int catalog_schema_check(
	struct catalog *c, const struct catalog_schema *schema, struct err *err) SP_MUST_CHECK;

/* catalog_open with another schema. */
int catalog_open_schema(const char *path, enum catalog_mode mode,
	const struct catalog_schema *schema, struct catalog **ret, struct err *err) SP_MUST_CHECK;

/* ---- words ---- */

/*
 * The number of a text, which is added to the table if there is room; 0 when it is to be stored as
 * it is.
 */
int catalog_word_number(struct catalog *c, slice text, int64_t *ret, struct err *err) SP_MUST_CHECK;

/* The text of a number: 0, ERR_IO when there is none, or another failure. */
int catalog_word_text(struct catalog *c, int64_t number, slice *ret, struct err *err) SP_MUST_CHECK;

void catalog_words_init(struct catalog_words *w);
void catalog_words_release(struct catalog_words *w);

/* ---- queries ---- */

struct query {
	struct catalog *c;
	sqlite3_stmt *stmt;
	enum catalog_sql id;
	int put;      /* parameters so far */
	int rc;       /* of the first that failed: our code */
	bool damaged; /* a value is none of ours */
	struct err *err;
	bool has_key;
	int64_t key; /* of the row before */
	union {      /* of the row */
		unsigned char packed_id[WARC_ID_BYTES];
		struct warc_id record_id;
	};
};

/*
 * The first begins a transaction when none is open. When it or the query fails, what follows tells:
 * query_run, query_next. Both may be nested.
 */
void query_write(struct query *q, struct catalog *c, enum catalog_sql id, struct err *err);
void query_read(struct query *q, struct catalog *c, enum catalog_sql id, struct err *err);

/* query_read of a capture's rows, or of one row of it. */
void query_rows(
	struct query *q, struct catalog *c, enum catalog_sql id, uint32_t capture, struct err *err);

void query_put_int(struct query *q, int64_t value);
void query_put_size(struct query *q, uint64_t value); /* ERR_RANGE beyond INT64_MAX */
void query_put_double(struct query *q, double value); /* ERR_RANGE for NaN */
void query_put_text(struct query *q, slice value);    /* NULL when ptr is */
void query_put_word(struct query *q, slice value);
void query_put_blob(struct query *q, slice value);
void query_put_digest(struct query *q, bool has, const struct digest *d);

/* All columns of the statement. */
void query_put_row(struct query *q, uint32_t capture, const void *row);

/* Runs it to its end, which is also that of the query: 0, or the first failure. */
int query_run(struct query *q, struct err *err) SP_MUST_CHECK;

/* The same; ERR_NOTFOUND when no row was changed. */
int query_run_on(struct query *q, const char *what, struct err *err) SP_MUST_CHECK;

/* The next row: 0, ERR_END behind the last, or a failure. */
int query_next(struct query *q, struct err *err) SP_MUST_CHECK;

/*
 * The same for rows whose column 0 is a number that goes up. SQLite does not notice a damaged file
 * whose tree has loops; without this a reader might never end.
 */
int query_next_key(struct query *q, struct err *err) SP_MUST_CHECK;

/* The columns of the statement, and all others 0; texts and ids are valid until the next row. */
int query_read_row(struct query *q, void *row, size_t size, struct err *err) SP_MUST_CHECK;

/* query_next_key and query_read_row. */
int query_row(struct query *q, void *row, size_t size, struct err *err) SP_MUST_CHECK;

/* Of times in ns since 1970, from 1823 to 2116: any two of them have a difference. */
#define CATALOG_TIME_MAX (INT64_MAX / 2)

/* Columns of the row, from 0; texts are valid until the next row. */
int64_t query_int(struct query *q, int column);
uint64_t query_up_to(struct query *q, int column, uint64_t max); /* 0 to max, else damaged */
bool query_bool(struct query *q, int column);
uint32_t query_number(struct query *q, int column); /* the lower half of a packed number */
double query_double(struct query *q, int column);
slice query_text(struct query *q, int column);

/* Whether all values of the row so far were possible: 0 or ERR_IO. */
int query_check(struct query *q, struct err *err) SP_MUST_CHECK;

/* Ends a query. rc is how reading ended and is returned, ERR_END as 0. */
int query_end(struct query *q, int rc);

#endif
