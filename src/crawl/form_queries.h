/*
 * What the search forms of a site are asked for (--forms N; docs/forms.md). Forms and words are
 * gathered from the pages that are visited. When all visits are done, the form that promises most
 * new pages is asked for one value; its answer is a page like any other, which is visited now and
 * revisited later, and its links are followed. Then the next query is chosen by what it gave. So
 * everything that queries find is known before the still point.
 *
 * Which queries were sent is in the catalog: pages of the kind "form". After a crash, forms and
 * words are read again from the archive.
 */
#ifndef CRAWL_FORM_QUERIES_H
#define CRAWL_FORM_QUERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "formats/form_submit.h"
#include "text/form_vocabulary.h"

struct reading;
struct arrival;
struct url;
struct capture;
struct catalog;
struct net_fetch;
struct plan_order;

enum {
	FORM_QUERIES_FORMS_MAX = 64,  /* different ones of a capture */
	FORM_QUERIES_SHOWN_MAX = 1024 /* answers that are told apart */
};

/* What a page is to the queries. */
enum form_role {
	FORM_ROLE_NONE,
	FORM_ROLE_RESULTS, /* the answer to a query, and the pages of results that it leads to */
	FORM_ROLE_RECORD,  /* what results lead to */
};

/* A form that may be sent; its fields are in form_queries.kept, under the same number. */
struct known_form {
	uint64_t signature; /* of what tells forms apart */
	slice action;       /* absolute */
	uint32_t page;      /* where it was found */
	uint32_t slot;      /* of its first field of words */
	bool tried_plain;   /* sent as it stands, or about to be */
};

/* The query that was sent last. */
struct open_query {
	bool is_open;
	bool is_informative; /* it showed what no other had shown */
	uint32_t template;
	uint32_t page;
	int64_t term;                    /* of the words, or -1 */
	char asked[VOCABULARY_WORD_MAX]; /* the value; longer ones are none */
	size_t asked_len;
	uint32_t pages; /* new ones that its results led to */
	uint32_t lines; /* new ones of its results */
};

VEC_DECLARE(known_form_vec, struct known_form);
VEC_DECLARE(hash_vec, uint64_t);
VEC_DECLARE(role_vec, uint8_t);

/* Zero-initialise. Fields are those of form_queries.c, but for queries. */
struct form_queries {
	uint32_t queries; /* that were taken as pages, by all processes */
	bool is_begun;
	bool has_records; /* results have led to pages */
	struct forms kept;
	struct known_form_vec list;
	struct templates templates;
	struct vocabulary words;
	struct hash_vec shown; /* answers, by what they show */
	struct role_vec roles; /* enum form_role, by page */
	struct open_query now;
};

void form_queries_release(struct form_queries *q);

/* All of it does nothing unless the settings have a budget. */

bool form_queries_are_on(const struct capture *c);

/* A page was visited and read, its text and forms, too; its links were discovered. */
int form_queries_read(struct capture *c, const struct plan_order *order, struct reading *reading,
	const struct net_fetch *f, struct err *err) SP_MUST_CHECK;

/* As struct crawl_feature has them: whether a page is one that a query led to; forms are gathered.
 */
int form_queries_found(struct capture *c, uint32_t page, const struct url *url, struct err *err);
int form_queries_want(struct capture *c, const struct arrival *p, bool *ret_text, struct err *err);

/* All visits are done: discovers the page of the next query, if there is one to be sent. */
int form_queries_next(struct capture *c, struct err *err) SP_MUST_CHECK;

/* Resume: all pages are known; reads those that were visited again, from the archive. */
int form_queries_restore(struct capture *c, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

#endif
