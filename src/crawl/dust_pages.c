/*
 * Which URLs are left out, and taken after all. A URL that differs from a page of its class by
 * rules that are tried or hold is left out. Seeds, what sitemaps name, and targets of redirects are
 * always taken: somebody wants them.
 */
#include "crawl/capture.h"

/* Prefix of the rule of a page that is left out. */
#define DUST "dust: "

void capture_dust_init(struct capture_dust *d, const struct crawl_settings *settings)
{
	*d = (struct capture_dust){.mode = (enum crawl_dust)settings->dust};
	if (settings->watch) /* it has no visits that end, before which all must be confirmed */
		d->mode = CRAWL_DUST_OFF;
	dust_init(&d->dust, hash_key_random(), d->mode == CRAWL_DUST_APPLY);
}

void capture_dust_release(struct capture_dust *d)
{
	dust_release(&d->dust);
	spill_release(&d->looks);
	dust_map_release(&d->shown);
	dust_map_release(&d->paths);
}

void dust_scratch_init(struct dust_scratch *s)
{
	*s = (struct dust_scratch){0};
	buf_init(&s->key, 2 * URL_MAX);
	buf_init(&s->other_key, 2 * URL_MAX);
	buf_init(&s->text, URL_MAX);
	buf_init(&s->rule, URL_MAX);
	url_init(&s->url);
	url_init(&s->other);
	url_init(&s->link);
}

void dust_scratch_release(struct dust_scratch *s)
{
	buf_release(&s->key);
	buf_release(&s->other_key);
	buf_release(&s->text);
	buf_release(&s->rule);
	url_release(&s->url);
	url_release(&s->other);
	url_release(&s->link);
}

/* ---- forms ---- */

/* Reads the URL of a page into url: 0, or why not. */
static int read_url(struct capture *c, uint32_t page, struct url *url, struct err *err)
{
	struct buf *text = &c->lane->dust.text;
	int rc = pages_url(&c->pages, page, text, err);

	return rc ? rc : url_parse(url, buf_slice(text), NULL, err);
}

int dust_form_of_page(struct capture *c, uint32_t page, bool *ret_has, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	int rc = read_url(c, page, &s->url, err);

	return rc ? rc
		  : err_code(err, dust_form_of(&c->dust.dust, &s->key, &s->url, &s->form, ret_has));
}

int dust_between(struct capture *c, uint32_t other, bool *ret_known, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	uint32_t site;
	bool has;
	int rc = read_url(c, other, &s->other, err);

	*ret_known = false;
	if (rc == 0)
		rc = err_code(err, dust_form_of(&c->dust.dust, &s->other_key, &s->other,
					   &s->other_form, &has));
	if (rc || !has || !slice_eq(s->form.key, s->other_form.key))
		return rc;
	rc = dust_site(&c->dust.dust, &s->url, &site);
	if (rc == 0)
		rc = dust_rules_between(&c->dust.dust, site, &s->form, &s->other_form, s->rules,
			DUST_BETWEEN_MAX, &s->rule_count);
	*ret_known = rc == 0 && s->rule_count > 0 && s->rule_count <= DUST_BETWEEN_MAX;
	return err_code(err, rc);
}

/* ---- decisions ---- */

static bool may_stand(struct capture *c, uint32_t page, struct err *err)
{
	const struct crawl_page *p = &c->pages.list.ptr[page];
	struct dust_look look;

	if (!p->taken)
		return false;
	if (!p->visited)
		return true;
	return dust_look_read(c, page, &look, err) == 0 && look.status >= 200 && look.status < 300;
}

/* All rules by which they differ are tried or hold. Print versions stand for nothing else. */
static bool are_trusted(const struct capture *c)
{
	const struct dust_scratch *s = &c->lane->dust;

	for (size_t i = 0; i < s->rule_count; i++) {
		const struct dust_rule *r = &c->dust.dust.rules.ptr[s->rules[i]];

		if (r->state != DUST_TRIED && r->state != DUST_HOLDS)
			return false;
		if (r->kind == DUST_PRINT && !s->form.traits[DUST_PRINT])
			return false;
	}
	return true;
}

