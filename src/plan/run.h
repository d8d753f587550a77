/* A run, for the files that it is made of: run.c, run_groups.c, run_limit.c, run_servers.c. */
#ifndef PLAN_RUN_H
#define PLAN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lists.h"
#include "plan/group.h"
#include "plan/order.h"
#include "plan/plan.h"

/* Pages that wait: first in, first out. Zeroed: empty. */

struct waiting_line {
	struct u32_vec pages;
	size_t head;
};

static inline int line_push(struct waiting_line *l, uint32_t page)
{
	return u32_vec_try_push(&l->pages, page);
}

static inline bool line_pop(struct waiting_line *l, uint32_t *ret_page)
{
	if (l->head == l->pages.len)
		return false;
	*ret_page = l->pages.ptr[l->head++];
	/* Orders may come back again and again. */
	if (l->head == l->pages.len)
		l->head = l->pages.len = 0;
	return true;
}

/* Puts back what was just taken from the head. */
static inline int line_unpop(struct waiting_line *l, uint32_t page)
{
	if (l->head == 0)
		return line_push(l, page);
	l->pages.ptr[--l->head] = page;
	return 0;
}

enum page_state {
	UNKNOWN,
	WAITING, /* for its visit, its revisit or its late download */
	IN_FLIGHT,
	VISITED,  /* between its good visit and the barrier */
	DONE,     /* in all legs it takes part in */
	GIVEN_UP, /* by failure or because its leg was cut */
};

VEC_DECLARE(survivals, struct survival);
VEC_DECLARE(weights, float);
VEC_DECLARE(plan_pages, struct plan_page);

/* Pages that are downloaded one after the other, at a pace of their own. */
struct run_server {
	void *state; /* of the visit order */
	struct plan_site site;
	struct u32_vec batch;         /* found since the last call, not yet given to the order */
	struct waiting_line returned; /* orders that were not carried out: first of all */
	struct waiting_line retries;  /* behind the other pages of the leg */
	struct waiting_line revisits;
	struct waiting_line late;
	struct u32_vec visited;         /* in the order of their visits */
	struct waiting_line unordered;  /* pages the order could not take for want of memory */
	struct waiting_line hopeless;   /* visited behind the others: there is a limit */
	uint32_t found, visits_done;    /* since the last look at the size */
	uint32_t arrived;               /* pages found on it since the last visit to any server */
	double arrivals;                /* the same for each visit, a moving average, … */
	size_t averaged;                /* … when so many visits were over */
	double counted;                 /* its part of run.sizes */
	size_t out;                     /* orders that are not done yet */
	double clock_first, clock_last; /* first request, last response: for an unknown delay */
	size_t downloads;
	bool is_chosen; /* its pages were chosen for a limit */
	bool is_paced;  /* plan_pace has told its delay */
	bool is_held;   /* its visits go on later, to end with those of the others: */
	double begin;   /* then */
	bool is_cut;    /* its remaining visits are put off: the barrier does not wait for them */
};

VEC_DECLARE(run_servers, struct run_server);
VEC_DECLARE(run_bits, uint64_t);

struct plan_run {
	struct plan_params params;
	const struct visit_order *visits;
	struct run_servers servers; /* at least one */
	size_t next_server;         /* the first to be asked */
	struct run_bits ready;      /* a bit for each that may have an order to give */
	struct u32_vec batched;     /* those that may have a batch */
	struct u32_vec arrived;     /* those that pages have arrived on since the last visit */
	size_t visits_over;         /* of all servers */
	double sizes;               /* estimated numbers of pages, of all servers */
	struct u32_vec server_of;   /* by page; those beyond its end are on server 0 */
	struct survivals survival;  /* these three by page, of the same length */
	struct weights weight;
	struct plan_pages pages;
	struct group_edges groups;  /* pages and their requisites, each edge once */
	struct u32_vec edge_before; /* by edge: the one before it of that requisite, + 1; 0: none */
	struct u32_vec edge_of;     /* by page: its last edge as a requisite, + 1 */
	struct {
		struct weights placed; /* by page: in the order of visits; empty: no groups */
		size_t edges, left;    /* when it was last weighed, and how many visits */
		uint32_t next;         /* page to be placed anew first */
		/* Where few pages are left and all are known: their visits in order, while no page
		 * and no edge is new. */
		struct waiting_line visits;
		size_t known;
	} worth;

	enum plan_leg leg;
	bool visits_ended, cancelled;
	bool rest_put_off;    /* visits are no longer carried out: plan_put_off_rest */
	double hours_weighed; /* until then plan_hours has its answer */
	int error;

