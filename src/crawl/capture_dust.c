#include "crawl/capture_dust.h"

#include "crawl/capture.h"
#include "crawl/journal.h"
#include "text/similar.h"

/* ---- looks ---- */

/*
 * What a page shows, and whether two show the same. Where links lead counts by the form of the URL,
 * without what the page's own URL has in its query, too: pages with a session id pass it on.
 */

/* Of the words of a print version, so many must be in the page: percent. */
enum { CONTAINED_PERCENT = 90 };

static uint64_t look_offset(uint32_t page)
{
	return (uint64_t)page * sizeof(struct dust_look);
}

int dust_look_read(struct capture *c, uint32_t page, struct dust_look *ret, struct err *err)
{
	uint64_t at = look_offset(page);

	*ret = (struct dust_look){0};
	return at + sizeof *ret > c->dust.looks.size
		       ? 0
		       : spill_read(&c->dust.looks, at, ret, sizeof *ret, err);
}

int dust_look_write(struct capture *c, uint32_t page, const struct dust_look *look, struct err *err)
{
	return spill_write(&c->dust.looks, look_offset(page), look, sizeof *look, err);
}

/* ---- what a page shows ---- */

/* The page's own query has the field, too, or one of that name with another token. */
static bool is_passed_on(const struct dust_form *page, const struct dust_field *field)
{
	for (size_t i = 0; i < page->field_count; i++)
		if (slice_eq(page->fields[i].text, field->text) ||
			(slice_eq(page->fields[i].name, field->name) &&
				dust_is_token(page->fields[i].value) &&
				dust_is_token(field->value)))
			return true;
	return false;
}

/* Where a reference of the page in the scratch leads. */
static uint64_t target_hash(struct capture *c, slice ref)
{
	struct dust_scratch *s = &c->lane->dust;
	struct dust_terms terms = {0};
	bool has = false;

	if (ref.len == 0 || ref.ptr[0] == '#' || url_parse(&s->link, ref, &s->url, NULL) != 0 ||
		!url_is_http(&s->link))
		return dust_hash(&c->dust.dust, ref);
	/* Links within a site are the same on its mirrors. */
	terms.any_host = dust_is_same_site(&s->link, &s->url);
	if (dust_form(&s->other_key, &s->link, &terms, &s->link_form, &has) != 0 || !has)
		return dust_hash(&c->dust.dust, ref);
	for (size_t i = 0; i < s->link_form.field_count; i++)
		s->link_form.fields[i].dropped = is_passed_on(&s->form, &s->link_form.fields[i]);
	if (dust_form_without(&s->text, &s->link_form, SIZE_MAX))
		return 0;
	return dust_hash(&c->dust.dust, buf_slice(&s->text));
}

/* Styles and scripts have versions in their names, and canonical addresses are no content. */
static bool is_shown(enum link_kind kind)
{
	return kind == LINK_PAGE || kind == LINK_IMAGE || kind == LINK_MEDIA ||
	       kind == LINK_FRAME || kind == LINK_FORM;
}

void dust_look_take(struct capture *c, const struct reading *r, const struct digest *payload,
	struct dust_look *look)
{
	if (r->mode == READING_TEXT && r->is_read && !r->text.cut) {
		uint64_t hash = dust_hash(&c->dust.dust, buf_slice(&r->text.title));

		/* Its words, and where its links and images lead. */
		hash = words_mix(hash, dust_hash(&c->dust.dust, buf_slice(&r->text.text)));
		for (size_t i = 0; i < r->links.list.len; i++) {
			const struct link *l = &r->links.list.ptr[i];

			if (!is_shown(l->kind))
				continue;
			hash = words_mix(hash, (uint64_t)l->kind + 1);
			hash = words_mix(hash, target_hash(c, l->ref));
		}
		look->shown = hash;
		if (c->dust.has_prints || c->dust.mode == CRAWL_DUST_APPLY) {
			struct fingerprinter f;
			struct fingerprint print;

			fingerprinter_init(&f);
			fingerprinter_add(&f, buf_slice(&r->text.text));
			fingerprinter_finish(&f, &print);
			look->words = print.words;
			look->sketch = print.sketch;
		}
	} else {
		memcpy(&look->shown, payload->bytes, sizeof look->shown);
	}
	look->has_shown = true;
}

/* ---- comparing ---- */

/* The share of the smaller text's shingles that the larger one has, too. */
static double containment(const struct dust_look *a, const struct dust_look *b)
{
	double r = minhash_resemblance(&a->sketch, &b->sketch);
	double smaller = a->words < b->words ? a->words : b->words;

	return r / (1 + r) * ((double)a->words + b->words) / smaller;
}

static bool is_found(unsigned status)
{
	return status >= 200 && status < 300;
}

