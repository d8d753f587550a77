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

#include "plan/plan.h"

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
static const struct page *download(const struct plan_order *order, double now)
{
	static const char *const legs[] = {"visit", "revisit", "late"};

	printf("%4.0f s  %-8s %s%s\n", now, legs[order->leg], pages[order->page].url,
		order->hopeless ? "  (given up for the sake of the others)" : "");
	return &pages[order->page];
}

static int found(struct plan_run *run, uint32_t page)
{
	return plan_discovered(run, page, survival_poisson(pages[page].rate), 1);
}

/* The links of a page are reported before the page itself is done; what is known is left alone. */
static int crawl(struct plan_run *run)
{
	struct plan_order order;
	double now = 0;
	int rc = found(run, 0);

	while (rc == 0 && plan_next(run, now, &order) == PLAN_ORDER) {
		const struct page *page = download(&order, now);

		for (size_t i = 0; rc == 0 && i < page->link_count; i++)
			rc = found(run, page->links[i]);
		plan_done(run, &order, PLAN_OK, now, now);
		now += DELAY;
	}
	return rc ? rc : plan_error(run);
}

int main(void)
{
	struct plan_params params = {
		.strategy = plan_strategy_find("stillpoint", false),
		.delay = DELAY,
	};
	struct err err = {0};
	struct plan_run *run = plan_run_new(&params, &err);
	int rc;

	if (!run) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	rc = crawl(run);
	if (rc)
		fprintf(stderr, "%s\n", err_name(rc));
	plan_run_free(run);
	return rc != 0;
}
