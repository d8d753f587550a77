/*
 * A page of ours on the control origin, written into memory and then sent. What comes from archives
 * goes through html_text (web/html.h) and stays text.
 */
#ifndef REPLAY_OUR_PAGE_H
#define REPLAY_OUR_PAGE_H

#include <stdio.h>

#include "replay/asked.h"

struct our_page {
	FILE *file; /* to write to */
	char *text;
	size_t len;
};

/* Everything up to the body's content; false without memory (the answer is given then). */
bool our_page_begin(struct our_page *p, struct asked *a, slice title, const char *body_class);

/* The end; sends it. */
void our_page_send(struct our_page *p, struct asked *a);

enum { SHOWN_TIME_SIZE = 40 };

/* "2026-11-17 13:09:03 UTC", with milliseconds if there are 17 digits; shorter ones are cut. */
void shown_time(slice digits, char out[SHOWN_TIME_SIZE]);

/* A link to a memento on the control origin, or without digits to the calendar. */
void put_memento_link(FILE *file, const struct asked *a, const char *digits, slice url, slice text);

/* The name of the collection as it stands in addresses: "/NAME/". */
void put_collection_path(FILE *file, const struct collection *c);

/* The box for a URL. */
void put_url_box(FILE *file, const struct asked *a, slice url);

/* The box for words, with the time to which the search belongs, or none. */
void put_search_box(FILE *file, const struct asked *a, slice words, slice at);

#endif
