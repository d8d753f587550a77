/*
 * The rules by which the pages of a capture are compared: the built-in ones, each of which may be
 * off, and the user's (--ignore FILE, formats/ignore.h). One for all pages. Complete, it is only
 * read: threads may share it.
 *
 * As text it is lines "NAME VALUE", in the settings of a capture, and in warcinfo records as
 * "stillpoint-NAME: VALUE":
 *
 *	without_rules nonces		a built-in rule that is off
 *	ignore select .advert		a line of the user's file, without blanks around it
 */
#ifndef PROOF_RULEBOOK_H
#define PROOF_RULEBOOK_H

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "formats/ignore.h"

/* Fields may be read. */
struct rulebook {
	uint64_t off; /* proof_rule_set of built-in rules that are not to act */
	struct ignore ignore;
	bool has_ignore; /* there are rules of the user */
	struct buf text; /* lines of the user's file */
};

/* All built-in rules, and none of the user; lives for ever. */
const struct rulebook *rulebook_default(void);

/* The same, to be added to; allocates nothing. */
void rulebook_init(struct rulebook *b);
void rulebook_release(struct rulebook *b);

/*
 * Adds a line; '-' in its name is as good as '_'. Other names are passed over, and so
 * are rules of another version. 0, ERR_LIMIT, ERR_NOMEM.
 */
int rulebook_add(struct rulebook *b, slice name, slice value) SP_MUST_CHECK;

/* Adds all lines "NAME VALUE" of settings, or all lines of a user's file. As rulebook_add. */
int rulebook_add_settings(struct rulebook *b, slice settings) SP_MUST_CHECK;
int rulebook_add_file(struct rulebook *b, slice content) SP_MUST_CHECK;

/* The same of a warcinfo record: its fields "stillpoint-NAME: VALUE". */
int rulebook_add_info(struct rulebook *b, slice block) SP_MUST_CHECK;

/* Appends the lines "NAME VALUE" of what is not the default. 0, ERR_NOMEM, ERR_LIMIT. */
int rulebook_write(const struct rulebook *b, struct buf *out) SP_MUST_CHECK;

/* All lines are there. 0, or as ignore_parse, whose messages name the file. */
int rulebook_finish(struct rulebook *b, const char *file, struct err *err) SP_MUST_CHECK;

/* The next line of a user's file, without blanks around it; false at the end. */
bool rulebook_next_line(slice *content, slice *ret_line);

#endif
