/*
 * A page of ours, written into memory and then sent. What comes from archives goes through
 * html_text (report/html.h) and stays text.
 */
#ifndef REPLAY_OUR_PAGE_H
#define REPLAY_OUR_PAGE_H

#include <stdio.h>

#include "replay/asked.h"

enum our_page_kind {
	OUR_PAGE,   /* all that is written stands in its <main> */
	OUR_VIEWER, /* a banner and a frame, which is the main part */
};

struct our_page {
	FILE *file; /* to write to */
	enum our_page_kind kind;
	char *text;
	size_t len;
};

/* Everything up to the body's content; false without memory (the answer is given then). */
bool our_page_begin(struct our_page *p, struct asked *a, slice title, enum our_page_kind kind);

/* The end; sends it. */
void our_page_send(struct our_page *p, struct asked *a, unsigned status);

/* Forgets it, for an answer of another kind. */
void our_page_drop(struct our_page *p);

enum { SHOWN_TIME_SIZE = 40 };

/* "2026-11-17 13:09:03 UTC", with milliseconds if there are 17 digits; shorter ones are cut. */
void shown_time(slice digits, char out[SHOWN_TIME_SIZE]);

/* The same of an instant, in whole seconds. */
void shown_instant(int64_t ns, char out[SHOWN_TIME_SIZE]);

/* The way back: to all collections, to this one, and to its pages. */
void put_crumbs(FILE *file, const struct asked *a);

/*
 * A link to a memento on the control origin; without digits to the calendar, with empty ones to the
 * TimeGate.
 */
void put_memento_link(FILE *file, const struct asked *a, const char *digits, slice url, slice text);

/* One that leads out of the frame in which the page may stand; its text is the URL. */
void put_outer_link(FILE *file, const struct asked *a, const char *digits, slice url);

/* The name of the collection as it stands in addresses: "/NAME/". */
void put_collection_path(FILE *file, const struct collection *c);

/* The box for a URL. */
void put_url_box(FILE *file, const struct asked *a, slice url);

/* The box for words, with the time to which the search belongs, or none. */
void put_search_box(FILE *file, const struct asked *a, slice words, slice at);

#endif
