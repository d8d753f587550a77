#ifndef FORMATS_LINK_VALUES_H
#define FORMATS_LINK_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"

/*
 * The srcset attribute: "parse a srcset attribute" of the HTML standard, section 4.8.4.3.10.
 */

/* An image candidate: one that the standard would keep. */
struct srcset_candidate {
	slice url; /* part of the attribute */
	bool has_w, has_x, has_h;
	uint64_t w;
	double x;
	uint64_t h;
};

struct srcset {
	slice left; /* borrowed */
};

/* Starts with an attribute's value, borrowed as long as candidates are asked for. */
void srcset_init(struct srcset *s, slice value);

/* The next candidate, in order; false when there are no more. */
bool srcset_next(struct srcset *s, struct srcset_candidate *ret_candidate);

/*
 * A refresh in a meta element or an HTTP header: the "shared declarative refresh steps" of the HTML
 * standard, section 4.2.5.3.
 */

/*
 * Reads the value; false when it is none. *ret_url is the part of it that names the target, empty
 * for the document itself; *ret_seconds the time until then (the largest number when too long).
 */
bool refresh_parse(slice value, uint64_t *ret_seconds, slice *ret_url);

/*
 * HTTP Link headers (RFC 8288, section 3, read as its appendix B says).
 *
 *	link_header_init(&h, value);
 *	while ((rc = link_header_next(&h, &link)) == 0)
 *		use(link.target, link.rel);
 *	link_header_release(&h);
 */

enum { LINK_HEADER_MAX = 64 << 10 }; /* bytes of a field's value that are read */

/* Slices are valid until the next call; of a parameter given twice the first one counts. */
struct link_header_link {
	slice target;
	slice rel;
	slice as;
	slice type;
	slice anchor;
};

/* Fields are the reader's own. */
struct link_header {
	slice left; /* borrowed */
	struct buf scratch;
};

/* Starts with a field's value, borrowed until release; allocates nothing. */
void link_header_init(struct link_header *h, slice value);
void link_header_release(struct link_header *h);

/* The next link: 0, ERR_END or ERR_NOMEM. What is no link is skipped up to the next comma. */
int link_header_next(struct link_header *h, struct link_header_link *ret_link) SP_MUST_CHECK;

/*
 * What a script imports (ECMAScript, sections 16.2.2 and 16.2.3, and import calls): the specifiers
 * that are literals. A scanner, no parser: it passes over comments, strings, templates and regular
 * expressions, and reads anything. Escapes in specifiers are not undone: nobody writes them.
 *
 *	script_imports_init(&s, text);
 *	while (script_imports_next(&s, &specifier))
 *		use(specifier);
 */

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
