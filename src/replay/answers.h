/* What each route is answered with. Each fills in the response of the request, whatever happens. */
#ifndef REPLAY_ANSWERS_H
#define REPLAY_ANSWERS_H

#include "replay/asked.h"
#include "replay/choice.h"

/* ---- pages for people (pages.c) ---- */
void answer_home(struct asked *a);
void answer_collection(struct asked *a);
void answer_start(struct asked *a);
void answer_page_list(struct asked *a);
void answer_calendar(struct asked *a);
void answer_asset(struct asked *a);

/*
 * /NAME/TIMESTAMP/URL: the banner around a frame. The memento's header fields are there already.
 * proven: digits of an instant at which the memento is proven, or "".
 */
struct still_points;
void answer_framed(struct asked *a, const struct found *found, const struct still_points *points,
	const char *proven);

/* ---- Memento ---- */
void answer_timegate(struct asked *a);
void answer_memento(struct asked *a);
void answer_said_time(struct asked *a);
void answer_timemap(struct asked *a);

/* Nothing is archived under this URL: what is near, in time and in the tree of URLs. */
void answer_missing(struct asked *a, const struct found *found);

/* A body for the content origin, rewritten for a browser; takes over the record. */
struct record;
void answer_rewritten(struct asked *a, const struct found *found, struct record *record);

/* ---- other interfaces ---- */
void answer_cdx(struct asked *a);
void answer_composite(struct asked *a);
void answer_search(struct asked *a);

#endif
