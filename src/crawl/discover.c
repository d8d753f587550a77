#include "crawl/discover.h"

#include <stdio.h>
#include <string.h>

#include "crawl/capture.h"
#include "crawl/lane.h"
#include "formats/effect_links.h"
#include "formats/links.h"
#include "formats/page.h"
#include "formats/resolve.h"
#include "formats/view_links.h"
#include "net/address.h"

/* ---- links that are only counted ---- */

void unkept_add(struct unkept *u, enum left_out reason, uint64_t links)
{
	u->links[reason] += links;
	u->changed = u->changed || links > 0;
}

bool unkept_keeps_outside(struct unkept *u, size_t max_outside)
{
	if (u->outside < max_outside) {
		u->outside++;
		return true;
	}
	unkept_add(u, LEFT_OUT_SCOPE, 1);
	return false;
}

/* ---- discovering ---- */

/*
 * A URL was found. Checks in this order whether it is known, in the scope, within the limits, and
 * allowed by robots.txt (for which it may have to wait). The catalog gets the answer in any case,
 * so that reports can explain every link of the site.
 */

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
	struct view_decision view;
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
	struct view_decision view = {.kind = VIEW_NONE};
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
	rc = limit ? 0 : views_decide(c, f, &view);
	if (view.waits)
		limit = LEFT_OUT_VIEW;
	if (rc == 0 && !limit)
		rc = traps_decide(c, f, &traps);
	buf_reset(text);
	if (rc)
		return rc;
	if (limit == LEFT_OUT_ADDRESS && range)
		rc = buf_printf(text, OUT "address guard: %s", range->text);
	else if (limit == LEFT_OUT_ADDRESS)
		rc = buf_printf(text, OUT "address guard: port %u", port);
	else if (limit == LEFT_OUT_EFFECT)
		rc = buf_printf(text, OUT "a link that does something: %s", effect_name(effect));
	else if (limit == LEFT_OUT_VIEW)
		rc = views_explain(text, &view);
	else if (traps.reason)
		rc = traps_explain(text, &traps);
	else
		rc = d.in && limit ? buf_add_str(text, limit_rule(limit)) : scope_explain(text, &d);
	*ret = (struct decision){.left_out = limit ? limit : traps.reason,
		.traps = traps,
		.view = view,
		.hops_out = d.hops_out,
		.rule = buf_slice(text)};
	return rc;
}

/* The same, and whether it repeats another one. */
static int decide(struct capture *c, const struct found *f, struct buf *text, struct decision *ret)
{
	struct err err = {0};
	bool is_saved = false;

	TRY(decide_all(c, f, text, ret));
	if (ret->left_out)
		return 0;
	TRY(dust_decide(c, f, &c->lane->dust.rule, &is_saved, &err));
	if (!is_saved)
		return 0;
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

	if (rates_find(c->rates, page.url, &given)) {
		*ret = (struct page_prior){{given.rate, given.shape}, given.weight};
		return 0;
	}
	TRY(known_rates_find(c->known, &page, &g));
	*ret = (struct page_prior){survival_gamma(g.shape, g.time), 1};
	return 0;
}

static void record(struct capture *c, const struct found *f, uint32_t number,
	const struct decision *d, const struct page_prior *prior, enum catalog_row_kind kind)
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

	capture_store(c, &(struct catalog_row){kind, .page = &row});
}

static void refuse(struct capture *c, uint32_t page, slice url, const char *rule)
{
	struct crawl_page *p = &c->pages.list.ptr[page];
	bool by_rule = c->rules.list.ptr[p->host].policy == ROBOTS_PARSE;

	if (c->scheduler->refused && p->planned)
		c->scheduler->refused(c, page);
	importance_forget(c, page);
	p->taken = false;
	p->left_out = by_rule ? LEFT_OUT_ROBOTS : LEFT_OUT_UNREACHABLE;
	pages_count(&c->pages, p->kind, -1);
	capture_problem(c, url, rule + strlen(OUT),
		by_rule ? "it forbids this page; only the site's owner can allow it"
			: CAPTURE_RETRY_ADVICE);
	capture_store(c, &(struct catalog_row){CATALOG_ROW_REFUSE_PAGE,
				 .page = &(struct catalog_page){.number = page,
					 .left_out = (enum left_out)p->left_out,
					 .rule = slice_str(rule)}});
}

