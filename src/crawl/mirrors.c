/*
 * Hosts of a capture that serve the same as another one (the survey of web crawling, section 6.1;
 * Bharat and Broder, "Mirror, mirror on the web", 1999). Pages of the same path and query on two
 * hosts are samples: they agree or disagree. Names and addresses are told along. Nothing is
 * requested for it.
 *
 * With --mirrors skip, a page of a mirror is left out if the page of that path is known on the host
 * that is mirrored, and is taken: what only the mirror has is captured. Samples that disagree later
 * take all of it in again.
 */
#include "crawl/capture.h"

enum {
	SAMPLES_MIN = 4,       /* that agree, to call a host a mirror */
	DISAGREE_PERCENT = 10, /* of the samples, at most */
	NAMES = 1,             /* evidence beside samples, as the catalog has it: bits */
	ADDRESSES = 2,
};

static bool is_mirror(const struct dust_rule *r)
{
	return r->agreed >= SAMPLES_MIN &&
	       100 * (uint64_t)r->disagreed <= DISAGREE_PERCENT * (uint64_t)r->agreed;
}

static slice origin_of(struct capture *c, uint32_t page)
{
	return hosts_at(&c->hosts, c->pages.list.ptr[page].host)->origin;
}

/* The rule that a host mirrors another one; DUST_NONE when there are too many. */
static int find_rule(struct capture *c, slice host, slice of, uint32_t *ret)
{
	uint32_t site;

	TRY(dust_site_of_name(&c->dust.dust, host, &site));
	return dust_rule_of(&c->dust.dust, site, DUST_MIRROR, of, ret);
}

/* ---- names and addresses ---- */

/* "mirror2.example.org" without its first label. */
static slice without_label(slice origin)
{
	slice rest = slice_sub(origin, 0, origin.len);

	(void)slice_take(&rest, ':');
	rest = slice_sub(rest, 2, rest.len);
	if (memchr(rest.ptr, '.', rest.len))
		(void)slice_take(&rest, '.');
	return rest;
}

static bool have_same_name(slice a, slice b)
{
	slice host_a = without_label(a), host_b = without_label(b);

	(void)slice_take(&a, '/');
	(void)slice_take(&b, '/');
	return slice_eq(a, b) || slice_eq(host_a, host_b) || slice_ends_with(a, host_b) ||
	       slice_ends_with(b, host_a);
}

static uint32_t address_of(const struct capture *c, const struct host *h)
{
	return c->hosts.servers->list.ptr[c->hosts.asked.ptr[h->server].number].address;
}

/* ---- leaving out ---- */

static int leave_out(struct capture *c, uint32_t page, uint32_t rule, struct err *err)
{
	struct crawl_page *p = &c->pages.list.ptr[page];
	struct dust_rule *r = &c->dust.dust.rules.ptr[rule];
	struct buf *text = &c->lane->dust.rule;

	buf_reset(text);
	TRY(err_code(err, buf_printf(text, "mirror of %.*s", (int)r->detail.len, r->detail.ptr)));
	u32_vec_push(&r->saved, page);
	r->applied = r->changed = true;
	if (p->taken)
		pages_count(&c->pages, p->kind, -1);
	p->taken = false;
	p->left_out = LEFT_OUT_MIRROR;
	capture_store(c, &(struct catalog_row){CATALOG_ROW_REFUSE_PAGE,
				 .page = &(struct catalog_page){.number = page,
					 .left_out = LEFT_OUT_MIRROR,
					 .rule = buf_slice(text)}});
	return 0;
}

/* Whether the same path is known on the host that is mirrored; the URL is in the scratch. */
static bool has_original(struct capture *c, slice of)
{
	struct dust_scratch *s = &c->lane->dust;
	slice rest = slice_sub(url_page(&s->url), s->url.authority_end, SIZE_MAX);
	uint32_t other;

	/* The origin has its port in any case, which a page's URL has not. */
	buf_reset(&s->text);
	return buf_add(&s->text, of) == 0 && buf_add(&s->text, rest) == 0 &&
	       url_parse(&s->other, buf_slice(&s->text), NULL, NULL) == 0 &&
	       pages_find(&c->pages, url_page(&s->other), &other) && c->pages.list.ptr[other].taken;
}

static bool may_leave(const struct crawl_page *p)
{
	return p->taken && !p->visited && !p->is_seed && !p->redirects &&
	       p->via != CATALOG_NO_PAGE && !page_kind_is_requisite(p->kind);
}

