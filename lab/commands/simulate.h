/* The modes of `stillpoint-lab simulate`: each has a file of its own, all share one table of
 * options.
 */
#ifndef COMMANDS_SIMULATE_H
#define COMMANDS_SIMULATE_H

#include <stdio.h>

#include "base/options.h"
#include "cmd/cmd.h"
#include "cmd/planning.h"
#include "commands/commands.h"

/* 0 and NULL: not given. */
struct simulate_options {
	/* which mode: exactly one of these is given */
	const char *table;
	const char *site;
	const char *graph;
	const char *history;
	const char *evaluate; /* with history */

	struct cmd_planning planning;
	bool json;
	const char *text;
	const char *html;
	const char *command; /* the whole command line, as a shell would read it; no option */

	/* of --graph */
	int64_t size;
	struct text_list seeds;

	/* of all that is drawn at random */
	int64_t runs;
	int64_t seed;
	int64_t threads;

	/* of --site */
	double estimate_error;
	double rate_error;
	double failures;
	double late;

	/* of --history */
	double crawl_days;
	int64_t draws;
	const char *links;
	int rates; /* index into SIMULATE_RATES, an enum draw_rates */
	struct text_list gains;
	int half; /* index into SIMULATE_HALVES, an enum replay_half */
	double memory_days;
	int64_t canary_period;

	/* of --evaluate and --sampling */
	const char *start;

	/* of --sampling, with history */
	struct text_list sampling;
	const char *cycle;
	int64_t cycles;
	int64_t clusters;
	double budget;
	int changed; /* index into SIMULATE_CHANGED */

	/* of --watch, with history or site; budget as above, per day */
	struct text_list watch;
	double days;
	double grid; /* seconds */
};

/* The first rates are those of enum draw_rates; the last two are for --watch only. */
enum { SIMULATE_RATES_KNOWN = 3, SIMULATE_RATES_LEARNED };

extern const char *const SIMULATE_RATES[];
extern const char *const SIMULATE_HALVES[];
extern const char *const SIMULATE_CHANGED[];

/* What a mode has to print, in all forms. */
struct simulate_output {
	int (*json)(const void *context, FILE *file);  /* what json_finish says */
	void (*text)(const void *context, FILE *file); /* errors stay in the FILE */
	void (*html)(const void *context, FILE *file); /* the same */
	const void *context;
};

/*
 * Prints JSON or text on standard output, and writes the files of --text and --html. The page comes
 * first: where it cannot be written nothing is printed.
 */
enum cmd_status simulate_print(
	const struct simulate_options *o, const struct simulate_output *output);

/* The experiments of the papers: simulate_table.c. */
enum cmd_status simulate_table(const struct simulate_options *o);

/* A synthetic site: simulate_site.c. */
enum cmd_status simulate_site(const struct simulate_options *o);

/* The site of a file: simulate_graph.c. */
enum cmd_status simulate_graph(const struct simulate_options *o);

/* The recorded history of a real site: simulate_history.c. */
enum cmd_status simulate_history(const struct simulate_options *o);

/* How well change rates are estimated from one: simulate_evaluate.c. */
enum cmd_status simulate_evaluate(const struct simulate_options *o);

/* Update detection by sampling on one: simulate_sampling.c. */
enum cmd_status simulate_sampling(const struct simulate_options *o);

/* Policies that keep an archive up to date: simulate_watch.c. */
enum cmd_status simulate_watch(const struct simulate_options *o);

/* The value of --start, YYYY-MM-DD, as Unix seconds; else ERR_USAGE. */
int simulate_date(const char *text, int64_t *ret_seconds, struct err *err);

#endif
