#include "cmd/captures.h"
#include "base/text.h"

#include <stdio.h>

#include "base/json.h"
#include "base/table.h"
#include "cmd/archive.h"
#include "proof/legs.h"
#include "proof/report.h"
#include "proof/report_json.h"

/* The sum of what is printed. */
struct sum {
	uint64_t captured, sharp, changed, failed, unvisited;
	size_t captures, running, cut, watched;
};

static const char *how_it_ended(const struct report *r)
{
	if (report_is_watched(r))
		return "under watch";
	switch (r->capture.state) {
	case CATALOG_RUNNING:
		return "not finished";
	case CATALOG_CUT:
		return legs_limit(r->capture.ended_by).ptr;
	case CATALOG_FINISHED:
		break;
	}
	return r->captured ? "finished" : "nothing captured";
}

static struct cell get_ended(const struct table *t, size_t row)
{
	(void)row;
	return cell_string(how_it_ended(t->first));
}

#define CAPTURE(member) MEMBER(struct report, member)

static const struct column COLUMNS[] = {
	{"capture", TABLE_TEXT, CAPTURE(capture.id), .width = 7},
	{"site", TABLE_TEXT, CAPTURE(capture.site), .gap = 2, .width = -44},
	{"captured", TABLE_TEXT, CAPTURE(captured), .gap = 1, .width = 8},
	{"sharp", TABLE_TEXT, CAPTURE(totals[VERDICT_SHARP]), .gap = 1, .width = 8},
	{"changed", TABLE_TEXT, CAPTURE(totals[VERDICT_CHANGED]), .gap = 1, .width = 8},
	{"failed", TABLE_TEXT, CAPTURE(totals[VERDICT_FAILED]), .gap = 1, .width = 8},
	{"ended", TABLE_TEXT, .get = get_ended, .gap = 2},
};

static const struct table HEAD = {.columns = COLUMNS, .count = sizeof COLUMNS / sizeof *COLUMNS};

static void print_sum(const char *archive, const struct sum *s)
{
	printf("%zu %s: %llu %s captured, %llu sharp, %llu changed, %llu failed", s->captures,
		s->captures == 1 ? "capture" : "captures", (unsigned long long)s->captured,
		s->captured == 1 ? "page" : "pages", (unsigned long long)s->sharp,
		(unsigned long long)s->changed, (unsigned long long)s->failed);
	if (s->unvisited > 0)
		printf(", %llu unvisited", (unsigned long long)s->unvisited);
	if (s->cut > 0)
		printf("; %zu ended by a limit", s->cut);
	if (s->watched > 0)
		printf("; %zu under watch: go on with 'stillpoint watch CONFIG'", s->watched);
	if (s->running > 0) {
		printf("; %zu not finished: continue with ", s->running);
		text_command(stdout, "resume", archive, "");
	}
	(void)fputs("\ndetails: ", stdout);
	text_command(stdout, "report", archive, " --capture N\n");
}

/* ---- */

struct listing {
	struct catalog *catalog;
	const struct u32_vec *ids;
	const char *archive;
	struct json *json; /* NULL: as text */
	struct sum sum;
};

/* One after the other, so that no more than one is in memory. */
static int list_captures(struct listing *l, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->ids->len; i++) {
		struct report r;

		rc = report_load(&r, l->catalog, l->ids->ptr[i], err);
		if (rc)
			break;
		l->sum.captures++;
		l->sum.captured += r.captured;
		l->sum.unvisited += r.totals[VERDICT_UNVISITED];
		l->sum.sharp += r.totals[VERDICT_SHARP];
		l->sum.changed += r.totals[VERDICT_CHANGED];
		l->sum.failed += r.totals[VERDICT_FAILED];
		l->sum.watched += report_is_watched(&r);
		l->sum.running += r.capture.state == CATALOG_RUNNING && !report_is_watched(&r);
		l->sum.cut += r.capture.state == CATALOG_CUT;
		if (l->json)
			report_json_totals(&r, l->json);
		else {
			struct table line = HEAD;

			line.first = &r;
			table_text_row(&line, 0, stdout);
		}
		report_release(&r);
	}
	return rc;
}

static enum cmd_status end(int rc, const struct err *err)
{
	enum cmd_status status = cmd_finish(rc && err->code ? 0 : rc);

	if (!err->code)
		return status;
	return cmd_fail_archive("report", err);
}

static enum cmd_status print_json(struct listing *l)
{
	struct err err = {0};
	struct json j;
	int rc;

	json_init_file(&j, stdout, JSON_LINES);
	l->json = &j;
	json_document_begin(&j);
	json_put_string(&j, "archive", l->archive);
	json_key(&j, "captures");
	json_array_begin(&j);
	rc = list_captures(l, &err);
	json_array_end(&j);
	json_object_end(&j);
	l->json = NULL;
	return end(rc ? rc : json_finish(&j), &err);
}

static enum cmd_status print_text(struct listing *l)
{
	struct err err = {0};
	int rc;

	table_text_head(&HEAD, stdout);
	rc = list_captures(l, &err);
	if (rc == 0)
		print_sum(l->archive, &l->sum);
	return end(0, &err);
}

enum cmd_status captures_print(const char *archive, const struct u32_vec *ids, bool json)
{
	struct listing l = {.archive = archive};
	struct u32_vec all = {0};
	struct err err = {0};
	enum cmd_status status;
	int rc = archive_open_catalog(archive, &l.catalog, &err);

	if (rc == 0 && !ids)
		rc = report_captures(l.catalog, &all, &err);
	l.ids = ids ? ids : &all;
	if (rc)
		status = cmd_fail_archive("report", &err);
	else
		status = json ? print_json(&l) : print_text(&l);
	u32_vec_release(&all);
	catalog_close(l.catalog);
	return status;
}
