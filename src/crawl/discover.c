/*
 * A URL was found. Checks in this order whether it is known, in the scope, within the limits, and
 * allowed by robots.txt (for which it may have to wait). The catalog gets the answer in any case,
 * so that reports can explain every link of the site.
 */
#include <stdio.h>
#include <string.h>

#include "crawl/capture.h"
#include "crawl/names.h"
#include "extract/effect_links.h"
#include "extract/link_kind.h"
#include "extract/page.h"
#include "extract/resolve.h"
#include "net/port.h"

enum {
	REDIRECTS_MAX = 20,
	LENGTH_MAX = 16 << 10, /* of a URL that was found: twice what most servers take */
	WHY_SIZE = 400,        /* of a reason to refuse a page */
};

/* Rules that refuse a page begin with this. */
#define OUT "out: "

struct decision {
	enum left_out left_out;
	struct trap_decision traps;
	unsigned hops_out;
	slice rule;
};

static uint32_t depth_of(const struct capture *c, const struct found *f)
{
	const struct crawl_page *via;

	if (f->via == CATALOG_NO_PAGE)
		return 0;
	via = &c->pages.list.ptr[f->via];
	return via->depth + (f->is_redirect || page_kind_is_requisite(f->kind) ? 0 : 1);
}

static uint8_t redirects_of(const struct capture *c, const struct found *f)
{
	return f->is_redirect ? (uint8_t)(c->pages.list.ptr[f->via].redirects + 1) : 0;
}

/* The capture's own limits. */
static enum left_out limit_of(const struct capture *c, const struct found *f)
{
	const struct crawl_settings *s = c->settings;

	/* Queries of forms have a budget of their own. */
	if (!c->importance.gates && f->kind != LINK_FORM &&
		!pages_have_room(&c->pages, f->kind, c->forms.queries, s->max_pages))
		return LEFT_OUT_MAX_PAGES;
	if (depth_of(c, f) > s->max_depth)
		return LEFT_OUT_MAX_DEPTH;
	if (redirects_of(c, f) > REDIRECTS_MAX)
		return LEFT_OUT_REDIRECTS;
	return LEFT_OUT_NOT;
}

static const char *limit_rule(enum left_out limit)
{
	switch (limit) {
	case LEFT_OUT_MAX_PAGES:
		return OUT "--max-pages";
	case LEFT_OUT_MAX_DEPTH:
		return OUT "--max-depth";
	default:
		return OUT "more than 20 redirects in a row";
	}
}

static struct scope_link link_of(const struct capture *c, const struct found *f)
{
	return (struct scope_link){
		.requisite = page_kind_is_requisite(f->kind),
		.hops_out = f->via == CATALOG_NO_PAGE ? 0 : c->pages.list.ptr[f->via].hops_out,
		.redirect = f->is_redirect,
	};
}

/*
 * What following it would do. Seeds and what --include names are the user's wish, and requisites
 * load by themselves.
 */
static enum effect effect_of(const struct capture *c, const struct found *f)
{
	bool is_wanted = (f->is_seed && !f->is_redirect) || scope_names(&c->scope, f->url);

	return is_wanted || page_kind_is_requisite(f->kind) ? EFFECT_NONE : effect_of_link(f->url);
}

/* Decides whether a URL is taken; text gets the rule. */
static int decide_all(
	struct capture *c, const struct found *f, struct buf *text, struct decision *ret)
{
	struct trap_decision traps = {.reason = LEFT_OUT_NOT};
	struct scope_decision d = scope_decide(&c->scope, f->url, link_of(c, f));
	const struct address_range *range = d.in ? names_forbids(c, f->url) : NULL;
	unsigned port = (unsigned)url_effective_port(f->url);
	enum left_out limit = d.in ? limit_of(c, f) : LEFT_OUT_SCOPE;
	enum effect effect = effect_of(c, f);
	int rc;

