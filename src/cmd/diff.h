/* How `stillpoint diff` shows the two versions of a page. Errors stay in the FILE. */
#ifndef CMD_DIFF_H
#define CMD_DIFF_H

#include <stdio.h>

#include "base/json.h"
#include "catalog/catalog.h"
#include "quality/pair.h"

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

enum { DIFF_HEAD_ROWS = 3, DIFF_HEAD_TEXT = 16 };

/* The fields of the heads that differ: their number. The texts are those of the looks, or in room.
 */
size_t diff_head(
	const struct diff *d, char room[2][DIFF_HEAD_TEXT], struct diff_row ret[DIFF_HEAD_ROWS]);

struct diff_row diff_row_of(const struct proof_place *p);

/* How many places of the bodies are explained, or not. */
size_t diff_count(const struct diff *d, bool explained);

/* For people; for a terminal of its width with colours, unless NO_COLOR is set. */
void diff_print(const struct diff *d, FILE *file);

/* One page that stands by itself: no request, no script. */
void diff_html(const struct diff *d, FILE *file);

void diff_json(const struct diff *d, struct json *j);

/* What came of the comparison, as a sentence or two. */
enum { DIFF_RESULT_SIZE = 256 };
void diff_result(const struct diff *d, char out[DIFF_RESULT_SIZE]);

#endif
