/* index.cdxj against the records: every line is one's, and every one has a line. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "proof/verify_run.h"
#include "warc/cdxj.h"
#include "warc/lines.h"

/* What is told of every fault: any of them is cured the same way. */
#define ADVICE "; 'stillpoint index' writes it anew"

enum { PATH_SIZE = 4096 };

/* A record's line. */
struct expected {
	uint64_t line;
	bool is_wanted; /* records of other tools need not be there */
	bool is_found;
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

	return (p->line > q->line) - (p->line < q->line);
}

static void gather(struct index_check *c)
{
	struct evidence e;

	for (uint32_t i = 0; i < evidence_count(&c->v->evidence); i++)
		if (evidence_get(&c->v->evidence, i, &e) && e.line)
			expected_vec_push(&c->expected,
				(struct expected){e.line, e.claimed && e.sound, false});
	if (c->expected.len > 1)
		qsort(c->expected.ptr, c->expected.len, sizeof c->expected.ptr[0], by_line);
}

/* A record with that line, of which there is one as a rule, and which has not been found yet. */
static struct expected *find(const struct index_check *c, slice line)
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
	for (; low < c->expected.len && c->expected.ptr[low].line == hash; low++)
		if (!c->expected.ptr[low].is_found)
			return &c->expected.ptr[low];
	return NULL;
}

/* Earlier versions wrote addresses of IPv6 with their brackets: "[::1]:8080)/". */
static slice without_brackets(struct index_check *c, slice line)
{
	const char *end = line.len && line.ptr[0] == '[' ? memchr(line.ptr, ']', line.len) : NULL;
	size_t at = end ? (size_t)(end - line.ptr) : 0;

	if (!end)
		return line;
	buf_reset(&c->scratch);
	(void)buf_add(&c->scratch, slice_sub(line, 1, at));
	(void)buf_add(&c->scratch, slice_sub(line, at + 1, line.len));
	return buf_slice(&c->scratch);
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

static void tell_extra(struct index_check *c, slice line)
{
	struct cdxj parsed = {0};

	buf_reset(&c->scratch);
	if (cdxj_parse(line, &c->scratch, &parsed))
		parsed = (struct cdxj){0};
	if (!is_of_lost_file(c->v, parsed.filename) && !is_of_another(c, parsed.filename))
		verify_problem(
			c->v, parsed.url, NULL, "index.cdxj has a line that is no record's" ADVICE);
}

static void check_line(struct index_check *c, slice line)
{
	struct expected *e = find(c, line);

	if (!e)
		e = find(c, without_brackets(c, line));
	if (e)
		e->is_found = true;
	else
		tell_extra(c, line);
	if (cdxj_compare(buf_slice(&c->before), line) > 0)
		verify_problem(c->v, (slice){0}, NULL,
			"index.cdxj is not sorted, so that lines are not found" ADVICE);
	buf_reset(&c->before);
	(void)buf_add(&c->before, line);
}

static void check_lines(struct index_check *c, int fd)
{
	struct err why = {0};
	struct lines lines;
	slice line;
	int rc;

	lines_init(&lines, fd, 0);
	while ((rc = lines_next(&lines, &line, &why)) == 0)
		check_line(c, line);
	lines_release(&lines);
	if (rc != ERR_END)
		verify_problem(
			c->v, (slice){0}, NULL, "index.cdxj cannot be read: %s" ADVICE, why.text);
}

static void tell_missing(struct index_check *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->expected.len; i++)
		count += c->expected.ptr[i].is_wanted && !c->expected.ptr[i].is_found;
	if (count && !c->is_partial)
		verify_problem(c->v, (slice){0}, NULL,
			"index.cdxj lacks the %s of %zu record%s" ADVICE,
			count == 1 ? "line" : "lines", count, count == 1 ? "" : "s");
}

static int on_capture(void *context, const struct catalog_capture *capture)
{
	struct index_check *c = context;

	c->is_partial = c->is_partial || capture->state == CATALOG_RUNNING;
	return 0;
}

static void check(struct index_check *c, const char *path)
{
	int fd = file_open_inside(AT_FDCWD, path);

	if (fd < 0 && errno == ENOENT) {
		if (!c->is_partial)
			verify_note(c->v, (slice){0}, NULL, "there is no index.cdxj" ADVICE);
		return;
	}
	if (fd < 0) {
		verify_problem(c->v, (slice){0}, NULL, "index.cdxj cannot be read: %s",
			file_problem(errno));
		return;
	}
	gather(c);
	check_lines(c, fd);
	(void)close(fd);
	tell_missing(c);
}

int verify_index(struct verify *v, const struct verify_params *p, struct err *err)
{
	struct index_check c = {.v = v, .warc_dir = p->warc_dir};
	int rc = catalog_each_capture(p->catalog, on_capture, &c, err);

	if (rc)
		return rc;
	buf_init(&c.before, LINES_LINE_MAX);
	buf_init(&c.scratch, LINES_LINE_MAX);
	check(&c, p->index);
	expected_vec_release(&c.expected);
	buf_release(&c.before);
	buf_release(&c.scratch);
	return 0;
}
