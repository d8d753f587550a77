#include "crawl/sessions.h"

#include "crawl/capture.h"

enum {
	PLACES_MAX = 4096, /* hosts and directories of which something is known */
	NAME_MAX = 2048,
	NEEDED = 2,        /* pages that speak for others */
	SEED_COUNTS = 2,   /* as so many pages */
	TRIED_MAX = 32,    /* pages of a host that were not better with cookies */
	REDIRECTS_MAX = 4, /* the same, if there is one more that redirects */
	PROBES_MAX = 3,    /* pages of a host */
};

/* Of a probe: without cookies, then twice with them. */
enum step { STEP_NONE, STEP_WITHOUT, STEP_WITH, STEP_WITH_AGAIN };

void sessions_init(struct sessions *s)
{
	*s = (struct sessions){0};
	strmap_init(&s->numbers, hash_key_random(), NULL);
	buf_init(&s->name, NAME_MAX);
}

void sessions_release(struct sessions *s)
{
	strmap_release(&s->numbers);
	session_places_release(&s->places);
	buf_release(&s->name);
}

/* ---- places ---- */

/* The place of that name, which is added if it is new; NULL when there are too many. */
static struct session_place *place_named(struct sessions *s, slice name)
{
	uint32_t number;

	if (!strmap_get(&s->numbers, name, &number)) {
		number = (uint32_t)s->places.len;
		if (number >= PLACES_MAX || strmap_put(&s->numbers, name, number) ||
			session_places_push(&s->places, (struct session_place){0}))
			return NULL;
	}
	return number < s->places.len ? &s->places.ptr[number] : NULL;
}

/* The host of a URL, or its directory. */
static struct session_place *place_of(struct capture *c, slice text, bool is_host)
{
	struct sessions *s = &c->sessions;
	struct session_place *p = NULL;
	struct url url;
	int rc;

	url_init(&url);
	rc = url_parse(&url, text, NULL, NULL);
	buf_reset(&s->name);
	if (rc == 0)
		rc = buf_add(&s->name, url_part(&url, url.host));
	if (rc == 0 && !is_host) {
		slice path = url_part(&url, url.path);

		while (path.len > 0 && path.ptr[path.len - 1] != '/')
			path.len--;
		rc = buf_add(&s->name, path);
	}
	if (rc == 0)
		p = place_named(s, buf_slice(&s->name));
	url_release(&url);
	return p;
}

static bool is_needed_in(const struct session_place *p)
{
	return p && (p->varies || (p->needed >= NEEDED && p->fine == 0));
}

static void note_needed(struct capture *c, slice url, bool is_seed)
{
	for (int is_host = 0; is_host < 2; is_host++) {
		struct session_place *p = place_of(c, url, is_host);

		if (p)
			p->needed += is_seed ? SEED_COUNTS : 1;
	}
}

static void note_fine(struct capture *c, slice url)
{
	for (int is_host = 0; is_host < 2; is_host++) {
		struct session_place *p = place_of(c, url, is_host);

		if (p)
			p->fine++;
	}
}

/* ---- requests ---- */

/* Whether the user wants cookies to be sent wherever they are set. */
static bool is_asked_for(const struct capture *c)
{
	return c->headers.has_given || c->login.with;
}

static bool is_look(enum request_kind kind)
{
	return kind == REQUEST_PAGE || kind >= REQUEST_NOISE;
}

bool sessions_send(struct capture *c, const struct request *r, slice url)
{
	struct crawl_page *page;

	if (!request_headers_has_cookies(&c->headers) || r->kind == REQUEST_CLOAKING)
		return false;
	if (r->kind == REQUEST_LOGIN)
		return true;
	if (r->kind == REQUEST_SESSION)
		return c->sessions.step != STEP_WITHOUT;
	if (!is_look(r->kind))
		return is_asked_for(c) || is_needed_in(place_of(c, url, true)) ||
		       is_needed_in(place_of(c, url, false));
	page = &c->pages.list.ptr[r->order.page];
	if (r->kind == REQUEST_VARIANT)
		return !page->with_cookies;
	if (!page->with_cookies && !page->visited)
		page->with_cookies = is_asked_for(c) || is_needed_in(place_of(c, url, true)) ||
				     is_needed_in(place_of(c, url, false));
	return page->with_cookies;
}

bool sessions_keep(const struct request *r)
{
	return r->kind != REQUEST_VARIANT && r->kind != REQUEST_CLOAKING &&
	       r->kind != REQUEST_SESSION;
}

/* ---- pages that fail without ---- */

static bool is_redirect(unsigned status)
{
	return status >= 300 && status < 400 && status != 304;
}

static bool fails(const struct attempt *a)
{
	return (a->status >= 400 && a->status <= 403) || is_redirect(a->status) ||
	       (a->stand_in.ptr && !stand_in_is_shell(a->stand_in));
}

/* The page was asked for with cookies because it failed without. */
static void end_trial(struct capture *c, struct crawl_page *page, const struct attempt *a)
{
	struct session_place *host = place_of(c, a->url, true);

	page->tries_cookies = false;
	page->with_cookies = a->status >= 200 && a->status < 400 && !fails(a);
	if (!page->with_cookies)
		return;
	note_needed(c, a->url, page->is_seed);
	if (host)
		host->tried = 0;
}

/* Whether the jar has cookies for the URL. */
static bool has_cookies_for(struct capture *c, slice text)
{
	struct url url;
	bool has;

	url_init(&url);
	has = url_parse(&url, text, NULL, NULL) == 0 &&
	      request_headers_has_cookies_for(
		      &c->headers, &url, clock_realtime(c->clock) / CLOCK_NS_PER_SECOND);
	url_release(&url);
	return has;
}

