/* What visited pages say for and against rules. */
#include "crawl/capture.h"

enum {
	FIELDS_MAX = 8,      /* of a query: pages with more say nothing about parameters */
	AGREE_PARAMETER = 2, /* pairs after which a parameter is tried */
};

/* ---- rules change ---- */

int dust_drop_rule(struct capture *c, uint32_t rule, struct err *err)
{
	bool was_used = c->dust.dust.rules.ptr[rule].state != DUST_LEARNING;
	int rc;

	if (c->dust.dust.rules.ptr[rule].state == DUST_WITHDRAWN)
		return 0;
	dust_withdraw(&c->dust.dust, rule);
	if (c->dust.dust.rules.ptr[rule].kind == DUST_PARAMETER && !was_used)
		return 0; /* no form used it */
	rc = dust_rebuild(c, err);
	return rc ? rc : dust_review(c, rule, err);
}

static int try_rule(struct capture *c, uint32_t rule, struct err *err)
{
	int rc = err_code(err, dust_try(&c->dust.dust, rule));

	if (rc == 0 && c->dust.dust.rules.ptr[rule].kind == DUST_PARAMETER)
		rc = dust_rebuild(c, err);
	return rc ? rc : dust_sweep(c, err);
}

static int agrees(struct capture *c, uint32_t rule, struct err *err)
{
	struct dust_rule *r = &c->dust.dust.rules.ptr[rule];

	r->agreed++;
	if (c->dust.mode != CRAWL_DUST_APPLY || r->state != DUST_LEARNING || r->disagreed ||
		(r->kind == DUST_PARAMETER && r->agreed < AGREE_PARAMETER))
		return 0;
	return try_rule(c, rule, err);
}

/*
 * Where some pages of a directory agreed and others did not, or where many directories are
 * exceptions, no page speaks for its directory.
 */
static void refute(struct dust_tally *t, const struct dust_rule *r)
{
	t->refuted++;
	if (r->agreed + r->passed > 0 || (t->refuted > 2 && 4 * t->refuted > t->rules))
		t->is_mixed = true;
}

/*
 * Two pages that differ by one rule decide it. Of several rules that are used one must be wrong,
 * and nobody knows which: all go. Rules that are not used yet will be seen alone.
 */
int dust_evidence(struct capture *c, enum dust_answer answer, struct err *err)
{
	uint32_t rules[DUST_BETWEEN_MAX];
	size_t count = c->lane->dust.rule_count;
	int rc = 0;

	if (answer == DUST_UNKNOWN)
		return 0;
	memcpy(rules, c->lane->dust.rules, sizeof rules); /* the scratch is used again */
	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct dust_rule *r = &c->dust.dust.rules.ptr[rules[i]];

		if (answer == DUST_AGREES) {
			rc = agrees(c, rules[i], err);
			continue;
		}
		if (count > 1 && r->state == DUST_LEARNING)
			continue;
		r->disagreed++;
		if (count == 1)
			refute(&c->dust.dust.tallies.ptr[r->tally], r);
		rc = dust_drop_rule(c, rules[i], err);
	}
	return rc;
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
	int rc = dust_between(c, other, &known, err);

	if (rc == 0 && known)
		rc = dust_look_read(c, other, &then, err);
	if (rc || !known)
		return rc;
	answer = dust_compare(look, &then, has_print_rule(c));
	return answer == DUST_DISAGREES && c->dust.mode == CRAWL_DUST_APPLY
		       ? dust_doubt(c, page, other, err)
		       : dust_evidence(c, answer, err);
}

static int compare_in_class(
	struct capture *c, uint32_t page, const struct dust_look *look, struct err *err)
{
	struct dust *d = &c->dust.dust;
	struct dust_entry *e = dust_map_find(&d->classes, dust_hash(d, c->lane->dust.form.key));
	uint32_t other;

