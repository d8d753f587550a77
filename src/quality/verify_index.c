/* index.cdxj against the records: every line is one's, and every one has a line. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "archive/cdxj.h"
#include "archive/lines.h"
#include "base/file.h"
#include "quality/verify_run.h"

/* What is told of every fault: any of them is cured the same way. */
#define ADVICE "; 'stillpoint index' writes it anew"

enum { PATH_SIZE = 4096 };

/* A record's line. */
struct expected {
	uint64_t line;
	uint32_t number; /* of the evidence */
};

VEC_DECLARE(expected_vec, struct expected);

struct index_check {
	struct verify *v;
	const char *warc_dir;
	struct expected_vec expected; /* by line */
	struct buf before;            /* the line before */
	struct buf scratch;           /* strings of a line, or another spelling of it */
	bool is_partial;              /* lines may be missing */
};

static int by_line(const void *a, const void *b)
{
	const struct expected *p = a, *q = b;

	if (p->line != q->line)
		return p->line < q->line ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

static int gather(struct index_check *c)
{
	const struct evidence_vec *list = &c->v->evidence.list;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < list->len; i++)
		if (list->ptr[i].line)
			rc = expected_vec_push(
				&c->expected, (struct expected){list->ptr[i].line, (uint32_t)i});
	if (c->expected.len > 1)
		qsort(c->expected.ptr, c->expected.len, sizeof c->expected.ptr[0], by_line);
	return rc;
}

/* A record with that line, of which there is one as a rule, and which has not been found yet. */
static struct evidence *find(const struct index_check *c, slice line)
{
	uint64_t hash = hash_bytes(c->v->evidence.key, line);
	size_t low = 0, high = c->expected.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->expected.ptr[mid].line < hash)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < c->expected.len && c->expected.ptr[low].line == hash; low++) {
		struct evidence *e = &c->v->evidence.list.ptr[c->expected.ptr[low].number];

		if (!e->is_indexed)
			return e;
	}
	return NULL;
}

/* Earlier versions wrote addresses of IPv6 with their brackets: "[::1]:8080)/". */
static int without_brackets(struct index_check *c, slice line, slice *ret)
{
	const char *end = line.len && line.ptr[0] == '[' ? memchr(line.ptr, ']', line.len) : NULL;
	size_t at = end ? (size_t)(end - line.ptr) : 0;
	int rc;

	buf_reset(&c->scratch);
	if (!end)
		return 0;
	rc = buf_add(&c->scratch, slice_sub(line, 1, at));
	if (rc == 0)
		rc = buf_add(&c->scratch, slice_sub(line, at + 1, line.len));
	*ret = buf_slice(&c->scratch);
	return rc;
}

/* Lines of a file that is lost are right as far as anybody can know. */
static bool is_of_lost_file(const struct verify *v, slice filename)
{
	uint32_t number;

	return filename.ptr && strmap_get(&v->file_names.map, filename, &number) &&
	       v->files.ptr[number].loss;
}

/* The catalog does not know a file that was imported: its lines are not ours to judge. */
static bool is_of_another(const struct index_check *c, slice filename)
{
	char path[PATH_SIZE];

	if (!filename.ptr || memchr(filename.ptr, '/', filename.len) ||
		strmap_get(&c->v->file_names.map, filename, NULL))
		return false;
	return snprintf(path, sizeof path, "%s/%.*s", c->warc_dir, slice_shown(filename, NAME_MAX),
		       filename.ptr) < (int)sizeof path &&
	       access(path, F_OK) == 0;
}

static int tell_extra(struct index_check *c, slice line)
{
	struct cdxj parsed = {0};

	buf_reset(&c->scratch);
	if (cdxj_parse(line, &c->scratch, &parsed))
		parsed = (struct cdxj){0};
	if (is_of_lost_file(c->v, parsed.filename) || is_of_another(c, parsed.filename))
		return 0;
	return verify_problem(
		c->v, parsed.url, NULL, "index.cdxj has a line that is no record's" ADVICE);
}

static int check_line(struct index_check *c, slice line)
{
	struct evidence *e = find(c, line);
	slice other = line;
	int rc = 0;

	if (!e && (rc = without_brackets(c, line, &other)) == 0 && other.ptr != line.ptr)
		e = find(c, other);
	if (rc)
		return rc;
	if (e)
		e->is_indexed = true;
	else
		rc = tell_extra(c, line);
	if (rc == 0 && cdxj_compare(buf_slice(&c->before), line) > 0)
		rc = verify_problem(c->v, (slice){0}, NULL,
			"index.cdxj is not sorted, so that lines are not found" ADVICE);
	buf_reset(&c->before);
	return rc ? rc : buf_add(&c->before, line);
}

static int check_lines(struct index_check *c, int fd)
{
	struct err ignored = {0};
	struct lines lines;
	slice line;
	int rc;

	lines_init(&lines, fd, 0);
	while ((rc = lines_next(&lines, &line, &ignored)) == 0 && (rc = check_line(c, line)) == 0)
		;
	lines_release(&lines);
	if (rc == 0 || rc == ERR_END || rc == ERR_NOMEM)
		return rc == ERR_NOMEM ? rc : 0;
	return verify_problem(
		c->v, (slice){0}, NULL, "index.cdxj cannot be read: %s" ADVICE, ignored.text);
}

/* Records of other tools need not be there. */
static int tell_missing(struct index_check *c)
{
	const struct evidence_vec *list = &c->v->evidence.list;
	size_t count = 0;

	for (size_t i = 0; i < list->len; i++)
		count += list->ptr[i].line && list->ptr[i].claimed && list->ptr[i].sound &&
			 !list->ptr[i].is_indexed;
	if (count == 0 || c->is_partial)
		return 0;
	return verify_problem(c->v, (slice){0}, NULL,
		"index.cdxj lacks the %s of %zu record%s" ADVICE, count == 1 ? "line" : "lines",
		count, count == 1 ? "" : "s");
}

static int on_capture(void *context, const struct catalog_capture *capture)
{
	struct index_check *c = context;

	c->is_partial = c->is_partial || capture->state == CATALOG_RUNNING;
	return 0;
}

static int check(struct index_check *c, const char *path)
{
	int fd = file_open_inside(AT_FDCWD, path), rc;

	if (fd < 0 && errno == ENOENT)
		return c->is_partial ? 0
				     : verify_note(c->v, (slice){0}, NULL,
					       "there is no index.cdxj" ADVICE);
	if (fd < 0)
		return verify_problem(c->v, (slice){0}, NULL, "index.cdxj cannot be read: %s",
			file_problem(errno));
	rc = gather(c);
	if (rc == 0)
		rc = check_lines(c, fd);
	(void)close(fd);
	return rc ? rc : tell_missing(c);
}

int verify_index(struct verify *v, const struct verify_params *p, struct err *err)
{
	struct index_check c = {.v = v, .warc_dir = p->warc_dir};
	int rc = catalog_each_capture(p->catalog, on_capture, &c, err);

	if (rc)
		return rc;
	buf_init(&c.before, LINES_LINE_MAX);
	buf_init(&c.scratch, LINES_LINE_MAX);
	rc = check(&c, p->index);
	expected_vec_release(&c.expected);
	buf_release(&c.before);
	buf_release(&c.scratch);
	return err_code(err, rc);
}
