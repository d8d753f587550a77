#include "archive/page_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Of all URLs; ten million of them have a quarter of it. */
#define URLS_MAX ((size_t)16 << 30)

enum { SHOWN_MAX = 80 }; /* bytes of a URL in a message */

void page_table_init(struct page_table *t)
{
	*t = (struct page_table){.keep = PAGE_TABLE_KEEP, .until = INT64_MAX};
	arena_init(&t->urls, URLS_MAX);
	strmap_init(&t->map, hash_key_random(), NULL);
	url_init(&t->url);
	buf_init(&t->last, URL_MAX);
}

void page_table_release(struct page_table *t)
{
	for (size_t i = 0; i < t->pages.len; i++)
		free(t->pages.ptr[i].seen);
	page_entries_release(&t->pages);
	strmap_release(&t->map);
	arena_release(&t->urls);
	url_release(&t->url);
	buf_release(&t->last);
}

static bool read_url(struct page_table *t, slice url)
{
	return url_parse(&t->url, url, NULL, NULL) == 0 && url_is_http(&t->url);
}

static int add_page(struct page_table *t, slice url, uint32_t *ret)
{
	struct page_entry page = {.url = arena_keep(&t->urls, url)};

	if (arena_full(&t->urls) || t->pages.len >= UINT32_MAX)
		return ERR_LIMIT;
	*ret = (uint32_t)t->pages.len;
	page_entries_push(&t->pages, page);
	return strmap_put(&t->map, page.url, *ret);
}

/* Lists are sorted by URL as a rule: that of the line before is at hand. ERR_NOTFOUND: no page. */
static int find_page(struct page_table *t, slice url, uint32_t *ret)
{
	int rc = 0;

	if (t->last.len > 0 && slice_eq(buf_slice(&t->last), url)) {
		*ret = t->last_page;
		return 0;
	}
	if (!read_url(t, url))
		return ERR_NOTFOUND;
	if (!strmap_get(&t->map, url_page(&t->url), ret))
		rc = add_page(t, url_page(&t->url), ret);
	if (rc)
		return rc;
	t->last_page = *ret;
	buf_reset(&t->last);
	buf_add(&t->last, url);
	return 0;
}

static bool is_sitemap(const struct page_seen *s)
{
	return s->modified != 0 && s->digest == LISTED_NO_DIGEST;
}

static bool is_comparable(listed_digest a, listed_digest b)
{
	return a != LISTED_NO_DIGEST && b != LISTED_NO_DIGEST && ((a ^ b) & LISTED_ALGORITHM) == 0;
}

static bool says_the_same(const struct page_seen *a, const struct page_seen *b)
{
	return a->digest == b->digest && a->modified == b->modified;
}

/* Takes out captures whose two neighbours say the same. */
static void drop_confirming(struct page_entry *p)
{
	uint32_t kept = 1;

	for (uint32_t i = 1; i + 1 < p->len; i++)
		if (!says_the_same(&p->seen[i], &p->seen[kept - 1]) ||
			!says_the_same(&p->seen[i], &p->seen[i + 1]))
			p->seen[kept++] = p->seen[i];
	p->seen[kept++] = p->seen[p->len - 1];
	p->len = kept;
}

static void drop_oldest(struct page_entry *p)
{
	uint32_t gone = p->len / 2;

	for (uint32_t i = 1; i <= gone; i++)
		p->gone_changes += is_comparable(p->seen[i - 1].digest, p->seen[i].digest) &&
				   p->seen[i - 1].digest != p->seen[i].digest;
	memmove(p->seen, p->seen + gone, (p->len - gone) * sizeof *p->seen);
	p->len -= gone;
}

static void make_room(struct page_entry *p, uint32_t keep)
{
	if (p->len < p->cap)
		return;
	if (p->cap >= keep) {
		drop_confirming(p);
		if (p->len > keep / 2)
			drop_oldest(p);
		return;
	}
	p->cap = p->cap ? 2 * p->cap : 1;
	p->seen = mem_resize(p->seen, p->cap, sizeof *p->seen);
}

/* The first capture that is not before that time. */
static uint32_t find_place(const struct page_entry *p, int64_t time)
{
	uint32_t low = 0, high = p->len;

	if (high > 0 && p->seen[high - 1].time < time)
		return high;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (p->seen[middle].time < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of two of the same time one stays: the one with a digest, or else the last with a lastmod. */
static void settle(struct page_entry *p, struct page_seen *kept, struct page_seen seen)
{
	if (kept->digest != LISTED_NO_DIGEST ||
		(seen.digest == LISTED_NO_DIGEST && seen.modified == 0))
		return;
	p->captures += is_sitemap(kept);
	p->captures -= is_sitemap(&seen);
	*kept = seen;
}

static void add_seen(struct page_entry *p, struct page_seen seen, uint32_t keep)
{
	uint32_t at = find_place(p, seen.time);

	if (at < p->len && p->seen[at].time == seen.time) {
		settle(p, &p->seen[at], seen);
		return;
	}
	make_room(p, keep);
	p->captures += !is_sitemap(&seen);
	at = find_place(p, seen.time);
	if (at == 0 && p->gone_changes > 0)
		return; /* older than what is no longer kept */
	memmove(p->seen + at + 1, p->seen + at, (p->len - at) * sizeof *p->seen);
	p->seen[at] = seen;
	p->len++;
}

static bool is_page(const struct listed *o)
{
	return o->status == 0 || (o->status >= 200 && o->status <= 299);
}

void page_table_see(struct page_table *t, uint32_t page, const struct listed *o, unsigned source)
{
	struct page_entry *p = &t->pages.ptr[page];

	if (o->time > t->until)
		return;
	if (!is_page(o)) {
		t->other_status++;
		return;
	}
	if (o->digest != LISTED_NO_DIGEST)
		p->sources |= source;
	add_seen(p, (struct page_seen){o->time, o->digest, o->modified}, t->keep);
}

int page_table_add(struct page_table *t, const struct listed *o, unsigned source)
{
	uint32_t page = 0;
	int rc;

	if (o->time > t->until)
		return 0;
	if (!is_page(o)) {
		t->other_status++;
		return 0;
	}
	rc = find_page(t, o->url, &page);
	if (rc == ERR_NOTFOUND) {
		t->bad_urls++;
		return 0;
	}
	if (rc == 0)
		page_table_see(t, page, o, source);
	return rc;
}

int page_table_get(struct page_table *t, slice url, uint32_t *ret_page, struct err *err)
{
	int rc = find_page(t, url, ret_page);

	if (rc == ERR_NOTFOUND)
		return err_set(err, ERR_SYNTAX, "'%.*s' is not an http or https URL",
			slice_shown(url, SHOWN_MAX), url.ptr);
	return err_code(err, rc);
}
