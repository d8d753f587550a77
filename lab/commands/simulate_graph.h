/* What text and page of `simulate --graph` share. */
#ifndef COMMANDS_SIMULATE_GRAPH_H
#define COMMANDS_SIMULATE_GRAPH_H

#include "commands/simulate_html.h"
#include "plan/expect.h"

/* What may be expected at one slow-down. */
struct graph_point {
	struct evaluation expected;
	double bound; /* of coherence; NAN: none */
};

/* What there is to print; borrows everything but hopeless. */
struct graph_view {
	const struct simulate_options *options;
	const struct plan_strategy *strategy;
	const struct site *site;
	const struct drive_result *capture;
	struct u32_vec hopeless; /* in the order of their visits */
	struct evaluation expected;
	struct graph_point sweep[SWEEP_POINTS]; /* for the page only */
};

void simulate_graph_html(const void *view, FILE *file);

#endif
