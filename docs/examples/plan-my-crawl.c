/*
 * Lets libstillpoint decide in which order one's own crawler downloads pages.
 *
 *	cc plan-my-crawl.c $(pkg-config --cflags --libs stillpoint)
 *
 * The library does no I/O and has no clock: three calls tell it what was found, ask it what is
 * next, and tell it how that went.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stillpoint/plan.h>

/* What a crawler knows of a page; the rates come from earlier crawls or from a guess. */
struct page {
	const char *url;
	double rate; /* changes per second */
	size_t link_count;
	uint32_t links[3]; /* page numbers */
};

static const struct page pages[] = {
	{"/", 1.0 / 60, 3, {1, 2, 3}},
	{"/news", 1.0 / 20, 2, {4, 0}},
	{"/archive", 1.0 / 3600, 2, {4, 5}},
	{"/imprint", 1.0 / 8640000, 1, {0}},
	{"/archive/1", 1.0 / 86400, 1, {2}},
	{"/archive/2", 1.0 / 86400, 1, {2}},
};

enum { DELAY = 2 }; /* seconds between two downloads */

/* Yours: a request, and the links of the response. Here it takes no time and always succeeds. */
static const struct page *download(const struct sp_order *order, double now)
{
	static const char *const legs[] = {"visit", "revisit", "late"};

	printf("%4.0f s  %-8s %s%s\n", now, legs[order->leg], pages[order->page].url,
		order->hopeless ? "  (given up for the sake of the others)" : "");
	return &pages[order->page];
}

static int found(struct sp_plan *plan, uint32_t page)
{
	struct sp_page info = SP_PAGE(pages[page].rate);

	return sp_plan_found(plan, page, &info);
}

/* The links of a page are reported before the page itself is done; what is known is left alone. */
static int carry_out(struct sp_plan *plan, const struct sp_order *order, double now)
{
	const struct page *page = download(order, now);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < page->link_count; i++)
		rc = found(plan, page->links[i]);
	return rc ? rc : sp_plan_done(plan, order, SP_DONE, now, now);
}

/* One download at a time, so the planner never asks to wait. */
static int crawl(struct sp_plan *plan)
{
	struct sp_order order = {.size = sizeof order};
	int step = SP_ORDER;
	int rc = found(plan, 0);

	for (double now = 0; rc == 0 && step == SP_ORDER; now += DELAY) {
		rc = sp_plan_next(plan, now, &step, &order);
		if (rc == 0 && step == SP_ORDER)
			rc = carry_out(plan, &order, now);
	}
	return rc;
}

int main(void)
{
	struct sp_plan_params params = {
		.size = sizeof params,
		.strategy = "stillpoint",
		.delay = DELAY,
	};
	struct sp_plan *plan = NULL;
	int rc = sp_plan_new(&params, &plan);

	if (rc == 0)
		rc = crawl(plan);
	if (rc)
		fprintf(stderr, "%s\n", sp_error_text(rc));
	sp_plan_free(plan);
	return rc != 0;
}
