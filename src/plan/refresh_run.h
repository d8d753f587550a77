/*
 * What to look at next, so that an archive stays as true as a budget allows.
 *
 * A refresh_run is one site, or several, under watch by one policy (plan/refresh_policy.h). It does
 * no I/O, has no clock and calls nobody. A lane calls it from its event loop and the simulator from
 * a loop in virtual time:
 *
 *	refresh_discovered   a page was found, with its rate, weight and group
 *	refresh_next         what to look at now: an order, or nothing until a time
 *	refresh_done         how an order went, and the page's rate after it
 *	refresh_signal       somebody says that a page has changed
 *
 * Several orders may be out at once. Rates come from the caller (src/plan) with every look; they
 * are per unit of time, whatever the unit is.
 *
 * After a crash nothing is restored but facts: refresh_discovered for all pages, then refresh_seen
 * for the last look at each (all looks, in the order of time, also restore what was learned of
 * hubs and the audit), and refresh_set_source. Due times follow from these; an order that was out
 * then is simply given again.
 *
 * Who gets the budget:
 *   - pages that are due by the policy. Due times are kept in buckets (plan/refresh_wheel.h) and
 * follow from the time of the last look and the margin (plan/refresh_market.h).
 *   - audits: a share goes to pages drawn at random from all that are new or live, at random times,
 *     whatever the pace: their requests are spent in advance. What they find is an unbiased sample
 *     of the archive's freshness, if they are carried out at once.
 *   - exploration: a share goes to random pages too, so that a page with a wrong rate is seen.
 *   - births: a share goes to hubs where new pages appear.
 *   - first copies: as long as there are pages that were never looked at, most of the budget
 *     (REFRESH_FIRST_SHARE) goes to them, and what is left by pages that are due.
 * A page that is gone is looked at again soon; when that confirms it, ever more rarely. One that
 * does not answer is looked at again later and later. Neither is looked at before its time.
 *
 * Invariants:
 *   (1) A page is out at most once. An audit of a page that is out is no further order: the one
 *       that is out is to be carried out at once, and reported as the audit.
 *   (2) No order without budget: over any time, orders and refresh_spend are within
 * plan/refresh_pace.h. Audits are spent in advance. (3) Every living page with weight and rate that
 * is not out is due at some time, or given up by the policy; those given up are still drawn for
 * audits and exploration. (4) The same calls with the same arguments give the same orders.
 *
 * Cost: O(1) for each call, but for a new margin every few thousand looks; 40 bytes for a page.
 * Not thread-safe. Nothing blocks.
 */
#ifndef PLAN_REFRESH_RUN_H
#define PLAN_REFRESH_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "plan/refresh_market.h"
#include "plan/refresh_policy.h"

/*
 * What announcements are worth: sitemaps, feeds, pings. Each source has a precision, the share of
 * its announcements behind which a look found a change, and a recall, the share of the changes
 * found at its pages that it had announced. Both are learned from looks. The precision begins at
 * one half, the recall at 0: silence says nothing until the source has shown that it speaks. What
 * was seen long ago fades, so that a source can lose its worth and regain it.
 */

/* Sources are numbers from 1 on; 0: none. */
enum { REFRESH_SOURCES = 16 };

/* Looks that a source is judged by, at most: then all count for half. */
#define REFRESH_SOURCE_LOOKS 1024.0

struct refresh_source {
	double announced_changed, announced_same; /* looks behind an announcement */
	double silent_changed;                    /* changes that no announcement told */
};

/* Between 0 and 1, both excluded. */
static inline double refresh_precision(const struct refresh_source *s)
{
	return (s->announced_changed + 1) / (s->announced_changed + s->announced_same + 2);
}

/* From 0 on, below 1. */
static inline double refresh_recall(const struct refresh_source *s)
{
	return s->announced_changed / (s->announced_changed + s->silent_changed + 2);
}

/* A look at a page of the source. */
static inline void refresh_source_learn(struct refresh_source *s, bool announced, bool changed)
{
	if (announced && changed)
		s->announced_changed++;
	else if (announced)
		s->announced_same++;
	else if (changed)
		s->silent_changed++;
	if (s->announced_changed + s->announced_same + s->silent_changed > REFRESH_SOURCE_LOOKS) {
		s->announced_changed /= 2;
		s->announced_same /= 2;
		s->silent_changed /= 2;
	}
}

/* Times are in one unit, that of budget and rates. 0: the default. */
struct refresh_params {
	const struct refresh_policy *policy;
	double budget; /* requests per unit of time */
	double start;  /* the present time */
	double minute; /* in that unit; 1 / 1440: the unit is a day */
	struct refresh_aim aim;
	double cycle;   /* sample, hybrid: how long activity in a group counts; 7 minutes·1440 */
	double audit;   /* shares of the budget; < 0: none. 0.01 */
	double explore; /* 0.01 */
	double birth;   /* 0.1 */
	double confirm; /* time to the second look at a page that is gone; 10 minutes */
	uint64_t seed;
};

/* Of the budget, while pages wait for their first copy. */
#define REFRESH_FIRST_SHARE 0.9

enum { REFRESH_NO_GROUP = 0 };

/* What is known of a page. */
struct refresh_facts {
	double rate;     /* changes per unit of time */
	double weight;   /* what it is worth that the copy is current */
	uint32_t group;  /* directory, cluster, …: numbers from 1 on, dense; 0: none */
	unsigned source; /* that announces changes of the page (plan/refresh_run.h); 0: none */
};