	if (d.in && !limit && (range || port_is_refused(port)))
		limit = LEFT_OUT_ADDRESS;
	if (!limit && effect)
		limit = LEFT_OUT_EFFECT;
	rc = limit ? 0 : traps_decide(c, f, &traps);
	buf_reset(text);
	if (rc)
		return rc;
	if (limit == LEFT_OUT_ADDRESS && range)
		rc = buf_printf(text, OUT "address guard: %s", range->text);
	else if (limit == LEFT_OUT_ADDRESS)
		rc = buf_printf(text, OUT "address guard: port %u", port);
	else if (limit == LEFT_OUT_EFFECT)
		rc = buf_printf(text, OUT "a link that does something: %s", effect_name(effect));
	else if (traps.reason)
		rc = traps_explain(text, &traps);
	else
		rc = d.in && limit ? buf_add_str(text, limit_rule(limit)) : scope_explain(text, &d);
	*ret = (struct decision){.left_out = limit ? limit : traps.reason,
		.traps = traps,
		.hops_out = d.hops_out,
		.rule = buf_slice(text)};
	return rc;
}

/* The same, and whether it repeats another one. */
static int decide(struct capture *c, const struct found *f, struct buf *text, struct decision *ret)
{
	struct err err = {0};
	bool is_saved = false;
	int rc = decide_all(c, f, text, ret);

	if (rc || ret->left_out)
		return rc;
	rc = dust_decide(c, f, &c->lane->dust.rule, &is_saved, &err);
	if (rc || !is_saved)
		return rc;
	ret->left_out = LEFT_OUT_DUST;
	ret->rule = buf_slice(&c->lane->dust.rule);
	return 0;
}

/* What the user says of the page; else what the archive and the sitemap know. */
static int find_prior(const struct capture *c, const struct found *f, struct page_prior *ret)
{
	struct rates_page page = {.url = url_page(f->url),
		.word = f->word,
		.lastmod = f->lastmod,
		.read = clock_realtime(c->clock)};
	struct rates_value given;
	struct rate_gamma g;
	int rc;

	if (rates_find(c->rates, page.url, &given)) {
		*ret = (struct page_prior){{given.rate, given.shape}, given.weight};
		return 0;
	}
	rc = known_rates_find(c->known, &page, &g);
	if (rc == 0)
		*ret = (struct page_prior){survival_gamma(g.shape, g.time), 1};
	return rc;
}

static int record(struct capture *c, const struct found *f, uint32_t number,
	const struct decision *d, const struct page_prior *prior, enum catalog_row_kind kind,
	struct err *err)
{
	const struct crawl_page *p = &c->pages.list.ptr[number];
	struct catalog_page row = {
		.number = number,
		.url = url_page(f->url),
		.kind = slice_str(link_kind_name((enum link_kind)p->kind)),
		.via = p->via,
		.found = slice_str(f->how),
		.depth = p->depth,
		.hops_out = p->hops_out,
		.taken = d->left_out == LEFT_OUT_NOT,
		.left_out = d->left_out,
		.rule = d->rule,
		.rate = prior->survival.rate,
		.shape = prior->survival.shape,
		.weight = prior->weight,
		.lastmod = f->lastmod,
		.frequency = f->word,
	};

	return capture_store(c, &(struct catalog_row){kind, .page = &row}, err);
}

static int refuse(struct capture *c, uint32_t page, slice url, const char *rule, struct err *err)
{
	struct crawl_page *p = &c->pages.list.ptr[page];
	bool by_rule = c->rules.list.ptr[p->host].policy == ROBOTS_PARSE;

	if (c->looking && p->planned)
		looking_withdraw(c, page);
	importance_forget(c, page);
	p->taken = false;
	p->left_out = LEFT_OUT_ROBOTS;
	pages_count(&c->pages, p->kind, -1);
	capture_problem(c, url, rule + strlen(OUT),
		by_rule ? "it forbids this page; only the site's owner can allow it"
			: CAPTURE_RETRY_ADVICE);
	return capture_store(c,
		&(struct catalog_row){
			CATALOG_ROW_REFUSE_PAGE, .page = &(struct catalog_page){.number = page,
							 .left_out = LEFT_OUT_ROBOTS,
							 .rule = slice_str(rule)}},
		err);
}

/* robots.txt is known: why it forbids the page, without OUT; "" if it allows it. */
static int ask_rules(
	struct capture *c, uint32_t host, slice url, char out[WHY_SIZE], struct err *err)
{
	const struct host_rules *rules = &c->rules.list.ptr[host];
	struct robots_decision d = {.allowed = true};
	int rc = 0;

