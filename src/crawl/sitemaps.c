#include "crawl/sitemaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawl/capture.h"
#include "formats/links.h"
#include "formats/sitemap.h"
#include "plan/rate_estimate.h"

/* ---- which are known ---- */

void sitemap_list_init(struct sitemap_list *l)
{
	*l = (struct sitemap_list){0};
	seen_init(&l->seen, hash_key_random());
}

void sitemap_list_release(struct sitemap_list *l)
{
	for (size_t i = 0; i < l->waiting.len; i++)
		free(l->waiting.ptr[i].url);
	waiting_sitemaps_release(&l->waiting);
	seen_release(&l->seen);
}

bool sitemap_list_is_full(const struct sitemap_list *l)
{
	return seen_count(&l->seen) >= SITEMAPS_MAX;
}

int sitemap_list_add(struct sitemap_list *l, slice url)
{
	return seen_add(&l->seen, url, 0);
}

/* Feeds are counted: some sites have one for each page. False when there are enough. */
static bool sitemap_list_add_feed(struct sitemap_list *l)
{
	return l->feeds < SITEMAP_FEEDS_MAX && ++l->feeds;
}

bool sitemap_list_add_host(struct sitemap_list *l)
{
	if (l->foreign_hosts >= SITEMAP_FOREIGN_HOSTS_MAX)
		return false;
	l->foreign_hosts++;
	return true;
}

void sitemap_list_wait(struct sitemap_list *l, slice url, const struct waiting_sitemap *sitemap)
{
	struct waiting_sitemap w = *sitemap;

	w.url = mem_strdup(url);
	waiting_sitemaps_push(&l->waiting, w);
}

bool sitemap_list_take(struct sitemap_list *l, uint32_t host, struct waiting_sitemap *ret)
{
	struct waiting_sitemaps *v = &l->waiting;

	for (size_t i = 0; i < v->len; i++)
		if (v->ptr[i].host == host) {
			*ret = v->ptr[i];
			memmove(&v->ptr[i], &v->ptr[i + 1], (--v->len - i) * sizeof v->ptr[0]);
			return true;
		}
	return false;
}

/* ---- fetching them ---- */

/*
 * Sitemaps of the seeds' hosts, fetched as soon as their robots.txt is known: pages that are known
 * early can be planned. Under watch also the feeds of its pages; polling.c asks for both again.
 *
 * A sitemap that a robots.txt names on its own host is fetched without further question. All others
 * (on other hosts, in an index, after a redirect, /sitemap.xml that no robots.txt names) are
 * fetched only if the robots.txt of their host, which is fetched first, allows it.
 */

enum {
	NESTING_MAX = 5, /* of indexes; the protocol allows none */
	REDIRECTS_MAX = 5,
	HOW_MAX = 2048, /* bytes of a sitemap's URL that are kept with its entries */
};

/* A sitemap that was found. */
struct named {
	slice url;
	slice base;                         /* what it is resolved against; may be none */
	uint32_t named_by;                  /* the host whose robots.txt names it, or NO_HOST */
	uint8_t nesting, redirects, source; /* as struct request */
	bool is_feed;
};

#define NO_HOST UINT32_MAX

/* ---- asking ---- */

/* Pages found after the visits could be fetched only once. */
static bool may_be_asked(const struct capture *c)
{
	return !c->stage.visits_ended && plan_progress(c->plan).leg == PLAN_VISIT;
}

static int hold(struct capture *c, slice url, const struct named *n, struct err *err)
{
	bool held;

	return fetch_url(c, url,
		&(struct request){
			.kind = REQUEST_SITEMAP,
			.nesting = n->nesting,
			.redirects = n->redirects,
			.source = n->source,
			.is_feed = n->is_feed,
			.is_named = n->named_by != NO_HOST,
		},
		&held, err);
}

static int hold_allowed(
	struct capture *c, uint32_t host, slice url, const struct named *n, struct err *err)
{
	struct robots_decision d = {.allowed = true};

	if (!c->settings->ignore_robots)
		TRY(rules_decide(&c->rules, host, robots_url_path(url), &d, err));
	if (!d.allowed)
		return 0;
	return hold(c, url, n, err);
}

static bool is_host_wanted(struct capture *c, uint32_t host)
{
	struct host_rules *rules = &c->rules.list.ptr[host];

	if (!rules->has_seed && !rules->sitemap_host)
		rules->sitemap_host = sitemap_list_add_host(&c->sitemaps);
	return rules->has_seed || rules->sitemap_host;
}

static int request_url(
	struct capture *c, const struct url *url, const struct named *n, struct err *err)
{
	uint32_t host = NO_HOST;
	int rc = url_is_http(url) ? sitemap_list_add(&c->sitemaps, url_page(url)) : ERR_EXISTS;