enum dust_answer dust_compare(const struct dust_look *a, const struct dust_look *b, bool is_print)
{
	if (a->status == 0 || b->status == 0)
		return DUST_UNKNOWN;
	if ((is_found(a->status) && same_is_missing(b->status)) ||
		(same_is_missing(a->status) && is_found(b->status)))
		return DUST_DISAGREES;
	if (!is_found(a->status) || !is_found(b->status) || !a->has_shown || !b->has_shown)
		return DUST_UNKNOWN;
	if (a->shown == b->shown)
		return DUST_AGREES;
	if (is_print && a->words && b->words && 100 * containment(a, b) >= CONTAINED_PERCENT)
		return DUST_AGREES;
	return DUST_DISAGREES;
}

/* ---- pages ---- */

/*
 * Which URLs are left out, and taken after all. A URL that differs from a page of its class by
 * rules that are tried or hold is left out. Seeds, what sitemaps name, and targets of redirects are
 * always taken: somebody wants them.
 */

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
	nummap_release(&d->shown);
	nummap_release(&d->paths);
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

	TRY(pages_url(&c->pages, page, text, err));
	return url_parse(url, buf_slice(text), NULL, err);
}

int dust_form_of_page(struct capture *c, uint32_t page, bool *ret_has, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;

	*ret_has = s->formed_has;
	if (s->formed_in == c->row.id && s->formed_in && s->formed == page &&
		s->formed_for == c->dust.dust.terms)
		return 0;
	s->formed_in = 0;
	TRY(read_url(c, page, &s->url, err));
	TRY(err_code(err, dust_form_of(&c->dust.dust, &s->key, &s->url, &s->form, ret_has)));
	s->formed_in = c->row.id;
	s->formed = page;
	s->formed_for = c->dust.dust.terms;
	s->formed_has = *ret_has;
	return 0;
}

int dust_between(struct capture *c, uint32_t other, bool *ret_known, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	uint32_t site;
	bool has;

	TRY(read_url(c, other, &s->other, err));
	*ret_known = false;
	TRY(err_code(
		err, dust_form_of(&c->dust.dust, &s->other_key, &s->other, &s->other_form, &has)));
	if (!has || !slice_eq(s->form.key, s->other_form.key))
		return 0;
	TRY(err_code(err, dust_site(&c->dust.dust, &s->url, &site)));
	TRY(err_code(err, dust_rules_between(&c->dust.dust, site, &s->form, &s->other_form,
				  s->rules, DUST_BETWEEN_MAX, &s->rule_count)));
	*ret_known = s->rule_count > 0 && s->rule_count <= DUST_BETWEEN_MAX;
	return 0;
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
	const struct nummap_entry *e =
		nummap_find(&d->classes, dust_hash(d, c->lane->dust.form.key));
	bool known;

	*ret_saved = false;
	if (!e || e->value == self || !may_stand(c, e->value, err))
		return 0;
	TRY(dust_between(c, e->value, &known, err));
	*ret_saved = known && are_trusted(c) && !is_plainer(c, e->value);
	return 0;
}

static bool is_eligible(const struct found *f)
{
	return !page_kind_is_requisite(f->kind) && !f->is_seed && !f->is_redirect &&
	       f->via != CATALOG_NO_PAGE;
}

/* Sets out to what the catalog says of a page that a rule leaves out. 0, ERR_NOMEM, ERR_LIMIT. */
static SP_MUST_CHECK int dust_write_rule(struct capture *c, uint32_t rule, struct buf *out)
{
	buf_reset(out);
	TRY(buf_add_str(out, DUST));

	return dust_rule_name(&c->dust.dust, rule, out);
}

int dust_decide(struct capture *c, const struct found *f, struct buf *rule, bool *ret_saved,
	struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	uint32_t self = DUST_NONE;
	bool has = false;

	*ret_saved = false;
	if (c->dust.mode != CRAWL_DUST_APPLY || !is_eligible(f))
		return 0;
	(void)pages_find(&c->pages, url_page(f->url), &self);
	s->formed_in = 0;
	TRY(err_code(err, url_copy(&s->url, f->url)));
	TRY(err_code(err, dust_form_of(&c->dust.dust, &s->key, &s->url, &s->form, &has)));
	if (has)
		TRY(err_code(err, judge(c, self, ret_saved, err)));
	if (*ret_saved)
		TRY(err_code(err, dust_write_rule(c, s->rules[0], rule)));
	return 0;
}

/* The rules of the scratch have one more page that they save; the first one is named. */
static int note_saved(struct capture *c, uint32_t page, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	struct dust_look look = {.rule = (uint16_t)(s->rules[0] + 1)};

	TRY(dust_look_write(c, page, &look, err));
	for (size_t i = 0; i < s->rule_count; i++) {
		struct dust_rule *r = &c->dust.dust.rules.ptr[s->rules[i]];

		r->applied = r->changed = true;
		if (r->kind == DUST_PARAMETER)
			dust_note_value(&c->dust.dust.tallies.ptr[r->tally],
				dust_hash(&c->dust.dust, dust_form_value(&s->form, r->detail)),
				page, s->rules[i]);
		u32_vec_push(&r->saved, page);
	}
	return 0;
}

