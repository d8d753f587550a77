/*
 * Cloaking: another page for crawlers than for people (--cloaking; docs/deceit.md). Some pages are
 * fetched once more right after their visit, with a browser's User-Agent, a search engine as
 * Referer and without cookies, as probes of the purpose "cloaking". robots.txt is asked for our own
 * name. What counts is the visible text: pages that differ by noise, or by an advertisement, are
 * the same.
 */
#ifndef CRAWL_CLOAKING_H
#define CRAWL_CLOAKING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct page_text;
struct attempt;
struct arrival;
struct capture;
struct net_fetch;
struct plan_order;
struct request;

enum {
	CLOAKING_MIN = 4,     /* pages that are fetched in any case */
	CLOAKING_PERCENT = 2, /* of the pages */
	CLOAKING_SKETCH = 128,
	CLOAKING_LINE_SIZE = 64,
};

#define CLOAKING_AGENT                                                                      \
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) " \
	"Chrome/126.0.0.0 Safari/537.36"
#define CLOAKING_REFERER "https://www.google.com/"

/* The smallest hashes of a text's sequences of words: two of them tell how much texts share. */
struct cloaking_sketch {
	uint64_t hashes[CLOAKING_SKETCH]; /* ascending */
	uint32_t count;
};

/* A page that was visited and is asked for again. */
struct cloaking_sample {
	uint32_t page;
	unsigned status;
	struct cloaking_sketch sketch;
};

VEC_DECLARE(cloaking_samples, struct cloaking_sample);

/* Zero-initialise. Fields are those of cloaking.c. */
struct cloaking {
	uint64_t seen, sampled; /* pages, by all processes */
	bool wants;             /* the page that is being read */
	struct cloaking_samples waiting;
};

void cloaking_release(struct cloaking *k);

/* All of it does nothing without --cloaking. */

/* As struct crawl_feature has them: a page that was visited may be asked for once more. */
int cloaking_wants(struct capture *c, const struct arrival *p, bool *ret_text, struct err *err);
int cloaking_visited(struct capture *c, const struct arrival *p, struct err *err);

/* The answer to that was read; false: nothing can be said. */
bool cloaking_compare(struct capture *c, const struct attempt *a, const struct page_text *text,
	char ret_line[CLOAKING_LINE_SIZE]);

/* An attempt of an earlier process. */
void cloaking_restore(struct capture *c, const struct attempt *a);

#endif