	out[0] = '\0';
	if (!c->settings->ignore_robots)
		rc = rules_decide(&c->rules, host, robots_url_path(url), &d, err);
	if (rc || d.allowed)
		return rc;
	if (rules->policy != ROBOTS_PARSE)
		(void)snprintf(out, WHY_SIZE, "robots.txt could not be read: %s",
			rules->why ? rules->why : "");
	else if (d.exhausted)
		(void)snprintf(out, WHY_SIZE,
			"robots.txt has rules that take too long to compare with this URL");
	else
		(void)snprintf(out, WHY_SIZE, "robots.txt, line %u", d.line);
	return 0;
}

/* The URL that is on the wire: of a form's POST it is another than the page's. */
static slice asked_url(const struct capture *c, uint32_t page, slice url)
{
	slice target, post;

	return pages_is_post(&c->pages, page, url, &target, &post) ? target : url;
}

/* The host's robots.txt is known: the planner gets the page, or it is refused. */
static int settle(struct capture *c, uint32_t page, struct err *err)
{
	uint32_t host = c->pages.list.ptr[page].host;
	char why[WHY_SIZE], rule[WHY_SIZE + sizeof OUT];
	struct buf url;
	int rc;

	if (c->rules.list.ptr[host].policy == ROBOTS_ALLOW_ALL)
		return importance_admit(c, page, err);
	buf_init(&url, URL_MAX);
	rc = pages_url(&c->pages, page, &url, err);
	if (rc == 0)
		rc = ask_rules(c, host, asked_url(c, page, buf_slice(&url)), why, err);
	if (rc == 0 && !why[0]) {
		rc = importance_admit(c, page, err);
	} else if (rc == 0) {
		(void)snprintf(rule, sizeof rule, "%s%s", OUT, why);
		rc = refuse(c, page, buf_slice(&url), rule, err);
	}
	buf_release(&url);
	return rc;
}

/*
 * A page that was allowed is forbidden from now on, visited or not. The planner still has it;
 * orders for it are not carried out.
 */
static int exclude(struct capture *c, uint32_t page, slice url, const char *why, struct err *err)
{
	char date[CLOCK_TEXT_SIZE], rule[WHY_SIZE + 80];

	clock_format(clock_realtime(c->clock), CLOCK_ROUND_DOWN, date);
	(void)snprintf(rule, sizeof rule, "%srobots.txt changed at %s: %s", OUT, date, why);
	return refuse(c, page, url, rule, err);
}

/* A page that was forbidden and that the planner does not have is allowed now. */
static int admit_again(struct capture *c, uint32_t page, struct err *err)
{
	char date[CLOCK_TEXT_SIZE], rule[80];
	int rc;

	clock_format(clock_realtime(c->clock), CLOCK_ROUND_DOWN, date);
	(void)snprintf(rule, sizeof rule, "in: robots.txt allows it since %s", date);
	c->pages.list.ptr[page].taken = true;
	c->pages.list.ptr[page].left_out = LEFT_OUT_NOT;
	pages_count(&c->pages, c->pages.list.ptr[page].kind, 1);
	rc = capture_store(c,
		&(struct catalog_row){CATALOG_ROW_ADMIT_PAGE,
			.page = &(struct catalog_page){.number = page, .rule = slice_str(rule)}},
		err);
	return rc ? rc : importance_admit(c, page, err);
}

/* The planner still has it; its revisit is not carried out. */
int discover_skip_spam(struct capture *c, uint32_t page, double score, struct err *err)
{
	struct crawl_page *p = &c->pages.list.ptr[page];
	char rule[WHY_SIZE];

	if (!p->taken)
		return 0;
	(void)snprintf(rule, sizeof rule, OUT "spam: score %.2f (--spam skip)", score);
	p->taken = false;
	p->left_out = LEFT_OUT_SPAM;
	pages_count(&c->pages, p->kind, -1);
	return capture_store(c,
		&(struct catalog_row){
			CATALOG_ROW_REFUSE_PAGE, .page = &(struct catalog_page){.number = page,
							 .left_out = LEFT_OUT_SPAM,
							 .rule = slice_str(rule)}},
		err);
}

