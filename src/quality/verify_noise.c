/*
 * Claims that a look shows the same as an earlier one but for noise, checked by comparing the two
 * bodies again. The earlier one is in a record that was read before.
 */
#include <limits.h>

#include "archive/compact_body.h"
#include "quality/pair.h"
#include "quality/verify_run.h"

static struct attempt place_of(const struct verify *v, const struct evidence *e)
{
	return (struct attempt){.warc = words_text(&v->words, e->file),
		.offset = e->offset,
		.wall.sent = e->sent ? e->sent : e->date};
}

int verify_find_original(void *verify, slice id, struct attempt *ret, struct err *err)
{
	const struct verify *v = verify;
	const struct evidence *e = evidence_find(&v->evidence, id);

	if (!e || e->is_revisit || e->is_compact)
		return err_set(err, ERR_NOTFOUND, "the record with its body is not there");
	*ret = place_of(v, e);
	return 0;
}

static struct look_source source_of(struct verify *v, const char *warc_dir)
{
	return (struct look_source){
		.warc_dir = warc_dir, .find = verify_find_original, .context = v};
}

/* Compares a look with an earlier one. *ret_read: both could be read. */
static int compare(struct verify *v, const struct verify_claim *c, const struct evidence *of,
	struct pair *ret, bool *ret_read)
{
	struct attempt base = place_of(v, of), now = place_of(v, c->evidence);
	struct pair_terms terms = {.url = c->attempt->url, .book = c->book};
	struct look a = {0}, b = {0};
	struct look_source from;
	struct err ignored = {0};
	struct buf dir;
	int rc;

	*ret = (struct pair){0};
	buf_init(&dir, PATH_MAX);
	rc = compact_dir(c->path, &dir);
	from = source_of(v, buf_str(&dir));
	now.wall.sent = c->attempt->wall.sent;
	if (rc == 0)
		rc = look_read(&a, &from, &base, &ignored);
	if (rc == 0)
		rc = c->records.len ? look_read_records(&b, &from, &now, c->records, &ignored)
				    : look_read(&b, &from, &now, &ignored);
	*ret_read = rc == 0;
	if (rc == 0)
		rc = pair_compare(&a, &b, &terms, ret);
	look_release(&a);
	look_release(&b);
	buf_release(&dir);
	return rc == ERR_NOMEM ? rc : 0;
}

static bool is_same(const struct pair *p)
{
	return p->explained && p->proof.duties.len == 0;
}

static const struct digest *class_of(const struct evidence *e)
{
	return e->has_class ? &e->class : &e->state;
}

/* What is wrong with a claim; NULL: it holds. */
static int find_fault(
	struct verify *v, const struct verify_claim *c, const struct evidence *of, const char **ret)
{
	char rules[PAIR_RULES_SIZE];
	struct pair pair;
	unsigned masked;
	bool is_read;
	int rc;

	*ret = "the look that it was compared with is not there";
	if (!of || !of->sound || !of->has_state || !of->whole || of->url != c->evidence->url)
		return 0;
	*ret = "the look that it was compared with is of another class";
	if (!digest_eq(class_of(of), &c->attempt->class))
		return 0;
	rc = compare(v, c, of, &pair, &is_read);
	pair_describe(&pair, rules, &masked);
	*ret = NULL;
	if (!is_same(&pair))
		*ret = "its attempt says that it differs by noise alone, the two bodies do not";
	else if (!slice_eq(slice_str(rules), c->attempt->rules) || masked != c->attempt->masked)
		*ret = "its attempt says that other rules explain what differs";
	pair_release(&pair);
	return rc;
}

int verify_claim(struct verify *v, const struct verify_claim *c, bool *ret)
{
	const struct evidence *of = evidence_find(&v->evidence, c->attempt->compared);
	const char *fault = NULL;
	int rc;

	if (c->attempt->rule_set == 1) /* counted by verify_old_claim */
		return 0;
	if (c->attempt->rule_set > NOISE_RULES_VERSION) {
		v->not_recomputed++;
		return 0;
	}
	if (c->attempt->rule_set == 0)
		fault = "its attempt says what a comparison found, but not by which rules";
	rc = fault ? 0 : find_fault(v, c, of, &fault);
	*ret = rc == 0 && !fault;
	if (rc || !fault)
		return rc;
	verify_blame(v, of || c->attempt->rule_set == 0 ? 0 : v->loss);
	rc = verify_problem(v, c->attempt->url, c->place, "%s", fault);
	verify_blame(v, 0);
	return rc;
}

/* ---- rule set version 1 ---- */

static int base_of(struct verify *v, const struct attempt *a, struct verify_base **ret)
{
	struct verify_capture *c;
	uint32_t page;
	int rc = verify_find_capture(v, a->capture, &c);

	if (rc == 0)
		rc = words_number(&c->urls, a->url, &page);
	while (rc == 0 && c->bases.len <= page)
		rc = verify_bases_push(&c->bases, (struct verify_base){0});
	if (rc == 0)
		*ret = &c->bases.ptr[page];
	return rc;
}

int verify_old_claim(
	struct verify *v, const struct verify_claim *c, const struct observation *shown)
{
	const struct attempt *a = c->attempt;
	struct verify_base *base;
	struct pair pair;
	bool is_read, is_second = a->leg == ATTEMPT_REVISIT || a->leg == ATTEMPT_LOOK;
	enum same_by by;
	int rc;

	if (a->rule_set != 1 || !observation_is_usable(shown) ||
		(!is_second && a->leg != ATTEMPT_VISIT))
		return 0;
	rc = base_of(v, a, &base);
	if (rc)
		return rc;
	by = base->evidence && is_second ? same_compare(&base->key, &shown->key) : SAME_NOT;
	if (by == SAME_NOT && !c->evidence->is_compact) {
		base->evidence = 1 + (uint32_t)(c->evidence - v->evidence.list.ptr);
		base->key = shown->key;
	}
	if (by != SAME_RULES)
		return 0;
	v->rule_set_1.claims++;
	rc = compare(v, c, &v->evidence.list.ptr[base->evidence - 1], &pair, &is_read);
	if (!is_read)
		v->rule_set_1.not_recomputed++;
	else if (is_same(&pair))
		v->rule_set_1.hold++;
	else
		v->rule_set_1.do_not_hold++;
	pair_release(&pair);
	return rc;
}