/* How much was taken off to make the form. A directory is plainer with its slash. */
static unsigned ornaments(const struct dust_form *f)
{
	unsigned count = f->traits[DUST_SLASH] == 0;

	for (unsigned k = 0; k < DUST_KIND_COUNT; k++)
		count += k != DUST_SLASH && f->traits[k] != 0;
	for (size_t i = 0; i < f->field_count; i++)
		count += f->fields[i].dropped;
	return count;
}

/*
 * The plainer URL stands for its class, as long as the other one has not been visited. A print
 * version never stands for the page.
 */
static bool is_plainer(const struct capture *c, uint32_t than)
{
	const struct dust_scratch *s = &c->lane->dust;
	const struct crawl_page *p = &c->pages.list.ptr[than];

	if (s->other_form.traits[DUST_PRINT] && !s->form.traits[DUST_PRINT])
		return true;
	if (c->dust.is_concluding)
		return ornaments(&s->form) < ornaments(&s->other_form);
	return !p->visited && !p->is_seed && p->via != CATALOG_NO_PAGE && !p->redirects &&
	       ornaments(&s->form) < ornaments(&s->other_form);
}

/* The form of a URL is in the scratch: whether it is left out. self: its page, or DUST_NONE. */
static int judge(struct capture *c, uint32_t self, bool *ret_saved, struct err *err)
{
	struct dust *d = &c->dust.dust;
	const struct dust_entry *e =
		dust_map_find(&d->classes, dust_hash(d, c->lane->dust.form.key));
	bool known;
	int rc;

	*ret_saved = false;
	if (!e || e->page == self || !may_stand(c, e->page, err))
		return 0;
	rc = dust_between(c, e->page, &known, err);
	*ret_saved = rc == 0 && known && are_trusted(c) && !is_plainer(c, e->page);
	return rc;
}

static bool is_eligible(const struct found *f)
{
	return !page_kind_is_requisite(f->kind) && !f->is_seed && !f->is_redirect &&
	       f->via != CATALOG_NO_PAGE;
}

int dust_write_rule(struct capture *c, uint32_t rule, struct buf *out)
{
	int rc;

	buf_reset(out);
	rc = buf_add_str(out, DUST);

	return rc ? rc : dust_rule_name(&c->dust.dust, rule, out);
}

int dust_decide(struct capture *c, const struct found *f, struct buf *rule, bool *ret_saved,
	struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	uint32_t self = DUST_NONE;
	bool has = false;
	int rc = 0;

	*ret_saved = false;
	if (c->dust.mode != CRAWL_DUST_APPLY || !is_eligible(f))
		return 0;
	(void)pages_find(&c->pages, url_page(f->url), &self);
	rc = url_copy(&s->url, f->url);
	if (rc == 0)
		rc = dust_form_of(&c->dust.dust, &s->key, &s->url, &s->form, &has);
	if (rc == 0 && has)
		rc = judge(c, self, ret_saved, err);
	if (rc == 0 && *ret_saved)
		rc = dust_write_rule(c, s->rules[0], rule);
	return err_code(err, rc);
}

/* The rules of the scratch have one more page that they save; the first one is named. */
static int note_saved(struct capture *c, uint32_t page, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	struct dust_look look = {.rule = (uint16_t)(s->rules[0] + 1)};
	int rc = dust_look_write(c, page, &look, err);

	for (size_t i = 0; rc == 0 && i < s->rule_count; i++) {
		struct dust_rule *r = &c->dust.dust.rules.ptr[s->rules[i]];

		r->applied = r->changed = true;
		if (r->kind == DUST_PARAMETER)
			dust_note_value(&c->dust.dust.tallies.ptr[r->tally],
				dust_hash(&c->dust.dust, dust_form_value(&s->form, r->detail)),
				page, s->rules[i]);
		rc = err_code(err, u32_vec_push(&r->saved, page));
	}
	return rc;
}

static int leave_out(struct capture *c, uint32_t page, struct err *err);

