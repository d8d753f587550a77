#include "crawl/polling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "crawl/capture.h"
#include "formats/http_date.h"
#include "formats/sitemap.h"

enum {
	VALIDATOR_MAX = 512, /* bytes; a longer one is not sent back */
	NAMES_MAX = 16 << 20,
};

/* Of the site's budget. */
static const double SHARE = 0.05;

/* Seconds between two requests for the same; what news and no news make of it. */
static const double INTERVAL_MIN = 1, INTERVAL_MAX = 86400, NEWS = 0.5, NO_NEWS = 1.5;

/* Seconds between two rows of what pings are worth. */
static const double PINGS_INTERVAL = 10;

static double now_of(const struct capture *c)
{
	return clock_seconds(clock_realtime(c->clock));
}

static struct polling *polling_of(const struct capture *c)
{
	return &c->looking->polling;
}

/* Seconds between two requests for any of them: their share of the budget. */
static double gap(const struct capture *c)
{
	return 1 / (SHARE * fmax(c->looking->terms.budget, 1e-9));
}

static double least(const struct capture *c)
{
	return fmax(INTERVAL_MIN, gap(c));
}

/* ---- the list ---- */

static int add(struct polling *p, slice url, bool is_feed, unsigned source, uint32_t *ret)
{
	struct polled new = {.is_feed = is_feed, .source = (uint8_t)source};
	uint32_t place = (uint32_t)p->list.len;

	*ret = POLL_NONE;
	if (place >= POLLS_MAX || strmap_put(&p->numbers, url, place))
		return 0;
	new.url = mem_strdup(url);
	*ret = place;
	return polled_vec_push(&p->list, new);
}

int polling_init(struct polling *p)
{
	uint32_t place;

	*p = (struct polling){
		.key = hash_key_random(), .next_source = POLL_SOURCE_PING + 1, .last = -INFINITY};
	arena_init(&p->names, NAMES_MAX);
	strmap_init(&p->numbers, hash_key_random(), &p->names);
	heap_init(&p->due);
	return add(p, SLICE(""), false, POLL_SOURCE_PING, &place);
}

void polling_release(struct polling *p)
{
	for (size_t i = 0; i < p->list.len; i++) {
		free(p->list.ptr[i].url);
		free(p->list.ptr[i].etag);
		free(p->list.ptr[i].modified);
	}
	polled_vec_release(&p->list);
	strmap_release(&p->numbers);
	arena_release(&p->names);
	heap_release(&p->due);
}

/* ---- what is stored ---- */

static void store(struct capture *c, uint32_t place)
{
	const struct polled *p = &polling_of(c)->list.ptr[place];
	struct refresh_source worth = refresh_source(c->looking->run, p->source);

	capture_store(c, &(struct catalog_row){CATALOG_ROW_POLL,
				 .poll = &(struct catalog_poll){.number = place,
					 .url = slice_str(p->url),
					 .is_feed = p->is_feed,
					 .source = p->source,
					 .polls = p->polls,
					 .not_modified = p->asserted.answers,
					 .checked = p->asserted.checked,
					 .lies = p->asserted.lies,
					 .announced_changed = worth.announced_changed,
					 .announced_same = worth.announced_same,
					 .silent_changed = worth.silent_changed}});
}

int polling_store_pings(struct capture *c)
{
	struct refresh_source worth = refresh_source(c->looking->run, POLL_SOURCE_PING);
	double sum = worth.announced_changed + worth.announced_same + worth.silent_changed;

	if (sum == polling_of(c)->pings_stored ||
		now_of(c) - polling_of(c)->pings_stored_at < PINGS_INTERVAL)
		return 0;
	polling_of(c)->pings_stored = sum;
	polling_of(c)->pings_stored_at = now_of(c);
	store(c, POLL_PINGS);
	return 0;
}

/* A host that has lied is not asked with conditions any more. */
static int restore_trust(struct capture *c, slice text)
{
	URL_SCOPED(url);
	uint32_t host;

	if (url_parse(&url, text, NULL, NULL) == 0 && capture_find_host(c, &url, &host) == 0)
		c->rules.list.ptr[host].lies = true;
	return 0;
}

