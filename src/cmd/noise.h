/* What commands that tell noise from content share. */
#ifndef CMD_NOISE_H
#define CMD_NOISE_H

#include "base/api.h"
#include "base/err.h"
#include "base/json.h"
#include "base/options.h"
#include "proof/noise_rules.h"
#include "proof/proof.h"
#include "proof/rulebook.h"

/* Of --without-rule NAME: the rules of the list: 0, or ERR_USAGE with the rule that was perhaps
 * meant. */
int noise_option_rules(
	const struct text_list *without, proof_rule_set *ret_off, struct err *err) SP_MUST_CHECK;

/*
 * The rules of --without-rule NAME and --ignore FILE, which may be NULL. 0, or as the function
 * above and ignore_file_read; ret is to be released in any case.
 */
int noise_read_book(const struct text_list *without, const char *path, struct rulebook *ret,
	struct err *err) SP_MUST_CHECK;

#endif
