#include "crawl/changes.h"

#include "base/log.h"
#include "crawl/capture.h"

static bool widens_scope(const struct crawl_changes *x)
{
	return x->has_max_depth || x->includes.len > 0 || x->surts.len > 0;
}

bool crawl_changes_settings(const struct crawl_changes *x)
{
	return x && (x->has_delay || x->time_limit > 0 || x->max_bytes || x->max_pages ||
			    widens_scope(x));
}

static int add_missing(struct text_list *to, const struct text_list *from)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < from->len; i++)
		if (!text_list_has(to, from->ptr[i]))
			rc = text_list_push(to, from->ptr[i]);
	return rc;
}

int crawl_changes_apply(const struct crawl_changes *x, struct crawl_settings *s)
{
	int rc = add_missing(&s->includes, &x->includes);

	if (x->has_delay) {
		s->automatic_delay = x->automatic_delay;
		s->delay = x->automatic_delay ? 0 : x->delay;
	}
	if (x->time_limit > 0)
		s->time_limit = x->time_limit;
	if (x->max_bytes)
		s->max_bytes = x->max_bytes;
	if (x->max_pages)
		s->max_pages = x->max_pages;
	if (x->has_max_depth)
		s->max_depth = x->max_depth;
	return rc ? rc : add_missing(&s->surts, &x->surts);
}

/* Whether the changes may want a page that was left out for this reason. */
static bool may_want(const struct crawl_changes *x, enum left_out reason)
{
	switch (reason) {
	case LEFT_OUT_MAX_PAGES:
		return x->max_pages;
	case LEFT_OUT_SCOPE:
		return x->includes.len > 0 || x->surts.len > 0;
	case LEFT_OUT_MAX_DEPTH:
		return x->has_max_depth;
	default:
		return false;
	}
}

/*
 * Pages that the old scope and limits refused, as far as the new ones have room for them. Before
 * the barrier they are visited and revisited, behind it once, as all late pages.
 */
static int take_more(struct capture *c, const struct crawl_changes *x, struct err *err)
{
	uint32_t limit = c->settings->max_pages;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < c->pages.list.len; i++)
		if (may_want(x, (enum left_out)c->pages.list.ptr[i].left_out) &&
			pages_have_room(&c->pages, c->pages.list.ptr[i].kind, 0, limit))
			rc = discover_again(c, i, err);
	return rc;
}

static bool are_visits_over(const struct capture *c)
{
	return c->stage.visits_ended || c->stage.cancelled ||
	       plan_progress(c->plan).leg != PLAN_VISIT;
}

static void warn(const struct capture *c, const char *text)
{
	log_warn("crawl", "capture %u of %.*s: %s", (unsigned)c->row.id,
		slice_shown(c->row.site, 200), c->row.site.ptr, text);
}

static int retry_failed(struct capture *c, struct err *err)
{
	int rc = 0;

	if (are_visits_over(c)) {
		warn(c, "its visits are over, so pages that failed cannot be tried again; capture "
			"the site again for them");
		return 0;
	}
	for (uint32_t i = 0; rc == 0 && i < c->pages.list.len; i++)
		if (c->pages.list.ptr[i].taken && c->pages.list.ptr[i].planned)
			rc = journal_retry(c, i, err);
	return rc;
}

static int revisit_now(struct capture *c, struct err *err)
{
	if (c->row.single || are_visits_over(c)) {
		warn(c, c->row.single ? "it has no revisits, so --revisit-now changes nothing"
				      : "its visits are over already");
		return 0;
	}
	if (plan_progress(c->plan).visited == 0)
		return err_set(err, ERR_STATE,
			"no page has been visited yet, so there is nothing to revisit: leave out "
			"--revisit-now");
	return journal_end_visits(c, CATALOG_END_OPERATOR, err);
}

int changes_carry_out(struct capture *c, const struct crawl_changes *x, struct err *err)
{
	int rc = 0;

	if (x && (x->max_pages || widens_scope(x)))
		rc = take_more(c, x, err);
	if (rc == 0 && x && x->retry_failed)
		rc = retry_failed(c, err);
	if (rc == 0 && x && x->revisit_now)
		rc = revisit_now(c, err);
	return rc;
}