/* robots.txt is known: why it forbids the page, without OUT; "" if it allows it. */
static int ask_rules(
	struct capture *c, uint32_t host, slice url, char out[WHY_SIZE], struct err *err)
{
	const struct host_rules *rules = &c->rules.list.ptr[host];
	struct robots_decision d = {.allowed = true};

	out[0] = '\0';
	if (!c->settings->ignore_robots)
		TRY(rules_decide(&c->rules, host, robots_url_path(url), &d, err));
	if (d.allowed)
		return 0;
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
	BUF_SCOPED(url, URL_MAX);

	if (c->rules.list.ptr[host].policy == ROBOTS_ALLOW_ALL)
		return importance_admit(c, page, err);
	TRY(pages_url(&c->pages, page, &url, err));
	TRY(ask_rules(c, host, asked_url(c, page, buf_slice(&url)), why, err));
	if (!why[0]) {
		TRY(importance_admit(c, page, err));
	} else {
		(void)snprintf(rule, sizeof rule, "%s%s", OUT, why);
		refuse(c, page, buf_slice(&url), rule);
	}
	return 0;
}

/*
 * A page that was allowed is forbidden from now on, visited or not. The planner still has it;
 * orders for it are not carried out.
 */
static void exclude(struct capture *c, uint32_t page, slice url, const char *why)
{
	char date[CLOCK_TEXT_SIZE], rule[WHY_SIZE + 80];

	clock_format(clock_realtime(c->clock), CLOCK_ROUND_DOWN, date);
	(void)snprintf(rule, sizeof rule, "%srobots.txt changed at %s: %s", OUT, date, why);
	refuse(c, page, url, rule);
}

/* The planner still has it; its revisit is not carried out. */
void discover_skip_spam(struct capture *c, uint32_t page, double score)
{
	struct crawl_page *p = &c->pages.list.ptr[page];
	char rule[WHY_SIZE];

	if (!p->taken)
		return;
	(void)snprintf(rule, sizeof rule, OUT "spam: score %.2f (--spam skip)", score);
	p->taken = false;
	p->left_out = LEFT_OUT_SPAM;
	pages_count(&c->pages, p->kind, -1);
	capture_store(c, &(struct catalog_row){CATALOG_ROW_REFUSE_PAGE,
				 .page = &(struct catalog_page){.number = page,
					 .left_out = LEFT_OUT_SPAM,
					 .rule = slice_str(rule)}});
}

static int review(struct capture *c, uint32_t page, struct buf *url, struct err *err)
{
	const struct crawl_page *p = &c->pages.list.ptr[page];
	char why[WHY_SIZE];

	TRY(pages_url(&c->pages, page, url, err));
	TRY(ask_rules(c, p->host, asked_url(c, page, buf_slice(url)), why, err));
	if (p->taken && why[0]) {
		exclude(c, page, buf_slice(url), why);
		return 0;
	}
	if (!p->taken && !p->planned && left_out_is_robots((enum left_out)p->left_out) && !why[0]) {
		char date[CLOCK_TEXT_SIZE], rule[80];

		/* A page that was forbidden and that the planner does not have is allowed now. */
		clock_format(clock_realtime(c->clock), CLOCK_ROUND_DOWN, date);
		(void)snprintf(rule, sizeof rule, "in: robots.txt allows it since %s", date);
		c->pages.list.ptr[page].taken = true;
		c->pages.list.ptr[page].left_out = LEFT_OUT_NOT;
		pages_count(&c->pages, c->pages.list.ptr[page].kind, 1);
		capture_store(c, &(struct catalog_row){CATALOG_ROW_ADMIT_PAGE,
					 .page = &(struct catalog_page){
						 .number = page, .rule = slice_str(rule)}});
		return importance_admit(c, page, err);
	}
	return 0;
}

int discover_review(struct capture *c, uint32_t host, struct err *err)
{
	BUF_SCOPED(url, URL_MAX);

	for (uint32_t i = 0; i < c->pages.list.len; i++)
		if (crawl_page_has_host(&c->pages.list.ptr[i]) &&
			c->pages.list.ptr[i].host == host) {
			TRY(lane_check_stop(c->lane, err));
			TRY(review(c, i, &url, err));
		}
	return 0;
}

int discover_admit(struct capture *c, uint32_t page, struct err *err)
{
	uint32_t host = c->pages.list.ptr[page].host;
	enum host_robots robots = hosts_at(&c->hosts, host)->robots;

	if (robots == HOST_ROBOTS_KNOWN)
		return settle(c, page, err);
	hosts_pend(&c->hosts, host, page);
	return robots == HOST_ROBOTS_UNKNOWN ? robots_fetch(c, host, false, err) : 0;
}

