#include "proof/verdict.h"

#include "base/hash.h"
#include "base/word.h"
#include "formats/blocked.h"

/* Constant: the catalog holds such hashes (attempt.h, coding). */
static const struct hash_key MANNER_KEY = {0x5354494c4c504f49, 0x4e542d4d414e4e45};
static const struct hash_key CODING_KEY = {0x5354494c4c504f49, 0x4e542d434f44494e};

uint64_t manner_of(const struct fields *head, uint64_t requirements)
{
	uint64_t so_far[2] = {requirements, 0};

	for (size_t i = 0; i < head->items.len; i++)
		if (word_is(head->items.ptr[i].name, SLICE("Content-Type"))) {
			so_far[1] = hash_bytes(MANNER_KEY, fields_trim(head->items.ptr[i].value));
			so_far[0] = hash_bytes(
				MANNER_KEY, (slice){(const char *)so_far, sizeof so_far});
		}
	return so_far[0];
}

uint64_t manner_coding(slice coding, uint64_t manner)
{
	uint64_t parts[] = {hash_bytes(CODING_KEY, coding), manner};

	return hash_bytes(CODING_KEY, (slice){(const char *)parts, sizeof parts});
}

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {
#define X(name, word) [name] = (word),
		VERDICTS(X)
#undef X
	};

	return names[v];
}

bool verdict_is_captured(enum verdict v)
{
	return v != VERDICT_EXCLUDED && v != VERDICT_UNVISITED && v != VERDICT_FAILED &&
	       v != VERDICT_BLOCKED;
}

/* "HTTP 100" to "HTTP 999", eight bytes each: reasons are borrowed, so they have to be somewhere.
 */
#define REASON_SIZE 8
#define REASON(n)   "HTTP " n
#define TEN(n)        \
	REASON(n "0") \
	REASON(n "1") \
	REASON(n "2") \
	REASON(n "3") \
	REASON(n "4") REASON(n "5") REASON(n "6") REASON(n "7") REASON(n "8") REASON(n "9")
#define HUNDRED(n) \
	TEN(n "0") \
	TEN(n "1") \
	TEN(n "2") TEN(n "3") TEN(n "4") TEN(n "5") TEN(n "6") TEN(n "7") TEN(n "8") TEN(n "9")

static slice status_reason(unsigned status)
{
	static const char reasons[][100 * REASON_SIZE + 1] = {HUNDRED("1"), HUNDRED("2"),
		HUNDRED("3"), HUNDRED("4"), HUNDRED("5"), HUNDRED("6"), HUNDRED("7"), HUNDRED("8"),
		HUNDRED("9")};

	if (status < 100 || status > 999)
		return SLICE("no HTTP status");
	return (slice){reasons[status / 100 - 1] + status % 100 * REASON_SIZE, REASON_SIZE};
}

static bool is_present(unsigned status)
{
	return status >= 200 && status < 400 && status != 206 && status != 304;
}

bool observation_is_shell(const struct observation *o)
{
	return stand_in_is_shell(o->stand_in);
}

void observation_set_stand_in(struct observation *o, slice text)
{
	o->login_box = stand_in_is_doubt(text);
	o->stand_in = text.len && !o->login_box ? text : (slice){0};
}

/* An answer, but not the page. */
static bool is_stand_in(const struct observation *o)
{
	return o->stand_in.ptr && !observation_is_shell(o);
}

/* A login, a block page, a demand to slow down: the same by status alone. */
static bool is_blocked(unsigned status)
{
	return status == 401 || status == 403 || status == 407 || status == 429 || status == 451;
}

bool observation_is_usable(const struct observation *o)
{
	return o->made && o->whole && !is_stand_in(o) &&
	       (is_present(o->status) || same_is_missing(o->status));
}

/* Why an observation that was made is not usable. */
static slice reason_of(const struct observation *o)
{
	if (is_stand_in(o))
		return o->stand_in;
	if (o->status && !is_present(o->status) && !same_is_missing(o->status))
		return status_reason(o->status);
	if (o->failure.len > 0)
		return o->failure;
	return o->status ? SLICE("truncated") : SLICE("no answer");
}

