/* The report as the JSON document of `stillpoint report --json` (docs/quality.md has its keys). */
#ifndef PROOF_REPORT_JSON_H
#define PROOF_REPORT_JSON_H

#include "base/api.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/table.h"
#include "proof/report.h"
#include "proof/tally.h"

/* Errors stay in the writer. */
void report_json(const struct report *r, struct json *j);

/* The same without the verdicts: what is said of each capture where several are listed. */
void report_json_totals(const struct report *r, struct json *j);

/* The key "stillpoint" with its object, inside of another; nulls when there is none. */
void report_json_window(const struct stillpoint *window, struct json *j);

/* The pages as a table, for every form. What it needs stands until the table is done with. */
struct report_rows {
	const struct report *report;
	const struct records *records;    /* for packed data; else NULL */
	struct requisites_search *search; /* where requisites are to be listed; else NULL */
	char *digest;                     /* of DIGEST_TEXT_SIZE, for packed data */
};
struct table report_table(const struct report_rows *rows);

/* The members of a page's object. */
void report_json_page(const struct report *r, uint32_t page, struct json *j);

/* A key with a time, in UTC with milliseconds; null for 0. */
void report_json_time(struct json *j, const char *key, int64_t time, enum clock_round round);

#endif
