/*
 * The links of one page in few bytes: the numbers of the pages it links to, ascending, as gaps in a
 * variable length of 7 bits a byte. The first gap is from the page itself and may be negative
 * (zigzag): links lead to pages that were found at about the same time. A link of a random graph
 * with 10^6 pages and 10^7 links takes 2.5 bytes (bench_rank), one of a site less.
 */
#ifndef PLAN_RANK_PACKED_H
#define PLAN_RANK_PACKED_H

#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/lists.h"
#include "base/slice.h"

/* Sorts the targets of a page and drops the page itself and what is there twice. */
void rank_links_tidy(uint32_t page, struct u32_vec *targets);

/* Appends them; they must be tidy. 0, or as buf_add. */
int rank_pack(uint32_t page, const struct u32_vec *targets, struct buf *out) SP_MUST_CHECK;

/* Sets ret to what was packed: 0, ERR_SYNTAX for bytes that are no links, ERR_NOMEM. */
int rank_unpack(uint32_t page, slice packed, struct u32_vec *ret) SP_MUST_CHECK;

#endif
