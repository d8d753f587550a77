#include "base/seen_runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

enum {
	ENTRY_SIZE = 20,  /* in a file: both halves and the number, as the machine has them */
	BLOCK = 256,      /* entries */
	WINDOW = 128,     /* blocks that are read or written at once at most: 640 KB */
	GAP = 8,          /* blocks that are read along rather than passed over */
	MERGE_FACTOR = 3, /* a run is merged if it is no more than so many times the batch */
	FILTER_WORDS = 8, /* of a filter's block: 64 bytes */
	FILTER_PROBES = 5,
	FILTER_BIT_BITS = 9,
	FILTER_BITS = 8, /* of a filter, for each entry */
};

/* ---- files ---- */

static int fail(const struct seen_runs *r, struct err *err)
{
	return err_set(err, ERR_IO, "temporary file in %s: %s", r->dir, strerror(errno));
}

static void put_entry(char *to, const struct seen_entry *e)
{
	memcpy(to, &e->high, sizeof e->high);
	memcpy(to + 8, &e->low, sizeof e->low);
	memcpy(to + 16, &e->number, sizeof e->number);
}

static uint64_t high_at(const char *entries, size_t i)
{
	uint64_t high;

	memcpy(&high, entries + i * ENTRY_SIZE, sizeof high);
	return high;
}

static struct seen_entry entry_at(const char *entries, size_t i)
{
	struct seen_entry e;

	memcpy(&e.high, entries + i * ENTRY_SIZE, sizeof e.high);
	memcpy(&e.low, entries + i * ENTRY_SIZE + 8, sizeof e.low);
	memcpy(&e.number, entries + i * ENTRY_SIZE + 16, sizeof e.number);
	return e;
}

/* Entries of a run that were read: the window [first, first + len). */
struct window {
	char *entries; /* room for WINDOW blocks, or for as many as its owner reads */
	uint64_t first;
	size_t len;
};

static int read_window(struct seen_runs *r, const struct seen_run *run, struct window *w,
	uint64_t first, size_t len, struct err *err)
{
	size_t bytes;
	ssize_t n;

	if (len > run->count - first)
		len = (size_t)(run->count - first);
	bytes = len * ENTRY_SIZE;
	r->reads++;
	n = io_read_at(run->fd, w->entries, bytes, first * ENTRY_SIZE);
	if (n >= 0 && (size_t)n < bytes)
		errno = EIO;
	if (n < 0 || (size_t)n < bytes)
		return fail(r, err);
	w->first = first;
	w->len = len;
	return 0;
}

static void run_release(struct seen_run *run)
{
	if (run->fd >= 0)
		(void)close(run->fd);
	free(run->filter);
	seen_index_release(&run->index);
}

/* ---- filters ---- */

static uint64_t *filter_block(const struct seen_run *run, const struct seen_entry *e)
{
	size_t block = (size_t)((e->low >> 32) * run->filter_blocks >> 32);

	return run->filter + block * FILTER_WORDS;
}

static void filter_add(struct seen_run *run, const struct seen_entry *e)
{
	uint64_t *block = run->filter ? filter_block(run, e) : NULL;
	uint64_t bits = e->high;

	for (int i = 0; block && i < FILTER_PROBES; i++, bits >>= FILTER_BIT_BITS)
		block[bits % (FILTER_WORDS * 64) / 64] |= UINT64_C(1) << bits % 64;
}

static bool filter_has(const struct seen_run *run, const struct seen_entry *e)
{
	const uint64_t *block = run->filter ? filter_block(run, e) : NULL;
	uint64_t bits = e->high;

	for (int i = 0; block && i < FILTER_PROBES; i++, bits >>= FILTER_BIT_BITS)
		if (!(block[bits % (FILTER_WORDS * 64) / 64] & UINT64_C(1) << bits % 64))
			return false;
	return true;
}

/* Its share of the memory for filters; a filter of less than two bits an entry tells nothing. */
static int make_filter(const struct seen_runs *r, struct seen_run *run, uint64_t count)
{
	uint64_t all = r->count > count ? r->count : count;
	double share = (double)r->filter_max * (double)count / (double)all;
	double bytes = (double)count * FILTER_BITS / 8;

	if (share < bytes)
		bytes = share;
	if (bytes < (double)count / 4)
		return 0;
	run->filter_blocks = (size_t)(bytes / (FILTER_WORDS * sizeof(uint64_t))) + 1; /* < 2^32 */
	run->filter = calloc(run->filter_blocks, FILTER_WORDS * sizeof(uint64_t));
	return run->filter ? 0 : ERR_NOMEM;
}

/* ---- merging ---- */

/* Where entries come from: a run, or the batch if there is none. */
struct input {
	const struct seen_run *run;
	struct window window;
	uint64_t at;
	struct seen_entry entry; /* the next one */
	bool is_over;
};

