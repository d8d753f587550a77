#include "cmd/explain.h"

#include <stdio.h>

#include "base/arena.h"
#include "proof/why.h"
#include "report/report_print.h"

enum { ARENA_MAX = 64 << 20 }; /* of a capture's row */

static enum cmd_status print(const struct report *r, const struct why *w, bool json)
{
	struct json j;

	if (!json) {
		report_print_why(r, w, stdout);
		return cmd_finish(0);
	}
	json_init_file(&j, stdout, JSON_LINES);
	why_json(r, w, &j);
	return cmd_finish(json_finish(&j));
}

enum cmd_status explain_page(
	const char *command, struct catalog *c, uint32_t capture, const char *url, bool json)
{
	struct catalog_capture row = {0};
	struct report r = {0};
	struct arena arena;
	struct err err = {0};
	struct why w = {0};
	enum cmd_status status;
	int rc;

	arena_init(&arena, ARENA_MAX);
	rc = catalog_get_capture(c, capture, &arena, &row, &err);
	if (rc == 0)
		rc = why_find(&w, c, &row, url, &err);
	if (rc == 0)
		rc = report_load_page(&r, c, row.id, w.page, &err);
	status = rc ? cmd_fail_archive(command, &err) : print(&r, &w, json);
	report_release(&r);
	why_release(&w);
	arena_release(&arena);
	return status;
}
