/*
 * The form of a page that has a given field, with what a browser would send of it untouched (HTML,
 * section 4.10.21.4: constructing the entry list): hidden fields such as CSRF tokens, default
 * values, checked boxes, selected options and the first named submit button.
 */
#ifndef EXTRACT_FORM_H
#define EXTRACT_FORM_H

#include <stdbool.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/slice.h"
#include "base/vec.h"

enum { FORM_FIELDS_MAX = 200 }; /* further ones are left out */

struct form_field {
	slice name, value;
	bool is_password;
};

VEC_DECLARE(form_fields, struct form_field);

/* Strings are in the arena. Zero-initialise; release in any case. */
struct form {
	slice action; /* as written, to be resolved; empty: the page itself */
	slice base;   /* of the page's first base element; ptr NULL: none */
	bool is_post;
	struct form_fields fields;
};

/*
 * Finds the first form of the HTML (UTF-8, or a superset of ASCII) that has a field of that name.
 * 0, ERR_NOTFOUND, ERR_NOMEM.
 */
int form_find(struct form *form, slice html, slice name, struct arena *arena) SP_MUST_CHECK;
void form_release(struct form *form);

/* Sets a field, or adds it: 0 or ERR_NOMEM. The strings are borrowed. */
int form_set(struct form *form, slice name, slice value) SP_MUST_CHECK;

#endif
