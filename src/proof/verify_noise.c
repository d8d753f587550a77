/*
 * Claims that a look shows the same as an earlier one but for noise, checked by comparing the two
 * bodies again. The earlier one is in a record that was read before.
 */
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "proof/noise_rules.h"
#include "proof/pair.h"
#include "proof/verify_run.h"

static bool rules_is_same(const struct rulebook *a, const struct rulebook *b)
{
	return a->off == b->off && slice_eq(buf_slice(&a->text), buf_slice(&b->text));
}

/* Files of one crawl have the same rules. */
static const struct rulebook *find(const struct verify *v, const struct rulebook *book)
{
	for (size_t i = v->books.len; i > 0; i--)
		if (rules_is_same(v->books.ptr[i - 1], book))
			return v->books.ptr[i - 1];
	return rules_is_same(rulebook_default(), book) ? rulebook_default() : NULL;
}

static void book_free(struct rulebook *book)
{
	rulebook_release(book);
	free(book);
}

const struct rulebook *verify_rules_record(
	struct verify *v, slice block, const struct verify_place *place)
{
	struct rulebook *book = mem_new(1, sizeof *book);
	const struct rulebook *known = NULL;
	struct err err = {0};
	int rc;

	rulebook_init(book);
	rc = rulebook_add_info(book, block);
	if (rc == 0)
		known = find(v, book);
	if (rc == 0 && !known)
		rc = rulebook_finish(book, "rules", &err);
	if (rc == 0 && !known) {
		verify_books_push(&v->books, book);
		return book;
	}
	book_free(book);
	if (rc)
		verify_note(v, (slice){0}, place,
			"its rules against noise cannot be read%s%s: not recomputed",
			err.text[0] ? ": " : "", err.text);
	return known ? known : rulebook_default();
}

void verify_rules_release(struct verify *v)
{
	for (size_t i = 0; i < v->books.len; i++)
		book_free(v->books.ptr[i]);
	verify_books_release(&v->books);
}

static struct attempt place_of(const struct verify *v, const struct evidence *e)
{
	return (struct attempt){.warc = words_text(&v->words, e->file),
		.offset = e->offset,
		.wall.sent = e->sent ? e->sent : e->date};
}

int verify_find_original(void *verify, slice id, struct attempt *ret, struct err *err)
{
	const struct verify *v = verify;
	struct evidence e;

	if (evidence_find(&v->evidence, id, &e) == EVIDENCE_NONE || e.is_revisit || e.is_compact)
		return err_set(err, ERR_NOTFOUND, "the record with its body is not there");
	*ret = place_of(v, &e);
	return 0;
}

/* Compares a look with an earlier one: false when one cannot be read. */
static bool compare(
	struct verify *v, const struct verify_claim *c, const struct evidence *of, struct pair *ret)
{
	struct attempt base = place_of(v, of), now = place_of(v, c->evidence);
	struct pair_terms terms = {.url = c->attempt->url, .book = c->book};
	struct look a = {0}, b = {0};
	struct look_source from = {
		.warc_dir = v->warc_dir, .find = verify_find_original, .context = v};
	struct err ignored = {0};
	bool is_read;
	int rc;

	*ret = (struct pair){0};
	now.wall.sent = c->attempt->wall.sent;
	rc = look_read(&a, &from, &base, &ignored);
	if (rc == 0)
		rc = c->records.len ? look_read_records(&b, &from, &now, c->records, &ignored)
				    : look_read(&b, &from, &now, &ignored);
	is_read = rc == 0;
	if (is_read && pair_compare(&a, &b, &terms, ret))
		*ret = (struct pair){0};
	look_release(&a);
	look_release(&b);
	return is_read;
}

static bool is_same(const struct pair *p)
{
	return p->explained && p->proof.duties.len == 0;
}

static const struct digest *class_of(const struct evidence *e)
{
	return e->has_class ? &e->class : &e->shown.state;
}

/* What is wrong with a claim; NULL: it holds. of is NULL when it is not there. */
static const char *find_fault(
	struct verify *v, const struct verify_claim *c, const struct evidence *of)
{
	char rules[PAIR_RULES_SIZE];
	const char *fault = NULL;
	struct pair pair;
	unsigned masked;

	if (c->attempt->rule_set == 0)
		return "its attempt says what a comparison found, but not by which rules";
	if (!of || !of->sound || !of->shown.has_state || !of->shown.whole ||
		of->url != c->evidence->url)
		return "the look that it was compared with is not there";
	if (!digest_eq(class_of(of), &c->attempt->class))
		return "the look that it was compared with is of another class";
	(void)compare(v, c, of, &pair);
	pair_describe(&pair, rules, &masked);
	if (!is_same(&pair))
		fault = "its attempt says that it differs by noise alone, the two bodies do not";
	else if (!slice_eq(slice_str(rules), c->attempt->rules) || masked != c->attempt->masked)
		fault = "its attempt says that other rules explain what differs";
	pair_release(&pair);
	return fault;
}

bool verify_claim(struct verify *v, const struct verify_claim *c)
{
	struct evidence of;
	bool is_there = evidence_find(&v->evidence, c->attempt->compared, &of) != EVIDENCE_NONE;
	const char *fault;

	if (c->attempt->rule_set == 1) /* counted by verify_old_claim */
		return true;
	if (c->attempt->rule_set > NOISE_RULES_VERSION) {
		v->not_recomputed++;
		return true;
	}
	fault = find_fault(v, c, is_there ? &of : NULL);
	if (!fault)
		return true;
	verify_lost(v, is_there || c->attempt->rule_set == 0 ? 0 : v->loss, c->attempt->url,
		c->place, "%s", fault);
	return false;
}

/* ---- rule set version 1 ---- */

static struct verify_base *base_of(struct verify *v, const struct attempt *a)
{
	struct verify_capture *c = verify_find_capture(v, a->capture);
	uint32_t page = verify_page(v, c, a->url);

	while (c->bases.len <= page)
		verify_bases_push(&c->bases, (struct verify_base){0});
	return &c->bases.ptr[page];
}

void verify_old_claim(
	struct verify *v, const struct verify_claim *c, const struct observation *shown)
{
	const struct attempt *a = c->attempt;
	bool is_second = a->leg == ATTEMPT_REVISIT || a->leg == ATTEMPT_LOOK;
	struct verify_base *base;
	struct evidence of;
	struct pair pair;
	enum same_by by;

	if (a->rule_set != 1 || !observation_is_usable(shown) ||
		(!is_second && a->leg != ATTEMPT_VISIT))
		return;
	base = base_of(v, a);
	by = base->evidence && is_second ? same_compare(&base->key, &shown->key) : SAME_NOT;
	if (by == SAME_NOT && !c->evidence->is_compact) {
		base->evidence = 1 + c->number;
		base->key = shown->key;
	}
	if (by != SAME_RULES || !evidence_get(&v->evidence, base->evidence - 1, &of))
		return;
	v->rule_set_1.claims++;
	if (!compare(v, c, &of, &pair))
		v->rule_set_1.not_recomputed++;
	else if (is_same(&pair))
		v->rule_set_1.hold++;
	else
		v->rule_set_1.do_not_hold++;
	pair_release(&pair);
}
