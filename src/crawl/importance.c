#include "crawl/importance.h"

#include <math.h>
#include <stdio.h>

#include "crawl/capture.h"
#include "crawl/journal.h"

/* ---- importance ---- */

enum { RULE_SIZE = 200 };

/* How many requests a host may be ahead of its share when --max-pages is shared out. */
static const double SHARE_LAG = 8;

/* A page that a sitemap lists without a priority (sitemaps.org). */
static const double PRIORITY_DEFAULT = 0.5;

void importance_init(struct importance *m, const struct crawl_settings *s)
{
	bool limited = s->max_pages || s->time_limit > 0 || s->max_bytes;

	m->on = s->order != RANK_NONE || s->host_budget || s->topic;
	m->gates = (s->order != RANK_NONE && limited) || s->host_budget || s->topic;
	rank_order_init(&m->order, (enum rank_order_kind)s->order);
	m->order.frontier.least = s->topic ? 1 : 0; /* what promises nothing, waits */
	if (s->host_budget == CRAWL_BUDGET_AUTO) {
		m->order.frontier.by = RANK_HOSTS_SHARE;
		m->order.frontier.lag = s->max_pages ? SHARE_LAG : 0;
	}
}

void importance_release(struct importance *m)
{
	rank_order_release(&m->order);
	host_shares_release(&m->hosts);
	page_flags_release(&m->out);
}

static bool has_budget(const struct capture *c)
{
	return !c->settings->max_pages || c->importance.admitted < c->settings->max_pages;
}

/* Requisites belong to pages that were admitted. */
static bool may_admit(const struct capture *c, uint32_t page)
{
	uint8_t kind = c->pages.list.ptr[page].kind;

	if (page_kind_is_requisite(kind))
		return pages_have_room(&c->pages, kind, 0, c->settings->max_pages);
	return has_budget(c);
}

static double weight_of(const struct capture *c, slice url)
{
	struct rates_value value;

	return rates_find(c->weights, url, &value) ? (double)value.weight : 0;
}

/* What the order goes by, if it is not the links. */
static double hint_of(const struct capture *c, const struct found *f)
{
	switch (c->importance.order.kind) {
	case RANK_WEIGHTS:
		return weight_of(c, url_page(f->url));
	case RANK_SITEMAP:
		return !f->is_listed ? 0 : isnan(f->priority) ? PRIORITY_DEFAULT : f->priority;
	default:
		return f->is_seed && !f->is_redirect;
	}
}

int importance_known(struct capture *c, uint32_t page, const struct found *f, struct err *err)
{
	struct importance *m = &c->importance;
	bool is_new = page >= m->order.known;

	/* A link says nothing of a page that a sitemap lists. */
	if (!m->on || (!is_new && m->order.kind == RANK_SITEMAP && !f->is_listed))
		return 0;
	TRY(err_code(err, rank_order_known(&m->order, page, hint_of(c, f))));
	if (is_new && f->via != CATALOG_NO_PAGE && crawl_page_has_host(&c->pages.list.ptr[f->via]))
		rank_frontier_gave(&m->order.frontier, c->pages.list.ptr[f->via].host, 1);
	return 0;
}

/* ---- what waits, and what the planner gets ---- */

static struct host_share *share_of(struct capture *c, uint32_t host)
{
	struct host_shares *v = &c->importance.hosts;

	while (v->len <= host)
		host_shares_push(v, (struct host_share){0});
	return &v->ptr[host];
}

static int hold(struct capture *c, uint32_t host, const struct host_share *h)
{
	return rank_frontier_hold(
		&c->importance.order.frontier, host, h->spent || h->out >= c->settings->jobs);
}

/* Counts a page that the planner has got; its host is held while it is asked enough. */
static int count_admitted(struct capture *c, uint32_t page, bool out, struct err *err)
{
	const struct crawl_page *p = &c->pages.list.ptr[page];
	struct host_share *h = share_of(c, p->host);
	uint32_t budget = c->settings->host_budget;
	struct page_flags *v = &c->importance.out;
	c->importance.admitted += !page_kind_is_requisite(p->kind);
	h->out += out;
	h->admitted += !page_kind_is_requisite(p->kind);
	h->spent = budget && budget != CRAWL_BUDGET_AUTO && h->admitted >= budget;
	while (v->len <= page)
		page_flags_push(v, false);
	v->ptr[page] = out;
	return err_code(err, hold(c, p->host, h));
}

