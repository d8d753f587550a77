/* What looks are worth, counted look by look: for sim/watch.c. */
#ifndef SIM_WATCH_LEDGER_H
#define SIM_WATCH_LEDGER_H

#include "sim/watch.h"

/* Fields are the ledger's own; last may be read. */
struct watch_ledger {
	const struct watch_site *site;
	const struct watch_params *params;
	double *last; /* by page: the last look */
	double fresh, age, expected;
	double caught, proven, looks;
};

/* 0 or ERR_NOMEM; release after both. */
int watch_ledger_init(struct watch_ledger *l, const struct watch_site *site,
	const struct watch_params *params) SP_MUST_CHECK;
void watch_ledger_release(struct watch_ledger *l);

/* A look at a page, not before the last one. Returns whether the page had changed. */
bool watch_ledger_look(struct watch_ledger *l, size_t page, double time);

/* Counts what is left until the end. */
struct watch_result watch_ledger_close(struct watch_ledger *l);

/* Instants of the grid behind the first time, up to the second one. */
double watch_instants(double grid, double after, double until);

/* Changes behind the first time, up to the second one. */
size_t watch_changes(struct change_history changes, double after, double until);

#endif
