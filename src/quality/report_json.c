#include "quality/report_json.h"

#include <math.h>

#include "base/clock.h"
#include "quality/normal.h"

static void put_time(struct json *j, const char *key, int64_t time, enum clock_round round)
{
	char text[CLOCK_TEXT_SIZE];

	json_key(j, key);
	if (time)
		clock_format(time, round, text);
	json_string(j, time ? text : NULL);
}

static void put_page_rules(struct json *j, const struct report_page *p)
{
	struct normal_rule rules[NOISE_RULE_COUNT];
	size_t count = normal_rules_needed(p->rules, (slice){0}, rules);

	json_key(j, "rules");
	json_array_begin(j);
	for (size_t i = 0; i < count; i++) {
		json_object_begin(j);
		json_put_string(j, "name", noise_rule_name(rules[i].rule));
		json_put_uint(j, "count", rules[i].count);
		json_object_end(j);
	}
	json_array_end(j);
	json_put_double(j, "masked_visible", (double)p->masked / NORMAL_MILLION);
	json_key(j, "flags");
	json_array_begin(j);
	if (p->close_delimited)
		json_string(j, "close-delimited");
	json_array_end(j);
}

static void put_page(struct json *j, const struct report_page *p)
{
	json_object_begin(j);
	json_text(j, "url", p->url);
	json_text(j, "kind", p->kind);
	json_put_uint_if(j, "status", p->visit.status, p->visit.status);
	json_put_uint_if(j, "revisit_status", p->revisit.status, p->revisit.status);
	put_time(j, "visit_start", p->visit.start, CLOCK_ROUND_DOWN);
	put_time(j, "visit_end", p->visit.end, CLOCK_ROUND_UP);
	put_time(j, "revisit_start", p->revisit.start, CLOCK_ROUND_DOWN);
	put_time(j, "revisit_end", p->revisit.end, CLOCK_ROUND_UP);
	json_put_string(j, "verdict", verdict_name((enum verdict)p->verdict));
	json_put_string(j, "evidence", p->evidence);
	put_page_rules(j, p);
	json_text(j, "reason", p->reason);
	json_put_double(j, "rate", p->rate);
	json_put_double(j, "weight", (double)p->weight);
	json_put_bool(j, "hopeless", p->hopeless);
	json_put_string(j, "left_out", p->taken ? NULL : left_out_word((enum left_out)p->left_out));
	json_put_bool(j, "soft_404", p->content == CATALOG_CONTENT_SOFT_404);
	json_object_end(j);
}

void report_json_window(const struct stillpoint *window, struct json *j)
{
	char from[CLOCK_TEXT_SIZE], to[CLOCK_TEXT_SIZE];
	bool known = stillpoint_format(window, from, to);

	json_key(j, "stillpoint");
	json_object_begin(j);
	json_put_string(j, "from", known ? from : NULL);
	json_put_string(j, "to", known ? to : NULL);
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
		json_put_uint(j, verdict_name((enum verdict)i), r->totals[i]);
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
			json_put_uint(j, left_out_word((enum left_out)i), r->left_out[i]);
	json_put_uint(j, "trap", traps);
	json_object_end(j);
	json_key(j, "traps");
	json_object_begin(j);
	for (int i = LEFT_OUT_OTHER; i < LEFT_OUT_COUNT; i++)
		if (left_out_is_trap((enum left_out)i))
			json_put_uint(j, left_out_word((enum left_out)i) + sizeof "trap-" - 1,
				r->left_out[i]);
	json_object_end(j);
	json_put_uint(j, "unkept", r->unkept);
	json_put_uint(j, "soft_404", r->soft_404);
}

static void put_capture(struct json *j, const struct report *r)
{
	json_put_uint(j, "capture", r->capture.id);
	json_text(j, "uuid", r->capture.uuid);
	json_text(j, "site", r->capture.site);
	json_text(j, "strategy", r->capture.strategy);
	json_put_bool(j, "single", r->capture.single);
	json_put_string(j, "state", state_name(r->capture.state));
	json_key(j, "ended_by");
	json_string(
		j, r->capture.state == CATALOG_CUT ? catalog_end_name(r->capture.ended_by) : NULL);
	put_time(j, "started", r->capture.started, CLOCK_ROUND_DOWN);
	put_time(j, "finished", r->capture.finished, CLOCK_ROUND_UP);
	report_json_window(&r->window, j);
}

/* Those that pages which are sharp by rules needed. */
static void put_rules(struct json *j, const struct report *r)
{
	json_key(j, "rules");
	json_array_begin(j);
	for (unsigned i = 0; i < NOISE_RULE_COUNT; i++) {
		if (r->rules[i].pages == 0)
			continue;
		json_object_begin(j);
		json_put_string(j, "name", noise_rule_name((enum noise_rule)i));
		json_put_uint(j, "version", r->rule_set);
		json_put_uint(j, "pages", r->rules[i].pages);
		json_put_uint(j, "count", r->rules[i].count);
		json_object_end(j);
	}
	json_array_end(j);
}

/* All but the verdicts; the object stays open. */
static void put_report(struct json *j, const struct report *r)
{
	json_object_begin(j);
	put_capture(j, r);
	json_put_uint(j, "pages", r->pages.len);
	json_put_uint(j, "captured", r->captured);
	json_put_uint(j, "sharp", r->totals[VERDICT_SHARP]);
	json_put_uint(j, "sharp_bytes", r->sharp_bytes);
	json_put_uint(j, "sharp_normalised", r->sharp_normalised);
	json_put_uint(j, "changed", r->totals[VERDICT_CHANGED]);
	json_put_uint(j, "failed", r->totals[VERDICT_FAILED]);
	put_totals(j, r);
	json_put_double(j, "expected_sharp", r->capture.single ? NAN : r->expected_sharp);
	json_put_double(j, "blur", r->blur);
	put_rules(j, r);
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
