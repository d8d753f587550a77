#include "archive/index.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/judging.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/output.h"
#include "base/word.h"
#include "formats/url.h"
#include "warc/cdxj.h"
#include "warc/lines.h"
#include "warc/warc_index.h"
#include "warc/warc_writer.h"

enum { TIME_DIGITS = 14 };

struct indexing {
	struct cdxj_sort *sort;
	uint32_t first;  /* capture from which on lines are made */
	bool is_open;    /* a capture before it has not ended: its lines may be missing */
	uint32_t judged; /* the capture whose verdicts are stored; 0: none, or they are */
	struct u32_vec captures;
	struct buf key, line;
	struct err *err;
};

static int on_observation(void *context, const struct attempt *o)
{
	struct indexing *x = context;
	int rc = cdxj_attempt_line(&x->line, &x->key, o);

	if (rc == ERR_NOTFOUND)
		return 0;
	if (rc == 0)
		rc = cdxj_sort_add(x->sort, buf_slice(&x->line), x->err);
	return rc && !x->err->code ? err_set(x->err, rc, "index: %s", err_name(rc)) : rc;
}

static int on_capture(void *context, const struct catalog_capture *capture)
{
	struct indexing *x = context;

	if (capture->id >= x->first)
		u32_vec_push(&x->captures, capture->id);
	else
		x->is_open = x->is_open || capture->state == CATALOG_RUNNING;
	return 0;
}

static int write_sorted(struct indexing *x, const struct directory *d)
{
	struct output out;
	int rc = output_open_inside(&out, d->index, x->err);

	if (rc == 0)
		rc = cdxj_sort_finish(x->sort, cdxj_put_line, out.file, x->err);
	return output_close(&out, rc, x->err);
}

static void open_indexing(struct indexing *x)
{
	buf_init(&x->key, 2 * URL_MAX);
	buf_init(&x->line, CDXJ_LINE_MAX + 1);
}

static void close_indexing(struct indexing *x)
{
	cdxj_sort_close(x->sort);
	u32_vec_release(&x->captures);
	buf_release(&x->key);
	buf_release(&x->line);
}

/* ---- files ---- */

static int add_file(struct indexing *x, const struct directory *d, const char *name,
	struct warc_index_counts *counts)
{
	char path[DIRECTORY_PATH_MAX + WARC_NAME_MAX];
	struct warc_source source;
	int rc;

	(void)snprintf(path, sizeof path, "%s/%s", d->warc, name);
	source = (struct warc_source){.fd = file_open_inside(AT_FDCWD, path)};
	if (source.fd < 0)
		return err_set(x->err, ERR_IO, "%s: %s", path, file_problem(errno));
	rc = warc_index_file(&source, slice_str(name), x->sort, counts, x->err);
	if (rc)
		err_prefix(x->err, "%s", path);
	(void)close(source.fd);
	return rc;
}

/* Calls for each WARC file that is complete, but for those that skip has. */
static int add_files(struct indexing *x, const struct directory *d, const struct strmap *skip,
	struct index_counts *counts)
{
	DIR *dir = opendir(d->warc);
	struct warc_index_counts found = {0};
	const struct dirent *entry;
	int rc = 0;

	if (!dir)
		return err_set(x->err, ERR_IO, "%s: %s", d->warc, strerror(errno));
	while (rc == 0 && (entry = readdir(dir))) {
		slice name = slice_str(entry->d_name), closed = warc_closed_name(name);

		if (closed.len < name.len)
			counts->open += warc_is_name(closed);
		else if (warc_is_name(name) && !(skip && strmap_get(skip, name, NULL)))
			rc = add_file(x, d, entry->d_name, &found);
	}
	(void)closedir(dir);
	counts->lines += found.lines;
	counts->damaged += found.damaged;
	counts->files += found.files;
	return rc;
}

/* ---- files of others in an archive ---- */

/* WARC files by name: those of the catalog, and then those that need not be read again. */
struct known_files {
	struct strmap names;
	struct arena arena;
};

enum { NAMES_MAX = 256 << 20, OURS = 0, OTHERS = 1 };

static int know_file(struct known_files *k, slice name, uint32_t whose)
{
	int rc = strmap_put(&k->names, name, whose);

	return rc == ERR_EXISTS ? 0 : rc;
}

static int on_warc(void *context, const struct catalog_warc *w)
{
	return know_file(context, w->name, OURS);
}

static bool has_others(const struct directory *d, const struct known_files *k)
{
	DIR *dir = opendir(d->warc);
	const struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = warc_is_name(slice_str(entry->d_name)) &&
			!strmap_get(&k->names, slice_str(entry->d_name), NULL);
	if (dir)
		(void)closedir(dir);
	return found;
}

