/*
 * Soft 404s: servers that answer 200 to URLs that do not exist. After some pages of a host, a URL
 * that cannot exist is requested. Pages with the same text are archived, but their links are not
 * followed: they lead to more of them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/log.h"
#include "crawl/capture.h"
#include "extract/robots_policy.h"

enum {
	VISITS_BEFORE = 32, /* not for small sites */
	WEIGHT_MIN = 12,    /* of a text that can be compared */
};

static int reserve(struct capture *c, uint32_t host)
{
	struct probe_vec *v = &c->traps.probes;
	int rc = 0;

	while (rc == 0 && v->len <= host)
		rc = probe_vec_push(v, (struct probe){0});
	return rc;
}

bool probe_is_soft(const struct capture *c, uint32_t host)
{
	const struct probe_vec *v = &c->traps.probes;

	return host < v->len && v->ptr[host].state == PROBE_SOFT;
}

/* ---- asking ---- */

static int ask(struct capture *c, uint32_t host, struct err *err)
{
	struct probe *p = &c->traps.probes.ptr[host];
	slice origin = hosts_at(&c->hosts, host)->origin;
	struct robots_decision d = {.allowed = true};
	char path[64];
	struct buf url;
	bool held;
	int rc = 0;

	(void)snprintf(path, sizeof path, "/stillpoint-probe-%" PRIu64, rng_u64(&c->rng));
	p->state = PROBE_HONEST;
	if (c->rules.list.ptr[host].policy == ROBOTS_PARSE)
		rc = rules_decide(&c->rules, host, slice_str(path), &d, err);
	if (rc || !d.allowed)
		return rc;
	p->state = PROBE_ASKED;
	buf_init(&url, URL_MAX);
	rc = buf_printf(&url, "%.*s%s", (int)origin.len, origin.ptr, path);
	if (rc == 0)
		rc = fetch_url(
			c, buf_slice(&url), &(struct request){.kind = REQUEST_PROBE}, &held, err);
	buf_release(&url);
	return err_code(err, rc);
}

int probe_visited(struct capture *c, uint32_t page, const struct net_fetch *f, struct err *err)
{
	uint32_t host = c->pages.list.ptr[page].host;
	int rc;

	if (f->status >= 300)
		return 0;
	rc = reserve(c, host);
	if (rc)
		return err_code(err, rc);
	if (++c->traps.probes.ptr[host].visits < VISITS_BEFORE ||
		c->traps.probes.ptr[host].state != PROBE_NOT_YET || c->stage.visits_ended)
		return 0;
	return ask(c, host, err);
}

/* ---- the answer ---- */

/* The text of the body that was read. Rare, so it makes a parser for each. */
static int read_text(const struct capture *c, slice content_type, struct page_text *text)
{
	struct page *page = malloc(sizeof *page);
	int rc;

	if (!page)
		return ERR_NOMEM;
	page_open(page, &(struct page_params){.content_type = content_type, .text = text});
	rc = page_feed(page, buf_slice(&c->lane->reading.body));
	if (rc == 0)
		rc = page_finish(page);
	page_close(page);
	free(page);
	return rc;
}

static int by_hash(const void *a, const void *b)
{
	const struct gist_line *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

static int learn(struct capture *c, uint32_t host, const struct net_fetch *f)
{
	struct probe *p = &c->traps.probes.ptr[host];
	slice type = media_type_of_head(reading_head(&c->lane->reading));
	struct page_text text;
	int rc = 0;

	page_text_init(&text);
	gist_reset(&p->gist);
	if (page_format_of(type) != PAGE_OPAQUE)
		rc = read_text(c, type, &text);
	if (rc == 0)
		rc = gist_add_text(&p->gist, buf_slice(&text.text), f->url);
	if (rc == 0)
		rc = gist_add_text(&p->gist, buf_slice(&text.title), f->url);
	page_text_release(&text);
	if (rc)
		return rc;
	if (p->gist.lines.len > 1)
		qsort(p->gist.lines.ptr, p->gist.lines.len, sizeof p->gist.lines.ptr[0], by_hash);
	p->state = PROBE_SOFT;
	log_info("crawl", "%.*s: answers %u: its pages may be soft 404s", (int)f->url.len,
		f->url.ptr, f->status);
	return 0;
}

int probe_answered(struct capture *c, const struct request *r, const struct net_fetch *f,
	const struct state_result *result, struct err *err)
{
	int rc = 0;

	(void)result;
	c->traps.probes.ptr[r->host].state = PROBE_HONEST;
	if (f->status >= 200 && f->status < 300)
		rc = learn(c, r->host, f);
	return err_code(err, rc);
}

/* ---- comparing ---- */

static uint64_t shared_weight(const struct gist *probe, const struct gist *page)
{
	uint64_t weight = 0;

	for (size_t i = 0; i < page->lines.len; i++)
		if (bsearch(&page->lines.ptr[i], probe->lines.ptr, probe->lines.len,
			    sizeof probe->lines.ptr[0], by_hash))
			weight += page->lines.ptr[i].weight;
	return weight;
}

bool probe_matches(const struct capture *c, uint32_t page, const struct gist *gist)
{
	const struct crawl_page *p = &c->pages.list.ptr[page];
	const struct gist *probe;

	/* Seeds and URLs of sitemaps are wanted, whatever they say. */
	if (!probe_is_soft(c, p->host) || p->is_seed || p->via == CATALOG_NO_PAGE ||
		page_kind_is_requisite(p->kind))
		return false;
	probe = &c->traps.probes.ptr[p->host].gist;
	return probe->weight >= WEIGHT_MIN && 10 * gist->weight >= 8 * probe->weight &&
	       10 * shared_weight(probe, gist) >= 9 * gist->weight;
}

int probe_mark(struct capture *c, uint32_t page, struct err *err)
{
	c->pages.list.ptr[page].content = CATALOG_CONTENT_SOFT_404;
	return capture_store(c,
		&(struct catalog_row){
			CATALOG_ROW_MARK_PAGE, .page = &(struct catalog_page){.number = page,
						       .content = CATALOG_CONTENT_SOFT_404}},
		err);
}
