#include "proof/learning.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/parse.h"
#include "proof/page_kind.h"

/* Within which downloads are of one moment: what changes more slowly is a change. */
static const int64_t MOMENT = 30 * CLOCK_NS_PER_SECOND;

#define LEARNER_ARENA_MAX ((size_t)64 << 20)

enum {
	PAIRS_MAX = LEARNING_LOOKS_MAX * (LEARNING_LOOKS_MAX - 1) / 2,
	PLACES_MAX = 1000, /* that differ; with more, something else is going on */
};

bool learning_can_read(const struct attempt *a)
{
	return a->warc.ptr && !a->truncated && !a->retired && a->has_state && a->status >= 200 &&
	       a->status < 400;
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
	for (size_t i = 0; i < l->places.len; i++)
		learned_values_release(&l->places.ptr[i].values);
	learner_places_release(&l->places);
	strmap_release(&l->index);
	arena_release(&l->arena);
	*l = (struct learner){0};
}

/* The page teaches nothing about a place that differs, but not in a way that can be learned. */
static bool is_calm(const struct pair *p)
{
	if (p->doubt || !p->same_heads || p->proof.limit || p->proof.same == PROOF_BYTES ||
		p->proof.places.len > PLACES_MAX)
		return false;
	for (size_t i = 0; i < p->proof.places.len; i++)
		if (!p->proof.places.ptr[i].rule.ptr && !p->proof.places.ptr[i].can_learn)
			return false;
	return true;
}

/* The place of that key, of those that no rule explains; NULL: it does not differ. */
static const struct proof_place *find_place(const struct proof *p, slice key)
{
	for (size_t i = 0; i < p->places.len; i++)
		if (p->places.ptr[i].key.ptr && slice_eq(p->places.ptr[i].key, key))
			return &p->places.ptr[i];
	return NULL;
}

/* The entry of a place, made where there is none. 0, ERR_LIMIT (too long to learn), ERR_NOMEM. */
static int place_entry(struct learner *l, slice kind, slice where, struct learner_place **ret)
{
	struct learner_place place = {0};
	struct buf key;
	uint32_t at = (uint32_t)l->places.len;
	int rc;

	buf_init(&key, LEARNED_LINE_MAX);
	rc = buf_printf(&key, "%.*s %.*s", (int)kind.len, kind.ptr, (int)where.len, where.ptr);
	if (rc == 0 && !strmap_get(&l->index, buf_slice(&key), &at)) {
		place.kind = (slice){arena_strdup(&l->arena, kind), kind.len};
		place.where = (slice){arena_strdup(&l->arena, where), where.len};
		rc = place.kind.ptr && place.where.ptr ? 0 : ERR_LIMIT;
		if (rc == 0)
			rc = strmap_put(&l->index, buf_slice(&key), at);
		if (rc == 0)
			rc = learner_places_push(&l->places, place);
	}
	buf_release(&key);
	if (rc == 0)
		*ret = &l->places.ptr[at];
	return rc;
}

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

/* Number of the pair of the first look and another one. */
static size_t pair_with_first(size_t look)
{
	return look * (look - 1) / 2;
}

/* What the place shows in each of the looks. */
static int note_values(struct learner *l, const struct lesson *x, slice key,
	const struct learning_looks *looks, struct learner_place *place)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->look_count; i++) {
		const struct proof_place *p =
			find_place(&x->pairs[pair_with_first(i ? i : 1)].proof, key);
		slice text = i ? p->b : p->a;
		struct learned_value v = {
			.page = place->pages, .text = {arena_strdup(&l->arena, text), text.len}};

		if (i)
			v.apart = (double)(looks->list[i].wall.first_byte -
					   looks->list[i - 1].wall.sent) /
				  (double)CLOCK_NS_PER_SECOND;
		if (i && v.apart <= 0)
			v.apart = INFINITY; /* clocks that cannot be right prove nothing */
		rc = v.text.ptr ? learned_values_push(&place->values, v) : ERR_LIMIT;
	}
	return rc;
}

static int note_place(struct learner *l, const struct lesson *x, slice key, slice kind,
	const struct learning_looks *looks)
{
	struct learner_place *place;
	bool always = true;
	int rc = place_entry(l, kind, key, &place);

	for (size_t i = 0; rc == 0 && always && i < x->pair_count; i++)
		always = find_place(&x->pairs[i].proof, key) != NULL;
	if (rc == 0 && always) {
		place->pages++;
		rc = note_values(l, x, key, looks, place);
	} else if (rc == 0) {
		place->came_again = true;
	}
	return rc == ERR_NOMEM ? rc : 0; /* what is too long is not learned */
}

/* Whether an earlier pair has told of a place already. */
static bool is_noted(const struct lesson *x, size_t pair, slice key)
{
	for (size_t i = 0; i < pair; i++)
		if (find_place(&x->pairs[i].proof, key))
			return true;
	return false;
}

/* A place that differs in every pair was new each time; one that differs in some came again. */
static int lesson_learn(
	struct learner *l, const struct lesson *x, slice kind, const struct learning_looks *looks)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->pair_count; i++) {
		const struct proof_places *places = &x->pairs[i].proof.places;

		for (size_t k = 0; rc == 0 && k < places->len; k++)
			if (places->ptr[k].key.ptr && !is_noted(x, i, places->ptr[k].key))
				rc = note_place(l, x, places->ptr[k].key, kind, looks);
	}
	return rc;
}

void learning_add_probe(struct learning_looks *looks, const struct attempt *probe)
{
	int64_t apart = probe->wall.sent - looks->list[0].wall.sent;
	size_t at = looks->len;

	if (looks->len >= LEARNING_LOOKS_MAX || apart < 0 || apart > MOMENT)
		return;
	/* Probes are numbered as they were wanted; what counts is when they were made. */
	for (; at > 1 && looks->list[at - 1].wall.sent > probe->wall.sent; at--)
		looks->list[at] = looks->list[at - 1];
	looks->list[at] = *probe;
	looks->len++;
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
		rc = lesson_learn(l, x, buf_slice(&kind), looks);
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

		if (p->came_again || !learned_values_are_drawn(p->values.ptr, p->values.len))
			continue;
		rc = learned_add(
			ret, &(struct learned_rule){
				     .kind = p->kind, .where = p->where, .pages = p->pages});
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
