/* What commands that tell noise from content share. */
#ifndef CMD_NOISE_H
#define CMD_NOISE_H

#include "base/api.h"
#include "base/err.h"
#include "base/json.h"
#include "base/options.h"
#include "proof/proof.h"
#include "proof/rulebook.h"

/* Of --without-rule NAME: the rules of the list: 0, or ERR_USAGE with the rule that was perhaps
 * meant. */
int noise_option_rules(
	const struct option_list *without, proof_rule_set *ret_off, struct err *err) SP_MUST_CHECK;

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

/* Adds the members "rules", "masked_visible", "changed_in", "duties" and "limit" to the object. */
void noise_put_proof(struct json *j, const struct proof *p);

#endif
