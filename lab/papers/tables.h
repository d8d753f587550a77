/*
 * The experiments of the papers as data: SHARC (Denev, Mazeika, Spaniol, Weikum) tables 11 to 21
 * and figure 6, SOLAR (Mazeika, Denev, Spaniol, Weikum) tables 1 and 2; and a study of our own of
 * online strategies. A table knows its set-up, the printed figures, and what is known about those
 * that do not come out.
 */
#ifndef PAPERS_TABLES_H
#define PAPERS_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/plan.h"
#include "sim/fleet.h"
#include "sim/kinds.h"
#include "sim/synthetic.h"

enum {
	TABLE_COLUMNS_MAX = 15,
	TABLE_RUNS = 40,
};

enum table_metric {
	TABLE_BLUR,        /* per page */
	TABLE_INCOHERENCE, /* pages that changed between visit and revisit */
	TABLE_COHERENCE,   /* pages that did not */
	TABLE_CAPTURE,     /* sharp pages that are expected, and pages that were captured */
};

/* 0: not printed. The columns are those of the table. */
struct table_row {
	const char *label;
	struct synthetic site;
	double delay;
	unsigned runs;     /* 0: TABLE_RUNS */
	enum plan_aim aim; /* with a limit */
	double tau;        /* 0: PLAN_TAU */
	double printed[TABLE_COLUMNS_MAX];
	double printed_expected[TABLE_COLUMNS_MAX]; /* SOLAR prints expectations too */
	struct fleet_kind fleet;                    /* 0 servers: one, with the delay */
	double limit;        /* share of the downloads that two legs take; 0: no limit */
	struct kind kind;    /* in place of site, whose n is the same; 0 pages: none */
	unsigned requisites; /* of each page: see sim/trial.h */
};

/* Holds for one row or all (NULL), for one strategy or all (NULL). */
struct table_note {
	const char *row;
	const char *strategy;
	const char *text;
};

/* The worst case of SHARC section 6: k misplaced pages. */
struct table_worst_row {
	const char *label;
	unsigned pages; /* even; rates are equal in pairs */
	unsigned k;
	double skew;             /* rates are 100/i^skew; NAN: those of Example 6 */
	double printed;          /* increase of the sum of rate times penalty; 0: not printed */
	double printed_relative; /* share of the optimum; 0: not printed */
};

/* Constant; a list of rows ends with one without a label. */
struct table {
	const char *name;
	const char *title;
	enum table_metric metric;
	bool in_order;              /* links in the order of their numbers */
	bool size_unknown;          /* strategies are told nothing of the size */
	double size_error;          /* or n(1 + size_error) pages */
	const char *const *columns; /* strategies; ends with NULL */
	const char *leader; /* one of them: each row tells by how much it leads; may be NULL */
	const struct table_row *rows;
	const struct table_worst_row *worst; /* in place of columns and rows */
	const struct table_note *notes;      /* ends with one without a text; may be NULL */
};

/* In the order of the papers; NULL past the last. */
const struct table *table_at(size_t i);

/* NULL when there is none of that name. */
const struct table *table_find(const char *name);

/* For table_at: ends with one without a name. */
extern const struct table TABLES_SHARC[];
extern const struct table TABLES_SOLAR[];
extern const struct table TABLES_ONLINE[];
extern const struct table TABLES_LIMITS[];
extern const struct table TABLES_SERVERS[];
extern const struct table TABLES_GROUPS[];

#endif