static int review(struct capture *c, uint32_t page, struct buf *url, struct err *err)
{
	const struct crawl_page *p = &c->pages.list.ptr[page];
	char why[WHY_SIZE];
	int rc = pages_url(&c->pages, page, url, err);

	if (rc == 0)
		rc = ask_rules(c, p->host, asked_url(c, page, buf_slice(url)), why, err);
	if (rc)
		return rc;
	if (p->taken && why[0])
		return exclude(c, page, buf_slice(url), why, err);
	if (!p->taken && !p->planned && p->left_out == LEFT_OUT_ROBOTS && !why[0])
		return admit_again(c, page, err);
	return 0;
}

int discover_review(struct capture *c, uint32_t host, struct err *err)
{
	struct buf url;
	int rc = 0;

	buf_init(&url, URL_MAX);
	for (uint32_t i = 0; rc == 0 && i < c->pages.list.len; i++)
		if (crawl_page_has_host(&c->pages.list.ptr[i]) &&
			c->pages.list.ptr[i].host == host) {
			rc = lane_check_stop(c->lane, err);
			if (rc == 0)
				rc = review(c, i, &url, err);
		}
	buf_release(&url);
	return rc;
}

int discover_admit(struct capture *c, uint32_t page, struct err *err)
{
	uint32_t host = c->pages.list.ptr[page].host;
	enum host_robots robots = hosts_at(&c->hosts, host)->robots;
	int rc;

	if (robots == HOST_ROBOTS_KNOWN)
		return settle(c, page, err);
	rc = hosts_pend(&c->hosts, host, page);
	if (rc)
		return err_code(err, rc);
	return robots == HOST_ROBOTS_UNKNOWN ? robots_fetch(c, host, false, err) : 0;
}

int discover_pending(struct capture *c, uint32_t host, struct err *err)
{
	uint32_t page;
	int rc = 0;

	while (rc == 0 && hosts_take_pending(&c->hosts, host, &page)) {
		rc = lane_check_stop(c->lane, err);
		if (rc == 0)
			rc = settle(c, page, err);
	}
	return rc;
}

/* The page as this link describes it. */
static int describe(
	struct capture *c, const struct found *f, const struct decision *d, struct crawl_page *ret)
{
	*ret = (struct crawl_page){
		.via = f->via,
		.depth = depth_of(c, f),
		.kind = f->kind & PAGE_FOUR_BITS,
		.is_seed = f->is_seed,
		.is_told = f->is_told,
		.redirects = redirects_of(c, f) & PAGE_SIX_BITS,
		.hops_out = (uint8_t)(d->hops_out < UINT8_MAX ? d->hops_out : UINT8_MAX),
		.taken = d->left_out == LEFT_OUT_NOT,
		.left_out = d->left_out & PAGE_FIVE_BITS,
	};
	return ret->taken ? capture_find_host(c, f->url, &ret->host) : 0;
}

int discover_record_unkept(struct capture *c, struct err *err)
{
	int rc = 0;

	if (!c->unkept.changed)
		return 0;
	c->unkept.changed = false;
	for (int i = 0; rc == 0 && i < LEFT_OUT_COUNT; i++)
		if (c->unkept.links[i])
			rc = capture_store(c,
				&(struct catalog_row){CATALOG_ROW_UNKEPT,
					.unkept = &(struct catalog_unkept){(enum left_out)i,
						c->unkept.links[i]}},
				err);
	return rc;
}

/* Tells the budgets about a page, unless a limit refused it before they were asked. */
static int settle_traps(struct capture *c, uint32_t page, const struct decision *d, struct err *err)
{
	int rc = 0;

	if (d->left_out == d->traps.reason)
		rc = traps_note_decision(c, page, &d->traps);
	return err_code(err, rc);
}

