#include <inttypes.h>

#include "cmd/report_print.h"
#include "cmd/text.h"
#include "quality/composite.h"

enum { STATE_WIDTH = 23, VERDICT_WIDTH = 13 };

/* How often each state occurs, over all pairs of page and requisite. */
static void print_states(const uint64_t counts[COHERENCE_COUNT + 1], FILE *file)
{
	(void)fprintf(file, "\n%-*s%9s\n", STATE_WIDTH, "state of requisites", "pairs");
	for (int i = 0; i <= COHERENCE_COUNT; i++)
		if (counts[i])
			(void)fprintf(file, "%-*s%9" PRIu64 "\n", STATE_WIDTH,
				i == COHERENCE_COUNT ? "not captured"
						     : coherence_name((enum coherence)i),
				counts[i]);
}

static void print_part(const struct report_page *page, const struct report_page *part, FILE *file)
{
	enum coherence state;
	bool known = composite_state(page, part, &state);

	(void)fprintf(file, "  %-*s%-*s", STATE_WIDTH,
		known ? coherence_name(state) : "not captured", VERDICT_WIDTH,
		verdict_name((enum verdict)part->verdict));
	text_name(file, part->url, 0);
	(void)putc('\n', file);
}

static void print_page(
	const struct report *r, uint32_t number, const struct requisites_search *search, FILE *file)
{
	const struct report_page *page = &r->pages.ptr[number];
	const char *composite = composite_name((enum composite)page->composite);

	if (search->parts.len == 0 || !composite)
		return;
	(void)putc('\n', file);
	text_name(file, page->url, 0);
	(void)fprintf(file, ": %s\n", composite);
	for (size_t i = 0; i < search->parts.len; i++)
		print_part(page, &r->pages.ptr[search->parts.ptr[i]], file);
	if (!search->complete)
		(void)fputs("  and others that were not kept\n", file);
}

static void count_states(const struct report *r, uint32_t number,
	const struct requisites_search *search, uint64_t counts[COHERENCE_COUNT + 1])
{
	const struct report_page *page = &r->pages.ptr[number];
	enum coherence state;

	for (size_t i = 0; page->composite && i < search->parts.len; i++)
		if (composite_state(page, &r->pages.ptr[search->parts.ptr[i]], &state))
			counts[state]++;
		else
			counts[COHERENCE_COUNT]++;
}

int report_print_requisites(const struct report *r, FILE *file)
{
	uint64_t counts[COHERENCE_COUNT + 1] = {0};
	struct requisites_search search;
	int rc = requisites_search_init(&search, &r->requisites);

	for (uint32_t i = 0; rc == 0 && i < r->pages.len; i++) {
		requisites_find(&r->requisites, i, &search);
		count_states(r, i, &search, counts);
	}
	if (rc == 0)
		print_states(counts, file);
	for (uint32_t i = 0; rc == 0 && i < r->pages.len; i++) {
		requisites_find(&r->requisites, i, &search);
		print_page(r, i, &search, file);
	}
	requisites_search_release(&search);
	return rc;
}