int mirrors_known(struct capture *c, uint32_t page, const struct url *url, struct err *err)
{
	const struct dust *d = &c->dust.dust;

	if (!c->dust.has_mirrors || !may_leave(&c->pages.list.ptr[page]))
		return 0;
	c->lane->dust.formed_in = 0;
	TRY(err_code(err, url_copy(&c->lane->dust.url, url)));
	for (uint32_t i = 0; i < d->rules.len; i++) {
		const struct dust_rule *r = &d->rules.ptr[i];

		if (r->kind == DUST_MIRROR && r->state == DUST_HOLDS &&
			slice_eq(d->sites.ptr[r->site].name, origin_of(c, page)) &&
			has_original(c, r->detail))
			return leave_out(c, page, i, err);
	}
	return 0;
}

static int take_back(struct capture *c, uint32_t rule, struct err *err)
{
	struct dust_rule *r = &c->dust.dust.rules.ptr[rule];
	struct u32_vec pages = r->saved;
	int rc = 0;

	r->state = DUST_WITHDRAWN;
	r->changed = true;
	r->saved = (struct u32_vec){0};
	for (size_t i = 0; rc == 0 && i < pages.len; i++)
		rc = dust_readmit(c, pages.ptr[i], "in: its host is no mirror after all", err);
	u32_vec_release(&pages);
	return rc;
}

/* ---- samples ---- */

static int sample(
	struct capture *c, uint32_t page, uint32_t other, enum dust_answer answer, struct err *err)
{
	uint32_t rule;
	struct dust_rule *r;

	TRY(err_code(err, find_rule(c, origin_of(c, page), origin_of(c, other), &rule)));
	if (rule == DUST_NONE || answer == DUST_UNKNOWN)
		return 0;
	r = &c->dust.dust.rules.ptr[rule];
	r->agreed += answer == DUST_AGREES;
	r->disagreed += answer == DUST_DISAGREES;
	const struct host *a = hosts_at(&c->hosts, c->pages.list.ptr[page].host);
	const struct host *b = hosts_at(&c->hosts, c->pages.list.ptr[other].host);

	uint32_t at = address_of(c, a), other_at = address_of(c, b);
	r->passed = (have_same_name(a->origin, b->origin) ? NAMES : 0U) |
		    (at != SERVER_NO_ADDRESS && at == other_at ? ADDRESSES : 0U);
	if (c->settings->mirrors != CRAWL_MIRRORS_SKIP)
		return 0;
	if (r->state == DUST_LEARNING && is_mirror(r) && r->disagreed == 0) {
		URL_SCOPED(url);

		/* A host turned out to mirror another one: pages that are not visited yet are left
		 * out. */
		c->dust.has_mirrors = true;
		c->dust.dust.rules.ptr[rule].state = DUST_HOLDS;
		for (uint32_t i = 0; i < c->pages.list.len; i++) {
			if (!may_leave(&c->pages.list.ptr[i]))
				continue;
			TRY(lane_check_stop(c->lane, err));
			TRY(pages_url(&c->pages, i, &c->lane->dust.text, err));
			TRY(url_parse(&url, buf_slice(&c->lane->dust.text), NULL, err));
			TRY(mirrors_known(c, i, &url, err));
		}
		return 0;
	}
	return r->state == DUST_HOLDS && !is_mirror(r) ? take_back(c, rule, err) : 0;
}

int mirrors_visited(struct capture *c, uint32_t page, const struct dust_look *look, struct err *err)
{
	uint64_t hash = dust_hash(&c->dust.dust,
		slice_sub(url_page(&c->lane->dust.url), c->lane->dust.url.authority_end, SIZE_MAX));
	struct nummap_entry *e;
	struct dust_look then;
	bool is_new;

	if (c->settings->mirrors == CRAWL_MIRRORS_OFF || !mirrors_are_possible(c))
		return 0;
	TRY(err_code(err, nummap_put(&c->dust.paths, hash, page, &e, &is_new)));
	if (is_new || c->pages.list.ptr[e->value].host == c->pages.list.ptr[page].host)
		return 0;
	TRY(dust_look_read(c, e->value, &then, err));
	return sample(c, page, e->value, dust_compare(look, &then, false), err);
}

bool mirrors_are_possible(const struct capture *c)
{
	return c->settings->mirrors != CRAWL_MIRRORS_OFF && c->hosts.asked.len > 1;
}

int mirrors_conclude(struct capture *c, struct err *err)
{
	struct dust *d = &c->dust.dust;

	for (uint32_t i = 0; i < d->rules.len; i++) {
		struct dust_rule *r = &d->rules.ptr[i];

		if (r->kind != DUST_MIRROR)
			continue;
		r->urls = r->saved.len;
		r->changed = is_mirror(r) || r->changed;
		if (!is_mirror(r) && r->state != DUST_WITHDRAWN)
			r->changed = false;
	}
	return dust_store_rules(c, err);
}