/* The same of a revisit: a block is named as one. */
static slice blocked_reason(const struct observation *o)
{
	static const slice REASONS[] = {SLICE_INIT("blocked: HTTP 401"),
		SLICE_INIT("blocked: HTTP 403"), SLICE_INIT("blocked: HTTP 407"),
		SLICE_INIT("blocked: HTTP 429"), SLICE_INIT("blocked: HTTP 451")};
	slice reason = reason_of(o);

	for (size_t i = 0; i < sizeof REASONS / sizeof REASONS[0]; i++)
		if (slice_ends_with(REASONS[i], reason) && is_blocked(o->status))
			return REASONS[i];
	return reason;
}

/* The verdict says that it is blocked. */
static slice without_prefix(slice reason)
{
	static const slice BLOCKED = SLICE_INIT("blocked: ");

	return slice_starts_with(reason, BLOCKED) ? slice_sub(reason, BLOCKED.len, reason.len)
						  : reason;
}

static struct judgement judge_failed(const struct observation *visit)
{
	if (!visit->made)
		return (struct judgement){VERDICT_UNVISITED, SAME_NOT, SLICE("not visited")};
	return (struct judgement){
		.verdict = is_blocked(visit->status) || is_stand_in(visit) ? VERDICT_BLOCKED
									   : VERDICT_FAILED,
		.reason = without_prefix(reason_of(visit)),
	};
}

static struct judgement unconfirmed(slice reason)
{
	return (struct judgement){VERDICT_UNCONFIRMED, SAME_NOT, reason};
}

enum same_by observation_same(const struct observation *a, const struct observation *b)
{
	return a->status == b->status ? same_compare(&a->key, &b->key) : SAME_NOT;
}

static struct judgement judge_present(
	const struct observation *visit, const struct observation *revisit)
{
	enum same_by same = observation_same(visit, revisit);

	if (!visit->key.has_state || !revisit->key.has_state)
		return unconfirmed(SLICE("its state was not recorded"));
	return (struct judgement){
		.verdict = same ? VERDICT_SHARP : VERDICT_CHANGED, .evidence = same};
}

/* Both are usable. */
static struct judgement judge_both(
	const struct observation *visit, const struct observation *revisit)
{
	bool before = is_present(visit->status), after = is_present(revisit->status);

	if (before && after)
		return judge_present(visit, revisit);
	if (before)
		return (struct judgement){.verdict = VERDICT_GONE};
	return (struct judgement){.verdict = after ? VERDICT_APPEARED : VERDICT_ABSENT};
}

struct judgement judge(
	const struct observation *visit, const struct observation *revisit, enum judged_as as)
{
	if (visit->retired || revisit->retired)
		return (struct judgement){
			VERDICT_UNCONFIRMED, SAME_TOMBSTONE, SLICE("its response was retired")};
	if (!observation_is_usable(visit))
		return judge_failed(visit);
	if (observation_is_shell(visit) || observation_is_shell(revisit))
		return (struct judgement){
			VERDICT_SHELL, SAME_NOT, SLICE("its content is shown only by scripts")};
	if (as == JUDGED_SINGLE)
		return (struct judgement){.verdict = VERDICT_SINGLE};
	if (!revisit->made)
		return unconfirmed(SLICE("not revisited"));
	if (!observation_is_usable(revisit))
		return unconfirmed(blocked_reason(revisit));
	return judge_both(visit, revisit);
}

struct judgement judge_in_window(const struct observation *visit, const struct observation *revisit,
	enum judged_as as, const struct stillpoint *window)
{
	struct judgement j = judge(visit, revisit, as);

	if (j.verdict != VERDICT_SHARP && j.verdict != VERDICT_ABSENT)
		return j;
	if (window->clock_set)
		return unconfirmed(SLICE("the wall clock was set during the capture"));
	if (!stillpoint_is_known(window))
		return unconfirmed(SLICE("the capture has no still point"));
	if (!stillpoint_is_within(window, visit->end, revisit->start))
		return unconfirmed(SLICE("interval does not contain the still point"));
	return j;
}