/* Seeds, requisites and targets of redirects belong to what was chosen already. */
static bool is_chosen(const struct capture *c, uint32_t page)
{
	const struct crawl_page *p = &c->pages.list.ptr[page];

	return (p->is_seed && !p->redirects) || p->redirects || page_kind_is_requisite(p->kind);
}

/* After the barrier a page is fetched late, unless better ones had to be left. */
static bool is_late(const struct capture *c)
{
	const struct importance *m = &c->importance;

	return !m->restoring && plan_progress(c->plan).leg != PLAN_VISIT &&
	       m->order.frontier.len == 0;
}

/* A watch that begins anew: the page was looked at before. */
static bool was_admitted(const struct capture *c, uint32_t page)
{
	return c->scheduler->endless && c->pages.list.ptr[page].visited;
}

static SP_MUST_CHECK int steering_level(
	struct capture *c, uint32_t page, unsigned *ret, struct err *err);

int importance_admit(struct capture *c, uint32_t page, struct err *err)
{
	struct importance *m = &c->importance;
	uint32_t host = c->pages.list.ptr[page].host;
	unsigned level = 0;

	/* Queries of forms have a budget of their own. */
	if (!m->gates || c->pages.list.ptr[page].kind == LINK_FORM)
		return c->scheduler->discovered(c, page, err);
	if (was_admitted(c, page) || (may_admit(c, page) && (is_chosen(c, page) || is_late(c)))) {
		TRY(count_admitted(c, page, false, err));
		return c->scheduler->discovered(c, page, err);
	}
	if (c->steering.on)
		TRY(steering_level(c, page, &level, err));
	TRY(err_code(err, rank_order_wait(&m->order, page, host, level)));
	STAGE_SET(c, asleep, false);
	return 0;
}

static bool is_open(const struct capture *c)
{
	return c->importance.gates && !c->stage.cancelled && !c->stage.visits_ended &&
	       plan_progress(c->plan).leg == PLAN_VISIT;
}

int importance_feed(struct capture *c, struct err *err)
{
	uint32_t page;

	while (is_open(c) && has_budget(c) && rank_order_take(&c->importance.order, &page)) {
		TRY(count_admitted(c, page, true, err));
		TRY(c->scheduler->discovered(c, page, err));
	}
	return 0;
}

void importance_forget(struct capture *c, uint32_t page)
{
	if (c->importance.gates)
		rank_frontier_remove(&c->importance.order.frontier, page);
}

int importance_done(struct capture *c, uint32_t page, struct err *err)
{
	struct importance *m = &c->importance;
	struct host_share *h;

	if (!m->gates || page >= m->out.len || !m->out.ptr[page])
		return 0;
	h = &m->hosts.ptr[c->pages.list.ptr[page].host];
	m->out.ptr[page] = false;
	h->out--;
	return err_code(err, hold(c, c->pages.list.ptr[page].host, h));
}

/* What sitemaps say, they say again: they are read anew. */
int importance_restore(
	struct capture *c, uint32_t page, const struct catalog_page *row, struct err *err)
{
	struct importance *m = &c->importance;
	double hint = slice_eq(row->found, SLICE("seed"));

	if (!m->on)
		return 0;
	if (m->order.kind == RANK_WEIGHTS)
		hint = weight_of(c, row->url);
	if (m->order.kind == RANK_SITEMAP)
		hint = slice_starts_with(row->found, SLICE("sitemap")) ? PRIORITY_DEFAULT : 0;
	return err_code(err, rank_order_known(&m->order, page, hint));
}

int importance_restore_planned(struct capture *c, uint32_t page, struct err *err)
{
	return c->importance.gates ? count_admitted(c, page, false, err) : 0;
}

int importance_read(
	struct capture *c, uint32_t page, const uint32_t *targets, size_t n, struct err *err)
{
	struct importance *m = &c->importance;

	if (!m->on)
		return 0;
	return err_code(err, rank_order_fetched(&m->order, page, targets, n));
}

/* ---- weights ---- */

double importance_weight(const struct capture *c, uint32_t page)
{
	const struct importance *m = &c->importance;

	if (m->order.kind == RANK_NONE || c->settings->unweighted || m->weighed)
		return 1;
	return rank_order_weight(&m->order, page);
}

