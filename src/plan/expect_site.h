/*
 * A site as a file describes it: pages, how often each changes, what each is worth, how much is
 * known of its rate (plan/survival.h) and which pages it links to. CSV with the header
 * page,rate[,weight][,shape][,links][,requisites], columns in any order; links and requisites are
 * page names separated by blanks. The first may also be called url, as in the files of
 * archive/import_rates.h; other columns that `stillpoint rates --csv` writes are ignored.
 */
#ifndef PLAN_EXPECT_SITE_H
#define PLAN_EXPECT_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/slice.h"
#include "plan/group.h"
#include "plan/survival.h"

/*
 * Pages are numbered in the order of their rows. A zeroed struct is a site without pages.
 * Read-only after loading.
 */
struct site {
	size_t n;
	slice *names;              /* valid as long as the site; NULL: a synthetic site */
	struct survival *survival; /* with the given rate; Poisson unless a shape is given */
	float *weights;            /* NULL: the file has none, all are 1 */
	size_t *link_from;         /* links of page i: links[link_from[i]] up to link_from[i + 1] */
	uint32_t *links;           /* page numbers, in the order of the page */
	struct group_edges requisites; /* without which a page is worth nothing */

	/* For site_find: every name that was mentioned has an id, which stands for a page. */
	struct strmap ids;
	uint32_t *page_of_id;
	struct arena text; /* the bytes of all names */
};

/*
 * Reads a site from a file, "-" being standard input. On failure ret_site is untouched and *err
 * holds one sentence that begins with "FILE:LINE: ", or "FILE: " where no line is to blame:
 *   ERR_IO         it cannot be opened or read
 *   ERR_SYNTAX     it is no such CSV: header, number of fields, quotes, what is no number
 *   ERR_RANGE      a rate, weight or shape that cannot be
 *   ERR_EXISTS     a page is there twice
 *   ERR_NOTFOUND   a link to a page that is not there
 *   ERR_LIMIT, ERR_NOMEM
 */
int site_load(const char *path, struct site *ret_site, struct err *err) SP_MUST_CHECK;

/* The same from an open file, which stays the caller's; name is how messages call it. */
int site_read(FILE *file, const char *name, struct site *ret_site, struct err *err) SP_MUST_CHECK;

/* Safe on a zeroed struct. */
void site_release(struct site *s);

/* The page of that name. */
bool site_find(const struct site *s, slice name, uint32_t *ret_page);

static inline float site_weight(const struct site *s, uint32_t page)
{
	return s->weights ? s->weights[page] : 1;
}

/*
 * Appends the pages that can be reached from the seeds to the list, each once, breadth first:
 * seeds, then their links, and so on; and to rest those that cannot, in their order. 0 or
 * ERR_NOMEM.
 */
int site_reach(const struct site *s, const uint32_t *seeds, size_t seed_count, struct u32_vec *list,
	struct u32_vec *rest) SP_MUST_CHECK;

#endif
