#include "catalog/catalog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "catalog/catalog_db.h"

enum {
	BUSY_MS = 1000,     /* others hold their locks for milliseconds */
	ROW_MAX = 16 << 20, /* bytes of a row: the bound of what a damaged one can cost */
	PATH_LEN_MAX = 16384,
};

/* ---- errors ---- */

/* Whatever became of the catalog, the archive proper may be sound. */
#define CATALOG_ADVICE \
	" (stillpoint rebuild makes a new one; stillpoint verify --warc-only needs none)"

static int constraint_error(const struct catalog *c, int code, struct err *err)
{
	if (code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY ||
		code == SQLITE_CONSTRAINT_ROWID)
		return err_set(err, ERR_EXISTS, "%s has this row already", c->path);
	return err_set(err, ERR_USAGE, "%s: %s", c->path, sqlite3_errmsg(c->db));
}

static int plain_error(const struct catalog *c, int code, struct err *err)
{
	int system = sqlite3_system_errno(c->db);

	if (system && (code & 0xff) != SQLITE_ERROR)
		return err_set(err, ERR_IO, "%s: %s (%s)", c->path, sqlite3_errstr(code),
			strerror(system));
	return err_set(err, ERR_IO, "%s: %s", c->path,
		c->db ? sqlite3_errmsg(c->db) : sqlite3_errstr(code));
}

