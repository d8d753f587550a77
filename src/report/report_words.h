/* What reports say in words, as text and as a page alike. */
#ifndef REPORT_REPORT_WORDS_H
#define REPORT_REPORT_WORDS_H

#include "base/text.h"
#include "proof/report.h"

enum { REPORT_WORDS_SIZE = 512 };

/* What a verdict means, for readers of totals; constant. */
const char *report_meaning(enum verdict v);

/* With one digit behind the point: 100.0 means all of them. */
double report_percent(uint64_t part, uint64_t all);

/* The one sentence that everybody reads: how many pages are sharp. */
void report_headline(const struct report *r, char out[REPORT_WORDS_SIZE]);

/* The second one: what that claims, or why nothing is claimed. */
void report_claim(const struct report *r, char out[REPORT_WORDS_SIZE]);

/* "about once in 3 days", or "nothing" where nothing was known of a page. */
void report_rate(const struct report *r, const struct report_page *p, char out[TEXT_RATE_SIZE]);

/* "finished", "ended by its time limit", "under watch", … */
void report_ending(const struct report *r, char out[REPORT_WORDS_SIZE]);

/* "FROM to TO (1.2 s)", or why there is no still point. */
void report_window(const struct report *r, char out[REPORT_WORDS_SIZE]);

/* Whether there is anything to compare with what was expected: pages were revisited. */
bool report_has_expectation(const struct report *r);

/* "12.3 expected", or "0 to 40 expected" where little was known. */
void report_expectation(const struct report *r, char out[REPORT_WORDS_SIZE]);

/* How what was found compares with what was expected; constant. */
const char *report_comparison(const struct report *r);

/* Who answers for the capture, and whether the archive says so. */
void report_operator(const struct report *r, char out[REPORT_WORDS_SIZE]);

/* This program, and the one that made the capture, with their rules. */
void report_program(const struct report *r, char out[REPORT_WORDS_SIZE]);

#endif
