/* `stillpoint report ARCHIVE --compare A B`: two captures of one archive side by side. */
#ifndef REPORT_REPORT_COMPARE_H
#define REPORT_REPORT_COMPARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/api.h"
#include "base/table.h"
#include "proof/compare_captures.h"

/* To standard output: 0, or the error of writing. */
int report_compare_print(const struct compare *x) SP_MUST_CHECK;
int report_compare_json(const struct compare *x) SP_MUST_CHECK;

/* The pages, for every form. */
struct table report_compare_table(const struct compare *x);

/* The two sentences that come first: what changed, and how the sharpness moved. */
enum { REPORT_COMPARE_SIZE = 1024 };

/* Why a capture is as sharp as it is, in figures: what the two are compared by. */
struct report_cause {
	const char *name;
	char values[2][64];
};
enum { REPORT_CAUSES = 9 };

/* Verdicts that moved, most pages first. Returns their number, at most size. */
struct report_move {
	unsigned from, to; /* as compare_verdict */
	uint64_t pages;
};

/* The page, of a struct report_compare_page. Errors stay in the FILE; 0 or ERR_NOMEM. */
struct report_compare_page {
	const struct compare *compare;
	const char *archive, *replay; /* replay may be NULL */
};
int report_compare_html(const void *page, FILE *file) SP_MUST_CHECK;

#endif
