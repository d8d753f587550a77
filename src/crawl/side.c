/*
 * robots.txt (RFC 9309) and sitemaps: asked for as politely as pages, archived like them, but no
 * part of the plan. A host's pages wait until its robots.txt is known; the first visit waits for
 * the sitemaps of the seeds' hosts, since what is known early can be planned.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawl/capture.h"
#include "extract/link_kind.h"
#include "extract/retry_after.h"
#include "extract/robots_policy.h"
#include "extract/sitemap.h"
#include "frontier/frequency.h"

enum {
	TRIES_MAX = 3,       /* of a robots.txt that cannot be had for now */
	SITEMAPS_MAX = 1000, /* of a capture */
	NESTING_MAX = 5,     /* of indexes: the protocol knows none */
	SITEMAP_REDIRECTS_MAX = 5,
	/* Of robots.txt: what is read, its byte order mark, and a byte that shows it was cut. */
	ROBOTS_KEPT = ROBOTS_PARSE_MAX + 4,
};

/* ---- requests ---- */

static int hold(struct capture *c, const struct side *side)
{
	int rc = side_vec_reserve(&c->sides, 1);

	if (rc == 0)
		rc = hosts_hold(&c->hosts, side->host, CAPTURE_SIDE_TAG | c->sides.len);
	if (rc)
		return rc;
	c->sides.ptr[c->sides.len++] = *side;
	c->sides_open++;
	return 0;
}

/*
 * Puts a request in line; *side says the rest. Nothing happens when its URL is none, or that of a
 * sitemap that was asked for already, or when the time is up.
 */
static int request(struct capture *c, slice text, const struct side *side, struct err *err)
{
	struct side copy = *side;
	struct url url;
	int rc;

	if (c->cancelled)
		return 0;
	url_init(&url);
	rc = url_parse(&url, text, NULL, NULL);
	/* Indexes may contain each other, or themselves. */
	if (rc == 0 && side->kind == SIDE_SITEMAP)
		rc = seen_add(&c->sitemaps, url_page(&url), 0);
	if (rc == 0)
		rc = hosts_find(&c->hosts, &url, &copy.host);
	if (rc == 0)
		rc = side_reserve(c);
	if (rc == 0) {
		copy.url = strndup(url_page(&url).ptr, url_page(&url).len);
		rc = copy.url ? hold(c, &copy) : ERR_NOMEM;
		if (rc)
			free(copy.url);
	}
	url_release(&url);
	return rc == ERR_NOMEM ? err_set(err, rc, "%s", err_name(rc)) : 0;
}

int side_start(struct capture *c, size_t side, struct err *err)
{
	hosts_started(&c->hosts, c->sides.ptr[side].host);
	return net_start(c->net,
		&(struct net_request){.url = slice_str(c->sides.ptr[side].url),
			.tag = capture_tag(c, CAPTURE_SIDE_TAG | side)},
		err);
}

static void drop(struct side *side)
{
	free(side->url);
	*side = (struct side){0};
}

void side_release(struct capture *c)
{
	for (size_t i = 0; i < c->sides.len; i++)
		drop(&c->sides.ptr[i]);
	side_vec_release(&c->sides);
	seen_release(&c->sitemaps);
	for (size_t i = 0; i < c->rules.len; i++)
		if (c->rules.ptr[i].policy == ROBOTS_PARSE)
			robots_release(&c->rules.ptr[i].robots);
	host_rules_vec_release(&c->rules);
}

int side_reserve(struct capture *c)
{
	int rc = 0;

	while (rc == 0 && c->rules.len < hosts_count(&c->hosts))
		rc = host_rules_vec_push(
			&c->rules, (struct host_rules){.policy = ROBOTS_ALLOW_ALL});
	return rc;
}

/* ---- sitemaps ---- */

static int request_sitemap(
	struct capture *c, slice url, unsigned nesting, unsigned redirects, struct err *err)
{
	if (seen_count(&c->sitemaps) >= SITEMAPS_MAX)
		return 0;
	return request(c, url,
		&(struct side){.kind = SIDE_SITEMAP, .nesting = nesting, .redirects = redirects},
		err);
}

/* Some seed is of this host, so its sitemaps are those of the site. */
static bool is_seed_host(const struct capture *c, uint32_t host)
{
	for (size_t i = 0; i < c->pages.list.len; i++) {
		const struct crawl_page *p = &c->pages.list.ptr[i];

		if (p->is_seed && p->taken && p->host == host)
			return true;
		if (!p->is_seed && p->via != CATALOG_NO_PAGE)
			return false; /* the seeds come first */
	}
	return false;
}

