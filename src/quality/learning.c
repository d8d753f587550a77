#include "quality/learning.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/parse.h"
#include "quality/page_kind.h"

/* Within which downloads are of one moment: what changes more slowly is a change. */
static const int64_t MOMENT = 30 * CLOCK_NS_PER_SECOND;

#define LEARNER_ARENA_MAX ((size_t)64 << 20)

bool learning_can_read(const struct attempt *a)
{
	return a->warc.ptr && !a->truncated && !a->retired && a->has_state && !a->close_delimited &&
	       a->status >= 200 && a->status < 400;
}

/* ---- learning ---- */

void learner_init(struct learner *l)
{
	*l = (struct learner){0};
	arena_init(&l->arena, LEARNER_ARENA_MAX);
	strmap_init(&l->index, hash_key_random(), &l->arena);
}

void learner_release(struct learner *l)
{
	learner_places_release(&l->places);
	strmap_release(&l->index);
	arena_release(&l->arena);
	*l = (struct learner){0};
}

/* The page teaches nothing about a place that differs, but not in a way that can be learned. */
static bool is_calm(const struct pair *p)
{
	if (p->doubt || !p->same_heads || p->proof.limit || p->proof.same == PROOF_BYTES)
		return false;
	for (size_t i = 0; i < p->proof.places.len; i++)
		if (!p->proof.places.ptr[i].rule.ptr && !p->proof.places.ptr[i].can_learn)
			return false;
	return true;
}

/* How often a place differs without an explanation. */
static size_t count_place(const struct proof *p, slice where)
{
	size_t count = 0;

	for (size_t i = 0; i < p->places.len; i++)
		count += !p->places.ptr[i].rule.ptr && slice_eq(p->places.ptr[i].where, where);
	return count;
}

static int note_place(struct learner *l, slice kind, slice url, slice where)
{
	struct learner_place place = {.pages = 1};
	struct buf key;
	uint32_t at;
	int rc;

	buf_init(&key, LEARNED_LINE_MAX);
	rc = buf_printf(&key, "%.*s %.*s", (int)kind.len, kind.ptr, (int)where.len, where.ptr);
	if (rc == 0 && strmap_get(&l->index, buf_slice(&key), &at)) {
		l->places.ptr[at].pages++;
	} else if (rc == 0) {
		place.kind = (slice){arena_strdup(&l->arena, kind), kind.len};
		place.url = (slice){arena_strdup(&l->arena, url), url.len};
		place.where = (slice){arena_strdup(&l->arena, where), where.len};
		rc = place.kind.ptr && place.url.ptr && place.where.ptr ? 0 : ERR_LIMIT;
		if (rc == 0)
			rc = strmap_put(&l->index, buf_slice(&key), (uint32_t)l->places.len);
		if (rc == 0)
			rc = learner_places_push(&l->places, place);
	}
	buf_release(&key);
	return rc == ERR_NOMEM ? rc : 0; /* what is too long is not learned */
}

enum { PAIRS_MAX = LEARNING_LOOKS_MAX * (LEARNING_LOOKS_MAX - 1) / 2 };

/* The downloads of a page, each compared with each. */
struct lesson {
	struct look looks[LEARNING_LOOKS_MAX];
	struct pair pairs[PAIRS_MAX];
	size_t look_count, pair_count;
};

static void lesson_free(struct lesson *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->look_count; i++)
		look_release(&x->looks[i]);
	for (size_t i = 0; i < x->pair_count; i++)
		pair_release(&x->pairs[i]);
	free(x);
}

static int lesson_read(struct lesson *x, const struct look_source *from,
	const struct learning_looks *looks, bool *ret_ok)
{
	struct pair_terms terms = {.url = looks->url, .book = looks->book};
	int rc = 0;

	*ret_ok = true;
	for (size_t i = 0; rc == 0 && i < looks->len; i++) {
		struct err ignored = {0};

		rc = look_read(&x->looks[x->look_count++], from, &looks->list[i], &ignored);
		*ret_ok = *ret_ok && rc == 0;
		rc = rc == ERR_NOMEM ? rc : 0;
	}
	for (size_t i = 0; rc == 0 && *ret_ok && i < looks->len; i++)
		for (size_t k = 0; rc == 0 && *ret_ok && k < i; k++) {
			rc = pair_compare(
				&x->looks[k], &x->looks[i], &terms, &x->pairs[x->pair_count]);
			*ret_ok = rc == 0 && is_calm(&x->pairs[x->pair_count++]);
		}
	return rc;
}