/* The page is plainer than the one that stands for its class: that is left out in its place. */
static int replace(struct capture *c, struct dust_entry *e, uint32_t page, struct err *err)
{
	uint32_t old = e->page;
	bool known, has;
	int rc = dust_between(c, old, &known, err);

	if (rc || !known || !is_plainer(c, old))
		return rc;
	e->page = page;
	e->other = old;
	if (c->dust.is_concluding || c->pages.list.ptr[old].visited)
		return 0;
	rc = dust_form_of_page(c, old, &has, err);
	if (rc == 0)
		rc = dust_between(c, page, &known, err);
	return rc == 0 && known && are_trusted(c) ? leave_out(c, old, err) : rc;
}

/* Adds the page to its class; the form is in the scratch. */
static int add_to_class(struct capture *c, uint32_t page, struct err *err)
{
	struct dust *d = &c->dust.dust;
	struct dust_entry *e;
	bool is_new;
	int rc = dust_map_put(&d->classes, dust_hash(d, c->lane->dust.form.key), page, &e, &is_new);

	if (rc || is_new || e->page == page)
		return err_code(err, rc);
	if (!may_stand(c, e->page, err)) {
		e->other = e->page;
		e->page = page;
	} else if (e->other == DUST_NONE) {
		e->other = page;
	}
	return (c->dust.mode == CRAWL_DUST_APPLY || c->dust.is_concluding) && e->page != page
		       ? replace(c, e, page, err)
		       : 0;
}

/*
 * A parameter of which nothing is known is tried if the URL without it is known, too: the two can
 * be compared.
 */
static int try_parameters(struct capture *c, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	struct dust *d = &c->dust.dust;
	uint32_t site, rule = DUST_NONE;
	int rc = dust_site(d, &s->url, &site);

	for (size_t i = 0; rc == 0 && rule == DUST_NONE && i < s->form.field_count; i++) {
		slice name = s->form.fields[i].name;

		if (dust_knows(d, site, DUST_PARAMETER, name))
			continue;
		rc = dust_form_without(&s->other_key, &s->form, i);
		if (rc == 0 && dust_map_find(&d->classes, dust_hash(d, buf_slice(&s->other_key))))
			rc = dust_rule_of(d, site, DUST_PARAMETER, name, &rule);
	}
	if (rc || rule == DUST_NONE)
		return err_code(err, rc);
	rc = err_code(err, dust_try(d, rule));
	if (rc == 0)
		rc = dust_rebuild(c, err);
	return rc ? rc : dust_sweep(c, err);
}

static int note(struct capture *c, uint32_t page, const struct url *url, struct err *err);

int dust_note(struct capture *c, uint32_t page, const struct url *url, struct err *err)
{
	int rc = note(c, page, url, err);

	if (rc || c->dust.mode != CRAWL_DUST_APPLY || !url->has_query ||
		!c->pages.list.ptr[page].taken ||
		page_kind_is_requisite(c->pages.list.ptr[page].kind))
		return rc;
	return try_parameters(c, err);
}

static int note(struct capture *c, uint32_t page, const struct url *url, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	const struct crawl_page *p = &c->pages.list.ptr[page];
	bool has = false, saved;
	int rc;

	if (c->dust.mode == CRAWL_DUST_OFF || page_kind_is_requisite(p->kind) ||
		(!p->taken && p->left_out != LEFT_OUT_DUST))
		return 0;
	rc = url_copy(&s->url, url);
	if (rc == 0)
		rc = dust_form_of(&c->dust.dust, &s->key, &s->url, &s->form, &has);
	if (rc || !has)
		return err_code(err, rc);
	c->dust.has_prints = c->dust.has_prints || s->form.traits[DUST_PRINT];
	if (p->taken)
		return add_to_class(c, page, err);
	rc = judge(c, page, &saved, err);
	return rc || !saved ? rc : note_saved(c, page, err);
}

/* ---- when rules change ---- */

int dust_rebuild(struct capture *c, struct err *err)
{
	bool has;
	int rc = 0;

	dust_map_release(&c->dust.dust.classes);
	for (int visited = 1; visited >= 0; visited--)
		for (uint32_t i = 0; rc == 0 && i < c->pages.list.len; i++) {
			const struct crawl_page *p = &c->pages.list.ptr[i];

			if (!p->taken || (int)p->visited != visited ||
				page_kind_is_requisite(p->kind))
				continue;
			rc = lane_check_stop(c->lane, err);
			if (rc == 0)
				rc = dust_form_of_page(c, i, &has, err);
			if (rc == 0 && has)
				rc = add_to_class(c, i, err);
		}
	return rc;
}