int discover_pending(struct capture *c, uint32_t host, struct err *err)
{
	uint32_t page;

	while (hosts_take_pending(&c->hosts, host, &page)) {
		TRY(lane_check_stop(c->lane, err));
		TRY(settle(c, page, err));
	}
	return 0;
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

int discover_record_unkept(struct capture *c)
{
	if (!c->unkept.changed)
		return 0;
	c->unkept.changed = false;
	for (int i = 0; i < LEFT_OUT_COUNT; i++)
		if (c->unkept.links[i])
			capture_store(c, &(struct catalog_row){CATALOG_ROW_UNKEPT,
						 .unkept = &(struct catalog_unkept){
							 (enum left_out)i, c->unkept.links[i]}});
	return 0;
}

/* Tells the budgets about a page, unless a limit refused it before they were asked. */
static int settle_traps(struct capture *c, uint32_t page, const struct decision *d, struct err *err)
{
	if (d->left_out == d->traps.reason)
		TRY(err_code(err, traps_note_decision(c, page, &d->traps)));
	return 0;
}

/* *ret: its number, or as it was if it is not kept. */
static int add_page(
	struct capture *c, const struct found *f, struct buf *text, uint32_t *ret, struct err *err)
{
	struct page_prior prior;
	struct crawl_page page;
	struct decision d;
	uint32_t number;

	TRY(err_code(err, decide(c, f, text, &d)));
	if (d.left_out && f->is_told) /* a link may lead to it yet */
		return 0;
	if (d.left_out == LEFT_OUT_SCOPE &&
		!unkept_keeps_outside(&c->unkept, c->settings->max_outside))
		return 0;
	TRY(err_code(err, describe(c, f, &d, &page)));
	TRY(err_code(err, find_prior(c, f, &prior)));
	TRY(err_code(err, pages_add(&c->pages, url_page(f->url), &prior, &page, &number, err)));
	*ret = number;
	record(c, f, number, &d, &prior, CATALOG_ROW_ADD_PAGE);
	TRY(importance_known(c, number, f, err));
	TRY(settle_traps(c, number, &d, err));
	TRY(err_code(err, views_note(c, f->url, number, &d.view)));
	if (!d.left_out && d.view.kind == VIEW_NONE)
		views_found(c, f);
	for (const struct crawl_feature *x = CRAWL_FEATURES; x->name; x++)
		if (x->found)
			TRY(x->found(c, number, f->url, err));
	return d.left_out ? 0 : discover_admit(c, number, err);
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

/* It waits as a view, and where this link stands it is none. */
static bool is_document_here(struct capture *c, const struct crawl_page *p, const struct found *f)
{
	struct view_decision view;

	return p->left_out == LEFT_OUT_VIEW && views_decide(c, f, &view) == 0 && !view.waits;
}

/* Whether this link may admit a page that was refused before. */
static bool is_better(struct capture *c, const struct crawl_page *p, const struct found *f)
{
	/* No link changes what robots.txt refuses. */
	return p->left_out != LEFT_OUT_NOT && !left_out_is_robots((enum left_out)p->left_out) &&
	       p->left_out != LEFT_OUT_SPAM &&
	       (depth_of(c, f) < p->depth || is_redeemed(c, p, f) || is_nearer(c, p, f) ||
		       is_document_here(c, p, f) ||
		       (page_kind_is_requisite(f->kind) && !page_kind_is_requisite(p->kind)));
}

/* Takes a page that was refused before. */
static int take_in(struct capture *c, uint32_t number, const struct found *f,
	const struct decision *d, struct err *err)
{
	struct crawl_page *known = &c->pages.list.ptr[number];
	struct page_prior prior;
	struct crawl_page page;

	TRY(err_code(err, describe(c, f, d, &page)));
	TRY(pages_prior(&c->pages, number, &prior, err)); /* as the catalog has it */
	page.record = known->record;
	c->unkept.outside -= known->left_out == LEFT_OUT_SCOPE;
	*known = page;
	pages_count(&c->pages, page.kind, 1);
	record(c, f, number, d, &prior, CATALOG_ROW_TAKE_PAGE);
	TRY(settle_traps(c, number, d, err));
	TRY(dust_note(c, number, f->url, err));
	return discover_admit(c, number, err);
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

	if (!scope.in)
		return 0;
	buf_reset(text);
	TRY(err_code(err, scope_explain(text, &scope)));
	d.rule = buf_slice(text);
	p->via = f->via;
	pages_count(&c->pages, p->kind, -1);
	p->kind = f->kind & PAGE_FOUR_BITS;
	pages_count(&c->pages, p->kind, 1);
	p->depth = depth_of(c, f) < p->depth ? depth_of(c, f) : p->depth;
	p->redirects = redirects_of(c, f) & PAGE_SIX_BITS;
	p->hops_out = (uint8_t)d.hops_out;
	TRY(pages_prior(&c->pages, number, &prior, err));
	record(c, f, number, &d, &prior, CATALOG_ROW_TAKE_PAGE);
	return 0;
}

static int reconsider(struct capture *c, uint32_t number, const struct found *f, struct buf *text,
	struct err *err)
{
	const struct crawl_page *p = &c->pages.list.ptr[number];
	struct decision d;

	struct catalog_page row = {.number = number, .lastmod = f->lastmod, .frequency = f->word};

	/* A sitemap names a page that is known: for the rates of later captures. */
	if ((f->word != FREQUENCY_NONE || f->lastmod != 0) &&
		(!c->scheduler->knows_date || !c->scheduler->knows_date(c, number, f->lastmod))) {
		capture_store(c, &(struct catalog_row){CATALOG_ROW_LIST_PAGE, .page = &row});
	}
	TRY(importance_known(c, number, f, err));
	if (p->taken && !p->visited && is_nearer(c, p, f))
		return bring_nearer(c, number, f, text, err);
	if (!is_better(c, p, f))
		return 0;
	TRY(err_code(err, decide(c, f, text, &d)));
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
	return left_out_is_trap(reason) || reason == LEFT_OUT_VIEW ||
	       reason == LEFT_OUT_MAX_PAGES || reason == LEFT_OUT_MAX_DEPTH ||
	       reason == LEFT_OUT_SCOPE;
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
	BUF_SCOPED(text, URL_MAX + 1024);
	URL_SCOPED(url);

	/* Another link may have taken it in since; robots.txt and what a link does stay. */
	if (!may_reconsider((enum left_out)p->left_out))
		return 0;
	TRY(lane_check_stop(c->lane, err));
	found.url = &url;
	TRY(pages_url(&c->pages, page, &text, err));
	TRY(url_parse(&url, buf_slice(&text), NULL, err));
	TRY(err_code(err, decide(c, &found, &text, &d)));
	/* the link is the same, so it may be put off again */
	return d.left_out ? settle_traps(c, page, &d, err) : take_in(c, page, &found, &d, err);
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

/* *ret: the number of the page, or CATALOG_NO_PAGE if it is not kept. */
static int discover_number(struct capture *c, const struct found *f, uint32_t *ret, struct err *err)
{
	BUF_SCOPED(text, URL_MAX + 1024);

	*ret = CATALOG_NO_PAGE;
	if (!url_is_http(f->url))
		return 0;
	TRY(lane_check_stop(c->lane, err));
	/* A small page could contain gigabytes of URLs. Seeds are always taken. */
	if (url_page(f->url).len > LENGTH_MAX && (!f->is_seed || f->via != CATALOG_NO_PAGE)) {
		unkept_add(&c->unkept, LEFT_OUT_LENGTH, 1);
		return 0;
	}
	if (pages_find(&c->pages, url_page(f->url), ret))
		TRY(reconsider(c, *ret, f, &text, err));
	else
		TRY(add_page(c, f, &text, ret, err));
	if (c->scheduler->listed && f->source && *ret != CATALOG_NO_PAGE)
		TRY(c->scheduler->listed(c, *ret, f, err));
	return f->is_seed ? want_sitemaps(c, f, err) : 0;
}

int discover(struct capture *c, const struct found *f, struct err *err)
{
	uint32_t number;

	return discover_number(c, f, &number, err);
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

static int record_requisite(struct capture *c, uint32_t page, uint32_t requisite)
{
	bool is_planned = requisite != CATALOG_NO_PAGE && !c->scheduler->endless &&
			  !pages_are_told(&c->pages, page, requisite);

	if (is_planned)
		TRY(plan_group(c->plan, page, &requisite, 1));
	capture_store(c, &(struct catalog_row){CATALOG_ROW_REQUISITE,
				 .requisite = &(struct catalog_requisite){page, requisite}});
	return 0;
}

/*
 * What was found is part of the page, now that it has a number. One that was not kept has none: the
 * page is not complete without it.
 */
static SP_MUST_CHECK int discover_requisite(struct capture *c, uint32_t page, const struct found *f)
{
	uint32_t number = CATALOG_NO_PAGE;

	if (!page_kind_is_requisite(f->kind) || !url_is_http(f->url))
		return 0;
	(void)pages_find(&c->pages, url_page(f->url), &number);
	return number == page ? 0 : record_requisite(c, page, number);
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
	uint32_t number;

	if (link->kind == LINK_FORM) /* without values they are never sent: form_queries.h */
		return 0;
	TRY(discover_number(c, &found, &number, err));
	if (link->is_feed)
		TRY(sitemaps_feed(c, link->url, err));
	if (link->kind == LINK_PAGE)
		page_links_add(c, number);
	if (link->kind == LINK_PAGE && c->steering.on)
		steering_link(c, page, link->url,
			slice_sub(buf_slice(&c->lane->reading.text.text), link->text_at,
				link->text_to));
	return discover_requisite(c, page, &found);
}

/* Those of which memory does not know whether they are known are looked up at once. */
static void look_links_up(struct capture *c, const struct url *document)
{
	struct resolver *resolver = &c->lane->reading.resolver;
	struct resolved_link link;

	if (!pages_are_in_files(&c->pages))
		return;
	resolver_start(resolver, &c->lane->reading.links, document);
	while (resolver_next(resolver, &link))
		seen_ask(&c->pages.seen, url_page(link.parsed));
	seen_answer(&c->pages.seen);
}

int discover_links(struct capture *c, uint32_t page, const struct url *document, struct err *err)
{
	struct resolver *resolver = &c->lane->reading.resolver;
	struct resolved_link link;
	bool shown = is_shown(c, page);
	int rc = 0;

	look_links_up(c, document);
	resolver_start(resolver, &c->lane->reading.links, document);
	page_links_start(c);
	views_source(c, page, document);
	while (resolver_next(resolver, &link))
		TRY(err_code(err, discover_link(c, page, &link, shown, err)));
	if (resolver->left_out || c->lane->reading.links.cut)
		rc = record_requisite(c, page, CATALOG_NO_PAGE);
	unkept_add(&c->unkept, LEFT_OUT_LENGTH, resolver->left_out);
	if (rc == 0)
		rc = page_links_store(c, page, err);
	return rc ? rc : discover_record_unkept(c);
}

/* ---- where redirects lead ---- */

/* Where redirects lead: pages like others, found by their address. */

int discover_redirect(struct capture *c, const struct plan_order *order, const struct url *document,
	struct err *err)
{
	uint32_t page = order->page;
	slice location = reading_field(&c->lane->reading, SLICE("location"));
	const struct crawl_page *from = &c->pages.list.ptr[page];
	struct found found = {
		.how = from->is_seed ? "seed redirect" : "redirect",
		.via = page,
		.kind = from->kind,
		.is_redirect = true,
		.is_seed = from->is_seed,
	};
	struct url target;
	size_t taken;
	int rc;

	if (!location.ptr)
		return 0;
	url_init(&target);
	rc = url_parse_location(&target, location, document, NULL);
	if (rc == ERR_SYNTAX || rc == ERR_LIMIT) {
		url_release(&target); /* an invalid target is not an error of the capture */
		return 0;
	}
	/* The target of a seed is a seed: from http to https, or to the name with www. */
	if (rc == 0 && found.is_seed && url_is_http(&target)) {
		rc = capture_add_seed(c, &target, err);
		if (rc == ERR_LIMIT) { /* the scope is full: it is a page like others */
			*err = (struct err){0};
			rc = 0;
		}
	}
	found.url = &target;
	taken = c->pages.taken;
	if (rc == 0 && url_is_http(&target))
		rc = dust_redirected(c, page, &target, err);
	if (rc == 0)
		rc = discover(c, &found, err);
	if (rc == 0)
		rc = discover_requisite(c, page, &found);
	if (rc == 0)
		rc = page_links_store_one(c, page, url_page(&target), err);
	if (rc == 0)
		rc = discover_record_unkept(c);
	if (rc == 0 && c->pages.taken > taken)
		rc = traps_redirect_followed(c, document);
	if (rc == 0 && found.is_seed)
		rc = earlier_seed_moved(c, err);
	if (rc == 0)
		rc = cookie_gate_redirected(c, order, &target, err);
	url_release(&target);
	return err_code(err, rc);
}