/* A place is learned that differs, once, in every pair: its value was new each time. */
static int lesson_learn(struct learner *l, const struct lesson *x, slice kind, slice url)
{
	const struct proof_places *places = &x->pairs[0].proof.places;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < places->len; i++) {
		bool always = !places->ptr[i].rule.ptr;

		for (size_t k = 0; always && k < x->pair_count; k++)
			always = count_place(&x->pairs[k].proof, places->ptr[i].where) == 1;
		if (always)
			rc = note_place(l, kind, url, places->ptr[i].where);
	}
	return rc;
}

void learning_add_probe(struct learning_looks *looks, const struct attempt *probe)
{
	int64_t apart = probe->wall.sent - looks->list[0].wall.sent;

	if (looks->len < LEARNING_LOOKS_MAX && apart >= 0 && apart <= MOMENT)
		looks->list[looks->len++] = *probe;
}

int learner_add(
	struct learner *l, const struct look_source *from, const struct learning_looks *looks)
{
	struct lesson *x;
	struct url parsed;
	struct buf kind;
	bool ok = false;
	int rc;

	if (looks->len < LEARNING_LOOKS_MIN)
		return 0;
	x = calloc(1, sizeof *x);
	url_init(&parsed);
	buf_init(&kind, PAGE_KIND_MAX);
	rc = x ? lesson_read(x, from, looks, &ok) : ERR_NOMEM;
	if (rc == 0 && ok && url_parse(&parsed, looks->url, NULL, NULL) == 0 &&
		page_kind(&parsed, &kind) == 0)
		rc = lesson_learn(l, x, buf_slice(&kind), looks->url);
	buf_release(&kind);
	url_release(&parsed);
	lesson_free(x);
	return rc;
}

int learner_finish(const struct learner *l, struct learned *ret)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->places.len; i++) {
		const struct learner_place *p = &l->places.ptr[i];
		bool is_shared = p->pages >= LEARNING_SUPPORT;

		rc = learned_add(ret, &(struct learned_rule){.kind = is_shared ? p->kind : p->url,
					      .where = p->where,
					      .pages = p->pages});
		rc = rc == ERR_NOMEM ? rc : 0; /* what cannot be written is not learned */
	}
	return rc;
}

/* ---- comparing ---- */

/* Reads two looks and compares them; what cannot be read differs. 0 or ERR_NOMEM. */
static int compare_looks(const struct look_source *from, const struct attempt *a,
	const struct attempt *b, const struct pair_terms *terms, struct pair *ret)
{
	struct look x = {0}, y = {0};
	struct err ignored = {0};
	int rc = look_read(&x, from, a, &ignored);

	*ret = (struct pair){0};
	if (rc == 0)
		rc = look_read(&y, from, b, &ignored);
	if (rc == 0)
		rc = pair_compare(&x, &y, terms, ret);
	look_release(&x);
	look_release(&y);
	return rc == ERR_NOMEM ? rc : 0;
}

static bool is_resource(const struct attempt *a)
{
	return learning_can_read(a) && a->status < 300;
}

/* Whether both resources of a duty were captured, and are the same. */
static int fulfil(const struct learning_terms *terms, const struct proof_duty *duty, bool *ret,
	struct err *err)
{
	struct attempt a, b;
	bool has_a = false, has_b = false;
	struct pair pair;
	int rc = terms->find(terms->context, duty->a, &a, &has_a, err);