static int request_usual_sitemap(
	struct capture *c, slice origin, const struct robots *robots, struct err *err)
{
	struct robots_decision d = {.allowed = true};
	struct buf url;
	int rc = robots ? robots_decide(robots, SLICE("/sitemap.xml"), &d) : 0;

	buf_init(&url, URL_MAX);
	if (rc == 0 && d.allowed) {
		rc = buf_printf(&url, "%.*s/sitemap.xml", (int)origin.len, origin.ptr);
		if (rc == 0)
			rc = request_sitemap(c, buf_slice(&url), 0, 0, err);
	}
	buf_release(&url);
	return rc;
}

static int request_sitemaps(struct capture *c, uint32_t host, struct err *err)
{
	const struct host_rules *rules = &c->rules.ptr[host];
	const struct robots *robots = rules->policy == ROBOTS_PARSE ? &rules->robots : NULL;
	size_t count = robots ? robots->sitemaps.len : 0;
	slice origin = hosts_at(&c->hosts, host)->origin;
	int rc = 0;

	if (c->begun || c->settings->no_sitemaps || c->settings->scope == SCOPE_PAGE ||
		rules->policy == ROBOTS_DISALLOW_ALL || !is_seed_host(c, host))
		return 0;
	/* The vectors move when hosts are added, the strings do not. */
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = request_sitemap(c, c->rules.ptr[host].robots.sitemaps.ptr[i], 0, 0, err);
	if (rc == 0 && count == 0)
		rc = request_usual_sitemap(c, origin, robots, err);
	return rc;
}

int side_sitemaps(struct capture *c, struct err *err)
{
	uint32_t count = (uint32_t)hosts_count(&c->hosts);
	int rc = 0;

	for (uint32_t host = 0; rc == 0 && host < count; host++)
		if (hosts_at(&c->hosts, host)->robots == HOST_ROBOTS_KNOWN)
			rc = request_sitemaps(c, host, err);
	return rc;
}

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
	rc = buf_printf(&how, "sitemap %s", side->url);
	while (rc == 0 && sitemap_next(reader, &entry, &ignored) == 0) {
		if (!entry.is_sitemap)
			rc = discover_entry(c, &entry, buf_str(&how), err);
		else if (side->nesting < NESTING_MAX)
			rc = request_sitemap(c, entry.loc, side->nesting + 1, 0, err);
	}
	buf_release(&how);
	return rc;
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

/* ---- redirects of either ---- */

static bool resolve_location(const struct capture *c, const struct side *side, struct url *ret)
{
	slice location = reading_field(c->reading, SLICE("location"));
	struct url base;
	bool good;

	url_init(&base);
	good = location.ptr && url_parse(&base, slice_str(side->url), NULL, NULL) == 0 &&
	       url_parse(ret, location, &base, NULL) == 0 && url_is_http(ret);
	url_release(&base);
	return good;
}

static int sitemap_finished(
	struct capture *c, const struct side *side, const struct net_fetch *f, struct err *err)
{
	struct url target;
	int rc = 0;

	url_init(&target);
	if (f->status >= 200 && f->status < 300)
		rc = read_sitemap(c, side, err);
	else if (f->status >= 300 && f->status < 400 && side->redirects < SITEMAP_REDIRECTS_MAX &&
		 resolve_location(c, side, &target))
		rc = request_sitemap(c, url_page(&target), side->nesting, side->redirects + 1, err);
	url_release(&target);
	return rc;
}

/* ---- robots.txt ---- */

static int request_robots(struct capture *c, uint32_t subject, slice url, unsigned tries,
	unsigned redirects, struct err *err)
{
	return request(c, url,
		&(struct side){.kind = SIDE_ROBOTS,
			.subject = subject,
			.tries = tries,
			.redirects = redirects},
		err);
}

int side_robots(struct capture *c, uint32_t host, struct err *err)
{
	struct host *h = hosts_at(&c->hosts, host);
	struct buf url;
	int rc;

	h->robots = HOST_ROBOTS_FETCHING;
	buf_init(&url, URL_MAX);
	rc = buf_printf(&url, "%.*s/robots.txt", (int)h->origin.len, h->origin.ptr);
	if (rc == 0)
		rc = request_robots(c, host, buf_slice(&url), 0, 0, err);
	buf_release(&url);
	return rc && !err->code ? err_set(err, rc, "%s", err_name(rc)) : rc;
}

