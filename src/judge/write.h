/* Writes looks that were paired into a catalog, as a capture. */
#ifndef JUDGE_WRITE_H
#define JUDGE_WRITE_H

#include "base/api.h"
#include "base/err.h"
#include "catalog/catalog.h"
#include "judge/pairs.h"

struct judge_result {
	const struct judge_looks *looks;
	const struct judge_pairs *pairs;
	const struct judge_terms *terms;
	const char *name; /* of the first archive */
	slice settings;   /* the rules, as lines (proof/rulebook.h) */
};

/* 0, or as the catalog's functions. */
int judge_write(
	const struct judge_result *result, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

#endif
