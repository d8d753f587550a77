#include "text/page_clusters.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/spill.h"
#include "base/vec.h"
#include "text/page_reader.h"
#include "text/similar.h"
#include "warc/warc_set.h"

/* ---- what pages share ---- */

enum {
	PLACES_MEMORY = 256 << 20, /* bytes of their names */
	SKETCH_LINES = sizeof(struct minhash_sketch) / sizeof(struct boilerplate_line),
};

uint64_t boilerplate_hash(slice line, uint32_t *ret_words)
{
	uint64_t hash = 0, word;

	*ret_words = 0;
	while (words_next(&line, &word)) {
		hash = words_mix(hash, word);
		++*ret_words;
	}
	return words_spread(hash);
}

/* ---- a page ---- */

static int by_hash(const void *a, const void *b)
{
	const struct boilerplate_line *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

static void sort(struct boilerplate_lines *v)
{
	if (v->len > 1)
		qsort(v->ptr, v->len, sizeof v->ptr[0], by_hash);
}

static void drop_repeated(struct boilerplate_lines *v)
{
	size_t kept = 0;

	sort(v);
	for (size_t i = 0; i < v->len; i++)
		if (kept == 0 || v->ptr[i].hash != v->ptr[kept - 1].hash)
			v->ptr[kept++] = v->ptr[i];
	v->len = kept;
}

void boilerplate_page_read(struct boilerplate_page *p, slice text)
{
	struct fingerprinter f;
	struct fingerprint print;

	fingerprinter_init(&f);
	fingerprinter_add(&f, text);
	fingerprinter_finish(&f, &print);
	p->sketch = print.sketch;
	p->words = print.words;
	p->lines.len = 0;
	while (text.len > 0) {
		struct boilerplate_line line;

		line.hash = boilerplate_hash(slice_take(&text, '\n'), &line.words);
		if (line.words && p->lines.len < BOILERPLATE_PAGE_LINES)
			boilerplate_lines_push(&p->lines, line);
	}
	drop_repeated(&p->lines);
}

void boilerplate_page_release(struct boilerplate_page *p)
{
	boilerplate_lines_release(&p->lines);
	*p = (struct boilerplate_page){0};
}

/* ---- places ---- */

void boilerplate_init(struct boilerplate *b, struct hash_key key)
{
	*b = (struct boilerplate){0};
	arena_init(&b->arena, PLACES_MEMORY);
	strmap_init(&b->numbers, key, &b->arena);
}

static void release_place(struct boilerplate_place *p)
{
	boilerplate_lines_release(&p->lines);
	free(p->texts);
}

void boilerplate_release(struct boilerplate *b)
{
	for (size_t i = 0; i < b->places.len; i++)
		release_place(&b->places.ptr[i]);
	boilerplate_places_release(&b->places);
	strmap_release(&b->numbers);
	arena_release(&b->arena);
}

/* Keeps the lines that more than half of the pages have; lines are sorted. */
static uint64_t keep_common(struct boilerplate_place *p)
{
	struct boilerplate_lines *v = &p->lines;
	uint64_t words = 0;
	size_t kept = 0;

	for (size_t i = 0, next; i < v->len; i = next) {
		for (next = i + 1; next < v->len && v->ptr[next].hash == v->ptr[i].hash;)
			next++;
		if (2 * (next - i) <= p->pages)
			continue;
		words += (next - i) * v->ptr[i].words;
		v->ptr[kept++] = v->ptr[i];
	}
	v->len = kept;
	return words;
}

static void decide(struct boilerplate *b, struct boilerplate_place *p)
{
	struct boilerplate_line *smaller;
	uint64_t common;

	if (p->decided)
		return;
	p->decided = true;
	b->open_lines -= p->lines.len + (size_t)p->pages * SKETCH_LINES;
	free(p->texts);
	p->texts = NULL;
	sort(&p->lines);
	common = keep_common(p);
	if (p->pages < BOILERPLATE_PAGES_MIN ||
		p->words < common + (uint64_t)p->pages * BOILERPLATE_REST)
		p->lines.len = 0;
	if (p->lines.len == 0) {
		boilerplate_lines_release(&p->lines);
		return;
	}
	smaller = realloc(p->lines.ptr, p->lines.len * sizeof *smaller);
	if (smaller) {
		p->lines.ptr = smaller;
		p->lines.cap = p->lines.len;
	}
}

static bool knows_text(const struct boilerplate_place *p, const struct minhash_sketch *sketch)
{
	for (uint32_t i = 0; i < p->pages; i++)
		if (100 * minhash_resemblance(&p->texts[i], sketch) >= BOILERPLATE_SAME_PERCENT)
			return true;
	return false;
}

void boilerplate_learn(struct boilerplate *b, slice place, const struct boilerplate_page *page)
{
	size_t more = page->lines.len + SKETCH_LINES;
	uint32_t number = (uint32_t)b->places.len;
	struct boilerplate_place *p;

	if (page->words == 0)
		return;
	if (!strmap_get(&b->numbers, place, &number)) {
		if (arena_full(&b->arena)) /* places that are new now are like none */
			return;
		(void)strmap_add(&b->numbers, place, number);
		boilerplate_places_push(&b->places, (struct boilerplate_place){0});
	}
	p = &b->places.ptr[number];
	if (p->decided || knows_text(p, &page->sketch))
		return;
	if (b->open_lines + more > BOILERPLATE_LINES_MAX) {
		decide(b, p);
		return;
	}
	if (!p->texts)
		p->texts = mem_resize(NULL, BOILERPLATE_PAGES, sizeof *p->texts);
	for (size_t i = 0; i < page->lines.len; i++)
		boilerplate_lines_push(&p->lines, page->lines.ptr[i]);
	p->words += page->words;
	p->texts[p->pages++] = page->sketch;
	b->open_lines += more;
	if (p->pages == BOILERPLATE_PAGES)
		decide(b, p);
}

void boilerplate_settle(struct boilerplate *b)
{
	for (size_t i = 0; i < b->places.len; i++)
		decide(b, &b->places.ptr[i]);
}

const struct boilerplate_place *boilerplate_at(const struct boilerplate *b, slice place)
{
	uint32_t number;

	if (!strmap_get(&b->numbers, place, &number) ||
		b->places.ptr[number].pages < BOILERPLATE_PAGES_MIN)
		return NULL;
	return &b->places.ptr[number];
}

bool boilerplate_has(const struct boilerplate_place *place, uint64_t line)
{
	struct boilerplate_line key = {.hash = line};

	return place->lines.len && bsearch(&key, place->lines.ptr, place->lines.len,
					   sizeof place->lines.ptr[0], by_hash);
}

/* ---- clusters of pages ---- */

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

static uint32_t find_text(struct page_clusters *p, uint64_t key)
{
	slice name = {(const char *)&key, sizeof key};
	uint32_t number = (uint32_t)p->texts.len;

	if (!strmap_get(&p->text_numbers, name, &number)) {
		(void)strmap_add(&p->text_numbers, name, number);
		body_texts_push(&p->texts, (struct body_text){0});
	}
	return number;
}

/* The newest version of a URL counts. */
static void note_url(struct page_clusters *p, const struct warc_record *rec, uint32_t text)
{
	struct page_url page = {.date = rec->header.date, .text = text};
	struct page_url *known;
	uint32_t number;

	if (strmap_get(&p->url_numbers, rec->header.url, &number)) {
		known = &p->urls.ptr[number];
		if (page.date >= known->date) {
			known->date = page.date;
			known->text = text;
		}
		return;
	}
	page.url = arena_keep(&p->arena, rec->header.url);
	(void)strmap_add(&p->url_numbers, page.url, (uint32_t)p->urls.len);
	page_urls_push(&p->urls, page);
}

static int note_page(struct page_clusters *p, const struct warc_record *rec,
	const struct page_text *text, struct err *err)
{
	slice url = rec->header.url;
	uint32_t number;

	/* Nobody can tell what a revisit record without a digest refers to. */
	if (!text && !warc_header_get(&rec->header, SLICE("WARC-Payload-Digest")).len)
		return 0;
	number = find_text(p, body_key(rec, text));
	note_url(p, rec, number);
	if (arena_full(&p->arena))
		return err_set(err, ERR_LIMIT, "there are too many pages");
	if (!text || p->texts.ptr[number].is_page)
		return 0;
	p->texts.ptr[number].is_page = true;
	boilerplate_page_read(&p->page, buf_slice(&text->text));
	boilerplate_learn(&p->boilerplate, directory_of(url), &p->page);
	boilerplate_learn(&p->boilerplate, host_of(url), &p->page);
	return 0;
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
	uint32_t number = find_text(p, body_key(rec, text));
	struct fingerprint print;

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
	return note_page(p, rec, text, err);
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
	TRY(warc_set_each(params->path, params->temporary, on_file, p, err));
	if (page_reader_newest(p->reader) == 0)
		return err_set(
			err, ERR_NOTFOUND, "%s: there are no WARC records in it", params->path);
	boilerplate_settle(&p->boilerplate);
	for (size_t i = 0; i < p->urls.len; i++)
		p->texts.ptr[p->urls.ptr[i].text].wanted = true;
	p->fingerprinting = true;
	TRY(warc_set_each(params->path, params->temporary, on_file, p, err));
	return similar_clusters_find(&p->clusters, (uint32_t)p->texts.len, read_print, p, err);
}

int page_clusters_read(
	const struct page_clusters_params *params, struct page_clusters **ret, struct err *err)
{
	struct page_clusters *p = mem_new(1, sizeof *p);
	int rc;

	arena_init(&p->arena, NAMES_MAX);
	strmap_init(&p->url_numbers, KEY, NULL);
	strmap_init(&p->text_numbers, KEY, &p->arena);
	boilerplate_init(&p->boilerplate, KEY);
	spill_pool_init(&p->pool, params->temporary);
	spill_init(&p->prints, &p->pool);
	p->reader = page_reader_open(on_page, p);
	page_reader_with_revisits(p->reader);
	rc = read_all(p, params, err);
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
static void collect(struct page_clusters *p, struct members *all, struct members *firsts)
{
	for (size_t i = 0; i < p->urls.len; i++) {
		const struct page_url *u = &p->urls.ptr[i];

		if (is_page(p, u))
			members_push(all, (struct member){u->url,
						  similar_clusters_root(&p->clusters, u->text), 0});
	}
	if (all->len)
		qsort(all->ptr, all->len, sizeof all->ptr[0], by_root);
	for (size_t i = 0, next; i < all->len; i = next) {
		for (next = i; next < all->len && all->ptr[next].root == all->ptr[i].root;)
			next++;
		all->ptr[i].size = (uint32_t)(next - i);
		if (all->ptr[i].size > 1)
			members_push(firsts, all->ptr[i]);
	}
	if (firsts->len)
		qsort(firsts->ptr, firsts->len, sizeof firsts->ptr[0], by_size);
}

void page_clusters_each(struct page_clusters *p, page_clusters_call *call, void *context)
{
	struct members all = {0}, firsts = {0};

	collect(p, &all, &firsts);
	for (size_t i = 0; i < firsts.len; i++) {
		const struct member *first = &firsts.ptr[i];
		const struct member *at =
			bsearch(first, all.ptr, all.len, sizeof all.ptr[0], by_root);
		slice *urls = mem_new(first->size, sizeof *urls);

		for (size_t k = 0; k < first->size; k++)
			urls[k] = at[k].url;
		call(context, &(struct page_cluster){urls, first->size,
				      similar_clusters_distance(&p->clusters, first->root)});
		free(urls);
	}
	members_release(&all);
	members_release(&firsts);
}