static int leave_out(struct capture *c, uint32_t page, struct err *err);

/* The page is plainer than the one that stands for its class: that is left out in its place. */
static int replace(struct capture *c, struct nummap_entry *e, uint32_t page, struct err *err)
{
	uint32_t old = e->value;
	bool known, has;

	TRY(dust_between(c, old, &known, err));
	if (!known || !is_plainer(c, old))
		return 0;
	e->value = page;
	e->other = old;
	if (c->dust.is_concluding || c->pages.list.ptr[old].visited)
		return 0;
	TRY(dust_form_of_page(c, old, &has, err));
	TRY(dust_between(c, page, &known, err));
	return known && are_trusted(c) ? leave_out(c, old, err) : 0;
}

/* Adds the page to its class; the form is in the scratch. */
static int add_to_class(struct capture *c, uint32_t page, struct err *err)
{
	struct dust *d = &c->dust.dust;
	struct nummap_entry *e;
	bool is_new;

	TRY(err_code(err,
		nummap_put(&d->classes, dust_hash(d, c->lane->dust.form.key), page, &e, &is_new)));
	if (is_new || e->value == page)
		return 0;
	if (!may_stand(c, e->value, err)) {
		e->other = e->value;
		e->value = page;
	} else if (e->other == DUST_NONE) {
		e->other = page;
	}
	return (c->dust.mode == CRAWL_DUST_APPLY || c->dust.is_concluding) && e->value != page
		       ? replace(c, e, page, err)
		       : 0;
}

static SP_MUST_CHECK int dust_rebuild(struct capture *c, struct err *err);

static SP_MUST_CHECK int dust_sweep(struct capture *c, struct err *err);

/*
 * A parameter of which nothing is known is tried if the URL without it is known, too: the two can
 * be compared.
 */
static int try_parameters(struct capture *c, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	struct dust *d = &c->dust.dust;
	uint32_t site, rule = DUST_NONE;

	TRY(err_code(err, dust_site(d, &s->url, &site)));
	for (size_t i = 0; rule == DUST_NONE && i < s->form.field_count; i++) {
		slice name = s->form.fields[i].name;

		if (dust_knows(d, site, DUST_PARAMETER, name))
			continue;
		TRY(err_code(err, dust_form_without(&s->other_key, &s->form, i)));
		if (nummap_find(&d->classes, dust_hash(d, buf_slice(&s->other_key))))
			TRY(err_code(err, dust_rule_of(d, site, DUST_PARAMETER, name, &rule)));
	}
	if (rule == DUST_NONE)
		return 0;
	TRY(err_code(err, dust_try(d, rule)));
	TRY(dust_rebuild(c, err));
	return dust_sweep(c, err);
}

static int note(struct capture *c, uint32_t page, const struct url *url, struct err *err);

int dust_note(struct capture *c, uint32_t page, const struct url *url, struct err *err)
{
	TRY(note(c, page, url, err));
	if (c->dust.mode != CRAWL_DUST_APPLY || !url->has_query || !c->pages.list.ptr[page].taken ||
		page_kind_is_requisite(c->pages.list.ptr[page].kind))
		return 0;
	return try_parameters(c, err);
}

static int note(struct capture *c, uint32_t page, const struct url *url, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	const struct crawl_page *p = &c->pages.list.ptr[page];
	bool has = false, saved;

	if (c->dust.mode == CRAWL_DUST_OFF || page_kind_is_requisite(p->kind) ||
		(!p->taken && p->left_out != LEFT_OUT_DUST))
		return 0;
	s->formed_in = 0;
	TRY(err_code(err, url_copy(&s->url, url)));
	TRY(err_code(err, dust_form_of(&c->dust.dust, &s->key, &s->url, &s->form, &has)));
	if (!has)
		return 0;
	c->dust.has_prints = c->dust.has_prints || s->form.traits[DUST_PRINT];
	c->dust.has_fields = c->dust.has_fields || s->form.field_count > 0;
	if (p->taken)
		return add_to_class(c, page, err);
	TRY(judge(c, page, &saved, err));
	return !saved ? 0 : note_saved(c, page, err);
}

/* ---- when rules change ---- */

