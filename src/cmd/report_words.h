/* What reports say in words, as text and as a page alike. */
#ifndef CMD_REPORT_WORDS_H
#define CMD_REPORT_WORDS_H

#include "quality/report.h"

enum { REPORT_WORDS_SIZE = 512 };

/* What a verdict means, for readers of totals; constant. */
const char *report_meaning(enum verdict v);

/* With one digit behind the point: 100.0 means all of them. */
double report_percent(uint64_t part, uint64_t all);

/* The one sentence that everybody reads: how many pages are sharp. */
void report_headline(const struct report *r, char out[REPORT_WORDS_SIZE]);

/* The second one: what that claims, or why nothing is claimed. */
void report_claim(const struct report *r, char out[REPORT_WORDS_SIZE]);

/* "finished", "ended by its time limit", … */
void report_ending(const struct catalog_capture *c, char out[REPORT_WORDS_SIZE]);

/* "FROM to TO (1.2 s)", or why there is no still point. */
void report_window(const struct report *r, char out[REPORT_WORDS_SIZE]);

/* Whether there is anything to compare with what was expected: pages were revisited. */
bool report_has_expectation(const struct report *r);

/* How what was found compares with what was expected; constant. */
const char *report_comparison(const struct report *r);

#endif
