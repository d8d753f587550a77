#include "proof/ranking.h"

#include <stdlib.h>

#include "base/hash.h"

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

/* The group of that name, which is new if need be. */
static int find_group(
	struct strmap *map, struct ranking_groups *groups, slice name, struct ranking_group **ret)
{
	uint32_t at = (uint32_t)groups->len;
	int rc = 0;

	if (!strmap_get(map, name, &at)) {
		rc = strmap_put(map, name, at);
		if (rc == 0)
			rc = ranking_groups_push(groups, (struct ranking_group){.name = name});
	}
	if (rc == 0)
		*ret = &groups->ptr[at];
	return rc;
}

static int count_in(
	struct strmap *map, struct ranking_groups *groups, slice name, const struct report_page *p)
{
	struct ranking_group *g = NULL;
	int rc = find_group(map, groups, name, &g);

	if (rc || !g)
		return rc;
	if (g->pages++ == 0)
		g->example = reason_of(p);
	g->captured += verdict_is_captured((enum verdict)p->verdict);
	g->sharp += p->verdict == VERDICT_SHARP;
	g->changed += p->verdict == VERDICT_CHANGED;
	return 0;
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

static int rank(const struct report *r, int verdict, struct ranking_groups *ret)
{
	struct ranking_groups groups = {0};
	struct strmap map;
	int rc = 0;

	strmap_init(&map, hash_key_random(), NULL);
	for (size_t i = 0; rc == 0 && i < r->pages.len; i++) {
		const struct report_page *p = report_page_at(r, i);

		if (verdict < 0 && p->verdict != VERDICT_EXCLUDED)
			rc = count_in(&map, &groups, directory_of(p->url), p);
		else if (p->verdict == verdict && !report_is_out_of_scope(p))
			rc = count_in(&map, &groups, kind_of_reason(p), p);
	}
	strmap_release(&map);
	if (rc) {
		ranking_groups_release(&groups);
		return rc;
	}
	if (groups.len > 1)
		qsort(groups.ptr, groups.len, sizeof groups.ptr[0], by_pages);
	*ret = groups;
	return 0;
}

int ranking_directories(const struct report *r, struct ranking_groups *ret)
{
	return rank(r, -1, ret);
}

int ranking_reasons(const struct report *r, enum verdict verdict, struct ranking_groups *ret)
{
	return rank(r, (int)verdict, ret);
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
