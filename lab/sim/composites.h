/*
 * Pages with requisites, for experiments: style sheets, images and scripts of a site's pages. One
 * style sheet belongs to all of them. Of the others half belong to one page; the rest are shared,
 * by eight pages on average. Requisites change a quarter as often as pages do.
 */
#ifndef SIM_COMPOSITES_H
#define SIM_COMPOSITES_H

#include "base/err.h"
#include "base/rng.h"
#include "plan/expect_site.h"

/*
 * Adds requisites to a synthetic site, so many for each of its pages and the style sheet; they are
 * links of the page, too. Rates are scaled so that as much changes during a capture as before. 0 or
 * ERR_NOMEM.
 */
int composites_add(struct site *site, unsigned per_page, struct rng *rng) SP_MUST_CHECK;

#endif
