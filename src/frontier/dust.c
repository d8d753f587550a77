#include "frontier/dust.h"

#include <stdlib.h>
#include <string.h>

enum {
	NAMES_MAX = 32 << 20, /* bytes of names of directories and parameters */
	DETAIL_MAX = 512, /* of the name of a parameter or a mirror: longer ones have no rules */
};

/* ---- entries by number ---- */

static struct dust_entry *slot_of(const struct dust_map *m, uint64_t hash)
{
	size_t at = (size_t)hash & (m->slot_count - 1);

	while (m->slots[at].page != DUST_NONE && m->slots[at].hash != hash)
		at = (at + 1) & (m->slot_count - 1);
	return &m->slots[at];
}

struct dust_entry *dust_map_find(const struct dust_map *m, uint64_t hash)
{
	struct dust_entry *e = m->slot_count ? slot_of(m, hash) : NULL;

	return e && e->page != DUST_NONE ? e : NULL;
}

static int grow(struct dust_map *m)
{
	struct dust_map larger = {.slot_count = m->slot_count ? 2 * m->slot_count : 64};

	if (4 * (m->len + 1) <= 3 * m->slot_count)
		return 0;
	larger.slots = malloc(larger.slot_count * sizeof *larger.slots);
	if (!larger.slots)
		return ERR_NOMEM;
	memset(larger.slots, 0xff, larger.slot_count * sizeof *larger.slots);
	for (size_t i = 0; i < m->slot_count; i++)
		if (m->slots[i].page != DUST_NONE)
			*slot_of(&larger, m->slots[i].hash) = m->slots[i];
	larger.len = m->len;
	free(m->slots);
	*m = larger;
	return 0;
}

int dust_map_put(
	struct dust_map *m, uint64_t hash, uint32_t page, struct dust_entry **ret, bool *ret_new)
{
	struct dust_entry *e;
	int rc = grow(m);

	if (rc)
		return rc;
	e = slot_of(m, hash);
	*ret_new = e->page == DUST_NONE;
	if (*ret_new) {
		*e = (struct dust_entry){hash, page, DUST_NONE};
		m->len++;
	}
	*ret = e;
	return 0;
}

void dust_map_release(struct dust_map *m)
{
	free(m->slots);
	*m = (struct dust_map){0};
}

uint64_t dust_hash(const struct dust *d, slice text)
{
	return hash_bytes(d->key, text);
}

/* ---- sites and rules ---- */

void dust_init(struct dust *d, struct hash_key key, bool is_eager)
{
	*d = (struct dust){.key = key, .is_eager = is_eager};
	arena_init_small(&d->arena, NAMES_MAX);
	strmap_init(&d->site_numbers, key, NULL);
	strmap_init(&d->tally_numbers, key, NULL);
	buf_init(&d->name, URL_MAX);
}

void dust_release(struct dust *d)
{
	for (size_t i = 0; i < d->sites.len; i++)
		slice_vec_release(&d->sites.ptr[i].parameters);
	for (size_t i = 0; i < d->rules.len; i++)
		u32_vec_release(&d->rules.ptr[i].saved);
	dust_sites_release(&d->sites);
	dust_rules_release(&d->rules);
	strmap_release(&d->site_numbers);
	strmap_release(&d->tally_numbers);
	dust_tallies_release(&d->tallies);
	dust_map_release(&d->classes);
	dust_map_release(&d->siblings);
	buf_release(&d->name);
	arena_release(&d->arena);
}

int dust_site_of_name(struct dust *d, slice name, uint32_t *ret)
{
	struct dust_site site = {0};
	int rc;

	if (strmap_get(&d->site_numbers, name, ret))
		return 0;
	site.name = (slice){arena_strdup(&d->arena, name), name.len};
	if (!site.name.ptr)
		return ERR_NOMEM;
	rc = dust_sites_push(&d->sites, site);
	*ret = (uint32_t)d->sites.len - 1;
	return rc ? rc : strmap_put(&d->site_numbers, site.name, *ret);
}

int dust_site(struct dust *d, const struct url *url, uint32_t *ret)
{
	int rc = dust_directory(&d->name, url);

	if (rc == 0 && d->sites.len >= DUST_SITES_MAX &&
		!strmap_get(&d->site_numbers, buf_slice(&d->name), ret)) {
		buf_reset(&d->name);
		rc = buf_add_str(&d->name, "other directories");
	}
	return rc ? rc : dust_site_of_name(d, buf_slice(&d->name), ret);
}

