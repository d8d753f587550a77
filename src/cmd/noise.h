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

/*
 * Reads a file of rules (docs/judgement.md) and checks it: 0, ERR_IO, or as ignore_parse. The
 * buffer is the caller's, with a maximum of IGNORE_FILE_MAX + 1.
 */
int noise_read_file(const char *path, struct buf *out, struct err *err) SP_MUST_CHECK;

/*
 * The rules of --without-rule NAME and --ignore FILE, which may be NULL. 0, or as the functions
 * above; ret is to be released in any case.
 */
int noise_read_book(const struct option_list *without, const char *path, struct rulebook *ret,
	struct err *err) SP_MUST_CHECK;

/* Adds the members "rules" and "masked_visible" to the object. */
void noise_put_rules(struct json *j, const struct change *c);

#endif