int catalog_error(struct catalog *c, int sqlite_code, struct err *err)
{
	/* SQLite ends a transaction on its own when the disk or the memory fails. */
	if (c->dirty && sqlite3_get_autocommit(c->db))
		c->failed = true;
	switch (sqlite_code & 0xff) {
	case SQLITE_NOMEM:
		return err_set(err, ERR_NOMEM, "%s: out of memory", c->path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_PROTOCOL:
		return err_set(err, ERR_STATE, "%s is in use by another process", c->path);
	case SQLITE_CONSTRAINT:
		return constraint_error(c, sqlite_code, err);
	case SQLITE_TOOBIG:
		return err_set(
			err, ERR_LIMIT, "%s: a row of more than %d MiB", c->path, ROW_MAX >> 20);
	case SQLITE_NOTADB:
		return err_set(err, ERR_IO, "%s is not a catalog" CATALOG_ADVICE, c->path);
	case SQLITE_CORRUPT:
		return catalog_damaged(c, sqlite3_errmsg(c->db), err);
	default:
		return plain_error(c, sqlite_code, err);
	}
}

int catalog_damaged(const struct catalog *c, const char *what, struct err *err)
{
	return err_set(err, ERR_IO, "%s is damaged: %s" CATALOG_ADVICE, c->path, what);
}

/* ---- opening ---- */

/* The name for SQLite: as a URI when it is taken as a file that nobody changes. */
static int spell_path(const char *path, bool immutable, struct buf *out)
{
	int rc = immutable ? buf_add_str(out, "file:") : 0;

	for (const char *p = path; rc == 0 && *p; p++) {
		if (immutable && (*p == '%' || *p == '?' || *p == '#'))
			rc = buf_printf(out, "%%%02X", (unsigned)*p);
		else
			rc = buf_add_char(out, *p);
	}
	return rc || !immutable ? rc : buf_add_str(out, "?immutable=1");
}

static int connect(struct catalog *c, int flags, bool immutable, struct err *err)
{
	bool writing = (flags & SQLITE_OPEN_READONLY) == 0;
	char *resolved = NULL;
	BUF_SCOPED(name, PATH_LEN_MAX);
	int rc;

	if (file_check_database(c->path, writing, &resolved))
		return err_set(err, ERR_IO, "%s: %s", c->path, file_problem(errno));
	rc = spell_path(resolved, immutable, &name);
	free(resolved);
	if (rc)
		(void)err_set(err, rc, "%s: %s", c->path, err_name(rc));
	flags |= SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW |
		 (immutable ? SQLITE_OPEN_URI : 0);
	if (rc == 0) {
		int sqlite = sqlite3_open_v2(buf_str(&name), &c->db, flags, NULL);

		rc = sqlite == SQLITE_OK ? 0 : catalog_error(c, sqlite, err);
	}
	return rc;
}

static void disconnect(struct catalog *c)
{
	for (int i = 0; i < SQL_COUNT; i++) {
		(void)sqlite3_finalize(c->statements[i]);
		c->statements[i] = NULL;
	}
	(void)sqlite3_close(c->db);
	c->db = NULL;
}

/* The file may come from anywhere: nothing in it is run, and nothing in it costs much. */
static int harden(struct catalog *c, struct err *err)
{
	static const struct {
		int id, max;
	} LIMITS[] = {
		{SQLITE_LIMIT_LENGTH, ROW_MAX},
		{SQLITE_LIMIT_SQL_LENGTH, 64 << 10},
		{SQLITE_LIMIT_COLUMN, 64},
		{SQLITE_LIMIT_EXPR_DEPTH, 32},
		{SQLITE_LIMIT_COMPOUND_SELECT, 4},
		{SQLITE_LIMIT_VDBE_OP, 25000},
		{SQLITE_LIMIT_ATTACHED, 0},
		{SQLITE_LIMIT_TRIGGER_DEPTH, 1},
		{SQLITE_LIMIT_WORKER_THREADS, 0},
	};
	static const struct {
		int id, value;
	} SWITCHES[] = {
		{SQLITE_DBCONFIG_DEFENSIVE, 1},
		{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
		{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
		{SQLITE_DBCONFIG_DQS_DML, 0},
		{SQLITE_DBCONFIG_DQS_DDL, 0},
	};
	int rc = SQLITE_OK;

	for (size_t i = 0; i < sizeof LIMITS / sizeof LIMITS[0]; i++)
		(void)sqlite3_limit(c->db, LIMITS[i].id, LIMITS[i].max);
	for (size_t i = 0; rc == SQLITE_OK && i < sizeof SWITCHES / sizeof SWITCHES[0]; i++)
		rc = sqlite3_db_config(c->db, SWITCHES[i].id, SWITCHES[i].value, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_busy_timeout(c->db, BUSY_MS);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(c->db,
			"PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;"
			"PRAGMA synchronous = FULL; PRAGMA secure_delete = OFF",
			NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : catalog_error(c, rc, err);
}

static int open_for_writing(
	struct catalog *c, int flags, const struct catalog_schema *schema, struct err *err)
{
	TRY(connect(c, flags, false, err));
	TRY(harden(c, err));
	TRY(catalog_schema_migrate(c, schema, err));
	return catalog_schema_check(c, schema, err);
}

/*
 * A temporary database of SQLite's, in memory as far as its cache goes, which no name leads to and
 * which goes when it is closed. SQLite's code.
 */
static int connect_temporary(struct catalog *c)
{
	return sqlite3_open_v2("", &c->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
			SQLITE_OPEN_EXRESCODE,
		NULL);
}

/* Reads from a copy from now on. */
static int copy_to_temporary(struct catalog *c, struct err *err)
{
	sqlite3 *file = c->db;
	sqlite3_backup *backup;
	int rc;

	c->db = NULL;
	rc = connect_temporary(c);
	if (rc == SQLITE_OK) {
		backup = sqlite3_backup_init(c->db, "main", file, "main");
		if (backup)
			(void)sqlite3_backup_step(backup, -1);
		(void)sqlite3_backup_finish(backup); /* NULL is fine */
		rc = sqlite3_extended_errcode(c->db);
	}
	(void)sqlite3_close(file);
	return rc == SQLITE_OK || rc == SQLITE_DONE ? 0 : catalog_error(c, rc, err);
}

/* A catalog of an earlier version is migrated in a copy: reading changes no file. */
static int read_old(struct catalog *c, const struct catalog_schema *schema, struct err *err)
{
	int rc = copy_to_temporary(c, err);

	if (rc == 0)
		rc = harden(c, err);
	if (rc == 0)
		rc = catalog_schema_upgrade(c, schema, err);
	if (rc)
		err_prefix(err, "a copy of the catalog, whose version is older");
	return rc;
}

static int open_for_reading(
	struct catalog *c, bool immutable, const struct catalog_schema *schema, struct err *err)
{
	bool is_old = false;

	TRY(connect(c, SQLITE_OPEN_READONLY, immutable, err));
	TRY(harden(c, err));
	TRY(catalog_schema_is_old(c, schema, &is_old, err));
	if (is_old)
		TRY(read_old(c, schema, err));
	return catalog_schema_check(c, schema, err);
}

/* Of the file's log, which has what was committed and is not in the file itself; 0 for none. */
static uint64_t log_size(const struct catalog *c, bool *ret_is_there)
{
	struct buf name;
	struct stat st = {0};

	buf_init(&name, PATH_LEN_MAX);
	*ret_is_there = buf_printf(&name, "%s-wal", c->path) == 0 && stat(buf_str(&name), &st) == 0;
	buf_release(&name);
	return *ret_is_there ? (uint64_t)st.st_size : 0;
}

/*
 * A reader makes -wal and -shm, and may not remove them. A connection that may write does so when
 * it is the last to go, if there is nothing in them.
 */
static void remove_empty_log(const struct catalog *c)
{
	struct catalog last = {.path = c->path};
	struct err ignored = {0};
	bool is_there;

	if (!c->path || log_size(c, &is_there) > 0 || !is_there || access(c->path, W_OK))
		return;
	if (connect(&last, SQLITE_OPEN_READWRITE, false, &ignored) == 0)
		(void)sqlite3_exec(last.db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
	disconnect(&last);
}

static bool is_directory_writable(const struct catalog *c)
{
	const char *slash = strrchr(c->path, '/');
	char *dir = slash ? strndup(c->path, (size_t)(slash - c->path) + 1) : strdup(".");
	bool writable = dir && access(dir, W_OK) == 0;

	free(dir);
	return writable;
}

/* Whether opening failed for want of the right to write in the directory. */
static bool wants_to_write(const struct catalog *c)
{
	int code = c->db ? sqlite3_errcode(c->db) & 0xff : SQLITE_OK;

	return (code == SQLITE_CANTOPEN || code == SQLITE_READONLY) && !is_directory_writable(c);
}

/*
 * In a directory that cannot be written SQLite cannot set up the memory that readers and the writer
 * share. Then no one writes, and the file may be read as it is, if it is all there is.
 */
static int open_unwritable(struct catalog *c, const struct catalog_schema *schema, struct err *err)
{
	bool is_there;

	if (log_size(c, &is_there) > 0)
		return err_set(err, ERR_IO,
			"%s has a log (-wal) that can only be read in a writable directory; copy "
			"the archive to one",
			c->path);
	disconnect(c);
	return open_for_reading(c, true, schema, err);
}

static int open_file(struct catalog *c, enum catalog_mode mode, const struct catalog_schema *schema,
	struct err *err)
{
	int rc;

	if (mode != CATALOG_CREATE && !file_is_there(c->path))
		return err_set(err, ERR_NOTFOUND, "%s does not exist", c->path);
	if (mode == CATALOG_CREATE)
		return open_for_writing(c, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, schema, err);
	if (mode == CATALOG_WRITE)
		return open_for_writing(c, SQLITE_OPEN_READWRITE, schema, err);
	c->read_only = true;
	rc = open_for_reading(c, false, schema, err);
	return rc && wants_to_write(c) ? open_unwritable(c, schema, err) : rc;
}

int catalog_open_schema(const char *path, enum catalog_mode mode,
	const struct catalog_schema *schema, struct catalog **ret, struct err *err)
{
	struct catalog *c = mem_new(1, sizeof *c);
	int rc;

	catalog_words_init(&c->words);
	c->path = strdup(path);
	if (c->path)
		rc = open_file(c, mode, schema, err);
	else
		rc = err_set(err, ERR_NOMEM, "%s: out of memory", path);
	if (rc)
		catalog_close(c);
	else
		*ret = c;
	return rc;
}

int catalog_open(const char *path, enum catalog_mode mode, struct catalog **ret, struct err *err)
{
	return catalog_open_schema(path, mode, catalog_schema(), ret, err);
}

static int open_temporary(struct catalog *c, struct err *err)
{
	int sqlite = connect_temporary(c);

	TRY(sqlite == SQLITE_OK ? harden(c, err) : catalog_error(c, sqlite, err));
	return catalog_schema_upgrade(c, catalog_schema(), err);
}

int catalog_open_temporary(struct catalog **ret, struct err *err)
{
	struct catalog *c = mem_new(1, sizeof *c);
	int rc;

	catalog_words_init(&c->words);
	c->path = strdup("a temporary catalog");
	rc = c->path ? open_temporary(c, err) : err_code(err, ERR_NOMEM);
	if (rc)
		catalog_close(c);
	else
		*ret = c;
	return rc;
}

int catalog_snapshot(struct catalog *c, struct err *err)
{
	/* SQLite takes the snapshot with the first read. */
	static const char SQL[] = "BEGIN; SELECT count(*) FROM sqlite_schema";
	int sqlite = sqlite3_exec(c->db, SQL, NULL, NULL, NULL);

	return sqlite == SQLITE_OK ? 0 : catalog_error(c, sqlite, err);
}

void catalog_close(struct catalog *c)
{
	if (!c)
		return;
	catalog_rollback(c);
	disconnect(c);
	if (c->read_only)
		remove_empty_log(c);
	catalog_words_release(&c->words);
	free(c->path);
	free(c);
}

/* ---- transactions ---- */

void catalog_rollback(struct catalog *c)
{
	if (!c->dirty)
		return;
	if (!sqlite3_get_autocommit(c->db))
		(void)sqlite3_exec(c->db, "ROLLBACK", NULL, NULL, NULL);
	c->dirty = false;
	c->failed = false;
	c->event_capture = 0;
	c->named = 0;
	catalog_words_release(&c->words);
	catalog_words_init(&c->words);
}

int catalog_commit(struct catalog *c, struct err *err)
{
	struct query q;
	int rc = 0;

	if (!c->dirty)
		return 0;
	if (c->failed)
		rc = err_set(
			err, ERR_IO, "%s: nothing is committed, since a write has failed", c->path);
	if (rc == 0) {
		query_read(&q, c, SQL_COMMIT, err);
		rc = query_run(&q, err);
	}
	if (rc)
		catalog_rollback(c);
	c->dirty = false;
	return rc;
}

bool catalog_is_dirty(const struct catalog *c)
{
	return c->dirty;
}
