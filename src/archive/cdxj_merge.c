#include "archive/cdxj_merge.h"

/* A binary heap of inputs by their next lines; at its top is the input whose line comes next. */
struct merge {
	struct lines *inputs;
	slice lines[CDXJ_MERGE_MAX]; /* by input */
	unsigned heap[CDXJ_MERGE_MAX];
	size_t len;
};

/* Equal lines come in the order of their inputs. */
static bool is_before(const struct merge *m, unsigned a, unsigned b)
{
	int order = cdxj_compare(m->lines[a], m->lines[b]);

	return order ? order < 0 : a < b;
}

static void sift_down(struct merge *m, size_t at)
{
	unsigned moved = m->heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= m->len)
			break;
		if (child + 1 < m->len && is_before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!is_before(m, m->heap[child], moved))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = moved;
}

/* The next line of an input that is not empty: 0, ERR_END, or an error. */
static int next_line(struct merge *m, unsigned input, struct err *err)
{
	int rc;

	do
		rc = lines_next(&m->inputs[input], &m->lines[input], err);
	while (rc == 0 && m->lines[input].len == 0);
	return rc;
}

static int start(struct merge *m, size_t count, struct err *err)
{
	for (unsigned i = 0; i < count; i++) {
		int rc = next_line(m, i, err);

		if (rc == 0)
			m->heap[m->len++] = i;
		else if (rc != ERR_END)
			return rc;
	}
	for (size_t i = m->len / 2; i-- > 0;)
		sift_down(m, i);
	return 0;
}

/* Moves the input at the top on to its next line. */
static int advance(struct merge *m, struct err *err)
{
	int rc = next_line(m, m->heap[0], err);

	if (rc && rc != ERR_END)
		return rc;
	if (rc == ERR_END)
		m->heap[0] = m->heap[--m->len];
	if (m->len > 0)
		sift_down(m, 0);
	return 0;
}

/* Passes a line on unless it is the same as the one before, of which last is a copy. */
static int emit_once(slice line, struct buf *last, cdxj_emit *emit, void *context, struct err *err)
{
	int rc;

	if (slice_eq(buf_slice(last), line))
		return 0;
	buf_reset(last);
	rc = buf_add(last, line);
	return rc ? err_code(err, rc) : emit(context, line, err);
}

int cdxj_merge(struct lines *inputs, size_t count, unsigned flags, cdxj_emit *emit, void *context,
	struct err *err)
{
	struct merge m = {.inputs = inputs};
	struct buf last;
	int rc;

	if (count > CDXJ_MERGE_MAX)
		return err_set(err, ERR_LIMIT, "more than %d files to merge", CDXJ_MERGE_MAX);
	buf_init(&last, LINES_LINE_MAX);
	rc = start(&m, count, err);
	while (rc == 0 && m.len > 0) {
		slice line = m.lines[m.heap[0]];

		if (flags & CDXJ_UNIQUE)
			rc = emit_once(line, &last, emit, context, err);
		else
			rc = emit(context, line, err);
		if (rc == 0)
			rc = advance(&m, err);
	}
	buf_release(&last);
	return rc;
}