	if (!e)
		return 0;
	other = e->page == page ? e->other : e->page;
	/* What was visited first stands for the others. */
	if (e->page != page && !c->pages.list.ptr[e->page].visited && look->status < 300) {
		e->other = e->page;
		e->page = page;
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

/* Two pages whose URLs are the same without one field each. */
static int compare_sibling(
	struct capture *c, const struct dust_look *look, uint32_t other, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	struct dust_look then;
	uint32_t site, rule;
	slice name;
	bool known;
	int rc = dust_between(c, other, &known, err); /* for its form; keys differ */

	name = only_difference(&s->form, &s->other_form);
	if (rc || !name.ptr)
		return rc;
	rc = dust_site(&c->dust.dust, &s->url, &site);
	if (rc || !is_only_difference(c, site))
		return err_code(err, rc);
	rc = dust_rule_of(&c->dust.dust, site, DUST_PARAMETER, name, &rule);
	if (rc || rule == DUST_NONE || c->dust.dust.rules.ptr[rule].state == DUST_WITHDRAWN)
		return err_code(err, rc);
	rc = dust_look_read(c, other, &then, err);
	if (rc)
		return rc;
	s->rules[0] = rule;
	s->rule_count = 1;
	return dust_evidence(c, dust_compare(look, &then, false), err);
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
		struct dust_entry *e;
		uint32_t other;
		bool is_new;

		if (i < count && s->form.fields[i].dropped)
			continue;
		rc = err_code(err, dust_form_without(&s->text, &s->form, i < count ? i : SIZE_MAX));
		if (rc == 0)
			rc = err_code(
				err, dust_map_put(&d->siblings, dust_hash(d, buf_slice(&s->text)),
					     page, &e, &is_new));
		if (rc || is_new || e->page == page)
			continue;
		other = e->page;
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
	struct dust_entry *e;
	bool is_new;
	int rc = dust_map_put(&c->dust.shown, hash, page, &e, &is_new);

	c->dust.is_repeat = c->dust.is_repeat || (rc == 0 && !is_new && e->page != page);
	return err_code(err, rc);
}

int dust_note_shown(struct capture *c, const struct attempt *a, struct err *err)
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
	const struct dust_entry *e = dust_map_find(&d->classes, dust_hash(d, form->key));

	return c->dust.mode == CRAWL_DUST_APPLY || form->field_count > 0 || c->dust.has_prints ||
	       mirrors_are_possible(c) || (e && e->other != DUST_NONE);
}

int dust_wants_text(struct capture *c, uint32_t page, bool *ret, struct err *err)
{
	bool has = false;
	int rc;

	*ret = false;
	if (page_kind_is_requisite(c->pages.list.ptr[page].kind) ||
		(c->dust.mode == CRAWL_DUST_OFF && !mirrors_are_possible(c)))
		return 0;
	rc = dust_form_of_page(c, page, &has, err);
	*ret = rc == 0 && has && wants_look(c);
	return rc;
}

int dust_visited(struct capture *c, const struct attempt *a, struct err *err)
{
	struct dust_look look = {.status = (uint16_t)a->status};
	bool has;
	int rc;

	c->dust.is_repeat = false;
	if (page_kind_is_requisite(c->pages.list.ptr[a->page].kind))
		return 0;
	rc = dust_note_shown(c, a, err);
	if (rc || (c->dust.mode == CRAWL_DUST_OFF && !mirrors_are_possible(c)))
		return rc;
	rc = dust_form_of_page(c, a->page, &has, err);
	if (rc || !has)
		return rc;
	if (a->status < 300 && a->has_payload && !a->truncated && wants_look(c)) {
		dust_look_take(c, &a->payload, &look);
		rc = note_shown(c, a->page, look.shown, err);
	}
	if (rc == 0)
		rc = dust_look_write(c, a->page, &look, err);
	if (rc == 0)
		rc = mirrors_visited(c, a->page, &look, err);
	if (rc || c->dust.mode == CRAWL_DUST_OFF)
		return rc;
	rc = dust_form_of_page(c, a->page, &has, err);
	if (rc == 0 && (look.status < 300 || look.status >= 400))
		rc = compare_in_class(c, a->page, &look, err);
	if (rc == 0)
		rc = dust_form_of_page(c, a->page, &has, err);
	if (rc == 0 && look.has_shown)
		rc = compare_siblings(c, a->page, &look, err);
	return rc ? rc : dust_check_due(c, err);
}

int dust_redirected(struct capture *c, uint32_t page, const struct url *target, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	uint32_t site;
	bool has, other_has;
	int rc;

	if (c->dust.mode == CRAWL_DUST_OFF || page_kind_is_requisite(c->pages.list.ptr[page].kind))
		return 0;
	rc = dust_form_of_page(c, page, &has, err);
	if (rc == 0)
		rc = err_code(err, dust_form_of(&c->dust.dust, &s->other_key, target,
					   &s->other_form, &other_has));
	if (rc || !has || !other_has || !slice_eq(s->form.key, s->other_form.key) ||
		slice_eq(url_page(&s->url), url_page(target)))
		return rc;
	rc = dust_site(&c->dust.dust, &s->url, &site);
	if (rc == 0)
		rc = dust_rules_between(&c->dust.dust, site, &s->form, &s->other_form, s->rules,
			DUST_BETWEEN_MAX, &s->rule_count);
	if (rc || s->rule_count > DUST_BETWEEN_MAX)
		return err_code(err, rc);
	return dust_evidence(c, DUST_AGREES, err);
}
