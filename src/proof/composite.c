#include "proof/composite.h"

#include <string.h>

#include "formats/links.h"
#include "proof/report.h"

const char *composite_name(enum composite c)
{
	static const char *const NAMES[] = {
		[COMPOSITE_NONE] = NULL,
		[COMPOSITE_SHARP] = "sharp",
		[COMPOSITE_BLURRED] = "blurred",
		[COMPOSITE_INCOMPLETE] = "incomplete",
	};

	return NAMES[c];
}

enum composite composite_with(enum composite c, enum verdict part)
{
	switch (part) {
	case VERDICT_SHARP:
	case VERDICT_ABSENT:
		return c;
	case VERDICT_CHANGED:
	case VERDICT_APPEARED:
	case VERDICT_GONE:
		return COMPOSITE_BLURRED;
	default:
		return c == COMPOSITE_BLURRED ? c : COMPOSITE_INCOMPLETE;
	}
}

/* A soft 404's links are not read, so what it is made of is not known. */
static bool has_composite(const struct report *r, const struct report_page *p)
{
	return !r->capture.single && p->taken && p->usable_visit && p->visit.status < 300 &&
	       verdict_is_captured((enum verdict)p->verdict) && !composite_is_part(p) &&
	       p->content != CATALOG_CONTENT_SOFT_404;
}

bool composite_is_part(const struct report_page *p)
{
	for (int k = 0; k < LINK_KIND_COUNT; k++)
		if (slice_eq(p->kind, slice_str(link_kind_name((enum link_kind)k))))
			return link_kind_is_requisite((enum link_kind)k);
	return false;
}

bool composite_spoils(const struct report_page *part)
{
	return composite_with(COMPOSITE_SHARP, (enum verdict)part->verdict) != COMPOSITE_SHARP;
}

static void judge_one(struct report *r, uint32_t page, struct requisites_search *search)
{
	struct report_page *p = &r->pages.ptr[page];
	enum composite c = composite_with(COMPOSITE_SHARP, (enum verdict)p->verdict);
	bool is_sharp = c == COMPOSITE_SHARP;

	requisites_find(&r->requisites, page, search);
	for (size_t i = 0; i < search->parts.len; i++) {
		struct report_page *part = &r->pages.ptr[search->parts.ptr[i]];

		c = composite_with(c, (enum verdict)part->verdict);
		part->spoiled += is_sharp && composite_spoils(part);
	}
	if (!search->complete && c == COMPOSITE_SHARP)
		c = COMPOSITE_INCOMPLETE;
	p->composite = (uint8_t)c;
	r->composites.pages++;
	r->composites.sharp += c == COMPOSITE_SHARP;
}

void composite_judge(struct report *r)
{
	struct requisites_search search;

	requisites_search_init(&search, &r->requisites);
	for (size_t i = 0; i < r->pages.len; i++)
		if (has_composite(r, report_page_at(r, i)))
			judge_one(r, (uint32_t)i, &search);
	requisites_search_release(&search);
}

bool composite_state(
	const struct report_page *page, const struct report_page *requisite, enum coherence *ret)
{
	struct coherence_facts facts = {
		.page = page->visit.start,
		.requisite = requisite->visit.start,
		.has_last_modified = requisite->visit.modified != 0,
		.last_modified = requisite->visit.modified,
		.has_other = requisite->evidence && requisite->revisit.start,
		.other = requisite->revisit.start,
	};

	if (!page->usable_visit || !requisite->usable_visit)
		return false;
	*ret = coherence_state(&facts);
	return true;
}

size_t composite_spoilers(const struct report *r, uint32_t *out, size_t max)
{
	size_t count = 0;

	for (size_t i = 0; i < r->pages.len; i++) {
		size_t at = count;

		if (report_page_at(r, i)->spoiled == 0)
			continue;
		while (at > 0 && r->pages.ptr[out[at - 1]].spoiled < r->pages.ptr[i].spoiled)
			at--;
		if (at == max)
			continue;
		count += count < max;
		memmove(&out[at + 1], &out[at], (count - at - 1) * sizeof *out);
		out[at] = (uint32_t)i;
	}
	return count;
}