static int add_page(struct capture *c, const struct found *f, struct buf *text, struct err *err)
{
	struct page_prior prior;
	struct crawl_page page;
	struct decision d;
	uint32_t number;
	int rc = decide(c, f, text, &d);

	if (rc == 0 && d.left_out && f->is_told) /* a link may lead to it yet */
		return 0;
	if (rc == 0 && d.left_out == LEFT_OUT_SCOPE &&
		!unkept_keeps_outside(&c->unkept, c->settings->max_outside))
		return 0;
	if (rc == 0)
		rc = describe(c, f, &d, &page);
	if (rc == 0)
		rc = find_prior(c, f, &prior);
	if (rc == 0)
		rc = pages_add(&c->pages, url_page(f->url), &prior, &page, &number, err);
	if (rc)
		return err_code(err, rc);
	rc = record(c, f, number, &d, &prior, CATALOG_ROW_ADD_PAGE, err);
	if (rc == 0)
		rc = importance_known(c, number, f, err);
	if (rc == 0)
		rc = settle_traps(c, number, &d, err);
	if (rc == 0)
		rc = dust_note(c, number, f->url, err);
	if (rc == 0)
		rc = mirrors_known(c, number, f->url, err);
	if (rc == 0)
		rc = form_queries_found(c, number, err);
	return rc || d.left_out ? rc : discover_admit(c, number, err);
}

/* It was put off by its budgets, and this link is exempt from them. */
static bool is_redeemed(struct capture *c, const struct crawl_page *p, const struct found *f)
{
	return left_out_is_trap((enum left_out)p->left_out) && traps_is_exempt(c, f);
}

/* A requisite outside the scope is found with fewer hops than before. */
static bool is_nearer(const struct capture *c, const struct crawl_page *p, const struct found *f)
{
	return page_kind_is_requisite(f->kind) && scope_link_hops(link_of(c, f)) < p->hops_out;
}

/* Whether this link may admit a page that was refused before. */
static bool is_better(struct capture *c, const struct crawl_page *p, const struct found *f)
{
	/* No link changes what robots.txt refuses. */
	return p->left_out != LEFT_OUT_NOT && p->left_out != LEFT_OUT_ROBOTS &&
	       p->left_out != LEFT_OUT_SPAM &&
	       (depth_of(c, f) < p->depth || is_redeemed(c, p, f) || is_nearer(c, p, f) ||
		       (page_kind_is_requisite(f->kind) && !page_kind_is_requisite(p->kind)));
}

/* Takes a page that was refused before. */
static int take_in(struct capture *c, uint32_t number, const struct found *f,
	const struct decision *d, struct err *err)
{
	struct crawl_page *known = &c->pages.list.ptr[number];
	struct page_prior prior;
	struct crawl_page page;
	int rc = describe(c, f, d, &page);

	if (rc)
		return err_code(err, rc);
	rc = pages_prior(&c->pages, number, &prior, err); /* as the catalog has it */
	if (rc)
		return rc;
	page.record = known->record;
	c->unkept.outside -= known->left_out == LEFT_OUT_SCOPE;
	*known = page;
	pages_count(&c->pages, page.kind, 1);
	rc = record(c, f, number, d, &prior, CATALOG_ROW_TAKE_PAGE, err);
	if (rc == 0)
		rc = settle_traps(c, number, d, err);
	if (rc == 0)
		rc = dust_note(c, number, f->url, err);
	return rc ? rc : discover_admit(c, number, err);
}

/*
 * A requisite that waits to be visited is found with fewer hops: more of its own requisites can be
 * taken then. Nothing else changes for it.
 */
static int bring_nearer(struct capture *c, uint32_t number, const struct found *f, struct buf *text,
	struct err *err)
{
	struct scope_decision scope = scope_decide(&c->scope, f->url, link_of(c, f));
	struct crawl_page *p = &c->pages.list.ptr[number];
	struct page_prior prior;
	struct decision d = {.left_out = LEFT_OUT_NOT, .hops_out = scope.hops_out};
	int rc;

	if (!scope.in)
		return 0;
	buf_reset(text);
	rc = scope_explain(text, &scope);
	if (rc)
		return err_code(err, rc);
	d.rule = buf_slice(text);
	p->via = f->via;
	pages_count(&c->pages, p->kind, -1);
	p->kind = f->kind & PAGE_FOUR_BITS;
	pages_count(&c->pages, p->kind, 1);
	p->depth = depth_of(c, f) < p->depth ? depth_of(c, f) : p->depth;
	p->redirects = redirects_of(c, f) & PAGE_SIX_BITS;
	p->hops_out = (uint8_t)d.hops_out;
	rc = pages_prior(&c->pages, number, &prior, err);
	return rc ? rc : record(c, f, number, &d, &prior, CATALOG_ROW_TAKE_PAGE, err);
}

