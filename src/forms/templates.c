#include "forms/templates.h"

static const double DECAY = 0.7;        /* of earlier gains */
static const double INFORMATIVE = 0.25; /* share of queries: Madhavan et al. have 0.2 to 0.25 */

void templates_release(struct templates *t)
{
	query_template_vec_release(&t->list);
}

int templates_add(struct templates *t, const struct template_fields *of, bool has_values)
{
	if (t->list.len >= TEMPLATES_MAX || (has_values && of->values == 0))
		return 0;
	return query_template_vec_push(&t->list, (struct query_template){.of = *of});
}

static bool is_informative(const struct query_template *q)
{
	return q->queries > 0 && q->informative >= INFORMATIVE * q->queries;
}

/* Two fields of a form with a limited number of values each, both of them used up. */
static bool may_combine(const struct query_template *a, const struct query_template *b)
{
	return a != b && a->of.form == b->of.form && a->has_ended && b->has_ended &&
	       !a->is_combined && !b->is_combined && a->of.values > 0 && b->of.values > 0 &&
	       a->of.second == TEMPLATE_NO_FIELD && b->of.second == TEMPLATE_NO_FIELD &&
	       is_informative(a) && is_informative(b);
}

/* All templates of one field have ended: combines two. *ret_any: there was something to combine. */
static int combine(struct templates *t, bool *ret_any)
{
	*ret_any = false;
	for (size_t i = 0; i < t->list.len; i++)
		for (size_t k = i + 1; k < t->list.len; k++) {
			struct query_template *a = &t->list.ptr[i], *b = &t->list.ptr[k];
			struct template_fields of = a->of;

			if (!may_combine(a, b))
				continue;
			a->is_combined = b->is_combined = true;
			of.second = b->of.first;
			of.values_second = b->of.values;
			*ret_any = true;
			return templates_add(t, &of, true);
		}
	return 0;
}

/* Those that were never asked come first, in their order. */
static bool is_better(const struct query_template *q, const struct query_template *than)
{
	if ((q->queries == 0) != (than->queries == 0))
		return q->queries == 0;
	return q->queries > 0 && q->gain > than->gain;
}

static bool find(const struct templates *t, uint32_t *ret)
{
	bool any = false;

	for (uint32_t i = 0; i < t->list.len; i++)
		if (!t->list.ptr[i].has_ended &&
			(!any || is_better(&t->list.ptr[i], &t->list.ptr[*ret]))) {
			any = true;
			*ret = i;
		}
	return any;
}

int templates_next(struct templates *t, uint32_t *ret, bool *ret_any)
{
	bool combined = true;
	int rc = 0;

	*ret_any = find(t, ret);
	while (rc == 0 && !*ret_any && combined) {
		rc = combine(t, &combined);
		*ret_any = find(t, ret);
	}
	return rc;
}

void templates_advance(struct templates *t, uint32_t number)
{
	struct query_template *q = &t->list.ptr[number];
	uint64_t values = (uint64_t)q->of.values *
			  (q->of.second == TEMPLATE_NO_FIELD ? 1 : q->of.values_second);

	q->next++;
	if (q->of.values && q->next >= values)
		q->has_ended = true;
}

void templates_answered(struct templates *t, uint32_t number, double gain, bool informative)
{
	struct query_template *q = &t->list.ptr[number];

	q->gain = q->queries ? DECAY * q->gain + (1 - DECAY) * gain : gain;
	q->queries++;
	q->informative += informative;
	q->idle = gain > 0 ? 0 : q->idle + 1;
	/* Words that nobody has written say nothing about a field of words. */
	if (q->idle >= (q->of.values ? TEMPLATE_IDLE : TEMPLATE_IDLE_WORDS) ||
		(q->of.values && q->queries >= TEMPLATE_TESTS && !is_informative(q)))
		q->has_ended = true;
}

void templates_end(struct templates *t, uint32_t number)
{
	t->list.ptr[number].has_ended = true;
}

void templates_end_form(struct templates *t, uint32_t form)
{
	for (size_t i = 0; i < t->list.len; i++)
		if (t->list.ptr[i].of.form == form)
			t->list.ptr[i].has_ended = t->list.ptr[i].is_combined = true;
}
