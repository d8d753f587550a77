/* What all commands that plan let one choose. */
#ifndef CMD_PLANNING_H
#define CMD_PLANNING_H

#include "cmd/option_row.h"
#include "plan/plan.h"

/* 0 and NULL: not given. To be a member of a command's options. */
struct cmd_planning {
	const char *strategy;
	double delay;
	double tau;
};

/* The rows for the member planning of a command's options. */
#define CMD_PLANNING_SPECS                                                                         \
	ROW(STRING, planning.strategy, "strategy", 's',                                            \
		"order of visits and revisits (default: stillpoint)", .metavar = "NAME"),          \
		ROW(DURATION, planning.delay, "delay", 'd',                                        \
			"time between two downloads, in the unit of the rates; units as in 500ms " \
			"or 2m are for rates per second (default: 1)",                             \
			.max = 1e9, .bounds = OPTION_ABOVE_MIN),                                   \
		ROW(DOUBLE, planning.tau, "tau", 't',                                              \
			"confidence of solar and sharc-threshold (default: 0.7)", .max = 1,        \
			.bounds = OPTION_ABOVE_MIN)

static inline const char *cmd_planning_name(const struct cmd_planning *p)
{
	return p->strategy ? p->strategy : "stillpoint";
}

static inline struct plan_params cmd_planning_params(
	const struct cmd_planning *p, const struct plan_strategy *strategy)
{
	return (struct plan_params){
		.strategy = strategy, .delay = p->delay > 0 ? p->delay : 1, .tau = p->tau};
}

#endif
