#include "text/text_db.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/utf8.h"

enum {
	APPLICATION_ID = 0x53746c74, /* "Stlt" */
	VERSION = 1,
	ROW_MAX = 64 << 20, /* bytes of a row: the bound of what a damaged one can cost */
	CACHE_KB = 64 << 10,
	BUSY_MS = 1000,
};

/* A space without width (U+200B), which FTS5 takes for the end of a word. */
static const slice GAP = SLICE_INIT("\xe2\x80\x8b");

#define TEXT_SQL "CREATE VIRTUAL TABLE text USING fts5(title, body, content='', " TEXT_TOKENIZER ")"
#define DOC_SQL                                                                                 \
	"CREATE TABLE doc(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, url TEXT NOT NULL)" \
	" STRICT"
#define VERSION_SQL \
	"CREATE TABLE version(key BLOB PRIMARY KEY, doc INTEGER NOT NULL) STRICT, WITHOUT ROWID"
#define FILE_SQL "CREATE TABLE file(name TEXT PRIMARY KEY, size INTEGER NOT NULL) STRICT"

static const char *const TABLES[] = {TEXT_SQL, DOC_SQL, VERSION_SQL, FILE_SQL};

enum { TABLE_COUNT = sizeof TABLES / sizeof TABLES[0] };

int text_db_error(sqlite3 *db, const char *path, struct err *err)
{
	switch (sqlite3_errcode(db) & 0xff) {
	case SQLITE_NOMEM:
		return err_code(err, ERR_NOMEM);
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return err_set(err, ERR_IO,
			"%s is damaged: remove it, then run 'stillpoint index --text'", path);
	default:
		return err_set(err, ERR_IO, "%s: %s", path, sqlite3_errmsg(db));
	}
}

int text_db_prepare(
	sqlite3 *db, const char *path, const char *sql, sqlite3_stmt **ret, struct err *err)
{
	return sqlite3_prepare_v2(db, sql, -1, ret, NULL) ? text_db_error(db, path, err) : 0;
}

/* ---- opening ---- */

