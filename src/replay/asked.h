/*
 * One request on its way through the server, and what all answers share: texts, errors, addresses.
 * Internal to the room.
 */
#ifndef REPLAY_ASKED_H
#define REPLAY_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/timestamp.h"
#include "formats/url.h"
#include "net/httpd.h"
#include "replay/collection.h"

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

enum asked_status {
	STATUS_OK = 200,
	STATUS_NO_CONTENT = 204,
	STATUS_PARTIAL = 206,
	STATUS_FOUND = 302,
	STATUS_NOT_MODIFIED = 304,
	STATUS_TEMPORARY = 307,
	STATUS_BAD_REQUEST = 400,
	STATUS_FORBIDDEN = 403,
	STATUS_NOT_FOUND = 404,
	STATUS_NO_METHOD = 405,
	STATUS_TOO_LARGE = 413,
	STATUS_BAD_RANGE = 416,
	STATUS_BLOCKED = 451,
	STATUS_ERROR = 500,
	STATUS_BAD_GATEWAY = 502,
	STATUS_UNAVAILABLE = 503,
};

enum { ORIGIN_SIZE = 300 };

VEC_DECLARE(collection_vec, struct collection *);

/* What all requests share; constant while the server runs. */
struct replay {
	struct collection_vec collections;
	struct access *access; /* rules, or NULL (replay/access.h) */
	int64_t window_ns;
	uint16_t port, content_port;
	/* Hosts of the origins, where they differ; NULL: the host by which the client asked. */
	const char *control_address, *content_address;
};

/* Everything is borrowed; the URL is the asked one's own. */
struct asked {
	const struct replay *replay;
	const struct httpd_request *request;
	struct httpd_response *response;
	bool on_content;           /* which of the two origins */
	char control[ORIGIN_SIZE]; /* "http://127.0.0.1:8080", as the client knows it */
	char content[ORIGIN_SIZE];
	struct route route;
	struct collection *collection; /* NULL where the route has none */
	struct url url;                /* of the route, where it has one */
	slice page;                    /* url without its fragment */
	struct buf key;                /* of url, and of the method and body of a POST */
};

/* ---- answers ---- */

void answer_text(struct asked *a, unsigned status, const char *type, slice text);

/* A plain line of text for machines, or a small page for people, whichever the route is for. */
void answer_error(struct asked *a, unsigned status, const char *message);

/* The same with a title; a page for people on any route. */
void answer_note(struct asked *a, unsigned status, const char *title, const char *message);

/* The status that an error code of ours has, and its text. */
void answer_failure(struct asked *a, const struct err *err);

/* Sends the client to the address of a memento (add_memento_address). */
void answer_redirect(
	struct asked *a, const char *origin, const char *digits, enum route_form form, slice url);

/* Adds a header field, its value as printf makes it. Control characters become blanks. */
void answer_header(struct asked *a, const char *name, const char *format, ...) SP_PRINTF(3, 4);

/* Whether the method is GET or HEAD; else answers 405 (OPTIONS: 204). */
bool asked_is_read(struct asked *a);

/*
 * Whether a browser asks that will show the answer to somebody, and so would follow a redirect of
 * it to the live web. Browsers say so only to origins that they trust; else what they accept tells
 * them from programs.
 */
bool asked_by_browser(const struct asked *a);

/* Counts a step of what takes many: 0, or ERR_STOPPED with a line when it is to end here. */
int work_check(struct work *w, struct err *err) SP_MUST_CHECK;

/* ---- addresses ---- */

/* Appends "ORIGIN/NAME/", NAME escaped. Errors stay in the buffer, here and below. */
void add_collection_address(struct buf *out, const char *origin, const struct collection *c);

/* Appends the address of a memento, or without digits that of the TimeGate. ERR_SYNTAX: no URL. */
void add_memento_address(struct buf *out, const char *origin, const struct collection *c,
	const char *digits, enum route_form form, slice url);

#endif
