/*
 * What a request of the replay server asks for, read off its target:
 *
 *	/                                collections
 *	/NAME/                           one of them
 *	/NAME/start                      its start page, where it is proven
 *	/NAME/pages?…                    its pages
 *	/NAME/(*)/URL                    a calendar of its mementos
 *	/NAME/URL                        TimeGate
 *	/NAME/TIMESTAMP/URL              memento in a frame with a banner
 *	/NAME/TIME/URL                   the same for "now" and dates such as 2026-11-18
 *	/NAME/TIMESTAMP[id|mp|im|js|cs]_/URL    memento: as archived, or rewritten
 *	/NAME/timemap/FORMAT/URL         TimeMap
 *	/NAME/cdx?…                      CDX server
 *	/NAME/composite/TIMESTAMP/URL    how page and requisites fit together
 *	/NAME/search?…                   full text
 *	/_/FILE                          our own scripts and styles
 *
 * Pure. Everything is borrowed from the target.
 */
#ifndef REPLAY_ROUTE_H
#define REPLAY_ROUTE_H

#include <stdbool.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/timestamp.h"

enum route_kind {
	ROUTE_HOME,
	ROUTE_COLLECTION,
	ROUTE_START,
	ROUTE_PAGES,
	ROUTE_CALENDAR,
	ROUTE_TIMEGATE,
	ROUTE_MEMENTO,
	ROUTE_SAID_TIME,
	ROUTE_TIMEMAP,
	ROUTE_CDX,
	ROUTE_COMPOSITE,
	ROUTE_SEARCH,
	ROUTE_ASSET,
};

/* How a memento is shown. */
enum route_form {
	ROUTE_FRAMED, /* our page, with the banner around a frame */
	ROUTE_RAW,    /* id_: as archived */
	ROUTE_PAGE,   /* mp_ */
	ROUTE_IMAGE,  /* im_ */
	ROUTE_SCRIPT, /* js_ */
	ROUTE_STYLE,  /* cs_ */
};

/* "", "id_", "mp_", …: what stands behind a timestamp; constant. */
const char *route_form_name(enum route_form form);

enum route_format {
	ROUTE_LINK,
	ROUTE_JSON,
	ROUTE_CDXJ,
};

/* "link", "json", "cdxj"; constant. */
const char *route_format_name(enum route_format format);

struct route {
	enum route_kind kind;
	slice name; /* of the collection, escapes and all; of ROUTE_ASSET that of the file */
	enum route_form form;
	slice digits; /* of the timestamp, as given */
	slice said;   /* of ROUTE_SAID_TIME: what may be a time (timestamp_read) */
	struct timestamp time;
	enum route_format format; /* of a TimeMap */
	unsigned page;            /* of a TimeMap, from 1; 0 when none is given */
	slice url;                /* as given, with its query; never empty where one is due */
	slice query;              /* of routes that have no URL: behind the "?" */
};

/*
 * 0, ERR_NOTFOUND for a target that is none of these, ERR_SYNTAX or ERR_RANGE with a sentence for a
 * bad timestamp or number of a page.
 */
int route_parse(slice target, struct route *ret, struct err *err) SP_MUST_CHECK;

#endif