static bool is_there(const struct directory *d, slice name)
{
	char path[DIRECTORY_PATH_MAX + WARC_NAME_MAX];

	if (name.len > WARC_NAME_MAX || memchr(name.ptr, '/', name.len))
		return false;
	(void)snprintf(path, sizeof path, "%s/%.*s", d->warc, (int)name.len, name.ptr);
	return access(path, F_OK) == 0;
}

/* Keeps a line of the old index that is of another's file. */
static int keep_line(
	struct indexing *x, const struct directory *d, struct known_files *k, slice line)
{
	uint32_t whose = OURS;
	struct cdxj parsed;

	if (cdxj_parse(line, &x->line, &parsed) || !parsed.filename.ptr)
		return 0;
	if (!strmap_get(&k->names, parsed.filename, &whose) && is_there(d, parsed.filename)) {
		int rc = know_file(k, parsed.filename, OTHERS);

		if (rc)
			return err_code(x->err, rc);
		whose = OTHERS;
	}
	return whose == OTHERS ? cdxj_sort_add(x->sort, line, x->err) : 0;
}

/* Lines of others in an old index that cannot be read are no loss: their files are read instead. */
static int keep_lines(struct indexing *x, const struct directory *d, struct known_files *k)
{
	int fd = file_open_inside(AT_FDCWD, d->index), rc = 0;
	struct err ignored = {0};
	struct lines lines;
	slice line;

	if (fd < 0)
		return 0;
	lines_init(&lines, fd, 0);
	while (rc == 0 && lines_next(&lines, &line, &ignored) == 0)
		rc = keep_line(x, d, k, line);
	lines_release(&lines);
	(void)close(fd);
	return rc;
}

static int known_files_load(struct known_files *k, struct catalog *catalog, struct err *err)
{
	arena_init(&k->arena, NAMES_MAX);
	strmap_init(&k->names, hash_key_random(), &k->arena);
	return catalog_each_warc(catalog, on_warc, k, err);
}

static void known_files_release(struct known_files *k)
{
	strmap_release(&k->names);
	arena_release(&k->arena);
}

/* The catalog does not know the records of other tools' files: the old index does. */
static int add_others(struct indexing *x, struct catalog *catalog, const struct directory *d)
{
	struct index_counts ignored = {0};
	struct known_files k;
	int rc = known_files_load(&k, catalog, x->err);

	if (rc == 0 && has_others(d, &k)) {
		rc = keep_lines(x, d, &k);
		if (rc == 0)
			rc = add_files(x, d, &k.names, &ignored);
	}
	known_files_release(&k);
	return rc;
}

/* ---- writing ---- */

static int add_captures(struct indexing *x, struct catalog *catalog)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->captures.len; i++) {
		uint32_t id = x->captures.ptr[i];

		if (id != x->judged) {
			rc = catalog_each_observation(catalog, id, on_observation, x, x->err);
			continue;
		}
		rc = judging_store(
			catalog, id, &(struct report_observer){on_observation, x}, x->err);
		if (rc == 0)
			x->judged = 0;
	}
	return rc;
}

static int write_all(
	struct catalog *catalog, const struct directory *d, uint32_t judged, struct err *err)
{
	struct indexing x = {.judged = judged, .err = err};
	int rc;

	open_indexing(&x);
	x.sort = cdxj_sort_open(d->spool, 0, CDXJ_UNIQUE);
	rc = catalog_each_capture(catalog, on_capture, &x, err);
	if (rc == 0)
		rc = add_captures(&x, catalog);
	if (rc == 0)
		rc = add_others(&x, catalog, d);
	if (rc == 0)
		rc = write_sorted(&x, d);
	close_indexing(&x);
	return rc;
}

int index_write(struct catalog *catalog, const struct directory *d, struct err *err)
{
	return write_all(catalog, d, 0, err);
}

/*
 * Whether there is an old index that has all lines of the captures before x->first. The last
 * capture of a crawl counts as finished only when the index has been written, so all of them must
 * have ended; and no other tool's file may have come since.
 */
static int can_add(
	struct indexing *x, struct catalog *catalog, const struct directory *d, bool *ret)
{
	struct known_files k;
	int rc = catalog_each_capture(catalog, on_capture, x, x->err);

	*ret = false;
	if (rc || x->is_open || access(d->index, F_OK) != 0)
		return rc;
	rc = known_files_load(&k, catalog, x->err);
	*ret = rc == 0 && !has_others(d, &k);
	known_files_release(&k);
	return rc;
}