/* Forms have changed: finds all classes anew. */
static SP_MUST_CHECK int dust_rebuild(struct capture *c, struct err *err)
{
	bool has;

	nummap_release(&c->dust.dust.classes);
	for (int visited = 1; visited >= 0; visited--)
		for (uint32_t i = 0; i < c->pages.list.len; i++) {
			const struct crawl_page *p = &c->pages.list.ptr[i];

			if (!p->taken || (int)p->visited != visited ||
				page_kind_is_requisite(p->kind))
				continue;
			TRY(lane_check_stop(c->lane, err));
			TRY(dust_form_of_page(c, i, &has, err));
			if (has)
				TRY(add_to_class(c, i, err));
		}
	return 0;
}

static int leave_out(struct capture *c, uint32_t page, struct err *err)
{
	struct crawl_page *p = &c->pages.list.ptr[page];
	struct buf *rule = &c->lane->dust.rule;

	TRY(err_code(err, dust_write_rule(c, c->lane->dust.rules[0], rule)));
	TRY(note_saved(c, page, err));
	if (p->taken)
		pages_count(&c->pages, p->kind, -1);
	p->taken = false;
	p->left_out = LEFT_OUT_DUST;
	capture_store(c, &(struct catalog_row){CATALOG_ROW_REFUSE_PAGE,
				 .page = &(struct catalog_page){.number = page,
					 .left_out = LEFT_OUT_DUST,
					 .rule = buf_slice(rule)}});
	return 0;
}

/* A rule is tried: leaves out the pages that it saves and that are not visited yet. */
static SP_MUST_CHECK int dust_sweep(struct capture *c, struct err *err)
{
	bool has, saved;

	for (uint32_t i = 0; i < c->pages.list.len; i++) {
		const struct crawl_page *p = &c->pages.list.ptr[i];

		if (!p->taken || p->visited || p->is_seed || p->via == CATALOG_NO_PAGE ||
			p->redirects || page_kind_is_requisite(p->kind))
			continue;
		TRY(lane_check_stop(c->lane, err));
		TRY(dust_form_of_page(c, i, &has, err));
		if (has)
			TRY(judge(c, i, &saved, err));
		if (has && saved)
			TRY(leave_out(c, i, err));
	}
	return 0;
}

int dust_readmit(struct capture *c, uint32_t page, const char *why, struct err *err)
{
	struct crawl_page *p = &c->pages.list.ptr[page];
	const struct crawl_settings *s = c->settings;
	struct url *url = &c->lane->dust.other;
	bool is_beyond = !pages_have_room(&c->pages, p->kind, 0, s->max_pages);

	TRY(read_url(c, page, url, err));
	if (!left_out_is_repeat((enum left_out)p->left_out))
		return 0;
	if (is_beyond) {
		p->left_out = LEFT_OUT_MAX_PAGES;
		capture_store(c, &(struct catalog_row){CATALOG_ROW_REFUSE_PAGE,
					 .page = &(struct catalog_page){.number = page,
						 .left_out = LEFT_OUT_MAX_PAGES,
						 .rule = SLICE("out: --max-pages")}});
		return 0;
	}
	TRY(err_code(err, capture_find_host(c, url, &p->host)));
	p->taken = true;
	p->left_out = LEFT_OUT_NOT;
	pages_count(&c->pages, p->kind, 1);
	capture_store(
		c, &(struct catalog_row){CATALOG_ROW_ADMIT_PAGE,
			   .page = &(struct catalog_page){.number = page, .rule = slice_str(why)}});
	TRY(dust_note(c, page, url, err));
	return p->planned ? journal_retry(c, page, err) : discover_admit(c, page, err);
}

/* A rule was withdrawn: decides again the pages that it left out. */
static SP_MUST_CHECK int dust_review(struct capture *c, uint32_t rule, struct err *err)
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

/* ---- visits ---- */

/* What visited pages say for and against rules. */

enum {
	FIELDS_MAX = 8,      /* of a query: pages with more say nothing about parameters */
	AGREE_PARAMETER = 2, /* pairs after which a parameter is tried */
};

/* ---- rules change ---- */

int dust_drop_rule(struct capture *c, uint32_t rule, struct err *err)
{
	bool was_used = c->dust.dust.rules.ptr[rule].state != DUST_LEARNING;

	if (c->dust.dust.rules.ptr[rule].state == DUST_WITHDRAWN)
		return 0;
	dust_withdraw(&c->dust.dust, rule);
	if (c->dust.dust.rules.ptr[rule].kind == DUST_PARAMETER && !was_used)
		return 0; /* no form used it */
	TRY(dust_rebuild(c, err));
	return dust_review(c, rule, err);
}

static int agrees(struct capture *c, uint32_t rule, struct err *err)
{
	struct dust_rule *r = &c->dust.dust.rules.ptr[rule];

	r->agreed++;
	if (c->dust.mode != CRAWL_DUST_APPLY || r->state != DUST_LEARNING || r->disagreed ||
		(r->kind == DUST_PARAMETER && r->agreed < AGREE_PARAMETER))
		return 0;
	TRY(err_code(err, dust_try(&c->dust.dust, rule)));
	if (c->dust.dust.rules.ptr[rule].kind == DUST_PARAMETER)
		TRY(dust_rebuild(c, err));
	return dust_sweep(c, err);
}