int dust_form_of(struct dust *d, struct buf *out, const struct url *url, struct dust_form *ret,
	bool *ret_has)
{
	struct dust_terms terms = {0};
	uint32_t site;
	int rc = dust_site(d, url, &site);

	if (rc)
		return rc;
	terms.off = d->sites.ptr[site].off;
	terms.parameters = &d->sites.ptr[site].parameters;
	return dust_form(out, url, &terms, ret, ret_has);
}

static uint32_t find_rule(const struct dust *d, uint32_t site, enum dust_kind kind, slice detail)
{
	uint32_t first = d->sites.ptr[site].rules[kind];

	for (size_t i = first ? first - 1 : d->rules.len; i < d->rules.len; i++) {
		const struct dust_rule *r = &d->rules.ptr[i];

		if (r->site == site && r->kind == kind && slice_eq(r->detail, detail))
			return (uint32_t)i;
	}
	return DUST_NONE;
}

bool dust_knows(const struct dust *d, uint32_t site, enum dust_kind kind, slice detail)
{
	return find_rule(d, site, kind, detail) != DUST_NONE;
}

/* The tally of a kind, which is added if it is new. */
static int find_tally(struct dust *d, enum dust_kind kind, slice detail, uint32_t *ret)
{
	slice name;
	int rc;

	buf_reset(&d->name);
	rc = buf_printf(&d->name, "%d %.*s", (int)kind, (int)detail.len, detail.ptr);
	if (rc || strmap_get(&d->tally_numbers, buf_slice(&d->name), ret))
		return rc;
	name = (slice){arena_strdup(&d->arena, buf_slice(&d->name)), d->name.len};
	rc = name.ptr ? dust_tallies_push(&d->tallies, (struct dust_tally){0}) : ERR_NOMEM;
	*ret = (uint32_t)d->tallies.len - 1;
	return rc ? rc : strmap_put(&d->tally_numbers, name, *ret);
}

int dust_rule_of(struct dust *d, uint32_t site, enum dust_kind kind, slice detail, uint32_t *ret)
{
	struct dust_site *s = &d->sites.ptr[site];
	bool is_tried = d->is_eager && kind != DUST_PARAMETER && kind != DUST_MIRROR;
	struct dust_rule rule = {.site = site,
		.kind = (uint8_t)kind,
		.state = is_tried ? DUST_TRIED : DUST_LEARNING};
	int rc;

	*ret = find_rule(d, site, kind, detail);
	if (*ret != DUST_NONE || d->rules.len >= DUST_RULES_MAX || detail.len > DETAIL_MAX ||
		(kind == DUST_PARAMETER && s->parameter_rules >= DUST_PARAMETERS_MAX))
		return 0;
	rc = find_tally(d, kind, detail, &rule.tally);
	if (rc)
		return rc;
	rule.detail = (slice){arena_strdup(&d->arena, detail), detail.len};
	rc = rule.detail.ptr ? dust_rules_push(&d->rules, rule) : ERR_NOMEM;
	if (rc)
		return rc;
	*ret = (uint32_t)d->rules.len - 1;
	d->tallies.ptr[rule.tally].rules++;
	s->parameter_rules += kind == DUST_PARAMETER;
	if (!s->rules[kind])
		s->rules[kind] = *ret + 1;
	return 0;
}

int dust_rule_name(const struct dust *d, uint32_t rule, struct buf *out)
{
	const struct dust_rule *r = &d->rules.ptr[rule];
	slice site = d->sites.ptr[r->site].name;

	return buf_printf(out, "%s%s%.*s at %.*s", dust_kind_name((enum dust_kind)r->kind),
		r->detail.len ? " " : "", (int)r->detail.len, r->detail.ptr, (int)site.len,
		site.ptr);
}

/* ---- differences ---- */

struct between {
	uint32_t *out;
	size_t max, count;
};

static int add_rule(
	struct dust *d, uint32_t site, enum dust_kind kind, slice detail, struct between *b)
{
	uint32_t rule;
	int rc = dust_rule_of(d, site, kind, detail, &rule);

