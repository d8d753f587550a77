/*
 * Reads a response: its state and, if wanted, its links or its decoded body, all in one pass.
 * Buffers are reused for the next response.
 */
#ifndef CRAWL_READING_H
#define CRAWL_READING_H

#include <stdatomic.h>

#include "base/buf.h"
#include "formats/blocked.h"
#include "formats/forms.h"
#include "formats/http_message.h"
#include "formats/http_state.h"
#include "formats/links.h"
#include "formats/page.h"
#include "formats/resolve.h"
#include "net/net.h"
#include "proof/rulebook.h"

enum reading_for {
	READING_STATE, /* only */
	READING_LINKS,
	READING_TEXT, /* and links */
	READING_BODY, /* decoded, up to the maximum of the body */
};

/* What a body showed of whether it is the page; a response with the same body shows the same. */
struct reading_signs {
	bool is_known;
	bool is_html; /* and then: */
	bool is_read; /* all of it, and then: */
	struct blocked_body body;
};

/* Of an earlier body, and what it was: how it is read is in its coding (proof/verdict.h). */
struct reading_known {
	struct digest payload;
	uint64_t coding;
	struct reading_signs signs;
};

/*
 * Fields are its own, but for the results (links, text, forms, resolver, body, is_read) and those
 * of the caller.
 */
struct reading {
	struct state *state;
	struct page *page; /* the parser */
	struct links links;
	struct page_text text; /* of READING_TEXT */
	struct buf body;
	struct resolver resolver;    /* of links, for callers */
	struct url url;              /* of reading_url */
	struct deceit deceit;        /* of suspects */
	struct forms forms;          /* of gathers_forms */
	const struct rulebook *book; /* the caller's: the user's rules; borrowed */
	slice sentinel;              /* the caller's: looked for in bodies; borrowed; empty: none */
	const slice *secrets;        /* the caller's: looked for in heads and bodies; borrowed */
	size_t secret_count;         /* 0: none */
	struct buf tail;             /* end of the last chunk, where one of them may begin */
	struct required required;
	struct stand_in stand_in;
	struct blocked_body signs;         /* if is_read */
	const struct reading_known *known; /* the caller's: if that is what comes, READING_STATE
					    * need not parse it; NULL: none */
	unsigned hits, misses;             /* of known */
	const atomic_bool *stopping;       /* the caller's; NULL: it never stops */
	enum reading_for mode;
	bool suspects;      /* the caller's: signs of deceit are wanted, with links */
	bool gathers_forms; /* the caller's: forms are wanted, with links */
	bool has_sentinel;  /* the body that was read last contains it */
	bool has_secret;    /* the response that was read last repeats one of secrets */
	bool is_read;       /* the last response is HTML, and all of it was read */
	bool signing;       /* signs of what stands in a page's place are read */
	bool parsing;
};

/* body_max: of READING_BODY. 0 or ERR_NOMEM. */
int reading_init(struct reading *r, size_t body_max) SP_MUST_CHECK;
void reading_release(struct reading *r);

/*
 * Reads the response of a fetch that has one (status above 0). 0, ERR_SYNTAX for an invalid head,
 * ERR_IO for the spool, ERR_NOMEM, ERR_STOPPED.
 */
int reading_read(struct reading *r, const struct net_fetch *f, enum reading_for mode,
	struct state_result *ret, struct err *err) SP_MUST_CHECK;

/*
 * The URL of a response, parsed once for all who ask in turn; valid until another one is asked for.
 * NULL: it is none.
 */
const struct url *reading_url(struct reading *r, slice url);

/* A field of the head that was read last; ptr is NULL if it is missing. */
slice reading_field(const struct reading *r, slice name);

/* The head that was read last. */
const struct fields *reading_head(const struct reading *r);

/* Of the response that was read last. */
struct reading_signs reading_signs(const struct reading *r);

/* Whether the body that was read last is HTML. */
bool reading_is_html(const struct reading *r);

/* How the body under that head is read (proof/verdict.h). */
uint64_t reading_manner(const struct reading *r);

/*
 * What stands in the place of the page at that URL (formats/blocked.h), by the response that was
 * read last as result; "" when it is the page. 0 or ERR_NOMEM.
 */
int reading_stand_in(const struct reading *r, const struct state_result *result, slice url,
	char ret[STAND_IN_SIZE]) SP_MUST_CHECK;

/* What that head says of age and origin; borrows from it. now: wall, ns. */
void reading_served(const struct reading *r, int64_t now, struct served *ret);

#endif