/*
 * Two pages that differ by one rule decide it. Of several rules that are used one must be wrong,
 * and nobody knows which: all go. Rules that are not used yet will be seen alone.
 */
int dust_evidence(struct capture *c, enum dust_answer answer, struct err *err)
{
	uint32_t rules[DUST_BETWEEN_MAX];
	size_t count = c->lane->dust.rule_count;

	if (answer == DUST_UNKNOWN)
		return 0;
	memcpy(rules, c->lane->dust.rules, sizeof rules); /* the scratch is used again */
	for (size_t i = 0; i < count; i++) {
		struct dust_rule *r = &c->dust.dust.rules.ptr[rules[i]];

		if (answer == DUST_AGREES) {
			TRY(agrees(c, rules[i], err));
			continue;
		}
		if (count > 1 && r->state == DUST_LEARNING)
			continue;
		r->disagreed++;
		c->dust.disagreed++;
		if (count == 1) {
			struct dust_tally *t = &c->dust.dust.tallies.ptr[r->tally];

			/*
			 * Where some pages of a directory agreed and others did not, or where many
			 * directories are exceptions, no page speaks for its directory.
			 */
			t->refuted++;
			if (r->agreed + r->passed > 0 ||
				(t->refuted > 2 && 4 * t->refuted > t->rules))
				t->is_mixed = true;
		}
		TRY(dust_drop_rule(c, rules[i], err));
	}
	return 0;
}

/* ---- pages ---- */

static bool has_print_rule(const struct capture *c)
{
	const struct dust_scratch *s = &c->lane->dust;

	return s->form.traits[DUST_PRINT] != s->other_form.traits[DUST_PRINT];
}

/* The form of the page is in the scratch; the other one has been visited. */
static int compare_with(struct capture *c, uint32_t page, const struct dust_look *look,
	uint32_t other, struct err *err)
{
	enum dust_answer answer;
	struct dust_look then;
	bool known;

	TRY(dust_between(c, other, &known, err));
	if (known)
		TRY(dust_look_read(c, other, &then, err));
	if (!known)
		return 0;
	answer = dust_compare(look, &then, has_print_rule(c));
	return answer == DUST_DISAGREES && c->dust.mode == CRAWL_DUST_APPLY
		       ? dust_doubt(c, page, other, err)
		       : dust_evidence(c, answer, err);
}

static int compare_in_class(
	struct capture *c, uint32_t page, const struct dust_look *look, struct err *err)
{
	struct dust *d = &c->dust.dust;
	struct nummap_entry *e = nummap_find(&d->classes, dust_hash(d, c->lane->dust.form.key));
	uint32_t other;

	if (!e)
		return 0;
	other = e->value == page ? e->other : e->value;
	/* What was visited first stands for the others. */
	if (e->value != page && !c->pages.list.ptr[e->value].visited && look->status < 300) {
		e->other = e->value;
		e->value = page;
	}
	return other != DUST_NONE && c->pages.list.ptr[other].visited
		       ? compare_with(c, page, look, other, err)
		       : 0;
}

/* The one name by which two queries differ, or {0}. */
static slice only_difference(const struct dust_form *a, const struct dust_form *b)
{
	const struct dust_form *forms[] = {a, b};
	slice name = {0};

	for (unsigned f = 0; f < 2; f++)
		for (size_t i = 0; i < forms[f]->field_count; i++) {
			const struct dust_field *field = &forms[f]->fields[i];
			bool has = false;

			for (size_t k = 0; k < forms[!f]->field_count; k++)
				has = has || slice_eq(forms[!f]->fields[k].text, field->text);
			if (has || (name.ptr && slice_eq(name, field->name)))
				continue;
			if (name.ptr)
				return (slice){0};
			name = field->name;
		}
	return name;
}

/* The URLs differ in nothing else but in what is known to change nothing. */
static bool is_only_difference(const struct capture *c, uint32_t site)
{
	const struct dust_scratch *s = &c->lane->dust;
	const struct dust *d = &c->dust.dust;
	unsigned kinds = dust_form_differences(&s->form, &s->other_form);

	for (unsigned k = 0; k < DUST_KIND_COUNT; k++) {
		uint32_t rule = d->sites.ptr[site].rules[k];

		if (kinds >> k & 1 && k != DUST_ORDER &&
			(k == DUST_PARAMETER || k == DUST_PRINT || !rule ||
				d->rules.ptr[rule - 1].agreed + d->rules.ptr[rule - 1].passed == 0))
			return false;
	}
	return true;
}

