/*
 * Whether a page has the elements that the user requires of it (`require` of extract/ignore.h). One
 * may be used for page after page.
 */
#ifndef EXTRACT_REQUIRED_H
#define EXTRACT_REQUIRED_H

#include "extract/ignore.h"

/* Zero-initialise. Fields are its own. */
struct required {
	struct ignore_page page;
	bool is_on; /* a rule holds for the page */
};

void required_release(struct required *r);

/* Begins the page of that URL; the rules are borrowed. 0 or ERR_NOMEM. */
int required_start(struct required *r, const struct ignore *rules, slice url) SP_MUST_CHECK;

/* A number of the rules that hold for the page; 0: none. Equal ones, equal rules. */
uint64_t required_number(const struct required *r);

/* Of enum html_flags; before the first token. */
void required_set_flags(struct required *r, unsigned flags);

/* 0 or ERR_NOMEM. */
int required_token(struct required *r, const struct html_token *token) SP_MUST_CHECK;

/* At the end: name of the first rule whose element is missing, that of the rules; or empty. */
slice required_missing(const struct required *r);

#endif
