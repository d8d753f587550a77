/* A schedule as text, CSV and JSON. */
#ifndef REPORT_PLAN_PRINT_H
#define REPORT_PLAN_PRINT_H

#include "plan/expect.h"
#include "plan/plan.h"

/* Borrows everything. */
struct plan_view {
	const struct plan_strategy *strategy;
	const struct site *site;
	const struct drive_result *capture;
	struct evaluation expected;
	struct group_evaluation groups; /* of the site; 0 groups: none */
	double bound;                   /* NAN for a single-visit strategy; not needed for CSV */
};

/* To standard output. 0 or ERR_IO; what stdio holds back is for cmd_finish to check. */
int plan_print_text(const struct plan_view *v);
int plan_print_csv(const struct plan_view *v);
int plan_print_json(const struct plan_view *v);

#endif