static void confirm_value(
	struct capture *c, struct dust_tally *t, const struct dust_form *form, slice name)
{
	for (size_t i = 0; i < form->field_count; i++)
		if (slice_eq(form->fields[i].name, name))
			dust_confirm_value(t, dust_hash(&c->dust.dust, form->fields[i].text));
}

/* The forms of the scratch agree: the values that they have of the parameter change nothing. */
static void confirm_values(struct capture *c, uint32_t rule, slice name)
{
	const struct dust_scratch *s = &c->lane->dust;
	const struct dust_rule *r = &c->dust.dust.rules.ptr[rule];
	struct dust_tally *t = &c->dust.dust.tallies.ptr[r->tally];

	confirm_value(c, t, &s->form, name);
	confirm_value(c, t, &s->other_form, name);
	c->views.has_learned = c->views.has_learned || r->agreed + 1 >= VIEWS_LEARNED_PAIRS;
}

/* Two pages whose URLs are the same without one field each. */
static int compare_sibling(
	struct capture *c, const struct dust_look *look, uint32_t other, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	enum dust_answer answer;
	struct dust_look then;
	uint32_t site, rule;
	slice name;
	bool known;

	TRY(dust_between(c, other, &known, err)); /* for its form; keys differ */

	name = only_difference(&s->form, &s->other_form);
	if (!name.ptr)
		return 0;
	TRY(err_code(err, dust_site(&c->dust.dust, &s->url, &site)));
	if (!is_only_difference(c, site))
		return 0;
	TRY(err_code(err, dust_rule_of(&c->dust.dust, site, DUST_PARAMETER, name, &rule)));
	if (rule == DUST_NONE || c->dust.dust.rules.ptr[rule].state == DUST_WITHDRAWN)
		return 0;
	TRY(dust_look_read(c, other, &then, err));
	s->rules[0] = rule;
	s->rule_count = 1;
	answer = dust_compare(look, &then, false);
	if (answer == DUST_AGREES && c->dust.mode == CRAWL_DUST_LEARN)
		confirm_values(c, rule, name);
	return dust_evidence(c, answer, err);
}

static int compare_siblings(
	struct capture *c, uint32_t page, const struct dust_look *look, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	struct dust *d = &c->dust.dust;
	size_t count = s->form.field_count;
	bool has = true;
	int rc = 0;

	for (size_t i = 0; rc == 0 && has && i <= count && count <= FIELDS_MAX; i++) {
		struct nummap_entry *e;
		uint32_t other;
		bool is_new;

		if (i < count && s->form.fields[i].dropped)
			continue;
		rc = err_code(err, dust_form_without(&s->text, &s->form, i < count ? i : SIZE_MAX));
		if (rc == 0)
			rc = err_code(
				err, nummap_put(&d->siblings, dust_hash(d, buf_slice(&s->text)),
					     page, &e, &is_new));
		if (rc || is_new || e->value == page)
			continue;
		other = e->value;
		rc = compare_sibling(c, look, other, err);
		/* The comparison may have used the scratch, and changed the forms. */
		if (rc == 0)
			rc = dust_form_of_page(c, page, &has, err);
		count = s->form.field_count;
	}
	return rc;
}

static int note_shown(struct capture *c, uint32_t page, uint64_t hash, struct err *err)
{
	struct nummap_entry *e;
	bool is_new;
	int rc = nummap_put(&c->dust.shown, hash, page, &e, &is_new);

	c->dust.is_repeat = c->dust.is_repeat || (rc == 0 && !is_new && e->value != page);
	return err_code(err, rc);
}

/* Notes what a page shows; is_repeat tells whether another one shows the same. */
static SP_MUST_CHECK int dust_note_shown(
	struct capture *c, const struct attempt *a, struct err *err)
{
	uint64_t hash;

	c->dust.is_repeat = false;
	if (a->status >= 300 || !a->has_payload || a->truncated)
		return 0;
	memcpy(&hash, a->payload.bytes, sizeof hash);
	return note_shown(c, a->page, hash, err);
}

/* Looks are needed where there may be something to compare them with. */
static bool wants_look(struct capture *c)
{
	const struct dust *d = &c->dust.dust;
	const struct dust_form *form = &c->lane->dust.form;
	const struct nummap_entry *e = nummap_find(&d->classes, dust_hash(d, form->key));

	return c->dust.mode == CRAWL_DUST_APPLY || c->dust.has_fields || c->dust.has_prints ||
	       mirrors_are_possible(c) || (e && e->other != DUST_NONE);
}

int dust_wants_text(struct capture *c, const struct arrival *p, bool *ret_text, struct err *err)
{
	bool has = false;

	if (p->order->leg == PLAN_REVISIT || p->fetch->status >= 300 ||
		page_kind_is_requisite(c->pages.list.ptr[p->order->page].kind) ||
		(c->dust.mode == CRAWL_DUST_OFF && !mirrors_are_possible(c)))
		return 0;
	TRY(dust_form_of_page(c, p->order->page, &has, err));
	*ret_text = *ret_text || (has && wants_look(c));
	return 0;
}

