/* Parts of a site that have no end, by the shape of URLs and by the gist of pages. */
#ifndef CRAWL_TRAPS_H
#define CRAWL_TRAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"
#include "formats/url.h"

/* ---- the gist of a document ---- */

/*
 * The gist of a document: its lines of text, each as a hash, with all masked that a machine would
 * fill in, so that two pages of a template without content of their own have the same gist:
 *
 *	digits		a date, a counter, a clock
 *	words of the URL	"No results for xyzzy" at /search?q=xyzzy
 *	case, blanks and punctuation
 *
 * What is left of a line is its weight, in bytes. The order of lines plays no part: the same list
 * sorted in another way is the same list.
 */

enum {
	GIST_LINES_MAX = 4096, /* of a document; more are left out */
	GIST_WORDS_MAX = 64,   /* of a URL that are masked */
	GIST_WORD_MIN = 3,     /* letters that they have: "a" is a word of any text */
};

struct gist_line {
	uint64_t hash;
	uint32_t weight;
};

VEC_DECLARE(gist_lines, struct gist_line);

/* Zero-initialise; may be used again and again. */
struct gist {
	struct gist_lines lines;
	uint64_t weight; /* of all of them */
};

void gist_reset(struct gist *g);
void gist_release(struct gist *g);

/* Adds the lines of a text, of the document at that URL: 0 or ERR_NOMEM. */
int gist_add_text(struct gist *g, slice text, slice url) SP_MUST_CHECK;

/* Adds something that is no text, by a hash of it: the same. */
int gist_add_hash(struct gist *g, uint64_t hash, uint32_t weight) SP_MUST_CHECK;

/* ---- shapes ---- */

/*
 * The shape of a URL: what it has in common with the others that the same program of the site
 * makes. Digits, dates and random tokens of the path are masked, of the query the names of the
 * fields are kept and sorted:
 *
 *	http://x.org/article/12345.html            http://x.org/article/#.html
 *	http://x.org/calendar/2031-05-12?view=day  http://x.org/calendar/#?view
 *	http://x.org/a?b=1&a=2                     http://x.org/a?a&b
 *
 * An endless part of a site has endlessly many URLs of few shapes. Nothing is decided here: a
 * normal site of many articles looks the same. Pure; reads foreign URLs in linear time (but for the
 * sorting of at most TRAP_FIELDS_MAX fields).
 */

enum {
	TRAP_FIELDS_MAX = 64,    /* of a query; a shape says no more of others */
	TRAP_REPEATS = 3,        /* times in a row that segments must come to be suspicious */
	TRAP_OCCURRENCES = 4,    /* times that one must come anywhere */
	TRAP_PERIOD_MAX = 8,     /* segments that may repeat themselves together */
	TRAP_SEGMENTS_MAX = 256, /* of a path that are looked at */
};

enum trap_kind {
	TRAP_PLAIN,    /* a name that somebody gave: nothing is masked */
	TRAP_SEGMENTS, /* segments of the path repeat themselves: /a/b/a/b/a/b; text is the host */
	TRAP_CALENDAR, /* has dates */
	TRAP_COUNTER,  /* has other numbers, or tokens */
	TRAP_PARAMETERS, /* has a query */
	TRAP_SESSION,    /* has a session id; text is the URL without it */
	TRAP_KIND_COUNT,
};

struct trap_shape {
	enum trap_kind kind;
	slice text;     /* in the buffer */
	size_t section; /* its first bytes: scheme, host, port, and the first directory */
	size_t path;    /* those up to the query */
};

/* Makes the shape of an http or https URL, in place of what out holds: 0, ERR_LIMIT, ERR_NOMEM. */
int trap_shape(struct buf *out, const struct url *u, struct trap_shape *ret) SP_MUST_CHECK;

/* ---- traps ---- */

/*
 * How many URLs of each shape a capture takes: budgets in the spirit of BEAST (Lee, Leonard, Wang,
 * Loguinov: "IRLbot: scaling to 6 billion pages and beyond", 2008; the survey of web crawling,
 * section 6.2). docs/traps.md has the reasons and figures. Three levels are held against their
 * budgets: the URL's shape, its path with whatever query, its section (the first directory). Each
 * begins with a budget and earns more by content: a page that shows something new stands for
 * TRAPS_PAY URLs. What is beyond is put off, and taken when the budget has grown; so nothing is
 * lost that new content speaks for.
 *
 *	trap_shape(&text, url, &shape);			// a URL is found
 *	traps_find(&t, &shape, &levels);
 *	if (is_free || traps_has_room(&t, &levels, &full))
 *		traps_take(&t, &levels, is_free);
 *	else
 *		traps_defer(&t, levels.list[full], page);	// it is left out, for now
 *
 *	if (traps_wants_look(&t, &levels))		// a page has come
 *		traps_look(&t, &levels, &gist, &is_new);
 *	while (traps_next(&t, &levels, &page))		// there is room for some that were put off
 *		…
 *
 * Invariants:
 *	(1) of a level whose pages show nothing new no more URLs are charged than its first budget
 *	    and one look's pay;
 *	(2) a level of which more than a quarter of the pages show something new never runs out.
 *
 * No I/O; memory is bounded: TRAPS_LEVELS_MAX levels of some 80 bytes, TRAPS_WINDOWS_MAX windows of
 * 8 KiB, and 8 bytes for each page that is put off.
 */

