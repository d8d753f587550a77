#include "text/page_clusters.h"

#include <stdlib.h>
#include <string.h>

#include "archive/warc_set.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/spill.h"
#include "base/vec.h"
#include "similar/boilerplate.h"
#include "similar/clusters.h"
#include "text/page_reader.h"

enum { NAMES_MAX = 1 << 30 }; /* bytes of URLs: some ten million of them */

struct page_url {
	slice url; /* in the arena */
	int64_t date;
	uint32_t text;
};

/* A body, which several URLs may have. */
struct body_text {
	bool is_page; /* a record has its text */
	bool wanted;  /* it is the newest version of a URL */
	bool done;    /* it has a fingerprint */
};

/* A page in the list of results. */
struct member {
	slice url;
	uint32_t root, size;
};

VEC_DECLARE(page_urls, struct page_url);
VEC_DECLARE(body_texts, struct body_text);
VEC_DECLARE(members, struct member);

struct page_clusters {
	struct page_reader *reader;
	struct arena arena;
	struct strmap url_numbers, text_numbers;
	struct page_urls urls;
	struct body_texts texts;
	struct boilerplate boilerplate;
	struct boilerplate_page page;
	struct spill_pool pool;
	struct spill prints; /* struct fingerprint, by text */
	struct similar_clusters clusters;
	bool fingerprinting; /* the second pass */
};

/* Constant: the same archive gives the same result. */
static const struct hash_key KEY = {0x5354494c4c504f49, 0x4e542d53494d494c};

/* ---- places of a URL ---- */

static slice directory_of(slice url)
{
	slice path = slice_take(&url, '?');
	size_t end = path.len;

	while (end > 0 && path.ptr[end - 1] != '/')
		end--;
	return slice_sub(path, 0, end);
}

static slice host_of(slice url)
{
	size_t slashes = 0, end = 0;

	for (; end < url.len; end++)
		if (url.ptr[end] == '/' && ++slashes == 3)
			break;
	return slice_sub(url, 0, end);
}

/* ---- first pass: which pages there are, and the boilerplate ---- */

/* What has the same number is the same body. */
static uint64_t body_key(const struct warc_record *rec, const struct page_text *text)
{
	slice digest = warc_header_get(&rec->header, SLICE("WARC-Payload-Digest"));

	return digest.len ? hash_bytes(KEY, digest)
			  : hash_bytes(KEY, text ? buf_slice(&text->text) : (slice){0});
}

static int find_text(struct page_clusters *p, uint64_t key, uint32_t *ret)
{
	slice name = {(const char *)&key, sizeof key};
	uint32_t number = (uint32_t)p->texts.len;
	int rc = 0;

	if (!strmap_get(&p->text_numbers, name, &number)) {
		rc = body_texts_push(&p->texts, (struct body_text){0});
		if (rc == 0)
			rc = strmap_put(&p->text_numbers, name, number);
	}
	*ret = number;
	return rc;
}

static int note_url(struct page_clusters *p, const struct warc_record *rec, uint32_t text)
{
	struct page_url page = {.date = rec->header.date, .text = text};
	uint32_t number;
	int rc;

	if (strmap_get(&p->url_numbers, rec->header.url, &number)) {
		if (page.date >= p->urls.ptr[number].date) {
			p->urls.ptr[number].date = page.date;
			p->urls.ptr[number].text = text;
		}
		return 0;
	}
	page.url = (slice){arena_strdup(&p->arena, rec->header.url), rec->header.url.len};
	rc = page.url.ptr ? page_urls_push(&p->urls, page) : ERR_NOMEM;
	return rc ? rc : strmap_put(&p->url_numbers, page.url, (uint32_t)p->urls.len - 1);
}

static int learn(struct page_clusters *p, slice url)
{
	int rc = boilerplate_learn(&p->boilerplate, directory_of(url), &p->page);

	return rc ? rc : boilerplate_learn(&p->boilerplate, host_of(url), &p->page);
}

static int note_page(
	struct page_clusters *p, const struct warc_record *rec, const struct page_text *text)
{
	uint32_t number = 0;
	int rc = text ? boilerplate_page_read(&p->page, buf_slice(&text->text)) : 0;