int polling_restore(struct capture *c, const struct catalog_poll *row, struct err *err)
{
	struct polling *p = polling_of(c);
	uint32_t place;

	if (row->source == 0 || row->source >= REFRESH_SOURCES)
		return 0;
	if (!strmap_get(&p->numbers, row->url, &place))
		TRY(err_code(err, add(p, row->url, row->is_feed, row->source, &place)));
	if (place != POLL_NONE) {
		p->list.ptr[place].polls = row->polls;
		p->list.ptr[place].asserted = (struct asserted){
			.answers = row->not_modified, .checked = row->checked, .lies = row->lies};
		refresh_set_source(c->looking->run, row->source,
			&(struct refresh_source){
				row->announced_changed, row->announced_same, row->silent_changed});
		if (row->source >= p->next_source)
			p->next_source = row->source + 1;
	}
	if (row->lies > 0)
		TRY(err_code(err, restore_trust(c, row->url)));
	return 0;
}

/* ---- asking ---- */

static int schedule(struct capture *c, uint32_t place, double due)
{
	struct heap *h = &polling_of(c)->due;
	struct heap_key key = {.key = due};

	return heap_update(h, place, key) ? 0 : heap_push(h, place, key);
}

/* It is asked again when its interval has passed. */
static int schedule_next(struct capture *c, uint32_t place, struct err *err)
{
	double interval = fmax(polling_of(c)->list.ptr[place].interval, least(c));

	return err_code(err, schedule(c, place, now_of(c) + interval));
}

/* Whether robots.txt allows it, as far as that is known. */
static int is_allowed(
	struct capture *c, const struct polled *p, uint32_t host, bool *ret, struct err *err)
{
	struct robots_decision d = {.allowed = true};

	if (!p->is_named && !c->settings->ignore_robots)
		TRY(rules_decide(&c->rules, host, robots_url_path(slice_str(p->url)), &d, err));
	*ret = d.allowed && !fetch_is_down(c, host);
	return 0;
}

static int find_host(struct capture *c, const struct polled *p, uint32_t *ret)
{
	URL_SCOPED(url);

	TRY(url_parse(&url, slice_str(p->url), NULL, NULL));
	return capture_find_host(c, &url, ret);
}

/* Asks for it now. A check is a full request that follows a 304 at once. */
static int ask(struct capture *c, uint32_t place, bool checks, struct err *err)
{
	const struct polled *p = &polling_of(c)->list.ptr[place];
	bool held = false, allowed = false;
	uint32_t host = 0;
	int rc = err_code(err, find_host(c, p, &host));

	polling_of(c)->last = now_of(c);
	if (rc == 0)
		rc = is_allowed(c, p, host, &allowed, err);
	if (rc == 0 && allowed)
		rc = fetch_url(c, slice_str(p->url),
			&(struct request){
				.kind = REQUEST_SITEMAP,
				.polled = place + 1,
				.checks = checks,
				.conditional = !checks && (p->etag || p->modified) &&
					       !c->rules.list.ptr[host].lies,
				.is_feed = p->is_feed,
				.nesting = p->nesting,
				.source = p->source,
				.first = checks,
			},
			&held, err);
	return rc || held ? rc : schedule_next(c, place, err);
}

/* Feeds that an earlier process knew: no robots.txt names them. */
static int ask_feeds(struct capture *c, struct err *err)
{
	struct polling *p = polling_of(c);
	size_t known = p->list.len;

	p->started = true;
	for (size_t i = 0; i < known; i++)
		if (p->list.ptr[i].is_feed)
			TRY(sitemaps_feed(c, slice_str(p->list.ptr[i].url), err));
	return 0;
}

double polling_wait(const struct capture *c)
{
	const struct polling *p = polling_of(c);
	struct heap_key key;
	uint32_t place;

	if (!p->started)
		return 0;
	if (c->looking->once || !heap_peek(&p->due, &place, &key))
		return INFINITY;
	return fmax(0, fmax(key.key, p->last + gap(c)) - now_of(c));
}

