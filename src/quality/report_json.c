#include "quality/report_json.h"

#include <math.h>

#include "base/clock.h"

static void put_time(struct json *j, const char *key, int64_t time, enum clock_round round)
{
	char text[CLOCK_TEXT_SIZE];

	json_key(j, key);
	if (time)
		clock_format(time, round, text);
	json_string(j, time ? text : NULL);
}

static void put_status(struct json *j, const char *key, unsigned status)
{
	json_key(j, key);
	if (status)
		json_uint(j, status);
	else
		json_null(j);
}

static void put_count(struct json *j, const char *key, uint64_t count)
{
	json_key(j, key);
	json_uint(j, count);
}

static void put_number(struct json *j, const char *key, double value)
{
	json_key(j, key);
	json_double(j, value);
}

static void put_page(struct json *j, const struct report_page *p)
{
	json_object_begin(j);
	json_text(j, "url", p->url);
	json_text(j, "kind", p->kind);
	put_status(j, "status", p->visit.status);
	put_status(j, "revisit_status", p->revisit.status);
	put_time(j, "visit_start", p->visit.start, CLOCK_ROUND_DOWN);
	put_time(j, "visit_end", p->visit.end, CLOCK_ROUND_UP);
	put_time(j, "revisit_start", p->revisit.start, CLOCK_ROUND_DOWN);
	put_time(j, "revisit_end", p->revisit.end, CLOCK_ROUND_UP);
	json_key(j, "verdict");
	json_string(j, verdict_name((enum verdict)p->verdict));
	json_key(j, "evidence");
	json_string(j, p->evidence);
	json_text(j, "reason", p->reason);
	put_number(j, "rate", p->rate);
	put_number(j, "weight", (double)p->weight);
	json_key(j, "hopeless");
	json_bool(j, p->hopeless);
	json_key(j, "left_out");
	json_string(j, p->taken ? NULL : left_out_word((enum left_out)p->left_out));
	json_key(j, "soft_404");
	json_bool(j, p->content == CATALOG_CONTENT_SOFT_404);
	json_object_end(j);
}

void report_json_window(const struct stillpoint *window, struct json *j)
{
	char from[CLOCK_TEXT_SIZE], to[CLOCK_TEXT_SIZE];
	bool known = stillpoint_format(window, from, to);

	json_key(j, "stillpoint");
	json_object_begin(j);
	json_key(j, "from");
	json_string(j, known ? from : NULL);
	json_key(j, "to");
	json_string(j, known ? to : NULL);
	json_object_end(j);
	json_key(j, "caveats");
	json_array_begin(j);
	if (window->clock_set)
		json_string(j, "clock");
	json_array_end(j);
}

static const char *state_name(enum catalog_state state)
{
	static const char *const names[] = {
		[CATALOG_RUNNING] = "running",
		[CATALOG_FINISHED] = "finished",
		[CATALOG_CUT] = "cut",
	};

	return state <= CATALOG_CUT ? names[state] : NULL;
}

static void put_totals(struct json *j, const struct report *r)
{
	json_key(j, "totals");
	json_object_begin(j);
	for (size_t i = 0; i < VERDICT_COUNT; i++)
		put_count(j, verdict_name((enum verdict)i), r->totals[i]);
	json_object_end(j);
}

/* Traps are one total here, and apart below it. */
static void put_left_out(struct json *j, const struct report *r)
{
	uint64_t traps = 0;

	json_key(j, "left_out");
	json_object_begin(j);
	for (int i = LEFT_OUT_OTHER; i < LEFT_OUT_COUNT; i++)
		if (left_out_is_trap((enum left_out)i))
			traps += r->left_out[i];
		else
			put_count(j, left_out_word((enum left_out)i), r->left_out[i]);
	put_count(j, "trap", traps);
	json_object_end(j);
	json_key(j, "traps");
	json_object_begin(j);
	for (int i = LEFT_OUT_OTHER; i < LEFT_OUT_COUNT; i++)
		if (left_out_is_trap((enum left_out)i))
			put_count(j, left_out_word((enum left_out)i) + sizeof "trap-" - 1,
				r->left_out[i]);
	json_object_end(j);
	put_count(j, "unkept", r->unkept);
	put_count(j, "soft_404", r->soft_404);
}

static void put_capture(struct json *j, const struct report *r)
{
	put_count(j, "capture", r->capture.id);
	json_text(j, "uuid", r->capture.uuid);
	json_text(j, "site", r->capture.site);
	json_text(j, "strategy", r->capture.strategy);
	json_key(j, "single");
	json_bool(j, r->capture.single);
	json_key(j, "state");
	json_string(j, state_name(r->capture.state));
	json_key(j, "ended_by");
	json_string(
		j, r->capture.state == CATALOG_CUT ? catalog_end_name(r->capture.ended_by) : NULL);
	put_time(j, "started", r->capture.started, CLOCK_ROUND_DOWN);
	put_time(j, "finished", r->capture.finished, CLOCK_ROUND_UP);
	report_json_window(&r->window, j);
}

/* All but the verdicts; the object stays open. */
static void put_report(struct json *j, const struct report *r)
{
	json_object_begin(j);
	put_capture(j, r);
	put_count(j, "pages", r->pages.len);
	put_count(j, "captured", r->captured);
	put_count(j, "sharp", r->totals[VERDICT_SHARP]);
	put_count(j, "changed", r->totals[VERDICT_CHANGED]);
	put_count(j, "failed", r->totals[VERDICT_FAILED]);
	put_totals(j, r);
	put_number(j, "expected_sharp", r->capture.single ? NAN : r->expected_sharp);
	put_number(j, "blur", r->blur);
}

void report_json_totals(const struct report *r, struct json *j)
{
	put_report(j, r);
	json_object_end(j);
}

void report_json(const struct report *r, struct json *j)
{
	put_report(j, r);
	json_key(j, "verdicts");
	json_array_begin(j);
	for (size_t i = 0; i < r->pages.len; i++)
		put_page(j, &r->pages.ptr[i]);
	json_array_end(j);
	put_left_out(j, r);
	json_object_end(j);
}
