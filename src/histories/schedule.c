#include "histories/schedule.h"

#include <math.h>
#include <stdlib.h>

#include "histories/subsites.h"
#include "sim/drive.h"

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

/* Room for the pages of one subsite after another. */
struct room {
	struct site site;
	uint32_t *pages;
};

static int room_init(struct room *r, size_t n)
{
	r->pages = calloc(n, sizeof *r->pages);
	r->site = (struct site){
		.survival = calloc(n, sizeof *r->site.survival),
		.link_from = calloc(n + 1, sizeof *r->site.link_from),
	};
	return r->pages && r->site.survival && r->site.link_from ? 0 : ERR_NOMEM;
}

static void room_release(struct room *r)
{
	site_release(&r->site);
	free(r->pages);
}

static void fill(struct room *r, const struct draw *d, const struct subsites *s, uint32_t subsite)
{
	r->site.n = 0;
	for (uint32_t i = 0; i < d->site.n; i++)
		if (s->of[i] == subsite) {
			r->pages[r->site.n] = i;
			r->site.survival[r->site.n++] = d->site.survival[i];
		}
}

static int capture_all(const struct schedule_params *params, const struct subsites *s,
	struct room *room, struct past_capture *c, struct err *err)
{
	double begin = params->draw->params.start;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < s->count; i++) {
		struct part part = {.params = params,
			.site = &room->site,
			.pages = room->pages,
			.begin = begin};

		fill(room, params->draw, s, i);
		rc = capture_part(&part, c, &begin, err);
	}
	return rc;
}

int schedule_subsites(
	const struct schedule_params *params, struct past_capture *ret_capture, struct err *err)
{
	size_t n = params->draw->site.n;
	struct subsites s = {0};
	struct room room = {0};
	struct past_capture c = {0};
	int rc = subsites_divide(params->draw, &s);

	if (rc == 0)
		rc = room_init(&room, n);
	if (rc == 0)
		rc = past_capture_init(&c, n);
	rc = rc ? err_code(err, rc) : capture_all(params, &s, &room, &c, err);
	room_release(&room);
	subsites_release(&s);
	if (rc)
		past_capture_release(&c);
	else
		*ret_capture = c;
	return rc;
}
