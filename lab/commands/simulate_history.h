/* What text and page of `simulate --history` share. */
#ifndef COMMANDS_SIMULATE_HISTORY_H
#define COMMANDS_SIMULATE_HISTORY_H

#include "base/progress.h"
#include "commands/simulate_html.h"
#include "histories/gains.h"
#include "histories/history.h"
#include "histories/replay.h"

enum { HISTORY_ARMS_MAX = 64 };

/* What is known of each arm, in the order of the output. */
enum {
	HISTORY_SHARP,
	HISTORY_BLUR,
	HISTORY_REQUESTS,
	HISTORY_JOINT,
	HISTORY_ABSENT,
	HISTORY_LOST_BULK,
	HISTORY_LOST_LARGE,
	HISTORY_VALUES_N,
};

struct history_value {
	const char *name;
	size_t offset;   /* in struct proof */
	bool difference; /* worth comparing */
};

extern const struct history_value HISTORY_VALUES[HISTORY_VALUES_N];

struct history_summary {
	struct bootstrap_mean mean[HISTORY_VALUES_N];
	struct bootstrap_mean
		difference[HISTORY_VALUES_N]; /* to the first arm; NAN: not compared */
};

/* One length of the crawl. */
struct history_point {
	double days;
	struct bootstrap_mean sharp[HISTORY_ARMS_MAX], blur[HISTORY_ARMS_MAX];
};

struct history_experiment {
	const struct simulate_options *options;
	struct replay_params params;
	struct replay_arm arms[HISTORY_ARMS_MAX];
	size_t strategies; /* of the arms: those without gains */
	struct progress progress;
	size_t done; /* draws of the replays before */
	struct replay result;
	struct history_summary *summaries;

	/* for the page only */
	struct album album;
	struct history_point sweep[SWEEP_POINTS];
	size_t sweep_count; /* of the lengths for which there is history enough */
};

double history_mean_pages(const struct replay *r);

/* Of the pages of all draws: those that links had to lead to. */
double history_linked_share(const struct replay *r);

/* The strategy, or what it is to gain. */
void history_arm_name(const struct history_experiment *e, size_t arm, char out[GAINS_TEXT_SIZE]);

/* Where rates come from: "the past". */
const char *history_rates_name(const struct history_experiment *e);

void simulate_history_html(const void *experiment, FILE *file);

#endif
