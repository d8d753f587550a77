#include "quality/legs.h"

struct observation legs_observe(const struct attempt *a)
{
	return (struct observation){
		.made = true,
		.status = a->status,
		.whole = a->status != 0 && !a->truncated,
		.has_state = a->has_state,
		.state = a->state,
		.start = a->wall.sent,
		.end = a->wall.last_byte,
		.failure = a->failure,
	};
}

void legs_add(struct legs *l, const struct attempt *a, const struct observation *shown)
{
	bool again = a->leg == ATTEMPT_REVISIT;
	struct observation *kept = again ? &l->revisit : &l->visit;
	unsigned *number = again ? &l->revisit_number : &l->visit_number;

	if (a->leg == ATTEMPT_SIDE)
		return;
	*(again ? &l->revisits : &l->visits) += 1;
	l->late = l->late || a->leg == ATTEMPT_LATE;
	if (a->leg == ATTEMPT_VISIT && shown->failure.ptr && a->number > l->put_off_number) {
		l->put_off = shown->failure;
		l->put_off_number = a->number;
	}
	if (kept->made && a->number <= *number)
		return;
	*kept = *shown;
	*number = a->number;
}

struct judgement legs_judge(const struct legs *l, const struct legs_terms *terms)
{
	enum judged_as as = terms->single || l->late ? JUDGED_SINGLE : JUDGED_PAIR;

	struct judgement j = judge_in_window(&l->visit, &l->revisit, as, &terms->window);

	if (j.verdict == VERDICT_SINGLE && l->late)
		j.reason = l->put_off;
	return j;
}
