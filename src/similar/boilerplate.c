#include "similar/boilerplate.h"

#include <stdlib.h>

#include "similar/fingerprint.h"
#include "similar/words.h"

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
