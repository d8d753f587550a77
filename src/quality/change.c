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

static void list_rules(struct change *c, const struct view *a, const struct view *b)
{
	for (unsigned i = 0; i < NOISE_RULE_COUNT; i++) {
		uint64_t count_a = a->noise.tally.rules[i].count;
		uint64_t count_b = b->noise.tally.rules[i].count;

		if (count_a == count_b &&
			a->noise.tally.rules[i].mark == b->noise.tally.rules[i].mark)
			continue;
		c->rules[c->rule_count].rule = (enum noise_rule)i;
		c->rules[c->rule_count++].count = count_a > count_b ? count_a : count_b;
	}
}

/* Of a page without text, or beyond the limits, the items do not tell whether it changed. */
static bool can_tell(const struct view *v)
{
	return !v->cut && v->visible > v->noise.tally.masked;
}

static int compare_views(struct change *c, const struct view *a, const struct view *b)
{
	double share_a = masked_share(a), share_b = masked_share(b);
	int rc;

	c->masked_visible = share_a > share_b ? share_a : share_b;
	list_rules(c, a, b);
	rc = change_diff(c, a, b);
	if (rc == 0 && c->differ_count == 0 && can_tell(a) && can_tell(b) &&
		c->masked_visible <= CHANGE_MASKED_MAX)
		c->same = CHANGE_NORMALISED;
	return rc;
}

int change_compare(const struct change_params *params, struct change *ret)
{
	struct view a, b;
	int rc;

	*ret = (struct change){0};
	arena_init(&ret->arena, CHANGE_MEMORY_MAX);
	if (slice_eq(params->a, params->b)) {
		ret->same = CHANGE_BYTES;
		return 0;
	}
	if (!change_normalises(params->media_type))
		return 0;
	view_init(&a, params->rules);
	view_init(&b, params->rules);
	rc = change_view(params->a, params->media_type, &a);
	if (rc == 0)
		rc = change_view(params->b, params->media_type, &b);
	if (rc == 0)
		rc = compare_views(ret, &a, &b);
	view_release(&a);
	view_release(&b);
	return rc;
}

void change_release(struct change *c)
{
	arena_release(&c->arena);
}