	if (rc == ERR_EXISTS)
		return 0;
	if (rc == 0)
		rc = capture_find_host(c, url, &host);
	if (rc)
		return err_code(err, rc);
	if ((n->is_feed && !sitemap_list_add_feed(&c->sitemaps)) || !is_host_wanted(c, host))
		return 0;
	if (host == n->named_by)
		return hold(c, url_page(url), n, err);
	if (hosts_at(&c->hosts, host)->robots == HOST_ROBOTS_KNOWN &&
		c->rules.list.ptr[host].policy != ROBOTS_DISALLOW_ALL)
		return hold_allowed(c, host, url_page(url), n, err);
	sitemap_list_wait(&c->sitemaps, url_page(url),
		&(struct waiting_sitemap){.host = host,
			.nesting = n->nesting,
			.redirects = n->redirects,
			.source = n->source,
			.is_feed = n->is_feed});
	return hosts_at(&c->hosts, host)->robots == HOST_ROBOTS_UNKNOWN
		       ? robots_fetch(c, host, false, err)
		       : 0;
}

static int request(struct capture *c, const struct named *n, struct err *err)
{
	URL_SCOPED(url);
	URL_SCOPED(base);
	bool has_base;
	int rc;

	if (sitemap_list_is_full(&c->sitemaps) || c->stage.cancelled)
		return 0;
	has_base = n->base.len > 0 && url_parse(&base, n->base, NULL, NULL) == 0;
	rc = url_parse(&url, n->url, has_base ? &base : NULL, NULL);
	return rc == 0 ? request_url(c, &url, n, err) : 0;
}

static bool are_wanted(const struct capture *c, const struct host_rules *rules)
{
	const struct crawl_settings *s = c->settings;

	return rules->wants_sitemaps && !s->no_sitemaps && s->scope != SCOPE_PAGE &&
	       (rules->policy != ROBOTS_DISALLOW_ALL || s->ignore_robots) && may_be_asked(c);
}

/* Those that its robots.txt names, else the usual one. */
static int request_named(struct capture *c, uint32_t host, struct err *err)
{
	slice origin = hosts_at(&c->hosts, host)->origin;
	struct named n = {.base = origin, .named_by = host};
	BUF_SCOPED(url, ROBOTS_PARSE_MAX);
	bool there = true;
	size_t i;
	for (i = 0; there; i++) {
		const struct robots *robots = NULL;

		/* Copies the i-th sitemap that a robots.txt names; *ret is false after the last. */
		there = false;
		if (c->rules.list.ptr[host].robots)
			TRY(robots_cache_get(
				&c->lane->robots, c->rules.list.ptr[host].robots, &robots, err));
		if (robots && i < robots->sitemaps.len) {
			buf_reset(&url);
			TRY(err_code(err, buf_add(&url, robots->sitemaps.ptr[i])));
			there = true;
		}
		n.url = buf_slice(&url);
		if (there)
			TRY(request(c, &n, err));
	}
	if (i == 1) {
		n.url = SLICE("/sitemap.xml");
		n.named_by = NO_HOST;
		TRY(request(c, &n, err));
	}
	return 0;
}

int sitemaps_request(struct capture *c, uint32_t host, struct err *err)
{
	struct waiting_sitemap w;
	int rc = 0;

	if (are_wanted(c, &c->rules.list.ptr[host])) {
		c->rules.list.ptr[host].wants_sitemaps = false;
		TRY(request_named(c, host, err));
	}
	/* Requests those that are allowed now; drops the others. */
	if (c->rules.list.ptr[host].policy == ROBOTS_DISALLOW_ALL && !c->settings->ignore_robots)
		return 0;
	while (rc == 0 && sitemap_list_take(&c->sitemaps, host, &w)) {
		struct named n = {.named_by = NO_HOST,
			.nesting = w.nesting,
			.redirects = w.redirects,
			.source = w.source,
			.is_feed = w.is_feed};

		if (may_be_asked(c))
			rc = hold_allowed(c, host, slice_str(w.url), &n, err);
		free(w.url);
	}
	return rc;
}

int sitemaps_request_all(struct capture *c, struct err *err)
{
	uint32_t count = (uint32_t)hosts_count(&c->hosts);

	for (uint32_t host = 0; host < count; host++)
		if (hosts_at(&c->hosts, host)->robots == HOST_ROBOTS_KNOWN)
			TRY(sitemaps_request(c, host, err));
	return 0;
}

int sitemaps_feed(struct capture *c, slice url, struct err *err)
{
	/* What they announce is news to a watch only. */
	if (c->settings->no_sitemaps || !c->scheduler->endless)
		return 0;
	return request(c, &(struct named){.url = url, .named_by = NO_HOST, .is_feed = true}, err);
}