enum {
	TRAPS_BUDGET = 1000,        /* of a shape, unless said otherwise */
	TRAPS_LEVELS_MAX = 1 << 17, /* URLs of further shapes count for their section alone */
	TRAPS_WINDOWS_MAX = 1024,   /* where there are more, all content counts as new */
	TRAPS_PAY = 4,              /* URLs that a page with something new stands for */
	TRAPS_STEP = 4,             /* one page in so many is looked at */
	TRAPS_STEP_RICH = 16,       /* the same where there is budget for years */
	TRAPS_LEVELS = 3,           /* of a URL */
};

#define TRAPS_NO_LEVEL UINT32_MAX

/* Places in the list of a URL's levels. */
enum { TRAP_LEVEL_SHAPE, TRAP_LEVEL_PATH, TRAP_LEVEL_SECTION };

/* The last lines of a level's pages, as bits of their hashes. */
struct trap_window {
	uint64_t bits[1024];
	uint32_t set;
};

struct trap_level {
	uint32_t first;      /* its first budget */
	uint32_t charged;    /* URLs taken that count against it */
	uint32_t earned;     /* by new content */
	uint32_t pages;      /* all that were taken */
	uint32_t unseen;     /* pages that came since one was looked at */
	uint32_t window;     /* number of its window plus one; 0: none yet */
	uint32_t head, tail; /* of those put off: places plus one */
	uint8_t kind;        /* enum trap_kind; of a path or section, which have any: plain */
	bool was_new;        /* the page that was last looked at */
};

struct trap_deferred {
	uint32_t page;
	uint32_t next; /* place plus one, or 0 */
};

VEC_DECLARE(trap_level_vec, struct trap_level);
VEC_DECLARE(trap_deferred_vec, struct trap_deferred);
VEC_DECLARE(trap_window_vec, struct trap_window *);

/* Fields are its own. */
struct traps {
	struct hash_key key;
	uint32_t budget;
	struct arena arena;
	struct strmap numbers; /* of levels, by a hash of their name */
	struct trap_level_vec levels;
	struct trap_window_vec windows;
	struct trap_deferred_vec deferred;
	uint32_t free_deferred; /* place plus one */
	uint32_t first_section; /* its level, or TRAPS_NO_LEVEL */
};

/* The levels of a URL, the most particular one first. */
struct trap_levels {
	uint32_t list[TRAPS_LEVELS]; /* numbers, or TRAPS_NO_LEVEL */
};

/* budget: the first one of a shape; the others follow from it. */
void traps_init(struct traps *t, uint32_t budget, struct hash_key key);
void traps_release(struct traps *t);

/* 0 or ERR_NOMEM. */
int traps_find(
	struct traps *t, const struct trap_shape *shape, struct trap_levels *ret) SP_MUST_CHECK;

/* Whether all levels have room; if not, *ret_full is the place in the list of one that has none. */
bool traps_has_room(const struct traps *t, const struct trap_levels *l, unsigned *ret_full);

/* A URL is taken; is_free: nobody's budget is charged. */
void traps_take(struct traps *t, const struct trap_levels *l, bool is_free);

/* A URL that was taken led on to another, which counts in its place. */
void traps_refund(struct traps *t, const struct trap_levels *l);

/* A page is put off until the level has room: 0 or ERR_NOMEM. */
int traps_defer(struct traps *t, uint32_t level, uint32_t page) SP_MUST_CHECK;

/* A page that is put off since an earlier process: that level has no room now. The same. */
int traps_restore(struct traps *t, uint32_t level, uint32_t page) SP_MUST_CHECK;

/* A page that was put off and for which one of its levels has room now; false when there is none.
 */
bool traps_next(struct traps *t, const struct trap_levels *l, uint32_t *ret_page);

/* A page has come. Whether its text is to be looked at. */
bool traps_wants_look(struct traps *t, const struct trap_levels *l);

/*
 * Whether a page shows something that the last ones of its most particular level did not; levels
 * for which that is so earn. 0 or ERR_NOMEM.
 */
int traps_look(struct traps *t, const struct trap_levels *l, const struct gist *gist,
	bool *ret_new) SP_MUST_CHECK;

/* Whether pages like this one are thought to show something new, by the last that was looked at. */
bool traps_is_worthy(const struct traps *t, const struct trap_levels *l);

#endif