/* A sitemap names a page that is known: for the rates of later captures. */
static int note_sitemap(struct capture *c, uint32_t number, const struct found *f, struct err *err)
{
	struct catalog_page row = {.number = number, .lastmod = f->lastmod, .frequency = f->word};

	if ((f->word == FREQUENCY_NONE && f->lastmod == 0) ||
		(c->looking && looking_knows(c, number, f->lastmod)))
		return 0;
	return capture_store(c, &(struct catalog_row){CATALOG_ROW_LIST_PAGE, .page = &row}, err);
}

static int reconsider(struct capture *c, uint32_t number, const struct found *f, struct buf *text,
	struct err *err)
{
	const struct crawl_page *p = &c->pages.list.ptr[number];
	struct decision d;
	int rc = note_sitemap(c, number, f, err);

	if (rc == 0)
		rc = importance_known(c, number, f, err);
	if (rc)
		return rc;
	if (p->taken && !p->visited && is_nearer(c, p, f))
		return bring_nearer(c, number, f, text, err);
	if (!is_better(c, p, f))
		return 0;
	rc = decide(c, f, text, &d);
	if (rc)
		return err_code(err, rc);
	return d.left_out ? 0 : take_in(c, number, f, &d, err);
}

/* How a page was found, as far as that is still known. */
static const char *how_again(const struct crawl_page *p)
{
	if (p->redirects)
		return p->is_seed ? "seed redirect" : "redirect";
	if (p->via != CATALOG_NO_PAGE)
		return "link";
	return p->is_seed ? "seed" : "sitemap";
}

/* Budgets grow, and operators change limits and scope. */
static bool may_reconsider(enum left_out reason)
{
	return left_out_is_trap(reason) || reason == LEFT_OUT_MAX_PAGES ||
	       reason == LEFT_OUT_MAX_DEPTH || reason == LEFT_OUT_SCOPE;
}

int discover_again(struct capture *c, uint32_t page, struct err *err)
{
	const struct crawl_page *p = &c->pages.list.ptr[page];
	struct found found = {
		.how = how_again(p),
		.via = p->via,
		.kind = p->kind,
		.is_redirect = p->redirects > 0,
		.is_seed = p->is_seed,
	};
	struct decision d;
	struct buf text;
	struct url url;
	int rc;

	/* Another link may have taken it in since; robots.txt and what a link does stay. */
	if (!may_reconsider((enum left_out)p->left_out))
		return 0;
	rc = lane_check_stop(c->lane, err);
	if (rc)
		return rc;
	url_init(&url);
	buf_init(&text, URL_MAX + 1024);
	found.url = &url;
	rc = pages_url(&c->pages, page, &text, err);
	if (rc == 0)
		rc = url_parse(&url, buf_slice(&text), NULL, err);
	if (rc == 0)
		rc = err_code(err, decide(c, &found, &text, &d));
	if (rc == 0) /* the link is the same, so it may be put off again */
		rc = d.left_out ? settle_traps(c, page, &d, err)
				: take_in(c, page, &found, &d, err);
	buf_release(&text);
	url_release(&url);
	return rc;
}

/* The sitemaps of a seed's host, and of the host it redirects to, are wanted. */
static int want_sitemaps(struct capture *c, const struct found *f, struct err *err)
{
	const struct crawl_page *p;
	uint32_t number;

	if (!pages_find(&c->pages, url_page(f->url), &number))
		return 0;
	p = &c->pages.list.ptr[number];
	if (!p->taken)
		return 0;
	c->rules.list.ptr[p->host].has_seed = true;
	c->rules.list.ptr[p->host].wants_sitemaps = true;
	return hosts_at(&c->hosts, p->host)->robots == HOST_ROBOTS_KNOWN
		       ? sitemaps_request(c, p->host, err)
		       : 0;
}