/* ---- reading ---- */

/* What is being read, and what it has listed so far. */
struct listing {
	const struct request *request;
	unsigned source; /* under watch: of plan/refresh_run.h */
	const char *how;
	uint64_t said; /* a hash of its entries */
};

/* The last instant that a date can mean. */
static int64_t latest(const struct sitemap_entry *entry)
{
	static const int64_t SECONDS[] = {
		[W3CDATE_DAY] = 86400,
		[W3CDATE_MINUTE] = 60,
		[W3CDATE_SECOND] = 1,
		[W3CDATE_FRACTION] = 0,
	};

	return entry->lastmod.ns + SECONDS[entry->lastmod.precision] * CLOCK_NS_PER_SECOND;
}

static int discover_entry(struct capture *c, const struct sitemap_entry *entry,
	const struct listing *l, struct err *err)
{
	const char *word = sitemap_frequency_name(entry->changefreq);
	struct found found = {.how = l->how,
		.via = CATALOG_NO_PAGE,
		.kind = LINK_PAGE,
		.lastmod = sitemap_lastmod(entry),
		.latest = latest(entry),
		.is_listed = true,
		.source = l->source,
		.priority = entry->priority};
	URL_SCOPED(url);

	if (url_parse(&url, entry->loc, NULL, NULL))
		return 0;
	found.url = &url;
	if (word)
		found.word = frequency_parse(slice_str(word));
	return discover(c, &found, err);
}

static int read_entry(
	struct capture *c, const struct sitemap_entry *entry, struct listing *l, struct err *err)
{
	polling_entry(c, entry, &l->said);
	if (!entry->is_sitemap)
		return discover_entry(c, entry, l, err);
	if (l->request->nesting >= NESTING_MAX)
		return 0;
	return request(c,
		&(struct named){.url = entry->loc,
			.named_by = NO_HOST,
			.nesting = (uint8_t)(l->request->nesting + 1),
			.source = (uint8_t)l->source},
		err);
}

static int read_entries(
	struct capture *c, struct sitemap_reader *reader, struct listing *l, struct err *err)
{
	struct sitemap_entry entry;
	struct err ignored = {0};
	struct buf how;
	int rc;

	buf_init(&how, URL_MAX + 16);
	rc = buf_printf(&how, "%s %.*s", l->request->is_feed ? "feed" : "sitemap", HOW_MAX,
		l->request->url); /* in every entry's row */
	l->how = buf_str(&how);
	while (rc == 0 && sitemap_next(reader, &entry, &ignored) == 0) {
		rc = read_entry(c, &entry, l, err);
		/* There may be a million entries, and no order is half done here. */
		if (rc == 0 && store_due(&c->lane->store) <= 0)
			rc = store_commit(&c->lane->store, err);
	}
	if (rc == 0 && l->said == 0 && sitemap_format(reader) != SITEMAP_UNKNOWN)
		l->said = 1; /* it lists nothing */
	buf_release(&how);
	return rc ? rc : discover_record_unkept(c);
}

/* Reads as much as possible, unless it is as it was; a broken sitemap is not an error. */
static int read_sitemap(struct capture *c, slice body, struct listing *l, struct err *err)
{
	struct sitemap_reader *reader;
	struct err ignored = {0};
	int rc;

	TRY(polling_opened(c, l->request, body, &l->source, &l->said, err));
	if (l->said)
		return 0;
	if (sitemap_open_slice(&reader, body, slice_str(l->request->url), &ignored))
		return 0;
	rc = read_entries(c, reader, l, err);
	sitemap_close(reader);
	return rc;
}

int sitemaps_answered(struct capture *c, const struct answer *a, struct err *err)
{
	const struct request *r = a->request;
	unsigned status = a->fetch->status;
	struct listing l = {.request = r};
	URL_SCOPED(target);

	if (status >= 200 && status < 300)
		TRY(read_sitemap(c, buf_slice(&a->reading->body), &l, err));
	else if (status >= 300 && status < 400 && r->redirects < REDIRECTS_MAX &&
		 fetch_location(a, &target))
		TRY(request(c,
			&(struct named){.url = url_page(&target),
				.named_by = NO_HOST,
				.nesting = r->nesting,
				.redirects = (uint8_t)(r->redirects + 1),
				.source = r->source,
				.is_feed = r->is_feed},
			err));
	return polling_answered(c, a, l.said, err);
}

int sitemaps_dropped(
	struct capture *c, const struct request *r, enum drop_reason reason, struct err *err)
{
	(void)reason;
	return polling_dropped(c, r, err);
}
