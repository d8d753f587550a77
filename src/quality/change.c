#include "quality/change.h"

#include <stdlib.h>

#include "base/word.h"
#include "extract/page.h"
#include "http/media_type.h"
#include "quality/change_diff.h"

enum { CHANGE_MEMORY_MAX = 1 << 20 };

const char *change_same_name(enum change_same same)
{
	switch (same) {
	case CHANGE_BYTES:
		return "bytes";
	case CHANGE_NORMALISED:
		return "normalised";
	case CHANGE_DIFFERENT:
		break;
	}
	return NULL;
}

bool change_normalises(slice media_type)
{
	slice type = media_type_parse(media_type).essence;

	return page_format_of(media_type) == PAGE_HTML ||
	       word_is(type, SLICE("application/xhtml+xml"));
}

int change_view(slice body, slice media_type, struct view *view)
{
	struct page *page = malloc(sizeof *page);
	int rc;

	if (!page)
		return ERR_NOMEM;
	page_open(page, &(struct page_params){.content_type = media_type, .view = view});
	rc = page_feed(page, body);
	if (rc == 0)
		rc = page_finish(page);
	page_close(page);
	free(page);
	return rc;
}

static double masked_share(const struct view *v)
{
	return v->visible ? (double)v->noise.tally.masked / (double)v->visible : 0;
}

static void add_rule(struct change *c, uint32_t rule, slice name, uint64_t a, uint64_t b)
{
	if (c->rule_count < CHANGE_RULES_MAX)
		c->rules[c->rule_count++] =
			(struct change_rule){.rule = rule, .name = name, .count = a > b ? a : b};
}

/* Rules of the user, and learned ones. */
static void list_others(struct change *c, const struct change_terms *terms,
	const struct change_side *a, const struct change_side *b)
{
	const struct view_ignored *x = a->view.ignored.ptr, *y = b->view.ignored.ptr;
	size_t learned = terms->learned ? terms->learned->rules.len : 0;

	for (uint32_t i = 0; i < a->view.ignored.len && i < b->view.ignored.len; i++)
		if (x[i].count != y[i].count || x[i].mark != y[i].mark)
			add_rule(c, CHANGE_USER_FIRST + i, terms->book->ignore.rules.ptr[i].name,
				x[i].count, y[i].count);
	for (uint32_t i = 0; i < learned; i++) {
		uint32_t m = a->learned.rules[i].count, n = b->learned.rules[i].count;

		if (m != n || a->learned.rules[i].mark != b->learned.rules[i].mark)
			add_rule(c, CHANGE_LEARNED_FIRST + i, terms->learned->rules.ptr[i].label, m,
				n);
	}
}

static void list_rules(struct change *c, const struct change_terms *terms,
	const struct change_side *a, const struct change_side *b)
{
	const struct noise_tally *x = &a->view.noise.tally, *y = &b->view.noise.tally;

	for (unsigned i = 0; i < NOISE_RULE_COUNT; i++)
		if (x->rules[i].count != y->rules[i].count || x->rules[i].mark != y->rules[i].mark)
			add_rule(c, i, slice_str(noise_rule_name((enum noise_rule)i)),
				x->rules[i].count, y->rules[i].count);
	list_others(c, terms, a, b);
}

/* Of a page without text, or beyond the limits, the items do not tell whether it changed. */
static bool can_tell(const struct view *v)
{
	return !v->cut && v->visible > v->noise.tally.masked;
}

static int compare_sides(struct change *c, const struct change_terms *terms,
	const struct change_side *a, const struct change_side *b)
{
	double share_a = masked_share(&a->view), share_b = masked_share(&b->view);
	int rc;

	c->masked_visible = share_a > share_b ? share_a : share_b;
	list_rules(c, terms, a, b);
	rc = change_diff(c, &a->view, &b->view);
	if (rc == 0 && c->differ_count == 0 && can_tell(&a->view) && can_tell(&b->view) &&
		c->masked_visible <= CHANGE_MASKED_MAX)
		c->same = CHANGE_NORMALISED;
	return rc;
}

/* Learned rules hold for kinds of pages, so the page has to be known. */
static int mask_learned(struct change_side *s, const struct change_terms *terms)
{
	struct url url;
	int rc;

	if (!terms->learned || terms->learned->rules.len == 0)
		return 0;
	url_init(&url);
	rc = url_parse(&url, terms->url, NULL, NULL);
	if (rc == 0)
		rc = learned_mask(terms->learned, &url, &s->view, &s->learned);
	url_release(&url);
	return rc == ERR_NOMEM ? rc : 0;
}

int change_side_read(
	struct change_side *s, slice body, slice media_type, const struct change_terms *terms)
{
	int rc;

	s->learned = (struct learned_tally){0};
	view_init(&s->view, terms->book->set);
	rc = view_start(&s->view, terms->book, terms->url);
	if (rc == 0)
		rc = change_view(body, media_type, &s->view);
	return rc ? rc : mask_learned(s, terms);
}

void change_side_release(struct change_side *s)
{
	view_release(&s->view);
}

struct change_terms change_without(
	const struct change_terms *terms, uint32_t rule, struct change_room *room)
{
	struct change_terms without = *terms;

	room->book = *terms->book;
	without.book = &room->book;
	if (rule < CHANGE_USER_FIRST)
		room->book.set &= ~(1U << rule);
	else if (rule < CHANGE_LEARNED_FIRST)
		room->book.off = rule - CHANGE_USER_FIRST;
	else if (terms->learned) {
		room->learned = *terms->learned;
		room->learned.off = 1 + rule - CHANGE_LEARNED_FIRST;
		without.learned = &room->learned;
	}
	return without;
}

int change_compare(const struct change_params *params, struct change *ret)
{
	struct change_side a, b;
	int rc, again;

	*ret = (struct change){0};
	arena_init(&ret->arena, CHANGE_MEMORY_MAX);
	if (slice_eq(params->a, params->b)) {
		ret->same = CHANGE_BYTES;
		return 0;
	}
	if (!change_normalises(params->media_type))
		return 0;
	rc = change_side_read(&a, params->a, params->media_type, &params->terms);
	again = change_side_read(&b, params->b, params->media_type, &params->terms);
	if (rc == 0)
		rc = again;
	if (rc == 0)
		rc = compare_sides(ret, &params->terms, &a, &b);
	change_side_release(&a);
	change_side_release(&b);
	return rc;
}

void change_release(struct change *c)
{
	arena_release(&c->arena);
}
