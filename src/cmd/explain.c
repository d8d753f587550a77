#include "cmd/explain.h"

#include <stdio.h>

#include "cmd/report_print.h"
#include "quality/why.h"
#include "quality/why_json.h"

enum cmd_status explain_page(
	const char *command, struct catalog *c, const struct report *r, const char *url, bool json)
{
	struct err err = {0};
	struct json j;
	struct why w;
	int rc = why_find(&w, c, &r->capture, url, &err);
	enum cmd_status status;

	if (rc) {
		status = cmd_fail_archive(command, &err);
	} else if (json) {
		json_init_file(&j, stdout, JSON_LINES);
		why_json(r, &w, &j);
		status = cmd_finish(json_finish(&j));
	} else {
		report_print_why(r, &w, stdout);
		status = cmd_finish(0);
	}
	why_release(&w);
	return status;
}