/* ---- adding ---- */

/*
 * The old index, line by line, into which new lines are merged. Its lines are in their order and
 * stay as they are: so they are compared and copied, not read.
 */
struct merging {
	struct lines old;
	slice line;      /* the next one of it */
	struct buf last; /* the one before */
	int state;       /* of the old index: 0, ERR_END, or what is wrong with it */
	FILE *out;
};

/* "SURT 20260102030405 {…}" */
static bool is_line(slice line)
{
	slice rest = line, time;

	(void)slice_take(&rest, ' ');
	if (rest.len == 0)
		return false;
	time = slice_take(&rest, ' ');
	for (size_t i = 0; i < time.len; i++)
		if (!word_is_digit(time.ptr[i]))
			return false;
	return time.len == TIME_DIGITS && rest.len > 1 && rest.ptr[0] == '{' &&
	       rest.ptr[rest.len - 1] == '}';
}

static void next_old(struct merging *m, struct err *err)
{
	buf_reset(&m->last);
	m->state = buf_add(&m->last, m->line);
	if (m->state == 0)
		m->state = lines_next(&m->old, &m->line, err);
	if (m->state == 0 && (!is_line(m->line) || cdxj_compare(buf_slice(&m->last), m->line) > 0))
		m->state = ERR_SYNTAX;
}

/* Old lines up to a new one, which may be among them. A line that comes twice is written once. */
static int merge_line(void *context, slice line, struct err *err)
{
	struct merging *m = context;
	int rc = 0, order = -1;

	while (rc == 0 && m->state == 0 &&
		(order = line.ptr ? cdxj_compare(m->line, line) : -1) < 0) {
		if (!slice_eq(m->line, buf_slice(&m->last)))
			rc = cdxj_put_line(m->out, m->line, err);
		next_old(m, err);
	}
	if (rc == 0 && m->state && m->state != ERR_END)
		rc = m->state;
	return rc || !line.ptr || (m->state == 0 && order == 0) ? rc
								: cdxj_put_line(m->out, line, err);
}

/* Merges what was sorted with the old index. */
static int write_merged(struct indexing *x, const struct directory *d)
{
	int fd = file_open_inside(AT_FDCWD, d->index);
	struct merging m = {0};
	struct output out;
	int rc;

	if (fd < 0)
		return ERR_NOTFOUND;
	lines_init(&m.old, fd, 0);
	buf_init(&m.last, LINES_LINE_MAX);
	next_old(&m, x->err);
	rc = output_open_inside(&out, d->index, x->err);
	m.out = rc ? NULL : out.file;
	if (rc == 0)
		rc = cdxj_sort_finish(x->sort, merge_line, &m, x->err);
	if (rc == 0)
		rc = merge_line(&m, (slice){0}, x->err);
	rc = m.out ? output_close(&out, rc, x->err) : rc;
	buf_release(&m.last);
	lines_release(&m.old);
	(void)close(fd);
	return rc;
}

int index_add(struct catalog *catalog, const struct directory *d, uint32_t first, uint32_t judged,
	struct err *err)
{
	struct err ignored = {0};
	struct indexing x = {.first = first, .judged = judged, .err = &ignored};
	bool can = false;
	int rc = 0;

	open_indexing(&x);
	if (first)
		rc = can_add(&x, catalog, d, &can);
	if (rc == 0 && can) {
		x.sort = cdxj_sort_open(d->spool, 0, CDXJ_UNIQUE);
		rc = add_captures(&x, catalog);
	}
	if (rc == 0 && can)
		rc = write_merged(&x, d);
	close_indexing(&x);
	/* Whatever was in the way: all of it is in the catalog. */
	return rc == 0 && can ? 0 : write_all(catalog, d, x.judged, err);
}

int index_from_warc(const char *archive, struct index_counts *ret, struct err *err)
{
	struct directory d = {.lock = -1};
	struct indexing x = {.err = err};
	struct index_counts counts = {0};
	int rc = directory_open_warc(&d, archive, err);

	if (rc)
		return rc;
	open_indexing(&x);
	x.sort = cdxj_sort_open(d.spool, 0, CDXJ_UNIQUE);
	rc = add_files(&x, &d, NULL, &counts);
	if (rc == 0 && counts.files == 0)
		rc = err_set(err, ERR_NOTFOUND,
			"%s: there is no complete WARC file; the index is as it was", d.warc);
	if (rc == 0)
		rc = write_sorted(&x, &d);
	close_indexing(&x);
	directory_close(&d);
	if (rc == 0)
		*ret = counts;
	return rc;
}