	/* Nobody can tell what a revisit record without a digest refers to. */
	if (!text && !warc_header_get(&rec->header, SLICE("WARC-Payload-Digest")).len)
		return 0;
	if (rc == 0)
		rc = find_text(p, body_key(rec, text), &number);
	if (rc == 0)
		rc = note_url(p, rec, number);
	if (rc || !text || p->texts.ptr[number].is_page)
		return rc;
	p->texts.ptr[number].is_page = true;
	return learn(p, rec->header.url);
}

/* ---- second pass: fingerprints ---- */

static const struct boilerplate_place *place_of(const struct page_clusters *p, slice url)
{
	const struct boilerplate_place *place = boilerplate_at(&p->boilerplate, directory_of(url));

	return place ? place : boilerplate_at(&p->boilerplate, host_of(url));
}

/* place: whose boilerplate is left out; NULL: nothing is. */
static void take_print(const struct boilerplate_place *place, const struct page_text *text,
	struct fingerprint *ret)
{
	slice rest = buf_slice(&text->text);
	struct fingerprinter f;
	uint32_t words;

	fingerprinter_init(&f);
	while (rest.len > 0) {
		slice line = slice_take(&rest, '\n');

		if (!place || !boilerplate_has(place, boilerplate_hash(line, &words)))
			fingerprinter_add(&f, line);
	}
	fingerprinter_finish(&f, ret);
}

static int add_print(struct page_clusters *p, const struct warc_record *rec,
	const struct page_text *text, struct err *err)
{
	const struct boilerplate_place *place = place_of(p, rec->header.url);
	struct fingerprint print;
	uint32_t number = 0;
	int rc = err_code(err, find_text(p, body_key(rec, text), &number));

	if (rc)
		return rc;
	if (!p->texts.ptr[number].wanted || p->texts.ptr[number].done)
		return 0;
	p->texts.ptr[number].done = true;
	take_print(place, text, &print);
	if (place && print.words == 0)
		take_print(NULL, text, &print);
	return spill_write(&p->prints, (uint64_t)number * sizeof print, &print, sizeof print, err);
}

static int read_print(void *context, uint32_t text, struct fingerprint *ret, struct err *err)
{
	struct page_clusters *p = context;

	*ret = (struct fingerprint){0};
	return p->texts.ptr[text].done
		       ? spill_read(&p->prints, (uint64_t)text * sizeof *ret, ret, sizeof *ret, err)
		       : 0;
}

/* ---- reading ---- */

static int on_page(
	void *context, const struct warc_record *rec, const struct page_text *text, struct err *err)
{
	struct page_clusters *p = context;

	if (p->fingerprinting)
		return text ? add_print(p, rec, text, err) : 0;
	return err_code(err, note_page(p, rec, text));
}

static int on_file(void *context, const struct warc_set_file *f, struct err *err)
{
	struct page_clusters *p = context;
	int rc = page_reader_read(p->reader, &f->source, err);

	if (rc)
		err_prefix(err, "%s", f->path);
	return rc;
}

static int read_all(
	struct page_clusters *p, const struct page_clusters_params *params, struct err *err)
{
	int rc = warc_set_each(params->path, params->temporary, on_file, p, err);

	if (rc)
		return rc;
	if (page_reader_newest(p->reader) == 0)
		return err_set(
			err, ERR_NOTFOUND, "%s: there are no WARC records in it", params->path);
	boilerplate_settle(&p->boilerplate);
	for (size_t i = 0; i < p->urls.len; i++)
		p->texts.ptr[p->urls.ptr[i].text].wanted = true;
	p->fingerprinting = true;
	rc = warc_set_each(params->path, params->temporary, on_file, p, err);
	return rc ? rc
		  : similar_clusters_find(&p->clusters, (uint32_t)p->texts.len, read_print, p, err);
}