enum refresh_purpose {
	REFRESH_LOOK,    /* due */
	REFRESH_SAMPLED, /* drawn by the policy `sample` */
	REFRESH_AUDIT,
	REFRESH_EXPLORE,
	REFRESH_BIRTH, /* a new page, or a hub */
};

struct refresh_order {
	uint32_t page;
	enum refresh_purpose purpose;
};

enum refresh_step {
	REFRESH_ORDER, /* *ret_order is to be carried out and reported by refresh_done */
	REFRESH_WAIT,  /* nothing until *ret_until, which may be infinite, or another call */
};

enum refresh_outcome {
	REFRESH_SAME,
	REFRESH_CHANGED,  /* also: seen for the first time */
	REFRESH_GONE,     /* 404 or 410 */
	REFRESH_FAILED,   /* no answer: tried again, later and later */
	REFRESH_RETURNED, /* not carried out: given again, and not counted in the budget */
};

struct refresh_look {
	enum refresh_outcome outcome;
	double time;   /* of its end; not before the last look at the page */
	double rate;   /* what it is now; negative, or out of range: as before */
	uint32_t born; /* links to unknown pages that it revealed */
};

struct refresh_run;

/* NULL with *err set on bad parameters or no memory. Free with refresh_run_free (NULL-safe). */
struct refresh_run *refresh_run_new(const struct refresh_params *params, struct err *err);
void refresh_run_free(struct refresh_run *run);

/*
 * A page was found, or more is known of one: a new rate, weight or source; the group stays as it
 * was first. Page numbers are the caller's, dense from 0; numbers that are left out are not looked
 * at. 0, ERR_RANGE (invalid rate or weight, unknown source) or ERR_NOMEM, and nothing has changed.
 */
int refresh_discovered(
	struct refresh_run *run, uint32_t page, const struct refresh_facts *facts) SP_MUST_CHECK;

/* A page is no longer wanted, until it is discovered again. An order that is out is reported as
 * ever. */
void refresh_withdraw(struct refresh_run *run, uint32_t page);

enum refresh_step refresh_next(
	struct refresh_run *run, double now, struct refresh_order *ret_order, double *ret_until);

/* Reports an order that refresh_next gave. */
void refresh_done(struct refresh_run *run, const struct refresh_order *order,
	const struct refresh_look *look);

/* A look that was made without an order, or before a crash: a fact. The page must be known. */
void refresh_seen(struct refresh_run *run, uint32_t page, const struct refresh_look *look);

/* An audit before a crash, at a page that is known: whether there was a copy, and it was current.
 */
void refresh_audited(struct refresh_run *run, uint32_t page, bool fresh);

/*
 * A source says that a page has changed. Like time passed, this makes a look more worth; how much
 * depends on what the source's words were worth so far. Until the next look, only a source that is
 * right more often can add to it. Under harmonic pages whose source announces most of their changes
 * are looked at when they are announced, with a probability that the budget allows, and only then.
 * 0 or ERR_NOTFOUND (unknown page or source).
 */
int refresh_signal(struct refresh_run *run, uint32_t page, unsigned source, double now);

/* Another budget from now on; due times follow within one pass of orders over the pages. */
void refresh_set_budget(struct refresh_run *run, double budget, double now);

/* When refresh_next gives an audit, whether other orders may go out or not. */
double refresh_audit_at(const struct refresh_run *run);

/* Requests that the run did not order: robots.txt, sitemaps, retries. */
void refresh_spend(struct refresh_run *run, double requests);

/* Requests that have accrued while there was no run. audits: their share of audits is due at once,
 * for a run that does not last. */
void refresh_accrue(struct refresh_run *run, double requests, bool audits);

struct refresh_status {
	size_t pages, living, unseen, suspect, dead; /* unseen: never looked at */
	size_t queued; /* of the unseen: those that were not tried either */
	size_t out;
	size_t looks, changes;              /* by orders */
	struct market_curve curve;          /* what living pages want, by what a look must gain */
	double fresh_measured, fresh_error; /* by audits, with its standard error; NAN */
	size_t audits;
};

/* O(cells): for people, not for every order. */
struct refresh_status refresh_status(const struct refresh_run *run);

/* Takes over from a run that it replaces what is not told of pages: what has accrued, and what
 * audits and sources have shown. */
void refresh_inherit(struct refresh_run *run, const struct refresh_run *from);

/* The share of pages, by weight, of which there is a copy; NAN without pages. O(pages). */
double refresh_copied(const struct refresh_run *run);

/* Pages that are due at a time, or were never looked at. O(pages). */
size_t refresh_due(const struct refresh_run *run, double now);

/*
 * The copy of a page: its weight, and for how long changes may have gone unseen; infinite: there is
 * no copy. With the page's rate λ it is current with probability e^(-λ · exposure): less where a
 * source would have announced changes, more where one has. False: the page is gone or not wanted.
 */
bool refresh_copy(const struct refresh_run *run, uint32_t page, double now, double *ret_weight,
	double *ret_exposure);

/* What a source, below REFRESH_SOURCES, was worth so far; and what it was before a crash. */
struct refresh_source refresh_source(const struct refresh_run *run, unsigned source);
void refresh_set_source(
	struct refresh_run *run, unsigned source, const struct refresh_source *worth);

#endif
