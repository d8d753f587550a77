/* The two rules of stillpoint-online, which stillpoint_online.c chooses from by the site's size. */
#ifndef PLAN_ONLINE_H
#define PLAN_ONLINE_H

#include "base/lists.h"
#include "plan/order.h"

extern const struct visit_order online_small, online_large;

/* By the state of online_small: whether next to nothing was hidden at the last visit. */
bool online_small_is_settled(const void *state);

/* Appends all pages that wait. 0 or ERR_NOMEM. */
int online_small_waiting(const void *state, struct u32_vec *pages);

#endif
