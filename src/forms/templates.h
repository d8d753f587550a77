/*
 * Query templates: which fields of a form are filled in at once (Madhavan et al., "Google's
 * deep-web crawl", VLDB 2008). A template is informative if its queries show different results; one
 * that is not, since its field only changes how results look, is given up after a few queries.
 * Templates of one field come first; two fields are combined only if each of them is informative.
 *
 * The next query is of the template that gives most new records for a query, as the last ones
 * showed. Pure: no I/O, no clock.
 */
#ifndef FORMS_TEMPLATES_H
#define FORMS_TEMPLATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/lists.h"
#include "base/vec.h"

enum {
	TEMPLATES_MAX = 1024,
	TEMPLATE_TESTS = 4, /* queries after which an uninformative one is given up */
	TEMPLATE_IDLE = 8,  /* queries in a row that gave nothing new, the same */
	TEMPLATE_IDLE_WORDS = 24,
	TEMPLATE_NO_FIELD = -1,
};

/* The caller's: what is filled in. */
struct template_fields {
	uint32_t form;
	int64_t first, second; /* fields; second or TEMPLATE_NO_FIELD */
	uint32_t values;       /* that it has; 0: words, whose number is not known */
	uint32_t values_second;
};

/* Fields are the templates' own, but for what is there to be read. */
struct query_template {
	struct template_fields of; /* read */
	uint32_t next;             /* value; read */
	uint32_t queries;
	uint32_t informative; /* of those */
	uint32_t idle;        /* the last ones in a row that gave nothing new */
	double gain;          /* of the last ones, decaying */
	bool has_ended;
	bool is_combined; /* with the other fields of its form */
};

VEC_DECLARE(query_template_vec, struct query_template);

struct templates {
	struct query_template_vec list;
};

/* Adds one; those beyond TEMPLATES_MAX, and those without values, are left out. 0 or ERR_NOMEM. */
int templates_add(
	struct templates *t, const struct template_fields *of, bool has_values) SP_MUST_CHECK;
void templates_release(struct templates *t);

/* The one to be asked next; false when all have ended. 0 or ERR_NOMEM: it may combine fields. */
int templates_next(struct templates *t, uint32_t *ret, bool *ret_any) SP_MUST_CHECK;

/* Its next value is used now, whether it is sent or known already. */
void templates_advance(struct templates *t, uint32_t number);

/* A query of it was answered: new records, and whether it showed what no other query had shown. */
void templates_answered(struct templates *t, uint32_t number, double gain, bool is_informative);

/* It has no more values, or must not be sent: it, or all of its form. */
void templates_end(struct templates *t, uint32_t number);
void templates_end_form(struct templates *t, uint32_t form);

#endif
