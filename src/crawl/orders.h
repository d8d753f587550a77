/* Asks the planner; pages before and after their fetch. */
#ifndef CRAWL_ORDERS_H
#define CRAWL_ORDERS_H

#include "base/api.h"
#include "base/err.h"
#include "crawl/requests.h"
#include <stdbool.h>
#include <stddef.h>

struct capture;
struct net_fetch;

/* Seconds until the planner may be asked for the first revisit; infinite when nothing waits. */
double orders_wait(const struct capture *c);

/* Asks the planner for as much as there is room for. */
int orders_dispatch(struct capture *c, struct err *err) SP_MUST_CHECK;

/* Requests of the kind REQUEST_PAGE: the functions that requests.c calls. */
int orders_check(struct capture *c, size_t place, bool *ret_send, struct err *err) SP_MUST_CHECK;
int orders_finished(struct capture *c, const struct request *r, const struct net_fetch *f,
	struct err *err) SP_MUST_CHECK;
/* The same of REQUEST_AGAIN: a visit that the planner does not know of. */
int orders_visited_again(struct capture *c, const struct request *r, const struct net_fetch *f,
	struct err *err) SP_MUST_CHECK;
int orders_dropped(struct capture *c, const struct request *r, enum drop_reason reason,
	struct err *err) SP_MUST_CHECK;

#endif