	struct {
		double left;     /* downloads that may still begin; infinite: no limit */
		bool chosen;     /* among pages of which all were known */
		bool arranged;   /* the revisits, with this limit */
		double slack;    /* when last counted: downloads that no revisit is wanted for */
		double at_left;  /* and how many were left then */
		size_t at_visit; /* and were visited */
	} budget;

	struct {
		bool stale;     /* something has happened since it was planned */
		double wake;    /* when a server that is held back may begin; infinite: none */
		double waiting; /* visits, of all servers */
		bool moved;     /* pages may have left a server that is held back */
		size_t kept;    /* orders that were given out by this plan */
		size_t weighed; /* visits that were left when it was last weighed against waiting */
	} barrier;
	struct plan_progress progress;
};

static inline struct run_server *run_server(const struct plan_run *run, uint32_t page)
{
	return &run->servers.ptr[page < run->server_of.len ? run->server_of.ptr[page] : 0];
}

static inline bool has_late_leg(const struct plan_run *run)
{
	return run->params.strategy->revisits && !run->params.single;
}

/* What visits since the last call have found tells how large the site may be. */
void run_look_at_size(struct plan_run *run, struct run_server *s);

/* A page in the visit order gets the place that this gives it. 0 or ERR_NOMEM. */
int run_order_anew(
	struct plan_run *run, uint32_t page, const struct survival *survival, float placed);

/* ---- run_groups.c ---- */

bool run_has_edge(const struct plan_run *run, uint32_t page, uint32_t requisite);

/* 0 or ERR_NOMEM. */
int run_add_edge(struct plan_run *run, uint32_t page, uint32_t requisite);

/* All pages have a weight in the order of visits, if that is to know of groups. 0 or ERR_NOMEM. */
int run_place_weights(struct plan_run *run);

/* A requisite that is not yet in the order has one more page that needs it. */
void run_note_user(struct plan_run *run, uint32_t page, uint32_t requisite);

/* Before a visit is chosen: what pages are worth for their groups, when enough has changed. */
void run_weigh_groups(struct plan_run *run, double now);

/* ---- run.c: few pages ---- */

/* Whether so many waiting pages are all that is left, and few. */
bool run_are_few(const struct plan_run *run, size_t waiting);

/* Plans their visits for the sake of whole groups, of which g has those of all pages. 0 or
 * ERR_NOMEM. */
int run_schedule_few(struct plan_run *run, const struct groups *g, const uint32_t *waiting,
	size_t n, double now);

/* Whether that plan holds: no page and no edge is new. */
bool run_is_scheduled(const struct plan_run *run);

/* ---- run_limit.c ---- */

/* Whether a visit and a revisit of every page are more than the limit leaves. */
bool run_is_short(const struct plan_run *run);

/* At the first order: all pages are known, and the limit may be too small for them. */
void run_choose_pages(struct plan_run *run, struct run_server *s);

/* At the barrier: the order of revisits begins with those that the limit leaves room for. */
void run_limit_revisits(struct plan_run *run, struct run_server *s);

/* ---- run_servers.c ---- */

/* 0 or ERR_NOMEM. */
int run_add_server(struct plan_run *run);
void run_release_servers(struct plan_run *run);

/* Something has happened to the server, or to all of them: it may have an order to give. */
void run_touch(struct plan_run *run, struct run_server *s);
void run_touch_all(struct plan_run *run);

/* The server has no order to give until something happens. */
void run_rest(struct plan_run *run, const struct run_server *s);

/* The first server of those from one on, and before another, that may have an order; or to. */
size_t run_next_ready(const struct plan_run *run, size_t from, size_t to);

/* What its order knows is dropped when all its pages are visited and none is out. */
void run_let_go(const struct plan_run *run, struct run_server *s);

/* Its size, or what is known of it, has changed. */
void run_note_size(struct plan_run *run, struct run_server *s);

/* The arrays of the run may have moved. */
void run_refresh(const struct plan_run *run, struct run_server *s);

/* When the visits of all servers end, and who is held back until when. */
void run_plan_barrier(struct plan_run *run, double now);

/* Pages of a server that are probably still to be found, by visits to any server. */
double run_unknown(const struct plan_run *run, const struct run_server *s);

/* After a visit: what it found, and on which servers. */
void run_note_visit(struct plan_run *run);

/* Whether a server may get an order now. */
bool run_may_take(const struct plan_run *run, const struct run_server *s);

#endif
