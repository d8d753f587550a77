#include "proof/ranking.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

/* Up to the last slash before any query; slashes of "http://" do not count. */
static slice directory_of(slice url)
{
	size_t end = 0, len = url.len;

	for (size_t i = 0; i < len; i++) {
		if (url.ptr[i] == '?' || url.ptr[i] == '#')
			break;
		if (url.ptr[i] == '/')
			end = i + 1;
	}
	return slice_sub(url, 0, end);
}

static slice reason_of(const struct report_page *p)
{
	return p->reason.ptr ? p->reason : SLICE("no reason given");
}

/* "timeout" of "timeout: no answer within 30 s". */
static slice kind_of_reason(const struct report_page *p)
{
	slice reason = reason_of(p);
	const char *colon = memchr(reason.ptr, ':', reason.len);

	if (p->verdict == VERDICT_EXCLUDED || !colon)
		return reason;
	return slice_sub(reason, 0, (size_t)(colon - reason.ptr));
}

static void count_in(
	struct strmap *map, struct ranking_groups *groups, slice name, const struct report_page *p)
{
	uint32_t at = (uint32_t)groups->len;
	struct ranking_group *g;

	if (!strmap_get(map, name, &at)) {
		if (strmap_put(map, name, at))
			mem_end();
		ranking_groups_push(groups, (struct ranking_group){.name = name});
	}
	assert(at < groups->len);
	g = &groups->ptr[at];
	if (g->pages++ == 0)
		g->example = reason_of(p);
	g->captured += verdict_is_captured((enum verdict)p->verdict);
	g->sharp += p->verdict == VERDICT_SHARP;
	g->changed += p->verdict == VERDICT_CHANGED;
}

static int by_pages(const void *a, const void *b)
{
	const struct ranking_group *x = a, *y = b;
	size_t len = x->name.len < y->name.len ? x->name.len : y->name.len;
	int order;

	if (x->captured != y->captured)
		return x->captured < y->captured ? 1 : -1;
	if (x->pages != y->pages)
		return x->pages < y->pages ? 1 : -1;
	order = len > 0 ? memcmp(x->name.ptr, y->name.ptr, len) : 0;
	return order ? order : (x->name.len > y->name.len) - (x->name.len < y->name.len);
}

static struct ranking_groups rank(const struct report *r, int verdict)
{
	struct ranking_groups groups = {0};
	struct strmap map;

	strmap_init(&map, hash_key_random(), NULL);
	for (size_t i = 0; i < r->pages.len; i++) {
		const struct report_page *p = report_page_at(r, i);

		if (verdict < 0 && p->verdict != VERDICT_EXCLUDED)
			count_in(&map, &groups, directory_of(p->url), p);
		else if (p->verdict == verdict && !report_is_out_of_scope(p))
			count_in(&map, &groups, kind_of_reason(p), p);
	}
	strmap_release(&map);
	if (groups.len > 1)
		qsort(groups.ptr, groups.len, sizeof groups.ptr[0], by_pages);
	return groups;
}

struct ranking_groups ranking_directories(const struct report *r)
{
	return rank(r, -1);
}

struct ranking_groups ranking_reasons(const struct report *r, enum verdict verdict)
{
	return rank(r, (int)verdict);
}

/* Insertion into a short list, which keeps the order of pages among equals. */
size_t ranking_hottest(
	const struct report *r, enum verdict verdict, size_t max, uint32_t *ret_pages)
{
	const struct report_page *pages = r->pages.ptr;
	size_t count = 0;

	for (uint32_t i = 0; i < r->pages.len; i++) {
		size_t at = count;

		if (report_page_at(r, i)->verdict != verdict)
			continue;
		while (at > 0 && pages[ret_pages[at - 1]].rate < pages[i].rate)
			at--;
		if (at == max)
			continue;
		count += count < max;
		for (size_t k = count - 1; k > at; k--)
			ret_pages[k] = ret_pages[k - 1];
		ret_pages[at] = i;
	}
	return count;
}