/* What is known of a host's robots.txt is final for this capture. */
static int settle(struct capture *c, uint32_t host, enum robots_policy policy, const char *why,
	struct err *err)
{
	struct host_rules *rules = &c->rules.ptr[host];
	struct host *h = hosts_at(&c->hosts, host);
	slice body = policy == ROBOTS_PARSE
			     ? slice_sub(buf_slice(&c->reading->body), 0, ROBOTS_KEPT)
			     : SLICE("");
	int rc = 0;

	if (policy == ROBOTS_PARSE)
		rc = robots_parse(&rules->robots, body, SLICE(CRAWL_ROBOTS_AGENT), err);
	if (rc)
		return rc;
	rules->policy = (uint8_t)policy;
	(void)snprintf(rules->why, sizeof rules->why, "%s", why);
	h->robots = HOST_ROBOTS_KNOWN;
	if (policy == ROBOTS_PARSE)
		hosts_set_crawl_delay(&c->hosts, host, rules->robots.crawl_delay);
	rc = batch_set_robots(c->store->batch, c->row.id,
		&(struct catalog_robots){.origin = h->origin,
			.policy = (uint8_t)policy,
			.fetched = clock_realtime(c->clock),
			.why = slice_str(rules->why),
			.body = body},
		err);
	if (rc == 0)
		rc = request_sitemaps(c, host, err);
	return rc ? rc : discover_pending(c, host, err);
}

static void explain(const struct net_fetch *f, char *out, size_t size)
{
	if (f->status)
		(void)snprintf(out, size, "HTTP %u", f->status);
	else
		(void)snprintf(out, size, "%s: %s", net_failure_name(f->failure), f->detail);
}

static int robots_finished(
	struct capture *c, const struct side *side, const struct net_fetch *f, struct err *err)
{
	struct robots_answer answer = {
		.status = f->truncated ? 0 : (int)f->status, .redirects = (int)side->redirects};
	enum robots_policy policy;
	struct url target;
	char why[sizeof c->rules.ptr->why];
	int rc;

	url_init(&target);
	answer.location = f->status >= 300 && f->status < 400 && resolve_location(c, side, &target);
	policy = robots_policy(&answer);
	explain(f, why, sizeof why);
	if (policy == ROBOTS_FOLLOW)
		rc = request_robots(
			c, side->subject, url_page(&target), side->tries, side->redirects + 1, err);
	else if (policy == ROBOTS_DISALLOW_ALL && side->tries + 1 < TRIES_MAX)
		rc = request_robots(c, side->subject, slice_str(side->url), side->tries + 1,
			side->redirects, err);
	else
		rc = settle(c, side->subject, policy, policy == ROBOTS_PARSE ? "" : why, err);
	url_release(&target);
	return rc;
}

/* ---- */

static int read_side(struct capture *c, const struct net_fetch *f, struct state_result *result,
	bool *ret_there, struct err *err)
{
	int rc = 0;

	buf_reset(&c->reading->body);
	*ret_there = f->status > 0;
	if (*ret_there)
		rc = reading_read(c->reading, f, READING_BODY, result, err);
	return rc;
}

int side_finished(struct capture *c, size_t i, const struct net_fetch *f, struct err *err)
{
	struct side side = c->sides.ptr[i];
	struct state_result result;
	double seconds = 0;
	bool there;
	int rc = read_side(c, f, &result, &there, err);

	if (f->monotonic.sent)
		seconds = clock_seconds(f->monotonic.last_byte - f->monotonic.sent);
	hosts_done(&c->hosts, side.host, lane_now(c->lane), seconds, f->status == 0);
	if (rc == 0)
		rc = response_side(
			c, slice_str(side.url), side.tries + 1, f, there ? &result : NULL, err);
	if (rc == 0 && (f->status == 429 || f->status == 503) &&
		retry_after_parse(reading_field(c->reading, SLICE("retry-after")),
			clock_realtime(c->clock), &seconds) == 0)
		hosts_retry_after(&c->hosts, side.host, lane_now(c->lane), seconds);
	if (rc)
		return rc;
	c->sides.ptr[i] = (struct side){0};
	c->sides_open--;
	c->asleep = false;
	rc = side.kind == SIDE_ROBOTS ? robots_finished(c, &side, f, err)
				      : sitemap_finished(c, &side, f, err);
	drop(&side);
	return rc;
}