	*ret = false;
	if (rc == 0)
		rc = terms->find(terms->context, duty->b, &b, &has_b, err);
	if (rc || !has_a || !has_b || !is_resource(&a) || !is_resource(&b))
		return rc;
	*ret = digest_eq(&a.state, &b.state);
	if (*ret)
		return 0;
	rc = compare_looks(terms->from, &a, &b,
		&(struct pair_terms){.url = duty->b, .book = terms->book}, &pair);
	*ret = rc == 0 && pair.explained && pair.proof.duties.len == 0;
	pair_release(&pair);
	return err_code(err, rc);
}

static int fulfil_all(const struct learning_terms *terms, const struct proof_duties *duties,
	bool *ret, struct err *err)
{
	int rc = 0;

	*ret = true;
	for (size_t i = 0; rc == 0 && *ret && i < duties->len; i++)
		rc = fulfil(terms, &duties->ptr[i], ret, err);
	return rc;
}

int learning_compare(const struct learning_terms *terms, const struct learning_pair *pair,
	struct learning_same *ret, struct err *err)
{
	struct proof_learned places;
	struct pair p = {0};
	bool any = false;
	int rc;

	*ret = (struct learning_same){0};
	proof_learned_init(&places);
	rc = learned_places(terms->rules, pair->url, &places, &any);
	if (rc == 0)
		rc = compare_looks(terms->from, pair->a, pair->b,
			&(struct pair_terms){.url = pair->url,
				.book = terms->book,
				.learned = any ? &places : NULL},
			&p);
	rc = err_code(err, rc);
	if (rc == 0 && p.explained)
		rc = fulfil_all(terms, &p.proof.duties, &ret->same, err);
	if (ret->same)
		p.proof.duties.len = 0; /* they are fulfilled: the rules are to be listed */
	if (rc == 0)
		pair_describe(&p, ret->rules, &ret->masked);
	pair_release(&p);
	proof_learned_release(&places);
	return rc;
}

/* ---- lines ---- */

int learning_rule_line(const struct learned_rule *rule, struct buf *out)
{
	int rc = buf_add_str(out, "rule ");

	return rc ? rc : learned_format(rule, out);
}

int learning_same_line(const struct learning_pair *pair, const struct digest *class,
	const struct learning_same *same, struct buf *out)
{
	char digest[DIGEST_TEXT_SIZE];
	size_t from;
	int rc;

	(void)digest_format(class, digest);
	rc = buf_printf(
		out, "same %u %u %s %u ", pair->a->number, pair->b->number, digest, same->masked);
	from = out->len;
	if (rc == 0)
		rc = buf_add_str(out, same->rules[0] ? same->rules : "-");
	for (size_t i = from; rc == 0 && i < out->len; i++)
		if (out->ptr[i] == ' ')
			out->ptr[i] = ',';
	return rc ? rc : buf_printf(out, " %.*s", (int)pair->url.len, pair->url.ptr);
}

static bool take_number(slice *left, unsigned *ret)
{
	uint64_t number;

	if (parse_u64(slice_take(left, ' '), &number) || number > UINT32_MAX)
		return false;
	*ret = (unsigned)number;
	return true;
}

static int parse_same(slice left, struct learning_line *ret)
{
	if (!take_number(&left, &ret->visit) || !take_number(&left, &ret->revisit) ||
		digest_parse(slice_take(&left, ' '), &ret->class) ||
		!take_number(&left, &ret->masked) || ret->masked > PAIR_MILLION)
		return ERR_SYNTAX;
	ret->rules = slice_take(&left, ' ');
	if (slice_eq(ret->rules, SLICE("-")))
		ret->rules.len = 0;
	ret->url = left;
	return left.len ? 0 : ERR_SYNTAX;
}

int learning_parse(slice line, struct learned *rules, struct learning_line *ret, bool *ret_is_same)
{
	slice left = line, word = slice_take(&left, ' ');

	*ret_is_same = slice_eq(word, SLICE("same"));
	if (*ret_is_same)
		return parse_same(left, ret);
	return slice_eq(word, SLICE("rule")) ? learned_parse(rules, left) : ERR_SYNTAX;
}
