/*
 * What a page shows, and whether two show the same. Where links lead counts by the form of the URL,
 * without what the page's own URL has in its query, too: pages with a session id pass it on.
 */
#include "crawl/capture.h"
#include "similar/fingerprint.h"
#include "similar/words.h"

/* Of the words of a print version, so many must be in the page: percent. */
enum { CONTAINED_PERCENT = 90 };

static uint64_t look_offset(uint32_t page)
{
	return (uint64_t)page * sizeof(struct dust_look);
}

int dust_look_read(struct capture *c, uint32_t page, struct dust_look *ret, struct err *err)
{
	uint64_t at = look_offset(page);

	*ret = (struct dust_look){0};
	return at + sizeof *ret > c->dust.looks.size
		       ? 0
		       : spill_read(&c->dust.looks, at, ret, sizeof *ret, err);
}

int dust_look_write(struct capture *c, uint32_t page, const struct dust_look *look, struct err *err)
{
	return spill_write(&c->dust.looks, look_offset(page), look, sizeof *look, err);
}

/* ---- what a page shows ---- */

/* The page's own query has the field, too, or one of that name with another token. */
static bool is_passed_on(const struct dust_form *page, const struct dust_field *field)
{
	for (size_t i = 0; i < page->field_count; i++)
		if (slice_eq(page->fields[i].text, field->text) ||
			(slice_eq(page->fields[i].name, field->name) &&
				dust_is_token(page->fields[i].value) &&
				dust_is_token(field->value)))
			return true;
	return false;
}

/* Where a reference of the page in the scratch leads. */
static uint64_t target_hash(struct capture *c, slice ref)
{
	struct dust_scratch *s = &c->lane->dust;
	struct dust_terms terms = {0};
	bool has = false;

	if (ref.len == 0 || ref.ptr[0] == '#' || url_parse(&s->link, ref, &s->url, NULL) != 0 ||
		!url_is_http(&s->link))
		return dust_hash(&c->dust.dust, ref);
	/* Links within a site are the same on its mirrors. */
	terms.any_host = dust_is_same_site(&s->link, &s->url);
	if (dust_form(&s->other_key, &s->link, &terms, &s->link_form, &has) != 0 || !has)
		return dust_hash(&c->dust.dust, ref);
	for (size_t i = 0; i < s->link_form.field_count; i++)
		s->link_form.fields[i].dropped = is_passed_on(&s->form, &s->link_form.fields[i]);
	if (dust_form_without(&s->text, &s->link_form, SIZE_MAX))
		return 0;
	return dust_hash(&c->dust.dust, buf_slice(&s->text));
}

/* Styles and scripts have versions in their names, and canonical addresses are no content. */
static bool is_shown(enum link_kind kind)
{
	return kind == LINK_PAGE || kind == LINK_IMAGE || kind == LINK_MEDIA ||
	       kind == LINK_FRAME || kind == LINK_FORM;
}

/* Its words, and where its links and images lead. */
static uint64_t shown_hash(struct capture *c, const struct reading *r)
{
	uint64_t hash = dust_hash(&c->dust.dust, buf_slice(&r->text.title));

	hash = words_mix(hash, dust_hash(&c->dust.dust, buf_slice(&r->text.text)));
	for (size_t i = 0; i < r->links.list.len; i++) {
		const struct link *l = &r->links.list.ptr[i];

		if (!is_shown(l->kind))
			continue;
		hash = words_mix(hash, (uint64_t)l->kind + 1);
		hash = words_mix(hash, target_hash(c, l->ref));
	}
	return hash;
}

static void take_sketch(const struct reading *r, struct dust_look *look)
{
	struct fingerprinter f;
	struct fingerprint print;

	fingerprinter_init(&f);
	fingerprinter_add(&f, buf_slice(&r->text.text));
	fingerprinter_finish(&f, &print);
	look->words = print.words;
	look->sketch = print.sketch;
}

void dust_look_take(struct capture *c, const struct digest *payload, struct dust_look *look)
{
	const struct reading *r = &c->lane->reading;

	if (r->mode == READING_TEXT && r->is_read && !r->text.cut) {
		look->shown = shown_hash(c, r);
		if (c->dust.has_prints || c->dust.mode == CRAWL_DUST_APPLY)
			take_sketch(r, look);
	} else {
		memcpy(&look->shown, payload->bytes, sizeof look->shown);
	}
	look->has_shown = true;
}

/* ---- comparing ---- */

/* The share of the smaller text's shingles that the larger one has, too. */
static double containment(const struct dust_look *a, const struct dust_look *b)
{
	double r = minhash_resemblance(&a->sketch, &b->sketch);
	double smaller = a->words < b->words ? a->words : b->words;

	return r / (1 + r) * ((double)a->words + b->words) / smaller;
}

static bool is_found(unsigned status)
{
	return status >= 200 && status < 300;
}

static bool is_missing(unsigned status)
{
	return status == 404 || status == 410;
}

enum dust_answer dust_compare(const struct dust_look *a, const struct dust_look *b, bool is_print)
{
	if (a->status == 0 || b->status == 0)
		return DUST_UNKNOWN;
	if ((is_found(a->status) && is_missing(b->status)) ||
		(is_missing(a->status) && is_found(b->status)))
		return DUST_DISAGREES;
	if (!is_found(a->status) || !is_found(b->status) || !a->has_shown || !b->has_shown)
		return DUST_UNKNOWN;
	if (a->shown == b->shown)
		return DUST_AGREES;
	if (is_print && a->words && b->words && 100 * containment(a, b) >= CONTAINED_PERCENT)
		return DUST_AGREES;
	return DUST_DISAGREES;
}
