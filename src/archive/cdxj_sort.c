/* The external merge sort of cdxj_merge.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/cdxj_merge.h"
#include "base/lists.h"
#include "base/tempfile.h"

enum {
	LEVELS_MAX = 3, /* FAN_IN to this power runs are more than any disk has */
};

_Static_assert(LEVELS_MAX *CDXJ_FAN_IN <= CDXJ_MERGE_MAX, "the last merge is of all files");

struct level {
	int fds[CDXJ_FAN_IN];
	size_t count;
};

struct cdxj_sort {
	const char *dir;
	unsigned flags;
	char *text; /* of the lines of the run being gathered */
	size_t memory;
	size_t used; /* of text */
	struct slice_vec lines;
	struct level levels[LEVELS_MAX]; /* files of a level are merged into one of the next */
};

static int io_error(struct err *err)
{
	return err_set(err, ERR_IO, "temporary file: %s", strerror(errno));
}

int cdxj_sort_open(
	const char *dir, size_t memory, unsigned flags, struct cdxj_sort **ret, struct err *err)
{
	struct cdxj_sort *s = calloc(1, sizeof *s);

	if (!s)
		return err_code(err, ERR_NOMEM);
	s->dir = dir;
	s->flags = flags;
	s->memory = memory ? memory : CDXJ_SORT_MEMORY;
	if (s->memory < CDXJ_SORT_MEMORY_MIN)
		s->memory = CDXJ_SORT_MEMORY_MIN;
	*ret = s;
	return 0;
}

static void close_level(struct level *level)
{
	while (level->count > 0)
		(void)close(level->fds[--level->count]);
}

void cdxj_sort_close(struct cdxj_sort *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < LEVELS_MAX; i++)
		close_level(&s->levels[i]);
	slice_vec_release(&s->lines);
	free(s->text);
	free(s);
}

int cdxj_put_line(void *context, slice line, struct err *err)
{
	FILE *file = context;

	if (fwrite(line.ptr, 1, line.len, file) == line.len && putc('\n', file) != EOF)
		return 0;
	return err_set(err, ERR_IO, "index: %s", strerror(errno));
}

static int compare(const void *a, const void *b)
{
	return cdxj_compare(*(const slice *)a, *(const slice *)b);
}

/* The run in memory, sorted, line by line. */
static int emit_run(struct cdxj_sort *s, cdxj_emit *emit, void *context, struct err *err)
{
	int rc = 0;

	if (s->lines.len)
		qsort(s->lines.ptr, s->lines.len, sizeof s->lines.ptr[0], compare);
	for (size_t i = 0; rc == 0 && i < s->lines.len; i++)
		if (!(s->flags & CDXJ_UNIQUE) || i == 0 ||
			!slice_eq(s->lines.ptr[i], s->lines.ptr[i - 1]))
			rc = emit(context, s->lines.ptr[i], err);
	s->lines.len = 0;
	s->used = 0;
	return rc;
}

/* Merges the files of some levels. */
static int merge_levels(struct cdxj_sort *s, const struct level *levels, size_t count,
	cdxj_emit *emit, void *context, struct err *err)
{
	struct lines inputs[LEVELS_MAX * CDXJ_FAN_IN];
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < levels[i].count; k++)
			lines_init(&inputs[n++], levels[i].fds[k], 0);
	rc = cdxj_merge(inputs, n, s->flags, emit, context, err);
	while (n > 0)
		lines_release(&inputs[--n]);
	return rc;
}

/* Writes the run in memory (at 0), or the merged files of the level below, to a file of a level. */
static int add_file(struct cdxj_sort *s, size_t at, struct err *err)
{
	struct level *level = &s->levels[at];
	int fd = tempfile_open(s->dir), copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *file = copy < 0 ? NULL : fdopen(copy, "wb");
	int rc;

	if (!file)
		rc = io_error(err);
	else if (at == 0)
		rc = emit_run(s, cdxj_put_line, file, err);
	else
		rc = merge_levels(s, level - 1, 1, cdxj_put_line, file, err);
	if (file && fclose(file) && rc == 0)
		rc = io_error(err);
	if (!file && copy >= 0)
		(void)close(copy);
	if (fd >= 0)
		level->fds[level->count++] = fd;
	if (at > 0)
		close_level(level - 1);
	return rc;
}

/* Makes room on level 0, from the highest full level downwards. */
static int make_room(struct cdxj_sort *s, struct err *err)
{
	size_t full = 0;
	int rc = 0;

	while (full < LEVELS_MAX && s->levels[full].count == CDXJ_FAN_IN)
		full++;
	if (full == LEVELS_MAX)
		return err_set(err, ERR_LIMIT, "too many lines to sort");
	for (; rc == 0 && full > 0; full--)
		rc = add_file(s, full, err);
	return rc;
}

static int spill(struct cdxj_sort *s, struct err *err)
{
	int rc = make_room(s, err);

	return rc ? rc : add_file(s, 0, err);
}

/* What a line takes: its bytes, and its place in the array, which doubles as it grows. */
static bool is_full(const struct cdxj_sort *s, size_t len)
{
	return s->lines.len > 0 &&
	       s->used + len + (s->lines.len + 1) * 2 * sizeof(slice) > s->memory;
}

int cdxj_sort_add(struct cdxj_sort *s, slice line, struct err *err)
{
	char *to;
	int rc = 0;

	if (line.len > CDXJ_LINE_MAX)
		return err_set(err, ERR_LIMIT, "line is too long");
	if (is_full(s, line.len))
		rc = spill(s, err);
	if (rc)
		return rc;
	if (!s->text && !(s->text = malloc(s->memory + CDXJ_LINE_MAX)))
		return err_code(err, ERR_NOMEM);
	to = s->text + s->used;
	if (slice_vec_push(&s->lines, (slice){to, line.len}))
		return err_code(err, ERR_NOMEM);
	if (line.len)
		memcpy(to, line.ptr, line.len);
	s->used += line.len;
	return 0;
}

int cdxj_sort_finish(struct cdxj_sort *s, cdxj_emit *emit, void *context, struct err *err)
{
	size_t files = 0;
	int rc = 0;

	for (size_t i = 0; i < LEVELS_MAX; i++)
		files += s->levels[i].count;
	if (files == 0)
		return emit_run(s, emit, context, err);
	if (s->lines.len > 0)
		rc = spill(s, err);
	return rc ? rc : merge_levels(s, s->levels, LEVELS_MAX, emit, context, err);
}