static int leave_out(struct capture *c, uint32_t page, struct err *err)
{
	struct crawl_page *p = &c->pages.list.ptr[page];
	struct buf *rule = &c->lane->dust.rule;
	int rc;

	rc = err_code(err, dust_write_rule(c, c->lane->dust.rules[0], rule));
	if (rc == 0)
		rc = note_saved(c, page, err);
	if (rc)
		return rc;
	if (p->taken)
		pages_count(&c->pages, p->kind, -1);
	p->taken = false;
	p->left_out = LEFT_OUT_DUST;
	return capture_store(c,
		&(struct catalog_row){
			CATALOG_ROW_REFUSE_PAGE, .page = &(struct catalog_page){.number = page,
							 .left_out = LEFT_OUT_DUST,
							 .rule = buf_slice(rule)}},
		err);
}

int dust_sweep(struct capture *c, struct err *err)
{
	bool has, saved;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < c->pages.list.len; i++) {
		const struct crawl_page *p = &c->pages.list.ptr[i];

		if (!p->taken || p->visited || p->is_seed || p->via == CATALOG_NO_PAGE ||
			p->redirects || page_kind_is_requisite(p->kind))
			continue;
		rc = lane_check_stop(c->lane, err);
		if (rc == 0)
			rc = dust_form_of_page(c, i, &has, err);
		if (rc == 0 && has)
			rc = judge(c, i, &saved, err);
		if (rc == 0 && has && saved)
			rc = leave_out(c, i, err);
	}
	return rc;
}

int dust_readmit(struct capture *c, uint32_t page, const char *why, struct err *err)
{
	struct crawl_page *p = &c->pages.list.ptr[page];
	const struct crawl_settings *s = c->settings;
	struct url *url = &c->lane->dust.other;
	bool is_beyond = !pages_have_room(&c->pages, p->kind, 0, s->max_pages);
	int rc = read_url(c, page, url, err);

	if (rc || !left_out_is_repeat((enum left_out)p->left_out))
		return rc;
	if (is_beyond) {
		p->left_out = LEFT_OUT_MAX_PAGES;
		return capture_store(c,
			&(struct catalog_row){CATALOG_ROW_REFUSE_PAGE,
				.page = &(struct catalog_page){.number = page,
					.left_out = LEFT_OUT_MAX_PAGES,
					.rule = SLICE("out: --max-pages")}},
			err);
	}
	rc = err_code(err, capture_find_host(c, url, &p->host));
	if (rc)
		return rc;
	p->taken = true;
	p->left_out = LEFT_OUT_NOT;
	pages_count(&c->pages, p->kind, 1);
	rc = capture_store(c,
		&(struct catalog_row){CATALOG_ROW_ADMIT_PAGE,
			.page = &(struct catalog_page){.number = page, .rule = slice_str(why)}},
		err);
	if (rc == 0)
		rc = dust_note(c, page, url, err);
	if (rc)
		return rc;
	return p->planned ? journal_retry(c, page, err) : discover_admit(c, page, err);
}

int dust_review(struct capture *c, uint32_t rule, struct err *err)
{
	struct dust_rule *r = &c->dust.dust.rules.ptr[rule];
	struct u32_vec pages = r->saved;
	bool has, saved;
	int rc = 0;

	r->saved = (struct u32_vec){0};
	r->next = 0;
	for (size_t i = 0; rc == 0 && i < pages.len; i++) {
		if (c->pages.list.ptr[pages.ptr[i]].left_out != LEFT_OUT_DUST)
			continue;
		rc = dust_form_of_page(c, pages.ptr[i], &has, err);
		saved = false;
		if (rc == 0 && has)
			rc = judge(c, pages.ptr[i], &saved, err);
		if (rc == 0)
			rc = saved ? leave_out(c, pages.ptr[i], err)
				   : dust_readmit(c, pages.ptr[i],
					     "in: a rule that left it out was withdrawn", err);
	}
	u32_vec_release(&pages);
	return rc;
}
