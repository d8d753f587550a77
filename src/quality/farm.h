/*
 * Link farms: owners of hosts that link to each other to raise their rank (Gyöngyi and
 * Garcia-Molina, "Link spam alliances", VLDB 2005). An owner is a registrable domain, or a host
 * that has none, so the hosts of one organisation are no farm. An owner is in a farm if it and at
 * least FARM_PARTNERS others link to each other and most of these do so among themselves; the share
 * of that is the feature `farm` of its pages that link to three partners or more.
 */
#ifndef QUALITY_FARM_H
#define QUALITY_FARM_H

#include "base/api.h"
#include "base/err.h"
#include "catalog/catalog.h"
#include "quality/report.h"

enum { FARM_PARTNERS = 5 };

/* Adds the feature to the pages of a report that is loaded. 0, or as link_graph_load. */
int farm_find(struct report *r, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

#endif
