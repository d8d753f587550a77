/* How `stillpoint diff` shows the two versions of a page. Errors stay in the FILE. */
#ifndef REPORT_DIFF_H
#define REPORT_DIFF_H

#include <stdio.h>

#include "base/json.h"
#include "catalog/catalog.h"
#include "proof/pair.h"

/* All is borrowed. */
struct diff {
	slice url;
	const struct catalog_capture *capture;
	const struct look *visit, *revisit;
	const struct pair *pair;
	const char *same; /* "bytes", "normalised", or NULL */
	bool is_settled;  /* its duties were fulfilled when the capture ended */
};

/* A place where the two differ: of the heads, or of the bodies. */
struct diff_row {
	slice where, rule, a, b; /* rule.ptr NULL: nothing explains it; a or b: there is nothing */
};

enum { DIFF_HEAD_ROWS = 5, DIFF_HEAD_TEXT = 16 };

/* For people; for a terminal of its width with colours, unless NO_COLOR is set. */
void diff_print(const struct diff *d, FILE *file);

/* One page that stands by itself: no request, no script. */
void diff_html(const struct diff *d, FILE *file);

void diff_json(const struct diff *d, struct json *j);

/* Adds the members "rules", "masked_visible", "changed_in", "duties" and "limit" to the object. */
void diff_json_proof(struct json *j, const struct proof *p);

/* What came of the comparison, as a sentence or two. */
enum { DIFF_RESULT_SIZE = 256 };

#endif