int polling_dispatch(struct capture *c, struct err *err)
{
	struct polling *p = polling_of(c);
	uint32_t place;

	TRY(p->started ? 0 : ask_feeds(c, err));
	while (polling_wait(c) <= 0 && heap_pop(&p->due, &place, NULL))
		TRY(ask(c, place, false, err));
	return 0;
}

bool polling_hurry(struct capture *c, slice url)
{
	struct polling *p = polling_of(c);
	uint32_t place;

	if (url.len == 0 || !strmap_get(&p->numbers, url, &place))
		return false;
	(void)heap_update(&p->due, place, (struct heap_key){.key = now_of(c)});
	return true;
}

void polling_entry(struct capture *c, const struct sitemap_entry *entry, uint64_t *said)
{
	uint64_t parts[3], hash;

	if (!c->looking)
		return;
	parts[0] = *said;
	parts[1] = hash_bytes(polling_of(c)->key, entry->loc);
	parts[2] = entry->has_lastmod ? (uint64_t)entry->lastmod.ns : 0;
	hash = hash_bytes(polling_of(c)->key, (slice){(const char *)parts, sizeof parts});
	*said = hash ? hash : 1;
	if (entry->is_sitemap) {
		int64_t lastmod = sitemap_lastmod(entry);
		struct polling *p = polling_of(c);
		struct polled *child;
		uint32_t place;

		/* An index says when one of its sitemaps has changed. */
		if (lastmod != 0 && strmap_get(&p->numbers, entry->loc, &place)) {
			child = &p->list.ptr[place];
			if (child->listed != 0 && lastmod > child->listed &&
				heap_contains(&p->due, place))
				(void)polling_hurry(c, entry->loc);
			if (lastmod > child->listed)
				child->listed = lastmod;
		}
	}
}

const struct polled *polling_condition(const struct capture *c, const struct request *r)
{
	return r->conditional ? &polling_of(c)->list.ptr[r->polled - 1] : NULL;
}

/* ---- answers ---- */

/* The place of what was asked for, which is added if it is new; POLL_NONE: there is no room. */
static int find_place(struct capture *c, const struct request *r, uint32_t *ret)
{
	struct polling *p = polling_of(c);
	slice url = slice_str(r->url);

	if (strmap_get(&p->numbers, url, ret))
		return 0;
	TRY(add(p, url, r->is_feed,
		r->source ? r->source
			  : (p->next_source < REFRESH_SOURCES - 1 ? p->next_source++
								  : REFRESH_SOURCES - 1),
		ret));
	if (*ret != POLL_NONE) {
		p->list.ptr[*ret].nesting = r->nesting;
		p->list.ptr[*ret].is_named = r->is_named;
	}
	return 0;
}

int polling_opened(struct capture *c, const struct request *r, slice body, unsigned *ret_source,
	uint64_t *ret_said, struct err *err)
{
	struct polled *p;
	uint64_t hash;
	uint32_t place;

	if (!c->looking)
		return 0;
	hash = hash_bytes(polling_of(c)->key, body);
	TRY(err_code(err, find_place(c, r, &place)));
	if (place == POLL_NONE)
		return 0;
	p = &polling_of(c)->list.ptr[place];
	*ret_source = p->source;
	*ret_said = hash == p->body ? p->said : 0;
	p->body = hash;
	return 0;
}

static void replace(char **text, slice value)
{
	free(*text);
	*text = value.len == 0 || value.len > VALIDATOR_MAX ? NULL : mem_strdup(value);
}

static bool is_text(const char *text, slice value)
{
	return text && value.ptr && slice_eq(slice_str(text), value);
}

/* Seconds since 1970 of a field of a response; 0: none. */
static int64_t date_of(const struct capture *c, const struct answer *a, slice name)
{
	int64_t seconds = 0;

	if (http_date_parse_seconds(
		    reading_field(a->reading, name), clock_realtime(c->clock), &seconds))
		return 0;
	return seconds;
}

