/*
 * pages.jsonl of a WACZ (1.1.1 §5.2.1): a line for each version of an HTML page that the WARC files
 * hold, with its title and, if asked for, its visible text. Pages are answers with a status of 2xx;
 * the same answer of a later look is not listed again.
 */
#ifndef EXPORT_PAGES_H
#define EXPORT_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "archive/warc_input.h"
#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

struct pages; /* opaque */

/* Lines go to out, which is borrowed. 0, ERR_IO, ERR_NOMEM. */
int pages_open(FILE *out, bool text, struct pages **ret, struct err *err) SP_MUST_CHECK;
void pages_close(struct pages *p); /* NULL is fine */

/* Adds those of a file; what is damaged is left out. 0, ERR_IO, ERR_NOMEM, or as warc_reader_open.
 */
int pages_read(struct pages *p, const struct warc_source *source, struct err *err) SP_MUST_CHECK;

/* What was found so far. */
struct pages_facts {
	uint64_t count;
	slice main_url; /* of the first page; ptr NULL when there is none */
	int64_t main_date;
	int64_t newest; /* date of all records; 0: none */
};

struct pages_facts pages_facts(const struct pages *p);

#endif
