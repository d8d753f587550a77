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
		.close_delimited = a->close_delimited,
		.has_normal = a->has_normal,
		.normal = a->normal,
		.rule_set = a->rule_set,
		.masked = a->masked,
		.rules = a->rules,
	};
}

/* Whether an attempt goes before what counts of its leg so far. Late ones come behind visits. */
static bool counts_more(const struct observation *kept, bool kept_late, unsigned kept_number,
	const struct observation *shown, bool late, unsigned number)
{
	bool was = observation_is_usable(kept), is = observation_is_usable(shown);

	if (!kept->made || was != is)
		return !kept->made || is;
	return late == kept_late ? number > kept_number : late;
}

/* Of two usable ones. Pages that are missing have no state to compare. */
static bool differ(const struct observation *a, const struct observation *b)
{
	bool there = a->status < 400;

	if (there != (b->status < 400))
		return true;
	return there && !observation_same(a, b);
}

void legs_add(struct legs *l, const struct attempt *a, const struct observation *shown)
{
	bool again = a->leg == ATTEMPT_REVISIT, late = a->leg == ATTEMPT_LATE;
	struct observation *kept = again ? &l->revisit : &l->visit;
	unsigned *number = again ? &l->revisit_number : &l->visit_number;

	if (a->leg == ATTEMPT_SIDE)
		return;
	*(again ? &l->revisits : &l->visits) += 1;
	if (a->leg == ATTEMPT_VISIT && shown->failure.ptr && a->number > l->put_off_number) {
		l->put_off = shown->failure;
		l->put_off_number = a->number;
	}
	if (again && observation_is_usable(kept) && observation_is_usable(shown) &&
		differ(kept, shown))
		l->revisits_differ = true;
	if (!counts_more(kept, !again && l->late, *number, shown, late, a->number))
		return;
	*kept = *shown;
	*number = a->number;
	if (!again)
		l->late = late;
}

/* The limit that ended a capture, and what it did to pages that were visited only. */
static const struct {
	slice limit, unrevisited;
} LIMITS[] = {
	[CATALOG_END_NONE] = {SLICE_INIT("a limit"), SLICE_INIT("not revisited: a limit")},
	[CATALOG_END_TIME] = {SLICE_INIT("time limit"), SLICE_INIT("not revisited: time limit")},
	[CATALOG_END_BYTES] = {SLICE_INIT("byte limit"), SLICE_INIT("not revisited: byte limit")},
};

slice legs_limit(enum catalog_end limit)
{
	return LIMITS[limit].limit;
}

/* Why there was no visit, in a capture that wanted one. */
static slice unvisited_reason(const struct legs_terms *terms)
{
	/* A limit may have ended the visits of a capture that still has revisits to make. */
	if (terms->state == CATALOG_CUT || terms->ended_by != CATALOG_END_NONE)
		return legs_limit(terms->ended_by);
	return terms->state == CATALOG_RUNNING ? SLICE("the capture is not finished")
					       : SLICE("not visited");
}

/* The same of the revisit. */
static slice unrevisited_reason(const struct legs_terms *terms)
{
	if (terms->state == CATALOG_RUNNING)
		return SLICE("not revisited: the capture is not finished");
	if (terms->state == CATALOG_FINISHED)
		return SLICE("not revisited");
	return LIMITS[terms->ended_by].unrevisited;
}

struct judgement legs_judge(const struct legs *l, const struct legs_terms *terms)
{
	enum judged_as as = terms->single || l->late ? JUDGED_SINGLE : JUDGED_PAIR;

	struct judgement j = judge_in_window(&l->visit, &l->revisit, as, &terms->window);

	if (j.verdict == VERDICT_UNVISITED)
		j.reason = unvisited_reason(terms);
	else if (j.verdict == VERDICT_UNCONFIRMED && !l->revisit.made)
		j.reason = unrevisited_reason(terms);
	else if (l->revisits_differ && (j.verdict == VERDICT_SHARP || j.verdict == VERDICT_ABSENT))
		j = (struct judgement){
			.verdict = VERDICT_UNCONFIRMED, .reason = SLICE("its revisits differ")};
	else if (j.verdict == VERDICT_SINGLE && l->late)
		j.reason = l->put_off;
	return j;
}