/* Cookies are a reason to ask for the page again, which will be done. */
static bool may_try(struct capture *c, const struct crawl_page *page, const struct attempt *a)
{
	struct session_place *host;
	unsigned most;

	if (page->with_cookies || page->kind == LINK_FORM || is_asked_for(c) ||
		!request_headers_has_cookies(&c->headers) || c->stage.cancelled)
		return false;
	host = place_of(c, a->url, true);
	most = is_redirect(a->status) ? REDIRECTS_MAX : TRIED_MAX;
	if (!host || (host->tried >= most && host->needed == 0) || !has_cookies_for(c, a->url))
		return false;
	host->tried++;
	return true;
}

/* The response that was read last redirects to another page, which was visited. */
static bool leads_back(struct capture *c, slice text)
{
	slice location = reading_field(&c->lane->reading, SLICE("location"));
	struct url url, target;
	uint32_t number;
	bool leads;

	url_init(&url);
	url_init(&target);
	leads = url_parse(&url, text, NULL, NULL) == 0 &&
		url_parse(&target, location, &url, NULL) == 0 &&
		!slice_eq(url_page(&url), url_page(&target)) &&
		pages_find(&c->pages, url_page(&target), &number) &&
		c->pages.list.ptr[number].visited;
	url_release(&target);
	url_release(&url);
	return leads;
}

bool sessions_retry(struct capture *c, const struct plan_order *order, const struct attempt *a,
	bool is_as_before)
{
	struct crawl_page *page = &c->pages.list.ptr[order->page];

	if (page->tries_cookies) {
		end_trial(c, page, a);
		return false;
	}
	if (a->status == 0 || page->with_cookies)
		return false;
	if (!fails(a)) {
		if (a->status < 300 && has_cookies_for(c, a->url))
			note_fine(c, a->url);
		return false;
	}
	if (is_as_before || order->attempt > 1 || c->settings->attempts == 1 ||
		(is_redirect(a->status) && !leads_back(c, a->url)) || !may_try(c, page, a))
		return false;
	sessions_try(c, order->page);
	return true;
}

void sessions_try(struct capture *c, uint32_t page)
{
	struct crawl_page *p = &c->pages.list.ptr[page];

	p->tries_cookies = !p->with_cookies;
	p->with_cookies = true;
}

/* ---- pages that vary without ---- */

static int probe(struct capture *c, enum step step, struct err *err)
{
	struct sessions *s = &c->sessions;
	bool sent = false;
	int rc = probing_send_session(c, s->page, &sent, err);

	s->step = sent ? (uint8_t)step : STEP_NONE;
	return rc;
}

int sessions_visited(struct capture *c, const struct plan_order *order, const struct attempt *a,
	const struct net_fetch *f, struct err *err)
{
	struct sessions *s = &c->sessions;
	struct session_place *host;

	if (order->leg != PLAN_VISIT || c->looking || a->status != 200 || s->step ||
		!jar_is_set_in(f->head) || is_asked_for(c) ||
		c->pages.list.ptr[order->page].with_cookies || !has_cookies_for(c, a->url))
		return 0;
	host = place_of(c, a->url, true);
	if (!host || host->varies || host->probed >= PROBES_MAX)
		return 0;
	host->probed++;
	s->page = order->page;
	return probe(c, STEP_WITHOUT, err);
}

/* Pages of its host are asked for with cookies from now on, this one once more. */
static int note_varies(struct capture *c, slice url, struct err *err)
{
	unsigned attempts = c->settings->attempts ? c->settings->attempts : PLAN_ATTEMPTS;
	struct session_place *host = place_of(c, url, true);
	struct crawl_page *page = &c->pages.list.ptr[c->sessions.page];

	if (!host || c->stage.visits_ended)
		return 0;
	host->varies = true;
	page->with_cookies = true;
	return err_code(err, fetch_hold(c, &(struct request){.kind = REQUEST_AGAIN,
						   .host = page->host,
						   .order = {.page = c->sessions.page,
							   .leg = PLAN_VISIT,
							   .attempt = attempts + 1}}));
}

int sessions_before(struct capture *c, struct page_visit *ret, bool *ret_has, struct err *err)
{
	struct sessions *s = &c->sessions;

	*ret_has = s->step != STEP_WITHOUT || c->pages.list.ptr[s->page].visited;
	if (s->step != STEP_WITHOUT || !*ret_has) {
		*ret = s->before;
		return 0;
	}
	return pages_visit(&c->pages, s->page, ret, err);
}

int sessions_looked(struct capture *c, const struct attempt *a, const struct page_visit *as_visit,
	struct err *err)
{
	struct sessions *s = &c->sessions;
	enum step step = (enum step)s->step;
	bool same;
	int rc = 0;

	s->step = STEP_NONE;
	if (a->status != 200 || !a->has_payload || a->truncated)
		return 0;
	if (step == STEP_WITHOUT)
		rc = pages_visit(&c->pages, s->page, &s->before, err);
	if (rc)
		return rc;
	same = page_visit_is_same(&s->before, a);
	s->before = *as_visit;
	if (step == STEP_WITHOUT)
		return same ? 0 : probe(c, STEP_WITH, err);
	if (step == STEP_WITH)
		return probe(c, STEP_WITH_AGAIN, err);
	return same ? note_varies(c, a->url, err) : 0;
}

void sessions_dropped(struct capture *c)
{
	c->sessions.step = STEP_NONE;
}
