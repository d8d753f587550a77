/*
 * Documents inside of documents: the srcdoc of an iframe is HTML (HTML 4.8.5), whose references are
 * relative to the base of the document around it, unless it has a base element of its own, which is
 * relative to that in turn and counts for it alone.
 */
#ifndef EXTRACT_LINKS_SRCDOC_H
#define EXTRACT_LINKS_SRCDOC_H

#include "base/api.h"
#include "extract/links.h"

/* Takes in the links of a document that is an attribute's value. 0 or ERR_NOMEM. */
int links_srcdoc(struct links *l, slice html) SP_MUST_CHECK;

#endif