int importance_weigh(struct capture *c, struct err *err)
{
	struct importance *m = &c->importance;

	if (m->order.kind == RANK_NONE || c->settings->unweighted || m->weighed)
		return 0;
	TRY(err_code(err, rank_order_settle(&m->order)));
	for (uint32_t i = 0; i < c->pages.list.len; i++) {
		TRY(lane_check_stop(c->lane, err));
		if (c->pages.list.ptr[i].planned) {
			struct page_prior prior;
			int rc = pages_prior(&c->pages, i, &prior, err);

			if (rc)
				return rc;
			prior.weight *= (float)importance_weight(c, i);
			rc = plan_update(c->plan, i, prior.survival, prior.weight);
			if (rc && rc != ERR_NOTFOUND)
				return err_code(err, rc);
			capture_store(c, &(struct catalog_row){CATALOG_ROW_WEIGH_PAGE,
						 .page = &(struct catalog_page){
							 .number = i, .weight = prior.weight}});
		}
	}
	m->weighed = true; /* the catalog's weights are the product */
	return 0;
}

/* ---- what was left ---- */

static bool is_spent(const struct capture *c, uint32_t host)
{
	return host < c->importance.hosts.len && c->importance.hosts.ptr[host].spent;
}

/* Why a page was left: LEFT_OUT_NOT if a limit of time or bytes came first. */
static enum left_out reason_of(const struct capture *c, uint32_t page)
{
	if (c->steering.on && c->importance.order.level.ptr[page] == 0)
		return LEFT_OUT_TOPIC;
	if (is_spent(c, c->pages.list.ptr[page].host))
		return LEFT_OUT_HOST_BUDGET;
	return has_budget(c) ? LEFT_OUT_NOT : LEFT_OUT_MAX_PAGES;
}

static double steering_promise(const struct capture *c, uint32_t page);

static void leave(struct capture *c, uint32_t page, size_t place, size_t count)
{
	struct crawl_page *p = &c->pages.list.ptr[page];
	char rule[RULE_SIZE];
	struct catalog_page row = {.number = page, .left_out = reason_of(c, page)};

	const struct importance *m = &c->importance;
	enum left_out reason = reason_of(c, page);
	char promise[40] = "";

	/* Which place the page had among those that were left, and by what. */
	if (c->steering.on)
		(void)snprintf(
			promise, sizeof promise, "promise %.2f, ", steering_promise(c, page));
	(void)snprintf(rule, RULE_SIZE, "%s%s: %snumber %zu of %zu pages that were left, by %s%s",
		reason ? "out: --" : "in: the limit came first",
		reason ? left_out_word(reason) : "", promise, place + 1, count,
		c->steering.on ? "--topic and --order " : "--order ",
		m->order.kind ? RANK_ORDERS[m->order.kind] : "breadth");
	row.rule = slice_str(rule);
	if (!row.left_out) {
		capture_store(c, &(struct catalog_row){CATALOG_ROW_ADMIT_PAGE, .page = &row});
		return;
	}
	p->taken = false;
	p->left_out = row.left_out & PAGE_FIVE_BITS;
	pages_count(&c->pages, p->kind, -1);
	capture_store(c, &(struct catalog_row){CATALOG_ROW_REFUSE_PAGE, .page = &row});
}

int importance_close(struct capture *c, struct err *err)
{
	SCOPED(u32_vec_release) struct u32_vec left = {0};

	if (!c->importance.gates)
		return 0;
	TRY(err_code(err, rank_frontier_list(&c->importance.order.frontier, &left)));
	for (size_t i = 0; i < left.len; i++) {
		TRY(lane_check_stop(c->lane, err));
		leave(c, left.ptr[i], i, left.len);
		rank_frontier_remove(&c->importance.order.frontier, left.ptr[i]);
	}
	return 0;
}

/* ---- the topic ---- */

/* What an irrelevant page hands on of what it got. */
static const double DECAY = 0.5;

/* Share of the parent in the promise of a link; the rest is its text's and its URL's. */
static const double PARENT = 0.5;

/* Links of pages off the topic are followed so many pages deep, unless they promise by themselves.
 */
enum { MISSES_MAX = 3, LEVEL_TOP = RANK_LEVELS - 2 };

/* A page that was reached without a link: nothing speaks for it or against it. */
static const double UNKNOWN_PARENT = 0.25;

int steering_init(struct steering *s, const struct crawl_settings *settings, struct err *err)
{
	s->on = settings->topic != NULL;
	return s->on ? topic_read(&s->topic, slice_str(settings->topic), err) : 0;
}

void steering_release(struct steering *s)
{
	topic_release(&s->topic);
	steered_pages_release(&s->pages);
}

static struct steered_page *page_of(struct capture *c, uint32_t page)
{
	struct steered_pages *v = &c->steering.pages;

