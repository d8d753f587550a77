/*
 * The margin at which all pages together want as many looks as the budget allows. Pages are
 * gathered in cells of about equal rate and weight (16 cells for each factor of two), so that the
 * margin is found without a sweep over all pages, and what a page wants is a matter of looking its
 * cell up. A few hundred cells are usual, whatever the number of pages.
 */
#ifndef PLAN_REFRESH_MARKET_H
#define PLAN_REFRESH_MARKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/lists.h"
#include "base/nummap.h"
#include "base/vec.h"
#include "plan/refresh_policy.h"

struct market_cell {
	uint32_t key;
	uint32_t pages;
	double rates, weights; /* sums */
	double f;              /* looks per unit of time at each page; announced: their share */
	double f_more;         /* the same of the marginal pages that get the remainder */
	float inner, outer;    /* sharp: shares of the pairs that are hotter, and not colder */
};

VEC_DECLARE(market_cells, struct market_cell);

/*
 * What all pages of a market want at margins around its present one, a factor of two apart: so
 * several markets can be brought to one margin (crawl/watch_daemon.h).
 */
enum { MARKET_CURVE = 33 };

struct market_curve {
	double middle;              /* the margin of the middle one; 0: nothing is known */
	double wants[MARKET_CURVE]; /* looks per unit of time; falling */
};

/* What is wanted at a margin (> 0), between the points and beyond them. */
double market_curve_at(const struct market_curve *curve, double margin);

/* Fields are the market's own; margin may be read. */
struct market {
	const struct refresh_policy *policy;
	const struct refresh_aim *aim; /* borrowed */
	struct market_cells cells;
	struct nummap index;  /* numbers of the cells, by key */
	struct u32_vec order; /* cells by rate, the hottest first; of sharp */
	double margin;
	struct market_curve curve;
	double mix; /* share of the pages that get f_more */
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

/* sharp: pages that get two looks around each instant, and the place of one of them among all, from
 * 0 for the hottest up to 1. */
double market_pairs(const struct market *m);
double market_place(const struct market *m, struct market_page page, double draw);

#endif
