/* The external merge sort of cdxj_merge.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/cdxj_merge.h"
#include "base/io.h"
#include "base/lists.h"
#include "base/tempfile.h"

enum {
	LEVELS_MAX = 3, /* FAN_IN to this power runs are more than any disk has */
	OUT_SIZE = 64 << 10,
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

/* A temporary file being written. */
struct out {
	int fd;
	size_t len;
	char bytes[OUT_SIZE];
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

void cdxj_sort_close(struct cdxj_sort *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < LEVELS_MAX; i++)
		for (size_t k = 0; k < s->levels[i].count; k++)
			(void)close(s->levels[i].fds[k]);
	slice_vec_release(&s->lines);
	free(s->text);
	free(s);
}

static int make_file(const char *dir, struct err *err)
{
	int fd = tempfile_open(dir);

	return fd < 0 ? io_error(err) : fd;
}

static int flush(struct out *o, struct err *err)
{
	if (io_write(o->fd, o->bytes, o->len))
		return io_error(err);
	o->len = 0;
	return 0;
}

static int put(struct out *o, slice bytes, struct err *err)
{
	while (bytes.len > 0) {
		size_t room = OUT_SIZE - o->len, n = bytes.len < room ? bytes.len : room;
		int rc = 0;

		memcpy(o->bytes + o->len, bytes.ptr, n);
		o->len += n;
		bytes = slice_sub(bytes, n, bytes.len);
		if (o->len == OUT_SIZE)
			rc = flush(o, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int put_line(void *context, slice line, struct err *err)
{
	int rc = put(context, line, err);

	return rc ? rc : put(context, SLICE("\n"), err);
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

static int merge_level(
	struct cdxj_sort *s, struct level *level, cdxj_emit *emit, void *context, struct err *err)
{
	struct lines inputs[CDXJ_FAN_IN];
	int rc;

	for (size_t i = 0; i < level->count; i++)
		lines_init(&inputs[i], level->fds[i], 0);
	rc = cdxj_merge(inputs, level->count, s->flags, emit, context, err);
	for (size_t i = 0; i < level->count; i++) {
		lines_release(&inputs[i]);
		(void)close(level->fds[i]);
	}
	level->count = 0;
	return rc;
}

/* Writes the run in memory (at 0), or the merged files of the level below, to a file of a level. */
static int add_file(struct cdxj_sort *s, size_t at, struct err *err)
{
	struct level *level = &s->levels[at];
	struct out *o = malloc(sizeof *o);
	int rc;

	if (!o)
		return err_code(err, ERR_NOMEM);
	o->len = 0;
	o->fd = make_file(s->dir, err);
	if (o->fd < 0) {
		rc = o->fd;
		free(o);
		return rc;
	}
	level->fds[level->count++] = o->fd;
	rc = at == 0 ? emit_run(s, put_line, o, err)
		     : merge_level(s, &s->levels[at - 1], put_line, o, err);
	if (rc == 0)
		rc = flush(o, err);
	free(o);
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
		return err_set(err, ERR_LIMIT, "too much to be sorted");
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
	struct lines inputs[LEVELS_MAX * CDXJ_FAN_IN];
	size_t count = 0;
	int rc = 0;

	for (size_t i = 0; i < LEVELS_MAX; i++)
		count += s->levels[i].count;
	if (count == 0)
		return emit_run(s, emit, context, err);
	if (s->lines.len > 0)
		rc = spill(s, err);
	if (rc)
		return rc;
	count = 0;
	for (size_t i = 0; i < LEVELS_MAX; i++)
		for (size_t k = 0; k < s->levels[i].count; k++)
			lines_init(&inputs[count++], s->levels[i].fds[k], 0);
	rc = cdxj_merge(inputs, count, s->flags, emit, context, err);
	for (size_t i = 0; i < count; i++)
		lines_release(&inputs[i]);
	return rc;
}
