/* `stillpoint report ARCHIVE --compare A B`: two captures of one archive side by side. */
#ifndef CMD_REPORT_COMPARE_H
#define CMD_REPORT_COMPARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/api.h"
#include "cmd/cmd.h"
#include "quality/compare.h"

struct report_compare_options {
	uint32_t first, second;
	const char *html, *replay;
	bool json, csv;
};

enum cmd_status report_compare(const char *archive, const struct report_compare_options *o);

/* The two sentences that come first: what changed, and how the sharpness moved. */
enum { REPORT_COMPARE_SIZE = 1024 };
void report_compare_lead(const struct compare *x, char out[REPORT_COMPARE_SIZE]);

/* Why a capture is as sharp as it is, in figures: what the two are compared by. */
struct report_cause {
	const char *name;
	char values[2][64];
};
enum { REPORT_CAUSES = 9 };
void report_compare_causes(const struct compare *x, struct report_cause out[REPORT_CAUSES]);

/* Verdicts that moved, most pages first. Returns their number, at most size. */
struct report_move {
	unsigned from, to; /* as compare_verdict */
	uint64_t pages;
};
size_t report_compare_moves(const struct compare *x, struct report_move *out, size_t size);

/* The page. Errors stay in the FILE; 0 or ERR_NOMEM. */
struct report_compare_page {
	const struct compare *compare;
	const char *archive, *replay; /* replay may be NULL */
};
int report_compare_html(const struct report_compare_page *p, FILE *file) SP_MUST_CHECK;

#endif
