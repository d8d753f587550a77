#include "quality/verify_name.h"

#include <stdlib.h>

#include "archive/warc_file.h"
#include "base/err.h"

/* "warc/NAME.open" and "NAME" are the same file. */
static slice bare_name(slice shown)
{
	return warc_closed_name(slice_sub(shown, sizeof "warc/" - 1, shown.len));
}

static int compare_places(slice file_a, uint64_t a, slice file_b, uint64_t b)
{
	size_t len = file_a.len < file_b.len ? file_a.len : file_b.len;
	int order = len > 0 ? memcmp(file_a.ptr, file_b.ptr, len) : 0;

	if (order == 0)
		order = (file_a.len > file_b.len) - (file_a.len < file_b.len);
	return order ? order : (a > b) - (a < b);
}

static int by_place(const void *a, const void *b)
{
	const struct nameless *p = a, *q = b;

	return compare_places(p->file, p->offset, q->file, q->offset);
}

int verify_naming_init(struct verify_naming *n, struct verify *v)
{
	const struct verify_problem *p = v->problems.ptr;
	int rc = 0;

	*n = (struct verify_naming){.v = v};
	for (size_t i = 0; rc == 0 && i < v->problems.len; i++)
		if (!p[i].url.ptr && p[i].file.ptr)
			rc = nameless_vec_push(&n->list, (struct nameless){
								 .problem = i,
								 .file = bare_name(p[i].file),
								 .offset = p[i].offset,
							 });
	if (rc == 0 && n->list.len > 1)
		qsort(n->list.ptr, n->list.len, sizeof n->list.ptr[0], by_place);
	return rc;
}

/* The first problem at or behind the place, or as many as there are. */
static size_t find_first(const struct verify_naming *n, slice file, uint64_t offset)
{
	size_t low = 0, high = n->list.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct nameless *x = &n->list.ptr[mid];

		if (compare_places(x->file, x->offset, file, offset) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int verify_naming_offer(struct verify_naming *n, slice url, slice file, uint64_t offset)
{
	size_t at = find_first(n, file, offset);
	struct nameless *x;

	if (at == n->list.len)
		return 0;
	x = &n->list.ptr[at];
	if (!slice_eq(x->file, file) || (x->url.ptr && x->record >= offset))
		return 0;
	x->record = offset;
	return words_keep(&n->v->words, url, &x->url);
}

/* A problem that has no record between it and the problem before shares that one's page. */
void verify_naming_finish(struct verify_naming *n)
{
	for (size_t i = 0; i < n->list.len; i++) {
		struct nameless *x = &n->list.ptr[i];

		if (!x->url.ptr && i > 0 && slice_eq(x->file, x[-1].file))
			x->url = x[-1].url;
		n->v->problems.ptr[x->problem].url = x->url;
	}
	nameless_vec_release(&n->list);
}