	if (rc == 0 && (rule == DUST_NONE || b->count >= b->max))
		b->count = b->max + 1;
	else if (rc == 0)
		b->out[b->count++] = rule;
	return rc;
}

/* Parameters of a that b does not have, or not so; twice: only those that b lacks altogether. */
static int add_parameters(struct dust *d, uint32_t site, const struct dust_form *a,
	const struct dust_form *b, bool twice, struct between *ret)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < a->field_count; i++) {
		slice name = a->fields[i].name;
		bool has = false;

		for (size_t k = 0; k < b->field_count; k++)
			has = has || slice_eq(b->fields[k].name, name);
		if (a->fields[i].dropped && dust_form_differs_in(a, b, name) && !(twice && has))
			rc = add_rule(d, site, DUST_PARAMETER, name, ret);
	}
	return rc;
}

int dust_rules_between(struct dust *d, uint32_t site, const struct dust_form *a,
	const struct dust_form *b, uint32_t *out, size_t max, size_t *ret_count)
{
	unsigned kinds = dust_form_differences(a, b);
	struct between ret = {out, max, 0};
	int rc = 0;

	if (kinds == 0)
		kinds = 1U << DUST_SPELLING; /* of escapes in the same number */
	for (unsigned k = 0; rc == 0 && k < DUST_KIND_COUNT && ret.count <= max; k++)
		if (kinds >> k & 1 && k != DUST_PARAMETER)
			rc = add_rule(d, site, (enum dust_kind)k, SLICE(""), &ret);
	if (rc == 0 && kinds >> DUST_PARAMETER & 1 && ret.count <= max)
		rc = add_parameters(d, site, a, b, false, &ret);
	if (rc == 0 && kinds >> DUST_PARAMETER & 1 && ret.count <= max)
		rc = add_parameters(d, site, b, a, true, &ret);
	*ret_count = ret.count;
	return rc;
}

/* ---- states ---- */

static void forget_parameter(struct dust_site *s, slice name)
{
	for (size_t i = 0; i < s->parameters.len; i++)
		if (slice_eq(s->parameters.ptr[i], name)) {
			s->parameters.ptr[i] = s->parameters.ptr[--s->parameters.len];
			return;
		}
}

void dust_withdraw(struct dust *d, uint32_t rule)
{
	struct dust_rule *r = &d->rules.ptr[rule];

	r->state = DUST_WITHDRAWN;
	r->changed = true;
	if (r->kind == DUST_PARAMETER)
		forget_parameter(&d->sites.ptr[r->site], r->detail);
	else
		d->sites.ptr[r->site].off |= 1U << r->kind;
}

int dust_try(struct dust *d, uint32_t rule)
{
	struct dust_rule *r = &d->rules.ptr[rule];
	int rc = 0;

	if (r->kind == DUST_PARAMETER)
		rc = slice_vec_push(&d->sites.ptr[r->site].parameters, r->detail);
	if (rc)
		return rc;
	r->state = DUST_TRIED;
	r->changed = true;
	return 0;
}

static struct dust_value *find_value(struct dust_tally *t, uint64_t hash)
{
	for (uint32_t i = 0; i < t->value_count; i++)
		if (t->values[i].hash == hash)
			return &t->values[i];
	return NULL;
}

void dust_note_value(struct dust_tally *t, uint64_t hash, uint32_t page, uint32_t rule)
{
	if (t->value_count < DUST_VALUES_MAX && !find_value(t, hash))
		t->values[t->value_count++] =
			(struct dust_value){.hash = hash, .page = page, .rule = rule};
}

void dust_confirm_value(struct dust_tally *t, uint64_t hash)
{
	struct dust_value *v;

	dust_note_value(t, hash, DUST_NONE, DUST_NONE);
	v = find_value(t, hash);
	if (v)
		v->is_confirmed = true;
}

bool dust_value_is_confirmed(const struct dust_tally *t, uint64_t hash)
{
	uint32_t confirmed = 0;

	for (uint32_t i = 0; i < t->value_count; i++) {
		if (t->values[i].hash == hash)
			return t->values[i].is_confirmed;
		confirmed += t->values[i].is_confirmed;
	}
	return confirmed == DUST_VALUES_MAX;
}