int dust_visited(struct capture *c, const struct arrival *p, struct err *err)
{
	const struct attempt *a = &p->a;
	struct dust_look look = {.status = (uint16_t)a->status};
	bool has;

	if (p->order->leg == PLAN_REVISIT || stand_in_blocks(a->stand_in))
		return 0;
	c->dust.is_repeat = false;
	if (page_kind_is_requisite(c->pages.list.ptr[a->page].kind))
		return 0;
	TRY(dust_note_shown(c, a, err));
	if ((c->dust.mode == CRAWL_DUST_OFF && !mirrors_are_possible(c)))
		return 0;
	TRY(dust_form_of_page(c, a->page, &has, err));
	if (!has)
		return 0;
	if (a->status < 300 && a->has_payload && !a->truncated && wants_look(c)) {
		dust_look_take(c, p->reading, &a->payload, &look);
		TRY(note_shown(c, a->page, look.shown, err));
	}
	TRY(dust_look_write(c, a->page, &look, err));
	TRY(mirrors_visited(c, a->page, &look, err));
	if (c->dust.mode == CRAWL_DUST_OFF)
		return 0;
	TRY(dust_form_of_page(c, a->page, &has, err));
	if (look.status < 300 || look.status >= 400)
		TRY(compare_in_class(c, a->page, &look, err));
	TRY(dust_form_of_page(c, a->page, &has, err));
	if (look.has_shown)
		TRY(compare_siblings(c, a->page, &look, err));
	return dust_check_due(c, err);
}

int dust_redirected(struct capture *c, uint32_t page, const struct url *target, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	uint32_t site;
	bool has, other_has;

	if (c->dust.mode == CRAWL_DUST_OFF || page_kind_is_requisite(c->pages.list.ptr[page].kind))
		return 0;
	TRY(dust_form_of_page(c, page, &has, err));
	TRY(err_code(err,
		dust_form_of(&c->dust.dust, &s->other_key, target, &s->other_form, &other_has)));
	if (!has || !other_has || !slice_eq(s->form.key, s->other_form.key) ||
		slice_eq(url_page(&s->url), url_page(target)))
		return 0;
	TRY(err_code(err, dust_site(&c->dust.dust, &s->url, &site)));
	TRY(err_code(err, dust_rules_between(&c->dust.dust, site, &s->form, &s->other_form,
				  s->rules, DUST_BETWEEN_MAX, &s->rule_count)));
	if (s->rule_count > DUST_BETWEEN_MAX)
		return 0;
	return dust_evidence(c, DUST_AGREES, err);
}

/* ---- rows of the catalog ---- */

/* Rules in the catalog: what report shows, and what resume needs. */

static int store(struct capture *c, uint32_t number, struct err *err)
{
	const struct dust *d = &c->dust.dust;
	struct dust_rule *r = &d->rules.ptr[number];
	struct buf *name = &c->lane->dust.rule;
	struct catalog_dust row = {
		.number = number,
		.kind = r->kind,
		.site = d->sites.ptr[r->site].name,
		.detail = r->detail,
		.state = r->state,
		.agreed = r->agreed,
		.disagreed = r->disagreed,
		.passed = r->passed,
		.urls = r->urls,
		.applied = r->applied && r->state != DUST_WITHDRAWN,
	};

	r->changed = false;
	buf_reset(name);
	TRY(err_code(err, dust_rule_name(d, number, name)));
	row.rule = buf_slice(name);
	capture_store(c, &(struct catalog_row){CATALOG_ROW_DUST, .dust = &row});
	return 0;
}

int dust_store_rules(struct capture *c, struct err *err)
{
	const struct dust *d = &c->dust.dust;

	for (uint32_t i = 0; i < d->rules.len; i++)
		if (d->rules.ptr[i].changed)
			TRY(store(c, i, err));
	return 0;
}

/* ---- the end ---- */

static bool is_supported(const struct dust_rule *r)
{
	return r->kind != DUST_MIRROR && r->state != DUST_WITHDRAWN && r->disagreed == 0 &&
	       r->agreed + r->passed >= (r->kind == DUST_PARAMETER ? 2U : 1U);
}

/* Whether a rule says that a page repeats another one; which, if so. */
static int find_rule(struct capture *c, uint32_t page, uint32_t *ret, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	struct dust *d = &c->dust.dust;
	const struct nummap_entry *e;
	bool has, known = false;

	TRY(dust_form_of_page(c, page, &has, err));
	*ret = DUST_NONE;
	if (!has)
		return 0;
	e = nummap_find(&d->classes, dust_hash(d, s->form.key));
	if (e && e->value != page)
		TRY(dust_between(c, e->value, &known, err));
	if (!known)
		return 0;
	for (size_t i = 0; i < s->rule_count; i++)
		if (!is_supported(&d->rules.ptr[s->rules[i]]) ||
			(d->rules.ptr[s->rules[i]].kind == DUST_PRINT &&
				!s->form.traits[DUST_PRINT]))
			return 0;
	*ret = s->rules[0];
	return 0;
}

