/* Rules in the catalog: what report shows, and what resume needs. */
#include "crawl/capture.h"

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
	int rc;

	r->changed = false;
	buf_reset(name);
	rc = dust_rule_name(d, number, name);
	row.rule = buf_slice(name);
	if (rc)
		return err_code(err, rc);
	return capture_store(c, &(struct catalog_row){CATALOG_ROW_DUST, .dust = &row}, err);
}

int dust_store_rules(struct capture *c, struct err *err)
{
	const struct dust *d = &c->dust.dust;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < d->rules.len; i++)
		if (d->rules.ptr[i].changed)
			rc = store(c, i, err);
	return rc;
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
	const struct dust_entry *e;
	bool has, known = false;
	int rc = dust_form_of_page(c, page, &has, err);

	*ret = DUST_NONE;
	if (rc || !has)
		return rc;
	e = dust_map_find(&d->classes, dust_hash(d, s->form.key));
	if (e && e->page != page)
		rc = dust_between(c, e->page, &known, err);
	if (rc || !known)
		return rc;
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
	int rc = find_rule(c, page, ret, err);

	if (rc == 0)
		rc = dust_look_read(c, page, &look, err);
	if (rc || *ret == DUST_NONE || look.rule == *ret + 1)
		return rc;
	rc = err_code(err, dust_write_rule(c, *ret, text));
	if (rc)
		return rc;
	return capture_store(c,
		&(struct catalog_row){
			CATALOG_ROW_REFUSE_PAGE, .page = &(struct catalog_page){.number = page,
							 .left_out = LEFT_OUT_DUST,
							 .rule = buf_slice(text)}},
		err);
}

/* What rules would have saved, had they been applied from the beginning. */
static int try_all(struct capture *c, struct err *err)
{
	struct dust *d = &c->dust.dust;
	bool any = false;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < d->rules.len; i++)
		if (is_supported(&d->rules.ptr[i]) && d->rules.ptr[i].state == DUST_LEARNING) {
			any = true;
			rc = dust_try(d, i);
		}
	c->dust.is_concluding = true;
	return rc ? err_code(err, rc) : any ? dust_rebuild(c, err) : 0;
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
	int rc;

	if (row->kind >= DUST_KIND_COUNT || row->state >= DUST_STATE_COUNT ||
		(c->dust.mode == CRAWL_DUST_OFF && row->kind != DUST_MIRROR))
		return 0;
	rc = dust_site_of_name(d, row->site, &site);
	if (rc == 0)
		rc = dust_rule_of(d, site, (enum dust_kind)row->kind, row->detail, &rule);
	if (rc || rule == DUST_NONE)
		return rc;
	if (row->state == DUST_WITHDRAWN)
		dust_withdraw(d, rule);
	else if (row->state != DUST_LEARNING)
		rc = dust_try(d, rule);
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
	return rc;
}

/* What the page showed is not known any more, only how it answered. */
int dust_restore_visit(struct capture *c, const struct attempt *a, struct err *err)
{
	struct dust_look look = {.status = (uint16_t)a->status};
	int rc = dust_note_shown(c, a, err);

	return rc || c->dust.mode == CRAWL_DUST_OFF ? rc : dust_look_write(c, a->page, &look, err);
}
