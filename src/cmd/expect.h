/* plan --expect: the exposure table. */
#ifndef CMD_EXPECT_H
#define CMD_EXPECT_H

#include "cmd/cmd.h"
#include "plan/expect.h"

enum cmd_format {
	CMD_FORMAT_TEXT,
	CMD_FORMAT_CSV,
	CMD_FORMAT_JSON,
};

/* Borrows everything. */
struct expect_params {
	const struct site *site;
	const char *delays;     /* separated by commas; NULL: delay alone */
	double delay;           /* 0: a sensible list */
	const char *strategies; /* separated by commas; NULL: a sensible list */
	double tau;
	bool fast;
	double time_limit; /* seconds; 0: none, and the table is one of strategies */
	const char *hours; /* as crawl/gate.h, in place of a limit; NULL: none */
	int aim;           /* enum plan_aim; below 0: all of them */
	enum cmd_format format;
};

enum cmd_status cmd_expect(const struct expect_params *params);

#endif
