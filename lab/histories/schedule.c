#include "histories/schedule.h"

#include <math.h>
#include <stdlib.h>

#include "histories/subsites.h"
#include "plan/expect.h"

/* A part of a draw's site, with pages[i] for its page i, to be captured from `begin` on. */
struct part {
	const struct schedule_params *params;
	const struct site *site;
	const uint32_t *pages; /* NULL: the whole site */
	double begin;
	const struct u32_vec *seeds; /* NULL: all pages */
};

static uint32_t page_of(const struct part *p, uint32_t i)
{
	return p->pages ? p->pages[i] : i;
}

/* Adds what the drive did; returns when the next download may begin. */
static double record(
	const struct part *p, const struct drive_result *result, struct past_capture *c)
{
	double last = 0;

	for (size_t i = 0; i < result->visits.len; i++) {
		uint32_t page = result->visits.ptr[i];

		last = result->visited_at[page];
		(void)past_capture_look(c, page_of(p, page), p->begin + last);
		c->hopeless[page_of(p, page)] = result->hopeless[page];
	}
	for (size_t i = 0; i < result->revisits.len; i++) {
		uint32_t page = result->revisits.ptr[i];

		last = result->revisited_at[page];
		(void)past_capture_look(c, page_of(p, page), p->begin + last);
		c->still[page_of(p, page)] =
			p->begin + result->revisited_at[result->revisits.ptr[0]];
	}
	return p->begin + last + result->delay;
}

/* Captures a part; *ret_end is when the next download may begin. */
static int capture_part(
	const struct part *p, struct past_capture *c, double *ret_end, struct err *err)
{
	struct drive_params params = {
		.site = p->site,
		.plan = {.strategy = p->params->strategy,
			.delay = draw_delay(p->params->draw),
			.tau = p->params->tau,
			.fast = true},
		.seeds = p->seeds ? p->seeds->ptr : NULL,
		.seed_count = p->seeds ? p->seeds->len : 0,
	};
	struct drive_result result;
	int rc = drive(&params, &result, err);

	if (rc)
		return rc;
	*ret_end = record(p, &result, c);
	drive_release(&result);
	return 0;
}

int schedule_plain(
	const struct schedule_params *params, struct past_capture *ret_capture, struct err *err)
{
	const struct draw *d = params->draw;
	struct part whole = {.params = params,
		.site = &d->site,
		.begin = d->params.start,
		.seeds = d->params.links ? &d->seeds : NULL};
	struct past_capture c;
	double end;
	int rc = past_capture_init(&c, d->site.n);

	if (rc)
		return err_code(err, rc);
	rc = capture_part(&whole, &c, &end, err);
	if (rc)
		past_capture_release(&c);
	else
		*ret_capture = c;
	return rc;
}

/* Fills the site and its pages with those of a subsite. */
static void fill(const struct draw *d, const struct subsites *s, uint32_t subsite,
	struct site *site, uint32_t *pages)
{
	site->n = 0;
	for (uint32_t i = 0; i < d->site.n; i++)
		if (s->of[i] == subsite) {
			pages[site->n] = i;
			site->survival[site->n++] = d->site.survival[i];
		}
}

int schedule_subsites(
	const struct schedule_params *params, struct past_capture *ret_capture, struct err *err)
{
	const struct draw *d = params->draw;
	uint32_t *pages = calloc(d->site.n, sizeof *pages);
	struct site site = {
		.survival = calloc(d->site.n, sizeof *site.survival),
		.link_from = calloc(d->site.n + 1, sizeof *site.link_from),
	};
	struct part part = {
		.params = params, .site = &site, .pages = pages, .begin = d->params.start};
	struct subsites s = {0};
	struct past_capture c = {0};
	int rc = pages && site.survival && site.link_from ? subsites_divide(d, &s) : ERR_NOMEM;

	if (rc == 0)
		rc = past_capture_init(&c, d->site.n);
	rc = err_code(err, rc);
	for (uint32_t i = 0; rc == 0 && i < s.count; i++) {
		fill(d, &s, i, &site, pages);
		rc = capture_part(&part, &c, &part.begin, err);
	}
	site_release(&site);
	free(pages);
	subsites_release(&s);
	if (rc)
		past_capture_release(&c);
	else
		*ret_capture = c;
	return rc;
}