/* A page that was left out is named a rule by which it differs from the page that stands now. */
static int rename_rule(struct capture *c, uint32_t page, uint32_t *ret, struct err *err)
{
	struct buf *text = &c->lane->dust.rule;
	struct dust_look look;

	TRY(find_rule(c, page, ret, err));
	TRY(dust_look_read(c, page, &look, err));
	if (*ret == DUST_NONE || look.rule == *ret + 1)
		return 0;
	TRY(err_code(err, dust_write_rule(c, *ret, text)));
	capture_store(c, &(struct catalog_row){CATALOG_ROW_REFUSE_PAGE,
				 .page = &(struct catalog_page){.number = page,
					 .left_out = LEFT_OUT_DUST,
					 .rule = buf_slice(text)}});
	return 0;
}

/* What rules would have saved, had they been applied from the beginning. */
static int try_all(struct capture *c, struct err *err)
{
	struct dust *d = &c->dust.dust;
	bool any = false;

	for (uint32_t i = 0; i < d->rules.len; i++)
		if (is_supported(&d->rules.ptr[i]) && d->rules.ptr[i].state == DUST_LEARNING) {
			any = true;
			TRY(err_code(err, dust_try(d, i)));
		}
	c->dust.is_concluding = true;
	return any ? dust_rebuild(c, err) : 0;
}

int dust_conclude(struct capture *c, struct err *err)
{
	struct dust *d = &c->dust.dust;
	bool is_learning = c->dust.mode == CRAWL_DUST_LEARN, any = false;
	int rc = 0;

	if (c->dust.mode == CRAWL_DUST_OFF || d->rules.len == 0)
		return 0;
	if (is_learning)
		rc = try_all(c, err);
	for (size_t i = 0; i < d->rules.len; i++) {
		bool is_good = is_supported(&d->rules.ptr[i]);

		d->rules.ptr[i].urls = 0;
		d->rules.ptr[i].changed = is_good || d->rules.ptr[i].changed;
		any = any || is_good;
	}
	for (uint32_t i = 0; rc == 0 && any && i < c->pages.list.len; i++) {
		const struct crawl_page *p = &c->pages.list.ptr[i];
		uint32_t rule;

		if (page_kind_is_requisite(p->kind) ||
			!(is_learning ? p->taken : p->left_out == LEFT_OUT_DUST))
			continue;
		rc = lane_check_stop(c->lane, err);
		if (rc == 0)
			rc = is_learning ? find_rule(c, i, &rule, err)
					 : rename_rule(c, i, &rule, err);
		if (rc == 0 && rule != DUST_NONE)
			d->rules.ptr[rule].urls++;
	}
	return rc ? rc : dust_store_rules(c, err);
}

/* ---- resume ---- */

int dust_restore_rule(struct capture *c, const struct catalog_dust *row)
{
	struct dust *d = &c->dust.dust;
	struct dust_rule *r;
	uint32_t site, rule;

	if (row->kind >= DUST_KIND_COUNT || row->state >= DUST_STATE_COUNT ||
		(c->dust.mode == CRAWL_DUST_OFF && row->kind != DUST_MIRROR))
		return 0;
	TRY(dust_site_of_name(d, row->site, &site));
	TRY(dust_rule_of(d, site, (enum dust_kind)row->kind, row->detail, &rule));
	if (rule == DUST_NONE)
		return 0;
	if (row->state == DUST_WITHDRAWN)
		dust_withdraw(d, rule);
	else if (row->state != DUST_LEARNING)
		TRY(dust_try(d, rule));
	r = &d->rules.ptr[rule];
	r->state = (uint8_t)row->state;
	r->agreed = row->agreed;
	r->disagreed = row->disagreed;
	r->passed = row->passed;
	d->tallies.ptr[r->tally].passed += row->passed;
	d->tallies.ptr[r->tally].refuted += row->disagreed > 0;
	r->applied = row->applied;
	r->changed = false;
	c->dust.has_mirrors =
		c->dust.has_mirrors || (r->kind == DUST_MIRROR && r->state == DUST_HOLDS);
	return 0;
}

/* What the page showed is not known any more, only how it answered. */
int dust_restore_visit(struct capture *c, const struct attempt *a, struct err *err)
{
	struct dust_look look = {.status = (uint16_t)a->status};

	TRY(dust_note_shown(c, a, err));
	return c->dust.mode == CRAWL_DUST_OFF ? 0 : dust_look_write(c, a->page, &look, err);
}