struct merging {
	struct seen_runs *runs;
	seen_source *next;
	void *context;
	struct input *inputs;
	size_t input_count;
	struct seen_run out;
	char *buffer; /* of entries that are not written yet */
	size_t buffered;
	struct err *err;
};

static int advance(struct merging *m, struct input *in)
{
	if (!in->run) {
		in->is_over = !m->next(m->context, &in->entry);
		return 0;
	}
	in->is_over = in->at == in->run->count;
	if (in->is_over)
		return 0;
	if (in->at == in->window.first + in->window.len)
		TRY(read_window(m->runs, in->run, &in->window, in->at, WINDOW * BLOCK, m->err));
	in->entry = entry_at(in->window.entries, (size_t)(in->at++ - in->window.first));
	return 0;
}

static int flush(struct merging *m)
{
	uint64_t at = (m->out.count - m->buffered) * ENTRY_SIZE;

	if (io_write_at(m->out.fd, m->buffer, m->buffered * ENTRY_SIZE, at))
		return fail(m->runs, m->err);
	m->buffered = 0;
	return 0;
}

static int put(struct merging *m, const struct seen_entry *e)
{
	if (m->out.count % BLOCK == 0 && seen_index_try_push(&m->out.index, e->high))
		return err_code(m->err, ERR_NOMEM);
	filter_add(&m->out, e);
	put_entry(m->buffer + m->buffered * ENTRY_SIZE, e);
	m->out.count++;
	return ++m->buffered == (size_t)WINDOW * BLOCK ? flush(m) : 0;
}

static int merge_all(struct merging *m)
{
	for (size_t i = 0; i < m->input_count; i++)
		TRY(advance(m, &m->inputs[i]));
	for (;;) {
		struct input *least = NULL;

		for (size_t i = 0; i < m->input_count; i++) {
			struct input *in = &m->inputs[i];

			if (!in->is_over && (!least || in->entry.high < least->entry.high))
				least = in;
		}
		if (!least)
			return flush(m);
		TRY(put(m, &least->entry));
		TRY(advance(m, least));
	}
}

static int open_merging(struct merging *m, size_t first, uint64_t count)
{
	size_t window = (size_t)WINDOW * BLOCK * ENTRY_SIZE;

	m->inputs = calloc(m->input_count, sizeof *m->inputs);
	m->buffer = malloc(window);
	if (!m->inputs || !m->buffer || make_filter(m->runs, &m->out, count))
		return err_code(m->err, ERR_NOMEM);
	for (size_t i = 1; i < m->input_count; i++) {
		m->inputs[i].run = &m->runs->list.ptr[first + i - 1];
		m->inputs[i].window.entries = malloc(window);
		if (!m->inputs[i].window.entries)
			return err_code(m->err, ERR_NOMEM);
	}
	m->out.fd = tempfile_open(m->runs->dir);
	return m->out.fd < 0 ? fail(m->runs, m->err) : 0;
}

static void close_merging(struct merging *m)
{
	for (size_t i = 1; m->inputs && i < m->input_count; i++)
		free(m->inputs[i].window.entries);
	free(m->inputs);
	free(m->buffer);
}

/* The runs from first on are in the new one. */
static void replace(struct seen_runs *r, size_t first, const struct seen_run *run)
{
	for (size_t i = first; i < r->list.len; i++)
		run_release(&r->list.ptr[i]);
	r->list.ptr[first] = *run;
	r->list.len = first + 1;
}

int seen_runs_add(
	struct seen_runs *r, seen_source *next, void *context, uint64_t count, struct err *err)
{
	struct merging m = {
		.runs = r, .next = next, .context = context, .out = {.fd = -1}, .err = err};
	size_t first = r->list.len;
	uint64_t total = count;
	int rc;

	if (count == 0)
		return 0;
	if (seen_run_vec_try_reserve(&r->list, 1))
		return err_code(err, ERR_NOMEM);
	while (first > 0 && r->list.ptr[first - 1].count <= MERGE_FACTOR * total)
		total += r->list.ptr[--first].count;
	m.input_count = 1 + r->list.len - first;
	r->count += count; /* for its share of the filters */
	rc = open_merging(&m, first, total);
	if (rc == 0)
		rc = merge_all(&m);
	close_merging(&m);
	if (rc == 0) {
		replace(r, first, &m.out);
		return 0;
	}
	r->count -= count;
	run_release(&m.out);
	return rc;
}

/* ---- questions ---- */

bool seen_runs_may_have(const struct seen_runs *r, const struct seen_entry *e)
{
	for (size_t i = 0; i < r->list.len; i++)
		if (filter_has(&r->list.ptr[i], e))
			return true;
	return false;
}

