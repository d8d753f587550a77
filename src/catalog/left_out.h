/*
 * Why a URL that was found is no part of a capture: a short list, so that what was left out can be
 * counted. The rule of a page (catalog.h) says the same in full, for people. Numbers are stored in
 * catalogs: new ones go to the end.
 */
#ifndef CATALOG_LEFT_OUT_H
#define CATALOG_LEFT_OUT_H

#include <stdbool.h>
#include <stdint.h>

/* Name, word for machines, meaning for people ("120 …"). */
#define LEFT_OUT_REASONS(X)                                                                \
	X(LEFT_OUT_NOT, "taken", "taken")                                                  \
	X(LEFT_OUT_OTHER, "other", "refused for a reason that was not recorded")           \
	X(LEFT_OUT_ROBOTS, "robots", "refused by robots.txt")                              \
	X(LEFT_OUT_SCOPE, "scope", "outside the scope")                                    \
	X(LEFT_OUT_MAX_PAGES, "max-pages", "beyond --max-pages")                           \
	X(LEFT_OUT_MAX_DEPTH, "max-depth", "beyond --max-depth")                           \
	X(LEFT_OUT_REDIRECTS, "redirects", "after too many redirects in a row")            \
	X(LEFT_OUT_SEGMENTS, "trap-segments", "trap: paths that repeat themselves")        \
	X(LEFT_OUT_CALENDAR, "trap-calendar", "trap: an endless calendar")                 \
	X(LEFT_OUT_COUNTER, "trap-counter", "trap: an endless counter")                    \
	X(LEFT_OUT_PARAMETERS, "trap-parameters", "trap: endless new parameters")          \
	X(LEFT_OUT_SESSION, "trap-session", "trap: the same page with another session id") \
	X(LEFT_OUT_REPEATS, "trap-repeats", "trap: endless URLs with the same content")    \
	X(LEFT_OUT_ADDRESS, "address", "refused by the address guard")                     \
	X(LEFT_OUT_LENGTH, "length", "URLs that are too long, or too many on one page")    \
	X(LEFT_OUT_EFFECT, "effect", "links that log out, delete or change something")     \
	X(LEFT_OUT_HOST_BUDGET, "host-budget", "beyond --host-budget")                     \
	X(LEFT_OUT_TOPIC, "topic", "of too little promise for --topic")                    \
	X(LEFT_OUT_DUST, "dust", "URLs that show what another one shows")                  \
	X(LEFT_OUT_MIRROR, "mirror", "on a host that mirrors another one")                 \
	X(LEFT_OUT_SPAM, "spam", "skipped as spam (--spam skip)")                          \
	X(LEFT_OUT_LOST, "lost", "known by number only: the WARC files are damaged")       \
	X(LEFT_OUT_VIEW, "view", "views of other pages: edit, history, print … (--views)") \
	X(LEFT_OUT_UNREACHABLE, "unreachable", "on hosts whose robots.txt cannot be read")

enum left_out {
#define X(name, word, meaning) name,
	LEFT_OUT_REASONS(X)
#undef X
		LEFT_OUT_COUNT
};

/* Constant. */
const char *left_out_word(enum left_out reason);
const char *left_out_meaning(enum left_out reason);

static inline bool left_out_is_trap(enum left_out reason)
{
	return reason >= LEFT_OUT_SEGMENTS && reason <= LEFT_OUT_REPEATS;
}

/* By the rules of the host, which may change: taken after all if it is allowed then. */
static inline bool left_out_is_robots(enum left_out reason)
{
	return reason == LEFT_OUT_ROBOTS || reason == LEFT_OUT_UNREACHABLE;
}

/* Left out for the sake of another URL: taken after all if that turns out to be wrong. */
static inline bool left_out_is_repeat(enum left_out reason)
{
	return reason == LEFT_OUT_DUST || reason == LEFT_OUT_MIRROR || reason == LEFT_OUT_VIEW;
}

#endif
