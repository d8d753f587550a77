/*
 * What a person wants to see of a report first: the directories with most pages, the changed pages
 * with the highest rates, the most frequent reasons of failures. A few rows each, best first.
 */
#ifndef PROOF_RANKING_H
#define PROOF_RANKING_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/vec.h"
#include "proof/report.h"

/* Pages that have something in common; the name is borrowed from the report. */
struct ranking_group {
	slice name;
	slice example; /* of a reason in full */
	uint64_t pages;
	uint64_t captured;
	uint64_t sharp;
	uint64_t changed;
};

VEC_DECLARE(ranking_groups, struct ranking_group);

/*
 * All directories (a URL up to the last slash of its path) of the pages that were wanted, not of
 * excluded ones, by captured pages and pages.
 */
struct ranking_groups ranking_directories(const struct report *r);

/*
 * All reasons of a verdict, by pages. What stands behind a colon is left out, since it
 * may differ from page to page; the example has it. Rules (of excluded pages) are taken in full;
 * links out of the scope are left out.
 */
struct ranking_groups ranking_reasons(const struct report *r, enum verdict verdict);

/* Indexes of up to max pages with that verdict and the highest rates; returns how many. */
size_t ranking_hottest(
	const struct report *r, enum verdict verdict, size_t max, uint32_t *ret_pages);

#endif