/* The file may come from anywhere: nothing in it is run. */
static int harden(sqlite3 *db)
{
	static const struct {
		int id, value;
	} SWITCHES[] = {
		{SQLITE_DBCONFIG_DEFENSIVE, 1},
		{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
		{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
	};
	int rc = SQLITE_OK;

	(void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, ROW_MAX);
	(void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	for (size_t i = 0; rc == SQLITE_OK && i < sizeof SWITCHES / sizeof SWITCHES[0]; i++)
		rc = sqlite3_db_config(db, SWITCHES[i].id, SWITCHES[i].value, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_busy_timeout(db, BUSY_MS);
	return rc == SQLITE_OK ? sqlite3_exec(db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL)
			       : rc;
}

static int connect(const char *path, int flags, sqlite3 **ret, struct err *err)
{
	bool writing = (flags & SQLITE_OPEN_READONLY) == 0;
	char *name = NULL;
	sqlite3 *db = NULL;
	int rc = 0;

	if (file_check_database(path, writing, &name))
		return err_set(err, ERR_IO, "%s: %s", path, file_problem(errno));
	if (sqlite3_open_v2(name, &db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, NULL) ||
		harden(db))
		rc = text_db_error(db, path, err);
	free(name);
	if (rc) {
		(void)sqlite3_close(db);
		return err_code(err, rc);
	}
	*ret = db;
	return 0;
}

static int pragma_of(sqlite3 *db, const char *path, const char *sql, int *ret, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int rc = text_db_prepare(db, path, sql, &s, err);

	if (rc == 0 && sqlite3_step(s) == SQLITE_ROW)
		*ret = sqlite3_column_int(s, 0);
	else if (rc == 0)
		rc = text_db_error(db, path, err);
	(void)sqlite3_finalize(s);
	return rc;
}

/* Whether it has our tables, and no views, triggers or virtual tables besides. */
static int check_tables(sqlite3 *db, const char *path, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int ours = 0, others = 0;
	int rc = text_db_prepare(db, path,
		"SELECT type, sql FROM sqlite_schema WHERE type IN ('view', 'trigger') OR "
		"sql LIKE 'CREATE VIRTUAL%' OR name IN ('doc', 'version', 'file')",
		&s, err);

	while (rc == 0 && sqlite3_step(s) == SQLITE_ROW) {
		const char *sql = (const char *)sqlite3_column_text(s, 1);
		bool known = false;

		for (size_t i = 0; i < TABLE_COUNT; i++)
			known = known || (sql && strcmp(sql, TABLES[i]) == 0);
		ours += known;
		others += !known;
	}
	(void)sqlite3_finalize(s);
	if (rc == 0 && (ours != TABLE_COUNT || others > 0))
		rc = err_set(err, ERR_IO, "%s is no index of ours: remove it", path);
	return rc;
}

static int check(sqlite3 *db, const char *path, struct err *err)
{
	int id = 0, version = 0;
	int rc = pragma_of(db, path, "PRAGMA application_id", &id, err);

	if (rc == 0)
		rc = pragma_of(db, path, "PRAGMA user_version", &version, err);
	if (rc == 0 && id == APPLICATION_ID && version > VERSION)
		return err_set(err, ERR_UNSUPPORTED,
			"%s was made by a newer stillpoint: remove it, then run 'stillpoint index "
			"--text'",
			path);
	if (rc == 0 && (id != APPLICATION_ID || version != VERSION))
		return err_set(err, ERR_IO, "%s is no index of ours: remove it", path);
	return rc ? rc : check_tables(db, path, err);
}

int text_db_open(const char *path, sqlite3 **ret, struct err *err)
{
	sqlite3 *db = NULL;
	int rc;

	if (!file_is_there(path))
		return err_set(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO, "%s: %s", path,
			strerror(errno));
	rc = connect(path, SQLITE_OPEN_READONLY, &db, err);
	if (rc == 0)
		rc = check(db, path, err);
	if (rc)
		(void)sqlite3_close(db);
	else
		*ret = db;
	return rc;
}

static int connect_writer(const char *path, sqlite3 **ret, struct err *err)
{
	char pragmas[200];
	int rc = connect(path, SQLITE_OPEN_READWRITE, ret, err);

	(void)snprintf(pragmas, sizeof pragmas,
		"PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
		"PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -%d",
		(int)CACHE_KB);
	if (rc == 0 && sqlite3_exec(*ret, pragmas, NULL, NULL, NULL))
		rc = text_db_error(*ret, path, err);
	return rc;
}

int text_db_create(const char *path, sqlite3 **ret, struct err *err)
{
	char pragmas[100];
	sqlite3 *db = NULL;
	int rc = connect_writer(path, &db, err);

	(void)snprintf(pragmas, sizeof pragmas,
		"PRAGMA application_id = %d; PRAGMA user_version = %d", (int)APPLICATION_ID,
		(int)VERSION);
	if (rc == 0 && sqlite3_exec(db, pragmas, NULL, NULL, NULL))
		rc = text_db_error(db, path, err);
	for (size_t i = 0; rc == 0 && i < TABLE_COUNT; i++)
		if (sqlite3_exec(db, TABLES[i], NULL, NULL, NULL))
			rc = text_db_error(db, path, err);
	if (rc)
		(void)sqlite3_close(db);
	else
		*ret = db;
	return rc;
}

int text_db_copy(sqlite3 *from, const char *path, sqlite3 **ret, struct err *err)
{
	sqlite3_backup *backup;
	sqlite3 *db = NULL;
	int rc = connect_writer(path, &db, err);

	if (rc)
		return rc;
	backup = sqlite3_backup_init(db, "main", from, "main");
	if (backup)
		(void)sqlite3_backup_step(backup, -1);
	if (sqlite3_backup_finish(backup) || !backup) {
		rc = text_db_error(db, path, err);
		(void)sqlite3_close(db);
		return rc;
	}
	*ret = db;
	return 0;
}

/* ---- keys and words ---- */

static slice without_algorithm(slice digest)
{
	slice rest = digest;

	(void)slice_take(&rest, ':');
	return rest.len ? rest : digest;
}

static int feed_place(struct digester *d, const struct text_version *v)
{
	char offset[32];
	int rc;

	(void)snprintf(offset, sizeof offset, "\n%llu\n", (unsigned long long)v->offset);
	rc = digester_feed(d, slice_str(offset));
	return rc ? rc : digester_feed(d, v->filename);
}

int text_db_key(struct digester *d, const struct text_version *v, unsigned char ret[TEXT_KEY_SIZE])
{
	struct digest sum;
	int rc = digester_start(d, DIGEST_SHA256);

	if (rc == 0)
		rc = digester_feed(d, v->url);
	if (rc == 0)
		rc = digester_feed(d, SLICE("\n"));
	if (rc == 0)
		rc = v->digest.len ? digester_feed(d, without_algorithm(v->digest))
				   : feed_place(d, v);
	if (rc == 0)
		rc = digester_finish(d, &sum);
	if (rc == 0)
		memcpy(ret, sum.bytes, TEXT_KEY_SIZE);
	return rc;
}

static bool is_word_itself(uint32_t code)
{
	return (code >= 0x3040 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x4dbf) ||
	       (code >= 0x4e00 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff) ||
	       (code >= 0x20000 && code <= 0x3ffff);
}

/* The character at the beginning of the text, and its length; U+FFFD for what is none. */
static uint32_t decode(slice text, size_t *ret_len)
{
	static const unsigned char FIRST[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	const unsigned char *p = (const unsigned char *)text.ptr;
	uint32_t code;
	bool ok;

	*ret_len = utf8_length(p, text.len, &ok);
	if (!ok)
		return 0xfffd;
	code = p[0] & FIRST[*ret_len];
	for (size_t i = 1; i < *ret_len; i++)
		code = code << 6 | (p[i] & 0x3f);
	return code;
}

/* Bytes that need nothing: all of them but controls and the first ones of those characters. */
static size_t plain_length(slice text)
{
	size_t n = 0;

	while (n < text.len) {
		unsigned char c = (unsigned char)text.ptr[n];

		if (c < ' ' || (c >= 0xe3 && c <= 0xe9) || c == 0xef || c == 0xf0)
			break;
		n++;
	}
	return n;
}

int text_db_words(struct buf *out, slice text)
{
	int rc = 0;

	while (rc == 0 && text.len) {
		size_t n = plain_length(text);
		uint32_t code;

		rc = buf_add(out, slice_sub(text, 0, n));
		text = slice_sub(text, n, text.len);
		if (rc || text.len == 0)
			break;
		code = decode(text, &n);
		if (code < ' ')
			rc = buf_add_char(out, code == '\n' ? '\n' : ' ');
		else
			rc = buf_add(out, slice_sub(text, 0, n));
		if (rc == 0 && is_word_itself(code))
			rc = buf_add(out, GAP);
		text = slice_sub(text, n, text.len);
	}
	return rc;
}

void text_db_join(struct buf *text)
{
	size_t len = 0;

	for (size_t at = 0; at < text->len;) {
		if (slice_starts_with(slice_sub(buf_slice(text), at, text->len), GAP)) {
			at += GAP.len;
			continue;
		}
		text->ptr[len++] = text->ptr[at++];
	}
	buf_truncate(text, len);
}