/* A full download after a 304: is what the 304 said true? */
static void check(struct capture *c, struct polled *p, const struct answer *a, uint64_t said)
{
	struct host_rules *rules = &c->rules.list.ptr[a->request->host];
	slice etag = reading_field(a->reading, SLICE("etag"));
	slice modified = reading_field(a->reading, SLICE("last-modified"));
	int64_t date = date_of(c, a, SLICE("last-modified"));
	struct asserted_check found = {
		.differs = said != p->said,
		.same_validators =
			p->etag ? is_text(p->etag, etag) : is_text(p->modified, modified),
		.is_older = date && p->confirmed && date < p->confirmed,
	};

	if (!asserted_judge(&p->asserted, &found) || rules->lies)
		return;
	rules->lies = true;
	log_warn("watch",
		"%s: the server answered 304 although it has changed; its host is asked for full "
		"answers from now on",
		p->url);
}

/* A full response: what it said, and how to ask for it next time. */
static void keep(struct polled *p, const struct answer *a, uint64_t said)
{
	replace(&p->etag, reading_field(a->reading, SLICE("etag")));
	replace(&p->modified, reading_field(a->reading, SLICE("last-modified")));
	p->said = said;
	p->confirmed = 0;
}

static bool is_whole(const struct answer *a)
{
	const struct net_fetch *f = a->fetch;

	return f->status >= 200 && f->status < 300 && !f->truncated && a->result->whole;
}

/* Whether it may become a sitemap if it is none now: somebody says that it is one. */
static bool is_announced(const struct request *r)
{
	return r->is_feed || r->is_named || r->nesting > 0;
}

/* Learns from an answer; *ret_check: it is to be checked at once. */
static int take_answer(
	struct capture *c, struct polled *p, const struct answer *a, uint64_t said, bool *ret_check)
{
	const struct request *r = a->request;
	unsigned status = a->fetch->status;
	bool is_assertion = status == 304 && r->conditional;

	if (is_assertion) {
		*ret_check = asserted_came(&p->asserted, rng_double(&c->rng));
		p->confirmed = date_of(c, a, SLICE("date"));
	} else if (said && r->checks) {
		check(c, p, a, said);
	}
	if (!r->checks) {
		p->polls += status > 0;
		/* The interval until the next request. */
		if (p->interval > 0)
			p->interval *= (said && p->said && said != p->said) ? NEWS : NO_NEWS;
		p->interval = fmax(fmin(p->interval, INTERVAL_MAX), least(c));
	}
	if (said)
		keep(p, a, said);
	return 0;
}

int polling_answered(struct capture *c, const struct answer *a, uint64_t said, struct err *err)
{
	const struct request *r = a->request;
	unsigned status = a->fetch->status;
	bool is_redirect = status >= 300 && status < 400 && status != 304;
	bool wants_check = false;
	uint32_t place = POLL_NONE;

	if (!c->looking)
		return 0;
	if (!strmap_get(&polling_of(c)->numbers, slice_str(r->url), &place) && !is_redirect &&
		is_announced(r))
		TRY(err_code(err, find_place(c, r, &place)));
	if (place == POLL_NONE)
		return 0;
	TRY(err_code(err, take_answer(c, &polling_of(c)->list.ptr[place], a, is_whole(a) ? said : 0,
				  &wants_check)));
	store(c, place);
	if ((polling_of(c)->list.ptr[place].said == 0 && !is_announced(r)))
		return 0;
	return wants_check ? ask(c, place, true, err) : schedule_next(c, place, err);
}

int polling_dropped(struct capture *c, const struct request *r, struct err *err)
{
	return c->looking && r->polled ? schedule_next(c, r->polled - 1, err) : 0;
}

/* ---- what 304 is worth ---- */

/* Of answers that are checked in the long run. */
static const double CHECKED_SHARE = 0.1;

bool asserted_came(struct asserted *a, double chance)
{
	a->answers++;
	return a->doubted || chance * (1 + (double)a->checked) < 1 || chance < CHECKED_SHARE;
}

bool asserted_judge(struct asserted *a, const struct asserted_check *check)
{
	bool is_lie = check->differs && (check->same_validators || check->is_older || a->doubted);

	a->checked++;
	a->lies += is_lie;
	a->doubted = check->differs && !is_lie;
	return is_lie;
}
