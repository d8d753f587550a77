#include "crawl/importance.h"

#include <math.h>
#include <stdio.h>

#include "crawl/capture.h"

enum { RULE_SIZE = 200 };

/* How many requests a host may be ahead of its share when --max-pages is shared out. */
static const double SHARE_LAG = 8;

/* A page that a sitemap lists without a priority (sitemaps.org). */
static const double PRIORITY_DEFAULT = 0.5;

void importance_init(struct importance *m, const struct crawl_settings *s)
{
	bool limited = s->max_pages || s->time_limit > 0 || s->max_bytes;

	m->on = s->order != RANK_NONE || s->host_budget || s->topic;
	m->gates = !s->watch && ((s->order != RANK_NONE && limited) || s->host_budget || s->topic);
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
	int rc = 0;

	/* A link says nothing of a page that a sitemap lists. */
	if (!m->on || (!is_new && m->order.kind == RANK_SITEMAP && !f->is_listed))
		return 0;
	rc = rank_order_known(&m->order, page, hint_of(c, f));
	if (rc == 0 && is_new && f->via != CATALOG_NO_PAGE &&
		crawl_page_has_host(&c->pages.list.ptr[f->via]))
		rank_frontier_gave(&m->order.frontier, c->pages.list.ptr[f->via].host, 1);
	return err_code(err, rc);
}

/* ---- what waits, and what the planner gets ---- */

static struct host_share *share_of(struct capture *c, uint32_t host, struct err *err)
{
	struct host_shares *v = &c->importance.hosts;
	int rc = 0;

	while (rc == 0 && v->len <= host)
		rc = host_shares_push(v, (struct host_share){0});
	if (rc)
		(void)err_code(err, rc);
	return rc ? NULL : &v->ptr[host];
}

static int mark_out(struct capture *c, uint32_t page, bool out)
{
	struct page_flags *v = &c->importance.out;
	int rc = 0;

	while (rc == 0 && v->len <= page)
		rc = page_flags_push(v, false);
	if (rc == 0)
		v->ptr[page] = out;
	return rc;
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
	struct host_share *h = share_of(c, p->host, err);
	uint32_t budget = c->settings->host_budget;
	int rc;

	if (!h)
		return ERR_NOMEM;
	c->importance.admitted += !page_kind_is_requisite(p->kind);
	h->out += out;
	h->admitted += !page_kind_is_requisite(p->kind);
	h->spent = budget && budget != CRAWL_BUDGET_AUTO && h->admitted >= budget;
	rc = mark_out(c, page, out);
	return err_code(err, rc ? rc : hold(c, p->host, h));
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

int importance_admit(struct capture *c, uint32_t page, struct err *err)
{
	struct importance *m = &c->importance;
	uint32_t host = c->pages.list.ptr[page].host;
	unsigned level = 0;
	int rc = 0;

	/* Queries of forms have a budget of their own. */
	if (!m->gates || c->pages.list.ptr[page].kind == LINK_FORM)
		return journal_discovered(c, page, err);
	if (may_admit(c, page) && (is_chosen(c, page) || is_late(c))) {
		rc = count_admitted(c, page, false, err);
		return rc ? rc : journal_discovered(c, page, err);
	}
	if (c->steering.on)
		rc = steering_level(c, page, &level, err);
	if (rc == 0)
		rc = err_code(err, rank_order_wait(&m->order, page, host, level));
	if (rc == 0)
		c->stage.asleep = false;
	return rc;
}

static bool is_open(const struct capture *c)
{
	return c->importance.gates && !c->stage.cancelled && !c->stage.visits_ended &&
	       plan_progress(c->plan).leg == PLAN_VISIT;
}

int importance_feed(struct capture *c, struct err *err)
{
	uint32_t page;
	int rc = 0;

	while (rc == 0 && is_open(c) && has_budget(c) &&
		rank_order_take(&c->importance.order, &page)) {
		rc = count_admitted(c, page, true, err);
		if (rc == 0)
			rc = journal_discovered(c, page, err);
	}
	return rc;
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

static int weigh(struct capture *c, uint32_t page, struct err *err)
{
	struct page_prior prior;
	int rc = pages_prior(&c->pages, page, &prior, err);

	if (rc)
		return rc;
	prior.weight *= (float)importance_weight(c, page);
	rc = plan_update(c->plan, page, prior.survival, prior.weight);
	if (rc && rc != ERR_NOTFOUND)
		return err_code(err, rc);
	return capture_store(c,
		&(struct catalog_row){CATALOG_ROW_WEIGH_PAGE,
			.page = &(struct catalog_page){.number = page, .weight = prior.weight}},
		err);
}

int importance_weigh(struct capture *c, struct err *err)
{
	struct importance *m = &c->importance;
	int rc = 0;

	if (m->order.kind == RANK_NONE || c->settings->unweighted || m->weighed)
		return 0;
	rc = err_code(err, rank_order_settle(&m->order));
	for (uint32_t i = 0; rc == 0 && i < c->pages.list.len; i++) {
		rc = lane_check_stop(c->lane, err);
		if (rc == 0 && c->pages.list.ptr[i].planned)
			rc = weigh(c, i, err);
	}
	m->weighed = true; /* the catalog's weights are the product */
	return rc;
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

/* Which place the page had among those that were left, and by what. */
static void explain(
	const struct capture *c, uint32_t page, size_t place, size_t count, char rule[RULE_SIZE])
{
	const struct importance *m = &c->importance;
	enum left_out reason = reason_of(c, page);
	char promise[40] = "";

	if (c->steering.on)
		(void)snprintf(
			promise, sizeof promise, "promise %.2f, ", steering_promise(c, page));
	(void)snprintf(rule, RULE_SIZE, "%s%s: %snumber %zu of %zu pages that were left, by %s%s",
		reason ? "out: --" : "in: the limit came first",
		reason ? left_out_word(reason) : "", promise, place + 1, count,
		c->steering.on ? "--topic and --order " : "--order ",
		m->order.kind ? RANK_ORDERS[m->order.kind] : "breadth");
}

static int leave(struct capture *c, uint32_t page, size_t place, size_t count, struct err *err)
{
	struct crawl_page *p = &c->pages.list.ptr[page];
	char rule[RULE_SIZE];
	struct catalog_page row = {.number = page, .left_out = reason_of(c, page)};

	explain(c, page, place, count, rule);
	row.rule = slice_str(rule);
	if (!row.left_out)
		return capture_store(
			c, &(struct catalog_row){CATALOG_ROW_ADMIT_PAGE, .page = &row}, err);
	p->taken = false;
	p->left_out = row.left_out & PAGE_FIVE_BITS;
	pages_count(&c->pages, p->kind, -1);
	return capture_store(c, &(struct catalog_row){CATALOG_ROW_REFUSE_PAGE, .page = &row}, err);
}

int importance_close(struct capture *c, struct err *err)
{
	struct u32_vec left = {0};
	int rc = 0;

	if (!c->importance.gates)
		return 0;
	rc = err_code(err, rank_frontier_list(&c->importance.order.frontier, &left));
	for (size_t i = 0; rc == 0 && i < left.len; i++) {
		rc = lane_check_stop(c->lane, err);
		if (rc == 0)
			rc = leave(c, left.ptr[i], i, left.len, err);
		if (rc == 0)
			rank_frontier_remove(&c->importance.order.frontier, left.ptr[i]);
	}
	u32_vec_release(&left);
	return rc;
}
