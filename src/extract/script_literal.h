/*
 * The literals of a script or a JSON text, each with the name it is given there: the key of an
 * object's member or the variable that is assigned. A scanner, no parser: it knows strings,
 * numbers, comments and brackets, reads anything, and is the same for JSON and for code.
 */
#ifndef EXTRACT_SCRIPT_LITERAL_H
#define EXTRACT_SCRIPT_LITERAL_H

#include <stdbool.h>

#include "base/slice.h"

enum { SCRIPT_DEPTH_MAX = 32 }; /* brackets whose names are remembered */

struct script_literal {
	slice name;   /* empty when there is none */
	slice within; /* the name of the object that it is a member of; the same */
	slice value;  /* of a string what is between the quotes, escapes as written */
	bool string;  /* else a number, or a word of JSON: true, false, null */
};

/* Fields are the scanner's own. */
struct script_scanner {
	slice rest; /* borrowed */
	slice name; /* for the next literal */
	unsigned depth;
	struct {
		slice name;
		bool array;
	} open[SCRIPT_DEPTH_MAX];
};

/* The text is borrowed as long as literals are asked for. */
void script_scanner_init(struct script_scanner *s, slice text);

/* The next literal, part of the text; false when there are no more. */
bool script_scanner_next(struct script_scanner *s, struct script_literal *ret_literal);

#endif
