/* How well a feature parts the pages of a node; used by rate/c45.c alone. */
#ifndef RATE_C45_SPLIT_H
#define RATE_C45_SPLIT_H

#include <stdbool.h>

#include "rate/sample.h"

/* A page in a node, or a share of it. */
struct c45_item {
	uint32_t row;
	float weight;
};

struct c45_set {
	const struct c45_item *items;
	size_t count;
};

struct c45_point {
	float value, weight;
	uint32_t label;
};

/* Memory that all nodes share; tables are zero between calls. */
struct c45_room {
	double *table;            /* by value and class */
	uint32_t *used;           /* values with a count in the table */
	struct c45_point *points; /* by page */
};

struct c45_split {
	double gain, ratio;
	float threshold; /* of a number */
	bool possible;
};

enum { C45_BRANCH_MIN = 2 }; /* pages that two branches must have at least */

struct c45_split c45_split_words(
	const struct sample *s, struct c45_set set, size_t feature, struct c45_room *room);
struct c45_split c45_split_number(
	const struct sample *s, struct c45_set set, size_t feature, struct c45_room *room);

#endif
