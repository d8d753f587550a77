#include "text/text_index.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "text/page_reader.h"
#include "warc/warc_set.h"
#include "warc/warc_writer.h"

/* ---- the database ---- */

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

	TRY(pragma_of(db, path, "PRAGMA application_id", &id, err));
	TRY(pragma_of(db, path, "PRAGMA user_version", &version, err));
	if (id == APPLICATION_ID && version > VERSION)
		return err_set(err, ERR_UNSUPPORTED,
			"%s was made by a newer stillpoint: remove it, then run 'stillpoint index "
			"--text'",
			path);
	if (id != APPLICATION_ID || version != VERSION)
		return err_set(err, ERR_IO, "%s is no index of ours: remove it", path);
	return check_tables(db, path, err);
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

/* Makes an empty file one: nothing is synced, and no other process may look at it. */
static SP_MUST_CHECK int text_db_create(const char *path, sqlite3 **ret, struct err *err)
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

/* Copies all of a database into an empty file, which is open for writing then: 0 or an error. */
static SP_MUST_CHECK int text_db_copy(
	sqlite3 *from, const char *path, sqlite3 **ret, struct err *err)
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

int text_db_key(struct digester *d, const struct text_version *v, unsigned char ret[TEXT_KEY_SIZE])
{
	slice digest = v->digest;
	struct digest sum;
	char offset[32];

	TRY(digester_start(d, DIGEST_SHA256));
	digester_feed(d, v->url);
	digester_feed(d, SLICE("\n"));
	if (v->digest.len) { /* without its algorithm */
		(void)slice_take(&digest, ':');
		digester_feed(d, digest.len ? digest : v->digest);
	} else {
		(void)snprintf(offset, sizeof offset, "\n%llu\n", (unsigned long long)v->offset);
		digester_feed(d, slice_str(offset));
		digester_feed(d, v->filename);
	}
	digester_finish(d, &sum);
	memcpy(ret, sum.bytes, TEXT_KEY_SIZE);
	return 0;
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

void text_db_words(struct buf *out, slice text)
{
	while (text.len && !out->error) {
		size_t n = plain_length(text);
		uint32_t code;

		(void)buf_add(out, slice_sub(text, 0, n));
		text = slice_sub(text, n, text.len);
		if (text.len == 0)
			break;
		code = decode(text, &n);
		if (code < ' ')
			(void)buf_add_char(out, code == '\n' ? '\n' : ' ');
		else
			(void)buf_add(out, slice_sub(text, 0, n));
		if (is_word_itself(code))
			(void)buf_add(out, GAP);
		text = slice_sub(text, n, text.len);
	}
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

/* ---- making it ---- */

#define NEW_NAME TEXT_FILE_NAME ".new"

struct indexing {
	char path[PATH_MAX], new_path[PATH_MAX];
	int dir, lock;
	sqlite3 *db;
	sqlite3_stmt *known, *add_file, *add_doc, *find_doc, *add_version, *add_text;
	struct page_reader *pages;
	struct digester digester;
	struct buf title, words;
	slice filename; /* that is being read */
	bool changed;   /* a file is not what it was: all has to be read again */
	struct text_index_counts counts;
};

enum { WORDS_MAX = 3 * (TEXT_MAX + TEXT_TITLE_MAX) };

static int sql_error(struct indexing *x, struct err *err)
{
	return text_db_error(x->db, x->new_path, err);
}

/* Runs a statement that gives no rows, and makes it ready for the next time. */
static int run(struct indexing *x, sqlite3_stmt *s, struct err *err)
{
	int rc = sqlite3_step(s) == SQLITE_DONE ? 0 : sql_error(x, err);

	(void)sqlite3_reset(s);
	return rc;
}

static int bind_text(sqlite3_stmt *s, int at, slice text)
{
	return sqlite3_bind_text64(
		s, at, text.ptr ? text.ptr : "", text.len, SQLITE_STATIC, SQLITE_UTF8);
}

/* ---- pages ---- */

/* Of a page with its title and text. */
static int doc_key(struct indexing *x, slice url, const struct page_text *text,
	unsigned char ret[TEXT_KEY_SIZE])
{
	slice parts[] = {
		url, SLICE("\n"), buf_slice(&text->title), SLICE("\n"), buf_slice(&text->text)};
	struct digest sum;

	TRY(digester_start(&x->digester, DIGEST_SHA256));
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		digester_feed(&x->digester, parts[i]);
	digester_finish(&x->digester, &sum);
	memcpy(ret, sum.bytes, TEXT_KEY_SIZE);
	return 0;
}

/* The number of the doc with this key: 0, ERR_NOTFOUND, or an error. */
static int find_doc(struct indexing *x, const unsigned char *key, int64_t *ret, struct err *err)
{
	int step, rc = 0;

	if (sqlite3_bind_blob(x->find_doc, 1, key, TEXT_KEY_SIZE, SQLITE_STATIC))
		return sql_error(x, err);
	step = sqlite3_step(x->find_doc);
	if (step == SQLITE_ROW)
		*ret = sqlite3_column_int64(x->find_doc, 0);
	else
		rc = step == SQLITE_DONE ? ERR_NOTFOUND : sql_error(x, err);
	(void)sqlite3_reset(x->find_doc);
	return rc;
}

/* The doc of a page, which is added with its text if it is new. */
static int doc_of(
	struct indexing *x, slice url, const struct page_text *text, int64_t *ret, struct err *err)
{
	unsigned char key[TEXT_KEY_SIZE];
	int rc = err_code(err, doc_key(x, url, text, key));

	if (rc == 0)
		rc = find_doc(x, key, ret, err);
	if (rc != ERR_NOTFOUND)
		return rc;
	if (sqlite3_bind_blob(x->add_doc, 1, key, sizeof key, SQLITE_STATIC) ||
		bind_text(x->add_doc, 2, url))
		return sql_error(x, err);
	TRY(run(x, x->add_doc, err));
	*ret = sqlite3_last_insert_rowid(x->db);
	buf_reset(&x->title);
	buf_reset(&x->words);
	text_db_words(&x->title, buf_slice(&text->title));
	text_db_words(&x->words, buf_slice(&text->text));
	if (x->title.error || x->words.error)
		return err_code(err, x->title.error ? x->title.error : x->words.error);
	if (sqlite3_bind_int64(x->add_text, 1, *ret) ||
		bind_text(x->add_text, 2, buf_slice(&x->title)) ||
		bind_text(x->add_text, 3, buf_slice(&x->words)))
		return sql_error(x, err);
	x->counts.docs++;
	x->counts.bytes += text->text.len + text->title.len;
	return run(x, x->add_text, err);
}

static int add_page(
	void *context, const struct warc_record *rec, const struct page_text *text, struct err *err)
{
	struct indexing *x = context;
	struct text_version version = {
		.url = rec->header.url,
		.digest = warc_header_get(&rec->header, SLICE("WARC-Payload-Digest")),
		.filename = x->filename,
		.offset = rec->spot.offset,
	};
	unsigned char key[TEXT_KEY_SIZE];
	int64_t doc = 0;

	TRY(doc_of(x, rec->header.url, text, &doc, err));
	TRY(err_code(err, text_db_key(&x->digester, &version, key)));
	if (sqlite3_bind_blob(x->add_version, 1, key, sizeof key, SQLITE_STATIC) ||
		sqlite3_bind_int64(x->add_version, 2, doc))
		return sql_error(x, err);
	return run(x, x->add_version, err);
}

/* ---- files ---- */

static slice bare_name(const struct warc_set_file *f)
{
	const char *slash;

	if (f->inner.ptr)
		return slice_sub(f->inner, sizeof "archive/" - 1, f->inner.len);
	slash = strrchr(f->path, '/');
	return slice_str(slash ? slash + 1 : f->path);
}

/* Whether the index has the file; sets x->changed if it had another size then. */
static int is_known(struct indexing *x, uint64_t size, bool *ret, struct err *err)
{
	int step, rc = 0;

	if (bind_text(x->known, 1, x->filename))
		return sql_error(x, err);
	step = sqlite3_step(x->known);
	*ret = step == SQLITE_ROW;
	if (step == SQLITE_ROW)
		x->changed = sqlite3_column_int64(x->known, 0) != (int64_t)size;
	else if (step != SQLITE_DONE)
		rc = sql_error(x, err);
	(void)sqlite3_reset(x->known);
	return rc;
}

static int on_file(void *context, const struct warc_set_file *f, struct err *err)
{
	struct indexing *x = context;
	bool known = false;
	int rc;

	x->filename = bare_name(f);
	if (slice_ends_with(x->filename, SLICE(WARC_OPEN))) {
		x->counts.open++;
		return 0;
	}
	rc = is_known(x, f->size, &known, err);
	if (rc || x->changed)
		return rc ? rc : ERR_STATE;
	if (known) {
		x->counts.known++;
		return 0;
	}
	rc = page_reader_read(x->pages, &f->source, err);
	if (rc) {
		err_prefix(err, "%s", f->path);
		return rc;
	}
	x->counts.files++;
	if (bind_text(x->add_file, 1, x->filename) ||
		sqlite3_bind_int64(x->add_file, 2, (int64_t)f->size))
		return sql_error(x, err);
	return run(x, x->add_file, err);
}

/* ---- the index ---- */

static int prepare(struct indexing *x, struct err *err)
{
	const struct {
		sqlite3_stmt **statement;
		const char *sql;
	} STATEMENTS[] = {
		{&x->known, "SELECT size FROM file WHERE name = ?1"},
		{&x->add_file, "INSERT INTO file VALUES (?1, ?2)"},
		{&x->find_doc, "SELECT id FROM doc WHERE key = ?1"},
		{&x->add_doc, "INSERT INTO doc(key, url) VALUES (?1, ?2)"},
		{&x->add_version, "INSERT OR IGNORE INTO version VALUES (?1, ?2)"},
		{&x->add_text, "INSERT INTO text(rowid, title, body) VALUES (?1, ?2, ?3)"},
	};
	int rc = 0;

	/* Words are gathered in 32 MB before they are written: fewer parts to merge. */
	if (sqlite3_exec(x->db, "INSERT INTO text(text, rank) VALUES ('hashsize', 33554432); BEGIN",
		    NULL, NULL, NULL))
		return sql_error(x, err);
	for (size_t i = 0; rc == 0 && i < sizeof STATEMENTS / sizeof STATEMENTS[0]; i++)
		rc = text_db_prepare(
			x->db, x->new_path, STATEMENTS[i].sql, STATEMENTS[i].statement, err);
	return rc;
}

static int close_db(struct indexing *x)
{
	sqlite3_stmt **statements[] = {
		&x->known, &x->add_file, &x->find_doc, &x->add_doc, &x->add_version, &x->add_text};
	int rc;

	for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
		(void)sqlite3_finalize(*statements[i]);
		*statements[i] = NULL;
	}
	rc = sqlite3_close(x->db);
	x->db = NULL;
	return rc;
}

/* Opens the new one: empty, or a copy of the one that is there and can be read. */
static int begin(struct indexing *x, bool anew, struct err *err)
{
	struct err ignored = {0};
	sqlite3 *old = NULL;
	int rc;

	if (ftruncate(x->lock, 0))
		return err_set(err, ERR_IO, "%s: %s", x->new_path, strerror(errno));
	if (!anew && text_db_open(x->path, &old, &ignored) == 0)
		rc = text_db_copy(old, x->new_path, &x->db, err);
	else
		rc = text_db_create(x->new_path, &x->db, err);
	(void)sqlite3_close(old);
	return rc ? rc : prepare(x, err);
}

static int end(struct indexing *x, struct err *err)
{
	if (sqlite3_exec(x->db, "COMMIT", NULL, NULL, NULL) || close_db(x))
		return sql_error(x, err);
	if (fsync(x->lock) || renameat(x->dir, NEW_NAME, x->dir, TEXT_FILE_NAME) || fsync(x->dir))
		return err_set(err, ERR_IO, "%s: %s", x->path, strerror(errno));
	return 0;
}

/* Files that the index has and nobody else: what they showed must not be found. */
static int find_gone(struct indexing *x, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int rc = text_db_prepare(x->db, x->new_path, "SELECT count(*) FROM file", &s, err);

	if (rc == 0 && sqlite3_step(s) != SQLITE_ROW)
		rc = sql_error(x, err);
	if (rc == 0)
		x->changed =
			(uint64_t)sqlite3_column_int64(s, 0) != x->counts.files + x->counts.known;
	(void)sqlite3_finalize(s);
	return rc;
}

static int write_all(struct indexing *x, const struct text_index_params *p, struct err *err)
{
	int rc = begin(x, false, err);

	if (rc == 0)
		rc = warc_set_each(p->path, p->temporary, on_file, x, err);
	if (rc == 0)
		rc = find_gone(x, err);
	if (x->changed) {
		(void)close_db(x);
		x->changed = false;
		x->counts = (struct text_index_counts){0};
		rc = begin(x, true, err);
		if (rc == 0)
			rc = warc_set_each(p->path, p->temporary, on_file, x, err);
	}
	return rc ? rc : end(x, err);
}

/* Whether the file still has its name: who was before us may have finished it meanwhile. */
static bool has_name(const struct indexing *x)
{
	struct stat mine, named;

	return fstat(x->lock, &mine) == 0 && fstatat(x->dir, NEW_NAME, &named, 0) == 0 &&
	       mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

/* The new file is our lock, too. */
static int open_files(struct indexing *x, const char *directory, struct err *err)
{
	if (snprintf(x->path, sizeof x->path, "%s/" TEXT_FILE_NAME, directory) >=
			(int)sizeof x->path ||
		snprintf(x->new_path, sizeof x->new_path, "%s/" NEW_NAME, directory) >=
			(int)sizeof x->new_path)
		return err_set(err, ERR_LIMIT, "%.60s…: the path is too long", directory);
	x->dir = file_open_dir(directory);
	if (x->dir < 0)
		return err_set(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO, "%s: %s", directory,
			strerror(errno));
	x->lock = file_open_own(x->dir, NEW_NAME, O_RDWR | O_CREAT);
	if (x->lock < 0)
		return err_set(err, ERR_IO, "%s: %s", x->new_path, file_problem(errno));
	if (flock(x->lock, LOCK_EX | LOCK_NB) || !has_name(x))
		return err_set(err, ERR_STATE, "%s: another process is writing it; wait for it",
			x->new_path);
	return 0;
}

int text_index_write(
	const struct text_index_params *p, struct text_index_counts *ret, struct err *err)
{
	struct indexing x = {.dir = -1, .lock = -1};
	bool locked;
	int rc;

	buf_init(&x.title, WORDS_MAX);
	buf_init(&x.words, WORDS_MAX);
	rc = open_files(&x, p->directory, err);
	locked = rc == 0;
	x.pages = page_reader_open(add_page, &x);
	if (rc == 0)
		rc = write_all(&x, p, err);
	(void)close_db(&x);
	if (rc && locked)
		(void)unlinkat(x.dir, NEW_NAME, 0);
	page_reader_close(x.pages);
	digester_release(&x.digester);
	buf_release(&x.title);
	buf_release(&x.words);
	if (x.lock >= 0)
		(void)close(x.lock);
	if (x.dir >= 0)
		(void)close(x.dir);
	if (rc == 0)
		*ret = x.counts;
	return rc;
}
