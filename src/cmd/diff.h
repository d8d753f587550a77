/* How `stillpoint diff` shows the two versions of a page. Errors stay in the FILE. */
#ifndef CMD_DIFF_H
#define CMD_DIFF_H

#include <stdio.h>

#include "base/json.h"
#include "catalog/catalog.h"
#include "quality/versions.h"

/* All is borrowed. */
struct diff {
	slice url;
	const struct catalog_capture *capture;
	const struct look *visit, *revisit;
	const struct versions *versions;
};

/* For people; for a terminal of its width with colours, unless NO_COLOR is set. */
void diff_print(const struct diff *d, FILE *file);

/* One page that stands by itself: no request, no script. */
void diff_html(const struct diff *d, FILE *file);

void diff_json(const struct diff *d, struct json *j);

/* What came of the comparison, as a sentence or two. */
enum { DIFF_RESULT_SIZE = 256 };
void diff_result(const struct versions *v, char out[DIFF_RESULT_SIZE]);

#endif