	while (v->len <= page)
		steered_pages_push(
			v, (struct steered_page){.handed = (float)UNKNOWN_PARENT, .best = -1});
	return &v->ptr[page];
}

int steering_wants(struct capture *c, const struct arrival *p, bool *ret_text, struct err *err)
{
	(void)p;
	(void)err;
	*ret_text = *ret_text || c->steering.on;
	return 0;
}

void steering_page(struct capture *c, uint32_t page, const struct page_text *text)
{
	struct steered_page *p = page_of(c, page);
	double score;
	bool relevant;

	if (page_kind_is_requisite(c->pages.list.ptr[page].kind) || text->text.len == 0)
		return;
	score = fmax(topic_score(&c->steering.topic, buf_slice(&text->text)),
		topic_score(&c->steering.topic, buf_slice(&text->title)) * DECAY);
	relevant = score >= TOPIC_RELEVANT;
	p->handed = (float)(relevant ? score : DECAY * (double)p->handed);
	p->misses = (uint8_t)(relevant ? 0 : p->misses < UINT8_MAX ? p->misses + 1 : UINT8_MAX);
	topic_add_page(&c->steering.topic, buf_slice(&text->text), relevant);
	enum catalog_content content =
		relevant ? CATALOG_CONTENT_ON_TOPIC : CATALOG_CONTENT_OFF_TOPIC;

	if (c->pages.list.ptr[page].content != CATALOG_CONTENT_SOFT_404) {
		c->pages.list.ptr[page].content = content & PAGE_TWO_BITS;
		capture_store(c, &(struct catalog_row){CATALOG_ROW_MARK_PAGE,
					 .page = &(struct catalog_page){
						 .number = page, .content = content}});
	}
}

/* From 1, so that 0 is for links that promise nothing. */
static unsigned level_of(double promise)
{
	return 1 + (unsigned)(promise * (LEVEL_TOP - 1));
}

void steering_link(struct capture *c, uint32_t from, slice url, slice near)
{
	struct topic *topic = &c->steering.topic;
	struct steered_page parent, *p;
	double own, promise;
	uint32_t page;

	if (!pages_find(&c->pages, url, &page) || page == from || c->pages.list.ptr[page].planned)
		return;
	(void)page_of(c, from > page ? from : page); /* both are there then */
	p = &c->steering.pages.ptr[page];
	parent = c->steering.pages.ptr[from];
	own = fmax(topic_promise(topic, near), topic_promise(topic, robots_url_path(url)));
	promise = PARENT * (double)parent.handed + (1 - PARENT) * own;
	if (parent.misses > MISSES_MAX && own < TOPIC_RELEVANT)
		promise = 0;
	if (promise <= (double)p->best)
		return;
	p->best = p->handed = (float)promise;
	p->misses = parent.misses;
	if (rank_frontier_has(&c->importance.order.frontier, page))
		rank_order_level(&c->importance.order, page, promise > 0 ? level_of(promise) : 0);
}

/* Resume has lost what links said; the page that it was found on is known to be relevant or not. */
static double promise_of_url(struct capture *c, uint32_t page, slice url)
{
	const struct crawl_page *p = &c->pages.list.ptr[page];
	double parent = UNKNOWN_PARENT;

	if (p->via != CATALOG_NO_PAGE &&
		c->pages.list.ptr[p->via].content == CATALOG_CONTENT_ON_TOPIC)
		parent = 1;
	return PARENT * parent +
	       (1 - PARENT) * topic_promise(&c->steering.topic, robots_url_path(url));
}

/* The level of a page that begins to wait: what its URL promises, if no link has told yet. */
static SP_MUST_CHECK int steering_level(
	struct capture *c, uint32_t page, unsigned *ret, struct err *err)
{
	struct steered_page *p = page_of(c, page);
	BUF_SCOPED(url, URL_MAX);

	if (p->best < 0) {
		TRY(pages_url(&c->pages, page, &url, err));
		p->handed = (float)promise_of_url(c, page, buf_slice(&url));
		*ret = level_of((double)p->handed);
	} else {
		*ret = p->best > 0 ? level_of((double)p->best) : 0;
	}
	return 0;
}

/* The promise of a page, from 0 to 1. */
static double steering_promise(const struct capture *c, uint32_t page)
{
	const struct steered_pages *v = &c->steering.pages;

	if (page >= v->len)
		return 0;
	return fmax(0, (double)(v->ptr[page].best >= 0 ? v->ptr[page].best : v->ptr[page].handed));
}
