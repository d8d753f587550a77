/*
 * Changes that look like noise: the page stays as it is but for one small thing that matters. Each
 * page has one kind of change, drawn from params.details; LIVING_DETAIL_TEXT, the default, changes
 * the whole text. Two versions never show the same value.
 */
#ifndef LIVING_DETAIL_H
#define LIVING_DETAIL_H

#include "living/markup.h"
#include "living/page.h"

enum living_detail {
	LIVING_DETAIL_TEXT,
	LIVING_DETAIL_PRICE,
	LIVING_DETAIL_DATE,
	LIVING_DETAIL_COUNTER,
	LIVING_DETAIL_CHARACTER,
	LIVING_DETAIL_HREF,
	LIVING_DETAIL_SRC,
	LIVING_DETAIL_ACTION,
	LIVING_DETAIL_VALUE,
	LIVING_DETAIL_ALT,
	LIVING_DETAIL_STRUCTURED, /* a price in JSON-LD */
	LIVING_DETAIL_ORDER,      /* of the items of a list */
	LIVING_DETAILS,
};

const char *detail_name(unsigned detail);

/* How a resource changes. */
enum living_detail detail_of(const struct living_model *m, uint32_t resource);

/* Writes all details; the one of the page shows its version, the others never change. */
void detail_put(struct markup *w, const struct page_view *v);

#endif
