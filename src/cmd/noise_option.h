/* The option --without-rule NAME of commands that tell noise from content. */
#ifndef CMD_NOISE_OPTION_H
#define CMD_NOISE_OPTION_H

#include "base/api.h"
#include "base/err.h"
#include "base/options.h"
#include "extract/noise_rules.h"

/* All rules but those of the list: 0, or ERR_USAGE with the rule that was perhaps meant. */
int noise_option_rules(
	const struct option_list *without, noise_set *ret_rules, struct err *err) SP_MUST_CHECK;

#endif
