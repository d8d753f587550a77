#include "proof/pair.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const slice CHANGED_IN = SLICE_INIT("changed-in=");
static const slice DUTIES = SLICE_INIT("duties=");

static bool same_heads(const struct look *a, const struct look *b)
{
	return a->status == b->status && a->types == 1 && b->types == 1 &&
	       slice_eq(buf_slice(&a->head), buf_slice(&b->head)) &&
	       slice_eq(buf_slice(&a->media_type), buf_slice(&b->media_type));
}

static const char *find_doubt(const struct look *a, const struct look *b, const struct proof *p)
{
	if (!a->whole || !b->whole)
		return "one of them is not whole";
	if (!a->readable || !b->readable)
		return "one of them could not be decoded";
	if (pair_may_be_cut(a->close_delimited || b->close_delimited, p))
		return "one of them may be cut off: only the end of the connection ended it";
	return NULL;
}

static struct proof_look side(const struct look *l)
{
	return (struct proof_look){.body = buf_slice(&l->body),
		.media_type = buf_slice(&l->media_type),
		.time = l->attempt->wall.sent};
}

int pair_compare(const struct look *a, const struct look *b, const struct pair_terms *terms,
	struct pair *ret)
{
	struct proof_params params = {.a = side(a),
		.b = side(b),
		.url = terms->url,
		.off = terms->book->off,
		.ignore = terms->book->has_ignore ? &terms->book->ignore : NULL,
		.learned = terms->learned,
		.all = true};
	int rc = proof_compare(&params, &ret->proof);

	ret->doubt = find_doubt(a, b, &ret->proof);
	ret->same_heads = same_heads(a, b);
	ret->explained =
		rc == 0 && !ret->doubt && ret->same_heads && ret->proof.same != PROOF_DIFFERENT;
	return rc;
}

void pair_release(struct pair *p)
{
	proof_release(&p->proof);
}

/* ---- the text ---- */

struct text {
	char *out;
	size_t len;
};

/* What does not fit is left out whole. */
SP_PRINTF(2, 3)
static void add(struct text *t, const char *format, ...)
{
	size_t room = PAIR_RULES_SIZE - t->len;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->out + t->len, room, format, args);
	va_end(args);
	if (n > 0 && (size_t)n < room)
		t->len += (size_t)n;
	t->out[t->len] = '\0';
}

static void list_rules(const struct proof *p, struct text *t)
{
	for (size_t i = 0; i < p->rules.len; i++)
		add(t, "%s%.*s=%" PRIu64, t->len ? " " : "", slice_shown(p->rules.ptr[i].name, 200),
			p->rules.ptr[i].name.ptr, p->rules.ptr[i].count);
}

static void list_changes(const struct proof *p, struct text *t)
{
	for (unsigned i = 0; i < PROOF_IN_COUNT; i++)
		if (p->changed_in >> i & 1)
			add(t, "%s%s", t->len ? "," : CHANGED_IN.ptr, proof_in_name(i));
}

void pair_describe(const struct pair *p, char rules[PAIR_RULES_SIZE], unsigned *ret_masked)
{
	struct text t = {.out = rules};
	double share = p->proof.masked > 0 ? p->proof.masked : 0;

	rules[0] = '\0';
	*ret_masked = share < 1 ? (unsigned)ceil(share * PAIR_MILLION) : PAIR_MILLION;
	if (p->explained && p->proof.duties.len)
		add(&t, "%s%zu", DUTIES.ptr, p->proof.duties.len);
	else if (p->explained)
		list_rules(&p->proof, &t);
	else if (p->proof.changed_in)
		list_changes(&p->proof, &t);
	else if (p->proof.limit)
		add(&t, "limit=1");
}

slice pair_changed_in(slice rules)
{
	return slice_starts_with(rules, CHANGED_IN) ? slice_sub(rules, CHANGED_IN.len, rules.len)
						    : (slice){0};
}

bool pair_has_duties(slice rules)
{
	return slice_starts_with(rules, DUTIES);
}
