/*
 * The margin at which all pages together want as many looks as the budget allows. Pages are
 * gathered in cells of about equal rate and weight (16 cells for each factor of two), so that the
 * margin is found without a sweep over all pages, and what a page wants is a matter of looking its
 * cell up. A few hundred cells are usual, whatever the number of pages.
 */
#ifndef REFRESH_MARKET_H
#define REFRESH_MARKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/lists.h"
#include "base/vec.h"
#include "refresh/policy.h"

struct market_cell {
	uint32_t key;
	uint32_t pages;
	double rates, weights; /* sums */
	double f;              /* looks per unit of time at each page; announced: their share */
	double f_more;         /* the same of the marginal pages that get the remainder */
	float inner, outer;    /* sharp: shares of the pairs that are hotter, and not colder */
};

VEC_DECLARE(market_cells, struct market_cell);

/* Fields are the market's own; margin may be read. */
struct market {
	const struct refresh_policy *policy;
	const struct refresh_aim *aim; /* borrowed */
	struct market_cells cells;
	uint32_t *index;      /* by hash of the key: number of the cell plus one, or 0 */
	size_t slots;         /* a power of two, or 0 */
	struct u32_vec order; /* cells by rate, the hottest first; of sharp */
	double margin;
	double mix;   /* share of the pages that get f_more */
	double still; /* weight of pages that never change */
};

/* What counts of a page. */
struct market_page {
	float rate, weight; /* 0, or within refresh_number_ok */
	bool announced;     /* looked at when its changes are announced */
};

/* Allocates nothing; release after all. */
void market_init(
	struct market *m, const struct refresh_policy *policy, const struct refresh_aim *aim);
void market_release(struct market *m);

/* 0 or ERR_NOMEM. A page that wants no look, whatever the margin, is in no cell. */
int market_add(struct market *m, struct market_page page) SP_MUST_CHECK;

/* A page that was added leaves. */
void market_remove(struct market *m, struct market_page page);

/*
 * Looks per unit of time that such a page gets; the share of its announcements where announced.
 * draw, from 0 up to 1, is the page's own: where pages that are alike cannot all get the same, it
 * decides which gets more.
 */
double market_demand(const struct market *m, struct market_page page, double draw);

/* Finds the margin for a bandwidth (looks per unit of time), and what each cell wants then. Costs
 * some tens of passes over the cells. */
void market_clear(struct market *m, double bandwidth);

/* Weighted means over all pages, those that are given up included; NAN without pages. */
struct market_outlook {
	double fresh, sharp; /* sharp: NAN without a grid */
};

struct market_outlook market_outlook(const struct market *m);

/* sharp: pages that get two looks around each instant, and the place of one of them among all, from
 * 0 for the hottest up to 1. */
double market_pairs(const struct market *m);
double market_place(const struct market *m, struct market_page page, double draw);

#endif
