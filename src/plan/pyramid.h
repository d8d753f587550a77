/*
 * Pyramids: schedules in which page after page lies around the still point, each visit-revisit
 * interval inside the next. Visited from the outside in, revisited from the inside out.
 */
#ifndef PLAN_PYRAMID_H
#define PLAN_PYRAMID_H

#include "plan/order.h"

/*
 * Turns pages in order of heat, some marked hopeless, into the order of visits: the hopeless on
 * the longest intervals, the hottest of them outermost; inside the hopeful, the hottest innermost.
 * 0 or ERR_NOMEM.
 */
int pyramid_lay(struct visit_choice *by_heat, size_t n);

#endif
