/*
 * Sitemaps of the seeds' hosts: asked for as soon as their robots.txt is known, since what is known
 * early can be planned.
 */
#include "crawl/capture.h"
#include "extract/link_kind.h"
#include "extract/sitemap.h"
#include "frontier/frequency.h"

enum {
	SITEMAPS_MAX = 1000, /* of a capture */
	NESTING_MAX = 5,     /* of indexes: the protocol knows none */
	REDIRECTS_MAX = 5,
	HOW_MAX = 2048, /* bytes of a sitemap's URL that are kept with its entries */
};

/* ---- asking ---- */

static int request(
	struct capture *c, slice url, unsigned nesting, unsigned redirects, struct err *err)
{
	bool held;

	if (seen_count(&c->sitemaps) >= SITEMAPS_MAX)
		return 0;
	return side_request(c, url,
		&(struct side){.kind = SIDE_SITEMAP,
			.nesting = (uint8_t)nesting,
			.redirects = (uint8_t)redirects},
		&held, err);
}

static int request_usual(
	struct capture *c, slice origin, const struct robots *robots, struct err *err)
{
	struct robots_decision d = {.allowed = true};
	struct buf url;
	int rc = robots ? robots_decide(robots, SLICE("/sitemap.xml"), &d) : 0;

	buf_init(&url, URL_MAX);
	if (rc == 0 && (d.allowed || c->settings->ignore_robots)) {
		rc = buf_printf(&url, "%.*s/sitemap.xml", (int)origin.len, origin.ptr);
		if (rc == 0)
			rc = request(c, buf_slice(&url), 0, 0, err);
	}
	buf_release(&url);
	return rc && !err->code ? err_set(err, rc, "%s", err_name(rc)) : rc;
}

/* What is found after the visits could only be fetched once. */
static bool are_wanted(const struct capture *c, const struct host_rules *rules)
{
	const struct crawl_settings *s = c->settings;

	return rules->wants_sitemaps && !s->no_sitemaps && s->scope != SCOPE_PAGE &&
	       (rules->policy != ROBOTS_DISALLOW_ALL || s->ignore_robots) && !c->visits_ended &&
	       plan_progress(c->plan).leg == PLAN_VISIT;
}

int sitemaps_request(struct capture *c, uint32_t host, struct err *err)
{
	const struct robots *robots = c->rules.ptr[host].robots;
	size_t count = robots ? robots->sitemaps.len : 0;
	slice origin = hosts_at(&c->hosts, host)->origin;
	int rc = 0;

	if (!are_wanted(c, &c->rules.ptr[host]))
		return 0;
	c->rules.ptr[host].wants_sitemaps = false;
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = request(c, robots->sitemaps.ptr[i], 0, 0, err);
	if (rc == 0 && count == 0)
		rc = request_usual(c, origin, robots, err);
	return rc;
}

int sitemaps_request_all(struct capture *c, struct err *err)
{
	uint32_t count = (uint32_t)hosts_count(&c->hosts);
	int rc = 0;

	for (uint32_t host = 0; rc == 0 && host < count; host++)
		if (hosts_at(&c->hosts, host)->robots == HOST_ROBOTS_KNOWN)
			rc = sitemaps_request(c, host, err);
	return rc;
}

/* ---- reading ---- */

static int discover_entry(
	struct capture *c, const struct sitemap_entry *entry, const char *how, struct err *err)
{
	const char *word = sitemap_frequency_name(entry->changefreq);
	struct found found = {.how = how, .via = CATALOG_NO_PAGE, .kind = LINK_PAGE};
	struct url url;
	int rc;

	url_init(&url);
	rc = url_parse(&url, entry->loc, NULL, NULL);
	found.url = &url;
	if (word && !frequency_rate(slice_str(word), &found.rate))
		found.rate = 0;
	if (rc == 0)
		rc = discover(c, &found, err);
	else if (rc != ERR_NOMEM)
		rc = 0;
	url_release(&url);
	return rc;
}

static int read_entries(
	struct capture *c, struct sitemap_reader *reader, const struct side *side, struct err *err)
{
	struct sitemap_entry entry;
	struct err ignored = {0};
	struct buf how;
	int rc;

	buf_init(&how, URL_MAX + 16);
	rc = buf_printf(&how, "sitemap %.*s", HOW_MAX, side->url); /* in every entry's row */
	while (rc == 0 && sitemap_next(reader, &entry, &ignored) == 0) {
		if (!entry.is_sitemap)
			rc = discover_entry(c, &entry, buf_str(&how), err);
		else if (side->nesting < NESTING_MAX)
			rc = request(c, entry.loc, side->nesting + 1U, 0, err);
		/* There may be a million of them; no order of the planner's is half done here. */
		if (rc == 0 && store_due(c->store) <= 0)
			rc = store_commit(c->store, err);
	}
	buf_release(&how);
	return rc ? rc : discover_record_unkept(c, err);
}

/* What can be read of it is read; a broken sitemap is no reason to fail. */
static int read_sitemap(struct capture *c, const struct side *side, struct err *err)
{
	struct sitemap_reader *reader;
	struct err ignored = {0};
	int rc = sitemap_open_slice(
		&reader, buf_slice(&c->reading->body), slice_str(side->url), &ignored);

	if (rc)
		return rc == ERR_NOMEM ? err_set(err, rc, "%s", err_name(rc)) : 0;
	rc = read_entries(c, reader, side, err);
	sitemap_close(reader);
	return rc;
}

int sitemaps_finished(
	struct capture *c, const struct side *side, const struct net_fetch *f, struct err *err)
{
	struct url target;
	int rc = 0;

	url_init(&target);
	if (f->status >= 200 && f->status < 300)
		rc = read_sitemap(c, side, err);
	else if (f->status >= 300 && f->status < 400 && side->redirects < REDIRECTS_MAX &&
		 side_location(c, side, &target))
		rc = request(c, url_page(&target), side->nesting, side->redirects + 1U, err);
	url_release(&target);
	return rc;
}
