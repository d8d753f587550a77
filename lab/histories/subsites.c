#include "histories/subsites.h"

#include <stdlib.h>
#include <string.h>

struct named {
	slice path;
	uint32_t page;
};

/* Pages by path: all that begin with the same bytes stand together. */
struct division {
	struct named *pages;
	size_t limit, least;
	struct subsites *result;
};

static int by_path(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	size_t common = x->path.len < y->path.len ? x->path.len : y->path.len;
	int order = memcmp(x->path.ptr, y->path.ptr, common);

	return order ? order : (x->path.len > y->path.len) - (x->path.len < y->path.len);
}

/* Bytes of the path up to the slash at or after depth, itself included; 0 for a file in there. */
static size_t directory(slice path, size_t depth)
{
	const char *slash = memchr(path.ptr + depth, '/', path.len - depth);

	return slash ? (size_t)(slash - path.ptr) + 1 : 0;
}

/* One past the last page from `at` on that lies in the same directory of that length. */
static size_t same(const struct division *d, size_t at, size_t end, size_t length)
{
	const char *prefix = d->pages[at].path.ptr;
	size_t i = at;

	while (i < end && d->pages[i].path.len > length &&
		memcmp(d->pages[i].path.ptr, prefix, length) == 0)
		i++;
	return i;
}

static void put(struct division *d, size_t from, size_t to, uint32_t subsite)
{
	for (size_t i = from; i < to; i++)
		d->result->of[d->pages[i].page] = subsite;
}

/* Pages from one to the other, all of which have the first depth bytes of their path in common. */
static void divide(struct division *d, size_t from, size_t to, size_t depth)
{
	uint32_t rest = UINT32_MAX;
	size_t next;

	if (to - from <= d->limit) {
		put(d, from, to, d->result->count++);
		return;
	}
	for (size_t i = from; i < to; i = next) {
		size_t length = directory(d->pages[i].path, depth);

		next = length ? same(d, i, to, length) : i + 1;
		if (length && next - i >= d->least) {
			divide(d, i, next, length);
			continue;
		}
		if (rest == UINT32_MAX)
			rest = d->result->count++;
		put(d, i, next, rest);
	}
}

int subsites_divide(const struct draw *draw, struct subsites *ret_subsites)
{
	size_t n = draw->site.n;
	struct subsites s = {.of = calloc(n, sizeof *s.of)};
	struct division d = {.pages = calloc(n, sizeof *d.pages), .result = &s};

	if (!s.of || !d.pages) {
		free(d.pages);
		free(s.of);
		return ERR_NOMEM;
	}
	for (uint32_t i = 0; i < n; i++)
		d.pages[i] = (struct named){draw_path(draw, i), i};
	qsort(d.pages, n, sizeof *d.pages, by_path);
	d.limit = (size_t)((double)n * SUBSITES_SHARE);
	d.least = (size_t)((double)n * SUBSITES_SHARE * SUBSITES_LEAST);
	if (d.least < 2)
		d.least = 2;
	divide(&d, 0, n, 0);
	free(d.pages);
	*ret_subsites = s;
	return 0;
}

void subsites_release(struct subsites *s)
{
	free(s->of);
	*s = (struct subsites){0};
}
