#include "text/text_index.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/warc_file.h"
#include "archive/warc_set.h"
#include "base/file.h"
#include "base/io.h"
#include "text/page_reader.h"
#include "text/text_db.h"

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
	int rc = digester_start(&x->digester, DIGEST_SHA256);

	for (size_t i = 0; rc == 0 && i < sizeof parts / sizeof parts[0]; i++)
		rc = digester_feed(&x->digester, parts[i]);
	if (rc == 0)
		rc = digester_finish(&x->digester, &sum);
	if (rc == 0)
		memcpy(ret, sum.bytes, TEXT_KEY_SIZE);
	return rc;
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

static int add_text(struct indexing *x, int64_t doc, const struct page_text *text, struct err *err)
{
	int rc;

	buf_reset(&x->title);
	buf_reset(&x->words);
	rc = text_db_words(&x->title, buf_slice(&text->title));
	if (rc == 0)
		rc = text_db_words(&x->words, buf_slice(&text->text));
	if (rc)
		return err_code(err, rc);
	if (sqlite3_bind_int64(x->add_text, 1, doc) ||
		bind_text(x->add_text, 2, buf_slice(&x->title)) ||
		bind_text(x->add_text, 3, buf_slice(&x->words)))
		return sql_error(x, err);
	x->counts.docs++;
	x->counts.bytes += text->text.len + text->title.len;
	return run(x, x->add_text, err);
}

/* The doc of a page, which is added if it is new. */
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
	rc = run(x, x->add_doc, err);
	*ret = sqlite3_last_insert_rowid(x->db);
	return rc ? rc : add_text(x, *ret, text, err);
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
	int rc = doc_of(x, rec->header.url, text, &doc, err);

	if (rc == 0)
		rc = err_code(err, text_db_key(&x->digester, &version, key));
	if (rc)
		return rc;
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
	if (rc == 0)
		rc = page_reader_open(add_page, &x, &x.pages, err);
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