/* The last block that begins before the digest: where the first one of its half may be. */
static size_t block_of(const struct seen_run *run, uint64_t high)
{
	size_t from = 0, to = run->index.len;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (run->index.ptr[middle] < high)
			from = middle + 1;
		else
			to = middle;
	}
	return from ? from - 1 : 0;
}

/* The first entry of the window that is not before the digest; its length if there is none. */
static size_t lower_bound(const struct window *w, uint64_t high)
{
	size_t from = 0, to = w->len;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (high_at(w->entries, middle) < high)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Looks for a question in the window, and in what follows it while first halves are the same. */
static int look(struct seen_runs *r, const struct seen_run *run, struct window *w,
	struct seen_question *q, struct err *err)
{
	size_t at = lower_bound(w, q->entry.high);

	for (;;) {
		struct seen_entry e;

		if (at == w->len) {
			if (w->first + w->len == run->count)
				return 0;
			TRY(read_window(r, run, w, w->first + w->len, BLOCK, err));
			at = 0;
		}
		e = entry_at(w->entries, at++);
		if (e.high > q->entry.high)
			return 0;
		if (e.high == q->entry.high && e.low == q->entry.low) {
			q->entry.number = e.number;
			q->is_found = true;
			return 0;
		}
	}
}

int seen_runs_find(struct seen_runs *r, struct seen_question *q, struct err *err)
{
	char block[BLOCK * ENTRY_SIZE] = {0};
	struct window w = {.entries = block};

	q->is_found = false;
	for (size_t i = 0; i < r->list.len && !q->is_found; i++) {
		const struct seen_run *run = &r->list.ptr[i];
		uint64_t first = (uint64_t)block_of(run, q->entry.high) * BLOCK;

		if (!filter_has(run, &q->entry))
			continue;
		TRY(read_window(r, run, &w, first, BLOCK, err));
		TRY(look(r, run, &w, q, err));
	}
	return 0;
}

static int by_digest(const void *a, const void *b)
{
	const struct seen_question *x = a, *y = b;

	return x->entry.high < y->entry.high ? -1 : x->entry.high > y->entry.high;
}

/* Blocks to read for the question at i and those behind it. */
static size_t blocks_from(
	const struct seen_run *run, const struct seen_questions *all, size_t i, size_t first)
{
	size_t end = first + 1;

	for (; i < all->len && end - first < WINDOW; i++) {
		size_t block;

		if (all->ptr[i].is_found || !filter_has(run, &all->ptr[i].entry))
			continue;
		block = block_of(run, all->ptr[i].entry.high);
		if (block >= end + GAP)
			break;
		if (block >= end)
			end = block + 1;
	}
	return end - first < WINDOW ? end - first : WINDOW;
}

static int find_in_run(struct seen_runs *r, const struct seen_run *run, struct window *w,
	struct seen_questions *all, struct err *err)
{
	w->first = w->len = 0;
	for (size_t i = 0; i < all->len; i++) {
		struct seen_question *q = &all->ptr[i];
		size_t block;

		if (q->is_found || !filter_has(run, &q->entry))
			continue;
		block = block_of(run, q->entry.high);
		if ((uint64_t)block * BLOCK < w->first ||
			(uint64_t)block * BLOCK >= w->first + w->len)
			TRY(read_window(r, run, w, (uint64_t)block * BLOCK,
				blocks_from(run, all, i, block) * BLOCK, err));
		TRY(look(r, run, w, q, err));
	}
	return 0;
}

int seen_runs_find_all(struct seen_runs *r, struct seen_questions *all, struct err *err)
{
	struct window w = {.entries = malloc((size_t)WINDOW * BLOCK * ENTRY_SIZE)};
	int rc = w.entries ? 0 : err_code(err, ERR_NOMEM);

	if (all->len > 1)
		qsort(all->ptr, all->len, sizeof *all->ptr, by_digest);
	for (size_t i = 0; i < all->len; i++)
		all->ptr[i].is_found = false;
	for (size_t i = 0; rc == 0 && i < r->list.len; i++)
		rc = find_in_run(r, &r->list.ptr[i], &w, all, err);
	free(w.entries);
	return rc;
}

/* ---- */

void seen_runs_init(struct seen_runs *r, const char *dir, size_t filter_max)
{
	*r = (struct seen_runs){.dir = dir, .filter_max = filter_max};
}

void seen_runs_release(struct seen_runs *r)
{
	for (size_t i = 0; i < r->list.len; i++)
		run_release(&r->list.ptr[i]);
	seen_run_vec_release(&r->list);
	seen_runs_init(r, r->dir, r->filter_max);
}

uint64_t seen_runs_disk_bytes(const struct seen_runs *r)
{
	return r->count * ENTRY_SIZE;
}
