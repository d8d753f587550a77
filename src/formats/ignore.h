/*
 * The user's rules about what to ignore when two downloads of a page are compared (--ignore FILE),
 * and which elements a page must have to be the page (docs/judgement.md, "Rules of your own"):
 *
 *	# a comment
 *	select .advert, #visitors
 *	[www.example.org *.example.net https://example.com/news/]
 *	text:generated Page generated in [0-9.]+ s
 *	require main article
 *
 * Rules before the first section hold for every page. Every rule has a name for reports:
 * "ignore:NAME" where the user gave one, else "ignore:LINE".
 */
#ifndef FORMATS_IGNORE_H
#define FORMATS_IGNORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/slice.h"
#include "base/vec.h"
#include "formats/http_digest.h"
#include "formats/selector.h"
#include "formats/url.h"

/*
 * Regular expressions over lines of a page's text: PCRE2 in UTF-8, with limits that hold whatever
 * the expression and the text are. Never compiled to machine code: where a limit is reached, and
 * so what is found, must be the same on every machine.
 */

enum {
	TEXT_PATTERN_MAX = 4096,         /* bytes of an expression */
	TEXT_PATTERN_LINE_MAX = 4096,    /* bytes of a line that are searched */
	TEXT_PATTERN_MATCH_LIMIT = 2000, /* steps of backtracking from one place of the line */
	TEXT_PATTERN_DEPTH_LIMIT = 500,  /* nested backtracking points */
	TEXT_PATTERN_HEAP_LIMIT = 1024,  /* KiB of a match */
};

struct text_pattern;

enum text_pattern_result {
	TEXT_PATTERN_NONE,
	TEXT_PATTERN_FOUND,
	TEXT_PATTERN_GAVE_UP, /* at one of the limits: unknown */
};

/* Bytes [from, to) of a line. */
struct text_span {
	size_t from;
	size_t to;
};

enum {
	IGNORE_FILE_MAX = 256 << 10, /* bytes of a file */
	IGNORE_RULES_MAX = 1000,     /* rules of a file */
	IGNORE_SITES_MAX = 10000,    /* hosts and prefixes of a file */
	IGNORE_NAME_MAX = 64,        /* bytes of a rule's name */
	IGNORE_WORK_MAX = 1 << 30,   /* characters that a text rule may look at, per page */
	IGNORE_MEMORY_MAX = 8 << 20, /* bytes of names and texts */
};

enum ignore_kind {
	IGNORE_SELECT,  /* elements that match, and all in them, are ignored */
	IGNORE_TEXT,    /* what matches in a line of visible text is ignored */
	IGNORE_REQUIRE, /* a page in which no element matches is not the page */
};

struct ignore_rule {
	enum ignore_kind kind;
	uint32_t section;
	uint32_t line;
	slice name;        /* "ignore:…" */
	slice text;        /* the selector or expression as written */
	uint32_t selector; /* of IGNORE_SELECT and IGNORE_REQUIRE: its number in the set */
	struct text_pattern *pattern; /* of IGNORE_TEXT */
};

enum ignore_site_kind {
	IGNORE_ANY,
	IGNORE_HOST,
	IGNORE_BELOW,  /* the host and all hosts below it */
	IGNORE_PREFIX, /* URLs that begin with the text */
};

struct ignore_site {
	enum ignore_site_kind kind;
	uint32_t section;
	int32_t port; /* URL_NO_PORT: any */
	slice text;
};

VEC_DECLARE(ignore_rule_vec, struct ignore_rule);
VEC_DECLARE(ignore_site_vec, struct ignore_site);

/* Rules and digest may be read; once parsed, nothing changes: pages may share it. */
struct ignore {
	struct ignore_rule_vec rules;
	struct digest digest; /* SHA-256 of the file: the version of the rules */
	/* The rest is its own. */
	struct arena arena;
	struct ignore_site_vec sites;
	struct selector_set selectors;
	uint32_t sections; /* 0 is all before the first */
};

/* No rules; allocates nothing. */
void ignore_init(struct ignore *ig);
void ignore_release(struct ignore *ig);

/*
 * Reads the content of a rules file into an empty ig. 0, or ERR_SYNTAX, ERR_LIMIT, ERR_NOMEM with
 * "FILE:LINE:COLUMN: what" in err; lines and columns are from 1, columns count characters. ig is
 * fit for release only then.
 */
int ignore_parse(struct ignore *ig, slice content, const char *file, struct err *err) SP_MUST_CHECK;

/* Whether a section (of a rule) holds for a page. */
bool ignore_applies(const struct ignore *ig, uint32_t section, const struct url *url);

#define IGNORE_NONE UINT32_MAX /* no rule */

/* What a text rule found. */
struct ignore_match {
	uint32_t rule;
	struct text_span span;
};

VEC_DECLARE(ignore_u64_vec, uint64_t);

/* The rules at work on one page. Fields are its own, but those named may be read. */
struct ignore_page {
	const struct ignore *rules;
	uint32_t off; /* a rule that is left out, or IGNORE_NONE; to be set before the start */
	struct selector_stack
		stack;          /* stack.cut: nested too deeply, do not trust what was ignored */
	struct u32_vec selects; /* rules that hold for the page, by kind */
	struct u32_vec texts;
	struct u32_vec requires;
	struct ignore_u64_vec work; /* by text rule: characters looked at */
	uint32_t gave_up; /* the first text rule that met a limit and found nothing from then on,
			   * or IGNORE_NONE */
};

/* No page yet; the rules are borrowed. Allocates nothing. */
void ignore_page_init(struct ignore_page *p, const struct ignore *rules);
void ignore_page_release(struct ignore_page *p);

/* Whether any rule holds for the page that was begun. */
static inline bool ignore_page_acts(const struct ignore_page *p)
{
	return p->selects.len || p->texts.len || p->requires.len;
}

/* A number of the rules that hold for the page: equal ones, equal rules of equal files. */
uint64_t ignore_page_number(const struct ignore_page *p);

/* Begins a page; flags are of enum html_flags. 0 or ERR_NOMEM. */
int ignore_page_start(struct ignore_page *p, const struct url *url, unsigned flags) SP_MUST_CHECK;

/* Takes in the next token. */
void ignore_page_token(struct ignore_page *p, const struct html_token *token);

/* The first rule that ignores the innermost element, or IGNORE_NONE. */
uint32_t ignore_page_element(const struct ignore_page *p);

/*
 * The first text at or behind `from` that a rule ignores, the longest of several that begin there;
 * false when there is none.
 */
bool ignore_page_find(
	struct ignore_page *p, slice line, size_t from, struct ignore_match *ret_match);

/* At the end of a page: the first rule whose required element is missing, or IGNORE_NONE. */
uint32_t ignore_page_missing(const struct ignore_page *p);

#endif