int discover(struct capture *c, const struct found *f, struct err *err)
{
	struct buf text;
	uint32_t number;
	int rc;

	if (!url_is_http(f->url))
		return 0;
	rc = lane_check_stop(c->lane, err);
	if (rc)
		return rc;
	/* A small page could contain gigabytes of URLs. Seeds are always taken. */
	if (url_page(f->url).len > LENGTH_MAX && (!f->is_seed || f->via != CATALOG_NO_PAGE)) {
		unkept_add(&c->unkept, LEFT_OUT_LENGTH, 1);
		return 0;
	}
	buf_init(&text, URL_MAX + 1024);
	if (pages_find(&c->pages, url_page(f->url), &number))
		rc = reconsider(c, number, f, &text, err);
	else
		rc = add_page(c, f, &text, err);
	buf_release(&text);
	if (rc == 0 && c->looking && f->source && pages_find(&c->pages, url_page(f->url), &number))
		rc = looking_listed(c, number, f, err);
	return rc == 0 && f->is_seed ? want_sitemaps(c, f, err) : rc;
}

/*
 * Browsers show a document in a frame, but not one that comes in place of an image or a script.
 * Outside the scope, what such a document embeds is not needed.
 */
static bool is_shown(const struct capture *c, uint32_t page)
{
	const struct crawl_page *p = &c->pages.list.ptr[page];

	return p->hops_out == 0 || p->kind == LINK_FRAME || p->kind == LINK_MEDIA ||
	       !reading_is_html(&c->lane->reading);
}

static int record_requisite(struct capture *c, uint32_t page, uint32_t requisite, struct err *err)
{
	bool is_planned = requisite != CATALOG_NO_PAGE && !c->looking &&
			  !pages_are_told(&c->pages, page, requisite);
	int rc = is_planned ? plan_group(c->plan, page, &requisite, 1) : 0;

	if (rc)
		return err_code(err, rc);
	return capture_store(c,
		&(struct catalog_row){CATALOG_ROW_REQUISITE,
			.requisite = &(struct catalog_requisite){page, requisite}},
		err);
}

/*
 * What was found is part of the page, now that it has a number. One that was not kept has none: the
 * page is not complete without it.
 */
int discover_requisite(struct capture *c, uint32_t page, const struct found *f, struct err *err)
{
	uint32_t number = CATALOG_NO_PAGE;

	if (!page_kind_is_requisite(f->kind) || !url_is_http(f->url))
		return 0;
	(void)pages_find(&c->pages, url_page(f->url), &number);
	return number == page ? 0 : record_requisite(c, page, number, err);
}

/* What stands in the page for a link, if its text was read. */
static slice link_text(const struct capture *c, const struct resolved_link *link)
{
	return slice_sub(buf_slice(&c->lane->reading.text.text), link->text_at, link->text_to);
}

static int discover_link(struct capture *c, uint32_t page, const struct resolved_link *link,
	bool shown, struct err *err)
{
	struct found found = {
		.url = link->parsed,
		.how = "link",
		.via = page,
		.kind = (uint8_t)(shown ? link->kind : LINK_OTHER),
	};
	int rc;

	if (link->kind == LINK_FORM) /* without values they are never sent: form_queries.h */
		return 0;
	rc = discover(c, &found, err);
	if (rc == 0 && link->is_feed && c->looking)
		rc = sitemaps_feed(c, link->url, err);
	if (rc == 0 && link->kind == LINK_PAGE)
		rc = page_links_add(c, link->url, err);
	if (rc == 0 && link->kind == LINK_PAGE && c->steering.on)
		rc = steering_link(c, page, link->url, link_text(c, link), err);
	return rc ? rc : discover_requisite(c, page, &found, err);
}

int discover_links(struct capture *c, uint32_t page, const struct url *document, struct err *err)
{
	struct resolver *resolver = &c->lane->reading.resolver;
	struct resolved_link link;
	bool shown = is_shown(c, page);
	int rc = resolver_start(resolver, &c->lane->reading.links, document);

	page_links_start(c);
	while (rc == 0 && (rc = resolver_next(resolver, &link)) == 0)
		rc = discover_link(c, page, &link, shown, err);
	if (rc != ERR_END)
		return err_code(err, rc);
	rc = 0;
	if (resolver->left_out || c->lane->reading.links.cut)
		rc = record_requisite(c, page, CATALOG_NO_PAGE, err);
	unkept_add(&c->unkept, LEFT_OUT_LENGTH, resolver->left_out);
	if (rc == 0)
		rc = page_links_store(c, page, err);
	return rc ? rc : discover_record_unkept(c, err);
}