int page_clusters_read(
	const struct page_clusters_params *params, struct page_clusters **ret, struct err *err)
{
	struct page_clusters *p = calloc(1, sizeof *p);
	int rc;

	if (!p)
		return err_code(err, ERR_NOMEM);
	arena_init(&p->arena, NAMES_MAX);
	strmap_init(&p->url_numbers, KEY, NULL);
	strmap_init(&p->text_numbers, KEY, &p->arena);
	boilerplate_init(&p->boilerplate, KEY);
	spill_pool_init(&p->pool, params->temporary);
	spill_init(&p->prints, &p->pool);
	rc = page_reader_open(on_page, p, &p->reader, err);
	if (rc == 0) {
		page_reader_with_revisits(p->reader);
		rc = read_all(p, params, err);
	}
	if (rc)
		page_clusters_free(p);
	else
		*ret = p;
	return rc;
}

void page_clusters_free(struct page_clusters *p)
{
	if (!p)
		return;
	page_reader_close(p->reader);
	strmap_release(&p->url_numbers);
	strmap_release(&p->text_numbers);
	page_urls_release(&p->urls);
	body_texts_release(&p->texts);
	boilerplate_release(&p->boilerplate);
	boilerplate_page_release(&p->page);
	spill_release(&p->prints);
	spill_pool_release(&p->pool);
	similar_clusters_release(&p->clusters);
	arena_release(&p->arena);
	free(p);
}

/* ---- results ---- */

static bool is_page(const struct page_clusters *p, const struct page_url *u)
{
	return p->texts.ptr[u->text].is_page;
}

uint64_t page_clusters_pages(const struct page_clusters *p)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < p->urls.len; i++)
		pages += is_page(p, &p->urls.ptr[i]);
	return pages;
}

static int by_bytes(slice a, slice b)
{
	int order = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int by_root(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->root != y->root)
		return x->root < y->root ? -1 : 1;
	return by_bytes(x->url, y->url);
}

/* The first members of clusters: by size, then by URL. */
static int by_size(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return by_bytes(x->url, y->url);
}

/* All pages in the order of their clusters; each cluster's first one goes to firsts. */
static int collect(struct page_clusters *p, struct members *all, struct members *firsts)
{
	int rc = members_reserve(all, p->urls.len);

	for (size_t i = 0; rc == 0 && i < p->urls.len; i++)
		if (is_page(p, &p->urls.ptr[i]))
			rc = members_push(all,
				(struct member){p->urls.ptr[i].url,
					similar_clusters_root(&p->clusters, p->urls.ptr[i].text),
					0});
	if (rc == 0 && all->len)
		qsort(all->ptr, all->len, sizeof all->ptr[0], by_root);
	for (size_t i = 0, next; rc == 0 && i < all->len; i = next) {
		struct member first = all->ptr[i];

		for (next = i; next < all->len && all->ptr[next].root == first.root;)
			next++;
		first.size = (uint32_t)(next - i);
		all->ptr[i].size = first.size;
		if (first.size > 1)
			rc = members_push(firsts, first);
	}
	if (rc == 0 && firsts->len)
		qsort(firsts->ptr, firsts->len, sizeof firsts->ptr[0], by_size);
	return rc;
}

static int call_for(struct page_clusters *p, const struct members *all, const struct member *first,
	page_clusters_call *call, void *context)
{
	const struct member *at = bsearch(first, all->ptr, all->len, sizeof all->ptr[0], by_root);
	slice *urls = malloc(first->size * sizeof *urls);
	struct page_cluster cluster = {
		urls, first->size, similar_clusters_distance(&p->clusters, first->root)};

	if (!urls || !at) {
		free(urls);
		return ERR_NOMEM;
	}
	for (size_t i = 0; i < first->size; i++)
		urls[i] = at[i].url;
	call(context, &cluster);
	free(urls);
	return 0;
}

int page_clusters_each(struct page_clusters *p, page_clusters_call *call, void *context)
{
	struct members all = {0}, firsts = {0};
	int rc = collect(p, &all, &firsts);

	for (size_t i = 0; rc == 0 && i < firsts.len; i++)
		rc = call_for(p, &all, &firsts.ptr[i], call, context);
	members_release(&all);
	members_release(&firsts);
	return rc;
}
