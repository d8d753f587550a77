/*
 * A page that stands by itself: style sheet and script are in it (web/assets.h), and its policy
 * forbids every request. What it says is readable without the script, which only draws plots
 * (web/plot.h).
 */
#ifndef WEB_PAGE_H
#define WEB_PAGE_H

#include <stdio.h>

#include "base/slice.h"

/*
 * Everything up to the first section, with that style sheet. Title and lead are text, not markup;
 * errors stay in the FILE.
 */
void web_page_begin(FILE *file, slice style, slice title, const char *lead);

/* A section; it ends where the next begins, or with the page. */
void web_page_section(FILE *file, const char *heading);

/* The script, and the end. */
void web_page_end(FILE *file, slice script);

#endif
