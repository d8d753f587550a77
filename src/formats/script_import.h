/*
 * What a script imports (ECMAScript, sections 16.2.2 and 16.2.3, and import calls): the specifiers
 * that are literals. A scanner, no parser: it passes over comments, strings, templates and regular
 * expressions, and reads anything. Escapes in specifiers are not undone: nobody writes them.
 *
 *	script_imports_init(&s, text);
 *	while (script_imports_next(&s, &specifier))
 *		use(specifier);
 */
#ifndef FORMATS_SCRIPT_IMPORT_H
#define FORMATS_SCRIPT_IMPORT_H

#include <stdbool.h>

#include "base/slice.h"

/* Fields are the scanner's own. */
struct script_imports {
	slice text; /* borrowed */
	size_t at;
	char before; /* the last byte that is neither blank nor comment; 'a' for a word, 0 at first
		      */
};

void script_imports_init(struct script_imports *s, slice text);

/* The next specifier, part of the text; false when there are no more. */
bool script_imports_next(struct script_imports *s, slice *ret_specifier);

/* Whether it is an address by itself: "./a.js", "../a.js", "/a.js", "https://…"; others need a map.
 */
bool script_import_is_address(slice specifier);

#endif
