#include "proof/legs.h"

#include <stdio.h>
#include <string.h>

#include "base/word.h"
#include "formats/blocked.h"

/* Caches say so in many ways: "HIT", "Hit from cloudfront", "TCP_HIT", "fresh; hit". */
static bool says_hit(slice caches)
{
	for (size_t i = 0; i + 3 <= caches.len; i++)
		if (word_is(slice_sub(caches, i, i + 3), SLICE("hit")))
			return true;
	return false;
}

struct observation legs_observe(const struct attempt *a)
{
	struct observation o = {
		.made = true,
		.status = a->status,
		.whole = a->status != 0 && !a->truncated && !a->retired,
		.key = same_key_of(a),
		.start = a->wall.sent,
		.end = a->wall.last_byte,
		.failure = a->failure,
		.modified = a->modified,
		.etag = a->etag,
		.not_modified = a->status == 304 && a->leg == ATTEMPT_LOOK,
		.is_html = stand_in_is_html(a->media_type),
		.cached = a->age.known || says_hit(a->caches),
		.age = a->age,
		.retired = a->retired != 0,
		.foreign_times = a->wall.sent && !a->clock.sent,
		.close_delimited = a->close_delimited,
		.rule_set = a->rule_set,
		.masked = a->masked,
		.rules = a->rules,
	};

	observation_set_stand_in(&o, a->stand_in);
	if (a->retired)
		o.key = (struct same_key){0};
	return o;
}

void legs_keep_texts(struct observation *o, struct words *words)
{
	static const slice BLOCKED = SLICE_INIT("blocked: ");
	char text[256];

	o->failure = words_copy(words, o->failure);
	if (!o->stand_in.ptr)
		return;
	if (!observation_is_shell(o) && !slice_starts_with(o->stand_in, BLOCKED)) {
		(void)snprintf(text, sizeof text, "%s%.*s", BLOCKED.ptr,
			slice_shown(o->stand_in, 200), o->stand_in.ptr);
		o->stand_in = slice_str(text);
	}
	o->stand_in = words_copy(words, o->stand_in);
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

/* Whether something else was seen behind the visit that counts. */
static bool has_other_glimpse(const struct legs *l)
{
	for (unsigned i = 0; i < l->glimpse_count && i < LEGS_GLIMPSES; i++) {
		const struct legs_glimpse *g = &l->glimpses[i];

		if (g->start >= l->visit.end &&
			!same_content(g->status, &g->key, l->visit.status, &l->visit.key))
			return true;
	}
	return false;
}

bool legs_has(enum attempt_leg leg)
{
	return leg == ATTEMPT_VISIT || leg == ATTEMPT_REVISIT || leg == ATTEMPT_LATE;
}

void legs_add(struct legs *l, const struct attempt *a, const struct observation *shown)
{
	bool again = a->leg == ATTEMPT_REVISIT, late = a->leg == ATTEMPT_LATE;
	struct observation *kept = again ? &l->revisit : &l->visit;
	unsigned *number = again ? &l->revisit_number : &l->visit_number;

	if (a->leg == ATTEMPT_PROBE || a->leg == ATTEMPT_LOOK)
		l->look_number = a->number;
	if (a->leg == ATTEMPT_LOOK && observation_is_usable(shown))
		l->is_watched = true;
	if (a->leg == ATTEMPT_PROBE && attempt_purpose(a) == PURPOSE_CANARY &&
		observation_is_usable(shown))
		l->glimpses[l->glimpse_count++ % LEGS_GLIMPSES] =
			(struct legs_glimpse){shown->start, shown->status, shown->key};
	if (!legs_has(a->leg))
		return;
	*(again ? &l->revisits : &l->visits) += 1;
	if (a->leg == ATTEMPT_VISIT && shown->failure.ptr && a->number > l->put_off_number) {
		l->put_off = shown->failure;
		l->put_off_number = a->number;
	}
	if (again && observation_is_usable(kept) && observation_is_usable(shown) &&
		!same_content(kept->status, &kept->key, shown->status, &shown->key))
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
	slice limit, unvisited, unrevisited;
} LIMITS[] = {
	[CATALOG_END_NONE] = {SLICE_INIT("a limit"), SLICE_INIT("a limit"),
		SLICE_INIT("not revisited: a limit")},
	[CATALOG_END_TIME] = {SLICE_INIT("time limit"), SLICE_INIT("time limit"),
		SLICE_INIT("not revisited: time limit")},
	[CATALOG_END_BYTES] = {SLICE_INIT("byte limit"), SLICE_INIT("byte limit"),
		SLICE_INIT("not revisited: byte limit")},
	[CATALOG_END_OPERATOR] = {SLICE_INIT("operator"),
		SLICE_INIT("the operator ended the visits"), SLICE_INIT("not revisited: a limit")},
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
		return LIMITS[terms->ended_by].unvisited;
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

/*
 * A limit of ours ended the attempt before its request was sent, or it was put off for the hours:
 * the page was never asked for. A server that could not be found or reached is another matter.
 */
static bool was_ended_unsent(const struct observation *visit, const struct legs_terms *terms)
{
	enum attempt_failure failure = attempt_failure(visit->failure);

	if (!visit->made || visit->start || visit->status)
		return false;
	return failure == FAILURE_HOURS ||
	       (terms->ended_by != CATALOG_END_NONE &&
		       (failure == FAILURE_SLOW || failure == FAILURE_ABORTED));
}

struct judgement legs_judge(const struct legs *l, const struct legs_terms *terms)
{
	enum judged_as as = terms->single || l->late ? JUDGED_SINGLE : JUDGED_PAIR;

	struct judgement j = judge_in_window(&l->visit, &l->revisit, as, &terms->window);

	/* What its looks prove holds at some instants, not at a still point. */
	if (l->is_watched && j.verdict == VERDICT_UNVISITED)
		return (struct judgement){.verdict = VERDICT_SINGLE,
			.reason = SLICE("under watch: 'report --at TIME' says if it is proven")};

	if (j.verdict == VERDICT_FAILED && was_ended_unsent(&l->visit, terms))
		j.verdict = VERDICT_UNVISITED;
	if (j.verdict == VERDICT_UNVISITED)
		j.reason = unvisited_reason(terms);
	else if (j.verdict == VERDICT_UNCONFIRMED && !l->revisit.made)
		j.reason = unrevisited_reason(terms);
	else if (l->revisits_differ && (j.verdict == VERDICT_SHARP || j.verdict == VERDICT_ABSENT))
		j = (struct judgement){
			.verdict = VERDICT_UNCONFIRMED, .reason = SLICE("its revisits differ")};
	else if ((j.verdict == VERDICT_SHARP || j.verdict == VERDICT_ABSENT) &&
		 has_other_glimpse(l))
		j = (struct judgement){.verdict = VERDICT_CHANGED};
	else if (j.verdict == VERDICT_SINGLE && l->late)
		j.reason = l->put_off;
	return j;
}
