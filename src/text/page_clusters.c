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

int boilerplate_page_read(struct boilerplate_page *p, slice text)
{
	struct fingerprinter f;
	struct fingerprint print;
	int rc = 0;

	fingerprinter_init(&f);
	fingerprinter_add(&f, text);
	fingerprinter_finish(&f, &print);
	p->sketch = print.sketch;
	p->words = print.words;
	p->lines.len = 0;
	while (rc == 0 && text.len > 0) {
		struct boilerplate_line line;

		line.hash = boilerplate_hash(slice_take(&text, '\n'), &line.words);
		if (line.words == 0)
			continue;
		if (p->lines.len < BOILERPLATE_PAGE_LINES)
			rc = boilerplate_lines_push(&p->lines, line);
	}
	drop_repeated(&p->lines);
	return rc;
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

static int find_place(struct boilerplate *b, slice name, struct boilerplate_place **ret)
{
	uint32_t number = (uint32_t)b->places.len;
	int rc = 0;

	if (!strmap_get(&b->numbers, name, &number)) {
		rc = boilerplate_places_push(&b->places, (struct boilerplate_place){0});
		if (rc == 0)
			rc = strmap_put(&b->numbers, name, number);
	}
	if (rc == 0)
		*ret = &b->places.ptr[number];
	return rc;
}

static bool knows_text(const struct boilerplate_place *p, const struct minhash_sketch *sketch)
{
	for (uint32_t i = 0; i < p->pages; i++)
		if (100 * minhash_resemblance(&p->texts[i], sketch) >= BOILERPLATE_SAME_PERCENT)
			return true;
	return false;
}

static int add_page(struct boilerplate_place *p, const struct boilerplate_page *page)
{
	int rc = boilerplate_lines_reserve(&p->lines, page->lines.len);

	if (!p->texts)
		p->texts = malloc(BOILERPLATE_PAGES * sizeof *p->texts);
	if (rc || !p->texts)
		return ERR_NOMEM;
	for (size_t i = 0; i < page->lines.len; i++)
		p->lines.ptr[p->lines.len++] = page->lines.ptr[i];
	p->words += page->words;
	p->texts[p->pages++] = page->sketch;
	return 0;
}

int boilerplate_learn(struct boilerplate *b, slice place, const struct boilerplate_page *page)
{
	size_t more = page->lines.len + SKETCH_LINES;
	struct boilerplate_place *p;
	int rc = page->words ? find_place(b, place, &p) : 0;

	if (rc || page->words == 0 || p->decided || knows_text(p, &page->sketch))
		return rc;
	if (b->open_lines + more > BOILERPLATE_LINES_MAX) {
		decide(b, p);
		return 0;
	}
	rc = add_page(p, page);
	if (rc)
		return rc;
	b->open_lines += more;
	if (p->pages == BOILERPLATE_PAGES)
		decide(b, p);
	return 0;
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
	struct page_clusters *p = mem_new(1, sizeof *p);
	int rc;

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
