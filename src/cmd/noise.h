/* What commands that tell noise from content share. */
#ifndef CMD_NOISE_H
#define CMD_NOISE_H

#include "base/api.h"
#include "base/err.h"
#include "base/json.h"
#include "base/options.h"
#include "quality/change.h"

/* Of --without-rule NAME: all rules but those of the list: 0, or ERR_USAGE with the rule that was
 * perhaps meant. */
int noise_option_rules(
	const struct option_list *without, noise_set *ret_rules, struct err *err) SP_MUST_CHECK;

/* Adds the members "rules" and "masked_visible" to the object. */
void noise_put_rules(struct json *j, const struct change *c);

#endif
