/*
 * A capture for the tests of this room: every kind of row, each value different, all derived from
 * numbers, so that what is read can be compared with what must have been written.
 */
#ifndef TESTS_CATALOG_CATALOG_SAMPLE_H
#define TESTS_CATALOG_CATALOG_SAMPLE_H

#include "base/err.h"
#include "catalog/catalog.h"

enum { SAMPLE_PATH_SIZE = 512 };

/* The name of a catalog in a new directory; returns out. */
const char *sample_path(char out[SAMPLE_PATH_SIZE]);

/* Opens a catalog, which must succeed. */
struct catalog *sample_open(const char *path, enum catalog_mode mode);

/* A new catalog with one committed capture: so many pages, and the rest. */
struct catalog *sample_fill(const char *path, uint32_t pages, uint32_t *ret_capture);

/* Adds the number-th capture, without pages. */
int sample_add_capture(struct catalog *c, unsigned number, uint32_t *ret_id, struct err *err);

/* Adds a page with its events, observations, place in the plan and verdict. */
int sample_add_page(struct catalog *c, uint32_t capture, uint32_t page, struct err *err);

/* Adds what a capture has besides: WARC files, robots.txt, clocks, attempts without a page. */
int sample_add_rest(struct catalog *c, uint32_t capture, struct err *err);

/*
 * Reads the capture, fails the open case for whatever is not as the functions above write it, and
 * tells how many pages it has; rest says whether sample_add_rest was called.
 */
uint32_t sample_check(struct catalog *c, uint32_t capture, bool rest);

/* Reads all there is, and wants nothing of it: the first failure, or 0. */
int sample_read_all(struct catalog *c, struct err *err);

#endif
