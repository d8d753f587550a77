/* The URLs that `crawl` is given, on the command line or in a file, one in each line. */
#ifndef CMD_SEEDS_H
#define CMD_SEEDS_H

#include "base/api.h"
#include "base/err.h"
#include "crawl/secrets.h"
#include "crawl/sites.h"

/* Where seeds go, and the passwords that some have. */
struct seeds {
	struct sites *sites;
	struct crawl_secrets *secrets;
};

/* Adds one: 0, ERR_USAGE with what is wrong and what was perhaps meant, ERR_NOMEM. */
int seeds_add(const struct seeds *to, const char *text, struct err *err) SP_MUST_CHECK;

/*
 * Adds those of a file ("-": standard input). Blank lines are skipped, and so is what begins with
 * '#' at the start of a line or behind a blank. 0, ERR_USAGE with file and line, ERR_NOMEM.
 */
int seeds_read(const struct seeds *to, const char *path, struct err *err) SP_MUST_CHECK;

#endif
